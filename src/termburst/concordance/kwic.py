"""The concordance: every place where a query matches, with the text around it (keyword in context)."""

from __future__ import annotations

import io
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.concordance.queries import AskedQuery
from termburst.core import concordance as core
from termburst.counting.character_class import CharacterClass, character_class
from termburst.counting.pattern_clock import start_clock, stop_clock
from termburst.counting.tokenizer import joined
from termburst.display import no_column
from termburst.reading.documents import Text
from termburst.reading.layers import BETWEEN

NEIGHBOURS = ("L1", "L2", "L3", "R1", "R2", "R3")
_CHUNK = 2**22  # characters that are searched together
ROOM = 2**14  # lines that the compiled search makes at a time
_REACH = 100  # characters in which the words beside a match are looked for
_FEW = 200  # lines up to which Python splits faster than Polars reads
_NEXT = "\x1e"  # between tokens of two layers, because a token may have spaces
_SPACE = re.compile(r"\s+")
_WORD = r"\w+(?:['’]\w+)*"
_LINE = ("left", "match", "right")
_SCHEMA: dict[str, Any] = dict.fromkeys(_LINE, pl.String)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a concordance shows of a corpus whose metadata have certain columns.

    Attributes
    ----------
    columns : columns of the metadata to show
    order : (column, whether descending) by which lines are sorted
    limit : at most how many lines
    """

    columns: tuple[str, ...]
    order: tuple[tuple[str, bool], ...]
    limit: int | None

    @classmethod
    def checked(
        cls,
        known: Sequence[str],
        sort: str | Sequence[str] | None = None,
        columns: str | Sequence[str] | None = None,
        limit: int | None = None,
    ) -> Wanted:
        """Raise ValueError, with one sentence, for columns that the metadata do not have."""
        listed = [columns] if isinstance(columns, str) else list(columns or ())
        for name in listed:
            if name not in known:
                raise ValueError(no_column(name, known))
            if name in ("id", "document", *_LINE, "position"):
                raise ValueError(f"a line has its own column {name!r}; rename that column of the metadata")
        order: list[tuple[str, bool]] = []
        for name in [] if sort is None else [sort] if isinstance(sort, str) else sort:
            column, descending = (name[1:], True) if name.startswith("-") and name not in known else (name, False)
            column = "id" if column == "document" and column not in known else column
            if column not in known and column not in (*NEIGHBOURS, "match"):
                raise ValueError(_no_sort(name, known))
            if column not in dict(order):
                order.append((column, descending))
        return cls(tuple(dict.fromkeys(listed)), tuple(order), limit)

    @property
    def keys(self) -> tuple[str, ...]:
        """The words beside a match that are needed for sorting."""
        return tuple(name for name, _ in self.order if name in NEIGHBOURS)

    def shown(self, lines: pl.DataFrame, metadata: pl.DataFrame) -> pl.DataFrame:
        """The lines with the metadata of their documents; the columns to sort by begin with "sort "."""
        own = {*NEIGHBOURS, "match"} - set(metadata.columns)
        about = _columns(metadata, "id", *self.columns).with_columns(
            metadata.get_column(name).alias(f"sort {name}") for name, _ in self.order if name not in own
        )
        made = lines.hstack(about[lines["document"]])
        if any(name == "match" for name, _ in self.order) and "match" in own:
            made = made.with_columns(pl.col("match").str.to_lowercase().alias("sort match"))
        return _columns(made, "id", *_LINE, "position", *self.columns, *(c for c in made.columns if c[:5] == "sort "))

    def ordered(self, lines: pl.DataFrame) -> pl.DataFrame:
        """The lines in the order asked for."""
        if not self.order:
            return lines
        keys = [f"sort {name}" for name, _ in self.order]
        return lines.sort(keys, descending=[down for _, down in self.order], nulls_last=True, maintain_order=True)

    def finished(self, lines: pl.DataFrame) -> pl.DataFrame:
        """The lines in order, as many as asked for, without the columns that were only for sorting."""
        lines = self.ordered(lines)
        shown = lines if self.limit is None else lines.head(self.limit)
        return _columns(shown, "id", *_LINE, "position", *self.columns)


def _columns(frame: pl.DataFrame, *names: str) -> pl.DataFrame:
    """The columns with exactly these names: Polars would take "^a.*$" for a pattern."""
    return pl.DataFrame([frame.get_column(name) for name in names])


def together(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """One frame. A column that is a number in some batches and text in others becomes text."""
    kinds = {name: {frame.schema[name] for frame in frames} for name in frames[0].columns}
    mixed = [name for name, found in kinds.items() if len(found) > 1]
    return pl.concat(frame.with_columns(pl.col(mixed).cast(pl.String)) for frame in frames)


def line_frames(
    texts: Iterable[Text], asked: AskedQuery, *, width: int, keys: Sequence[str] = (), layers: bool = False
) -> Iterator[pl.DataFrame]:
    """The lines as they are found, some thousands at a time; no text is kept.

    The columns are document (its number, from 0), left, match, right, position, and "sort L1" and so on for *keys*.
    With *layers*, the first layer of the tokens is searched and the second is shown; position is in the second.
    """
    before = 0
    for chunk in _growing_chunks(texts, _NEXT if layers else " "):
        if asked.compiled is not None and not layers:
            yield from _by_kernel(chunk, before, asked.compiled, width, keys)
        else:
            where = asked.pattern
            found = (_shown_matches(text, where) if layers else (text, _matches(text, where)) for text in chunk)
            yield from _by_pattern(found, before, width, keys)
        before += len(chunk)


def _growing_chunks(texts: Iterable[Text], between: str) -> Iterator[list[str]]:
    """Texts to search together: at first few, so that the first lines come at once. *between* separates tokens."""
    chunk: list[str] = []
    size, most = 0, 2**18
    for text in texts:
        shown = text if isinstance(text, str) else between.join(text)
        chunk.append(shown)
        size += len(shown)
        if size >= most:
            yield chunk
            chunk, size, most = [], 0, min(2 * most, _CHUNK)
    if chunk:
        yield chunk


def empty_lines(keys: Sequence[str] = ()) -> pl.DataFrame:
    """A frame of no lines."""
    words = dict.fromkeys((f"sort {key}" for key in keys), pl.String)
    return pl.DataFrame(schema={"document": pl.Int64, **_SCHEMA, "position": pl.Int64, **words})


def _by_kernel(
    texts: list[str], before: int, query: core.Query, width: int, keys: Sequence[str]
) -> Iterator[pl.DataFrame]:
    """Lines by the compiled search."""
    data, ends = joined(texts)
    searched = core.searched(data, ends, _word_characters(is_ascii=int(data.max(initial=0)) < 128))
    at = 0
    while at < data.size:
        found = core.find(searched, query, at, ROOM)
        at = int(found.next)
        if not found.size:
            return
        document = pl.Series("document", found.arrays["document"][: found.size] + before)
        position = pl.Series("position", found.arrays["place"][: found.size])
        lines = _split(core.lines(searched, found, width), int(found.size))
        words = _neighbours(_split(core.lines(searched, found, _REACH), int(found.size)), keys) if keys else {}
        yield pl.DataFrame([document, *lines, position, *words.values()])


def _word_characters(*, is_ascii: bool) -> NDArray[np.uint8]:
    words = character_class(r"\w+")
    assert isinstance(words, CharacterClass)
    return words.kinds if is_ascii else words.wide


def _split(lines: NDArray[np.uint8], count: int) -> list[pl.Series]:
    """The three parts of each line, as columns. A broken character, which only half of a surrogate pair makes, is �."""
    content = lines.tobytes()
    if b"\xed" in content:  # the first byte of each half of a pair
        content = content.decode("utf-8", "replace").encode()
    if count <= _FEW:
        rows = [line.split("\t") for line in content.decode()[:-1].split("\n")]
        return [
            pl.Series(name, part, dtype=pl.String) for name, part in zip(_LINE, zip(*rows, strict=True), strict=True)
        ]
    header = ("\t".join(_LINE) + "\n").encode()
    frame = pl.read_csv(io.BytesIO(header + content), separator="\t", quote_char=None, schema=_SCHEMA)
    return [column.fill_null("") if column.null_count() else column for column in frame.get_columns()]


def _neighbours(lines: list[pl.Series], keys: Sequence[str]) -> dict[str, pl.Series]:
    """The words beside each match by which lines are sorted, in lower case; null if there is none."""
    left, _, right = lines
    made = {}
    for key in keys:
        between = int(key[1]) - 1  # words between the match and the wanted one
        if key[0] == "L":
            found = left.str.extract(rf"({_WORD})(?:\W+{_WORD}){{{between}}}\W*$")
        else:
            found = right.str.extract(rf"^\W*(?:{_WORD}\W+){{{between}}}({_WORD})")
        made[key] = found.str.to_lowercase().alias(f"sort {key}")
    return made


def _by_pattern(
    found: Iterable[tuple[str, list[tuple[int, int]]]], before: int, width: int, keys: Sequence[str]
) -> Iterator[pl.DataFrame]:
    """Lines by Python's regular expressions, from the texts to show and the places of the matches in them."""
    rows: list[tuple[int, str, str, str, int]] = []
    wide: list[tuple[str, str]] = []
    for number, (text, spans) in enumerate(found):
        for start, stop in spans:
            rows.append((number + before, *_around(text, start, stop, width), start))
            if keys:
                wide.append(_around(text, start, stop, _REACH)[::2])
        if len(rows) >= ROOM:
            yield _frame(rows, wide, keys)
            rows, wide = [], []
    if rows:
        yield _frame(rows, wide, keys)


