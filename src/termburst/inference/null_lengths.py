"""Document lengths, in the forms that the null distributions of the burstiness test need."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from termburst.core import null as core
from termburst.models.cells import TermCells
from termburst.models.closed_forms import NUMPY, LengthSums, tarone
from termburst.statistics.matrix import Integers

Floats = NDArray[np.float64]

SEPARATE = 2**22  # up to this many documents, each is drawn separately; beyond, those of equal length together


_last: list[Any] = []  # the arrays of which `Lengths` were made last, as long as they exist, and these `Lengths`


@dataclass(frozen=True, slots=True)
class Lengths:
    """The documents that have tokens, and how to draw one with probability n_j/n.

    By Walker's alias method. There are as many cells as documents, and one is drawn uniformly. Cell k means document k
    with probability accept[k], and document other[k] otherwise. If there are very many documents, a cell means all
    documents of one length.
    """

    length: Integers
    each: Integers  # how many documents of that length are drawn together
    accept: Floats
    other: Integers
    tokens: float  # n
    squared: float  # Σ n_j²
    documents: int
    distinct: tuple[Integers, Integers]  # lengths, ascending, and how many documents have each

    @classmethod
    def of(cls, cells: TermCells) -> Lengths:
        """The documents of a collection; made once for several groups of its terms, one after another."""
        given = cells.lengths, cells.length_documents
        for *arrays, lengths in _last:
            if all(array() is own for array, own in zip(arrays, given, strict=True)):
                return cast("Lengths", lengths)
        found = cls._made(cells)
        _last[:] = [(*(weakref.ref(array, lambda _: _last.clear()) for array in given), found)]
        return found

    @classmethod
    def _made(cls, cells: TermCells) -> Lengths:
        held = (cells.lengths > 0) & (cells.length_documents > 0)
        length, each = distinct = cells.lengths[held], cells.length_documents[held]
        documents, tokens = int(each.sum()), float(length @ each)
        if documents <= SEPARATE:
            length, each = np.repeat(length, each), np.ones(documents, np.int64)
        else:
            order = np.argsort(length * each, kind="stable")
            length, each = length[order], each[order]
        squared = float(np.sum(each * length.astype(np.float64) ** 2))
        return cls(length, each, *_aliases(length * each / tokens), tokens, squared, documents, distinct)

    def for_kernels(self) -> core.Documents:
        """The documents as the compiled core draws from them."""
        return core.documents(self.length, self.each, self.accept, self.other)

    def score(self, n_i: Any, squares: Any, products: Any) -> Floats:
        """Tarone's z from Σ n_ij² and Σ n_ij n_j; 0 where it cannot vary (`fixed`), NaN where n_i = 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return tarone(NUMPY, LengthSums(self.tokens, self.squared, self.counts_vary), n_i, squares, products)

    @property
    def counts_vary(self) -> bool:
        """Whether there is a choice: not if only one document has tokens, and not if all have one."""
        return self.documents > 1 and bool(self.distinct[0][-1] > 1)

    def fixed(self, n_i: Any) -> NDArray[np.bool_]:
        """Whether a term's counts are the same in all draws, up to which of equally long documents have them.

        They are if the term is every token, and if `counts_vary` is False.
        """
        return (np.asarray(n_i) > 0) & ((not self.counts_vary) | (np.asarray(n_i) == self.tokens))

    def drawn(self, n_i: Integers) -> Integers:
        """How many tokens a draw for a term has: its own or all others, whichever are fewer; 0 if it is `fixed`."""
        return np.where(self.fixed(n_i), 0, np.minimum(n_i, int(self.tokens) - n_i))

    def nodes(self, ratio: float) -> tuple[Floats, Floats]:
        """Few lengths, with weights, so that Σ_j f(n_j) = Σ weight · f(length) for any smooth f.

        The nodes are integers. Each is about *ratio* times the one before, or the next integer. Between them f is
        approximated by a cubic (Lagrange's). In a sum over millions of documents that error is far below the standard
        deviation of the sum.
        """
        length, each = self.distinct
        steps = np.arange(np.ceil(np.log(length[-1]) / np.log(ratio)))
        grid = np.unique(np.append(np.round(ratio**steps), length[-1]))
        grid = grid[max(int(np.searchsorted(grid, length[0], side="right")) - 1, 0) :]
        if grid.size < 4 or grid.size >= length.size:
            return length.astype(np.float64), each.astype(np.float64)
        first = np.clip(np.searchsorted(grid, length, side="right") - 2, 0, grid.size - 4)
        around = first[:, None] + np.arange(4)
        node, share = grid[around], np.ones(around.shape)
        for k in range(4):
            for other in {0, 1, 2, 3} - {k}:
                share[:, k] *= (length - node[:, other]) / (node[:, k] - node[:, other])
        weights: Floats = np.bincount(around.ravel(), (each[:, None] * share).ravel(), grid.size).astype(np.float64)
        return grid, weights

    def classes(self, ratio: float) -> tuple[Floats, Floats]:
        """Classes of lengths that differ at most by the factor *ratio*: the mean length, and the documents in each."""
        length, each = self.distinct
        _, place = np.unique(np.floor(np.log(length) / np.log(ratio)), return_inverse=True)
        documents = np.bincount(place, each).astype(np.float64)
        return np.bincount(place, length * each.astype(np.float64)) / documents, documents


def _aliases(share: Floats) -> tuple[Floats, Integers]:
    """Walker's aliases of ascending probabilities: how often a cell means its own document, and which other it means.

    Cells above 1/d give to the cells below 1/d, both one after another in their order. A giving cell may end up below
    1/d itself; the next one then fills it. Cumulative sums say which cell gives to which.
    """
    accept = share * share.size
    few = int(np.searchsorted(accept, 1.0))
    lacking, given = np.append(0.0, np.cumsum(1 - accept[:few])), np.cumsum(accept[few:] - 1)
    other = np.arange(1, share.size + 1)
    other[:few] = few + np.searchsorted(given, lacking[:-1])
    needed = np.append(lacking, 0.0)[np.searchsorted(lacking, given, side="right")]
    accept[few:] = np.minimum(1 + given - needed, 1.0)
    accept[-1] = 1.0
    return accept, np.minimum(other, share.size - 1)
