"""How much memory may the questions of `engines` take? A limit for the whole process, for engines that run in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw

from termburst.limits import memory_used, parsed_memory

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


_limit: ContextVar[Limit | None] = ContextVar("termburst.engines.memory", default=None)


@contextmanager
def memory_limit(memory: str | int) -> Iterator[None]:
    """Limit the memory of this process while questions about lazy Polars frames and DuckDB relations are answered.

    What does not fit is kept in files, in the temporary folder. The answers are the same, to the last bit. Write the
    result inside, too. DuckDB may use a fifth of the limit, and gets its own ``memory_limit`` back at the end, to
    the digits that it shows; a lower one of yours stays. Frames in memory are where they are, and the vocabulary of
    `term_statistics` comes into memory. On Spark, only its own settings decide.

    Parameters
    ----------
    memory : for example "1GB" or "600MB", or bytes
        Peak memory of the whole process, estimated, not enforced; see docs/scaling.md for measurements. Polars reads
        some row groups of your file ahead: they must fit as well.

    Raises
    ------
    ValueError
        If too little is left after what the process takes already.

    Examples
    --------
    >>> import polars as pl
    >>> from termburst import engines
    >>> frame = pl.LazyFrame({"document": ["a", "b"], "text": ["ha ha ha said the clown", "the end"]})
    >>> with engines.memory_limit("4GB"):
    ...     engines.term_table(frame).select("term", "n").sort("n").collect().rows()[-1]
    ('ha', 3)
    """
    import polars  # noqa: F401  they take memory, too
    import pyarrow  # noqa: F401
    import scipy.special  # noqa: F401

    given = memory if isinstance(memory, int) and not isinstance(memory, bool) else parsed_memory(str(memory))
    used = memory_used()
    least = used + FIXED + int(LEAST * NEEDED)
    if given < least:
        raise ValueError(
            f"memory of {given / 2**20:,.0f} MB is too small: the process takes {used / 2**20:,.0f} MB already; "
            f"give at least {-(-least // (50 * 2**20)) * 50}MB"
        )
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
    ((before,),) = relation.query("_", SETTING).fetchall()
    share = int(OF_DUCKDB * limit.memory)
    relation.query("_", f"set memory_limit = '{share // 2**20}MiB'")
    ((after,),) = relation.query("_", SETTING).fetchall()
    if after == before:
        return
    again = f"set memory_limit = '{int(_bytes(before) * 1.001)}B'"  # DuckDB shows two digits or so, and rounds down
    if _bytes(before) < share:
        relation.query("_", again)
    else:
        limit.end.callback(relation.query, "_", again)


def _bytes(text: str) -> float:
    """The bytes that DuckDB writes as "286.1 MiB".

    >>> _bytes("1.5 KiB")
    1536.0
    """
    number, unit = text.split()
    return float(number) * 1024 ** ("bytes", "KiB", "MiB", "GiB", "TiB").index(unit)
