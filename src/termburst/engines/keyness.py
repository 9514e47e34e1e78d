"""Which terms differ between corpora, or between groups of documents? Asked where the data are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from termburst.counting.options import CountingOptions
from termburst.engines.cells import cells_of, histogram, kept_patterns, length_rows
from termburst.engines.dealing import dealt_out
from termburst.engines.designs import keyness_by_design
from termburst.engines.door import Opened, check_one_engine, opened
from termburst.engines.frames import in_polars
from termburst.engines.running import Groups, run
from termburst.models.cells import check_lengths
from termburst.names import Adjustment, Compare, KeynessMethod
from termburst.options import made_from
from termburst.questions.design_plan import DesignPlan
from termburst.questions.keyness import Keyness
from termburst.questions.keyness_plans import keyness_plan
from termburst.statistics.term_statistics import NothingToCountError, TermStatistics

if TYPE_CHECKING:
    import polars as pl


def keyness(
    frame: Any,
    other: Any = None,
    *,
    by: str | None = None,
    contrasts: bool | None = None,
    formula: str | None = None,
    contrast: str | Sequence[str] | None = None,
    strata: str | None = None,
    cluster: str | None = None,
    method: KeynessMethod = "beta-binomial",
    confidence: float | None = 0.95,
    adjust: Adjustment = "bh",
    min_count: int = 1,
    compare: Compare = "frequency",
    counting: CountingOptions | None = None,
    check: bool = True,
    **columns: str,
) -> Any:
    """Which terms differ between two corpora, or between groups of documents? As a frame of the same engine.

    The columns and numbers are those of `termburst.keyness` for two corpora or two groups, of
    `termburst.keyness_groups` for more, and of `termburst.keyness_design` for a formula; the rows are in no order.
    Terms are dealt out to workers, which all get the lengths of the documents. Neither this process nor a worker ever
    has all terms.

    Parameters
    ----------
    frame : texts, counts or patterns; see `term_statistics`
    other : another frame of the same engine, optional
        The corpus to compare with: *frame* is A, *other* is B.
    by : a column, instead of *other*
        Its values are the groups, strings or integers. Two groups are A and B, in their order.
    contrasts : bool, optional
        With *by*: whether each group is compared with all others together. By default if there are more than two; of
        two groups the first is compared with the second. With False there is one test per term over all groups.
    formula, contrast, strata : see `termburst.keyness_design`
        A formula of columns of the frame, such as "party + year", instead of *other* and *by*. The combinations of
        their values are the cells of the design; their lengths come to this process. With *contrast*, *strata* or
        *cluster*, *by* is a formula of one column.
    cluster : a column that says which documents may depend on each other, strings or integers
        Within a cluster no column of the formula may vary; its documents are then one.
    method, confidence, adjust, min_count, compare : see `termburst.keyness`; there is no method "bootstrap" here
    counting, check, **columns : see `term_statistics`; they are for both frames

    Examples
    --------
    >>> import polars as pl
    >>> texts = ["ha ha so"] * 6 + ["so it goes on"] * 8
    >>> frame = pl.LazyFrame({"document": range(14), "text": texts, "who": ["clown"] * 6 + ["crowd"] * 8})
    >>> keyness(frame, by="who").sort("p_value").select("term", "n_a", "n_b").collect().rows()[0]
    ('ha', 12, 0)
    """
    asked = made_from(Keyness, locals() | {"sort": "p"})
    design = (formula, contrast, strata, cluster)
    if any(option is not None for option in design):
        formula = _formula(formula, by, other)
        _check_design(contrasts, contrast, strata, cluster)
        asked.check_design()
        which = contrast if contrast is None or isinstance(contrast, str) else tuple(contrast)
        return keyness_by_design(
            frame, columns, DesignPlan(asked, formula, strata, which), cluster, counting, check=check
        )
    if (other is None) == (by is None):
        raise ValueError("give the frame to compare with, or by= with a column that has the groups, and not both")
    if by is None:
        if contrasts is not None:
            raise ValueError("contrasts are between groups of one frame: give by= with the column of the groups")
        corpora = _two_frames(frame, other, columns, counting, check=check)
    else:
        corpora = _groups(opened(frame, columns, check=check, by=by), by, counting)
    plan = keyness_plan(asked, [name for name, *_ in corpora.groups], contrasts)
    return run(plan, corpora.parts, corpora.groups, corpora.like)


@dataclass(frozen=True, slots=True)
class Corpora:
    """The terms of several corpora, to be dealt out to workers.

    Attributes
    ----------
    parts : frames of term, count, length, group, documents
    groups : name, lengths and documents of each length, of every group
    like : a frame in memory, of the engine that the result is to have; the parts are then frames of Polars
    """

    parts: tuple[Any, ...]
    groups: Groups
    like: Any


def _two_frames(
    frame: Any, other: Any, columns: dict[str, str], counting: CountingOptions | None, *, check: bool
) -> Corpora:
    sources = [opened(one, columns, check=check) for one in (frame, other)]
    check_one_engine(*(source.frame for source in sources))
    counted = any(source.kind == "texts" for source in sources)
    names, parts, lengths = ("first", "second"), [], []
    for name, source in zip(names, sources, strict=True):
        own = counting if source.kind == "texts" or not counted else None  # patterns may be compared with texts
        cells = cells_of(source, own, "patterns")
        parts.append([part.with_columns(group=nw.lit(name)) for part in kept_patterns(cells)])
        lengths.append(_lengths(length_rows(cells), f"{name} corpus"))
    dealt = dealt_out(parts[0] + parts[1])
    return _corpora(sources[0], dealt.terms, names, tuple(lengths))


def _lengths(rows: pl.DataFrame, which: str) -> TermStatistics:
    """The histogram of document lengths of a corpus; ValueError if it has no tokens."""
    try:
        found = histogram(rows)
    except NothingToCountError:
        raise ValueError(f"the {which} has no tokens: there is nothing to compare with") from None
    check_lengths(found.lengths)
    return found


def _groups(source: Opened, by: str, counting: CountingOptions | None) -> Corpora:
    cells = cells_of(source, counting, "patterns")
    found = length_rows(cells, "group")
    if not found.height:
        raise NothingToCountError("there are no documents: the frame has no rows")
    names = found["group"].unique().to_list()
    names.sort(key=int if source.whole_groups else None)
    if len(names) < 2:
        raise ValueError(f"there is only one group, {names[0]!r}: a comparison needs at least two")
    lengths = [_lengths(found.filter(group=name), f"group {name!r}") for name in names]
    parts = kept_patterns(cells, "group")
    return _corpora(source, parts, tuple(names), tuple(lengths))


def _corpora(
    source: Opened, parts: Sequence[Any], names: tuple[str, ...], lengths: tuple[TermStatistics, ...]
) -> Corpora:
    like = source.frame if isinstance(source.frame, nw.DataFrame) else None
    groups = tuple((name, one.lengths, one.length_documents) for name, one in zip(names, lengths, strict=True))
    return Corpora(tuple(in_polars(part)[0] for part in parts), groups, like)


def _check_design(contrasts: Any, contrast: Any, strata: Any, cluster: Any) -> None:
    """Raise ValueError for names that are not strings, and for options that a design does not have."""
    if contrasts is not None:
        raise ValueError(f"contrasts={contrasts!r} is not possible with a design (formula, contrast, strata, cluster)")
    for name, value in (("strata", strata), ("cluster", cluster)):
        if not isinstance(value, str | None):
            raise ValueError(f"{name} must be the name of a column; got {value!r:.60}")
    if not isinstance(contrast, str | Sequence | None):
        raise ValueError(f"contrast must be a string such as 'party: D - R', or several; got {contrast!r:.60}")


def _formula(formula: str | None, by: str | None, other: Any) -> str:
    """The formula of a design: the one given, or that of one column."""
    if other is not None:
        raise ValueError("a design compares documents of one frame: give a formula, and no other frame")
    if (formula is None) == (by is None):
        raise ValueError("a design needs formula= with columns of the frame, or by= with one column, and not both")
    if formula is not None:
        return formula
    return str(by) if str(by).isidentifier() else f"`{by}`"
