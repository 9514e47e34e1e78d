"""Simulated collections, and counts in the forms that kernels and fits take."""

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from termburst.core.matrix import CountBlock, count_block
from termburst.models.cells import TermCells, term_cells


def cells_of_columns(counts: NDArray[np.int64], n_j: ArrayLike) -> TermCells:
    """The cells of documents × terms; the columns need not add up to the documents' lengths *n_j*."""
    n_j = np.asarray(n_j)
    document, term = np.nonzero(counts)
    order = np.argsort(term, kind="stable")
    document, term = document[order], term[order]
    lengths, documents = np.unique(n_j, return_counts=True)
    return TermCells(
        np.searchsorted(term, np.arange(counts.shape[1] + 1)).astype(np.int64),
        counts[document, term].astype(np.int32),
        n_j[document].astype(np.int32),
        np.ones(1),
        counts.sum(axis=0).astype(np.int64),
        (counts > 0).sum(axis=0).astype(np.int64),
        lengths.astype(np.int64),
        documents.astype(np.int64),
    )


def block_of(X: sp.csr_matrix) -> CountBlock:
    """A sparse matrix as the kernels take it."""
    return count_block(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data.astype(np.int64), X.shape[1])


def beta_binomials(
    rng: np.random.Generator, n_j: NDArray[np.int64], mean: ArrayLike, alpha_0: ArrayLike
) -> NDArray[np.int64]:
    """Documents × terms: independent terms, each with its own mean and precision."""
    mean, alpha_0 = np.broadcast_arrays(mean, alpha_0)
    return rng.binomial(n_j[:, None], rng.beta(alpha_0 * mean, alpha_0 * (1 - mean), (n_j.size, mean.size)))


def lengths_like_r8(rng: np.random.Generator, documents: int) -> NDArray[np.int64]:
    """Log-normal lengths, with the mean of R8 and its effective number of documents."""
    return np.maximum(np.exp(rng.normal(3.94, 0.7, documents)).astype(int), 2)


def two_corpora(
    seed: int, d_a: int, d_b: int, terms: int, *, burst: float, rarest: float, middle: float = 3.0, empty: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two corpora from one Dirichlet-multinomial, with ties, terms that are rare or absent, and empty documents.

    Its precision is *burst*. The share of no term is expected to be below *rarest*, before shares are normalised. The
    mean log length of the documents is *middle*.
    """
    rng = np.random.default_rng(seed)
    base = rng.gamma(0.4, size=terms) + rarest
    lengths = np.maximum(np.exp(rng.normal(middle, 1, d_a + d_b)).astype(int), 1)
    X = np.array([rng.multinomial(n, rng.dirichlet(burst * base / base.sum())) for n in lengths])
    X[rng.permutation(d_a + d_b)[:empty]] = 0
    return X[:d_a], X[d_a:]


def uneven_terms(seed: int, documents: int = 25, terms: int = 8, longest: int = 30) -> NDArray[np.int64]:
    """Counts of terms of very different burstiness, a few that are all or nothing, and one that never occurs."""
    rng = np.random.default_rng(seed)
    share = rng.beta(rng.gamma(0.5, 1.0, terms) + 0.02, 6.0, (documents, terms)) / terms
    counts = rng.poisson(share * rng.integers(1, longest, documents)[:, None])
    counts[:, 0] = np.where(np.arange(documents) == 3, 9, 0)
    counts[:, 1] = 0
    return np.column_stack([counts, rng.integers(1, longest, documents)])


def halves(seed: int, parts: int = 2) -> list[TermCells]:
    """A few uneven terms in *parts* groups of documents."""
    X = uneven_terms(seed, documents=24, terms=6)
    return [term_cells(X[k::parts]) for k in range(parts)]
