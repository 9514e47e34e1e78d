"""A network of words that come together, with arrows to those that come later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.plot.canvas import BLUE, NORMAL, SMALL, WIDTH, Floats, sheet
from termburst.plot.terms import families

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PAIRS = 200
COLUMNS = ("source", "target", "documents", "expected", "q_together", "q_after")
_ROUNDS = 300


def triggers(table: Any, *, top: int = 40, q: float = 0.05) -> Figure:
    """Draw the surest pairs: an arrow from a word to one that it brings on, a line between words that come together.

    An arrow needs q_together and q_after of at most *q*, a line only q_together. The width grows with the logarithm of
    documents/expected. Words that are connected stand together.

    Parameters
    ----------
    table : of `Corpus.triggers()` for all pairs, with the columns of `COLUMNS`
    top : at most how many pairs, the first ones of the table
    q : pairs with a larger q_together are not drawn

    Examples
    --------
    >>> import polars as pl
    >>> pairs = {"source": ["socrates", "a"], "target": ["plato", "b"], "documents": [20, 9], "expected": [5.0, 8.0]}
    >>> figure = triggers(pl.DataFrame({**pairs, "q_together": [0.001, 0.5], "q_after": [0.01, 0.9]}))
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    ['socrates', 'plato']
    """
    missing = [name for name in COLUMNS if name not in getattr(table, "columns", ())]
    if missing:
        raise ValueError(f"the table has no column {missing[0]}; give the table of corpus.triggers(), of all pairs")
    if not isinstance(top, (int, np.integer)) or not 1 <= top <= MOST_PAIRS:
        raise ValueError(f"top must be a whole number from 1 to {MOST_PAIRS}; got {top!r}")
    drawn = [row for row in table.select(COLUMNS).rows() if row[4] <= q][:top]
    if not drawn:
        raise ValueError(f"there is nothing to draw: no pair has a q_together of at most {q:g}")
    names = list(dict.fromkeys(name for row in drawn for name in row[:2]))
    number = {name: k for k, name in enumerate(names)}
    pairs = [(number[row[0]], number[row[1]]) for row in drawn]
    where = layout(len(names), pairs)
    figure = sheet(WIDTH, 6.0)
    axes = figure.add_subplot()
    axes.set_axis_off()
    widths = np.log2([max(shared / max(expected, 1e-9), 1.0) for _, _, shared, expected, _, _ in drawn])
    arrows = [row[5] <= q for row in drawn]
    for (i, k), width, arrow in zip(pairs, widths / max(widths.max(), 1e-9), arrows, strict=True):
        style = {"arrowstyle": "-|>" if arrow else "-", "color": BLUE if arrow else "0.5", "lw": 0.5 + 2 * width}
        style |= {"alpha": 0.6, "shrinkA": 9, "shrinkB": 9, "connectionstyle": "arc3,rad=0.12"}
        axes.annotate("", where[k], where[i], arrowprops=style)
    for name, (x, y) in zip(names, where, strict=True):
        axes.text(x, y, name, ha="center", va="center", fontsize=SMALL, parse_math=False, fontfamily=families())
    axes.set(xlim=(-0.08, 1.08), ylim=(-0.06, 1.06))
    brought, lines = sum(arrows), len(arrows) - sum(arrows)
    title = [f"{brought} arrow{'s' * (brought != 1)}: the first word brings on the second"] * (brought > 0)
    title += [f"{lines} line{'s' * (lines != 1)}: the words come together"] * (lines > 0)
    axes.set_title("; ".join(title), fontsize=NORMAL)
    return figure


def layout(words: int, pairs: Sequence[tuple[int, int]]) -> Floats:
    """Places in the unit square: words repel each other, and arrows pull (Fruchterman and Reingold 1991).

    Examples
    --------
    >>> layout(1, []).tolist()
    [[0.5, 0.5]]
    """
    place = np.random.default_rng(0).random((words, 2))
    if words == 1:
        return np.full((1, 2), 0.5)
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    ideal = 1 / np.sqrt(words)
    for step in range(_ROUNDS):
        apart = place[:, None] - place[None]
        distance = np.maximum(np.linalg.norm(apart, axis=2), 1e-6)
        move = (apart * (ideal**2 / distance**2)[:, :, None]).sum(axis=1) - 0.5 * (place - 0.5)
        pull = place[ends[:, 0]] - place[ends[:, 1]]
        pull = pull * (np.linalg.norm(pull, axis=1, keepdims=True) / ideal)
        np.add.at(move, ends[:, 0], -pull)
        np.add.at(move, ends[:, 1], pull)
        length = np.maximum(np.linalg.norm(move, axis=1, keepdims=True), 1e-9)
        place = place + move / length * np.minimum(length, 0.1 * (1 - step / _ROUNDS))
    return _apart(_stretched(place))


def _stretched(place: Floats) -> Floats:
    """The same places, filling the unit square."""
    low, high = place.min(axis=0), place.max(axis=0)
    return np.asarray((place - low) / np.maximum(high - low, 1e-9))


def _apart(place: Floats) -> Floats:
    """Push names apart that would overlap: in units of a name's width and height, the distance should be 1 or more."""
    unit = np.array([0.14, 0.075]) * min(1.0, 8 / np.sqrt(len(place)))
    for _ in range(_ROUNDS):
        between = (place[:, None] - place[None]) / unit
        distance = np.linalg.norm(between, axis=2) + np.eye(len(place)) * 9
        lacking = np.maximum(1 - distance, 0.0)
        if not lacking.any():
            break
        move = (between / np.maximum(distance, 1e-6)[:, :, None] * lacking[:, :, None]).sum(axis=1)
        place = np.clip(place + 0.4 * move * unit, 0, 1)
    return place
