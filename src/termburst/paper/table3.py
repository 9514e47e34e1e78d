"""Table 3 and §6.3: R8 classified with TF–IDF and with S(λ)."""

from __future__ import annotations

from termburst.paper import classification_tables
from termburst.paper.classification import R8_CLASSES
from termburst.paper.collections import R8, Collections
from termburst.paper.results import Section, compare


def table3(collections: Collections) -> Section:
    """Classify with TF–IDF and with S(λ), and compare every cell."""
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
