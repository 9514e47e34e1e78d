"""Comparisons as frames: vocabularies aligned by term for all sources, columns, order, adjustment, and errors."""

import itertools
from importlib import import_module

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy import stats

import termburst as tb
from termburst.inference import keyness as inference
from termburst.inference.keyness import METHODS
from termburst.inference.multiplicity import adjust
from termburst.models.cells import term_cells

COLUMNS = [
    "term", "n_a", "n_b", "b_a", "b_b", "per_million_a", "per_million_b", "log_ratio", "ci_low", "ci_high",
    "lower_bound", "diff_percent", "statistic", "p_value", "q_value", "least_p", "p_method", "dp_a", "dp_b",
]  # fmt: skip
FLOATS = [name for name in COLUMNS if name.startswith(("per_", "log_", "ci_", "dp_"))]
FLOATS += ["lower_bound", "diff_percent", "statistic", "p_value", "q_value", "least_p"]


def corpus(seed, documents, terms, *, factor=1.0):
    rng = np.random.default_rng(seed)
    return rng.poisson(rng.gamma(0.4, np.geomspace(0.05, 8.0, terms) / 0.4 * factor, (documents, terms)))


@pytest.fixture(scope="module")
def two():
    """A has "a0".."a19" and common words, B has these and "b0".."b9"; neither is in alphabetical order."""
    common = [f"word{i:02d}" for i in range(30)]
    names_a = [*common[::-1], *(f"a{i}" for i in range(20))]
    names_b = [*(f"b{i}" for i in range(10)), *common]
    A, B = corpus(1, 90, 50), corpus(2, 140, 40)
    A[3] = 0
    B = np.vstack([B, B[:25]])
    return A, names_a, B, names_b


def dense(X, names, union):
    """The matrix with the columns of another vocabulary."""
    out = np.zeros((len(X), len(union)), dtype=int)
    for i, name in enumerate(names):
        out[:, union.index(name)] = X[:, i]
    return out


def same(left, right, rtol=1e-6):
    assert left.columns == right.columns
    left, right = left.sort("term"), right.sort("term")
    for name in left.columns:
        if left[name].dtype.is_float():
            np.testing.assert_allclose(
                left[name].fill_null(-99).to_numpy(), right[name].fill_null(-99).to_numpy(), rtol, 1e-6, err_msg=name
            )
        else:
            assert left[name].to_list() == right[name].to_list(), name


# ---- alignment


def test_vocabularies_are_aligned_by_term(two):
    A, names_a, B, names_b = two
    table = tb.keyness(A, B, terms=names_a, terms_b=names_b)
    union = sorted({*names_a, *names_b})
    n_a, n_b = (dense(X, names, union).sum(axis=0) for X, names in ((A, names_a), (B, names_b)))
    assert sorted(table["term"]) == [t for t, n in zip(union, n_a + n_b, strict=True) if n]
    by_term = table.sort("term")
    here = n_a + n_b > 0
    np.testing.assert_array_equal(by_term["n_a"], n_a[here])
    np.testing.assert_array_equal(by_term["n_b"], n_b[here])
    same(table, tb.keyness(dense(A, names_a, union), dense(B, names_b, union), terms=union))


def test_matrices_and_saved_statistics_on_either_side(two, tmp_path):
    A, names_a, B, names_b = two
    matrix = tb.keyness(A, B, terms=names_a, terms_b=names_b)
    made = {}
    for side, X, names in (("A", A, names_a), ("B", B, names_b)):
        statistics = tb.TermStatistics.from_counts(X, names, "patterns")
        statistics.save(tmp_path / f"{side}.parquet")
        made[side] = tb.TermStatistics.load(tmp_path / f"{side}.parquet")
    same(tb.keyness(made["A"], made["B"]), matrix)
    same(tb.keyness(made["A"], B, terms_b=names_b), matrix)
    same(tb.keyness(A, made["B"], terms=names_a), matrix)
    same(tb.keyness(made["A"], sp.csr_array(B), terms=names_b), matrix)  # `terms` is for the one that needs it
    same(tb.keyness(made["A"], made["B"], terms=names_a, terms_b=names_b), matrix)  # their own names may be repeated
    same(tb.keyness(sp.csc_array(A), sp.coo_array(B), terms=names_a, terms_b=names_b), matrix)


