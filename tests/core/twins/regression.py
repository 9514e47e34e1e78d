"""The log-likelihood of core/regression.c in plain Python, document by document, maximised by SciPy."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import betaln, expit


def log_likelihood(x, rows, counts, lengths, kappa):
    """*x* has the coefficients and τ; *rows* has one row per document."""
    omega = rows @ x[:-1]
    share = counts.sum() / lengths.sum()
    v = -np.logaddexp(0, omega) - np.logaddexp(0, -omega)
    alpha_0 = np.exp(np.clip(x[-1] - kappa * (v - np.log(share) - np.log1p(-share)), -12, 16))
    alpha, rest = alpha_0 * expit(omega), alpha_0 * expit(-omega)
    return float(np.sum(betaln(counts + alpha, lengths - counts + rest) - betaln(alpha, rest)))


def maximum(rows, counts, lengths, kappa, held=None, starts=(1.0, 3.0, 6.0)):
    """The largest log-likelihood of several starts of τ; the first coefficient may be *held* at a value."""
    share = counts.sum() / lengths.sum()
    level = np.linalg.lstsq(rows, np.full(len(rows), np.log(share / (1 - share))), rcond=None)[0]

    def negative(free):
        x = free if held is None else np.concatenate([[held], free])
        return -log_likelihood(x, rows, counts, lengths, kappa)

    best = np.inf
    for tau in starts:
        start = np.append(level, tau)[0 if held is None else 1 :]
        found = minimize(negative, start, method="BFGS")
        found = minimize(negative, found.x, method="Nelder-Mead", options={"fatol": 1e-10, "xatol": 1e-8})
        best = min(best, found.fun)
    return -best
