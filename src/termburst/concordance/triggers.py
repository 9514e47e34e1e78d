"""Words that come together, and of them the words that come after the others: a table of tested pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.concordance.collocates import nowhere
from termburst.concordance.polya_urn import PolyaUrnFit
from termburst.inference.multiplicity import adjust_log10
from termburst.inference.repeated_passages import RepeatedPairs
from termburst.inference.triggers import TriggerIntervals
from termburst.inference.word_pairs import PairOrders, PairsTogether, pair_orders, pairs_together
from termburst.messages import shown
from termburst.models.urn_sequences import Floats, Sequences
from termburst.threads import Aside

BRINGS_ON, BROUGHT_ON_BY, TOGETHER = "brings on", "brought on by", "together with"
SURE = 0.05  # a word brings on another if both q-values are at most this
_LEAST_P = float(np.finfo(float).tiny)  # p and q are never 0; log10_p_together and log10_p_after go on below it
_CHUNK = 200  # pairs whose passages are looked at together
_kept: WeakKeyDictionary[PolyaUrnFit, dict[Any, Any]] = WeakKeyDictionary()  # what takes long, once for each fit
Rows = NDArray[np.intp]


def triggers(fit: PolyaUrnFit, asked: Any) -> pl.DataFrame:
    """The pairs of words that come together, the surest first; *asked* is `termburst.questions.triggers.Triggers`.

    `termburst.inference.word_pairs` has both tests. Pairs are chosen and sorted by the first, so the choice does not
    make p_after too small. Both p-values are mid-p-values.
    """
    if not isinstance(fit, PolyaUrnFit) or fit.kind != "full":
        got = f'kind="{fit.kind}"' if isinstance(fit, PolyaUrnFit) else shown(fit)
        raise ValueError(f'triggers need an urn fitted with tb.fit_polya_urn(corpus, "full"); got {got}')
    number, top = None if asked.term is None else _number(fit, asked.term), asked.top or None
    table = _Pairs(fit, asked.min_documents, asked.adjust)
    chosen = np.arange(table.together.one.size)
    if number is not None:
        chosen = np.flatnonzero((table.together.one == number) | (table.together.other == number))
    if asked.after:
        chosen = chosen[table.sure[chosen]]
    chosen = chosen[np.argsort(table.together.log10_p[chosen], kind="stable")]  # the order of words has no part in it
    if asked.most_repeated < 1:
        chosen = table.original(chosen, top, asked.most_repeated)
    return table.frame(chosen[:top], number, asked.confidence)


def _number(fit: PolyaUrnFit, term: str) -> int:
    """The number of a word."""
    if not term.strip():
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
        self.together, self.orders = self._once(("pairs", min_documents), _tested, fit._sequences, min_documents)
        self.log10_q_together = self.together.log10_q(adjust)
        self.log10_q_after = self.orders.log10_p
        if self.together.one.size:
            self.log10_q_after = adjust_log10(self.orders.log10_p, adjust)
        self.sure = np.maximum(self.log10_q_together, self.log10_q_after) <= np.log10(SURE)
        self.forward = self.orders.later >= self.orders.earlier  # whether `one` comes earlier in more documents

    def _once(self, key: Any, make: Callable[..., Any], *given: Any) -> Any:
        """What is made once for each fit, by a thread beside the main one."""
        kept = _kept.setdefault(self.fit, {})
        if key not in kept:
            with Aside() as aside:
                kept[key] = aside.submit(make, *given).get()
        return kept[key]

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
        test = self._once("intervals", TriggerIntervals, self.sequences, self.fit._estimate)
        with Aside() as aside:
            entries = test.entries_between(source, target)
            there = np.flatnonzero(entries >= 0)
            ratio[there] = 1 + test.excess(entries[there])
            ends = aside.submit(test.intervals, entries[there], confidence).get()
        low[there], high[there] = 1 + ends[0], 1 + ends[1]
        return ratio, low, high

    def _repeated(self, chosen: Rows) -> NDArray[np.int64]:
        """In how many documents both words of a pair stand in passages that other documents have, too."""
        passages = self._once("passages", RepeatedPairs, self.sequences)
        one, other = (words[chosen].astype(np.int64) for words in (self.together.one, self.together.other))
        return np.asarray(passages.documents(one, other))

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