def test_order_of_the_columns_does_not_matter(two):
    A, names_a, B, names_b = two
    rng = np.random.default_rng(3)
    order_a, order_b = rng.permutation(A.shape[1]), rng.permutation(B.shape[1])
    shuffled = tb.keyness(
        A[:, order_a], B[:, order_b], terms=[names_a[i] for i in order_a], terms_b=[names_b[i] for i in order_b]
    )
    same(shuffled, tb.keyness(A, B, terms=names_a, terms_b=names_b))


def test_one_list_of_terms_is_enough_for_both():
    A, B = corpus(4, 40, 8), corpus(5, 40, 8)
    names = list("hgfedcba")
    same(tb.keyness(A, B, terms=names), tb.keyness(A, B, terms=names, terms_b=names))
    unnamed = tb.keyness(A, B)
    assert unnamed["term"].dtype.is_integer()
    named = tb.keyness(A, B, terms=names).with_columns(pl.col("term").replace_strict(names, range(8)))
    assert named["p_value"].to_list() == unnamed["p_value"].to_list()


def test_statistics_without_names_are_aligned_by_column(two):
    A, B = corpus(4, 40, 8), corpus(5, 40, 8)
    same(tb.keyness(tb.TermStatistics.from_counts(A, detail="patterns"), B), tb.keyness(A, B))


# ---- columns


def q_by_definition(table):
    """min over t ≥ p of t · #{terms that can have p ≤ t} / #{terms with p ≤ t}: Benjamini–Hochberg, or below it."""
    p, least = table["p_value"].to_numpy(), table["least_p"].to_numpy()
    at = np.array([t * np.sum(least <= t * (1 + 1e-9)) / np.sum(p <= t) for t in p])
    q = np.array([min(at[p >= t].min(), 1.0) for t in p])
    assert (q <= stats.false_discovery_control(p) * (1 + 1e-12)).all()
    return q


def test_contents_of_the_columns(two):
    A, names_a, B, names_b = two
    union = sorted({*names_a, *names_b})
    A, B = dense(A, names_a, union), dense(B, names_b, union)
    table = tb.keyness(A, B, terms=union, confidence=0.9)
    assert table.columns == COLUMNS
    at = [union.index(term) for term in table["term"]]
    found = inference.keyness(term_cells(A), term_cells(B), confidence=0.9)
    for name in ("log_ratio", "ci_low", "ci_high", "statistic", "p_value"):
        np.testing.assert_allclose(table[name].to_numpy(), getattr(found, name)[at], rtol=1e-9, err_msg=name)
    assert table["p_method"].to_list() == found.p_method[at].tolist()
    np.testing.assert_array_equal(table["b_a"], (A > 0).sum(axis=0)[at])
    np.testing.assert_array_equal(table["b_b"], (B > 0).sum(axis=0)[at])
    rate_a, rate_b = (1e6 * X.sum(axis=0)[at] / X.sum() for X in (A, B))
    np.testing.assert_allclose(table["per_million_a"], rate_a)
    np.testing.assert_allclose(table["per_million_b"], rate_b)
    both = rate_b > 0
    np.testing.assert_allclose(
        table["diff_percent"].to_numpy()[both], 100 * (rate_a / np.where(both, rate_b, 1) - 1)[both]
    )
    assert (table["diff_percent"].to_numpy()[~both] == np.inf).all()
    np.testing.assert_allclose(table["q_value"], q_by_definition(table), rtol=1e-12)
    for name, X in (("dp_a", A), ("dp_b", B)):
        occurs = X.sum(axis=0)[at] > 0
        np.testing.assert_allclose(table[name].to_numpy()[occurs], tb.dispersion(X, "dp")["dp"][at][occurs])
        assert table[name].is_null().to_list() == (~occurs).tolist()


