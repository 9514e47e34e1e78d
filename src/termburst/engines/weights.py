"""Weights of the cells, in the engine: closed forms as expressions, the others by our own code on batches of rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from termburst.counting.options import CountingOptions
from termburst.engines.batches import map_batches
from termburst.engines.cells import cells_of, document_type, length_statistics
from termburst.engines.door import opened
from termburst.engines.moments import moments, with_log_factorial, with_plr_steps
from termburst.engines.terms import fits
from termburst.models.penalties import checked_hyperparameters
from termburst.schemes import LENGTH_SHARE, SATURATION, named_scheme
from termburst.statistics.term_statistics import TermStatistics

if TYPE_CHECKING:
    import polars as pl


def weigh(
    frame: Any,
    scheme: str = "s-lambda",
    *,
    mu: float | None = None,
    sigma2: float = 1.0,
    norm: str | None = None,
    counting: CountingOptions | None = None,
    check: bool = True,
    **columns: str,
) -> Any:
    """The weight of every term in every document that holds it: a frame of document, term, weight in the same engine.

    "tf-idf", "btf-idf", "tf-icf", "counts", "sublinear-tf-idf", "bm25", "bm25-icf", "lambda" and "s-lambda" are
    expressions that the engine evaluates; the other schemes are computed by our own code on batches of rows, and those
    that need them have the exact fits of all terms made first.

    Parameters
    ----------
    frame, counting, check, **columns : see `term_statistics`; patterns know of no documents, and cannot be weighed
    scheme : a name in `termburst.SCHEMES`
    mu, sigma2, norm : see `termburst.TermWeighting`

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"document": ["a", "b"], "text": ["ha ha so", "so"]})
    >>> weigh(frame, "tf-idf").sort("term").with_columns(pl.col("weight").round(3)).rows()
    [('a', 'ha', 1.386), ('a', 'so', 0.0), ('b', 'so', 0.0)]
    """
    wanted = named_scheme(scheme)
    if norm not in (None, "l1", "l2"):
        raise ValueError(f"norm is 'l1', 'l2' or None; got {norm!r}")
    if scheme == "fisher-kernel":
        raise ValueError(
            "the scheme 'fisher-kernel' needs all counts of a term at once, which no batch of rows has; "
            "use termburst.TermWeighting"
        )
    cells = cells_of(opened(frame, columns, check=check, kinds=("texts", "counts")), counting, "documents")
    collection = length_statistics(cells)
    mu, sigma2 = checked_hyperparameters(collection.mean_length if mu is None else mu, sigma2)
    terms = moments(cells).select("term", "n", "b")
    own = cells.parts[0].drop("documents", "tokens")  # with documents there is one
    if scheme in EXPRESSIONS:
        steps = ["_idf", "_icf", "_share", "_one_minus", "_precision"]
        terms = with_plr_steps(terms, collection, mu, sigma2, "printed").select("term", *steps)
        joined = own.join(terms, on="term", how="inner")
        if scheme in ("lambda", "s-lambda"):
            joined = with_log_factorial(joined).with_columns(_lambda=_plr_share(collection, mu))
        weights = joined.select("document", "term", EXPRESSIONS[scheme](mu).alias("weight"))
    else:
        if wanted.needs_fit:
            terms = terms.join(fits(cells, collection).drop("n", "b", "status"), on="term", how="inner")
        weights = _by_batches(own.join(terms, on="term", how="inner"), scheme, collection, mu, sigma2)
    return nw.to_native(weights if norm is None else _normalised(weights, norm))


def _count() -> Any:
    return nw.col("count").cast(nw.Float64)


def _saturated(mu: float) -> Any:
    relative = 1 - LENGTH_SHARE + LENGTH_SHARE / mu * nw.col("length").cast(nw.Float64)
    return _count() * (SATURATION + 1) / (_count() + SATURATION * relative)


def _plr_share(collection: TermStatistics, mu: float) -> Any:
    """λ_ij (Eq. lambda-ij), as `inference.plr.CellCoefficients` has it."""
    once = (nw.col("_precision") - math.log(mu)) / (2 * float(collection.documents))
    return (
        (nw.col("_icf") + nw.col("_share")) * _count()
        + (once - nw.col("_idf") - nw.col("_share") - math.log(mu))
        - nw.col("_one_minus") * nw.col("length").cast(nw.Float64)
        + nw.col("_log_factorial")
    )


# In the columns of cells, and of `with_plr_steps` for their terms.
EXPRESSIONS: dict[str, Callable[[float], Any]] = {
    "counts": lambda mu: _count(),
    "tf-idf": lambda mu: _count() * nw.col("_idf"),
    "btf-idf": lambda mu: nw.col("_idf"),
    "tf-icf": lambda mu: _count() * nw.col("_icf"),
    "sublinear-tf-idf": lambda mu: (1.0 + _count().log()) * (1.0 + nw.col("_idf")),
    "bm25": lambda mu: _saturated(mu) * nw.col("_idf"),
    "bm25-icf": lambda mu: _saturated(mu) * nw.col("_icf"),
    "lambda": lambda mu: nw.col("_lambda"),
    "s-lambda": lambda mu: 1.0 / (1.0 + (-nw.col("_lambda").clip(-700.0, None)).exp()),  # beyond, some engines fail
}


def _by_batches(joined: Any, scheme: str, collection: TermStatistics, mu: float, sigma2: float) -> Any:
    import polars as pl

    schema = {"document": document_type(joined), "term": pl.String, "weight": pl.Float64}
    function = partial(
        weighed, scheme=scheme, lengths=collection.lengths, length_documents=collection.length_documents, mu=mu,
        sigma2=sigma2,
    )  # fmt: skip
    return map_batches(joined, function, schema)


def weighed(
    batch: pl.DataFrame, *, scheme: str, lengths: Any, length_documents: Any, mu: float, sigma2: float
) -> pl.DataFrame:
    """The weights of some cells, whichever documents they are of.

    A scheme wants a matrix of documents. Here a cell is a document of its own, in which all other tokens are one more
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
    kept = np.stack([np.ones(rest.size, dtype=bool), rest != 0], axis=1)  # a document may be all one term
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
    fit = None
    if named_scheme(scheme).needs_fit:
        beyond = {"mean": 1.0, "alpha": np.inf, "alpha_not": np.inf, "alpha_0": np.inf}
        fit = SimpleNamespace(
            **{name: np.append(batch[name].to_numpy()[first], value) for name, value in beyond.items()}
        )
    weights = named_scheme(scheme)(counts, statistics, fit, mu=mu, sigma2=sigma2)[starts[:-1]]
    return pl.DataFrame({"document": batch["document"], "term": term, "weight": weights})


def _normalised(weights: Any, norm: str) -> Any:
    """Every document scaled to unit norm."""
    size = nw.col("weight").abs() if norm == "l1" else nw.col("weight") * nw.col("weight")
    total = weights.with_columns(size=size).group_by("document").agg(nw.col("size").sum())
    length = nw.col("size") if norm == "l1" else nw.col("size").sqrt()
    safe = nw.when(length > 0).then(length).otherwise(nw.lit(1.0))
    return weights.join(total, on="document", how="inner").select(
        "document", "term", (nw.col("weight") / safe).alias("weight")
    )
