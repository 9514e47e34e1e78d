"""Comparisons of documents by a formula, as frames."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.counting.options import CountingOptions
from termburst.inference.clusters import cluster_test, summed_rows
from termburst.inference.designs import ContrastTest, DesignComparison, Significance
from termburst.models.beta_binomial_regression import design_cells_of
from termburst.names import Adjustment, Sort
from termburst.questions.cells_given import cells_of, frame_of, is_cells
from termburst.questions.compared import design_notes, strata_of_cells, warn_of
from termburst.questions.contrast_sides import side_columns, tally_of_documents
from termburst.questions.design_plan import DesignPlan, check_clusters, design_rows
from termburst.questions.formulas import Design, design_of, no_column
from termburst.questions.frames import counted_texts, named_terms
from termburst.questions.keyness import Keyness
from termburst.questions.plans import finished, run_in_memory
from termburst.statistics.matrix import canonical_counts

if TYPE_CHECKING:
    import polars as pl


def keyness_design(
    X: Any,
    formula: str,
    *,
    metadata: Any = None,
    terms: Any = None,
    counting: CountingOptions | None = None,
    contrast: str | Sequence[str] | None = None,
    cluster: str | None = None,
    strata: str | None = None,
    confidence: float | None = 0.95,
    adjust: Adjustment = "bh",
    sort: Sort | None = "p",
    min_count: int = 1,
) -> pl.DataFrame:
    """Which terms depend on a covariate of the documents, given the other covariates?

    Every term has a beta-binomial regression on the columns of the formula: the logit of its share is linear in them.

    Parameters
    ----------
    X : a corpus; a count matrix or texts with *metadata*; or `TermStatistics` with detail="patterns" of each cell
        Cells are documents with the same values of the covariates. A dict has their values as keys, in the order in
        which the formula names its columns: ``{("D", "old"): …, ("R", "old"): …}``. A list has *metadata* with one row
        per cell. The result is that of the documents, but there is no *cluster*.
    formula : str
        Columns of the metadata, such as "party + year". Text is a category, numbers are numbers, dates are years;
        ``C(year)`` makes a number a category; the values of a category are in alphabetical order, those of a Polars
        Enum in its own; ``party:year`` is an interaction, ``bs(year, df=4)`` or
        ``cr(year, df=4)`` a spline.
    metadata : columns or a frame with one row per document; not for a corpus, which has its own
        For a dict of cells: the names of the parts of its keys, if not those of the formula in its order.
    terms : sequence of str, optional
        The names of the columns of a matrix.
    counting : CountingOptions, optional
        How texts are counted.
    contrast : str or list of str, optional
        "party: D - R" compares two values, at the mean of all else; "year" is the slope of a number, per unit. By
        default the first level of each category minus each other level, and the slope of each number (of a spline: the
        upper minus the lower quartile).
    cluster : str, optional
        Column that says which documents may depend on each other, such as the speaker. If no column of the design
        varies within a cluster, the documents of a cluster are summed. Otherwise the scores of clusters are compared
        with those of random signs, which finds few differences if each cluster has both sides; a warning says so.
    strata : str, optional
        Column within whose values documents are compared: one more category in the formula. With many strata of fewer
        than 15 documents p is too small; a warning says so.
    confidence, adjust, min_count, sort : see `keyness`; q is adjusted for the terms of each contrast by itself

    Returns
    -------
    polars.DataFrame
        One row per term and contrast: term, n, b, contrast; n_a, n_b, b_a, b_b, per_million_a and per_million_b of the
        two values that are compared, as in `keyness` (null for a slope, or two numbers); log_ratio, log₂ of the
        ratio of odds (for a term below a few per cent of the tokens the ratio of shares), and log_ratio_unadjusted
        without the other covariates; ci_low, ci_high; lower_bound, the end of the interval nearest to 0 if q is small,
        else 0 (unlike that of `keyness`, it is not corrected for choosing terms by it); statistic, p_value, q_value;
        least_p, the smallest p that the term could have, wherever its bursts were (0 if not known): it counts in q only
        from there on; p_method, how p was obtained; status of the fit. With clusters also statistic_documents and
        p_documents, as if all documents were independent.

    Examples
    --------
    >>> import termburst as tb
    >>> X = [[9, 1, 40]] * 8 + [[1, 1, 40], [2, 1, 44]] * 6
    >>> who = {"who": ["x"] * 8 + ["y"] * 12, "year": [1, 2, 3, 4] * 5}
    >>> table = tb.keyness_design(X, "who + year", metadata=who, terms=["ha", "no", "so"])
    >>> table.select("term", "contrast").rows()[0], round(table["log_ratio"][0], 1)
    (('ha', 'who: x - y'), 2.7)
    """
    asked = Keyness(confidence=confidence, adjust=adjust, min_count=min_count, sort=sort)
    if is_cells(X):
        counted_texts({"X": X}, counting)
        if cluster is not None:
            raise ValueError("cluster= needs the documents: statistics do not keep which document contains what")
        parts, names, frame = cells_of(X, formula, metadata, terms, strata)
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
        tests = [(one, None) for one in compared.tests(contrasts, confidence)]
    else:
        tests = _clustered(counts, design, contrasts, _clusters(frame, cluster, design), confidence)
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
