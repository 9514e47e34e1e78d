"""The formulas of the term weights: one pure function per scheme. `schemes.py` has the table of their names.

A function takes counts (canonical CSR) and the background, what is known of a collection. It returns the weights of the
stored cells in their order. Cells where a term does not occur are not stored and have weight 0. A term that never
occurs in the collection has weight 0, too: nothing is known about it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from termburst.core import weights as core
from termburst.inference.plr import cell_coefficients
from termburst.models import closed_forms as forms
from termburst.names import Invalid
from termburst.statistics.matrix import over_rows
from termburst.statistics.rows import CountRows
from termburst.statistics.term_statistics import TermStatistics

Floats = NDArray[np.float64]

SATURATION, LENGTH_SHARE = 1.2, 0.75  # BM25's k and b
DAMPING, RARITY = 2.0, 0.5  # constants of "damped-tf-idf"
LOG_DAMPING, MOST_ALPHA, LOG_RARITY = 0.5, 4.0, 1.1  # constants of "log-damped-tf-idf"
LIFT_RARITY, LEAST_INFORMATION = 1.25, 0.3  # constants of "class-lift"
LEAST_POWER, EXPLAINED_POWER, LEAST_CONTRAST = 0.1, 1.4, 0.3  # constants of "class-damped"


@dataclass(frozen=True, slots=True)
class Background:
    """What is known of the collection from which weights are learned.

    Attributes
    ----------
    statistics : its statistics, with the detail that the scheme needs
    fit : the exact fit of every term, for the schemes that need one
    mu, sigma2, invalid : options of `termburst.plr_statistic`; by default μ is the mean document length
    contrast, explained, information : one number per term each, which labels give; None without labels
    """

    statistics: TermStatistics
    fit: Any = None
    mu: float | None = None
    sigma2: float = 1.0
    invalid: Invalid = "clamp"
    contrast: Floats | None = None
    explained: Floats | None = None
    information: Floats | None = None


def tf_idf(counts: Any, of: Background) -> Floats:
    """n_ij log(d/b_i) (Eq. tfidf). Unlike scikit-learn's default, the IDF is not smoothed, and 1 is not added."""
    return counts.data * _idf(of.statistics)[counts.indices]


def btf_idf(counts: Any, of: Background) -> Floats:
    """b_ij log(d/b_i), b_ij = [n_ij > 0] (Eq. btfidf)."""
    return _idf(of.statistics)[counts.indices]


def tf_icf(counts: Any, of: Background) -> Floats:
    """n_ij log(n/n_i) (Eq. tficf)."""
    return counts.data * _icf(of.statistics)[counts.indices]


def plr_share(counts: Any, of: Background) -> Floats:
    """λ_ij, the part of the document in λ_i (Eq. lambda-ij); may be negative."""
    return _unseen_zero(cell_coefficients(of.statistics, of.mu, of.sigma2, of.invalid)(counts), counts, of)


def plr_sigmoid(counts: Any, of: Background) -> Floats:
    """S(λ_ij) = 1/(1 + exp(−λ_ij)), the paper's weight, between 0 and 1."""
    weights = cell_coefficients(of.statistics, of.mu, of.sigma2, of.invalid)(counts, sigmoid=True)
    return _unseen_zero(weights, counts, of)


def raw_counts(counts: Any, of: Background) -> Floats:
    """n_ij, unchanged."""
    return _unseen_zero(counts.data.astype(np.float64), counts, of)


def sublinear_tf_idf(counts: Any, of: Background) -> Floats:
    """(1 + log n_ij)(1 + log(d/b_i)): scikit-learn's sublinear TF–IDF, unsmoothed."""
    seen = of.statistics.collection_frequency > 0
    return _weighted(counts, core.sublinear_weights, rarity=np.where(seen, 1 + _idf(of.statistics), 0.0))


def bm25(counts: Any, of: Background) -> Floats:
    """n_ij (k + 1)/(n_ij + k L_j) · log(d/b_i), L_j = 1 − b + b n_j/μ, k = 1.2, b = ¾ (Robertson & Zaragoza 2009)."""
    return _saturated(counts, of, _idf(of.statistics))


def class_lift(counts: Any, of: Background) -> Floats:
    """n_ij (k + 1)/(n_ij + k L_j) · (1 + log((1 + d)/(1 + b_i)))^1.25 · √(0.3 + g_i): for linear models with labels.

    BM25 with a steeper, smoothed IDF, times what the presence of the term tells about the class of a document, g_i in
    nats. It is measured on documents that are left out one by one, so that rare words do not look typical of a class
    only because each of them has to be in some class (`termburst.models.class_evidence.class_information`). Without
    labels the last factor is 1. Scale rows to unit length. The constants were chosen on training documents of eight
    collections.
    """
    b_i = of.statistics.document_frequency
    rarity = (1 + np.log((1 + of.statistics.documents) / (1 + b_i))) ** LIFT_RARITY
    if of.information is not None:
        rarity = rarity * np.sqrt(LEAST_INFORMATION + of.information)
    return _saturated(counts, of, np.where(b_i > 0, rarity, 0.0))


