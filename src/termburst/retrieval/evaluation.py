"""How good rankings are, against what judges found relevant, and whether one system is better than another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from termburst.inference.checks import checked_whole, shown
from termburst.retrieval.search import Hits

Floats = NDArray[np.float64]
Grades = Mapping[str, float]  # document → grade; above 0 is relevant, a higher grade more so


def average_precision(ranking: Sequence[str], grades: Grades) -> float:
    """The mean, over all relevant documents, of the precision at their rank; 0 for those not found.

    Examples
    --------
    >>> round(average_precision(["a", "x", "b"], {"a": 1, "b": 1, "c": 1}), 4)  # (1/1 + 2/3 + 0)/3
    0.5556
    """
    relevant = _relevant(ranking, grades)
    ranks = np.flatnonzero(relevant) + 1
    return float((np.arange(1, ranks.size + 1) / ranks).sum() / _number_relevant(grades))


def ndcg_at_10(ranking: Sequence[str], grades: Grades) -> float:
    """Discounted cumulative gain of the first ten, Σ grade/log₂(rank + 1), over the highest that could be had.

    The gain is the grade itself, as in trec_eval; grades of 0 and below gain nothing.

    Examples
    --------
    >>> round(ndcg_at_10(["x", "a"], {"a": 1}), 4)  # 1/log₂ 3
    0.6309
    """
    _number_relevant(grades)
    gains = np.array([max(grades.get(document, 0), 0) for document in ranking[:10]], dtype=np.float64)
    ideal = np.sort(np.array([grade for grade in grades.values() if grade > 0], dtype=np.float64))[::-1][:10]
    return float(_discounted(gains) / _discounted(ideal))


def precision_at_10(ranking: Sequence[str], grades: Grades) -> float:
    """The relevant among the first ten, over ten, however few were found.

    Examples
    --------
    >>> precision_at_10(["a", "x"], {"a": 1, "b": 1})
    0.1
    """
    _number_relevant(grades)
    return float(_relevant(ranking[:10], grades).sum() / 10)


MEASURES: dict[str, Callable[[Sequence[str], Grades], float]] = {
    "map": average_precision,
    "ndcg@10": ndcg_at_10,
    "p@10": precision_at_10,
}


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The measures of each query, and their means.

    Attributes
    ----------
    queries : list of str
        Those with a relevant document, in the order of the judgements; the others say nothing and are left out.
    values : dict of arrays, one a measure
    """

    queries: list[str]
    values: dict[str, Floats]

    @property
    def means(self) -> dict[str, float]:
        """The mean of each measure over the queries."""
        return {measure: float(values.mean()) for measure, values in self.values.items()}


