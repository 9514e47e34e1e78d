"""How much more the burst ratio of a term varies between samples of documents than the beta-binomial says.

Text is not exactly beta-binomial: a word may burst more in long documents, or in one kind of them. Then a likelihood
ratio is too large by a factor κ, the ratio of the sandwich variance of log(R − 1) to that of the model. (On 20
Newsgroups κ is 1.4 to 1.5; with κ = 1, two random halves would differ at 5 % in 9 to 11 % of the words in 5 documents
or more.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from termburst.core import beta_binomial as core
from termburst.models.cells import TermCells
from termburst.models.fit_beta_binomial import BetaBinomialFit
from termburst.models.length_table import LengthTable

Floats = NDArray[np.float64]

CLASSES = 16  # of document lengths, for the documents without the term
BANDS = np.array([5, 10, 20, 50, 200])  # of documents with the term; in each, κ has one mean
ENOUGH = 10  # documents with a term, from which on its own κ counts in full
TERMS = 30  # in a band, for a mean
LARGEST = 10.0  # κ of a term in the mean
STEADY = 1e6  # α_0 from which on a term is so even that the sums of its score cancel


@dataclass(frozen=True, slots=True)
class ScaleSums:
    """What terms learn from each other: in each of the `BANDS`, how many terms have a κ of their own, and its sum.

    The sums over parts of the terms add up to those over all, so that κ is the same if terms are dealt out to workers.
    """

    terms: Floats
    scale: Floats


def scale_sums(cells: TermCells, fit: BetaBinomialFit) -> ScaleSums:
    """The sums over these terms."""
    return _sums(cells, _own_scale(cells, fit))


def _sums(cells: TermCells, own: Floats) -> ScaleSums:
    known = _known(cells, own)
    band = np.searchsorted(BANDS, cells.b_i, side="right") - 1
    among = [np.minimum(own[known & (band == k)], LARGEST) for k in range(BANDS.size)]
    return ScaleSums(np.array([float(some.size) for some in among]), np.array([float(some.sum()) for some in among]))


def _known(cells: TermCells, own: Floats) -> NDArray[np.bool_]:
    return np.isfinite(own) & (cells.b_i >= BANDS[0])


def robust_scale(cells: TermCells, fit: BetaBinomialFit, sums: ScaleSums | None = None) -> Floats:
    """κ of every term: its own, the mean of terms in about as many documents, or 1, whichever is largest.

    The own κ of a term in 5 to 9 documents is noisy, so only half of what it exceeds the mean by is added. In fewer
    documents there is no κ to learn from: a term in b of them has 1 + (κ − 1)b/5, where κ is that of 5 to 9 documents.
    A band of fewer than 30 terms has no mean: there κ is 1. If *cells* are only some terms of a collection, *sums* are
    those over all.

    Examples
    --------
    >>> import termburst as tb
    >>> from termburst.models.cells import term_cells
    >>> cells = term_cells([[4, 26], [0, 31], [0, 28], [1, 24], [0, 30], [5, 15]])
    >>> robust_scale(cells, tb.fit_beta_binomial(cells)).tolist()
    [1.0, 1.0]
    """
    own = _own_scale(cells, fit)
    sums = _sums(cells, own) if sums is None else sums
    mean = np.where(sums.terms >= TERMS, np.maximum(sums.scale / np.maximum(sums.terms, 1), 1.0), 1.0)
    band = np.searchsorted(BANDS, np.maximum(cells.b_i, BANDS[0]), side="right") - 1
    learned = 1 + (mean[band] - 1) * np.minimum(cells.b_i / BANDS[0], 1.0)
    trust = np.where(cells.b_i >= ENOUGH, 1.0, 0.5)
    return np.where(_known(cells, own), np.maximum(learned, learned + trust * (own - learned)), learned)


def _own_scale(cells: TermCells, fit: BetaBinomialFit) -> Floats:
    """The ratio of the two variances of log(R − 1); NaN if the fit is not inside.

    With H the Hessian of ℓ and J = Σ_j u_j u_j′ over the scores of the documents, in (τ, ω): c′H⁻¹JH⁻¹c / c′(−H)⁻¹c,
    where c = (−α_0/(1 + α_0), −1) is the gradient of log(R − 1) = −ω − log(1 + e^τ). The scores are those at the fit,
    so J is too small: of b documents that have the term, two are spent on τ and ω, and J is multiplied by b/(b − 2)
    (MacKinnon and White 1985, HC1).
    """
    inside = np.flatnonzero((fit.status == "converged") & (fit.alpha_0 < STEADY))
    own = np.full(fit.mean.size, np.nan)
    if not inside.size:
        return own
    tau, omega = np.log(fit.alpha_0[inside]), np.log(fit.alpha[inside]) - np.log(fit.alpha_not[inside])
    table = LengthTable.of(cells.lengths, cells.length_documents).for_kernels()
    d = core.derivatives(cells.for_kernels(), table, inside, tau, omega, np.zeros(4))
    j_tt, j_to, j_oo = (part[inside] for part in _score_products(cells, fit))
    determinant = d["tau_tau"] * d["omega_omega"] - d["tau_omega"] ** 2
    v_tt, v_to, v_oo = (x / determinant for x in (-d["omega_omega"], d["tau_omega"], -d["tau_tau"]))
    c = -fit.alpha_0[inside] / (1 + fit.alpha_0[inside])
    on_tau, on_omega = v_tt * c - v_to, v_to * c - v_oo
    model = on_tau * c - on_omega
    robust = on_tau**2 * j_tt + 2 * on_tau * on_omega * j_to + on_omega**2 * j_oo
    with np.errstate(invalid="ignore", divide="ignore"):
        own[inside] = np.where(model > 0, robust / model, np.nan) / np.maximum(1 - 2 / cells.b_i[inside], 1 / 3)
    return own


def _score_products(cells: TermCells, fit: BetaBinomialFit) -> tuple[Floats, Floats, Floats]:
    """J of every term: Σ_j u_τ², Σ_j u_τ u_ω, Σ_j u_ω²; without a meaning if the fit is not inside.

    Documents without the term are taken in classes of length, each at its mean length.
    """
    usable = (fit.status == "converged") & (fit.alpha_0 < STEADY)
    alpha, alpha_not, alpha_0 = (np.where(usable, x, 1.0) for x in (fit.alpha, fit.alpha_not, fit.alpha_0))
    share = alpha * alpha_not / alpha_0
    low, rest, all_tokens = digamma(alpha), digamma(alpha_not), digamma(alpha_0)
    term, count, length = cells.term, cells.count.astype(np.float64), cells.length.astype(np.float64)
    here = digamma(count + alpha[term]) - low[term]
    there = digamma(length - count + alpha_not[term]) - rest[term]
    u_tau = alpha[term] * here + alpha_not[term] * there
    u_tau -= alpha_0[term] * (digamma(length + alpha_0[term]) - all_tokens[term])
    u_omega = share[term] * (here - there)
    products = [cells.sum(u_tau**2), cells.sum(u_tau * u_omega), cells.sum(u_omega**2)]
    for mean_length, without in _without_term(cells, term):
        there = digamma(mean_length + alpha_not) - rest
        v_tau = alpha_not * there - alpha_0 * (digamma(mean_length + alpha_0) - all_tokens)
        v_omega = -share * there
        for k, value in enumerate((v_tau**2, v_tau * v_omega, v_omega**2)):
            products[k] += without * value
    return products[0], products[1], products[2]


def _without_term(cells: TermCells, term: NDArray[np.int64]) -> list[tuple[float, Floats]]:
    """For each class of document lengths: the mean length, and the number of documents without each term."""
    filled = cells.lengths > 0
    lengths, documents = cells.lengths[filled].astype(np.float64), cells.length_documents[filled].astype(np.float64)
    middle = (np.cumsum(documents) - documents / 2) / documents.sum()
    classes = np.minimum((middle * CLASSES).astype(np.intp), CLASSES - 1)
    of_cell = classes[np.searchsorted(cells.lengths[filled], cells.length)]
    weight = np.broadcast_to(cells.weight, cells.count.shape)
    with_term = np.bincount(of_cell * cells.n_i.size + term, weight, CLASSES * cells.n_i.size)
    found = []
    for k, having in enumerate(with_term.reshape(CLASSES, -1)):
        size = documents[classes == k].sum()
        if size:
            found.append((float(lengths[classes == k] @ documents[classes == k] / size), size - having))
    return found
