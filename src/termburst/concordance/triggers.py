"""Words that come together, and of them the words that come after the others: a table of tested pairs."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.concordance.collocates import nowhere
from termburst.concordance.polya_urn import PolyaUrnFit
from termburst.inference.checks import check_confidence, check_name, checked_number, checked_whole, shown
from termburst.inference.multiplicity import adjust_log10
from termburst.inference.repeated_passages import RepeatedPairs
from termburst.inference.triggers import TriggerIntervals
from termburst.inference.word_pairs import PairOrders, PairsTogether, pair_orders, pairs_together
from termburst.models.urn_sequences import Floats, Sequences
from termburst.names import ADJUSTMENTS
from termburst.threads import Aside

BRINGS_ON, BROUGHT_ON_BY, TOGETHER = "brings on", "brought on by", "together with"
SURE = 0.05  # a word brings on another if both q-values are at most this
_LEAST_P = float(np.finfo(float).tiny)  # p and q are never 0; log10_p_together and log10_p_after go on below it
_CHUNK = 200  # pairs whose passages are looked at together
_tests: WeakKeyDictionary[PolyaUrnFit, TriggerIntervals] = WeakKeyDictionary()
_pairs: WeakKeyDictionary[PolyaUrnFit, dict[int, tuple[PairsTogether, PairOrders]]] = WeakKeyDictionary()
_passages: WeakKeyDictionary[PolyaUrnFit, RepeatedPairs] = WeakKeyDictionary()
Rows = NDArray[np.intp]


def triggers(
    fit: PolyaUrnFit,
    term: str | None = None,
    *,
    top: int | None = 50,
    after: bool = False,
    adjust: str = "bh",
    confidence: float = 0.95,
    min_documents: int = 5,
    most_repeated: float = 1.0,
) -> pl.DataFrame:
    """Which words come together, and which of them come after which? The smallest p_together comes first.

    Two questions have a test each. *Together*: are both words in more of the same documents than by chance? The order
    of words is not used. *After*: in the documents that have both, does the target come later than the source more
    often than if the words of each document were shuffled? Pairs are chosen and sorted by the first, so the choice does
    not make p_after too small. A source **brings on** its target if both q-values are at most 0.05. See
    `termburst.inference.word_pairs` for both tests.

    Parameters
    ----------
    fit : of `termburst.fit_polya_urn` with kind="full"
    term : a word; by default all pairs
    top : at most how many rows; None for all
    after : only pairs of which one word brings on the other. The q-values stay as they are
    adjust : how q is made from p: q_together over all pairs of words that were looked at, q_after over the pairs that
        were chosen because they come together
    confidence : level of the interval of ratio
    min_documents : pairs in fewer of the same documents are left out
    most_repeated : pairs are left out if they rest on repeated passages in a larger share of their documents: 0.5
        leaves out most signatures, quotations and reprints. The q-values stay as they are

    Returns
    -------
    polars.DataFrame
        One row per pair. For one word: direction ("brings on", "brought on by", or "together with" where the order is
        not sure) and term, the other word; for all pairs: source, the word that comes earlier in more documents, and
        target. Then documents that have both; expected, their mean if the words are independent; p_together;
        q_together; later, the documents where the target comes later than the source; earlier, those where it comes
        earlier (in the others it is neither); p_after, two-sided; q_after; ratio, 1 + M[source, target]/α[target] of
        the urn: how many times likelier one source makes the target in the rest of the document, where nothing else
        brought it on (infinite if it never comes without one of its sources, null if the urn has no such entry);
        ci_low, ci_high, from the profile likelihood; repeated: in how many of the documents both words stand in eight
        words in a row that another document has, too; log10_p_together; log10_p_after. With "together with" the source
        is the given word. Both p-values are mid-p-values.

    Examples
    --------
    >>> import termburst as tb
    >>> rng = np.random.default_rng(1)
    >>> filler = rng.choice(list("abcdefgh"), (80, 6)).tolist()
    >>> texts = [["socrates", *words[:3], "plato", *words[3:]] for words in filler[:20]] + filler[20:]
    >>> found = triggers(tb.fit_polya_urn(texts, "full"), "socrates")
    >>> found.select("direction", "term", "documents", "later", "earlier").rows()
    [('brings on', 'plato', 20, 20, 0)]
    """
    top = None if top is None else checked_whole("top", top, least=1)
    check_name("adjust", adjust, ADJUSTMENTS)
    check_confidence(confidence)
    min_documents = checked_whole("min_documents", min_documents)
    most_repeated = checked_number("most_repeated", most_repeated, 0.0, 1.0, low_too=True)
    if not isinstance(fit, PolyaUrnFit) or fit.kind != "full":
        got = f'kind="{fit.kind}"' if isinstance(fit, PolyaUrnFit) else shown(fit)
        raise ValueError(f'triggers need an urn fitted with tb.fit_polya_urn(corpus, "full"); got {got}')
    number = None if term is None else _number(fit, term)
    table = _Pairs(fit, min_documents, adjust)
    chosen = np.arange(table.together.one.size)
    if number is not None:
        chosen = np.flatnonzero((table.together.one == number) | (table.together.other == number))
    if after:
        chosen = chosen[table.sure[chosen]]
    chosen = chosen[np.argsort(table.together.log10_p[chosen], kind="stable")]  # the order of words has no part in it
    if most_repeated < 1:
        chosen = table.original(chosen, top, most_repeated)
    return table.frame(chosen[:top], number, confidence)


def _number(fit: PolyaUrnFit, term: Any) -> int:
    """The number of a word."""
    if not isinstance(term, str) or not term.strip():
        raise ValueError(f"give one word; got {shown(term)}")
    for candidate in (term, term.lower()):
        for where in np.flatnonzero(fit.terms == candidate)[:1]:
            return int(where)
    raise ValueError(nowhere(term, fit.terms.tolist()))


class _Pairs:
    """The pairs of a fit with both tests. What takes long is made once for each fit."""

    def __init__(self, fit: PolyaUrnFit, min_documents: int, adjust: str) -> None:
        if fit._sequences is None or fit._estimate is None:
            raise ValueError("this fit has no data to test with; fit it again")
        self.fit, self.sequences = fit, fit._sequences
        by_least = _pairs.setdefault(fit, {})
        if min_documents not in by_least:
            with Aside() as aside:
                by_least[min_documents] = aside.submit(_tested, fit._sequences, min_documents).get()
        self.together, self.orders = by_least[min_documents]
        self.log10_q_together = self.together.log10_q(adjust)
        self.log10_q_after = self.orders.log10_p
        if self.together.one.size:
            self.log10_q_after = adjust_log10(self.orders.log10_p, adjust)
        self.sure = np.maximum(self.log10_q_together, self.log10_q_after) <= np.log10(SURE)
        self.forward = self.orders.later >= self.orders.earlier  # whether `one` comes earlier in more documents

    def frame(self, chosen: Rows, number: int | None, confidence: float) -> pl.DataFrame:
        """The rows of some pairs."""
        one, other = self.together.one[chosen].astype(np.int64), self.together.other[chosen].astype(np.int64)
        sure, forward = self.sure[chosen], self.forward[chosen]
        if number is not None:
            forward = np.where(sure, forward, one == number)
        source, target = np.where(forward, one, other), np.where(forward, other, one)
        words = self.fit.terms
        names: dict[str, Any]
        if number is None:
            names = {"source": words[source].tolist(), "target": words[target].tolist()}
        else:
            direction = np.where(sure, np.where(source == number, BRINGS_ON, BROUGHT_ON_BY), TOGETHER)
            names = {
                "direction": direction.tolist(),
                "term": words[np.where(source == number, target, source)].tolist(),
            }
        ratio, low, high = self._ratios(source, target, confidence)
        later, earlier = self.orders.later[chosen], self.orders.earlier[chosen]
        log10_together, log10_after = self.together.log10_p[chosen], self.orders.log10_p[chosen]
        return pl.DataFrame(
            {
                **names,
                "documents": self.together.documents[chosen],
                "expected": self.together.expected[chosen],
                "p_together": _power(log10_together),
                "q_together": _power(self.log10_q_together[chosen]),
                "later": np.where(forward, later, earlier),
                "earlier": np.where(forward, earlier, later),
                "p_after": _power(log10_after),
                "q_after": _power(self.log10_q_after[chosen]),
                "ratio": ratio,
                "ci_low": low,
                "ci_high": high,
                "repeated": self._repeated(chosen),
                "log10_p_together": log10_together,
                "log10_p_after": log10_after,
            },
            schema_overrides=dict.fromkeys(names, pl.String),
        ).with_columns(pl.col("ratio", "ci_low", "ci_high").fill_nan(None))

    def _ratios(self, source: Any, target: Any, confidence: float) -> tuple[Floats, Floats, Floats]:
        """1 + M/α with its interval; NaN for pairs that are no entries of the urn."""
        ratio, low, high = np.full((3, source.size), np.nan)
        with Aside() as aside:
            if self.fit not in _tests:
                _tests[self.fit] = aside.submit(TriggerIntervals, self.sequences, self.fit._estimate).get()
            test = _tests[self.fit]
            entries = test.entries_between(source, target)
            there = np.flatnonzero(entries >= 0)
            ratio[there] = 1 + test.excess(entries[there])
            ends = aside.submit(test.intervals, entries[there], confidence).get()
        low[there], high[there] = 1 + ends[0], 1 + ends[1]
        return ratio, low, high

    def _repeated(self, chosen: Rows) -> NDArray[np.int64]:
        """In how many documents both words of a pair stand in passages that other documents have, too."""
        if self.fit not in _passages:
            _passages[self.fit] = RepeatedPairs(self.sequences)
        return _passages[self.fit].documents(
            self.together.one[chosen].astype(np.int64), self.together.other[chosen].astype(np.int64)
        )

    def original(self, chosen: Rows, top: int | None, most: float) -> Rows:
        """The pairs that do not rest on repeated passages, or the first *top* of them."""
        kept: list[Rows] = [chosen[:0]]
        for start in range(0, chosen.size, _CHUNK):
            some = chosen[start : start + _CHUNK]
            kept.append(some[self._repeated(some) <= most * self.together.documents[some]])
            if top is not None and sum(part.size for part in kept) >= top:
                break
        return np.concatenate(kept)


def _tested(sequences: Sequences, min_documents: int) -> tuple[PairsTogether, PairOrders]:
    together = pairs_together(sequences, min_documents=min_documents)
    return together, pair_orders(sequences, together.one, together.other)


def _power(log10: Floats) -> Floats:
    """10 to the power of something; never 0."""
    return np.asarray(np.maximum(10.0 ** np.maximum(log10, -400.0), _LEAST_P))
