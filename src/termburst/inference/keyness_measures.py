"""Further measures of keyness that corpus linguists know by name. Each takes the cells of two corpora.

Like those of `keyness_tests`, each returns a statistic, positive if the term is more frequent in the first corpus, and
a two-sided p-value. A term in neither corpus has statistic 0 and p = 1.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr

from termburst.limits import require_memory
from termburst.models.cells import TermCells
from termburst.models.special import deviance
from termburst.statistics.matrix import Integers

Floats = NDArray[np.float64]
Result = tuple[Floats, Floats]

PRIOR = 500.0  # tokens of the prior of `log_odds`
RESAMPLES = 999  # of `bootstrap`
BLOCK = 37  # resamples that are drawn at a time


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
    d_a, d_b = a.documents, b.documents
    b_a, b_b = a.b_i.astype(np.float64), b.b_i.astype(np.float64)
    share = (b_a + b_b) / max(d_a + d_b, 1)
    expected_a, expected_b = share * d_a, share * d_b
    excess = expected_a - b_a  # E − O in a; deviance takes it apart, for accuracy
    value = deviance(b_a, expected_a, excess) + deviance(b_b, expected_b, -excess)
    rest = deviance(d_a - b_a, d_a - expected_a, -excess) + deviance(d_b - b_b, d_b - expected_b, excess)
    value = np.maximum(2 * (value + rest), 0.0)
    return -np.sign(excess) * value + 0.0, chdtrc(1, value)


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


def bootstrap(a: TermCells, b: TermCells, *, resamples: int = RESAMPLES, seed: int = 0) -> Result:
    """The bootstrap test of Lijffijt et al. (2016): resample the documents of both corpora, and compare frequencies.

    With q the share of N pairs of resamples in which the term is more frequent in a (a tie counts as half),
    p = (1 + 2 N min(q, 1 − q))/(1 + N). The statistic is log2 of the ratio of the mean frequencies, ±inf if one
    corpus lacks the term. Each document is drawn Poisson(1) times, and the number of tokens without the term is drawn
    from a normal distribution of the same mean and variance; for corpora of few documents that is a little different
    from drawing exactly d documents. The smallest p is 1/(N + 1). With few documents that contain a term, p is too
    small: a term in three documents of a and none of b has q = 1 in most resamples.

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> A, B = [[3, 7], [2, 8], [4, 6]] * 4, [[1, 9], [0, 10], [0, 10]] * 4
    >>> statistic, p_value = bootstrap(term_cells(A), term_cells(B))
    >>> bool(statistic[0] > 2), p_value.tolist()
    (True, [0.001, 0.001])
    """
    streams = [np.random.default_rng(one) for one in np.random.SeedSequence(seed).spawn(2)]
    if (b.tokens, b.n_i.tolist()) < (a.tokens, a.n_i.tolist()):  # exchanging the corpora must mirror the result
        streams.reverse()
    sides = [_Resampled(cells) for cells in (a, b)]
    wins, total_a, total_b = (np.zeros(a.n_i.size) for _ in range(3))
    for first in range(0, resamples, BLOCK):
        size = min(BLOCK, resamples - first)
        x, y = (side.draw(size, stream) for side, stream in zip(sides, streams, strict=True))
        wins += (x > y).sum(axis=1) + 0.5 * (x == y).sum(axis=1)
        total_a, total_b = total_a + x.sum(axis=1), total_b + y.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log2(total_a) - np.log2(total_b)
    q = wins / resamples
    p_value = np.minimum((1 + 2 * resamples * np.minimum(q, 1 - q)) / (1 + resamples), 1.0)
    absent = a.n_i + b.n_i == 0
    return np.where(absent, 0.0, ratio), np.where(absent, 1.0, p_value)


class _Resampled:
    """Relative frequencies of all terms in resamples of the documents.

    The documents with a term have random columns of one table of Poisson numbers. So all terms share the numbers, but
    two documents with the same term do not.
    """

    def __init__(self, cells: TermCells) -> None:
        weight = np.broadcast_to(cells.weight, cells.count.shape).astype(np.int64)
        count, length = np.repeat(cells.count, weight), np.repeat(cells.length, weight).astype(np.float64)
        self.columns = int(cells.b_i.max(initial=0))
        self.indptr: Integers = np.concatenate([[0], np.cumsum(cells.b_i)])
        term = np.repeat(np.arange(cells.b_i.size), cells.b_i)
        number = np.arange(count.size) - self.indptr[term]
        offset = np.random.default_rng(1).integers(0, max(self.columns, 1), cells.b_i.size)
        column = (number + offset[term]) % max(self.columns, 1)
        shape = (cells.b_i.size, self.columns)
        require_memory(24 * count.size + 8 * BLOCK * (2 * self.columns + 3 * shape[0]), "the bootstrap")
        self.counts = sp.csr_array((count.astype(np.float64), column, self.indptr), shape=shape)
        self.lengths = sp.csr_array((length, column, self.indptr), shape=shape)
        lengths, documents = cells.lengths.astype(np.float64), cells.length_documents
        inside = np.bincount(term, length, cells.b_i.size)
        self.rest = cells.tokens - inside
        squares = float(lengths**2 @ documents) - np.bincount(term, length**2, cells.b_i.size)
        self.deviation = np.sqrt(np.maximum(squares, 0.0))

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        """Relative frequencies, terms × resamples."""
        times = rng.poisson(1.0, (self.columns, size)).astype(np.float64)
        tokens = self.lengths @ times + self.rest[:, None] + self.deviation[:, None] * rng.standard_normal(size)
        found = self.counts @ times
        return np.divide(found, tokens, out=np.zeros_like(found), where=tokens > 0)
