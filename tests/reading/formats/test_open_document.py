"""OpenDocument texts, written by hand as LibreOffice writes them."""

import pytest

NS = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)
META = f"""<office:document-meta {NS}><office:meta><dc:title>Eine Rede</dc:title><dc:creator>Zweiter</dc:creator>
<meta:initial-creator>Erste</meta:initial-creator><meta:creation-date>1999-05-01T10:00:00</meta:creation-date></office:meta>
</office:document-meta>"""


@pytest.fixture
def odt(zipped):
    def odt(body: str, **parts: str) -> bytes:
        content = (
            f"<office:document-content {NS}><office:body><office:text>{body}</office:text>"
            f"</office:body></office:document-content>"
        )
        return zipped(
            {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content, "meta.xml": META, **parts}
        )

    return odt


def test_text_and_metadata(read, odt):
    body = (
        "<text:sequence-decls><text:sequence-decl/></text:sequence-decls><text:h>Größe</text:h>"
        "<text:p>Zwei<text:s text:c='2'/>Worte<text:tab/>und "
        "<text:span>Wort</text:span>spiel<text:line-break/>Ελληνικά</text:p>"
        "<table:table><table:table-row><table:table-cell><text:p>links</text:p></table:table-cell>"
        "<table:table-cell><text:p>右</text:p></table:table-cell></table:table-row></table:table>"
    )
    found = read(".odt", odt(body)).one
    assert found.text.split("\n") == ["Größe", "Zwei Worte und Wortspiel", "Ελληνικά", "links", "右"]
    assert found.metadata == {"title": "Eine Rede", "author": "Erste", "created": "1999-05-01T10:00:00"}


def test_notes_move_to_the_end_and_comments_go(read, odt):
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>weg</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes><text:p>Text<text:note><text:note-citation>1</text:note-citation>"
        "<text:note-body><text:p>Fußnote</text:p></text:note-body></text:note> geht weiter"
        "<office:annotation><text:p>Kommentar</text:p></office:annotation>.</text:p>"
    )
    reading = read(".odt", odt(body))
    assert reading.one.text == "Text geht weiter.\nFußnote"
    assert set(reading.kinds) == {"left out", "notes moved"}


def test_a_flat_file_is_read_as_xml(read, refused):
    flat = (
        f"<?xml version='1.0'?><office:document {NS}>"
        f"<office:body><office:text><text:p>Flach</text:p></office:text></office:body></office:document>"
    ).encode()
    assert read(".fodt", flat, xpath="//text:p").one.text == "Flach"
    assert "say which elements are documents" in refused(".fodt", flat)


def test_what_cannot_be_read_gets_one_sentence(refused, odt, zipped):
    assert "encrypted" in refused(
        ".odt", odt("<text:p>x</text:p>", **{"META-INF/manifest.xml": "<m><encryption-data/></m>"})
    )
    assert refused(".odt", b"") == "is empty"
    assert "does not begin as one" in refused(".odt", b"hello")
    assert "damaged" in refused(".odt", odt("<text:p>x</text:p>")[:200])
    sheet = f"<office:document-content {NS}><office:body><office:spreadsheet/></office:body></office:document-content>"
    assert "is an OpenDocument spreadsheet, not a text" in refused(".odt", zipped({"content.xml": sheet}))
    assert "'content.xml' is missing" in refused(".odt", zipped({"mimetype": "x"}))


def test_an_empty_text_is_an_empty_document(read, odt):
    assert read(".odt", odt("")).one.text == ""


def test_a_space_that_stands_for_millions_is_not_believed(read, odt):
    assert read(".odt", odt("<text:p>a<text:s text:c='999999999'/>b</text:p>")).one.text == "a b"
