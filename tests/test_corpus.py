"""`read` and `Corpus`: every source, every method, nothing changed in place, nothing silently wrong."""

import dataclasses
import json
import pickle
import warnings
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from polars.testing import assert_frame_equal

import termburst as tb
from termburst.counting.counted_corpus import CountedCorpus

TEXTS = [
    "Ha ha ha, said the clown. Ha!",
    "The crowd said nothing.",
    "Nothing, said the clown: nothing, nothing.",
    "",
    "The end is near, said the crowd.",
    "Ha ha, said the crowd to the clown.",
] * 3
WHO = ["clown", "crowd", "clown", "nobody", "crowd", "crowd"] * 3
FILES = [text or "?" for text in TEXTS[:6]]  # empty files are skipped
YEARS = [1941, 1948, 1951, 1953, 1960, 1969] * 3


@pytest.fixture
def corpus():
    return tb.read(TEXTS, metadata={"year": YEARS, "who": WHO})


@pytest.fixture
def folder(tmp_path):
    """Six text files, with `FILES`."""
    place = tmp_path / "speeches"
    place.mkdir()
    for number, text in enumerate(FILES):
        (place / f"{number}.txt").write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def table(tmp_path):
    """A table with one row per text."""
    path = tmp_path / "speeches.csv"
    pl.DataFrame({"text": TEXTS, "year": YEARS, "who": WHO}).write_csv(path)
    return path


def same_counts(one: tb.Corpus, other: tb.Corpus) -> bool:
    return one.terms.tolist() == other.terms.tolist() and (one.counts != other.counts).nnz == 0


# Sources


def test_a_list_of_strings_is_texts(corpus):
    counted = CountedCorpus.from_texts(TEXTS)
    assert corpus.terms.tolist() == counted.terms.tolist()
    assert (corpus.counts != counted.counts).nnz == 0
    assert len(corpus) == 18
    assert list(corpus.texts) == TEXTS
    assert corpus.ids[:2] == ["1", "2"]
    assert corpus.tokens == counted.counts.sum()
    assert corpus.statistics == tb.TermStatistics.from_texts(TEXTS, "patterns")
    assert str(corpus.reading) == "texts: 18 documents.\nwords: as Unicode sees them, in lower case"


def test_any_iterable_of_strings_is_texts(corpus):
    for make in [tuple, iter, pl.Series, pd.Series, np.array]:
        assert same_counts(tb.read(make(TEXTS)), corpus)


def test_token_lists_are_counted_as_they_are():
    """65 speeches as token lists were once 349,711 documents."""
    tokens = [text.split() for text in TEXTS]
    corpus = tb.read(tokens)
    assert len(corpus) == 18
    assert "Ha!" in corpus.terms
    assert corpus.tokens == sum(map(len, tokens))
    assert corpus.counting.pretokenized
    with pytest.raises(ValueError, match="empty string is among the tokens of document 1"):
        tb.read([["so"], ["", "it"]])


def test_token_lists_are_not_taken_for_batches_of_texts():
    tokens = [text.split() for text in TEXTS]
    with pytest.raises(ValueError, match=r"CountingOptions\(pretokenized=True\).*from_batches"):
        tb.TermStatistics.from_texts(tokens)
    assert tb.TermStatistics.from_texts(tokens, counting=tb.CountingOptions(pretokenized=True)).documents == 18
    assert tb.TermStatistics.from_texts([TEXTS[:3], TEXTS[3:]]).documents == 18
    assert tb.TermStatistics.from_batches([["so", "it"]]).documents == 2


def test_a_folder_is_read_lazily(folder):
    corpus = tb.read(str(folder))
    assert same_counts(corpus, tb.read(FILES))
    assert corpus.ids == [f"{number}.txt" for number in range(6)]
    assert corpus.is_counted
    assert list(corpus.texts) == FILES
    assert corpus.texts[2] == FILES[2]
    assert corpus.texts[-1] == FILES[5]
    assert corpus.texts[1:5:2] == FILES[1:5:2]
    assert corpus.texts[::-2] == FILES[::-2]
    assert not any(isinstance(value, str) and value in FILES[:3] for value in vars(corpus._documents).values())
    with pytest.raises(IndexError):
        corpus.texts[6]


def test_a_file_that_vanishes_gives_a_sentence(folder):
    corpus = tb.read(folder)
    (folder / "2.txt").unlink()
    assert corpus.burstiness().height  # counted already
    with pytest.raises(ValueError, match=r"2\.txt"):
        list(corpus.texts)


def test_a_file_that_has_changed_gives_a_sentence(table):
    with pytest.warns(UserWarning, match="3 ids are those of more than one document, such as 'clown'"):
        corpus = tb.read(table, text="text", id="who")
    lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
    table.write_text("".join([lines[0], *lines[3:]]), encoding="utf-8")
    with pytest.raises(ValueError, match=r"has changed since it was read: document 1 \('clown'\) had another"):
        list(corpus.texts)
    table.write_text("".join(lines[:3]), encoding="utf-8")
    with pytest.raises(ValueError, match="has changed since it was read: document 3"):
        list(corpus.texts)


