"""The table of the burstiness test: results of the functions, adjusted for multiplicity, largest lower bound first."""

from dataclasses import fields
from functools import partial

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from polars.testing import assert_frame_equal
from scipy import stats

import termburst as tb
from termburst.inference.burst_effects import burst_effects
from termburst.inference.dispersion import MEASURES
from termburst.inference.multiplicity import adjust_log10
from termburst.inference.overdispersion import burstiness
from termburst.models.cells import term_cells
from termburst.questions import burstiness_plan

COLUMNS = [
    "term", "n", "b", "burst_ratio", "ci_low", "ci_high", "lower_bound", "reuse", "reuse_low", "reuse_high",
    "reuse_binomial", "plr", "lr", "score", "p_plr", "p_lr", "p_score", "p_value", "log10_p", "q_value", "p_method",
    "mean", "alpha", "alpha_not", "status",
]  # fmt: skip
everything = partial(tb.burstiness_test, columns="all")
NAMES = [f"t{i:02d}" for i in range(24)]


@pytest.fixture(scope="module")
def X():  # noqa: N802
    """Terms from rare to frequent and from even to bursty; the last never occurs, two occur once, one is extreme."""
    rng = np.random.default_rng(1)
    shape = np.tile([0.1, 0.5, 5.0], 8)
    counts = rng.poisson(rng.gamma(shape, np.geomspace(0.02, 20.0, 24) / shape, (120, 24)))
    counts[:, 0:2] = 0
    counts[3, 0] = counts[50, 1] = 1
    counts[7, 20] += 3_000
    counts[:, 23] = 0
    counts[9] = 0
    return counts


@pytest.fixture(scope="module")
def table(X):
    return everything(X, NAMES, draws=999)


def test_the_table_contains_the_results_of_the_functions(X, table):
    found = burstiness(X, draws=999)
    assert table.columns == [*COLUMNS, *MEASURES]
    assert table.height == 23
    at = [NAMES.index(term) for term in table["term"]]
    np.testing.assert_array_equal(table["n"], X.sum(axis=0)[at])
    np.testing.assert_array_equal(table["b"], (X > 0).sum(axis=0)[at])
    for name in ("plr", "lr", "score"):
        np.testing.assert_array_equal(table[name], getattr(found, name).value[at])
        np.testing.assert_allclose(table[f"p_{name}"], 10 ** getattr(found, name).log10_p[at], rtol=1e-12)
    fit = tb.fit_beta_binomial(X)
    for name in ("mean", "alpha", "alpha_not"):
        np.testing.assert_array_equal(table[name], getattr(fit, name)[at])
    assert table["status"].to_list() == fit.status[at].tolist()
    measures = tb.dispersion(X)
    for name in MEASURES:
        np.testing.assert_array_equal(table[name].fill_null(np.nan).to_numpy(), measures[name][at])


@pytest.mark.parametrize("statistic", ["plr", "lr", "score"])
def test_which_p_value_is_adjusted(X, statistic):
    table = everything(X, NAMES, statistic=statistic, draws=999, dispersion=False, sort="p")
    assert table.columns == COLUMNS
    found = getattr(burstiness(X, draws=999), statistic)
    at = [NAMES.index(term) for term in table["term"]]
    assert table["p_value"].to_list() == table[f"p_{statistic}"].to_list()
    np.testing.assert_array_equal(table["log10_p"], found.log10_p[at])
    assert table["p_method"].to_list() == found.p_method[at].tolist()
    expected = stats.false_discovery_control(table["p_value"].to_numpy())
    np.testing.assert_allclose(table["q_value"], expected, rtol=1e-9, atol=1e-300)
    keys = list(zip(table["log10_p"], -table[statistic].round(9), table["term"], strict=True))
    assert keys == sorted(keys)


def test_probabilities_too_small_for_a_float(table):
    absurd = table.row(by_predicate=pl.col("term") == "t20", named=True)
    assert absurd["p_value"] == 0.0
    assert -1e6 < absurd["log10_p"] < -400
    assert absurd["p_method"] == "tail"
    assert table["log10_p"].min() == absurd["log10_p"]
    assert table["log10_p"].is_finite().all()


