"""A row of the table of attacks: the files in a folder, the command that runs there, and the expected result."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

# Codes that a terminal would execute, and codes that reverse text. Tabs and line breaks are allowed.
CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
ALARMS = ("Traceback", "panicked", "core dumped", "Segmentation", "Exception ignored")
NOTES = 2  # lines on standard error that a command may add to its result


@dataclass(frozen=True)
class Outcome:
    """How a run ended. `signal` is 0 if no signal ended it; `late` is whether it took too long."""

    code: int
    signal: int
    late: bool
    out: bytes
    err: str
    cpu: float


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One attack. `refused`, `fine` and `survives` make them.

    Parameters
    ----------
    name : shown if the test fails
    run : arguments of `termburst`; or Python, with `tb`, `np`, `sp`, `pl` and the folder `at`
    codes : expected exit codes; Python exits with 2 after a ValueError
    says : a pattern that the line on standard error must match, ignoring case
    files, make : files in the folder before the run; a function that makes anything else
    stdin : standard input
    makes : patterns of files that the run may create or change; all others must stay the same
    prints : a pattern that standard output must match
    raw : standard output is data, not for a terminal
    notes : number of lines on standard error that the command may add to its result
    memory : address space of the run in megabytes
    check : an additional check, called with the folder and the outcome
    """

    name: str
    run: Sequence[str] | str
    codes: tuple[int, ...]
    says: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    make: Callable[[Path], object] | None = None
    stdin: bytes = b""
    makes: tuple[str, ...] = ()
    prints: str = ""
    raw: bool = False
    notes: int = NOTES
    memory: int = 4096
    check: Callable[[Path, Outcome], object] | None = None

    def __str__(self) -> str:
        return self.name

    def prepare(self, folder: Path) -> dict[str, Any]:
        """Make the input, and return the content of the folder."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if self.make is not None:
            self.make(folder)
        return _contents(folder)

    def judge(self, folder: Path, before: dict[str, Any], outcome: Outcome) -> None:
        """Raise AssertionError if the result is not the expected one."""
        shown = " / ".join(outcome.err.splitlines()[-3:])[-1000:]  # on one line, for pytest's summary
        assert not outcome.late, f"it hung: {shown}"
        assert not outcome.signal, f"it was ended by signal {outcome.signal}: {shown}"
        assert not [word for word in ALARMS if word in outcome.err], shown
        assert outcome.code in self.codes, f"exit code {outcome.code}: {shown}"
        assert not CONTROLS.search(outcome.err), ascii(shown)
        lines = outcome.err.splitlines()
        if outcome.code == 2:
            assert len(lines) == 1, shown
            assert lines[0].startswith("termburst: "), shown
            assert re.search(self.says, lines[0], re.IGNORECASE), shown
        else:
            assert len(lines) <= self.notes, shown
        self._judge_output(outcome)
        _judge_files(before, _contents(folder), () if outcome.code == 2 else self.makes)
        if self.check is not None:
            self.check(folder, outcome)

    def _judge_output(self, outcome: Outcome) -> None:
        if outcome.code == 2:
            assert outcome.out == b"", outcome.out[-2000:]
            return
        text = outcome.out.decode("utf-8", "replace")
        if not self.raw:
            assert not CONTROLS.search(text), ascii(text[:2000])
        assert re.search(self.prints, text), text[:2000]


def refused(name: str, run: Sequence[str] | str, says: str, **rest: Any) -> Attack:
    """An attack that must end with one sentence, exit code 2 and no file written."""
    return Attack(name=name, run=run, says=says, codes=(2,), **rest)


def fine(name: str, run: Sequence[str] | str, **rest: Any) -> Attack:
    """Input that looks like an attack but must work."""
    return Attack(name=name, run=run, codes=(0,), **rest)


def survives(name: str, run: Sequence[str] | str, says: str = "", **rest: Any) -> Attack:
    """An attack that may work, or end with one sentence."""
    return Attack(name=name, run=run, says=says, codes=(0, 2), **rest)


def _contents(folder: Path) -> dict[str, Any]:
    """The content of a folder: kind, mode and content of each file, and the target of each link."""
    found: dict[str, Any] = {}
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(root, name)
            about = path.lstat()
            content: object = None
            if stat.S_ISLNK(about.st_mode):
                content = os.fspath(path.readlink())
            elif stat.S_ISREG(about.st_mode):
                content = hashlib.sha256(path.read_bytes()).hexdigest()
            found[os.fspath(path.relative_to(folder))] = (stat.S_IFMT(about.st_mode), about.st_mode & 0o777, content)
    return found


def _judge_files(before: dict[str, Any], after: dict[str, Any], makes: tuple[str, ...]) -> None:
    other = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
    unasked = [ascii(name) for name in other if not any(fnmatch(name, pattern) for pattern in makes)]
    assert not unasked, f"files that were changed, left behind or removed: {', '.join(sorted(unasked))}"


class Kind(tuple[Attack, ...]):
    """Attacks that differ only in a value: they are one test, which names the one that fails."""

    def __str__(self) -> str:
        return f"{self[0]}, and {len(self) - 1} more of its kind" if len(self) > 1 else str(self[0])


def by_kind(attacks: Sequence[Attack], most: int = 5) -> list[Kind]:
    """Neighbours that run the same command and expect the same, at most so many together."""
    kinds: list[list[Attack]] = []
    for attack in attacks:
        last = kinds[-1] if kinds else []
        alike = bool(last) and len(last) < most and _template(last[0]) == _template(attack)
        kinds[-1 if alike else len(kinds) :] = [[*last, attack]] if alike else [[attack]]
    return [Kind(kind) for kind in kinds]


def _template(attack: Attack) -> tuple[object, ...]:
    """What attacks of a kind have in common: the command and its options without their values."""
    run = (
        ("python",)
        if isinstance(attack.run, str)
        else tuple(word for word in attack.run if word[:1] == "-") + tuple(attack.run[:1])
    )
    return run, attack.codes, sorted(attack.files), attack.make is None, attack.check is None
