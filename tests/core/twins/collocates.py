"""The distribution of a sum of hypergeometric numbers in plain Python, as `tb_attraction` computes it."""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import hypergeom


def distribution(others, near, count):
    """P(X = 0), P(X = 1), … of one word, from its documents."""
    total = np.ones(1)
    for N, n, K in zip(others, near, count, strict=True):
        total = np.convolve(total, hypergeom.pmf(np.arange(K + 1), N, K, n))
    return total


def tails(total, x):
    """P(X ≥ x) and P(X > x)."""
    return total[x:].sum(), total[x + 1 :].sum()


def tilted_mean(total, theta):
    k = np.arange(total.size)
    with np.errstate(divide="ignore"):
        weight = np.log(total) + theta * k
    weight = np.exp(weight - weight.max())
    return (weight * k).sum() / weight.sum()


def theta_at(total, x):
    """θ at which the mean of X is x̃ = lowest + R (x − lowest + ½)/(R + 1)."""
    possible = np.flatnonzero(total > 0)
    low, spread = possible[0], possible[-1] - possible[0]
    target = low + (x - low + 0.5) / (spread + 1) * spread
    return brentq(lambda theta: tilted_mean(total, theta) - target, -40, 40)


def tilted_tail(total, x, theta, *, upper):
    """P(X ≥ x) or P(X ≤ x) under exp(θX), with half of P(X = x)."""
    k = np.arange(total.size)
    with np.errstate(divide="ignore"):
        weight = np.log(total) + theta * k
    weight = np.exp(weight - weight.max())
    weight /= weight.sum()
    return (weight[x + 1 :] if upper else weight[:x]).sum() + weight[x] / 2


def weighted_tail(total, x, theta, *, upper):
    """P(X > x) + w P(X = x), or P(X < x) + w P(X = x), under e^{θx}; w is between 1 and ½ by the mean of X there."""
    k = np.arange(total.size)
    with np.errstate(divide="ignore"):
        tilt = np.log(total) + theta * k
    density = np.exp(tilt - tilt.max())
    density /= density.sum()
    w = np.clip(1 - ((density * k).sum() - 1) / 8, 0.5, 1.0)
    return density[x + 1 :].sum() + w * density[x] if upper else density[:x].sum() + w * density[x]
