"""How often a word stands near a node, if the other tokens of every document are shuffled (collocates.c)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Float, In_i32, In_i64, Int, Out_f64, Out_i64, Struct, call, require

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Windows(Struct):
    _fields_ = [("others", In_i64), ("near", In_i64), ("documents", Int)]


class WordCells(Struct):
    _fields_ = [
        ("starts", In_i64),
        ("document", In_i32),
        ("count", In_i32),
        ("cells", Int),
        ("observed", In_i64),
        ("words", Int),
    ]


class Attraction(Struct):
    _fields_ = [
        ("expected", Out_f64),
        ("log_p", Out_f64),
        ("log_above", Out_f64),
        ("theta", Out_f64),
        ("low", Out_f64),
        ("high", Out_f64),
        ("exact", Out_i64),
        ("deviate", Float),
        ("log_tail", Float),
        ("most", Float),
        ("effects", Int),
    ]


class AttractionRoom(Struct):
    _fields_ = [
        ("probability", Out_f64),
        ("size", Int),
        ("steps", Out_i64),
        ("cells", Int),
        ("state", Out_f64),
        ("states", Int),
    ]


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
    room = int(np.max(tokens[starts[1:]] - tokens[starts[:-1]] + sizes, initial=0))
    most_cells = int(sizes.max(initial=0))
    states = int(min(observed.max(initial=0) + 2, most + 2))
    results = [np.empty(observed.size) for _ in range(6)]
    exact = np.empty(observed.size, dtype=np.int64)
    call(
        "tb_attraction",
        Windows(others=others, near=near, documents=others.size),
        WordCells(
            starts=starts, document=document, count=count, cells=count.size, observed=observed, words=observed.size
        ),
        Attraction(
            **dict(zip(("expected", "log_p", "log_above", "theta", "low", "high"), results, strict=True)),
            exact=exact,
            deviate=deviate,
            log_tail=log_tail,
            most=most,
            effects=effects,
        ),
        AttractionRoom(
            probability=np.empty(room),
            size=room,
            steps=np.empty(most_cells, dtype=np.int64),
            cells=most_cells,
            state=np.empty(states),
            states=states,
        ),
    )
    expected, log_p, log_above, theta, low, high = results
    return expected, log_p, log_above, theta, low, high, exact
