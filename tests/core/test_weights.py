"""Weights of cells equal the formulas in NumPy and SciPy, mpmath, and the other library to the last bit."""

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from scipy import special, stats

from helpers.simulated import block_of
from termburst.core import binding, weights
from termburst.core.matrix import count_block

INF = np.inf
mpmath.mp.dps = 40


def one_cell_rows(k, n):
    """Row r has term r k_r times, and other tokens (the last column) up to n_r; and the places of the k_r."""
    k, n = np.asarray(k, dtype=np.int64), np.asarray(n, dtype=np.int64)
    cells, starts, places = [], [0], []
    for r, (own, length) in enumerate(zip(k, n, strict=True)):
        places.append(len(cells))
        cells.append((r, own))
        if length > own:
            cells.append((k.size, length - own))
        starts.append(len(cells))
    term, count = (np.array(column) for column in zip(*cells, strict=True))
    return count_block(np.array(starts), term.astype(np.int32), count, k.size + 1), np.array(places)


def filled(kernel, block, **terms):
    weight = np.full(block.cells, -7.0)
    kernel(block, weight, **terms)
    return weight


def with_others(values, last=1.0):
    return np.append(np.asarray(values, dtype=np.float64), last)


def relative(found, expected, floor=0.0):
    expected = np.asarray(expected, dtype=np.float64)
    return (np.abs(found - expected) / np.maximum(np.abs(expected), max(floor, 1e-300))).max()


# ---- against mpmath


@pytest.mark.parametrize("share", [0.0, 0.75])
def test_discounted_counts_to_the_last_digits(share):
    grid = [
        (a, k, n)
        for a in (1e-6, 0.01, 0.3, 1.0, 2.0, 2.5, 7.0, 60.0, 1e3, 1e6, 9.9e7, 1.1e8, 1e12, 1e18, 1e300, INF)
        for k, n in (
            (1, 1),
            (1, 30),
            (1, 10**6),
            (2, 5),
            (5, 9000),
            (17, 20),
            (300, 300),
            (10**6, 10**7),
            (10**12, 10**12),
        )
    ]
    a, k, n = (np.array(column) for column in zip(*grid, strict=True))
    block, places = one_cell_rows(k, n)
    pairs = np.column_stack([with_others(a), np.full(a.size + 1, 1.5)])
    found = filled(weights.discounted_weights, block, pairs=pairs, share=share, mean=50.0)[places]

    def exact(a, k, n):
        x = mpmath.mpf(k) / (1 - share + share * mpmath.mpf(n) / 50)
        if np.isinf(a):
            return 1.5 * x
        with mpmath.workdps(40 + int(np.log10(a + 1))):
            return 1.5 * mpmath.mpf(a) * (mpmath.digamma(mpmath.mpf(a) + x) - mpmath.digamma(a))

    assert relative(found, [float(exact(*map(float, case))) for case in grid]) < 2e-15 * 4


def test_sums_of_squares_of_discounted_counts():
    starts, a = np.array([0, 2, 2, 5]), np.array([0.5, 1.0, INF])
    count, documents = np.array([1, 4, 1, 1, 3]), np.array([7, 2, 1, 1, 5])
    four = 0.5 * sum(1 / (0.5 + q) for q in range(4))
    found = weights.discounted_squares(starts, count, documents, a)
    np.testing.assert_allclose(found, [7 + 2 * four**2, 0, 2 + 5 * 9], rtol=1e-14)


def fitted_cells():
    rng = np.random.default_rng(3)
    n = np.concatenate([rng.integers(1, 60, 150), rng.integers(60, 20_000, 150), [10**6, 10**7, 5, 5, 300, 300]])
    k = np.minimum(rng.geometric(0.4, n.size) * np.where(rng.random(n.size) < 0.1, 40, 1), n)
    k[-6:] = [100, 12_000, 5, 1, 300, 150]
    mean = np.exp(rng.uniform(-11, -0.2, n.size))
    alpha_0 = np.exp(rng.uniform(-14, 16, n.size))
    mean[-6:], alpha_0[-6:] = [1e-4, 1.2e-3, 0.5, 0.5, 0.9, 0.5], [50.0, 1e6, 1e-6, 1e-6, 3.0, 1e4]
    return k, n, mean, alpha_0


