"""How far several scores rank the terms alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from termburst.plot.canvas import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    WIDTH,
    Floats,
    colour_bar,
    count_scale,
    density,
    dress,
    frame,
    legend,
    positions,
    sheet,
    vectors,
)
from termburst.plot.terms import label_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BANDS = ((2, 2), (3, 4), (5, 9), (10, 19), (20, 99), (100, 999), (1000, None))  # occurrences
FEWEST = 10  # terms; with fewer a correlation is not shown


def ranking_agreement(
    scores: Mapping[str, ArrayLike],
    frequency: ArrayLike,
    *,
    labels: Sequence[str] | None = None,
    terms: Sequence[str] | NDArray[Any] | None = None,
) -> Figure:
    """Draw ranks by the first score against ranks by the last, and Spearman's correlation of each pair by frequency.

    Rank 1 is the burstiest term; ties have their average rank. Only terms with a finite value of every score are used.

    Parameters
    ----------
    scores : name → one value per term; at least two scores
    frequency : n_i, one value per term
    labels : terms to name in the left panel
    terms : names of all terms, in order; needed for *labels*

    Examples
    --------
    >>> import numpy as np
    >>> n_i = np.arange(40)
    >>> figure = ranking_agreement({"plr": n_i * 1.0, "lr": np.sqrt(n_i)}, n_i)
    >>> figure.axes[0].get_xlabel()
    'rank by plr'
    """
    if len(scores) < 2:
        raise ValueError(f"two scores or more are needed for a comparison; got {len(scores)}")
    n_i, *values = vectors(("frequency", frequency), *scores.items())
    named = [] if not labels else positions(list(labels), terms, len(n_i))
    usable = np.isfinite(values).all(axis=0) & np.isfinite(n_i)
    if not usable.any():
        raise ValueError("there is nothing to draw: no term has a finite value of every score")
    for name, index in zip(labels or (), named, strict=True):
        if not usable[index]:
            raise ValueError(f"{name!r} cannot be labelled: it has no finite value of every score")
    figure = sheet(WIDTH, 4.4)
    left, right = figure.subplots(1, 2)
    names = list(scores)
    first, last = (ranks(np.where(usable, values[index], np.nan)) for index in (0, -1))
    _draw_ranks(figure, left, first[usable], last[usable], (names[0], names[-1]))
    _draw_correlations(right, names, [value[usable] for value in values], n_i[usable])
    legend(figure, *right.get_legend_handles_labels(), loc="outside lower right", ncols=2)
    if named:
        left.plot(first[named], last[named], "o", ms=5, mfc=VERMILION, mec="white", mew=0.8, ls="none", zorder=5)
        drawn = np.column_stack([first, last])[usable]
        label_points(figure, left, first[named], last[named], [str(label) for label in labels or ()], drawn)
    return figure


def ranks(score: ArrayLike) -> Floats:
    """Ranks, 1 for the highest score; ties have their average rank, NaN keeps NaN.

    Examples
    --------
    >>> ranks([0.5, 7.0, 0.5, float("nan")])
    array([2.5, 1. , 2.5, nan])
    """
    from scipy.stats import rankdata

    score = np.asarray(score, dtype=np.float64)
    return rankdata(-score, method="average", nan_policy="omit")


def spearman(a: Floats, b: Floats) -> float:
    """Spearman's rank correlation; NaN if one of the two arrays is constant.

    Examples
    --------
    >>> round(spearman(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 9.0])), 3)
    0.8
    """
    first, second = ranks(a), ranks(b)
    if a.size < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return float(np.corrcoef(first, second)[0, 1])


def _draw_ranks(figure: Figure, axes: Axes, x: Floats, y: Floats, names: tuple[str, str]) -> None:
    end = float(np.log10(max(len(x), 10)))
    extent = (-0.05 * end, 1.03 * end, -0.05 * end, 1.03 * end)
    frame(axes, extent)
    hexagons = density(axes, x, y, extent)
    count_scale([hexagons])
    axes.plot([1, len(x)], [1, len(x)], color=VERMILION, ls="--", lw=1.1)
    dress(axes, f"rank by {names[0]}", f"rank by {names[1]}")
    colour_bar(figure, hexagons, axes, "terms", location="top")


def _draw_correlations(axes: Axes, names: Sequence[str], values: Sequence[Floats], n_i: Floats) -> None:
    bands = []
    for low, high in BANDS:
        inside = (n_i >= low) & (n_i <= (np.inf if high is None else high))
        if inside.sum() >= FEWEST:
            title = f"≥ {low}" if high is None else f"{low}" if low == high else f"{low}–{high}"
            bands.append((title, inside))
    styles = zip(
        (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY), "osD^vP", ("-", "--", ":", "-.", "-", "--"), strict=True
    )
    pairs = combinations(range(len(names)), 2)
    for pair, ((first, second), (colour, marker, line)) in enumerate(zip(pairs, cycle(styles), strict=False)):
        correlation = [spearman(values[first][inside], values[second][inside]) for _, inside in bands]
        label = f"{names[first]} – {names[second]}"
        axes.plot(
            correlation, marker=marker, ls=line, color=colour, ms=8 - 1.5 * (pair % 3), mfc="none", mew=1.4, label=label
        )
    axes.set_xticks(range(len(bands)), [title for title, _ in bands], rotation=30, ha="right", rotation_mode="anchor")
    axes.grid(visible=True, axis="y", color="0.9", lw=0.6)
    axes.margins(y=0.12)
    dress(axes, r"occurrences $n_i$", "Spearman correlation")
