"""`termburst keyness`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
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
from termburst.cli.keyness_groups import Bin, By, GroupsOption, grouped
from termburst.cli.output import Format, many, say, settled_format, write_table
from termburst.cli.reading import Reading, reads_text, working
from termburst.cli.report import ReportFormat, settled_report, write_report
from termburst.cli.sentences import SURE, compared
from termburst.cli.shared import (
    CsvAsIs,
    Examples,
    Excel,
    FormatOption,
    MaxTerms,
    Output,
    Panels,
    Top,
    shown,
)
from termburst.cli.text_options import CORPUS_HELP, Steps
from termburst.display import LINES, MOST_TERMS, PANELS, printable
from termburst.names import LOWER_BOUND, Compare
from termburst.options import given
from termburst.questions.keyness import Keyness
from termburst.reading.conditions import is_condition

if TYPE_CHECKING:
    import polars as pl

    from termburst.corpus.corpus import Corpus

_LEFT_OUT = {
    "per_million_a",
    "per_million_b",
    "diff_percent",
    "dp_a",
    "dp_b",
    "p_method",
    "least_p",
}  # columns; files have them

_COLUMNS = (
    "n, b: occurrences, documents with the term; log_ratio: log₂ of the ratio of its shares, A to B;",
    f"lower_bound: {LOWER_BOUND};",
    "q_value: expected share of false alarms down to this row",
)

_BURST_COLUMNS = (
    "n, b: occurrences, documents with the term; burst_ratio: how many times likelier a word is it if another word is;",
    f"log_ratio: log₂ of their ratio, A to B; lower_bound: {LOWER_BOUND}",
)

ContrastsOption = Annotated[
    bool | None,
    typer.Option(
        "--contrasts/--no-contrasts",
        help="With --by and more than two groups: compare each with the rest, or test once whether a term differs.",
    ),
]
ReferenceOption = Annotated[
    Path | None,
    typer.Option("--reference", help="A list of word frequencies to compare with, in place of B: CSV, AntConc, …"),
]


@reads_text
def keyness(
    a: Annotated[str, typer.Argument(metavar="A", help=f"{CORPUS_HELP} Or saved statistics.", show_default=False)],
    reading: Reading,
    asked: Keyness,
    b: Annotated[
        str | None, typer.Argument(metavar="B", help="The corpus to compare with; not with --by.", show_default=False)
    ] = None,
    by: By = None,
    groups: GroupsOption = None,
    every: Bin = None,
    contrasts: ContrastsOption = None,
    reference: ReferenceOption = None,
    formula: FormulaOption = None,
    cluster: ClusterOption = None,
    strata: StrataOption = None,
    contrast: ContrastOption = None,
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

    Give two corpora, or one with --by, --formula or --reference. Either of two may be saved statistics (stats build
    --detail patterns). log_ratio is the binary logarithm of how many times more frequent a term is in A. q_value is
    the p-value, adjusted for testing many terms.
    """
    if a == b == "-":
        raise ValueError("only one corpus can be standard input; give a file or a folder for the other")
    sources = reading.inputs(*(str(corpus) for corpus in (a, b, reference) if corpus is not None))
    settled = settled_format(format, output, *sources, csv_as_is=csv_as_is, excel=excel)
    page = _settled_page(report, output, sources, asked.compare)
    options = given(asked)
    if a == b:
        warnings.warn(f"A and B are both {a}, so nothing can differ", stacklevel=1)
    design = {"cluster": cluster, "strata": strata, "contrast": contrast or None}
    named = settled_formula(b, by, formula, design)
    if named is not None:
        _check_formula(asked.compare, every, reference, contrasts)
        table, title, names, corpus = compare_by_formula(a, reading, named, design, options, by=by, groups=groups)
        about = (named, cluster, strata)
        found = _Compared(table, title, f"{Path(a).name}, {by or named}", {a: corpus}, names, design=about)
    else:
        others = {"b": b, "by": by, "groups": groups, "every": every, "reference": reference, "contrasts": contrasts}
        found = _compared(a, others, reading, options, page=page is not None)
    if report is not None and page is not None:
        _write_page(found, page, report, settings=options, panels=panels, max_terms=max_terms, examples=examples)
    _write(found, settled, top, output, csv_as_is=csv_as_is, excel=excel)


def _write(found: _Compared, settled: Format, top: int | None, output: Path | None, **options: Any) -> None:
    """Write the table, and on a terminal what its columns mean."""
    table = found.table
    if settled is Format.table:
        table = table.select(_narrow(table))
    above = [found.title] if isinstance(found.title, str) else found.title
    title = [*compared(found.table, found.names), *above]
    write_table(shown(table, top, settled), settled, output, title, **options)
    if table.height and settled is Format.table and output is None and sys.stdout.isatty():
        say(*_said_of(found.table))


