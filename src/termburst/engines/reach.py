"""`tables.reach` for tables that stay in an engine: only the distinct smallest p-values come to this process."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw

from termburst.engines.frames import to_polars
from termburst.questions.reach import LEVEL, out_of_reach, warn_of


def warn_if_out_of_reach(results: Any, table: Any, adjust: str) -> None:
    """Warn if no word could be significant, and none is.

    *results* are the tests, in a frame that can be read several times; *table* has their q_value, too, and is read only
    if no word could be significant by itself.
    """
    columns = results.collect_schema().names()
    if "least_p" not in columns:
        return
    family = ["contrast"] if "contrast" in columns else []
    tested = results.filter((nw.col("p_value") <= 1) & (nw.col("least_p") < 1)).select(*family, "least_p")
    smallest = to_polars(tested.select(nw.col("least_p").min()))["least_p"][0]
    if smallest is None or not smallest > 0:
        return
    number = to_polars(tested.with_columns(number=nw.lit(1)).group_by(*family, "least_p").agg(nw.col("number").sum()))
    families = number.partition_by("contrast") if family else [number]
    found = [out_of_reach(one["least_p"].to_numpy(), adjust, numbers=one["number"].to_numpy()) for one in families]
    if all(found) and not to_polars(table.filter(nw.col("q_value") <= LEVEL).select("q_value").head(1)).height:
        warn_of(found[:1], stacklevel=4)
