"""Nothing on disk is lost: links, files of others, two commands at once, file modes."""

import contextlib
import signal
import subprocess
import sys
import time

import pytest

import termburst as tb
from helpers.processes import PATIENCE

unix = pytest.mark.skipif(sys.platform == "win32", reason="needs links, modes and POSIX signals")
load = tb.TermStatistics.load


@pytest.fixture
def popen(plain_environment):
    """Start a command that waits for its standard input; it is killed at the end if it still runs."""
    with contextlib.ExitStack() as started:

        def start(*arguments: object):
            command = [sys.executable, "-m", "termburst", *map(str, arguments)]
            pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
            ran = started.enter_context(subprocess.Popen(command, env=plain_environment, **pipes))
            started.callback(ran.kill)
            return ran

        yield start


def until(condition, seconds=PATIENCE):
    """Wait for a condition, at most this number of seconds."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)


@pytest.fixture
def saved(done, tmp_path, corpus):
    path = tmp_path / "s.parquet"
    done("stats", "build", corpus, "--lines", "-o", path)
    return path


@unix
@pytest.mark.parametrize("options", [[], ["--fresh"], ["--checkpoint", 0], ["--checkpoint", 1e-9, "--fresh"]])
@pytest.mark.parametrize("there", [True, False])
def test_a_checkpoint_that_is_a_link_is_not_followed(fault, corpus, tmp_path, options, there):
    precious, partial = tmp_path / "precious", tmp_path / ".out.parquet.partial"
    if there:
        precious.write_bytes(b"precious")
    partial.symlink_to(precious)
    line = fault("stats", "build", corpus, "--lines", "-o", tmp_path / "out.parquet", *options)
    assert ".out.parquet.partial, the place for an unfinished build, is a symbolic link: remove it, or write" in line
    assert partial.is_symlink()
    assert precious.exists() == there
    assert not there or precious.read_bytes() == b"precious"
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("every", [0, 30, 1e-9])
def test_a_file_that_is_not_a_checkpoint_is_kept(fault, done, corpus, tmp_path, saved, every):
    partial, target = tmp_path / ".out.parquet.partial", tmp_path / "out.parquet"
    for content in (b"precious", b"", saved.read_bytes(), saved.read_bytes()[:-9]):
        partial.write_bytes(content)
        line = fault("stats", "build", corpus, "--lines", "-o", target, "--checkpoint", every)
        assert ".out.parquet.partial, the place for an unfinished build, is not a folder: remove it, or write" in line
        assert partial.read_bytes() == content
        assert not target.exists()
    partial.unlink()
    done("stats", "build", corpus, "--lines", "-o", target, "--checkpoint", every)
    assert not partial.exists()
    assert load(target) == load(saved)
    partial.mkdir()
    (partial / "thesis.txt").write_text("mine")
    assert "has other files: remove it" in fault("stats", "build", corpus, "--lines", "-o", target, "--fresh")
    assert (partial / "thesis.txt").exists()


@unix
@pytest.mark.parametrize("command", ["add", "subtract", "merge", "build"])
def test_a_changed_file_keeps_its_mode(done, corpus, saved, tmp_path, command):
    more = tmp_path / "more.txt"
    more.write_text("so it goes\n", encoding="utf-8")
    small = tmp_path / "small.parquet"
    done("stats", "build", more, "--lines", "-o", small)
    done("stats", "add", saved, more, "--lines")
    saved.chmod(0o600)
    arguments = {
        "add": [saved, more, "--lines", "--again", "--quiet"],
        "subtract": [saved, small],
        "merge": [saved, small, "--again", "-o", saved],
        "build": [corpus, "--lines", "-o", saved],
    }
    done("stats", command, *arguments[command])
    assert saved.stat().st_mode & 0o777 == 0o600


@unix
@pytest.mark.parametrize("command", ["add", "subtract", "merge"])
def test_two_changes_at_once_are_both_made(popen, done, saved, tmp_path, command):
    more, small = tmp_path / "more.txt", tmp_path / "small.parquet"
    more.write_text("so it goes\non and on\n", encoding="utf-8")
    done("stats", "build", more, "--lines", "-o", small)
    done("stats", "add", saved, more, "--lines")
    before = load(saved).documents
    first = popen("stats", "add", saved, "-", "--quiet")  # it has read the file and waits for documents
    until((tmp_path / ".s.parquet.lock").exists)
    more_arguments = {
        "add": [saved, more, "--lines", "--again", "--quiet"],
        "subtract": [saved, small],
        "merge": [saved, small, "--again", "-o", saved],
    }
    second = popen("stats", command, *more_arguments[command])
    # Without a lock it would say nothing and finish, and the first would overwrite its result.
    assert second.stderr.readline().endswith(b"s.parquet; waiting until it has finished\n")
    assert first.communicate(b"three\nmore\ndocuments\n", timeout=PATIENCE) == (b"", b"")
    assert second.communicate(timeout=PATIENCE) == (b"", b"")
    assert (first.returncode, second.returncode) == (0, 0)
    assert load(saved).documents == before + 3 + (-2 if command == "subtract" else 2)
    assert not list(tmp_path.glob(".*"))


@unix
def test_a_second_build_is_refused_and_a_killed_one_leaves_no_lock(popen, fault, done, corpus, saved, tmp_path):
    target = tmp_path / "out.parquet"
    first = popen("stats", "build", "-", "-o", target)
    until((tmp_path / ".out.parquet.lock").exists)
    line = fault("stats", "build", corpus, "--lines", "-o", target)
    assert "another process is writing" in line
    assert "out.parquet; try again when it has finished, or write to another file" in line
    waits = popen("stats", "merge", saved, saved, "-o", target)
    assert waits.stderr.readline().endswith(b"out.parquet; waiting until it has finished\n")
    waits.send_signal(signal.SIGINT)
    assert waits.wait(PATIENCE) == 130
    assert b"Traceback" not in waits.stderr.read()
    first.kill()
    first.wait(PATIENCE)
    assert (tmp_path / ".out.parquet.lock").exists()
    done("stats", "build", corpus, "--lines", "-o", target)
    assert load(target) == load(saved)
    assert not list(tmp_path.glob(".*"))


@unix
def test_a_file_with_the_longest_name_can_be_built_and_changed(done, corpus, saved, tmp_path):
    target = tmp_path / f"{'n' * 247}.parquet"
    done("stats", "build", corpus, "--lines", "-o", target, "--checkpoint", 1e-9)
    assert load(target) == load(saved)
    done("stats", "add", target, corpus, "--lines", "--again")
    assert load(target).documents == 2 * load(saved).documents
    assert not list(tmp_path.glob(".*"))


@unix
def test_a_lock_that_is_a_link_is_not_followed(fault, corpus, saved, tmp_path):
    (tmp_path / ".s.parquet.lock").symlink_to(tmp_path / "elsewhere")
    before = saved.read_bytes()
    for arguments in (
        ["add", saved, corpus, "--lines"],
        ["build", corpus, "--lines", "-o", saved],
        ["subtract", saved, saved],
    ):
        assert "it is a symbolic link" in fault("stats", *arguments)
    assert saved.read_bytes() == before
    assert not (tmp_path / "elsewhere").exists()
