"""A folder as people have it: a hundred files in every format, five encodings, five scripts, some broken."""

from __future__ import annotations

import io
import json
import sys
import tarfile
import zipfile
from pathlib import Path

import polars as pl
import pytest

from helpers.opened import open_corpus
from termburst.reading.readers import TextSource

for package in ("docx", "lxml", "openpyxl", "pypdf", "striprtf"):
    pytest.importorskip(package)

SCRIPTS = {
    "english": "All human beings are born free and equal in dignity and rights.",
    "russian": "Все люди рождаются свободными и равными в своём достоинстве и правах.",
    "hindi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
    "chinese": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
    "arabic": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.",
}
FRENCH = "Tous les êtres humains naissent libres et égaux en dignité et en droits. Voilà."
ENCODED = {
    "utf16.txt": ("russian", "utf-16", "utf-16"),
    "utf16-without-mark.txt": ("english", "utf-16-le", "utf-16-le"),
    "windows.txt": ("french", "cp1252", "cp1252"),
    "cyrillic.txt": ("russian", "cp1251", "cp1251"),
    "mainland.txt": ("chinese", "gb18030", "gb18030"),
}
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Hamlet</title>
<author>Shakespeare</author></titleStmt></fileDesc></teiHeader><text><body><p>To be, or not to be: that is the question.
</p></body></text></TEI>"""
CONLLU = "# newdoc id = d1\n# sent_id = 1\n1\tDogs\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
HTML = "<!doctype html><html><head><title>Tea</title></head><body><article><p>{}</p></article></body></html>"


def word(text: str) -> bytes:
    import docx

    document, stream = docx.Document(), io.BytesIO()
    document.add_paragraph(text)
    document.save(stream)
    return stream.getvalue()


def sheet(rows: list[list[object]]) -> bytes:
    import openpyxl

    book, stream = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(stream)
    return stream.getvalue()


def pdf_without_text() -> bytes:
    import pypdf

    writer, stream = pypdf.PdfWriter(), io.BytesIO()
    writer.add_blank_page(100, 100)
    writer.write(stream)
    return stream.getvalue()


def zipped(**parts: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/"), content)
    return stream.getvalue()


def tarred(parts: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, content in parts.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


def odd_files() -> dict[str, bytes]:
    mails = "From a Mon Jan  1 00:00:00 2024\nSubject: Tea\n\nTea at five.\n\nFrom b Mon Jan  1 00:00:00 2024\n\nNo.\n"
    files = {name: (FRENCH if text == "french" else SCRIPTS[text]).encode(e) for name, (text, e, _) in ENCODED.items()}
    return (
        files
        | {
            "report.docx": word("Minutes of the meeting of the committee."),
            "notes.odt": b"not a zip archive at all",  # broken
            "letter.rtf": rb"{\rtf1\ansi Dear Sir or Madam, thank you.}",
            "scan.pdf": pdf_without_text(),
            "page.html": HTML.format("The tea was hot, and the cups were many. " * 5).encode(),
            "hidden-page.txt": HTML.format("A page whose name says that it is text. " * 5).encode(),
            "rows.xlsx": sheet([["text", "year"], ["first cell of text", 1999], ["second cell of text", 2001]]),
            "array.json": json.dumps([{"text": "an object in an array", "year": 1789}]).encode(),
            "rows.jsonl": b'{"speech": "the only string there is", "year": 1800}\n',
            "semicolons.csv": b"text;party\nfree trade for all;Whig\nno taxes at all;Tory\n",
            "broken.csv": b"text,party\nonly one field\n",  # broken
            "mails.mbox": mails.encode(),
            "one.eml": b"Subject: Tea\nFrom: a@example.org\n\nShall we have tea?\n",
            "hamlet.xml": TEI.encode(),
            "dogs.conllu": CONLLU.encode(),
            "dogs.vrt": b'<text id="v" year="1999">\nDogs\tNNS\tdog\nbark\tVBP\tbark\n</text>\n',
            "more.zip": zipped(inner__a=b"", inner__b=SCRIPTS["hindi"].encode() + b" zip", README=b"about"),
            "more.tar.gz": tarred({"t/one.txt": b"a file in a tar archive", "../up.txt": b"out"}),
            "broken.docx": word("The end is missing.")[:2000],  # broken
            "tags.txt": b"<p>Tags <i>everywhere</i> in <b>this</b> text</p>\n" * 20,
            "README.md": b"About this corpus.",
            "LICENSE": b"Do what you like.",
            ".DS_Store": b"\0\1\2",
            "picture.jpg": b"\xff\xd8\xff\xe0\0\x10JFIF" + bytes(range(256)),
            "empty.txt": b"",
            "short.txt": b"Hm.",
            "twin.txt": SCRIPTS["english"].encode() + b" 0",
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    for name, content in odd_files().items():
        (folder / name).write_bytes(content)
    pl.DataFrame({"text": ["a row of Parquet"], "year": [1900]}).write_parquet(folder / "rows.parquet")
    number = 0
    while len(list(folder.rglob("*"))) - len(SCRIPTS) < 100:
        script = list(SCRIPTS)[number % len(SCRIPTS)]
        (folder / script).mkdir(exist_ok=True)
        (folder / script / f"{1800 + number}-speech.txt").write_text(f"{SCRIPTS[script]} {number}", encoding="utf-8")
        number += 1
    return folder


@pytest.fixture(scope="module")
def corpus(folder: Path) -> tuple[TextSource, dict[str, tuple[object, dict[str, object]]]]:
    pattern = r"(?P<year>\d{4})-speech"
    corpus = open_corpus(folder, columns="all", name_pattern=pattern, inspect=True)
    documents: dict[str, tuple[object, dict[str, object]]] = {}
    for batch in corpus.batches():
        assert batch.metadata is not None
        documents |= zip(batch.ids, zip(batch.texts, batch.metadata, strict=True), strict=True)
    return corpus, documents


def test_every_file_that_can_be_read_is_read(folder, corpus):
    _, documents = corpus
    assert len([path for path in folder.rglob("*") if path.is_file()]) >= 100
    texts = {name: text for name, (text, _) in documents.items()}
    for name, (text, _, _) in ENCODED.items():
        assert texts[name] == (FRENCH if text == "french" else SCRIPTS[text])
    for script, text in SCRIPTS.items():
        assert any(name.startswith(f"{script}/") and str(found).startswith(text) for name, found in texts.items())
    assert "Minutes of the meeting" in texts["report.docx"]
    assert "Dear Sir or Madam" in texts["letter.rtf"]
    assert texts["page.html"].startswith("The tea was hot")
    assert texts["hidden-page.txt"].startswith("A page whose name")
    assert texts["rows.xlsx:2"] == "second cell of text"
    assert texts["array.json:1"] == "an object in an array"
    assert texts["rows.jsonl:1"] == "the only string there is"
    assert [texts["semicolons.csv:1"], texts["semicolons.csv:2"]] == ["free trade for all", "no taxes at all"]
    assert texts["rows.parquet:1"] == "a row of Parquet"
    assert texts["mails.mbox:1"].strip() == "Tea at five."
    assert texts["one.eml"].strip() == "Shall we have tea?"
    assert "that is the question" in next(text for name, text in texts.items() if name.startswith("hamlet.xml"))
    assert texts["dogs.conllu:d1"] == ["Dogs"]
    assert texts["dogs.vrt:v"] == ["Dogs", "bark"]
    assert texts["more.zip/inner/b"] == SCRIPTS["hindi"] + " zip"
    assert texts["more.tar.gz/t/one.txt"] == "a file in a tar archive"


def test_metadata_come_from_tables_folders_names_and_files(corpus):
    _, documents = corpus
    metadata = {name: found for name, (_, found) in documents.items()}
    assert metadata["english/1800-speech.txt"] == {
        "file": "english/1800-speech.txt", "folder": "english", "year": 1800,
    }  # fmt: skip
    assert metadata["semicolons.csv:1"]["party"] == "Whig"
    assert metadata["rows.xlsx:1"]["year"] == metadata["dogs.vrt:v"]["year"] == 1999
    assert metadata["array.json:1"]["year"] == 1789
    assert metadata["rows.parquet:1"]["year"] == 1900
    assert metadata["mails.mbox:1"]["subject"] == "Tea"
    assert metadata["more.zip/inner/b"]["file"] == "more.zip/inner/b"
    assert next(found for name, found in metadata.items() if name.startswith("hamlet.xml"))["author"] == "Shakespeare"


def test_the_report_names_everything_odd(corpus):
    report, documents = corpus[0].report, corpus[1]
    assert report.documents == len(documents)
    skipped = dict(report.skipped)
    assert skipped["README.md"] == skipped["LICENSE"] == skipped["more.zip/README"] == "README or licence"
    assert skipped[".DS_Store"] == "hidden"
    assert skipped["picture.jpg"] == "binary"
    assert skipped["empty.txt"] == skipped["more.zip/inner/a"] == "empty"
    assert skipped["more.tar.gz/../up.txt"] == "a name that leads out of the archive"
    unread = {note.file for note in report.notes if note.kind == "could not be read"}
    assert (
        {"notes.odt", "broken.csv", "broken.docx"} <= unread <= {"notes.odt", "broken.csv", "broken.docx", "scan.pdf"}
    )
    assert report.encodings == {name: encoding for name, (_, _, encoding) in ENCODED.items()}
    kinds = {(note.file, note.kind) for note in report.notes}
    assert ("semicolons.csv", "delimiter guessed") in kinds
    assert ("rows.jsonl", "column guessed") in kinds
    assert ("page.html", "markup removed") in kinds
    assert ("hidden-page.txt", "format guessed") in kinds
    assert ("tags.txt", "markup in the text") in kinds
    assert any(note.file == "scan.pdf" for note in report.notes)
    assert report.empty == ["mails.mbox:2", "short.txt"]
    assert set(report.duplicates) == {("twin.txt", "english/1800-speech.txt"), ("utf16.txt", "cyrillic.txt")}
    assert report.longest is not None
    assert f"with {report.longest[1]:,} characters" in str(report).splitlines()[-1]
    printed = str(report)
    for name, kind, _ in report.rows():
        assert name in printed or kind == "name without metadata"  # of many alike, only the first are named
    for said in ("one per file", "one per row", "twin.txt = english/1800-speech.txt", "near-empty: 2 documents"):
        assert said in printed
    assert len(printed.splitlines()) < 50


def test_strict_reading_stops_at_the_first_oddity(folder):
    with pytest.raises(ValueError, match="strict reading allows no exceptions"):
        open_corpus(folder, strict=True)
    with pytest.raises(ValueError, match=r"broken\.csv.*fields"):
        list(open_corpus(folder / "bro*.csv", strict=True).batches())


def test_a_missing_package_is_named_and_the_others_are_read(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    (tmp_path / "a.txt").write_text("so it goes", encoding="utf-8")
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4")
    corpus = open_corpus(tmp_path)
    assert [batch.texts for batch in corpus.batches()] == [["so it goes"]]
    assert "needs the package pypdf" in dict(corpus.report.skipped)["b.pdf"]