def class_damped(counts: Any, of: Background) -> Floats:
    """n_ij^a_i √[(1 + log((1 + d)/(1 + b_i))) (0.3 + s_i)], a_i = min(0.1 + 1.4 e_i, 1): for naive Bayes with labels.

    A power of the count, and the square root of a smoothed IDF and of the contrast s_i between classes, how much they
    surely differ in the term: s_i = max_c max(|r_ci| − ε_ci, 0), r_ci the log-ratio of its rate in class c to that in
    the others, from documents, and ε_ci its standard error (`termburst.models.margins.class_contrast`). Naive Bayes
    takes words to be independent, so that it overrates repeats and rare words of one class. e_i is the share of the
    burstiness of the term that the classes explain (`termburst.models.class_evidence.explained_burstiness`): a word
    that repeats because it belongs to its class counts each time, as naive Bayes supposes; one that repeats in single
    documents of a class is damped. Without labels a_i is ½ and the last factor 1. The constants were chosen on training
    documents of eight collections.
    """
    if of.explained is None:
        power: Any = 0.5
    else:
        power = np.minimum(LEAST_POWER + EXPLAINED_POWER * of.explained, 1.0)[counts.indices]
    return np.asarray(counts.data**power * np.sqrt(_class_factor(of))[counts.indices])


def damped_tf_idf(counts: Any, of: Background) -> Floats:
    """A(ψ(n_ij/L_j + A) − ψ(A)) log(d/b_i)^p, A = α + 2, L_j = ¼ + ¾ n_j/μ, p = ½.

    Repeats are discounted by the burstiness of the term, documents are normalised to one length as in BM25, and the IDF
    enters by its square root: naive Bayes itself learns how informative a term is, so the full IDF is too much. The
    constants were chosen by cross-validation on training documents of two collections.
    """
    rarity = _idf(of.statistics) ** RARITY
    return _discounted(counts, _alpha(of.fit) + DAMPING, rarity, LENGTH_SHARE, _mean_length(of))


def log_damped_tf_idf(counts: Any, of: Background) -> Floats:
    """log(1 + n_ij/A)/log(1 + 1/A) · (1 + log((1 + d)/(1 + b_i)))^q, A = min(α, 4) + ½, q = 1.1: for linear models.

    The first occurrence counts 1. How much the others count depends on the burstiness of the term: from almost nothing
    (α near 0) to nearly as much as the first one (the most that is allowed is A = 4.5, since an α of few repeats is
    uncertain). The IDF is smoothed as in scikit-learn. Scale rows to unit length. In short texts, where words hardly
    repeat, this is nearly presence times rarity. The constants were chosen on training documents of eight collections.
    """
    a = np.minimum(_alpha(of.fit), MOST_ALPHA) + LOG_DAMPING
    b_i = of.statistics.document_frequency
    rarity = (1 + np.log((1 + of.statistics.documents) / (1 + b_i))) ** LOG_RARITY
    per_term = np.where(b_i > 0, rarity / np.log1p(1 / a), 0.0)
    return np.asarray(np.log1p(counts.data / a[counts.indices]) * per_term[counts.indices])


def pearson_residual(counts: Any, of: Background) -> Floats:
    """(n_ij − n_j p)/√(n_j p(1 − p) φ_j), φ_j = (α_0 + n_j)/(α_0 + 1): in beta-binomial deviations. May be < 0."""
    return _weighted(counts, core.pearson_weights, alpha=of.fit.alpha, alpha_0=of.fit.alpha_0, mean=of.fit.mean)


def deviance_residual(counts: Any, of: Background) -> Floats:
    """±√(2[n_ij log(n_ij/n_j p) + (n_j − n_ij) log((n_j − n_ij)/(n_j(1 − p)))]/φ_j): binomial, over the spread φ_j.

    Its sign is that of n_ij − n_j p; φ_j is as in `pearson_residual`.
    """
    return _weighted(counts, core.deviance_weights, alpha=of.fit.alpha, alpha_0=of.fit.alpha_0, mean=of.fit.mean)


def fisher(counts: Any, of: Background) -> Floats:
    """−log P(N ≥ n_ij), where N is hypergeometric: n_j draws from n tokens, of which n_i are the term.

    This is Fisher's exact test, one-sided, of term and document; TF–IDF is a limit of it (Sheridan, Ahmed & Farooque
    2023). A document that is not in the collection is treated as if it were.
    """
    n_i = of.statistics.collection_frequency.astype(np.float64)
    return _weighted(counts, core.tail_weights, n_i=n_i, tokens=float(of.statistics.tokens))


