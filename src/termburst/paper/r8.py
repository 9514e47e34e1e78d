"""§6.3, Fig. 5, Table 3, Fig. A2: R8; and §5.2 on all of Reuters-21578."""

from __future__ import annotations

import numpy as np

from termburst.paper import fits, grids, tables
from termburst.paper.collections import Collections
from termburst.paper.results import Row, Section, compare

_SMALL = ("grain", "ship", "interest")
SHARE_BOUND = 7  # of §5.2


def fig5(collections: Collections) -> Section:
    """The fits of every term of the training documents."""
    return fits.section("fig5", "Fig. 5", "R8 training documents, stop words kept", collections.fig5, [])


def table3(collections: Collections) -> Section:
    """Classification with TF–IDF and with S(λ)."""
    split = collections.r8
    whole = f"the training vocabulary; all documents have {split.whole_vocabulary:,} (erratum 11)"
    rows = [
        compare("r8", "training documents", split.train.shape[0]),
        compare("r8", "test documents", split.test.shape[0]),
        compare("r8", "unique terms", split.train.shape[1], note=whole),
        compare("r8", "mean training document length", float(split.train.sum() / split.train.shape[0])),
        _class_share(collections, "share of the class earn, %", ("earn",)),
        _class_share(collections, "share of grain, ship and interest together, %", _SMALL),
    ]
    return tables.section("table3", "Table 3", "R8", collections, "r8", rows)


def figa2(collections: Collections) -> Section:
    """Accuracy over μ and σ²."""
    return grids.section("figa2", "Fig. A2", "R8", collections, "r8")


def reuters(collections: Collections) -> Section:
    """§5.2: how often log (n_ij − 1)! is asked beyond n_ij = 7."""
    counts = collections.reuters.data
    share = 100 * float(np.mean(counts <= SHARE_BOUND))
    kept = counts[counts < np.percentile(counts, 99.5)]  # as the authors' script has it
    trimmed = 100 * float(np.mean(kept <= SHARE_BOUND))
    note = f"{trimmed:.2f} after dropping counts from the 99.5th percentile up, as the authors do"
    once = 100 * float(np.mean(counts == 1))
    text = (
        f"Of the nonzero counts of all 10,788 documents of Reuters-21578, stop words kept, {share:.2f} % are at most "
        f"{SHARE_BOUND}. But {once:.1f} % are 1, where log (n_ij − 1)! is 0, as it is at 2: it does not track TF there "
        "(erratum 10)."
    )
    rows = [compare("reuters", "nonzero term counts of at most 7, %", share, note=note)]
    return Section("reuters", "§5.2: small counts", text, rows)


def _class_share(collections: Collections, key: str, classes: tuple[str, ...]) -> Row:
    split = collections.r8
    wanted = [split.names.index(name) for name in classes]
    test = 100 * float(np.isin(split.test_labels, wanted).mean())
    both = 100 * float(np.isin(np.concatenate([split.train_labels, split.test_labels]), wanted).mean())
    return compare("r8", key, both, erratum=11, note=f"of all documents; {test:.2f} of the test documents")
