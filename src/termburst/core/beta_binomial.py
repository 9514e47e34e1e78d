"""Exact beta-binomial fits, term by term (beta_binomial.c)."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Float, In_f64, In_i64, Int, Out_f64, Struct, call, pointer, require
from termburst.core.cells import Cells
from termburst.core.length_table import LengthTable

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BOUNDARY, CONVERGED, DEGENERATE, FAILED = range(4)  # status of a fit
LANES = 4  # as in core.h: arrays for kernels are padded to a multiple of it


class Term(Struct):
    """The data of one term that its likelihood needs; filled by the kernels."""

    _fields_ = [
        ("more", ctypes.c_void_p),
        ("after", ctypes.c_void_p),
        ("times", ctypes.c_void_p),
        ("runs", ctypes.c_void_p),
        ("more_size", Int),
        ("after_size", Int),
        ("run_size", Int),
        ("largest", Float),
        ("n_i", Float),
        ("documents", Float),
        ("mixed", Float),
    ]


class Room(Struct):
    """Scratch space of one thread."""

    _fields_ = [("seen", Out_f64), ("parts", Out_f64), ("longest", Int), ("size", Int)]


class FitResult(Struct):
    """The result of one fit. `FIT_RESULT` is the NumPy dtype of the same struct."""

    _fields_ = [
        (name, Float)
        for name in "tau omega gain objective score step evaluations status h_tt h_to h_oo".split()  # noqa: SIM905
    ]


class Derivatives(Struct):
    """First and second derivatives of a log-likelihood, and the size of the sums that cancel in ∂τ."""

    _fields_ = [(name, Float) for name in ("tau", "omega", "tau_tau", "tau_omega", "omega_omega", "size")]


FIT_RESULT, DERIVATIVES = np.dtype(FitResult), np.dtype(Derivatives)


class FitTask(Struct):
    _fields_ = [
        ("terms", In_i64),
        ("size", Int),
        ("penalty", In_f64),
        ("spacing", Float),
        ("results", pointer(FIT_RESULT, writes=True)),
    ]


class GainTask(Struct):
    _fields_ = [("terms", In_i64), ("tau", In_f64), ("omega", In_f64), ("gain", Out_f64), ("size", Int)]


class DerivativeTask(Struct):
    _fields_ = [
        ("terms", In_i64),
        ("tau", In_f64),
        ("omega", In_f64),
        ("penalty", In_f64),
        ("out", pointer(DERIVATIVES, writes=True)),
        ("size", Int),
    ]


class ExcessTask(Struct):
    _fields_ = [("terms", In_i64), ("excess", Out_f64), ("size", Int)]


def room(cells: Cells, groups: int = 1) -> Room:
    """Scratch space for any term of these cells: three numbers per occurrence, one per position in a document."""
    parts = 3 * (cells.occurrences + groups * LANES)
    return Room(seen=np.zeros(cells.longest), parts=np.empty(parts), longest=cells.longest, size=parts)


def fit_terms(
    cells: Cells, table: LengthTable, terms: Integers, penalty: Floats, spacing: float, results: NDArray[Any]
) -> None:
    """Fit the given terms and write the fits to *results*, which has one entry per term of the collection.

    *spacing* is the step of the scan over τ. *penalty* has the four coefficients of log f(α_0), or zeros.
    """
    require(penalty.shape == (4,), "penalty must have four coefficients")
    require(results.shape == (cells.terms,), "results must have one result per term")
    require(spacing > 0, "spacing must be above 0")
    task = FitTask(terms=terms, size=terms.size, penalty=penalty, spacing=spacing, results=results)
    call("tb_fit_terms", cells, table, task, room(cells))


def gains(cells: Cells, table: LengthTable, terms: Integers, tau: Floats, omega: Floats) -> Floats:
    """ℓ(τ, ω) − ℓ_binomial of the given terms. *tau* and *omega* have one entry for each of them."""
    require(terms.shape == tau.shape == omega.shape, "tau and omega must have one entry per term")
    out = np.empty(terms.size)
    call("tb_gains", cells, table, GainTask(terms=terms, tau=tau, omega=omega, gain=out, size=terms.size), room(cells))
    return out


def derivatives(
    cells: Cells, table: LengthTable, terms: Integers, tau: Floats, omega: Floats, penalty: Floats
) -> NDArray[Any]:
    """The derivatives in τ and ω of the penalised log-likelihood of the given terms."""
    require(terms.shape == tau.shape == omega.shape, "tau and omega must have one entry per term")
    require(penalty.shape == (4,), "penalty must have four coefficients")
    out = np.empty(terms.size, DERIVATIVES)
    task = DerivativeTask(terms=terms, tau=tau, omega=omega, penalty=penalty, out=out, size=terms.size)
    call("tb_derivatives", cells, table, task, room(cells))
    return out


def excess_pairs(cells: Cells, table: LengthTable, terms: Integers) -> Floats:
    """lim −α_0 ∂ℓ/∂τ of the given terms as α_0 → ∞, at p = n_i/n. It has the sign of Tarone's score."""
    excess = np.empty(terms.size)
    call("tb_excess_pairs", cells, table, ExcessTask(terms=terms, excess=excess, size=terms.size), room(cells))
    return excess
