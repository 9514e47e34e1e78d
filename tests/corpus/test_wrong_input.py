"""What newcomers give to a corpus by mistake: each gets one sentence, and nothing is guessed silently."""

import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import termburst as tb

TEXTS = ["so it goes", "so so", "it is so", "and on it goes"]


@pytest.fixture
def corpus():
    return tb.read(TEXTS, metadata={"who": ["x", "y", "x", "y"], "score": [1.0, float("nan"), 1.0, float("nan")]})


@pytest.mark.parametrize(
    ("source", "options"),
    [
        (pl.DataFrame({"id": ["a", "b", "a", "a"], "text": TEXTS}), {}),
        (pl.DataFrame({"name": ["a", "b", "a", "a"], "text": TEXTS}), {"id": "name"}),
        (pd.DataFrame({"text": TEXTS}, index=["a", "b", "a", "a"]), {}),
        (TEXTS, {"id": ["a", "b", "a", "a"]}),
        (np.eye(4, dtype=int), {"id": ["a", "b", "a", "a"]}),
    ],
)
def test_one_id_of_several_documents_is_said(source, options):
    with pytest.warns(UserWarning, match=r"1 id is that of more than one document: 'a'; .* with id=") as said:
        assert tb.read(source, **options).ids == ["a", "b", "a", "a"]
    assert said[0].filename == __file__


