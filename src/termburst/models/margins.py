"""Linear classifiers with class log-ratios: the arithmetic of `BurstClassifier`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core.margin import margin, weight_rows
from termburst.threads import in_threads

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SWEEPS = 200  # of the search for a margin; a few suffice at this tolerance
NEWTON_STEPS = 50  # of the search for two factors; five to ten suffice
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
        return linear_scores(weights, self.coefficients) + self.intercept


def frequent_first(weights: Any) -> Integers:
    """The columns that are not empty, those with most cells first.

    In this order, the coefficients that are used most lie side by side, and stay in the fast memory of the processor.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> frequent_first(sp.csr_array([[1, 0, 2, 0], [0, 0, 4, 0]])).tolist()
    [2, 0]
    """
    cells = np.bincount(weights.indices, minlength=weights.shape[1])
    order = np.argsort(-cells, kind="stable")
    return order[: int(np.count_nonzero(cells))]


def linear_scores(weights: Any, coefficients: Floats) -> Floats:
    """weights @ coefficients.T, class by class, since SciPy would first copy the coefficients in another order.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> linear_scores(sp.csr_array([[1.0, 2.0], [0.0, 4.0]]), np.array([[1.0, 1.0]]))
    array([[3.],
           [4.]])
    """
    return np.column_stack([weights @ row for row in coefficients])


def class_sums(weights: Any, label: Integers, classes: int, *, once: bool = False) -> NDArray[Any]:
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
    return sums.reshape(classes, terms)


class ClassLogRatios:
    """log [(e_ci + a)/Σ_i (e_ci + a)] − log [(e_¬ci + a)/Σ_i (e_¬ci + a)], ¬c all classes but c.

    One row per class, computed when it is asked for: with many classes, arrays of classes × terms take longer to fill
    than the rows take to compute. e_ci is the number of documents, so that logarithms can be looked up.

    Examples
    --------
    >>> ratios = ClassLogRatios(np.array([[3, 1], [1, 3]]))
    >>> [ratios[c].round(4).tolist() for c in range(2)]
    [[0.6931, -0.6931], [-0.6931, 0.6931]]
    """

    def __init__(self, evidence: Integers, alpha: float = 1.0) -> None:
        self.shape = evidence.shape
        self._evidence, self._total = evidence, evidence.sum(axis=0)
        self._added = alpha * evidence.shape[1]
        self._log = np.log(np.arange(int(self._total.max(initial=0)) + 1) + alpha)

    def __getitem__(self, c: int) -> Floats:
        own = self._evidence[c]
        others = self._total - own
        sizes = np.log(others.sum() + self._added) - np.log(own.sum() + self._added)
        return np.asarray(self._log[own] - self._log[others] + sizes)


def class_contrast(evidence: Integers) -> Floats:
    """How much the classes surely differ in a term: max_c max(|r_ci| − e_ci, 0), one number per term.

    r_ci is that of `ClassLogRatios` and e_ci = √(1/(e_ci + 1) + 1/(e_¬ci + 1)) its standard error, so that words of
    few documents have little contrast. Documents are counted, not tokens: the repeats of a burst are no evidence.

    Examples
    --------
    >>> class_contrast(np.array([[30, 1, 9], [2, 1, 10]])).round(4).tolist()
    [0.7421, 0.0, 0.647]
    """
    ratios, total = ClassLogRatios(evidence), evidence.sum(axis=0)
    found = np.zeros(evidence.shape[1])
    for c, own in enumerate(evidence):
        error = np.sqrt(1 / (own + 1) + 1 / (total - own + 1))
        np.maximum(found, np.abs(ratios[c]) - error, out=found)
    return found


def log_means(evidence: Floats, alpha: float, background: float) -> Floats:
    """log m_ci minus its mean over classes; m_c = (1 − w) p_c + w p, p_ci ∝ e_ci + a: naive Bayes as linear scores.

    Examples
    --------
    >>> log_means(np.array([[3.0, 1.0], [1.0, 3.0]]), 1.0, 0.0).round(4).tolist()
    [[0.3466, -0.3466], [-0.3466, 0.3466]]
    """
    everywhere = evidence.sum(axis=0) + alpha
    everywhere *= background / everywhere.sum()
    logs = evidence + alpha
    logs *= (1 - background) / logs.sum(axis=1, keepdims=True)
    logs += everywhere
    np.log(logs, out=logs)
    logs -= logs.mean(axis=0)
    return np.asarray(logs)


def fit_margins(
    weights: Any,
    label: Integers,
    ratios: Floats | ClassLogRatios,
    cost: float,
    *,
    tolerance: float = 0.05,
    seed: int = 0,
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
    ratios : array, classes × terms, or ClassLogRatios
        r_ci.
    cost : float
        C.
    tolerance : float
        Largest violation of the optimality conditions, in units of the margin.
    """
    classes = ratios.shape[0]
    rows = weight_rows(weights)
    energy = np.bincount(weights.indices, weights=weights.data**2, minlength=weights.shape[1])
    whole = max(float(energy.sum()), 1e-300)
    coefficients, intercept = np.empty(ratios.shape), np.empty(classes)
    converged = np.ones(classes, dtype=bool)
    costs = np.full(label.size, 2.0 * cost)

    def one(c: int) -> None:
        variance = np.abs(ratios[c])
        mean = float(np.einsum("i,i->", energy, variance)) / whole  # BLAS would start threads, which wait busily
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
    factors = np.ones(len(scores))
    loss, slope, curvature = _mix_loss(factors, stacked, label)
    for _ in range(NEWTON_STEPS):
        step = _newton_step(factors, slope, curvature)
        if np.abs(step).max() < 1e-7:
            break
        for halvings in range(30):
            tried = np.maximum(factors + step / 2**halvings, 0.0)  # below 0 only by rounding
            found = _mix_loss(tried, stacked, label)
            if found[0] < loss:
                break
        if found[0] >= loss:  # to the last digit
            break
        factors, (loss, slope, curvature) = tried, found
    return factors / np.array(sizes), -loss


