"""Measures equal values computed by hand and those of other programs."""

import math

import numpy as np
import pytest

from helpers.reference import reference_values
from reference import retrieval_peers as peers
from termburst.retrieval import Index, evaluate
from termburst.retrieval.evaluation import average_precision, ndcg_at_10, precision_at_10

RANKING = ["r1", "x", "r2", "y", "z", "r3", *"abcdef", "r4"]  # relevant at ranks 1, 3, 6 and 13; r5 is not found
GRADES = {"r1": 1, "r2": 3, "r3": 2, "r4": 1, "r5": 2, "x": 0, "y": -1}


def test_average_precision_by_hand():
    assert average_precision(RANKING, GRADES) == pytest.approx((1 / 1 + 2 / 3 + 3 / 6 + 4 / 13) / 5)


def test_ndcg_by_hand():
    found = 1 / math.log2(2) + 3 / math.log2(4) + 2 / math.log2(7)
    best = 3 / math.log2(2) + 2 / math.log2(3) + 2 / math.log2(4) + 1 / math.log2(5) + 1 / math.log2(6)
    assert ndcg_at_10(RANKING, GRADES) == pytest.approx(found / best)


def test_ndcg_of_the_best_ranking_is_one_however_many_are_relevant():
    grades = {f"d{i}": 1 for i in range(25)}
    assert ndcg_at_10(list(grades), grades) == pytest.approx(1)


def test_precision_by_hand():
    assert precision_at_10(RANKING, GRADES) == 0.3
    assert precision_at_10(["r1"], GRADES) == 0.1


@pytest.mark.parametrize("measure", [average_precision, ndcg_at_10, precision_at_10])
def test_a_measure_is_0_if_nothing_is_found_and_an_error_if_nothing_is_relevant(measure):
    assert measure([], GRADES) == 0
    with pytest.raises(ValueError, match="at least one relevant document"):
        measure(["a"], {"a": 0})


def test_missing_rankings_count_as_0_and_queries_without_relevant_documents_are_left_out():
    judgements = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": -1}}
    result = evaluate({"q1": ["a"], "q3": ["c"], "unjudged": ["a"]}, judgements)
    assert result.queries == ["q1", "q2"]
    assert result.values["map"].tolist() == [1, 0]
    assert result.means == {"map": 0.5, "ndcg@10": 0.5, "p@10": 0.05}


@pytest.mark.parametrize(
    ("rankings", "message"),
    [
        ({"q": "abc"}, "the ranking of query 'q' must be a list of document ids; got .*"),
        ({"q": [1]}, r"the ranking of query 'q' must be a list of document ids; got \[1\]"),
        ({"q": ["a", "a"]}, "the ranking of query 'q' contains a document twice"),
    ],
)
def test_bad_rankings_give_one_sentence(rankings, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        evaluate(rankings, {"q": {"a": 1}})


def test_no_judgements_are_an_error():
    with pytest.raises(ValueError, match="no relevant document"):
        evaluate({"q": ["a"]}, {"q": {"a": 0}})


def test_hits_are_rankings():
    hits = Index.from_texts(["a wing", "heat"], ["w", "h"]).search("wing")
    assert evaluate({"q": hits}, {"q": {"w": 1}}).means["map"] == 1


@pytest.mark.parametrize(
    ("rankings", "judgements", "message"),
    [
        (
            {"q": ["a"]},
            {"q": {"a": float("nan"), "b": 1}},
            "query 'q': the grade of 'a' must be a finite number; got nan",
        ),
        ({"q": ["a"]}, {"q": {"a": "1"}}, "query 'q': the grade of 'a' must be a finite number; got '1'"),
        ({"q": ["a"]}, {"q": ["a"]}, "the judgements of query 'q' must map documents to grades"),
        ([["a"]], {"q": {"a": 1}}, "rankings must be a dictionary with queries as keys"),
        ({"q": None}, {"q": {"a": 1}}, "the ranking of query 'q' must be a list of document ids; got None"),
        ({"q": ["1"]}, {"q": {1: 1}}, "query 'q': the ids of documents are strings, such as '1'; got 1"),
        (
            {"q": ["cran.parquet:1"]},
            {"q": {"1": 1}},
            "have no document in common: 'cran.parquet:1' against '1' for query 'q'",
        ),
        ({1: ["a"]}, {"1": {"a": 1}}, "rankings and judgements have no query in common: 1 against '1'"),
    ],
)
def test_bad_judgements_give_one_sentence(rankings, judgements, message):
    with pytest.raises(ValueError, match=message):
        evaluate(rankings, judgements)


def test_the_measures_are_those_of_ir_measures():
    """Graded judgements, rankings of different lengths; values by trec_eval's code."""
    found = evaluate(*peers.judged())
    for measure, values in reference_values("retrieval_peers")["measures"].items():
        np.testing.assert_allclose(found.values[measure], values, atol=1e-10)


def test_few_common_documents_are_said():
    judgements = {f"q{i}": {"a": 1} for i in range(20)}
    rankings = {f"q{i}": [f"x{k}" for k in range(i + 1)] for i in range(20)} | {"q0": ["a"]}
    with pytest.warns(UserWarning, match=r"only 1 of 20 rankings have a document that is judged .* 'x0' against 'a'"):
        found = evaluate(rankings, judgements)
    assert found.means["map"] == 0.05
    rankings |= {"q1": ["a"]}
    assert evaluate(rankings, judgements).means["map"] == 0.1  # without a warning


def test_map_of_cut_rankings_is_said():
    judgements = {f"q{i}": {f"d{k}": 1 for k in range(12)} for i in range(6)}
    whole = [f"d{k}" for k in range(12)]
    with pytest.warns(UserWarning, match="the rankings end at rank 10, so 'map' is MAP@10"):
        cut = evaluate(dict.fromkeys(judgements, whole[:10]), judgements)
    assert cut.depth == 10
    assert cut.means["map"] == pytest.approx(10 / 12)
    found = evaluate(dict.fromkeys(judgements, whole), judgements)  # without a warning
    assert (found.depth, found.means["map"]) == (12, 1)