def test_a_table_is_read_by_its_columns(table, corpus):
    read = tb.read(table, text="text")
    assert same_counts(read, corpus)
    assert list(read.texts) == TEXTS
    assert read.texts[17] == TEXTS[17]


def test_several_files_are_a_list_of_paths(tmp_path):
    for name, texts in (("a", TEXTS[:2]), ("b", TEXTS[2:6])):
        pl.DataFrame({"text": texts}).write_csv(tmp_path / f"{name}.csv")
    corpus = tb.read([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert same_counts(corpus, tb.read(TEXTS[:6]))
    assert corpus.ids == ["a.csv:1", "a.csv:2", "b.csv:1", "b.csv:2", "b.csv:3", "b.csv:4"]
    assert list(corpus.texts) == TEXTS[:6]
    assert corpus.where([False, False, True, False, True, False]).texts[1] == TEXTS[4]
    assert same_counts(tb.read(str(tmp_path / "*.csv")), corpus)


def test_a_string_that_is_no_path_gives_a_sentence():
    with pytest.raises(
        FileNotFoundError, match="There is no file or folder 'So it goes'; texts come as a list of strings"
    ):
        tb.read("So it goes")


def test_built_in_data_sets_have_names():
    assert tb.read("stdlib").name == "stdlib"
    collection = tb.datasets.TextCollection("pair", ["a", "b"], ["so so", "as is"], np.array([1, 0]), ["x", "y"])
    assert tb.read(collection).metadata.rows() == [("a", "y"), ("b", "x")]


FRAME = {"name": ["a", "b"], "speech": ["so it goes", "so so"], "year": [1945, 1949]}


@pytest.mark.parametrize("engine", ["polars", "lazy", "pandas", "pyarrow", "duckdb"])
def test_a_frame_of_any_engine(engine):
    frame = pl.DataFrame(FRAME)
    relation = duckdb.sql("select * from frame") if engine == "duckdb" else None
    given = {"polars": frame, "lazy": frame.lazy(), "pandas": pd.DataFrame(FRAME), "pyarrow": pa.table(FRAME)}
    corpus = tb.read(given.get(engine, relation), text="speech", id="name")
    assert corpus.metadata.rows() == [("a", 1945), ("b", 1949)]
    assert corpus.terms.tolist() == ["goes", "it", "so"]


def test_a_frame_of_token_lists():
    with pytest.warns(UserWarning, match="1 document has nothing in the column 'text', and no tokens"):
        corpus = tb.read(pl.DataFrame({"text": [["So", "it"], None]}))
    assert (corpus.terms.tolist(), len(corpus)) == (["So", "it"], 2)


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pa.table])
def test_a_frame_of_counts_keeps_its_column_names(make):
    corpus = tb.read(make({"id": ["a", "b"], "ha": [2, 0], "text": [1, 3]}))
    assert (corpus.terms.tolist(), corpus.ids) == (["ha", "text"], ["a", "b"])
    assert corpus.counts.toarray().tolist() == [[2, 1], [0, 3]]
    assert "words: counted elsewhere" in repr(corpus)
    indexed = tb.read(pd.DataFrame({"ha": [2, 0]}, index=["x", "y"]))
    assert indexed.ids == ["x", "y"]


@pytest.mark.parametrize("make", [np.array, sp.csr_array, sp.csc_matrix, list])
def test_a_matrix_of_counts(make):
    corpus = tb.read(make([[2, 1], [0, 3]]), terms=["ha", "no"], id=["a", "b"])
    assert corpus.counts.toarray().tolist() == [[2, 1], [0, 3]]
    assert corpus.burstiness()["term"].sort().to_list() == ["ha", "no"]
    assert tb.read(make([[2, 1], [0, 3]])).terms.tolist() == ["0", "1"]
    with pytest.raises(ValueError, match="made from counts: there is nothing to cut"):
        corpus.split(tokens=2)
    with pytest.raises(ValueError, match="made from counts: there are no texts"):
        _ = corpus.texts


def test_a_matrix_is_not_changed_by_reading_it():
    matrix = sp.csr_array([[2, 1], [0, 3]])
    tb.read(matrix).burstiness()
    matrix.data[0] = 7
    matrix.indices[0] = 0


def test_a_corpus_is_returned_as_it_is(corpus):
    assert tb.read(corpus) is corpus
    with pytest.raises(ValueError, match="corpus already"):
        tb.read(corpus, stop_words="english")


def test_a_tokenizer_of_your_own(folder):
    corpus = tb.read(FILES, tokenizer=lambda text: [word.upper() for word in text.split(" ")])
    assert corpus.terms[:2].tolist() == ["?", "CLOWN."]
    assert corpus.texts[1] == ["THE", "CROWD", "SAID", "NOTHING."]
    stored = tb.read(folder, tokenizer=lambda text: [word.upper() for word in text.split(" ")])
    assert same_counts(stored, corpus)
    assert stored.split(tokens=2).texts[0] == ["HA", "HA"]
    with pytest.raises(ValueError, match="tokenizer must return a list of strings"):
        tb.read(TEXTS, tokenizer=str.upper).counts  # noqa: B018


