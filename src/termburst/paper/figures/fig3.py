"""Fig. 3: λ_i against the sum of TF–IDF, over the terms of a simulated collection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst import plot
from termburst.inference.plr import plr_statistic
from termburst.paper.collections import Collections
from termburst.paper.results import Picture, Section, compare


def fig3(collections: Collections) -> Section:
    """Draw λ_i against total TF–IDF, and compare the correlation."""
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
        f"The published r is over all {len(b_i)} terms of the vocabulary; {silent} of them never occur in the "
        f"{len(counts)} documents (their λ is the formula at n_i = b_i = 0). Over the {occurs.sum()} terms that occur, "
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


def correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Pearson's correlation."""
    return float(np.corrcoef(x, y)[0, 1])
