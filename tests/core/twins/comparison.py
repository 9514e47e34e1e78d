"""Twin of comparison.c: what is not known of the precisions is averaged over on a fine grid, with SciPy's functions."""

import numpy as np
from scipy.special import betainc, expit, gammaln, ndtr, ndtri_exp, xlogy
from twins.profiles import profile

POINTS = 90  # of each precision
DEGREES = 4.0


def log_prior(tau_a, tau_b, prior):
    shift, spread, level, weight_a = prior
    z = (tau_a - tau_b - shift) / spread
    above = weight_a * tau_a + (1 - weight_a) * tau_b - level
    return -0.5 * (DEGREES + 1) * np.log1p(z**2 / DEGREES) - np.logaddexp(0, above)


def correction(x, y, odds):
    """z of the mid-p of x of x + y at log odds of the share q, less the signed root of the likelihood ratio."""
    q, rest = expit(odds), expit(-odds)
    density = np.exp(gammaln(x + y + 1) - gammaln(x + 1) - gammaln(y + 1) + xlogy(x, q) + xlogy(y, rest))
    above = density / 2 + np.where(y > 0, betainc(x + 1, np.maximum(y, 1e-300), q), 0.0)
    below = density / 2 + np.where(x > 0, betainc(y + 1, np.maximum(x, 1e-300), rest), 0.0)
    mid = np.where(
        x > (x + y) * q, -ndtri_exp(np.log(np.maximum(above, 1e-300))), ndtri_exp(np.log(np.maximum(below, 1e-300)))
    )
    fall = xlogy(x, x / ((x + y) * q)) + xlogy(y, y / ((x + y) * rest))
    return mid - np.copysign(np.sqrt(np.maximum(2 * fall, 0)), x - (x + y) * q)


def deviance(x, n, p):
    return xlogy(x, x / (n * p)) + xlogy(n - x, (n - x) / (n * (1 - p)))


class Twin:
    """Two groups, each (counts, lengths); the grid has what each is worth, and its posterior."""

    def __init__(self, a, b, prior):
        taus = np.linspace(-8, 14, POINTS), np.linspace(-8, 14, POINTS)
        for _ in range(2):  # then where the posterior is
            sides = [profile(*side, tau) for side, tau in zip((a, b), taus, strict=True)]
            height = sides[0][0][:, None] + sides[1][0] + log_prior(taus[0][:, None], taus[1], prior)
            self.weight = np.exp(height - height.max())
            self.weight /= self.weight.sum()
            kept = [np.flatnonzero(self.weight.sum(axis=axis) > 1e-8) for axis in (1, 0)]
            taus = [
                np.linspace(tau[max(k[0] - 1, 0)], tau[min(k[-1] + 1, POINTS - 1)], POINTS)
                for tau, k in zip(taus, kept, strict=True)
            ]
        at = np.nonzero(self.weight > 1e-12)
        self.weight = self.weight[at]
        worth = [(np.exp(s[2]), np.exp(s[2]) * expit(s[1])) for s in sides]
        (self.n_a, self.x_a), (self.n_b, self.x_b) = ([y[k] for y in one] for one, k in zip(worth, at, strict=True))
        ends = [
            (1 / np.maximum(x * (1 - x / n), 0.5), s[3][k])
            for x, n, s, k in ((self.x_a, self.n_a, sides[0], at[0]), (self.x_b, self.n_b, sides[1], at[1]))
        ]
        (v_a, skew_a), (v_b, skew_b) = ends
        error = np.sqrt(v_a + v_b)
        self.bend = (skew_a * v_a**2 - skew_b * v_b**2) / error**3 / 6
        self.bias = (skew_a * v_a - skew_b * v_b) / (2 * error)

    def z(self, log_ratio):
        ratio, x = np.exp(log_ratio), self.x_a + self.x_b
        a, b = ratio * (self.n_a + self.n_b), ratio * (self.n_a + self.x_b) + self.n_b + self.x_a
        p_b = 2 * x / (b + np.sqrt(np.maximum(b**2 - 4 * a * x, 0)))
        p_a = ratio * p_b
        root = np.sqrt(np.maximum(2 * (deviance(self.x_a, self.n_a, p_a) + deviance(self.x_b, self.n_b, p_b)), 0))
        skew = 1 - 2 * (self.n_a * p_a + self.n_b * p_b) / (self.n_a + self.n_b)
        rare = correction(self.x_a, self.x_b, np.log(self.n_a * p_a / (self.n_b * p_b)))
        common = correction(
            self.n_a - self.x_a, self.n_b - self.x_b, np.log(self.n_a * (1 - p_a) / (self.n_b * (1 - p_b)))
        )
        root = np.copysign(root, self.x_a * self.n_b - ratio * self.x_b * self.n_a)
        root += skew * np.where(skew > 0, rare, -common)
        return root - self.bend * (np.minimum(root**2, 9) - 1) - self.bias

    def tails(self, log_ratio):
        """P(log ratio < x) and P(log ratio > x)."""
        z = self.z(log_ratio)
        return (self.weight * ndtr(-z)).sum(), (self.weight * ndtr(z)).sum()


def log_density(a, b, level, weight_a, density, step=0.25):
    """log ∫ L(r) p(r) dr of one term, for each row of p at r = step × (k − middle)."""
    tau = np.arange(-32, 1 + int((level + 5) / step)) * step
    heights = [profile(*side, tau)[0] for side in (a, b)]
    above = weight_a * tau[:, None] + (1 - weight_a) * tau - level
    joint = np.exp(heights[0][:, None] - heights[0].max() + heights[1] - heights[1].max()) / (1 + np.exp(above))
    middle = density.shape[1] // 2
    likelihood = np.array([np.trace(joint, -k) for k in range(-middle, middle + 1)])  # τ_a − τ_b = step × k
    return np.log(density @ likelihood / likelihood.sum())
