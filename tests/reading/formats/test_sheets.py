"""Excel sheets, written by openpyxl."""

import datetime
import io

import pytest

openpyxl = pytest.importorskip("openpyxl")


def sheet(*rows, more=()) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for title in more:
        book.create_sheet(title).append(["other"])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


ROWS = (
    ["speaker", "text", "year", "share", "day", "kept"],
    ["Ада", "Große Worte", 1999, 0.5, datetime.datetime(1999, 5, 1), True],
    ["王", "中文 text", 2001, None, datetime.datetime(2001, 5, 1, 10, 30), False],
)


def test_rows_are_documents_and_columns_metadata(read):
    reading = read(".xlsx", sheet(*ROWS))
    first, second = reading.documents
    assert (first.name, first.text) == ("1", "Große Worte")
    assert first.metadata == {"speaker": "Ада", "year": 1999, "share": 0.5, "day": "1999-05-01", "kept": True}
    assert (second.name, second.text) == ("2", "中文 text")
    assert second.metadata == {
        "speaker": "王",
        "year": 2001,
        "share": None,
        "day": "2001-05-01T10:30:00",
        "kept": False,
    }
    assert reading.notes == []


def test_columns_are_chosen(read):
    found = read(".xlsx", sheet(*ROWS), text="speaker", id="year").documents
    assert [(each.name, each.text) for each in found] == [("1999", "Ада"), ("2001", "王")]
    assert "year" not in found[0].metadata


def test_other_sheets_and_empty_rows_are_said(read):
    reading = read(".xlsx", sheet(["text"], ["a"], [None], ["b"], more=["Notes", "Old"]))
    assert [each.text for each in reading.documents] == ["a", "b"]
    assert [each.name for each in reading.documents] == ["1", "3"]
    assert reading.kinds == ["sheets left out", "empty rows"]


def test_what_cannot_be_read_gets_one_sentence(refused, zipped):
    assert "there is no column 'text', only 'a', 'b'; choose one with text=" in refused(
        ".xlsx", sheet(["a", "b"], [1, 2])
    )
    assert "no column 'who'" in refused(".xlsx", sheet(*ROWS), id="who")
    assert "'text' 2 times" in refused(".xlsx", sheet(["text", "text"], [1, 2]))
    assert "the first sheet is empty" in refused(".xlsx", sheet())
    assert "document 2: the column 'n' contains null, but ids must be" in refused(
        ".xlsx", sheet(["text", "n"], ["a", 1], ["b", None]), id="n"
    )
    assert refused(".xlsx", b"") == "is empty"
    assert "encrypted" in refused(".xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    data = sheet(*ROWS)
    assert "damaged" in refused(".xlsx", data[: len(data) // 2])
    assert "damaged" in refused(".xlsx", zipped({"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<a/>"}))


def rewritten(data: bytes, part: str, change) -> dict[str, bytes]:
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: change(archive.read(name)) if name == part else archive.read(name) for name in archive.namelist()}


def test_hostile_sheets_are_refused(refused, zipped):
    data, part = sheet(["text"], ["a"]), "xl/worksheets/sheet1.xml"
    far = rewritten(data, part, lambda xml: xml.replace(b'r="A2"', b'r="ZZZZZ2"'))
    assert "beyond the 1,048,576 rows and 16,384 columns" in refused(".xlsx", zipped(far))
    deep = rewritten(data, part, lambda xml: xml.replace(b'<row r="2"', b'<row r="999999999"'))
    assert "beyond the 1,048,576 rows" in refused(".xlsx", zipped(deep))
    bomb = rewritten(data, part, lambda xml: b'<!DOCTYPE x [<!ENTITY a "lol">]>' + xml)
    assert "declares XML entities" in refused(".xlsx", zipped(bomb))


def test_a_bomb_is_refused(refused, zipped):
    data = rewritten(sheet(["text"], ["a"]), "docProps/app.xml", lambda xml: xml + b" " * 5_000_000)
    assert "is larger than 2 MB when unpacked" in refused(".xlsx", zipped(data), file_bytes=2 * 2**20)
