"""Fig. 5: the beta-binomial fits of every term of R8."""

from __future__ import annotations

from termburst.paper.collections import R8, Collections
from termburst.paper.figures import fits
from termburst.paper.results import Section


def fig5(collections: Collections) -> Section:
    """Draw the fits of every term of the training documents, and compare the published ones."""
    return fits.section(R8, "R8 training documents, stop words kept", collections)
