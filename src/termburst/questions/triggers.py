"""The words that come in the same documents as a word, and which of them come later, or earlier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any
from weakref import WeakKeyDictionary

from termburst.names import Adjustment
from termburst.options import Option, Question

if TYPE_CHECKING:
    import polars as pl

    from termburst.concordance.polya_urn import PolyaUrnFit

_urns: WeakKeyDictionary[Any, dict[tuple[float | None, int], PolyaUrnFit]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Triggers(Question):
    """The question of `termburst.Corpus.triggers` and `termburst triggers`.

    Examples
    --------
    >>> import numpy as np
    >>> import termburst as tb
    >>> rng = np.random.default_rng(1)
    >>> filler = rng.choice(list("abcdefgh"), (80, 6)).tolist()
    >>> texts = [["socrates", *words[:3], "plato", *words[3:]] for words in filler[:20]] + filler[20:]
    >>> found = Triggers("socrates").answer(tb.fit_polya_urn(texts, "full"))
    >>> found.select("direction", "term", "documents", "later", "earlier").rows()
    [('brings on', 'plato', 20, 20, 0)]
    """

    term: Annotated[str | None, Option("A word. (default: the pairs of all words)")] = None
    decay: Annotated[
        float | None, Option("Tokens after which what a word added counts half. (default: it counts in full)", above=0)
    ] = None
    min_documents: Annotated[int, Option("Both words must be in so many of the same documents.", least=1)] = 5
    after: Annotated[bool, Option("Only pairs where one word brings on the other.")] = False
    most_repeated: Annotated[
        float,
        Option("Leave out pairs that rest on repeated passages in a larger share of their documents.", least=0, most=1),
    ] = 1.0
    adjust: Annotated[Adjustment, Option("How p-values are adjusted to q-values.")] = "bh"
    confidence: Annotated[float, Option("Confidence level of the interval of ratio.", above=0, below=1)] = 0.95
    top: Annotated[int, Option("At most how many rows, the surest; 0 for all.", least=0)] = 50

    def urn(self, source: Any) -> PolyaUrnFit:
        """The urn that is fitted to the order of the words of a corpus; once, as long as the corpus has this order."""
        from termburst.concordance.polya_urn import fit_polya_urn

        fits = _urns.setdefault(source.__token_positions__()[0], {})
        key = (self.decay, self.min_documents)
        if key not in fits:
            fits[key] = fit_polya_urn(source, "full", decay=self.decay, min_documents=self.min_documents)
        return fits[key]

    def answer(self, fit: PolyaUrnFit) -> pl.DataFrame:
        """One row per pair of words; `fit` is such an urn."""
        from termburst.concordance.triggers import triggers

        return triggers(fit, self)