def tail(k, n_i, n_j, n):
    """−log P(N ≥ k), summed with 40 digits from the nearer side."""
    low, high = max(0, n_i + n_j - n), min(n_i, n_j)
    ways = mpmath.binomial(n_i, k) * mpmath.binomial(n - n_i, n_j - k)
    if k > n_i * n_j / n:
        total, term = mpmath.mpf(0), ways
        for x in range(k, high + 1):
            total += term
            term = term * (n_i - x) * (n_j - x) / (mpmath.mpf(x + 1) * (n - n_i - n_j + x + 1))
            if term < total * mpmath.mpf(10) ** -30:
                break
        return -float(mpmath.log(total / mpmath.binomial(n, n_j)))
    below = mpmath.fsum(mpmath.binomial(n_i, x) * mpmath.binomial(n - n_i, n_j - x) for x in range(low, k))
    return -float(mpmath.log1p(-below / mpmath.binomial(n, n_j)))


@pytest.mark.parametrize("n", [400, 2_000_000, 10**9])
def test_the_tail_of_the_hypergeometric_distribution(n):
    rng = np.random.default_rng(n)
    size = 120
    n_j = rng.integers(1, min(n // 2, 5000), size)
    n_i = np.minimum(rng.geometric(0.002, size) * np.where(rng.random(size) < 0.2, n // 3000 + 1, 1), n - 2 * n_j.max())
    n_i = np.maximum(n_i, 1)
    k = np.minimum(np.minimum(rng.geometric(0.3, size) * np.where(rng.random(size) < 0.2, 20, 1), n_j), n_i)
    block, places = one_cell_rows(k, n_j)
    found = filled(weights.tail_weights, block, n_i=with_others(n_i, 0.0), tokens=float(n))[places]
    cases = zip(k.tolist(), n_i.tolist(), n_j.tolist(), strict=True)
    assert relative(found, [tail(*case, n) for case in cases]) < 2e-13


def test_a_weight_near_0_keeps_its_digits():
    """P(N < 1) ≤ 1e-13: computed from P(N ≥ 1), it would be lost in rounding."""
    block, places = one_cell_rows([1, 2], [3000, 3000])
    found = filled(weights.tail_weights, block, n_i=np.array([2e4, 2e4, 0.0]), tokens=2e6)[places]
    assert relative(found, [tail(1, 20_000, 3000, 2_000_000), tail(2, 20_000, 3000, 2_000_000)]) < 1e-13


def test_documents_with_more_than_the_whole_collection():
    block, places = one_cell_rows([9, 5, 3], [9, 30, 3])
    found = filled(weights.tail_weights, block, n_i=np.array([2.0, 5.0, 3.0, 0.0]), tokens=20.0)[places]
    # n_i becomes 9 of 20; all 5 of now 30 tokens; 3 of 20
    expected = [-stats.hypergeom.logsf(8, 20, 9, 9), 0.0, -stats.hypergeom.logsf(2, 20, 3, 3)]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_residuals():
    k, n, mean, alpha_0 = fitted_cells()
    alpha_0[::7], mean[0] = INF, np.nan
    alpha = mean * alpha_0
    block, places = one_cell_rows(k, n)
    fit = {"alpha": with_others(alpha), "alpha_0": with_others(alpha_0), "mean": with_others(mean)}
    with np.errstate(invalid="ignore"):
        spread = np.where(np.isinf(alpha_0), 1.0, (alpha_0 + n) / (alpha_0 + 1))

    pearson = (k - n * mean) / np.sqrt(n * mean * (1 - mean) * spread)
    found = filled(weights.pearson_weights, block, **fit)[places]
    np.testing.assert_allclose(found, np.where(np.isfinite(pearson), pearson, 0), rtol=1e-12)

    def deviance(k, n, p, spread):
        k, n, p = mpmath.mpf(int(k)), mpmath.mpf(int(n)), mpmath.mpf(float(p))
        rest = (n - k) * mpmath.log((n - k) / (n * (1 - p))) if n > k else 0
        size = mpmath.sqrt(2 * (k * mpmath.log(k / (n * p)) + rest) / float(spread))
        return float(size if k > n * p else -size)

    found = filled(weights.deviance_weights, block, **fit)[places]
    assert found[0] == 0
    cases = list(zip(k, n, mean, spread, strict=True))[1:]
    assert relative(found[1:], [deviance(*case) for case in cases], floor=0.1) < 1e-12


def test_a_deviance_near_0_keeps_its_digits():
    """n_j p is 1 + 1e-7: the logarithms are 1e-7, and cancel to 1e-14."""
    n, p = 10_000, 1e-4 * (1 + 1e-7)
    block, places = one_cell_rows([1], [n])
    fit = {"alpha": np.full(2, INF), "alpha_0": np.full(2, INF), "mean": np.array([p, 0.5])}
    exact = 2 * (mpmath.log(1 / (n * mpmath.mpf(p))) + (n - 1) * mpmath.log((n - 1) / (n * (1 - mpmath.mpf(p)))))
    found = filled(weights.deviance_weights, block, **fit)[places]
    assert relative(found, [-float(mpmath.sqrt(exact))]) < 1e-8  # n_j p − n_ij itself is not more precise
    naive = 2 * (special.rel_entr(1, n * p) + special.rel_entr(n - 1, n * (1 - p)))
    assert abs(np.sqrt(max(naive, 0)) / float(mpmath.sqrt(exact)) - 1) > 1e-5


# ---- against the formulas in NumPy


@pytest.fixture(scope="module")
def text():
    """Counts like those of text, with some empty rows."""
    rng = np.random.default_rng(11)
    rate = rng.gamma(0.3, 1.0, size=(200, 90)) * (rng.random((200, 1)) > 0.05)
    X = sp.csr_matrix(rng.poisson(rate))
    X.data[5] = 70_000
    return X


def lengths_of_cells(X):
    return np.repeat(np.asarray(X.sum(axis=1)).ravel(), np.diff(X.indptr))


def parameters(m):
    rng = np.random.default_rng(12)
    mean = rng.dirichlet(np.ones(m))
    alpha_0 = np.where(rng.random(m) < 0.1, INF, np.exp(rng.uniform(-2, 9, m)))
    with np.errstate(invalid="ignore"):
        return {"alpha": mean * alpha_0, "alpha_0": alpha_0, "mean": mean}


def test_shares(text):
    rng = np.random.default_rng(1)
    per_length, once, per_count = rng.normal(size=(3, text.shape[1]))
    i, n, n_j = text.indices, text.data, lengths_of_cells(text)
    expected = per_count[i] * (n - 1) + once[i] + per_length[i] * n_j / 1000 + special.gammaln(n)
    packed = np.column_stack([per_length / 1000, once, per_count, np.full_like(once, np.nan)])
    terms = {"packed": packed, "log_factorial": special.gammaln(np.arange(256.0))}
    shares = filled(weights.share_weights, block_of(text), **terms, sigmoid=False)
    np.testing.assert_allclose(shares, expected, rtol=1e-12, atol=1e-12)
    sigmoid = filled(weights.share_weights, block_of(text), **terms, sigmoid=True)
    np.testing.assert_allclose(sigmoid, special.expit(shares), rtol=4e-16, atol=0)


def test_saturated_and_sublinear_counts(text):
    rarity = np.random.default_rng(2).random(text.shape[1])
    i, n, n_j = text.indices, text.data, lengths_of_cells(text)
    found = filled(weights.saturated_weights, block_of(text), rarity=rarity, share=0.75, mean=40.0, saturation=1.2)
    np.testing.assert_allclose(found, n * 2.2 / (n + 1.2 * (0.25 + 0.75 * n_j / 40)) * rarity[i], rtol=1e-14)
    found = filled(weights.sublinear_weights, block_of(text), rarity=rarity)
    np.testing.assert_allclose(found, (1 + np.log(n)) * rarity[i], rtol=1e-14)


def test_discounted_counts_are_differences_of_digamma(text):
    a, i, x = parameters(text.shape[1])["alpha"], text.indices, text.data / (0.25 + 0.75 * lengths_of_cells(text) / 40)
    finite = np.where(np.isinf(a), 1.0, a)[i]
    digamma = finite * (special.digamma(x + finite) - special.digamma(finite))
    pairs = np.column_stack([a, np.ones_like(a)])
    found = filled(weights.discounted_weights, block_of(text), pairs=pairs, share=0.75, mean=40.0)
    np.testing.assert_allclose(
        found, np.where(np.isinf(a)[i], x, digamma), rtol=1e-12, atol=1e-12
    )  # the difference cancels


# ---- every kernel, in both libraries, and with damaged arrays


def all_kernels(m):
    fit = parameters(m)
    ones = np.ones(m)
    pairs = np.column_stack([fit["alpha"] + 0.5, np.sqrt(fit["mean"])])
    quads = np.column_stack([pairs, pairs])
    return [
        (weights.share_weights, {"packed": quads, "log_factorial": np.ones(256), "sigmoid": True}),
        (weights.discounted_weights, {"pairs": pairs, "share": 0.75, "mean": 40.0}),
        (weights.saturated_weights, {"rarity": ones, "share": 0.75, "mean": 40.0, "saturation": 1.2}),
        (weights.sublinear_weights, {"rarity": ones}),
        (weights.pearson_weights, fit),
        (weights.deviance_weights, fit),
        (weights.tail_weights, {"n_i": np.floor(1 + 3000 * fit["mean"]), "tokens": 90_000.0}),
    ]


def test_both_libraries_give_the_same_bits(text, monkeypatch):
    if not binding.found("avx2") or not binding.load("baseline").tb_has_avx2():
        pytest.skip("this machine cannot run one of the libraries")
    found = []
    for name in binding.LIBRARIES:
        library = binding.load(name)
        monkeypatch.setattr(binding, "library", lambda library=library: library)
        one = [filled(kernel, block_of(text), **terms) for kernel, terms in all_kernels(text.shape[1])]
        starts, a = text.T.tocsr().indptr.astype(np.int64), parameters(text.shape[1])["alpha"]
        count = np.sort(text.data).astype(np.int64)
        found.append([*one, weights.discounted_squares(starts, count, count, a)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one.view(np.int64), other.view(np.int64))


@pytest.mark.parametrize(
    ("part", "at", "value", "said"),
    [
        ("starts", 3, -1, "index"),
        ("starts", 3, 2**40, "index"),
        ("starts", 3, 0, "index"),
        ("term", 20, 90, "index"),
        ("term", 20, -1, "index"),
        ("count", 20, 0, "count"),
        ("count", 20, -5, "count"),
        ("count", slice(0, 30), 2**62, "count"),
    ],
)
def test_damaged_arrays_are_errors_in_every_kernel(text, part, at, value, said):
    arrays = {"starts": text.indptr.astype(np.int64), "term": text.indices.astype(np.int32), "count": text.data.copy()}
    arrays[part] = arrays[part].astype(arrays[part].dtype if part == "term" else np.int64)
    arrays[part][at] = value
    block = count_block(**arrays, terms=text.shape[1])
    for kernel, terms in all_kernels(text.shape[1]):
        with pytest.raises(ValueError, match=said):
            filled(kernel, block, **terms)


def test_arrays_of_other_sizes_are_errors(text):
    block = block_of(text)
    for kernel, terms in all_kernels(text.shape[1] - 1):
        with pytest.raises(ValueError, match="per term"):
            filled(kernel, block, **terms)
    for kernel, terms in all_kernels(text.shape[1]):
        with pytest.raises(ValueError, match="per cell"):
            kernel(block, np.empty(block.cells - 1), **terms)
    with pytest.raises(ValueError, match="one start"):
        weights.discounted_squares(np.array([0, 1]), np.array([1]), np.array([1]), np.ones(2))
    with pytest.raises(ValueError, match="out of range"):
        weights.discounted_squares(np.array([0, 2]), np.array([1]), np.array([1]), np.ones(1))


@pytest.mark.parametrize("value", [np.nan, INF, -INF, 0.0, -1.0, 1e308])
def test_no_value_makes_a_kernel_hang(text, value):
    for kernel, terms in all_kernels(text.shape[1]):
        bad = {name: np.full_like(old, value) if isinstance(old, np.ndarray) else old for name, old in terms.items()}
        filled(kernel, block_of(text), **bad)