def test_rare_terms_by_hand(X, table):
    n_j = X.sum(axis=1)
    n = n_j.sum()
    once = table.filter(pl.col("n") == 1)
    assert once.height == 2
    assert once["p_plr"].to_list() == [1.0, 1.0]
    for row in once.iter_rows(named=True):
        length = n_j[np.flatnonzero(X[:, NAMES.index(row["term"])])[0]]
        assert row["p_score"] == pytest.approx(n_j[n_j <= length].sum() / n, rel=1e-9)
    both = np.zeros((120, 2), int)
    both[4, 0] = 2
    both[[5, 6], 1] = 1
    twice = everything(np.column_stack([both, X]), draws=99).filter(pl.col("term") <= 1).sort("term")
    n_j = np.column_stack([both, X]).sum(axis=1)
    together = (n_j * (n_j - 1)).sum() / (n_j.sum() * (n_j.sum() - 1))
    np.testing.assert_allclose(twice["p_plr"], [together, 1.0], rtol=1e-9)


def test_rare_terms_are_left_out_of_the_adjustment_too(X, table):
    few = everything(X, NAMES, draws=999, min_count=20)
    kept = table.filter(pl.col("n") >= 20)
    assert 5 < few.height < table.height
    assert few["term"].to_list() == kept["term"].to_list()
    np.testing.assert_array_equal(few["log10_p"], kept["log10_p"])
    np.testing.assert_allclose(few["q_value"], stats.false_discovery_control(kept["p_value"].to_numpy()), atol=1e-300)
    assert (few["q_value"].to_numpy() < kept["q_value"].to_numpy()).any()
    assert everything(X, NAMES, draws=99, min_count=10**9).height == 0


@pytest.mark.parametrize("method", ["bh", "by", "holm", "none"])
def test_adjustments(X, table, method):
    adjusted = everything(X, NAMES, draws=999, adjust=method)
    np.testing.assert_allclose(adjusted["q_value"], 10 ** adjust_log10(table["log10_p"].to_numpy(), method), rtol=1e-9)
    assert adjusted["term"].to_list() == table["term"].to_list()
    if method in ("bh", "by"):
        expected = stats.false_discovery_control(table["p_value"].to_numpy(), method=method)
        np.testing.assert_allclose(adjusted["q_value"], expected, rtol=1e-9, atol=1e-300)


def test_no_nan_in_any_column(X, table):
    for frame in (
        table,
        everything([[1, 0], [0, 1], [1, 0]], draws=99),
        everything([[3], [4]], draws=99),
    ):
        for name in frame.columns:
            if frame[name].dtype.is_float():
                assert not frame[name].is_nan().any(), name
        for name in ("p_plr", "p_lr", "p_score", "p_value", "log10_p", "q_value", "p_method"):
            assert frame[name].null_count() == 0, name
            if frame[name].dtype == pl.Float64 and name != "log10_p":
                assert frame[name].is_between(0, 1).all(), name


@pytest.mark.slow
def test_all_sources_give_the_same(X, table):
    statistics = tb.TermStatistics.from_counts(X, NAMES, "patterns")
    for source, names in ((statistics, None), (statistics, NAMES), (sp.csc_array(X), NAMES), (X.tolist(), NAMES)):
        other = everything(source, names, draws=999)
        assert other["term"].to_list() == table["term"].to_list()
        np.testing.assert_allclose(other["log10_p"], table["log10_p"], rtol=1e-9)
        np.testing.assert_allclose(other["p_lr"], table["p_lr"], rtol=1e-6)
    with pytest.raises(ValueError, match="the statistics already have other term names; omit `terms`"):
        everything(statistics, NAMES[::-1])
    named = everything(tb.TermStatistics.from_counts(X, detail="patterns"), NAMES, draws=999)
    assert named["term"].to_list() == table["term"].to_list()
    unnamed = everything(X, draws=999)
    assert unnamed["term"].to_list() == [NAMES.index(term) for term in table["term"]]


def test_saved_statistics(X, table, tmp_path):
    tb.TermStatistics.from_counts(X, NAMES, "patterns").save(tmp_path / "s.parquet")
    other = everything(tb.TermStatistics.load(tmp_path / "s.parquet"), draws=999)
    assert other["term"].to_list() == table["term"].to_list()
    np.testing.assert_allclose(other["log10_p"], table["log10_p"], rtol=1e-9)


def test_options_reach_the_test(X):
    options = {"mu": 60.0, "sigma2": 0.3, "form": "corrected", "draws": 199, "seed": 9, "mid_p": True}
    table = everything(X, NAMES, **options)
    found = burstiness(X, **options)
    at = [NAMES.index(term) for term in table["term"]]
    for name in ("plr", "lr", "score"):
        np.testing.assert_array_equal(table[name], getattr(found, name).value[at])
        np.testing.assert_allclose(table[f"p_{name}"], 10 ** getattr(found, name).log10_p[at], rtol=1e-12)
    other = everything(X, NAMES, **{**options, "seed": 10})
    assert other.sort("term")["p_lr"].to_list() != table.sort("term")["p_lr"].to_list()
    plain = everything(X, NAMES, **{**options, "mid_p": False}).sort("term")
    assert (table.sort("term")["p_plr"] <= plain["p_plr"] + 1e-12).all()


