"""What is known of each document: a Polars frame with one row per document, whose first column is "id"."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.display import listed, no_column, printable
from termburst.forks import check_fork
from termburst.messages import named
from termburst.reading.conditions import CONDITION, both_sides, is_condition, quotes_advice, where_expression

if TYPE_CHECKING:
    from termburst.corpus.base import CorpusBase

_Corpus = TypeVar("_Corpus", bound="CorpusBase")


def of_documents(
    ids: Sequence[str], records: Sequence[Mapping[str, Any]] | None = None, *, as_text: Collection[str] = ()
) -> pl.DataFrame:
    """The frame of documents with these ids; *records* has what the source says of each.

    Text that is a number in every document becomes a number, so that ``year >= 1945`` can be asked; not in the columns
    *as_text*.

    Examples
    --------
    >>> of_documents(["a", "b"], [{"year": "1945"}, {"year": "1949", "party": "x"}]).rows()
    [('a', 1945, None), ('b', 1949, 'x')]
    """
    names = dict.fromkeys(name for record in records or () for name in record)
    columns = {name: [record.get(name) for record in records or ()] for name in names}
    return with_ids(ids, columns, numbers=columns.keys() - set(as_text))


def with_ids(ids: Sequence[str], columns: Mapping[str, Any], *, numbers: Collection[str] = ()) -> pl.DataFrame:
    """A frame with the column "id" and *columns*; ValueError if their lengths differ. *numbers* may become numbers.

    A column that is called "id", too, gets the name "id_given".
    """
    made = [pl.Series("id", list(ids), dtype=pl.String)]
    for name, values in columns.items():
        column = as_series("id_given" if name == "id" else str(name), values)
        if len(column) != len(ids):
            problem = f"the metadata {name!r:.60} has {len(column):,} values"
            raise ValueError(f"there are {len(ids):,} documents, but {problem}; give one each")
        made.append(as_numbers(column) if name in numbers else column)
    return pl.DataFrame(made)


def as_series(name: str, values: Any) -> pl.Series:
    """One column of metadata, from a list, an array or a series."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise ValueError(f"the metadata {name!r:.60} must be a list with one value per document; got {values!r:.60}")
    if isinstance(values, pl.Series):
        return values.rename(name)
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return pl.Series(name, listed, strict=False)


def as_numbers(column: pl.Series) -> pl.Series:
    """The same column; as numbers if it has only text that is written as numbers are.

    Examples
    --------
    >>> as_numbers(pl.Series(["1945", "1949"])).to_list(), as_numbers(pl.Series(["007", "12"])).to_list()
    ([1945, 1949], ['007', '12'])
    """
    if column.dtype != pl.String or not column.count():
        return column
    for kind, pattern in ((pl.Int64, r"^(0|-?[1-9]\d{0,17})$"), (pl.Float64, r"^-?(0|[1-9]\d*)(\.\d+)?$")):
        if column.str.contains(pattern).all():
            return column.cast(kind)
    return column


def as_dates(column: pl.Series) -> pl.Series:
    """The same column; as dates if it has only text such as 1945-05-08.

    Examples
    --------
    >>> as_dates(pl.Series(["1945-05-08"])).dt.year().to_list()
    [1945]
    """
    if column.dtype != pl.String or not column.count():
        return column
    found = column.str.to_date("%Y-%m-%d", strict=False)
    return found if found.null_count() == column.null_count() else column


def _is_written_number(text: str) -> bool:
    return as_numbers(pl.Series([text])).dtype != pl.String


def joined(frame: pl.DataFrame, metadata: Any) -> pl.DataFrame:
    """The frame with the user's own *metadata* added: matched by the column "id" if there is one, or by order.

    Examples
    --------
    >>> joined(of_documents(["a", "b"]), {"id": ["b", "a"], "year": [1949, 1945]}).rows()
    [('a', 1945), ('b', 1949)]
    """
    check_fork()
    found = by_id(metadata)
    ids = frame["id"]
    new = with_ids(ids.to_list(), as_columns(metadata)) if found is None else rows_of(found)(ids)
    return frame.with_columns(new.drop("id"))


def by_id(metadata: Any) -> pl.DataFrame | None:
    """The user's own metadata as a frame, if a column "id" says whose they are."""
    columns = as_columns(metadata)
    if "id" not in columns:
        return None
    return with_ids(as_series("id", columns.pop("id")).cast(pl.String).to_list(), columns)


