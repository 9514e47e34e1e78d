"""Dispersion measures: against published worked examples, and definitions summed document by document."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from helpers.reference import reference_values
from termburst import TermStatistics
from termburst.inference.dispersion import MEASURES, average_reduced_frequency, dispersion

GRIES, TLDA = reference_values("dispersion_gries"), reference_values("dispersion_tlda")
COUNTS = arrays(np.int64, st.tuples(st.integers(1, 9), st.integers(1, 6)), elements=st.integers(0, 4))


def by_definition(v, sizes):
    """All measures of one term from its frequencies in all parts, as plain sums over parts and pairs of parts."""
    d, f, n = len(v), sum(v), sum(sizes)
    t, s = [x / f for x in v], [x / n for x in sizes]
    p = [x / size for x, size in zip(v, sizes, strict=True)]
    mean = sum(p) / d
    gries = 0.5 * sum(abs(a - b) for a, b in zip(t, s, strict=True))
    r = [x / sum(p) for x in p]
    pairs = [abs(p[j] - p[k]) for j in range(d) for k in range(j)]
    several = d > 1
    return {
        "dp": gries,
        "dp_norm": gries / (1 - min(s)) if several else math.nan,
        "juilland_d": 1 - np.std(p) / mean / math.sqrt(d - 1) if several else math.nan,
        "rosengren_s": sum(math.sqrt(a * b) for a, b in zip(s, v, strict=True)) ** 2 / f,
        "carroll_d2": -sum(x * math.log2(x) for x in r if x) / math.log2(d) if several else math.nan,
        "d_a": 1 - sum(pairs) / (d * (d - 1) / 2) / (2 * mean) if several else math.nan,
        "kl_divergence": sum(a * math.log2(a / b) for a, b in zip(t, s, strict=True) if a),
        "residual_idf": -math.log2(sum(x > 0 for x in v) / d) + math.log2(1 - math.exp(-f / d)),
        "adaptation": sum(x >= 2 for x in v) / sum(x > 0 for x in v),
    }


def gries_counts():
    parts = GRIES["parts"]
    letters = sorted(set("".join(parts)) - {" "})
    return np.array([[part.split().count(letter) for letter in letters] for part in parts]), letters.index("a")


@pytest.mark.parametrize(("measure", "published"), GRIES["measures"].items())
def test_the_letter_a_of_gries(measure, published):
    counts, a = gries_counts()
    assert counts[:, a].tolist() == [1, 2, 3, 4, 5]
    assert counts.sum(axis=1).tolist() == [9, 10, 10, 10, 11]
    digits = len(published.partition(".")[2])
    assert round(float(dispersion(counts, measure)[measure][a]), digits) == float(published)


def test_lyne_s_allemand_as_the_r_package_tlda_has_it():
    counts, sizes = np.array(TLDA["counts"]), np.array(TLDA["sizes"])
    found = {name: measured[0] for name, measured in dispersion(np.column_stack([counts, sizes - counts])).items()}
    found["d_kl"] = 1 / (1 + found["kl_divergence"])
    for name, printed in TLDA["measures"].items():
        assert found[name] == pytest.approx(printed, abs=5e-8), name  # seven digits are printed


@given(X=COUNTS)
def test_equal_the_definitions(X):
    found = dispersion(X)
    held = X[X.sum(axis=1) > 0]  # empty documents are left out
    for i in range(X.shape[1]):
        if X[:, i].sum():
            expected = by_definition(held[:, i].tolist(), held.sum(axis=1).tolist())
            for name in MEASURES:
                np.testing.assert_allclose(found[name][i], expected[name], rtol=1e-11, atol=1e-11, err_msg=name)
        else:
            assert all(np.isnan(found[name][i]) for name in MEASURES)


@pytest.mark.slow
@given(X=COUNTS)
def test_matrix_and_patterns_say_the_same(X):
    statistics, of_matrix = TermStatistics.from_counts(X, detail="patterns"), dispersion(X)
    for other in (statistics, sp.csr_array(X), sp.csc_matrix(X.astype(float))):
        for name, values in dispersion(other).items():
            np.testing.assert_allclose(values, of_matrix[name], rtol=1e-12, atol=1e-12, err_msg=name)


@given(X=COUNTS)
def test_values_lie_in_the_range_of_their_measure(X):
    for name, values in dispersion(X).items():
        low, top = MEASURES[name].range
        assert (np.isnan(values) | ((values >= low) & (values <= top))).all(), name


UNEVEN = ("dp", "dp_norm", "kl_divergence", "residual_idf", "adaptation")  # high where a term is uneven


@pytest.mark.parametrize("name", MEASURES)
def test_high_means_what_the_table_says(name):
    even, uneven = [2] * 10, [20] + [0] * 9
    X = np.column_stack([even, uneven, [100 - 2 - x for x in uneven]])  # documents of 100 tokens each
    low, high = dispersion(X, name)[name][[0, 1] if name in UNEVEN else [1, 0]]
    if name == "adaptation":  # looks at each document by itself: both terms repeat wherever they are
        assert low == high == 1
    else:
        assert low < high


def test_limits_of_even_and_uneven():
    d = 1000
    even, alone, others = np.full(d, 3), np.zeros(d, dtype=int), np.full(d, 97)
    alone[0], others[0] = 50, 47
    found = dispersion(np.column_stack([even, alone, others]))
    for name, values in found.items():
        if name in ("juilland_d", "carroll_d2", "d_a"):
            np.testing.assert_allclose(values[:2], [1, 0], atol=1e-12, err_msg=name)
        if name == "dp_norm":
            np.testing.assert_allclose(values[:2], [0, 1], atol=1e-12, err_msg=name)
    np.testing.assert_allclose(found["rosengren_s"][:2], [1, 1 / d], rtol=1e-12)
    np.testing.assert_allclose(found["kl_divergence"][:2], [0, math.log2(d)], atol=1e-12)
    assert found["residual_idf"][1] == pytest.approx(math.log2(d) + math.log2(1 - math.exp(-0.05)))
    once = dispersion(np.ones((d, 1), dtype=int))
    assert once["residual_idf"][0] == MEASURES["residual_idf"].range[0]


def test_a_single_document_has_the_values_that_the_docstring_promises():
    found = dispersion([[3, 1, 0], [0, 0, 0]])
    assert found["dp"][:2].tolist() == found["kl_divergence"][:2].tolist() == [0, 0]
    assert found["rosengren_s"][:2].tolist() == pytest.approx([1, 1])
    assert found["adaptation"][:2].tolist() == [1, 0]
    np.testing.assert_allclose(found["residual_idf"][:2], np.log2(1 - np.exp([-3.0, -1.0])))
    assert all(np.isnan(found[name]).all() for name in ("dp_norm", "juilland_d", "carroll_d2", "d_a"))


def test_empty_documents_change_nothing():
    X = np.random.default_rng(0).poisson(0.7, (30, 8))
    X[:, 0] += 1
    for name, values in dispersion(np.vstack([X, np.zeros((5, 8), dtype=int)])).items():
        np.testing.assert_array_equal(values, dispersion(X)[name], err_msg=name)
    assert all(np.isnan(values).all() for values in dispersion(np.zeros((2, 3), dtype=int)).values())


def test_only_what_was_asked_for_in_that_order():
    assert list(dispersion([[1, 2]], ["d_a", "dp"])) == ["d_a", "dp"]
    assert list(dispersion([[1, 2]], "dp")) == ["dp"]
    assert list(dispersion([[1, 2]])) == list(MEASURES)


def test_bad_input_gets_one_sentence():
    with pytest.raises(ValueError, match=r"a measure must be one of 'dp', .*; got 'gini'"):
        dispersion([[1, 2]], "gini")
    with pytest.raises(ValueError, match='this question needs detail="patterns"'):
        dispersion(TermStatistics.from_counts([[1, 2]]))


def test_the_whole_vocabulary_of_20_newsgroups(fig4):
    """Against the definitions for some terms, and at the two ends: a hapax is as uneven as can be."""
    X, terms = fig4
    found = dispersion(X)
    assert all(values.shape == (72_916,) and np.isfinite(values).all() for values in found.values())
    n_j = np.asarray(X.sum(axis=1)).ravel()
    for term in ("the", "god", "ambulance", "baby"):
        i = int(np.flatnonzero(terms == term)[0])
        v = X[:, [i]].toarray().ravel()[n_j > 0]
        sizes = n_j[n_j > 0]
        expected = by_definition_of_many(v, sizes)
        for name, value in expected.items():
            assert found[name][i] == pytest.approx(value, rel=1e-9), (term, name)
    hapax = np.asarray(X.sum(axis=0)).ravel() == 1
    np.testing.assert_allclose(found["juilland_d"][hapax], 0, atol=1e-12)
    np.testing.assert_allclose(found["d_a"][hapax], 0, atol=1e-9)


def by_definition_of_many(v, sizes):
    """Four of `by_definition`, the 60 million pairs of documents in NumPy."""
    t, s, p = v / v.sum(), sizes / sizes.sum(), v / sizes
    between = sum(float(np.abs(p[j] - p[:j]).sum()) for j in range(v.size))
    return {
        "dp": 0.5 * np.abs(t - s).sum(),
        "juilland_d": 1 - p.std() / p.mean() / np.sqrt(v.size - 1),
        "d_a": 1 - between / (v.size * (v.size - 1) / 2) / (2 * p.mean()),
        "kl_divergence": (t[v > 0] * np.log2(t[v > 0] / s[v > 0])).sum(),
    }


def test_arf_is_its_definition():
    rng = np.random.default_rng(53)
    tokens = rng.integers(0, 9, 500)
    tokens[100:140] = 9
    found = average_reduced_frequency(tokens, 11)
    for term in range(10):
        places = np.flatnonzero(tokens == term)
        v = 500 / places.size
        distances = np.diff(np.append(places, places[0] + 500))
        assert found[term] == pytest.approx(np.minimum(distances, v).sum() / v)
    assert np.isnan(found[10])
    assert found[9] < 5 < found[:9].min()