def evaluate(rankings: Mapping[str, Iterable[str]], judgements: Mapping[str, Grades]) -> Evaluation:
    """MAP, nDCG@10 and P@10 of rankings (query → document ids, the best first, or `Hits`) against judgements.

    A judged query without a ranking has found nothing: it counts, with 0. Grades are the higher the better; Cranfield's
    own run the other way.

    Examples
    --------
    >>> judgements = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2, "d": 1}, "q3": {"e": 0}}
    >>> found = evaluate({"q1": ["b", "a"], "q2": ["c", "d"]}, judgements)
    >>> found.queries, found.means["map"]
    (['q1', 'q2'], 0.75)
    """
    for name, given in (("rankings", rankings), ("judgements", judgements)):
        if not isinstance(given, Mapping):
            raise ValueError(f"{name} are a dictionary by query; got {shown(given)}")
    for query, grades in judgements.items():
        _check_grades(query, grades)
    queries = [query for query, grades in judgements.items() if any(grade > 0 for grade in grades.values())]
    if not queries:
        raise ValueError("the judgements name no relevant document: there is nothing to evaluate against")
    if rankings and not rankings.keys() & judgements.keys():  # as where queries are numbers here and texts there
        ranked, judged = next(iter(rankings)), next(iter(judgements))
        raise ValueError(f"none of the queries ranked is judged: the first is {ranked!r} here, {judged!r} there")
    lists = {query: _checked_ranking(query, rankings.get(query, ())) for query in queries}
    return Evaluation(
        queries,
        {
            name: np.array([measure(lists[query], judgements[query]) for query in queries])
            for name, measure in MEASURES.items()
        },
    )


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two systems on the same queries: the mean of a − b, and how surely it is not 0 (two-sided).

    Attributes
    ----------
    difference : float
    wins, losses, ties : int
        Queries on which a is above b, below it, and equal.
    p_randomisation : float
        The share of random signs of the differences, the ones observed included, whose mean is as far from 0.
    p_wilcoxon, p_t : float
        Wilcoxon's signed ranks (ties split, zero differences left out) and Student's t, by SciPy.
    """

    difference: float
    wins: int
    losses: int
    ties: int
    p_randomisation: float
    p_wilcoxon: float
    p_t: float


def paired_test(a: ArrayLike, b: ArrayLike, *, draws: int = 9999, rng: Any = 0) -> PairedTest:
    """Compare a measure of two systems, query by query.

    The randomisation test (Smucker, Allan and Carterette, CIKM 2007) is the one to report: it asks only that under the
    null the labels of the two systems can be exchanged on each query. Its p is (1 + hits)/(1 + draws).

    Parameters
    ----------
    a, b : arrays, one value a query, in the same order
    draws : int
    rng : seed or numpy Generator

    Examples
    --------
    >>> test = paired_test([0.5, 0.6, 0.7, 0.4, 0.9], [0.4, 0.4, 0.4, 0.0, 0.4])
    >>> test.wins, round(test.difference, 2), round(test.p_wilcoxon, 4)
    (5, 0.3, 0.0625)
    """
    from scipy import stats

    draws = checked_whole("draws", draws, least=99)
    first, second = _values("a", a), _values("b", b)
    if first.size != second.size:
        raise ValueError(f"a and b are of the same queries; got {first.size} and {second.size} values")
    gap = _differences(first, second)
    wins, losses = int((gap > 0).sum()), int((gap < 0).sum())
    moved = gap[gap != 0]
    result: dict[str, Any] = {
        "wins": wins,
        "losses": losses,
        "ties": gap.size - moved.size,
        "difference": float(gap.mean()),
    }
    if not moved.size:
        return PairedTest(**result, p_randomisation=1.0, p_wilcoxon=1.0, p_t=1.0)
    generator = np.random.default_rng(rng)
    signs = 2.0 * generator.integers(0, 2, size=(draws, moved.size), dtype=np.int8) - 1.0
    as_far = np.abs(signs @ moved) >= abs(moved.sum()) - 1e-12 * np.abs(moved).sum()
    constant = gap.size > 1 and np.ptp(gap) == 0  # Student's t is infinite
    p_t = float("nan") if gap.size < 2 else 0.0 if constant else float(stats.ttest_rel(first, second).pvalue)
    return PairedTest(
        **result,
        p_randomisation=float((1 + as_far.sum()) / (1 + draws)),
        p_wilcoxon=float(stats.wilcoxon(moved).pvalue),
        p_t=p_t,
    )


def _relevant(ranking: Sequence[str], grades: Grades) -> NDArray[np.bool_]:
    return np.array([grades.get(document, 0) > 0 for document in ranking], dtype=bool)


def _number_relevant(grades: Grades) -> int:
    number = sum(grade > 0 for grade in grades.values())
    if not number:
        raise ValueError("a query without a relevant document has no such measure")
    return number


def _differences(first: Floats, second: Floats) -> Floats:
    """first − second, equal where they differ by rounding alone: 0.3 − 0.2 is to tie with 0.1 − 0."""
    gap = first - second
    scale = np.maximum(np.abs(first), np.abs(second)).max()
    if scale < 1e-280:  # nothing to measure rounding by
        return gap
    unit = 2.0 ** (np.floor(np.log2(scale)) - 44)  # 256 times the spacing of the largest: exact to divide by
    return np.asarray(np.round(gap / unit) * unit)


def _discounted(gains: Floats) -> float:
    return float((gains / np.log2(np.arange(2, gains.size + 2))).sum())


def _check_grades(query: Any, grades: Any) -> None:
    if not isinstance(grades, Mapping):
        raise ValueError(f"the judgements of query {query!r} are a dictionary, document to grade; got {shown(grades)}")
    for document, grade in grades.items():
        if not (isinstance(grade, (int, float, np.number)) and np.isfinite(grade)):
            raise ValueError(f"the grade of {document!r} for query {query!r} is a finite number; got {shown(grade)}")


def _checked_ranking(query: str, ranking: Iterable[str]) -> list[str]:
    if isinstance(ranking, Hits):
        ranking = ranking.ids
    if not isinstance(ranking, Iterable):
        raise ValueError(f"the ranking of query {query!r} is a list of document ids; got {shown(ranking)}")
    documents = [ranking] if isinstance(ranking, str) else list(ranking)
    if isinstance(ranking, str) or not all(isinstance(document, str) for document in documents):
        raise ValueError(f"the ranking of query {query!r} is a list of document ids; got {shown(documents)}")
    if len(set(documents)) < len(documents):
        raise ValueError(f"the ranking of query {query!r} names a document twice")
    return documents


def _values(name: str, values: ArrayLike) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):  # texts, an Evaluation
        array = np.empty(0)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise ValueError(f"{name} holds a finite number a query, one query at the least; got {shown(values)}")
    return array
