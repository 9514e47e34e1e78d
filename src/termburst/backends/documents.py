"""Questions about documents and texts, where they are: weights, lines, and what is told of words by their documents."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import narwhals.stable.v2 as nw
import polars as pl

from termburst.backends.cells import term_sums
from termburst.backends.collection import Collection
from termburst.backends.expressions import ColumnOperations
from termburst.backends.frames import is_spark, to_polars
from termburst.backends.parts import Cells, map_and_add
from termburst.backends.run import PLACE, finished, sorted_by
from termburst.backends.stream import map_batches, map_terms, spooled, stream
from termburst.inference.plr import warn_of_clamped
from termburst.questions.burstiness_plan import FitPlan
from termburst.questions.collocates_plan import SUMS, CollocatesPlan
from termburst.questions.kwic import Kwic
from termburst.questions.term_table_plan import ClosedForms
from termburst.questions.text_cells import TEXTS, document_type
from termburst.questions.weigh_plan import WeighPlan


def closed_forms(plan: ClosedForms, cells: Cells) -> Any:
    """The table of closed forms; of texts and lazy Polars frames, some terms at a time are in memory."""
    if not cells.merged or is_spark(cells.whole):
        found = table_of_cells(cells.whole, plan)
    else:
        function = partial(table_of_part, plan=plan)
        schema = function(to_polars(cells.parts[0].head(0))).schema
        found = map_terms(cells.parts, function, schema)
    found = found.filter(nw.col("n") >= plan.asked.min_count)
    sort, columns = plan.asked.sort, found.collect_schema().names()
    if sort is None or is_spark(found):
        return found
    keys = found.with_columns(_order_0=-nw.col("plr").round(9)) if sort != "term" else found
    return sorted_by(keys, ["term"] if sort == "term" else ["_order_0", "term"], columns)


def table_of_part(cells: pl.DataFrame, *, plan: ClosedForms) -> pl.DataFrame:
    """The table of some terms, of which all cells are given: in order, so that sums are rounded in the same way."""
    ordered = nw.from_native(cells.sort("term", "count", "length"))
    table: pl.DataFrame = nw.to_native(table_of_cells(ordered, plan))
    return table


def table_of_cells(cells: Any, plan: ClosedForms) -> Any:
    """The table of all terms of a frame, in expressions."""
    ops = ColumnOperations(cells)
    sums = plan.sums(ops)
    rows = ops.frame.select("term", *(value.alias(name) for name, value in sums.items()))
    added = rows.group_by("term").agg(*(nw.col(name).sum() for name in sums))
    whole = (nw.col(name).cast(nw.Int64) for name in sums if name != "repetition")
    ops = ColumnOperations(added.select("term", *whole, "repetition").filter(nw.col("b") != 0))
    columns = plan.columns(ops)
    return ops.frame.select("term", "n", "b", **columns)


def weigh(plan: WeighPlan, collection: Collection, *, warn: bool) -> Any:
    """Frame of document, term, weight; with *warn*, one more query counts the terms whose λ is clamped."""
    terms = term_sums(collection.documents.whole)
    own = collection.documents.parts[0].select("document", "term", "count", "length")
    if plan.is_expression:
        if warn:
            _warn_of_clamped(plan, terms)
        ops = ColumnOperations(terms)
        columns = plan.terms(ops)
        joined = own.join(ops.frame.select("term", **columns), on="term", how="inner")
        ops = ColumnOperations(joined)
        weight = plan.weight(ops)
        weights = ops.frame.select("document", "term", weight.alias("weight"))
    else:
        if plan.fitted:
            fits = collection.run(FitPlan(sort=None)).select("term", *plan.fitted)
            terms = terms.join(fits, on="term", how="inner")
        joined = own.join(terms, on="term", how="inner")
        schema = {"document": document_type(joined), "term": pl.String, "weight": pl.Float64}
        weights = map_batches(joined, plan.weights(), schema)
    return weights if plan.asked.norm is None else normalised(weights, plan.asked.norm)


def _warn_of_clamped(plan: WeighPlan, terms: Any) -> None:
    bad = plan.clamped(ColumnOperations(terms))
    if bad is None:
        return
    found = to_polars(terms.with_columns(bad=bad).group_by("bad").agg(nw.len().alias("terms"), nw.col("term").min()))
    repeating = found.filter(found["bad"])
    if repeating.height:
        number, example = repeating["terms"][0], f"{repeating['term'][0]!r:.60}"
        warn_of_clamped(number, found["terms"].sum(), example, plan.shared.mu, plan.shared.sigma2)


def normalised(weights: Any, norm: str) -> Any:
    """The weights of every document, scaled to unit norm."""
    size = nw.col("weight").abs() if norm == "l1" else nw.col("weight") * nw.col("weight")
    total = weights.with_columns(size=size).group_by("document").agg(nw.col("size").sum())
    length = nw.col("size") if norm == "l1" else nw.col("size").sqrt()
    safe = nw.when(length > 0).then(length).otherwise(nw.lit(1.0))
    return weights.join(total, on="document", how="inner").select(
        "document", "term", (nw.col("weight") / safe).alias("weight")
    )


def collocates(plan: CollocatesPlan, collection: Collection) -> Any:
    """The table of a plan. Texts are read once; of each word, workers get what its test needs of the documents."""
    schema = plan.schema()
    texts = collection.opened(("texts",)).frame
    rows = map_and_add(texts, partial(map, plan.stage()), schema, SUMS, rows=TEXTS)
    tested = plan.tested(to_polars(rows.lengths.select(nw.col("n").sum()))["n"][0])
    found: Any = dict(tested(pl.DataFrame(schema=schema)).schema)
    results = map_terms(rows.parts, tested, found, place=PLACE)
    return finished(results, found, plan.finish, rows.parts[0], plan.order())


def kwic(asked: Kwic, collection: Collection, ids: Any, texts: Any, columns: dict[str, Any]) -> Any:
    """The lines of a concordance: expressions for ids and texts, and for other columns of the frame by their names.

    On Spark each worker searches some texts. Elsewhere the texts are streamed through this process, in their order.
    """
    source = collection.opened(("texts",))
    frame = nw.from_native(collection.frame)
    ids = ids.cast(source.frame.collect_schema()["document"])
    if is_spark(source.frame):
        line = dict.fromkeys(("left", "match", "right"), pl.String)
        schema = {"id": document_type(source.frame), **line, "position": pl.Int64}
        plain = replace(asked, columns=None, sort=None, top=None)
        found = map_batches(source.frame, partial(lines_of, asked=plain), schema, rows=TEXTS)
        if asked.needs:
            more = frame.select(ids.alias("id"), *(columns[name] for name in asked.needs))
            found = found.join(more, on="id", how="left")
        return found
    named = {f"column_{k}": name for k, name in enumerate(asked.needs)}
    searched = frame.select(
        ids.alias("id"),
        texts.cast(nw.String).alias("text"),
        *(columns[name].alias(alias) for alias, name in named.items()),
    )
    with closing(stream(searched, TEXTS)) as read:  # lines may end before the texts
        lines = asked.lines((rows.drop("text").rename(named), rows["text"].to_list()) for rows in read)
        first = next(lines)
        return spooled(chain([first], lines), first.schema, source.frame)


def lines_of(batch: pl.DataFrame, *, asked: Kwic) -> pl.DataFrame:
    """The lines of some texts."""
    ids = batch.select(pl.col("document").alias("id"))
    return pl.concat(asked.lines([(ids, batch["text"].to_list())]))