def test_what_cannot_be_read_gives_a_sentence():
    for source, options, said in [
        ([], {}, "empty list"),
        ("-", {}, r"read its lines first: tb\.read\(list\(sys\.stdin\)\)"),
        (7, {}, "source must be a path.*; got int"),
        (b"so", {}, "got bytes"),
        ({"a": "so it"}, {}, r"got dict; for a dict of texts: tb\.read\(list\(d\.values\(\)\), id=list\(d\)\)"),
        ({"so it"}, {}, "got set"),
        ([None], {}, "Document 0 must be a string; got None"),
        (["so", None], {}, "Document 1 must be a string; got None. Leave it out, or give an empty text."),
        (["so", ["it"]], {}, "must be of one kind"),
        (pl.Series(["so", None]), {}, "Document 1 must be a string; got None"),
        (["so"], {"encoding": "latin-1"}, "encoding= is not for a list of texts; omit it"),
        (["so"], {"text": "speech"}, "text= is not for a list of texts"),
        (["so"], {"id": "a"}, "id= must be a list"),
        (["so"], {"id": ["a", "b"]}, "1 documents, but 2 ids"),
        (["so"], {"metadata": {"year": [1, 2]}}, "1 documents, but the metadata 'year' has 2 values"),
        (["so"], {"metadata": {"year": "1945"}}, "'year' must be a list"),
        (["so"], {"metadata": 7}, "metadata must be columns"),
        (["so"], {"metadata": {"id": ["x"], "year": [1]}}, "no row for the document '1'; its ids are 'x'"),
        (["so"], {"tokenizer": 7}, "tokenizer must be a function"),
        ([["so"]], {"tokenizer": str.split}, "tokens already"),
        (["so"], {"ngrams": 0}, "ngrams must be"),
        ([[1, 2]], {"ngrams": 2}, "counts already"),
        ([[1, -2]], {}, "row 0, column 1"),
        (pl.DataFrame({"speech": ["so"], "n": [1]}), {}, "name the column with the texts, such as text='speech'"),
        (pl.DataFrame({"speech": ["so"]}), {"text": "body"}, r"no column 'body' \(text=\.\.\.\); it has 'speech'"),
        (pl.DataFrame({"speech": ["so"]}), {"text": "speech", "id": "name"}, "no column 'name'"),
        (pl.DataFrame({"text": ["so"], "id": [None]}), {}, "'id' has null"),
        (pl.DataFrame({"n": [1]}), {"text": "n"}, "must contain texts or lists of tokens; got Int64"),
        (pl.DataFrame({"text": []}, schema={"text": pl.String}), {}, "no rows"),
    ]:
        with pytest.raises(ValueError, match=said):
            tb.read(source, **options)


def test_saved_statistics_are_not_texts(tmp_path):
    tb.TermStatistics.from_texts(TEXTS).save(tmp_path / "s.parquet")
    with pytest.raises(ValueError, match=r"saved statistics, not texts; scan it with tb\.scan"):
        tb.read(tmp_path / "s.parquet")


def test_words_are_those_of_unicode():
    """Hindi words were once cut apart, and a token pattern still rules."""
    corpus = tb.read(["मानव अधिकार", "I don’t"])
    assert corpus.terms.tolist() == ["don't", "i", "अधिकार", "मानव"]
    assert tb.read(["I don't"], words="sklearn").terms.tolist() == ["don"]
    assert tb.read(["I don't"], token_pattern=r"\w+").terms.tolist() == ["don", "i", "t"]
    assert tb.read(["l'homme"], language="fr").terms.tolist() == ["homme", "l"]
    german = tb.read(["der Adler und die Taube"], language="german", stop_words=True)
    assert german.terms.tolist() == ["adler", "taube"]
    assert "German" in repr(german)
    assert same_counts(german, tb.read(["der Adler und die Taube"], stop_words="german"))


@pytest.mark.parametrize("kind", ["texts", "files"])
def test_texts_without_spaces_between_words_say_what_to_do(kind, tmp_path):
    texts = ["人人生而自由，在尊严和权利上一律平等。"] * 2
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    with pytest.warns(UserWarning, match=r"without spaces between words.*Give language=\"zh\""):
        tb.read(texts if kind == "texts" else tmp_path)


def test_one_text_file_is_one_document_alone_and_in_a_folder(folder, tmp_path):
    """A play of 4,014 lines was once 4,014 documents when it was named, and one in a folder."""
    play = tmp_path / "hamlet.txt"
    play.write_text("To be\nor not\nto be\n", encoding="utf-8")
    assert len(tb.read(play)) == 1
    assert tb.read(play, lines=True).ids == ["hamlet.txt:1", "hamlet.txt:2", "hamlet.txt:3"]
    assert len(tb.read([play, folder / "0.txt"])) == 2


