"""Web pages: main text, encodings, what is removed."""

PARAGRAPH = "The kettle boils, and the tea<i>pot</i> waits for the water that it was made to hold, as every afternoon. "
PAGE = f"""<!DOCTYPE html><html lang="en"><head><title>On  Tea</title><meta name="author" content="Ada L.">
<meta property="article:published_time" content="1999-05-01T10:00:00Z"><script>var tracker = "spy";</script>
<style>.hidden {{ color: red }}</style></head><body><nav><ul><li><a href="/">Home</a></li>
<li><a href="/shop">Shop now</a></li>
</ul></nav><article><h1>On Tea</h1><p>{PARAGRAPH * 3}</p><p>{PARAGRAPH * 2}</p>
<table><tr><td>Assam</td><td>black</td></tr></table>
<ul><li>first cup</li><li>second cup</li></ul></article>
<footer><p>Copyright, all rights reserved, imprint</p></footer></body></html>"""


def test_the_main_text_is_kept_and_the_rest_is_said(read):
    reading = read(".html", PAGE.encode())
    words = reading.one.text.split()
    assert words.count("teapot") == 5
    assert {"Assam", "black", "first", "second"} <= set(words)
    assert not {"Home", "Shop", "Copyright,", "tracker", "spy"} & set(words)
    assert reading.detail("markup removed") == "tags, scripts and styles, and 10% of the text: <nav>, <footer>"
    expected = {"title": "On Tea", "author": "Ada L.", "language": "en", "date": "1999-05-01T10:00:00Z", "year": 1999}
    assert reading.one.metadata == expected


def test_all_text_is_kept_where_nothing_is_beside_it(read):
    reading = read(".htm", b"<p>Tea<i>pot</i><p>cup<br>spoon<sup><a href='#n1'>1</a></sup>")
    assert reading.one.text.split() == ["Teapot", "cup", "spoon", "1"]
    assert reading.detail("markup removed") == "tags, scripts and styles"


def test_paragraphs_that_repeat_are_kept(read):
    """Burstiness is repetition, so a reader must not take it for boilerplate."""
    page = "".join(f"<p>“Yes,” said Tom {k}.</p><p>“No!”</p>" for k in range(50))
    words = read(".html", f"<html><body><h1>Novel</h1>{page}</body></html>".encode()).one.text.split()
    assert words.count("“No!”") == 50
    assert words.count("“Yes,”") == 50


def test_what_is_main_text(read):
    for page, text in [
        ("<main><p>all of the text</p></main><div>other</div>", "all of the text"),
        ("<div role='main'><p>all of the text</p></div><div>other</div>", "all of the text"),
        (
            "<article><header><h1>T</h1></header>the long text<footer>sources</footer></article>",
            "T\nthe long text\nsources",
        ),
        ("<article>one teaser</article><article>two teaser</article>", "one teaser\ntwo teaser"),
        ("<header><a>Home</a></header><div class='wide sidebar'>links</div><p>the text itself</p>", "the text itself"),
        ("<header><h1>The title</h1></header><p>the text</p>", "The title\nthe text"),
        (
            "<div id='menu'>the long text of a page about menus</div><p>short</p>",
            "the long text of a page about menus\nshort",
        ),
        ("<pre>Tiger, <i>tiger,\n  burning</i>\nbright</pre>and on", "Tiger, tiger,\nburning\nbright\nand on"),
        ("<p>shown</p><p hidden>gone</p><p style='display: none'>gone</p>", "shown"),
        (
            "<form><p>the whole page is in a form, as programs make them</p></form>",
            "the whole page is in a form, as programs make them",
        ),
    ]:
        assert read(".html", f"<html><body>{page}</body></html>".encode()).one.text == text


def test_encodings(read):
    for encoding, declared, text in [
        ("utf-8", "", "Größe und Ελληνικά"),
        ("utf-8", '<meta charset="utf-8">', "日本語のテキスト"),
        ("cp1252", '<meta charset="iso-8859-1">', "naïve “quotes”"),
        ("cp1251", '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">', "Война и мир"),
        ("shift_jis", "<meta charset=shift_jis>", "日本語"),
        ("iso2022_jp", "<meta charset=iso-2022-jp>", "日本語"),
        ("cp1252", "<meta charset=us-ascii>", "déjà vu"),
        ("cp1251", "", "Все люди рождаются свободными и равными в своём достоинстве и правах."),
        ("utf-16", "", "हिन्दी में"),
        ("cp1252", "", "déjà vu"),
    ]:
        page = f"<html><head>{declared}</head><body><p>{text}</p></body></html>"
        assert read(".html", page.encode(encoding)).one.text == text


def test_a_wrong_declaration_is_repaired_and_said(read):
    page = '<html><head><meta charset="windows-1252"></head><body><p>Größe</p></body></html>'.encode()
    reading = read(".html", page)
    assert reading.one.text == "Größe"
    assert reading.detail("encoding repaired") == "the file says windows-1252 but is in UTF-8"
    reading = read(".html", page.replace(b"windows-1252", b"shift_jis").replace("Größe".encode(), b"\xff\xfd text"))
    assert reading.one.text.endswith(" text")
    assert "not valid in it" in reading.detail("encoding repaired")
    reading = read(".html", page.replace(b"windows-1252", b"no-such-thing"))
    assert reading.one.text == "Größe"
    assert "unknown encoding no-such-thing" in reading.detail("encoding guessed")


def test_entities_of_html_are_characters(read):
    assert read(".html", b"<p>caf&eacute; &amp; t&#233; &#x4e2d;</p>").one.text == "café & té 中"


def test_pages_without_text_get_one_sentence(refused):
    assert refused(".html", b"") == "is empty"
    assert "no text that a browser would show" in refused(".html", b"<html><script>only()</script></html>")
    assert "no text that a browser would show" in refused(".html", b"<!-- -->")


def test_hostile_pages_end(refused, read):
    assert "256 deep" in refused(".html", b"<div>" * 5000 + b"text" + b"</div>" * 5000)
    xxe = b'<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><p>safe &x; text</p>'
    assert "root:" not in read(".html", xxe).one.text
    assert "larger than 100 bytes" in refused(".html", b"<p>" + b"x" * 200, file_bytes=100)


def test_an_xml_page_is_read_as_a_page(read):
    page = b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><p>a</p><p>b</p></body></html>'
    assert read(".xml", page).one.text == "a\nb"
    assert read(".xhtml", page).one.text == "a\nb"
