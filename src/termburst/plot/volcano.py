"""Keyness in one figure: how much more frequent terms are, against how certain that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.checks import checked_number
from termburst.plot.canvas import BLUE, MANY, VERMILION, WIDTH, Floats, dress, legend_below, notes, sheet
from termburst.plot.terms import label_points, picked, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NEEDED = ("term", "log_ratio", "p_value", "q_value")
GREY = "0.6"


def volcano(table: Any, *, label: int | Sequence[str] = 15, fdr: float = 0.05) -> Figure:
    """Draw the frame of `termburst.keyness`: −log10 p against log2 of the ratio of mean shares, A over B.

    Terms with q ≤ *fdr* have the colour of the corpus where they are more frequent; the dashed line separates them
    from the others. Named terms are drawn with their interval. A term in only one corpus has an infinite ratio: it is a
    triangle in the shaded strip at that side. A term whose p is 0, too small for a float, is at the upper edge.

    Parameters
    ----------
    table : frame of `termburst.keyness`, or the rows of one group with contrasts
    label : number of terms to name, alternating between both sides by smallest p, or a list of terms
    fdr : accepted false discovery rate

    Examples
    --------
    >>> import termburst as tb
    >>> table = tb.keyness([[9, 1, 40]] * 8, [[1, 1, 40], [2, 1, 44]] * 6, terms=["ha", "no", "so"])
    >>> figure = volcano(table, label=1)
    >>> [note.get_text() for note in figure.axes[0].texts]
    ['ha']
    """
    fdr = checked_number("fdr", fdr, 0.0, 1.0)
    terms, x, p, q, low, high = _columns(table)
    there = np.flatnonzero(np.isfinite(p) & ~np.isnan(x))
    if not there.size:
        raise ValueError("there is nothing to draw: no term has a p-value and a ratio")
    left_out = terms.size - there.size
    terms, x, p, q, low, high = (column[there] for column in (terms, x, p, q, low, high))
    y, ceiling = _heights(p)
    edge = _edge(x)
    place = np.clip(x, -edge, edge)
    sure = q <= fdr
    named = picked(label, terms, _surest_of_both(place, p, sure))
    figure = sheet(WIDTH, 5.0)
    axes = figure.subplots()
    for chosen, colour, what in (
        (~sure, GREY, f"q > {fdr:g}"),
        (sure & (x > 0), BLUE, f"more frequent in A, q ≤ {fdr:g}"),
        (sure & (x <= 0), VERMILION, f"more frequent in B, q ≤ {fdr:g}"),
    ):
        _draw_points(axes, chosen, x, y, place, colour, what)
    _draw_threshold(axes, p, sure, fdr)
    for k in named:
        ends = np.clip([low[k], high[k]], -1.12 * edge, 1.12 * edge)
        if np.isfinite(ends).all():
            axes.plot(ends, [y[k], y[k]], color="black", lw=1.0, zorder=4, solid_capstyle="butt")
    axes.axvline(0.0, color="black", lw=0.7, zorder=0)
    axes.set_xlim(-1.12 * edge, 1.12 * edge)
    axes.set_ylim(-0.02 * ceiling, 1.08 * ceiling)
    dress(axes, r"$\log_2$ of the ratio of mean shares, A over B", r"$-\log_{10}\,p$")
    _explain(figure, axes, x, p, edge, left_out)
    if named:
        drawn = np.column_stack([place, y])
        label_points(figure, axes, place[named], y[named], [written(terms[k]) for k in named], drawn)
    return figure


def _columns(table: Any) -> tuple[NDArray[Any], Floats, Floats, Floats, Floats, Floats]:
    """term, log_ratio, p_value, q_value, ci_low and ci_high; nulls and missing interval columns become NaN."""
    names = list(getattr(table, "columns", ()))
    for name in NEEDED:
        if name not in names:
            raise ValueError(f"volcano needs the frame of tb.keyness; this one has no column {name!r}")
    if "group" in names and len(set(table["group"])) > 1:
        raise ValueError("this frame compares several groups: keep only the rows of one value of 'group'")
    numbers = [
        np.array([np.nan if value is None else value for value in table[name]], dtype=np.float64)
        if name in names
        else np.full(len(table), np.nan)
        for name in (*NEEDED[1:], "ci_low", "ci_high")
    ]
    terms = np.empty(len(table), dtype=object)
    terms[:] = list(table["term"])
    ratio, p, q, low, high = numbers
    return terms, ratio, p, q, low, high


def _heights(p: Floats) -> tuple[Floats, float]:
    """−log10 p, and the height of the upper edge, where p = 0 is drawn."""
    y = -np.log10(p, out=np.full(p.size, -np.inf), where=p > 0)
    top = max(float(y[p > 0].max(initial=0.0)), 1.0)
    ceiling = 1.06 * top if (p == 0).any() else top
    return np.where(p == 0, ceiling, y + 0.0), ceiling


def _edge(x: Floats) -> float:
    """Where infinite ratios are drawn: a little beyond the finite ones."""
    return 1.1 * max(float(np.abs(x[np.isfinite(x)]).max(initial=0.0)), 1.0)


def _surest_of_both(place: Floats, p: Floats, sure: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Order by p, alternating between both sides so that both corpora get names; terms with q > fdr come last."""
    order = np.lexsort((-np.abs(place), p))
    turn = np.empty(p.size)
    for side in (place[order] > 0, place[order] <= 0):
        turn[order[side]] = np.arange(side.sum())
    return np.lexsort((p, turn, ~sure))


def _draw_points(
    axes: Axes, chosen: NDArray[np.bool_], x: Floats, y: Floats, place: Floats, colour: str, what: str
) -> None:
    label: str | None = f"{chosen.sum():,} terms, {what}"
    for marker, kind in (("o", np.isfinite(x)), ("<", x == -np.inf), (">", x == np.inf)):
        here = chosen & kind
        if here.any() or marker == "o":
            axes.scatter(
                place[here], y[here], s=16 if marker == "o" else 26, c=colour, marker=marker, linewidths=0, alpha=0.6,
                label=label if marker == "o" else None, rasterized=bool(here.sum() > MANY), clip_on=True,
                zorder=1 if colour == GREY else 2,
            )  # fmt: skip


def _draw_threshold(axes: Axes, p: Floats, sure: NDArray[np.bool_], fdr: float) -> None:
    """A line at the largest p with q ≤ fdr."""
    if sure.any() and (largest := float(p[sure].max())) > 0:
        axes.axhline(-np.log10(largest), color="black", ls="--", lw=1.0, label=f"q = {fdr:g}, p = {largest:.2g}")


def _explain(figure: Figure, axes: Axes, x: Floats, p: Floats, edge: float, left_out: int) -> None:
    lines = []
    for number, side, where in (((x == np.inf).sum(), 1, "A"), ((x == -np.inf).sum(), -1, "B")):
        if number:
            axes.axvspan(side * 1.05 * edge / 1.1, side * 1.12 * edge, color="0.93", lw=0, zorder=-1)
            lines.append(f"{'▸' if side > 0 else '◂'} {number:,} in {where} only: the ratio is infinite")
    if number := int((p == 0).sum()):
        lines.append(f"{number:,} with p = 0 at the upper edge")
    if left_out:
        lines.append(f"not drawn: {left_out:,} without a p-value")
    notes(axes, *lines)
    legend_below(figure)
