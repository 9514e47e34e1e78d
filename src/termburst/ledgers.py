"""Collections that change: patterns with the ids of their batches, in frames or in a folder.

`add` and `withdraw` are for frames of `Corpus.patterns`, of any engine. `Ledger` keeps such patterns in a folder:
one Parquet file per batch, and `ledger.json`, which says which files count and has the digest of each.

>>> import termburst as tb
>>> tb.scan(add(tb.read(["so it goes"]).patterns("monday"), tb.read(["so so"]).patterns("tuesday"))).tokens
5
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import time
import uuid
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from os import PathLike
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import polars as pl

from termburst.backends.collection import Collection
from termburst.backends.frame_input import PATTERNS, WHOLE, check_one_engine, opened, refuse_nulls
from termburst.backends.frames import COUNTED, concatenated, is_spark, returned, to_polars, totals
from termburst.backends.stream import ROWS_PER_FILE, stream
from termburst.counting.options import CountingOptions, checked_counting
from termburst.digests import check_digest, check_format, header_text, reading, seal
from termburst.files import atomic_path, first_line, parquet_damage
from termburst.inference.checks import checked_number
from termburst.locks import LockedError, locked

__all__ = ["Ledger", "LedgerConflictError", "add", "withdraw"]

MANIFEST = "ledger.json"
MERGED = "(merged)"  # the batch of rows that `Ledger.compact` has merged
COLUMNS = ("term", "count", "length", "documents", "batch")
MOST_HOURS = 1e6  # a century
_FILE = f"batch-{'[0-9a-f]' * 32}.parquet"  # files of others have other names, and are not removed
_LEFT = ".termburst-*.part"  # of killed processes


class LedgerConflictError(ValueError):
    """Another writer was quicker, and nothing was changed: try again.

    Examples
    --------
    >>> from termburst.ledgers import LedgerConflictError
    >>> issubclass(LedgerConflictError, ValueError)
    True
    """


def add(ledger: Any, more: Any, *, check: bool = True) -> Any:
    """The ledger with the batches of *more* that it does not have yet. Adding a batch again changes nothing.

    Parameters
    ----------
    ledger, more : frames of one engine, made by `Corpus.patterns`, `add` or `withdraw`
    check : bool
        Look for nulls first.

    Examples
    --------
    >>> import termburst as tb
    >>> monday = tb.read(["so it goes"]).patterns("monday")
    >>> tuesday = tb.read(["so so"]).patterns("tuesday")
    >>> tb.scan(add(add(monday, tuesday), tuesday)).tokens
    5
    """
    (left, like), (right, other) = (_opened(frame, check=check) for frame in (ledger, more))
    check_one_engine(left if like is None else like, right if other is None else other)
    # Fetched, since there are few: a join would put the ledger's whole history into the query twice with every call.
    known = _batches(left)
    if check:
        _refuse_other_sign(known, _batches(right))
    new = right.filter(~nw.col("batch").is_in(list(known)))
    more_rows = new.select(*left.collect_schema().names())
    return returned(concatenated([left, more_rows]), like)


def withdraw(ledger: Any, gone: Any, *, check: bool = True) -> Any:
    """The ledger without documents that were added before: *gone* is their patterns, with a batch id of its own.

    Their rows are appended with negative numbers of documents, so that withdrawing them again changes nothing.

    Parameters
    ----------
    ledger, gone : frames of one engine, made by `Corpus.patterns`
    check : bool
        Whether to raise ValueError if a number in the result would be below zero; this takes a pass over it.

    Examples
    --------
    >>> import termburst as tb
    >>> corpus = tb.read(["so it goes", "so so"])
    >>> gone = corpus.where([True, False]).patterns("withdrawn on tuesday")
    >>> tb.scan(withdraw(corpus.patterns("monday"), gone)).terms.tolist()
    ['so']
    """
    found, like = _opened(gone, check=check)
    reversed_ = found.with_columns(documents=-nw.col("documents"))
    left = add(ledger, returned(reversed_, like), check=False)
    if check:
        _refuse_other_sign(_batches(_opened(ledger, check=False)[0]), _batches(reversed_))
        Collection(left, {}, None).opened(("patterns",))
    return left


def _opened(frame: Any, *, check: bool) -> tuple[Any, Any]:
    """A lazy frame of patterns with batches, and the one that was given if it is in memory.

    Its numbers are checked when they are used.
    """
    source = opened(frame, {}, check=False, kinds=("patterns",))
    found = source.frame
    if "batch" not in found.collect_schema():
        raise ValueError(f"these patterns have no column 'batch'; make them with {PATTERNS}")
    if check:
        refuse_nulls(found, (*WHOLE, "batch"), f"make the frame with {PATTERNS}")
    return found, source.like


def _batches(frame: Any) -> dict[str, int]:
    """Every batch with the sum of its column *documents*, which is below zero if they were withdrawn."""
    found = to_polars(totals(frame, ["batch"]))
    return dict(zip(found["batch"].to_list(), found["documents"].to_list(), strict=True))


def _refuse_other_sign(known: dict[str, int], more: dict[str, int]) -> None:
    """Raise ValueError if a batch id is used both to add and to withdraw: the second step would change nothing."""
    for batch in sorted(known.keys() & more.keys()):
        if (known[batch] < 0) != (more[batch] < 0):
            was, now = ("added", "withdrawn") if more[batch] < 0 else ("withdrawn", "added")
            raise ValueError(f"the batch id {batch!r} was already {was}; use another id for the documents to be {now}")


class Ledger:
    """The patterns of a collection that changes, in a folder, by batches.

    Every change is one step: it happens as a whole or not at all, also if the process is killed. If another process
    changes the ledger at the same time, one of them succeeds; the other gets a `LedgerConflictError` and has changed
    nothing. A step that was made is not made again: adding a batch twice, or withdrawing it twice, changes nothing. So
    a job that failed or was killed can simply be run again.

    Whatever reads the patterns first compares each file with its digest, once per `Ledger`: a damaged, missing or
    exchanged file is a ValueError that names it.

    Parameters
    ----------
    place : path
        A folder for the ledger alone. It is made by the first `add`.
    counting : CountingOptions, optional
        How the texts of all batches are counted. The ledger stores it with the next batch. If it has stored other
        options, adding is refused. By default what it has stored; see `counting`.

    Examples
    --------
    >>> import tempfile
    >>> import termburst as tb
    >>> from termburst.ledgers import Ledger
    >>> ledger = Ledger(tempfile.mkdtemp())
    >>> days = {"monday": ["so it goes", "ha ha"], "tuesday": ["it goes on"]}
    >>> for day, texts in days.items():
    ...     print(ledger.add(tb.read(texts), batch=day))
    ('monday',)
    ('tuesday',)
    >>> ledger.add(tb.read(texts).patterns("tuesday"))
    ()
    >>> tb.scan(ledger.frame()).tokens
    8
    >>> ledger.withdraw("monday")
    ('monday',)
    >>> tb.scan(ledger.frame()).tokens
    3
    """

    def __init__(self, place: str | PathLike[str], *, counting: CountingOptions | None = None) -> None:
        if not isinstance(place, (str, PathLike)) or isinstance(os.fspath(place), bytes) or not str(place):
            raise ValueError(f"place must be a path; got {place!r:.60}")
        if "\0" in str(place):
            raise ValueError(f"place {str(place)!r:.60} contains a NUL character; use another name")
        if re.match(r"[A-Za-z][\w+.-]+:/", str(place)):  # pathlib makes one slash of two
            raise ValueError(f"a ledger must be in a folder of this machine; got {str(place)!r:.60}")
        self.folder = Path(place)
        self._counting = None if counting is None else checked_counting(counting)
        self._sound: set[str] = set()  # files whose digests are right

    def __repr__(self) -> str:
        return f"Ledger({str(self.folder)!r})"

    @property
    def batches(self) -> pl.DataFrame:
        """One row per batch: its id, its number of documents, and its status.

        The number is below zero if the documents were withdrawn from other batches. The status is "added", "merged" (by
        `compact`), or "withdrawn", with 0 documents.
        """
        state = self._state() or _EMPTY
        merged = {True: "merged", False: "added"}
        rows = [
            (batch, one["documents"], merged[one["merged"]] if one["documents"] else "withdrawn")
            for batch, one in state["batches"].items()
        ]
        schema = {"batch": pl.String, "documents": pl.Int64, "status": pl.String}
        return pl.DataFrame(rows, schema=schema, orient="row").sort("batch")

    @property
    def counting(self) -> CountingOptions | None:
        """How the texts are counted: as the ledger has stored it, or as it was given; None if neither is known."""
        stored = (self._state() or _EMPTY)["counting"]
        if stored is None:
            return self._counting
        found = CountingOptions.from_json(stored)
        if self._counting is not None:
            try:
                found.check_equal(self._counting)
            except ValueError as error:
                raise ValueError(f"the ledger {self.folder} has other counting options: {error}") from None
        return found

    def frame(self) -> pl.LazyFrame:
        """The patterns, which `termburst.scan` takes in place of documents, as a lazy frame of Polars.

        It keeps the state that the ledger has now.
        """
        return self._scan(self._now())

    def add(self, more: Any, *, batch: str | None = None, check: bool = True) -> tuple[str, ...]:
        """Add the batches that the ledger does not have yet. Returns their ids.

        A batch that was withdrawn by its id is not added again, with a warning.

        Parameters
        ----------
        more : a frame of any engine, made by `Corpus.patterns`; with *batch* a corpus, or a frame of document and text
        batch : str, optional
            The id of these documents. Texts are counted with the options of the ledger, and these are stored.
        check : bool
            Check the patterns first, which takes a pass over them.
        """
        counting = self.counting  # refused first: counting takes long
        if batch is not None and hasattr(more, "patterns"):
            more = more.patterns(batch)
            counting = self._as_counted(more, counting)
        elif batch is not None:
            counting = counting or CountingOptions()
            more = nw.to_native(Collection(more, {}, counting, checked=not check).pattern_rows(batch))
        elif hasattr(more, "__counted_corpus__"):
            raise ValueError("documents need an id as a batch: give batch=, such as add(corpus, batch='monday')")
        elif (kind := _kind(more)) != "patterns":
            raise ValueError(f"the frame has {kind}, which need an id: give batch=, such as add(frame, batch='monday')")
        else:
            counting = self._as_counted(more, counting)
        found, _ = _opened(more, check=check)
        if check:
            Collection(more, {}, None).opened(("patterns",))
        return self._append(found, counting=counting)

    def withdraw(self, gone: Any, *, check: bool = True) -> tuple[str, ...]:
        """Withdraw a batch, or some documents of any batches. Returns the ids of the batches that this step changed.

        Parameters
        ----------
        gone : str or frame
            The id of a batch whose documents are to go: its rows are deleted. Or the patterns of documents that were
            added, with an id of their own: their rows are appended with negative numbers.
        check : bool
            Whether to raise ValueError if a number in the result would be below zero; this takes a pass over it.
        """
        if isinstance(gone, str):
            return self._drop(gone, check=check)
        self._as_counted(gone, self.counting)
        found, _ = _opened(gone, check=check)
        return self._append(found.with_columns(documents=-nw.col("documents")), check_rest=check)

    def compact(self) -> None:
        """Merge the rows of all batches into one file: equal patterns become one row, and withdrawn ones vanish.

        The ids stay known. A merged batch can no longer be withdrawn by its id, only by the patterns of its documents.
        """
        state = self._now()
        merged = totals(nw.from_native(self._scan(state)), ["term", "count", "length"])
        merged = merged.filter(nw.col("documents") != 0).with_columns(batch=nw.lit(MERGED))
        batches = {batch: one | {"merged": True} for batch, one in state["batches"].items()}
        with _spooled(merged) as rows:
            self._commit(state, batches, drop=list(state["files"]), rows=rows, write=[MERGED])

    def clean(self, hours: float = 24) -> int:
        """Remove files that no longer count since that many hours, and files of killed processes. Returns their number.

        Frames that are still in use need the files of their state, too.
        """
        before = time.time() - 3600 * checked_number("hours", hours, 0.0, MOST_HOURS, low_too=True)
        if not self.folder.is_dir():
            return 0
        with self._changing():
            state = self._state()
            if state is None:
                return 0
            state["retired"] = {name: when for name, when in state["retired"].items() if when > before}
            keep = {*state["files"], *state["retired"]}
            gone = [file for file in self.folder.glob(_FILE) if file.name not in keep]
            gone += self.folder.glob(_LEFT)
            for file in gone:
                file.unlink()
            self._replace(state)
            return len(gone)

    def _as_counted(self, found: Any, counting: CountingOptions | None) -> CountingOptions | None:
        """How patterns were counted, if this process knows it, and otherwise *counting*; ValueError if they differ."""
        own = COUNTED.get(found)  # known of the very frame that `Corpus.patterns` returned here
        if own is not None and counting is not None:
            try:
                counting.check_equal(own)
            except ValueError as error:
                raise ValueError(
                    f"these patterns do not belong to the ledger {self.folder}: {error}; "
                    "count the texts with the options of ledger.counting"
                ) from None
        return counting if own is None else own

    def _append(
        self, more: Any, *, check_rest: bool = False, counting: CountingOptions | None = None
    ) -> tuple[str, ...]:
        """Write the batches that are new, in one step."""
        with _spooled(more) as rows:
            numbers = _documents(rows)
            state = self._state()
            known = {batch: one["documents"] for batch, one in (state or _EMPTY)["batches"].items()}
            for batch in sorted(numbers.keys() & known.keys()):
                if not known[batch]:  # no error, so that a job that adds and then withdraws a batch can be run again
                    warnings.warn(
                        f"the batch {batch!r} was withdrawn, so it is not added again; "
                        "give documents that come back another id",
                        stacklevel=3,
                    )
            _refuse_other_sign({batch: number for batch, number in known.items() if number}, numbers)
            new = [batch for batch in sorted(numbers) if batch not in known]
            if not new:
                return ()
            if check_rest:
                old = [] if state is None else [self._scan(state)]
                self._check_rest([*old, rows.filter(pl.col("batch").is_in(new))])
            batches = {batch: {"documents": numbers[batch], "merged": False} for batch in new}
            self._commit(state, batches, rows=rows, write=new, counting=counting)
            return tuple(new)

    def _drop(self, batch: str, *, check: bool) -> tuple[str, ...]:
        """Withdraw a batch by its id."""
        state = self._now()
        one = state["batches"].get(batch)
        if one is None:
            raise ValueError(f"the ledger {self.folder} has no batch {batch!r}; see `batches`")
        if not one["documents"]:
            return ()
        if one["merged"]:
            raise ValueError(
                f"the batch {batch!r} was merged with others by compact(); withdraw the patterns of its documents"
            )
        drop = [name for name, file in state["files"].items() if file["batch"] == batch]
        if check:
            self._check_rest([self._scan(state, without=drop)])
        self._commit(state, {batch: {"documents": 0, "merged": False}}, drop=drop)
        return (batch,)

    def _check_rest(self, frames: list[pl.LazyFrame]) -> None:
        """Raise ValueError if no collection has the patterns that would remain."""
        Collection(pl.concat(frames), {}, None).opened(("patterns",))

    # Files

    def _state(self) -> dict[str, Any] | None:
        """What `ledger.json` says now; None if there is no ledger yet."""
        path = self.folder / MANIFEST
        if os.path.isfile(self.folder):  # noqa: PTH113 - False if the name is too long
            raise ValueError(f"{self.folder} is a file, but a ledger is a folder; name another place")
        if not os.path.exists(path):  # noqa: PTH110
            if os.path.isdir(self.folder) and any(self.folder.glob(_FILE)):  # noqa: PTH112
                raise ValueError(f"{path} is missing; restore it from a copy, or build the ledger again elsewhere")
            return None
        with reading(path, "ledger"), path.open("rb") as stream:
            check_digest(stream, "ledger")
            found: dict[str, Any] = json.load(stream)
            check_format(found, "ledger")
            if missing := _EMPTY.keys() - found.keys():
                raise ValueError(f"it has no {min(missing)!r}")
            if any(Path(name).name != name for name in found["files"]):
                raise ValueError("it names files outside of its folder")
            if found["counting"] is not None:
                CountingOptions.from_json(found["counting"])
            return found

    def _now(self) -> dict[str, Any]:
        state = self._state()
        if state is None:
            raise ValueError(f"there is no ledger at {self.folder} yet; add a batch first")
        return state

    def _scan(self, state: dict[str, Any], without: Iterable[str] = ()) -> pl.LazyFrame:
        """The rows of a state, after its files were compared with their digests. They stay until `clean`."""
        names = [name for name in state["files"] if name not in without]
        for name in names:
            if name not in self._sound:
                self._check_file(name, **state["files"][name])
                self._sound.add(name)
        files = [self.folder / name for name in names]
        return pl.scan_parquet(files, glob=False, hive_partitioning=False) if files else _no_rows().lazy()

    def _check_file(self, name: str, batch: str, sha256: str) -> None:
        """Raise ValueError if a file is missing, or is not what was written."""
        path = self.folder / name
        again = f", or withdraw the batch {batch!r:.60} and add its documents under another id"
        again = "" if batch == MERGED else again
        try:
            found = _sha256(path)
        except OSError as error:
            raise ValueError(
                f"the file {path} of the ledger cannot be read ({error.strerror}); restore it from a copy{again}"
            ) from error
        if found != sha256:
            raise ValueError(
                f"the file {path} of the ledger is damaged: its content differs from what was written; "
                f"restore it from a copy{again}"
            )

    def _commit(
        self,
        seen: dict[str, Any] | None,
        batches: dict[str, Any],
        *,
        drop: Iterable[str] = (),
        rows: Any = None,
        write: Iterable[str] = (),
        counting: CountingOptions | None = None,
    ) -> None:
        """Write the rows of some batches and drop files, then replace `ledger.json`, if nobody has done so since."""
        with self._changing():
            state = self._state()
            if (state and state["change"]) != (seen and seen["change"]):
                raise self._conflict()
            if state is None:
                state = self._begun()
            for batch in write:
                name = f"batch-{uuid.uuid4().hex}.parquet"
                with atomic_path(self.folder / name) as temporary:
                    rows.filter(pl.col("batch") == batch).sink_parquet(temporary)
                    digest = _sha256(temporary)
                state["files"][name] = {"batch": batch, "sha256": digest}
            for name in drop:
                del state["files"][name]
                state["retired"][name] = time.time()
            state["batches"] |= batches
            if state["counting"] is None and counting is not None:
                state["counting"] = counting.to_json()
            state["change"] += 1
            self._replace(state)

    def _begun(self) -> dict[str, Any]:
        """Write a ledger without batches, before any of their files: files without it are a ledger that has lost it."""
        for path in sorted(self.folder.iterdir()):
            if not path.name.startswith("."):  # whoever reads the folder would read that file, too
                raise ValueError(f"{self.folder} has {path.name!r:.60} in it; a ledger needs a folder of its own")
        state = deepcopy(_EMPTY)
        self._replace(state)
        return state

    def _replace(self, state: dict[str, Any]) -> None:
        fields = {name: state[name] for name in _EMPTY}
        with atomic_path(self.folder / MANIFEST) as temporary:
            temporary.write_text(header_text("ledger", fields), encoding="utf-8")
            seal(temporary)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the lock of the ledger; errors of the disk become a ValueError."""
        damage: tuple[type[BaseException], ...] = (OSError, *parquet_damage())
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with locked(self.folder / MANIFEST):
                yield
        except LockedError as error:
            raise self._conflict() from error
        except damage as error:
            why = getattr(error, "strerror", None) or first_line(error)
            raise ValueError(f"the ledger {self.folder!s:.200} cannot be read or written ({why:.200})") from error

    def _conflict(self) -> LedgerConflictError:
        return LedgerConflictError(
            f"another process was changing the ledger {self.folder} at the same time; nothing was changed here: "
            "try again"
        )


