"""Options that several commands have."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from termburst.cli.output import Format, many
from termburst.names import Adjustment, Form

if TYPE_CHECKING:
    import polars as pl

    from termburst.statistics.term_statistics import TermStatistics

Mu = Annotated[float | None, typer.Option("--mu", help="Mean of the penalty. (default: mean document length)")]
Sigma2 = Annotated[float, typer.Option("--sigma2", help="Variance of the penalty.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to this file. It is replaced only when all is written.")
]
FormatOption = Annotated[
    Format | None, typer.Option("--format", "-f", help="(default: by the ending of --output, or table)")
]
CsvAsIs = Annotated[
    bool, typer.Option("--csv-as-is", help="In CSV, add no apostrophe before text that a spreadsheet would run.")
]
Excel = Annotated[
    bool, typer.Option("--excel", help="In CSV, add a byte order mark, so that Excel shows all letters correctly.")
]
Top = Annotated[
    int | None, typer.Option("--top", "-n", min=0, help="How many terms; 0 for all. (default: 30 in a table, or all)")
]
MinCount = Annotated[int, typer.Option("--min-count", min=1, help="Leave out terms that occur fewer times.")]
AdjustOption = Annotated[Adjustment, typer.Option("--adjust", help="How p-values are adjusted to q-values.")]
Confidence = Annotated[float, typer.Option("--confidence", help="Confidence level of the log_ratio interval.")]
FormOption = Annotated[Form, typer.Option("--form", help="λ as printed in the paper, corrected, or exact.")]
Panels = Annotated[int, typer.Option("--panels", min=0, help="How many terms have charts and lines in the page.")]
Examples = Annotated[
    int, typer.Option("--examples", min=0, help="At most how many example lines a term has in the page.")
]
MaxTerms = Annotated[int, typer.Option("--max-terms", min=1, help="At most how many terms the page lists.")]


def collection_size(statistics: TermStatistics) -> str:
    """The size of a collection, in a line."""
    s = statistics
    size = (many(s.documents, "document"), many(s.tokens, "token"), many(s.vocabulary_size, "term"))
    return f"{', '.join(size)}, mean length {s.mean_length:,.1f}"


def shown(table: pl.DataFrame, top: int | None, format: Format) -> pl.DataFrame:
    """The first rows, as many as --top says."""
    if top is None:
        top = 30 if format is Format.table else 0
    return table.head(min(top, table.height)) if top else table  # Polars accepts no number of more than 64 bits


def rewrapped(docstring: str | None) -> str:
    """A docstring with one line per paragraph, so that a terminal of any width can wrap it.

    Examples
    --------
    >>> rewrapped("First line.\\n\\n    A paragraph\\n    of two lines.")
    'First line.\\n\\nA paragraph of two lines.'
    """
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(docstring or "").split("\n\n"))
