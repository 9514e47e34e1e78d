"""Beta-binomial regression: the share of every term in a document depends on covariates of the document.

Document j with the row x_j of the design matrix has logit mean ω_j = x_j·β and precision log α_0j = τ − κ (v_j − v),
where v_j = log π_j(1 − π_j), and v is the same for all documents together. κ = ½ ties the precision to the mean
halfway between "more documents use the word" and "they use it more often". Documents
with equal rows are one design cell. Each design cell has a length table, so a fit costs a term's own occurrences and
one look-up per design cell. The precision may also lean on covariates by itself (`Regression.with_leans`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core import cells as core_cells
from termburst.core import regression as core
from termburst.models.cells import TermCells, check_lengths
from termburst.models.fit_beta_binomial import BetaBinomialFit
from termburst.models.length_table import LengthTable
from termburst.statistics.matrix import Integers, tally, totals
from termburst.threads import over_parts

Floats = NDArray[np.float64]

INSIDE = 3.0  # τ above the logarithm of the longest length from which a fit starts at most
KAPPA = 0.5  # of the tie between precision and mean: halfway between more documents with a word, and more of it in them
SEPARATED = 1e-3  # curvature of a coefficient below which the data set no limit to it on one side


@dataclass(frozen=True, slots=True)
class DesignCells:
    """The cells of a collection by term, each with its design cell; made by `design_cells`.

    Attributes
    ----------
    cells : the cells of all documents; those of a term are in ascending order of their design cells.
    group : the design cell of each cell.
    lengths : for each design cell, its distinct lengths and the number of documents of each.
    tokens, documents : of each design cell, empty documents not counted.
    """

    cells: TermCells
    group: NDArray[np.int32]
    lengths: Sequence[tuple[Integers, Integers]]
    tokens: Floats
    documents: Floats


def design_cells(parts: Sequence[TermCells], cell: Sequence[int] | NDArray[np.intp] | None = None) -> DesignCells:
    """Join the cells of several collections over the same terms; each is one design cell, or part of the given *cell*.

    Design cells are numbered from 0. Documents of a design cell with the same count and length are one pattern, so the
    result is the same, to the last bit, whether *parts* come from documents or from statistics.

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> joined = design_cells([term_cells([[2, 1]]), term_cells([[1, 3], [0, 4]])])
    >>> joined.cells.count.tolist(), joined.group.tolist(), joined.documents.tolist()
    ([2, 1, 1, 3, 4], [0, 1, 0, 1, 1], [1.0, 2.0])
    >>> design_cells([term_cells([[2, 1]]), term_cells([[2, 1]])], [0, 0]).cells.weight.tolist()
    [2.0, 2.0]
    """
    place = np.arange(len(parts)) if cell is None else np.asarray(cell, np.intp)
    columns = [
        np.concatenate([part.term for part in parts]),
        np.repeat(place, [part.count.size for part in parts]),
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("length", "count")),
    ]
    weight = np.concatenate([np.broadcast_to(part.weight, part.count.shape) for part in parts])
    lengths = lengths_by_group(
        np.repeat(place, [part.lengths.size for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([part.length_documents for part in parts]),
        int(place.max()) + 1,
    )
    n_i, b_i = (np.sum([getattr(part, name) for part in parts], axis=0) for name in ("n_i", "b_i"))
    return _design_cells(columns, weight.astype(np.int64), lengths, n_i, b_i)


def design_cells_of(counts: Any, cell: NDArray[np.intp]) -> DesignCells:
    """`design_cells` of canonical counts, of which *cell* has the design cell of each document.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> found = design_cells_of(csr_array([[2, 1], [1, 3], [0, 4]]), np.array([0, 1, 1]))
    >>> found.cells.count.tolist(), found.group.tolist(), found.documents.tolist()
    ([2, 1, 1, 3, 4], [0, 1, 0, 1, 1], [1.0, 2.0])
    """
    sums = totals(counts, length_sums=False)
    check_lengths(np.array([sums.n_j.max(initial=0)]))
    document = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    columns = [counts.indices, cell[document], sums.n_j[document], counts.data]
    lengths = lengths_by_group(cell, sums.n_j, np.ones(sums.n_j.size, np.int64), int(cell.max()) + 1)
    return _design_cells(columns, np.ones(document.size, np.int64), lengths, sums.n_i, sums.b_i)


def _design_cells(
    columns: list[NDArray[Any]], weight: Integers, lengths: Sequence[tuple[Integers, Integers]], n_i: Integers,
    b_i: Integers,
) -> DesignCells:  # fmt: skip
    """From the term, design cell, length and count of each cell, which may come several times."""
    (term, group, length, count), documents = tally(columns, weight)
    (every,), number = tally([np.concatenate([of for of, _ in lengths])], np.concatenate([n for _, n in lengths]))
    cells = TermCells(
        np.searchsorted(term, np.arange(n_i.size + 1)), count.astype(np.int32), length.astype(np.int32),
        documents.astype(np.float64), n_i, b_i, every, number,
    )  # fmt: skip
    tokens = np.array([float(of @ n) for of, n in lengths])
    return DesignCells(cells, group.astype(np.int32), lengths, tokens, np.array([float(n.sum()) for _, n in lengths]))


def merged_cells(data: DesignCells, kind: NDArray[np.intp]) -> DesignCells:
    """The same documents in fewer design cells: g becomes a part of kind[g]."""
    groups, group = int(kind.max()) + 1, kind[data.group]
    order = np.argsort(data.cells.term * groups + group, kind="stable")
    every, number = (np.concatenate(columns) for columns in zip(*data.lengths, strict=True))
    lengths = lengths_by_group(np.repeat(kind, [of.size for of, _ in data.lengths]), every, number, groups)
    tokens, documents = (np.bincount(kind, of, groups).astype(np.float64) for of in (data.tokens, data.documents))
    cells = {name: getattr(data.cells, name)[order] for name in ("count", "length", "weight")}
    return DesignCells(replace(data.cells, **cells), group[order].astype(np.int32), lengths, tokens, documents)


def lengths_by_group(group: Any, length: Integers, number: Integers, groups: int) -> list[tuple[Integers, Integers]]:
    """For each group, its distinct lengths above 0 and the number of documents of each.

    >>> [(of.tolist(), n.tolist()) for of, n in lengths_by_group([1, 1, 1], np.array([3, 0, 3]), np.ones(3, int), 2)]
    [([], []), ([3], [2])]
    """
    held = length > 0
    (of, distinct), number = tally([np.asarray(group)[held], length[held]], number[held])
    ends = np.searchsorted(of, np.arange(groups + 1)).tolist()
    return [(distinct[a:b], number[a:b]) for a, b in pairwise(ends)]


class Regression:
    """Fits of one collection with several designs over the same design cells."""

    def __init__(self, data: DesignCells, kappa: float = KAPPA) -> None:
        self.data, self.kappa = data, float(kappa)
        self.offsets: Floats | None = None
        self.leans: Floats | None = None
        self.firm: Floats | None = None
        cells = data.cells
        tables = [LengthTable.of(*lengths) for lengths in data.lengths]
        self.tables = np.stack([table.coefficients for table in tables])
        self.longest = max(1, *(table.longest for table in tables))
        self.cells = cells.for_kernels()
        self.occurring = np.flatnonzero((cells.n_i > 0) & (cells.n_i < cells.tokens))
        # A result depends only on the cells of a term: terms with equal cells, as most rare terms have, share it.
        _, place = np.unique(data.group.astype(np.int64) * (self.longest + 1) + cells.length, return_inverse=True)
        most = int(cells.count.max(initial=1))
        named = core_cells.cells(
            self.cells.arrays["indptr"],
            self.cells.arrays["count"],
            (place + most).astype(np.int32),
            self.cells.arrays["weight"],
        )
        distinct, at = core_cells.alike_terms(named, self.occurring)
        again = distinct[at] != self.occurring
        self.repeated, self.same_as = self.occurring[again], distinct[at][again]
        self.terms = distinct[np.argsort(-cells.n_i[distinct], kind="stable")]

    @property
    def work(self) -> int:
        """For `over_parts`: each term is looked up in each design cell."""
        return self.cells.size + self.terms.size * len(self.tables)

    def over_terms(self, kernel: Callable[[Integers], None], terms: Integers, *results: NDArray[Any]) -> None:
        """Call *kernel* with parts of *terms* on all cores; then copy *results* to terms with equal cells."""
        over_parts(
            lambda part: kernel(terms[part].copy()), self.work * terms.size // max(self.terms.size, 1), terms.size
        )
        for result in results:
            result[self.repeated] = result[self.same_as]

    def design(self, rows: Floats) -> core.Design:
        """A design of these design cells in the form of the kernels."""
        data, rows = self.data, np.ascontiguousarray(rows, np.float64)
        return core.design(
            self.cells, rows, data.group, self.tables, data.tokens, self.longest, self.kappa,
            self.offsets, self.leans, self.firm,
        )  # fmt: skip

    def with_offsets(self, offsets: Floats) -> Regression:
        """The same with given numbers that are added to log α_0 of the design cells."""
        apart = copy(self)
        apart.offsets = np.ascontiguousarray(offsets, np.float64)
        return apart

    def with_leans(self, leans: Floats, shift: Floats, spread: Floats) -> Regression:
        """The same with a precision that depends on covariates *leans*, one row per design cell.

        log α_0g = τ + Σ_p (δ_p + γ_p) z_gp − κ (v_g − v), where δ is the *shift*, and the γ of each term are fitted,
        with normal priors N(0, spread_p²); *spread* may have one row per term. Each needs a column of zeros at the
        end of a design.
        """
        leaning, shape = self.with_offsets(leans @ shift), (self.data.cells.n_i.size, leans.shape[1])
        leaning.leans = np.ascontiguousarray(leans, np.float64)
        leaning.firm = np.ascontiguousarray(np.broadcast_to(1 / np.square(spread), shape))
        return leaning

    def start(self, rows: Floats, null: BetaBinomialFit) -> Floats:
        """Coefficients and τ of the model with one mean, *null*, in terms of a design that has an intercept."""
        intercept = np.linalg.lstsq(rows, np.ones(len(rows)), rcond=None)[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            omega = np.log(null.mean) - np.log1p(-null.mean)
            tau = np.where(null.status == "converged", np.log(null.alpha_0), np.inf)
        tau = np.where(null.status == "degenerate", -np.inf, tau)
        return np.column_stack([np.where(np.isfinite(omega), omega, 0.0)[:, None] * intercept, tau])

    def fit(
        self, rows: Floats, start: Floats, *, how: str = "scan", held: bool = False, terms: Integers | None = None,
        rivals: Floats | None = None,
    ) -> Floats:  # fmt: skip
        """Raw fits of a design: coefficients, τ, gain, what one more step would bring, and curvature; NaN if absent.

        *how* is "scan" or "climb", as in `core.regression.fit_design`. If *terms* are given, only these are fitted.
        *rivals* receives the highest other maximum of each term that a scan finds.
        """
        design, raw = self.design(rows), np.full((start.shape[0], start.shape[1] + core.AFTER), np.nan)
        start = self._off_the_boundary(start, rows.shape[1])
        rivals = np.full(len(raw), np.inf) if rivals is None else rivals
        self.over_terms(
            lambda part: core.fit_design(self.cells, design, part, start, raw, how=how, held=held, rivals=rivals),
            self._among(terms),
            raw,
            rivals,
        )
        return raw

    def _among(self, terms: Integers | None) -> Integers:
        return self.terms if terms is None else self.terms[np.isin(self.terms, terms)]

    def fit_both(
        self, rows: Floats, fits: Floats, rivals: Floats | None = None, terms: Integers | None = None,
        *, alone: bool = False,
    ) -> tuple[Floats, Floats, Floats, Floats]:  # fmt: skip
        """Raw fits with and without the first coefficient; *fits* has the coefficients and τ of those with it.

        The third array has how fast each other parameter follows the first one. With the *rivals* of those fits, other
        maxima are looked for only in terms that may have a higher one. With leans, the fourth array has Var(log V),
        where V is the variance of the first coefficient given the precision, and the variance of each γ; NaN if not
        known. If *terms* are given, only these are fitted; *alone* leaves out the fits without the coefficient.
        """
        design, shape = self.design(rows), (fits.shape[0], fits.shape[1] + core.AFTER)
        fits, full, without = np.array(fits, order="C"), np.full(shape, np.nan), np.full(shape, np.nan)
        tangents, spread = np.full(fits.shape, np.nan), np.full((fits.shape[0], 1 + design.leaning), np.nan)
        self.over_terms(
            lambda part: core.fit_without(
                self.cells, design, part, fits, full, without, tangents, rivals, spread, alone=alone
            ),
            self._among(terms),
            full,
            without,
            tangents,
            spread,
        )
        return full, without, tangents, spread

    def _off_the_boundary(self, starts: Floats, place: int) -> Floats:
        """Starts whose τ, in the column *place*, is where the likelihood still depends on it.

        The binomial may be the supremum with a covariate and not without it. At the boundary nothing would show that.
        """
        starts = np.array(starts, np.float64, order="C")
        starts[:, place] = np.minimum(starts[:, place], np.log(self.longest) + INSIDE)
        return starts

    def limits(
        self, rows: Floats, raw: Floats, without: Floats, critical: Floats, terms: Integers | None = None,
        rivals: Floats | None = None, tangents: Floats | None = None,
    ) -> Floats:  # fmt: skip
        """Profile-likelihood limits of the first coefficient, one row per term; ±inf if there is none.

        *raw* are fits of the design, *without* those with the first coefficient held at 0; *rivals* and
        *tangents* as in `fit_both`, or None.
        """
        design, found = self.design(rows), np.full((len(raw), 2), np.nan)
        tangents = np.full((len(raw), rows.shape[1] + 1), np.nan) if tangents is None else tangents
        raw, without = (self._off_the_boundary(fits, rows.shape[1]) for fits in (raw, without))
        self.over_terms(
            lambda part: core.design_limits(self.cells, design, part, raw, without, critical, found, rivals, tangents),
            self._among(terms),
            found,
        )
        return found

    def status(self, raw: Floats, null: BetaBinomialFit) -> NDArray[np.object_]:
        """What became of the fit of each term.

        "converged"; "boundary" if the binomial is the supremum; "degenerate" if documents are only this term or without
        it; "empty"; "constant" if all tokens are this term; "failed" if the maximum was not found.
        """
        columns, cells = raw.shape[1] - 1 - core.AFTER, self.data.cells
        status = np.full(len(raw), "converged", dtype=object)
        status[raw[:, columns] >= np.log(self.longest) + 12.0] = "boundary"
        status[raw[:, columns + 2] > 1e-6] = "failed"
        status[null.status == "degenerate"] = "degenerate"
        status[cells.n_i == cells.tokens] = "constant"
        status[cells.n_i == 0] = "empty"
        return status
