"""`termburst report`, and the pages that other commands write."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from termburst.cli.output import json_text, note, write_out
from termburst.cli.reading import CORPUS_HELP, Reading, reads_text, warn_of_one_document, working
from termburst.cli.shared import (
    LINES,
    MOST_TERMS,
    PANELS,
    Fdr,
    FdrOption,
    Form,
    FormOption,
    Lines,
    MaxTerms,
    MinCount,
    Mu,
    Panels,
    Sigma2,
)

if TYPE_CHECKING:
    from termburst.counting.options import CountingOptions
    from termburst.report import Documents
    from termburst.statistics.term_statistics import TermStatistics


class ReportFormat(StrEnum):
    """What a report is written as."""

    html = "html"
    json = "json"


@reads_text
def report(
    corpus: Annotated[
        str, typer.Argument(metavar="CORPUS", help=f"{CORPUS_HELP} Or saved statistics.", show_default=False)
    ],
    reading: Reading,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page to write, such as report.html.", show_default=False)
    ] = None,
    format: Annotated[
        ReportFormat | None, typer.Option("--format", "-f", help="(default: by the ending of --output)")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="Heading of the page. (default: CORPUS)")] = None,
    panels: Panels = PANELS,
    lines: Lines = LINES,
    max_terms: MaxTerms = MOST_TERMS,
    min_count: MinCount = 1,
    mu: Mu = None,
    sigma2: Sigma2 = 1.0,
    form: FormOption = Form.printed,
    fdr: FdrOption = Fdr.bh,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Write a page to explore a corpus with: every term, its bursts, and how sure they are.

    One file that needs no network. The corpus is held in memory; of saved statistics (stats build --detail patterns)
    the page shows all but documents and lines.
    """
    from termburst.report import Documents, summarize

    settled = settled_report(format, output, corpus)
    if show and settled is not ReportFormat.html:
        raise ValueError("--open shows a page, and JSON is none: leave one of the two out")
    source = page_source(reading, corpus)
    warn_of_one_document(corpus, len(source.ids) if isinstance(source, Documents) else source.documents)
    with working("Computing"):
        summary = summarize(
            source, title=title or Path(corpus).name or corpus, panels=panels, max_terms=max_terms, lines=lines,
            mu=mu, sigma2=sigma2, form=form.value, adjust=fdr.value, min_count=min_count,
        )  # fmt: skip
    write_report(summary, settled, output)
    if show and output is not None:
        import webbrowser

        webbrowser.open(output.resolve().as_uri())


def settled_report(format: ReportFormat | None, output: Path | None, *sources: str) -> ReportFormat:
    """The format asked for, or that of *output*'s ending; what cannot be made or written is refused before any work."""
    from importlib.util import find_spec

    from termburst.files import check_output

    if format is None:
        if output is not None and output.suffix.lower() not in (".html", ".htm", ".json"):
            raise ValueError(f"{output}: a report is a page, name it .html; or .json for the numbers in it")
        format = ReportFormat.json if output is not None and output.suffix.lower() == ".json" else ReportFormat.html
    if output is not None:
        for source in sources:
            check_output(output, source=source)
    elif format is ReportFormat.html:
        raise ValueError("name the page to write: -o report.html")
    if format is ReportFormat.html and find_spec("bokeh") is None:
        raise ValueError("a page needs Bokeh: pip install 'termburst[report]'")
    return format


def page_source(
    reading: Reading, corpus: str, *, counting: CountingOptions | None = None
) -> Documents | TermStatistics:
    """Documents, or statistics where *corpus* is a file of them."""
    from termburst.statistics.store import holds_statistics

    if holds_statistics(corpus):
        return reading.statistics(corpus, "patterns")
    return reading.documents(corpus, counting=counting)


def write_report(summary: dict[str, Any], format: ReportFormat, output: Path | None) -> None:
    """Write a page or its numbers, whole or not at all."""
    from termburst.files import atomic_path
    from termburst.report import render

    if format is ReportFormat.html:
        with working("Making the page"):
            encoded = render(summary).encode()
    else:
        encoded = json_text(summary, allow_nan=False)
    if output is None:
        write_out(encoded)
        return
    with atomic_path(output) as temporary:
        temporary.write_bytes(encoded)
    what = "open it in a browser" if format is ReportFormat.html else "the numbers of a page"
    note(f"{output}: {len(encoded) / 1e6:.1f} MB, {what}")
