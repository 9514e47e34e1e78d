"""Histograms of the fitted parameters of all terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termburst.models.fit_beta_binomial import BetaBinomialFit
from termburst.plot.canvas import BLUE, SKY, SMALL, VERMILION, WIDTH, Floats, dress, legend, sheet, whole_numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The paper expects α_i below the first limit and α_¬i above the second.
PANELS = ((r"\alpha_i", 0.1), (r"\alpha_{\neg i}", 10.0))
NOT_DRAWN = {
    "boundary": r"at the boundary, $\alpha_0 \to \infty$",
    "degenerate": r"degenerate ($\alpha_0 \to 0$)",
    "empty": "without an occurrence",
    "failed": "without a fit",
}


def log_alpha(fit: BetaBinomialFit, published: tuple[Floats, Floats] | None = None) -> Figure:
    """Draw histograms of the natural logarithms of α̂_i and α̂_¬i over the terms with an interior fit, and each median.

    Terms at the boundary, α_0 → ∞, have no finite value; the legend has their number.

    Parameters
    ----------
    fit : BetaBinomialFit, or any object with alpha, alpha_not and status
    published : α_i and α_¬i of published fits, drawn as an outline

    Examples
    --------
    >>> import termburst as tb
    >>> fit = tb.fit_beta_binomial([[4, 26, 1], [0, 31, 1], [0, 28, 1], [1, 24, 1], [0, 30, 2], [5, 15, 1]])
    >>> figure = log_alpha(fit)
    >>> figure.axes[0].get_xlabel(), int(sum(bar.get_height() for bar in figure.axes[0].patches))
    ('$\\\\log\\\\,\\\\alpha_i$', 2)
    """
    from matplotlib.lines import Line2D

    status = np.asarray(fit.status)
    inside = status == "converged"
    missing = []
    for name, reason in NOT_DRAWN.items():
        if number := int((status == name).sum()):
            missing.append(f"not drawn: {number:,} {reason} ({100 * number / status.size:.1f} %)")
    if not inside.any():
        raise ValueError(
            f"there is nothing to draw: none of the {status.size:,} terms has an interior fit "
            f"({(status == 'boundary').sum():,} are at the boundary)"
        )
    figure = sheet(WIDTH, 3.5 if published is None else 3.8)
    values = (fit.alpha, fit.alpha_not)
    for panel, (axes, (symbol, limit)) in enumerate(zip(figure.subplots(1, 2), PANELS, strict=True)):
        exact, outline = np.log(values[panel][inside]), np.array([])
        if published is not None:
            usable = np.isfinite(published[panel]) & (published[panel] > 0)
            outline = np.log(published[panel][usable])
        shown = np.concatenate([exact, outline, np.log([limit / 2, limit * 2])])
        bins = int(np.clip(np.sqrt(max(exact.size, outline.size)), 12, 60))
        edges = np.linspace(shown.min(), shown.max(), bins + 1).tolist()
        label = f"exact fits, interior: {exact.size:,} terms"
        axes.hist(exact, bins=edges, color=SKY, edgecolor="white", linewidth=0.3, label=label)
        if outline.size:
            label = f"published fits: {outline.size:,} terms"
            axes.hist(outline, bins=edges, histtype="step", color=VERMILION, lw=1.6, label=label)
        axes.axvline(np.log(limit), color="black", ls="--", lw=1.1)
        axes.annotate(
            rf"${symbol} = {limit:g}$", (np.log(limit), 1.0), (0, 3), xycoords=axes.get_xaxis_transform(),
            textcoords="offset points", ha="center", va="bottom", fontsize=SMALL,
        )  # fmt: skip
        middle = float(np.median(exact))
        axes.axvline(middle, color=BLUE, ls=":", lw=2.0, label=f"median: {np.exp(middle):.3g}")
        whole_numbers(axes, y=6)
        last = (part[-1:] for part in axes.get_legend_handles_labels())
        legend(axes, *last, loc="upper center", bbox_to_anchor=(0.5, -0.2), borderaxespad=0.0)
        dress(axes, x=rf"$\log\,{symbol}$", y="terms per bin" if panel == 0 else "")
    bars = zip(*figure.axes[0].get_legend_handles_labels(), strict=True)
    entries = [(handle, label) for handle, label in bars if not label.startswith("median")]
    entries += [(Line2D([], [], ls="none"), line) for line in missing]
    legend(figure, *zip(*entries, strict=True), loc="outside lower center", ncols=2)
    return figure
