"""Lockwords: terms whose frequency surely differs by less than a given ratio between two corpora.

A large p does not say that corpora agree: a rare term never has a small one. The question is turned round (an
equivalence test, Schuirmann 1987): the hypothesis is that the shares differ by at least the ratio, in either direction.
Its p-value is the larger of two tails of `two_sides`: P(log ratio < −bound) and P(log ratio > bound). At level α it is
rejected if the 1 − 2α interval of the log ratio, that of `keyness`, lies within ±bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from termburst.inference.keyness import compare
from termburst.models.cells import TermCells

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The equivalence test of every term.

    Attributes
    ----------
    log_ratio : log₂ of the ratio of the mean shares; ±inf if one corpus lacks the term, NaN if both do.
    ci_low, ci_high : the 1 − 2α interval for which the test at level α is equivalent.
    p_value : of the hypothesis that the shares differ by at least the ratio; near 1 if the estimate does.
    """

    log_ratio: Floats
    ci_low: Floats
    ci_high: Floats
    p_value: Floats


def lockwords(a: TermCells, b: TermCells, ratio: float, *, level: float = 0.05) -> Equivalence:
    """Test every term for a difference below *ratio* (above 1)."""
    found, bound = compare(a, b), float(np.log(ratio))
    tails = found.tails([-bound, bound], np.array([2 * level]))
    # If nothing is known, both tails are ½ at any ratio.
    outside = np.minimum(np.maximum(tails.below[:, 0], tails.above[:, 1]), 1.0)  # a rounded sum may be above 1
    p_value = np.where(np.isneginf(tails.limits[:, 0, 0]) & np.isposinf(tails.limits[:, 0, 1]), 1.0, outside)
    absent = found.null.status == "empty"
    low, high = tails.limits[:, 0].T / np.log(2)
    return Equivalence(*(np.where(absent, np.nan, x) for x in (tails.log_ratio / np.log(2), low, high, p_value)))
