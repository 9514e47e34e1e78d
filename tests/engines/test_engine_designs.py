"""Designs, strata and clusters on every engine, compared with the same documents in memory."""

import numpy as np
import polars as pl
import pytest

import termburst as tb
from helpers.same_tables import assert_same
from termburst import engines
from termburst.engines import batches

DOCUMENTS = 90


@pytest.fixture(scope="module")
def metadata():
    """Covariates of every kind; three or four documents of a speaker agree in *who* and *year*."""
    at = np.arange(DOCUMENTS)
    who, year = np.array(["x", "y", "z"])[at % 3], 2001 + at // 3 % 3
    speaker = [f"{a}{b}{c}" for a, b, c in zip(who, year, at // 9 % 3, strict=True)]
    columns = {"who": who, "year": year, "speaker": speaker, "old": at % 5 == 0, "share": (at % 4) * 0.25}
    return pl.DataFrame({"document": at, **columns})


@pytest.fixture(scope="module")
def texts(metadata):
    rng = np.random.default_rng(4)
    words = np.array([f"w{i:02}" for i in range(60)])
    weight = rng.pareto(1.0, words.size) + 0.05
    found = []
    for who, year in metadata.select("who", "year").rows():
        more = np.where(np.arange(words.size) % 7 == "xyz".index(who), 3.0, 1.0) * (year - 2000) ** 0.3
        found.append(" ".join(rng.choice(words, size=rng.integers(2, 50), p=rng.dirichlet(weight * more))))
    found[7], found[50] = "", "? !"
    return found


@pytest.fixture(scope="module")
def counts(texts):
    return tb.CountingOptions().count(texts)


@pytest.fixture(scope="module")
def frame(engine, texts, metadata):
    return engine(metadata.with_columns(text=pl.Series(texts)))


@pytest.fixture(autouse=True)
def small_groups(monkeypatch):
    """Terms come in several groups, as those of a large collection do."""
    monkeypatch.setattr(batches, "ROWS_OF_TERMS", 300)


DESIGNS = [
    {"formula": "who + year"},
    {"formula": "who", "strata": "old", "adjust": "storey", "min_count": 3},
    {"formula": "who*year", "contrast": ["who: x - y", "year"], "cluster": "speaker", "min_count": 2},
    {"formula": "who + share", "confidence": None, "adjust": "holm"},
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        pytest.param(DESIGNS[0], id="plain"),
        pytest.param(DESIGNS[1], id="strata", marks=pytest.mark.slow),
        pytest.param(DESIGNS[2], id="cluster"),
        pytest.param(DESIGNS[3], id="number", marks=pytest.mark.slow),
    ],
)
def test_designs(options, engine, frame, metadata, counts, local):
    if engine.name not in ("polars-lazy", "duckdb") and "cluster" not in options:
        pytest.skip("clusters have all that differs on Spark, and frames in memory come to this code as Polars frames")
    expected = tb.keyness_design(counts[0], metadata=metadata, terms=counts[1], **options)
    assert_same(local(engines.keyness(frame, check=False, **options)), expected, "term", "contrast")


@pytest.mark.slow
def test_counts_and_patterns(texts, metadata, counts):
    """The same documents as counts, and as patterns of each combination of the covariates."""
    expected = tb.keyness_design(counts[0], "who + year", metadata=metadata, terms=counts[1])
    made = metadata.with_columns(text=pl.Series(texts)).lazy()
    cells = engines.count_terms(made).join(metadata.lazy(), on="document")
    assert_same(engines.keyness(cells, formula="who + year").collect(), expected, "term", "contrast")
    patterns = pl.concat(
        engines.patterns(made.filter(who=who, year=year), "b").drop("batch").with_columns(who=pl.lit(who), year=year)
        for who in "xyz"
        for year in (2001, 2002, 2003)
    )
    assert_same(engines.keyness(patterns, formula="who + year").collect(), expected, "term", "contrast")
    summed = tb.keyness_design(counts[0], "who", metadata=metadata, terms=counts[1], cluster="speaker")
    assert_same(engines.keyness(cells, by="who", cluster="speaker").collect(), summed, "term", "contrast")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"formula": "who + nothing"}, "the frame has no column 'nothing', which the formula names"),
        ({"formula": "who", "cluster": "no"}, r"the frame has no column 'no' \(cluster=\.\.\.\)"),
        ({"formula": "gap"}, "the column 'gap' has null"),
        ({"formula": "who", "cluster": "gap"}, "89 documents have nothing in the column 'gap'; fill it"),
        ({"formula": "who", "cluster": "year"}, "the formula varies within the cluster '200[123]': such clusters"),
        ({"formula": "who", "cluster": "who"}, "'who' has 3 clusters, too few for a design of 3 columns"),
        ({"formula": "who", "by": "who"}, "a design needs formula= .* or by= with one column, and not both"),
        ({"strata": "who"}, "a design needs formula="),
        ({"formula": "who", "other": 1}, "a design compares documents of one frame"),
        ({"formula": "who", "method": "g2"}, "a formula has no method='g2'"),
        (
            {"formula": "who", "contrast": "who: x - q"},
            "the contrast 'who: x - q' has a value that 'who' does not have",
        ),
        ({"formula": "who", "confidence": 2}, "confidence must"),
        ({"formula": "who +"}, "the formula 'who \\+' cannot be read"),
        ({"formula": "1"}, "the formula '1' names no column"),
        ({"formula": 5}, "a formula must be a string"),
        ({"formula": "listed"}, "the column 'listed' has List"),
        ({"formula": "who", "cluster": ["year"]}, "cluster must be the name of a column"),
        ({"formula": "who", "strata": ["year"]}, "strata must be the name of a column"),
        ({"formula": "who", "contrast": 5}, "contrast must be a string"),
    ],
)
def test_bad_designs_raise_one_sentence(options, message, texts, metadata):
    gap = [None] * (DOCUMENTS - 1) + ["a"]
    made = metadata.with_columns(text=pl.Series(texts), gap=pl.Series(gap), listed=[1]).lazy()
    with pytest.raises(ValueError, match=message) as caught:
        engines.keyness(made, **options)
    assert "\n" not in str(caught.value)


def test_clusters_of_patterns():
    made = pl.LazyFrame({"term": ["a"], "count": [1], "length": [1], "documents": [1], "who": ["x"]})
    with pytest.raises(ValueError, match="the frame has patterns; this function needs texts"):
        engines.keyness(made, by="who", cluster="who")


def test_values_that_look_alike():
    made = pl.LazyFrame({"document": [1, 2], "text": ["a b", "b c"], "x": ["a\x1fb", "a"], "y": ["c", "b\x1fc"]})
    with pytest.raises(ValueError, match="two combinations of 'x', 'y' look alike"):
        engines.keyness(made, formula="x + y")