def test_no_nan_in_any_column(two):
    A, names_a, B, names_b = two
    for confidence in (0.95, None):
        table = tb.keyness(A, B, terms=names_a, terms_b=names_b, confidence=confidence)
        for name in FLOATS:
            assert not table[name].is_nan().any(), name
        for name in ("n_a", "n_b", "log_ratio", "statistic", "p_value", "q_value", "p_method"):
            assert table[name].null_count() == 0, name
    assert table["ci_low"].null_count() == table["lower_bound"].null_count() == table.height


def test_effect_is_nearer_to_0_than_the_interval_and_0_unless_q_is_small(two):
    A, names_a, B, names_b = two
    table = tb.keyness(A, B, terms=names_a, terms_b=names_b)
    low, high, bound, q = (table[name].to_numpy() for name in ("ci_low", "ci_high", "lower_bound", "q_value"))
    nearest = np.where(low > 0, low, np.where(high < 0, high, 0.0))
    assert (np.abs(bound) <= np.abs(nearest) + 1e-9).all()
    assert (bound[q > 0.05] == 0).all()
    assert (np.sign(bound[bound != 0]) == np.sign(nearest[bound != 0])).all()
    assert {-1.0, 0.0, 1.0} == set(np.sign(bound))
    plain = tb.keyness(A, B, terms=names_a, terms_b=names_b, adjust="none")
    low, high, bound, p = (plain[name].to_numpy() for name in ("ci_low", "ci_high", "lower_bound", "p_value"))
    nearest = np.where(low > 0, low, np.where(high < 0, high, 0.0))
    np.testing.assert_allclose(bound, np.where(p <= 0.05, nearest, 0.0), atol=1e-12)  # of a term chosen beforehand
    assert tb.keyness(A, B, terms=names_a, terms_b=names_b, confidence=None)["lower_bound"].is_null().all()


def test_terms_in_too_few_documents_do_not_count_in_the_adjustment():
    """2,000 words in two documents each cannot have p < 0.05, and cost the others nothing."""
    rng = np.random.default_rng(31)
    common = np.column_stack([rng.poisson(np.repeat([1.0, 1.0 + k / 8], 40)) for k in range(8)])
    rare = np.zeros((80, 2000), int)
    for k in range(2000):
        rare[rng.choice(80, 2, replace=False), k] = 1
    X = np.column_stack([common, rare, 60 + rng.integers(0, 9, 80)])
    with_rare = tb.keyness(X[:40], X[40:]).filter(pl.col("term") < 8)
    alone = tb.keyness(X[:40], X[40:], min_count=5).filter(pl.col("term") < 8)
    np.testing.assert_allclose(with_rare["p_value"], alone["p_value"], rtol=1e-9)
    significant = alone["q_value"].to_numpy() <= 0.05
    assert significant.any()
    np.testing.assert_allclose(with_rare["q_value"].to_numpy()[significant], alone["q_value"].to_numpy()[significant])
    plain = stats.false_discovery_control(tb.keyness(X[:40], X[40:])["p_value"].to_numpy())
    assert plain.min() > 10 * with_rare["q_value"].min()  # as it was


def test_one_document_alone_is_never_significant():
    A, B = [[1, 0, 40], [0, 0, 41]] + [[0, 0, 39]] * 3, [[0, 0, 40]] * 90 + [[0, 1, 40]]
    table = tb.keyness(A, B)
    alone = table.filter(pl.col("b_a") + pl.col("b_b") == 1)
    assert alone.height == 2
    assert alone["p_value"].to_list() == alone["least_p"].to_list() == [1.0, 1.0]
    groups = tb.keyness(np.array(A + B), by=["x"] * 5 + ["y"] * 40 + ["z"] * 51, contrasts=False)
    assert groups.filter(pl.col("b") == 1)["p_value"].to_list() == [1.0, 1.0]


