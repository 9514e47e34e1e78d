"""`termburst report`, the page of another command, and `termburst explore`, the live page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from termburst.cli.options import CorpusName, CorpusOrStatistics, with_dashes
from termburst.cli.output import json_text, note, say, write_out
from termburst.cli.reading import Reading, reads_text, working
from termburst.options import Option
from termburst.questions.explore import Explore
from termburst.questions.report import Report

ReportFormat = Literal["html", "json"]


@reads_text
def report(
    corpus: CorpusOrStatistics,
    asked: Report,
    reading: Reading,
    output: Annotated[Path | None, Option("The page to write, such as report.html.")] = None,
    format: Annotated[ReportFormat | None, Option("(default: by the ending of --output)")] = None,
    in_browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Write a page to explore a corpus: every term, how bursty it is, and how sure that is.

    The page is one file and needs no network. The corpus is held in memory. Saved statistics (stats build --detail
    patterns) give the same page without documents and lines.
    """
    settled = settled_report(format, output, *reading.inputs(corpus))
    if in_browser and settled != "html":
        raise ValueError("--open needs a page, not JSON; omit --open or write .html")
    source = reading.corpus(corpus, columns="all").in_memory()
    source._warn_of_one_document()
    with working("Testing every word") as step:
        summary = source.summary(asked, step=step)
    write_report(summary, settled, output)
    if in_browser and output is not None:
        import webbrowser

        webbrowser.open(output.resolve().as_uri())


@reads_text
def explore(
    corpus: CorpusName,
    asked: Explore,
    reading: Reading,
) -> None:
    """Explore a corpus in the browser: every word, every line, any phrase, any comparison, computed as you ask.

    The page is served from this machine only, under an address with a secret token. Ctrl-C ends it.
    """
    held = reading.corpus(corpus, columns="all").in_memory()
    held._warn_of_one_document()
    with working("Counting and testing"):
        server = held.server(asked)
    say(server.address)
    if asked.browser:
        import webbrowser

        webbrowser.open(server.address)
    server.run()


def settled_report(format: ReportFormat | None, output: Path | None, *sources: str) -> ReportFormat:
    """The format asked for, or that of *output*'s ending. What cannot be written is refused before any work is done."""
    from importlib.util import find_spec

    from termburst.files import check_output

    if format is None:
        if output is not None and output.suffix.lower() not in (".html", ".htm", ".json"):
            raise ValueError(f"{output}: the name of a report must end in .html (the page) or .json (its numbers)")
        format = "json" if output is not None and output.suffix.lower() == ".json" else "html"
    if output is not None:
        check_output(output, *sources)
    elif format == "html":
        raise ValueError("give the name of the page to write, such as -o report.html")
    if format == "html" and find_spec("bokeh") is None:
        raise ValueError("a page needs Bokeh; install it with: pip install 'termburst[report]'")
    return format


def write_report(summary: dict[str, Any], format: ReportFormat, output: Path | None) -> None:
    """Write a page, or its numbers as JSON, completely or not at all."""
    from termburst.report import render

    for one in summary.get("reading", ()):
        one["lines"] = [with_dashes(line) for line in one["lines"]]
    if format == "html":
        with working("Making the page"):
            encoded = render(summary).encode()
    else:
        encoded = json_text(summary, allow_nan=False)
    write_out(encoded, output)
    if output is not None:
        what = "open it in a browser" if format == "html" else "the numbers of a page"
        note(f"{output}: {len(encoded) / 1e6:.1f} MB, {what}")
