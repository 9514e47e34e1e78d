"""Which format a file has, and what all readers keep to."""

import importlib
import io
import subprocess
import sys
import zipfile

import pytest

from termburst.reading.formats import FORMATS, UnreadableFile, format_of
from termburst.reading.options import ReadingPlan


def test_endings_name_formats():
    for suffix in [suffix for each in FORMATS for suffix in each.suffixes]:
        found = format_of(suffix, b"")
        assert found is not None
        assert suffix in found.suffixes
        assert format_of(suffix.upper(), b"") is found
        assert format_of(suffix.removeprefix("."), b"") is found


def test_endings_are_used_once():
    suffixes = [suffix for each in FORMATS for suffix in each.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert all(suffix.startswith(".") and suffix.islower() for suffix in suffixes)


def test_plain_text_tables_and_archives_are_none_of_them():
    for suffix in [".txt", "", ".csv", ".tsv", ".jsonl", ".parquet", ".zip", ".tar", ".gz", ".py"]:
        assert format_of(suffix, b"Call me Ishmael.") is None
        assert format_of(suffix, b"") is None


def zipped(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, "application/epub+zip" if name == "mimetype" else "x")
    return stream.getvalue()


def test_first_bytes_are_right_where_the_ending_is_wrong():
    for suffix, start, name in [
        (".txt", b"%PDF-1.7", "a PDF file"),
        (".docx", b"%PDF-1.7", "a PDF file"),
        (".doc", b"{\\rtf1", "an RTF document"),
        (".doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an older Office file"),
        (".docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a Word document"),
        (".doc", zipped("[Content_Types].xml", "word/document.xml"), "a Word document"),
        ("", zipped("[Content_Types].xml", "xl/workbook.xml"), "an Excel sheet"),
        (".zip", zipped("mimetype"), "an e-book"),
        (".txt", b"\xef\xbb\xbf<?xml version='1.0'?><TEI>", "an XML file"),
        (".txt", b"\n<!DOCTYPE html>", "a web page"),
        ("", b"<!-- saved --><HTML lang='en'>", "a web page"),
        ("", b"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC '-//W3C'>", "a web page"),
        (".xml", b"<!doctype html>", "a web page"),
        (".html", b"<?xml version='1.0'?><html>", "a web page"),
        ("", b"From - Mon Jan 01 00:00:00 2024\nSubject: x\n", "a mailbox"),
    ]:
        found = format_of(suffix, start)
        assert found is not None
        assert found.name == name


def test_a_thousand_comments_are_looked_at_in_no_time():
    assert format_of("", b"<!---->" * 1000) is None


def test_archives_of_other_things_stay_archives():
    assert format_of(".zip", zipped("a.txt", "b.txt")) is None


def test_a_pdf_that_is_none_is_not_read_as_something_else():
    found = format_of(".pdf", b"<!doctype html>Please log in")
    assert found is not None
    assert found.name == "a PDF file"


def test_a_missing_package_is_said(monkeypatch):
    real = importlib.import_module

    def without(name: str, *rest):
        if name.startswith("termburst"):
            return real(name, *rest)
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", without)
    for suffix, data in {
        ".docx": zipped("word/document.xml"),
        ".odt": zipped("content.xml"),
        ".epub": zipped("META-INF/container.xml"),
        ".html": b"<a/>",
        ".xml": b"<a/>",
        ".rtf": b"{\\rtf1 a}",
        ".pdf": b"%PDF-1.4",
        ".xlsx": zipped("xl/workbook.xml"),
    }.items():
        with pytest.raises(UnreadableFile, match=r"^needs the package [\w-]+: pip install '[\w\[\]]+'$"):
            list(format_of(suffix, data).read(io.BytesIO(data), ReadingPlan(), print))


def test_nothing_and_noise_get_one_sentence():
    for each in FORMATS:
        import random

        for data in (b"", b"\0" * 100, random.Random(1).randbytes(5000), b"PK\3\4" + b"\0" * 100):
            with pytest.raises(UnreadableFile) as caught:
                list(each.read(io.BytesIO(data), ReadingPlan(), lambda _kind, _detail: None))
            assert str(caught.value).isprintable()


def test_a_fault_of_the_disk_is_not_a_fault_of_the_file():
    class Broken(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def read(self, _size: int = -1) -> bytes:
            raise OSError(5, "Input/output error")

    for suffix in (".json", ".conllu", ".xml", ".rtf"):
        with pytest.raises(OSError, match="Input/output error"):
            list(format_of(suffix, b"").read(Broken(), ReadingPlan(), print))


def test_nothing_heavy_is_imported_before_it_is_needed():
    heavy = ("lxml", "pypdf", "openpyxl", "striprtf", "spacy", "email", "zipfile")
    code = f"import sys, termburst.reading.formats; assert not set({heavy!r}) & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
