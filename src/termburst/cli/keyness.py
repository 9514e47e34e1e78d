"""`termburst keyness`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from termburst.cli.keyness_words import (
    cluster_in_words,
    clusters_in_words,
    compared,
    narrow,
    said_of,
)
from termburst.cli.options import CORPUS_HELP, Table, Top
from termburst.cli.output import many, say
from termburst.cli.reading import Reading, Steps, reads_text, working
from termburst.cli.report import settled_report, write_report
from termburst.display import printable
from termburst.options import Option, given
from termburst.questions.keyness import Keyness
from termburst.questions.report import ComparisonPage
from termburst.questions.sides import Sides, column_formula
from termburst.reading.conditions import CONDITION, is_condition
from termburst.reading.options import ReadingOptions

if TYPE_CHECKING:
    import polars as pl

    from termburst.corpus.corpus import Corpus


MOST_GROUPS = 50  # values of the column that --by names


@dataclass(frozen=True, slots=True)
class _Compared:
    """A comparison: its table, the lines above it, the heading of a page, the corpora by name, and the two sides."""

    table: pl.DataFrame
    above: list[str]
    heading: str
    sides: Mapping[str, Any]  # of a formula: its corpus
    names: Sequence[str] = ()
    formula: str | None = None


@reads_text
def keyness(
    a: Annotated[str, Option(f"{CORPUS_HELP} Or saved statistics.")],
    reading: Reading,
    asked: Keyness,
    against: Sides,
    table: Table,
    page: ComparisonPage,
    b: Annotated[str | None, Option("The corpus to compare with; not with --by.")] = None,
    every: Annotated[
        float | None,
        typer.Option("--bin", help="With --by: put numbers or years together by intervals of this width, such as 10."),
    ] = None,
    reference: Annotated[
        Path | None, Option("A list of word frequencies to compare with, in place of B: CSV, AntConc, …")
    ] = None,
    report: Annotated[Path | None, Option("Also write a page to explore, such as keyness.html (or .json).")] = None,
    top: Top = None,
) -> None:
    """List the terms that one corpus uses more than another, or less, by more than their burstiness explains.

    Give two corpora, or one with --by, --formula or --reference. Either of two may be saved statistics (stats build
    --detail patterns). log_ratio is the binary logarithm of how many times more frequent a term is in A. q_value is
    the p-value, adjusted for testing many terms.
    """
    if a == b == "-":
        raise ValueError("only one corpus can be standard input; give a file or a folder for the other")
    sources = reading.inputs(*(str(corpus) for corpus in (a, b, reference) if corpus is not None))
    table, against = table.settled(*sources), against.checked(asked, b, reference)
    format = None if report is None else settled_report(None, report, *sources)
    if report is not None and table.output is not None and report.resolve() == table.output.resolve():
        raise ValueError(f"{report}: the table and the page cannot be the same file; give another name to --report")
    if report is not None and (asked.compare == "burstiness" or reference is not None):
        raise ValueError("--report shows the frequencies of documents; omit it, or omit --compare and --reference")
    if every is not None and (against.by is None or against.has_design):
        raise ValueError("--bin needs --by COLUMN, and neither --formula, --cluster nor --strata")
    if a == b:
        warnings.warn(f"A and B are both {a}, so nothing can differ", stacklevel=1)
    if reference is not None:
        found = _with_list(a, reference, reading, asked)
    elif b is not None:
        found = _two_corpora(a, b, reading, asked, page=report is not None)
    elif against.has_design:
        found = _by_formula(a, against, reading, asked)
    else:
        found = _by_column(a, against, every, reading, asked, page=report is not None)
    if format is not None:
        with working("Finding where terms occur"):
            summary = _summary(found, {"title": found.heading, "settings": given(asked), **given(page)}, against)
        write_report(summary, format, report)
    shown = found.table.select(narrow(found.table)) if table.is_shown else found.table
    table.write(shown, [*compared(found.table, found.names), *found.above], top=top)
    if shown.height and table.is_on_terminal:
        say(*said_of(found.table))


def _summary(found: _Compared, options: dict[str, Any], against: Sides) -> dict[str, Any]:
    """What the page of a comparison shows."""
    from termburst.report import summarize_keyness

    if not found.table.height:
        raise ValueError("no term occurs often enough to be compared; lower --min-count")
    if found.formula is not None:
        options |= {"formula": found.formula, "cluster": against.cluster, "strata": against.strata}
    return summarize_keyness(found.table, found.sides, **options)


def _by_column(
    name: str, against: Sides, every: float | None, reading: Reading, asked: Keyness, *, page: bool
) -> _Compared:
    """Compare the groups that a column names: two with each other, more than two each with the rest."""
    import polars as pl

    from termburst.corpus.metadata import labels_of, part_to_compare
    from termburst.corpus.scan import is_saved

    if is_saved(name):
        raise ValueError(f"{name} is saved statistics, which have no documents to group; give the corpus itself")
    corpus, by = reading.corpus(name), str(against.by)
    if every is None:
        corpus = corpus.group(by)
    elif is_condition(by):
        raise ValueError(f"--by {by!r:.60} is a condition, which has two groups of its own; omit --bin")
    else:
        corpus, by = corpus.bin(by, int(every) if every.is_integer() else every), f"{by}_bin"
    corpus, by = part_to_compare(corpus.in_memory() if page else corpus.counted(), by, against.groups)
    sizes = {str(value): size for value, size in labels_of(corpus.metadata, by).value_counts().sort(by).rows()}
    names, counts = list(sizes), list(sizes.values())
    if against.groups is None and len(names) > MOST_GROUPS:
        raise ValueError(
            f"{name}: the column {by!r} has {len(names):,} values, but at most {MOST_GROUPS} can be compared; "
            "put numbers or years together with --bin, such as --bin 10, or choose another column with --by"
        )
    with working("Comparing"):
        table = corpus.keyness(by=by, contrasts=against.contrasts, **given(asked))
    sides = {one: corpus.where(corpus.metadata[by].cast(pl.String) == one) for one in names} if page else {}
    heading = f"{Path(name).name}, by {against.by}"
    if len(counts) == 2:
        of = "" if is_condition(against.by) else f"{by} = "
        both = zip("AB", names, counts, strict=True)
        title = "; ".join(f"{side}: {of}{printable(one)}, {many(n, 'document')}" for side, one, n in both)
        return _Compared(table, [title], heading, sides, names)
    documents = many(sum(counts), "document")
    if "group" not in table.columns:
        if page:
            raise ValueError("--report needs --contrasts: a test over all groups has no sides to show")
        title = f"does a term differ between {len(counts)} values of {against.by}? {documents}"
        return _Compared(table, [title], heading, sides)
    title = f"each of {len(counts)} values of {against.by} (a) against the rest (b), {documents}"
    return _Compared(table, [title], heading, sides)


def _with_list(a: str, path: Path, reading: Reading, asked: Keyness) -> _Compared:
    """Compare with a list of frequencies."""
    from termburst.questions.word_lists import read_word_list

    if asked.method != "beta-binomial":
        raise ValueError("--reference has its own method; omit --method")
    listed = read_word_list(path, lowercase=reading.asked.counting.lowercase)
    first = reading.corpus(a)
    size = _size(first)
    with working("Comparing"):
        table = first.keyness(reference=listed, **given(asked))
    title = f"A: {a}, {size}; B: {path}, {many(listed.tokens, 'token')} in a list"
    return _Compared(table, [title], "", {}, (Path(a).name, path.name))


def _two_corpora(a: str, b: str, reading: Reading, asked: Keyness, *, page: bool) -> _Compared:
    from termburst.corpus.saved import check_same_words

    first, second = _both(a, b, reading, page=page)
    size_a, size_b = _size(first), _size(second)
    check_same_words(a, first.counting, b, second.counting)
    with working("Comparing"):
        table = first.keyness(second, **given(asked))
    names = [Path(corpus).name or corpus for corpus in (a, b)]
    if names[0] == names[1]:  # 2024/posts.csv and 2025/posts.csv; or a corpus and itself
        names = [a, b] if a != b else [f"{a} (A)", f"{b} (B)"]
    above = [f"A: {a}, {size_a}; B: {b}, {size_b}"]
    made_from = [corpus.statistics if corpus.is_saved else corpus for corpus in (first, second) if page]
    return _Compared(table, above, " against ".join(names), dict(zip(names, made_from, strict=False)), names)


def _both(a: str, b: str, reading: Reading, *, page: bool) -> list[Corpus]:
    """Two corpora. If one is saved statistics, the other is counted with the same options."""
    from termburst.corpus.scan import is_saved

    saved = [corpus for corpus in (a, b) if is_saved(corpus)]
    found: dict[str, Corpus] = {}
    counting = None
    if len(saved) == 1:  # the other one has texts, which the steps and the options of reading are for
        own = replace(reading.asked, reading=ReadingOptions(layer=reading.asked.reading.layer))
        found[saved[0]] = replace(reading, asked=own, steps=Steps()).corpus(saved[0])
        counting = found[saved[0]].counting
    for name in (a, b):
        if name not in found:
            corpus = reading.corpus(name, counting=counting)
            found[name] = corpus.in_memory() if page and name not in saved else corpus
    return [found[a], found[b]]


def _size(corpus: Corpus) -> str:
    return f"{many(len(corpus), 'document')}, {many(corpus.tokens, 'token')}"


def _by_formula(corpus: str, against: Sides, reading: Reading, asked: Keyness) -> _Compared:
    """Compare by a formula; with clusters or strata, the column or the condition of --by is one."""
    from termburst.corpus.metadata import part_to_compare
    from termburst.questions.formula_text import named_columns

    formula = against.formula or column_formula(CONDITION if is_condition(against.by) else str(against.by))
    columns = named_columns(formula)  # before the corpus is read: a formula may be wrong
    if corpus == "-":
        raise ValueError("standard input has no columns; give a file with --formula")
    read, sides = reading.corpus(corpus, columns="all").counted(), against
    if against.by is not None:
        read, by = part_to_compare(read, against.by, against.groups)
        sides = replace(against, by=by, groups=None)
    with working("Comparing"):
        table = read.keyness(**given(sides), **given(asked))
    title = [f"{against.by or formula}, {many(len(read), 'document')}"]
    if against.cluster is not None:
        title[0] = f"{title[0]}; {cluster_in_words(table, against.cluster)}"
        title.append(clusters_in_words(read.metadata, against.cluster, columns, table))
    heading = f"{Path(corpus).name}, {against.by or formula}"
    return _Compared(table, title, heading, {"all documents": read}, formula=formula)
