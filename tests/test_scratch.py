"""Temporary folders: one per process, removed at its end, or by the next process if it was killed."""

import os
import subprocess
import sys

import pytest
from filelock import lock_descriptor

from termburst import scratch

CODE = """
import os, signal
from termburst.scratch import scratch_folder
(scratch_folder() / "rows.parquet").write_text("x")
print(*sorted(os.listdir(os.environ["TMPDIR"])), flush=True)
if {killed}:
    os.kill(os.getpid(), signal.SIGKILL)
"""


def run(place, *, killed):
    environment = os.environ | {"TMPDIR": str(place)}
    command = [sys.executable, "-c", CODE.format(killed=killed)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == (-9 if killed else 0), done.stderr
    return done.stdout.split()


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_killed_process_leaves_files_until_the_next_one(tmp_path):
    left = run(tmp_path, killed=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == left
    assert len(left) == 2  # a folder and its lock
    seen = run(tmp_path, killed=False)
    assert len(seen) == 2
    assert not set(left) & set(seen)
    assert not list(tmp_path.iterdir())


def test_only_folders_whose_process_is_gone_are_removed(tmp_path):
    for name in ("alive", "gone"):
        (tmp_path / f"{scratch.PREFIX}{name}").mkdir()
        (tmp_path / f"{scratch.PREFIX}{name}{scratch.LOCK}").touch()
    (tmp_path / f"{scratch.PREFIX}unlocked").mkdir()  # not ours to judge
    kept = tmp_path / "other"
    kept.mkdir()
    (tmp_path / f"{scratch.PREFIX}link").symlink_to(kept)
    (tmp_path / f"{scratch.PREFIX}link{scratch.LOCK}").touch()
    with (tmp_path / f"{scratch.PREFIX}alive{scratch.LOCK}").open() as held:
        assert lock_descriptor(held.fileno(), blocking=False)
        gone = scratch.remove_abandoned(tmp_path)
    assert gone == [tmp_path / f"{scratch.PREFIX}gone"]
    assert kept.exists()
    left = {path.name.removeprefix(scratch.PREFIX) for path in tmp_path.iterdir()}
    assert left == {"alive", "alive.lock", "unlocked", "link", "link.lock", "other"}
