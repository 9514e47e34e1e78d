"""`termburst keyness`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from termburst.cli.designs import (
    ClusterOption,
    ContrastOption,
    FormulaOption,
    StrataOption,
    compare_by_formula,
    settled_formula,
)
from termburst.cli.output import Format, many, say, settled_format, write_table
from termburst.cli.reading import CORPUS_HELP, Reading, reads_text, unlike, working
from termburst.cli.report import ReportFormat, page_source, settled_report, write_report
from termburst.cli.shared import (
    CsvAsIs,
    Examples,
    Excel,
    FdrOption,
    FormatOption,
    MaxTerms,
    MinCount,
    Output,
    Panels,
    Top,
    shown,
)
from termburst.display import LINES, MOST_TERMS, PANELS, printable
from termburst.names import KeynessMethod, Sort

if TYPE_CHECKING:
    import polars as pl

    from termburst.counting.counted_corpus import CountedCorpus, Groups
    from termburst.counting.options import CountingOptions
    from termburst.statistics.term_statistics import TermStatistics

    Source = CountedCorpus | TermStatistics

MOST_GROUPS = 50  # values of the column that --by names
_LEFT_OUT = {"per_million_a", "per_million_b", "diff_percent", "dp_a", "dp_b", "reference"}  # columns; files have them

_COLUMNS = (
    "n, b: occurrences, documents with the term; log_ratio: log₂ of the ratio of its shares, A to B;",
    "effect: the end of its interval nearest to 0; q_value: expected share of false alarms down to this row",
)


@reads_text
def keyness(
    a: Annotated[str, typer.Argument(metavar="A", help=f"{CORPUS_HELP} Or saved statistics.", show_default=False)],
    reading: Reading,
    b: Annotated[
        str | None, typer.Argument(metavar="[B]", help="The corpus to compare with; not with --by.", show_default=False)
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", help="Column of A whose values are the groups to compare; or folder, or file."),
    ] = None,
    formula: FormulaOption = None,
    cluster: ClusterOption = None,
    strata: StrataOption = None,
    contrast: ContrastOption = None,
    method: Annotated[KeynessMethod, typer.Option("--method", help="The test.")] = "beta-binomial",
    confidence: Annotated[
        float, typer.Option("--confidence", help="Confidence level of the log_ratio interval.")
    ] = 0.95,
    fdr: FdrOption = "bh",
    sort: Annotated[
        Sort, typer.Option("--sort", help="Order of the rows; effect is the end of the interval nearest to 0.")
    ] = "p",
    min_count: MinCount = 1,
    top: Top = None,
    format: FormatOption = None,
    output: Output = None,
    csv_as_is: CsvAsIs = False,
    excel: Excel = False,
    report: Annotated[
        Path | None, typer.Option("--report", help="Also write a page to explore, such as keyness.html (or .json).")
    ] = None,
    panels: Panels = PANELS,
    examples: Examples = LINES,
    max_terms: MaxTerms = MOST_TERMS,
) -> None:
    """List the terms that one corpus uses more than another, or less, by more than their burstiness explains.

    Give two corpora, or one with --by or --formula. Either of two may be saved statistics (stats build --detail
    patterns). log_ratio is the binary logarithm of how many times more frequent a term is in A. q_value is the
    p-value, adjusted for testing many terms.
    """
    from termburst.inference.checks import check_confidence

    check_confidence(confidence)
    if a == b == "-":
        raise ValueError("only one corpus can be standard input; give a file or a folder for the other")
    sources = reading.inputs(*(corpus for corpus in (a, b) if corpus is not None))
    settled = settled_format(format, output, *sources, csv_as_is=csv_as_is, excel=excel)
    page = _settled_page(report, output, sources)
    options: dict[str, Any] = {
        "method": method, "confidence": confidence, "adjust": fdr, "min_count": min_count, "sort": sort,
    }  # fmt: skip
    if a == b:
        warnings.warn(f"A and B are both {a}, so nothing can differ", stacklevel=1)
    design = {"cluster": cluster, "strata": strata, "contrast": contrast or None}
    named = settled_formula(b, by, formula, design, has_page=report is not None)
    if named is not None:
        found = _Compared(*compare_by_formula(a, reading, named, design, options), named, {})
    elif by is not None:
        found = _by_column(a, by, reading, options, keep_texts=page is not None)
    else:
        found = _two_corpora(a, str(b), reading, options, keep_texts=page is not None)
    if report is not None and page is not None:
        _write_page(found, page, report, settings=options, panels=panels, max_terms=max_terms, lines=examples)
    _write(found, settled, top, output, csv_as_is=csv_as_is, excel=excel)


def _write(found: _Compared, settled: Format, top: int | None, output: Path | None, **options: Any) -> None:
    """Write the table, and on a terminal what its columns mean."""
    table = found.table
    if settled is Format.table:
        table = table.select([name for name in table.columns if name not in _LEFT_OUT])
    write_table(shown(table, top, settled), settled, output, found.title, **options)
    if table.height and settled is Format.table and output is None and sys.stdout.isatty():
        say(*_COLUMNS)


def _settled_page(report: Path | None, output: Path | None, sources: list[str]) -> ReportFormat | None:
    """The format of the page, if one is asked for."""
    if report is None:
        return None
    page = settled_report(None, report, *sources)
    if output is not None and report.resolve() == output.resolve():
        raise ValueError(f"{output}: the table and the page cannot be the same file; give another name to --report")
    return page


@dataclass(frozen=True, slots=True)
class _Compared:
    """A comparison: its table, the line above the table, the heading of a page, and the corpora by name."""

    table: pl.DataFrame
    title: str
    heading: str
    sides: Mapping[str, Source]


def _write_page(found: _Compared, format: ReportFormat, output: Path, **options: Any) -> None:
    from termburst.report import summarize_keyness

    if not found.table.height:
        raise ValueError("no term occurs often enough to be compared; lower --min-count")
    with working("Finding where terms occur"):
        summary = summarize_keyness(found.table, found.sides, title=found.heading, **options)
    write_report(summary, format, output)


def _by_column(corpus: str, by: str, reading: Reading, options: dict[str, Any], *, keep_texts: bool) -> _Compared:
    """Compare the groups that a column names: two with each other, more than two each with the rest."""
    from termburst.tables import keyness as compare
    from termburst.tables import keyness_groups

    counted, groups = _grouped(corpus, by, reading)
    heading = f"{Path(corpus).name}, by {by}"
    sides: dict[str, Source] = {}
    if keep_texts:
        numbered = replace(counted, ids=[f"row {row + 1:,}" for row in range(counted.documents)])
        sides = {name: numbered.group(name) for name in groups.names}
    with working("Comparing"):
        if len(groups.names) == 2:
            a, b = (counted.counts[groups.codes == code] for code in (0, 1))
            table = compare(a, b, terms=counted.terms, **options)
            sizes = zip("AB", groups.names, groups.sizes.tolist(), strict=True)
            title = "; ".join(f"{side}: {by} = {printable(name)}, {many(n, 'document')}" for side, name, n in sizes)
            return _Compared(table, title, heading, sides)
        table = keyness_groups(counted.counts, groups.labels, terms=counted.terms, contrasts=True, **options)
    size = many(counted.documents, "document")
    title = f"each of {len(groups.names)} values of {by} (a) against the rest (b), {size}"
    return _Compared(table, title, heading, sides)


def _grouped(corpus: str, by: str, reading: Reading) -> tuple[CountedCorpus, Groups]:
    """The corpus, and the groups that the column *by* names: between 2 and `MOST_GROUPS`, and no empty name."""
    from termburst.counting.counted_corpus import Groups
    from termburst.statistics.store import holds_statistics

    if holds_statistics(corpus):
        raise ValueError(f"{corpus} is saved statistics, which have no documents to group; give the corpus itself")
    if reading.id is not None:
        raise ValueError("--by takes the place of --id; omit --id")
    counted = reading.renamed(by).counted_corpus(corpus)
    groups = Groups.from_labels(counted.ids)
    if empty := sum(not label.strip() for label in counted.ids):
        rows = f"{many(empty, 'row')} {'has' if empty == 1 else 'have'}"
        raise ValueError(f"{corpus}: {rows} nothing in the column {by!r}; fill it, or remove such rows")
    names = groups.names
    if len(names) < 2:
        raise ValueError(f"{corpus}: the column {by!r} has only one value, {names[0]!r:.60}; choose another with --by")
    if len(names) > MOST_GROUPS:
        raise ValueError(
            f"{corpus}: the column {by!r} has {len(names):,} values, but at most {MOST_GROUPS} can be compared; "
            "merge some values, or choose another column with --by"
        )
    return replace(counted, groups=groups), groups


def _two_corpora(a: str, b: str, reading: Reading, options: dict[str, Any], *, keep_texts: bool) -> _Compared:
    from termburst.report.pieces import statistics_of
    from termburst.tables import keyness as compare

    sides = _both(a, b, reading, keep_texts=keep_texts)
    first, second = (statistics_of(side) for side in sides.values())
    with working("Comparing"):
        table = compare(first, second, **options)
    return _Compared(table, f"A: {a}, {_size(first)}; B: {b}, {_size(second)}", " against ".join(sides), sides)


def _both(a: str, b: str, reading: Reading, *, keep_texts: bool) -> dict[str, Source]:
    """Two corpora by name. If one is saved statistics, the other is counted with the same options."""
    from termburst.statistics.store import holds_statistics

    def read(corpus: str, counting: CountingOptions | None = None) -> Source:
        if keep_texts:
            return page_source(reading, corpus, counting=counting)
        return reading.statistics(corpus, "patterns", counting=counting)

    saved = [corpus for corpus in (a, b) if holds_statistics(corpus)]
    if len(saved) == 1:
        known = reading.without_columns().statistics(saved[0], "patterns")
        counting = reading.counting_like(known, saved[0])
        first, second = (known if corpus in saved else read(corpus, counting) for corpus in (a, b))
    else:
        first, second = read(a), read(b)
        if first.counting and second.counting and first.counting != second.counting:
            one, other = unlike(first.counting, second.counting), unlike(second.counting, first.counting)
            raise ValueError(f"{a} was counted with {one}, {b} with {other}; build both with the same options")
    names = [Path(corpus).name or corpus for corpus in (a, b)]
    if names[0] == names[1]:  # 2024/posts.csv and 2025/posts.csv; or a corpus and itself
        names = [a, b] if a != b else [f"{a} (A)", f"{b} (B)"]
    return dict(zip(names, (first, second), strict=True))


def _size(statistics: TermStatistics) -> str:
    return f"{many(statistics.documents, 'document')}, {many(statistics.tokens, 'token')}"
