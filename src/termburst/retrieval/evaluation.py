"""Evaluation of rankings against relevance judgements."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.checks import shown
from termburst.retrieval.search import Hits

Floats = NDArray[np.float64]
FEW_MET = 0.1  # below this share of rankings with a judged document, the ids are probably not the same
CUT_QUERIES, SHORT = 5, 100  # so many rankings of the same length below 100 have been cut there
Grades = Mapping[str, float]  # document → grade; above 0 is relevant, higher is more relevant


def average_precision(ranking: Sequence[str], grades: Grades) -> float:
    """Average precision: the mean of the precision at the rank of each relevant document, 0 for those not found.

    Examples
    --------
    >>> round(average_precision(["a", "x", "b"], {"a": 1, "b": 1, "c": 1}), 4)  # (1/1 + 2/3 + 0)/3
    0.5556
    """
    relevant = _relevant(ranking, grades)
    ranks = np.flatnonzero(relevant) + 1
    return float((np.arange(1, ranks.size + 1) / ranks).sum() / _number_relevant(grades))


def ndcg_at_10(ranking: Sequence[str], grades: Grades) -> float:
    """Normalised discounted cumulative gain: Σ grade/log₂(rank + 1) of the first ten, divided by its maximum.

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
    """Precision at 10: the number of relevant documents among the first ten, divided by ten even if fewer were found.

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
    """The measures of each query and their means.

    Attributes
    ----------
    queries : list of str
        Queries with at least one relevant document, in the order of the judgements. The others are left out.
    values : dict of arrays
        For each measure, one value per query.
    depth : int
        Number of documents of the longest ranking. "map" is MAP@depth: relevant documents further down count as not
        found. The other two measures look at the first ten only.
    """

    queries: list[str]
    values: dict[str, Floats]
    depth: int = 0

    @property
    def means(self) -> dict[str, float]:
        """The mean of each measure over the queries."""
        return {measure: float(values.mean()) for measure, values in self.values.items()}


def evaluate(rankings: Mapping[str, Iterable[str]], judgements: Mapping[str, Grades]) -> Evaluation:
    """MAP, nDCG@10 and P@10 of rankings (query → document ids, best first, or `Hits`) against judgements.

    A judged query without a ranking counts as 0. A higher grade means more relevant; the original grades of Cranfield
    have the opposite order. The gain of nDCG is the grade itself, as in trec_eval, not 2^grade − 1.

    MAP is that of the rankings as they are: of searches with k=10, the default, it is MAP@10, which is lower than MAP.
    Search with ``k=None``, or k=1000 as usual at TREC. Rankings that are cut below 100 get a warning.

    Examples
    --------
    >>> judgements = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2, "d": 1}, "q3": {"e": 0}}
    >>> found = evaluate({"q1": ["b", "a"], "q2": ["c", "d"]}, judgements)
    >>> found.queries, found.means["map"]
    (['q1', 'q2'], 0.75)
    """
    for name, given in (("rankings", rankings), ("judgements", judgements)):
        if not isinstance(given, Mapping):
            raise ValueError(f"{name} must be a dictionary with queries as keys; got {shown(given)}")
    for query, grades in judgements.items():
        _check_grades(query, grades)
    queries = [query for query, grades in judgements.items() if any(grade > 0 for grade in grades.values())]
    if not queries:
        raise ValueError("the judgements contain no relevant document (grade above 0), so nothing can be evaluated")
    if rankings and not rankings.keys() & judgements.keys():  # such as numbers in one, strings in the other
        ranked, judged = next(iter(rankings)), next(iter(judgements))
        raise ValueError(f"rankings and judgements have no query in common: {ranked!r} against {judged!r}, for example")
    lists = {query: _checked_ranking(query, rankings.get(query, ())) for query in queries}
    _check_documents(lists, judgements)
    depth = max(map(len, lists.values()))
    _warn_if_cut(lists, judgements, depth)
    return Evaluation(
        queries,
        {
            name: np.array([measure(lists[query], judgements[query]) for query in queries])
            for name, measure in MEASURES.items()
        },
        depth,
    )


def _relevant(ranking: Sequence[str], grades: Grades) -> NDArray[np.bool_]:
    return np.array([grades.get(document, 0) > 0 for document in ranking], dtype=bool)


def _number_relevant(grades: Grades) -> int:
    number = sum(grade > 0 for grade in grades.values())
    if not number:
        raise ValueError("this measure needs at least one relevant document (grade above 0) for the query")
    return number


def _discounted(gains: Floats) -> float:
    return float((gains / np.log2(np.arange(2, gains.size + 2))).sum())


def _check_documents(lists: Mapping[str, list[str]], judgements: Mapping[str, Grades]) -> None:
    """ValueError if no ranked document is judged, as if their ids were of two kinds; a warning if that is almost so."""
    ranked = {query: found for query, found in lists.items() if found}
    met = sum(not judgements[query].keys().isdisjoint(found) for query, found in ranked.items())
    if met >= FEW_MET * len(ranked):
        return
    query = next(query for query, found in ranked.items() if judgements[query].keys().isdisjoint(found))
    example = f"{ranked[query][0]!r:.60} against {next(iter(judgements[query]))!r:.60} for query {query!r:.60}"
    if not met:
        raise ValueError(
            f"rankings and judgements have no document in common: {example}, for example; the ids of both must be equal"
        )
    warnings.warn(
        f"only {met:,} of {len(ranked):,} rankings have a document that is judged for their query: {example}, for "
        "example; are the ids of both the same?",
        stacklevel=3,
    )


def _warn_if_cut(lists: Mapping[str, list[str]], judgements: Mapping[str, Grades], depth: int) -> None:
    """Warn if most rankings are cut at the same short length, and relevant documents are missing in one of these."""
    cut = [query for query, found in lists.items() if len(found) == depth]
    if not (CUT_QUERIES <= len(cut) > len(lists) / 2 and depth < SHORT):
        return
    if any(_number_relevant(judgements[query]) > _relevant(lists[query], judgements[query]).sum() for query in cut):
        warnings.warn(
            f"the rankings end at rank {depth}, so 'map' is MAP@{depth}: relevant documents further down count as not "
            "found. Search with k=None for MAP",
            stacklevel=3,
        )


def _check_grades(query: Any, grades: Any) -> None:
    if not isinstance(grades, Mapping):
        raise ValueError(f"the judgements of query {query!r} must map documents to grades; got {shown(grades)}")
    for document, grade in grades.items():
        if not isinstance(document, str):
            example = f"such as {str(document)!r:.60}; got {shown(document)}"
            raise ValueError(f"query {query!r}: the ids of documents are strings, {example}")
        if not (isinstance(grade, (int, float, np.number)) and np.isfinite(grade)):
            raise ValueError(f"query {query!r}: the grade of {document!r} must be a finite number; got {shown(grade)}")


def _checked_ranking(query: str, ranking: Iterable[str]) -> list[str]:
    if isinstance(ranking, Hits):
        ranking = ranking.ids
    if not isinstance(ranking, Iterable) or isinstance(ranking, Set):  # a set has no order
        raise ValueError(f"the ranking of query {query!r} must be a list of document ids; got {shown(ranking)}")
    documents = [ranking] if isinstance(ranking, str) else list(ranking)
    if isinstance(ranking, str) or not all(isinstance(document, str) for document in documents):
        raise ValueError(f"the ranking of query {query!r} must be a list of document ids; got {shown(documents)}")
    if len(set(documents)) < len(documents):
        raise ValueError(f"the ranking of query {query!r} contains a document twice")
    return documents
