"""The reading report: nothing odd is left out, and many alike are counted."""

from __future__ import annotations

import pytest

from helpers.opened import open_corpus
from termburst.reading.report import ReadingReport


def test_many_files_alike_are_counted_and_the_first_are_named(tmp_path):
    for k in range(9):
        (tmp_path / f".hidden{k}").write_text("h", encoding="utf-8")
    for name in ("README", "Readme.txt", "LICENCE.md", "a.txt", "readmeister.txt"):
        (tmp_path / name).write_text(f"the text of {name}", encoding="utf-8")
    corpus = open_corpus(tmp_path)
    assert [batch.ids for batch in corpus.batches()] == [["a.txt", "readmeister.txt"]]
    assert str(corpus.report).splitlines()[1:] == [
        "skipped: 12 files",
        "  9 hidden: .hidden0, .hidden1, .hidden2, … (9 in all)",
        "  3 README or licence: LICENCE.md, README, Readme.txt",
    ]
    assert corpus.report.reasons("skipped") == "9 hidden, 3 README or licence"
    assert len(corpus.report.skipped) == len(corpus.report.rows()) == 12


def test_nothing_odd_is_one_line_and_a_second_pass_does_not_count_twice(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("so it goes and goes", encoding="utf-8")
    corpus = open_corpus(path, inspect=True)
    for _ in range(2):
        list(corpus.batches())
        assert str(corpus.report) == f"{corpus.name}: 1 document in 1 file, one per file."[-len(str(corpus.report)) :]
        assert not corpus.report.has_oddities


def test_a_file_named_directly_is_read_whatever_its_name(tmp_path):
    path = tmp_path / "README.md"
    path.write_text("about", encoding="utf-8")
    assert [batch.texts for batch in open_corpus(path).batches()] == [["about"]]
    with pytest.raises(ValueError, match="all are empty, binary, README or LICENSE; name a file to read it anyway"):
        open_corpus(tmp_path)


def test_names_cannot_write_on_the_terminal():
    report = ReadingReport("a\x1b[2J")
    report.note("evil\x1b[31m\n.txt", "skipped", "binary")
    assert "\x1b" not in str(report)
    assert len(str(report).splitlines()) == 3


def test_notes_are_bounded():
    report = ReadingReport("many")
    for k in range(20_000):
        report.note(f"{k}.txt", "could not be read", f"reason {k}")
    assert report.count("could not be read") == 20_000
    assert len(report.notes) == 10_000
    assert len(str(report).splitlines()) < 30


def test_the_delimiter_is_found_out_and_named_unless_it_is_a_comma(tmp_path):
    for content, said in [
        ("text;year\na, b;1\nc;2\n", "semicolon"),
        ("text\tyear\na, b\t1\nc\t2\n", "tab"),
        ("text|year\na|1\nc|2\n", "vertical bar"),
        ("name, first;text\nx;a, b\ny;c\n", "semicolon"),
        ('text,year\n"a; b",1\nc,2\n', None),
        ('"text; all",text\na,b\nc,d\n', None),
    ]:
        path = tmp_path / "t.csv"
        path.write_text(content, encoding="utf-8")
        corpus = open_corpus(path)
        assert sum(len(batch.texts) for batch in corpus.batches()) == 2
        assert corpus.report.repaired == ([] if said is None else [("t.csv", f"delimiter guessed: {said}")])
        if said == "semicolon":
            named = open_corpus(path, delimiter=";", strict=True)
            assert [batch.texts for batch in named.batches()] == [batch.texts for batch in corpus.batches()]


def test_the_only_column_of_strings_is_the_text_and_that_is_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("speech,year\nso it goes,1999\nand on,2001\n", encoding="utf-8")
    corpus = open_corpus(path, columns="all")
    [batch] = corpus.batches()
    assert batch.texts == ["so it goes", "and on"]
    assert batch.metadata == [{"file": "t.csv", "year": 1999}, {"file": "t.csv", "year": 2001}]
    assert corpus.report.repaired == [("t.csv", "column guessed: the text is in 'speech', the only column of strings")]
    path.write_text("speech,party\nso it goes,Whig\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no column 'text', only 'speech', 'party'; choose one with text="):
        list(open_corpus(path).batches())
    with pytest.raises(ValueError, match="no column 'year'"):
        list(open_corpus(path, text="speech", columns=["year"]).batches())


def test_a_name_pattern_must_have_a_named_group():
    for pattern in ["(", "no group", "(unnamed)"]:
        with pytest.raises(ValueError, match="name pattern"):
            open_corpus("-", name_pattern=pattern)


def test_a_delimiter_is_one_character():
    for delimiter in ["", ";;", "\n", '"', "é"]:
        with pytest.raises(ValueError, match="delimiter"):
            open_corpus("-", delimiter=delimiter)


def test_metadata_are_only_made_when_asked_for(tmp_path):
    (tmp_path / "1999-a.txt").write_text("so it goes", encoding="utf-8")
    assert next(open_corpus(tmp_path).batches()).metadata is None
    assert next(open_corpus(tmp_path, columns=["file"]).batches()).metadata == [{"file": "1999-a.txt"}]
    by_name = open_corpus(tmp_path, name_pattern=r"(?P<year>\d+)-(?P<speaker>\w+)")
    assert next(by_name.batches()).metadata == [{"year": 1999, "speaker": "a"}]


def test_spaces_are_not_counted_in_near_empty_documents_and_this_is_said(tmp_path):
    (tmp_path / "a.txt").write_text("so it is  so", encoding="utf-8")  # 12 characters, 8 of them no spaces
    (tmp_path / "b.txt").write_text("so", encoding="utf-8")
    report = open_corpus(tmp_path, inspect=True)
    list(report.batches())
    said = str(report.report)
    assert "near-empty: 2 documents with fewer than 10 characters, spaces not counted: a.txt, b.txt" in said
    assert "longest: a.txt with 12 characters" in said


def test_formats_are_counted_without_an_article(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.eml").write_text("Subject: so\n\nit goes\n", encoding="utf-8")
    (tmp_path / "c.json").write_text('{"text": "so"}', encoding="utf-8")
    corpus = open_corpus(tmp_path)
    list(corpus.batches())
    assert "formats: 2 × e-mail message, 1 × JSON file" in str(corpus.report)
