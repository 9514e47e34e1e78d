"""Exact beta-binomial fits, term by term (beta_binomial.c)."""

from __future__ import annotations

from typing import Any, NewType

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Floats, Integers, Struct, call, record, require, struct
from termburst.core.cells import Cells
from termburst.core.length_table import LengthTable

BOUNDARY, CONVERGED, DEGENERATE, FAILED = range(4)  # status of a fit
LANES = 4  # as in core.h: arrays for kernels are padded to a multiple of it

Room = NewType("Room", Struct)  # Scratch space of one thread.


def room(cells: Cells, groups: int = 1) -> Room:
    """Scratch space for any term of these cells: three numbers per occurrence, one per position in a document."""
    parts = 3 * (cells.occurrences + groups * LANES)
    return struct(Room, seen=np.zeros(cells.longest), parts=np.empty(parts))


def fit_terms(
    cells: Cells, table: LengthTable, terms: Integers, penalty: Floats, spacing: float, results: NDArray[Any]
) -> None:
    """Fit the given terms and write the fits to *results*, which has one entry per term of the collection.

    *spacing* is the step of the scan over τ. *penalty* has the four coefficients of log f(α_0), or zeros.
    """
    require(penalty.shape == (4,), "penalty must have four coefficients")
    require(results.shape == (cells.terms,), "results must have one result per term")
    require(spacing > 0, "spacing must be above 0")
    task = struct("FitTask", terms=terms, penalty=penalty, spacing=spacing, results=results)
    call("tb_fit_terms", cells, table, task, room(cells))


def gains(cells: Cells, table: LengthTable, terms: Integers, tau: Floats, omega: Floats) -> Floats:
    """ℓ(τ, ω) − ℓ_binomial of the given terms. *tau* and *omega* have one entry for each of them."""
    require(terms.shape == tau.shape == omega.shape, "tau and omega must have one entry per term")
    out = np.empty(terms.size)
    call("tb_gains", cells, table, struct("GainTask", terms=terms, tau=tau, omega=omega, gain=out), room(cells))
    return out


def derivatives(
    cells: Cells, table: LengthTable, terms: Integers, tau: Floats, omega: Floats, penalty: Floats
) -> NDArray[Any]:
    """The derivatives in τ and ω of the penalised log-likelihood of the given terms."""
    require(terms.shape == tau.shape == omega.shape, "tau and omega must have one entry per term")
    require(penalty.shape == (4,), "penalty must have four coefficients")
    out = np.empty(terms.size, record("Derivatives"))
    task = struct("DerivativeTask", terms=terms, tau=tau, omega=omega, penalty=penalty, out=out)
    call("tb_derivatives", cells, table, task, room(cells))
    return out
