"""Cut a block of a CSV table into the same fields as the csv module would.

Quotes are paired in their order: the first opens, the second closes, and so on. The csv module does the same under two
conditions. Each opening quote is at the start of a field, or directly behind a closing quote (a doubled quote). Each
closing quote is at the end of a field, or directly before an opening quote. Then delimiters and newlines with an even
number of quotes before them end fields and rows, and all others are text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Positions = NDArray[np.intp]
    _Bytes = NDArray[np.uint8]
    _Flags = NDArray[np.bool_]

_QUOTE, _NEWLINE, _RETURN = b'"\n\r'


@dataclass(frozen=True, slots=True)
class Cut:
    """The whole rows at the start of a block.

    They are the first *size* bytes and have *lines* lines. *columns* has the fields of the wanted columns. It is None
    if the csv module might read the block in another way; then *size* is doubtful, too.
    """

    size: int
    lines: int
    columns: list[list[str]] | None


@dataclass(frozen=True, slots=True)
class _Marks:
    """Quotes, newlines, delimiters and carriage returns: where they are, and which byte each one is."""

    at: _Positions
    byte: _Bytes
    inside: _Flags  # between quotes; true for an opening quote, false for a closing one


def cut_block(block: bytes, delimiter: int, width: int, wanted: list[int], longest: int) -> Cut:
    r"""The *wanted* columns of the rows in a block. It begins with a row, and no row has more than *longest* bytes.

    Examples
    --------
    >>> cut_block(b'1,"a ""b"", c"\n\n2,on\n3,"it\ngo', ord(","), 2, [0, 1], 100)
    Cut(size=21, lines=3, columns=[['1', '2'], ['a "b", c', 'on']])
    """
    import numpy as np

    data = np.frombuffer(block, np.uint8)
    marks = _find_marks(data, (_QUOTE, _NEWLINE, delimiter, _RETURN)[: 3 + (b"\r" in block)])
    ends = np.flatnonzero((marks.byte == _NEWLINE) & ~marks.inside)
    if not ends.size:
        return Cut(0, 0, None)
    size, count = int(marks.at[ends[-1]]) + 1, int(ends[-1]) + 1
    block, data = block[:size], data[:size]
    marks = _Marks(marks.at[:count], marks.byte[:count], marks.inside[:count])
    lines = int(np.count_nonzero(marks.byte == _NEWLINE))
    doubled = _doubled_quotes(data, marks.at[marks.byte == _QUOTE], delimiter)
    fields = _fields(data, marks, width) if doubled is not None and _is_text(block) else None
    if doubled is None or fields is None:
        return Cut(size, lines, None)
    starts, stops = fields
    if size > longest and np.diff(starts[:, 0], append=size).max(initial=0) > longest:
        return Cut(size, lines, None)
    starts, stops = _unquoted(data, starts[:, wanted], stops[:, wanted])
    if doubled.size:
        starts, stops = (places - np.searchsorted(doubled, places) for places in (starts, stops))
        block = np.delete(data, doubled).tobytes()
    return Cut(size, lines, [_strings(block, starts[:, k], stops[:, k]) for k in range(len(wanted))])


def _find_marks(data: _Bytes, which: tuple[int, ...]) -> _Marks:
    import numpy as np

    marked = data == which[0]
    for byte in which[1:]:
        marked |= data == byte
    at = np.flatnonzero(marked)
    found = data[at]
    quotes = np.cumsum(found == _QUOTE, dtype=np.uint8)  # an overflow does not change the last bit
    return _Marks(at, found, (quotes & 1).astype(bool))


def _doubled_quotes(data: _Bytes, quotes: _Positions, delimiter: int) -> _Positions | None:
    """The second quote of every doubled quote; None if a quote is where none should be."""
    import numpy as np

    opening, closing = quotes[::2], quotes[1::2]
    # The rows end with a newline. As data[-1], it also serves as the byte before the first row ...
    before = data[opening - 1]
    # ... and there is always a byte behind a closing quote.
    behind = data[closing + 1]
    doubled = before == _QUOTE
    right = doubled | (before == delimiter) | (before == _NEWLINE)
    ended = (behind == _QUOTE) | (behind == delimiter) | (behind == _NEWLINE) | (behind == _RETURN)
    return opening[doubled] if np.all(right) and np.all(ended) else None


def _is_text(block: bytes) -> bool:
    if block.isascii():
        return b"\0" not in block
    try:
        return "\0" not in block.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _fields(data: _Bytes, marks: _Marks, width: int) -> tuple[_Positions, _Positions] | None:
    """Starts and stops (rows × columns) of all fields; None if their number is wrong, or for a lone carriage return."""
    import numpy as np

    outside = ~marks.inside & (marks.byte != _QUOTE)
    stray = marks.at[outside & (marks.byte == _RETURN)]
    if stray.size:
        if not np.all(data[stray + 1] == _NEWLINE):
            return None
        outside &= marks.byte != _RETURN
    ends, last = marks.at[outside], marks.byte[outside] == _NEWLINE
    starts = np.concatenate([[0], ends[:-1] + 1])
    stops = ends - (last & (data[ends - 1] == _RETURN)) if stray.size else ends
    if width > 1:  # an empty line is not a row; with one column it is an empty field
        row = last & np.concatenate([[True], last[:-1]]) & (starts == stops)
        if row.any():
            starts, stops, last = starts[~row], stops[~row], last[~row]
    if len(last) % width:
        return None
    last = last.reshape(-1, width)
    if not (last[:, -1].all() and np.count_nonzero(last) == len(last)):
        return None
    return starts.reshape(-1, width), stops.reshape(-1, width)


def _unquoted(data: _Bytes, starts: _Positions, stops: _Positions) -> tuple[_Positions, _Positions]:
    quoted = data[starts] == _QUOTE
    return starts + quoted, stops - quoted


def _strings(block: bytes, starts: _Positions, stops: _Positions) -> list[str]:
    cuts = zip(starts.tolist(), stops.tolist(), strict=True)
    if not block.isascii():
        return [block[start:stop].decode("utf-8") for start, stop in cuts]
    text = block.decode("ascii")
    return [text[start:stop] for start, stop in cuts]
