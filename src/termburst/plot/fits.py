"""Histograms of the fitted parameters of all terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.models.fit_beta_binomial import BetaBinomialFit
from termburst.plot.canvas import SKY, SMALL, VERMILION, WIDTH, Floats, dress, legend, sheet, whole_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SYMBOLS = (r"\alpha_i", r"\alpha_{\neg i}")
LIMITS = (0.1, 10.0)  # the paper expects α_i below the first and α_¬i above the second
NOT_DRAWN = {
    "degenerate": r"degenerate ($\alpha_0 \to 0$)",
    "empty": "without an occurrence",
    "failed": "without a fit",
}


def log_alpha(fit: BetaBinomialFit) -> Figure:
    """Draw histograms of log10 α̂_i and log10 α̂_¬i over the terms with an interior fit, and the median of each.

    Terms at the boundary, α_0 → ∞, have no finite value; the legend has their number.

    Parameters
    ----------
    fit : BetaBinomialFit, or any object with alpha, alpha_not and status

    Examples
    --------
    >>> import termburst as tb
    >>> fit = tb.fit_beta_binomial([[4, 26, 1], [0, 31, 1], [0, 28, 1], [1, 24, 1], [0, 30, 2], [5, 15, 1]])
    >>> figure = log_alpha(fit)
    >>> figure.axes[0].get_xlabel(), int(sum(bar.get_height() for bar in figure.axes[0].patches))
    ('$\\\\log_{10}\\\\,\\\\alpha_i$', 2)
    """
    from matplotlib.lines import Line2D

    status = np.asarray(fit.status)
    inside = status == "converged"
    at_boundary = int((status == "boundary").sum())
    if not inside.any():
        raise ValueError(
            f"there is nothing to draw: none of the {status.size:,} terms has an interior fit "
            f"({at_boundary:,} are at the boundary)"
        )
    figure = sheet(WIDTH, 3.5)
    for panel, (axes, values) in enumerate(zip(figure.subplots(1, 2), (fit.alpha, fit.alpha_not), strict=True)):
        logs = np.log(values[inside])
        draw_histogram(axes, logs, panel, base=10.0)
        middle = float(np.median(logs)) / np.log(10)
        axes.axvline(middle, color=VERMILION, ls=":", lw=2.0, label=f"median: {10**middle:.3g}")
        last = (part[-1:] for part in axes.get_legend_handles_labels())
        legend(axes, *last, loc="upper center", bbox_to_anchor=(0.5, -0.2), borderaxespad=0.0)
        dress(axes, x=rf"$\log_{{10}}\,{SYMBOLS[panel]}$", y="terms per bin" if panel == 0 else "")
    handles, labels = (list(part[:1]) for part in figure.axes[0].get_legend_handles_labels())
    missing = not_drawn(status)
    if at_boundary:
        share = 100 * at_boundary / status.size
        missing.insert(
            0, rf"not drawn: {at_boundary:,} at the boundary, $\alpha_0 \to \infty$ ({share:.1f} % of terms)"
        )
    handles += [Line2D([], [], ls="none") for _ in missing]
    legend(figure, handles, labels + missing, loc="outside lower center", ncols=2)
    return figure


def draw_histogram(axes: Axes, exact: Floats, panel: int, published: Floats | None = None, base: float = np.e) -> None:
    """Draw a histogram of natural logarithms, converted to another *base*, with the limit of the panel's parameter."""
    unit = np.log(base)
    exact = exact[np.isfinite(exact)] / unit
    printed = np.array([]) if published is None else published[np.isfinite(published)] / unit
    limit = float(np.log(LIMITS[panel]) / unit)
    shown = np.concatenate([exact, printed, [limit - 0.5, limit + 0.5]])
    bins = int(np.clip(np.sqrt(max(len(exact), len(printed))), 12, 60))
    edges = np.linspace(shown.min(), shown.max(), bins + 1).tolist()
    if len(exact):
        label = f"exact fits, interior: {len(exact):,} terms"
        axes.hist(exact, bins=edges, color=SKY, edgecolor="white", linewidth=0.3, label=label)
    if len(printed):
        label = f"published fits: {len(printed):,} terms"
        axes.hist(printed, bins=edges, histtype="step", color=VERMILION, lw=1.6, label=label)
    axes.axvline(limit, color="black", ls="--", lw=1.1)
    axes.annotate(
        rf"${SYMBOLS[panel]} = {LIMITS[panel]:g}$", (limit, 1.0), (0, 3), xycoords=axes.get_xaxis_transform(),
        textcoords="offset points", ha="center", va="bottom", fontsize=SMALL,
    )  # fmt: skip
    whole_numbers(axes, y=6)
    dress(axes)


def not_drawn(status: NDArray[Any]) -> list[str]:
    """How many terms a histogram leaves out, and why; terms at the boundary are not included."""
    numbers = {reason: int((status == name).sum()) for name, reason in NOT_DRAWN.items()}
    return [f"not drawn: {number:,} {reason}" for reason, number in numbers.items() if number]
