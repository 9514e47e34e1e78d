"""`termburst keyness`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from termburst.cli.keyness_groups import grouped, named_groups
from termburst.cli.keyness_words import (
    bursts_of_one,
    cluster_in_words,
    clusters_in_words,
    compared,
    narrow,
    said_of,
    sides_of,
)
from termburst.cli.options import CORPUS_HELP, Table, Top
from termburst.cli.output import many, say
from termburst.cli.reading import Reading, Steps, reads_text, working
from termburst.cli.report import ReportFormat, settled_report, write_report
from termburst.display import printable
from termburst.options import given
from termburst.questions.keyness import Keyness
from termburst.questions.report import ComparisonPage
from termburst.reading.conditions import CONDITION, is_condition
from termburst.reading.options import ReadingOptions

if TYPE_CHECKING:
    import polars as pl

    from termburst.corpus.corpus import Corpus


@dataclass(frozen=True)
class Against:
    """What A is compared with, beside another corpus."""

    by: Annotated[
        str | None,
        typer.Option(
            help="Column of A whose values are the groups to compare; or folder, or file; or a condition: "
            "'year >= 1945'."
        ),
    ] = None
    groups: Annotated[
        list[str] | None,
        typer.Option(help="With --by: compare only these values, such as ham,spam; the first is A."),
    ] = None
    every: Annotated[
        float | None,
        typer.Option("--bin", help="With --by: put numbers or years together by intervals of this width, such as 10."),
    ] = None
    contrasts: Annotated[
        bool | None,
        typer.Option(
            "--contrasts/--no-contrasts",
            help="With --by and more than two groups: compare each with the rest, or test once whether a term differs.",
        ),
    ] = None
    reference: Annotated[
        Path | None, typer.Option(help="A list of word frequencies to compare with, in place of B: CSV, AntConc, …")
    ] = None
    formula: Annotated[
        str | None, typer.Option(help="Columns of A that words may depend on, such as 'party + year'.")
    ] = None
    cluster: Annotated[
        str | None, typer.Option(help="Column of A: documents with the same value may depend on each other.")
    ] = None
    strata: Annotated[str | None, typer.Option(help="Column of A: compare only documents with the same value.")] = None
    contrast: Annotated[
        list[str] | None, typer.Option(help="Two values to compare, such as 'party: D - R'; may be repeated.")
    ] = None

    @property
    def design(self) -> dict[str, Any]:
        """What goes with a formula."""
        return {"cluster": self.cluster, "strata": self.strata, "contrast": self.contrast or None}

    @property
    def has_design(self) -> bool:
        """Whether documents are compared by a formula, or within clusters or strata."""
        return self.formula is not None or any(self.design.values())

    def check(self, b: str | None, asked: Keyness) -> None:
        """Raise ValueError for options that do not go together; *b* is the other corpus."""
        by, formula, two = self.by is not None, self.formula is not None, b is not None
        which = "--formula, --cluster and --strata"
        of_frequencies = asked.compare == "burstiness" or self.every is not None or self.reference is not None
        of_design = {
            "give two corpora, A and B; or one corpus and --by COLUMN; or one and --formula": formula and (two or by),
            "--cluster, --strata and --contrast go with --by or --formula, and not with two corpora": (
                two or not (by or formula)
            ),
            f"{which} have contrasts of their own; omit --contrasts and --no-contrasts": self.contrasts is not None,
            f"{which} compare frequencies; omit --compare, --bin and --reference": of_frequencies,
            f"{which} have no --method {asked.method}; omit it": asked.method != "beta-binomial",
        }
        needs_by = {
            "--bin needs --by COLUMN: the numbers or dates to put together": self.every is not None and not by,
            "--groups needs --by COLUMN: the column that has these values": bool(self.groups) and not by,
            "--contrasts and --no-contrasts need --by COLUMN: the groups to compare": (
                self.contrasts is not None and not by
            ),
        }
        for sentence, is_wrong in (of_design if self.has_design else needs_by).items():
            if is_wrong:
                raise ValueError(sentence)
        ways = {"the corpus B": b, "--by": self.by, "--reference": self.reference}
        named = [name for name, way in ways.items() if way is not None]
        if len(named) != 1 and not self.has_design:
            problem = f"{' and '.join(named)} cannot go together" if named else "there is nothing to compare A with"
            raise ValueError(f"{problem}; give two corpora, A and B; or one corpus and --by, --formula or --reference")


@dataclass(frozen=True)
class Page:
    """The page of a comparison."""

    report: Annotated[
        Path | None, typer.Option(help="Also write a page to explore, such as keyness.html (or .json).")
    ] = None
    shown: ComparisonPage = field(default_factory=ComparisonPage)

    def settled(self, output: Path | None, sources: list[str], asked: Keyness) -> ReportFormat | None:
        """Its format, if one is asked for and can be made."""
        if self.report is None:
            return None
        format = settled_report(None, self.report, *sources)
        if output is not None and self.report.resolve() == output.resolve():
            raise ValueError(f"{output}: the table and the page cannot be the same file; give another name to --report")
        if asked.compare == "burstiness":
            raise ValueError("--report shows frequencies; omit it, or omit --compare burstiness")
        return format


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
    a: Annotated[str, typer.Argument(metavar="A", help=f"{CORPUS_HELP} Or saved statistics.", show_default=False)],
    reading: Reading,
    asked: Keyness,
    against: Against,
    table: Table,
    page: Page,
    b: Annotated[
        str | None, typer.Argument(metavar="B", help="The corpus to compare with; not with --by.", show_default=False)
    ] = None,
    top: Top = None,
) -> None:
    """List the terms that one corpus uses more than another, or less, by more than their burstiness explains.

    Give two corpora, or one with --by, --formula or --reference. Either of two may be saved statistics (stats build
    --detail patterns). log_ratio is the binary logarithm of how many times more frequent a term is in A. q_value is
    the p-value, adjusted for testing many terms.
    """
    if a == b == "-":
        raise ValueError("only one corpus can be standard input; give a file or a folder for the other")
    sources = reading.inputs(*(str(corpus) for corpus in (a, b, against.reference) if corpus is not None))
    table, format = table.settled(*sources), page.settled(table.output, sources, asked)
    if a == b:
        warnings.warn(f"A and B are both {a}, so nothing can differ", stacklevel=1)
    against.check(b, asked)
    if against.has_design:
        found = _by_formula(a, against, reading, asked)
    elif against.reference is not None:
        found = _with_list(a, against.reference, reading, asked, page=format is not None)
    elif against.by is not None:
        found = _by_column(a, against, reading, asked, page=format is not None)
    else:
        found = _two_corpora(a, str(b), reading, asked, page=format is not None)
    if format is not None:
        _write_page(found, page, format, against, asked)
    shown = found.table.select(narrow(found.table)) if table.is_shown else found.table
    table.write(shown, [*compared(found.table, found.names), *found.above], top=top)
    if shown.height and table.is_on_terminal:
        say(*said_of(found.table))


def _write_page(found: _Compared, page: Page, format: ReportFormat, against: Against, asked: Keyness) -> None:
    from termburst.report import summarize_keyness

    if not found.table.height:
        raise ValueError("no term occurs often enough to be compared; lower --min-count")
    options: dict[str, Any] = {"title": found.heading, "settings": given(asked), **given(page.shown)}
    with working("Finding where terms occur"):
        if found.formula is not None:
            options |= {"formula": found.formula, "cluster": against.cluster, "strata": against.strata}
        summary = summarize_keyness(found.table, found.sides, **options)
    write_report(summary, format, page.report)


def _by_column(name: str, against: Against, reading: Reading, asked: Keyness, *, page: bool) -> _Compared:
    """Compare the groups that a column names: two with each other, more than two each with the rest."""
    found = grouped(name, str(against.by), against.groups, against.every, reading, page=page)
    names, counts = list(found.sizes), list(found.sizes.values())
    with working("Comparing"):
        table = found.corpus.keyness(by=found.by, contrasts=against.contrasts, **given(asked))
    heading = f"{Path(name).name}, by {against.by}"
    sides = {one: found.part(one) for one in names} if page else {}
    bursts = bursts_of_one(asked.compare, names, counts)
    if len(counts) == 2:
        of = "" if is_condition(against.by) else f"{against.by} = "
        sizes = zip("AB", names, counts, strict=True)
        title = "; ".join(f"{side}: {of}{printable(one)}, {many(n, 'document')}" for side, one, n in sizes)
        return _Compared(table, [title, *bursts], heading, sides, names)
    documents = many(sum(counts), "document")
    if "group" not in table.columns:
        if page:
            raise ValueError("--report needs --contrasts: a test over all groups has no sides to show")
        title = f"does a term differ between {len(counts)} values of {against.by}? {documents}"
        return _Compared(table, [title], heading, sides)
    title = f"each of {len(counts)} values of {against.by} (a) against the rest (b), {documents}"
    return _Compared(table, [title, *bursts], heading, sides)


def _with_list(a: str, path: Path, reading: Reading, asked: Keyness, *, page: bool) -> _Compared:
    """Compare with a list of frequencies."""
    from termburst.questions.word_lists import read_word_list

    if page:
        raise ValueError("a page needs two corpora, but a word list has no documents; omit --report")
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
    above = [f"A: {a}, {size_a}; B: {b}, {size_b}", *bursts_of_one(asked.compare, names, [len(first), len(second)])]
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


def _by_formula(corpus: str, against: Against, reading: Reading, asked: Keyness) -> _Compared:
    """Compare by a formula; with clusters or strata, the column or the condition of --by is one."""
    from termburst.corpus.condition_groups import part_to_compare, with_conditions_shown
    from termburst.questions.formula_text import named_columns

    by = CONDITION if is_condition(against.by) else str(against.by)
    formula = against.formula or (by if by.isidentifier() else f"`{by}`")
    columns = named_columns(formula)  # before the corpus is read: a formula may be wrong
    if corpus == "-":
        raise ValueError("standard input has no columns; give a file with --formula")
    chosen, read = named_groups(against.by, against.groups), reading.corpus(corpus, columns="all").counted()
    column = None
    if against.by is not None:
        read, column = part_to_compare(read, against.by, chosen)
    with working("Comparing"):
        table = read.keyness(None if column else formula, by=column, **against.design, **given(asked))
    title = [f"{against.by or formula}, {many(len(read), 'document')}"]
    if against.cluster is not None:
        title[0] = f"{title[0]}; {cluster_in_words(table, against.cluster)}"
        title.append(clusters_in_words(read.metadata, against.cluster, columns, table))
    names = sides_of(table, read.metadata, columns)
    table = with_conditions_shown(table) if columns == [CONDITION] else table
    heading = f"{Path(corpus).name}, {against.by or formula}"
    return _Compared(table, title, heading, {"all documents": read}, names, formula)
