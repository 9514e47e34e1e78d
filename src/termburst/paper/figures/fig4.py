"""Fig. 4: the beta-binomial fits of every term of 20 Newsgroups."""

from __future__ import annotations

from termburst.paper.collections import NEWSGROUPS, Collections
from termburst.paper.figures import fits
from termburst.paper.results import Section


def fig4(collections: Collections) -> Section:
    """Draw the fits of every term of the training posts, and compare the published ones."""
    what = "20 Newsgroups training posts without headers, footers and quotes, stop words kept"
    return fits.section(NEWSGROUPS, what, collections)
