"""Fig. 2: the ridge of the approximate likelihood, and the penalty that gives it a maximum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst import plot
from termburst.models.beta_binomial import approximate_log_pmf
from termburst.models.penalized_mle import penalized_mle
from termburst.models.penalties import named_penalty
from termburst.paper.collections import FIG2_TRUTH, Collections
from termburst.paper.results import Picture, Section, compare

MU, SIGMA2 = 50.0, 4.0


def fig2(collections: Collections) -> Section:
    """Draw the approximate likelihood without and with the penalty, and compare the estimates."""
    counts = collections.fig2
    alpha, alpha_not = best_grid_point(counts)
    fit = penalized_mle(counts, mu=MU, sigma2=SIGMA2)
    note = "best point of a 100 × 100 grid, log-spaced 1e-10..1 by 10..100; Claim 2 itself gives "
    text = (
        f"The published estimates are the best point of a grid. Claim 2 gives the maximum itself without a grid: "
        f"({fit.alpha[0]:.5f}, {fit.alpha_not[0]:.4f}). The ridge runs along constant α_i/α_¬i, not along constant α_0 "
        "as the paper says (erratum 8)."
    )
    caption = (
        "Approximate log-likelihood of 40 simulated documents of 50 tokens, without (top) and with (bottom) the gamma "
        f"penalty, μ = {MU:g}, σ² = {SIGMA2:g}; true parameters ({FIG2_TRUTH[0]:.2f}, {FIG2_TRUTH[1]:.2f})."
    )
    return Section(
        "fig2",
        "Fig. 2: the ridge and the penalty",
        text,
        [
            compare("fig2", "α̂_i", alpha, note=f"{note}{fit.alpha[0]:.5f}"),
            compare("fig2", "α̂_¬i", alpha_not, note=f"{note}{fit.alpha_not[0]:.4f}"),
        ],
        [Picture("fig2", caption, plot.likelihood_ridge(counts, mu=MU, sigma2=SIGMA2, truth=FIG2_TRUTH))],
    )


def best_grid_point(counts: NDArray[np.int64]) -> tuple[float, float]:
    """The point with the highest penalised approximate likelihood on the authors' grid."""
    alpha, alpha_not = np.meshgrid(np.geomspace(1e-10, 1, 100), np.geomspace(10, 100, 100), indexing="ij")
    penalty = named_penalty("gamma", MU, SIGMA2)
    value = penalty.log_density(alpha + alpha_not)
    for n_ij, rest in counts:
        value = value + approximate_log_pmf(n_ij, n_ij + rest, alpha, alpha_not)
    best = np.unravel_index(np.argmax(value), value.shape)
    return float(alpha[best]), float(alpha_not[best])
