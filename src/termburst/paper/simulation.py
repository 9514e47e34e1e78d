"""Fig. 1, 2 and 3: simulated documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst import plot
from termburst.inference.plr import plr_statistic
from termburst.models.beta_binomial import approximate_log_pmf
from termburst.models.penalized_mle import penalized_mle
from termburst.models.penalties import named_penalty
from termburst.paper.collections import FIG2_TRUTH, Collections
from termburst.paper.results import Picture, Section, compare

PRECISIONS = (0.1, 1.0, 10.0, 100.0)
FIG2_MU, FIG2_SIGMA2 = 50.0, 4.0


def fig1(collections: Collections) -> Section:
    """Beta-binomial samples at four precisions."""
    caption = (
        "Counts of a term in 500 documents of 100 tokens, drawn from beta-binomials with α_i/α_0 = 0.3 and "
        "α_0 = 0.1, 1, 10, 100. The smaller α_0, the more a document is all or nothing."
    )
    text = "A picture without a published number. The lower the precision α_0, the burstier the term."
    figure = plot.beta_binomial_samples(PRECISIONS, mean=0.3, length=100, documents=500)
    return Section("fig1", "Fig. 1: what precision means", text, pictures=[Picture("fig1", caption, figure)])


def fig2(collections: Collections) -> Section:
    """The ridge of the approximate likelihood, and the penalty that breaks it."""
    counts = collections.fig2
    alpha, alpha_not = best_grid_point(counts)
    fit = penalized_mle(counts, mu=FIG2_MU, sigma2=FIG2_SIGMA2)
    note = "best point of a 100 × 100 grid, log-spaced 1e-10..1 by 10..100; Claim 2 itself gives "
    text = (
        f"The published estimates are a point of a grid. Claim 2 gives the maximum itself without one: "
        f"({fit.alpha[0]:.5f}, {fit.alpha_not[0]:.4f}). The ridge runs along constant α_i/α_¬i, not along constant α_0 "
        "as the paper has it (erratum 8)."
    )
    caption = (
        "Approximate log-likelihood of 40 simulated documents of 50 tokens, without (top) and with (bottom) the gamma "
        f"penalty, μ = {FIG2_MU:g}, σ² = {FIG2_SIGMA2:g}; true parameters ({FIG2_TRUTH[0]:.2f}, {FIG2_TRUTH[1]:.2f})."
    )
    return Section(
        "fig2",
        "Fig. 2: the ridge and the penalty",
        text,
        [
            compare("fig2", "α̂_i", alpha, note=f"{note}{fit.alpha[0]:.5f}"),
            compare("fig2", "α̂_¬i", alpha_not, note=f"{note}{fit.alpha_not[0]:.4f}"),
        ],
        [Picture("fig2", caption, plot.likelihood_ridge(counts, mu=FIG2_MU, sigma2=FIG2_SIGMA2, truth=FIG2_TRUTH))],
    )


def fig3(collections: Collections) -> Section:
    """λ_i against total TF–IDF."""
    counts, alpha = collections.fig3.counts, collections.fig3.alpha
    n_i, b_i = counts.sum(axis=0), (counts > 0).sum(axis=0)
    occurs = b_i > 0
    tf_idf = n_i * np.log(len(counts) / np.maximum(b_i, 1))
    printed, corrected = plr_statistic(counts), plr_statistic(counts, form="corrected")
    r, r_occurring, r_corrected = (
        correlation(printed, tf_idf),
        correlation(printed[occurs], tf_idf[occurs]),
        correlation(corrected[occurs], tf_idf[occurs]),
    )
    silent = int((~occurs).sum())
    note = (
        f"over all {len(b_i)} terms, {silent} of which never occur; {r_occurring:.4f} over the {occurs.sum()} that do, "
        f"{r_corrected:.4f} with the corrected λ"
    )
    text = (
        f"The published r counts all {len(b_i)} terms of the vocabulary, {silent} of which never occur in the "
        f"{len(counts)} documents (for them λ is the formula at n_i = b_i = 0). Over the {occurs.sum()} that occur "
        f"r is {r_occurring:.4f}, and {r_corrected:.4f} with the corrected form of λ (erratum 1)."
    )
    caption = "λ_i against Σ_j TF–IDF(i, j) for the terms of a simulated collection; diameter proportional to α_i."
    figure = plot.statistic_against_weight(printed, tf_idf, alpha=alpha, occurs=occurs)
    return Section(
        "fig3",
        "Fig. 3: λ and TF–IDF agree",
        text,
        [
            compare("fig3", "correlation of λ_i with total TF–IDF", r, note=note),
            compare("fig3", "mean document length", float(counts.sum() / len(counts))),
        ],
        [Picture("fig3", caption, figure)],
    )


def best_grid_point(counts: NDArray[np.int64]) -> tuple[float, float]:
    """The maximum of the penalised approximate likelihood on the authors' grid."""
    alpha, alpha_not = np.meshgrid(np.geomspace(1e-10, 1, 100), np.geomspace(10, 100, 100), indexing="ij")
    penalty = named_penalty("gamma", FIG2_MU, FIG2_SIGMA2)
    value = penalty.log_density(alpha + alpha_not)
    for n_ij, rest in counts:
        value = value + approximate_log_pmf(n_ij, n_ij + rest, alpha, alpha_not)
    best = np.unravel_index(np.argmax(value), value.shape)
    return float(alpha[best]), float(alpha_not[best])


def correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Pearson's r."""
    return float(np.corrcoef(x, y)[0, 1])
