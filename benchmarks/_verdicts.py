"""What the programs that measure tests require, which cells miss it, and means over splits."""

from __future__ import annotations

import math
import textwrap
import warnings
from collections import defaultdict

import numpy as np


class Verdicts:
    """Requirements, the number of cells of each, and the cells that miss it, by place."""

    def __init__(self) -> None:
        self.cells: defaultdict[str, int] = defaultdict(int)
        self.missed: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))

    def judge(
        self, requirement: str, where: str, cell: str, value: float, error: float, low: float, high: float
    ) -> str:
        """The mark of a cell: "", "?" or "!"."""
        if math.isnan(value):
            return ""
        self.cells[requirement] += 1
        off = max(low - value, value - high)
        if off <= 0:
            return ""
        mark = "!" if off > 2 * error else "?"
        self.missed[requirement][where].append(f"{cell} {100 * value:.2f}±{100 * error:.2f}{mark}")
        return mark

    def show(self) -> None:
        print("\nVerdicts")
        for requirement, cells in self.cells.items():
            groups = self.missed[requirement]
            missed = [text for texts in groups.values() for text in texts]
            sure = sum(text.endswith("!") for text in missed)
            verdict = "met" if not missed else f"MISSED in {len(missed)}, {sure} by more than two standard errors"
            print(f"  {requirement}: {cells} cells, {verdict}")
            for where, texts in groups.items():
                line = f"{where}: {'; '.join(texts)}"
                print(textwrap.fill(line, 150, initial_indent=" " * 6, subsequent_indent=" " * 10))
        total = sum(self.cells.values())
        out = sum(len(texts) for groups in self.missed.values() for texts in groups.values())
        print(f"  {total} cells in total, {out} out of bounds")


def summary(splits: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard error between splits."""
    stack = np.array(splits)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a band without terms, or terms in only one split
        return np.nanmean(stack, axis=0), np.nanstd(stack, axis=0, ddof=1) / np.sqrt(np.isfinite(stack).sum(axis=0))
