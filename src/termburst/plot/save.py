"""Figures as files; the same figure gives the same bytes each time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termburst.files import atomic_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DPI = 160
# No date and no Matplotlib version: a file changes only if the figure does.
_FORMATS: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
# Identifiers within an SVG are random unless a salt is set, and Matplotlib reads it from its global settings only. The
# lock prevents that two threads restore each other's settings.
_SETTINGS: Any = {"svg.hashsalt": "termburst", "svg.fonttype": "path"}
_LOCK = threading.Lock()


def save(figure: Figure, folder: str | PathLike[str], stem: str) -> list[Path]:
    """Write *stem*.svg and *stem*.png to the folder, which is created if necessary. No file is left half written.

    Returns
    -------
    list of Path
        The two files.

    Examples
    --------
    >>> import tempfile
    >>> from termburst import plot
    >>> figure = plot.statistic_against_weight([1.0, 2.0, 4.0], [0.5, 2.5, 3.0])
    >>> [path.name for path in plot.save(figure, tempfile.mkdtemp(), "fig3")]
    ['fig3.svg', 'fig3.png']
    """
    import matplotlib as mpl

    if not stem or Path(stem).name != stem:
        raise ValueError(f"stem must be a file name without folder and extension; got {stem!r}")
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be created: {error.strerror or error}") from error
    paths = []
    for ending, metadata in _FORMATS.items():
        path = folder / f"{stem}.{ending}"
        with atomic_path(path) as temporary, _LOCK, mpl.rc_context(_SETTINGS), _places_kept(figure):
            figure.savefig(temporary, format=ending, dpi=_DPI, metadata=metadata)
        paths.append(path)
    return paths


@contextmanager
def _places_kept(figure: Figure) -> Iterator[None]:
    """Restore the positions of all axes: each drawing starts its layout from the positions of the drawing before."""
    places = [
        (axes, axes.get_position(original=True), axes.get_position(), axes.get_in_layout()) for axes in figure.axes
    ]
    try:
        yield
    finally:
        for axes, original, active, in_layout in places:
            axes.set_position(original, which="original")
            axes.set_position(active, which="active")
            axes.set_in_layout(in_layout)  # set_position takes them out of the layout
