"""Options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from termburst.cli.output import Format

if TYPE_CHECKING:
    import polars as pl

Mu = Annotated[float | None, typer.Option("--mu", help="Mean of the penalty. (default: mean document length)")]
Sigma2 = Annotated[float, typer.Option("--sigma2", help="Variance of the penalty.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file instead, whole or not at all.")]
FormatOption = Annotated[
    Format | None, typer.Option("--format", "-f", help="(default: by the ending of --output, else table)")
]
CsvAsIs = Annotated[
    bool, typer.Option("--csv-as-is", help="In CSV, put no apostrophe before text that a spreadsheet would run.")
]
Top = Annotated[
    int | None, typer.Option("--top", "-n", min=0, help="How many; 0 for all. (default: 30 in a table, else all)")
]
MinCount = Annotated[int, typer.Option("--min-count", min=1, help="Leave out rarer terms.")]


class Fdr(StrEnum):
    """How q-values are made."""

    bh = "bh"
    by = "by"
    holm = "holm"
    storey = "storey"
    none = "none"


FdrOption = Annotated[Fdr, typer.Option("--fdr", help="How q-values are made.")]


class Form(StrEnum):
    """The three forms of λ."""

    printed = "printed"
    corrected = "corrected"
    exact = "exact"


FormOption = Annotated[Form, typer.Option("--form", help="λ as printed in the paper, corrected, or exact.")]
# What a page holds, as in termburst.report, which takes too long to import for --help.
PANELS, LINES, MOST_TERMS = 2_000, 5, 100_000
Panels = Annotated[
    int, typer.Option("--panels", min=0, help="How many leading terms get charts and lines in the page.")
]
Lines = Annotated[int, typer.Option("--lines", min=0, help="Example lines of a term in the page, at most.")]
MaxTerms = Annotated[int, typer.Option("--max-terms", min=1, help="How many leading terms the page lists.")]


def shown(table: pl.DataFrame, top: int | None, format: Format) -> pl.DataFrame:
    """As many rows as were asked for."""
    if top is None:
        top = 30 if format is Format.table else 0
    return table.head(min(top, table.height)) if top else table  # Polars takes no number of more than 64 bits