def rows_of(frame: pl.DataFrame) -> Callable[[Iterable[str]], pl.DataFrame]:
    """A function from ids to their rows. ValueError if two rows have one id; of the function, if an id has no row."""
    places = {name: row for row, name in enumerate(frame["id"])}
    if len(places) != frame.height:
        raise ValueError("two rows of the metadata have the same id; ids must be unique")

    def rows(ids: Iterable[str]) -> pl.DataFrame:
        found = {name: places.get(name) for name in ids}
        if missing := [name for name, row in found.items() if row is None]:
            known = ", ".join(map(repr, list(places)[:3]))
            raise ValueError(f"the metadata has no row for the document {missing[0]!r:.60}; its ids are {known}, …")
        return frame[[places[name] for name in ids]]

    return rows


def as_columns(metadata: Any) -> dict[str, Any]:
    """Metadata from a mapping of columns, a frame of any engine, or a list of mappings, as a dict of columns."""
    from termburst.corpus.frames import as_polars

    if isinstance(metadata, Mapping):
        return dict(metadata)
    frame = as_polars(metadata)
    if frame is not None:
        return frame.to_dict()
    if isinstance(metadata, Sequence) and metadata and all(isinstance(record, Mapping) for record in metadata):
        names = dict.fromkeys(name for record in metadata for name in record)
        return {name: [record.get(name) for record in metadata] for name in names}
    raise ValueError(
        f"metadata must be columns such as {{'year': years}}, a frame or a list of dicts; got {metadata!r:.60}"
    )


def chosen_rows(frame: pl.DataFrame, condition: Any) -> NDArray[np.intp]:
    """The numbers of the documents for which a Polars expression or a boolean array is true; null counts as false.

    Examples
    --------
    >>> chosen_rows(of_documents(["a", "b"], [{"year": 1945}, {"year": None}]), pl.col("year") > 1940)
    array([0])
    """
    check_fork()
    if isinstance(condition, pl.Expr):
        try:
            column = frame.with_columns(condition.alias("chosen"))["chosen"]
        except pl.exceptions.ColumnNotFoundError as error:
            missing = next((name for name in condition.meta.root_names() if name not in frame.columns), "")
            raise ValueError(no_column(missing, frame.columns)) from error
        except pl.exceptions.PolarsError as error:
            raise ValueError(f"the expression cannot be used on the metadata: {str(error).splitlines()[0]}") from error
    elif isinstance(condition, (str, bytes)) or not isinstance(condition, Iterable):
        raise ValueError(
            "where takes a condition such as 'year >= 1945', a Polars expression or a boolean array; got "
            f"{condition!r:.60}"
        )
    else:
        column = as_series("chosen", condition)
        if len(column) != frame.height:
            raise ValueError(f"there are {frame.height:,} documents, but the boolean array has {len(column):,} values")
    if column.dtype != pl.Boolean:
        raise ValueError(f"where needs true or false for each document; got {column.dtype}")
    return np.flatnonzero(column.fill_null(False).to_numpy())


