"""How much memory may questions to frames take? A limit for the whole process, for engines that run in it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw

from termburst.files import first_line
from termburst.limits import checked_memory

FIXED = 400 * 2**20  # bytes that a question takes in any case: batches read ahead, memory that allocators do not return
NEEDED = 800 * 2**20  # bytes beyond, if nothing is limited, for texts that are counted
LEAST = 0.1  # share of these that is needed at least
OF_DUCKDB = 0.2  # share of the limit that DuckDB may use itself
SETTING = "select current_setting('memory_limit')"


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit in bytes, what it means for the sizes of blocks, and what is to be undone at its end."""

    memory: int
    scale: float
    end: ExitStack = field(default_factory=ExitStack)


_limit: ContextVar[Limit | None] = ContextVar("termburst.backends.memory", default=None)


@contextmanager
def memory_limit(memory: str | int) -> Iterator[None]:
    """Limit the memory of this process while questions about lazy Polars frames and DuckDB relations are answered.

    What does not fit is kept in files, in the temporary folder. The answers are the same, to the last bit
    unless DuckDB itself adds up. Write the result inside, too. DuckDB may use a fifth of the limit, and gets its own
    ``memory_limit`` back at the end, to the digits that it shows; a lower one of yours stays. Frames in memory are
    where they are, and the vocabulary of `Corpus.statistics` comes into memory. Give ``sort=None``: to sort its rows,
    Polars needs a table as a whole. On Spark, only its own settings decide.
    A limit holds in the thread that sets it: set it in each thread, and on one database of DuckDB only one at a time.

    Parameters
    ----------
    memory : for example "1GB" or "700MB", or bytes
        Peak memory of the whole process, estimated, not enforced; see docs/engines.md. Polars reads
        some row groups of your file ahead: they must fit as well.

    Raises
    ------
    ValueError
        If too little is left after what the process takes already.

    Examples
    --------
    >>> import polars as pl
    >>> import termburst as tb
    >>> from termburst.backends import memory_limit
    >>> frame = pl.LazyFrame({"document": ["a", "b"], "text": ["ha ha ha said the clown", "the end"]})
    >>> with memory_limit("4GB"):
    ...     tb.scan(frame).term_table(sort="plr").select("term", "n").collect().rows()[0]
    ('ha', 3)
    """
    import polars  # noqa: F401  they take memory, too
    import scipy.special  # noqa: F401

    with suppress(ImportError):
        import pyarrow  # noqa: F401
    given, used = checked_memory(memory, FIXED + int(LEAST * NEEDED))
    limit = Limit(given, min((given - used - FIXED) / NEEDED, 1.0))
    token = _limit.set(limit)
    try:
        with limit.end:
            yield
    finally:
        _limit.reset(token)


def scale() -> float:
    """The share of their usual sizes that blocks may have; 1 without a limit."""
    limit = _limit.get()
    return 1.0 if limit is None else limit.scale


def limit_engine(frame: Any) -> None:
    """Inside a limit, give a share of it to DuckDB, until the end of the limit, if the frame is one of DuckDB."""
    limit = _limit.get()
    if limit is None or not frame.implementation.is_duckdb():
        return
    relation = nw.to_native(frame)
    ((own,),) = relation.query("_", SETTING).fetchall()
    share = int(OF_DUCKDB * limit.memory) // 2**20
    if _bytes(own) <= share * 2**20:
        return
    import duckdb

    try:
        relation.query("_", f"set memory_limit = '{share}MiB'")
    except duckdb.Error as error:
        raise ValueError(f"DuckDB does not take a memory_limit of {share} MiB: {first_line(error)}") from error
    limit.end.callback(_give_back, relation, own)


def _give_back(relation: Any, own: str) -> None:
    """Give DuckDB the limit that it showed; warn if that cannot be, as after an aborted transaction."""
    import duckdb

    try:
        relation.query("_", f"set memory_limit = '{_middle(own)}'")
    except duckdb.ConnectionException:
        pass  # it is closed
    except duckdb.Error as error:
        why = f"{first_line(error):.200}; set memory_limit = '{own}' again"
        warnings.warn(f"DuckDB did not take its own memory_limit back: {why}", RuntimeWarning, stacklevel=2)


def _bytes(text: str) -> float:
    """The bytes that DuckDB writes as "286.1 MiB".

    >>> _bytes("1.5 KiB")
    1536.0
    """
    number, unit = text.split()
    return float(number) * 1024 ** ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB").index(unit)


def _middle(text: str) -> str:
    """A limit that DuckDB shows as this text: it rounds down to one digit. Without a limit it shows a huge one.

    >>> _middle("286.1 MiB"), _middle("16383.9 PiB")
    ('286.15MiB', '-1')
    """
    number, unit = text.split()
    if unit == "bytes":
        return f"{number}B"
    return "-1" if _bytes(text) > 2.0**62 else f"{float(number) + 0.05:.2f}{unit}"
