"""The paper's formulas as printed, with SciPy only: an independent check of termburst's own functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import gammaln, xlogy

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def frequencies(counts: Any) -> tuple[Integers, Integers]:
    """n_i and b_i of the terms of a sparse count matrix.

    >>> from scipy.sparse import csr_matrix
    >>> frequencies(csr_matrix([[2, 1], [0, 3]]))
    (array([2, 4]), array([1, 2]))
    """
    return np.asarray(counts.sum(axis=0)).ravel(), np.asarray((counts > 0).sum(axis=0)).ravel()


def repeats(counts: Any) -> Integers:
    """r_i = n_i − b_i + 1."""
    n_i, b_i = frequencies(counts)
    return n_i - b_i + 1


def claim_1(n_ij: ArrayLike, n_j: ArrayLike, alpha: ArrayLike, alpha_not: ArrayLike) -> Floats:
    """The logarithm of Eq. bcb-approx-1, (n_j!/n_¬ij!) (α_i/n_ij)^b_ij α_¬i^n_¬ij / α_0i^n_j; arrays are broadcast.

    >>> float(claim_1(1, 2, 0.5, 1.5).round(6))  # 2 · 0.5 · 1.5 / 4
    -0.980829
    """
    n_ij, n_j = np.asarray(n_ij), np.asarray(n_j)
    alpha, alpha_not = np.asarray(alpha, dtype=np.float64), np.asarray(alpha_not, dtype=np.float64)
    b_ij, n_not = n_ij > 0, n_j - n_ij
    return np.asarray(
        gammaln(n_j + 1)
        - gammaln(n_not + 1)
        + xlogy(b_ij, alpha)
        - xlogy(b_ij, np.maximum(n_ij, 1))
        + n_not * np.log(alpha_not)
        - n_j * np.log(alpha + alpha_not)
    )


@dataclass(frozen=True, slots=True)
class LikelihoodRatio:
    """The two parts of λ_i = −2(ℓ_0 − ℓ_1), one entry per term.

    Attributes
    ----------
    unpenalised : −2(ℓ_0 − ℓ_1) without log f in ℓ_1.
    log_f : log f(α̂_0), which by the definition is added twice.
    """

    unpenalised: Floats
    log_f: Floats

    @property
    def definition(self) -> Floats:
        """λ_i."""
        return self.unpenalised + 2 * self.log_f


def likelihood_ratio(counts: Integers, mu: float, sigma2: float) -> LikelihoodRatio:
    """λ_i document by document: SciPy's binomial, Claim 1 at Claim 2's estimates, and SciPy's gamma density.

    >>> found = likelihood_ratio(np.array([[4, 21], [0, 25], [0, 23], [0, 24]]), 24.25, 1.0)
    >>> found.definition.round(3)[:1]
    array([4.906])
    """
    n_j, n = counts.sum(axis=1), counts.sum()
    penalty = stats.gamma(mu**2 / sigma2, scale=sigma2 / mu)
    unpenalised, log_f = [], []
    for n_ij in counts.T:
        n_i, b_i = n_ij.sum(), np.count_nonzero(n_ij)
        alpha_0 = sigma2 / mu * (b_i - n_i - 1 + mu**2 / sigma2)
        alpha, alpha_not = alpha_0 * b_i / (b_i + n - n_i), alpha_0 * (n - n_i) / (b_i + n - n_i)
        null = stats.binom.logpmf(n_ij, n_j, n_i / n).sum()
        unpenalised.append(-2 * (null - claim_1(n_ij, n_j, alpha, alpha_not).sum()))
        log_f.append(penalty.logpdf(alpha_0))
    return LikelihoodRatio(np.array(unpenalised), np.array(log_f))


def claim_3(n_ij: Integers, d: int, n: int, mu: float, sigma2: float) -> float:
    """Eq. lambda-tfidf for one term, without max(1, ·): it needs η² > r_i.

    >>> round(claim_3(np.array([4, 0, 0, 0]), 4, 97, 24.25, 1.0), 3)
    5.832
    """
    n_i, b_i = int(n_ij.sum()), int(np.count_nonzero(n_ij))
    r_i, eta2, rest = n_i - b_i + 1, mu**2 / sigma2, b_i + n - n_i
    tf_icf, btf_idf = n_i * np.log(n / n_i), b_i * np.log(d / b_i)
    value = 2 * (tf_icf - btf_idf + gammaln(n_ij[n_ij > 0]).sum())
    value += 2 * n * np.log(n / rest) + 2 * (n_i - b_i) * np.log(rest / (d * sigma2)) - (2 * b_i + 1) * np.log(mu)
    value += (eta2 - 2 * r_i + 1) * np.log(eta2 - r_i) + r_i - (eta2 - 1.5) * np.log(eta2) - np.log(2 * np.pi) / 2
    return float(value)


def beta_binomial_log_likelihood(n_ij: Any, n_j: Any, alpha: float, alpha_not: float) -> float:
    """SciPy's beta-binomial log-pmf summed over documents, without binomial coefficients.

    >>> round(beta_binomial_log_likelihood([1, 0], [2, 3], 1.0, 1.0), 6) == round(float(np.log(1 / 6 * 1 / 4)), 6)
    True
    """
    return float(stats.betabinom.logpmf(n_ij, n_j, alpha, alpha_not).sum()) - _coefficients(n_ij, n_j)


def binomial_log_likelihood(n_ij: Any, n_j: Any) -> float:
    """SciPy's binomial log-pmf at n_i/n summed over documents, without binomial coefficients.

    >>> round(binomial_log_likelihood([1, 0], [2, 2]), 6) == round(float(np.log(1 / 4) + 3 * np.log(3 / 4)), 6)
    True
    """
    share = np.sum(n_ij) / np.sum(n_j)
    return float(stats.binom.logpmf(n_ij, n_j, share).sum()) - _coefficients(n_ij, n_j)


def _coefficients(n_ij: Any, n_j: Any) -> float:
    n_ij, n_j = np.asarray(n_ij), np.asarray(n_j)
    return float((gammaln(n_j + 1) - gammaln(n_ij + 1) - gammaln(n_j - n_ij + 1)).sum())
