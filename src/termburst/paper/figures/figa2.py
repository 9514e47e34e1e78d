"""Fig. A2: accuracy on R8 over μ and σ²."""

from __future__ import annotations

from termburst.paper.collections import R8, Collections
from termburst.paper.figures import grids
from termburst.paper.results import Section


def figa2(collections: Collections) -> Section:
    """Draw the accuracy over μ and σ², and compare the best cells."""
    return grids.section(R8, collections)
