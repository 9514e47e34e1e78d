"""Names beside points of a panel, placed so that they do not overlap."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from termburst.plot.canvas import SMALL, Floats
from termburst.plot.terms import families

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

DISTANCES = (14.0, 24.0, 36.0, 50.0, 66.0, 84.0, 104.0, 126.0)  # points
ANGLES = np.deg2rad(np.arange(0, 360, 15))
CELL = 6.0  # points: the cell size of the grid that records where data are drawn


def label_points(figure: Figure, axes: Axes, x: Floats, y: Floats, names: Sequence[str], data: Floats) -> None:
    """Write each name near its point, with a thin line to it. Names avoid other names, labelled points and data.

    Points at the same place share a label. Call this last: it lays the figure out first, since only then the places of
    points are known. *data* has one row per place where something is drawn.
    """
    figure.draw_without_rendering()
    pane = axes.get_window_extent()
    unit = figure.dpi / 72
    points = axes.transData.transform(np.column_stack([x, y]))
    filled = np.unique(np.round(axes.transData.transform(data) / (CELL * unit)), axis=0) * CELL * unit
    taken = [_box(point, 8 * unit, 8 * unit) for point in points]
    leaders: list[Floats] = []
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
        width, height = extent.width + 6 * unit, extent.height + 6 * unit
        places = []
        for distance, offset in _offsets(width / unit, height / unit):
            centre = points[first] + np.array(offset) * unit
            box = _box(centre, width, height)
            leader = np.linspace(points[first], centre, 20)
            others = [other for k, other in enumerate(taken) if k not in members]
            tangles = sum(_covered(other, leader) > 0 for other in others)
            tangles += sum(_covered(box, drawn) > 0 or _cross(leader, drawn) for drawn in leaders)
            cost = 1000 * _clashes(box, taken, pane) + 30 * tangles + _covered(box, filled) + distance / 10
            places.append((cost, offset, box, leader))
        _, offset, box, leader = min(places, key=itemgetter(0))
        note.set_position(offset)
        taken.append(box)
        leaders.append(leader)


def _together(points: Floats, reach: float) -> dict[int, list[int]]:
    """Groups of points: the first point of a group → all points within *reach* of it."""
    groups: dict[int, list[int]] = {}
    for index, point in enumerate(points):
        first = next((k for k in groups if np.hypot(*(points[k] - point)) <= reach), index)
        groups.setdefault(first, []).append(index)
    return groups


def _clashes(box: Bbox, taken: list[Bbox], pane: Bbox) -> int:
    inside = pane.x0 <= box.x0 and box.x1 <= pane.x1 and pane.y0 <= box.y0 and box.y1 <= pane.y1
    return sum(box.overlaps(other) for other in taken) + (0 if inside else 10)


def _covered(box: Bbox, points: Floats) -> int:
    """How many points lie under the box."""
    return int(np.all((points >= [box.x0, box.y0]) & (points <= [box.x1, box.y1]), axis=1).sum())


def _cross(one: Floats, other: Floats) -> bool:
    """Whether two lines cross, each taken as straight from its first to its last point."""

    def sides(line: Floats, points: Floats) -> float:
        along, to = line[-1] - line[0], points[[0, -1]] - line[0]
        return float(np.prod(along[0] * to[:, 1] - along[1] * to[:, 0]))

    return sides(one, other) < 0 and sides(other, one) < 0


def _offsets(width: float, height: float) -> list[tuple[float, tuple[float, float]]]:
    """Distances and offsets to try, in points; a larger label has its centre farther away."""
    reach = np.array([width, height]) / 2 - 6
    return [
        (distance, (float(np.cos(angle) * (distance + reach[0])), float(np.sin(angle) * (distance + reach[1]))))
        for distance in DISTANCES
        for angle in ANGLES
    ]


def _box(centre: Floats, width: float, height: float) -> Bbox:
    from matplotlib.transforms import Bbox

    return Bbox.from_bounds(float(centre[0]) - width / 2, float(centre[1]) - height / 2, width, height)
