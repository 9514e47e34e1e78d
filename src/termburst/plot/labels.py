"""Names beside points of a panel, placed so that they do not overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.plot.canvas import SMALL, Floats
from termburst.plot.terms import families

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DISTANCES = (14.0, 24.0, 36.0, 50.0, 66.0, 84.0, 104.0, 126.0)  # points
ANGLES = np.deg2rad(np.arange(0, 360, 15))
CELL = 6.0  # points: the cell size of the grid that records where data are drawn


def label_points(figure: Figure, axes: Axes, x: Floats, y: Floats, names: Sequence[str], data: Floats) -> None:
    """Write each name near its point, with a thin line to it. Names avoid other names, labelled points and data.

    Points at the same place share a label. Call this last: it lays the figure out first, since only then the places of
    points are known. *data* has one row per place where something is drawn.
    """
    figure.draw_without_rendering()
    pane = np.array(axes.get_window_extent().extents)
    unit = figure.dpi / 72
    points = axes.transData.transform(np.column_stack([x, y]))
    filled = np.unique(np.round(axes.transData.transform(data) / (CELL * unit)), axis=0) * CELL * unit
    taken, leaders = _boxes(points, 8 * unit), np.empty((0, 20, 2))
    for first, members in _together(points, 3 * unit).items():
        note = axes.annotate(
            "\n".join(names[member] for member in members), (x[first], y[first]), xytext=(0, 0),
            textcoords="offset points", ha="center", va="center", fontsize=SMALL, zorder=6, parse_math=False,
            fontfamily=families(),
            bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "0.6", "lw": 0.5},
            arrowprops={"arrowstyle": "-", "color": "black", "lw": 0.7, "shrinkA": 0, "shrinkB": 2},
        )  # fmt: skip
        note.set_in_layout(False)  # or the layout, and with it the points, would move
        extent = note.get_window_extent()
        size = np.array([extent.width, extent.height]) + 6 * unit
        distances, offsets = _offsets(size / unit)
        centres = points[first] + offsets * unit
        boxes = _boxes(centres, size)
        tried = np.linspace(np.broadcast_to(points[first], centres.shape), centres, 20, axis=1)
        others = np.delete(taken, members, axis=0)
        tangles = (_covered(others[None], tried[:, None]) > 0).sum(axis=1)
        tangles += ((_covered(boxes[:, None], leaders[None]) > 0) | _cross(tried, leaders)).sum(axis=1)
        clashes = _overlap(boxes, taken).sum(axis=1) + np.where(_inside(boxes, pane), 0, 10)
        cost = 1000 * clashes + 30 * tangles + _covered(boxes, filled[None]) + distances / 10
        best = int(np.argmin(cost))
        note.set_position(tuple(offsets[best].tolist()))
        taken = np.concatenate([taken, boxes[best : best + 1]])
        leaders = np.concatenate([leaders, tried[best : best + 1]])


def _together(points: Floats, reach: float) -> dict[int, list[int]]:
    """Groups of points: the first point of a group → all points within *reach* of it."""
    groups: dict[int, list[int]] = {}
    for index, point in enumerate(points):
        first = next((k for k in groups if np.hypot(*(points[k] - point)) <= reach), index)
        groups.setdefault(first, []).append(index)
    return groups


def _offsets(size: Floats) -> tuple[Floats, Floats]:
    """Distances and offsets to try, in points; a larger label has its centre farther away."""
    distances = np.repeat(DISTANCES, ANGLES.size)
    angles = np.tile(ANGLES, len(DISTANCES))
    return distances, np.column_stack([np.cos(angles), np.sin(angles)]) * (distances[:, None] + size / 2 - 6)


def _boxes(centres: Floats, size: Any) -> Floats:
    """One row per box, which has its corners: left, lower, right, upper."""
    low = centres - np.divide(size, 2)
    return np.hstack([low, low + size])


def _inside(boxes: Floats, pane: Floats) -> NDArray[np.bool_]:
    return np.all((boxes[:, :2] >= pane[:2]) & (boxes[:, 2:] <= pane[2:]), axis=1)


def _overlap(boxes: Floats, others: Floats) -> NDArray[np.bool_]:
    """Whether each box overlaps each of the others."""
    one, other = boxes[:, None], others[None]
    return np.all((one[..., :2] <= other[..., 2:]) & (other[..., :2] <= one[..., 2:]), axis=-1)


def _covered(boxes: Floats, points: Floats) -> NDArray[np.intp]:
    """How many points lie under a box; *points* has one more axis than *boxes*."""
    low, high = boxes[..., None, :2], boxes[..., None, 2:]
    return np.all((points >= low) & (points <= high), axis=-1).sum(axis=-1)


def _cross(lines: Floats, others: Floats) -> NDArray[np.bool_]:
    """Whether each line crosses each of the others, all taken as straight from their first to their last point."""

    def divides(one: Floats, other: Floats) -> NDArray[np.bool_]:
        along, to = one[..., -1, :] - one[..., 0, :], other[..., [0, -1], :] - one[..., :1, :]
        return np.prod(along[..., :1] * to[..., 1] - along[..., 1:] * to[..., 0], axis=-1) < 0

    one, other = lines[:, None], others[None]
    return divides(one, other) & divides(other, one)
