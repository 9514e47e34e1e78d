"""Tables 2 and 3: every cell with its published value, transductive as in the paper, and inductive."""

from __future__ import annotations

import dataclasses

from termburst.paper import markdown
from termburst.paper.classification import SCHEMES, Report
from termburst.paper.collections import Collections, Corpus
from termburst.paper.results import PLACES, Row, Section, judged, published

_MEASURES = {"precision": "precision", "recall": "recall", "F1": "f1-score"}  # the paper's name → scikit-learn's
_COLUMNS = [(scheme, measure) for scheme in SCHEMES for measure in _MEASURES]


def section(corpus: Corpus, collections: Collections, rows: list[Row]) -> Section:
    """Table 2 or 3; *rows* are the numbers in the text around it."""
    transductive = collections.reports(corpus.split, transductive=True)
    inductive = collections.reports(corpus.split, transductive=False)
    table = corpus.table
    cells = table_rows(table, transductive, inductive)
    agreeing = sum(bool(row.agrees) for row in cells)
    accuracies = "; ".join(
        f"{scheme} {transductive[scheme]['accuracy']:.4f} transductive, {inductive[scheme]['accuracy']:.4f} inductive"
        for scheme in SCHEMES
    )
    text = (
        f"{corpus.name}, MultinomialNB(), μ is the mean training length, σ² = 1. {agreeing} of {len(cells)} published "
        "cells are obtained to the printed digit. The paper weights the test documents with their own n_i, b_i, d and "
        "n (transductive, erratum 4). With statistics of the training documents only (inductive) the numbers differ. "
        f"Accuracy: {accuracies}.\n\n"
        f"Transductive, as published:\n\n{table_markdown(table, transductive)}\n\n"
        f"Inductive:\n\n{table_markdown(table, inductive)}"
    )
    return Section(table, f"{PLACES[table]}: classifying {corpus.name}", text, [*rows, *cells])


def cell(found: Report, name: str, measure: str) -> float:
    """A cell of a table; the accuracy is in the column of F1."""
    return float(found["accuracy"] if name == "accuracy" else found[name][_MEASURES[measure]])


def table_rows(table: str, transductive: dict[str, Report], inductive: dict[str, Report]) -> list[Row]:
    """One row per cell of a published table; the reports have the names of `SCHEMES` as keys."""
    rows = []
    for name, cells in published()[table].items():
        for (scheme, measure), printed in zip(_COLUMNS, cells, strict=True):
            if not printed:
                continue
            item = f"{PLACES[table]}: {name}, {scheme}" + ("" if name == "accuracy" else f", {measure}")
            note = f"inductive {cell(inductive[scheme], name, measure):.4f}"
            row = judged(item, printed, cell(transductive[scheme], name, measure), note)
            rows.append(dataclasses.replace(row, cell=name != "accuracy"))
    return rows


def table_markdown(table: str, reports: dict[str, Report]) -> str:
    """A published table with our numbers, in Markdown, two digits per cell as in the paper."""
    lines = [
        [
            name,
            *(f"{cell(reports[s], name, m):.2f}" if text else "" for (s, m), text in zip(_COLUMNS, row, strict=True)),
        ]
        for name, row in published()[table].items()
    ]
    return markdown.table(["class", *(f"{scheme} {measure}" for scheme, measure in _COLUMNS)], lines)
