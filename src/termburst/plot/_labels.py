"""Names beside points of a panel, none over another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from termburst.plot._canvas import SMALL, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

DISTANCES = (14.0, 26.0, 40.0, 56.0, 74.0)  # points
ANGLES = np.deg2rad(np.arange(0, 360, 30))


def label_points(figure: Figure, axes: Axes, x: Floats, y: Floats, names: Sequence[str]) -> None:
    """Write each name near its point, with a thin line to it, where it meets no other name or point.

    The figure is laid out first, since only then is it known where points and names fall; call it last.
    """
    figure.draw_without_rendering()
    pane = axes.get_window_extent()
    unit = figure.dpi / 72
    points = axes.transData.transform(np.column_stack([x, y]))
    taken = [_box(point, 8 * unit, 8 * unit) for point in points]
    for point, name, at in zip(points, names, zip(x, y, strict=True), strict=True):
        note = axes.annotate(
            name, at, xytext=(0, 0), textcoords="offset points", ha="center", va="center", fontsize=SMALL, zorder=6,
            parse_math=False, bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "0.6", "lw": 0.5},
            arrowprops={"arrowstyle": "-", "color": "black", "lw": 0.7, "shrinkA": 0, "shrinkB": 2},
        )  # fmt: skip
        note.set_in_layout(False)  # it must not move what it was placed by
        size = note.get_window_extent()
        width, height = size.width + 6 * unit, size.height + 6 * unit
        places = [(offset, _box(point + np.array(offset) * unit, width, height)) for offset in _offsets(width / unit)]
        offset, box = min(places, key=lambda place: _clashes(place[1], taken, pane))  # the nearest of the best
        note.set_position(offset)
        taken.append(box)


def _clashes(box: Bbox, taken: list[Bbox], pane: Bbox) -> int:
    inside = pane.x0 <= box.x0 and box.x1 <= pane.x1 and pane.y0 <= box.y0 and box.y1 <= pane.y1
    return sum(box.overlaps(other) for other in taken) + (0 if inside else 10)


def _offsets(width: float) -> list[tuple[float, float]]:
    """Places to try, nearest first; a name is wider than high, so it must go farther sideways."""
    return [
        (float(np.cos(angle)) * (distance + width / 2 - 6), float(np.sin(angle)) * distance)
        for distance in DISTANCES
        for angle in ANGLES
    ]


def _box(centre: Floats, width: float, height: float) -> Bbox:
    from matplotlib.transforms import Bbox

    return Bbox.from_bounds(float(centre[0]) - width / 2, float(centre[1]) - height / 2, width, height)
