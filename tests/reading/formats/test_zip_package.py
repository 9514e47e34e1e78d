"""Limits of files that are zip archives inside."""

import io
import struct
import zipfile

import pytest

from termburst.reading.formats.found import UnreadableFile
from termburst.reading.formats.zip_package import MOST_PARTS, ZipPackage


def test_more_bytes_than_declared_are_refused_while_unpacking(zipped):
    data = bytearray(zipped({"a.xml": b"x" * 5_000_000}))
    size = struct.pack("<I", 5_000_000)
    while (at := data.find(size)) >= 0:  # in the local header and in the directory
        data[at : at + 4] = struct.pack("<I", 1000)
    package = ZipPackage(io.BytesIO(bytes(data)), 2**20, "an e-book")
    with pytest.raises(UnreadableFile, match=r"damaged|larger than"):
        package.read("a.xml")


def test_the_limit_is_for_all_parts_together(zipped):
    data = zipped({f"{k}.xml": bytes(range(256)) * 2000 for k in range(3)})
    with pytest.raises(UnreadableFile, match="larger than 1 MB when unpacked"):
        ZipPackage(io.BytesIO(data), 2**20, "an e-book")
    package = ZipPackage(io.BytesIO(data), 2 * 2**20, "an e-book")
    for _ in range(3):
        package.read("0.xml")
    package.read("0.xml")
    with pytest.raises(UnreadableFile, match="larger than 2 MB"):
        package.read("0.xml")


def test_a_ratio_beyond_all_sense_is_refused(zipped):
    with pytest.raises(UnreadableFile, match="times its size, more than the 1,000 times allowed"):
        ZipPackage(io.BytesIO(zipped({"a.xml": bytes(40_000_000)})), 2**30, "an e-book")


def test_too_many_parts_are_refused(monkeypatch, zipped):
    monkeypatch.setattr("termburst.reading.formats.zip_package.MOST_PARTS", 10)
    assert MOST_PARTS == 100_000
    with pytest.raises(UnreadableFile, match="has more parts inside than the 10 that an e-book may"):
        ZipPackage(io.BytesIO(zipped({str(k): b"" for k in range(11)})), 2**20, "an e-book")


def test_an_encrypted_part_is_said():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.xml", "<a/>")
    data = bytearray(stream.getvalue())
    for mark, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.find(mark) + offset] |= 1
    with pytest.raises(UnreadableFile, match="is encrypted; remove the password"):
        ZipPackage(io.BytesIO(bytes(data)), 2**20, "an e-book").read("a.xml")
