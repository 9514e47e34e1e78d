"""`termburst demo`, `terms` and `explain`; each other command has its own file."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from termburst.cli.check import check
from termburst.cli.export import export, weigh
from termburst.cli.keyness import keyness
from termburst.cli.output import Format, many, progress_bar, say, settled_format, write_table
from termburst.cli.reading import CORPUS_HELP, Reading, reads_text, warn_of_one_document, working
from termburst.cli.report import ReportFormat, report, write_report
from termburst.cli.reproduce import reproduce
from termburst.cli.shared import (
    CsvAsIs,
    Excel,
    FdrOption,
    FormatOption,
    FormOption,
    MinCount,
    Mu,
    Output,
    Sigma2,
    Top,
    shown,
)
from termburst.cli.stats import stats
from termburst.names import Fit, Test

if TYPE_CHECKING:
    from termburst.statistics.term_statistics import TermStatistics

app = typer.Typer(
    help="Find the words of a corpus that come in bursts, and turn that into term weights.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(stats, name="stats")
for _command in (weigh, export, keyness, report, check, reproduce):
    app.command()(_command)

CorpusOrStatistics = Annotated[
    str,
    typer.Argument(metavar="CORPUS", help=f"{CORPUS_HELP} Or saved statistics.", show_default=False),
]


FitOption = Annotated[
    Fit, typer.Option("--fit", help="Estimates of α and α_¬: the paper's, exact maximum likelihood, or none.")
]


def _version(asked: bool) -> None:
    if asked:
        import termburst

        say(f"termburst {termburst.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
@reads_text
def terms(
    corpus: CorpusOrStatistics,
    reading: Reading,
    top: Top = None,
    format: FormatOption = None,
    output: Output = None,
    csv_as_is: CsvAsIs = False,
    excel: Excel = False,
    mu: Mu = None,
    sigma2: Sigma2 = 1.0,
    form: FormOption = "printed",
    min_count: MinCount = 1,
    parts: Annotated[bool, typer.Option("--parts", help="Also show the parts that add up to λ.")] = False,
    fit: FitOption = "penalized",
    test: Annotated[bool, typer.Option("--test", help="Test every term, and sort by p-value.")] = False,
    by_test: Annotated[
        Test,
        typer.Option("--statistic", help="With --test: test repetition (plr), or any over-dispersion (lr, score)."),
    ] = "plr",
    fdr: FdrOption = "bh",
) -> None:
    """List the terms, the burstiest first, by the paper's λ; with --test, by p-value."""
    import polars as pl

    from termburst.tables import burstiness_test, term_table

    if test and (parts or fit != "penalized"):
        raise ValueError("--test has its own columns, including the exact fit; omit --parts and --fit")
    if by_test != "plr" and not test:
        raise ValueError("--statistic needs --test; add --test")
    if fdr != "bh" and not test:
        raise ValueError("--fdr needs --test; add --test")
    settled = settled_format(format, output, *reading.inputs(corpus), csv_as_is=csv_as_is, excel=excel)
    statistics = reading.statistics(corpus, "patterns" if test or fit == "exact" else "moments")
    warn_of_one_document(corpus, statistics.documents)
    with working("Computing", when=test or fit == "exact"):
        if test:
            table = burstiness_test(
                statistics, test=by_test, mu=mu, sigma2=sigma2, form=form, adjust=fdr, min_count=min_count
            )
        else:
            table = term_table(statistics, mu=mu, sigma2=sigma2, form=form, parts=parts, fit=fit)
    if test and settled is Format.table:
        table = table.select("term", "n", "b", by_test, "p_value", "log10_p", "q_value", "how", "dp", "adaptation")
    elif settled is Format.table:
        table = table.drop("tarone", "idf", "icf")  # a terminal is narrow; files have all columns
    table = table.filter(pl.col("n") >= min_count)
    write_table(shown(table, top, settled), settled, output, _size(statistics), csv_as_is=csv_as_is, excel=excel)
    if table.height and settled is Format.table and output is None and sys.stdout.isatty():
        tested = {"plr": "λ", "lr": "the exact likelihood ratio", "score": "Tarone's score"}[by_test]
        say(f"n: occurrences; b: documents with the term; {by_test}: {tested}, the higher the burstier")


