"""What is done with documents on the way from their source: each step changes batches of them as they stream."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any

import polars as pl

from termburst.corpus import metadata
from termburst.corpus.metadata import rows_meeting
from termburst.corpus.stream import Pass
from termburst.counting.options import CountingOptions
from termburst.counting.pattern_clock import start_clock, stop_clock
from termburst.limits import LONGEST_ID
from termburst.messages import Message, named
from termburst.reading.conditions import is_condition, looks_at_others, where_expression
from termburst.reading.documents import Text
from termburst.reading.faults import long_id, many

if TYPE_CHECKING:
    from termburst.reading.readers import Batch

DROP = "drop_duplicates"  # the step of which each document depends on all others
_PIECE = ("parent", "piece")  # the columns of documents that were cut


@dataclass(frozen=True, eq=False)
class Step:
    """What is done with documents. It is made by the function below that has the name of the method of `Corpus`.

    Attributes
    ----------
    option : the name of the method
    of : from batches, and the pass that they are of, to the batches after this step
    needs, makes : the columns of the metadata that it reads, and those that it adds
    condition : what `where` and `group` were given
    """

    option: str
    of: Callable[[Iterator[Batch], Pass], Iterator[Batch]]
    needs: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()
    condition: Any = None


def where(condition: Any) -> Step:
    """Only the documents that meet a condition, as text or as a Polars expression of single documents."""
    if not isinstance(condition, str) and (not isinstance(condition, pl.Expr) or looks_at_others(condition)):
        raise ValueError(
            "a corpus that is scanned takes conditions of single documents, such as where('year >= 1945') or "
            "where(pl.col('year') >= 1945); for a boolean array, read the corpus with tb.read"
        )
    return Step("where", partial(_meeting, condition), columns_of(condition), condition=condition)


def _meeting(condition: Any, batches: Iterator[Batch], reading: Pass) -> Iterator[Batch]:
    expression = where_expression(condition) if isinstance(condition, str) else condition
    seen = kept = 0
    for batch in batches:
        rows = rows_meeting(about(batch, columns_of(condition)), expression)
        seen, kept = seen + len(batch.ids), kept + len(rows)
        yield chosen(batch, rows)
    if reading.whole and seen and not kept:
        raise ValueError(f"{reading.name}: " + none_meets(condition, seen))


def bins(column: str, every: float | str) -> Step:
    """One more column: the lower end of the interval of each value of a column."""
    made = partial(metadata.binned, name=column, every=every)
    needs, makes = (column,), (f"{column}_bin",)
    return Step("bin", partial(_with_columns, made, needs, makes), needs, makes)


def more_metadata(frame: pl.DataFrame) -> Step:
    """More columns, which a frame has for each id; ValueError if two rows have one id."""
    metadata.rows_of(frame)
    return Step("with_metadata", partial(_with_rows, frame), makes=tuple(frame.columns[1:]))


def _with_rows(frame: pl.DataFrame, batches: Iterator[Batch], reading: Pass) -> Iterator[Batch]:
    rows, types = metadata.rows_of(frame), dict(frame.drop("id").schema)
    reading.types |= types
    return _with_columns(lambda known: rows(known["id"]), (), tuple(types), batches, reading)


def _with_columns(
    made: Callable[[pl.DataFrame], pl.DataFrame],
    needs: tuple[str, ...],
    makes: tuple[str, ...],
    batches: Iterator[Batch],
    reading: Pass,
) -> Iterator[Batch]:
    """The batches with more columns, which are made from those that are needed."""
    for batch in batches:
        more = made(about(batch, needs)).select(makes).to_dicts()
        known = batch.metadata or [{}] * len(batch.ids)
        yield replace(batch, metadata=[{**old, **new} for old, new in zip(known, more, strict=True)])


def split(tokens: int | None = None, pattern: str | None = None) -> Step:
    """Documents cut into pieces, whose ids are those of the documents and a number; ValueError if nothing is cut."""
    begins(tokens, pattern, CountingOptions())
    return Step("split", partial(_cut, tokens, pattern), makes=_PIECE)


def _cut(tokens: int | None, pattern: str | None, batches: Iterator[Batch], reading: Pass) -> Iterator[Batch]:
    begin = begins(tokens, pattern, reading.counting)
    documents = reading.pieces = 0
    for batch in batches:
        ids: list[str] = []
        texts: list[Text] = []
        rows: list[Any] = []
        known = batch.metadata or [{}] * len(batch.ids)
        for name, text, row in zip(batch.ids, batch.texts, known, strict=True):
            whole, starts = begin(text)
            texts += [whole[start:stop] for start, stop in zip(starts, [*starts[1:], len(whole)], strict=True)]
            rest = {key: value for key, value in row.items() if key not in _PIECE}
            ids += [f"{name}:{piece + 1}" for piece in range(len(starts))]
            rows += [{"parent": name, "piece": piece + 1, **rest} for piece in range(len(starts))]
        documents, reading.pieces = documents + len(batch.ids), reading.pieces + len(ids)
        yield replace(batch, ids=ids, texts=texts, metadata=rows)
    if reading.whole:
        check_cut(documents, reading.pieces, tokens, pattern)


def drop_duplicates(threshold: float) -> Step:
    """Without near-copies of earlier documents; all texts are held in memory while they are compared."""
    return Step(DROP, partial(_without_copies, threshold))


def _without_copies(threshold: float, batches: Iterator[Batch], reading: Pass) -> Iterator[Batch]:
    from termburst.counting.shingles import TextShingles
    from termburst.inference.duplicates import near_duplicates
    from termburst.questions.corpus_check import dropped_frame

    held = list(batches)
    found = near_duplicates(TextShingles([text for batch in held for text in batch.texts]), threshold)
    reading.dropped = dropped_frame([name for batch in held for name in batch.ids], found)
    kept, first = found.kept.tolist(), 0
    for batch in held:
        yield chosen(batch, [k for k in range(len(batch.ids)) if kept[first + k]])
        first += len(batch.ids)


def tokenize(tokenizer: Any) -> Step:
    """Texts as lists of tokens, by a function of the user."""
    return Step("tokenizer", partial(_tokenized, tokenizer))


def _tokenized(tokenizer: Any, batches: Iterator[Batch], reading: Pass) -> Iterator[Batch]:
    from termburst.corpus.documents import tokens_of

    for batch in batches:
        yield replace(batch, texts=[tokens_of(text, tokenizer) for text in batch.texts])


def group(column: str) -> Step:
    """Documents are compared by a column, or by a condition, whose columns must be there."""
    needs = columns_of(column, "by") if is_condition(column) else (column,)
    return Step("group", partial(_labelled, column), needs, condition=column)


def _labelled(column: str, batches: Iterator[Batch], reading: Pass) -> Iterator[Batch]:
    """The same batches. ValueError if two values of different types look alike: they would become one group."""
    kinds: dict[Any, type] = {}
    for batch in batches:
        for name, row in zip(batch.ids, batch.metadata or (), strict=False):
            value = row.get(column)
            if len(str(value)) > LONGEST_ID:
                raise long_id(name, len(str(value)), "by")
            alike = () if value is None else (str(value), value)  # true is equal to 1
            if any(kinds.setdefault(one, type(value)) is not type(value) for one in alike):
                two = f"contains {str(value)!r:.60} as values of two types"
                raise ValueError(f"{name}: the column {column!r} {two}; give all its labels one type")
        yield batch


def about(batch: Batch, names: tuple[str, ...]) -> pl.DataFrame:
    """The ids and columns of a batch; a column that no document of it has is null."""
    frame = metadata.of_documents(batch.ids, batch.metadata)
    missing = [name for name in names if name not in frame.columns]
    return frame.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in missing)


def chosen(batch: Batch, rows: list[int]) -> Batch:
    """Some documents of a batch, by their numbers."""
    known = None if batch.metadata is None else [batch.metadata[row] for row in rows]
    return replace(
        batch, ids=[batch.ids[row] for row in rows], texts=[batch.texts[row] for row in rows], metadata=known
    )


def columns_of(condition: Any, option: str = "where") -> tuple[str, ...]:
    """The columns that a condition, the value of an *option*, needs; without the id, which every document has.

    >>> columns_of("year >= 1945 AND id != 'x'"), columns_of(None)
    (('year',), ())
    """
    if condition is None:
        return ()
    found = where_expression(condition, option) if isinstance(condition, str) else condition
    return tuple(name for name in dict.fromkeys(found.meta.root_names()) if name != "id")


def none_meets(condition: Any, documents: int) -> str:
    """The sentence about a condition that no document meets."""
    asked: str = "the condition"
    if isinstance(condition, str):
        asked = named("where", condition, python=f"where({condition!r:.100})")
    return f"none of {documents:,} documents meets " + asked


def check_cut(documents: int, pieces: int, tokens: int | None, pattern: str | None) -> None:
    """ValueError if a pattern has cut no document; a warning if no document is longer than a number of tokens."""
    if documents != pieces or not documents:
        return
    if pattern is not None:
        problem = f"the pattern {pattern!r:.60} cuts no document; check it, or give a number of tokens"
        raise ValueError(named("split", bare=True) + f": {problem}")
    asked = named("split", tokens, python=f"split(tokens={tokens})")
    size = many(documents, "document")
    warnings.warn(Message(asked, f" cuts none of {size}: none has more than {tokens} tokens"), stacklevel=4)


# The text to take the pieces from, and where they begin; the first is 0. It may be another text than the given one:
# if tokens are found in a text of another length, the pieces are taken from that.
Cut = Callable[[Text], tuple[Text, list[int]]]


def begins(tokens: Any, pattern: str | None, counting: CountingOptions) -> Cut:
    """Where pieces begin, by a number of *tokens* or by a *pattern*; ValueError if none or both are given."""
    if (tokens is None) == (pattern is None):
        raise ValueError("give tokens= or pattern=, and not both; for example split(tokens=1000)")
    if pattern is not None:
        return by_pattern(pattern)
    if not isinstance(tokens, Integral) or isinstance(tokens, bool) or tokens <= 0:
        raise ValueError(f"tokens must be a whole number above 0; got {tokens!r:.60}")
    return by_tokens(int(tokens), counting)


def by_tokens(size: int, counting: CountingOptions) -> Cut:
    """Pieces of *size* tokens each; the last one of a text may be shorter. Stop words count, and n-grams do not.

    Examples
    --------
    >>> by_tokens(2, CountingOptions())("So it goes. So it is.")
    ('So it goes. So it is.', [0, 6, 15])
    """
    size = min(size, sys.maxsize)  # islice takes no larger number

    def begin(text: Text) -> tuple[Text, list[int]]:
        if not isinstance(text, str):
            return text, list(range(0, len(text), size)) or [0]
        start_clock()
        try:
            shown, starts = counting.every_token(text, size)
        finally:
            stop_clock()
        return text if len(shown) == len(text) else shown, [0, *starts]

    return begin


def by_pattern(pattern: str) -> Cut:
    r"""Pieces that begin where *pattern* matches; ``^`` is the beginning of a line. Text before is one more piece.

    Examples
    --------
    >>> by_pattern(r"^CHAPTER")("CHAPTER 1\nso\nCHAPTER 2\nit")[1]
    [0, 13]
    """
    try:
        compiled = re.compile(pattern, re.MULTILINE)
    except (re.error, OverflowError, RecursionError, TypeError) as error:
        raise ValueError(f"the pattern {pattern!r:.60} is not a regular expression: {error}") from error
    if compiled.fullmatch(""):
        raise ValueError(f"the pattern {pattern!r:.60} can match the empty string, so it would cut everywhere")

    def begin(text: Text) -> tuple[Text, list[int]]:
        if not isinstance(text, str):
            raise ValueError("a pattern cuts texts, but these documents are lists of tokens; use split(tokens=...)")
        start_clock()
        try:
            starts = [match.start() for match in compiled.finditer(text)]
        finally:
            stop_clock()
        if not starts:
            return text, [0]
        # White space before the first match is not a piece; it stays with the first one.
        return text, [0, *starts[1:]] if not text[: starts[0]].strip() else [0, *starts]

    return begin
