"""Comparisons of documents by a formula, as frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.counting.options import CountingOptions
from termburst.inference.clusters import cluster_test, summed_rows
from termburst.inference.designs import ContrastTest, DesignComparison, Significance
from termburst.models.beta_binomial_regression import design_cells_of
from termburst.questions.cells_given import cells_of, frame_of
from termburst.questions.compared import design_notes, strata_of_cells, warn_of
from termburst.questions.contrast_sides import side_columns, tally_of_documents
from termburst.questions.design_plan import DesignPlan, check_clusters, design_rows
from termburst.questions.formulas import Design, design_of, no_column
from termburst.questions.frames import counted_texts, named_terms
from termburst.questions.keyness import Keyness
from termburst.questions.plans import finished, run_in_memory
from termburst.statistics.matrix import canonical_counts


def keyness_by_formula(
    asked: Keyness,
    X: Any,
    formula: str,
    *,
    metadata: Any = None,
    terms: Any = None,
    counting: CountingOptions | None = None,
    contrast: str | Sequence[str] | None = None,
    cluster: str | None = None,
    strata: str | None = None,
) -> pl.DataFrame:
    """`termburst.keyness` with a formula."""
    if isinstance(X, Mapping):
        counted_texts({"X": X}, counting)
        if terms is not None:
            raise ValueError("the statistics already have term names; omit `terms`")
        if cluster is not None:
            raise ValueError("cluster= needs the documents: statistics do not keep which document contains what")
        parts, names, frame = cells_of(X, formula, metadata, strata)
        documents = [part.documents for part in parts]
        warn_of([None if strata is None else strata_of_cells(frame, documents, strata)])
        return run_in_memory(DesignPlan(asked, formula, strata, contrast, frame), names, parts)
    counts, names, frame = _documents(X, metadata, terms, counting)
    filled = np.flatnonzero(np.asarray(counts.sum(axis=1)).ravel() > 0)
    counts, frame = counts[filled], frame[filled]
    design = design_of(formula, frame, strata)
    contrasts = design.contrasts(contrast)
    tests: list[tuple[ContrastTest, Significance | None]]
    if cluster is None:
        compared = _comparison(counts, design.cell, design.rows)
        tests = [(one, None) for one in compared.tests(contrasts, asked.confidence)]
    else:
        tests = _clustered(counts, design, contrasts, _clusters(frame, cluster, design), asked.confidence)
    n_i, b_i = (np.asarray(part.sum(axis=0)).ravel() for part in (counts, counts > 0))
    sides = side_columns(design, contrasts, n_i.size, partial(tally_of_documents, counts))
    warn_of(design_notes(frame, design.variables, cluster, strata))
    plan = DesignPlan(asked, formula, clusters=None if cluster is None else frame[cluster].n_unique())
    return finished(plan, design_rows(tests, sides, names, n_i, b_i, asked.min_count))


def _comparison(counts: Any, cell: NDArray[np.intp], rows: Any) -> DesignComparison:
    return DesignComparison(design_cells_of(counts, cell), rows)


def _clustered(
    counts: Any, design: Design, contrasts: Any, codes: NDArray[np.intp], confidence: float | None
) -> list[tuple[ContrastTest, Significance | None]]:
    """The tests that allow for clusters, and those that ignore them."""
    ignoring = _comparison(counts, design.cell, design.rows)
    plain = [ignoring.significance(one) for one in contrasts]
    summed, cell, cluster = summed_rows(counts, design.cell, codes)
    if np.unique(cluster).size == cell.size:  # no column of the design varies within a cluster
        compared = _comparison(summed, cell, design.rows)
        found = compared.tests(contrasts, confidence, prefix="clusters, ")
        return list(zip(found, plain, strict=True))
    compared = _comparison(summed, cell, design.rows)
    found = [cluster_test(compared, one, summed, cell, cluster, confidence) for one in contrasts]
    return list(zip(found, plain, strict=True))


def _documents(X: Any, metadata: Any, terms: Any, counting: CountingOptions | None) -> tuple[Any, Any, pl.DataFrame]:
    """The counts, the names of terms, and the metadata of each document."""
    own = getattr(X, "metadata", None)
    (X,) = counted_texts({"X": X}, counting)
    counts = canonical_counts(X)
    names = named_terms(X, terms, counts.shape[1])
    if metadata is None:
        if own is None:
            raise ValueError("a formula needs a corpus with metadata, or metadata= with one row per document")
        metadata = own
    frame = frame_of(metadata)
    if frame.height != counts.shape[0]:
        raise ValueError(f"there are {counts.shape[0]:,} documents, but the metadata has {frame.height:,} rows")
    return counts, names, frame


def _clusters(frame: pl.DataFrame, cluster: str, design: Design) -> NDArray[np.intp]:
    """The number of the cluster of each document."""
    if cluster not in frame.columns:
        raise ValueError(no_column(frame, cluster, " for clusters"))
    column = frame[cluster]
    if column.null_count():
        raise ValueError(f"{column.null_count():,} documents have nothing in the column {cluster!r:.60}; fill it")
    _, codes = np.unique(column.cast(str).to_numpy(), return_inverse=True)
    check_clusters(int(codes.max()) + 1, cluster, design)
    return codes.ravel().astype(np.intp)
