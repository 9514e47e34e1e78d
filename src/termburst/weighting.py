"""Term weights: one pure function a scheme, one table of their names.

A scheme takes counts, the statistics of a collection and, where it needs one, a fit, and returns the weights of the
stored cells in their order. Cells where a term does not occur are not stored and weigh 0. A term that the collection
has never seen weighs 0 too: there is nothing to judge it by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from termburst.counts.matrix import document_lengths
from termburst.counts.statistics import Detail, TermStatistics
from termburst.inference.plr import Invalid, cell_coefficients
from termburst.models import beta_binomial, binomial
from termburst.models.fit_beta_binomial import fit_beta_binomial

Floats = NDArray[np.float64]

SATURATION, LENGTH_SHARE = 1.2, 0.75  # BM25's k and b
DAMPING, RARITY = 2.0, 0.5  # of "damped-tf-idf"


@dataclass(frozen=True, slots=True)
class Scheme:
    """A named way to weigh terms: call it with (counts, statistics, fit).

    Attributes
    ----------
    function : callable
        The formula; takes counts (canonical CSR), statistics, fit, and by name mu, sigma2 and invalid.
    formula : str
        The weight of a cell, for people.
    detail : "frequencies", "moments" or "patterns"
        How much the scheme needs to know of the collection; no more than that is computed.
    needs_fit : bool
        Whether it needs a fitted model of every term.
    signed : bool
        Whether weights may be negative, which naive Bayes and the words of classes do not take.

    Examples
    --------
    >>> from termburst.counts.matrix import canonical_counts
    >>> X = canonical_counts([[2, 1], [0, 3]])
    >>> SCHEMES["tf-idf"](X, TermStatistics.from_counts(X)).round(4)
    array([1.3863, 0.    , 0.    ])
    """

    function: Callable[..., Floats]
    formula: str
    detail: Detail = "frequencies"
    needs_fit: bool = False
    signed: bool = False

    def __call__(
        self,
        counts: Any,
        statistics: TermStatistics,
        fit: Any = None,
        *,
        mu: float | None = None,
        sigma2: float = 1.0,
        invalid: Invalid = "clamp",
    ) -> Floats:
        """The weights of the stored cells of *counts*; a fit that is needed and not given is made."""
        if self.needs_fit and fit is None:
            fit = fit_beta_binomial(statistics)
        return self.function(counts, statistics, fit, mu=mu, sigma2=sigma2, invalid=invalid)


def tf_idf(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """n_ij log(d/b_i) (Eq. tfidf). Unlike scikit-learn's default it is neither smoothed nor raised by one."""
    return counts.data * _idf(statistics)[counts.indices]


