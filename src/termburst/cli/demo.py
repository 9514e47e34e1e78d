"""`termburst demo`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from termburst.cli.output import Format, many, progress_bar, say, write_table
from termburst.cli.reading import working
from termburst.cli.report import ReportFormat, write_report
from termburst.cli.shared import collection_size

if TYPE_CHECKING:
    import polars as pl

    from termburst.statistics.term_statistics import TermStatistics

_SENTENCES = 5  # terms in words, above the table


def demo(
    top: Annotated[int, typer.Option("--top", "-n", min=1, help="How many terms.")] = 15,
    page: Annotated[Path, typer.Option("--output", "-o", help="The page to write; needs Bokeh.")] = Path(
        "termburst-demo.html"
    ),
    formulas: Annotated[bool, typer.Option("--explain", help="Also show λ of the terms, and the parts of λ.")] = False,
) -> None:
    """Find the bursty words in the docstrings of Python's standard library, and write a page about them."""
    import time
    from importlib.util import find_spec

    from termburst.counting.counted_corpus import CountedCorpus
    from termburst.counting.options import CountingOptions
    from termburst.datasets import load_stdlib
    from termburst.files import check_output
    from termburst.report import summarize
    from termburst.report.pieces import statistics_of
    from termburst.tables import term_table

    check_output(page)
    start = time.perf_counter()
    with progress_bar() as bar:
        task = bar.add_task("Reading the standard library", total=None)
        corpus = load_stdlib(progress=lambda done, total: bar.update(task, completed=done, total=total))
    read = time.perf_counter()
    counted = CountedCorpus.from_texts(corpus.texts, corpus.ids, counting=CountingOptions(stop_words="english"))
    statistics = statistics_of(counted)
    table = term_table(statistics, parts=True)
    done = time.perf_counter()
    say("The docstrings of this Python's standard library, one document per module, without English stop words:")
    say(collection_size(statistics), "")
    _show(table.head(min(top, table.height)), statistics.documents)
    if formulas:
        _show_formulas(table.head(min(top, table.height)), statistics)
    say("", f"Read in {read - start:.1f} s; counted and fitted {many(len(table), 'term')} in {done - read:.1f} s.")
    if find_spec("bokeh") is not None:
        with working("Testing every term"):
            summary = summarize(counted, title="The docstrings of Python's standard library")
        write_report(summary, ReportFormat.html, page)
        say(f"Explore all terms in a browser: {page.resolve().as_uri()}")
    else:
        say("For a page to explore all terms: pip install 'termburst[report]', then run this command again.")
    command = "termburst" if shutil.which("termburst") else os.path.relpath(sys.argv[0])
    say(f"Next: {command} report YOUR_FOLDER -o report.html, or {command} explain stdlib turtle --stop-words english")


def _show(table: pl.DataFrame, documents: int) -> None:
    """The first terms in words, then the table."""
    from termburst.tables.burst_columns import in_words

    say(*(f"{in_words(row, documents, 'modules')}." for row in table.head(_SENTENCES).iter_rows(named=True)), "")
    columns = ("term", "n", "b", "effect", "burst_ratio", "ci_low", "ci_high", "reuse", "reuse_binomial")
    write_table(table.select(columns), Format.table, None)
    say("", "n: occurrences; b: modules with the term. burst_ratio: how many times likelier a word of a module is this")
    say(
        "one if another word of the module is, with its 95 % interval. effect: at least so much; the order of the rows."
    )
    say("reuse: of the modules of mean length that use the term, the share that repeat it; then the same by chance.")


def _show_formulas(table: pl.DataFrame, statistics: TermStatistics) -> None:
    """λ of the same terms, the leading parts of it, and all parts of the first term."""
    import polars as pl

    from termburst.inference.plr import explain

    leading = ["tf_icf", "btf_idf", "repetition"]
    rest = table.with_columns(rest=pl.col("plr") - pl.sum_horizontal(leading))
    shown = rest.select("term", "n", "b", "plr", *leading, "rest")
    say("")
    write_table(shown.with_columns(pl.selectors.float().round(0).cast(pl.Int64)), Format.table, None)
    say("", "plr: the paper's λ, the sum of the columns after it.", "")
    say(*str(explain(statistics, table["term"][0])).splitlines())
