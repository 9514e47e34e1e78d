"""The beta-binomial regression of every term on a design, and limits of one coefficient (regression.c)."""

from __future__ import annotations

from typing import NewType

import numpy as np
from numpy.typing import NDArray

from termburst.core import beta_binomial
from termburst.core.beta_binomial import LANES
from termburst.core.binding import Floats, Integers, Struct, call, record, require, struct
from termburst.core.cells import Cells
from termburst.core.length_table import DEGREE, PANELS

AFTER = 3  # numbers after the coefficients and τ in a row of a fit: gain, what one more step would bring, curvature
SCRATCH = 10  # rows of scratch space, as in design_problem.c
POINT = 160  # bytes of a design cell at a point, as in regression.h

Design = NewType("Design", Struct)
DesignRoom = NewType("DesignRoom", Struct)


def design(
    cells: Cells, rows: Floats, group: NDArray[np.int32], tables: Floats, tokens: Floats, longest: int, kappa: float,
    offsets: Floats | None = None, leans: Floats | None = None, firm: Floats | None = None,
) -> Design:  # fmt: skip
    """The design in the form of the kernels: *rows* has one row per design cell, *group* the design cell of each cell.

    The cells of a term must be in ascending order of their design cells. *offsets* are added to log α_0 of the design
    cells. With *leans*, one row per design cell, so are their products with γ, whose normal priors around 0 have the
    precisions *firm*, one row per term. There must be a column of 0 for each lean at the end of *rows*.
    """
    require(rows.ndim == 2 and rows.size > 0, "a design must have rows and columns")
    leans = np.zeros((len(rows), 0)) if leans is None else leans
    firm = np.zeros((cells.terms, 0)) if firm is None else firm
    offsets, last = np.zeros(len(rows)) if offsets is None else offsets, rows.shape[1] - leans.shape[1]
    require(leans.shape[0] == len(rows) == len(offsets), "each design cell must have its offset and leans")
    require(firm.shape == (cells.terms, leans.shape[1]) and last > 0, "each term and lean must have a precision")
    require(not rows[:, last:].any(), "the last columns stand for the leans and must be 0")
    require(tables.shape == (len(rows), PANELS, DEGREE + 1, 2), "there must be one length table per design cell")
    require(tokens.shape == (len(rows),), "there must be one number of tokens per design cell")
    require(cells.groups == 1 and group.shape == (cells.size,), "each cell must have its design cell")
    require(longest >= cells.longest, "the longest document must not be shorter than one with a term")
    return struct(Design, locals(), columns=rows.shape[1], leaning=leans.shape[1])


def _room(of: Design) -> DesignRoom:
    size = of.columns + 1
    width = -(-size // LANES) * LANES
    present, points = np.zeros(of.groups * record("Term").itemsize, np.uint8), np.zeros(of.groups * POINT, np.uint8)
    place, counted = np.zeros(of.groups, np.int64), np.zeros(of.groups + 1, np.int64)
    numbers = np.empty((size + of.groups + 2) * width + size * size + SCRATCH * size + 1)
    return struct(DesignRoom, locals())


def fit_design(
    cells: Cells, of: Design, terms: Integers, start: Floats, out: Floats, *, how: str = "scan", held: bool = False,
    rivals: Floats | None = None,
) -> None:  # fmt: skip
    """Fit the given terms. Rows of *start* have coefficients and τ; rows of *out* receive them and `AFTER` numbers.

    If the first column is *held*, its coefficient stays as in *start*. *how* is "scan": terms in few documents are also
    fitted from other values of τ, the best fit is kept, and *rivals* receives the highest other maximum of each term;
    or "climb": from *start* alone.
    """
    _check_rows(cells, of, start, out)
    unused = {"keep": False, "alone": False, "without": out, "tangent": start, "spread": out}
    task = struct("DesignFitTask", locals(), scan=how == "scan", rival=_rivals(cells, rivals), **unused)
    call("tb_fit_design", cells, of, task, beta_binomial.room(cells, of.groups), _room(of))


def fit_without(
    cells: Cells, of: Design, terms: Integers, fits: Floats, out: Floats, without: Floats, tangents: Floats,
    rivals: Floats | None = None, spread: Floats | None = None, alone: bool = False,
) -> None:  # fmt: skip
    """Fit the given terms with their first coefficient held at 0, into *without*.

    *fits* has the coefficients and τ of the fits with it; *out* receives these with `AFTER` numbers, of which the one
    about one more step is 0, and *tangents*, in rows like *fits*, how fast each other parameter follows the first one.
    Other maxima are looked for only if *rivals*, as `fit_design` writes it, may be higher.

    Rows of *spread* receive the variance of log V, where V is the variance of the first coefficient given the
    precision, and the variance of each γ; nothing if there are no leans. If *alone*, the variances of γ are all that is
    found.
    """
    _check_rows(cells, of, fits, out)
    require(without.shape == out.shape, "rows of without must be like those of out")
    require(tangents.shape == fits.shape, "rows of tangents must be like those of fits")
    spread = np.empty((cells.terms, 1 + of.leaning)) if spread is None else spread
    require(spread.shape == (cells.terms, 1 + of.leaning), "a row of spread must have one number more than leans")
    made = {"start": fits, "tangent": tangents, "rival": _rivals(cells, rivals)}
    task = struct("DesignFitTask", locals(), held=False, scan=False, keep=True, **made)
    call("tb_fit_design", cells, of, task, beta_binomial.room(cells, of.groups), _room(of))


def _rivals(cells: Cells, rivals: Floats | None) -> Floats:
    """The other maxima of every term; ∞ if nothing is known about them."""
    if rivals is None:
        return np.full(cells.terms, np.inf)
    require(rivals.shape == (cells.terms,), "there must be one rival per term")
    return rivals


def _check_rows(cells: Cells, of: Design, start: Floats, out: Floats) -> None:
    size = of.columns + 1
    require(start.shape == (cells.terms, size), "a row of start must have the coefficients and tau")
    require(out.shape == (cells.terms, size + AFTER), f"a row of out must have {AFTER} numbers more than start")


def design_limits(
    cells: Cells, of: Design, terms: Integers, fits: Floats, without: Floats, critical: Floats, out: Floats,
    rivals: Floats | None = None, tangents: Floats | None = None,
) -> None:  # fmt: skip
    """Profile-likelihood limits of the first coefficient of the given terms: low and high in the rows of *out*.

    *fits* has rows as `fit_design` writes them, *without* those with the first coefficient held at 0. At a limit, twice
    the log-likelihood is lower by *critical*. *rivals* and *tangents* are as in `fit_without`.
    """
    shape = (cells.terms, of.columns + 1 + AFTER)
    require(fits.shape == shape and without.shape == shape, "fits must have one row per term")
    require(critical.shape == (cells.terms,) and out.shape == (cells.terms, 2), "there must be one row per term")
    tangents = np.full((cells.terms, of.columns + 1), np.nan) if tangents is None else tangents
    require(
        tangents.shape == (cells.terms, of.columns + 1), "a tangent must have as many numbers as coefficients and tau"
    )
    task = struct("DesignLimitTask", locals(), rival=_rivals(cells, rivals), tangent=tangents)
    call("tb_design_limits", cells, of, task, beta_binomial.room(cells, of.groups), _room(of))