def _matches(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    """Where a pattern matches."""
    start_clock()
    try:
        spans = [found.span() for found in pattern.finditer(text)]
    finally:
        stop_clock()
    if any(start == stop for start, stop in spans):
        raise ValueError(f"the query {pattern.pattern!r:.60} matches the empty string; change it")
    return spans


def _shown_matches(tokens: str, pattern: re.Pattern[str]) -> tuple[str, list[tuple[int, int]]]:
    """The second layer as a text, and the places in it of the tokens whose first layer matches.

    Examples
    --------
    >>> tokens = _NEXT.join(["il" + BETWEEN + "il", "de le" + BETWEEN + "du", "pain" + BETWEEN + "pains"])
    >>> _shown_matches(tokens, re.compile("le pain"))
    ('il du pains', [(3, 11)])
    """
    searched, _, shown = zip(*(token.partition(BETWEEN) for token in tokens.split(_NEXT)), strict=True)
    ends, places = (list(accumulate(len(token) + 1 for token in layer)) for layer in (searched, shown))
    spans = []
    for start, stop in _matches(" ".join(searched), pattern):
        first, last = bisect_right(ends, start), min(bisect_left(ends, stop), len(ends) - 1)
        spans.append((places[first] - len(shown[first]) - 1, places[last] - 1))
    return " ".join(shown), spans


def _frame(
    rows: list[tuple[int, str, str, str, int]], wide: list[tuple[str, str]], keys: Sequence[str]
) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema={"document": pl.Int64, **_SCHEMA, "position": pl.Int64}, orient="row")
    if not keys:
        return frame
    left, right = (pl.Series(side, dtype=pl.String) for side in zip(*wide, strict=True))
    return frame.hstack(list(_neighbours([left, frame["match"], right], keys).values()))


def _around(text: str, start: int, stop: int, width: int) -> tuple[str, str, str]:
    parts = text[max(start - width, 0) : start], text[start:stop], text[stop : stop + width]
    left, match, right = (_SPACE.sub(" ", part).encode("utf-8", "replace").decode() for part in parts)
    return left, match, right


def _no_sort(name: Any, known: Sequence[str]) -> str:
    return f"sort must be L1 to L3, R1 to R3, match, or a column; {no_column(name, known)}"
