"""CoNLL-U: documents, layers, words of several parts, and what is not CoNLL-U."""

import io
import random
from types import SimpleNamespace

import pytest

from termburst.reading.formats import text_lines
from termburst.reading.formats.found import UnreadableFile
from termburst.reading.layers import BETWEEN


def conllu(text: str) -> bytes:
    """Columns are separated by spaces here, and filled up to ten."""

    def filled(line: str) -> str:
        fields = line.split()
        return line if not line or line.startswith("#") else "\t".join(fields + ["_"] * (10 - len(fields)))

    return "\n".join([*(filled(line.strip()) for line in text.strip().split("\n")), "", ""]).encode()


FRENCH = conllu(
    """
    # newdoc id = weblog-1
    # meta::year = 1999
    # genre = blog
    # sent_id = 1
    # speaker = not of the document
    1 Les le DET
    2 chats chat NOUN
    3-4 du _ _
    3 de de ADP
    4 le le DET
    5 port port NOUN
    5.1 dorment dormir VERB
    6 dorment dormir VERB
    7 . . PUNCT

    # sent_id = 2
    # meta::late = no
    1 Ελλάδα Ελλάδα PROPN

    # newdoc
    # newpar
    1-2 au _ _
    1 à à ADP
    2 le le DET
    3 _ _ SYM
    """
)


def test_layers(read):
    for layer, first, second in [
        ("form", "Les chats du port dorment . Ελλάδα", "au _"),
        ("lemma", "le chat de le port dormir . Ελλάδα", "à le _"),
        ("upos", "DET NOUN ADP DET NOUN VERB PUNCT PROPN", "ADP DET SYM"),
        (
            "lemma_upos",
            "le_DET chat_NOUN de_ADP le_DET port_NOUN dormir_VERB ._PUNCT Ελλάδα_PROPN",
            "à_ADP le_DET __SYM",
        ),
    ]:
        reading = read(".conllu", FRENCH, layer=layer)
        one, two = reading.documents
        assert one.name == "weblog-1"
        assert one.text == first.split()
        assert one.metadata == {"year": 1999, "genre": "blog"}
        assert two.name == "2"
        assert two.text == second.split()
        assert two.metadata == {}
        assert reading.notes == []


def test_two_layers_side_by_side(read):
    one, two = read(".conllu", FRENCH, layer="lemma", show="form").documents
    pairs = [tuple(token.split(BETWEEN)) for token in one.text]
    assert pairs[:4] == [("le", "Les"), ("chat", "chats"), ("de le", "du"), ("port", "port")]
    assert two.text == [f"à le{BETWEEN}au", f"_{BETWEEN}_"]


def test_without_newdoc_the_file_is_one_document(read):
    reading = read(".conllu", conllu("1 Tea tea NOUN\n\n1 Cup cup NOUN"))
    assert (reading.one.name, reading.one.text) == ("", ["Tea", "Cup"])
    assert reading.kinds == ["one document"]


def test_text_before_the_first_newdoc_is_a_document_of_its_own(read):
    data = conllu("1 Tea tea NOUN\n\n# newdoc id = b\n1 Cup cup NOUN\n\n# newdoc id = c\n\n# newdoc id = d")
    found = [(each.name, each.text) for each in read(".conllu", data).documents]
    assert found == [("1", ["Tea"]), ("b", ["Cup"]), ("c", []), ("d", [])]


def test_missing_annotation_is_said_or_refused(read, refused):
    data = conllu("# newdoc\n1 Tea tea NOUN\n2 cups _ _")
    reading = read(".conllu", data, layer="lemma_upos")
    assert reading.one.text == ["tea_NOUN", "cups_X"]
    assert reading.notes == [
        ("annotation missing", "1 words without lemma: the form is taken"),
        ("annotation missing", "1 words without part of speech: X is taken"),
    ]
    assert "has nothing in the column of the layer 'lemma'" in refused(".conllu", conllu("1 Tea"), layer="lemma")


