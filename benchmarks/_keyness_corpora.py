"""The corpora, splits and simulated terms of the programs that measure keyness tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln
from sklearn.feature_extraction.text import CountVectorizer

from termburst.datasets import load_stdlib
from termburst.models.cells import TermCells
from termburst.paper.collections import Collections
from termburst.threads import in_threads

LAST = 10**9
BY_N = ((5, 19), (20, 99), (100, 999), (1_000, LAST))


@dataclass(frozen=True)
class Corpus:
    """Terms to test and their cells, sorted by term, without empty documents."""

    name: str
    term: np.ndarray
    document: np.ndarray
    count: np.ndarray
    n_j: np.ndarray
    terms: int

    def cells(self, inside: np.ndarray, count: np.ndarray | None = None) -> TermCells:
        """The cells of the documents *inside*; with *count* in place of the counts, if it is above 0."""
        count = self.count if count is None else count
        kept = np.flatnonzero(inside[self.document] & (count > 0))
        return as_cells(self.term[kept], count[kept], self.n_j[self.document[kept]], self.terms, self.n_j[inside])

    def only(self, terms: np.ndarray) -> Corpus:
        """The same with only these terms, sorted."""
        place = np.full(self.terms, -1)
        place[terms] = np.arange(terms.size)
        kept = place[self.term] >= 0
        return Corpus(self.name, place[self.term[kept]], self.document[kept], self.count[kept], self.n_j, terms.size)


def as_cells(term: np.ndarray, count: np.ndarray, length: np.ndarray, terms: int, n_j: np.ndarray) -> TermCells:
    lengths, documents = np.unique(n_j, return_counts=True)
    b_i = np.bincount(term, minlength=terms)
    return TermCells(
        np.concatenate([[0], np.cumsum(b_i)]).astype(np.int64),
        count.astype(np.int32),
        length.astype(np.int32),
        np.ones(1),
        np.bincount(term, count, terms).astype(np.int64),
        b_i.astype(np.int64),
        lengths.astype(np.int64),
        documents.astype(np.int64),
    )


def corpora(starts: tuple[str, ...] = ("",)) -> Iterator[Corpus]:
    """The corpora whose names begin with one of *starts*."""
    collections = Collections()
    loaders: dict[str, Callable[[], Any]] = {
        "20 Newsgroups": lambda: collections.fig4.counts,
        "R8": lambda: collections.fig5.counts,
        "stdlib": lambda: CountVectorizer().fit_transform(load_stdlib().texts),
    }
    for name, load in loaders.items():
        if not name.startswith(starts):
            continue
        X = load()
        n_j = np.asarray(X.sum(axis=1)).ravel().astype(np.int64)
        by_term = X[n_j > 0].tocsc()
        term = np.repeat(np.arange(X.shape[1]), np.diff(by_term.indptr))
        whole = Corpus(name, term, by_term.indices, by_term.data.astype(np.int64), n_j[n_j > 0], X.shape[1])
        n_i, b_i = np.bincount(term, whole.count), np.bincount(term)
        yield whole.only(np.flatnonzero((b_i >= 2) | (n_i >= 5)))


def draw_block(
    alpha: np.ndarray, alpha_not: np.ndarray, mean: np.ndarray, lengths: np.ndarray, documents: np.ndarray, seed: int
) -> tuple[np.ndarray, ...]:
    """Beta-binomial terms on documents of these lengths (α = inf: binomial): b_i, then counts and lengths of cells."""
    rng = np.random.default_rng(seed)
    counts, sizes, terms = [], [], []  # cells drawn document by document
    rare_terms, rare_sizes, log_nones = [], [], []  # cells whose counts are drawn below
    for i, (a, rest, share) in enumerate(zip(alpha, alpha_not, mean, strict=True)):
        log_none = lengths * math.log1p(-share)
        if a < math.inf:
            log_none = gammaln(lengths + rest) - gammaln(lengths + a + rest) + (gammaln(a + rest) - gammaln(rest))
            log_none = np.minimum(log_none, 0.0)  # rounding, if α is tiny beside α_¬
        some = -np.expm1(log_none)
        often = some > 0.2
        n = np.repeat(lengths[often], documents[often])
        drawn = rng.binomial(n, rng.beta(a, rest, n.size) if a < math.inf else share)
        counts.append(drawn[drawn > 0])
        sizes.append(n[drawn > 0])
        terms.append(np.full(counts[-1].size, i))
        seldom = np.flatnonzero(~often)
        rare = np.repeat(seldom, rng.binomial(documents[seldom], some[seldom]))  # documents with the term
        rare_terms.append(np.full(rare.size, i))
        rare_sizes.append(lengths[rare])
        log_nones.append(log_none[rare])
    term, n = np.concatenate(rare_terms), np.concatenate(rare_sizes)
    parameters = alpha[term], alpha_not[term], (mean / (1 - mean))[term]
    counts.append(counts_above_0(*parameters, n, np.concatenate(log_nones), rng))
    order = np.argsort(np.concatenate([*terms, term]), kind="stable")
    b_i = np.bincount(np.concatenate([*terms, term]), minlength=alpha.size)
    return b_i, np.concatenate(counts)[order], np.concatenate([*sizes, n])[order]


def counts_above_0(
    a: np.ndarray, rest: np.ndarray, odds: np.ndarray, n: np.ndarray, log_none: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Counts of terms in documents that contain them, by inversion of the distribution function from 1 on."""
    plain = a == math.inf
    a, rest = np.where(plain, 0.0, a), np.where(plain, n, rest)  # not used there
    c, going = np.ones(n.size, dtype=np.int64), np.arange(n.size)
    u = rng.random(n.size) * -np.expm1(log_none)
    mass = np.exp(log_none) * n * np.where(plain, odds, a / (n - 1 + rest))
    while True:
        more = np.flatnonzero((u > mass) & (c[going] < n))
        if not more.size:
            return c
        u = (u - mass)[more]
        going, mass, n, a, rest, odds, plain = (x[more] for x in (going, mass, n, a, rest, odds, plain))
        have = c[going]
        mass *= (n - have) / (have + 1) * np.where(plain, odds, (a + have) / (n - have - 1 + rest))
        c[going] += 1


