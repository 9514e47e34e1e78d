"""`termburst demo`, `terms`, `explain` and `weigh`; other commands have a file of their own."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from termburst.cli.keyness import keyness
from termburst.cli.output import Format, many, note, progress_bar, say, settled_format, write_table
from termburst.cli.reading import CORPUS_HELP, Reading, reads_text, warn_of_one_document, working
from termburst.cli.report import ReportFormat, report, write_report
from termburst.cli.reproduce import reproduce
from termburst.cli.shared import (
    CsvAsIs,
    Fdr,
    FdrOption,
    Form,
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

if TYPE_CHECKING:
    from termburst.reading.documents import Text
    from termburst.reading.readers import Batch
    from termburst.statistics.term_statistics import TermStatistics

app = typer.Typer(
    help="Find the words of a corpus that come in bursts, and turn that into term weights.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(stats, name="stats")
app.command()(keyness)
app.command()(report)
app.command()(reproduce)

Corpus = Annotated[
    str,
    typer.Argument(
        metavar="CORPUS",
        help=CORPUS_HELP,
        show_default=False,
    ),
]
CorpusOrStatistics = Annotated[
    str,
    typer.Argument(metavar="CORPUS", help=f"{CORPUS_HELP} Or saved statistics.", show_default=False),
]


class Fit(StrEnum):
    """Which estimates of α and α_¬ to show."""

    penalized = "penalized"
    exact = "exact"
    none = "none"


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


class Test(StrEnum):
    """Whose p-value counts."""

    plr = "plr"
    lr = "lr"
    score = "score"


@app.command()
@reads_text
def terms(
    corpus: CorpusOrStatistics,
    reading: Reading,
    top: Top = None,
    format: FormatOption = None,
    output: Output = None,
    csv_as_is: CsvAsIs = False,
    mu: Mu = None,
    sigma2: Sigma2 = 1.0,
    form: FormOption = Form.printed,
    min_count: MinCount = 1,
    parts: Annotated[bool, typer.Option("--parts", help="Show the parts that λ is the sum of.")] = False,
    fit: FitOption = Fit.penalized,
    test: Annotated[bool, typer.Option("--test", help="Test every term, and sort by how sure its bursts are.")] = False,
    by_test: Annotated[
        Test, typer.Option("--statistic", help="With --test, what is tested: repetition (plr), any over-dispersion.")
    ] = Test.plr,
    fdr: FdrOption = Fdr.bh,
) -> None:
    """List the terms, burstiest first, by the paper's λ; with --test, by p-value."""
    import polars as pl

    from termburst.tables import burstiness_test, term_table

    if test and (parts or fit is not Fit.penalized):
        raise ValueError("--test has columns of its own, the exact fit among them: leave --parts and --fit out")
    if by_test is not Test.plr and not test:
        raise ValueError("--statistic says what --test tests: add --test")
    if fdr is not Fdr.bh and not test:
        raise ValueError("--fdr says how --test makes q-values: add --test")
    settled = settled_format(format, output, corpus, csv_as_is=csv_as_is)
    statistics = reading.statistics(corpus, "patterns" if test or fit is Fit.exact else "moments")
    warn_of_one_document(corpus, statistics.documents)
    with working("Computing", when=test or fit is Fit.exact):
        if test:
            table = burstiness_test(
                statistics, test=by_test.value, mu=mu, sigma2=sigma2, form=form.value, adjust=fdr.value,
                min_count=min_count,
            )  # fmt: skip
        else:
            table = term_table(statistics, mu=mu, sigma2=sigma2, form=form.value, parts=parts, fit=fit.value)
    if test and settled is Format.table:
        table = table.select(
            "term", "n", "b", by_test.value, "p_value", "log10_p", "q_value", "how", "dp", "adaptation"
        )
    elif settled is Format.table:
        table = table.drop("tarone", "idf", "icf")  # a terminal is narrow; files have all columns
    table = table.filter(pl.col("n") >= min_count)
    write_table(shown(table, top, settled), settled, output, _size(statistics), csv_as_is=csv_as_is)
    if table.height and settled is Format.table and output is None and sys.stdout.isatty():
        tested = {"plr": "λ", "lr": "the exact likelihood ratio", "score": "Tarone's score"}[by_test.value]
        say(f"n: occurrences; b: documents with the term; {by_test.value}: {tested}, the higher the burstier")


@app.command()
@reads_text
def explain(
    corpus: CorpusOrStatistics,
    term: Annotated[str, typer.Argument(help="The term to look at.", show_default=False)],
    reading: Reading,
    mu: Mu = None,
    sigma2: Sigma2 = 1.0,
    form: FormOption = Form.printed,
    fit: FitOption = Fit.penalized,
) -> None:
    """Show λ of one term as the sum of its named parts, and its estimates."""
    from termburst.inference.plr import explain as explain_term
    from termburst.models.fit_beta_binomial import fit_beta_binomial

    statistics = reading.statistics(corpus, "patterns" if fit is Fit.exact else "moments")
    lines = str(explain_term(statistics, term, mu=mu, sigma2=sigma2, form=form.value)).splitlines()
    if fit is Fit.none:
        lines = lines[:-1]  # the last line has the penalised estimates
    if fit is Fit.exact:
        column = statistics.index(term)
        with working("Fitting"):
            exact = fit_beta_binomial(statistics)
        alpha, alpha_not = exact.alpha[column], exact.alpha_not[column]
        lines.append(f"  exact: α_i = {alpha:.6g}, α_¬i = {alpha_not:.6g} ({exact.status[column]})")
    say(*lines)


