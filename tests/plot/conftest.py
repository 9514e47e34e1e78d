"""A small corpus that has every kind of term, and what is written on a figure."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.typing import NDArray

import termburst as tb


@pytest.fixture(scope="session")
def counts() -> NDArray[np.int64]:
    """60 documents × 40 terms: bursty ones, even ones, the last two never occurring; documents 7 and 8 are empty."""
    rng = np.random.default_rng(5)
    share = rng.dirichlet(np.r_[np.full(20, 0.3), np.full(18, 4.0)], 60)
    X = np.array([rng.multinomial(length, p) for length, p in zip(rng.integers(20, 90, 60), share, strict=True)])
    X[7:9] = 0
    return np.hstack([X, np.zeros((60, 2), dtype=X.dtype)])


@pytest.fixture(scope="session")
def terms() -> list[str]:
    """Names that are hard to write: mathematics, line breaks, other scripts, marks that turn text around."""
    odd = ["$x$", "a$b^", "so\nso", "\u202eevil", "שלום", "سلام", "<b>", "_", "ha" * 300]
    return odd + [f"t{k}" for k in range(len(odd), 40)]


@pytest.fixture(scope="session")
def statistics(counts: NDArray[np.int64], terms: list[str]) -> tb.TermStatistics:
    return tb.TermStatistics.from_counts(counts, terms, "patterns")


@pytest.fixture(scope="session")
def words() -> Callable[[Figure], str]:
    """All that is written on a figure and its legends."""
    from matplotlib.text import Text

    def written(figure: Figure) -> str:
        return "\n".join(artist.get_text() for artist in figure.findobj(Text))

    return written


@pytest.fixture(scope="session")
def lines() -> Callable[[Any], dict[str, Any]]:
    """The lines of axes by their labels."""
    return lambda axes: {str(line.get_label()): line for line in axes.lines}
