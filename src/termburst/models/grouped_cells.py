"""The cells of several collections over the same terms, for kernels that look at all of them together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core import cells as core_cells
from termburst.core import groups as core
from termburst.models.cells import TermCells, weights_of
from termburst.models.length_table import LengthTable
from termburst.statistics.tally import Integers
from termburst.threads import over_parts

NODES = 128  # cells that cost as much as what these kernels do for any term, whatever its cells


class GroupedCells:
    """The cells of several collections over the same terms, and what their likelihoods need."""

    def __init__(self, groups: Sequence[TermCells]) -> None:
        self.groups = groups
        offset = np.cumsum([0, *(g.count.size for g in groups[:-1])])
        self.cells = core_cells.cells(
            np.stack([g.indptr for g in groups]) + offset[:, None],
            np.concatenate([g.count for g in groups]),
            np.concatenate([g.length for g in groups]),
            weights_of(groups),
        )
        self.tables = [LengthTable.of(g.lengths, g.length_documents) for g in groups]
        self.tokens = np.array([float(table.tokens) for table in self.tables])
        self.lengths = core.group_lengths(np.stack([table.coefficients for table in self.tables]), self.tokens)
        self.n_i = np.stack([g.n_i for g in groups], axis=1)
        # A result depends only on the cells of a term: terms with equal cells, as most rare terms have, share it.
        n_i = self.n_i.sum(axis=1)
        self.occurring = np.flatnonzero(n_i)
        distinct, place = core_cells.alike_terms(self.cells, self.occurring)
        self.same_as = distinct[place]  # one entry for every term that occurs
        self.terms = distinct[np.argsort(-n_i[distinct], kind="stable")]  # frequent terms first, evenly over the parts
        self.work = self.cells.size + NODES * self.terms.size  # for `parts_of`

    def over_terms(self, kernel: Callable[[Integers], None], terms: Integers, *results: NDArray[Any]) -> None:
        """Call *kernel* with parts of *terms* on all cores; then copy *results* to terms with equal cells."""
        over_parts(lambda part: kernel(terms[part].copy()), self.work, terms.size)
        for result in results:
            result[self.occurring] = result[self.same_as]
