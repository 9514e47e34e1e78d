"""Tests of whether a term is more frequent in one corpus than in another: the usual ones, and some that keep the level.

Each takes the cells of two corpora over the same terms and returns a statistic and a two-sided p-value per term. The
statistic is positive if the term is more frequent in the first corpus. A term in neither corpus has statistic 0 and
p = 1. `g2`, `chi2` and `fisher` use only the totals, as if all tokens were independent: on random halves of one corpus
they call 20 to 35 % of the words significant at 5 %. `welch`, `mann_whitney` and `permutation` use the documents; empty
documents are left out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr, stdtr

from termburst.core import permutation as dealing
from termburst.core import two_corpora
from termburst.core.cells import Cells, alike_terms
from termburst.core.cells import cells as core_cells
from termburst.models.cells import TermCells
from termburst.models.fit_beta_binomial import BetaBinomialFit
from termburst.models.special import deviance
from termburst.statistics.matrix import Integers, tally
from termburst.threads import in_threads

Floats = NDArray[np.float64]
Result = tuple[Floats, Floats]
BLOCK = 2048  # terms per task of a thread
DEALT = 64  # parts of the terms in the permutation test; rare and frequent terms are distributed evenly
APART = 3.0  # standard deviations of a rank sum of lengths
CLASSES = 96  # length classes of documents without the term: about 9 % wide on 20 Newsgroups


def g2(a: TermCells, b: TermCells) -> Result:
    """The log-likelihood ratio of two binomials, called G² or LL in corpus tools, with the sign of the difference.

    G² = 2 Σ O log(O/E) over the *four* cells of the table (term, other tokens) × (a, b), compared with χ²_1 (Dunning
    1993, Computational Linguistics 19). Some tools sum only the two cells of the term (Rayson & Garside 2000). This
    omits the part of the other tokens: nearly nothing for a rare term, about a tenth of G² for a term that is a tenth
    of all tokens.

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> statistic, p_value = g2(term_cells([[10, 90], [0, 100]]), term_cells([[0, 100], [1, 99]]))
    >>> statistic.round(4).tolist(), p_value.round(4).tolist()
    ([8.7555, -8.7555], [0.0031, 0.0031])
    """
    n_i_a, n_i_b, n_a, n_b = _totals(a, b)
    expected, excess = _expected(n_i_a, n_i_b, n_a, n_b)
    rest_a, rest_b = n_a - n_i_a, n_b - n_i_b
    value = deviance(n_i_a, expected[0], excess) + deviance(n_i_b, expected[1], -excess)
    value = 2 * (value + deviance(rest_a, expected[2], -excess) + deviance(rest_b, expected[3], excess))
    return -np.sign(excess) * value, chdtrc(1, value)


def chi2(a: TermCells, b: TermCells, *, correction: bool = False) -> Result:
    """Pearson's χ² of the table (term, other tokens) × (a, b), with the sign of the difference; compared with χ²_1.

    χ² = Σ (O − E)²/E = (|O − E| − c)² Σ 1/E, where c = 0, or with `correction` Yates' ½ (but at most |O − E|).

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> a, b = term_cells([[10, 90], [0, 100]]), term_cells([[0, 100], [1, 99]])
    >>> [test.round(4).tolist() for test in chi2(a, b)]
    [[7.5719, -7.5719], [0.0059, 0.0059]]
    >>> [test.round(4).tolist() for test in chi2(a, b, correction=True)]
    [[5.9827, -5.9827], [0.0144, 0.0144]]
    """
    n_i_a, n_i_b, n_a, n_b = _totals(a, b)
    expected, excess = _expected(n_i_a, n_i_b, n_a, n_b)
    off = np.maximum(np.abs(excess) - (0.5 if correction else 0.0), 0.0)
    # If an expected value is 0, a margin is 0, and nothing can deviate.
    value = np.where(expected > 0, off * (off / np.where(expected > 0, expected, 1.0)), 0.0).sum(axis=0)
    return -np.sign(excess) * value, chdtrc(1, value)


def fisher(a: TermCells, b: TermCells) -> Result:
    """Fisher's exact test of the table (term, other tokens) × (a, b); the statistic is the log odds ratio.

    Given the n_i occurrences in both corpora, the number in a is hypergeometric. p is the sum of the probabilities of
    all outcomes that are not more probable than the observed one, with a relative tolerance of 1e-7 as in R (SciPy's
    `fisher_exact` has a smaller one). log p is exact to about 1e-12, until p underflows at 1e-308. The statistic,
    log [n_ia (n_b − n_ib)] / [n_ib (n_a − n_ia)], is ±inf if a cell is empty, and 0 if a margin is.

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> statistic, p_value = fisher(term_cells([[10, 90], [0, 100]]), term_cells([[0, 100], [1, 99]]))
    >>> statistic.round(4).tolist(), p_value.round(5).tolist()
    ([2.3489, -2.3489], [0.01067, 0.01067])
    """
    n_i_a, n_i_b, n_a, n_b = _totals(a, b)
    p_value = np.ones(n_i_a.size)
    if n_a and n_b:
        _over_terms(lambda first, last: two_corpora.fisher(n_i_a, n_i_b, n_a, n_b, first, last, p_value), p_value.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.log(n_i_a) + np.log(n_b - n_i_b) - np.log(n_i_b) - np.log(n_a - n_i_a)
    return np.where(np.isnan(odds), 0.0, odds), p_value


def welch(a: TermCells, b: TermCells) -> Result:
    """Welch's t-test of the relative frequencies n_ij/n_j; each document is one observation.

    t = (x̄_a − x̄_b)/√(s²_a/d_a + s²_b/d_b) with Welch and Satterthwaite's degrees of freedom. With fewer than two
    documents in a corpus there is no variance, so t = 0 and p = 1. If neither corpus varies, t = 0 and p = 1 if they
    are equal, otherwise t = ±inf and p = 0 (the limit, and SciPy's answer).

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> statistic, p_value = welch(term_cells([[3, 7], [2, 8], [4, 6]]), term_cells([[1, 9], [0, 10], [0, 0]]))
    >>> statistic.round(4).tolist(), p_value.round(4).tolist()
    ([3.2733, -3.2733], [0.0494, 0.0494])
    """
    d_a, d_b = _documents(a, b)
    means, variances = [], []
    for cells, documents in ((a, d_a), (b, d_b)):
        mean, squares = _relative_moments(cells, documents)
        means.append(mean)
        variances.append(squares / max(documents - 1, 1) / max(documents, 1))
    if min(d_a, d_b) < 2:
        return np.zeros(a.n_i.size), np.ones(a.n_i.size)
    difference, variance = means[0] - means[1], variances[0] + variances[1]
    flat = variance == 0
    share = variances[0] / np.where(flat, 1.0, variance)
    freedom = 1 / (share**2 / (d_a - 1) + (1 - share) ** 2 / (d_b - 1))
    t = np.where(flat, np.copysign(np.inf, difference), difference / np.sqrt(np.where(flat, 1.0, variance)))
    t = np.where(flat & (difference == 0), 0.0, t)
    return t, np.where(flat, (difference == 0).astype(float), np.minimum(2 * stdtr(freedom, -np.abs(t)), 1.0))


def mann_whitney(a: TermCells, b: TermCells) -> Result:
    """The rank test of Mann, Whitney and Wilcoxon on the relative frequencies n_ij/n_j; one observation per document.

    z = (|U − d_a d_b/2| − ½)/σ with the sign of U − d_a d_b/2, σ² = d_a d_b/12 [d + 1 − Σ(t³ − t)/(d(d − 1))] over the
    groups of t tied documents; all documents without the term are one group. p = 2(1 − Φ(|z|)) equals that of SciPy's
    `mannwhitneyu(method="asymptotic")`. If all documents tie, z = 0 and p = 1. The test reacts to any difference
    between the documents, even of length alone: see `permutation` with strata.

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> statistic, p_value = mann_whitney(term_cells([[3, 7], [2, 8], [4, 6]]), term_cells([[1, 9], [0, 10], [0, 0]]))
    >>> statistic.round(4).tolist(), p_value.round(4).tolist()
    ([1.4434, -1.4434], [0.1489, 0.1489])
    """
    d_a, d_b = _documents(a, b)
    size, d = a.n_i.size, d_a + d_b
    if not d_a or not d_b:
        return np.zeros(size), np.ones(size)
    cells, held, u, ties = _both(a, b), _cells_held(a, b), np.empty(size), np.empty(size)

    def rank(first: int, last: int) -> None:
        most = int(held[first:last].max(initial=0))
        two_corpora.mann_whitney(cells, float(d_a), float(d_b), first, last, most, u, ties)

    _over_terms(rank, size)
    gap = u - d_a * d_b / 2
    # If all documents tie, the variance is 0; rounding must not make it negative.
    variance = np.maximum(d_a * d_b / 12 * (d + 1 - ties / (d * (d - 1))), 0.0)
    flat = ties == float(d) ** 3 - d
    z = np.where(flat, 0.0, np.maximum(np.abs(gap) - 0.5, 0.0) / np.sqrt(np.where(flat, 1.0, variance)))
    return np.copysign(z, gap), np.minimum(2 * ndtr(-z), 1.0)


def permutation(a: TermCells, b: TermCells, fit: BetaBinomialFit, *, strata: int = 1) -> Result:
    """Permute the labels of the documents; the score weights documents by the burstiness of the term.

    T = Σ_{j in a} s_j, s_j = (n_ij − n_j π)/(1 + (n_j − 1) ρ), where ρ = 1/(1 + α_0) and π are from a fit to both
    corpora together (ρ = 0 at the boundary, 1 for a degenerate fit). T is compared with its distribution if the d_a
    documents of a are drawn at random from all d. The statistic is (T − E T)/sd(T). p is the mid-p, twice the smaller
    of P(T < t) + P(T = t)/2 and P(T > t) + P(T = t)/2. On average the size is near the nominal one, but up to 6.3 % at
    5 % for b_i = 5 or 6 in equal corpora, where a term in a single document has p = ½.

    For rare terms T is replaced by its expectation given which corpus each document with the term is in: all documents
    of a without the term get the mean score of such documents in both corpora. Otherwise their lengths alone, which are
    the same for all rare terms, would decide when the smaller corpus has few or none of the term's documents. A term is
    rare if its documents can be distributed in at most 2,048 ways (documents of equal score are alike, so always if
    b_i ≤ 11), or if at most two documents of the smaller corpus are expected to have it. p is obtained

    * exactly, by enumeration, for up to 2,048 ways;
    * by convolution on a lattice, if the smaller corpus is expected to have the term in at most 8 documents, or if the
      number of documents times that in the smaller corpus is at most 4,096. Sums within about 0.004 sd(T) count as
      equal; the error of p is usually below 0.01, and 0.04 if many sums are that close;
    * exactly, by counting, in other cases where T is its smallest or largest possible value;
    * otherwise by the saddlepoint of independent documents given their number in a (Robinson 1982, JRSS B 44; Booth &
      Butler 1990, Biometrika 77) in Skovgaard's double form with Barndorff-Nielsen's r*. It treats T as continuous; the
      error is usually 0.003, and 0.03 to 0.07 in the middle if some documents outweigh all others.

    Documents without the term enter by classes of length, about 9 % wide if there are more than 96 lengths: t and
    E T stay exact, and sd(T) is accurate to about 1e-3.

    Parameters
    ----------
    fit : fit of both corpora together, one entry per term
    strata : permute within this number of quantile classes of document length, for corpora whose documents differ in
        length. Documents of equal length share the class of the middle one. If a class is entirely in one corpus, its
        documents do not move. If, for example, its documents are all longer in a than in b, only lengths in the range
        of both move. If no document can move, p is 1.

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> from termburst.models.fit_beta_binomial import fit_beta_binomial
    >>> A, B = [[3, 7], [2, 8], [4, 6]], [[1, 9], [0, 10], [0, 10]]
    >>> statistic, p_value = permutation(term_cells(A), term_cells(B), fit_beta_binomial(A + B))
    >>> statistic.round(4).tolist(), p_value.round(4).tolist()  # 2 × ½ of the twenty ways of choosing 3 of 6
    ([2.0, -2.0], [0.05, 0.05])
    """
    d_a, d_b = _documents(a, b)
    size = a.n_i.size
    if strata < 1 or strata != int(strata):
        raise ValueError(f"strata must be an integer of 1 or more; got {strata}")
    if fit.mean.shape != (size,):
        raise ValueError(f"the fit has {fit.mean.size:,} terms, but the corpora have {size:,}")
    n_i = a.n_i + b.n_i
    if np.isnan(fit.alpha_0[n_i > 0]).any():
        raise ValueError("the fit lacks terms that occur: fit both corpora together, until it has converged")
    statistic, p_value = np.zeros(size), np.ones(size)
    of = _length_classes(a, b, strata) if d_a and d_b else None
    if of is None:
        return statistic, p_value
    rho, mean = np.where(n_i > 0, 1 / (1 + fit.alpha_0), 0.0), np.where(n_i > 0, fit.mean, 0.0)
    cells, held = _both(a, b), _cells_held(a, b)
    terms, place = alike_terms(cells, np.arange(size))
    if not (np.array_equal(mean, mean[terms][place]) and np.array_equal(rho, rho[terms][place])):
        terms = place = np.arange(size)  # the fit differs between terms with equal cells
    order = terms[np.argsort(-held[terms], kind="stable")]

    def test(part: int) -> None:
        dealt = order[part::DEALT].copy()
        most = int(held[dealt].max(initial=0))
        dealing.permutation(cells, of, dealt, most, mean, rho, statistic, p_value)

    in_threads(test, range(DEALT))
    return statistic[terms][place], p_value[terms][place]


def _length_classes(a: TermCells, b: TermCells, strata: int) -> dealing.Lengths | None:
    """Lengths, their classes and their strata, without lengths whose documents cannot move. None if none can."""
    lengths, in_a, both = _length_histograms(a, b)
    stratum = ((both.cumsum() - both / 2) * (strata / both.sum())).astype(np.int64)
    moves = _comparable(lengths, in_a, both, stratum) if strata > 1 else np.ones(lengths.size, dtype=bool)
    if not moves.any():
        return None
    lengths, in_a, both, stratum = lengths[moves], in_a[moves], both[moves], stratum[moves]
    _, stratum = np.unique(stratum, return_inverse=True)  # drop empty strata
    few, width = lengths.size <= CLASSES, np.log(lengths[-1] / lengths[0]) / CLASSES
    place = np.arange(lengths.size) if few else np.floor(np.log(lengths / lengths[0]) / width)
    starts = np.flatnonzero(np.diff(place, prepend=-1) + np.diff(stratum, prepend=-1))
    starts = np.append(starts, lengths.size)
    class_of = np.full(int(max(a.lengths.max(), b.lengths.max())) + 1, -1, dtype=np.int32)
    class_of[lengths.astype(np.int64)] = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    taken, documents = (np.bincount(stratum, number).astype(np.float64) for number in (in_a, both))
    return dealing.Lengths(lengths, in_a, both, starts, stratum[starts[:-1]], class_of, taken, documents)


def _totals(a: TermCells, b: TermCells) -> tuple[Floats, Floats, float, float]:
    """n_ia, n_ib, n_a, n_b as floats."""
    _documents(a, b)
    return a.n_i.astype(np.float64), b.n_i.astype(np.float64), float(a.tokens), float(b.tokens)


def _expected(n_i_a: Floats, n_i_b: Floats, n_a: float, n_b: float) -> tuple[Floats, Floats]:
    """The four cells expected at equal shares, and the expected minus the observed n_ia."""
    n = max(n_a + n_b, 1.0)
    n_i, rest = n_i_a + n_i_b, n_a + n_b - n_i_a - n_i_b
    expected = np.stack([n_i * (n_a / n), n_i * (n_b / n), rest * (n_a / n), rest * (n_b / n)])
    return expected, (n_i_b * n_a - n_i_a * n_b) / n


def _documents(a: TermCells, b: TermCells) -> tuple[int, int]:
    """The number of non-empty documents of each corpus."""
    if a.n_i.size != b.n_i.size:
        raise ValueError(f"both corpora must have the same terms: one has {a.n_i.size:,}, the other {b.n_i.size:,}")
    return a.documents, b.documents


def _length_histograms(a: TermCells, b: TermCells) -> tuple[Floats, Floats, Floats]:
    """The lengths above 0 in either corpus, and how many documents of a, and of both, have each."""
    lengths = np.concatenate([a.lengths, b.lengths])
    documents = np.concatenate([a.length_documents, b.length_documents])
    (distinct,), both = tally([lengths], documents)
    in_a = np.zeros(distinct.size, dtype=np.int64)
    np.add.at(in_a, np.searchsorted(distinct, a.lengths), a.length_documents)
    filled = (distinct > 0) & (both > 0)
    return distinct[filled].astype(np.float64), in_a[filled].astype(np.float64), both[filled].astype(np.float64)


def _comparable(lengths: Floats, in_a: Floats, both: Floats, stratum: Integers) -> NDArray[np.bool_]:
    """The lengths whose documents may be permuted: none of a stratum that is entirely in one corpus.

    If the corpora differ in length even within a stratum, by a rank sum beyond APART, only lengths in their common
    range may. This depends only on lengths and labels, so the permutation given both stays valid.
    """
    size, rank, corpora = stratum[-1] + 1, both.cumsum() - both / 2, (in_a, both - in_a)
    inside = np.ones(lengths.size, dtype=bool)
    d_a, d_b = (np.bincount(stratum, documents, size) for documents in corpora)
    d = np.maximum(d_a + d_b, 1.0)
    rank -= (np.bincount(stratum, both * rank, size) / d)[stratum]
    variance = d_a * d_b / (d * np.maximum(d - 1, 1.0)) * np.bincount(stratum, both * rank**2, size)
    apart = np.bincount(stratum, in_a * rank, size) ** 2 > APART**2 * variance
    for documents in corpora:
        least, most, here = np.full(size, np.inf), np.zeros(size), documents > 0
        np.minimum.at(least, stratum[here], lengths[here])
        np.maximum.at(most, stratum[here], lengths[here])
        inside &= ~apart[stratum] | ((lengths >= least[stratum]) & (lengths <= most[stratum]))
    mixed = np.all([np.bincount(stratum, documents * inside, size) > 0 for documents in corpora], axis=0)
    return inside & mixed[stratum]


def _relative_moments(cells: TermCells, documents: int) -> tuple[Floats, Floats]:
    """Mean and sum of squared deviations of n_ij/n_j over the documents, one entry per term."""
    size, of = cells.n_i.size, cells.for_kernels()
    mean, squares = np.zeros(size), np.zeros(size)
    _over_terms(
        lambda first, last: two_corpora.relative_moments(of, float(documents), first, last, mean, squares), size
    )
    return mean, squares


def _both(a: TermCells, b: TermCells) -> Cells:
    """The cells of both corpora one after the other, in the form of the kernels."""
    weights = [one.weight for one in (a, b)]
    if not (weights[0].size == weights[1].size == 1 and weights[0] == weights[1]):
        weights = [np.broadcast_to(one.weight, one.count.shape) for one in (a, b)]
    else:
        weights = weights[:1]
    return core_cells(
        np.stack([a.indptr, b.indptr + a.count.size]).astype(np.int64),
        np.concatenate([a.count, b.count]).astype(np.int32, copy=False),
        np.concatenate([a.length, b.length]).astype(np.int32, copy=False),
        np.concatenate(weights).astype(np.float64, copy=False),
    )


def _cells_held(a: TermCells, b: TermCells) -> Integers:
    """The number of cells of each term in both corpora together."""
    return (np.diff(a.indptr) + np.diff(b.indptr)).astype(np.int64)


def _over_terms(kernel: Callable[[int, int], None], size: int) -> None:
    """Call *kernel* with the bounds of blocks of terms, on all cores."""
    in_threads(lambda first: kernel(first, min(first + BLOCK, size)), range(0, size, BLOCK))
