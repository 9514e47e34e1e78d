"""The sums that closed forms need, one row per term, computed by the engine."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from termburst.engines.batches import map_terms
from termburst.engines.cells import Cells
from termburst.engines.operations import ColumnOperations
from termburst.inference.plr import ClampedTermsWarning, clamped_terms
from termburst.models.closed_forms import Collection, repeats
from termburst.models.penalties import checked_hyperparameters
from termburst.statistics.term_statistics import TermStatistics

if TYPE_CHECKING:
    import polars as pl

col = nw.col
WHOLE = ("n", "count_length_sum", "count_squared_sum", "b")


def moments(cells: Cells) -> Any:
    """Frame of term, n = n_i, b = b_i, count_length_sum, count_squared_sum, repetition = Σ_j log (n_ij − 1)!."""
    if not cells.on_disk:
        return summed(cells.whole)
    import polars as pl

    schema = {"term": pl.String, **dict.fromkeys(WHOLE, pl.Int64), "repetition": pl.Float64}
    return map_terms(cells.parts, summed_here, schema)


def summed_here(cells: pl.DataFrame) -> pl.DataFrame:
    """The sums of some terms, of which all cells are given."""
    found: pl.DataFrame = nw.to_native(summed(in_order(cells)))
    return found


def in_order(cells: pl.DataFrame) -> Any:
    """All cells of some terms in a certain order, so that sums of floats are always rounded in the same way."""
    return nw.from_native(cells.sort("term", "count", "length"))


def shared_numbers(collection: TermStatistics, mu: float | None, sigma2: float) -> Collection:
    """The numbers of the collection that the closed forms need; μ is by default the mean document length."""
    mu, sigma2 = checked_hyperparameters(collection.mean_length if mu is None else mu, sigma2)
    return Collection(float(collection.documents), float(collection.tokens), mu, sigma2)


def warn_of_clamped(
    terms: Any, shared: Collection, outcome: str = "clamped as in the paper", stacklevel: int = 3
) -> None:
    """Warn of terms that repeat too often for the penalty (η² ≤ r_i), if *terms* (`moments`) are in memory.

    Of a lazy frame they would take one more pass over all data.
    """
    if not isinstance(terms, nw.DataFrame):
        return
    bad = terms.filter(repeats(col("n"), col("b")).cast(nw.Float64) >= shared.eta2)
    if len(bad):
        what = clamped_terms(len(bad), len(terms), f"{bad['term'].min()!r:.60}", shared.mu, shared.sigma2)
        warnings.warn(f"{what}: their λ_i is {outcome}", ClampedTermsWarning, stacklevel=stacklevel)


def summed(cells: Any) -> Any:
    """The sums of all terms of a frame."""
    count, documents, ops = col("count"), col("documents"), ColumnOperations(cells)
    repetition = ops.log_factorial(count) * documents.cast(nw.Float64)
    whole = {
        "n": count * documents,
        "count_length_sum": count * col("tokens"),
        "count_squared_sum": count * count * documents,
    }
    terms = ops.frame.with_columns(*(value.alias(name) for name, value in whole.items()), repetition=repetition)
    sums = terms.group_by("term").agg(*(col(name).sum() for name in [*whole, "documents", "repetition"]))
    found = sums.select(
        "term",
        *(col(name).cast(nw.Int64) for name in whole),
        col("documents").cast(nw.Int64).alias("b"),
        "repetition",
    )
    return found.filter(col("b") != 0)
