"""A small corpus with every kind of term, made-up fits, and helpers that read what a figure shows."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.typing import NDArray

import termburst as tb
from termburst.paper.collections import Collections


@pytest.fixture(scope="session")
def counts() -> NDArray[np.int64]:
    """60 documents × 40 terms: some bursty, some even; the last two never occur. Documents 7 and 8 are empty."""
    rng = np.random.default_rng(5)
    share = rng.dirichlet(np.r_[np.full(20, 0.3), np.full(18, 4.0)], 60)
    X = np.array([rng.multinomial(length, p) for length, p in zip(rng.integers(20, 90, 60), share, strict=True)])
    X[7:9] = 0
    return np.hstack([X, np.zeros((60, 2), dtype=X.dtype)])


@pytest.fixture(scope="session")
def terms() -> list[str]:
    """Names that are hard to draw: formulas, line breaks, other scripts, marks that reverse the direction of text."""
    odd = ["$x$", "a$b^", "so\nso", "\u202eevil", "שלום", "سلام", "<b>", "_", "ha" * 300]
    return odd + [f"t{k}" for k in range(len(odd), 40)]


@pytest.fixture(scope="session")
def statistics(counts: NDArray[np.int64], terms: list[str]) -> tb.TermStatistics:
    return tb.TermStatistics.from_counts(counts, terms, "patterns")


@pytest.fixture(scope="session")
def words() -> Callable[[Figure], str]:
    """All text on a figure and its legends."""
    from matplotlib.text import Text

    def written(figure: Figure) -> str:
        return "\n".join(artist.get_text() for artist in figure.findobj(Text))

    return written


@pytest.fixture(scope="session")
def lines() -> Callable[[Any], dict[str, Any]]:
    """The lines of axes by their labels."""
    return lambda axes: {str(line.get_label()): line for line in axes.lines}


@pytest.fixture(scope="session")
def fit() -> Any:
    """A fit of 400 terms: 250 interior, 120 at the boundary, 20 degenerate, 10 that never occur."""
    rng = np.random.default_rng(0)
    status = np.repeat(np.array(["converged", "boundary", "degenerate", "empty"], dtype=object), [250, 120, 20, 10])
    odd = np.select([status == "boundary", status == "degenerate"], [np.inf, 0.0], np.nan)
    inside = status == "converged"
    return SimpleNamespace(
        alpha=np.where(inside, np.exp(rng.normal(-5, 2, 400)), odd),
        alpha_not=np.where(inside, np.exp(rng.normal(5, 2, 400)), odd),
        status=status,
    )


@pytest.fixture(scope="session")
def published() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Made-up published α_i and α_¬i of the same 400 terms."""
    rng = np.random.default_rng(1)
    return np.exp(rng.normal(-6, 2, 400)), np.exp(rng.normal(4, 2, 400))


@pytest.fixture(scope="session")
def fig2(collections: Collections) -> NDArray[np.int64]:
    """The simulated collection of the paper's Fig. 2."""
    return collections.fig2
