"""`termburst keyness`."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from termburst.cli.output import Format, many, say, settled_format, write_table
from termburst.cli.reading import CORPUS_HELP, Reading, reads_text, unlike, working
from termburst.cli.report import page_source, settled_report, write_report
from termburst.cli.shared import (
    LINES,
    MOST_TERMS,
    PANELS,
    CsvAsIs,
    Fdr,
    FdrOption,
    FormatOption,
    Lines,
    MaxTerms,
    MinCount,
    Output,
    Panels,
    Top,
    shown,
)
from termburst.display import printable

if TYPE_CHECKING:
    from termburst.counting.options import CountingOptions
    from termburst.report import Documents
    from termburst.statistics.term_statistics import TermStatistics

    Source = Documents | TermStatistics


class Method(StrEnum):
    """How corpora are compared."""

    beta_binomial = "beta-binomial"
    permutation = "permutation"
    stratified_permutation = "stratified-permutation"
    g2 = "g2"
    chi2 = "chi2"
    fisher = "fisher"
    welch = "welch"
    mann_whitney = "mann-whitney"


class Sort(StrEnum):
    """What the table is ordered by."""

    p = "p"
    effect = "effect"
    log_ratio = "log_ratio"
    term = "term"


@reads_text
def keyness(
    a: Annotated[str, typer.Argument(metavar="A", help=f"{CORPUS_HELP} Or saved statistics.", show_default=False)],
    reading: Reading,
    b: Annotated[
        str | None, typer.Argument(metavar="[B]", help="The corpus to compare with; not with --by.", show_default=False)
    ] = None,
    by: Annotated[str | None, typer.Option("--by", help="Column of A whose values are the corpora to compare.")] = None,
    method: Annotated[Method, typer.Option("--method", help="The test.")] = Method.beta_binomial,
    confidence: Annotated[float, typer.Option("--confidence", help="Of the interval of log_ratio.")] = 0.95,
    fdr: FdrOption = Fdr.bh,
    sort: Annotated[Sort, typer.Option("--sort", help="p, effect (the end of the interval nearest to 0), …")] = Sort.p,
    min_count: MinCount = 5,
    top: Top = None,
    format: FormatOption = None,
    output: Output = None,
    csv_as_is: CsvAsIs = False,
    report: Annotated[
        Path | None, typer.Option("--report", help="Also write a page to explore, such as keyness.html (or .json).")
    ] = None,
    panels: Panels = PANELS,
    lines: Lines = LINES,
    max_terms: MaxTerms = MOST_TERMS,
) -> None:
    """List the terms that one corpus uses more than another, or less, by more than their burstiness explains.

    log_ratio is the binary logarithm of how many times more frequent a term is in A; q_value allows for testing many
    terms. Two corpora, either of which may be saved statistics (stats build --detail patterns), or one with --by.
    """
    from termburst.inference.checks import check_confidence
    from termburst.report import Documents, summarize_keyness
    from termburst.tables import keyness as compare

    check_confidence(confidence)
    if a == b == "-":
        raise ValueError("only one corpus can be standard input: name a file or a folder for the other")
    sources = [corpus for corpus in (a, b) if corpus is not None]
    settled = settled_format(format, output, *sources, csv_as_is=csv_as_is)
    page = settled_report(None, report, *sources) if report is not None else None
    if report is not None and output is not None and report.resolve() == output.resolve():
        raise ValueError(f"{output}: the table and the page cannot be one file; name another for --report")
    options: dict[str, Any] = {
        "method": method.value,
        "confidence": confidence,
        "adjust": fdr.value,
        "min_count": min_count,
        "sort": sort.value,
    }
    if a == b:
        warnings.warn(f"A and B are both {a}: nothing can differ", stacklevel=1)
    if (b is None) == (by is None):
        raise ValueError("give two corpora, A and B, or one corpus and --by COLUMN")
    if by is not None:
        table, title, sides = _by_column(a, by, reading, options, with_documents=page is not None)
    else:
        sides = _both(a, str(b), reading, with_documents=page is not None)
        first, second = (side.statistics() if isinstance(side, Documents) else side for side in sides.values())
        with working("Comparing"):
            table = compare(first, second, **options)
        title = f"A: {a}, {_size(first)}; B: {b}, {_size(second)}"
    if report is not None and page is not None:
        if not table.height:
            raise ValueError("no term occurs often enough to be compared: lower --min-count")
        heading = f"{Path(a).name}, by {by}" if by is not None else " against ".join(sides)
        with working("Finding where terms occur"):
            summary = summarize_keyness(
                table, sides, title=heading, settings=options, panels=panels, max_terms=max_terms, lines=lines
            )
        write_report(summary, page, report)
    if settled is Format.table:
        dropped = {"per_million_a", "per_million_b", "diff_percent", "dp_a", "dp_b", "reference"}
        table = table.select([name for name in table.columns if name not in dropped])
    write_table(shown(table, top, settled), settled, output, title, csv_as_is=csv_as_is)
    if table.height and settled is Format.table and output is None and sys.stdout.isatty():
        say(
            "n, b: occurrences, documents with the term; log_ratio: log₂ of the ratio of its shares, A to B;",
            "effect: the end of its interval nearest to 0; q_value: expected share of false alarms down to here",
        )


def _by_column(
    corpus: str, by: str, reading: Reading, options: dict[str, Any], *, with_documents: bool
) -> tuple[Any, str, dict[str, Source]]:
    """The comparison of the groups that a column names, two against each other or each against the rest; the groups."""
    from collections import Counter

    import numpy as np

    from termburst.statistics.store import holds_statistics
    from termburst.tables import keyness as compare
    from termburst.tables import keyness_groups

    if holds_statistics(corpus):
        raise ValueError(f"{corpus} holds saved statistics, which keep no documents to group; give the corpus itself")
    if reading.id is not None:
        raise ValueError("--by takes the place of --id: leave that out")
    documents = reading.renamed(by).documents(corpus)
    labels, counts, terms = documents.ids, documents.counts, documents.terms
    if empty := sum(not label.strip() for label in labels):
        rows = f"{many(empty, 'row')} {'has' if empty == 1 else 'have'}"
        raise ValueError(f"{corpus}: {rows} nothing in the column {by!r}: fill it, or drop such rows")
    groups = Counter(labels)
    if len(groups) < 2:
        raise ValueError(
            f"{corpus}: the column {by!r} has one value, {next(iter(groups), '')!r:.60}, so nothing to compare"
        )
    if len(groups) > 50:
        raise ValueError(
            f"{corpus}: the column {by!r} has {len(groups):,} values; at most 50 can be compared: merge some values, "
            "or choose another column with --by"
        )
    order = {group: number for number, group in enumerate(sorted(groups))}
    place = np.array([order[label] for label in labels])  # an array of the labels themselves would drop a final NUL
    sides: dict[str, Source] = {}
    if with_documents:
        documents = replace(documents, ids=[f"row {row + 1:,}" for row in range(len(labels))])
        sides = {group: documents.rows(np.flatnonzero(place == k).tolist()) for group, k in order.items()}
    with working("Comparing"):
        if len(groups) == 2:
            table = compare(counts[place == 0], counts[place == 1], terms=terms, **options)
            sizes = [f"{by} = {printable(group)}, {many(groups[group], 'document')}" for group in order]
            return table, f"A: {sizes[0]}; B: {sizes[1]}", sides
        table = keyness_groups(counts, labels, terms=terms, contrasts=True, **options)
    title = f"each of {len(groups)} values of {by} (a) against the rest (b), {many(len(labels), 'document')}"
    return table, title, sides


def _both(a: str, b: str, reading: Reading, *, with_documents: bool) -> dict[str, Source]:
    """Two corpora, by name; beside saved statistics, the other is counted as they were."""
    from termburst.statistics.store import holds_statistics

    def read(corpus: str, counting: CountingOptions | None = None) -> Source:
        if with_documents:
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
            raise ValueError(f"{a} was counted with {one}, {b} with {other}: build one as the other was")
    names = [Path(corpus).name or corpus for corpus in (a, b)]
    if names[0] == names[1]:  # 2024/posts.csv and 2025/posts.csv; or a corpus and itself
        names = [a, b] if a != b else [f"{a} (A)", f"{b} (B)"]
    return dict(zip(names, (first, second), strict=True))


def _size(statistics: TermStatistics) -> str:
    return f"{many(statistics.documents, 'document')}, {many(statistics.tokens, 'token')}"
