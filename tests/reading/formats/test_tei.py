"""TEI: text, metadata, tokens, and what must not happen."""

import subprocess
import sys

import pytest

NS = 'xmlns="http://www.tei-c.org/ns/1.0"'
HEADER = """<teiHeader><fileDesc><titleStmt><title>Hamlet</title><title type="sub">a play</title><author>William
  Shakespeare</author></titleStmt><publicationStmt><idno>ham</idno><date>2015</date></publicationStmt>
  <sourceDesc><bibl><date when="1603">1603, the first quarto</date></bibl></sourceDesc></fileDesc>
  <profileDesc><langUsage><language ident="en">English</language></langUsage></profileDesc></teiHeader>"""


def tei(body: str, header: str = HEADER, attributes: str = NS, text: str = "<text><body>{}</body></text>") -> bytes:
    return f"<?xml version='1.0' encoding='utf-8'?><TEI {attributes}>{header}{text.format(body)}</TEI>".encode()


def test_the_body_is_the_text_and_the_header_metadata(read):
    front = "<text><front><p>Dedication</p></front><body>{}</body><back><p>Index</p></back></text>"
    reading = read(
        ".xml",
        tei("<div><head>Act <hi>I</hi></head><p>Who's\n   there?</p><p>Nay, an<hi>swer</hi> me.</p></div>", text=front),
    )
    assert reading.one.text == "Act I\nWho's there?\nNay, answer me."
    assert reading.one.name == ""
    expected = {"title": "Hamlet", "author": "William Shakespeare", "language": "en", "date": "1603", "year": 1603}
    assert reading.one.metadata == expected
    assert [detail for kind, detail in reading.notes if kind == "left out"] == [
        "<front>, which is beside the body of the text",
        "<back>, which is beside the body of the text",
    ]


def test_when_the_text_was_written_and_otherwise_when_the_file_was_published(read):
    for dates, expected, guessed in [
        ('<creation><date notBefore="1601" notAfter="1603"/></creation>', {"date": "1601/1603"}, False),
        ('<creation><date from="1601"/></creation>', {"date": "1601/", "year": 1601}, False),
        ('<creation><date when="1601">about 1600</date></creation>', {"date": "1601", "year": 1601}, False),
        ("<creation><date/></creation>", {"date": "2015", "year": 2015}, True),
    ]:
        published = "<fileDesc><publicationStmt><date>2015</date></publicationStmt></fileDesc>"
        header = f"<teiHeader>{published}<profileDesc>{dates}</profileDesc></teiHeader>"
        reading = read(".xml", tei("<p>a</p>", header))
        assert reading.one.metadata == expected
        assert ("date guessed" in reading.kinds) == guessed


def test_verse_and_drama(read):
    for attributes in [NS, ""]:
        body = "<sp><speaker>Ham.</speaker><lg><l>To be, or</l><l>not to be</l></lg><stage>Exit</stage></sp>"
        assert read(".tei", tei(body, attributes=attributes)).one.text.split("\n") == [
            "Ham.",
            "To be, or",
            "not to be",
            "Exit",
        ]


def test_words_across_lines_and_pages(read):
    body = "<p>one<lb/>two un-<lb break='no'/>\n  til three<pb n='2'/>four exam-<lb/>ple five<milestone/>six</p>"
    assert read(".xml", tei(body)).one.text.split() == [
        "one",
        "two",
        "until",
        "three",
        "four",
        "example",
        "five",
        "six",
    ]


def test_of_two_readings_one_is_taken(read):
    body = (
        "<p><choice><sic>teh</sic><corr>the</corr></choice> <choice><abbr>Mr</abbr><expan>Mister</expan></choice> "
        "<choice><orig>vniuersal</orig><reg>universal</reg></choice> <app><lem>sun</lem><rdg>son</rdg>"
        "</app> <sic>alone</sic> "
        "<del>gone</del><add>new</add><fw>running head</fw>, end</p>"
    )
    reading = read(".xml", tei(body))
    assert reading.one.text == "the Mister universal sun alone new, end"
    assert ("markup removed", "<sic> with its text") in reading.notes


def test_a_corpus_has_several_documents(read):
    one = tei("<p>Первый</p>", attributes="xml:id='a'").decode().partition("?>")[2]
    two = tei("<p>Second</p>", attributes="").decode().partition("?>")[2]
    three = "<TEI><teiHeader/><text><body>Third</body></text></TEI>"
    corpus = f"<teiCorpus {NS}><teiHeader><fileDesc/></teiHeader>{one}{two}{three}</teiCorpus>".encode()
    found = [(each.name, each.text) for each in read(".xml", corpus).documents]
    assert found == [("a", "Первый"), ("ham", "Second"), ("3", "Third")]
    nested = f"<TEI {NS}><teiHeader/>{one}{two}</TEI>".encode()
    assert [each.text for each in read(".xml", nested).documents] == ["Первый", "Second"]