@pytest.mark.slow
def test_bursty_words_of_real_text_are_found():
    """In the docstrings of the standard library, many words burst, but not all, and words that never repeat do not."""
    from termburst.datasets import load_stdlib

    statistics = tb.TermStatistics.from_texts(load_stdlib().texts, detail="patterns")
    table = everything(statistics, min_count=10, draws=999, dispersion=False)
    significant = table.filter(pl.col("q_value") < 0.001)
    assert 0.05 < significant.height / table.height < 0.95
    assert (significant["b"] < significant["n"]).all()
    never = table.filter(pl.col("n") == pl.col("b"))
    assert never.height > 3
    assert (never["p_plr"] > 0.05).all()


def test_bad_options_give_a_message_of_one_line(X):
    for options, message in [
        ({"statistic": "wald"}, "statistic must be one of 'plr', 'lr', 'score'; got 'wald'"),
        ({"draws": 10}, "draws must be a whole number of 99 or more; got 10"),
        ({"terms": ["one"]}, "there are 1 terms for 24 columns"),
        ({"terms": ["same"] * 24}, "names two columns"),
        ({"sigma2": 0.0}, "sigma2"),
        ({"mu": -1.0}, "mu"),
        ({"seed": -1}, "seed must be a whole number of 0 or more; got -1"),
        ({"min_count": 0}, "min_count must be a whole number of 1 or more"),
    ]:
        with pytest.raises(ValueError, match=message) as caught:
            everything(X, **options)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("statistic", ["plr", "lr", "score"])
def test_the_main_columns_are_a_dozen_of_all(X, statistic):
    options = {"statistic": statistic, "draws": 99, "sort": "p"}
    table, main = everything(X, NAMES, **options), tb.burstiness_test(X, NAMES, **options)
    assert main.width == 12
    assert statistic in main.columns
    assert_frame_equal(main, table.select(name for name in table.columns if name in main.columns))


def test_main_columns_take_no_time_for_dispersion(X, monkeypatch):
    monkeypatch.setattr(burstiness_plan, "dispersion", None)
    with pytest.raises(TypeError):
        everything(X, NAMES, draws=99)
    assert tb.burstiness_test(X, NAMES, draws=99).height


def test_effects_are_those_of_the_function(X, table):
    found = burst_effects(term_cells(X))
    at = [NAMES.index(term) for term in table["term"]]
    for field in fields(found):
        np.testing.assert_array_equal(table[field.name].to_numpy(), getattr(found, field.name)[at])
    assert (table["burst_ratio"] >= table["ci_low"]).all()
    assert (table["burst_ratio"] <= table["ci_high"]).all()
    assert table["lower_bound"].n_unique() > 10


def test_the_order_of_rows(X, table):
    assert table["lower_bound"].is_sorted(descending=True)
    even = table.filter(pl.col("lower_bound") == 1)
    assert even.height > 1
    assert even["log10_p"].is_sorted()
    for sort, column, descending in (("plr", "plr", True), ("lr", "lr", True), ("p", "log10_p", False)):
        other = everything(X, NAMES, draws=999, sort=sort)
        assert other[column].round(9).is_sorted(descending=descending)
        assert_frame_equal(other.sort("term"), table.sort("term"))
    assert everything(X, NAMES, draws=999, sort="term")["term"].is_sorted()


def test_without_intervals(X, table):
    bare = everything(X, NAMES, draws=999, intervals=False)
    assert bare.columns == table.columns
    for name in ("ci_low", "ci_high", "lower_bound", "reuse_low", "reuse_high"):
        assert bare[name].null_count() == bare.height, name
    assert bare["burst_ratio"].round(9).is_sorted(descending=True)
    shared = ["term", "burst_ratio", "reuse", "reuse_binomial", "p_value", "q_value"]
    assert_frame_equal(bare.select(shared).sort("term"), table.select(shared).sort("term"))


def test_input_that_cannot_be_tested_is_refused():
    with pytest.raises(ValueError, match="all documents are empty"):
        everything(np.zeros((3, 2), int))
    with pytest.raises(ValueError, match="patterns"):
        everything(tb.TermStatistics.from_counts([[1, 2]]))