def btf_idf(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """b_ij log(d/b_i), b_ij = [n_ij > 0] (Eq. btfidf)."""
    return _idf(statistics)[counts.indices]


def tf_icf(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """n_ij log(n/n_i) (Eq. tficf)."""
    return counts.data * _icf(statistics)[counts.indices]


def plr_share(
    counts: Any,
    statistics: TermStatistics,
    fit: Any = None,
    *,
    mu: float | None = None,
    sigma2: float = 1.0,
    invalid: Invalid = "clamp",
) -> Floats:
    """λ_ij, the document's share in λ_i (Eq. lambda-ij); may be negative."""
    return _unseen_zero(cell_coefficients(statistics, mu, sigma2, invalid)(counts), counts, statistics)


def plr_sigmoid(
    counts: Any,
    statistics: TermStatistics,
    fit: Any = None,
    *,
    mu: float | None = None,
    sigma2: float = 1.0,
    invalid: Invalid = "clamp",
) -> Floats:
    """S(λ_ij) = 1/(1 + exp(−λ_ij)), the paper's weight, between 0 and 1."""
    weights = cell_coefficients(statistics, mu, sigma2, invalid)(counts, transform=special.expit)
    return _unseen_zero(weights, counts, statistics)


def raw_counts(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """n_ij as it is."""
    return _unseen_zero(counts.data.astype(np.float64), counts, statistics)


def sublinear_tf_idf(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """(1 + log n_ij)(1 + log(d/b_i)): scikit-learn's sublinear TF–IDF, unsmoothed."""
    weights = (1 + np.log(counts.data)) * (1 + _idf(statistics))[counts.indices]
    return _unseen_zero(weights, counts, statistics)


def bm25(counts: Any, statistics: TermStatistics, fit: Any = None, *, mu: float | None = None, **_: Any) -> Floats:
    """n_ij (k + 1)/(n_ij + k L_j) · log(d/b_i), L_j = 1 − b + b n_j/μ, k = 1.2, b = ¾ (Robertson & Zaragoza 2009)."""
    return _saturated(counts, statistics, mu) * _idf(statistics)[counts.indices]


def bm25_icf(counts: Any, statistics: TermStatistics, fit: Any = None, *, mu: float | None = None, **_: Any) -> Floats:
    """BM25's count with log(n/n_i) in the place of log(d/b_i)."""
    return _saturated(counts, statistics, mu) * _icf(statistics)[counts.indices]


def surprisal(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """−log P(N = n_ij) of the term's exact beta-binomial at n_j tokens; of the binomial where that fits best.

    A term that is all or nothing in every document has its supremum at α_0 = 0, where P(N = n_j) = p; as next to that.
    Not monotone: where a repeat is likelier than a single occurrence, as in a burst, another one lowers it.
    """
    n_j, i = document_lengths(counts)[_rows(counts)], counts.indices
    weights = np.zeros(counts.nnz)
    nothing_between = (fit.alpha_0 == 0) & (fit.mean > 0) & (fit.mean < 1)
    alpha = np.where(nothing_between, 1e-6 * fit.mean, fit.alpha)
    alpha_not = np.where(nothing_between, 1e-6 * (1 - fit.mean), fit.alpha_not)
    bursty = np.isfinite(alpha)[i] & (alpha > 0)[i] & (alpha_not > 0)[i]
    plain = ~bursty & (statistics.collection_frequency > 0)[i]
    weights[bursty] = -beta_binomial.log_pmf(counts.data[bursty], n_j[bursty], alpha[i[bursty]], alpha_not[i[bursty]])
    weights[plain] = -binomial.log_pmf(counts.data[plain], n_j[plain], fit.mean[i[plain]])
    return np.maximum(weights, 0.0)


def discounted_tf_icf(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """α(ψ(n_ij + α) − ψ(α)) log(n/n_i): repeat q of a term, q = 0, 1, …, counts α/(α + q) instead of 1.

    In Pólya's urn a term drawn q times has weight α + q, so that a further one is less of a surprise by α/(α + q).
    At the boundary, α = ∞, that is TF–ICF.
    """
    return _discounted(counts.data, _alpha(fit)[counts.indices]) * _icf(statistics)[counts.indices]


def normalised_discounted_tf_icf(
    counts: Any, statistics: TermStatistics, fit: Any = None, *, mu: float | None = None, **_: Any
) -> Floats:
    """A(ψ(n_ij/L_j + A) − ψ(A)) log(n/n_i), A = α + 1, L_j = ¼ + ¾ n_j/μ: the same for a document of average length."""
    weights = _discounted(counts.data / _relative_length(counts, statistics, mu), _alpha(fit)[counts.indices] + 1)
    return weights * _icf(statistics)[counts.indices]


def damped_tf_idf(
    counts: Any, statistics: TermStatistics, fit: Any = None, *, mu: float | None = None, **_: Any
) -> Floats:
    """A(ψ(n_ij/L_j + A) − ψ(A)) log(d/b_i)^p, A = α + 2, L_j = ¼ + ¾ n_j/μ, p = ½.

    Repeats are discounted by how bursty the term is, documents brought to one length as in BM25, and rarity counts by
    its root: for naive Bayes, which finds out itself how telling a term is, the full IDF is too much. The constants
    were chosen by cross-validation on the training documents of two collections (`benchmarks/quality.py`).
    """
    weights = _discounted(counts.data / _relative_length(counts, statistics, mu), _alpha(fit)[counts.indices] + DAMPING)
    return weights * (_idf(statistics) ** RARITY)[counts.indices]


def posterior_lift(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """max(log[(α + n_ij)/(α_0 + n_j)/p], 0): how far a document lifts what is expected of a term, p = α/α_0, in it.

    (α + n_ij)/(α_0 + n_j) is the posterior mean of the term's share in that document. 0 at the boundary, where all
    documents have the same.
    """
    i = counts.indices
    alpha, alpha_0 = fit.alpha[i], fit.alpha_0[i]
    with np.errstate(divide="ignore", invalid="ignore"):
        lift = np.log((alpha + counts.data) / (alpha_0 + document_lengths(counts)[_rows(counts)]) / fit.mean[i])
    return np.where(np.isfinite(lift), np.maximum(lift, 0.0), 0.0)


def pearson_residual(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """(n_ij − n_j p)/√(n_j p(1 − p) φ_j), φ_j = (α_0 + n_j)/(α_0 + 1), the beta-binomial's deviation. May be < 0."""
    n_j, p, spread = _moments(counts, fit)
    with np.errstate(divide="ignore", invalid="ignore"):
        residual = (counts.data - n_j * p) / np.sqrt(n_j * p * (1 - p) * spread)
    return np.where(np.isfinite(residual), residual, 0.0)


def deviance_residual(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """±√(2[n_ij log(n_ij/n_j p) + (n_j − n_ij) log((n_j − n_ij)/(n_j(1 − p)))]/φ_j): the binomial's, over its spread.

    Its sign is that of n_ij − n_j p, and φ_j is as in `pearson_residual`.
    """
    n_j, p, spread = _moments(counts, fit)
    rest = n_j - counts.data
    with np.errstate(divide="ignore", invalid="ignore"):
        double = 2 * (special.rel_entr(counts.data, n_j * p) + special.rel_entr(rest, n_j * (1 - p))) / spread
        residual = np.sign(counts.data - n_j * p) * np.sqrt(np.maximum(double, 0.0))
    return np.where(np.isfinite(residual), residual, 0.0)


def fisher(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """−log P(N ≥ n_ij), N hypergeometric: n_j of all n tokens drawn, of which n_i are the term.

    Fisher's exact test, one-sided, of term and document; TF–IDF is a limit of it (Sheridan, Ahmed & Farooque 2023). A
    document that was not among those learned from is taken for one that was.
    """
    i = counts.indices
    n_i = statistics.collection_frequency[i].astype(np.float64)
    n_j = document_lengths(counts)[_rows(counts)].astype(np.float64)
    n_i = np.maximum(n_i, counts.data)  # a new document may hold more of a term than there was
    n = np.maximum(float(statistics.tokens), n_i + n_j - counts.data)  # or more of all
    return _unseen_zero(-_log_hypergeometric_tail(counts.data.astype(np.float64), n, n_i, n_j), counts, statistics)


def two_stage(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """log(d/b_i) + (n_ij − 1) log(n_i/(n_i − b_i)): presence, then abundance (after Sunehag 2007).

    A term is in a document with probability b_i/d; if so, each occurrence is followed by another with probability
    ρ_i = (n_i − b_i)/n_i, which makes the mean abundance n_i/b_i. The weight is −log of that, but for 1 − ρ_i, the cost
    of the end, which is no evidence. A term that was never repeated has ρ_i = ½/n_i. The two stages are Sunehag's; the
    geometric abundance is ours.
    """
    n_i = np.maximum(statistics.collection_frequency, 1)
    repeats = np.maximum(n_i - statistics.document_frequency, 0.5)
    again = np.log(n_i / np.minimum(repeats, n_i))
    weights = _idf(statistics)[counts.indices] + (counts.data - 1) * again[counts.indices]
    return _unseen_zero(weights, counts, statistics)


def fisher_kernel(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """(ψ(n_ij + α) − ψ(α))/√I_i: the term's part of the Fisher score of a Dirichlet-multinomial (Elkan 2005).

    I_i is the mean square of that over the collection, the diagonal of the empirical Fisher information, and α the
    term's own exact fit, in the place of one of the whole vocabulary. At the boundary n_ij/√(Σ_j n_ij²/d).
    """
    alpha = np.minimum(_alpha(fit), 1e9)
    rows: Any = statistics.rows
    score = _discounted(rows.count, alpha[rows.term]) ** 2 * rows.documents
    information = np.bincount(rows.term, score, statistics.vocabulary_size) / max(statistics.documents, 1)
    weights = _discounted(counts.data, alpha[counts.indices])
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = weights / np.sqrt(information)[counts.indices]
    return _unseen_zero(np.where(np.isfinite(weights), weights, 0.0), counts, statistics)


SCHEMES: dict[str, Scheme] = {
    "tf-idf": Scheme(tf_idf, "n_ij log(d/b_i)"),
    "btf-idf": Scheme(btf_idf, "b_ij log(d/b_i)"),
    "tf-icf": Scheme(tf_icf, "n_ij log(n/n_i)"),
    "lambda": Scheme(plr_share, "λ_ij", signed=True),
    "s-lambda": Scheme(plr_sigmoid, "1/(1 + exp(−λ_ij))"),
    "counts": Scheme(raw_counts, "n_ij"),
    "sublinear-tf-idf": Scheme(sublinear_tf_idf, "(1 + log n_ij)(1 + log(d/b_i))"),
    "bm25": Scheme(bm25, "2.2 n_ij/(n_ij + 1.2 L_j) log(d/b_i)"),
    "bm25-icf": Scheme(bm25_icf, "2.2 n_ij/(n_ij + 1.2 L_j) log(n/n_i)"),
    "surprisal": Scheme(surprisal, "−log P(N = n_ij)", "patterns", needs_fit=True),
    "discounted-tf-icf": Scheme(discounted_tf_icf, "α(ψ(n_ij + α) − ψ(α)) log(n/n_i)", "patterns", needs_fit=True),
    "normalised-discounted-tf-icf": Scheme(
        normalised_discounted_tf_icf, "A(ψ(n_ij/L_j + A) − ψ(A)) log(n/n_i)", "patterns", needs_fit=True
    ),
    "damped-tf-idf": Scheme(damped_tf_idf, "A(ψ(n_ij/L_j + A) − ψ(A)) √log(d/b_i)", "patterns", needs_fit=True),
    "posterior-lift": Scheme(posterior_lift, "log[(α + n_ij)/(α_0 + n_j)/p]", "patterns", needs_fit=True),
    "pearson": Scheme(pearson_residual, "(n_ij − n_j p)/√(n_j p(1 − p)φ_j)", "patterns", needs_fit=True, signed=True),
    "deviance": Scheme(deviance_residual, "±√(deviance/φ_j)", "patterns", needs_fit=True, signed=True),
    "fisher": Scheme(fisher, "−log P(N ≥ n_ij), hypergeometric"),
    "two-stage": Scheme(two_stage, "log(d/b_i) + (n_ij − 1) log(1/ρ_i)"),
    "fisher-kernel": Scheme(fisher_kernel, "(ψ(n_ij + α) − ψ(α))/√I_i", "patterns", needs_fit=True),
}
RECOMMENDED_SCHEME = "damped-tf-idf"  # by cross-validation on training documents: benchmarks/quality


def named_scheme(name: str) -> Scheme:
    """The scheme of that name, or a sentence with the names there are.

    Examples
    --------
    >>> named_scheme("tf-icf").formula
    'n_ij log(n/n_i)'
    """
    if not isinstance(name, str) or name not in SCHEMES:
        raise ValueError(f"scheme is one of {', '.join(map(repr, SCHEMES))}; got {name!r}")
    return SCHEMES[name]


def _rows(counts: Any) -> NDArray[np.intp]:
    """The document of every stored cell."""
    return np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))


def _relative_length(counts: Any, statistics: TermStatistics, mu: float | None) -> Floats:
    """L_j = ¼ + ¾ n_j/μ of every stored cell; μ is by default the mean length of the collection."""
    mean = statistics.mean_length if mu is None else mu
    relative: Any = (1 - LENGTH_SHARE + LENGTH_SHARE * document_lengths(counts) / max(mean, 1e-300))[_rows(counts)]
    return np.asarray(relative, dtype=np.float64)


def _saturated(counts: Any, statistics: TermStatistics, mu: float | None) -> Floats:
    return counts.data * (SATURATION + 1) / (counts.data + SATURATION * _relative_length(counts, statistics, mu))


def _alpha(fit: Any) -> Floats:
    """α̂, and for terms that are all or nothing in every document, of which the supremum is at 0, next to nothing."""
    return np.maximum(np.nan_to_num(fit.alpha, nan=np.inf, posinf=np.inf), 1e-6)


def _discounted(count: Any, a: Floats) -> Floats:
    """a(ψ(x + a) − ψ(a)), which is Σ_q a/(a + q) for whole x; x where a is so large that nothing is discounted."""
    large = a > 1e8
    finite = np.where(large, 1.0, a)
    return np.where(large, count, finite * (special.digamma(count + finite) - special.digamma(finite)))


def _moments(counts: Any, fit: Any) -> tuple[Floats, Floats, Floats]:
    """n_j and p of every stored cell, and the variance over the binomial's."""
    n_j = document_lengths(counts)[_rows(counts)].astype(np.float64)
    alpha_0 = np.nan_to_num(fit.alpha_0[counts.indices], nan=np.inf, posinf=np.inf)
    with np.errstate(invalid="ignore"):
        spread = np.where(np.isinf(alpha_0), 1.0, (alpha_0 + n_j) / (alpha_0 + 1))
    return n_j, fit.mean[counts.indices], spread


def _log_hypergeometric_tail(k: Floats, n: Floats, n_i: Floats, n_j: Floats) -> Floats:
    """log P(N ≥ k): from the first term on, each next one by its ratio, for as long as it matters.

    Where k is below the mean these first grow, for as many steps as that is away.
    """
    g = special.gammaln
    log_first = (
        g(n_i + 1) - g(k + 1) - g(n_i - k + 1) + g(n - n_i + 1) - g(n_j - k + 1) - g(n - n_i - n_j + k + 1)
        - g(n + 1) + g(n_j + 1) + g(n - n_j + 1)
    )  # fmt: skip
    total, scale = np.ones_like(k), np.zeros_like(k)
    term, at = np.ones_like(k), np.arange(k.size)
    q = k.copy()
    while at.size:
        term = term * (n_i[at] - q) * (n_j[at] - q) / ((q + 1) * (n[at] - n_i[at] - n_j[at] + q + 1))
        total[at] += term
        large = total[at] > 1e200
        if large.any():
            scale[at[large]] += np.log(1e200)
            total[at[large]] /= 1e200
            term[large] /= 1e200
        on = (term > 1e-17 * total[at]) & (q + 1 < np.minimum(n_i[at], n_j[at]))
        at, term, q = at[on], term[on], q[on] + 1
    return np.minimum(log_first + np.log(total) + scale, 0.0)


def _icf(statistics: TermStatistics) -> Floats:
    return _log_inverse(statistics.tokens, statistics.collection_frequency)


def _idf(statistics: TermStatistics) -> Floats:
    return _log_inverse(statistics.documents, statistics.document_frequency)


def _log_inverse(whole: int, part: NDArray[np.int64]) -> Floats:
    """log(whole/part), and 0 for what was never seen."""
    return np.where(part > 0, np.log(max(whole, 1) / np.maximum(part, 1)), 0.0)


def _unseen_zero(weights: Floats, counts: Any, statistics: TermStatistics) -> Floats:
    unseen = statistics.collection_frequency == 0
    if unseen.any():
        weights[unseen[counts.indices]] = 0.0
    return weights
