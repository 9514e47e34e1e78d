"""The log-likelihood of core/regression.c in plain Python, document by document, maximised by SciPy."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import betaln, expit


def log_likelihood(x, rows, counts, lengths, kappa, lean=0.0):
    """*x* has the coefficients and τ; *rows* has one row per document. *lean* is added to log α_0."""
    omega = rows @ x[:-1]
    share = counts.sum() / lengths.sum()
    v = -np.logaddexp(0, omega) - np.logaddexp(0, -omega)
    alpha_0 = np.exp(np.clip(x[-1] + lean - kappa * (v - np.log(share) - np.log1p(-share)), -12, 16))
    alpha, rest = alpha_0 * expit(omega), alpha_0 * expit(-omega)
    return float(np.sum(betaln(counts + alpha, lengths - counts + rest) - betaln(alpha, rest)))


def maximum(rows, counts, lengths, kappa, held=None, starts=(1.0, 3.0, 6.0), leans=None):
    """The largest log-likelihood of several starts of τ; the first coefficient may be *held* at a value.

    With *leans* z, δ, s, log α_0 also has (δ + γ) z, where γ is fitted with the prior N(0, s²).
    """
    share = counts.sum() / lengths.sum()
    level = np.linalg.lstsq(rows, np.full(len(rows), np.log(share / (1 - share))), rcond=None)[0]

    def negative(free):
        lean, prior = 0.0, 0.0
        if leans is not None:
            z, shift, spread = leans
            lean, prior, free = (shift + free[-1]) * z, free[-1] ** 2 / (2 * spread**2), free[:-1]
        x = free if held is None else np.concatenate([[held], free])
        return prior - log_likelihood(x, rows, counts, lengths, kappa, lean)

    best = np.inf
    for tau in starts:
        start = np.append(level, tau)[0 if held is None else 1 :]
        start = start if leans is None else np.append(start, 0.0)
        found = minimize(negative, start, method="BFGS")
        found = minimize(negative, found.x, method="Nelder-Mead", options={"fatol": 1e-10, "xatol": 1e-8})
        best = min(best, found.fun)
    return -best