def two_stage(counts: Any, of: Background) -> Floats:
    """log(d/b_i) + (n_ij − 1) log(n_i/(n_i − b_i)): presence, then abundance (after Sunehag 2007).

    A term is in a document with probability b_i/d; if so, each occurrence is followed by another with probability
    ρ_i = (n_i − b_i)/n_i, so that the mean abundance is n_i/b_i. The weight is −log of this probability, without the
    factor 1 − ρ_i for the end, which is not evidence. A term that never repeats has ρ_i = ½/n_i. The two stages are
    Sunehag's; the geometric abundance is ours.
    """
    n_i = np.maximum(of.statistics.collection_frequency, 1)
    repeats = np.maximum(n_i - of.statistics.document_frequency, 0.5)
    again = np.log(n_i / np.minimum(repeats, n_i))
    weights = _idf(of.statistics)[counts.indices] + (counts.data - 1) * again[counts.indices]
    return _unseen_zero(weights, counts, of)


def fisher_kernel(counts: Any, of: Background) -> Floats:
    """(ψ(n_ij + α) − ψ(α))/√I_i: the term's part of the Fisher score of a Dirichlet-multinomial (Elkan 2005).

    I_i is its mean square over the collection, the diagonal of the empirical Fisher information. α is from the exact
    fit of the term, not from a fit of the whole vocabulary. At the boundary it is n_ij/√(Σ_j n_ij²/d).
    """
    alpha, rows = _alpha(of.fit), cast(CountRows, of.statistics.rows)
    squares = core.discounted_squares(rows.indptr, rows.count, rows.documents, alpha)
    root = np.sqrt(squares / max(of.statistics.documents, 1))
    return _discounted(counts, alpha, np.divide(1.0, root, out=np.zeros_like(root), where=root > 0))


def _weighted(counts: Any, kernel: Callable[..., None], **terms: Any) -> Floats:
    """The weights of the stored cells, by a kernel of the core that takes *terms* by keyword."""
    weights = np.empty(counts.nnz)
    over_rows(counts, lambda block, _, cells: kernel(block, weights[cells], **terms))
    return weights


def _mean_length(of: Background) -> float:
    """μ in L_j = ¼ + ¾ n_j/μ, by default the mean document length of the collection."""
    return max(of.statistics.mean_length if of.mu is None else of.mu, 1e-300)


def _saturated(counts: Any, of: Background, rarity: Floats) -> Floats:
    options = {"share": LENGTH_SHARE, "mean": _mean_length(of), "saturation": SATURATION}
    return _weighted(counts, core.saturated_weights, rarity=rarity, **options)


def _class_factor(of: Background) -> Floats:
    """(1 + log((1 + d)/(1 + b_i))) (0.3 + s_i), the second factor 1 without labels; 0 for a term that never occurs."""
    b_i = of.statistics.document_frequency
    rarity = 1 + np.log((1 + of.statistics.documents) / (1 + b_i))
    return np.where(b_i > 0, rarity if of.contrast is None else rarity * (LEAST_CONTRAST + of.contrast), 0.0)


def _alpha(fit: Any) -> Floats:
    """α̂, at least 1e-6: if every document is only the term or without it, the supremum is at 0."""
    return np.maximum(np.nan_to_num(fit.alpha, nan=np.inf, posinf=np.inf), 1e-6)


def _discounted(counts: Any, a: Floats, rarity: Floats, share: float = 0.0, mean: float = 1.0) -> Floats:
    """a(ψ(x + a) − ψ(a)) times *rarity*, x = n_ij/L_j and L_j = 1 − share + share n_j/mean.

    For integer x it is Σ_q a/(a + q); at a = ∞ it is x, without a discount.
    """
    return _weighted(counts, core.discounted_weights, pairs=np.column_stack([a, rarity]), share=share, mean=mean)


def _icf(statistics: TermStatistics) -> Floats:
    """log(n/n_i); 0 for a term that never occurs."""
    n_i = statistics.collection_frequency
    return np.where(n_i > 0, forms.icf(forms.NUMPY, max(statistics.tokens, 1), n_i), 0.0)


def _idf(statistics: TermStatistics) -> Floats:
    """log(d/b_i); 0 for a term that never occurs."""
    b_i = statistics.document_frequency
    return np.where(b_i > 0, forms.idf(forms.NUMPY, max(statistics.documents, 1), b_i), 0.0)


def _unseen_zero(weights: Floats, counts: Any, of: Background) -> Floats:
    unseen = of.statistics.collection_frequency == 0
    if unseen.any():
        weights[unseen[counts.indices]] = 0.0
    return weights