def test_a_corpus_of_very_long_documents_and_itself():
    """The log-likelihoods are so large that their difference is rounding error, not a difference."""
    rng = np.random.default_rng(32)
    X = np.column_stack([rng.integers(10**5, 2 * 10**6, (2, 6)), np.full((2, 1), 10**7)])
    assert tb.keyness(X, X)["p_value"].to_list() == [1.0] * 7


def test_order_of_the_rows(two):
    A, names_a, B, names_b = two

    def table(**options):
        return tb.keyness(A, B, terms=names_a, terms_b=names_b, **options)

    by_p = table()
    keys = list(zip(by_p["p_value"], -by_p["statistic"].abs(), by_p["term"], strict=True))
    assert keys == sorted(keys)
    assert table(sort="term")["term"].is_sorted()
    for name in ("lower_bound", "log_ratio"):
        assert table(sort=name)[name].is_sorted(descending=True)
        same(table(sort=name), by_p)
    assert table(sort="log_ratio")["log_ratio"][0] == np.inf
    signed = table(method="g2")
    keys = list(zip(signed["p_value"], -signed["statistic"].abs(), strict=True))
    assert keys == sorted(keys)
    with pytest.raises(ValueError, match="sort must be one of 'p', 'lower_bound', 'log_ratio', 'term'; got 'q'"):
        table(sort="q")


@pytest.mark.slow
def test_rare_terms_are_left_out_of_the_adjustment_too(two):
    A, names_a, B, names_b = two
    everything = tb.keyness(A, B, terms=names_a, terms_b=names_b)
    table = tb.keyness(A, B, terms=names_a, terms_b=names_b, min_count=30)
    kept = everything.filter(pl.col("n_a") + pl.col("n_b") >= 30)
    assert 5 < table.height < everything.height
    assert table["term"].to_list() == kept["term"].to_list()
    np.testing.assert_array_equal(table["p_value"], kept["p_value"])
    np.testing.assert_allclose(table["q_value"], q_by_definition(kept), rtol=1e-12)
    assert (table["q_value"].to_numpy() < kept["q_value"].to_numpy()).any()
    p = everything["p_value"].to_numpy()
    for method in ("by", "bh", "holm"):
        q = tb.keyness(A, B, terms=names_a, terms_b=names_b, adjust=method)["q_value"]
        np.testing.assert_array_equal(q, adjust(p, method, attainable=everything["least_p"].to_numpy()))
        assert (q.to_numpy() <= adjust(p, method) * (1 + 1e-12)).all()
    none = tb.keyness(A, B, terms=names_a, terms_b=names_b, adjust="none")
    np.testing.assert_array_equal(none["q_value"], none["p_value"])
    assert tb.keyness(A, B, terms=names_a, terms_b=names_b, min_count=10**9).height == 0


@pytest.mark.parametrize("method", METHODS)
def test_methods_by_name(two, method):
    A, names_a, B, names_b = two
    table = tb.keyness(A, B, terms=names_a, terms_b=names_b, method=method)
    assert table.columns == COLUMNS
    assert table["p_value"].is_between(0, 1).all()
    assert set(table["p_method"]) <= ({"own precisions"} if method == "beta-binomial" else {method})
    default = tb.keyness(A, B, terms=names_a, terms_b=names_b).sort("term")
    assert (
        table.sort("term")["log_ratio"].to_list() == default["log_ratio"].to_list()
    )  # the interval does not depend on the test


# ---- edge cases


def test_identical_corpora_have_p_1(two):
    A, names_a, _, _ = two
    table = tb.keyness(A, A, terms=names_a)
    assert table["p_value"].to_list() == table["q_value"].to_list() == [1.0] * table.height
    np.testing.assert_allclose(table["log_ratio"], 0, atol=1e-6)
    np.testing.assert_allclose(table["diff_percent"], 0, atol=1e-9)
    assert table["lower_bound"].to_list() == [0.0] * table.height


