"""Profile likelihoods of the beta-binomial by brute force, with SciPy."""

import numpy as np
from scipy import optimize, special


def bursty_terms(seed, documents=40):
    """Counts of five terms from bursty to even and from rare to frequent, and of all other tokens."""
    rng = np.random.default_rng(seed)
    shape, mean = np.array([0.15, 0.4, 0.3, 3.0, 60.0]), np.array([0.5, 1.0, 6.0, 3.0, 2.0])
    counts = rng.poisson(rng.gamma(shape, mean / shape, (documents, 5)))
    return np.column_stack([counts, rng.integers(60, 400, documents)])


def log_likelihood(count, length, tau, omega):
    alpha_0, p = np.exp(tau), special.expit(omega)
    alpha, rest = alpha_0 * p, alpha_0 * special.expit(-omega)
    return float((special.betaln(count + alpha, length - count + rest) - special.betaln(alpha, rest)).sum())


def best(function, low=-8.0, high=18.0):
    """The maximum of a function of one number, from a grid."""
    grid = np.linspace(low, high, 120)
    at = int(np.argmax([function(x) for x in grid]))
    bounds = grid[max(at - 1, 0)], grid[min(at + 1, grid.size - 1)]
    found = optimize.minimize_scalar(lambda x: -function(x), bounds=bounds, method="bounded", options={"xatol": 1e-8})
    return -found.fun


def profile_of_ratio(count, length, ratio):
    level = np.log(ratio - 1)
    return best(lambda tau: log_likelihood(count, length, tau, -level - np.logaddexp(0.0, tau)))
