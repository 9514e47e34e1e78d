"""What a word brings on, and what brings it on: a table of tested pairs of words."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.concordance.collocates import nowhere
from termburst.concordance.polya_urn import PolyaUrnFit
from termburst.inference.checks import check_confidence, check_name, checked_number, checked_whole, shown
from termburst.inference.repeated_passages import RepeatedPairs
from termburst.inference.triggers import Triggers, TriggerTest, entries_between
from termburst.names import ADJUSTMENTS
from termburst.threads import Aside

BRINGS_ON, BROUGHT_ON_BY = "brings on", "brought on by"
_CHUNK = 200  # pairs whose passages are looked at together
_made: WeakKeyDictionary[PolyaUrnFit, tuple[TriggerTest, dict[str, Triggers]]] = WeakKeyDictionary()
_passages: WeakKeyDictionary[PolyaUrnFit, RepeatedPairs] = WeakKeyDictionary()


def triggers(
    fit: PolyaUrnFit,
    term: str | None = None,
    *,
    top: int | None = 50,
    adjust: str = "bh",
    confidence: float = 0.95,
    most_repeated: float = 1.0,
) -> pl.DataFrame:
    """Which words bring on which other words? The smallest p-values come first.

    A pair is tested by the likelihood ratio of M[source, target] = 0 against M[source, target] ≥ 0, in the column of
    the target, with α and all other entries of the column free and without a prior. At this boundary its distribution
    is ½χ²_0 + ½χ²_1 (Chernoff 1954; Self and Liang 1987). See `termburst.inference.triggers.TriggerTest`.

    Parameters
    ----------
    fit : of `termburst.fit_polya_urn` with kind="full"
    term : a word; by default all pairs
    top : at most how many rows; None for all
    adjust : how q is made from p, over all ordered pairs that the screen looked at: pairs that it left out have p = 1
    confidence : level of the interval of ratio
    most_repeated : pairs are left out if they rest on repeated passages in a larger share of their documents: 0.5
        leaves out most signatures, quotations and reprints. The q-values stay as they are

    Returns
    -------
    polars.DataFrame
        For one word: direction ("brings on", "brought on by") and term, the other word; for all pairs: source and
        target. Then ratio, 1 + M[source, target]/α[target]: how many times likelier one source makes the target,
        compared with words that the source does not bring on, where nothing else brought on the target (infinite if it
        never comes without one of its sources); ci_low, ci_high, from the profile likelihood; documents in which the
        source stands before the first target; expected, their mean if the source does not matter; p_value; q_value;
        log10_p; repeated: in how many of the documents the first target and the last source before it stand in eight
        words in a row that another document has, too.

    Examples
    --------
    >>> import termburst as tb
    >>> rng = np.random.default_rng(1)
    >>> filler = rng.choice(list("abcdefgh"), (80, 6)).tolist()
    >>> texts = [["socrates", *words[:3], "plato", *words[3:]] for words in filler[:20]] + filler[20:]
    >>> found = triggers(tb.fit_polya_urn(texts, "full"), "socrates")
    >>> found.select("direction", "term", "documents").rows()[0]
    ('brings on', 'plato', 20)
    """
    top = None if top is None else checked_whole("top", top, least=1)
    check_name("adjust", adjust, ADJUSTMENTS)
    check_confidence(confidence)
    most_repeated = checked_number("most_repeated", most_repeated, 0.0, 1.0, low_too=True)
    if not isinstance(fit, PolyaUrnFit) or fit.kind != "full":
        got = f'kind="{fit.kind}"' if isinstance(fit, PolyaUrnFit) else shown(fit)
        raise ValueError(f'triggers need an urn fitted with tb.fit_polya_urn(corpus, "full"); got {got}')
    number = None if term is None else _number(fit, term)
    test, found = _tested(fit, adjust)
    chosen = np.arange(found.source.size)
    if number is not None:
        chosen = np.flatnonzero((found.source == number) | (found.target == number))
    chosen = chosen[np.lexsort((-found.excess[chosen], found.log10_p[chosen]))]
    if most_repeated < 1:
        chosen = _original(fit, found, chosen, top, most_repeated)
    return _frame(fit, test, found, chosen[:top], number, confidence)


def _number(fit: PolyaUrnFit, term: Any) -> int:
    """The number of a word."""
    if not isinstance(term, str) or not term.strip():
        raise ValueError(f"give one word; got {shown(term)}")
    for candidate in (term, term.lower()):
        for where in np.flatnonzero(fit.terms == candidate)[:1]:
            return int(where)
    raise ValueError(nowhere(term, fit.terms.tolist()))


def _tested(fit: PolyaUrnFit, adjust: str) -> tuple[TriggerTest, Triggers]:
    """The tests of a fit, made once."""
    estimate, sequences = fit._estimate, fit._sequences
    if estimate is None or sequences is None:
        raise ValueError("this fit has no data to test with; fit it again")
    with Aside() as aside:
        if fit not in _made:
            _made[fit] = aside.submit(TriggerTest, sequences, estimate).get(), {}
        test, by_method = _made[fit]
        if adjust not in by_method:
            by_method[adjust] = aside.submit(lambda: test.tested(fit.pairs_looked_at, adjust=adjust)).get()
    return test, by_method[adjust]


def _frame(
    fit: PolyaUrnFit,
    test: TriggerTest,
    found: Triggers,
    chosen: NDArray[np.intp],
    number: int | None,
    confidence: float,
) -> pl.DataFrame:
    source, target = found.source[chosen], found.target[chosen]
    with Aside() as aside:
        entries = entries_between(test, source, target)
        low, high = aside.submit(test.intervals, entries, confidence).get()
    documents, expected = _documents(fit, source, target)
    names: dict[str, Any]
    if number is None:
        names = {"source": fit.terms[source].tolist(), "target": fit.terms[target].tolist()}
    else:
        forward = source == number
        names = {
            "direction": np.where(forward, BRINGS_ON, BROUGHT_ON_BY).tolist(),
            "term": fit.terms[np.where(forward, target, source)].tolist(),
        }
    return pl.DataFrame(
        {
            **names,
            "ratio": 1 + found.excess[chosen],
            "ci_low": 1 + low,
            "ci_high": 1 + high,
            "documents": documents,
            "expected": expected,
            "p_value": found.p_value[chosen],
            "q_value": found.q_value[chosen],
            "log10_p": found.log10_p[chosen],
            "repeated": _repeated(fit, source, target),
        },
        schema_overrides=dict.fromkeys(names, pl.String),
    )


def _repeated(fit: PolyaUrnFit, source: NDArray[np.int64], target: NDArray[np.int64]) -> NDArray[np.int64]:
    """In how many documents a pair stands in passages that other documents have, too."""
    assert fit._sequences is not None  # as it was tested
    if fit not in _passages:
        _passages[fit] = RepeatedPairs(fit._sequences)
    return _passages[fit].documents(source, target)


def _original(
    fit: PolyaUrnFit, found: Triggers, chosen: NDArray[np.intp], top: int | None, most: float
) -> NDArray[np.intp]:
    """The pairs that do not rest on repeated passages, or the first *top* of them."""
    kept: list[NDArray[np.intp]] = [chosen[:0]]
    for start in range(0, chosen.size, _CHUNK):
        some = chosen[start : start + _CHUNK]
        source, target = found.source[some], found.target[some]
        kept.append(some[_repeated(fit, source, target) <= most * _documents(fit, source, target)[0]])
        if top is not None and sum(part.size for part in kept) >= top:
            break
    return np.concatenate(kept)


def _documents(fit: PolyaUrnFit, source: NDArray[np.int64], target: NDArray[np.int64]) -> tuple[Any, Any]:
    """In how many documents the source stands before the first target, and how many are expected."""
    screened = fit._candidates
    if screened is None or not source.size:
        return np.zeros(source.size, dtype=np.int64), np.zeros(source.size)
    m = fit.terms.size
    keys = screened.target.astype(np.int64) * m + screened.source
    order = np.argsort(keys)
    place = order[np.searchsorted(keys[order], target * m + source)]
    return screened.documents[place], screened.expected[place]
