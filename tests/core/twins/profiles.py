"""Twin of profiles.c: the exact beta-binomial likelihood of all documents, maximised over the mean by SciPy."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import betaln, expit, polygamma, psi


def log_likelihood(count, length, tau, omega):
    a, b = np.exp(tau) * expit(omega), np.exp(tau) * expit(-omega)
    return (betaln(count + a, length - count + b) - betaln(a, b)).sum()


def information(count, length, tau, omega):
    """−d²ℓ/dω², where dα/dω = α_0 π(1 − π)."""
    a, b = np.exp(tau) * expit(omega), np.exp(tau) * expit(-omega)
    turn, bend = a * expit(-omega), a * expit(-omega) * (expit(-omega) - expit(omega))
    slope = psi(count + a) - psi(a) - psi(length - count + b) + psi(b)
    curvature = polygamma(1, count + a) - polygamma(1, a) + polygamma(1, length - count + b) - polygamma(1, b)
    return -(curvature * turn**2 + slope * bend).sum()


def skewness(count, length, tau, omega):
    """−ℓ'''/−ℓ'' in ω, less that of independent tokens, from −1 to 1; 0 from 400 occurrences' worth on."""
    worth, e = information(count, length, tau, omega), 1e-4
    if worth >= 400:
        return 0.0
    third = (information(count, length, tau, omega + e) - information(count, length, tau, omega - e)) / (2 * e)
    return np.clip(third / worth - (expit(-omega) - expit(omega)), -1, 1)


def profile_point(count, length, tau):
    """Height, logit π̂, log N and skewness at τ; of documents all of one kind as in profiles.h."""
    if not 0 < count.sum() < length.sum():
        alpha_0 = np.exp(tau)
        worth = (alpha_0 * (psi(length + alpha_0) - psi(alpha_0))).sum()  # Σ_j Σ_k<n_j α_0/(α_0 + k)
        return 0.0, np.inf if count.sum() else -np.inf, np.log(worth), 0.0
    found = minimize_scalar(
        lambda omega: -log_likelihood(count, length, tau, omega), bounds=(-20, 15), method="bounded",
        options={"xatol": 1e-7},
    )  # fmt: skip
    worth = information(count, length, tau, found.x)
    height, log_size = -found.fun - 0.5 * np.log(worth), np.log(worth / (expit(found.x) * expit(-found.x)))
    return height, found.x, log_size, skewness(count, length, tau, found.x)


def profile(count, length, taus):
    """Heights, logits, log N and skewness: 4 × the number of *taus*."""
    return np.array([profile_point(count, length, tau) for tau in taus]).T
