"""How often a word stands near a node, if the other tokens of every document are shuffled (collocates.c)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Floats, Integers, call, require, struct


def attraction(
    windows: tuple[Integers, Integers],
    cells: tuple[Integers, NDArray[np.int32], NDArray[np.int32]],
    observed: Integers,
    *,
    deviate: float,
    log_tail: float,
    most: float,
    effects: bool = True,
) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats, Integers]:
    """For each word E X, log P(X ≥ observed), log P(X > observed), θ, its limits, and whether the tails are exact.

    *windows*: for each document the number of tokens that are not the node, and how many of their places are in the
    window. *cells*: (starts, document, count); word w has the cells starts[w] to starts[w + 1] − 1. A tail is summed
    exactly if this takes at most *most* steps. Without *effects*, θ is 0, or NaN if X can have only one value.
    """
    (others, near), (starts, document, count) = windows, cells
    require(others.size == near.size, "others and near must have one entry per document")
    require(starts.size == observed.size + 1, "there must be one start more than there are words")
    require(document.size == count.size, "document and count must have one entry per cell")
    require(bool((np.diff(starts) >= 0).all()) and starts[0] >= 0 and starts[-1] <= count.size, "starts must ascend")
    sizes = np.diff(starts)
    tokens = np.append(0, np.cumsum(count, dtype=np.int64))
    expected, log_p, log_above, theta, low, high = np.empty((6, observed.size))
    exact = np.empty(observed.size, dtype=np.int64)
    probability = np.empty(int(np.max(tokens[starts[1:]] - tokens[starts[:-1]] + sizes, initial=0)))
    steps = np.empty(int(sizes.max(initial=0)), dtype=np.int64)
    state = np.empty(int(min(observed.max(initial=0) + 2, most + 2)))
    local = locals()
    structs = [struct(name, local) for name in ("Windows", "WordCells", "Attraction", "AttractionRoom")]
    call("tb_attraction", *structs)
    return expected, log_p, log_above, theta, low, high, exact
