"""What cannot be asked about the lines and collocates of a frame."""

import polars as pl
import pytest

import termburst as tb


def test_bad_arguments_raise_one_sentence():
    for ask, message in [
        (lambda c: c.kwic(""), "query"),
        (lambda c: c.kwic("so", width=-1), "width must be"),
        (lambda c: c.collocates("no"), "'no' does not occur in the corpus; check its spelling"),
        (lambda c: c.collocates("?"), "is not a word by the rule of this corpus"),
        (lambda c: c.collocates("so", window=0), "window must be"),
        (lambda c: c.collocates("so", within="page"), "within must be one of"),
    ]:
        with pytest.raises(ValueError, match=message) as caught:
            ask(tb.scan(pl.DataFrame({"document": ["a", "b"], "text": ["ha ha so", "so it goes"]})))
        assert "\n" not in str(caught.value)


def test_more_rows_than_any_table_has_are_all_rows():
    corpus = tb.scan(pl.LazyFrame({"document": ["a", "b"], "text": ["ha ha so", "so it goes"]}))
    every = corpus.collocates("so").collect()
    assert corpus.collocates("so", top=10**30).collect().equals(every)


def test_columns_are_those_of_the_frame_if_texts_have_another_name():
    frame = pl.DataFrame({"id": ["a", "b"], "text": ["short", "long"], "body": ["ha ha so", "so it goes"]})
    for corpus in (tb.scan(frame, text="body"), tb.read(frame, text="body")):
        assert corpus.kwic("so", columns="text", sort="text")["text"].to_list() == ["long", "short"]


def test_a_column_document_may_have_the_texts():
    frame = pl.DataFrame({"id": ["a", "b"], "document": ["ha ha so", "so it goes"]})
    assert tb.scan(frame, text="document").kwic("so")["id"].to_list() == ["a", "b"]