def test_one_id_of_several_rows_of_a_file_is_said(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("name,text\na,so it goes\nb,so so\na,it is\nb,on and on\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="2 ids are those of more than one document, such as 'a'"):
        tb.read(table, id="name")


def test_files_of_one_name_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("one", "two"):
        Path(folder).mkdir()
        Path(folder, "x.txt").write_text(f"so it goes in {folder}", encoding="utf-8")
    ids = ["one/x.txt", "two/x.txt"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        files = tb.read([Path("one/x.txt"), Path("two/x.txt")])
        assert files.ids == tb.read([Path("one"), Path("two")]).ids == ids
        assert tb.read([Path("one/x.txt")]).ids == ["x.txt"]
    assert files.metadata["id"].to_list() == ids
    assert list(files.texts) == ["so it goes in one", "so it goes in two"]  # read again
    assert files.kwic("two")["id"].to_list() == ["two/x.txt"]


def test_numbers_among_texts_are_named():
    with pytest.raises(ValueError, match=r"the column 'text' has values of several types \(str, int\); give one type$"):
        tb.read(pd.DataFrame({"year": [1, 2, 3], "text": ["so it goes", 3, None]}))


def test_no_list_of_texts():
    for vectorizer in [tb.CountVectorizer(), tb.BurstinessVectorizer()]:
        for documents in [None, 3, {"a": "so it goes"}]:
            for call in (vectorizer.fit, vectorizer.fit_transform, vectorizer.fit(TEXTS).transform):
                with pytest.raises(
                    ValueError, match=f"documents must be a list of texts; got {re.escape(repr(documents))}"
                ):
                    call(documents)


def test_nan_is_no_group(corpus):
    with pytest.raises(ValueError, match=r"2 documents \(2, 4\) have nothing in the column 'score'.*is_finite"):
        corpus.keyness(by="score")
    assert corpus.where(pl.col("score").is_finite()).ids == ["1", "3"]  # the advice


def test_labels_of_weights(corpus):
    weights = corpus.weights("class-lift", y="who").matrix
    expected = tb.TermWeighting("class-lift", norm=None).fit_transform(corpus.counts, ["x", "y", "x", "y"])
    assert (weights != expected).nnz == 0
    assert (weights != corpus.weights("bm25").matrix).nnz
    for y in (["x", "y", "x", "y"], pl.Series(["x", "y", "x", "y"]), np.array(["x", "y", "x", "y"])):
        assert (corpus.weights("class-lift", y=y).matrix != expected).nnz == 0


def test_wrong_labels_of_weights(corpus):
    for scheme, y, said in [
        ("class-lift", "whom", "no column 'whom'.*did you mean 'who'"),
        ("class-lift", "score", r"2 documents \(2, 4\) have nothing in the column 'score'"),
        ("class-lift", ["x", "y"], "there are 4 documents, but 2 labels"),
        ("class-lift", ["x", None, "x", "y"], "document 1 has the label None: give every document a label"),
        ("class-lift", ["x", float("nan"), "x", "y"], "document 1 has the label nan: give every document a label"),
        ("tf-idf", "who", "the scheme 'tf-idf' uses no labels; omit y="),
        ("tfidf", "who", "did you mean 'tf-idf'"),
    ]:
        with pytest.raises(ValueError, match=said):
            corpus.weights(scheme, y=y)


@pytest.mark.parametrize("model", [tb.DirichletMultinomialNB(), tb.BurstClassifier(), tb.ClassTermWeighting()])
def test_nan_among_names_of_classes_is_no_class(model):
    X = np.array([[1, 2], [2, 0], [1, 1]])
    with pytest.raises(ValueError, match="document 1 has the label nan"):
        model.fit(X, ["x", float("nan"), "y"])


def test_pieces_longer_than_all_texts():
    """It took hours: one step per twenty tokens, up to the size."""
    for size in [10**12, 10**30]:
        for options in [{}, {"token_pattern": r"(?u)\b\w+\b"}, {"pretokenized": True}]:
            texts = [text.split() for text in TEXTS] if options.get("pretokenized") else TEXTS
            with pytest.warns(UserWarning, match=r"split\(tokens=10+\) cuts none of \d documents"):
                assert len(tb.read(texts, **options).split(tokens=size)) == len(TEXTS)


def test_where_takes_what_the_command_line_takes():
    corpus = tb.read(TEXTS, metadata={"year": [1944, 1945, None, 1946], "who": ["x", "x", "x", "y"]})
    assert corpus.where("year >= 1945 AND who = 'x'").ids == ["2"]
    assert corpus.where("year < 9999").ids == ["1", "2", "4"]  # null meets no condition
    assert corpus.where("who = 'x'").kwic("so")["id"].to_list() == ["1", "2", "2", "3"]


@pytest.mark.parametrize(
    ("measures", "said"),
    [(3, "measures must be a string, or a list of strings; got 3"), ([], "measures is empty; name some")],
)
def test_no_measures(corpus, measures, said):
    with pytest.raises(ValueError, match=said):
        corpus.dispersion(measures)


def test_collocates_need_a_level(corpus):
    with pytest.raises(ValueError, match="confidence must be a number between 0 and 1; got None"):
        corpus.collocates("it", confidence=None)


def test_a_comparison_of_wrong_types_is_refused(tmp_path):
    for ask, said in [
        (lambda c: c.group(3), "column must be a name, or a condition such as 'year >= 1945'; got 3"),
        (lambda c: c.group(["who"]), r"column must be a name, or a condition .*; got \['who'\]"),
        (lambda c: c.bin(None), "column must be the name of a column; got None"),
        (lambda c: c.keyness(by="who", contrasts="yes"), "contrasts must be True or False; got 'yes'"),
        (lambda c: c.keyness(by="who", contrasts=0), "contrasts must be True or False; got 0"),
        (lambda c: c.keyness("who", contrasts=False), "formula= has contrasts of its own; omit contrasts="),
        (lambda c: c.keyness(by="who", cluster="k", contrasts=False), "cluster= has contrasts of its own"),
        (lambda c: c.keyness("who", contrast=5), "contrast must be a string, or a list of strings; got 5"),
    ]:
        for door in ["read", "scan"]:
            table = tmp_path / "t.csv"
            table.write_text(
                "text,who,k\n" + "".join(f"so it goes {k},{'xyz'[k % 3]},{k // 2}\n" for k in range(9)), "utf-8"
            )
            with pytest.raises(ValueError, match=said):
                ask(getattr(tb, door)(table))


def test_groups_take_true_or_false():
    with pytest.raises(ValueError, match="contrasts must be True or False; got 'no'"):
        tb.keyness([[1, 2], [2, 1], [1, 1]], by=["a", "b", "c"], contrasts="no")


def test_texts_are_no_groups(tmp_path):
    (tmp_path / "t.csv").write_text("text,who\nso it goes,a\nha ha,b\n", encoding="utf-8")
    for corpus in (tb.read(tmp_path / "t.csv"), tb.scan(tmp_path / "t.csv")):
        with pytest.raises(ValueError, match="column 'text'"):
            corpus.keyness(by="text")


def test_saved_statistics_refuse_options_of_reading(tmp_path):
    tb.TermStatistics.from_texts(["so it goes", "so so"]).save(tmp_path / "s.parquet")
    for option in ({"lines": True}, {"encoding": "latin-1"}, {"text": "body"}, {"id": "who"}, {"tokenizer": str.split}):
        with pytest.raises(ValueError, match=f"{next(iter(option))}= is not for saved statistics"):
            tb.scan(tmp_path / "s.parquet", **option)


def test_a_text_that_was_edited_is_noticed(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("so it goes", encoding="utf-8")
    corpus = tb.read(tmp_path)
    path.write_text("so it went on", encoding="utf-8")
    with pytest.raises(ValueError, match=r"changed since it was read: document 1 \('a.txt'\) had another text"):
        list(corpus.texts)


def test_counts_that_cannot_be_compared_one_by_one_say_so():
    with pytest.raises(ValueError, match=r"comparing documents by their counts needs .* MB of memory"):
        tb.read([[2**40, 1], [1, 2]]).check()


@pytest.mark.parametrize("sort", ["p", "lower_bound", 3])
def test_an_order_that_fits_do_not_have_is_said(corpus, sort):
    for each in (corpus, tb.scan(corpus.count_rows().lazy())):
        with pytest.raises(ValueError, match=f"^sort must be one of 'term'; got {sort!r}$"):
            each.fit_beta_binomial(sort=sort)
