"""By how much do the selected terms of a comparison differ at least? Of terms that no process has all of.

The lower bound of a term depends on all others only through some order statistics: the k-th largest end of an interval,
for 64 ranks k (`inference.confident_effect`). They are found exactly, digit by digit, from counts.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from termburst.engines.batches import kept, map_batches
from termburst.engines.frames import polars_types, to_polars
from termburst.inference.confident_effect import Claims, levels_of, selected_end

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]

FEW = 100_000  # selected terms whose ends come to this process
SHIFTS = (52, 39, 26, 13, 0)  # digits of a 64-bit key: one of 12 bits and four of 13


def with_selected_ends(found: Any, confidence: float | None) -> Any:
    """The table with the lower bounds of `selected_end`."""
    schema = polars_types(found)
    return map_batches(found, partial(selected_ends, confidence=confidence, columns=list(schema)), schema)


def selected_ends(batch: pl.DataFrame, *, confidence: float | None, columns: list[str]) -> pl.DataFrame:
    """Some rows of the table, with their lower bounds."""
    low, high, q_value = (_floats(batch, name) for name in ("ci_low", "ci_high", "q_value"))
    return _with_lower_bound(batch, selected_end(low, high, q_value, confidence), columns)


def with_effects(found: Any, confidence: float | None, terms: int, adjust: str, null_share: float) -> Any:
    """The table with bounds by `confident_effects`, null without a confidence; the columns of ends are dropped."""
    schema = polars_types(found)
    columns = [name for name in schema if not name.startswith("_end_")]
    if confidence is None:
        return found.select(*columns)
    found, own = kept(found), {name: schema[name] for name in columns}
    levels, level = levels_of(1 - confidence, terms), 1 - confidence
    chosen = found.filter(nw.col("q_value") <= level)
    facts = to_polars(chosen.select(nw.len().alias("selected"), nw.col("p_value").max().alias("largest")))
    selected, largest = int(facts["selected"][0]), facts["largest"][0]
    tested = found.filter(~nw.col("p_value").is_null())
    able = tested.filter(nw.col("least_p") <= (0.0 if largest is None else largest)).select(nw.len().alias("able"))
    claims = Claims.of(selected, levels, adjust, max(int(to_polars(able)["able"][0]), 1), null_share)
    least = kth_largest(chosen, claims, selected) if selected else np.zeros(len(claims.ranks))
    function = partial(claimed, claims=claims, least=least, level=level, columns=columns)
    return map_batches(found, function, own)


def claimed(batch: pl.DataFrame, *, claims: Claims, least: Floats, level: float, columns: list[str]) -> pl.DataFrame:
    """Some rows of the table, with their lower bounds."""
    p_value, q_value, ratio = (_floats(batch, name) for name in ("p_value", "q_value", "log_ratio"))
    selected = q_value <= level
    lower_bound = np.where(np.isnan(p_value), np.nan, 0.0)
    lower_bound[selected] = claims.effects(_ends(batch)[selected], least)
    return _with_lower_bound(batch, lower_bound * np.sign(ratio), columns)


def kth_largest(chosen: Any, claims: Claims, selected: int) -> Floats:
    """The k-th largest L_i(t_k) of the selected terms, for each rank k of the claims."""
    names = [name for name in chosen.collect_schema().names() if name.startswith("_end_")]
    ends = chosen.select(*names)
    if selected <= FEW:
        found = claims.at(_ends(to_polars(ends)))
        return np.array([np.partition(at, -rank)[-rank] for rank, at in zip(claims.ranks, found, strict=True)])
    import polars as pl

    prefix, left = np.zeros(len(claims.ranks), dtype=np.uint64), np.array(claims.ranks)
    for shift in SHIFTS:
        function = partial(digits, claims=claims, prefix=prefix, shift=shift)
        rows = map_batches(ends, function, dict.fromkeys(("rank", "digit", "number"), pl.Int64))
        counted = to_polars(rows.group_by("rank", "digit").agg(nw.col("number").sum())).sort("digit", descending=True)
        for at in range(prefix.size):
            mine = counted.filter(pl.col("rank") == at)
            above = mine["number"].to_numpy().cumsum()
            place = int(np.searchsorted(above, left[at]))
            left[at] -= above[place - 1] if place else 0
            prefix[at] |= np.uint64(mine["digit"][place]) << np.uint64(shift)
    return _values(prefix)


def digits(batch: pl.DataFrame, *, claims: Claims, prefix: Keys, shift: int) -> pl.DataFrame:
    """How many ends have each next digit, of those that begin with the prefix of their rank."""
    import polars as pl

    width = 64 - SHIFTS[0] if shift == SHIFTS[0] else 13
    frames = []
    for rank, at in enumerate(claims.at(_ends(batch))):
        keys = _keys(at)
        if shift < SHIFTS[0]:
            above = np.uint64(shift + width)
            keys = keys[keys >> above == prefix[rank] >> above]
        digit, number = np.unique((keys >> np.uint64(shift)) & np.uint64(2**width - 1), return_counts=True)
        frames.append(pl.DataFrame({"digit": digit.astype(np.int64), "number": number}).with_columns(rank=rank))
    return pl.concat(frames)


def _keys(values: Floats) -> Keys:
    """Integers in the same order as the floats."""
    bits = np.ascontiguousarray(values + 0.0).view(np.uint64)
    sign = np.uint64(1 << 63)
    return np.where(bits & sign, ~bits, bits | sign)


def _values(keys: Keys) -> Floats:
    sign = np.uint64(1 << 63)
    return np.where(keys & sign, keys ^ sign, ~keys).view(np.float64)


def _ends(batch: pl.DataFrame) -> Floats:
    names = [name for name in batch.columns if name.startswith("_end_")]
    return np.column_stack([_floats(batch, name) for name in names])


def _floats(batch: pl.DataFrame, name: str) -> Floats:
    return np.asarray(batch[name].fill_null(np.nan).to_numpy())


def _with_lower_bound(batch: pl.DataFrame, lower_bound: Floats, columns: list[str]) -> pl.DataFrame:
    import polars as pl

    return batch.with_columns(lower_bound=pl.Series(lower_bound, dtype=pl.Float64).fill_nan(None)).select(columns)
