"""Twin of margin.c: the same problem, solved by SciPy in the primal."""

import numpy as np
from scipy.optimize import minimize


def margin(X, variance, side, cost):
    """The v and b that minimise ½ Σ v²/s + ½ b² + ½ Σ c max(0, 1 − y (v·x + b))²."""

    def loss(z):
        v, b = z[:-1], z[-1]
        slack = np.maximum(0, 1 - side * (X @ v + b))
        pull = -cost * slack * side
        value = 0.5 * (v**2 / variance).sum() + 0.5 * b * b + 0.5 * (cost * slack**2).sum()
        return value, np.append(v / variance + X.T @ pull, b + pull.sum())

    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-10}
    found = minimize(loss, np.zeros(X.shape[1] + 1), jac=True, method="L-BFGS-B", options=options)
    return found.x[:-1], found.x[-1]