def binned(frame: pl.DataFrame, name: str, every: float | str) -> pl.DataFrame:
    """The frame with one more column, ``<name>_bin``: the lower end of the interval that each value lies in.

    Examples
    --------
    >>> binned(of_documents(["a", "b"], [{"year": 1945}, {"year": 1953}]), "year", 10)["year_bin"].to_list()
    [1940, 1950]
    """
    check_fork()
    column = as_dates(as_numbers(column_of(frame, name)))
    if isinstance(every, str):
        if not column.dtype.is_temporal():
            raise ValueError(f"every={every!r:.60} is for dates, but {name!r:.60} has {column.dtype}; give a number")
        try:
            return frame.with_columns(column.dt.truncate(every).alias(f"{name}_bin"))
        except pl.exceptions.PolarsError as error:
            raise ValueError(f"every must be a duration such as '10y' or '3mo'; got {every!r:.60}") from error
    if isinstance(every, bool) or not isinstance(every, (int, float)) or not 0 < every < float("inf"):
        raise ValueError(named("bin", bare=True, python="every") + f" must be a number above 0; got {every!r:.60}")
    if column.dtype in (pl.Date, pl.Datetime):
        column = column.dt.year().cast(pl.Int64)
    if not column.count():
        return frame.with_columns(column.alias(f"{name}_bin"))
    if column.dtype == pl.String:
        odd = next((value for value in column if value is not None and not _is_written_number(value)), column[0])
        raise ValueError(f"only numbers and dates can be binned, but the column {name!r:.60} contains {odd!r:.60}")
    if not column.dtype.is_numeric():
        raise ValueError(f"only numbers and dates can be binned, but {name!r:.60} has {column.dtype}")
    size = float(column.cast(pl.Float64).abs().max() or 0)  # type: ignore[arg-type]
    if every > 1e15 or not size / every < 1e15:
        raise ValueError(f"every={every:g} cannot be a width of bins for numbers up to {size:g} in {name!r:.60}")
    return frame.with_columns(((column // every) * every).alias(f"{name}_bin"))


def column_of(frame: pl.DataFrame, name: Any) -> pl.Series:
    """A column of the metadata; ValueError if there is none."""
    if name not in frame.columns:
        raise ValueError(no_column(name, frame.columns))
    return frame[name]


def labels_of(frame: pl.DataFrame, by: str) -> pl.Series:
    """A column by which documents can be compared; ValueError if a document has nothing in it, or has a list."""
    labels, known = column_of(frame, by), "is_not_null()"
    if labels.dtype.is_float():  # NaN is what pandas has for nothing; Polars would take it for a group
        labels, known = labels.fill_nan(None), "is_finite()"
    if labels.dtype == pl.String:  # an empty cell of a table
        labels, known = labels.set(labels.str.strip_chars() == "", None), "str.len_chars() > 0"
    if labels.null_count():
        condition = f"LENGTH({by}) > 0" if labels.dtype == pl.String else f"{by} IS NOT NULL"
        rest = named("where", condition, python=f"corpus.where(pl.col({by!r}).{known})")
        raise ValueError(_unlabelled(frame.filter(labels.is_null())["id"].to_list(), by, rest))
    if labels.dtype.is_nested() or str(labels.dtype) in ("Binary", "Object"):
        raise ValueError(f"the column {by!r:.60} has {labels.dtype}, by which documents cannot be compared")
    return labels


def some_have(ids: list[str]) -> str:
    """The beginning of a sentence about documents: how many, which, and "has" or "have".

    >>> some_have(["a"]), some_have(["a", "b", "c", "d"])
    ('1 document (a) has', '4 documents (a, b, c, …) have')
    """
    some = ", ".join(map(printable, ids[:3])) + (", …" if len(ids) > 3 else "")
    return f"{len(ids):,} document ({some}) has" if len(ids) == 1 else f"{len(ids):,} documents ({some}) have"


def _unlabelled(ids: list[str], by: str, advice: str) -> str:
    """The sentence about documents that are in no group."""
    if by == "folder":
        return f"{some_have(ids)} no folder; move {'it' if len(ids) == 1 else 'them'} into one, or away"
    return f"{some_have(ids)} nothing in the column {by!r:.60}; fill it, or remove such documents: " + advice


def no_value(column: str, value: Any, values: Iterable[Any]) -> str:
    """The sentence about a value that a column does not have.

    Examples
    --------
    >>> no_value("party", "Democrat", ["Whig", "Democratic", "Whig"])
    "the column 'party' has no value 'Democrat'; it has 'Democratic', 'Whig'"
    """
    return f"the column {column!r:.60} has no value {value!r:.60}; it has {listed(sorted(set(values)))}"


def as_levels(column: pl.Series, values: Sequence[Any]) -> pl.Series:
    """The column as categories in the order of *values*, which it must have no others than: the first is A.

    Examples
    --------
    >>> as_levels(pl.Series([1945, 1949, 1945]), [1949, 1945]).unique().sort().to_list()
    ['1949', '1945']
    """
    names = pl.Series(values, dtype=column.dtype).cast(pl.String)
    return column.cast(pl.String).cast(pl.Enum(names))


def chosen_values(frame: pl.DataFrame, name: str, values: Iterable[Any]) -> list[Any]:
    """The values of a column that are asked for, each once; ValueError for fewer than two, or one that is not there.

    Examples
    --------
    >>> chosen_values(pl.DataFrame({"year": [1945, 1949, None]}), "year", (1949, 1945))
    [1949, 1945]
    """
    column = column_of(frame, name).drop_nulls()
    there = column.unique().to_list()
    written = {str(value): value for value in there}  # as a command line gives it
    asked = [written.get(value, value) if isinstance(value, str) else value for value in values]
    for value in asked:
        if value not in there:
            raise ValueError(no_value(name, value, there))
    unique = [value for place, value in enumerate(asked) if value not in asked[:place]]
    if len(unique) < 2:
        raise ValueError(f"groups must be a list of two values of {name!r:.60} or more; got {values!r:.60}")
    return unique


def rows_meeting(frame: pl.DataFrame, expression: pl.Expr) -> list[int]:
    """The rows that meet a condition. Text that looks like a number is one, but may also be compared as text.

    NaN is no number: as null, it meets no condition.

    >>> import polars as pl
    >>> years = pl.DataFrame({"year": [1944, 1945]})
    >>> rows_meeting(years, where_expression("year > 1944")), rows_meeting(years, where_expression("year = '1945'"))
    ([1], [1])
    """
    frame = frame.with_columns(pl.selectors.float().fill_nan(None))
    try:
        return chosen_rows(frame, expression).tolist()
    except ValueError as error:
        try:
            return chosen_rows(frame.with_columns(pl.selectors.numeric().cast(pl.String)), expression).tolist()
        except ValueError:
            advice = "a condition compares numbers with numbers, and text with text in quotes: year > 1944, party = 'x'"
            raise ValueError(f"{error}; {advice}") from None


def expression_of(frame: pl.DataFrame, condition: str, option: str) -> pl.Expr:
    """A condition as an expression; ValueError if the frame lacks one of its columns.

    Examples
    --------
    >>> expression_of(pl.DataFrame({"year": [1944]}), "year >= 1945", "where").meta.root_names()
    ['year']
    """
    found = where_expression(condition, option)
    for name in found.meta.root_names():
        try:
            column_of(frame, name)
        except ValueError as error:
            raise ValueError(f"{error}{quotes_advice(condition, name)}") from None
    return found


def with_conditions_shown(table: pl.DataFrame) -> pl.DataFrame:
    """The table of a design, with contrasts named by the conditions alone, without the column that has their values.

    Examples
    --------
    >>> with_conditions_shown(pl.DataFrame({"contrast": ["by_condition: year >= 1945 - year < 1945"]})).item()
    'year >= 1945 - year < 1945'
    """
    if "contrast" not in table.columns:
        return table
    return table.with_columns(pl.col("contrast").cast(pl.String).str.strip_prefix(f"{CONDITION}: "))


def part_to_compare(corpus: _Corpus, by: str, groups: Iterable[Any] | None) -> tuple[_Corpus, str]:
    """The documents of some values of a column, in the order of *groups*, or of both sides of a condition; the column.

    Examples
    --------
    >>> import termburst as tb
    >>> corpus = tb.read(["so", "it", "on"], metadata={"year": [1944, 1945, 1946]})
    >>> part_to_compare(corpus, "year >= 1945", None)[1], part_to_compare(corpus, "year", [1946, 1944])[0].ids
    ('by_condition', ['1', '3'])
    """
    if by not in corpus.metadata.columns and is_condition(by):
        if groups is not None:
            two = named("by", by) + " is a condition, which has two groups of its own; omit "
            raise ValueError(two + named("groups"))
        return corpus.with_metadata({CONDITION: sides(corpus.metadata, by)}), CONDITION
    if groups is None:
        return corpus, by
    chosen = chosen_values(corpus.metadata, by, groups)
    part = corpus.where(pl.col(by).is_in(chosen))
    return part.with_metadata({by: as_levels(part.metadata[by], chosen)}), by


def sides(frame: pl.DataFrame, condition: str) -> pl.Series:
    """The group of each document as categories, those that meet the condition first; ValueError if one has none.

    Examples
    --------
    >>> sides(pl.DataFrame({"year": [1944, 1945]}), "year >= 1945").to_list()
    ['year < 1945', 'year >= 1945']
    """
    meets, names = expression_of(frame, condition, "by"), both_sides(condition)
    labels = np.full(frame.height, "", dtype=object)
    for name, expression in zip(names, (meets, ~meets), strict=True):
        labels[rows_meeting(frame, expression)] = name
    by: str = named("by", bare=True)
    if (labels == "").any():
        unknown = frame.filter(pl.Series(labels == ""))["id"].to_list()
        problem = " nothing in a column of " + by + f" {condition!r:.60}; fill it, or remove such documents"
        raise ValueError(some_have(unknown) + problem)
    if len(set(labels)) < 2:
        how_many = "every" if labels[0] == names[0] else "no"
        problem = f"{how_many} document meets {condition!r:.60}, so there is nothing to compare"
        raise ValueError(f"{problem}; choose another " + by)
    return as_levels(pl.Series(labels, dtype=pl.String), names)
