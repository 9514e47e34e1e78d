"""The documents of a frame: checked and counted once, for several questions."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import polars as pl

from termburst.backends.cells import (
    Groups,
    build_statistics,
    cells_of,
    coarser,
    histogram,
    kept_patterns,
    length_rows,
    statistics_of,
)
from termburst.backends.frame_input import COLUMNS, SEPARATOR, Kind, Opened, check_patterns, opened
from termburst.backends.frames import to_polars, totals
from termburst.backends.parts import Cells, dealt_out
from termburst.backends.run import run
from termburst.backends.stream import kept
from termburst.counting.options import CountingOptions, checked_counting
from termburst.models.cells import check_lengths
from termburst.names import Detail
from termburst.questions.design_plan import DesignCells, DesignPlan
from termburst.questions.plans import NO_ROWS, TermsPlan
from termburst.statistics.term_statistics import NothingToCountError, TermStatistics

MOST_FETCHED = 100_000  # combinations of covariates that come to this process, which refuses more than it can fit
SUMMED = SEPARATOR + "cluster" + SEPARATOR  # begins the name of a group whose clusters are one document each


class Collection:
    """The documents of a frame. Their cells are kept: finer ones also serve questions that need less.

    Parameters
    ----------
    frame : native and lazy
    names : our names of columns to the frame's own, if they differ
    counting : how texts are counted; None for counts and patterns
    checked : whether the frame is known to have no null, negative and duplicate entries
    """

    def __init__(
        self, frame: Any, names: dict[str, str], counting: CountingOptions | None, *, checked: bool = False
    ) -> None:
        self.frame, self.names, self.counting, self.checked = frame, names, counting, checked
        self._grouped: dict[str, tuple[tuple[Any, ...], Groups, bool]] = {}

    def opened(self, kinds: tuple[Kind, ...] = ("texts", "counts", "patterns"), **columns: Any) -> Opened:
        """The frame with our names of columns, after its values were checked, once for all questions."""
        found = opened(self.frame, self.names, check=not self.checked, kinds=kinds, **columns)
        if found.kind == "patterns" and not self.checked:
            cells = cells_of(replace(found, frame=found.frame.select(*COLUMNS["patterns"])), None, "patterns")
            check_patterns(cells.totals("term", "count", "length"), cells.lengths)
            self.__dict__["patterns"] = cells  # they were dealt out to be checked
        self.checked = True
        return found

    @cached_property
    def documents(self) -> Cells:
        """The cells of single documents."""
        return cells_of(self.opened(("texts", "counts")), self.counting, "documents")

    @cached_property
    def patterns(self) -> Cells:
        """The cells of the collection, equal ones merged."""
        if "documents" in vars(self):
            return coarser(self.documents)
        source, checked = self.opened(), vars(self).get("patterns")
        return cells_of(source, self.counting, "patterns") if checked is None else checked

    @cached_property
    def counts(self) -> Cells:
        """The cells without their single lengths, if no finer ones are known."""
        finer = next((name for name in ("patterns", "documents") if name in vars(self)), None)
        return cells_of(self.opened(), self.counting, "counts") if finer is None else getattr(self, finer)

    @cached_property
    def kept_patterns(self) -> tuple[Any, ...]:
        """The same as parts of term, count, length, documents, which several queries may read."""
        return kept_patterns(self.patterns)

    @cached_property
    def lengths(self) -> TermStatistics:
        """The statistics of the collection without its terms, from the engine."""
        return self.lengths_of(self.patterns)

    @staticmethod
    def lengths_of(cells: Cells) -> TermStatistics:
        """The same, from some of its cells."""
        return histogram(length_rows(cells))

    @property
    def statistics(self) -> TermStatistics:
        """`TermStatistics` with detail="patterns", in memory."""
        found = statistics_of(self.patterns, "patterns")
        return found if self.counting is None else replace(found, counting=checked_counting(self.counting))

    def build_statistics(self, detail: Detail, batch: str | None) -> TermStatistics:
        """`TermStatistics` of that detail, in memory; no cells are kept."""
        return build_statistics(self.opened(), self.counting, detail, batch)

    def run(self, plan: TermsPlan) -> Any:
        """The table of a plan of one collection."""
        check_lengths(self.lengths.lengths)
        groups = (("", self.lengths.lengths, self.lengths.length_documents),)
        return run(plan, self.kept_patterns, groups, few=self.patterns.few)

    def count_rows(self) -> Any:
        """Frame of document, term, count; a document without terms has one row, with the term "" and the count 0."""
        return self.documents.rows.select("document", nw.col("term").fill_null(""), "count")

    def pattern_rows(self, batch: str | None) -> Any:
        """Frame of term, count, length, documents(, batch); rows without a term are the documents of each length."""
        columns = ("term", "count", "length", "documents")
        held = self.patterns.total("term", "count", "length").select(*columns)
        nothing = {"term": nw.lit(None, dtype=nw.String), "count": nw.lit(0, dtype=nw.Int64)}
        empty = totals(self.patterns.lengths, ["length"]).with_columns(**nothing).select(*columns)
        found = nw.concat([held, empty])
        return found if batch is None else found.with_columns(batch=nw.lit(batch))

    # Groups of documents

    def groups(self, by: str, order: list[str] | None = None) -> tuple[tuple[Any, ...], Groups, bool]:
        """Parts of terms by the values of a column, the groups in *order*, and whether all terms are in one part."""
        if by not in self._grouped:
            source = self.opened(by=by)
            cells, found = self._by_group(source)
            if not found.height:
                raise NothingToCountError(NO_ROWS)
            names = found["group"].unique().to_list()
            names.sort(key=order.index if order is not None else int if source.whole_groups else None)
            if len(names) < 2:
                raise ValueError(f"there is only one group, {names[0]!r}: a comparison needs at least two")
            groups = tuple(_group(name, found.filter(group=name), f"group {name!r}") for name in names)
            self._grouped[by] = kept_patterns(cells, "group"), groups, cells.few
        return self._grouped[by]

    def beside(self, other: Collection) -> tuple[tuple[Any, ...], Groups, bool]:
        """The same for this collection and another one of the same engine."""
        names, parts, groups = ("first", "second"), [], []
        for name, own in zip(names, (self, other), strict=True):
            parts += [part.with_columns(group=nw.lit(name)) for part in own.kept_patterns]
            groups.append(_group(name, length_rows(own.patterns), f"{name} corpus"))
        dealt = dealt_out(parts)
        return dealt.parts, tuple(groups), dealt.few

    def design(self, plan: DesignPlan, cluster: str | None) -> DesignCells:
        """The documents by the values of the plan's columns; with *cluster*, also its values as one document each."""
        columns = plan.columns
        kinds: Any = ("texts", "counts") if cluster is not None else ("texts", "counts", "patterns")
        source = self.opened(kinds, covariates=columns, cluster=cluster)
        covariates = [f"covariate_{k}" for k in range(len(columns))]
        found = to_polars(source.frame.select(*covariates, "group").unique().head(MOST_FETCHED))
        plan.covariates_of(found, SEPARATOR)  # refuses what cannot be, before texts are counted
        if cluster is not None:
            parts, lengths = self._by_cluster(source, cluster)
            return DesignCells(parts, found, lengths, SEPARATOR)
        cells, rows = self._by_group(replace(source, frame=source.frame.drop(*covariates)))
        return DesignCells(kept_patterns(cells, "group"), found, {"": rows}, SEPARATOR, cells.few)

    def _by_group(self, source: Opened) -> tuple[Cells, pl.DataFrame]:
        """The cells and the lengths of groups; ValueError for a group from which more was withdrawn than it had."""
        cells = cells_of(source, self.counting, "patterns")
        lengths = length_rows(cells, "group")
        if source.kind == "patterns" and (to_polars(source.frame.select(nw.col("documents").min())).item() or 0) < 0:
            parts = cells.totals("term", "count", "length", "group")
            for name in lengths["group"].unique().sort():
                own = nw.col("group") == name
                try:
                    check_patterns((part.filter(own).drop("group") for part in parts), cells.lengths.filter(own))
                except ValueError as error:
                    raise ValueError(f"group {name.replace(SEPARATOR, ', ')!r:.80}: {error}") from None
        return cells, lengths

    def _by_cluster(self, source: Opened, cluster: str) -> tuple[tuple[Any, ...], dict[str, pl.DataFrame]]:
        """Patterns and lengths of documents, and of clusters as one document each."""
        of = source.frame.select("document", "group", "cluster").unique()
        _refuse_varying(of, cluster)
        (part,) = self.documents.parts
        held = kept(part.select("document", "term", "count", "length").join(of, on="document", how="inner"))
        lengths = held.select("document", "length", "group", "cluster").unique()
        one = nw.lit(1, dtype=nw.Int64)
        by_cluster = totals(lengths, ["cluster", "group"], "length")
        summed = totals(held, ["cluster", "group", "term"], "count")
        summed = summed.join(by_cluster.drop("group"), on="cluster", how="inner")
        summed = summed.with_columns(group=nw.concat_str(nw.lit(SUMMED), nw.col("group")))
        keys = ["term", "count", "length", "group"]
        frames = [kept(totals(rows.with_columns(documents=one), keys)) for rows in (held, summed)]
        rows = {
            name: to_polars(totals(some.with_columns(documents=one), ["group", "length"]))
            for name, some in (("", lengths), (SUMMED, by_cluster))
        }
        return dealt_out(frames).parts, rows


def _group(name: str, rows: pl.DataFrame, which: str) -> tuple[str, Any, Any]:
    """The document lengths of a group; ValueError if it has no tokens."""
    try:
        found = histogram(rows)
    except NothingToCountError:
        raise ValueError(f"the {which} has no tokens: there is nothing to compare with") from None
    check_lengths(found.lengths)
    return name, found.lengths, found.length_documents


def _refuse_varying(of: Any, cluster: str) -> None:
    """Raise ValueError for a null cluster, and if a covariate varies within one."""
    missing = to_polars(of.filter(nw.col("cluster").is_null()).select(nw.len().alias("rows")))["rows"][0]
    if missing:
        raise ValueError(f"{missing:,} documents have nothing in the column {cluster!r:.60}; fill it")
    pairs = of.select("cluster", "group").unique().group_by("cluster").agg(nw.len().alias("cells"))
    several = to_polars(pairs.filter(nw.col("cells") > 1).head(1))
    if several.height:
        raise ValueError(
            f"the formula varies within the cluster {several['cluster'][0]!r:.60}: such clusters are compared by "
            "random signs, which needs all documents in one process; use termburst.keyness there"
        )