# A ledger without batches. *change* counts the steps; *files* have the batch whose rows they hold, and their digests;
# *retired* files do not count since a time.
_EMPTY: dict[str, Any] = {"change": 0, "counting": None, "batches": {}, "files": {}, "retired": {}}


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _kind(frame: Any) -> str:
    """What a frame has; "patterns" if that is not known, so that `_opened` says what is wrong."""
    try:
        return opened(frame, {}, check=False).kind
    except ValueError:
        return "patterns"


def _no_rows() -> pl.DataFrame:
    """The columns of a ledger."""
    return pl.DataFrame(schema={name: pl.String if name in ("term", "batch") else pl.Int64 for name in COLUMNS})


@contextmanager
def _spooled(frame: Any) -> Iterator[pl.LazyFrame]:
    """The rows of a frame, in Parquet files of a temporary folder; a part of them is in memory at a time.

    On Spark they all come to this process.
    """
    with tempfile.TemporaryDirectory(prefix="termburst-") as name:
        rows = frame.select(*COLUMNS)
        batches = to_polars(rows).iter_slices(ROWS_PER_FILE) if is_spark(frame) else stream(rows, ROWS_PER_FILE)
        empty, files = _no_rows(), [Path(name) / "empty.parquet"]
        empty.write_parquet(files[0])
        for k, batch in enumerate(batches):
            files.append(Path(name) / f"{k:06}.parquet")
            batch.cast(dict(empty.schema)).write_parquet(files[-1])
        yield pl.scan_parquet(files, glob=False, hive_partitioning=False)


def _documents(rows: pl.LazyFrame) -> dict[str, int]:
    """The number of documents of every batch, whose ids must be possible."""
    numbers = rows.group_by("batch").agg(pl.col("documents").filter(pl.col("term").is_null()).sum())
    found = dict(numbers.collect(engine="streaming").rows())
    for batch, number in sorted(found.items()):
        if batch in ("", MERGED):
            raise ValueError(f"the batch id {batch!r} is reserved; use another one")
        if not number:
            raise ValueError(f"the batch {batch!r} has patterns, but no rows for its documents; use {PATTERNS}")
    return found
