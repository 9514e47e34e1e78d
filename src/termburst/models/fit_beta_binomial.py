"""The exact maximum-likelihood fit of every term's beta-binomial; the time grows with the term's own occurrences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from termburst.core import beta_binomial as core
from termburst.core.binding import record
from termburst.models import binomial
from termburst.models.cells import TermCells, over_distinct, term_cells
from termburst.models.length_table import LengthTable
from termburst.models.penalties import named_penalty
from termburst.statistics.matrix import Integers
from termburst.threads import over_parts

Floats = NDArray[np.float64]
SPACING = 1.5  # step of the scan over log α_0 that brackets every maximum
STATUSES = np.array(["boundary", "converged", "degenerate", "failed", "empty"], dtype=object)


@dataclass(frozen=True, slots=True)
class BetaBinomialFit:
    """Maximum-likelihood estimates of every term; arrays have one entry per term.

    Attributes
    ----------
    mean : α_i/α_0, the expected share of the term in a document.
    alpha, alpha_not, alpha_0
        α̂_i, α̂_¬i and their sum. inf at the boundary, where `mean` = n_i/n is their ratio; NaN for an empty term.
    loglik : the log-likelihood without the binomial coefficients log (n_j choose n_ij).
    loglik_binomial : that of the binomial with n_i/n; without a penalty `loglik` is never below it.
    score_norm : the norm of the gradient (∂/∂ log α, ∂/∂ log α_¬) of the maximised function, over n_i; 0 if there is no
        interior maximum. Under a very narrow penalty it is only rounding error; then look at `newton_step`.
    newton_step : the last step in log α_0, or its possible rounding error if that is larger: 5e-13 of the sums that
        cancel in the score, over the information on log α_0. This matters for documents of millions of tokens.
    iterations : evaluations of the derivatives, including the scan over α_0.
    standard_error_alpha, standard_error_alpha_not
        From the observed information, for interior fits; NaN otherwise. Next to the boundary they say nothing, as α has
        no upper limit there: take the profile-likelihood interval of `burst_effects`.
    status : array of str
        "converged": an interior maximum, the highest found by a scan over α_0. "boundary": the supremum is the binomial
        (α_0 → ∞); also for a term that is every token, with or without a penalty. "degenerate": the supremum is at
        α_0 → 0, since every document is either only this term or without it; then alpha = alpha_not = 0, and `mean` is
        the share of documents. "empty": the term never occurs. "failed": only under a penalty that prefers an α_0
        outside 2e-12 to 4e15; the estimates are NaN.

    Examples
    --------
    >>> import termburst as tb
    >>> fit = tb.fit_beta_binomial([[6, 4, 0], [0, 10, 0], [5, 5, 0]])
    >>> fit.status.tolist(), fit.mean.round(2).tolist()
    (['converged', 'converged', 'empty'], [0.33, 0.67, 0.0])
    """

    mean: Floats
    alpha: Floats
    alpha_not: Floats
    alpha_0: Floats
    loglik: Floats
    loglik_binomial: Floats
    score_norm: Floats
    newton_step: Floats
    iterations: Integers
    standard_error_alpha: Floats
    standard_error_alpha_not: Floats
    status: NDArray[np.object_]


def fit_beta_binomial(
    X_or_statistics: Any, *, penalty: str | None = None, mu: float | None = None, sigma2: float = 1.0
) -> BetaBinomialFit:
    r"""Fit the exact beta-binomial (Eq. bcb-pmf) to every term by maximum likelihood.

    ℓ(α, α_¬) = Σ_j [log Γ(n_ij+α)/Γ(α) + log Γ(n_j−n_ij+α_¬)/Γ(α_¬) − log Γ(n_j+α_0)/Γ(α_0)]

    The lengths enter through tables made once (`LengthTable`), so an evaluation costs one pass over the term's own
    occurrences, for any number of documents. Empty documents are left out.

    Parameters
    ----------
    X_or_statistics : count matrix, or TermStatistics with detail="patterns"
    penalty : {"gamma", "log-normal", "inverse-gamma"}, optional
        Maximise ℓ + log f(α_0) instead, where the density f has mean `mu` (by default the mean document length) and
        variance `sigma2`. `loglik` is ℓ at that maximum, without log f.

    Returns
    -------
    BetaBinomialFit

    Examples
    --------
    >>> import termburst as tb
    >>> fit = tb.fit_beta_binomial([[4, 26], [0, 31], [0, 28], [1, 24], [0, 30], [5, 15]])
    >>> fit.status[0], round(float(fit.alpha[0]), 4), round(float(fit.alpha_not[0]), 4)
    ('converged', 0.3886, 5.4499)
    """
    cells = term_cells(X_or_statistics)
    coefficients = np.zeros(4)
    if penalty is None and (mu is not None or sigma2 != 1.0):
        raise ValueError("mu and sigma2 need a penalty: give one, such as penalty='gamma', or omit them")
    if penalty is not None:
        if not cells.tokens:
            raise ValueError("all documents are empty: there is nothing to fit")
        density = named_penalty(penalty, cells.mean_length if mu is None else mu, sigma2)
        coefficients = np.array(density.log_coefficients)
    return _result(cells, _fit_all(cells, coefficients))


def beta_binomial_log_likelihood(X_or_statistics: Any, alpha: ArrayLike, alpha_not: ArrayLike) -> Floats:
    """ℓ(α, α_¬) of every term at given parameters, without binomial coefficients, like `loglik` of a fit.

    Parameters
    ----------
    X_or_statistics : count matrix, or TermStatistics with detail="patterns"
    alpha, alpha_not : finite numbers above 0, or arrays of them, one per term

    Examples
    --------
    >>> import termburst as tb
    >>> X = [[4, 26], [0, 31], [0, 28], [1, 24], [0, 30], [5, 15]]
    >>> fit = tb.fit_beta_binomial(X)
    >>> bool((beta_binomial_log_likelihood(X, 0.5, 9.0) < fit.loglik).all())
    True
    """
    cells = term_cells(X_or_statistics)
    parameters = []
    for name, given in (("alpha", alpha), ("alpha_not", alpha_not)):
        value = binomial.positive(name, given)
        if value.shape not in ((), (1,), cells.n_i.shape):
            raise ValueError(
                f"{name} must be one number, or an array of {cells.n_i.size:,}, one per term; got shape {value.shape}"
            )
        parameters.append(np.broadcast_to(value, cells.n_i.shape))
    alpha, alpha_not = parameters
    table = LengthTable.of(cells.lengths, cells.length_documents)
    tau, omega = np.log(alpha + alpha_not), np.log(alpha) - np.log(alpha_not)
    gains, of, lengths = np.empty(cells.n_i.size), cells.for_kernels(), table.for_kernels()

    def fill(part: slice) -> None:
        terms = np.arange(cells.n_i.size)[part].copy()
        gains[terms] = core.gains(of, lengths, terms, tau[terms], omega[terms])

    over_parts(fill, cells.count.size, cells.n_i.size)
    return binomial.log_likelihood(cells.n_i, cells.tokens) + gains


def _fit_all(cells: TermCells, penalty: Floats) -> NDArray[np.void]:
    """The kernel's results, one per term; zeros for a term that never occurs or is every token."""
    fitted = np.flatnonzero((cells.n_i > 0) & (cells.n_i < cells.tokens))
    lengths, of = LengthTable.of(cells.lengths, cells.length_documents).for_kernels(), cells.for_kernels()
    raw = np.zeros(cells.n_i.size, record("FitResult"))
    over_distinct(lambda terms: core.fit_terms(of, lengths, terms, penalty, SPACING, raw), of, fitted, cells.n_i, raw)
    return raw


