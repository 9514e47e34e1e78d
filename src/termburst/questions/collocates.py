"""The words that stand near a node more often than their documents explain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from termburst.names import Adjustment, CollocateSort, Span
from termburst.options import Option, Question

if TYPE_CHECKING:
    import polars as pl

    from termburst.concordance.positions import TokenPositions
    from termburst.counting.options import CountingOptions
    from termburst.reading.documents import Text


@dataclass(frozen=True)
class Collocates(Question):
    """The question of `termburst.Corpus.collocates` and `termburst collocates`.

    Examples
    --------
    >>> from termburst.counting.options import CountingOptions
    >>> texts = ["free world and free world", "a free world or a war in the world", "world war of the world"]
    >>> Collocates("free", window=1).answer(texts, CountingOptions()).select("term", "n", "n_window").rows()[0]
    ('world', 6, 3)
    """

    node: Annotated[str, Option("A word as the corpus counts it, a phrase in quotes, or a pattern such as free*.")]
    window: Annotated[int, Option("Tokens on each side of the node, stop words included.", least=1, most=1000)] = 5
    within: Annotated[Span, Option("The window does not reach over the end of a document, or a sentence.")] = "document"
    include_node: Annotated[bool, Option("Also list the node itself, first; it has no p.")] = False
    min_count: Annotated[int, Option("Leave out words that occur fewer times.", least=1)] = 1
    adjust: Annotated[Adjustment, Option("How p-values are adjusted to q-values.")] = "bh"
    confidence: Annotated[float, Option("Confidence level of the log_ratio interval.", above=0, below=1)] = 0.95
    sort: Annotated[CollocateSort | None, Option("Order of the rows: the surest first, or the largest first.")] = "p"
    top: Annotated[int | None, Option("At most how many rows; 0 for all.", least=0)] = None

    def answer(self, source: TokenPositions | Iterable[Text], counting: CountingOptions) -> pl.DataFrame:
        """One row per word, from the tokens of a corpus or from its texts, which are then read once."""
        from termburst.concordance.collocates import collocates
        from termburst.forks import check_fork

        check_fork()
        top = self.top or None
        table = collocates(source, self, counting, limit=top if self.sort in ("p", None) else None)
        if self.sort not in ("p", None):  # the order in which they come
            table = table.sort(self.sort, descending=self.sort != "term", nulls_last=True, maintain_order=True)
        return table if top is None else table.head(min(top, table.height))