def _narrow(table: pl.DataFrame) -> list[str]:
    """The columns that a terminal shows; files have all of them."""
    hidden = _LEFT_OUT
    if "contrast" in table.columns:  # n and b of both sides, or of all documents for a slope
        sides = {"n_a", "n_b", "b_a", "b_b"}
        slopes = table["n_a"].null_count() > 0
        hidden = hidden | {"statistic_documents", "status"} | (sides if slopes else {"n", "b"})
        if table["log_ratio_unadjusted"].equals(table["log_ratio"].rename("log_ratio_unadjusted")):
            hidden = hidden | {"log_ratio_unadjusted"}
    return [name for name in table.columns if name not in hidden]


def _said_of(table: pl.DataFrame) -> tuple[str, ...]:
    """What the columns of a table mean."""
    if "burst_ratio_a" in table.columns:
        return _BURST_COLUMNS
    return (*_COLUMNS, *_no_least(table), *(_not_counted(table) if "least_p" in table.columns else ()))


def _no_least(table: pl.DataFrame) -> list[str]:
    """A line on terms that surely differ, but with a lower bound of 0; designs have no such correction."""
    if "lower_bound" not in table.columns or "contrast" in table.columns:
        return []
    none = table.filter((table["q_value"] <= SURE) & (table["lower_bound"] == 0)).height
    if not none:
        return []
    differ = f"{many(none, 'row')} with q ≤ {SURE} {'has' if none == 1 else 'have'} lower_bound 0"
    return [f"{differ}: a difference is sure, but no size of it once the strongest of so many words are picked"]


def _not_counted(table: pl.DataFrame) -> list[str]:
    """A line on the terms that cannot be significant, if there are any."""
    never = int((table["least_p"] > 0.05).sum())
    if not never:
        return []
    counted = many(never, "row") + " of terms" if "contrast" in table.columns else many(never, "term")
    return [f"{counted} in too few documents for p ≤ 0.05: these do not count in the adjustment at that level"]


def _check_formula(compare: Compare, every: float | None, reference: Path | None, contrasts: bool | None) -> None:
    """Raise ValueError for options that a formula does not have."""
    if contrasts is not None:
        raise ValueError(
            "--formula, --cluster and --strata have contrasts of their own; omit --contrasts and --no-contrasts"
        )
    if compare == "burstiness" or every is not None or reference is not None:
        raise ValueError("--formula, --cluster and --strata compare frequencies; omit --compare, --bin and --reference")


def _settled_page(
    report: Path | None, output: Path | None, sources: list[str], compare: Compare
) -> ReportFormat | None:
    """The format of the page, if one is asked for and can be made."""
    if report is None:
        return None
    page = settled_report(None, report, *sources)
    if output is not None and report.resolve() == output.resolve():
        raise ValueError(f"{output}: the table and the page cannot be the same file; give another name to --report")
    if compare == "burstiness":
        raise ValueError("--report shows frequencies; omit it, or omit --compare burstiness")
    return page


@dataclass(frozen=True, slots=True)
class _Compared:
    """A comparison: its table, the lines above it, the heading of a page, the corpora by name, and the two sides."""

    table: pl.DataFrame
    title: str | list[str]
    heading: str
    sides: Mapping[str, Any]  # of a formula: its corpus
    names: Sequence[str] = ()
    design: tuple[str, str | None, str | None] | None = None  # formula, cluster, strata


def _compared(a: str, others: dict[str, Any], reading: Reading, options: dict[str, Any], *, page: bool) -> _Compared:
    """Compare A with another corpus, with a list, or its groups with each other."""
    if others["every"] is not None and others["by"] is None:
        raise ValueError("--bin needs --by COLUMN: the numbers or dates to put together")
    if others["groups"] and others["by"] is None:
        raise ValueError("--groups needs --by COLUMN: the column that has these values")
    if others["contrasts"] is not None and others["by"] is None:
        raise ValueError("--contrasts and --no-contrasts need --by COLUMN: the groups to compare")
    options_of = {"b": "the corpus B", "by": "--by", "reference": "--reference"}
    named = [text for name, text in options_of.items() if others[name] is not None]
    if len(named) != 1:
        problem = f"{' and '.join(named)} cannot go together" if named else "there is nothing to compare A with"
        raise ValueError(f"{problem}; give two corpora, A and B; or one corpus and --by, --formula or --reference")
    if others["reference"] is not None:
        return _with_list(a, others["reference"], reading, options, page=page)
    if others["by"] is not None:
        return _by_column(a, others, reading, options, page=page)
    return _two_corpora(a, others["b"], reading, options, page=page)


def _write_page(found: _Compared, format: ReportFormat, output: Path, **options: Any) -> None:
    from termburst.report import summarize_design, summarize_keyness

    if not found.table.height:
        raise ValueError("no term occurs often enough to be compared; lower --min-count")
    with working("Finding where terms occur"):
        if found.design is None:
            summary = summarize_keyness(found.table, found.sides, title=found.heading, **options)
        else:
            formula, cluster, strata = found.design
            (corpus,) = found.sides.values()
            options |= {"cluster": cluster, "strata": strata, "title": found.heading}
            summary = summarize_design(found.table, corpus, formula, **options)
    write_report(summary, format, output)


