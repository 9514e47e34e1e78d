"""The operations of `models.closed_forms` on the columns of a frame, in expressions that every engine can evaluate."""

from __future__ import annotations

import math
from typing import Any

import narwhals.stable.v2 as nw

STIRLING_FROM = 10  # from here on, six terms of Stirling's series give all digits of log Γ
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)


class ColumnOperations:
    """Operations on the columns of a frame; see `closed_forms.Operations`.

    Attributes
    ----------
    frame : frame
        The frame that was given, with one more column for each value kept so far. Formulas are expressions of its
        columns. At the end, select the columns that you need: those of kept values have no meaningful names.

    Examples
    --------
    >>> import polars as pl
    >>> ops = ColumnOperations(nw.from_native(pl.DataFrame({"n": [1, 3]})))
    >>> twice = ops.keep(2.0 * nw.col("n"))
    >>> nw.to_native(ops.frame.select(found=twice + twice))["found"].to_list()
    [4.0, 12.0]
    """

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self._kept = 0

    def column(self, name: str) -> Any:
        """A column of the frame."""
        return nw.col(name)

    def keep(self, value: Any) -> Any:
        """The value as a column of its own."""
        self._kept += 1
        name = f"_kept_{self._kept}"
        self.frame = self.frame.with_columns(value.alias(name))
        return nw.col(name)

    def log(self, x: Any) -> Any:
        """Natural logarithm. Narwhals writes the argument three times, so the argument is kept."""
        return self.keep(x).log()

    def xlogy(self, x: Any, y: Any) -> Any:
        """x log y for x > 0; a frame has no term that never occurs."""
        return x * self.log(y)

    def where(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """*then* where the condition holds, *otherwise* elsewhere; both may be plain numbers or strings."""
        return nw.when(condition).then(_expression(then)).otherwise(_expression(otherwise))

    def at_least(self, x: Any, least: float) -> Any:
        """x, or *least* where x is below it."""
        return x.clip(least, None)

    def as_float(self, x: Any) -> Any:
        """Integers as the nearest floats."""
        return x.cast(nw.Float64)

    def log_one_minus(self, part: Any, whole: float) -> Any:
        """log((whole − part)/whole) to its last digits, 0 ≤ part < whole, without log1p.

        Let u be the rounded quotient and v the true one. The logarithm is log u + (v − u)/u. The rounding error v − u
        is −part/whole − (u − 1), exactly if u ≥ ½. Below that, log u has all its digits.
        """
        part = self.keep(part)
        u = self.keep((whole - part) / whole)
        lost = self.where(u >= 0.5, (-part / whole - (u - 1.0)) / u, 0.0)
        return self.keep(u.log() + lost)

    def log_factorial(self, count: Any) -> Any:
        """log (n − 1)! = log Γ(n) of whole numbers n ≥ 1, to a few ulps.

        A table below `STIRLING_FROM`, Stirling's series from there on.
        """
        x = self.keep(self.where(count < STIRLING_FROM, float(STIRLING_FROM), count.cast(nw.Float64)))
        over = self.keep(1.0 / x)
        squared = self.keep(over * over)
        series = nw.lit(0.0)
        for coefficient in reversed(STIRLING):
            series = coefficient + series * squared
        value = (x - 0.5) * x.log() - x + math.log(2 * math.pi) / 2 + series * over
        for small in range(1, STIRLING_FROM):
            value = self.where(count == small, math.lgamma(small), value)
        return self.keep(value)


def _expression(value: Any) -> Any:
    return value if isinstance(value, nw.Expr) else nw.lit(value)
