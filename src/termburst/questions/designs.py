"""Comparisons of documents by a formula, as frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.counting.options import CountingOptions
from termburst.display import no_column
from termburst.inference.checks import shown
from termburst.inference.clusters import cluster_test, summed_rows
from termburst.inference.designs import ContrastTest, DesignComparison, Significance
from termburst.models.beta_binomial_regression import design_cells_of
from termburst.questions.compared import design_notes, warn_of
from termburst.questions.design_plan import DesignPlan, Tally, check_clusters, design_rows, side_columns
from termburst.questions.formulas import Design, design_of
from termburst.questions.frames import counted_texts, named_terms
from termburst.questions.keyness import Keyness
from termburst.questions.plans import finished
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
    sides = side_columns(design, contrasts, n_i.size, partial(_tally_of_documents, counts))
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
    compared = _comparison(summed, cell, design.rows)
    if np.unique(cluster).size == cell.size:  # no column of the design varies within a cluster
        found = compared.tests(contrasts, confidence, prefix="clusters, ")
    else:
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
    frame = _frame_of(metadata)
    if frame.height != counts.shape[0]:
        raise ValueError(f"there are {counts.shape[0]:,} documents, but the metadata has {frame.height:,} rows")
    return counts, names, frame


def _frame_of(metadata: Any) -> pl.DataFrame:
    """Metadata as a frame; ValueError if that is not possible."""
    if isinstance(metadata, pl.DataFrame):
        return metadata
    if isinstance(metadata, Mapping):
        metadata = {name: _one_kind(values) for name, values in metadata.items()}
    try:
        return pl.DataFrame(metadata)
    except Exception as error:
        raise ValueError(
            f"metadata must be columns such as {{'year': years}}, or a frame; got {shown(metadata)}"
        ) from error


def _one_kind(values: Any) -> Any:
    """The same column; a list of whole and decimal numbers, which Polars refuses, as decimal numbers.

    >>> _one_kind([1, 2.5, None]), _one_kind([1, "x"])
    ([1.0, 2.5, None], [1, 'x'])
    """
    if isinstance(values, (list, tuple)) and {int, float} <= {*map(type, values)} <= {int, float, type(None)}:
        return [None if value is None else float(value) for value in values]
    return values


def _clusters(frame: pl.DataFrame, cluster: str, design: Design) -> NDArray[np.intp]:
    """The number of the cluster of each document."""
    if cluster not in frame.columns:
        raise ValueError(no_column(cluster, frame.columns, " for clusters"))
    column = frame[cluster]
    if column.null_count():
        raise ValueError(f"{column.null_count():,} documents have nothing in the column {cluster!r:.60}; fill it")
    _, codes = np.unique(column.cast(str).to_numpy(), return_inverse=True)
    check_clusters(int(codes.max()) + 1, cluster, design)
    return codes.ravel().astype(np.intp)


def _tally_of_documents(counts: Any, selected: NDArray[np.bool_]) -> Tally:
    """The tally of some rows of a count matrix.

    >>> from scipy.sparse import csr_array
    >>> n, b, tokens = _tally_of_documents(csr_array([[1, 2], [3, 0], [9, 9]]), np.array([True, True, False]))
    >>> n.tolist(), b.tolist(), tokens
    ([4, 2], [2, 1], 6)
    """
    part = counts[np.flatnonzero(selected)]
    n, b = (np.asarray(one.sum(axis=0)).ravel().astype(np.int64) for one in (part, part > 0))
    return n, b, int(n.sum())