def test_a_term_in_only_one_corpus(two):
    A, names_a, B, names_b = two
    table = tb.keyness(A, B, terms=names_a, terms_b=names_b)
    only_a, only_b = table.filter(pl.col("n_b") == 0), table.filter(pl.col("n_a") == 0)
    assert only_a.height > 10
    assert only_b.height > 5
    for part, sign, open_end, closed_end in ((only_a, 1, "ci_high", "ci_low"), (only_b, -1, "ci_low", "ci_high")):
        assert (part["log_ratio"] == sign * np.inf).all()
        assert (part[open_end] == sign * np.inf).all()
        assert part[closed_end].is_finite().all()
    assert (only_a["diff_percent"] == np.inf).all()
    assert (only_b["diff_percent"] == -100).all()


def test_no_terms_in_common():
    A, B = corpus(6, 30, 5), corpus(7, 30, 5)
    table = tb.keyness(A, B, terms=list("abcde"), terms_b=list("vwxyz"))
    assert set(table["log_ratio"]) == {np.inf, -np.inf}
    assert table.height == (A.sum(axis=0) > 0).sum() + (B.sum(axis=0) > 0).sum()
    assert table["p_value"].is_between(0, 1).all()


def test_one_document_per_side():
    """One observation each: even if one word is the whole corpus, nothing is significant."""
    table = tb.keyness([[30, 0, 9, 1]], [[0, 25, 12, 0]], terms=list("abcd"))
    assert table["p_value"].to_list() == [1.0] * 4
    assert table["ci_low"].to_list() == [-np.inf] * 4
    assert table["ci_high"].to_list() == [np.inf] * 4


def test_one_document_against_many_is_one_observation():
    """A word that occurs once is in that document with probability 1/201: p (a mid-p) is of that order, not smaller."""
    table = tb.keyness([[1, 1, 49]], np.tile([0, 1, 50], (200, 1))).sort("term")
    assert 0.5 / 202 < table["p_value"][0] < 4 / 201
    assert (
        table["p_value"][1] > 0.8
    )  # this word is in every document, once: as a mid-p of one occurrence where one is expected


def test_corpora_without_tokens_are_refused():
    A = corpus(9, 10, 3)
    for nothing in (np.zeros((4, 3), int), sp.csr_array((4, 3), dtype=int)):
        with pytest.raises(ValueError, match="the second corpus has no tokens: there is nothing to compare with"):
            tb.keyness(A, nothing)
        with pytest.raises(ValueError, match="the first corpus has no tokens"):
            tb.keyness(nothing, A)
    with pytest.raises(ValueError, match="0 × 3"):
        tb.keyness(A, np.zeros((0, 3), int))


def test_bad_options_give_a_message_of_one_line():
    for options, message in [
        ({"confidence": 95}, "confidence must be a number between 0 and 1; got 95"),
        ({"min_count": 0}, "min_count must be a whole number of 1 or more"),
        ({"terms": ["a", "\ud800", "c"]}, "contains a lone surrogate"),
        ({"terms": list("ab")}, "there are 2 terms for 3 columns"),
        ({"terms": list("aab")}, "names two columns"),
        ({"terms": list("abc"), "terms_b": list("ab")}, "there are 2 terms for 3 columns"),
        ({"terms_b": list("abc")}, "one corpus has term names and the other does not"),
    ]:
        A = corpus(10, 10, 3)
        with pytest.raises(ValueError, match=message) as caught:
            tb.keyness(A, A, **options)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 200


