"""Weights of the cells, in the engine: closed forms as expressions, other schemes by our own code on batches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from termburst.counting.options import CountingOptions
from termburst.engines.batches import map_batches
from termburst.engines.cells import cells_of, document_type, length_statistics
from termburst.engines.door import opened
from termburst.engines.moments import moments, shared_numbers, warn_of_clamped
from termburst.engines.operations import ColumnOperations
from termburst.engines.running import run_on_cells
from termburst.models import closed_forms as forms
from termburst.questions.burstiness_plan import FitPlan
from termburst.scheme_functions import LENGTH_SHARE, SATURATION
from termburst.schemes import RECOMMENDED_SCHEME, named_scheme, warn_without_labels
from termburst.statistics.term_statistics import TermStatistics

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FittedTerms:
    """The arrays of a `termburst.BetaBinomialFit` that schemes read; they have one entry per term."""

    mean: Floats
    alpha: Floats
    alpha_not: Floats
    alpha_0: Floats


FITTED = tuple(field.name for field in fields(FittedTerms))


def weigh(
    frame: Any,
    scheme: str = RECOMMENDED_SCHEME,
    *,
    mu: float | None = None,
    sigma2: float = 1.0,
    norm: str | None = None,
    counting: CountingOptions | None = None,
    check: bool = True,
    **columns: str,
) -> Any:
    """The weight of every term in every document that has it: a frame of document, term, weight in the same engine.

    "tf-idf", "btf-idf", "tf-icf", "counts", "sublinear-tf-idf", "bm25", "bm25-icf", "lambda" and "s-lambda" are
    expressions that the engine evaluates. The other schemes are computed by our own code on batches of rows; some of
    them need the exact fits of all terms, which are made first.

    Parameters
    ----------
    frame, counting, check, **columns : see `term_statistics`; a frame of patterns has no documents to weigh
    scheme : a name in `termburst.SCHEMES`
    mu, sigma2, norm : see `termburst.TermWeighting`
        λ of terms that repeat too often for the penalty is clamped. If the frame is in memory, a `ClampedTermsWarning`
        says so; otherwise the status of these terms in `term_table` is "invalid".

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"document": ["a", "b"], "text": ["ha ha so", "so"]})
    >>> weigh(frame, "tf-idf").sort("term").with_columns(pl.col("weight").round(3)).rows()
    [('a', 'ha', 1.386), ('a', 'so', 0.0), ('b', 'so', 0.0)]
    """
    wanted = named_scheme(scheme)
    if norm not in (None, "l1", "l2"):
        raise ValueError(f"norm must be 'l1', 'l2' or None; got {norm!r}")
    if scheme == "fisher-kernel":
        raise ValueError(
            "the scheme 'fisher-kernel' needs all counts of a term at once, but engines work on batches of rows; "
            "use termburst.TermWeighting"
        )
    warn_without_labels(scheme)
    cells = cells_of(opened(frame, columns, check=check, kinds=("texts", "counts")), counting, "documents")
    lengths = length_statistics(cells)
    shared = shared_numbers(lengths, mu, sigma2)
    terms = moments(cells).select("term", "n", "b")
    own = cells.parts[0].drop("documents", "tokens")  # a frame with documents has one part
    if scheme in EXPRESSIONS:
        weights = _by_expression(own, terms, scheme, shared)
    else:
        if wanted.needs_fit:
            like = cells.whole if isinstance(cells.whole, nw.DataFrame) else None
            fits = nw.from_native(run_on_cells(FitPlan(), cells, lengths, like))
            terms = terms.join(fits.select("term", *FITTED), on="term", how="inner")
        weights = _by_batches(own.join(terms, on="term", how="inner"), scheme, lengths, shared)
    return nw.to_native(weights if norm is None else _normalised(weights, norm))


def _by_expression(own: Any, terms: Any, scheme: str, shared: forms.Collection) -> Any:
    """Weights that the engine computes: first what they take from each term, then the cells."""
    ops = ColumnOperations(terms)
    n_i, b_i = (ops.keep(ops.as_float(nw.col(name))) for name in ("n", "b"))
    if scheme in ("lambda", "s-lambda"):
        warn_of_clamped(ops.frame, shared, stacklevel=4)
        per_length, once, per_count, _ = forms.cell_coefficients(ops, shared, n_i, b_i)
        found = {"per_length": per_length, "once": once, "per_count": per_count}
    else:
        found = {"idf": forms.idf(ops, shared.d, b_i), "icf": forms.icf(ops, shared.n, n_i)}
    joined = own.join(ops.frame.select("term", **found), on="term", how="inner")
    ops = ColumnOperations(joined)
    weight = EXPRESSIONS[scheme](ops, shared.mu)
    return ops.frame.select("document", "term", weight.alias("weight"))


def _count() -> Any:
    return nw.col("count").cast(nw.Float64)


def _saturated(mu: float) -> Any:
    relative = 1 - LENGTH_SHARE + LENGTH_SHARE / mu * nw.col("length").cast(nw.Float64)
    return _count() * (SATURATION + 1) / (_count() + SATURATION * relative)


def _plr_share(ops: ColumnOperations) -> Any:
    """λ_ij, as `closed_forms.cell_coefficients` has it and `core/weights.c` computes it in memory."""
    log_factorial = ops.log_factorial(nw.col("count"))
    per_length = nw.col("per_length") * nw.col("length").cast(nw.Float64)
    return ops.keep(nw.col("per_count") * (_count() - 1.0) + nw.col("once") + per_length + log_factorial)


def _sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + (-x.clip(-700.0, None)).exp())  # below −700 the exponential overflows, and some engines fail


# Expressions of the columns that `_by_expression` makes; the number is μ.
EXPRESSIONS: dict[str, Callable[[ColumnOperations, float], Any]] = {
    "counts": lambda ops, mu: _count(),
    "tf-idf": lambda ops, mu: _count() * nw.col("idf"),
    "btf-idf": lambda ops, mu: nw.col("idf"),
    "tf-icf": lambda ops, mu: _count() * nw.col("icf"),
    "sublinear-tf-idf": lambda ops, mu: (1.0 + ops.log(_count())) * (1.0 + nw.col("idf")),
    "bm25": lambda ops, mu: _saturated(mu) * nw.col("idf"),
    "bm25-icf": lambda ops, mu: _saturated(mu) * nw.col("icf"),
    "lambda": lambda ops, mu: _plr_share(ops),
    "s-lambda": lambda ops, mu: _sigmoid(_plr_share(ops)),
}


def _by_batches(joined: Any, scheme: str, lengths: TermStatistics, shared: forms.Collection) -> Any:
    """Weights that our own code computes, one batch of rows at a time."""
    import polars as pl

    schema = {"document": document_type(joined), "term": pl.String, "weight": pl.Float64}
    function = partial(
        weighed, scheme=scheme, lengths=lengths.lengths, length_documents=lengths.length_documents, mu=shared.mu,
        sigma2=shared.sigma2,
    )  # fmt: skip
    return map_batches(joined, function, schema)


def weighed(
    batch: pl.DataFrame, *, scheme: str, lengths: Any, length_documents: Any, mu: float, sigma2: float
) -> pl.DataFrame:
    """The weights of some cells, which may be cells of any documents.

    A scheme takes a matrix of documents. Here each cell is a document of its own. All its other tokens are one more
    term, so that its length is right.
    """
    import polars as pl
    import scipy.sparse as sp

    term, count = batch["term"], batch["count"].to_numpy()
    rest = batch["length"].to_numpy() - count
    place = term.rank("dense").to_numpy().astype(np.int64) - 1
    _, first = np.unique(place, return_index=True)
    others = first.size
    data, indices = np.stack([count, rest], axis=1), np.stack([place, np.full_like(place, others)], axis=1)
    kept = np.stack([np.ones(rest.size, dtype=bool), rest != 0], axis=1)  # a document may consist of one term
    starts = np.concatenate([[0], kept.sum(axis=1).cumsum()])
    counts = sp.csr_array((data[kept], indices[kept], starts), shape=(count.size, others + 1))
    tokens, documents = int(lengths @ length_documents), int(length_documents.sum())
    statistics = TermStatistics(
        None,
        lengths,
        length_documents,
        np.append(batch["n"].to_numpy()[first], tokens),
        np.append(batch["b"].to_numpy()[first], documents),
    )
    fit = _fitted(batch[first]) if named_scheme(scheme).needs_fit else None
    weights = named_scheme(scheme)(counts, statistics, fit, mu=mu, sigma2=sigma2)[starts[:-1]]
    return pl.DataFrame({"document": batch["document"], "term": term, "weight": weights})


def _fitted(terms: pl.DataFrame) -> FittedTerms:
    """The fits of terms, one row per term; and behind them that of the other tokens, at the boundary with mean 1."""
    last = {"mean": 1.0, "alpha": np.inf, "alpha_not": np.inf, "alpha_0": np.inf}
    return FittedTerms(**{name: np.append(terms[name].to_numpy(), last[name]) for name in FITTED})


def _normalised(weights: Any, norm: str) -> Any:
    """The weights of every document, scaled to unit norm."""
    size = nw.col("weight").abs() if norm == "l1" else nw.col("weight") * nw.col("weight")
    total = weights.with_columns(size=size).group_by("document").agg(nw.col("size").sum())
    length = nw.col("size") if norm == "l1" else nw.col("size").sqrt()
    safe = nw.when(length > 0).then(length).otherwise(nw.lit(1.0))
    return weights.join(total, on="document", how="inner").select(
        "document", "term", (nw.col("weight") / safe).alias("weight")
    )