def _result(cells: TermCells, raw: NDArray[np.void]) -> BetaBinomialFit:
    n, n_i, b_i = cells.tokens, cells.n_i, cells.b_i
    status = raw["status"].astype(np.intp)
    status[n_i == 0] = len(STATUSES) - 1
    loglik_binomial = binomial.log_likelihood(n_i, n)
    documents = cells.documents
    loglik = loglik_binomial + raw["gain"]
    degenerate = np.flatnonzero(status == core.DEGENERATE)  # as α_0 → 0, a document is all or nothing
    loglik[degenerate] = binomial.log_likelihood(b_i[degenerate], documents)
    no_better = loglik[degenerate] <= loglik_binomial[degenerate] * (1 - 1e-14)  # as if all documents have one token
    status[degenerate[no_better]], loglik[degenerate[no_better]] = core.BOUNDARY, loglik_binomial[degenerate[no_better]]
    inside, boundary, lower = (status == k for k in (core.CONVERGED, core.BOUNDARY, core.DEGENERATE))
    e = np.exp(-np.abs(raw["omega"]))
    p, rest = np.where(raw["omega"] > 0, [1 / (1 + e), e / (1 + e)], [e / (1 + e), 1 / (1 + e)])
    alpha_0 = np.select([inside, boundary, lower], [np.exp(raw["tau"]), np.inf, 0.0], np.nan)
    with np.errstate(invalid="ignore"):
        alpha, alpha_not = alpha_0 * p, alpha_0 * rest
    mean = np.select([inside, lower], [p, b_i / max(documents, 1)], n_i / max(n, 1))
    errors = _standard_errors(raw, p, rest, inside)
    return BetaBinomialFit(
        mean=mean,
        alpha=alpha,
        alpha_not=alpha_not,
        alpha_0=alpha_0,
        loglik=loglik,
        loglik_binomial=loglik_binomial,
        score_norm=np.where(inside, raw["score"], 0.0),
        newton_step=np.where(inside, raw["step"], 0.0),
        iterations=raw["evaluations"].astype(np.int64),
        standard_error_alpha=alpha * errors[0],
        standard_error_alpha_not=alpha_not * errors[1],
        status=STATUSES[status],
    )


def _standard_errors(
    raw: NDArray[np.void], p: Floats, rest: Floats, inside: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Standard errors of log α and log α_¬, from the inverse of the observed information in (τ, ω)."""
    h_tt, h_to, h_oo = (np.where(inside, raw[column], np.nan) for column in ("h_tt", "h_to", "h_oo"))
    determinant = h_tt * h_oo - h_to**2
    v_tt, v_to, v_oo = -h_oo / determinant, h_to / determinant, -h_tt / determinant
    # log α = τ + log p and log α_¬ = τ + log(1 − p); d log p/dω = 1 − p, d log(1 − p)/dω = −p
    return (
        np.sqrt(v_tt + 2 * rest * v_to + rest**2 * v_oo),
        np.sqrt(v_tt - 2 * p * v_to + p**2 * v_oo),
    )
