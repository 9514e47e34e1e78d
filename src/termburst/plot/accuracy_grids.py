"""Heat maps of a score over a grid of two hyperparameters, as in Figs A1 and A2 of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from termburst.plot.canvas import SMALL, VERMILION, Floats, colour_bar, dress, legend, sheet, vectors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CHARACTER, PAD, ROW = 0.08, 0.1, 0.36  # inches


def accuracy_grids(grids: Mapping[str, ArrayLike], mu: ArrayLike, sigma2: ArrayLike, *, decimals: int = 4) -> Figure:
    """Draw heat maps of a score over (μ, σ²), all on one colour scale (the paper's Figs A1 and A2).

    Each cell shows its value. The highest value of each grid is outlined; if several are equal, all of them are.

    Parameters
    ----------
    grids : title → array of len(mu) × len(sigma2); cells may be NaN
    mu, sigma2 : values of the rows and of the columns
    decimals : number of decimals of the values

    Examples
    --------
    >>> figure = accuracy_grids({"naive Bayes": [[0.81, 0.80], [0.79, 0.81]]}, [30, 60], [0.5, 1.0])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['0.8100', '0.8000', '0.7900', '0.8100']
    """
    rows, columns = vectors(("mu", mu))[0], vectors(("sigma2", sigma2))[0]
    tables = {title: _table(title, values, (len(rows), len(columns))) for title, values in grids.items()}
    if not tables:
        raise ValueError("there is nothing to draw: grids is empty")
    low, high = _range(tables.values(), decimals)
    figure, panes, across = _panes(len(tables), len(rows), len(columns), decimals)
    image: Any = None
    for index, (title, table) in enumerate(tables.items()):
        axes = panes[index]
        image = axes.imshow(table, cmap="viridis", vmin=low, vmax=high, aspect="auto")
        _write_cells(axes, image, table, decimals)
        for row, column in np.argwhere(table == np.nanmax(table)):
            axes.add_patch(_frame(column - 0.47, row - 0.46))
        dress(axes, title=title)
        axes.set_xticks(range(len(columns)), [f"{value:g}" for value in columns])
        axes.set_yticks(range(len(rows)), [f"{value:g}" for value in rows])
        axes.tick_params(length=0)
        if index + across >= len(tables):
            dress(axes, x=r"$\sigma^2$")
            axes.tick_params(labelbottom=True)
        if index % across == 0:
            dress(axes, y=r"$\mu$ (tokens)")
    bar = colour_bar(figure, image, panes, "accuracy", fraction=0.04, pad=0.015, aspect=28)
    bar.ax.yaxis.set_major_formatter(f"{{x:.{decimals}f}}")
    legend(figure, handles=[_frame()], loc="outside lower center", ncols=2)
    return figure


def _range(tables: Iterable[Floats], decimals: int) -> tuple[float, float]:
    """The ends of the common colour scale, which must differ."""
    values = np.concatenate([table.ravel() for table in tables])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return (low, high) if high > low else (low - 10.0**-decimals, high + 10.0**-decimals)


def _panes(number: int, rows: int, columns: int, decimals: int) -> tuple[Figure, list[Axes], int]:
    """An empty figure, its axes, one per grid, and how many of them are side by side."""
    cell = CHARACTER * (1.5 + decimals) + PAD
    across = max(1, min(number, int(7.0 // (cell * columns))))
    down = -(-number // across)
    across = -(-number // down)
    width = max(4.0, 1.35 + across * (cell * columns + 0.1))
    figure = sheet(width, 0.8 + down * (ROW * rows + 0.6))
    panes = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).ravel().tolist()
    for axes in panes[number:]:
        axes.remove()
    return figure, panes[:number], across


def _table(title: str, values: ArrayLike, shape: tuple[int, int]) -> Floats:
    table = np.asarray(values, dtype=np.float64)
    if table.shape != shape:
        raise ValueError(f"the grid {title!r} must be len(mu) × len(sigma2) = {shape}; its shape is {table.shape}")
    if not np.isfinite(table).any():
        raise ValueError(f"there is nothing to draw: the grid {title!r} has no finite value")
    return np.where(np.isfinite(table), table, np.nan)


def _write_cells(axes: Axes, image: Any, table: Floats, decimals: int) -> None:
    for (row, column), value in np.ndenumerate(table):
        text = f"{value:.{decimals}f}" if np.isfinite(value) else "–"
        colour = "white" if np.isfinite(value) and _luminance(image.cmap(image.norm(value))) < 0.18 else "black"
        axes.text(column, row, text, ha="center", va="center", fontsize=SMALL, color=colour)


def _luminance(rgba: tuple[float, float, float, float]) -> float:
    """Relative luminance, from 0 for black to 1 for white (WCAG)."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgba[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _frame(left: float = 0.0, lower: float = 0.0) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((left, lower), 0.94, 0.92, fill=False, ec=VERMILION, lw=2.2, label="highest of its grid")
