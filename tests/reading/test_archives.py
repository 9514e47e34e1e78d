"""Archives are read like folders, and hostile ones are refused with the limit and how to raise it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import sys
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from helpers.opened import open_corpus

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PARTS = {
    "talks/1999/b.txt": "zwei Wörter".encode("cp1252"),
    "talks/1999/a.txt": b"one text",
    "talks/2001/t.csv": b"text,n\nrow one,1\nrow two,2\n",
    "talks/2001/c.txt.gz": gzip.compress(b"packed twice"),
}
PACKERS = {
    ".tar": bytes, ".tar.gz": gzip.compress, ".tgz": gzip.compress, ".tar.xz": lzma.compress, ".tar.bz2": bz2.compress,
    ".tar.zst": zstd.compress,
}  # fmt: skip


def zipped(parts: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", packing) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return stream.getvalue()


def tarred(parts: dict[str, bytes], *more: tarfile.TarInfo) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in parts.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for entry in more:
            archive.addfile(entry)
    return stream.getvalue()


def read(path: Path, **options):
    corpus = open_corpus(path, **options)
    documents = {}
    for batch in corpus.batches():
        documents |= zip(batch.ids, batch.texts, strict=True)
    return documents, corpus.report


def refusal(path: Path, **options) -> str:
    with pytest.raises(ValueError, match=path.name) as caught:
        read(path, **options)
    message = str(caught.value)
    assert type(caught.value) is ValueError
    assert len(message.splitlines()) == 1
    assert len(message) < 400 + len(str(path))
    return message


def test_an_archive_is_read_like_a_folder(tmp_path):
    for suffix in [".zip", *PACKERS]:
        path = tmp_path / f"corpus{suffix}"
        path.write_bytes(zipped(PARTS) if suffix == ".zip" else PACKERS[suffix](tarred(PARTS)))
        expected = {
            f"{path.name}/talks/1999/a.txt": "one text",
            f"{path.name}/talks/1999/b.txt": "zwei Wörter",
            f"{path.name}/talks/2001/c.txt.gz": "packed twice",
            f"{path.name}/talks/2001/t.csv:1": "row one",
            f"{path.name}/talks/2001/t.csv:2": "row two",
        }
        documents, report = read(path)
        assert documents == read(tmp_path)[0] == expected
        assert report.encodings == {f"{path.name}/talks/1999/b.txt": "cp1252"}
        assert (report.files, report.documents) == (4, 5)
        assert "one per row" in report.how
        batch = next(open_corpus(path, columns="all", name_pattern=r"/(?P<year>\d{4})/").batches())
        found = dict(zip(batch.ids, batch.metadata, strict=True))
        first = {"file": f"{path.name}/talks/1999/a.txt", "folder": "talks", "year": 1999}
        assert found[f"{path.name}/talks/1999/a.txt"] == first
        assert found[f"{path.name}/talks/2001/t.csv:2"]["n"] == 2
        path.unlink()


def test_links_climbing_names_and_archives_inside_are_skipped_and_named(tmp_path):
    link, hard, device = (tarfile.TarInfo(name) for name in ("link.txt", "hard.txt", "null.txt"))
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    hard.type, hard.linkname = tarfile.LNKTYPE, "../../etc/passwd"
    device.type = tarfile.CHRTYPE
    bad = {"../up.txt": b"out", "/etc/x.txt": b"out", "in/../../y.txt": b"out", "inner.zip": zipped(PARTS)}
    (tmp_path / "a.tar").write_bytes(tarred({**bad, "ok.txt": b"fine"}, link, hard, device))
    documents, report = read(tmp_path / "a.tar")
    assert documents == {"a.tar/ok.txt": "fine"}
    reasons = dict(report.skipped)
    assert len(reasons) == 7
    assert list(reasons.values()).count("a name that leads out of the archive") == 3
    assert list(reasons.values()).count("a link in an archive") == 2
    assert "an archive inside an archive; unpack it first" in reasons.values()
    climbing = zipped({"..\\up.txt": b"out", "C:\\x.txt": b"out", "ok.txt": b"fine"})
    symbolic = zipfile.ZipInfo("link")
    symbolic.create_system, symbolic.external_attr = 3, 0o120777 << 16
    stream = io.BytesIO(climbing)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr(symbolic, "/etc/passwd")
    (tmp_path / "b.zip").write_bytes(stream.getvalue())
    documents, report = read(tmp_path / "b.zip")
    assert documents == {"b.zip/ok.txt": "fine"}
    assert len(report.skipped) == 3
    with pytest.raises(ValueError, match="strict"):
        read(tmp_path / "b.zip", strict=True)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".zip", ".tar.gz", ".tar.xz", ".tar.zst"])
def test_a_bomb_is_refused_in_bounded_memory(tmp_path, suffix):
    path, zeros = tmp_path / f"bomb{suffix}", {"a.txt": b"a" * 2**26}
    path.write_bytes(zipped(zeros) if suffix == ".zip" else PACKERS[suffix](tarred(zeros)))
    del zeros
    tracemalloc.start()
    try:
        assert "more than 500 times larger" in refusal(path, max_document_mb=2**8)
        assert tracemalloc.get_traced_memory()[1] < 2**26
    finally:
        tracemalloc.stop()
    assert "max_archive_mb=" in refusal(path, max_archive_mb=1)


@pytest.mark.slow
def test_a_million_files_are_refused(tmp_path):
    path = tmp_path / "many.zip"
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    size = 1_000_000 * len(entry)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, size, 0, 0)  # it says that there is one
    path.write_bytes(b"PK\3\4" + bytes(26) + entry * 1_000_000 + end)
    tracemalloc.start()
    try:
        assert "more than 100,000 files; unpack it and give the folder, or raise max_archive_files=" in refusal(path)
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()
    tar = tmp_path / "many.tar.gz"
    block = tarfile.TarInfo("a").tobuf()
    tar.write_bytes(gzip.compress(block * 2000 + bytes(1024)))
    assert "more than 1,000 files" in refusal(tar, max_archive_files=1000)


def test_a_sparse_file_and_a_long_header_are_refused(tmp_path):
    path = tmp_path / "sparse.tar"
    entry = tarfile.TarInfo("a.txt")
    entry.size = 2**40
    path.write_bytes(entry.tobuf() + bytes(2048))
    assert "max_archive_mb=" in refusal(path)
    entry.type, entry.size = tarfile.XHDTYPE, 2**31
    path.write_bytes(entry.tobuf() + bytes(2048))
    assert "header" in refusal(path)


def test_damaged_archives(tmp_path):
    for suffix in [".zip", ".tar", ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst"]:
        for damage in ["cut", "not an archive", "empty"]:
            whole = zipped(PARTS) if suffix == ".zip" else PACKERS[suffix](tarred(PARTS))
            path, middle = tmp_path / f"a{suffix}", 2500 if suffix == ".tar" else len(whole) // 2
            path.write_bytes({"cut": whole[:middle], "not an archive": b"so it goes" * 99, "empty": b""}[damage])
            (tmp_path / "other.txt").write_text("other", encoding="utf-8")
            if damage != "cut" or suffix == ".zip":
                refusal(path)
            documents, report = read(tmp_path)
            assert "other.txt" in documents
            assert [file for file, *_ in report.rows() if file.startswith("a.")]


@pytest.mark.parametrize("damaged", [b"Fellow", b"\3\4", b"a.txt"])
def test_a_damaged_part_is_named(tmp_path, damaged):
    data = zipped({"a.txt": b"Fellow citizens", "b.txt": b"open"}, zipfile.ZIP_STORED)
    (tmp_path / "a.zip").write_bytes(data.replace(damaged, bytes([damaged[0] ^ 1]) + damaged[1:], 1))
    documents, report = read(tmp_path / "a.zip")
    assert documents == {"a.zip/b.txt": "open"}
    [(file, why)] = report.skipped
    assert (file, "is not packed completely" in why) == ("a.zip/a.txt", True)


def test_an_encrypted_part_is_named(tmp_path):
    data = bytearray(zipped({"a.txt": b"secret", "b.txt": b"open"}, zipfile.ZIP_STORED))
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    (tmp_path / "a.zip").write_bytes(data)
    documents, report = read(tmp_path / "a.zip")
    assert documents == {"a.zip/b.txt": "open"}
    assert report.skipped == [("a.zip/a.txt", "is encrypted; unpack it with its password first")]
