"""Which terms depend on a covariate, given others? Designs of `engines.keyness`, asked where the data are.

Documents with the same values of the covariates are one cell of the design. A regression of one term needs its own
patterns in every cell, and the document lengths of every cell. So terms are dealt out to workers, as for two corpora.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from termburst.counting.options import CountingOptions
from termburst.engines.adjusting import with_q_values
from termburst.engines.batches import kept, map_terms
from termburst.engines.bins import key_columns
from termburst.engines.cells import cells_of, kept_patterns, length_rows
from termburst.engines.dealing import dealt_out
from termburst.engines.door import SEPARATOR, Opened, opened
from termburst.engines.effects import with_selected_ends
from termburst.engines.frames import back_from_polars, concatenated, in_polars, to_polars, totals
from termburst.engines.reach import warn_if_out_of_reach
from termburst.engines.term_cells import cells_of_groups
from termburst.inference.designs import ContrastTest, DesignComparison
from termburst.inference.leaning import LEAST, SUMS, Leaning
from termburst.models.beta_binomial_regression import design_cells
from termburst.models.cells import TermCells
from termburst.questions.designs import keyness_of_cells
from termburst.questions.formula_text import named_columns
from termburst.questions.formulas import Design, design_of
from termburst.questions.frames import term_frame
from termburst.questions.reach import strata_of_cells, warn_of
from termburst.statistics.tally import Integers
from termburst.statistics.term_statistics import NothingToCountError

if TYPE_CHECKING:
    import polars as pl

MOST_FETCHED = 100_000  # combinations of covariates that come to this process, which refuses more than it can fit
SUMMED = SEPARATOR + "cluster" + SEPARATOR  # begins the name of a group whose clusters are one document each


@dataclass(frozen=True)
class Designing:
    """A design and the document lengths of its cells: what workers need besides patterns.

    Attributes
    ----------
    formula, strata, contrast, confidence, min_count : see `engines.keyness`
    groups : the name of each cell's group
    covariates : one row per cell
    documents, summed : lengths, and documents of each length, of each cell; *summed* has one document per cluster, and
        is empty without clusters
    leanings, summed_leanings : what all terms say about the precision, by contrast, for each of these two
    """

    formula: str
    strata: str | None
    contrast: str | tuple[str, ...] | None
    confidence: float | None
    min_count: int
    groups: tuple[str, ...] = ()
    covariates: Any = None
    documents: tuple[tuple[Integers, Integers], ...] = ()
    summed: tuple[tuple[Integers, Integers], ...] = ()
    leanings: tuple[Leaning, ...] = ()
    summed_leanings: tuple[Leaning, ...] = ()

    @property
    def columns(self) -> list[str]:
        """The columns of documents that the design needs."""
        names = named_columns(self.formula)
        return names if self.strata is None or self.strata in names else [*names, self.strata]

    def design(self) -> Design:
        """The design of the documents; every cell has some that are not empty."""
        number = np.array([int(documents[lengths > 0].sum()) for lengths, documents in self.documents], np.int64)
        return design_of(self.formula, self.covariates, self.strata, number)


def keyness_by_design(
    frame: Any,
    columns: dict[str, str],
    designing: Designing,
    adjust: str,
    cluster: str | None,
    counting: CountingOptions | None,
    *,
    check: bool,
) -> Any:
    """`keyness_design` of a frame, as a frame of the same engine; see `engines.keyness`."""
    if not designing.columns:
        raise ValueError(f"the formula {designing.formula!r:.80} names no column of the frame")
    kinds: Any = ("texts", "counts") if cluster is not None else ("texts", "counts", "patterns")
    source = opened(frame, columns, check=check, kinds=kinds, covariates=designing.columns, cluster=cluster)
    found = source.frame.select(*_covariates(designing), "group").unique()
    rows = to_polars(found.head(MOST_FETCHED))
    designing = replace(designing, **_cells(rows, designing.columns))
    if cluster is None:
        cells = cells_of(_without_covariates(source, designing), counting, "patterns")
        parts, lengths = kept_patterns(cells, "group"), {"documents": length_rows(cells, "group")}
    else:
        parts, lengths = _clustered(source, counting, cluster)
    designing = _with_lengths(designing, lengths)
    design = designing.design()
    if designing.strata is not None:
        documents = [int(number[length > 0].sum()) for length, number in designing.documents]
        warn_of([strata_of_cells(designing.covariates, documents, designing.strata)], stacklevel=3)
    names = dict.fromkeys(one.name for one in design.contrasts(designing.contrast))  # refuses what cannot be
    if cluster is not None:
        _check_clusters(int(sum(documents.sum() for _, documents in designing.summed)), cluster, design)
    like = source.frame if isinstance(source.frame, nw.DataFrame) else None
    parts = tuple(in_polars(part)[0] for part in parts)
    designing = _with_leanings(designing, parts)
    function = partial(designed, designing=designing)
    results = kept(map_terms(parts, function, dict(designed(None, designing=designing).schema)))
    # Each contrast is a question of its own, so each has its own family of tests.
    families = (results.filter(nw.col("contrast") == name) for name in names)
    tested = concatenated([with_q_values(one, adjust, attainable=True)[0] for one in families])
    warn_if_out_of_reach(results, tested, adjust)
    return back_from_polars(with_selected_ends(tested, designing.confidence), like)


def _covariates(designing: Designing) -> list[str]:
    return [f"covariate_{k}" for k in range(len(designing.columns))]


def _without_covariates(source: Opened, designing: Designing) -> Opened:
    return replace(source, frame=source.frame.drop(*_covariates(designing)))


def _cells(rows: pl.DataFrame, columns: Sequence[str]) -> dict[str, Any]:
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
    return {"groups": tuple(rows["group"].to_list()), "covariates": covariates}


def _with_lengths(designing: Designing, lengths: dict[str, pl.DataFrame]) -> Designing:
    """The design with the lengths of its cells; cells without tokens are left out."""
    found: dict[str, Any] = {}
    for name, rows in lengths.items():
        by_group = rows.sort("length")
        parts = by_group.partition_by("group", as_dict=True)
        none = by_group.clear()
        held = [parts.get((group,), none) for group in designing.groups]
        found[name] = tuple((one["length"].to_numpy(), one["documents"].to_numpy()) for one in held)
    filled = [k for k, (length, _) in enumerate(found["documents"]) if (length > 0).any()]
    if not filled:
        raise NothingToCountError("no document has a term; perhaps all are empty or contain only stop words")
    found = {name: tuple(of[k] for k in filled) for name, of in found.items()}
    groups = tuple(designing.groups[k] for k in filled)
    return replace(designing, groups=groups, covariates=designing.covariates[filled], **found)


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
        for name, some in (("documents", lengths), ("summed", by_cluster))
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


def designed(patterns: pl.DataFrame | None, *, designing: Designing) -> pl.DataFrame:
    """The tests of some terms, of which all patterns are given, with the columns of the adjustment."""
    import polars as pl

    if patterns is None:  # only the columns are asked for
        whole = dict.fromkeys(("count", "length", "documents"), pl.Int64)
        patterns = pl.DataFrame(schema={"term": pl.String, **whole, "group": pl.String})
    groups = [(name, *lengths) for name, lengths in zip(designing.groups, designing.documents, strict=True)]
    terms, own = cells_of_groups(patterns, groups)
    confidence = None if designing.summed else designing.confidence
    table = keyness_of_cells(
        own, terms.to_list(), designing.covariates, designing.formula, contrast=designing.contrast,
        strata=designing.strata, confidence=confidence, adjust="none", min_count=designing.min_count, sort="term",
        leanings=designing.leanings or None,
    )  # fmt: skip
    if designing.summed:
        groups = [(SUMMED + name, *lengths) for name, lengths in zip(designing.groups, designing.summed, strict=True)]
        table = _with_clusters(table, terms, cells_of_groups(patterns, groups, terms)[1], designing)
    p_value = table["p_value"].fill_null(np.nan).to_numpy()
    least = table["least_p"].fill_null(np.nan).to_numpy()
    nothing = pl.lit(None, dtype=pl.Float64)
    return table.with_columns(
        pl.col("term", "contrast").cast(pl.String), q_value=nothing, lower_bound=nothing, **key_columns(p_value, least)
    )


def _with_leanings(designing: Designing, parts: tuple[Any, ...]) -> Designing:
    """The design with what all terms say about the precision: sums that add over terms."""
    found = map_terms(
        parts, partial(leaning_sums, designing=designing), dict(leaning_sums(None, designing=designing).schema)
    )
    keys = ["sums_of", "contrast", "column", "place"]
    sums = to_polars(found.group_by(*keys).agg(nw.col("total").sum())).sort(keys)
    found_of: dict[str, tuple[Leaning, ...]] = {"leanings": (), "summed_leanings": ()}
    for (kind,), rows in sums.partition_by("sums_of", as_dict=True, maintain_order=True).items():
        by_contrast = (one["total"].to_numpy() for one in rows.partition_by("contrast", maintain_order=True))
        found_of[str(kind)] = tuple(Leaning.of(total.reshape(-1, SUMS)) for total in by_contrast)
    return replace(designing, leanings=found_of["leanings"], summed_leanings=found_of["summed_leanings"])


def leaning_sums(patterns: pl.DataFrame | None, *, designing: Designing) -> pl.DataFrame:
    """`DesignComparison.leaning_sums` of some terms, of which all patterns are given, for each contrast."""
    import polars as pl

    design = designing.design()
    contrasts, frames = design.contrasts(designing.contrast), []
    of_clusters = pl.col("group").str.starts_with(SUMMED)
    for kind, prefix, lengths in (
        ("leanings", "", designing.documents),
        ("summed_leanings", SUMMED, designing.summed),
    ):
        if patterns is None or not lengths:
            continue
        # Only these can say anything; the others need no fits.
        some = patterns.filter(of_clusters == bool(prefix)).filter(pl.col("documents").sum().over("term") >= LEAST)
        groups = [(prefix + name, *own) for name, own in zip(designing.groups, lengths, strict=True)]
        data = design_cells(cells_of_groups(some, groups)[1], design.cell)
        compared = DesignComparison(data, design.rows)
        for k, one in enumerate(contrasts):
            sums = compared.leaning_sums(one)
            column, place = (index.ravel() for index in np.indices(sums.shape))
            rows = {"sums_of": [kind] * sums.size, "contrast": np.full(sums.size, k), "column": column, "place": place}
            frames.append(pl.DataFrame(rows | {"total": sums.ravel()}))
    schema = {"sums_of": pl.String, "contrast": pl.Int64, "column": pl.Int64, "place": pl.Int64, "total": pl.Float64}
    return pl.concat(frames) if frames else pl.DataFrame(schema=schema)


def _with_clusters(table: pl.DataFrame, terms: pl.Series, own: list[TermCells], designing: Designing) -> pl.DataFrame:
    """The table of a comparison whose documents are clusters; that of the documents is in the last two columns."""
    import polars as pl

    design = designing.design()
    compared = DesignComparison(design_cells(own, design.cell), design.rows)
    contrasts, leanings = design.contrasts(designing.contrast), designing.summed_leanings
    tests = compared.tests(contrasts, designing.confidence, "clusters, ", leanings or None)
    found = pl.concat([_columns_of(test, terms) for test in tests])
    plain = table.cast({"term": pl.String, "contrast": pl.String}).rename(
        {"statistic": "statistic_documents", "p_value": "p_documents"}
    )
    counted = [name for name in plain.columns if name not in found.columns or name in ("term", "contrast")]
    joined = plain.select(counted).join(found, on=["term", "contrast"], how="left", maintain_order="left")
    order = [*table.columns, "statistic_documents", "p_documents"]
    nothing = [pl.lit(None, dtype=pl.Float64).alias(name) for name in order if name not in joined.columns]
    return joined.with_columns(*nothing).select(order)


def _columns_of(test: ContrastTest, terms: pl.Series) -> pl.DataFrame:
    import polars as pl

    columns = {
        "contrast": [test.name] * terms.len(),
        "log_ratio": test.log_ratio,
        "log_ratio_unadjusted": test.unadjusted,
        "ci_low": test.ci_low,
        "ci_high": test.ci_high,
        "statistic": test.statistic,
        "p_value": test.p_value,
        "least_p": test.least_p,
        "p_method": test.p_method.tolist(),
        "status": test.status.tolist(),
    }
    return term_frame(terms, columns).with_columns(pl.col("p_method", "status", "contrast", "term").cast(pl.String))
