"""What a test says about words whose true ratio is known, as rates, and the bounds of these."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from _verdicts import Verdicts
from numpy.typing import NDArray

from termburst.inference.keyness import keyness
from termburst.models.cells import TermCells

Floats = NDArray[np.float64]

ROUNDED = 1 + 1e-9
LIMITS = {"p ≤ .05": (0.06, 0.04), "A higher": (0.035, 0.02), "A lower": (0.035, 0.02), "p ≤ .001": (0.002, 0.0)}
WIDTHS = dict.fromkeys(LIMITS, 15) | {"coverage": 15, "disagree": 9, "end at 0": 9}


@dataclass(frozen=True)
class Outcome:
    """The results of a test, one entry per word; `truth` is the log₂ ratio. Words that do not occur have NaN."""

    log_ratio: Floats
    p_value: Floats
    low: Floats
    high: Floats
    truth: Floats

    @classmethod
    def of(cls, a: TermCells, b: TermCells, method: str, truth: Floats | float = 0.0) -> Outcome:
        found = keyness(a, b, method=method, confidence=0.95)
        log_ratio = found.log_ratio
        return cls(log_ratio, found.p_value, found.ci_low, found.ci_high, np.broadcast_to(truth, log_ratio.shape))

    @classmethod
    def joined(cls, calls: list[Outcome]) -> Outcome:
        return cls(*(np.concatenate([getattr(call, field.name) for call in calls]) for field in fields(cls)))

    def only(self, which: NDArray[np.bool_]) -> Outcome:
        """The same for *which* words, if they occur."""
        kept = which & ~np.isnan(self.p_value)
        return Outcome(*(getattr(self, field.name)[kept] for field in fields(self)))

    @property
    def significant(self) -> NDArray[np.bool_]:
        return self.p_value <= 0.05 * ROUNDED

    @property
    def rates(self) -> dict[str, float]:
        """Share of words with each property."""
        outside = (self.low > 0) | (self.high < 0)
        inside = (self.low < 0) & (self.high > 0)
        properties = {
            "p ≤ .05": self.significant,
            "A higher": self.significant & (self.log_ratio > 0),
            "A lower": self.significant & (self.log_ratio < 0),
            "p ≤ .001": self.p_value <= 0.001 * ROUNDED,
            "coverage": (self.low <= self.truth) & (self.truth <= self.high),
            "disagree": np.where(self.significant, inside, outside),
            "end at 0": (self.low == 0) | (self.high == 0),
        }
        return {name: float(np.mean(which)) if which.size else math.nan for name, which in properties.items()}


def standard_error(rate: float, size: int) -> float:
    return math.sqrt(rate * (1 - rate) / max(size, 1))


def marks(
    label: str, rates: dict[str, float], size: int, oracle: dict[str, float], known: int, verdicts: Verdicts
) -> dict[str, str]:
    """The mark behind each rate of a cell."""
    found = {}
    for name, (high, low) in LIMITS.items():
        error = standard_error(rates[name], size)
        found[name] = verdicts.judge(f"{name}: at most {100 * high:g} %", label, name, rates[name], error, 0.0, high)
        if oracle.get(name, 0.0) >= low > 0:
            error = math.hypot(error, standard_error(oracle[name], known))
            requirement = f"{name}: at least {100 * low:g} % where the oracle reaches it"
            mark = verdicts.judge(requirement, label, name, rates[name], error, low, 1.0)
            found[name] += f"low{mark}" if mark else ""
    error = standard_error(rates["coverage"], size)
    discrete = oracle.get("p ≤ .05", 0.05) < 0.03  # then no interval covers 95 % exactly
    bounds, high = ("at least 93 %, as the oracle has p ≤ .05 in < 3 %", 1.0) if discrete else ("93 to 97 %", 0.97)
    requirement = f"coverage of 95 % intervals: {bounds}"
    found["coverage"] = verdicts.judge(requirement, label, "coverage", rates["coverage"], error, 0.93, high)
    verdicts.judge("interval and p agree", label, "disagree", rates["disagree"], 0.0, 0.0, 0.0)
    return found


def row_text(rates: dict[str, float], size: int, mark: dict[str, str]) -> str:
    texts = []
    for name, width in WIDTHS.items():
        text = f"{100 * rates[name]:.2f}" if name in LIMITS else f"{100 * rates[name]:.1f}"
        if name in mark:
            text += f"±{100 * standard_error(rates[name], size):.2f}{mark[name]}"
        texts.append(f"{text:>{width}}")
    return "".join(texts)
