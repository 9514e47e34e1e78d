"""`corpus.keyness(by="year >= 1945")`."""

import polars as pl
import pytest

import termburst as tb


@pytest.fixture
def corpus():
    texts = [f"work work today {'and ' * (k % 3)}so" if k >= 6 else "the union of of us" for k in range(12)]
    years, who = [1942 + k // 2 for k in range(12)], [f"P{k}" for k in range(12)]
    return tb.read(texts, metadata={"year": years, "who": who})


def test_the_documents_that_meet_a_condition_are_a(corpus):
    table = corpus.keyness(by="year>=1945")
    named = corpus.with_metadata({"era": ["early"] * 6 + ["late"] * 6})
    assert table.equals(named.keyness(by="era", groups=["late", "early"]))
    assert table.filter(pl.col("term") == "work").select("n_a", "n_b").rows() == [(12, 0)]


def test_with_clusters_and_contrasts(corpus):
    clustered = corpus.keyness(by="year >= 1945", cluster="who")
    assert set(clustered["contrast"]) == {"year >= 1945 - year < 1945"}
    groups = corpus.keyness(by="year >= 1945", contrasts=True)
    assert set(groups["group"]) == {"year >= 1945", "year < 1945"}


def test_a_column_with_such_a_name_comes_first(corpus):
    named = corpus.with_metadata({"year >= 1945": ["x", "y"] * 6})
    assert named.keyness(by="year >= 1945").equals(named.keyness(by="year >= 1945", groups=["x", "y"]))


def test_what_cannot_be_compared_is_said(corpus):
    for options, said in [
        ({"by": "yaer >= 1945"}, "the metadata has no column 'yaer'"),
        ({"by": 'who = "P1"'}, "the metadata has no column 'P1'.*text needs single quotes: who = 'P1'"),
        ({"by": "year >="}, "by 'year >=' cannot be understood"),
        ({"by": "year >= 1000"}, "every document meets 'year >= 1000', so there is nothing to compare"),
        ({"by": "year = 1000"}, "no document meets 'year = 1000', so there is nothing to compare"),
        ({"by": pl.col("year") >= 1945}, "by must be a string"),
        ({"by": ["who"]}, "by must be a string"),
        ({"by": "year >= 1945", "groups": ["a", "b"]}, "is a condition, which has two groups of its own; omit groups="),
        ({"by": "year >= 1945", "other": "who"}, "give another corpus or a formula, or by=, and not both"),
    ]:
        with pytest.raises(ValueError, match=said):
            corpus.keyness(**options)


def test_a_document_that_says_nothing(corpus):
    years = corpus.metadata["year"].to_list()
    with pytest.raises(ValueError, match=r"1 document \(1\) has nothing in a column of by 'year >= 1945'; fill it"):
        corpus.with_metadata({"year": [None, *years[1:]]}).keyness(by="year >= 1945")
    with pytest.raises(
        ValueError, match=r"2 documents \(1, 2\) have nothing in a column of by 'year >= 1945'; fill it"
    ):
        corpus.with_metadata({"year": [float("nan")] * 2 + years[2:]}).keyness(by="year >= 1945")
