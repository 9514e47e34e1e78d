"""The tests of Fisher, Welch, and Mann and Whitney for two corpora (two_corpora.c)."""

from __future__ import annotations

import numpy as np

from termburst.core.binding import Floats, call, record, require, struct
from termburst.core.cells import Cells

EXACT = 2.0**53  # up to here floats represent all integers


def fisher(n_i_a: Floats, n_i_b: Floats, n_a: float, n_b: float, first: int, last: int, p_value: Floats) -> None:
    """Fisher's two-sided p of the terms first … last − 1, written to *p_value*. All numbers must be integers."""
    require(n_i_a.shape == n_i_b.shape == p_value.shape, "there must be one entry per term")
    require(0 <= first <= last <= p_value.size, "first and last must be a range of terms")
    require(n_a + n_b < EXACT, "Fisher's test needs fewer than 2⁵³ tokens")
    call(
        "tb_fisher",
        struct("FisherTask", n_i_a=n_i_a, n_i_b=n_i_b, n_a=n_a, n_b=n_b, p_value=p_value, first=first, last=last),
    )


def relative_moments(cells: Cells, documents: float, first: int, last: int, mean: Floats, squares: Floats) -> None:
    """Mean and sum of squared deviations of n_ij/n_j over the documents, of the terms first … last − 1."""
    require(mean.shape == squares.shape == (cells.terms,), "there must be one entry per term")
    require(0 <= first <= last <= cells.terms, "first and last must be a range of terms")
    call(
        "tb_relative_moments",
        cells,
        struct("MomentsTask", documents=documents, mean=mean, squares=squares, first=first, last=last),
    )


def mann_whitney(
    cells: Cells, documents_a: float, documents_b: float, first: int, last: int, most: int, u: Floats, ties: Floats
) -> None:
    """U of the first corpus, and Σ t³ − t over groups of t ties, of the terms first … last − 1.

    The cells have two groups. *most* is the largest number of cells of any of these terms.
    """
    require(cells.groups == 2, "the test needs two corpora")
    require(u.shape == ties.shape == (cells.terms,), "there must be one entry per term")
    require(0 <= first <= last <= cells.terms, "first and last must be a range of terms")
    call(
        "tb_mann_whitney",
        cells,
        struct(
            "MannWhitneyTask",
            documents_a=documents_a,
            documents_b=documents_b,
            u=u,
            ties=ties,
            first=first,
            last=last,
            shares=np.empty(most, record("Frequency")),
            spare=np.empty(most, record("Frequency")),
        ),
    )