@app.command()
@reads_text
def explain(
    corpus: CorpusOrStatistics,
    term: Annotated[str, typer.Argument(help="The term to explain.", show_default=False)],
    reading: Reading,
    mu: Mu = None,
    sigma2: Sigma2 = 1.0,
    form: FormOption = "printed",
    fit: FitOption = "penalized",
) -> None:
    """Show λ of one term as the sum of its named parts, with the estimates of α."""
    from termburst.inference.plr import explain as explain_term
    from termburst.models.fit_beta_binomial import fit_beta_binomial

    statistics = reading.statistics(corpus, "patterns" if fit == "exact" else "moments")
    lines = str(explain_term(statistics, term, mu=mu, sigma2=sigma2, form=form)).splitlines()
    if fit == "none":
        lines = lines[:-1]  # the last line has the penalised estimates
    if fit == "exact":
        column = statistics.index(term)
        with working("Fitting"):
            exact = fit_beta_binomial(statistics)
        alpha, alpha_not = exact.alpha[column], exact.alpha_not[column]
        lines.append(f"  exact: α_i = {alpha:.6g}, α_¬i = {alpha_not:.6g} ({exact.status[column]})")
    say(*lines)


@app.command()
def demo(
    top: Annotated[int, typer.Option("--top", "-n", min=1, help="How many terms.")] = 15,
    page: Annotated[Path, typer.Option("--output", "-o", help="The page to write; needs Bokeh.")] = Path(
        "termburst-demo.html"
    ),
) -> None:
    """Find the bursty words in the docstrings of Python's standard library, and write a page about them."""
    import time
    from importlib.util import find_spec

    import polars as pl

    from termburst.counting.counted_corpus import CountedCorpus
    from termburst.counting.options import CountingOptions
    from termburst.datasets import load_stdlib
    from termburst.files import check_output
    from termburst.inference.plr import explain as explain_term
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
    leading = ["tf_icf", "btf_idf", "repetition"]
    burstiest = explain_term(statistics, table["term"][0])
    say("The docstrings of this Python's standard library, one document per module, without English stop words:")
    say(_size(statistics), "")
    table = table.with_columns(rest=pl.col("plr") - pl.sum_horizontal(leading))
    shown = table.head(min(top, table.height)).select("term", "n", "b", "plr", *leading, "rest")
    write_table(shown.with_columns(pl.selectors.float().round(0).cast(pl.Int64)), Format.table, None)
    say("", "n: occurrences; b: modules with the term; plr: the paper's λ, the sum of the columns after it.")
    say("", *str(burstiest).splitlines(), "")
    say(f"Read in {read - start:.1f} s; counted and tested {len(table):,} terms in {done - read:.1f} s.")
    if find_spec("bokeh") is not None:
        with working("Testing every term"):
            summary = summarize(counted, title="The docstrings of Python's standard library")
        write_report(summary, ReportFormat.html, page)
        say(f"Explore all terms in a browser: {page.resolve().as_uri()}")
    else:
        say("For a page to explore all terms: pip install 'termburst[report]', then run this command again.")
    command = "termburst" if shutil.which("termburst") else os.path.relpath(sys.argv[0])
    say(f"Next: {command} report YOUR_FOLDER -o report.html, or {command} explain stdlib turtle --stop-words english")


def _size(statistics: TermStatistics) -> str:
    s = statistics
    size = (many(s.documents, "document"), many(s.tokens, "token"), many(s.vocabulary_size, "term"))
    return f"{', '.join(size)}, mean length {s.mean_length:,.1f}"
