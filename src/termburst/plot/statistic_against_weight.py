"""A burstiness statistic against a total term weight, as in Fig. 3 of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from termburst.plot.canvas import BLUE, SKY, SMALL, WIDTH, Floats, dress, sheet, truths, vectors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGEST, SMALLEST, HOLLOW = 22.0, 2.0, 6.0  # diameters in points; smaller points, or hollow ones, could not be seen
MANY = 5_000  # with more points than this they are stored as pixels: as vectors they would take megabytes


def statistic_against_weight(
    statistic: ArrayLike,
    weight: ArrayLike,
    *,
    alpha: ArrayLike | None = None,
    occurs: ArrayLike | None = None,
    statistic_label: str = r"likelihood-ratio statistic $\lambda_i$",
    weight_label: str = r"total weight $\sum_j$ TF–IDF$(i, j)$",
) -> Figure:
    """Draw a statistic, such as λ_i, against a weight, such as the sum of TF–IDF (the paper's Fig. 3).

    There is one point per term. The legend has Pearson's correlation over all terms with both values. If some terms
    never occur, it also has the correlation over those that do.

    Parameters
    ----------
    statistic, weight : one value per term
        Terms without finite values of both are not drawn; the legend has their number.
    alpha : one value per term
        The diameter of a point is proportional to it, but at least 2 points, or 6 for a hollow point.
    occurs : array of bool, one per term
        Terms that do not occur are drawn hollow.
    statistic_label, weight_label : labels of the axes

    Examples
    --------
    >>> figure = statistic_against_weight([1.0, 2.0, 4.0], [0.5, 2.5, 3.0], alpha=[0.1, 0.2, 0.4])
    >>> figure.axes[0].get_ylabel()
    'total weight $\\\\sum_j$ TF–IDF$(i, j)$'
    """
    x, y = vectors(("statistic", statistic), ("weight", weight))
    present = np.ones(len(x), dtype=np.bool_) if occurs is None else truths("occurs", occurs, len(x))
    drawn = np.isfinite(x) & np.isfinite(y)
    sizes = None if alpha is None else vectors(("statistic", statistic), ("alpha", alpha))[1]
    if sizes is not None:
        drawn &= np.isfinite(sizes)
    diameter, largest = _diameters(sizes, drawn, present)
    if not drawn.any():
        raise ValueError("there is nothing to draw: no term has a finite statistic and weight")
    figure = sheet(WIDTH, 4.6)
    axes = figure.subplots()
    for chosen, face, label in ((present, SKY, "terms"), (~present, "none", "terms that never occur")):
        here = chosen & drawn
        if here.any():
            axes.scatter(
                x[here], y[here], s=diameter[here] ** 2, c=face, edgecolors=BLUE, linewidths=0.7,
                alpha=0.75 if face == SKY else None, label=f"{here.sum():,} {label}",
                rasterized=bool(here.sum() > MANY),
            )  # fmt: skip
    dress(axes, statistic_label, weight_label)
    axes.grid(visible=True, color="0.9", lw=0.6)
    axes.set_axisbelow(True)
    _explain(figure, axes, _correlations(x, y, drawn, present), int((~drawn).sum()), largest)
    return figure


def _diameters(sizes: Floats | None, drawn: Any, present: Any) -> tuple[Floats, float]:
    """The diameter of each point, and the largest α_i drawn; 0 if all points have one size."""
    if sizes is None:
        diameter, largest = np.full(len(drawn), 5.0), 0.0
    else:
        if np.any(sizes < 0):
            raise ValueError("alpha must not be negative")
        largest = float(sizes[drawn].max(initial=0.0))
        share = np.divide(sizes, largest or 1.0, where=drawn, out=np.zeros(len(drawn)))
        diameter = np.maximum(LARGEST * share, SMALLEST)
    return np.where(present, diameter, np.maximum(diameter, HOLLOW)), largest


def _correlations(x: Floats, y: Floats, drawn: Any, present: Any) -> list[str]:
    lines = []
    groups = [("all", drawn)] if (present | ~drawn).all() else [("all", drawn), ("those that occur", drawn & present)]
    for name, chosen in groups:
        a, b = x[chosen], y[chosen]
        if len(a) > 1 and np.ptp(a) > 0 and np.ptp(b) > 0:
            lines.append(f"$r = {np.corrcoef(a, b)[0, 1]:.4f}$ ({name})")
        else:
            lines.append(f"$r$ undefined ({name})")
    return lines


def _explain(figure: Figure, axes: Any, correlations: list[str], left_out: int, largest: float) -> None:
    from matplotlib.lines import Line2D

    handles, labels = axes.get_legend_handles_labels()
    handles = [
        Line2D([], [], ls="none", marker="o", ms=7, mec=BLUE, mew=0.7, mfc="none" if "never" in label else SKY)
        for label in labels
    ]
    empty = Line2D([], [], ls="none")
    for line in [*correlations, *([f"{left_out:,} without a value"] if left_out else [])]:
        handles.append(empty)
        labels.append(line)
    if largest > 0:
        handles.append(empty)
        labels.append(r"diameter $\propto \alpha_i$:")
        for share in (0.1, 0.3, 1.0):
            value = float(f"{share * largest:.1g}")
            handles.append(
                Line2D([], [], ls="none", marker="o", ms=LARGEST * value / largest, mec=BLUE, mfc=SKY, mew=0.7)
            )
            labels.append(rf"$\alpha_i = {value:g}$")
    figure.legend(handles, labels, loc="outside right upper", fontsize=SMALL, labelspacing=0.9, frameon=False)