def draw(
    alpha: np.ndarray, alpha_not: np.ndarray, mean: np.ndarray, n_j: np.ndarray, rng: np.random.Generator
) -> TermCells:
    """Cells of one term per parameter, on documents of lengths *n_j*."""
    lengths, documents = np.unique(n_j, return_counts=True)
    blocks = np.array_split(np.arange(alpha.size), 32)
    seeds = rng.integers(0, 2**31, len(blocks))
    found: list[tuple[np.ndarray, ...]] = [()] * len(blocks)

    def fill(k: int) -> None:
        part = blocks[k]
        found[k] = draw_block(alpha[part], alpha_not[part], mean[part], lengths, documents, seeds[k])

    in_threads(fill, range(len(blocks)))
    b_i, count, length = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return as_cells(np.repeat(np.arange(alpha.size), b_i), count, length, alpha.size, n_j)


def thinned(cells: TermCells, ratio: float | np.ndarray, rng: np.random.Generator) -> TermCells:
    count = rng.binomial(cells.count, 1 / ratio)
    kept = count > 0
    n_j = np.repeat(cells.lengths, cells.length_documents)
    return as_cells(cells.term[kept], count[kept], cells.length[kept], cells.n_i.size, n_j)


def random_part(corpus: Corpus, share: float, rng: np.random.Generator) -> np.ndarray:
    inside = np.zeros(corpus.n_j.size, dtype=bool)
    inside[rng.permutation(inside.size)[: round(share * inside.size)]] = True
    return inside


def band_name(low: int, high: int) -> str:
    return f"{low}" if low == high else f"≥{low}" if high == LAST else f"{low}–{high}"
