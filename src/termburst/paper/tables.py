"""Tables 2 and 3, §6.2 and §6.3: classes told apart with TF–IDF and with S(λ), every cell with its published value.

Transductive, as in the paper, and inductive.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from termburst.paper.classification import R8_CLASSES, SCHEMES, Report
from termburst.paper.collections import NEWSGROUPS, R8, Collections, Corpus
from termburst.paper.results import PLACES, Row, Section, compare, judged, published

_MEASURES = {"precision": "precision", "recall": "recall", "F1": "f1-score"}  # the paper's name → scikit-learn's
_COLUMNS = [(scheme, measure) for scheme in SCHEMES for measure in _MEASURES]


def table2(collections: Collections) -> Section:
    """Table 2 and §6.2: 20 Newsgroups."""
    split = collections.newsgroups
    documents = split.train.shape[0] + split.test.shape[0]
    rows = [
        compare("newsgroups", "posts", documents),
        compare("newsgroups", "training share, %", 100 * split.train.shape[0] / documents),
        compare("newsgroups", "test share, %", 100 * split.test.shape[0] / documents),
    ]
    gains = _gains(collections.reports("newsgroups", transductive=True), split.names)
    return _section(NEWSGROUPS, collections, rows, gains, "posts")


def table3(collections: Collections) -> Section:
    """Table 3 and §6.3: R8."""
    split = collections.r8
    rows = [
        compare("r8", "training documents", split.train.shape[0]),
        compare("r8", "test documents", split.test.shape[0]),
    ]
    shares = []
    for key, classes in R8_CLASSES.items():
        share = split.shares(classes)
        note = f"of all documents; {share['test']:.2f} of the test documents"
        shares.append(compare("r8", key, share["all"], erratum=11, note=note))
    return _section(R8, collections, rows, shares, "documents")


def _section(corpus: Corpus, collections: Collections, before: list[Row], after: list[Row], texts: str) -> Section:
    """Table 2 or 3; *before* and *after* are the numbers in the text around it that only one of them has."""
    split = getattr(collections, corpus.split)
    transductive = collections.reports(corpus.split, transductive=True)
    inductive = collections.reports(corpus.split, transductive=False)
    whole = f"the training vocabulary; all {texts} have {split.whole_vocabulary:,} (erratum 11)"
    mean_length = float(split.train.sum() / split.train.shape[0])
    rows = [
        *before,
        compare(corpus.split, "unique terms", split.train.shape[1], note=whole),
        compare(corpus.split, "mean training document length", mean_length),
        *after,
        *table_rows(corpus.table, transductive, inductive),
    ]
    return Section(corpus.table, rows)


def _gains(reports: dict[str, Report], names: Sequence[str]) -> list[Row]:
    """How often S(λ) is better than TF–IDF, and by how much at most, from cells of two digits as in the paper."""
    rows = []
    for measure in _MEASURES:
        ours, theirs = (
            {name: round(cell(reports[scheme], name, measure), 2) for name in names} for scheme in ("S(λ)", "TF–IDF")
        )
        gain = {name: ours[name] - theirs[name] for name in names}
        best = max(gain, key=gain.__getitem__)
        better = sum(value > -0.001 for value in gain.values())
        rows.append(compare("newsgroups", f"classes where S(λ) is at least TF–IDF in {measure}", better))
        rows.append(compare("newsgroups", f"largest gain in {measure}", gain[best], note=best))
    return rows


def cell(found: Report, name: str, measure: str) -> float:
    """A cell of a table; the accuracy is in the column of F1."""
    return float(found["accuracy"] if name == "accuracy" else found[name][_MEASURES[measure]])


def table_rows(name: str, transductive: dict[str, Report], inductive: dict[str, Report]) -> list[Row]:
    """One row per cell of a published table; the reports have the names of `SCHEMES` as keys."""
    rows = []
    for line, cells in published()[name].items():
        for (scheme, measure), printed in zip(_COLUMNS, cells, strict=True):
            if not printed:
                continue
            item = f"{PLACES[name]}: {line}, {scheme}" + ("" if line == "accuracy" else f", {measure}")
            note = f"inductive {cell(inductive[scheme], line, measure):.4f}"
            row = judged(item, printed, cell(transductive[scheme], line, measure), note)
            rows.append(dataclasses.replace(row, cell=line != "accuracy"))
    return rows
