"""What Figs A1 and A2 share: accuracy over μ and σ², as printed and with the μ term of erratum 2."""

from __future__ import annotations

import dataclasses

import numpy as np

from termburst import plot
from termburst.paper.classification import MU, SIGMA2, at_cells, best_cells
from termburst.paper.collections import Collections, Corpus
from termburst.paper.results import PLACES, Picture, Section, compare, judged, published


def section(corpus: Corpus, collections: Collections) -> Section:
    """Both grids of one collection."""
    grids = {
        "as printed": collections.sensitivity(corpus.split, mu_term=False),
        "with the μ term": collections.sensitivity(corpus.split, mu_term=True),
    }
    printed, mended = grids.values()
    name, place, what = corpus.grid, PLACES[corpus.grid], corpus.name
    claimed = at_cells(printed, published()[name]["best cells (μ, σ²)"])
    not_best = " and ".join(f"{value:.5f} at {cell}" for cell, value in claimed.items() if value < printed.max())
    rows = [
        compare(name, "best accuracy", float(printed.max())),
        compare(name, "best cells (μ, σ²)", best_cells(printed), erratum=12, note=not_best),
        judged(
            f"{place}: best accuracy with the μ term", None, float(mended.max()), f"at {best_cells(mended)}; erratum 2"
        ),
    ]
    rows += [
        dataclasses.replace(
            judged(
                f"{place}: accuracy at μ = {mu:g}, σ² = {sigma2:g}",
                None,
                float(printed[i, j]),
                f"{mended[i, j]:.5f} with the μ term",
            ),
            cell=True,
        )
        for i, mu in enumerate(MU)
        for j, sigma2 in enumerate(SIGMA2)
    ]
    text = (
        f"Accuracy of S(λ) on {what} over {printed.size} pairs (μ, σ²). As printed, λ_ij lacks a term n_ij log(μd/n) "
        f"if μ is not n/d (erratum 2). As printed, the best accuracy is {printed.max():.5f} at {best_cells(printed)}, "
        f"and the range is {np.ptp(printed):.4f}. With the term the best is {mended.max():.5f} at "
        f"{best_cells(mended)}, and the range is {np.ptp(mended):.4f}."
    )
    caption = f"Accuracy on {what} over μ and σ²; the best cells are outlined. Left as printed, right with the μ term."
    return Section(
        name,
        f"{place}: sensitivity on {what}",
        text,
        rows,
        [Picture(name, caption, plot.accuracy_grids(grids, MU, SIGMA2))],
    )