def test_the_reading_report_says_what_was_skipped(folder):
    """A README was once a document."""
    (folder / "README.md").write_text("Speeches of clowns", encoding="utf-8")
    (folder / "empty.txt").touch()
    (folder / "old.txt").write_bytes("Das Ende ist nah, sagte die größte Menge; für alle.".encode("cp1252"))
    corpus = tb.read(folder)
    assert "README.md" not in corpus.ids
    said = str(corpus.reading)
    for words in ("7 documents in 7 files, one per file", "README.md", "empty.txt", "encoding guessed", "language: "):
        assert words in said
    assert "größte" in corpus.terms
    list(corpus.texts)  # reading again does not change the report
    assert str(corpus.reading) == said
    assert "words: as Unicode sees them, German, in lower case\n" in str(tb.read(folder, language="de").reading)
    with pytest.raises(ValueError, match=r"README\.md.*strict reading"):
        tb.read(folder, strict=True)
    with pytest.warns(UserWarning, match="1 id is that of more than one document"):  # the file is read twice
        assert str(tb.read([folder, folder / "0.txt"]).reading).count("one per file") == 2


def test_annotated_corpora_are_token_lists(tmp_path):
    words = "1\tDogs\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n2\tbark\tbark\tVERB\t_\t_\t1\tdep\t_\t_\n\n"
    path = tmp_path / "dogs.conllu"
    path.write_text(f"# newdoc id = one\n{words}# newdoc id = two\n{words}", encoding="utf-8")
    corpus = tb.read(path, layer="lemma")
    assert (corpus.terms.tolist(), len(corpus)) == (["bark", "dog"], 2)
    assert corpus.texts[1] == ["dog", "bark"]
    (tmp_path / "text.txt").write_text("dogs bark", encoding="utf-8")
    with pytest.raises(ValueError, match=r"dogs\.conllu:one has annotated words and text\.txt is plain text"):
        tb.read(tmp_path)


# Metadata


def test_metadata_of_files(tmp_path, table):
    for name in ("a/1945-truman.txt", "b/1961-kennedy.txt"):
        path = tmp_path / "speeches" / name
        path.parent.mkdir(parents=True)
        path.write_text("so it goes", encoding="utf-8")
    corpus = tb.read(tmp_path / "speeches", name_pattern=r"(?P<year>\d{4})-(?P<speaker>\w+)")
    assert corpus.metadata.select("folder", "year", "speaker").rows() == [("a", 1945, "truman"), ("b", 1961, "kennedy")]
    assert corpus.where(pl.col("year") > 1950).ids == ["b/1961-kennedy.txt"]
    rows = tb.read(table)
    assert rows.metadata.select("year", "who").rows() == list(zip(YEARS, WHO, strict=True))
    spoken = pl.col("who") != "nobody"
    expected = tb.read(TEXTS, metadata={"who": WHO}).where(spoken).keyness(by="who")
    assert_frame_equal(rows.where(spoken).keyness(by="who"), expected)


def test_messages_name_options_as_python_does(table):
    with pytest.raises(ValueError, match=r"no column 'speech'.*choose one with text=$"):
        tb.read(table, text="speech")


def test_metadata_has_one_row_per_document(corpus):
    assert corpus.metadata.columns == ["id", "year", "who"]
    assert corpus.metadata.height == len(corpus)
    frame = pd.DataFrame({"id": ["2", "1"], "year": [2, 1]})
    assert tb.read(["so", "it"], metadata=frame).metadata["year"].to_list() == [1, 2]
    records = [{"year": 1}, {"who": "x"}]
    assert tb.read(["so", "it"], metadata=records).metadata.rows() == [("1", 1, None), ("2", None, "x")]


def test_where_takes_an_expression_or_a_boolean_array(corpus):
    late = corpus.where(pl.col("year") >= 1950)
    kept = [text for text, year in zip(TEXTS, YEARS, strict=True) if year >= 1950]
    assert list(late.texts) == kept
    assert late.metadata["year"].min() == 1951
    assert late.ids == [str(k + 1) for k, year in enumerate(YEARS) if year >= 1950]
    assert same_counts(late, corpus.where(np.array(YEARS) >= 1950))
    assert same_counts(late, corpus.where(pl.Series(YEARS) >= 1950))


@pytest.mark.parametrize("counted", [True, False])
def test_where_is_the_same_before_and_after_counting(corpus, counted):
    if counted:
        _ = corpus.counts
    late = corpus.where(pl.col("year") >= 1955)
    assert late._documents.is_counted is counted
    expected = tb.read([text for text, year in zip(TEXTS, YEARS, strict=True) if year >= 1955])
    assert same_counts(late, expected)
    assert "nothing" not in late.terms  # terms that no longer occur are gone
    assert_frame_equal(late.burstiness(), expected.burstiness())


