"""What a frame of any engine has: texts, counts or patterns. Its columns are renamed, and its values are checked."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

import narwhals.stable.v2 as nw
import polars as pl

from termburst.backends.frames import bytewise, is_spark, to_polars, totals
from termburst.backends.memory import limit_engine
from termburst.forks import check_fork

Kind = Literal["texts", "counts", "patterns"]
COLUMNS: dict[Kind, tuple[str, ...]] = {
    "texts": ("document", "text"),
    "counts": ("document", "term", "count"),
    "patterns": ("term", "count", "length", "documents"),
}
WHOLE = ("count", "length", "documents")
STRINGS = ("text", "term")
WIDE = (nw.UInt64, nw.Int128, nw.UInt128)  # may not fit into 64 signed bits: some engines would overflow
LARGEST = 2**63 - 1
SEPARATOR = "\x1f"  # between the values of covariates, in the name of a group
FOREIGN = ("ibis", "dask", "modin", "cudf", "sqlframe", "ray", "daft", "snowflake")  # libraries that are not supported
WAY_ROUND = "write it to Parquet files, and give polars.scan_parquet(files); or run its SQL on DuckDB or Spark"
PATTERNS = "tb.scan(frame).patterns(batch)"
TWICE = "two columns of the frame have the same name; rename or drop one"


@dataclass(frozen=True, slots=True)
class Opened:
    """A lazy frame with columns that have the names in `COLUMNS`, and "batch" if there is one.

    Attributes
    ----------
    whole_groups : whether the values of a column "group" were integers
    like : the frame that was given, if it is in memory; the lazy one is then one of Polars
    """

    kind: Kind
    frame: Any
    whole_groups: bool = False
    like: Any = None


def opened(
    frame: Any,
    names: Mapping[str, str],
    *,
    check: bool,
    kinds: tuple[Kind, ...] = tuple(COLUMNS),
    by: str | None = None,
    covariates: Sequence[str] = (),
    cluster: str | None = None,
) -> Opened:
    """Find out which of *kinds* a frame has, and rename its columns.

    Parameters
    ----------
    frame : of Polars, pandas, PyArrow, DuckDB or PySpark
    names : our names of columns to the frame's own, if they differ
    check : whether to look for null, negative and duplicate entries, which takes a pass over the frame (or its ids)
        Groups are checked in any case.
    by : a column with the group of every document; it becomes the column "group"
    covariates : columns instead of *by*, whose combinations are the groups; they are kept as "covariate_0", …
    cluster : a column that becomes the column "cluster"
    """
    check_fork()
    given = entered(frame)
    limit_engine(given)
    schema = _schema(given)
    kind = _kind(schema, names, kinds)
    own = {column: names.get(column, column) for column in COLUMNS[kind]}
    for column, theirs in own.items():
        if (same := [ours for ours, other in own.items() if other == theirs]) != [column]:
            raise ValueError(f"the column {theirs!r} cannot be both {' and '.join(map(repr, same))}; name two columns")
    kept = [column_of(given, schema, own[column]).alias(column) for column in COLUMNS[kind]]
    if kind == "patterns" and "batch" in schema:
        if not _is_string(schema["batch"]):
            raise ValueError(f"the column 'batch' must contain strings; got {schema['batch']}")
        kept.append(nw.col("batch").cast(nw.String))
    kept += [_group(given, schema, one, name) for name, one in (("group", by), ("cluster", cluster)) if one is not None]
    kept += _covariates(given, schema, covariates)
    for column in COLUMNS[kind]:
        _check_type(column, own[column], schema[own[column]])
    found, like = given.select(*kept), None
    if isinstance(found, nw.DataFrame):
        found, like = nw.from_native(found.to_polars().lazy()), given
    if check:
        _refuse_wide(found, {column: own[column] for column in COLUMNS[kind] if schema[own[column]] in WIDE})
    casts = {
        column: nw.String if column in STRINGS or not schema[own[column]].is_integer() else nw.Int64
        for column in COLUMNS[kind]
    }
    found = found.with_columns(*(nw.col(column).cast(dtype) for column, dtype in casts.items()))
    found = bytewise(found)
    if check:
        CHECKS[kind](found, own)
    if by is not None:
        missing = _first_row(found.select(nw.col("group").null_count()))["group"]
        _refuse_nulls(by, missing, "give every document a group, or drop the rows")
    if by is not None or covariates:
        _check_one_group(found)
    return Opened(kind, found, by is not None and schema[by].is_integer(), like)


def schema_of(frame: Any) -> Any:
    """The columns of a native frame and their types; ValueError for what is no frame, and for two equal names."""
    return _schema(entered(frame))


def entered(frame: Any) -> Any:
    """A native frame for Narwhals; ValueError for what is no frame, or one of an engine that is not supported."""
    try:
        given = nw.from_native(frame)
    except nw.exceptions.DuplicateError:
        raise ValueError(TWICE) from None
    except TypeError:  # Narwhals does not know it
        name = type(frame).__module__.partition(".")[0]
        if name not in FOREIGN:
            known = "frame must be a frame of Polars, pandas, PyArrow, DuckDB or PySpark"
            raise ValueError(f"{known}; got {type(frame).__name__}") from None
    else:
        engine = given.implementation
        if engine.is_polars() or engine.is_pandas() or engine.is_pyarrow() or engine.is_duckdb() or is_spark(given):
            return given
        name = str(engine.value) if hasattr(engine, "value") else str(engine)
    raise ValueError(f"frames of {name} cannot be read here; {WAY_ROUND}")


def check_one_engine(left: Any, right: Any) -> None:
    """Raise ValueError if two frames are not of one engine."""
    kinds = [type(nw.to_native(frame)) for frame in (left, right)]
    if kinds[0] is not kinds[1]:
        names = [f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in kinds]
        raise ValueError(f"both frames must be of one engine; got a {names[0]} and a {names[1]}")


def _covariates(frame: Any, schema: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
    """The columns of a design, and "group": their values in one string."""
    for name in names:
        if name not in schema:
            raise ValueError(f"the frame has no column {name!r:.60}, which the formula names; it has {_listed(schema)}")
        if schema[name].is_nested():
            raise ValueError(f"the column {name!r:.60} has {schema[name]}, which a formula cannot use; cast it")
    columns = [column_of(frame, schema, name) for name in names]
    if not columns:
        return []
    together = nw.concat_str([column.cast(nw.String) for column in columns], separator=SEPARATOR)
    return [*(column.alias(f"covariate_{k}") for k, column in enumerate(columns)), together.alias("group")]


def _group(frame: Any, schema: Mapping[str, Any], by: str, name: str = "group") -> Any:
    if by not in schema:
        option = "by" if name == "group" else name
        raise ValueError(f"the frame has no column {by!r} ({option}=...); it has {_listed(schema)}")
    if not (_is_string(schema[by]) or schema[by].is_integer()):
        raise ValueError(f"the column {by!r} must contain strings or integers; got {schema[by]}; cast it to strings")
    return column_of(frame, schema, by).cast(nw.String).alias(name)


def _check_one_group(frame: Any) -> None:
    if "document" not in frame.collect_schema():
        return
    ids = frame.select("document", "group").unique()
    _refuse_twice(ids, ["document"], "the document {0!r} is in {n} groups; every document must be in one")


def column_of(frame: Any, schema: Mapping[str, Any], name: str) -> Any:
    """The column with exactly that name. Polars would read "^te.*$" as a pattern, and "*" as all columns."""
    if frame.implementation.is_polars():
        return nw.nth(list(schema).index(name))
    if name == "*" and isinstance(frame, nw.LazyFrame):
        raise ValueError("the column '*' cannot be read: in this engine the name means all columns; rename it")
    if "." in name and frame.implementation.is_duckdb() and sys.modules["duckdb"].__version__.startswith("1."):
        raise ValueError(
            f"the column {name!r} cannot be read: DuckDB 1 takes what is before the dot as a table; rename it"
        )
    return nw.col(name)


def _kind(schema: Mapping[str, Any], names: Mapping[str, str], kinds: tuple[Kind, ...]) -> Kind:
    """The one of *kinds* whose columns, renamed by *names*, are all in the schema; none or several are refused."""
    for ours, theirs in names.items():
        if theirs not in schema:
            raise ValueError(f"the frame has no column {theirs!r} ({ours}=...); it has {_listed(schema)}")
    held: list[Kind] = [
        kind
        for kind, columns in COLUMNS.items()
        if set(names) <= set(columns) and all(names.get(column, column) in schema for column in columns)
    ]
    found = [kind for kind in kinds if kind in held]
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(
            f"the columns {_listed(schema)} could be {' or '.join(found)}; select only the columns that you mean"
        )
    needed = ", or ".join(f"{kind} ({_listed(COLUMNS[kind])})" for kind in kinds)
    if held:
        raise ValueError(f"the frame has {held[0]}; this needs {needed}")
    hint = "if texts or ids have other names, give them: text='body', id='key'"
    if kinds == ("patterns",):
        hint = f"make them from texts with {PATTERNS}"
    raise ValueError(f"the frame has the columns {_listed(schema)}; it needs {needed}; {hint}")


def _check_type(column: str, own: str, dtype: Any) -> None:
    if column in WHOLE and not dtype.is_integer():
        raise ValueError(f"the column {own!r} must contain integers; got {dtype}; cast it to a 64-bit integer")
    string = _is_string(dtype)
    if column in STRINGS and not string:
        raise ValueError(f"the column {own!r} must contain strings; got {dtype}")
    if column == "document" and not (string or dtype.is_integer()):
        raise ValueError(f"the column {own!r} must contain strings or integers; got {dtype}; cast ids to strings")


def _schema(frame: Any) -> Any:
    if is_spark(frame):
        names = [name.lower() for name in nw.to_native(frame).columns]  # Spark ignores case
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"{TWICE}: {twice!r}")
    try:
        return frame.collect_schema()
    except nw.exceptions.DuplicateError:
        raise ValueError(TWICE) from None


def _is_string(dtype: Any) -> bool:
    return dtype in (nw.String, nw.Categorical) or isinstance(dtype, nw.Enum)


def _refuse_wide(frame: Any, columns: Mapping[str, str]) -> None:
    if not columns:
        return
    for column, value in _first_row(frame.select(*(nw.col(column).max() for column in columns))).items():
        if value is not None and value > LARGEST:
            advice = "cast ids to strings" if column == "document" else "the collection is too large"
            raise ValueError(f"the column {columns[column]!r} contains {value}, too large for 64 bits: {advice}")


def _check_texts(frame: Any, own: Mapping[str, str]) -> None:
    """Raise ValueError for ids that are null or not unique: a query of ids only, which reads no texts.

    Null texts are found when the texts are read (`stream.stream`). But Spark reads them when the result is asked for,
    and on its workers; so there the query looks at texts, too.
    """
    asked = {
        "ids": nw.col("document").null_count(),
        "different": nw.col("document").n_unique(),
        "rows": nw.len(),
    }
    if is_spark(frame):
        asked["texts"] = nw.col("text").null_count()
    facts = _first_row(frame.select(**asked))
    _refuse_nulls(own["document"], facts["ids"], "every document needs an id")
    refuse_null_texts(facts.get("texts", 0), own["text"])
    if facts["rows"] and facts["different"] < facts["rows"]:  # without rows, DuckDB returns null
        _refuse_twice(frame, ["document"], "{n} documents have the id {0!r}; ids must be unique")


def _check_counts(frame: Any, own: Mapping[str, str]) -> None:
    facts = _first_row(
        frame.select(
            *(nw.col(column).null_count().alias(column) for column in COLUMNS["counts"]),
            nw.col("count").min().alias("least"),
            nw.col("count").cast(nw.Float64).sum().alias("tokens"),
        )
    )
    for column in COLUMNS["counts"]:
        _refuse_nulls(own[column], facts[column], "each row needs a document, a term and a count")
    if facts["least"] is not None and facts["least"] < 0:
        row = _first_row(frame.filter(nw.col("count") < 0).head(1))
        raise ValueError(
            f"the count of the term {row['term']!r} in the document {row['document']!r} must be 0 or more, "
            f"got {row['count']}"
        )
    _refuse_overflow(facts["tokens"])
    _refuse_twice(
        frame, ["document", "term"], "the document {0!r} has {n} rows for the term {1!r}; add up their counts first"
    )


def _check_patterns(frame: Any, own: Mapping[str, str]) -> None:
    facts = _first_row(
        frame.select(
            *(nw.col(column).null_count().alias(column) for column in WHOLE),
            nw.col("documents").cast(nw.Float64).abs().sum().alias("cells"),
        )
    )
    for column in WHOLE:
        _refuse_nulls(column, facts[column], f"make the frame with {PATTERNS}")
    _refuse_overflow(facts["cells"])
    for row in _rows(frame.filter(nw.col("term").is_null() & (nw.col("count") != 0)).head(1)):
        _no_collection(row, f"no term, {row['count']} times in a document")


def check_patterns(parts: Iterable[Any], lengths: Any) -> None:
    """Raise ValueError if no collection has these patterns: after terms were dealt out, so that they need not fit.

    Fewer tokens than documents have are allowed: if rare terms are left out of a ledger, documents keep their lengths.

    Parameters
    ----------
    parts : frames of term, count, length, documents without equal rows, which have no term in common
    lengths : frame of length, documents
    """
    count, length, documents, tokens = map(nw.col, (*WHOLE, "tokens"))
    there: pl.DataFrame = to_polars(totals(lengths, ["length"]))
    for row in there.filter((pl.col("documents") < 0) | (pl.col("length") < 0)).head(1).to_dicts():
        _no_collection(row, "a document")
    found = [pl.DataFrame(schema={"length": pl.Int64, "documents": pl.Int64, "tokens": pl.Float64})]
    for part in parts:
        for row in _rows(part.filter((documents < 0) | (length < 0) | (count < 1) | (count > length)).head(1)):
            _no_collection(row, f"the term {row['term']!r}, {row['count']} times in a document")
        # as floats, which cannot overflow here
        cells = part.with_columns(tokens=count.cast(nw.Float64) * documents.cast(nw.Float64))
        held = cells.group_by("term", "length").agg(documents.sum(), tokens.sum())
        held = held.group_by("length").agg(documents.max(), tokens.sum())
        found.append(to_polars(held).select(found[0].columns).cast(dict(found[0].schema)))
    held = pl.concat(found).group_by("length").agg(pl.col("documents").max(), pl.col("tokens").sum())
    both = held.join(there.rename({"documents": "there"}), on="length", how="left").with_columns(
        pl.col("there").fill_null(0)
    )
    room = pl.col("there").cast(pl.Float64) * pl.col("length").cast(pl.Float64)
    wrong = both.filter((pl.col("documents") > pl.col("there")) | (pl.col("tokens") > room * (1 + 1e-9)))
    for row in wrong.head(1).to_dicts():
        raise ValueError(
            f"no collection has these patterns: there are {row['there']:,} documents of {row['length']} tokens, "
            f"but a term is in {row['documents']:,} of them, and their terms have {row['tokens']:,.0f} tokens"
        )


def _no_collection(row: dict[str, Any], what: str) -> NoReturn:
    """Raise ValueError for a row of patterns, *what*, that no collection has."""
    if row["documents"] < 0:
        raise ValueError(
            f"no collection has these patterns: {what} of {row['length']} tokens would be there "
            f"{row['documents']} times; documents were withdrawn that had not been added"
        )
    raise ValueError(f"no collection has these patterns: {what} of {row['length']} tokens is impossible")


def _refuse_overflow(total: float | None) -> None:
    if total is not None and total >= LARGEST:
        raise ValueError("the collection is too large: the sum of its counts does not fit into a 64-bit integer")


CHECKS = {"texts": _check_texts, "counts": _check_counts, "patterns": _check_patterns}


def refuse_nulls(frame: Any, columns: Sequence[str], advice: str) -> None:
    """Raise ValueError for nulls; the message is about the first column that has any."""
    facts = _first_row(frame.select(*(nw.col(column).null_count().alias(column) for column in columns)))
    for column in columns:
        _refuse_nulls(column, facts[column], advice)


def _refuse_nulls(column: str, number: int, advice: str) -> None:
    if number:
        raise ValueError(f"the column {column!r} has null in {number:,} row(s): {advice}")


def refuse_null_texts(number: int, column: str = "text") -> None:
    """Raise ValueError if there are null texts."""
    _refuse_nulls(column, number, "fill them with '' if they are empty documents, or drop the rows")


def _refuse_twice(frame: Any, columns: list[str], message: str) -> None:
    twice = _rows(frame.group_by(*columns).agg(nw.len().alias("rows")).filter(nw.col("rows") > 1).head(1))
    if twice:
        raise ValueError(message.format(*(twice[0][column] for column in columns), n=twice[0]["rows"]))


def _rows(frame: Any) -> list[dict[str, Any]]:
    return to_polars(frame).to_dicts()


def _first_row(frame: Any) -> dict[str, Any]:
    return _rows(frame)[0]


def _listed(names: Any) -> str:
    return ", ".join(map(repr, names)) or "no columns at all"
