"""The n-grams of a corpus, with how firmly their words hold together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from termburst.options import Option, Question

if TYPE_CHECKING:
    import polars as pl

    from termburst.concordance.positions import TokenPositions


@dataclass(frozen=True)
class Ngrams(Question):
    """The question of `termburst.Corpus.ngrams`."""

    size: Annotated[int, Option("Tokens of an n-gram.", least=2, most=10)] = 2
    min_count: Annotated[int, Option("Leave out n-grams that occur fewer times.", least=1)] = 2

    def answer(self, positions: TokenPositions) -> pl.DataFrame:
        """One row per n-gram."""
        from termburst.concordance.ngrams import ngrams

        return ngrams(positions, self.size, min_count=self.min_count)
