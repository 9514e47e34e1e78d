"""§5.2: how large the counts of all of Reuters-21578 are."""

from __future__ import annotations

import numpy as np

from termburst.paper.collections import Collections
from termburst.paper.markdown import percent
from termburst.paper.results import Section, compare

SHARE_BOUND = 7  # of §5.2


def reuters(collections: Collections) -> Section:
    """§5.2: how often n_ij exceeds 7 in log (n_ij − 1)!."""
    documents, counts = collections.reuters.shape[0], collections.reuters.data
    share = percent(counts <= SHARE_BOUND)
    kept = counts[counts < np.percentile(counts, 99.5)]  # as in the authors' script
    trimmed = percent(kept <= SHARE_BOUND)
    note = f"{trimmed:.2f} after dropping counts from the 99.5th percentile up, as the authors do"
    text = (
        f"Of the nonzero counts of all {documents:,} documents of Reuters-21578, stop words kept, {share:.2f} % are at "
        f"most {SHARE_BOUND}. But {percent(counts == 1):.1f} % are 1. There log (n_ij − 1)! is 0, and at 2 it is 0 as "
        "well: it does not track TF there (erratum 10)."
    )
    rows = [compare("reuters", "nonzero term counts of at most 7, %", share, note=note)]
    return Section("reuters", "§5.2: small counts", text, rows)