def test_where_leaves_out_null():
    corpus = tb.read(["so", "it"], metadata={"year": [None, 1950]})
    assert corpus.where(pl.col("year") > 1).ids == ["2"]


def test_a_condition_that_cannot_be_used_gives_a_sentence(corpus):
    for condition, said in [
        (pl.col("yaer") > 1, "no column 'yaer'; it has 'id', 'year', 'who'"),
        (pl.col("year"), "true or false for each document; got Int64"),
        (pl.col("year") > 3000, "none of 18 documents meets the condition"),
        (pl.col("who") > 7, "cannot be used on the metadata"),
        ([True], "18 documents, but the boolean array has 1"),
        ("year > 9999", r"none of 18 documents meets where\('year > 9999'\)"),
        ("yeer > 1950", "no column 'yeer'.*did you mean 'year'"),
        ("year >", "where 'year >' cannot be understood"),
        ("year > 'x'", "none of 18 documents meets"),
        ("MAX(year) = year", "looks at several documents together"),
        ("year", "where needs true or false for each document"),
        ('who = "Anna"', "text needs single quotes: who = 'Anna'"),
        ("who = Anna AND year > 1", "if Anna is text, it needs single quotes: who = 'Anna' AND year > 1"),
        ("who = Anna Maria", "if Anna Maria is text, it needs single quotes: who = 'Anna Maria'"),
        ("who in (Anna, Bo)", r"if Anna is text, it needs single quotes: who in \('Anna', Bo\)"),
        (" ", "where is empty; write a condition such as"),
        ("year BETWEEN", "cannot be understood; write a condition such as"),
        (True, "where takes a condition such as 'year >= 1945', a Polars expression or a boolean array"),
    ]:
        with pytest.raises(ValueError, match=said):
            corpus.where(condition)


def test_a_condition_may_be_text(corpus):
    assert corpus.where("year >= 1950").ids == corpus.where(pl.col("year") >= 1950).ids
    assert 0 < len(corpus.where("year >= 1950")) < len(corpus)
    read = tb.read(["so", "it", "on"], metadata={"party": ["x", "y", None], "year": [1, 2, float("nan")]})
    assert read.where("party = 'x' OR year > 1").ids == ["1", "2"]


def test_bin_adds_a_column(corpus):
    binned = corpus.bin("year", every=10).metadata
    assert binned.columns == ["id", "year", "who", "year_bin"]
    assert binned["year_bin"].to_list()[:6] == [1940, 1940, 1950, 1950, 1960, 1960]
    assert binned["year_bin"].dtype == pl.Int64
    dates = pl.Series(["1941-05-01", "1948-01-02"]).str.to_date()
    dated = tb.read(["so", "it"], metadata={"day": dates})
    assert dated.bin("day", every=10).metadata["day_bin"].to_list() == [1940, 1940]
    assert dated.bin("day", every="1y").metadata["day_bin"].dt.month().to_list() == [1, 1]


def test_what_cannot_be_binned_gives_a_sentence(corpus):
    for column, every, said in [
        ("day", 10, "no column 'day'"),
        ("who", 10, "only numbers and dates can be binned, but the column 'who' contains 'clown'"),
        ("year", 0, "every must be a number above 0; got 0"),
        ("year", True, "every must be a number"),
        ("year", "1y", "is for dates"),
    ]:
        with pytest.raises(ValueError, match=said):
            corpus.bin(column, every=every)


# Pieces


def test_split_by_tokens(corpus):
    pieces = corpus.split(tokens=3)
    assert pieces.metadata.columns == ["id", "parent", "piece", "year", "who"]
    assert pieces.ids[:3] == ["1:1", "1:2", "1:3"]
    assert list(pieces.texts)[:3] == ["Ha ha ha, ", "said the clown. ", "Ha!"]
    assert pieces.tokens == corpus.tokens
    assert pieces.where(pl.col("parent") == "1").counts.sum() == 7
    assert set(pieces.metadata["parent"]) == set(corpus.ids)  # an empty document is one empty piece
    assert "".join(pieces.where(pl.col("parent") == "3").texts) == TEXTS[2]
    again = pieces.split(tokens=1)
    assert again.ids[:2] == ["1:1:1", "1:1:2"]
    assert again.metadata["parent"][0] == "1:1"


def test_stop_words_count_in_pieces_and_n_grams_do_not():
    corpus = tb.read(["the end of the world is near"], stop_words=["the", "of"], ngrams=(1, 2))
    assert list(corpus.split(tokens=4).texts) == ["the end of the ", "world is near"]


def test_split_finds_the_place_of_a_token_behind_letters_that_change_their_length():
    text = "İİİ İz so it goes on"
    pieces = list(tb.read([text]).split(tokens=2).texts)
    assert "".join(pieces) == text.lower()
    assert pieces[-1].split() == ["goes", "on"]