def _by_column(
    name: str, others: dict[str, Any], reading: Reading, options: dict[str, Any], *, page: bool
) -> _Compared:
    """Compare the groups that a column names: two with each other, more than two each with the rest."""
    found = grouped(name, others["by"], others["groups"], others["every"], reading, page=page)
    counts = list(found.sizes.values())
    with working("Comparing"):
        table = found.corpus.keyness(by=found.by, groups=found.groups, contrasts=others["contrasts"], **options)
    heading = f"{Path(name).name}, by {others['by']}"
    sides = {found.name(value): found.part(value) for value in found.sizes} if page else {}
    if len(counts) == 2:
        of = "" if is_condition(found.by) else f"{others['by']} = "
        named = zip("AB", found.names, counts, strict=True)
        title = "; ".join(f"{side}: {of}{printable(one)}, {many(n, 'document')}" for side, one, n in named)
        above = [title, *_bursts_of_one(options, found.names, counts)]
        return _Compared(table, above, heading, sides, found.names)
    if "group" not in table.columns:
        if page:
            raise ValueError("--report needs --contrasts: a test over all groups has no sides to show")
        title = f"does a term differ between {len(counts)} values of {others['by']}? {many(sum(counts), 'document')}"
        return _Compared(table, title, heading, sides)
    if found.every is not None:
        shown_as = {str(value): found.name(value) for value in found.sizes}
        table = table.with_columns(table["group"].cast(str).replace(shown_as))
    title = f"each of {len(counts)} values of {others['by']} (a) against the rest (b), {many(sum(counts), 'document')}"
    return _Compared(table, [title, *_bursts_of_one(options, found.names, counts)], heading, sides)


def _bursts_of_one(options: dict[str, Any], names: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """A line on the groups of one document, if burstiness is compared.

    >>> _bursts_of_one({"compare": "burstiness"}, ["x", "y"], [1, 3])
    ['x is a single document: bursts show only between documents, so its burst ratios are 1, or – if it lacks the term']
    """
    alone = [printable(name) for name, size in zip(names, sizes, strict=True) if size == 1]
    if options.get("compare") != "burstiness" or not alone:
        return []
    whose = "its burst ratios are 1, or – if it lacks the term"
    if len(alone) == 1:
        return [f"{alone[0]} is a single document: bursts show only between documents, so {whose}"]
    listed = ", ".join(alone[:3]) + (", …" if len(alone) > 3 else "")
    return [f"{listed} are single documents: bursts show only between documents, so {whose.replace('its', 'their')}"]


def _with_list(a: str, path: Path, reading: Reading, options: dict[str, Any], *, page: bool) -> _Compared:
    """Compare with a list of frequencies."""
    from termburst.questions.word_lists import read_word_list

    if page:
        raise ValueError("a page needs two corpora, but a word list has no documents; omit --report")
    if options.pop("method") != "beta-binomial":
        raise ValueError("--reference has its own method; omit --method")
    listed = read_word_list(path, lowercase=reading.counting.lowercase)
    first = reading.corpus(a, columns=())
    size = _size(first)
    with working("Comparing"):
        table = first.keyness(reference=listed, **options)
    title = f"A: {a}, {size}; B: {path}, {many(listed.tokens, 'token')} in a list"
    return _Compared(table, title, "", {}, (Path(a).name, path.name))


def _two_corpora(a: str, b: str, reading: Reading, options: dict[str, Any], *, page: bool) -> _Compared:
    from termburst.corpus.saved import check_same_words

    first, second = _both(a, b, reading, page=page)
    size_a, size_b = _size(first), _size(second)
    check_same_words(a, first.counting, b, second.counting)
    with working("Comparing"):
        table = first.keyness(second, **options)
    names = [Path(corpus).name or corpus for corpus in (a, b)]
    if names[0] == names[1]:  # 2024/posts.csv and 2025/posts.csv; or a corpus and itself
        names = [a, b] if a != b else [f"{a} (A)", f"{b} (B)"]
    above = [f"A: {a}, {size_a}; B: {b}, {size_b}", *_bursts_of_one(options, names, [len(first), len(second)])]
    sides = dict(zip(names, (_side(first), _side(second)), strict=True)) if page else {}
    return _Compared(table, above, " against ".join(names), sides, names)


def _both(a: str, b: str, reading: Reading, *, page: bool) -> list[Corpus]:
    """Two corpora. If one is saved statistics, the other is counted with the same options."""
    from termburst.corpus.saved import is_saved

    saved = [corpus for corpus in (a, b) if is_saved(corpus)]
    found = {}
    counting = None
    if len(saved) == 1:  # the other one has columns, and the steps are for it
        plain = replace(reading, files=replace(reading.files, text=None, id=None), steps=Steps())
        found[saved[0]] = plain.corpus(saved[0])
        counting = found[saved[0]].counting
    for name in (a, b):
        if name not in found:
            corpus = reading.corpus(name, columns=(), counting=counting)
            found[name] = corpus.in_memory() if page and name not in saved else corpus
    return [found[a], found[b]]


def _side(corpus: Corpus) -> Any:
    """What a page is made from: the documents, or statistics that are saved."""
    return corpus.statistics if corpus.is_saved else corpus


def _size(corpus: Corpus) -> str:
    return f"{many(len(corpus), 'document')}, {many(corpus.tokens, 'token')}"
