"""RTF by hand, in several code pages."""

import pytest

RTF = rb"{\rtf1\ansi\ansicpg%d\deff0{\fonttbl{\f0\fnil\fcharset%d Times;}}"


def test_text_and_metadata(read):
    data = (
        rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Times;}}{\info{\title Gr\'f6\'dfe}{\author A. L.}}"
        rb"\pard First {\b bold}face\'e9 \u8220?quoted\u8221? \endash dash\par Second line\par}"
    )
    found = read(".rtf", data).one
    assert found.text == "First boldfaceé “quoted” –dash\nSecond line"
    assert found.metadata == {"title": "Größe", "author": "A. L."}


def test_code_pages(read):
    for page, charset, text in [
        (1251, 204, "Война и мир"),
        (1253, 161, "Ελλάδα"),
        (1250, 238, "Żółć"),
        (932, 128, "日本語"),
        (1256, 178, "سلام"),
    ]:
        escaped = "".join(f"\\'{byte:02x}" for byte in text.encode(f"cp{page}"))
        data = RTF % (page, charset) + rb"\pard\f0 " + escaped.encode() + rb"\par}"
        assert read(".rtf", data).one.text == text


def test_the_code_page_holds_for_fonts_without_a_script_of_their_own(read):
    escaped = "".join(f"\\'{byte:02x}" for byte in "мир".encode("cp1251"))
    assert read(".rtf", RTF % (1251, 1) + rb"\f0 " + escaped.encode() + b"}").one.text == "мир"


def test_characters_beyond_the_first_plane(read):
    assert read(".rtf", rb"{\rtf1\ansi \u-10179?\u-8704?}").one.text == "\N{GRINNING FACE}"


def test_the_address_of_a_link_is_not_text(read):
    link = rb'{\rtf1 See {\field{\*\fldinst{HYPERLINK "http://example.org/page"}}{\fldrslt{\ul our page}}}.}'
    assert read(".rtf", link).one.text == "See our page."


def test_what_is_lost_is_said(read):
    reading = read(".rtf", rb"{\rtf1 Text{\footnote Note} {\header Head} more")
    assert reading.one.text.split() == ["Text", "more"]
    assert sorted(reading.kinds) == ["incomplete", "left out", "left out"]


def test_what_is_not_rtf_gets_one_sentence(refused):
    assert refused(".rtf", b"") == "is empty"
    assert "does not begin as one" in refused(".rtf", b"hello")


@pytest.mark.slow
def test_hostile_groups_end(read, refused):
    assert read(".rtf", rb"{\rtf1 " + b"{" * 100_000 + b"x" + b"}" * 100_000 + b"}").one.text == "x"
    assert read(".rtf", rb"{\rtf1 " + rb"{\field{\*\fldinst{ " * 50_000 + b"}").one.text == ""
    assert read(".rtf", rb"{\rtf1{\fonttbl" + rb"\f1" * 100_000 + b"}a}").one.text == "a"
    assert "a list of fonts that does not end" in refused(".rtf", rb"{\rtf1{\fonttbl" + rb"\f1\fcharset1" * 50_000)
