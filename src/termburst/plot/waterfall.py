"""λ_i of one term as the sum of its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termburst.inference.plr import Explanation
from termburst.plot.canvas import BLUE, NORMAL, SMALL, VERMILION, WIDTH, dress, sheet
from termburst.plot.terms import families, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUM = "0.35"


def waterfall(explanation: Explanation) -> Figure:
    """Draw λ_i as a waterfall: each part begins where the one before ends, and the last bar is the sum (Claim 3).

    Parts above 0 go to the right, others to the left. The values are in a column of their own, since one part may be
    ten thousand times another.

    Parameters
    ----------
    explanation : result of `termburst.explain`

    Examples
    --------
    >>> import termburst as tb
    >>> s = tb.TermStatistics.from_counts([[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]], terms=["ha", "no", "so"])
    >>> figure = waterfall(tb.explain(s, "ha"))
    >>> round(float(figure.axes[0].patches[-1].get_width()), 2)
    5.83
    """
    if not isinstance(explanation, Explanation):
        raise ValueError("waterfall needs the result of tb.explain(statistics, term)")
    figure = sheet(WIDTH, 1.3 + 0.29 * (len(explanation.parts) + 1))
    axes = figure.subplots()
    draw(axes, explanation)
    name = f"column {explanation.term}" if isinstance(explanation.term, int) else f"“{written(explanation.term)}”"
    title = f"{explanation.n_i:,} occurrences of {name} in {explanation.b_i:,} documents"
    axes.set_title(title, fontsize=NORMAL, parse_math=False, fontfamily=families())
    return figure


def draw(axes: Axes, explanation: Explanation, ticks: int = 6) -> None:
    """One bar per part from the top down, its value at the right, λ_i at the bottom."""
    values = np.array(list(explanation.parts.values()))
    if not np.isfinite(values).all():
        raise ValueError(
            f"λ_i of {explanation.term!r} has no value in the form {explanation.form!r}, since η² ≤ r_i: "
            "draw another form, or explain it with a smaller sigma2"
        )
    ends = np.cumsum(values)
    starts = ends - values
    rows = np.arange(values.size + 1)
    # The sum exactly as `explain` has it.
    left, width = [*starts, 0.0], [*values, explanation.plr]
    colours = [*np.where(values < 0, VERMILION, BLUE), SUM]
    axes.barh(rows, width, left=left, height=0.68, color=colours)
    # The bar of a very small part cannot be seen: the tick shows where it is.
    axes.plot([*ends, explanation.plr], rows, "|", color="black", ms=9, mew=1.0, zorder=3)
    for row, end in zip(rows[:-1], ends, strict=True):
        axes.plot([end, end], [row, row + 1], color="0.6", lw=0.7, zorder=0)
    axes.axvline(0.0, color="black", lw=0.8, zorder=0)
    axes.axhline(values.size - 0.5, color="0.75", lw=0.7)
    axes.set_ylim(values.size + 0.55, -0.55)
    axes.set_yticks(rows, [*explanation.parts, r"$\lambda_i$"])
    beside = axes.secondary_yaxis("right")
    decimals = 2 if max(np.abs(values).max(), abs(explanation.plr)) < 100_000 else 0
    beside.set_yticks(rows, [signed(value, decimals) for value in [*values, explanation.plr]], ha="right")
    beside.tick_params(length=0, labelsize=SMALL, pad=6 + 5.4 * max(len(signed(v, decimals)) for v in width))
    axes.tick_params(axis="y", length=0)
    axes.locator_params(axis="x", nbins=ticks)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}".replace("-", "−"))
    for spine in ("top", "right", "left"):
        axes.spines[spine].set_visible(False)
    beside.spines["right"].set_visible(False)
    axes.use_sticky_edges = False  # room beside the longest bar
    axes.margins(x=0.03)
    dress(axes, rf"parts of $\lambda_i$ ({explanation.form})")


def signed(value: float, decimals: int = 2) -> str:
    """A value with its sign and this number of decimals; 0 has no sign.

    Examples
    --------
    >>> signed(12345.678), signed(-0.5), signed(0.001)
    ('+12,345.68', '−0.50', '0.00')
    """
    text = f"{value:+,.{decimals}f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text[1:]
