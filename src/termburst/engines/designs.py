"""Which terms depend on a covariate, given others? Designs of `engines.keyness`, asked where the data are.

The cells of the design are groups of documents: terms are dealt out to workers as for two corpora. See `DesignPlan`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from termburst.counting.options import CountingOptions
from termburst.engines.batches import kept
from termburst.engines.cells import cells_of, kept_patterns, length_rows
from termburst.engines.dealing import dealt_out
from termburst.engines.door import SEPARATOR, Opened, opened
from termburst.engines.frames import in_polars, to_polars, totals
from termburst.engines.running import Groups, run
from termburst.questions.design_plan import DesignPlan
from termburst.questions.formulas import Design, design_of
from termburst.questions.reach import strata_of_cells, warn_of
from termburst.statistics.term_statistics import NothingToCountError

if TYPE_CHECKING:
    import polars as pl

MOST_FETCHED = 100_000  # combinations of covariates that come to this process, which refuses more than it can fit
SUMMED = SEPARATOR + "cluster" + SEPARATOR  # begins the name of a group whose clusters are one document each


def keyness_by_design(
    frame: Any,
    columns: dict[str, str],
    plan: DesignPlan,
    cluster: str | None,
    counting: CountingOptions | None,
    *,
    check: bool,
) -> Any:
    """`keyness_design` of a frame, as a frame of the same engine; see `engines.keyness`."""
    if not plan.columns:
        raise ValueError(f"the formula {plan.formula!r:.80} names no column of the frame")
    kinds: Any = ("texts", "counts") if cluster is not None else ("texts", "counts", "patterns")
    source = opened(frame, columns, check=check, kinds=kinds, covariates=plan.columns, cluster=cluster)
    found = source.frame.select(*_covariates(plan), "group").unique()
    names, covariates = _cells(to_polars(found.head(MOST_FETCHED)), plan.columns)
    if cluster is None:
        without = replace(source, frame=source.frame.drop(*_covariates(plan)))
        cells = cells_of(without, counting, "patterns")
        parts, lengths = kept_patterns(cells, "group"), {"": length_rows(cells, "group")}
    else:
        parts, lengths = _clustered(source, counting, cluster)
    groups, filled = _with_lengths(names, lengths)
    plan = replace(plan, covariates=covariates[filled], clustered=cluster is not None)
    documents = np.array([int(number[length > 0].sum()) for _, length, number in groups], np.int64)
    design = design_of(plan.formula, plan.covariates, plan.strata, documents[: len(filled)])
    design.contrasts(plan.contrast)  # refuses what cannot be
    if plan.strata is not None:
        warn_of([strata_of_cells(plan.covariates, documents[: len(filled)], plan.strata)], stacklevel=3)
    if cluster is not None:
        _check_clusters(int(documents[len(filled) :].sum()), cluster, design)
    like = source.frame if isinstance(source.frame, nw.DataFrame) else None
    return run(plan, tuple(in_polars(part)[0] for part in parts), groups, like)


def _covariates(plan: DesignPlan) -> list[str]:
    return [f"covariate_{k}" for k in range(len(plan.columns))]


def _cells(rows: pl.DataFrame, columns: Sequence[str]) -> tuple[list[str], pl.DataFrame]:
    """The groups and their covariates, in an order that does not depend on the engine."""
    import polars as pl

    for k, name in enumerate(columns):
        if missing := rows[f"covariate_{k}"].null_count():
            raise ValueError(
                f"the column {name!r:.60} has null in {missing:,} of the combinations; fill it, or drop the rows"
            )
    rows = rows.sort("group")
    twice = rows["group"].is_duplicated()
    if twice.any():
        value = rows.filter(twice)["group"][0].replace(SEPARATOR, ", ")
        raise ValueError(
            f"two combinations of {', '.join(map(repr, columns)):.200} look alike, as {value!r:.80}; use strings"
        )
    covariates = rows.select(pl.col(f"covariate_{k}").alias(name) for k, name in enumerate(columns))
    return rows["group"].to_list(), covariates


def _with_lengths(names: Sequence[str], lengths: dict[str, pl.DataFrame]) -> tuple[Groups, list[int]]:
    """The cells of the design with their document lengths, once for each prefix of their names.

    And the numbers of those that have tokens; the others are left out.
    """
    found = {}
    for prefix, rows in lengths.items():
        by_group = rows.sort("length")
        parts, none = by_group.partition_by("group", as_dict=True), by_group.clear()
        held = [parts.get((name,), none) for name in names]
        found[prefix] = [(one["length"].to_numpy(), one["documents"].to_numpy()) for one in held]
    filled = [k for k, (length, _) in enumerate(found[""]) if (length > 0).any()]
    if not filled:
        raise NothingToCountError("no document has a term; perhaps all are empty or contain only stop words")
    return tuple((prefix + names[k], *own[k]) for prefix, own in found.items() for k in filled), filled


def _clustered(
    source: Opened, counting: CountingOptions | None, cluster: str
) -> tuple[tuple[Any, ...], dict[str, pl.DataFrame]]:
    """Patterns and lengths of documents, and of clusters as one document each."""
    of = source.frame.select("document", "group", "cluster").unique()
    _refuse_varying(of, cluster)
    cells = cells_of(Opened(source.kind, source.frame.select(*_plain(source))), counting, "documents")
    (part,) = cells.parts
    held = kept(part.select("document", "term", "count", "length").join(of, on="document", how="inner"))
    lengths = _document_lengths(held)
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
    return dealt_out(frames).terms, rows


def _plain(source: Opened) -> list[str]:
    return ["document", "text"] if source.kind == "texts" else ["document", "term", "count"]


def _document_lengths(held: Any) -> Any:
    """One row per document that has tokens."""
    return held.select("document", "length", "group", "cluster").unique()


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
            "random signs, which needs all documents in one process; use termburst.keyness_design there"
        )


def _check_clusters(number: int, cluster: str, design: Design) -> None:
    columns = len(design.names)
    if number < columns + 3:
        raise ValueError(
            f"{cluster!r:.60} has {number} clusters, too few for a design of {columns} columns: "
            f"at least {columns + 3} are needed"
        )