def test_split_by_a_pattern(folder):
    (folder / "novel.txt").write_text("Preface\nCHAPTER 1\nso it\nCHAPTER 2\nso so", encoding="utf-8")
    novel = tb.read(folder).where(pl.col("id") == "novel.txt")
    chapters = novel.split(pattern=r"^CHAPTER")
    assert list(chapters.texts) == ["Preface\n", "CHAPTER 1\nso it\n", "CHAPTER 2\nso so"]
    assert chapters.metadata["piece"].to_list() == [1, 2, 3]
    assert chapters.texts[2] == "CHAPTER 2\nso so"
    assert chapters.where(pl.col("piece") > 1).terms.tolist() == ["1", "2", "chapter", "it", "so"]


def test_pieces_on_disk_are_read_from_their_files(table):
    pieces = tb.read(table, text="text").split(tokens=2)
    expected = tb.read(TEXTS).split(tokens=2)
    assert list(pieces.texts) == list(expected.texts)
    assert same_counts(pieces, expected)
    table.unlink()
    with pytest.raises(ValueError, match=r"speeches\.csv"):
        list(pieces.texts)


def test_what_cannot_be_split_gives_a_sentence(corpus):
    for options, said in [
        ({}, "give tokens= or pattern="),
        ({"tokens": 3, "pattern": "x"}, "and not both"),
        ({"tokens": 0}, "whole number above 0; got 0"),
        ({"tokens": 2.5}, "whole number above 0"),
        ({"tokens": True}, "whole number above 0"),
        ({"pattern": "("}, "is not a regular expression"),
        ({"pattern": "x*"}, "can match the empty string"),
        ({"pattern": "^CHAPTER"}, "cuts no document"),
    ]:
        with pytest.raises(ValueError, match=said):
            corpus.split(**options)


def test_a_pattern_cannot_cut_token_lists():
    with pytest.raises(ValueError, match="these documents are lists of tokens"):
        tb.read([["so", "it"]]).split(pattern="so")


# Questions


def test_functions_take_a_corpus(corpus):
    X, terms, s = corpus.counts, corpus.terms, corpus.statistics
    assert_frame_equal(tb.burstiness_test(corpus), tb.burstiness_test(X, terms))
    assert_frame_equal(tb.term_table(corpus), tb.term_table(s))
    assert_frame_equal(tb.coburst(corpus), tb.coburst(X, terms=terms))
    assert_frame_equal(tb.keyness(corpus, by=WHO[:3] * 6), tb.keyness(X, by=WHO[:3] * 6, terms=terms))
    assert str(tb.explain(corpus, "ha")) == str(tb.explain(s, "ha"))
    np.testing.assert_array_equal(tb.plr_statistic(corpus), tb.plr_statistic(X))
    np.testing.assert_array_equal(tb.fit_beta_binomial(corpus).alpha, tb.fit_beta_binomial(X).alpha)
    np.testing.assert_array_equal(tb.dispersion(corpus)["dp"], tb.dispersion(X)["dp"])
    np.testing.assert_array_equal(tb.penalized_mle(corpus).alpha, tb.penalized_mle(X).alpha)
    assert (tb.plr_contributions(corpus) != tb.plr_contributions(X)).nnz == 0
    assert tb.TermStatistics.from_counts(corpus, detail="patterns").terms.tolist() == terms.tolist()
    assert tb.TermStatistics.from_texts(corpus, "patterns") == s
    assert tb.TermStatistics.from_texts(corpus, counting=tb.CountingOptions(ngrams=2)).terms[0] == "clown ha"
    assert tb.report.summarize(corpus)["overview"]["documents"] == 18
    with pytest.raises(ValueError, match="the counts already have other term names; omit `terms`"):
        tb.burstiness_test(corpus, terms[::-1])


def test_keyness_of_some_groups_leaves_the_others_out(corpus):
    spoken = corpus.where(pl.col("who") != "nobody")
    assert_frame_equal(corpus.keyness(by="who", groups=["clown", "crowd"]), spoken.keyness(by="who"))
    turned = corpus.keyness(by="who", groups=("crowd", "clown"), sort="term")
    assert turned["n_a"].to_list() == spoken.keyness(by="who", sort="term")["n_b"].to_list()
    assert_frame_equal(corpus.group("who").keyness(groups=["crowd", "clown"], sort="term"), turned)
    for wrong, said in (
        (["clown", "crwod"], "no value 'crwod'; it has 'clown'"),
        (["clown"] * 2, "two"),
        ("clown", "two"),
    ):
        with pytest.raises(ValueError, match=said):
            corpus.keyness(by="who", groups=wrong)
    with pytest.raises(ValueError, match="needs by="):
        corpus.keyness(groups=["clown", "crowd"])
    with pytest.raises(ValueError, match="no column"):
        corpus.keyness(by="whom", groups=["clown", "crowd"])


