"""Only one process at a time changes a file."""

import errno
import os
import sys
import threading

import pytest

from helpers.processes import PATIENCE
from termburst.files import atomic_path
from termburst.locks import LockedError, locked

unix = pytest.mark.skipif(sys.platform == "win32", reason="needs links and modes")
root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may change the owner of files"
)


def test_a_second_process_waits_or_gets_an_error(tmp_path):
    target, order, told = tmp_path / "s.parquet", [], threading.Event()

    def second():
        with locked(target, waiting=lambda sentence: (order.append(sentence), told.set())):
            order.append("second")

    with locked(target):
        with pytest.raises(LockedError, match=r"another process is writing .*s\.parquet; try again"), locked(target):
            pass
        thread = threading.Thread(target=second)
        thread.start()
        assert told.wait(PATIENCE)
        order.append("first")
    thread.join(PATIENCE)
    assert order[1:] == ["first", "second"]
    assert "waiting" in order[0]
    assert list(tmp_path.iterdir()) == []


def test_many_take_turns(tmp_path):
    target, threads = tmp_path / "number", []
    target.write_text("0", encoding="utf-8")

    def add():
        for _ in range(5):
            with locked(target, waiting=str):
                number = int(target.read_text(encoding="utf-8"))
                with atomic_path(target) as temporary:
                    temporary.write_text(str(number + 1), encoding="utf-8")

    for _ in range(6):
        threads.append(threading.Thread(target=add))
        threads[-1].start()
    for thread in threads:
        thread.join(60)
    assert target.read_text(encoding="utf-8") == "30"
    assert [path.name for path in tmp_path.iterdir()] == ["number"]


@unix
def test_a_link_or_a_pipe_as_lock_is_an_error(tmp_path):
    target, lock, precious = tmp_path / "s.parquet", tmp_path / ".s.parquet.lock", tmp_path / "precious"
    precious.write_text("precious", encoding="utf-8")
    for planted in (precious, tmp_path / "nothing"):
        lock.symlink_to(planted)
        said = r"symbolic link\); if no other process .*remove \.s\.parquet\.lock"
        with pytest.raises(ValueError, match=said), locked(target):
            pass
        lock.unlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["precious"]
    os.mkfifo(lock)
    with locked(target), pytest.raises(LockedError), locked(target):  # it neither waits for a writer nor goes
        pass
    assert lock.is_fifo()
    lock.unlink()
    link = tmp_path / "link.parquet"
    link.symlink_to(target)
    with locked(link), pytest.raises(LockedError), locked(target):
        pass


@unix
def test_a_lock_left_behind_does_not_lock(tmp_path):
    left = tmp_path / ".s.parquet.lock"
    left.touch()
    with locked(tmp_path / "s.parquet"):
        assert left.exists()
    assert not left.exists()


def test_another_file_with_the_name_of_the_lock_is_kept(tmp_path):
    lock = tmp_path / ".s.parquet.lock"
    lock.write_text("my diary", encoding="utf-8")
    with locked(tmp_path / "s.parquet"), pytest.raises(LockedError), locked(tmp_path / "s.parquet"):
        pass
    assert lock.read_text(encoding="utf-8") == "my diary"


@unix
@pytest.mark.parametrize("size", [249, 250, 255])
def test_a_long_name_has_a_short_lock(tmp_path, size):
    target = tmp_path / ("é" * ((size - 8) // 2) + "s" * (size % 2) + ".parquet")
    assert len(os.fsencode(target.name)) == size
    target.touch()
    with locked(target), pytest.raises(LockedError), locked(target):
        pass
    assert list(tmp_path.iterdir()) == [target]


@unix
def test_a_replaced_file_keeps_its_mode(tmp_path):
    old, new, mask = tmp_path / "old", tmp_path / "new", os.umask(0o027)
    try:
        for mode in (0o600, 0o640, 0o444, 0o666):
            old.touch()
            old.chmod(mode)
            with atomic_path(old) as temporary:
                assert temporary.stat().st_mode & 0o777 == 0o600
            assert old.stat().st_mode & 0o777 == mode
        with atomic_path(new):
            pass
        assert new.stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(mask)


@unix
def test_the_file_behind_a_link_is_replaced_unless_follow_is_false(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old", encoding="utf-8")
    real.chmod(0o600)
    link.symlink_to(real)
    with atomic_path(link) as temporary:
        temporary.write_text("new", encoding="utf-8")
    assert (link.is_symlink(), real.read_text(encoding="utf-8"), real.stat().st_mode & 0o777) == (True, "new", 0o600)
    with atomic_path(link, follow=False) as temporary:
        temporary.write_text("newer", encoding="utf-8")
    assert (link.is_symlink(), link.read_text(encoding="utf-8")) == (False, "newer")
    assert real.read_text(encoding="utf-8") == "new"


@root
def test_a_replaced_file_keeps_its_owner_if_permitted(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.touch()
    path.chmod(0o660)
    os.chown(path, 4321, 1234)
    with atomic_path(path):
        pass
    found = path.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (4321, 1234, 0o660)

    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refuse)
    with atomic_path(path):
        pass
    found = path.stat()
    assert (found.st_uid, found.st_mode & 0o777) == (os.geteuid(), 0o600)  # another group gets no rights


def test_a_file_system_without_locks_gives_a_warning(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.warns(UserWarning, match=r"s\.parquet cannot be locked here \(No locks available\)") as said:  # noqa: SIM117
        with locked(tmp_path / "s.parquet"):
            pass
    assert said[0].filename == __file__
    assert list(tmp_path.iterdir()) == []
