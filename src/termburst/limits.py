"""Limits of memory and size. Memory is checked before it is allocated, and each error says how to raise the limit."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

LONGEST_ID = 2**16  # characters in the id of a document or the label of a group; a longer one is a text
LONGEST_NGRAM = 100  # tokens in a term; a longer n-gram is a document, not a term
SHARE = 0.8  # share of the free memory that one array or table may take
SMALL = 2**20  # bytes that are always allowed: asking the system would take longer than using them
USED = 250 * 2**20  # bytes that this program is assumed to take itself, if the system does not say
UNKNOWN = 16 * 2**30  # bytes assumed to be free if the system does not say

_VARIABLE = "TERMBURST_MEMORY_MB"


def memory_allowed() -> int:
    """Bytes that may be allocated at once: TERMBURST_MEMORY_MB if set, otherwise most of the free memory.

    Examples
    --------
    >>> memory_allowed() > 0
    True
    """
    given = os.environ.get(_VARIABLE, "")
    if not given:
        return int(SHARE * _free_memory())
    if not (given.isascii() and given.isdigit() and len(given) < 16 and int(given) > 0):
        raise ValueError(f"{_VARIABLE} must be a whole number of megabytes, such as 8000; got {given!r:.60}")
    return int(given) * 2**20


def require_memory(size: int, what: str) -> None:
    """Raise ValueError if *what* needs more bytes than may be allocated.

    Examples
    --------
    >>> require_memory(10**18, "weights.npz")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: weights.npz needs 953,674,316,407 MB of memory, more than the ... MB allowed; ...
    """
    if size <= SMALL and _VARIABLE not in os.environ:
        return
    allowed, needed = memory_allowed(), -(-size // 2**20)
    if size > allowed:
        raise ValueError(
            f"{what} needs {needed:,} MB of memory, more than the {allowed // 2**20:,} MB allowed; "
            f"to allow it, set the environment variable {_VARIABLE}={needed}"
        )


def parsed_memory(text: str) -> int:
    """The bytes that a text such as "500MB" or "1.5 GB" stands for.

    Examples
    --------
    >>> parsed_memory("500MB") == 500 * 2**20, parsed_memory("1.5 gb") == 1536 * 2**20
    (True, True)
    """
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?(MB|GB|TB)", str(text).strip(), re.IGNORECASE | re.ASCII)
    if found is None:
        raise ValueError(f"memory must be a number with MB, GB or TB, such as 500MB or 1GB; got {text!r:.60}")
    return int(float(found[1]) * 2 ** {"MB": 20, "GB": 30, "TB": 40}[found[2].upper()])


def checked_memory(memory: str | int, beyond: int) -> tuple[int, int]:
    """A limit of memory in bytes, such as "1GB", and the bytes that this process has in memory already.

    Raises
    ------
    ValueError
        If less than *beyond* bytes are left.

    Examples
    --------
    >>> checked_memory("100GB", 2**20)[0] == 100 * 2**30
    True
    """
    given = memory if isinstance(memory, int) and not isinstance(memory, bool) else parsed_memory(str(memory))
    used = memory_used()
    if given < used + beyond:
        raise ValueError(
            f"memory of {max(given, 0) >> 20:,} MB is too small: the process takes {used >> 20:,} MB already; "
            f"give at least {-(-(used + beyond) // (50 * 2**20)) * 50}MB"
        )
    return given, used


def memory_used() -> int:
    """Bytes that this process has in memory now; `USED`, a usual number, if the system does not say.

    Examples
    --------
    >>> memory_used() > 2**20
    True
    """
    with suppress(ImportError, OSError, ValueError, IndexError):
        import resource

        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    return USED


def _free_memory() -> int:
    """The smallest of what the machine, the control group and the process have left."""
    found = [size for size in (_free_on_machine(), _free_in_group(), _free_in_process()) if size is not None]
    return min(found, default=UNKNOWN)


def _free_on_machine() -> int | None:
    with suppress(OSError, ValueError, IndexError):  # Linux
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    with suppress(AttributeError, OSError, ValueError):  # macOS reports only the total, not what is free
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def _free_in_group(root: Path = Path("/sys/fs/cgroup")) -> int | None:
    """In a container: its limit minus the memory in use, for both versions of control groups."""
    places = (
        (root, "memory.max", "memory.current", ""),
        (root / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"),
    )
    for folder, limit, used, prefix in places:
        with suppress(OSError, ValueError):  # "max" is not a number
            most, taken = int((folder / limit).read_text()), int((folder / used).read_text())
            return max(most - max(taken - _page_cache(folder / "memory.stat", prefix), 0), 0)
    return None


def _page_cache(path: Path, prefix: str) -> int:
    """Bytes of cached files, which the system frees as soon as a process needs memory."""
    counted = {f"{prefix}inactive_file", f"{prefix}active_file"}
    with suppress(OSError, ValueError):
        lines = map(str.split, path.read_text(encoding="ascii").splitlines())
        return sum(int(line[1]) for line in lines if len(line) == 2 and line[0] in counted)
    return 0


def _free_in_process() -> int | None:
    """What `ulimit -v` has left."""
    with suppress(ImportError, OSError, ValueError, IndexError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            return max(limit - pages * resource.getpagesize(), 0)
    return None