def test_columns_of_conllu_plus(read, refused):
    data = b"# global.columns = ID FORM UPOS PARSEME:MWE\n1\tTea\tNOUN\t*\n2\tis\tAUX\t*\n\n"
    assert read(".conllup", data).one.text == ["Tea", "is"]
    assert read(".conllup", data, layer="upos").one.text == ["NOUN", "AUX"]
    assert "has no column LEMMA" in refused(".conllup", data, layer="lemma")


def test_encodings_and_line_endings(read):
    for encoding in ["utf-8-sig", "utf-16"]:
        data = FRENCH.decode().replace("\n", "\r\n").encode(encoding)
        assert read(".conllu", data).documents[0].text[:3] == ["Les", "chats", "du"]


def test_latin_1_is_guessed_and_said(read):
    reading = read(".conllu", conllu("1 été été NOUN").decode().encode("latin-1"))
    assert reading.one.text == ["été"]
    assert "encoding guessed" in reading.kinds


def test_what_is_not_conllu_gets_one_sentence(refused):
    assert refused(".conllu", b"") == "is empty: it has no tokens"
    assert "line 1 has 1 column where CoNLL-U has 10" in refused(".conllu", b"plain text\n")
    assert "line 3 has 4 columns" in refused(".conll", b"# a\n\nEU NNP I-NP\tI\tO\tRG\n\n")
    assert "line 2 has the id 'x'" in refused(".conllu", conllu("1 a a X\nx b b X"))
    assert "the id '1-x'" in refused(".conllu", conllu("1-x a a X"), layer="lemma")
    assert "one document holds more than 100 bytes; separate documents" in refused(
        ".conllu", conllu("\n".join(f"{k} word word NOUN" for k in range(1, 100))), document_bytes=100
    )
    assert "NUL" in refused(".conllu", b"1\ta\0b\n")
    assert "line 1 holds more than 1000 bytes" in refused(".conllu", b"x" * 3_000_000, document_bytes=1000)


def test_cut_files_are_noticed(refused):
    assert "columns where CoNLL-U has 10" in refused(".conllu", FRENCH[:200])


def test_blocks_may_end_anywhere(read, monkeypatch):
    """The same documents, however much is read at a time."""
    draw = random.Random(7)
    lines, expected = [], []
    for number in range(40):
        lines.append(f"# newdoc id = d{number}")
        tokens = []
        for sentence in range(draw.randint(1, 5)):
            lines.append(f"# sent_id = {number}-{sentence}")
            for k in range(1, draw.randint(2, 12)):
                word = "".join(draw.choices("aéж中", k=3))
                lines.append(f"{k} {word} {word} NOUN")
                tokens.append(word)
            lines.append("")
        expected.append((f"d{number}", tokens))
    data = conllu("\n".join(lines))
    for size in (2**20, 1000, 37, 5):
        monkeypatch.setattr("termburst.reading.formats.text_lines._BLOCK", size)
        assert [(each.name, each.text) for each in read(".conllu", data).documents] == expected


def test_long_comments_are_read_in_no_time(read):
    data = b"# newdoc id = a\n# key " + b" " * 300_000 + b"x\n# k =" + b" " * 300_000 + b"x\n" + conllu("1 Tea tea X")
    assert read(".conllu", data).one.metadata == {"k": "x"}


def test_a_long_sentence_is_not_searched_again_for_each_block(monkeypatch):
    asked = []

    class Counting(io.TextIOWrapper):
        def read(self, size):
            asked.append(size)
            return super().read(size)

    monkeypatch.setattr(text_lines, "io", SimpleNamespace(TextIOWrapper=Counting))
    monkeypatch.setattr(text_lines, "_BLOCK", 8)
    data = b"one\n\n" + b"1\tword\n \n" * 1000
    assert "".join(text_lines.text_blocks(io.BytesIO(data), 2**20, end="\n\n")) == data.decode()
    assert len(asked) < 20


def test_a_line_that_is_too_long_is_named_by_its_number(monkeypatch):
    monkeypatch.setattr(text_lines, "_BLOCK", 10)
    blocks = text_lines.text_blocks(io.BytesIO(b"one\n\ntwo\n" + b"t" * 99), 50, end="\n\n")
    with pytest.raises(UnreadableFile, match=r"^line 3 holds more than"):
        list(blocks)
