"""What is done with documents on the way from their source: each step changes batches of them as they stream."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import polars as pl

from termburst.corpus import metadata
from termburst.corpus.condition_groups import rows_meeting
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


class Step:
    """A step, which has the name of the method that asks for it; the columns that it needs and makes."""

    option: str

    @property
    def text(self) -> str:
        """The condition as text, if there is one."""
        return ""

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns of the metadata that it reads."""
        return ()

    @property
    def makes(self) -> tuple[str, ...]:
        """The columns that it adds."""
        return ()

    def of(self, batches: Iterator[Batch], reading: Pass) -> Iterator[Batch]:
        """The batches after this step."""
        raise NotImplementedError


@dataclass(frozen=True)
class Where(Step):
    """Only the documents that meet a condition, as text or as a Polars expression."""

    condition: Any
    option = "where"

    def __post_init__(self) -> None:
        """ValueError for what is no condition of single documents."""
        if isinstance(self.condition, str):
            return
        if not isinstance(self.condition, pl.Expr) or looks_at_others(self.condition):
            raise ValueError(
                "a corpus that is scanned takes conditions of single documents, such as where('year >= 1945') or "
                "where(pl.col('year') >= 1945); for a boolean array, read the corpus with tb.read"
            )

    @property
    def text(self) -> str:
        """The condition, if it is text."""
        return self.condition if isinstance(self.condition, str) else ""

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns of the condition."""
        return columns_of(self.condition)

    def of(self, batches: Iterator[Batch], reading: Pass) -> Iterator[Batch]:
        """The documents that meet it. ValueError if none does."""
        expression = where_expression(self.text) if self.text else self.condition
        seen = kept = 0
        for batch in batches:
            rows = rows_meeting(about(batch, self.needs), expression)
            seen, kept = seen + len(batch.ids), kept + len(rows)
            yield chosen(batch, rows)
        if reading.whole and seen and not kept:
            raise ValueError(f"{reading.name}: " + none_meets(self.condition, seen))


@dataclass(frozen=True, eq=False)
class Columns(Step):
    """More columns of the metadata, which *made* finds from the ids and the columns that it needs."""

    option: str
    made: Callable[[pl.DataFrame], pl.DataFrame]
    added: tuple[str, ...]
    read: tuple[str, ...] = ()
    types: dict[str, Any] = field(default_factory=dict)

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that are read."""
        return self.read

    @property
    def makes(self) -> tuple[str, ...]:
        """The columns that are added."""
        return self.added

    def of(self, batches: Iterator[Batch], reading: Pass) -> Iterator[Batch]:
        """The batches with these columns."""
        reading.types |= self.types
        for batch in batches:
            more = self.made(about(batch, self.needs)).select(self.makes).to_dicts()
            known = batch.metadata or [{}] * len(batch.ids)
            yield replace(batch, metadata=[{**old, **new} for old, new in zip(known, more, strict=True)])


def bins(column: str, every: float | str) -> Columns:
    """One more column: the lower end of the interval of each value of a column."""
    return Columns("bin", lambda frame: metadata.binned(frame, column, every), (f"{column}_bin",), (column,))


def more_metadata(frame: pl.DataFrame) -> Columns:
    """More columns, which a frame has for each id."""
    found = metadata.rows_of(frame)
    types = dict(frame.drop("id").schema)
    return Columns("with_metadata", lambda known: found(known["id"]), tuple(types), types=types)


@dataclass(frozen=True)
class Split(Step):
    """Documents cut into pieces, whose ids are those of the documents and a number."""

    tokens: int | None = None
    pattern: str | None = None
    option = "split"
    makes = ("parent", "piece")

    def __post_init__(self) -> None:
        """ValueError, before anything is read, for options that cut nothing."""
        begins(self.tokens, self.pattern, CountingOptions())

    def of(self, batches: Iterator[Batch], reading: Pass) -> Iterator[Batch]:
        """The pieces. ValueError if a pattern cuts no document, and a warning if a number of tokens does not."""
        begin = begins(self.tokens, self.pattern, reading.counting)
        documents = reading.pieces = 0
        for batch in batches:
            ids: list[str] = []
            texts: list[Text] = []
            rows: list[Any] = []
            known = batch.metadata or [{}] * len(batch.ids)
            for name, text, row in zip(batch.ids, batch.texts, known, strict=True):
                whole, starts = begin(text)
                texts += [whole[start:stop] for start, stop in zip(starts, [*starts[1:], len(whole)], strict=True)]
                rest = {key: value for key, value in row.items() if key not in self.makes}
                ids += [f"{name}:{piece + 1}" for piece in range(len(starts))]
                rows += [{"parent": name, "piece": piece + 1, **rest} for piece in range(len(starts))]
            documents, reading.pieces = documents + len(batch.ids), reading.pieces + len(ids)
            yield replace(batch, ids=ids, texts=texts, metadata=rows)
        if reading.whole:
            check_cut(documents, reading.pieces, self.tokens, self.pattern)


@dataclass(frozen=True)
class DropDuplicates(Step):
    """Without near-copies of earlier documents; all texts are held in memory while they are compared."""

    threshold: float = 0.7
    option = "drop_duplicates"

    def of(self, batches: Iterator[Batch], reading: Pass) -> Iterator[Batch]:
        """The documents that are kept."""
        from termburst.counting.shingles import TextShingles
        from termburst.inference.duplicates import near_duplicates
        from termburst.questions.corpus_check import dropped_frame

        held = list(batches)
        found = near_duplicates(TextShingles([text for batch in held for text in batch.texts]), self.threshold)
        reading.dropped = dropped_frame([name for batch in held for name in batch.ids], found)
        kept, first = found.kept.tolist(), 0
        for batch in held:
            yield chosen(batch, [k for k in range(len(batch.ids)) if kept[first + k]])
            first += len(batch.ids)


@dataclass(frozen=True)
class Tokenize(Step):
    """Texts as lists of tokens, by a function of the user."""

    tokenizer: Any
    option = "tokenizer"

    def of(self, batches: Iterator[Batch], reading: Pass) -> Iterator[Batch]:
        """The same documents as lists of tokens."""
        from termburst.corpus.documents import tokens_of

        for batch in batches:
            yield replace(batch, texts=[tokens_of(text, self.tokenizer) for text in batch.texts])


@dataclass(frozen=True)
class Group(Step):
    """Documents are compared by a column, or by a condition, whose columns must be there."""

    column: str
    option = "group"

    @property
    def text(self) -> str:
        """The column or condition."""
        return self.column

    @property
    def needs(self) -> tuple[str, ...]:
        """The column, or those of the condition."""
        return columns_of(self.column, "by") if is_condition(self.column) else (self.column,)

    def of(self, batches: Iterator[Batch], reading: Pass) -> Iterator[Batch]:
        """The same batches. ValueError if two values of different types look alike: they would become one group."""
        kinds: dict[str, type] = {}
        for batch in batches:
            for name, row in zip(batch.ids, batch.metadata or (), strict=False):
                value = row.get(self.column)
                if len(str(value)) > LONGEST_ID:
                    raise long_id(name, len(str(value)), "by")
                if value is not None and kinds.setdefault(str(value), type(value)) is not type(value):
                    two = f"contains {str(value)!r:.60} as text and as a value of another type"
                    raise ValueError(f"{name}: the column {self.column!r} {two}; give all its labels one type")
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
