"""The computations of core/burst_difference.c in plain Python; terms are as in `twins.effects`."""

from __future__ import annotations

import math

from twins.effects import gain_at_ratio, highest


def gain_at_difference(first, second, delta):
    """The highest sum of both gains if log R_a − log R_b = δ and neither R is below 1."""

    def gain(common):
        levels = [math.log(math.expm1(max(x, 1e-6))) for x in (common + delta, common)]
        return gain_at_ratio(first, levels[0]) + gain_at_ratio(second, levels[1])

    lowest = max(0.0, -delta)
    return highest(lambda common: gain(max(common, lowest)), lowest, lowest + 4.0, 16)
