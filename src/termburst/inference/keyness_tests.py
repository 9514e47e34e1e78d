"""Tests of keyness that corpus linguists know by name, to compare with.

Each takes the cells of two corpora over the same terms and returns a statistic and a two-sided p-value per term. The
statistic is positive if the term is more frequent in the first corpus. A term in neither corpus has statistic 0 and
p = 1. `g2`, `chi2`, `fisher` and `log_odds` use only the totals, as if all tokens were independent: on random halves of
one corpus the first three call 20 to 35 % of the words significant at 5 %. The others use the documents; empty
documents are left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr

from termburst.models.cells import TermCells, weights_of
from termburst.models.special import deviance

Floats = NDArray[np.float64]
Result = tuple[Floats, Floats]
PRIOR = 500.0  # tokens of the prior of `log_odds`


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
    return _likelihood_ratio(*_totals(a, b))


def _likelihood_ratio(n_i_a: Floats, n_i_b: Floats, n_a: float, n_b: float) -> Result:
    expected, excess = _expected(n_i_a, n_i_b, n_a, n_b)
    value = deviance(n_i_a, expected[0], excess) + deviance(n_i_b, expected[1], -excess)
    value = value + deviance(n_a - n_i_a, expected[2], -excess) + deviance(n_b - n_i_b, expected[3], excess)
    value = np.maximum(2 * value, 0.0)
    return -np.sign(excess) * value + 0.0, chdtrc(1, value)


def chi2(a: TermCells, b: TermCells) -> Result:
    """Pearson's χ² of the table (term, other tokens) × (a, b), Σ (O − E)²/E, with the sign of the difference.

    It is compared with χ²_1.

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> a, b = term_cells([[10, 90], [0, 100]]), term_cells([[0, 100], [1, 99]])
    >>> [test.round(4).tolist() for test in chi2(a, b)]
    [[7.5719, -7.5719], [0.0059, 0.0059]]
    """
    expected, excess = _expected(*_totals(a, b))
    # If an expected value is 0, a margin is 0, and nothing can deviate.
    value = np.where(expected > 0, excess * (excess / np.where(expected > 0, expected, 1.0)), 0.0).sum(axis=0)
    return -np.sign(excess) * value, chdtrc(1, value)


def fisher(a: TermCells, b: TermCells) -> Result:
    """Fisher's exact test of the table (term, other tokens) × (a, b), by SciPy; the statistic is the log odds ratio.

    log [n_ia (n_b − n_ib)] / [n_ib (n_a − n_ia)] is ±inf if a cell is empty, and 0 if a margin is.

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> statistic, p_value = fisher(term_cells([[10, 90], [0, 100]]), term_cells([[0, 100], [1, 99]]))
    >>> statistic.round(4).tolist(), p_value.round(5).tolist()
    ([2.3489, -2.3489], [0.01067, 0.01067])
    """
    from scipy.stats import fisher_exact  # its import takes most of a second

    n_i_a, n_i_b, n_a, n_b = _totals(a, b)
    # Most rare terms share their table with others. Pairs are written as complex numbers, which are sorted fast.
    tables, place = np.unique(n_i_a + 1j * n_i_b, return_inverse=True)
    tests = [fisher_exact([[x, y], [n_a - x, n_b - y]]) for x, y in zip(tables.real, tables.imag, strict=True)]
    odds, p_value = np.array([(test.statistic, test.pvalue) for test in tests]).reshape(-1, 2).T
    with np.errstate(divide="ignore"):
        return np.where(np.isnan(odds), 0.0, np.log(odds))[place], p_value[place]


def welch(a: TermCells, b: TermCells) -> Result:
    """Welch's t-test of the relative frequencies n_ij/n_j, by SciPy; each document is one observation.

    With fewer than two documents in a corpus there is no variance, so t = 0 and p = 1. If neither corpus varies, t = 0
    and p = 1 if they are equal, otherwise t = ±inf and p = 0 (the limit, and SciPy's answer).

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> statistic, p_value = welch(term_cells([[3, 7], [2, 8], [4, 6]]), term_cells([[1, 9], [0, 10], [0, 0]]))
    >>> statistic.round(4).tolist(), p_value.round(4).tolist()
    ([3.2733, -3.2733], [0.0494, 0.0494])
    """
    from scipy.stats import ttest_ind_from_stats

    _totals(a, b)
    if min(a.documents, b.documents) < 2:
        return np.zeros(a.n_i.size), np.ones(a.n_i.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        t, p_value = ttest_ind_from_stats(*_moments(a), *_moments(b), equal_var=False)
    return np.nan_to_num(t, nan=0.0, posinf=np.inf, neginf=-np.inf), np.nan_to_num(p_value, nan=1.0)


def mann_whitney(a: TermCells, b: TermCells) -> Result:
    """The rank test of Mann, Whitney and Wilcoxon on the relative frequencies n_ij/n_j; one observation per document.

    z = (|U − d_a d_b/2| − ½)/σ with the sign of U − d_a d_b/2, σ² = d_a d_b/12 [d + 1 − Σ(t³ − t)/(d(d − 1))] over the
    groups of t tied documents; all documents without the term are one group, which is never stored. p = 2(1 − Φ(|z|))
    equals that of SciPy's `mannwhitneyu(method="asymptotic")`. If all documents tie, z = 0 and p = 1. The test reacts
    to any difference between the documents, even of length alone: see `permutation` with strata.

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> statistic, p_value = mann_whitney(term_cells([[3, 7], [2, 8], [4, 6]]), term_cells([[1, 9], [0, 10], [0, 0]]))
    >>> statistic.round(4).tolist(), p_value.round(4).tolist()
    ([1.4434, -1.4434], [0.1489, 0.1489])
    """
    _totals(a, b)
    size, d_a, d_b = a.n_i.size, float(a.documents), float(b.documents)
    d = d_a + d_b
    if not d_a or not d_b:
        return np.zeros(size), np.ones(size)
    # The cells of both corpora in the order of term and relative frequency; equal ones are a group of ties.
    term, share = np.concatenate([a.term, b.term]), np.concatenate([a.count / a.length, b.count / b.length])
    weight = np.broadcast_to(weights_of([a, b]), share.shape)
    of_a = np.where(np.arange(share.size) < a.count.size, weight, 0.0)
    order = np.lexsort((share, term))
    term, share = term[order], share[order]
    starts = np.flatnonzero((np.diff(term, prepend=-1) != 0) | (np.diff(share, prepend=-1.0) != 0))
    tied, tied_a, term = (np.add.reduceat(weight[order], starts), np.add.reduceat(of_a[order], starts), term[starts])
    # Mean ranks of the groups, after the documents without the term, and the sum of those of corpus a.
    held = (a.b_i + b.b_i).astype(np.float64)
    zeros, before = d - held, np.cumsum(held) - held
    rank = (zeros - before)[term] + np.cumsum(tied) - (tied - 1) / 2
    u = np.bincount(term, tied_a * rank, size) + (d_a - a.b_i) * (zeros + 1) / 2 - d_a * (d_a + 1) / 2
    ties = np.bincount(term, tied**3 - tied, size) + zeros**3 - zeros
    # If all documents tie, the variance is 0; rounding must not make it negative.
    variance = np.maximum(d_a * d_b / 12 * (d + 1 - ties / (d * (d - 1))), 0.0)
    flat, gap = ties == d**3 - d, u - d_a * d_b / 2
    z = np.where(flat, 0.0, np.maximum(np.abs(gap) - 0.5, 0.0) / np.sqrt(np.where(flat, 1.0, variance)))
    return np.copysign(z, gap), np.minimum(2 * ndtr(-z), 1.0)


def text_dispersion(a: TermCells, b: TermCells) -> Result:
    """Text-dispersion keyness: G² of the numbers of documents with and without the term (Egbert & Biber 2019).

    G² = 2 Σ O log(O/E) over the table (with, without) × (a, b) of documents, with the sign of the difference, compared
    with χ²_1. How often a document repeats the term does not matter. Longer documents contain more terms, so the
    corpora should have documents of similar length.

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> statistic, p_value = text_dispersion(term_cells([[9, 1], [4, 1], [1, 1]]), term_cells([[0, 9], [0, 9], [1, 9]]))
    >>> statistic.round(4).tolist(), p_value.round(4).tolist()
    ([3.8191, 0.0], [0.0507, 1.0])
    """
    return _likelihood_ratio(a.b_i.astype(np.float64), b.b_i.astype(np.float64), a.documents, b.documents)


def log_odds(a: TermCells, b: TermCells) -> Result:
    """Log-odds ratio with an informative Dirichlet prior: its z-score (Monroe, Colaresi & Quinn 2008, Eq. 16 and 22).

    δ = log (n_ia + α_i)/(n_a + α − n_ia − α_i) − log (n_ib + α_i)/(n_b + α − n_ib − α_i), z = δ/√(1/(n_ia + α_i) +
    1/(n_ib + α_i)). The prior α_i is 500 tokens, distributed as in both corpora together. p = 2Φ(−|z|): tokens count as
    independent, so p is too small, as that of G² is; the order of the terms is what people use.

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> statistic, p_value = log_odds(term_cells([[10, 90], [0, 100]]), term_cells([[0, 100], [1, 99]]))
    >>> round(float(statistic[0]), 3), round(float(p_value[0]), 4)
    (1.477, 0.1397)
    """
    n_a, n_b = float(a.tokens), float(b.tokens)
    total = (a.n_i + b.n_i).astype(np.float64)
    held = total > 0
    prior = PRIOR * np.where(held, total, 1.0) / max(n_a + n_b, 1.0)
    y_a, y_b = a.n_i + prior, b.n_i + prior
    with np.errstate(divide="ignore", invalid="ignore"):
        odds_a, odds_b = (np.log(y) - np.log(n + PRIOR - y) for y, n in ((y_a, n_a), (y_b, n_b)))
        z = (odds_a - odds_b) / np.sqrt(1 / y_a + 1 / y_b)
    z = np.where(held & np.isfinite(z), z, 0.0)  # a term that is every token has no odds
    return z, np.minimum(2 * ndtr(-np.abs(z)), 1.0)


def _totals(a: TermCells, b: TermCells) -> tuple[Floats, Floats, float, float]:
    """n_ia, n_ib, n_a, n_b as floats."""
    if a.n_i.size != b.n_i.size:
        raise ValueError(f"both corpora must have the same terms: one has {a.n_i.size:,}, the other {b.n_i.size:,}")
    return a.n_i.astype(np.float64), b.n_i.astype(np.float64), float(a.tokens), float(b.tokens)


def _expected(n_i_a: Floats, n_i_b: Floats, n_a: float, n_b: float) -> tuple[Floats, Floats]:
    """The four cells expected at equal shares, and the expected minus the observed n_ia."""
    n = max(n_a + n_b, 1.0)
    n_i, rest = n_i_a + n_i_b, n_a + n_b - n_i_a - n_i_b
    expected = np.stack([n_i * (n_a / n), n_i * (n_b / n), rest * (n_a / n), rest * (n_b / n)])
    return expected, (n_i_b * n_a - n_i_a * n_b) / n


def _moments(cells: TermCells) -> tuple[Floats, Floats, int]:
    """Mean and standard deviation of n_ij/n_j over the documents, one entry per term, and the number of documents."""
    d, share, term = cells.documents, cells.count / cells.length, cells.term
    # The deviations from one of the values: they are exactly 0 if all are equal.
    some = np.zeros(cells.n_i.size)
    everywhere = cells.b_i == d
    some[everywhere] = share[cells.indptr[:-1][everywhere]]
    off = share - some[term]
    mean = cells.sum(off) / d
    squares = cells.sum((off - mean[term]) ** 2) + (d - cells.b_i) * mean**2
    return some + mean, np.sqrt(squares / (d - 1)), d