def test_keyness_of_two_lists_of_texts():
    clown, crowd = ["Ha ha, so"] * 6, ["so it goes", "on and on so"] * 4
    table = tb.keyness(clown, crowd)
    assert table["term"][0] == "ha"
    assert_frame_equal(table, tb.read(clown).keyness(tb.read(crowd)))
    tokens = tb.keyness([["Ha", "so"]] * 6, [["so", "it"]] * 8)
    assert sorted(tokens["term"]) == ["Ha", "it", "so"]
    with pytest.raises(ValueError, match="A must be a list of texts, counts or a corpus; got one string"):
        tb.keyness("so it goes", "so so")


def test_comparisons_that_mean_nothing_give_a_sentence(corpus):
    for options, said in [
        ({}, "there is nothing to compare with; give another corpus"),
        ({"by": "party"}, "no column 'party'"),
        ({"other": "whom"}, "the metadata has no column 'whom'"),
        ({"other": TEXTS}, r"corpus\.keyness\(tb\.read\(\.\.\.\)\)"),
        ({"other": tb.read(TEXTS), "by": "who"}, "not both"),
        ({"other": tb.read(TEXTS, ngrams=2)}, "counted with other options.*terms of 2 words"),
    ]:
        with pytest.raises(ValueError, match=said):
            corpus.keyness(**options)


def test_documents_without_a_group_are_named():
    corpus = tb.read(["so", "it", "on"], metadata={"who": ["x", None, "y"]})
    with pytest.raises(
        ValueError, match=r"1 document \(2\) has nothing in the column 'who'; fill it, or remove such documents"
    ):
        corpus.keyness(by="who")


def test_one_document_says_what_to_do():
    with pytest.warns(UserWarning, match=r"the corpus is a single document.*lines=True.*corpus\.split\(tokens=1000\)"):
        tb.read(["so it goes so"]).burstiness()


def test_documents_without_terms_give_a_sentence():
    with pytest.raises(ValueError, match="no document contains a term"):
        tb.read(["", "the", "?"], stop_words=["the"]).burstiness()


def test_report_writes_the_numbers(folder, tmp_path):
    corpus = tb.read(folder)
    path = corpus.report(tmp_path / "page.json", panels=3)
    found = json.loads(path.read_text(encoding="utf-8"))
    counted = CountedCorpus.from_texts(FILES, corpus.ids)
    expected = tb.report.summarize(counted, title="speeches", panels=3)
    assert expected["reading"] == []
    expected["reading"] = [{"source": "speeches", "lines": corpus.reading.lines()}]
    assert found == json.loads(json.dumps(expected))
    with pytest.raises(ValueError, match=r"must end in \.html"):
        corpus.report(tmp_path / "page.txt")


@pytest.mark.slow
def test_report_writes_the_page(corpus, tmp_path):
    page = corpus.report(tmp_path / "page.html", title="The <clown>").read_text(encoding="utf-8")
    assert "<title>The &lt;clown&gt;" in page


# What it is


