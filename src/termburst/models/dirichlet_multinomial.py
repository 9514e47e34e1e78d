"""The Dirichlet-multinomial distribution of the counts of a document over the vocabulary: log-pmf and fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from termburst.models.beta_binomial import remainder_step
from termburst.models.dirichlet_multinomial_profile import CountSteps, Profile
from termburst.models.special import deviance, factorial_remainder
from termburst.statistics.matrix import canonical_counts, document_lengths
from termburst.statistics.term_statistics import TermStatistics, as_statistics

Floats = NDArray[np.float64]
Method = Literal["newton", "edcm"]
METHODS: tuple[Method, ...] = ("newton", "edcm")


@dataclass(frozen=True, slots=True)
class DirichletMultinomialFit:
    """A Dirichlet-multinomial fitted to a collection.

    Attributes
    ----------
    alpha : array, one value per term
        α̂_i; exactly 0 for a term that never occurs. At the boundary it is infinite for all others.
    precision : float
        α̂_0 = Σ α̂_i.
    mean : array, one value per term
        α̂_i/α̂_0, the expected shares; their limits n_i/n at the boundary.
    standard_errors : array, one value per term
        Standard errors of α̂_i, from the inverse of the observed information diag(D) − c 11ᵀ: the square root of
        1/D_i + c/D_i²/(1 − c Σ 1/D) (Sherman–Morrison). NaN for terms that never occur, and if there is no interior
        maximum.
    loglik : float
        Σ_j log [Γ(α_0)/Γ(n_j + α_0) Π_i Γ(n_ij + α_i)/Γ(α_i)] at α̂, *without* the multinomial coefficients
        n_j!/Π n_ij!, which do not depend on α. The same exact likelihood for both methods.
    gradient_norm : float
        max_i |1 − F′(α_0)/s_i|, s_i = Σ_q T_iq/(α_i + q): compares both sides of ∂ log L/∂α_i = 0, at any scale of α.
        For "edcm" the same for its own likelihood. 0 if there is no interior maximum.
    status : str
        "converged"; "boundary": the likelihood is highest for α_0 → ∞, the multinomial (or does not depend on α_0: one
        term, or documents of one token); "concentrated": it is highest for α_0 → 0, since no document contains two
        different terms; "empty": no tokens; "max_iterations": no maximum reached.
    iterations : int
        Newton steps in log α_0, without those of the search for starting points.

    Examples
    --------
    >>> import termburst as tb
    >>> fit = tb.fit_dirichlet_multinomial([[6, 4, 0], [0, 10, 0], [5, 5, 0]])
    >>> fit.status, fit.alpha.round(2).tolist()
    ('converged', [0.77, 1.54, 0.0])
    """

    alpha: Floats
    precision: float
    mean: Floats
    standard_errors: Floats
    loglik: float
    gradient_norm: float
    status: str
    iterations: int


def dirichlet_multinomial_log_pmf(X: Any, alpha: ArrayLike) -> Floats:
    """The log-probability of the counts of every document, given its length.

    log P(n_j) = log [n_j! Γ(α_0)/Γ(n_j + α_0)] + Σ_i log [Γ(n_ij + α_i)/(Γ(α_i) n_ij!)].

    These log-gammas would cancel. Instead: with q_i = (n_ij + α_i)/(n_j + α_0), n_ij against n_j q_i and α_i against
    α_0 q_i are in the form of `deviance`, and Stirling's remainders are added, as in `beta_binomial.log_pmf`. (The α of
    absent terms are summed as α_0 minus those of the others: an error of one ulp of α_0, times log(1 + n_j/α_0).)

    Parameters
    ----------
    X : sparse or dense matrix, documents × terms
    alpha : array, one value per term
        α_i ≥ 0; with 0 a term cannot occur. As α_0 → ∞ the limit is the multinomial with shares α_i/α_0.

    Returns
    -------
    array, one value per document
        −inf for a document with a term of α_i = 0.

    Examples
    --------
    >>> dirichlet_multinomial_log_pmf([[2, 1, 0], [0, 0, 3], [0, 0, 0]], [0.5, 1.0, 0.0]).round(6)
    array([-1.763589,      -inf,  0.      ])
    """
    alpha = _checked_alpha(alpha)
    counts = canonical_counts(X)
    if counts.shape[1] != alpha.size:
        raise ValueError(f"alpha has {alpha.size} terms, but the count matrix has {counts.shape[1]}")
    n_j = document_lengths(counts).astype(np.float64)
    row = np.repeat(np.arange(n_j.size), np.diff(counts.indptr))
    n, a, total, alpha_0 = counts.data.astype(np.float64), alpha[counts.indices], n_j[row], float(alpha.sum())
    never = a == 0
    a = np.where(never, 1.0, a)
    # n_j q_i − n_ij, where q_i = (α_i + n_ij)/(α_0 + n_j) is the mean share given the document
    surplus = total / (total + alpha_0) * a - n * (alpha_0 / (total + alpha_0))
    q = (a + n) / (total + alpha_0)
    cell = remainder_step(a, n) - factorial_remainder(n)
    cell -= deviance(n, total * q, surplus) + deviance(a, alpha_0 * q, -surplus)
    log_pmf = np.bincount(row, weights=np.where(never, -np.inf, cell), minlength=n_j.size).astype(np.float64)
    absent = np.maximum(alpha_0 - np.bincount(row, weights=a, minlength=n_j.size), 0.0)
    log_pmf += (
        factorial_remainder(n_j) - remainder_step(np.full(n_j.size, alpha_0), n_j) - absent * np.log1p(n_j / alpha_0)
    )
    return log_pmf


def fit_dirichlet_multinomial(X_or_statistics: Any, *, method: Method = "newton") -> DirichletMultinomialFit:
    """Fit α by maximum likelihood; empty documents are left out.

    Let T_iq be the number of documents with more than q occurrences of term i, and C_k the number of documents longer
    than k. Then ∂ log L/∂α_i = Σ_q T_iq/(α_i + q) − F′(α_0), F′(z) = Σ_k C_k/(z + k), and the Hessian is diagonal plus
    rank one (Minka, "Estimating a Dirichlet distribution", 2000). "newton" is a safe form of Minka's step: the diagonal
    part, concave for a given α_0, is solved for all terms. This leaves Newton's method in one unknown, which is kept
    between bounds and never decreases the likelihood. The likelihood can have several maxima in α_0. The whole range of
    α_0 up to 10⁸ times the longest document is searched, starting at the EDCM estimate, and each maximum is refined; no
    fit is worse than the multinomial. A step costs a few passes over the histograms of counts.

    "edcm" is the exponential-family approximation of Elkan ("Clustering documents with an exponential-family
    approximation of the Dirichlet compound multinomial distribution", 2006), Γ(n + α)/Γ(α) ≈ α Γ(n) for α ≪ 1:
    β_i = b_i/F′(s) with s F′(s) = Σ_i b_i, one unknown. It uses whether a term occurs, not how often. It
    underestimates α, even as α → 0 by a factor 1 − Σ (α_i/α_0)², so it needs a vocabulary of many terms.

    Parameters
    ----------
    X_or_statistics : count matrix or TermStatistics
        Statistics of detail "moments" or more, over the whole vocabulary. Pruned statistics are refused, since their
        lengths include tokens of dropped terms.
    method : "newton" or "edcm"

    Examples
    --------
    >>> fit = fit_dirichlet_multinomial([[4, 0, 2], [0, 5, 1], [3, 1, 0], [0, 3, 3]])
    >>> fit.status, fit.alpha.round(4)
    ('converged', array([0.554 , 0.8153, 0.6819]))
    >>> fit_dirichlet_multinomial([[2, 2], [2, 2]]).status
    'boundary'
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}; got {method!r}")
    statistics = as_statistics(X_or_statistics, "moments")
    n_i, b_i = statistics.collection_frequency, statistics.document_frequency
    n, d, b = int(n_i.sum()), int(statistics.length_documents[statistics.lengths > 0].sum()), int(b_i.sum())
    if n != statistics.tokens:
        raise ValueError(
            "the counts of the terms do not add up to the document lengths: statistics must not be pruned before a fit"
        )
    if n == 0:
        return _without_maximum("empty", np.full(n_i.size, np.nan), 0.0, np.zeros(n_i.size))
    occurs = n_i > 0
    if occurs.sum() == 1 or b == n:  # α_0 changes nothing, or can only lower the likelihood
        return _boundary(n_i)
    if b == d:
        at = b_i / d
        return _without_maximum("concentrated", at, float(b_i[occurs] @ np.log(at[occurs])), np.zeros(n_i.size))
    profile = _profile(statistics, occurs)
    alpha, steps = profile.edcm()
    if method == "edcm":
        first = profile.found_in / alpha  # b_i/β_i takes the place of the sum over q
        return _fitted(profile, alpha, occurs, first, first / alpha, "converged", steps)
    highest, steps, converged = profile.highest(alpha)
    if highest is None:
        return _boundary(n_i)
    first, second = profile.terms.derivatives(highest)
    status = "converged" if converged else "max_iterations"
    return _fitted(profile, highest, occurs, first, second, status, steps)


