"""Designs in terms of a contrast: the same columns, so that c·β is the first coefficient."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.models.beta_binomial_regression import DesignCells

Floats = NDArray[np.float64]

EXTREME = 20  # span of a number, in distances between its quartiles, from which some of its values are extreme
FARTHEST_VALUE = 1000  # span of a number over its unit; beyond, rounding would look like a finite estimate


def check_design(data: DesignCells, rows: Floats) -> None:
    """Raise ValueError for a design that cannot be fitted."""
    rows = np.asarray(rows, np.float64)
    documents = int(data.documents.sum())
    if rows.shape[0] != data.tokens.size or rows.ndim != 2:
        raise ValueError("a design must have one row per design cell")
    if documents <= rows.shape[1]:
        raise ValueError(
            f"the design has {rows.shape[1]} columns, but there are only {documents:,} documents with words"
        )
    residual = np.ones(len(rows)) - rows @ np.linalg.lstsq(rows, np.ones(len(rows)), rcond=None)[0]
    if np.abs(residual).max() > 1e-8:
        raise ValueError("the formula must have an intercept; remove '0 +' or '- 1' from it")


def orthonormal(rows: Floats, tokens: Floats) -> Floats:
    """The same column space, with columns that are orthonormal over all tokens: Newton's method is then stable.

    If each distinct row has its own mean, as with one category, the columns are indicators of the distinct rows. The
    kernels skip zeros, so a category of many values costs little.
    """
    kind = saturated(rows)
    if kind is not None:
        share = np.bincount(kind, tokens) / tokens.sum()
        return np.ascontiguousarray(np.diag(1 / np.sqrt(share))[kind])
    weight = np.sqrt(tokens / tokens.sum())[:, None]
    return np.ascontiguousarray(np.linalg.qr(rows * weight)[0] / weight)


def contrast_rows(rows: Floats, vector: Floats, tokens: Floats) -> Floats:
    """The same design with c·β as its first coefficient; the other columns span the designs with c·β = 0."""
    size = float(vector @ vector)
    if not size > 0:
        raise ValueError("the two sides of the contrast are the same")
    kind = saturated(rows)
    if kind is not None:
        return _saturated_contrast(rows, vector, tokens, kind)
    others = np.linalg.svd(vector[None, :])[2][1:].T
    rest = orthonormal(rows @ others, tokens)
    first = rows @ vector / size
    first = first - rest @ (rest.T @ (first * tokens / tokens.sum()))
    return np.ascontiguousarray(np.column_stack([first, rest]))


def saturated(rows: Floats) -> NDArray[np.intp] | None:
    """Which distinct row each row is, if there are as many distinct rows as columns, and they are independent."""
    distinct, kind = np.unique(rows, axis=0, return_inverse=True)
    if len(distinct) != rows.shape[1] or not np.linalg.cond(distinct) < 1e6:
        return None
    return kind.ravel()


def _saturated_contrast(rows: Floats, vector: Floats, tokens: Floats, kind: NDArray[np.intp]) -> Floats:
    """`contrast_rows` if each distinct row has its own mean ω: c·β = w·ω, where most w are 0.

    The columns of rows with w = 0 are indicators; only the others have more than one number that is not 0.
    """
    share = np.bincount(kind, tokens) / tokens.sum()
    w = np.linalg.solve(np.unique(rows, axis=0).T, vector)
    w[np.abs(w) < 1e-12 * np.abs(w).max()] = 0.0
    inside, outside = np.flatnonzero(w), np.flatnonzero(w == 0)
    found = np.zeros((w.size, w.size))
    found[:, 0] = w / share / (w**2 / share).sum()
    if inside.size > 1:
        others = np.linalg.svd((w[inside] / np.sqrt(share[inside]))[None, :])[2][1:].T / np.sqrt(share[inside])[:, None]
        found[inside[:, None], np.arange(1, inside.size)] = others
    found[outside, np.arange(inside.size, w.size)] = 1 / np.sqrt(share[outside])
    return np.ascontiguousarray(found[kind])


def spanning_rows(
    rows: Floats, vector: Floats, tokens: Floats, number: bool = False
) -> tuple[Floats, Floats]:  # fmt: skip
    """`contrast_rows` with a first column that spans 1, and by what to divide its coefficient for log₂ of the ratio.

    Without this, what counts as flat, and the steps of a search, would depend on the unit of a number. If few values of
    a *number* are far from all others, the unit is what the others span: most documents say nothing about a slope that
    is measured in the distance to an extreme one.

    >>> rows, unit = spanning_rows(np.array([[1.0, 0], [1, 500], [1, 1000]]), np.array([0.0, 1]), np.ones(3))
    >>> rows[:, 0].round(3).tolist(), round(float(unit / np.log(2)))
    ([-0.5, 0.0, 0.5], 1000)
    """
    first = contrast_rows(rows, vector, tokens)[:, 0]
    span = float(np.ptp(first))
    if number:
        # Adjusted for other covariates, an extreme value moves those that share them, so ask the number itself, too.
        middles = (_quartile_distance(values, tokens) for values in (first, rows @ vector / (vector @ vector)))
        middle = min(filter(None, middles), default=0.0)
        if 0 < EXTREME * middle < span:
            span = max(2 * middle, span / FARTHEST_VALUE)
    return contrast_rows(rows, vector * span, tokens), span * np.log(2)


def _quartile_distance(values: Floats, tokens: Floats) -> float:
    """Between the quartiles of the values of all tokens."""
    order = np.argsort(values)
    place = np.searchsorted(np.cumsum(tokens[order]), np.array([0.25, 0.75]) * tokens.sum())
    return float(np.ptp(values[order][place]))


def centred(leans: Floats, documents: Floats) -> Floats:
    """The columns without their means over the documents where they are not 0."""
    held = leans != 0
    return np.asarray(leans - held * (documents @ leans) / np.maximum(documents @ held, 1.0))


def changed(coefficients: Floats, there: Any) -> Floats:
    """Coefficients in terms of another basis. Not by BLAS: its threads would spin while the kernels run."""
    return np.einsum("ik,jk->ij", coefficients, there)
