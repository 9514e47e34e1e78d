"""Vertical text."""

VRT = """<?xml version="1.0"?>
<corpus>
<text id="a&amp;b" year="1999" title='Über "Tee"'>
<s>
R&amp;D\tNP\tR&amp;D
was\tVBD\tbe
<\tSYM\t<
teas\tNNS\ttea
<g/>
.\tSENT\t.
</s>
</text>
<text year="2001">
<p>
मानव\tNN\tमानव
</p>
</text>
</corpus>
""".encode()


def test_layers_and_metadata(read):
    for layer, tokens in [
        (None, "R&D was < teas ."),
        ("lemma", "R&D be < tea ."),
        ("upos", "NP VBD SYM NNS SENT"),
        ("lemma_upos", "R&D_NP be_VBD <_SYM tea_NNS ._SENT"),
    ]:
        for suffix in [".vrt", ".vert"]:
            first, second = read(suffix, VRT, layer=layer).documents
            assert (first.name, first.text) == ("a&b", tokens.split())
            assert first.metadata == {"year": 1999, "title": 'Über "Tee"'}
            assert second.name == "2"
            assert second.metadata == {"year": 2001}


def test_the_order_of_columns_is_found_out_and_said(read):
    data = b"<doc>\nThe\tthe\tDT\ncats\tcat\tNNS\nsleep\tsleep\tVB\n</doc>\n"
    reading = read(".vert", data, layer="lemma_upos")
    assert reading.one.text == ["the_DT", "cat_NNS", "sleep_VB"]
    assert reading.notes == [("columns guessed", "word, lemma, part of speech")]
    named = b"<!-- #vrt positional-attributes: word ref lemma pos -->\n<text>\nThe\t1\tthe\tDT\n</text>\n"
    reading = read(".vrt", named, layer="lemma_upos")
    assert reading.one.text == ["the_DT"]
    assert reading.notes == []


def test_one_column_is_enough_for_forms(read, refused):
    data = "<text>\nΈνα\nδύο\n</text>\n".encode()
    assert read(".vrt", data).one.text == ["Ένα", "δύο"]
    assert "has 1 column, none for the layer 'lemma'" in refused(".vrt", data, layer="lemma")


def test_without_text_the_file_is_one_document(read):
    reading = read(".vrt", b"<s>\nTea\tNN\ttea\n</s>\n")
    assert (reading.one.name, reading.one.text) == ("", ["Tea"])
    assert "one document" in reading.kinds


def test_what_is_outside_or_incomplete_is_said(read):
    reading = read(".vrt", b"outside\n<text>\na\n<text>\nb\n")
    assert [each.text for each in reading.documents] == [["a"], ["b"]]
    assert sorted(reading.kinds) == ["incomplete", "left out"]


def test_what_cannot_be_read_gets_one_sentence(refused):
    assert refused(".vrt", b"") == "is empty: it has no tokens"
    assert "one document holds more than 100 bytes" in refused(
        ".vrt", b"<text>\n" + b"word\n" * 100, document_bytes=100
    )


def test_a_short_line_is_named(refused):
    for good in (3, 3000):
        rows = b"<text>\n" + b"a\tX\ta\n" * good + b"broken\n</text>\n"
        assert f"line {good + 2} has 1 column, too few" in refused(".vrt", rows, layer="lemma")


def test_a_column_that_is_not_named_is_not_taken_for_another(refused):
    data = b"<!-- #vrt positional-attributes: word lemma -->\n<text>\nTeas\ttea\n</text>\n"
    assert "none for the layer 'lemma_upos'" in refused(".vrt", data, layer="lemma_upos")
    assert "none for the layer 'upos'" in refused(".vrt", data, layer="upos")


def test_latin_1_is_guessed_and_said(read):
    reading = read(".vrt", "<text>\nété\n</text>\n".encode("latin-1"))
    assert reading.one.text == ["été"]
    assert ("encoding guessed", "cp1252") in reading.notes


def test_blocks_may_end_anywhere(read, monkeypatch):
    expected = [(each.name, each.text, each.metadata) for each in read(".vrt", VRT, layer="lemma").documents]
    for size in (1000, 37, 5):
        monkeypatch.setattr("termburst.reading.formats.text_lines._BLOCK", size)
        assert [
            (each.name, each.text, each.metadata) for each in read(".vrt", VRT, layer="lemma").documents
        ] == expected
