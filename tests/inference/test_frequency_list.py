"""Keyness against a list: never more certain than with the documents, and still able to find a difference."""

import numpy as np
import pytest

from helpers.simulated import cells_of_columns, lengths_like_r8
from termburst.inference.frequency_list import NAME, _relative_error, _sure_part, list_keyness
from termburst.inference.keyness import keyness
from termburst.inference.list_documents import Deal, WordList, dealt
from termburst.models.cells import term_cells


@pytest.fixture(scope="module")
def halves():
    """Two corpora of the same words, which do not differ but for one."""
    rng = np.random.default_rng(21)
    n_j = lengths_like_r8(rng, 1_000)
    mean, precision = np.exp(rng.uniform(-9, -6, 500)), np.exp(rng.normal(4.5, 0.8, 500))
    mean[20], precision[20] = 0.01, 100.0
    counts = rng.binomial(n_j[:, None], rng.beta(mean * precision, (1 - mean) * precision, (1_000, 500)))
    first = rng.permutation(1_000) < 500
    counts[~first, 20] = 0
    return cells_of_columns(counts[first], n_j[first]), cells_of_columns(counts[~first], n_j[~first])


@pytest.mark.slow
def test_p_is_not_below_that_with_documents(halves):
    a, b = halves
    known = keyness(a, b, confidence=None).p_value
    found = list_keyness(a, WordList(b.n_i, b.tokens), confidence=None).p_value
    tested = (a.n_i + b.n_i >= 2) & (np.arange(known.size) != 20)
    assert np.mean(found[tested] < known[tested]) <= 0.01
    assert np.mean(found[tested] < 0.05) <= 0.05
    assert found[20] < 1e-4


@pytest.mark.slow
def test_what_the_comparison_says(halves):
    a, b = halves
    listed = WordList(b.n_i, b.tokens)
    found, again = (list_keyness(a, listed, seed=3) for _ in range(2))
    np.testing.assert_array_equal(found.p_value, again.p_value)
    held = a.n_i + b.n_i > 0
    assert set(found.reference[held]) == {NAME}
    both = (a.n_i > 0) & (b.n_i > 0)
    expected = np.log2(a.n_i[both] / a.tokens) - np.log2(b.n_i[both] / b.tokens)
    np.testing.assert_allclose(found.log_ratio[both], expected)
    assert (found.ci_low[held] <= found.log_ratio[held]).all()
    assert (found.ci_high[held] >= found.log_ratio[held]).all()
    unsure = held & (found.p_value >= 0.05)
    assert ((found.ci_low <= 0) & (found.ci_high >= 0))[unsure].all()
    known = keyness(a, b)
    wide, narrow = (np.median((one.ci_high - one.ci_low)[both & (b.b_i > 20)]) for one in (found, known))
    assert wide > narrow


def test_the_urn_has_the_moments_of_a_dirichlet_multinomial():
    rng = np.random.default_rng(22)
    draws, n, theta, documents = 4_000, 12, 3.0, 5
    lengths = np.array([1.0, 1.0, 2.0, 3.0, 3.0])
    deal = Deal(np.cumsum(lengths), np.array([0.0]), np.array([10.0]), np.ones((draws, 1)))
    term, document = dealt(np.full(draws, n), np.full(draws, theta), deal, np.arange(draws), rng)
    counts = np.bincount(term * documents + document, minlength=draws * documents).reshape(draws, documents)
    share = lengths / 10
    variance = n * share * (1 - share) * (n + theta) / (1 + theta)
    assert (counts.sum(axis=1) == n).all()
    np.testing.assert_allclose(counts.mean(axis=0), n * share, atol=5 * np.sqrt(variance.max() / draws))
    np.testing.assert_allclose(counts.var(axis=0), variance, rtol=0.1)


@pytest.mark.slow
def test_lists_of_every_size():
    a = term_cells(np.array([[3, 0, 7], [0, 0, 9], [1, 0, 12], [0, 0, 5], [2, 0, 8], [0, 0, 4]]))
    sizes = (([0, 4, 0], 4, None), ([5, 0, 20], 25, 1), ([10**6, 3, 10**7], 2 * 10**7, 4_000), ([0, 1, 0], 10**9, None))
    for n_i, tokens, documents in sizes:
        found = list_keyness(a, WordList(np.array(n_i), tokens, documents), draws=2)
        p = found.p_value[~np.isnan(found.p_value)]
        assert p.size
        assert ((p > 0) & (p <= 1)).all()


def zipf_corpora(rng):
    mean = 1 / np.arange(1, 301) / np.sum(1 / np.arange(1, 301))
    other = mean * np.exp(rng.normal(0, 1, 300))
    other[:5] = 0.0
    pair = ((mean, 40), (other / other.sum(), 100))
    return (np.array([rng.multinomial(300, rng.dirichlet(500 * m + 1e-9)) for _ in range(n)]) for m, n in pair)


@pytest.mark.slow
def test_intervals_agree_with_p_on_a_corpus_of_few_documents():
    A, B = zipf_corpora(np.random.default_rng(5))
    B[:, :5] = 0
    found = list_keyness(term_cells(A), WordList(B.sum(axis=0), int(B.sum())))
    sure = found.p_value < 0.05
    assert sure.sum() > 10
    assert (sure & np.isinf(found.log_ratio)).any()
    across = (found.ci_low < 0) & (found.ci_high > 0)
    assert not (across & sure).any()
    outside = (found.ci_low > 0) | (found.ci_high < 0)
    assert not (outside & ~sure).any()
    assert ((found.ci_low <= found.log_ratio) & (found.log_ratio <= found.ci_high))[
        A.sum(axis=0) + B.sum(axis=0) > 0
    ].all()
    lacking = sure & np.isinf(found.log_ratio)
    assert ((found.ci_low >= 0) & np.isfinite(found.ci_low))[lacking & (found.log_ratio > 0)].all()


@pytest.mark.slow
@pytest.mark.parametrize("tokens", [1, 2])
def test_a_list_of_one_or_two_tokens(tokens):
    found = list_keyness(term_cells([[3, 0, 5], [1, 0, 9], [0, 0, 4]]), WordList(np.array([0, tokens, 0]), tokens))
    assert (found.p_value == 1).all()
    assert found.log_ratio[1] == -np.inf


def test_the_error_of_the_variance_is_that_of_all_documents():
    rng = np.random.default_rng(23)
    n_j = rng.integers(5, 60, 40)
    X = np.column_stack([rng.binomial(n_j, 0.1), np.where(np.arange(40) == 3, 4, 0), np.zeros(40, dtype=int)])
    residual = X - X.sum(axis=0) * n_j[:, None] / n_j.sum()
    squares = residual[:, :2] ** 2
    expected = squares.std(axis=0) * np.sqrt(40) / squares.sum(axis=0)
    np.testing.assert_allclose(_relative_error(cells_of_columns(X, n_j)), [*expected, 0.0])


def test_less_is_sure_about_a_word_that_a_has_less_often():
    counts = np.array([[2, 1], [0, 3], [1, 0]] * 10)
    a = cells_of_columns(counts, np.full(30, 20))
    more, less = (_sure_part(a, WordList(np.array([n, n]), 600)) for n in (20, 60))
    assert (less < more).all()
    assert (more < 1).all()
