"""Word documents, made by python-docx and by hand."""

import datetime
import io
from contextlib import suppress

import pytest

from termburst.reading.formats import UnreadableFile

docx = pytest.importorskip("docx")
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def saved(document) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


@pytest.fixture
def speech() -> bytes:
    document = docx.Document()
    document.core_properties.title = "Eine Rede"
    document.core_properties.author = "Ада Лавлейс"
    document.core_properties.created = datetime.datetime(1999, 5, 1, 10, 0)
    document.add_heading("Größe", 1)
    paragraph = document.add_paragraph("Das ist ein ")
    paragraph.add_run("Wort").bold = True
    paragraph.add_run("spiel,")
    paragraph.add_run().add_break()
    paragraph.add_run("मानव\tأهلا")
    table = document.add_table(rows=1, cols=2)
    table.cell(0, 0).text = "links"
    table.cell(0, 1).text = "右"
    document.add_paragraph("Ende.")
    document.sections[0].header.paragraphs[0].text = "Kopfzeile"
    return saved(document)


def test_paragraphs_and_tables_are_read_in_their_order(read, speech):
    reading = read(".docx", speech)
    assert reading.one.text.split("\n") == ["Größe", "Das ist ein Wortspiel,", "मानव\tأهلا", "links", "右", "Ende."]
    assert reading.one.name == ""
    assert reading.one.metadata == {"title": "Eine Rede", "author": "Ада Лавлейс", "created": "1999-05-01T10:00:00Z"}
    assert ("left out", "headers and footers of the pages") in reading.notes


def made(zipped, body: str, **parts: str) -> bytes:
    content = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
    }
    return zipped(content | {f"word/{name}.xml": xml for name, xml in parts.items()})


def test_deletions_are_left_out_and_insertions_kept(read, zipped):
    body = (
        "<w:p><w:r><w:t>We </w:t></w:r><w:del><w:r><w:delText>never </w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>often </w:t></w:r></w:ins><w:moveFrom><w:r><w:t>moved </w:t></w:r></w:moveFrom>"
        "<w:r><w:instrText>PAGE</w:instrText><w:t>drink</w:t><w:noBreakHyphen/><w:t>tea</w:t></w:r></w:p>"
    )
    reading = read(".docx", made(zipped, body))
    assert reading.one.text == "We often drink-tea"
    assert reading.detail("tracked changes").startswith("2 deletions")


def test_footnotes_stand_at_the_end(read, zipped):
    notes = (
        f'<w:footnotes {W}><w:footnote w:type="separator"><w:p><w:r><w:t>____</w:t></w:r></w:p></w:footnote>'
        "<w:footnote w:id='2'><w:p><w:r><w:t>A remark.</w:t></w:r></w:p></w:footnote></w:footnotes>"
    )
    reading = read(".docx", made(zipped, "<w:p><w:r><w:t>Text</w:t></w:r></w:p>", footnotes=notes))
    assert reading.one.text == "Text\nA remark."
    assert "1 footnotes" in reading.detail("notes moved")


def test_a_text_box_is_read_once(read, zipped):
    box = "<w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent>"
    body = (
        '<w:p><w:r><mc:AlternateContent xmlns:mc="urn:mc"><mc:Choice>'
        + box
        + "</mc:Choice><mc:Fallback>"
        + box
        + "</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert read(".docx", made(zipped, body)).one.text.split() == ["box"]


def test_a_tab_stop_is_no_tab(read, zipped):
    body = "<w:p><w:pPr><w:tabs><w:tab w:val='left'/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r></w:p>"
    assert read(".docx", made(zipped, body)).one.text == "a\tb"


def test_damaged_files_get_one_sentence(refused, speech, zipped):
    assert refused(".docx", b"") == "is empty"
    assert "does not begin as one" in refused(".docx", b"plain text")
    assert "damaged or incomplete" in refused(".docx", speech[: len(speech) // 2])
    assert "'word/document.xml' is missing" in refused(".docx", zipped({"[Content_Types].xml": "<Types/>"}))
    assert "not valid XML" in refused(".docx", made(zipped, "<w:p>"))
    assert "encrypted" in refused(".docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))


def test_damaged_bytes_raise_nothing_else(read, speech):
    for at in range(0, 100, 7):
        data = bytearray(speech)
        for k in range(len(data) * at // 100, len(data), 997):
            data[k] ^= 0xFF
        with suppress(UnreadableFile):
            read(".docx", bytes(data))


def test_entities_are_refused(refused, zipped):
    bomb = (
        '<!DOCTYPE d [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]>'
        f"<w:document {W}><w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>"
    )
    assert "entities of its own (&a;)" in refused(
        ".docx", zipped({"[Content_Types].xml": "", "word/document.xml": bomb})
    )
    outside = bomb.replace('<!ENTITY a "lol">', '<!ENTITY a SYSTEM "file:///etc/passwd">')
    assert "entities of its own" in refused(".docx", zipped({"[Content_Types].xml": "", "word/document.xml": outside}))


@pytest.mark.slow
def test_bombs_are_refused_by_what_they_unpack_to(refused, zipped):
    large = made(zipped, "<w:p>" + " " * 40_000_000 + "</w:p>")
    assert "is larger than 20 MB when unpacked" in refused(".docx", large, file_bytes=20 * 2**20)
    assert "one document holds more than 1000 bytes" in refused(
        ".docx", made(zipped, "<w:p><w:r><w:t>" + "word " * 1000 + "</w:t></w:r></w:p>"), document_bytes=1000
    )


def test_deep_nesting_is_refused(refused, zipped):
    assert "256 deep" in refused(".docx", made(zipped, "<w:p>" * 400 + "</w:p>" * 400))
