"""What all figures share: an empty figure, sizes, colours, legends, and figures as files."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.files import atomic_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

# Okabe and Ito's palette: readers with any kind of colour vision can tell these colours apart.
BLUE, SKY, ORANGE, VERMILION = "#0072B2", "#56B4E9", "#E69F00", "#D55E00"
SMALL, NORMAL = 9.0, 10.0  # font sizes in points, for figures 7 to 8 inches wide
WIDTH = 8.0
MANY = 5_000  # with more points than this they are stored as pixels: as vectors they would take megabytes


def require() -> None:
    """Raise an ImportError that says how to install Matplotlib if it is missing; call it before long work."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise ImportError("figures need Matplotlib: pip install 'termburst[plots]'") from error


def sheet(width: float = WIDTH, height: float = 4.0) -> Figure:
    """An empty figure of this size in inches, without a window and without global state."""
    require()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    layout: Any = figure.get_layout_engine()
    layout.set(w_pad=0.07, h_pad=0.06)  # inches; the default leaves text at the very edge
    return figure


def dress(axes: Axes, x: str = "", y: str = "", title: str = "") -> None:
    """Set axis labels and title in the common font sizes; empty ones are not changed."""
    axes.tick_params(labelsize=SMALL)
    for text, put in ((x, axes.set_xlabel), (y, axes.set_ylabel), (title, axes.set_title)):
        if text:
            put(text, fontsize=NORMAL)


def whole_numbers(axes: Axes, x: int | None = None, y: int | None = None) -> None:
    """No frame at the top and right, and at most this many ticks at whole numbers, with commas, on each given axis."""
    axes.spines[["top", "right"]].set_visible(False)
    if x is not None:
        axes.locator_params(axis="x", nbins=x, integer=True, min_n_ticks=1)
        axes.xaxis.set_major_formatter("{x:,.0f}")
    if y is not None:
        axes.locator_params(axis="y", nbins=y, integer=True, min_n_ticks=1)
        axes.yaxis.set_major_formatter("{x:,.0f}")


def legend(parent: Any, *entries: Any, **options: Any) -> None:
    """A legend of a figure or of axes in the common style."""
    parent.legend(*entries, **{"fontsize": SMALL, "frameon": False, **options})


def legend_below(figure: Figure) -> None:
    """Put one legend for all panels below them, where it cannot cover data; bars come before lines."""
    found = [axes.get_legend_handles_labels() for axes in figure.axes]
    entries = [(handle, label) for handles, labels in found for handle, label in zip(handles, labels, strict=True)]
    entries.sort(key=lambda entry: not hasattr(entry[0], "patches"))
    handles, labels = zip(*entries, strict=True)
    columns = len(entries) if len(entries) <= 3 else 2  # more side by side could be wider than the sheet
    legend(figure, handles, labels, loc="outside lower center", ncols=columns)


def notes(axes: Axes, *lines: str) -> None:
    """Lines of the legend that belong to nothing drawn."""
    for line in lines:
        axes.plot([], [], ls="none", label=line)


_DPI = 160
# No date and no Matplotlib version: a file changes only if the figure does.
_FORMATS: dict[str, dict[str, Any]] = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
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
    >>> figure = plot.zipf([[3, 1], [0, 2]])
    >>> [path.name for path in plot.save(figure, tempfile.mkdtemp(), "zipf")]
    ['zipf.svg', 'zipf.png']
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
