"""Linear classifiers with class log-ratios: the arithmetic of `BurstClassifier`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from termburst.core.margin import margin, weight_rows
from termburst.threads import in_threads

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SWEEPS = 200  # of the search for a margin; a few suffice at this tolerance
LOOKED_UP = 2**20  # size of the table of logarithms, at most
SMALLEST = 1e-3  # variance of a term without a difference between classes, relative to the mean variance


@dataclass(frozen=True, slots=True)
class Margins:
    """One linear score per class: weights @ coefficients.T + intercept.

    Attributes
    ----------
    coefficients : array, classes × terms
    intercept : array, one number per class
    converged : bool
        Whether every class converged to the tolerance.
    """

    coefficients: Floats
    intercept: Floats
    converged: bool

    def scores(self, weights: Any) -> Floats:
        """The scores of documents in every class, documents × classes."""
        return np.asarray(weights @ self.coefficients.T) + self.intercept


def class_sums(weights: Any, label: Integers, classes: int, *, once: bool = False) -> Floats:
    """The sum of the weights of every class and term, classes × terms; with *once*, the number of documents.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> class_sums(sp.csr_array([[1.0, 2.0], [0.0, 4.0]]), np.array([0, 0]), 2)
    array([[1., 6.],
           [0., 0.]])
    """
    terms = weights.shape[1]
    cell = np.repeat(label * terms, np.diff(weights.indptr)) + weights.indices
    sums = np.bincount(cell, weights=None if once else weights.data, minlength=classes * terms)
    return sums.astype(np.float64, copy=False).reshape(classes, terms)


def class_log_ratios(evidence: Floats, alpha: float = 1.0) -> Floats:
    """log [(e_ci + a)/Σ_i (e_ci + a)] − log [(e_¬ci + a)/Σ_i (e_¬ci + a)], ¬c all classes but c; classes × terms.

    Examples
    --------
    >>> class_log_ratios(np.array([[3.0, 1.0], [1.0, 3.0]])).round(4).tolist()
    [[0.6931, -0.6931], [-0.6931, 0.6931]]
    """
    others = evidence.sum(axis=0) - evidence
    sizes = [part.sum(axis=1, keepdims=True) + alpha * part.shape[1] for part in (evidence, others)]
    return np.asarray(_logs(evidence, alpha) - _logs(others, alpha) + np.log(sizes[1]) - np.log(sizes[0]))


def _logs(evidence: Floats, alpha: float) -> Floats:
    """log(e + alpha); whole numbers, as documents are, are looked up in a table, which is faster."""
    whole = evidence.astype(np.int64)
    if whole.size and (whole == evidence).all() and whole.max() < LOOKED_UP:
        return np.asarray(np.log(np.arange(whole.max() + 1) + alpha)[whole])
    return np.asarray(np.log(evidence + alpha))


def log_means(evidence: Floats, alpha: float, background: float) -> Floats:
    """log m_ci minus its mean over classes; m_c = (1 − w) p_c + w p, p_ci ∝ e_ci + a: naive Bayes as linear scores.

    Examples
    --------
    >>> log_means(np.array([[3.0, 1.0], [1.0, 3.0]]), 1.0, 0.0).round(4).tolist()
    [[0.3466, -0.3466], [-0.3466, 0.3466]]
    """
    own, everywhere = evidence + alpha, evidence.sum(axis=0) + alpha
    means = (1 - background) * own / own.sum(axis=1, keepdims=True) + background * everywhere / everywhere.sum()
    logs = np.log(means)
    return np.asarray(logs - logs.mean(axis=0))


def fit_margins(
    weights: Any, label: Integers, ratios: Floats, cost: float, *, tolerance: float = 0.05, seed: int = 0
) -> Margins:
    """One class against the others, for each class: squared hinge loss, prior variance of a term ∝ |log-ratio|.

    For class c it minimises ½ Σ_i v_i²/s_i + ½ b² + C Σ_j max(0, 1 − y_j (v·x_j + b))². s_ci ∝ |r_ci|, scaled so that
    its mean over the squared weights of all cells is 1: C then means the same as with s = 1, which is LinearSVC. With
    √s in place of s, a feature scaled by the log-ratio, this is the NB-SVM of Wang and Manning (2012). Two classes
    need only one fit.

    Parameters
    ----------
    weights : CSR, documents × terms
    label : array of class numbers, one per document
    ratios : array, classes × terms
        r_ci of `class_log_ratios`.
    cost : float
        C.
    tolerance : float
        Largest violation of the optimality conditions, in units of the margin.
    """
    classes = ratios.shape[0]
    rows = weight_rows(weights)
    energy = np.bincount(weights.indices, weights=weights.data**2, minlength=weights.shape[1])
    coefficients, intercept = np.empty(ratios.shape), np.empty(classes)
    converged = np.ones(classes, dtype=bool)
    costs = np.full(label.size, 2.0 * cost)

    def one(c: int) -> None:
        variance = np.abs(ratios[c])
        mean = float(energy @ variance) / max(float(energy.sum()), 1e-300)
        variance = np.maximum(variance / mean, SMALLEST) if mean > 0 else np.ones(variance.size)
        side = np.where(label == c, 1.0, -1.0)
        v, b, _, _, violation = margin(rows, variance, side, costs, tolerance=tolerance, sweeps=SWEEPS, seed=seed)
        coefficients[c], intercept[c], converged[c] = v, b, violation <= tolerance

    in_threads(one, range(1, 2) if classes == 2 else range(classes))
    if classes == 2:
        coefficients[0], intercept[0] = -coefficients[1], -intercept[1]
    return Margins(coefficients, intercept, bool(converged.all()))


def fit_mix(scores: list[Floats], label: Integers) -> tuple[Floats, float]:
    """Non-negative factors f that maximise Σ_j log softmax(Σ_k f_k S_k)_{j, label}, and the mean of that logarithm.

    The scores must be those of documents that were not fitted; then the probabilities softmax(Σ_k f_k S_k) are
    calibrated, as with temperature scaling, and the factors say how much each kind of score is worth.

    Examples
    --------
    >>> good = np.array([[2, -2], [-2, 2], [-2, 2], [2, -2]] * 10)
    >>> useless = np.array([[2, -2], [2, -2], [-2, 2], [-2, 2]] * 10)
    >>> factors, _ = fit_mix([good, useless], np.array([0, 1, 1, 0] * 10))
    >>> bool(factors[0] > 5 * factors[1])
    True
    """
    sizes = [max(float(s.std()), 1e-12) for s in scores]
    stacked = np.stack([s / size for s, size in zip(scores, sizes, strict=True)])
    at = np.arange(label.size)

    def loss(factors: Floats) -> tuple[float, Floats]:
        joint = np.tensordot(factors, stacked, axes=1)
        log_p = joint - logsumexp(joint, axis=1, keepdims=True)
        error = np.exp(log_p)
        error[at, label] -= 1
        slope = np.tensordot(stacked, error, axes=([1, 2], [0, 1])) / label.size
        # A weak pull towards 1 keeps factors finite if classes are separated without an error.
        value = -float(log_p[at, label].mean()) + float(((factors - 1) ** 2).sum()) / label.size
        return value, slope + 2 * (factors - 1) / label.size

    found = minimize(loss, np.ones(len(scores)), jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(scores))
    return np.asarray(found.x) / np.array(sizes), -float(found.fun)
