"""Fig. A1: accuracy on 20 Newsgroups over μ and σ²."""

from __future__ import annotations

from termburst.paper.collections import NEWSGROUPS, Collections
from termburst.paper.figures import grids
from termburst.paper.results import Section


def figa1(collections: Collections) -> Section:
    """Draw the accuracy over μ and σ², and compare the best cells."""
    return grids.section(NEWSGROUPS, collections)
