"""Comparisons by a formula as a plan: a regression of each term on the covariates of the documents.

Documents with the same values of the covariates are one cell of the design. A regression needs the term's patterns in
every cell and the document lengths of every cell, so nothing here grows with the number of documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.inference.designs import Contrast, ContrastTest, DesignComparison, Significance
from termburst.inference.leaning import LEAST, SUMS, Leaning
from termburst.inference.multiplicity import adjust
from termburst.models.beta_binomial_regression import design_cells
from termburst.models.cells import TermCells
from termburst.questions.compared import MILLION, comparison_order, never_significant, strata_of_cells, warn_of
from termburst.questions.formula_text import named_columns
from termburst.questions.formulas import Design, design_of
from termburst.questions.frames import term_frame
from termburst.questions.keyness import Keyness
from termburst.questions.plans import Finish, Order, Rows, TermsPlan, lesson, sums_of, with_selected_end
from termburst.statistics.matrix import Integers
from termburst.statistics.term_statistics import NothingToCountError

DOCUMENTS, CLUSTERS = "documents", "clusters"  # of what the sums in `learn` are
_SIDES = ("n_a", "n_b", "b_a", "b_b", "per_million_a", "per_million_b")
Tally = tuple[Integers, Integers, int]  # occurrences, documents with the term, tokens


Groups = tuple[tuple[str, Integers, Integers], ...]  # name, lengths and documents of each length, of every group


@dataclass(frozen=True, slots=True)
class DesignCells:
    """The documents of a frame by the values of the covariates: groups, to which terms are dealt out.

    Attributes
    ----------
    parts : frames of term, count, length, group, documents that have no term in common
    rows : frame of covariate_0, covariate_1, … and group, their values in one string with *separator* between them
    lengths : frames of group, length, documents: of documents, and with a prefix of groups, of clusters as one document
    few : whether all terms are in one part that fits into memory
    """

    parts: tuple[Any, ...]
    rows: pl.DataFrame
    lengths: dict[str, pl.DataFrame]
    separator: str
    few: bool = False


@dataclass(frozen=True)
class DesignPlan(TermsPlan):
    """A design and what all terms say about the precision.

    Attributes
    ----------
    asked : confidence, adjust, sort and min_count
    formula, strata, contrast : see `termburst.keyness`
    covariates : one row for each cell of the design
    clustered : whether the cells of a term come twice: of the documents, and of clusters as one document each
    clusters : how many there are, for what p cannot reach
    leanings : for documents and clusters, one for each contrast; empty if all terms are given at once
    """

    asked: Keyness
    formula: str
    strata: str | None = None
    contrast: str | Sequence[str] | None = None
    covariates: Any = None
    clustered: bool = False
    clusters: int | None = None
    leanings: tuple[tuple[Leaning, ...], tuple[Leaning, ...]] = ((), ())

    @property
    def columns(self) -> list[str]:
        """The columns of documents that the design needs."""
        names = named_columns(self.formula)
        return names if self.strata is None or self.strata in names else [*names, self.strata]

    def placed(self, found: DesignCells, cluster: str | None) -> tuple[DesignPlan, Groups]:
        """The plan for documents of a frame, and their groups; ValueError if they cannot be compared so."""
        names, covariates = self.covariates_of(found.rows, found.separator)
        groups: list[tuple[str, Integers, Integers]] = []
        filled: list[int] = []
        for prefix, rows in found.lengths.items():
            by_group = rows.sort("length")
            parts, none = by_group.partition_by("group", as_dict=True), by_group.clear()
            own = [parts.get((name,), none) for name in names]
            if not prefix:  # cells without tokens are left out
                filled = [k for k, one in enumerate(own) if (one["length"] > 0).any()]
            for k in filled:
                groups.append((prefix + names[k], own[k]["length"].to_numpy(), own[k]["documents"].to_numpy()))
        if not filled:
            raise NothingToCountError("no document has a term; perhaps all are empty or contain only stop words")
        plan = replace(self, covariates=covariates[filled], clustered=cluster is not None)
        documents = np.array([int(number[length > 0].sum()) for _, length, number in groups], np.int64)
        own_documents, clusters = documents[: len(filled)], int(documents[len(filled) :].sum())
        design = design_of(self.formula, plan.covariates, self.strata, own_documents)
        design.contrasts(self.contrast)  # refuses what cannot be
        if self.strata is not None:
            warn_of([strata_of_cells(plan.covariates, own_documents, self.strata)], stacklevel=3)
        if cluster is not None:
            check_clusters(clusters, cluster, design)
        return plan, tuple(groups)

    def covariates_of(self, rows: pl.DataFrame, separator: str) -> tuple[list[str], pl.DataFrame]:
        """The groups and their covariates, in an order that does not depend on the engine."""
        for k, name in enumerate(self.columns):
            if missing := rows[f"covariate_{k}"].null_count():
                problem = f"the column {name!r:.60} has null in {missing:,} of the combinations"
                raise ValueError(problem + "; fill it, or drop the rows")
        rows = rows.sort("group")
        twice = rows["group"].is_duplicated()
        if twice.any():
            value = rows.filter(twice)["group"][0].replace(separator, ", ")
            listed = ", ".join(map(repr, self.columns))
            raise ValueError(f"two combinations of {listed:.200} look alike, as {value!r:.80}; use strings")
        covariates = rows.select(pl.col(f"covariate_{k}").alias(name) for k, name in enumerate(self.columns))
        return rows["group"].to_list(), covariates

    def design(self, cells: Sequence[TermCells]) -> tuple[Design, list[TermCells], list[TermCells]]:
        """The design, and the cells of documents and of clusters; cells without documents are left out."""
        size = len(self.covariates)
        number = np.array([part.documents for part in cells[:size]], np.int64)
        held = np.flatnonzero(number)
        if not held.size:
            raise ValueError("the cells have no tokens: there is nothing to compare")
        design = design_of(self.formula, self.covariates[held], self.strata, number[held])
        clusters = [cells[size + k] for k in held.tolist()] if self.clustered else []
        return design, [cells[k] for k in held.tolist()], clusters

    def learn(self, cells: Sequence[TermCells]) -> pl.DataFrame:
        """See `TermsPlan`: `DesignComparison.leaning_sums` for each contrast."""
        design, *parts = self.design(cells)
        found: dict[tuple[int, str], Any] = {}
        for what, some in zip((DOCUMENTS, CLUSTERS), parts, strict=True):
            # Only these can say anything; the others need no fits.
            telling = np.flatnonzero(np.sum([part.b_i for part in some or cells], axis=0) >= LEAST)
            if not some or not telling.size:
                continue
            data = design_cells([part.of_terms(telling) for part in some], design.cell)
            compared = DesignComparison(data, design.rows)
            for number, one in enumerate(design.contrasts(self.contrast)):
                found[number, what] = compared.leaning_sums(one)
        return lesson(found)

    def taught(self, rows: pl.DataFrame) -> Self:
        """See `TermsPlan`."""
        sums = sums_of(rows)  # in the order of contrasts
        documents, clusters = (
            tuple(Leaning.of(sum_.reshape(-1, SUMS)) for (_, name), sum_ in sums.items() if name == what)
            for what in (DOCUMENTS, CLUSTERS)
        )
        return replace(self, leanings=(documents, clusters))

    def rows(self, terms: Any, cells: Sequence[TermCells]) -> pl.DataFrame:
        """See `TermsPlan`."""
        design, own, clusters = self.design(cells)
        contrasts = design.contrasts(self.contrast)
        data = design_cells(own, design.cell)
        compared, leanings = DesignComparison(data, design.rows), self.leanings[0] or None
        tests: list[tuple[ContrastTest, Significance | None]]
        if self.clustered:
            each = leanings or [None] * len(contrasts)
            plain = [compared.significance(one, leaning) for one, leaning in zip(contrasts, each, strict=True)]
            compared = DesignComparison(design_cells(clusters, design.cell), design.rows)
            found = compared.tests(contrasts, self.asked.confidence, "clusters, ", self.leanings[1] or None)
            tests = list(zip(found, plain, strict=True))
        else:
            tests = [(one, None) for one in compared.tests(contrasts, self.asked.confidence, leanings=leanings)]
        sides = side_columns(design, contrasts, data.cells.n_i.size, partial(_tally_of_cells, own))
        return design_rows(tests, sides, terms, data.cells.n_i, data.cells.b_i, self.asked.min_count)

    def schema(self) -> dict[str, Any]:
        """See `TermsPlan`."""
        none, narrow = np.zeros(0, np.int64), np.zeros(0, np.int32)
        plan, size = replace(self, leanings=((), ())), len(self.covariates) * (2 if self.clustered else 1)
        enough = np.array([size + 3])  # documents in each cell of the design, for as many columns as it may have
        empty = TermCells(np.zeros(1, np.int64), narrow, narrow, np.ones(1), none, none, np.array([1]), enough)
        return dict(plan.rows([], [empty] * size).schema) | {"term": pl.String}

    def finish(self, rows: Rows) -> Finish:
        """Each contrast is a question of its own, so each has its own family of tests."""
        p_value, least, family = rows.take("p_value", "least_p", "_contrast")
        q_value = np.full(p_value.size, np.nan)
        for one in np.unique(family):
            mine = np.flatnonzero(family == one)
            attainable = np.minimum(least[mine], p_value[mine])
            q_value[mine] = adjust(p_value[mine], self.asked.adjust, attainable=attainable)
        warn_of([never_significant(p_value, q_value, least, self.asked.adjust, self.clusters, family)], stacklevel=4)
        return Finish(q_value, partial(with_selected_end, confidence=self.asked.confidence))

    def order(self) -> Order:
        """See `TermsPlan`."""
        return comparison_order(self.asked.sort)


def check_clusters(number: int, cluster: str, design: Design) -> None:
    """Raise ValueError if there are too few clusters."""
    columns = len(design.names)
    if number < columns + 3:
        raise ValueError(
            f"{cluster!r:.60} has {number} clusters, too few for a design of {columns} columns: "
            f"at least {columns + 3} are needed"
        )


def design_rows(
    tests: Sequence[tuple[ContrastTest, Significance | None]],
    sides: Sequence[dict[str, pl.Series]],
    terms: Any,
    n_i: Any,
    b_i: Any,
    min_count: int,
) -> pl.DataFrame:
    """The rows of a design, before `DesignPlan.finish`: for each contrast, its tests with and without clusters."""
    counted, nothing = n_i >= max(min_count, 1), np.full(n_i.size, np.nan)
    frames = []
    for number, ((found, documents), side) in enumerate(zip(tests, sides, strict=True)):
        columns: dict[str, Any] = {
            "n": n_i,
            "b": b_i,
            "contrast": [found.name] * n_i.size,
            **side,
            "log_ratio": found.log_ratio,
            "log_ratio_unadjusted": found.unadjusted,
            "ci_low": found.ci_low,
            "ci_high": found.ci_high,
            "lower_bound": nothing,
            "statistic": found.statistic,
            "p_value": found.p_value,
            "q_value": nothing,
            "least_p": found.least_p,
            "p_method": found.p_method.tolist(),
            "status": found.status.tolist(),
        }
        if documents is not None:
            columns |= {"statistic_documents": documents.statistic, "p_documents": documents.p_value}
        frames.append(term_frame(terms, columns | {"_contrast": np.full(n_i.size, number)}, counted))
    return pl.concat(frames).with_columns(pl.col("contrast", "p_method", "status").cast(pl.String))


def side_columns(
    design: Design, contrasts: Sequence[Contrast], terms: int, tally: Callable[[NDArray[np.bool_]], Tally]
) -> list[dict[str, pl.Series]]:
    """The columns n_a, n_b, b_a, b_b, per_million_a and per_million_b of each contrast.

    They are null for a contrast that does not compare two values of a category. *tally* counts the documents, or the
    rows of covariates, that a mask selects.
    """
    known: dict[tuple[str, Any], Tally] = {}

    def counted(name: str, level: Any) -> Tally:
        if (name, level) not in known:
            known[name, level] = tally((design.levels[name] == level).to_numpy())
        return known[name, level]

    found = []
    for contrast in contrasts:
        values: list[Any] = [[None] * terms] * len(_SIDES)
        if contrast.sides is not None:
            name, *levels = contrast.sides
            (n_a, b_a, tokens_a), (n_b, b_b, tokens_b) = (counted(name, level) for level in levels)
            values = [n_a, n_b, b_a, b_b, MILLION * n_a / tokens_a, MILLION * n_b / tokens_b]
        columns = zip(_SIDES, values, strict=True)
        found.append({
            name: pl.Series(name, value, pl.Float64 if "million" in name else pl.Int64) for name, value in columns
        })  # fmt: skip
    return found


def _tally_of_cells(parts: Sequence[TermCells], selected: NDArray[np.bool_]) -> Tally:
    """The tally of some of the parts of a collection, which have the same terms."""
    some = [part for part, wanted in zip(parts, selected.tolist(), strict=True) if wanted]
    n, b = (np.sum([getattr(part, name) for part in some], axis=0).astype(np.int64) for name in ("n_i", "b_i"))
    return n, b, sum(part.tokens for part in some)
