"""Each file is read in its own encoding, and every guess is named."""

from __future__ import annotations

import pytest

from helpers.opened import open_corpus
from termburst.reading.encodings import guess_encoding, looks_binary

TEXTS = {
    "de": ("cp1252", "Der Bürgermeister sagte, daß „Äpfel“ süß schmecken. Über allen Gipfeln ist Ruh."),
    "fr": ("cp1252", "L'été dernier, j'ai mangé des crêpes à la crème. Où êtes-vous allés?"),
    "es": ("latin-1", "¿Dónde está el niño? Mañana vendrá con su señora; ¡qué alegría! El corazón español."),
    "it": ("latin-1", "Perché è così? La città è bellissima, però ho già visitato più volte l'università."),
    "da": ("latin-1", "Det var en mørk og stormfuld aften, og drengene løb hen over åen til køkkenet."),
    "is": ("cp1252", "Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum. Menn eru gæddir."),
    "pl": ("cp1250", "Wszyscy ludzie rodzą się wolni i równi w swojej godności i prawach. Zażółć gęślą jaźń."),
    "cs": ("cp1250", "Všichni lidé se rodí svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem."),
    "hu": ("cp1250", "Minden emberi lény szabadon születik és egyenlő méltósága és joga van."),
    "tr": ("cp1254", "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Işık."),
    "ru": ("cp1251", "Все люди рождаются свободными и равными в своём достоинстве и правах."),
    "ru-koi": ("koi8_r", "Все люди рождаются свободными и равными в своём достоинстве и правах."),
    "el": ("cp1253", "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια."),
    "he": ("cp1255", "כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם"),
    "ar": ("cp1256", "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق"),
    "ja": ("shift_jis", "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"),
    "ja-euc": ("euc_jp", "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"),
    "zh": ("gb18030", "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"),
    "zh-tw": ("big5", "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。"),
    "ko": ("euc_kr", "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다."),
}


def test_a_sentence_is_enough_for_a_guess():
    for encoding, text in TEXTS.values():
        for times in [1, 50]:
            data = (text + "\n").encode(encoding) * times
            guess = guess_encoding(data)
            assert guess is not None
            assert data.decode(guess) == (text + "\n") * times


def test_a_utf8_file_is_never_read_in_another_encoding_because_others_are(tmp_path):
    for k in range(20):
        (tmp_path / f"{k:02}.txt").write_bytes("déjà vu, naïve".encode("utf-8" if k % 2 else "latin-1"))
    corpus = open_corpus(tmp_path)
    assert {text for batch in corpus.batches() for text in batch.texts} == {"déjà vu, naïve"}
    assert corpus.report.encodings == {f"{k:02}.txt": "cp1252" for k in range(0, 20, 2)}
    assert "encoding guessed: 10 files" in str(corpus.report)
    with pytest.raises(ValueError, match=r"00\.txt: encoding guessed \(cp1252\)"):
        list(open_corpus(tmp_path, strict=True).batches())
    named = open_corpus(tmp_path / "0[02468].txt", encoding="latin-1", strict=True)  # a named encoding is no guess
    assert {text for batch in named.batches() for text in batch.texts} == {"déjà vu, naïve"}


def test_lines_in_several_encodings(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_bytes(b"plain\n" * 60_000 + "naïve\n".encode() + "café\n".encode("latin-1") + "naïve\n".encode())
    corpus = open_corpus(path, lines=True)
    texts = [text for batch in corpus.batches() for text in batch.texts]
    assert texts[60_000:] == ["naïve", "café", "naïve"]
    [(_, said)] = corpus.report.repaired
    assert "line 60,002 is not valid UTF-8; it and others like it are read as cp1252" in said


@pytest.mark.parametrize(
    ("name", "begin", "line", "end"),
    [
        ("c.vrt", "<text>\n", "so\n", "été\n</text>\n"),
        ("c.conllu", "", "1\tso" + "\t_" * 8 + "\n\n", "1\tété" + "\t_" * 8 + "\n\n"),
        ("c.json", "[", '{"text": "so"},\n', '{"text": "été"}]'),
    ],
)
def test_accents_may_come_late(tmp_path, name, begin, line, end):
    (tmp_path / name).write_bytes((begin + line * 100_000 + end).encode("latin-1"))
    corpus = open_corpus(tmp_path / name)
    assert "été" in [text for batch in corpus.batches() for text in batch.texts][-1]
    assert (name, "encoding guessed: cp1252") in corpus.report.repaired


def test_a_long_stream_is_decided_by_its_first_megabyte(tmp_path):
    path = tmp_path / "lines.txt"
    text = TEXTS["ru"][1]
    path.write_bytes(f"{text}\n".encode("cp1251") * 20_000)
    corpus = open_corpus(path, lines=True)
    assert {text for batch in corpus.batches() for text in batch.texts} == {text}
    assert corpus.report.repaired == [("lines.txt", "encoding guessed: cp1251 (by its first megabyte)")]


def test_a_few_damaged_bytes_do_not_make_a_file_another_encoding(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("naïve déjà vu ".encode() * 50 + b"\xe9 " + "naïve".encode())
    corpus = open_corpus(path)
    [batch] = corpus.batches()
    assert batch.texts[0].count("naïve") == 51
    assert corpus.report.repaired == [("a.txt", "characters replaced: 1 that are not valid utf-8")]


def test_what_is_not_text():
    for data in (
        bytes(range(256)),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"BZh91AY&SY\x83\xa1\x9e\x1b\0",
        b"so\0it\0goes",
        b"so it\nso\0it\n",
    ):
        assert guess_encoding(data) is None
    assert looks_binary(bytes(1000))
    assert not looks_binary("日本 and more\n".encode("utf-16-be"))