def test_it_cannot_be_changed(corpus):
    for change in ("name", "by", "counts", "terms", "metadata"):
        with pytest.raises(AttributeError):
            setattr(corpus, change, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        corpus.name = "other"
    with pytest.raises(ValueError, match="read-only"):
        corpus.counts.data[0] = 7
    with pytest.raises(ValueError, match="read-only"):
        corpus.terms[0] = "x"
    corpus.metadata.insert_column(1, pl.Series("new", YEARS))
    assert corpus.metadata.columns == ["id", "year", "who"]
    with pytest.raises(TypeError):
        corpus.texts[0] = "x"
    corpus.ids.append("x")
    assert len(corpus.ids) == 18


def test_derived_corpora_leave_the_first_as_it_was_and_share_its_counts(corpus):
    counts = corpus.counts
    grouped = corpus.group("who").bin("year")
    assert grouped.counts is counts
    assert grouped.statistics is corpus.statistics
    assert (corpus.by, grouped.by) == (None, "who")
    assert corpus.where(pl.col("year") > 1950).name == corpus.name
    assert corpus.metadata.columns == ["id", "year", "who"]
    with pytest.raises(ValueError, match="no column 'party'"):
        corpus.group("party")


def test_it_can_be_sent_to_another_process(corpus, folder):
    for one in (corpus, tb.read(folder), corpus.split(tokens=3), tb.read(folder).split(pattern="clown")):
        again = pickle.loads(pickle.dumps(one))
        assert same_counts(again, one)
        assert list(again.texts) == list(one.texts)


def test_it_prints_what_it_is(corpus):
    said = repr(corpus.group("who"))
    assert said == (
        f"Corpus of 18 documents, {corpus.tokens} tokens, {len(corpus.terms)} terms; metadata: year, who; "
        "grouped by who; words: as Unicode sees them, in lower case"
    )
    one = tb.read(["so"], stop_words=["a", "b"], ngrams=2, lowercase=False, token_pattern=r"\w+")
    assert repr(one) == (
        r"Corpus of 1 document, 0 tokens, 0 terms; words: pattern '\\w+', upper and lower case kept, "
        "without stop words (2 of a list), terms of 2 words"
    )


def test_it_shows_itself_in_notebooks():
    texts = ["so it goes"] * 12
    corpus = tb.read(texts, metadata={"who": ["<b>"] * 12, "year": range(12), "odd": [None, True] * 6})
    page = corpus.group("year")._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "(12, 4)" in page
    assert "grouped by year" in page


def test_built_from_files_it_knows_its_folder_name(folder):
    assert tb.read(folder).name == "speeches"
    assert tb.read(Path(folder)).metadata.columns[0] == "id"


CONLLU = (
    "# newdoc id = {0}\n# sent_id = 1\n1\tThe\tThe\tDET\t_\t_\t0\tdep\t_\t_\n2\tDog\tDog\tNOUN\t_\t_\t0\tdep\t_\t_\n\n"
)


def test_options_of_words_reach_annotated_corpora(tmp_path):
    path = tmp_path / "dogs.conllu"
    path.write_text("".join(CONLLU.format(k) for k in range(3)), encoding="utf-8")
    assert tb.read(path).terms.tolist() == ["dog", "the"]
    assert tb.read(path, lowercase=False).terms.tolist() == ["Dog", "The"]
    corpus = tb.read(path, layer="lemma_upos", stop_words="en", ngrams=(1, 2))
    assert corpus.terms.tolist() == ["dog_NOUN"]
    assert "lemmas of the annotation, with the part of speech, in lower case, without stop words (en)" in repr(corpus)
    assert [token for token, _, _ in corpus.counting.placed_tokens(corpus.texts[0])[1]] == ["the_DET", "dog_NOUN"]
    with pytest.raises(ValueError, match=r"no stop words\. Leave stop_words out"):
        tb.read(path, layer="upos", stop_words="en")
    (tmp_path / "plain.txt").write_text("the dog", encoding="utf-8")
    with pytest.raises(ValueError, match='layer="form" reads only the annotated files'):
        tb.read(tmp_path)
    corpus = tb.read(tmp_path, layer="form")
    assert corpus.reading.skipped == [("plain.txt", "without annotated words, which layer= asks for")]
    with pytest.raises(ValueError, match=r'plain\.txt: has no annotated words, but layer="lemma" asks for them'):
        tb.read(tmp_path / "plain.txt", layer="lemma")


def test_names_of_files_in_a_list_are_texts_and_this_is_said(folder):
    names = [str(path) for path in sorted(folder.iterdir())]
    with pytest.warns(UserWarning, match="all .* strings are names of files.*pathlib.Path"):
        corpus = tb.read(names)
    assert list(corpus.texts) == names
    tb.read([*names, "a text"])  # no warning


def test_a_guessed_language_is_not_used_and_this_is_said(tmp_path):
    text = "Alle Menschen sind frei und gleich an Würde und Rechten geboren."
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    corpus = tb.read(tmp_path)
    said = 'German, it seems, but nothing changes unless you say so: language="de" sets it'
    assert corpus.reading.language == said + ', stop_words="de" leaves out its stop words'
    assert tb.read(tmp_path, stop_words="de").reading.language == said
    assert "und" in corpus.terms


def test_one_document_against_one_says_what_to_do():
    one, other = tb.read(["so it goes on"]), tb.read(["it goes"])
    with pytest.warns(UserWarning, match=r"each side is a single document.*corpus\.split\(tokens=1000\)"):
        one.keyness(other)
    both = tb.read(["so it goes on", "it goes"], metadata={"who": ["a", "b"]})
    with pytest.warns(UserWarning, match="each side is a single document"):
        both.keyness(by="who")


def test_a_stop_word_is_explained_as_one(corpus):
    with pytest.raises(ValueError, match="'the' is a stop word, so it was left out"):
        tb.read(TEXTS, stop_words="en").explain("The")
    with pytest.raises(ValueError, match="'whale' is not among"):
        tb.read(TEXTS, stop_words="en").explain("whale")


def test_weights_that_need_labels_say_how_a_corpus_gets_them(corpus):
    with pytest.warns(UserWarning, match=r"corpus\.weights\('class-lift', y='column'\)"):
        corpus.weights("class-lift")


def test_groups_of_one_document_each_are_a_warning():
    texts = [f"so it goes on {word} {word}" for word in "abcdefghij"]
    names = ["a", "b", "c", "d", "e", "f", "g", "h", "h", "h"]
    corpus = tb.read(texts, token_pattern=r"\w+", metadata={"who": names, "id_of": texts, "half": [1, 2.5] * 5})
    said = r"7 of 8 {} have only one document each, .*put groups together.*corpus\.split\(tokens=1000\)"
    with pytest.warns(UserWarning, match=said.format("groups")):
        corpus.keyness(by="who")
    with pytest.warns(UserWarning, match=said.format("values of 'who'")):
        corpus.keyness("who")
    with pytest.warns(UserWarning, match="all 10 groups have only one document each"):
        corpus.keyness(by="id_of")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corpus.keyness("half")
        corpus.keyness(by="half")
        tb.keyness(corpus.counts, by=[1, 2.5, 3] * 3 + [1])