def test_alignment_errors_give_a_message_of_one_line():
    A, B = corpus(11, 10, 3), corpus(12, 10, 4)
    named = tb.TermStatistics.from_counts(A, list("abc"), "patterns")
    for arguments, options, message in (
        ((A, B), {}, "A has 3 columns and B has 4: give terms= and terms_b="),
        ((A, B), {"terms": list("abc")}, "3 terms for 4 columns"),
        ((named, A), {}, "one corpus has term names and the other does not: give terms= and terms_b="),
        ((A, named), {}, "one corpus has term names and the other does not"),
        ((named.coarsen("moments"), A), {"terms": list("abc")}, 'A has statistics without the patterns .*"patterns"'),
        ((A, named.coarsen("frequencies")), {"terms": list("abc")}, "B has statistics without the patterns"),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            tb.keyness(*arguments, **options)
        assert "\n" not in str(caught.value)


def test_names_that_contradict_those_of_the_statistics_are_refused():
    """Otherwise they would be ignored silently."""
    A = corpus(13, 10, 3)
    named = tb.TermStatistics.from_counts(A, list("abc"), "patterns")
    with pytest.raises(ValueError, match="the statistics of A already have other term names; omit `terms`"):
        tb.keyness(named, named, terms=list("xyz"), terms_b=list("xyz"))


def test_names_for_statistics_without_names():
    A, B = corpus(14, 10, 3), corpus(15, 12, 3)
    table = tb.keyness(A, B, terms=list("abc"))
    unnamed = [tb.TermStatistics.from_counts(X, detail="patterns") for X in (A, B)]
    same(tb.keyness(*unnamed, terms=list("abc")), table)
    same(tb.keyness(A, unnamed[1], terms=list("abc")), table)
    union = tb.keyness(A, B, terms=list("abc"), terms_b=list("abd"))
    same(tb.keyness(*unnamed, terms=list("abc"), terms_b=list("abd")), union)


def test_names_from_an_iterator():
    A, B = corpus(14, 10, 3), corpus(15, 12, 3)
    same(tb.keyness(A, B, terms=(c for c in "abc")), tb.keyness(A, B, terms=list("abc")))


# ---- several groups


@pytest.fixture(scope="module")
def grouped():
    X = np.vstack([corpus(21, 60, 12), corpus(22, 80, 12), corpus(23, 50, 12, factor=np.r_[np.ones(10), 4.0, 0.2])])
    labels = np.repeat(["x", "y", "z"], [60, 80, 50])
    order = np.random.default_rng(24).permutation(190)
    return X[order], labels[order], [f"t{i:02d}" for i in range(12)]


def test_groups_overall(grouped):
    X, labels, names = grouped
    table = tb.keyness(X, by=labels, terms=names, contrasts=False)
    assert table.columns == ["term", "n", "b", "statistic", "p_value", "q_value", "least_p", "p_method", "highest"]
    found = inference.keyness_groups([term_cells(X[labels == g]) for g in "xyz"])
    at = [names.index(term) for term in table["term"]]
    np.testing.assert_allclose(table["statistic"], found.statistic[at], rtol=1e-9)
    np.testing.assert_allclose(table["p_value"], found.p_value[at], rtol=1e-9)
    np.testing.assert_array_equal(table["n"], X.sum(axis=0)[at])
    np.testing.assert_array_equal(table["b"], (X > 0).sum(axis=0)[at])
    assert table["highest"].to_list() == ["xyz"[k] for k in found.highest[at]]
    np.testing.assert_allclose(table["q_value"], stats.false_discovery_control(table["p_value"].to_numpy()))
    assert (table["least_p"] <= table["p_value"]).all()
    assert table["term"][0] in ("t10", "t11")
    assert table.filter(pl.col("term") == "t10")["highest"][0] == "z"
    assert table["p_value"].is_sorted()


def test_groups_as_lists_numbers_and_sparse_matrices(grouped):
    X, labels, names = grouped
    table = tb.keyness(X, by=labels, terms=names, contrasts=False)
    same(tb.keyness(sp.csr_array(X), by=list(labels), terms=names, contrasts=False), table)
    numbers = np.searchsorted(["x", "y", "z"], labels)
    by_number = tb.keyness(X, by=numbers, terms=names, contrasts=False)
    assert by_number["p_value"].to_list() == table["p_value"].to_list()
    assert by_number["highest"].to_list() == [str("xyz".index(g)) for g in table["highest"]]


@pytest.mark.parametrize("kind", [np.array, pd.Series, pl.Series, pd.Categorical, tuple, iter])
def test_labels_of_any_kind(grouped, kind):
    X, labels, names = grouped
    same(
        tb.keyness(X, by=kind(labels.tolist()), terms=names, contrasts=False),
        tb.keyness(X, by=labels, terms=names, contrasts=False),
    )


def test_labels_that_numpy_would_treat_as_equal():
    X = corpus(29, 14, 3) + 1
    table = tb.keyness(X, by=["a"] * 7 + ["a\0"] * 7, contrasts=True)
    assert table["p_value"].is_between(0, 1).all()
    assert set(table["group"]) <= {"a", "a\0"}


def test_groups_contrasts_are_comparisons_with_the_rest(grouped):
    X, labels, names = grouped
    table = tb.keyness(X, by=labels, terms=names, contrasts=True, confidence=0.8)
    assert table.columns == ["term", "group", *COLUMNS[1:]]
    assert set(zip(table["term"], table["group"], strict=True)) == set(itertools.product(names, "xyz"))
    for g in "xyz":
        alone = tb.keyness(X[labels == g], X[labels != g], terms=names, confidence=0.8)
        mine = table.filter(pl.col("group") == g).drop("group")
        same(mine.drop("q_value", "lower_bound"), alone.drop("q_value", "lower_bound"))
    np.testing.assert_allclose(table["q_value"], q_by_definition(table))
    assert table.filter((pl.col("q_value") > 0.2) & (pl.col("lower_bound") != 0)).is_empty()
    assert table["p_value"].is_sorted()
    by_ratio = tb.keyness(X, by=labels, terms=names, contrasts=True, sort="log_ratio", method="g2")
    assert by_ratio["log_ratio"].is_sorted(descending=True)
    assert set(by_ratio["p_method"]) == {"g2"}


def test_two_groups_are_a_comparison(grouped):
    X, labels, names = grouped
    two = np.where(labels == "z", "z", "other")
    overall = tb.keyness(X, by=two, terms=names).sort("term")
    pair = tb.keyness(X[two == "z"], X[two != "z"], terms=names).sort("term")
    for name in ("statistic", "p_value", "least_p"):
        np.testing.assert_allclose(overall[name], pair[name], rtol=1e-6, atol=1e-12, err_msg=name)


def test_groups_sorted_by_term(grouped):
    X, labels, names = grouped
    assert tb.keyness(X, by=labels, terms=names, sort="term", contrasts=False)["term"].to_list() == names


def test_groups_min_count(grouped):
    X, labels, names = grouped
    table, all_terms = (tb.keyness(X, by=labels, terms=names, min_count=m, contrasts=False) for m in (40, 1))
    kept = all_terms.filter(pl.col("n") >= 40)
    assert 2 < table.height < all_terms.height
    assert table["p_value"].to_list() == kept["p_value"].to_list()
    np.testing.assert_allclose(table["q_value"], stats.false_discovery_control(table["p_value"].to_numpy()))


def test_groups_that_are_identical():
    X = corpus(25, 20, 6)
    table = tb.keyness(np.vstack([X, X, X]), by=np.repeat([1, 2, 3], 20), contrasts=False)
    assert (table["p_value"] > 0.95).all()  # a mid-p against twice as many documents is not exactly 1
    assert tb.keyness(np.vstack([X, X]), by=np.repeat([1, 2], 20))["p_value"].to_list() == [1.0] * table.height


def test_bad_labels_give_a_message_of_one_line():
    for labels, message in [
        (["x"] * 4, "there are 5 documents but 4 labels"),
        (["x"] * 5, "there is only one group, 'x': a comparison needs at least two"),
        ([7] * 5, "there is only one group, '?7'?: a comparison needs at least two"),
        ([["x"], ["y"], ["x"], ["y"], ["x"]], r"labels must be one name per document; document 0 has \['x'\]"),
        ([("x", 1)] * 5, r"labels must be one name per document; document 0 has \('x', 1\)"),
        ([1, 1, 1, "1", "1"], "labels must have one type; got int for document 0 and str for document 3"),
        (np.array([1, "x", 2, 2, 2], dtype=object), "labels must have one type"),
        ([1j, 2j, 1j, 2j, 1j], "labels must be names or numbers; document 0 has 1j"),
        (np.array([list("xyxyx")]), "by must be a list or a Series with one label per document"),
        (np.array("x"), "by must be a list or a Series"),
        ({"x", "y"}, "by must be a list or a Series"),
        ("xyxyx", "by must be a list or a Series with one label per document; got 'xyxyx'"),
        (3, "by must be a list or a Series"),
        ((c for c in "xyx"), "there are 5 documents but 3 labels"),
        ([None, "x", "y", "x", "y"], "document 0 has the label None: give every document a group"),
        (["x", "y", np.nan, "x", "y"], "document 2 has the label nan"),
        (np.array([1.0, 2.0, 1.0, 2.0, np.nan]), "document 4 has the label nan"),
        (pd.Series(["x", pd.NA, "x", "y", "y"], dtype="object"), "document 1 has the label <NA>"),
    ]:
        X = corpus(26, 5, 3) + 1
        with pytest.raises(ValueError, match=message) as caught:
            tb.keyness(X, by=labels)
        assert "\n" not in str(caught.value)


def test_no_documents_to_group():
    with pytest.raises(ValueError, match=r"the count matrix has no documents \(0 rows\)"):
        tb.keyness(np.zeros((0, 3), int), by=[])


def test_the_error_names_a_group_without_tokens():
    X = corpus(27, 6, 3) + 1
    X[:2] = 0
    for contrasts in (False, True):
        with pytest.raises(ValueError, match="no tokens") as caught:
            tb.keyness(X, by=["empty"] * 2 + ["x"] * 2 + ["y"] * 2, contrasts=contrasts)
        assert "empty" in str(caught.value)
    with pytest.raises(ValueError, match="sort must be one of"):
        tb.keyness(X, by=list("aabbcc"), sort="q")
    with pytest.raises(ValueError, match="terms"):
        tb.keyness(X, by=list("aabbcc"), terms=["one"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "g2"}, 'method="g2" needs contrasts=True'),
        ({"confidence": 0.8}, "confidence=0.8 needs contrasts=True"),
        ({"confidence": None}, "confidence=None needs contrasts=True"),
        ({"sort": "lower_bound"}, 'sort="lower_bound" needs contrasts=True'),
        ({"adjust": "fdr"}, "adjust must be one of 'bh'"),
        ({"adjust": "fdr", "contrasts": True}, "adjust must be one of 'bh'"),
    ],
)
def test_options_that_only_contrasts_have(grouped, options, message):
    X, labels, names = grouped
    with pytest.raises(ValueError, match=message):
        tb.keyness(X, by=labels, terms=names, **({"contrasts": False} | options))


def test_statistics_cannot_be_grouped():
    statistics = tb.TermStatistics.from_counts(corpus(28, 6, 3), list("abc"), "patterns")
    with pytest.raises(ValueError, match="groups need a count matrix"):
        tb.keyness(statistics, by=list("aabbcc"))


def test_wrong_options_are_refused_before_any_work(monkeypatch):
    monkeypatch.setattr(inference, "compare", None)
    monkeypatch.setattr(import_module("termburst.statistics.matrix"), "canonical_counts", None)
    with pytest.raises(ValueError, match="adjust must be one of"):
        tb.keyness([[1]], [[1]], adjust="q")