@app.command()
@reads_text
def weigh(
    corpus: Corpus,
    reading: Reading,
    output: Annotated[Path, typer.Option("--output", "-o", help="The .npz file to write.", show_default=False)],
    scheme: Annotated[
        str, typer.Option("--scheme", "-s", help="tf-idf, btf-idf, tf-icf, lambda or s-lambda.")
    ] = "s-lambda",
    mu: Mu = None,
    sigma2: Sigma2 = 1.0,
    norm: Annotated[str | None, typer.Option("--norm", help="Scale documents to unit norm: l1 or l2.")] = None,
) -> None:
    """Weigh every term in every document; terms and document ids are kept in the file."""
    import numpy as np

    from termburst.estimators.term_weighting import TermWeighting
    from termburst.files import check_output
    from termburst.schemes import named_scheme
    from termburst.statistics.store import holds_statistics
    from termburst.weight_files import Weights, save_weights

    named_scheme(scheme)
    if holds_statistics(corpus):
        raise ValueError(f"{corpus} holds saved statistics, which keep no documents to weigh; give the corpus itself")
    if output.suffix.lower() != ".npz":
        raise ValueError(f"{output}: weights are written as SciPy's .npz; give a name that ends so")
    check_output(output, source=corpus)
    ids: list[str] = []

    def texts(batches: Iterator[Batch]) -> Iterator[Text]:
        for batch in batches:
            ids.extend(batch.ids)
            yield from batch.texts

    with reading.batches(corpus, pretokenized=reading.pretokenized) as batches:
        counts, names = reading.counting().count(texts(batches))
    if not counts.shape[1]:
        raise ValueError(f"{corpus}: no document has a term; perhaps all are empty or hold only stop words")
    weights = TermWeighting(scheme, mu=mu, sigma2=sigma2, norm=norm).fit_transform(counts)
    save_weights(Weights(weights, names, np.array(ids, dtype=object)), output)
    size = f"{many(weights.shape[0], 'document')} × {many(weights.shape[1], 'term')}"
    note(f"{output}: {size}, {many(weights.nnz, 'weight')}, {scheme}")


@app.command()
def demo(
    top: Annotated[int, typer.Option("--top", "-n", min=1, help="How many terms.")] = 15,
    page: Annotated[Path, typer.Option("--output", "-o", help="The page to write; needs Bokeh.")] = Path(
        "termburst-demo.html"
    ),
) -> None:
    """Find the bursty words in the docstrings of Python's own standard library, and write a page about them."""
    import time
    from importlib.util import find_spec

    import polars as pl

    from termburst.counting.options import CountingOptions
    from termburst.datasets import load_stdlib
    from termburst.files import check_output
    from termburst.inference.plr import explain as explain_term
    from termburst.report import Documents, summarize
    from termburst.tables import term_table

    check_output(page)
    start = time.perf_counter()
    with progress_bar() as bar:
        task = bar.add_task("Reading the standard library", total=None)
        corpus = load_stdlib(progress=lambda done, total: bar.update(task, completed=done, total=total))
    read = time.perf_counter()
    documents = Documents.from_texts(corpus.texts, corpus.ids, counting=CountingOptions(stop_words="english"))
    statistics = documents.statistics()
    table = term_table(statistics, parts=True)
    done = time.perf_counter()
    leading = ["tf_icf", "btf_idf", "repetition"]
    burstiest = explain_term(statistics, table["term"][0])
    say("The docstrings of this Python's standard library, one document per module, English stop words left out:")
    say(_size(statistics), "")
    table = table.with_columns(rest=pl.col("plr") - pl.sum_horizontal(leading))
    shown = table.head(min(top, table.height)).select("term", "n", "b", "plr", *leading, "rest")
    write_table(shown.with_columns(pl.selectors.float().round(0).cast(pl.Int64)), Format.table, None)
    say("", "n: occurrences; b: modules with the term; plr: the paper's λ, the sum of what follows it.")
    say("", *str(burstiest).splitlines(), "")
    say(f"Read in {read - start:.1f} s; counted and tested {len(table):,} terms in {done - read:.1f} s.")
    if find_spec("bokeh") is not None:
        with working("Testing every term"):
            summary = summarize(documents, title="The docstrings of Python's standard library")
        write_report(summary, ReportFormat.html, page)
        say(f"Explore them all, in a browser: {page.resolve().as_uri()}")
    else:
        say("There is a page to explore them with, too: pip install 'termburst[report]', and run this again.")
    command = "termburst" if shutil.which("termburst") else os.path.relpath(sys.argv[0])
    say(f"Next: {command} report YOUR_FOLDER -o report.html, or {command} explain stdlib turtle --stop-words english")


def _size(statistics: TermStatistics) -> str:
    s = statistics
    size = (many(s.documents, "document"), many(s.tokens, "token"), many(s.vocabulary_size, "term"))
    return f"{', '.join(size)}, mean length {s.mean_length:,.1f}"
