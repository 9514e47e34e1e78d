"""The distribution of log α over all terms of your own fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termburst.plot.canvas import SMALL, VERMILION, WIDTH, dress, sheet
from termburst.plot.fits import Fit, interior
from termburst.plot.fitted_parameters import SYMBOLS, draw_histogram, not_drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def log_alpha(fit: Fit) -> Figure:
    """Draw histograms of log10 α̂_i and log10 α̂_¬i over the terms with an interior fit, and the median of each.

    Terms at the boundary, α_0 → ∞, have no finite value; the legend has their number. `fitted_parameters` draws them
    too. It uses natural logarithms, as the paper does, and can compare with published fits.

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
    status = np.asarray(fit.status)
    logs = interior(fit)
    at_boundary = int((status == "boundary").sum())
    if not (status == "converged").any():
        raise ValueError(
            f"there is nothing to draw: none of the {status.size:,} terms has an interior fit "
            f"({at_boundary:,} are at the boundary)"
        )
    figure = sheet(WIDTH, 3.5)
    for panel, (axes, values) in enumerate(zip(figure.subplots(1, 2), logs, strict=True)):
        draw_histogram(axes, values, None, panel, base=10.0)
        middle = float(np.nanmedian(values)) / np.log(10)
        axes.axvline(middle, color=VERMILION, ls=":", lw=2.0, label=f"median: {10**middle:.3g}")
        axes.legend(
            *([part[-1:] for part in axes.get_legend_handles_labels()]), loc="upper center",
            bbox_to_anchor=(0.5, -0.2), fontsize=SMALL, frameon=False, borderaxespad=0.0,
        )  # fmt: skip
        dress(axes, x=rf"$\log_{{10}}\,{SYMBOLS[panel]}$", y="terms per bin" if panel == 0 else "")
    handles, labels = (list(part[:1]) for part in figure.axes[0].get_legend_handles_labels())
    notes = not_drawn(status)
    if at_boundary:
        share = 100 * at_boundary / status.size
        notes.insert(0, rf"not drawn: {at_boundary:,} at the boundary, $\alpha_0 \to \infty$ ({share:.1f} % of terms)")
    from matplotlib.lines import Line2D

    handles += [Line2D([], [], ls="none") for _ in notes]
    figure.legend(handles, labels + notes, loc="outside lower center", ncols=2, fontsize=SMALL, frameon=False)
    return figure
