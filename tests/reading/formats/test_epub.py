"""E-books by hand."""

import pytest

CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
OPF = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>
<dc:title>Чайка</dc:title><dc:creator>Антон Чехов</dc:creator><dc:creator>Another</dc:creator>
<dc:date>1896-10-17</dc:date>
<dc:language>ru</dc:language></metadata><manifest><item id="nav" href="nav.xhtml" properties="nav"/>
<item id="b" href="two.xhtml"/><item id="a" href="text/chapter%20one.xhtml"/><item id="c" href="gone.xhtml"/></manifest>
<spine><itemref idref="nav"/>
<itemref idref="a"/><itemref idref="b"/><itemref idref="c"/><itemref idref="d"/></spine></package>"""
PAGE = '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>no</title></head><body>{}</body></html>'


@pytest.fixture
def book(zipped):
    def book(**parts: str) -> bytes:
        return zipped(
            {
                "mimetype": "application/epub+zip",
                "META-INF/container.xml": CONTAINER,
                "OEBPS/content.opf": OPF,
                "OEBPS/nav.xhtml": PAGE.format("<nav>Contents</nav>"),
                "OEBPS/two.xhtml": PAGE.format("<h1>Second</h1><p>The end&nbsp;is <b>ne</b>ar.</p>"),
                "OEBPS/text/chapter one.xhtml": PAGE.format("<h1>Первое</h1><p>Дядя <i>Ва</i>ня.</p>"),
            }
            | {name.replace("__", "/"): content for name, content in parts.items()}
        )

    return book


def test_chapters_are_joined_in_the_order_of_reading(read, book):
    reading = read(".epub", book())
    assert reading.one.text.replace("\xa0", " ") == "Первое\nДядя Ваня.\nSecond\nThe end is near."
    assert reading.one.metadata == {
        "title": "Чайка", "author": "Антон Чехов; Another", "language": "ru", "date": "1896-10-17", "year": 1896,
    }  # fmt: skip
    assert [kind for kind in reading.kinds if kind == "left out"] == ["left out"] * 2


def test_a_book_is_known_by_its_first_bytes(read, book):
    assert read(".zip", book()).one.metadata["year"] == 1896


def test_what_cannot_be_read_gets_one_sentence(refused, book, zipped):
    locked = (
        '<encryption xmlns="urn:x"><EncryptedData><CipherData>'
        '<CipherReference URI="OEBPS/two.xhtml"/></CipherData></EncryptedData></encryption>'
    )
    assert "protected against copying" in refused(".epub", book(**{"META-INF__encryption.xml": locked}))
    assert "'META-INF/container.xml' is missing" in refused(".epub", zipped({"mimetype": "application/epub+zip"}))
    assert "damaged" in refused(".epub", book()[:300])
    assert refused(".epub", b"") == "is empty"
    assert "has no text" in refused(".epub", book(**{"OEBPS__two.xhtml": "", "OEBPS__text__chapter one.xhtml": ""}))
    assert "one document holds more than 10 bytes" in refused(".epub", book(), document_bytes=10)


def test_entities_in_the_list_of_contents_are_refused(refused, book):
    bomb = '<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + OPF.replace("Чайка", "&x;")
    assert "entities of its own" in refused(".epub", book(**{"OEBPS__content.opf": bomb}))


def test_a_chapter_outside_of_the_book_is_not_looked_for(read, book):
    opf = OPF.replace("gone.xhtml", "../../../../etc/passwd")
    assert "root:" not in read(".epub", book(**{"OEBPS__content.opf": opf})).one.text
