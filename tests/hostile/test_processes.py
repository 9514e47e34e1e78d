"""Tests that need real processes: full disks, closed pipes, two writers, missing standard streams."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from attacks.crafted import statistics_bytes

import termburst as tb
from helpers.processes import PATIENCE

pytestmark = pytest.mark.slow  # each starts one or two processes
COMMAND = f"'{sys.executable}' -m termburst"
TABLES = ["terms c.txt --lines --quiet", "stats show s.parquet --json"]
SIGPIPE = 141  # exit code of a shell for this signal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "c.txt").write_text("".join(f"so it w{i} w{i} w{i + 1}\n" for i in range(2_000)), encoding="utf-8")
    (tmp_path / "few.txt").write_text("so it so\nit is\n", encoding="utf-8")
    (tmp_path / "s.parquet").write_bytes(statistics_bytes())
    return tmp_path


def _shell(line: str, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """The exit code and standard error of a line of bash, in which `termburst` is this installation."""
    script = f'set -o pipefail; termburst() {{ {COMMAND} "$@"; }}; {line}'
    ended = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL, timeout=PATIENCE, check=False, text=True,
    )  # fmt: skip
    return ended.returncode, ended.stderr


@pytest.mark.parametrize("arguments", TABLES)
def test_a_full_disk_is_one_sentence(arguments: str, folder: Path, environment: dict[str, str]) -> None:
    code, err = _shell(f"termburst {arguments} > /dev/full", folder, environment)
    assert code == 2, err
    assert err.count("\n") == 1
    assert "space" in err


def test_a_closed_pipe_ends_the_command_quietly(folder: Path, environment: dict[str, str]) -> None:
    assert _shell("termburst terms c.txt --lines --quiet --top 0 -f csv | head -1", folder, environment) == (
        SIGPIPE,
        "",
    )


def test_a_closed_stream_gives_no_traceback(folder: Path, environment: dict[str, str]) -> None:
    code, err = _shell("termburst terms few.txt --lines --quiet >&-", folder, environment)
    assert code in (0, 2)
    assert "Traceback" not in err
    assert err.count("\n") <= 1


def test_two_writers_lose_nothing(folder: Path, environment: dict[str, str]) -> None:
    before = tb.TermStatistics.load(folder / "s.parquet").documents
    adding = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "termburst",
                "stats",
                "add",
                "s.parquet",
                "c.txt",
                "--lines",
                "--again",
                "--batch",
                name,
            ],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("left", "right")
    ]
    ended = [(process.communicate(timeout=PATIENCE)[1], process.returncode) for process in adding]
    assert [code for _, code in ended] == [0, 0], ended  # the second waits
    after = tb.TermStatistics.load(folder / "s.parquet")
    assert after.documents == before + 2 * 2_000
    assert {"left", "right"} < set(after.batches)
    assert sorted(path.name for path in folder.iterdir()) == ["c.txt", "few.txt", "s.parquet"]