def _newton_step(factors: Floats, slope: Floats, curvature: Floats) -> Floats:
    """The minimum of the parabola that fits here; factors that it would make negative go to 0 and stay there."""
    zero = (factors <= 0) & (slope > 0)
    while True:
        step = np.where(zero, -factors, 0.0)
        free = ~zero
        rest = slope[free] + np.einsum("ij,j->i", curvature[free], step)
        step[free] = np.linalg.solve(curvature[np.ix_(free, free)], -rest)
        below = free & (factors + step < -1e-12)
        if not below.any():
            return step
        zero |= below


def _mix_loss(factors: Floats, stacked: Floats, label: Integers) -> tuple[float, Floats, Floats]:
    """−Σ_j log softmax(Σ_k f_k S_k)_{j, label}/d, with a weak pull to 1; its slope, and its second derivatives.

    The pull keeps factors finite if classes are separated without an error. `einsum` is used since BLAS, which SciPy's
    search calls, too, would start threads: for two factors these take ten times as long as the work.
    """
    at, d = np.arange(label.size), label.size
    joint = np.einsum("k,kjc->jc", factors, stacked)
    joint -= joint.max(axis=1, keepdims=True)
    own = joint[at, label]
    share = np.exp(joint, out=joint)
    total = share.sum(axis=1)
    share /= total[:, None]
    expected = np.einsum("kjc,jc->kj", stacked, share)
    loss = float((np.log(total) - own).mean()) + float(((factors - 1) ** 2).sum()) / d
    slope = (expected - stacked[:, at, label]).sum(axis=1) / d + 2 * (factors - 1) / d
    squares = np.einsum("kjc,ljc->kl", stacked, stacked * share) - np.einsum("kj,lj->kl", expected, expected)
    return loss, slope, squares / d + 2 / d * np.eye(factors.size)
