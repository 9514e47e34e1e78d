"""Designs of frames: patterns of each combination of the covariates, and what cannot be a design."""

import polars as pl
import pytest
from battery.documents import Given, documents
from battery.same import differences, plain

import termburst as tb


@pytest.mark.slow
def test_patterns_of_each_combination_of_the_covariates():
    given = Given(documents(), {}, None)
    parts = [
        Given(part, {}, None).patterns().with_columns(party=pl.lit(party), half=pl.lit(half))
        for (party, half), part in given.frame.group_by("party", "half")
    ]
    found = tb.scan(pl.concat(parts).lazy()).keyness("party + half")
    assert differences(plain(found, ordered=False), plain(given.read().keyness("party + half"), ordered=False)) == []


def test_bad_designs_raise_one_sentence():
    for options, message in [
        ({"formula": "party + nothing"}, "the frame has no column 'nothing', which the formula names"),
        ({"formula": "party", "cluster": "no"}, r"the frame has no column 'no' \(cluster=\.\.\.\)"),
        ({"formula": "gap"}, "the column 'gap' has null"),
        ({"formula": "party", "cluster": "gap"}, "95 documents have nothing in the column 'gap'; fill it"),
        ({"formula": "party", "cluster": "month"}, "the formula varies within the cluster '[0-9]+': such clusters"),
        ({"formula": "party", "cluster": "party"}, "'party' has 3 clusters, too few for a design of 3 columns"),
        ({"formula": "party", "method": "g2"}, 'a formula has no method="g2"'),
        (
            {"formula": "party", "contrast": "party: ha - q"},
            "the contrast 'party: ha - q' has a value that 'party' does not have",
        ),
        ({"formula": "party", "confidence": 2}, "confidence must"),
        ({"formula": "party +"}, "the formula 'party \\+' cannot be read"),
        ({"formula": "1"}, "the formula '1' names no column"),
        ({"formula": 5}, "formula must be a string"),
        ({"formula": "listed"}, "the column 'listed' has List"),
        ({"formula": "party", "cluster": ["year"]}, "cluster must be a string"),
        ({"formula": "party", "strata": ["year"]}, "strata must be a string"),
        ({"formula": "party", "contrast": 5}, "contrast must be a string"),
    ]:
        gap = [None] * 95 + ["a"]
        month = pl.col("month").fill_null(0)
        corpus = tb.scan(documents().with_columns(month, gap=pl.Series(gap), listed=[1]).lazy())
        with pytest.raises(ValueError, match=message) as caught:
            corpus.keyness(**options)
        assert "\n" not in str(caught.value)


def test_clusters_of_patterns():
    made = pl.LazyFrame({"term": ["a"], "count": [1], "length": [1], "documents": [1], "who": ["x"]})
    with pytest.raises(ValueError, match="the frame has patterns; this needs texts"):
        tb.scan(made).keyness(by="who", cluster="who")


def test_values_that_look_alike():
    made = pl.LazyFrame({"document": [1, 2], "text": ["a b", "b c"], "x": ["a\x1fb", "a"], "y": ["c", "b\x1fc"]})
    with pytest.raises(ValueError, match="two combinations of 'x', 'y' look alike"):
        tb.scan(made).keyness("x + y")
