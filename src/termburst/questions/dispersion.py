"""How evenly each term is spread over the documents of a corpus, also by measures that need the order of tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from termburst.names import TermOrder
from termburst.options import Option, check_options

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from termburst.counting.counted_corpus import CountedCorpus

MORE = ("arf",)  # measures beyond those of `termburst.dispersion`


@dataclass(frozen=True)
class Dispersion:
    """The question of `termburst.Corpus.dispersion`.

    Examples
    --------
    >>> Dispersion("dp").names, Dispersion().names[:2]
    (['dp'], ['dp', 'dp_norm'])
    """

    measures: Annotated[
        str | Iterable[str] | None, Option("Names of measures. (default: all that need only counts)")
    ] = None
    sort: Annotated[TermOrder | None, Option("Order of the rows; None costs least on an engine.")] = "term"

    def __post_init__(self) -> None:
        """Raise ValueError for an option that cannot be used."""
        check_options(self)
        if not self.names:
            raise ValueError("measures is empty; name some, such as dp, dp_norm, juilland_d, or omit it")

    @property
    def names(self) -> list[str]:
        """The names of the measures."""
        from termburst.inference.dispersion import MEASURES

        if isinstance(self.measures, str):
            return [self.measures]
        return list(MEASURES if self.measures is None else self.measures)

    def answer(self, counted: CountedCorpus) -> pl.DataFrame:
        """One row per term."""
        from termburst.inference.dispersion import average_reduced_frequency, dispersion
        from termburst.questions.frames import term_frame

        found: dict[str, Any] = dispersion(counted, [name for name in self.names if name not in MORE])
        if "arf" in self.names:
            found["arf"] = average_reduced_frequency(token_terms(counted), counted.terms.size)
        return term_frame(counted.terms, {name: found[name] for name in self.names})


def token_terms(counted: CountedCorpus) -> NDArray[np.int64]:
    """The number of the term of each token of the corpus, in order; tokens that are not counted are left out.

    Examples
    --------
    >>> from termburst.counting.counted_corpus import CountedCorpus
    >>> token_terms(CountedCorpus.from_texts(["so it goes", "so"])).tolist()
    [2, 1, 0, 2]
    """
    import numpy as np

    from termburst.counting.options import checked_counting

    if counted.texts is None:
        raise ValueError("arf needs the order of the tokens, but the corpus was made from counts; read the texts")
    counting = checked_counting(counted.counting)
    if counting.ngrams != (1, 1):
        raise ValueError("arf is for single words; read the texts without ngrams=")
    number = {term: place for place, term in enumerate(counted.terms.tolist())}
    found = [
        number[token] for text in counted.texts for token, _, _ in counting.placed_tokens(text)[1] if token in number
    ]
    return np.array(found, dtype=np.int64)
