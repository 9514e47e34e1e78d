"""§6.3, Fig. 5, Table 3, Fig. A2: R8; and §5.2 on all of Reuters-21578."""

from __future__ import annotations

import numpy as np

from termburst.paper import classification_tables, fits, grids
from termburst.paper.classification import R8_CLASSES
from termburst.paper.collections import R8, Collections
from termburst.paper.markdown import percent
from termburst.paper.results import Section, compare

SHARE_BOUND = 7  # of §5.2


def fig5(collections: Collections) -> Section:
    """The fits of every term of the training documents."""
    return fits.section(R8, "R8 training documents, stop words kept", collections)


def table3(collections: Collections) -> Section:
    """Classification with TF–IDF and with S(λ)."""
    split = collections.r8
    whole = f"the training vocabulary; all documents have {split.whole_vocabulary:,} (erratum 11)"
    rows = [
        compare("r8", "training documents", split.train.shape[0]),
        compare("r8", "test documents", split.test.shape[0]),
        compare("r8", "unique terms", split.train.shape[1], note=whole),
        compare("r8", "mean training document length", float(split.train.sum() / split.train.shape[0])),
    ]
    for key, classes in R8_CLASSES.items():
        share = split.shares(classes)
        note = f"of all documents; {share['test']:.2f} of the test documents"
        rows.append(compare("r8", key, share["all"], erratum=11, note=note))
    return classification_tables.section(R8, collections, rows)


def figa2(collections: Collections) -> Section:
    """Accuracy over μ and σ²."""
    return grids.section(R8, collections)


def reuters(collections: Collections) -> Section:
    """§5.2: how often log (n_ij − 1)! is asked beyond n_ij = 7."""
    documents, counts = collections.reuters.shape[0], collections.reuters.data
    share = percent(counts <= SHARE_BOUND)
    kept = counts[counts < np.percentile(counts, 99.5)]  # as the authors' script has it
    trimmed = percent(kept <= SHARE_BOUND)
    note = f"{trimmed:.2f} after dropping counts from the 99.5th percentile up, as the authors do"
    text = (
        f"Of the nonzero counts of all {documents:,} documents of Reuters-21578, stop words kept, {share:.2f} % are at "
        f"most {SHARE_BOUND}. But {percent(counts == 1):.1f} % are 1, where log (n_ij − 1)! is 0, as it is at 2: it "
        "does not track TF there (erratum 10)."
    )
    rows = [compare("reuters", "nonzero term counts of at most 7, %", share, note=note)]
    return Section("reuters", "§5.2: small counts", text, rows)
