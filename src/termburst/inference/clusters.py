"""Clusters of documents that may depend on each other: the test of a contrast that varies within clusters.

The score of a contrast is T = Σ_c S_c over the clusters, with S_c = Σ_j x̃_j (n_ij − n_j π_j)/(1 + (n_j − 1) ρ_j)
over the documents of cluster c. Here π_j and ρ_j are from the model without the contrast, and x̃ is the column of the
contrast without what the other columns explain. Whatever the documents of a cluster have in common, clusters are
independent, and without an effect each S_c is as likely to be above 0 as below, or nearly so. So T is compared with
Σ_c ±S_c for random signs, whose tails follow from a saddlepoint (Hemerik, Goeman & Finos 2020, JRSS B 82, use random
signs).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from termburst.inference.designs import Contrast, ContrastFits, ContrastTest, DesignComparison
from termburst.inference.leaning import Leaning
from termburst.inference.ratio_tails import agreeing_fall, inverse_tail

Floats = NDArray[np.float64]
BLOCK = 4_000_000  # numbers of a block of terms × documents
ROUNDS = 60


def summed_rows(
    counts: Any, cell: NDArray[np.intp], cluster: NDArray[np.intp]
) -> tuple[Any, NDArray[np.intp], NDArray[np.intp]]:
    """Sum the documents of a cluster that are in the same design cell; return counts, design cells and clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> X, cell, cluster = summed_rows(csr_array([[1, 2], [3, 0], [0, 5]]), np.array([0, 0, 1]), np.array([7, 7, 7]))
    >>> X.toarray().tolist(), cell.tolist(), cluster.tolist()
    ([[4, 2], [0, 5]], [0, 1], [7, 7])
    """
    from scipy.sparse import csr_array

    from termburst.statistics.matrix import canonical_counts

    pairs, place = np.unique(np.column_stack([cluster, cell]), axis=0, return_inverse=True)
    place = place.ravel()
    gather = csr_array((np.ones(place.size, np.int64), (place, np.arange(place.size))), shape=(len(pairs), place.size))
    return canonical_counts(gather @ counts), pairs[:, 1], pairs[:, 0]


def cluster_test(
    compared: DesignComparison,
    contrast: Contrast,
    counts: Any,
    cell: NDArray[np.intp],
    cluster: NDArray[np.intp],
    confidence: float | None,
) -> ContrastTest:
    """Test a contrast that varies within clusters, for every term: p by random signs of the scores of clusters."""
    _, codes = np.unique(cluster, return_inverse=True)
    clusters = int(codes.max()) + 1
    leaning = Leaning.of(compared.leaning_sums(contrast))
    fits = compared.fitted(contrast, leaning)
    plain = compared.test(contrast, None, leaning=leaning, fits=fits)
    size = plain.p_value.size
    p_value, spread = np.full(size, np.nan), np.full(size, np.nan)
    step = max(1, BLOCK // max(counts.shape[0], 1))
    by_term = counts.tocsc()
    lengths = np.asarray(counts.sum(axis=1)).ravel().astype(np.float64)
    terms = compared.regression.occurring
    for first in range(0, terms.size, step):
        part = terms[first : first + step]
        score, model = _scores(compared, fits, part, by_term[:, part], lengths, cell, codes, clusters)
        p_value[part] = random_signs(score)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread[part] = (score**2).sum(axis=1) / model
    p_value = np.maximum(p_value, plain.p_value)  # clusters are no reason for a smaller p than independent documents
    least_p = np.maximum(plain.least_p, 0.5**clusters)  # all scores of clusters with the same sign
    p_value = np.where(np.isnan(plain.p_value), np.nan, np.nan_to_num(p_value, nan=1.0))
    limits = np.full((size, 2), np.nan)
    if confidence is not None:
        # The variance of T between clusters, relative to that of the model, widens the interval.
        freedom = np.full(size, max(clusters - compared.rows.shape[1], 1.0))
        scale = np.clip(np.nan_to_num(spread, nan=1.0), 1.0, 100.0)
        critical = scale * inverse_tail(1 - confidence, freedom, fits.separated)
        limits = fits.limits(agreeing_fall(critical, fits.ratio, p_value, 1 - confidence))
    p_method = np.where(plain.p_method == "", "", "random signs of clusters").astype(object)
    return replace(
        plain, ci_low=limits[:, 0], ci_high=limits[:, 1], p_value=p_value, p_method=p_method, least_p=least_p
    )


def _scores(
    compared: DesignComparison,
    fits: ContrastFits,
    terms: NDArray[np.intp],
    counts: Any,
    lengths: Floats,
    cell: NDArray[np.intp],
    codes: NDArray[np.intp],
    clusters: int,
) -> tuple[Floats, Floats]:
    """S_c, terms × clusters, and the variance of T according to the model."""
    columns, without, rows = compared.rows.shape[1], fits.without[terms], fits.rows[:, : compared.rows.shape[1]]
    omega = np.clip(without[:, :columns] @ rows.T, -60, 30)
    mean = 1 / (1 + np.exp(-omega))
    overall = np.asarray(counts.sum(axis=0)).ravel() / lengths.sum()
    overall = np.clip(overall, 1e-300, 1 - 1e-16)
    v = -np.abs(omega) - 2 * np.log1p(np.exp(-np.abs(omega)))
    middle = np.log(overall) + np.log1p(-overall)
    tau = fits.precision(terms) - compared.regression.kappa * (v - middle[:, None])
    rho = 1 / (1 + np.exp(np.clip(tau, -30, 36)))
    damped = 1 + (lengths - 1) * rho[:, cell]
    weight = lengths * (mean * (1 - mean))[:, cell] / damped  # information of each document
    x, z = rows[cell, 0], rows[cell, 1:]
    matrix = np.einsum("td,dk,dl->tkl", weight, z, z, optimize=True)
    vector = np.einsum("td,dk->tk", weight * x, z, optimize=True)
    matrix += 1e-10 * np.trace(matrix, axis1=1, axis2=2)[:, None, None] * np.eye(columns - 1)
    matrix += 1e-300 * np.eye(columns - 1)
    residual = x - (np.linalg.solve(matrix, vector[:, :, None])[:, :, 0] @ z.T)
    score = residual * (counts.toarray().T - lengths * mean[:, cell]) / damped
    gathered = np.zeros((clusters, score.shape[0]))
    np.add.at(gathered, codes, score.T)
    return gathered.T, (weight * residual**2).sum(axis=1)


def random_signs(score: Floats) -> Floats:
    """Two-sided p of Σ_c S_c if the sign of every S_c is random; rows are tests.

    By the saddlepoint with r*, of K(t) = Σ log cosh(t S_c). If all S_c have one sign, p is 2^−m for m clusters that
    are not 0, twice the mid-p.

    Examples
    --------
    >>> random_signs(np.array([[1.0, 1, 1, 1, 1, 1], [1, -1, 2, -2, 1, -1]])).round(3).tolist()
    [0.016, 1.0]
    """
    scale = np.abs(score).max(axis=1, keepdims=True)
    s = np.divide(score, scale, out=np.zeros_like(score), where=scale > 0)
    total, most = s.sum(axis=1), np.abs(s).sum(axis=1)
    end = np.abs(total) > most * (1 - 1e-9)
    t = np.divide(total, (s**2).sum(axis=1), out=np.zeros_like(total), where=most > 0)
    low, high = np.zeros(t.size), np.full(t.size, np.inf)
    goal = np.abs(total)
    t = np.abs(t)
    for _ in range(ROUNDS):
        th = np.tanh(t[:, None] * s)
        slope, bend = (s * th).sum(axis=1), (s**2 * (1 - th**2)).sum(axis=1)
        low, high = np.where(slope < goal, t, low), np.where(slope >= goal, t, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            new = t + (goal - slope) / bend
        inside = (new > low) & (new < high)
        middle = np.where(np.isinf(high), 2 * t + 1, (low + high) / 2)
        t = np.where(end, 0.0, np.where(inside, new, middle))
    value = np.logaddexp(t[:, None] * s, -t[:, None] * s).sum(axis=1) - s.shape[1] * np.log(2)
    bend = (s**2 / np.cosh(np.clip(t[:, None] * s, -300, 300)) ** 2).sum(axis=1)
    r, u = np.sqrt(np.maximum(2 * (t * goal - value), 0.0)), t * np.sqrt(bend)
    with np.errstate(divide="ignore", invalid="ignore"):
        star = np.where((r > 1e-3) & (u > 0), r + np.log(u / r) / r, r)
    held = (np.abs(s) > 1e-12).sum(axis=1)
    p_value = np.where(end, 0.5 ** held.astype(float), 2 * special.ndtr(-np.maximum(star, 0.0)))
    return np.where(most > 0, np.minimum(p_value, 1.0), 1.0)
