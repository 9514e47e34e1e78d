"""One server process for all attacks of a pytest process, and the fixture that runs an attack in it."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from attacks import Attack, Kind, Outcome

from helpers.processes import plain_environment

# These tests need pipes, sockets, file modes, forks, and memory limits that are enforced.
collect_ignore_glob = [] if sys.platform.startswith("linux") else ["*.py"]

READING = (
    "terms",
    "explain",
    "weigh",
    "export",
    "keyness",
    "report",
)  # commands with --quiet, beside stats build and add
SERVER = Path(__file__).parent / "attacks" / "server.py"


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment without variables that make a pipe look like a terminal; one thread per library, to fork."""
    return {**plain_environment(tmp_path_factory.mktemp("cache")), "OPENBLAS_NUM_THREADS": "1"}


@pytest.fixture(scope="session")
def server(environment: dict[str, str]) -> Iterator[Callable[[dict[str, Any]], dict[str, Any]]]:
    with subprocess.Popen(
        [sys.executable, SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as process:
        requests, answers = process.stdin, process.stdout
        assert requests is not None
        assert answers is not None

        def ask(request: dict[str, Any]) -> dict[str, Any]:
            requests.write(json.dumps(request) + "\n")
            requests.flush()
            return json.loads(answers.readline())

        yield ask
        requests.close()


def _quiet(run: Sequence[str] | str) -> Sequence[str] | str:
    """The same command without its reading report, which says what is odd in tiny corpora; --verbose keeps it."""
    reads = not isinstance(run, str) and "--" not in run and (run[:1] or [""])[0] in READING
    reads = reads or (not isinstance(run, str) and list(run[:2]) in (["stats", "build"], ["stats", "add"]))
    return [*run, "--quiet"] if reads and "--verbose" not in run else run


@pytest.fixture
def attacked(server: Callable[[dict[str, Any]], dict[str, Any]], tmp_path: Path) -> Callable[[Attack | Kind], None]:
    """Run one attack, or each of a kind, in a folder of its own, and check the result."""

    def check(attack: Attack | Kind) -> None:
        for number, one in enumerate(attack if isinstance(attack, Kind) else (attack,)):
            try:
                check_one(one, tmp_path / str(number))
            except BaseException as error:
                error.add_note(f"This was the attack: {one}")
                raise

    def check_one(attack: Attack, place: Path) -> None:
        folder = place / "at"
        folder.mkdir(parents=True)
        before = attack.prepare(folder)
        streams = {name: place / name for name in ("stdin", "stdout", "stderr")}
        streams["stdin"].write_bytes(attack.stdin)
        streams["stdout"].touch()
        streams["stderr"].touch()
        request = {"run": _quiet(attack.run), "folder": str(folder), "memory": attack.memory}
        answer = server(request | {name: str(path) for name, path in streams.items()})
        err = streams["stderr"].read_text(encoding="utf-8", errors="surrogateescape")
        attack.judge(folder, before, Outcome(out=streams["stdout"].read_bytes(), err=err, **answer))

    return check
