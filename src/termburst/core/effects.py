"""Confidence limits of burst ratio and reuse, by profile likelihood (effects.c)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst.core.beta_binomial import room
from termburst.core.binding import Floats, Integers, call, require, struct
from termburst.core.cells import Cells
from termburst.core.length_table import LengthTable

RATIO, REUSE = range(2)  # the effects, as in effects.h


def effect_limits(
    cells: Cells, table: LengthTable, effect: int, length: float, terms: Integers, fits: tuple[Floats, Floats, Floats],
    roots: NDArray[np.void], out: NDArray[np.void],
) -> None:  # fmt: skip
    """Limits of an effect of the given terms, to *out*, as levels: log(R − 1) or the logit of reuse.

    *fits* are τ (inf at the boundary), ω and the gain over the binomial. A limit is where √(2(ℓ̂ − ℓ)) reaches the root;
    it is NaN if the root is NaN. *length* is that of the document that reuse is about.
    """
    tau, omega, gain = fits
    for array in (tau, omega, gain, roots, out):
        require(array.shape == (cells.terms,), "fits, roots and out must have one entry per term")
    require(effect in (RATIO, REUSE), "effect must be RATIO or REUSE")
    require(length > 1, "length must be above 1")
    call("tb_effect_limits", cells, table, struct("EffectTask", locals()), room(cells))


def reuse_logits(tau: Floats, omega: Floats, length: float) -> Floats:
    """logit P(N ≥ 2 | N ≥ 1) for a document of *length* tokens, at each (τ, ω); τ may be inf (the binomial)."""
    require(tau.shape == omega.shape, "tau and omega must have the same shape")
    require(length > 1, "length must be above 1")
    out = np.empty(tau.shape)
    call("tb_reuse", struct("ReuseTask", tau=tau, omega=omega, out=out, length=length))
    return out
