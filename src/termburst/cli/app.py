"""`termburst terms` and `explain`; each other command has its own file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from termburst.cli.check import check
from termburst.cli.concordance import collocates, kwic, triggers
from termburst.cli.demo import demo
from termburst.cli.doctor import doctor
from termburst.cli.examples import EPILOG, register, register_group
from termburst.cli.explore import explore
from termburst.cli.export import export, weigh
from termburst.cli.keyness import keyness
from termburst.cli.output import Format, note, say, settled_format, write_table
from termburst.cli.reading import Reading, reads_text, warn_of_one_document, working
from termburst.cli.report import report
from termburst.cli.reproduce import reproduce
from termburst.cli.sentences import burstiest
from termburst.cli.shared import (
    AdjustOption,
    CsvAsIs,
    Excel,
    FormatOption,
    FormOption,
    MinCount,
    Mu,
    Output,
    Sigma2,
    Top,
    collection_size,
    shown,
)
from termburst.cli.stats import stats
from termburst.cli.text_options import CORPUS_HELP
from termburst.display import printable
from termburst.names import LOWER_BOUND, Adjustment, Columns, Detail, Fit, Statistic, TermSort

if TYPE_CHECKING:
    import polars as pl

    from termburst.statistics.term_statistics import TermStatistics

app = typer.Typer(
    help="Find the words of a corpus that come in bursts, and turn that into term weights.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EPILOG,
)
CorpusOrStatistics = Annotated[
    str,
    typer.Argument(metavar="CORPUS", help=f"{CORPUS_HELP} Or saved statistics.", show_default=False),
]


FitOption = Annotated[
    Fit, typer.Option("--fit", help="Estimates of α and α_¬: the paper's, exact maximum likelihood, or none.")
]

StatisticOption = Annotated[
    Statistic,
    typer.Option("--statistic", help="With --test: test repetition (plr), or any over-dispersion (lr, score)."),
]
ColumnsOption = Annotated[
    Columns, typer.Option("--columns", help="With --test: the twelve main columns, or all, also of dispersion.")
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
    sort: Annotated[
        TermSort, typer.Option("--sort", help=f"Order of the rows; lower_bound is {LOWER_BOUND}.")
    ] = "lower_bound",
    test: Annotated[bool, typer.Option("--test", help="Test every term: p- and q-values.")] = False,
    statistic: StatisticOption = "plr",
    adjust: AdjustOption = "bh",
    columns: ColumnsOption = "main",
) -> None:
    """List the terms, the burstiest first, and how bursty each is; with --test, also how sure that is.

    burst_ratio: how many times likelier a word is this term if another word of the document, drawn at random, is. Rows
    are in the order of the lower end of its interval, or as --sort says: plr is the paper's λ.
    """
    import polars as pl

    from termburst.counting.words_of import words_of
    from termburst.questions.burstiness_test import burstiness_test
    from termburst.questions.term_table import term_table

    if test and (parts or fit != "penalized"):
        raise ValueError("--test has its own columns, including the exact fit; omit --parts and --fit")
    if not test:
        _refuse_without_test(statistic, adjust, columns, sort)
    settled = settled_format(format, output, *reading.inputs(corpus), csv_as_is=csv_as_is, excel=excel)
    statistics = reading.statistics(corpus, _detail(corpus, exact=test or fit == "exact"))
    warn_of_one_document(corpus, statistics.documents)
    common: dict[str, Any] = {"mu": mu, "sigma2": sigma2, "form": form, "sort": sort}
    with working("Computing"):
        if test:
            table = burstiness_test(
                statistics, statistic=statistic, adjust=adjust, min_count=min_count, columns="all",
                dispersion=columns == "all", **common,
            )  # fmt: skip
        else:
            table = term_table(statistics, parts=parts, fit=fit, **common)
    table = table.filter(pl.col("n") >= min_count)
    size = f"{collection_size(statistics)}; words: {words_of(statistics.counting)}"
    title = [*burstiest(table, statistics.lengths, statistics.length_documents, alphabet=sort == "term"), size]
    if sort == "lower_bound" and "lower_bound" not in table.columns:
        title.append(f"sorted by λ (plr): lower_bound needs statistics with --detail patterns, not {statistics.detail}")
    left_out = ""
    if test and columns == "main":
        table, left_out = _main_columns(table, statistic)
    elif not test and settled is Format.table:
        table = table.select(_narrow(table.columns))
    write_table(shown(table, top, settled), settled, output, title, csv_as_is=csv_as_is, excel=excel)
    if table.height and settled is Format.table and output is None and sys.stdout.isatty():
        say(*_meanings(table.columns))
    if left_out:
        note(left_out)


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
    """Say how bursty one term is, and show its λ as the sum of named parts, with the estimates of α."""
    from termburst.inference.plr import explain as explain_term
    from termburst.models.fit_beta_binomial import fit_beta_binomial

    statistics = reading.statistics(corpus, _detail(corpus, exact=fit == "exact"))
    lines = str(explain_term(statistics, term, mu=mu, sigma2=sigma2, form=form)).splitlines()
    if fit == "none":
        lines = lines[:-1]  # the last line has the penalised estimates
    if fit == "exact":
        column = statistics.index(term)
        with working("Fitting"):
            exact = fit_beta_binomial(statistics)
        alpha, alpha_not = exact.alpha[column], exact.alpha_not[column]
        lines.append(f"  exact: α_i = {alpha:.6g}, α_¬i = {alpha_not:.6g} ({exact.status[column]})")
    say(*_explained(statistics, term), *lines)


def _refuse_without_test(statistic: Statistic, adjust: Adjustment, columns: Columns, sort: TermSort) -> None:
    """Raise ValueError for an option that is only for tests."""
    needs_test = {
        "--statistic": statistic != "plr", "--adjust": adjust != "bh", "--columns": columns != "main",
        f"--sort {sort}": sort in ("p", "lr"),
    }  # fmt: skip
    for option, given in needs_test.items():
        if given:
            raise ValueError(f"{option} needs --test; add --test")


def _meanings(columns: list[str]) -> list[str]:
    """What the columns of a table mean."""
    score = "; plr: λ, the paper's score" if "plr" in columns else ""
    said = [f"n: occurrences; b: documents with the term{score}"]
    if "lower_bound" in columns:
        by_chance = "; reuse_binomial: the same by chance" if "reuse_binomial" in columns else ""
        said += [
            f"lower_bound: {LOWER_BOUND} (as of terms that few documents use or repeat);",
            f"reuse: of documents of mean length with the term, the share that repeat it{by_chance}",
            "(most documents repeat a frequent term even by chance: there only burst_ratio says how bursty it is)",
        ]
    return said


def _detail(corpus: str, *, exact: bool) -> Detail:
    """What a command needs: the patterns for exact fits, but of saved statistics what they have, unless *exact*."""
    from termburst.cli.saved import is_saved

    return "moments" if is_saved(corpus) and not exact else "patterns"


def _main_columns(table: pl.DataFrame, statistic: Statistic) -> tuple[pl.DataFrame, str]:
    """The main columns of a test without dispersion, and a line that says how many others there are."""
    from termburst.inference.dispersion import MEASURES
    from termburst.questions.burst_columns import main_columns

    main, every = main_columns(statistic), table.width + len(MEASURES)
    return table.select(main), f"{every - len(main)} of {every} columns are left out; --columns all shows them"


def _narrow(columns: list[str]) -> list[str]:
    """The columns that a terminal shows; files have all of them."""
    hidden = {"tarone", "idf", "icf"}
    if "lower_bound" in columns:
        hidden |= {"tf_idf_sum", "alpha", "alpha_not", "mean", "status", "reuse_low", "reuse_high"}
    return [name for name in columns if name not in hidden]


def _explained(statistics: TermStatistics, term: str) -> list[str]:
    """One term in words; nothing if the statistics do not keep the patterns that an exact fit needs."""
    from termburst.questions.burst_columns import effects_of_term, in_words, mean_of_mixed_lengths, ratio_in_words

    if statistics.detail != "patterns":
        return []
    row = effects_of_term(statistics, term)
    mixed = mean_of_mixed_lengths(statistics.lengths, statistics.length_documents)
    sentence = in_words(row | {"term": printable(term)}, statistics.documents, length=mixed)
    return [f"{sentence}.", *ratio_in_words(row)]


# The order of the groups and commands in `termburst --help`.
register(app, demo, doctor, terms, explain, report, explore, check, kwic, collocates, triggers, keyness, weigh, export)
register_group(app, stats, "stats")
register(app, reproduce)
