"""Functions that the sections beyond the paper share: rows of numbers, and ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau, rankdata

from termburst.paper.markdown import digits
from termburst.paper.results import Row
from termburst.statistics.term_statistics import TermStatistics

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Numbers = dict[str, float]  # name → value; NaN if it cannot be computed

DECIMALS = 6  # of a ranked statistic: equal values of λ differ by 1e-13 in floating point


def numbered_rows(what: str, numbers: Numbers, *, cell: bool = False) -> list[Row]:
    """One row per number; NaN is left out."""
    return [
        Row(f"{what}: {item}", None, value, None, cell=cell) for item, value in numbers.items() if not np.isnan(value)
    ]


def repeats_in(statistics: TermStatistics) -> Mask:
    """Which terms occur twice or more in some document."""
    return np.asarray(statistics.collection_frequency > statistics.document_frequency)


def top(x: Floats, number: int) -> list[int]:
    """The columns of the largest values."""
    return np.argsort(-x, kind="stable")[:number].tolist()


def place(x: Floats, column: int) -> int:
    """The rank of a column, 1 for the largest value."""
    return int((x > x[column]).sum()) + 1


def median(x: NDArray[Any]) -> float:
    return float(np.median(x)) if x.size else float("nan")


def spearman(x: Floats, y: Floats) -> float:
    """Spearman's rank correlation; NaN if one of the two arrays is constant."""
    ranks = rankdata(x), rankdata(y)
    return float(np.corrcoef(*ranks)[0, 1]) if x.size > 1 and all(map(np.ptp, ranks)) else float("nan")


def kendall(x: Floats, y: Floats) -> float:
    """Kendall's τ; NaN if one of the two arrays is constant."""
    return float(kendalltau(x, y)[0]) if x.size > 1 else float("nan")


def tf_idf_sum(n_i: Any, b_i: Any, documents: int) -> Floats:
    """Σ_j TF–IDF(i, j) = n_i log(d/b_i) of every term, 0 for one that never occurs."""
    return np.asarray(n_i * np.log(documents / np.maximum(b_i, 1)))


def spoken(numbers: Numbers) -> Callable[[str], str]:
    """A function that returns a number by its name, as text for a sentence."""
    return lambda item: digits(numbers[item])