def test_a_group_of_texts_is_one_document(read):
    group = "<text><group><text><body><p>a</p></body></text><text><body>{}</body></text></group></text>"
    assert read(".xml", tei("<p>b</p>", text=group)).one.text == "a\nb"


WORDS = (
    "<s><w lemma='le' pos='DET'>Les</w> <w lemma='chat' pos='NOUN'>chat<hi>s</hi></w> <w>du"
    "<w lemma='de' pos='ADP'/><w lemma='le' pos='DET'/></w> <w lemma='été'>été</w><pc pos='PUNCT'>.</pc></s>"
)


def test_words_by_layer(read):
    for layer, expected in [
        (None, "Les chats du été ."),
        ("form", "Les chats du été ."),
        ("lemma", "le chat de le été ."),
        ("upos", "DET NOUN ADP DET X PUNCT"),
        ("lemma_upos", "le_DET chat_NOUN de_ADP le_DET été_X ._PUNCT"),
    ]:
        reading = read(".xml", tei(WORDS), layer=layer)
        assert reading.one.text == expected.split()
        assert ("annotation missing" in reading.kinds) == (layer in ("lemma", "upos", "lemma_upos"))


def test_tags_of_universal_dependencies(read):
    body = "<w msd='UPosTag=NOUN|Number=Sing' pos='NN1' lemma='tea'>teas</w>"
    assert read(".xml", tei(body), layer="upos").one.text == ["NOUN"]
    assert read(".xml", tei("<w ana='#NN1'>teas</w>"), layer="upos").one.text == ["NN1"]


def test_text_outside_of_words_is_said(read):
    reading = read(".xml", tei("<head>Title</head><p><w>one</w> <w>two</w></p>"))
    assert reading.one.text == ["one", "two"]
    assert reading.detail("left out") == "text that is in no <w>"


def test_the_british_national_corpus(read):
    bnc = (
        b"<bncDoc xml:id='A00'><teiHeader><fileDesc><titleStmt><title>AIDS</title></titleStmt></fileDesc></teiHeader>"
        b"<wtext type='NONAC'><s n='1'><w c5='AT0' hw='the' pos='ART'>The </w><w c5='NN1' hw='cat' pos='SUBST'>cats</w>"
        b"<c c5='PUN'>.</c></s></wtext></bncDoc>"
    )
    assert read(".xml", bnc).one.text == ["The", "cats", "."]
    assert read(".xml", bnc, layer="lemma").one.text == ["the", "cat", "."]


def test_a_path_chooses_parts_of_a_text(read):
    body = "<div type='chapter' xml:id='c1'><p>one</p></div><div type='chapter'><p>two</p><p>three</p></div>"
    found = read(".xml", tei(body), xpath="//tei:div[@type='chapter']").documents
    assert [(each.name, each.text) for each in found] == [("c1", "one"), ("2", "two\nthree")]
    assert found[0].metadata["title"] == "Hamlet"
    assert found[0].metadata["type"] == "chapter"


def test_a_path_finds_nothing_in_the_header_and_keeps_the_layer(read):
    header = HEADER.replace("<idno>", "<p>Licence</p><idno>")
    found = read(".xml", tei(f"<p>{WORDS}</p>", header=header), xpath="//tei:p", layer="lemma").one
    assert found.text == ["le", "chat", "de", "le", "été", "."]


def test_a_path_without_match_is_said(refused):
    assert 'has no match for xpath="//tei:div"' in refused(".xml", tei("<p>a</p>"), xpath="//tei:div")


def test_a_layer_without_words_is_said(read):
    reading = read(".xml", tei("<p>plain</p>"), layer="lemma")
    assert reading.one.text == "plain"
    assert "no annotation" in reading.kinds


def test_the_encoding_is_what_the_file_declares(read):
    for encoding in ["utf-8", "utf-16", "iso-8859-1", "windows-1252"]:
        data = tei("<p>Größe</p>").decode().replace("utf-8", encoding).encode(encoding)
        assert read(".xml", data).one.text == "Größe"