def _profile(statistics: TermStatistics, occurs: NDArray[np.bool_]) -> Profile:
    rows = statistics.count_histogram
    indptr = np.concatenate([[0], rows.indptr[1:][occurs]])  # terms that never occur have no rows to skip
    filled = statistics.lengths > 0
    lengths, documents = statistics.lengths[filled], statistics.length_documents[filled]
    return Profile(
        CountSteps.from_histogram(indptr, rows.count, rows.documents),
        CountSteps.from_histogram(np.array([0, lengths.size]), lengths, documents),
        statistics.collection_frequency[occurs].astype(np.float64),
        statistics.document_frequency[occurs].astype(np.float64),
    )


def _fitted(
    profile: Profile,
    alpha: Floats,
    occurs: NDArray[np.bool_],
    first: Floats,
    second: Floats,
    status: str,
    iterations: int,
) -> DirichletMultinomialFit:
    alpha_0, n = float(alpha.sum()), profile.frequency.sum()
    (by_length,), (c,) = profile.lengths.derivatives(np.array([alpha_0]))
    error = float(np.abs(1 - by_length / first).max())
    rest = 1 - c * (1 / second).sum()
    variance = 1 / second + c / second**2 / rest if rest > 0 else np.full(alpha.size, np.nan)
    full, errors = np.zeros(occurs.size), np.full(occurs.size, np.nan)
    full[occurs], errors[occurs] = alpha, np.sqrt(variance)
    loglik = profile.frequency @ np.log(profile.frequency / n) + profile.gain(alpha)
    return DirichletMultinomialFit(full, alpha_0, full / alpha_0, errors, float(loglik), error, status, iterations)


def _boundary(n_i: NDArray[np.int64]) -> DirichletMultinomialFit:
    mean, occurs = n_i / n_i.sum(), n_i > 0
    loglik = float(n_i[occurs] @ np.log(mean[occurs]))
    return _without_maximum("boundary", mean, loglik, np.where(occurs, np.inf, 0.0))


def _without_maximum(status: str, mean: Floats, loglik: float, alpha: Floats) -> DirichletMultinomialFit:
    precision = np.nan if status == "empty" else float(alpha.max())
    return DirichletMultinomialFit(alpha, precision, mean, np.full(alpha.size, np.nan), loglik, 0.0, status, 0)


def _checked_alpha(alpha: ArrayLike) -> Floats:
    try:
        values = np.asarray(alpha, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"alpha must be an array of numbers, one per term: {error}") from error
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"alpha must be one-dimensional, with one number per term; got shape {values.shape}")
    if not (np.isfinite(values) & (values >= 0)).all() or not 0 < values.sum() < np.inf:
        raise ValueError("alpha must be finite and 0 or more, with at least one entry above 0")
    return values
