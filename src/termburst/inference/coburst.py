"""Terms that burst together: does one term burst in the same documents as another?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import gammaln, xlogy

from termburst.inference.checks import shown
from termburst.inference.multiplicity import adjust_log10
from termburst.models import beta_binomial, binomial
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.statistics.labels import checked_terms
from termburst.statistics.matrix import Integers, canonical_counts, document_lengths
from termburst.statistics.term_statistics import TermStatistics

Floats = NDArray[np.float64]
STRATA = 20  # of document length
SPARE = 300  # extra pairs whose exact p is computed, since the bound that selects pairs is not exact
_BLOCK = 512  # terms whose pairs are in memory at a time


@dataclass(frozen=True, slots=True)
class CoBursts:
    """Pairs of terms, smallest p first unless the pairs were given; arrays have one entry per pair.

    Attributes
    ----------
    first, second : columns of the count matrix
    shared : T, the number of documents where both burst (or occur, with event="occurrence")
    first_documents, second_documents : the number of documents where each term does
    expected : the mean of T if the two were independent given the length of the document
    p_value, log10_p : P(T* ≥ T), exact over all permutations of documents within strata of length
    q_value : `p_value` adjusted by Benjamini and Hochberg over all pairs tested, including those not returned
    tested : the number of pairs tested
    """

    first: Integers
    second: Integers
    shared: Integers
    first_documents: Integers
    second_documents: Integers
    expected: Floats
    p_value: Floats
    log10_p: Floats
    q_value: Floats
    tested: int


def coburst(
    X: Any,
    pairs: Iterable[tuple[str | int, str | int]] | None = None,
    *,
    terms: Sequence[str] | NDArray[Any] | None = None,
    top: int = 100,
    max_terms: int = 2000,
    min_count: int = 10,
    min_documents: int = 5,
    event: str = "burst",
) -> CoBursts:
    """Test whether pairs of terms burst in the same documents, as "Socrates" and "Plato" do (the paper's outlook).

    **A burst.** Term i bursts in document j if its count is above its mean and more probable under the fitted
    beta-binomial than under the binomial of the same mean π̂_i = α̂_i/α̂_0:

    n_ij > n_j π̂_i  and  log BB(n_ij | n_j, α̂_i, α̂_¬i) > log Bin(n_ij | n_j, π̂_i).

    Both depend on the length of the document, so a long document is not a burst of every term. A single occurrence is
    never a burst: if 1 is above the mean, it is more probable under the binomial.

    **The test.** T = Σ_j I_ij I_kj counts the documents where both burst. Let stratum g of document length have N_g
    documents, and let term i burst in m_ig of them. Given these numbers, independent terms have

    T = Σ_g Hypergeometric(N_g, m_ig, m_kg),  E T = Σ_g m_ig m_kg / N_g,
    Var T = Σ_g m_ig m_kg (N_g − m_ig)(N_g − m_kg) / (N_g² (N_g − 1)).

    This is the distribution over all permutations of one term's bursts among the documents of a stratum. It is a sum of
    few discrete variables and is convolved exactly, not sampled: even p = 1e-1000 is computed, and there is no seed.
    Like every discrete exact test it is conservative if only a few shared documents are expected.

    Strata have equal numbers of tokens, not of documents: bursts are found in long documents, and these must be
    compared with documents of nearly the same length. With the lengths of 20 Newsgroups and independent terms whose
    share grows with document length, 3.7 % of the pairs are significant at 5 %; with ten strata of equal numbers of
    documents it is 13 %, without strata 51 %. Besides meaning, repeated text also makes pairs: signatures, quotations,
    reprinted articles.

    Parameters
    ----------
    X : count matrix
        The counts per document: statistics do not keep which document contains what.
    pairs : pairs of columns, or of names if *terms* is given; optional
        By default all pairs of the *max_terms* terms that gain most log-likelihood from the beta-binomial, among those
        that occur *min_count* times and burst in *min_documents* documents. Terms are selected one at a time, so the
        selection does not favour pairs.
    top : number of pairs to return, those with the smallest p. If *pairs* is given, all are returned, in that order.
    event : {"burst", "occurrence"}
        With "occurrence" the same test asks whether the terms *occur* in the same documents. It uses every document
        with the term and so finds more, but says less: words of one topic occur together without repeating.

    Examples
    --------
    >>> import numpy as np
    >>> plato, socrates = np.zeros((2, 200), dtype=int)
    >>> plato[:9], socrates[3:12] = 4, 5
    >>> X = np.column_stack([plato, socrates, np.roll(plato, 50), 90 - plato - socrates - np.roll(plato, 50)])
    >>> found = coburst(X, [("plato", "socrates"), ("plato", "sun")], terms=["plato", "socrates", "sun", "the"])
    >>> found.second.tolist(), found.shared.tolist(), found.expected.round(2).tolist()
    ([1, 2], [6, 0], [0.4, 0.4])
    """
    counts = _documents_with_tokens(X)
    asked = None if pairs is None else _columns(pairs, checked_terms(terms, counts.shape[1]), counts.shape[1])
    fit, strata_of = fit_beta_binomial(counts), length_strata(document_lengths(counts), STRATA)
    if asked is not None:
        columns = np.unique(asked)
        events = EVENTS[event](counts, columns, fit)
        i, k = np.searchsorted(columns, asked).T
        return _result(events, Null.of(events, strata_of), i, k, columns, len(asked), None)
    columns = _bursty(counts, fit, min_count)
    events = EVENTS[event](counts, columns, fit)
    kept = np.flatnonzero(np.diff(events.indptr) >= min_documents)[:max_terms]
    columns, events = columns[kept], events[:, kept]
    null = Null.of(events, strata_of)
    i, k = _promising(events, null, top + SPARE)
    return _result(events, null, i, k, columns, columns.size * (columns.size - 1) // 2, top)


def _documents_with_tokens(X: Any) -> Any:
    """Canonical counts of the documents that are not empty: no term can occur in an empty document."""
    if isinstance(X, TermStatistics):
        raise ValueError("co-bursts need a count matrix: statistics do not keep which document contains what")
    counts = canonical_counts(X)
    counts = counts[np.diff(counts.indptr) > 0]
    if not counts.shape[0]:
        raise ValueError("all documents are empty: there is nothing to test")
    return counts


def burst_documents(counts: Any, columns: Integers, fit: BetaBinomialFit) -> Any:
    """The documents where each of *columns* bursts, as a csc_matrix of ones: see `coburst`."""
    n_j = document_lengths(counts)
    chosen = counts.tocsc()[:, columns]
    term = np.repeat(columns, np.diff(chosen.indptr))
    count, length, mean = chosen.data, n_j[chosen.indices], fit.mean[term]
    above = np.flatnonzero((fit.status[term] == "converged") & (count > length * mean))
    count, length, mean, term = count[above], length[above], mean[above], term[above]
    gain = beta_binomial.log_pmf(count, length, fit.alpha[term], fit.alpha_not[term])
    gain -= binomial.log_pmf(count, length, mean)
    burst = np.zeros(chosen.nnz, dtype=np.int64)
    burst[above] = gain > 1e-9  # more than rounding: for a document of one token both models agree
    found = sp.csc_matrix((burst, chosen.indices, chosen.indptr), shape=chosen.shape)
    found.eliminate_zeros()
    return found


def occurrence_documents(counts: Any, columns: Integers, fit: BetaBinomialFit) -> Any:
    """The documents that contain each of *columns*, as a csc_matrix of ones."""
    chosen = counts.tocsc()[:, columns]
    return sp.csc_matrix((np.ones(chosen.nnz, dtype=np.int64), chosen.indices, chosen.indptr), shape=chosen.shape)


EVENTS: dict[str, Callable[[Any, Integers, BetaBinomialFit], Any]] = {
    "burst": burst_documents,
    "occurrence": occurrence_documents,
}


def length_strata(n_j: Integers, strata: int) -> Integers:
    """The stratum of each document: ascending length, equal numbers of tokens, equal lengths in the same stratum.

    Examples
    --------
    >>> import numpy as np
    >>> length_strata(np.array([1, 2, 3, 6, 6, 12, 30]), 3).tolist()
    [0, 0, 0, 0, 0, 1, 2]
    """
    lengths, which, documents = np.unique(n_j, return_inverse=True, return_counts=True)
    tokens = lengths * documents
    middle = np.cumsum(tokens) - tokens / 2
    return (strata * middle // max(int(tokens.sum()), 1)).astype(np.int64)[which]


@dataclass(frozen=True, slots=True)
class Null:
    """The null distribution of T: the documents of each stratum, and in how many of them each term bursts.

    Attributes
    ----------
    size : N_g, shape (strata,)
    margin : m_ig, shape (terms, strata)
    log_factorial : log x! for x up to the largest stratum
    """

    size: Floats
    margin: Floats
    log_factorial: Floats

    @classmethod
    def of(cls, events: Any, strata_of: Integers) -> Null:
        groups, strata_of = np.unique(strata_of, return_inverse=True)
        size = np.bincount(strata_of, minlength=groups.size)
        member = sp.csr_matrix((np.ones(strata_of.size), (strata_of, np.arange(strata_of.size))))
        margin = np.asarray((member @ events).T.todense(), dtype=np.float64)
        return cls(size.astype(np.float64), margin, gammaln(np.arange(size.max(initial=0) + 1) + 1.0))

    def mean(self, i: Any, k: Any) -> Floats:
        """E T of pairs of terms."""
        return (self.margin[i] * self.margin[k] / self.size).sum(axis=-1)

    def variance(self, i: Any, k: Any) -> Floats:
        """Var T of pairs of terms; a stratum of one document adds nothing."""
        a, b, N = self.margin[i], self.margin[k], self.size
        return (a * b * (N - a) * (N - b) / (N**2 * np.maximum(N - 1, 1))).sum(axis=-1)

    def log_tail(self, i: int, k: int, t: int) -> tuple[float, float]:
        """log P(T ≥ t) and log P(T = t), exact up to rounding, however small.

        The hypergeometric probabilities h_g(x) are tilted to h_g(x) e^(θx)/M_g(θ), with a common θ that brings the mean
        to t − ½, and convolved; then P(T = x) = Π_g M_g(θ) e^(−θx) × (the convolution at x). Near t the convolution is
        of order one.
        """
        supports, logs, certain = [], [], 0
        f, margins = self.log_factorial, np.stack([self.margin[i], self.margin[k], self.size], axis=1).astype(int)
        for a, b, N in margins.tolist():
            low, high = max(0, a + b - N), min(a, b)
            certain += low
            if high > low:
                x = np.arange(low, high + 1)
                logs.append(f[a] - f[x] - f[a - x] + f[N - a] - f[b - x] - f[N - a - b + x] - f[N] + f[b] + f[N - b])
                supports.append(x - low)
        t -= certain  # the random part begins at 0
        most = sum(int(x[-1]) for x in supports)
        if t > most or t < 0:
            return (0.0, -np.inf) if t < 0 else (-np.inf, -np.inf)

        def excess(theta: float) -> float:
            means = (_tilted(log_h, x, theta)[0] @ x for x, log_h in zip(supports, logs, strict=True))
            return float(sum(means)) - t + 0.5

        theta = 0.0 if excess(0.0) >= 0 else float(brentq(excess, 0.0, 100.0, xtol=0.05))
        convolved, log_moment = np.ones(1), 0.0
        for x, log_h in zip(supports, logs, strict=True):
            weights, log_total = _tilted(log_h, x, theta)
            convolved = np.convolve(convolved, weights)
            log_moment += log_total
        above = np.arange(t, most + 1)
        tail = (convolved[t:] * np.exp(-theta * (above - t))).sum()
        scale = log_moment - theta * t
        with np.errstate(divide="ignore"):
            return min(float(scale + np.log(tail)), 0.0), min(float(scale + np.log(convolved[t])), 0.0)


def _tilted(log_h: Floats, x: Integers, theta: float) -> tuple[Floats, float]:
    """h(x) e^(θx)/M(θ), and log M(θ)."""
    tilted = log_h + theta * x
    peak = float(tilted.max())
    weights = np.exp(tilted - peak)
    total = float(weights.sum())
    return weights / total, peak + float(np.log(total))


def _bursty(counts: Any, fit: BetaBinomialFit, min_count: int) -> Integers:
    """Columns with an interior fit and enough occurrences; those that gain most log-likelihood come first."""
    n_i = np.asarray(counts.sum(axis=0)).ravel()
    columns = np.flatnonzero((fit.status == "converged") & (n_i >= min_count))
    return columns[np.argsort(-(fit.loglik - fit.loglik_binomial)[columns], kind="stable")]


def _promising(events: Any, null: Null, enough: int) -> tuple[Integers, Integers]:
    """Pairs ordered by an upper bound of p: T is dominated by Binomial(b, E T/b) in convex order, b = min(b_i, b_k).

    Hoeffding (1963): sampling without replacement is dominated by sampling with it, unequal chances by equal ones. So
    Chernoff's bound holds: log p ≤ −b KL(T/b ‖ E T/b).
    """
    b = np.diff(events.indptr)
    best: list[tuple[Floats, Integers, Integers]] = []
    for start in range(0, b.size, _BLOCK):
        block = np.arange(start, min(start + _BLOCK, b.size))
        together = (events[:, block].T @ events).tocoo()
        later = together.row + start < together.col
        i, k, t = together.row[later] + start, together.col[later].astype(np.int64), together.data[later].astype(float)
        mean = ((null.margin[block] / null.size) @ null.margin.T)[i - start, k]
        most = np.minimum(b[i], b[k])
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = xlogy(t, t / mean) + np.where(t < most, xlogy(most - t, (most - t) / (most - mean)), 0.0)
        bound = np.where(t > mean, bound, 0.0)
        chosen = np.argsort(-bound, kind="stable")[:enough]
        best.append((bound[chosen], i[chosen], k[chosen]))
    if not best:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    bound, i, k = (np.concatenate(part) for part in zip(*best, strict=True))
    chosen = np.argsort(-bound, kind="stable")[:enough]
    return i[chosen], k[chosen]


def _result(
    events: Any, null: Null, i: Integers, k: Integers, columns: Integers, tested: int, top: int | None
) -> CoBursts:
    shared = np.asarray(events[:, i].multiply(events[:, k]).sum(axis=0)).ravel().astype(np.int64)
    log_p = np.array(
        [null.log_tail(*pair)[0] for pair in zip(i.tolist(), k.tolist(), shared.tolist(), strict=True)]
    ).reshape(-1)
    mean, deviation = null.mean(i, k), np.sqrt(null.variance(i, k))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(deviation > 0, (shared - mean) / deviation, 0.0)
    order = np.arange(i.size) if top is None else np.lexsort((-statistic, log_p))[:top]
    i, k, log10_p = i[order], k[order], log_p[order] / np.log(10)
    b = np.diff(events.indptr).astype(np.int64)
    return CoBursts(
        first=columns[i],
        second=columns[k],
        shared=shared[order],
        first_documents=b[i],
        second_documents=b[k],
        expected=mean[order],
        p_value=10.0**log10_p,
        log10_p=log10_p,
        q_value=10.0 ** adjust_log10(log10_p, "bh", tests=tested),
        tested=tested,
    )


def _columns(pairs: Iterable[tuple[str | int, str | int]], names: Any, size: int) -> Integers:
    """Pairs as columns, shape (pairs, 2)."""
    by_name = {} if names is None else {name: column for column, name in enumerate(names)}

    def column(term: str | int) -> int:
        if isinstance(term, (int, np.integer)) and 0 <= term < size:
            return int(term)
        if isinstance(term, str) and term in by_name:
            return by_name[term]
        known = f"a column from 0 to {size - 1:,}" + ("" if names is None else ", or one of the terms")
        raise ValueError(f"a term of a pair must be {known}; got {shown(term)}")

    if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Iterable):
        raise ValueError(f"pairs must be a list of pairs of terms; got {shown(pairs)}")
    found = []
    for pair in pairs:
        if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise ValueError(f"a pair must be two terms; got {shown(pair)}")
        found.append([column(term) for term in pair])
        if found[-1][0] == found[-1][1]:
            raise ValueError(f"a pair must be two different terms; got {pair!r}")
    return np.array(found, dtype=np.int64).reshape(-1, 2)
