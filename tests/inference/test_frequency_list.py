"""Keyness against a list: p holds though documents are unknown, intervals agree with p, and differences are found."""

import warnings

import numpy as np
import pytest
from scipy.stats import binom

import termburst as tb
from helpers.simulated import cells_of_columns, lengths_like_r8
from termburst.inference.frequency_list import NAME, Precisions, WordList, list_keyness
from termburst.inference.keyness import keyness
from termburst.models.cells import term_cells


def halves(seed, terms=500, documents=1_000):
    """Two corpora of the same words, which do not differ but for one."""
    rng = np.random.default_rng(seed)
    n_j = lengths_like_r8(rng, documents)
    mean, precision = np.exp(rng.uniform(-9, -5, terms)), np.exp(rng.normal(4.5, 0.8, terms))
    mean[20], precision[20] = 0.01, 100.0
    counts = rng.binomial(n_j[:, None], rng.beta(mean * precision, (1 - mean) * precision, (documents, terms)))
    first = rng.permutation(documents) < documents / 2
    counts[~first, 20] = 0
    return cells_of_columns(counts[first], n_j[first]), cells_of_columns(counts[~first], n_j[~first])


def test_p_holds_and_is_rarely_below_that_with_documents():
    a, b = halves(21)
    known = keyness(a, b, confidence=None).p_value
    found = list_keyness(a, WordList(b.n_i, b.tokens), confidence=None).p_value
    tested = (a.n_i + b.n_i >= 2) & (np.arange(known.size) != 20)
    assert np.mean((found < known)[tested] & (found < 0.05)[tested]) <= 0.01
    assert np.mean(found[tested] < 0.05) <= 0.03
    assert found[20] < 1e-4


def test_a_planted_ratio_is_found():
    a, b = halves(24, terms=300)
    tripled = list_keyness(a, WordList(3 * b.n_i, b.tokens), confidence=None).p_value
    often = (b.n_i > 100) & (a.n_i > 100)
    assert np.mean(tripled[often] < 0.05) > 0.9


def test_what_the_comparison_says():
    a, b = halves(21)
    found = list_keyness(a, WordList(b.n_i, b.tokens))
    held, both = a.n_i + b.n_i > 0, (a.n_i > 0) & (b.n_i > 0)
    assert set(found.p_method[held]) == {NAME}
    expected = np.log2(a.n_i[both] / a.tokens) - np.log2(b.n_i[both] / b.tokens)
    np.testing.assert_allclose(found.log_ratio[both], expected)
    assert ((found.ci_low < found.log_ratio) & (found.log_ratio < found.ci_high))[both].all()
    assert (((found.ci_low > 0) | (found.ci_high < 0)) == (found.p_value < 0.05))[held].all()
    lacking = (a.n_i == 0) & (b.n_i > 0)
    assert np.isneginf(found.log_ratio[lacking]).all()
    assert np.isneginf(found.ci_low[lacking]).all()
    assert np.isfinite(found.ci_high[lacking]).all()
    known = keyness(a, b)
    wide, narrow = (np.median((one.ci_high - one.ci_low)[both & (b.b_i > 20)]) for one in (found, known))
    assert wide > narrow


@pytest.mark.parametrize(
    ("counts", "reference"),
    [
        ([[5, 95]] * 30, {"x": 10**6, "rest": 10**7}),
        ([[5, 95]] * 30, {"x": 1_000, "rest": 10**4}),
        ([[5, 95], [6, 94]] * 15, {"x": 10**9, "rest": 10**10}),
    ],
)
def test_nearly_constant_words_and_their_complements(counts, reference):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = tb.keyness(counts, reference=reference, terms=["x", "rest"]).sort("term")
    p, (low, high, ratio) = table["p_value"].to_numpy(), (table[name] for name in ("ci_low", "ci_high", "log_ratio"))
    np.testing.assert_allclose(p[0], p[1], rtol=0.01)
    assert (p < 1e-3).all()
    assert ((low < ratio) & (ratio < high)).all()
    assert low[0] > 0 > high[1]
    assert np.isfinite([*low, *high]).all()


def test_complements_agree_with_documents_and_with_a_list():
    rng = np.random.default_rng(25)
    n = np.full(40, 200)
    x = np.stack([rng.binomial(n, rng.beta(4, 36, 40)), rng.binomial(n, rng.beta(3, 17, 40))])
    A, B = (np.column_stack([some, 200 - some]) for some in x)
    total = {"x": int(B[:, 0].sum()), "rest": int(B[:, 1].sum())}
    for reference in ({"B": B}, {"reference": total}):
        p = tb.keyness(A, terms=["x", "rest"], **reference)["p_value"]
        assert p[0] == pytest.approx(p[1], rel=1e-6)


def test_against_an_endless_list_p_is_that_of_one_sample():
    """Binomial words, and a list so long that it is known exactly: p is not below the exact binomial one."""
    rng = np.random.default_rng(26)
    counts = np.column_stack([rng.binomial(100, 0.05, 400), np.zeros(400, dtype=int)])
    counts[:, 1] = 100 - counts[:, 0]
    n_i = int(counts[:, 0].sum())
    table = tb.keyness(counts, reference={"x": 5_500_000, "rest": 94_500_000}, terms=["x", "rest"])
    z = binom.cdf(n_i, 40_000, 0.055)
    assert 2 * z <= table["p_value"][0] < max(0.05, 1e4 * z)


def test_lists_of_every_size():
    a = term_cells(np.array([[3, 0, 7], [0, 0, 9], [1, 0, 12], [0, 0, 5], [2, 0, 8], [0, 0, 4]]))
    sizes = (([0, 4, 0], 4, None), ([5, 0, 20], 25, 1), ([10**6, 3, 10**7], 2 * 10**7, 4_000), ([0, 1, 0], 10**9, None))
    for n_i, tokens, documents in sizes:
        found = list_keyness(a, WordList(np.array(n_i), tokens, documents))
        p = found.p_value[~np.isnan(found.p_value)]
        assert p.size
        assert ((p > 0) & (p <= 1)).all()


@pytest.mark.parametrize("tokens", [1, 2])
def test_a_list_of_one_or_two_tokens_shows_nothing(tokens):
    found = list_keyness(term_cells([[3, 0, 5], [1, 0, 9], [0, 0, 4]]), WordList(np.array([0, tokens, 0]), tokens))
    assert (found.p_value == 1).all()
    assert found.log_ratio[1] == -np.inf


def test_fewer_documents_are_less_evidence():
    a, b = halves(27, terms=100)
    many, few = (list_keyness(a, WordList(2 * b.n_i, b.tokens, d), confidence=None).p_value for d in (500, 20))
    assert np.median(few[b.n_i > 50]) > np.median(many[b.n_i > 50])


def test_precisions_are_recovered():
    rng = np.random.default_rng(28)
    mean, precision = np.exp(rng.uniform(-6, -4, 600)), np.exp(rng.normal(4.0, 0.5, 600))
    n_j = np.full(400, 150)
    counts = rng.binomial(n_j[:, None], rng.beta(mean * precision, (1 - mean) * precision, (400, 600)))
    found = Precisions(cells_of_columns(counts, n_j))
    np.testing.assert_allclose(found.centre + found.level, 4.0, atol=0.3)
    assert (np.abs(found.width - 0.5) < 0.3).all()
