"""Tables 2 and 3: every cell beside the published one, transductive as there, and inductive."""

from __future__ import annotations

import dataclasses

from termburst.paper.classification import SCHEMES, Report
from termburst.paper.collections import Collections
from termburst.paper.results import Row, Section, judged, published

_MEASURES = {"precision": "precision", "recall": "recall", "F1": "f1-score"}  # theirs and scikit-learn's


def section(table: str, place: str, what: str, collections: Collections, split: str, rows: list[Row]) -> Section:
    """Table 2 or 3; *rows* are what the text around it says."""
    transductive = collections.reports(split, transductive=True)
    inductive = collections.reports(split, transductive=False)
    cells = table_rows(table, place, transductive, inductive)
    agreeing = sum(bool(row.agrees) for row in cells)
    accuracies = "; ".join(
        f"{scheme} {transductive[scheme]['accuracy']:.4f} transductive, {inductive[scheme]['accuracy']:.4f} inductive"
        for scheme in SCHEMES
    )
    text = (
        f"{what}, MultinomialNB(), μ the mean training length, σ² = 1. {agreeing} of {len(cells)} published cells are "
        "obtained to the printed digit. The paper weights the test documents with their own n_i, b_i, d and n "
        "(transductive, erratum 4); learned from the training documents alone (inductive) the figures differ. "
        f"Accuracy: {accuracies}.\n\n"
        f"Transductive, as published:\n\n{table_markdown(table, transductive)}\n\n"
        f"Inductive:\n\n{table_markdown(table, inductive)}"
    )
    return Section(table, f"{place}: classifying {what}", text, [*rows, *cells])


def cell(found: Report, name: str, measure: str) -> float:
    """A cell of a table; the accuracy stands in the column of F1."""
    return float(found["accuracy"] if name == "accuracy" else found[name][_MEASURES[measure]])


def table_rows(table: str, place: str, transductive: dict[str, Report], inductive: dict[str, Report]) -> list[Row]:
    """A row a cell of a published table; reports by the scheme's name in `SCHEMES`."""
    columns = [(scheme, measure) for scheme in SCHEMES for measure in _MEASURES]
    rows = []
    for name, cells in published()[table].items():
        for (scheme, measure), printed in zip(columns, cells, strict=True):
            if not printed:
                continue
            item = f"{place}: {name}, {scheme}" + ("" if name == "accuracy" else f", {measure}")
            note = f"inductive {cell(inductive[scheme], name, measure):.4f}"
            row = judged(item, printed, cell(transductive[scheme], name, measure), note)
            rows.append(dataclasses.replace(row, cell=name != "accuracy"))
    return rows


def table_markdown(table: str, reports: dict[str, Report]) -> str:
    """A published table done again, in Markdown, two digits a cell as there."""
    head = "| class | " + " | ".join(f"{s} {m}" for s in SCHEMES for m in _MEASURES) + " |"
    lines = [head, "|---" + "|--:" * 6 + "|"]
    for name, printed in published()[table].items():
        cells = [
            f"{cell(reports[scheme], name, measure):.2f}" if printed[position * 3 + offset] else ""
            for position, scheme in enumerate(SCHEMES)
            for offset, measure in enumerate(_MEASURES)
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