def test_entities_of_a_dtd_that_lies_elsewhere(read, refused):
    old = (
        b"<!DOCTYPE TEI.2 SYSTEM 'tei2.dtd'><TEI.2><teiHeader/><text><body>"
        b"<p>caf&eacute; <hi>no</hi>ir&mdash;</p></body></text></TEI.2>"
    )
    reading = read(".xml", old)
    assert reading.one.text == "café noir—"
    assert "&eacute;" in reading.detail("entities decoded")
    assert "uses the entity &publisher;" in refused(".xml", old.replace(b"eacute", b"publisher"))


BOMB = (
    "<!DOCTYPE TEI [<!ENTITY a 'lol'>"
    + "".join(f"<!ENTITY {chr(98 + k)} '{f'&{chr(97 + k)};' * 10}'>" for k in range(9))
    + "]>"
)


def test_entities_are_refused(refused):
    for dtd in [
        BOMB,
        "<!DOCTYPE TEI [<!ENTITY j SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE TEI [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p; <!ENTITY j 'x'>]>",
        "<!DOCTYPE TEI [<!ENTITY % p SYSTEM 'http://127.0.0.1:9/x.dtd'> %p;]>",
    ]:
        for encoding in ["utf-8", "utf-16"]:
            data = f"<?xml version='1.0' encoding='{encoding}'?>{dtd}<TEI><text><body><p>&j;</p></body></text></TEI>"
            sentence = refused(".xml", data.encode(encoding))
            assert "declares XML entities of its own" in sentence
            assert "root:" not in sentence


def test_no_other_file_is_opened(read, monkeypatch, tmp_path):
    other = tmp_path / "other.dtd"
    other.write_text("<!ENTITY secret 'stolen'>", encoding="utf-8")
    data = f"<!DOCTYPE TEI SYSTEM '{other.as_uri()}'><TEI><text><body><p>safe</p></body></text></TEI>".encode()
    assert read(".xml", data).one.text == "safe"
    with pytest.raises(ValueError, match="uses the entity &secret;"):
        read(".xml", data.replace(b"safe", b"&secret;"))
    included = (
        f"<TEI {NS} xmlns:xi='http://www.w3.org/2001/XInclude'><text><body>"
        f"<p>a<xi:include href='{other.as_uri()}' parse='text'/>b</p></body></text></TEI>"
    )
    assert read(".xml", included.encode()).one.text == "ab"


def test_damaged_files_get_one_sentence(refused):
    assert refused(".xml", b"") == "is empty"
    assert "not valid XML" in refused(".xml", b"plain text")
    assert "not valid XML" in refused(".xml", tei("<p>cut</p>")[:-20])
    assert "not valid XML" in refused(".xml", tei("<p>a</q>"))
    assert "256 deep" in refused(".xml", tei("<hi>" * 300 + "</hi>" * 300))
    assert "one document holds more than 100 bytes" in refused(
        ".xml", tei("<p>" + "x" * 200 + "</p>"), document_bytes=100
    )
    assert "more than 10 MB of text between two tags" in refused(".xml", tei("<p>" + "words " * 2_000_000 + "</p>"))
    assert "is larger than 1000 bytes" in refused(".xml", tei("<p>" + "x" * 100_000 + "</p>"), file_bytes=1000)


def test_memory_is_asked_for_before_it_is_taken(refused, monkeypatch):
    monkeypatch.setenv("TERMBURST_MEMORY_MB", "50")
    assert "TERMBURST_MEMORY_MB" in refused(
        ".xml", tei("<p>" + "words " * 10_000 + "</p>" + ("<p>" + "words " * 10_000 + "</p>") * 400)
    )


MEMORY = """
import resource, sys
from termburst.reading.formats import format_of
from termburst.reading.options import ReadingPlan

class Corpus:  # made while it is read
    def __init__(self, count):
        text = b"<TEI><teiHeader/><text><body>" + b"<p>some words here</p>" * 5000 + b"</body></text></TEI>"
        self.parts = iter([b"<teiCorpus>", *[text] * count, b"</teiCorpus>"])

    def read(self, size):
        return next(self.parts, b"")

def peak(count):
    found = format_of(".xml", b"").read(Corpus(count), ReadingPlan(), print)
    assert sum(1 for _ in found) == count
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (2**10 if sys.platform == "darwin" else 1)

few = peak(3)
print(peak(300) - few)
"""


@pytest.mark.slow
def test_memory_follows_the_document():
    """A corpus of 33 MB takes hardly more memory than its first three texts."""
    pytest.importorskip("resource")
    out = subprocess.run([sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True).stdout
    assert int(out) < 5000  # kilobytes
