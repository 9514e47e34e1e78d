"""A network of words that bring on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.plot.canvas import BLUE, NORMAL, SMALL, WIDTH, Floats, sheet
from termburst.plot.terms import families

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ARROWS = 200
_ROUNDS = 300


def triggers(table: Any, *, top: int = 40, q: float = 0.05) -> Figure:
    """Draw the strongest pairs as arrows from the word that was said to the word that it brings on.

    The width of an arrow grows with the logarithm of the ratio. Words of one group of arrows stand together.

    Parameters
    ----------
    table : of `Corpus.triggers()` for all pairs, with the columns source, target, ratio and q_value
    top : at most how many arrows, the smallest p-values first
    q : pairs with a larger q_value are not drawn

    Examples
    --------
    >>> import polars as pl
    >>> pairs = {"source": ["socrates", "a"], "target": ["plato", "b"], "ratio": [9.0, 2.0], "q_value": [0.001, 0.5]}
    >>> figure = triggers(pl.DataFrame(pairs))
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    ['socrates', 'plato']
    """
    missing = [name for name in ("source", "target", "ratio", "q_value") if name not in getattr(table, "columns", ())]
    if missing:
        raise ValueError(f"the table has no column {missing[0]}; give the table of corpus.triggers(), of all pairs")
    if not isinstance(top, (int, np.integer)) or not 1 <= top <= MOST_ARROWS:
        raise ValueError(f"top must be a whole number from 1 to {MOST_ARROWS}; got {top!r}")
    drawn = [row for row in table.select("source", "target", "ratio", "q_value").rows() if row[3] <= q][:top]
    if not drawn:
        raise ValueError(f"there is nothing to draw: no pair has a q_value of at most {q:g}")
    names = list(dict.fromkeys(name for row in drawn for name in row[:2]))
    number = {name: k for k, name in enumerate(names)}
    arrows = [(number[source], number[target], float(ratio)) for source, target, ratio, _ in drawn]
    where = layout(len(names), [(i, k) for i, k, _ in arrows])
    figure = sheet(WIDTH, 6.0)
    axes = figure.add_subplot()
    axes.set_axis_off()
    finite = max([ratio for *_, ratio in arrows if np.isfinite(ratio)], default=2.0)
    widths = [float(np.log2(np.clip(ratio, 1.0, finite))) for *_, ratio in arrows]
    largest = max([*widths, 1e-9])
    for (i, k, _), width in zip(arrows, widths, strict=True):
        style = {"arrowstyle": "-|>", "color": BLUE, "lw": 0.5 + 2 * width / largest, "alpha": 0.6}
        style |= {"shrinkA": 9, "shrinkB": 9, "connectionstyle": "arc3,rad=0.12"}
        axes.annotate("", where[k], where[i], arrowprops=style)
    for name, (x, y) in zip(names, where, strict=True):
        axes.text(x, y, name, ha="center", va="center", fontsize=SMALL, parse_math=False, fontfamily=families())
    axes.set(xlim=(-0.08, 1.08), ylim=(-0.06, 1.06))
    title = f"{len(arrows)} pair{'s' if len(arrows) > 1 else ''}: the first word brings on the second"
    axes.set_title(title, fontsize=NORMAL)
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
