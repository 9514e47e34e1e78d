"""Ranking models: one pure function each, from a collection to one weight per posting and one constant per document.

Every model scores a document d for a query q of |q| words, in which the term t occurs q_t times, as

    score(q, d) = Σ_{t in q and d} q_t · w_td + |q| · v_d,

where w_td > 0 is the weight of a posting and v_d the constant of a document: a query costs one sum over its postings.
The score of a language model is log p(q | d)/p(q | collection), which gives the same ranking as p(q | d).
Words that are not in the collection are ignored: they have the same probability in every document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.checks import checked_number, shown
from termburst.retrieval.collection import Collection

Floats = NDArray[np.float64]
LEAST, MOST = 1e-100, 1e100  # limits of a parameter: beyond them scores overflow and are NaN


@dataclass(frozen=True, slots=True, eq=False)
class PostingWeights:
    """The weights that a model computes for a collection.

    Attributes
    ----------
    postings : array
        w_td > 0, one per stored cell of `Collection.counts`.
    documents : array of shape (d,)
        v_d, added once for each word of the query.
    """

    postings: Floats
    documents: Floats


def spud(collection: Collection, *, omega: float = 0.8) -> PostingWeights:
    """SPUD with Dirichlet smoothing: a Pólya urn for the document and one for the collection, mixed by mass.

    p(t | d) = ((1 − ω) m_d c_td/|d| + ω m_c df_t/Σdf) / ((1 − ω) m_d + ω m_c)

    m_d is the number of *distinct* terms of d, a document length that bursts do not inflate. m_c is the mass of the
    background urn (`background_mass`). With μ = ω m_c/(1 − ω),
    w_td = log(1 + m_d c_td/|d| / (μ df_t/Σdf)) and v_d = log(μ/(m_d + μ)).

    Cummins, Paik and Lv, "A Pólya urn document language model for improved information retrieval", TOIS 33(4), 2015
    (arXiv:1502.00804). We had no access to the paper itself. The formula, the background and ω = 0.8 were checked
    against the first author's Lucene code (SPUDLMSimilarity with method "spud", LMNormScoreProvider, and estimateB0 of
    QuerySearch).

    Examples
    --------
    >>> weights = spud(Collection.from_counts([[3, 1, 0], [1, 1, 2], [0, 1, 1]]))
    >>> bool((weights.postings > 0).all()), weights.documents.round(2)
    (True, array([-0.2 , -0.29, -0.2 ]))
    """
    _check_share("omega", omega)
    mu = omega * background_mass(collection) / (1 - omega)
    return _urn(collection, collection.counts.data / _lengths_by_posting(collection), mu)


def generalised_spud(collection: Collection, *, omega: float = 0.8) -> PostingWeights:
    """SPUD with a diagonal replacement matrix: each token t adds r_t balls to the urn of the document, not 1.

    The tokens fill the urn of the document, p(t | d) ∝ r_t c_td, so m_d c_td/|d| in `spud` becomes
    m_d r_t c_td / Σ_t' r_t' c_t'd. If all r_t are equal, this is `spud`. A term that tends to come in bursts
    (`replacement_weights`) says more about the topic of a document than a term that is spread evenly.

    Cummins, "Modelling word burstiness in natural language: a generalised Pólya process for document language models in
    information retrieval", 2017 (arXiv:1708.06011), has the generalised urn, and a diagonal matrix for term-specific
    burstiness. We only had its abstract: this form of the document's urn and the estimate of r_t are ours.

    Examples
    --------
    >>> counts = [[3, 1, 0], [1, 1, 2], [0, 1, 1]]
    >>> once, general = (model(Collection.from_counts(counts)).postings[0] for model in (spud, generalised_spud))
    >>> bool(general > once)
    True
    """
    _check_share("omega", omega)
    mass = background_mass(collection)
    added = collection.by_posting(replacement_weights(collection, mass)) * collection.counts.data
    total = np.bincount(collection.counts.indices, added, minlength=collection.lengths.size)
    return _urn(collection, added / total[collection.counts.indices], omega * mass / (1 - omega))


def lm_dirichlet(collection: Collection, *, mu: float = 2000.0) -> PostingWeights:
    """The multinomial language model with Dirichlet smoothing: p(t | d) = (c_td + μ cf_t/n) / (|d| + μ).

    Zhai and Lafferty, "A study of smoothing methods for language models applied to information retrieval", TOIS 22(2),
    2004. μ = 2000 is their value and the default of Lucene.

    Examples
    --------
    >>> lm_dirichlet(Collection.from_counts([[3, 1], [0, 1]]), mu=1).postings.round(4)
    array([1.7918, 1.2528, 1.2528])
    """
    mu = checked_number("mu", mu, LEAST, MOST)
    prior = mu * collection.collection_frequency / max(collection.tokens, 1)
    return PostingWeights(
        np.log1p(collection.counts.data / collection.by_posting(prior)), -np.log1p(collection.lengths / mu)
    )


def lm_jelinek_mercer(collection: Collection, *, smoothing: float = 0.7) -> PostingWeights:
    """The multinomial language model with linear smoothing: p(t | d) = (1 − λ) c_td/|d| + λ cf_t/n, λ = `smoothing`.

    Zhai and Lafferty (2004), who found that about 0.7 is best for long queries and 0.1 for titles.

    Examples
    --------
    >>> lm_jelinek_mercer(Collection.from_counts([[3, 1], [0, 1]]), smoothing=0.5).postings.round(4)
    array([0.8109, 0.4855, 1.2528])
    """
    _check_share("smoothing", smoothing)
    background = collection.by_posting(collection.collection_frequency) / max(collection.tokens, 1)
    share = collection.counts.data / _lengths_by_posting(collection)
    return PostingWeights(
        np.log1p((1 - smoothing) / smoothing * share / background), np.full(collection.lengths.size, np.log(smoothing))
    )


def bm25(collection: Collection, *, k1: float = 1.2, b: float = 0.75) -> PostingWeights:
    """BM25 as in Lucene: log(1 + (d − df_t + ½)/(df_t + ½)) · c_td / (c_td + k_1 (1 − b + b |d|/mean length)).

    Robertson and Zaragoza, "The probabilistic relevance framework: BM25 and beyond", 2009. The idf is never negative.
    The factor k_1 + 1 is left out, because it is the same for all documents.

    Examples
    --------
    >>> bm25(Collection.from_counts([[3, 1], [0, 1]])).postings.round(4)
    array([0.4387, 0.0665, 0.1098])
    """
    k1, b = checked_number("k1", k1, LEAST, MOST), checked_number("b", b, 0, 1, low_too=True)
    d = collection.lengths.size
    idf = np.log1p((d - collection.document_frequency + 0.5) / (collection.document_frequency + 0.5))
    mean_length = collection.tokens / d if collection.tokens else 1.0
    norm = k1 * (1 - b + b * collection.lengths / mean_length)
    count = collection.counts.data
    return PostingWeights(collection.by_posting(idf) * count / (count + norm[collection.counts.indices]), np.zeros(d))


Model = Callable[..., PostingWeights]
MODELS: dict[str, Model] = {
    "spud": spud,
    "gspud": generalised_spud,
    "lm-dirichlet": lm_dirichlet,
    "lm-jm": lm_jelinek_mercer,
    "bm25": bm25,
}


def background_mass(collection: Collection) -> float:
    """m_c, the mass of the background urn: the s that solves s Σ_j [ψ(s + |d_j|) − ψ(s)] = Σ_t df_t.

    This is the maximum-likelihood estimate of Elkan's exponential-family approximation of the Dirichlet-multinomial,
    "edcm" in `fit_dirichlet_multinomial`. If no document repeats a term, s would be infinite; if no document has a
    second distinct term, s would be 0. Such collections get the bounds that hold for all others: with one repetition
    s ≤ Σ_j |d_j|(|d_j| − 1)/2, with one second term s ≥ 1/Σ_j Σ_{k<|d_j|} 1/k.

    Examples
    --------
    >>> round(background_mass(Collection.from_counts([[3, 1, 0], [1, 1, 2], [0, 1, 1]])), 4)
    2.2599
    """
    from scipy.special import digamma

    from termburst.models.dirichlet_multinomial import fit_dirichlet_multinomial

    lengths = collection.lengths[collection.lengths > 0]
    harmonic = float((digamma(lengths) - digamma(1.0)).sum())
    if harmonic == 0:  # no document has two tokens, so nothing is known about bursts
        return 1.0
    precision = fit_dirichlet_multinomial(collection.counts, method="edcm").precision
    return float(np.clip(precision, 1 / harmonic, float((lengths * (lengths - 1.0)).sum()) / 2))


def replacement_weights(collection: Collection, mass: float) -> Floats:
    """r_t = 1 + m_c/α_0t: the token itself, and the balls that its burstiness adds. This estimate is ours.

    If each draw from an urn of mass m_c adds r balls, the counts of a term are beta-binomial with precision
    α_0 = m_c/r. The exact fit of the term (`fit_beta_binomial`) has precision α_0t, so r = m_c/α_0t. A fit at the
    boundary (α_0t infinite, no bursts) gives 0 balls, so that only the token itself counts.

    Examples
    --------
    >>> counts = [[9, 2, 1], [0, 2, 1], [0, 2, 1], [0, 2, 1]]
    >>> replacement_weights(Collection.from_counts(counts), 10.0).round(1)
    array([14.1,  2.3,  1. ])
    """
    from termburst.models.fit_beta_binomial import fit_beta_binomial

    fit = fit_beta_binomial(collection.counts)
    with np.errstate(invalid="ignore", divide="ignore"):
        balls = mass / (fit.alpha + fit.alpha_not)
    return 1.0 + np.where(np.isfinite(balls), balls, 0.0)


def _urn(collection: Collection, share: Floats, mu: float) -> PostingWeights:
    """Weights for a document urn of mass m_d with *share* (one per posting), and a background urn of mass μ."""
    distinct = collection.distinct.astype(np.float64)
    prior = mu * collection.document_frequency / max(int(collection.document_frequency.sum()), 1)
    own = share * distinct[collection.counts.indices]
    return PostingWeights(np.log1p(own / collection.by_posting(prior)), -np.log1p(distinct / mu))


def _lengths_by_posting(collection: Collection) -> Floats:
    return collection.lengths[collection.counts.indices].astype(np.float64)


def _check_share(name: str, value: Any) -> None:
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not (number and LEAST < value < 1):  # closer to 0 the inverse overflows and scores are NaN
        raise ValueError(f"{name} must be between 0 and 1; got {shown(value)}")
