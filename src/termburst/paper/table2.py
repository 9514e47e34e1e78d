"""Table 2 and §6.2: 20 Newsgroups classified with TF–IDF and with S(λ)."""

from __future__ import annotations

from collections.abc import Sequence

from termburst.paper import classification_tables
from termburst.paper.classification import Report
from termburst.paper.classification_tables import cell
from termburst.paper.collections import NEWSGROUPS, Collections
from termburst.paper.results import Row, Section, compare


def table2(collections: Collections) -> Section:
    """Classify with TF–IDF and with S(λ), and compare every cell."""
    split = collections.newsgroups
    documents = split.train.shape[0] + split.test.shape[0]
    whole = f"the training vocabulary; all posts have {split.whole_vocabulary:,} (erratum 11)"
    rows = [
        compare("newsgroups", "posts", documents),
        compare("newsgroups", "training share, %", 100 * split.train.shape[0] / documents),
        compare("newsgroups", "test share, %", 100 * split.test.shape[0] / documents),
        compare("newsgroups", "unique terms", split.train.shape[1], note=whole),
        compare("newsgroups", "mean training document length", float(split.train.sum() / split.train.shape[0])),
        *_comparisons(collections.reports("newsgroups", transductive=True), split.names),
    ]
    return classification_tables.section(NEWSGROUPS, collections, rows)


def _comparisons(reports: dict[str, Report], names: Sequence[str]) -> list[Row]:
    """How often S(λ) is better than TF–IDF, and by how much at most, from cells of two digits as in the paper."""
    rows = []
    for measure in ("precision", "recall", "F1"):
        gain = {
            name: round(cell(reports["S(λ)"], name, measure), 2) - round(cell(reports["TF–IDF"], name, measure), 2)
            for name in names
        }
        best = max(gain, key=gain.__getitem__)
        rows.append(
            compare(
                "newsgroups",
                f"classes where S(λ) is at least TF–IDF in {measure}",
                sum(value > -0.001 for value in gain.values()),
            )
        )
        rows.append(compare("newsgroups", f"largest gain in {measure}", gain[best], note=best))
    return rows
