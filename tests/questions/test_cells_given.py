"""A design of statistics per cell gives what the documents give, to the last bit."""

import numpy as np
import polars as pl
import pytest

import termburst as tb

PARTIES, PERIODS = np.array(["D", "R"]), np.array(["old", "mid", "new"])


@pytest.fixture(scope="module")
def documents():
    rng = np.random.default_rng(11)
    size = 90
    about = pl.DataFrame(
        {
            "party": PARTIES[rng.integers(0, 2, size)],
            "period": PERIODS[rng.integers(0, 3, size)],
            "year": rng.integers(1, 5, size),
        }
    )
    lengths = rng.integers(20, 40, size)
    share = rng.beta(2, 60, (size, 6)) * np.where(about["party"] == "D", 2, 1)[:, None]
    X = rng.binomial(lengths[:, None], share)
    X[:3] = 0  # documents without words
    return np.column_stack([X, np.where(np.arange(size) < 3, 0, 30)]), about, list("abcdefz")


def cells(documents, *columns):
    X, about, terms = documents
    keys = about.select(columns).rows()
    made = {}
    for key in dict.fromkeys(keys):
        rows = [row for row, own in enumerate(keys) if own == key]
        made[key] = tb.TermStatistics.from_counts(X[rows], terms, detail="patterns")
    return made


@pytest.mark.slow
@pytest.mark.parametrize("formula", ["party + period", "period", "party * period", "party + C(year)", "party + year"])
def test_cells_give_what_the_documents_give(documents, formula):
    X, about, terms = documents
    names = ["party", "period", "year"]
    expected = tb.keyness(X, formula=formula, metadata=about, terms=terms)
    found = tb.keyness(cells(documents, *names), formula=formula, metadata=names)
    assert found.equals(expected)


def test_keys_are_in_the_order_of_the_formula_and_cells_add(documents):
    X, about, terms = documents
    whole = cells(documents, "period", "party")
    first, second = (cells((X[part], about[part], terms), "period", "party") for part in (slice(0, 45), slice(45, 90)))
    added = {key: first[key] + second[key] for key in whole}
    expected = tb.keyness(whole, formula="period + party")
    assert tb.keyness(added, formula="period + party").equals(expected)
    assert expected.equals(tb.keyness(X, formula="period + party", metadata=about, terms=terms))


def test_cells_may_have_different_vocabularies(documents):
    X, _, terms = documents
    counted = {"x": tb.TermStatistics.from_counts(X[:40], terms, detail="patterns")}
    counted["y"] = tb.TermStatistics.from_counts(X[40:, ::-1][:, :-1], terms[:0:-1], detail="patterns")
    without = X.copy()
    without[40:, 0] = 0
    half = {"half": ["x"] * 40 + ["y"] * 50}
    expected = tb.keyness(without, formula="half", metadata=half, terms=terms)
    assert tb.keyness(counted, formula="half").equals(expected)


def test_strata_and_splines_of_cells(documents):
    X, about, terms = documents
    names = ["party", "period", "year"]
    own = cells(documents, *names)
    expected = tb.keyness(X, formula="party", strata="period", metadata=about, terms=terms)
    assert tb.keyness(own, formula="party", strata="period", metadata=names).equals(expected)
    smooth = tb.keyness(own, formula="party + bs(year, df=3)", metadata=names, sort="term")
    expected = tb.keyness(X, formula="party + bs(year, df=3)", metadata=about, terms=terms, sort="term")
    np.testing.assert_allclose(smooth["p_value"], expected["p_value"], rtol=1e-6)


def test_what_cells_cannot_be(documents):
    own = cells(documents, "party", "period")
    with pytest.raises(ValueError, match="needs the documents"):
        tb.keyness(own, formula="party + period", cluster="party")
    with pytest.raises(ValueError, match=r"has 2 values, but there are 1 columns, 'party'"):
        tb.keyness(own, formula="party")
    with pytest.raises(ValueError, match="names of the parts"):
        tb.keyness(own, formula="party", metadata={"party": ["D"]})
    with pytest.raises(ValueError, match="cell 0 is 3"):
        tb.keyness({"D": 3, "R": 4}, formula="party")
    with pytest.raises(ValueError, match='detail="patterns"'):
        tb.keyness(dict.fromkeys("DR", tb.TermStatistics.from_counts([[1, 2]], ["a", "b"])), formula="party")
    with pytest.raises(ValueError, match="at least two cells"):
        tb.keyness({}, formula="party")
    with pytest.raises(ValueError, match="no name may come twice"):
        tb.keyness(own, formula="party", metadata=["party", "party"])
    with pytest.raises(ValueError, match="omit `terms`"):
        tb.keyness(own, formula="party + period", terms=list("abcdefz"))
    unnamed = tb.TermStatistics.from_counts([[1, 2]], detail="patterns")
    with pytest.raises(ValueError, match="with names of terms; cell 1 is"):
        tb.keyness({"D": own["D", "old"], "R": unnamed}, formula="party")
