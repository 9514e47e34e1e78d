"""Crafted frames: edges of the closed forms, all schemes, wrong columns, counts and patterns that cannot be."""

import itertools

import numpy as np
import polars as pl
import pytest
from battery.documents import Given, documents
from battery.same import differences, plain
from hypothesis import given
from hypothesis import strategies as st

import termburst as tb
from helpers.frames import in_engine, local
from termburst.backends import spark

ENGINES = (
    "polars-lazy",
    "duckdb",
)  # frames in memory come to this code as Polars frames; on Spark a case takes seconds


@pytest.mark.filterwarnings("ignore::termburst.inference.ClampedTermsWarning")
@pytest.mark.parametrize("form", ["printed", "corrected", "exact"])
@pytest.mark.parametrize(
    "X",
    [
        [[9, 1], [7, 2], [0, 3]],  # the first term is more than half of the text
        [[3], [2], [5]],  # every token
        [[3, 1], [0, 0]],  # only one document has tokens
        [[1, 0], [0, 1], [1, 0]],  # every document has one token
    ],
)
def test_closed_forms_at_their_edges(X, form):
    terms = ["a", "b"][: len(X[0])]
    rows = [(j, term, count) for j, row in enumerate(X) for term, count in zip(terms, row, strict=True)]
    corpus = tb.scan(pl.DataFrame(rows, schema=["document", "term", "count"], orient="row"))
    s = tb.TermStatistics.from_counts(X, terms, detail="patterns")
    for sigma2 in (1.0, 10.0, 12.0):  # all valid; one clamped; also one with 0 < η² − r_i < 1
        found, expected = (ask(form=form, sigma2=sigma2) for ask in (corpus.term_table, of_statistics(s)))
        assert differences(plain(found, ordered=False), plain(expected, ordered=False)) == []


def of_statistics(s):
    return lambda **options: tb.term_table(s, **options)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::termburst.inference.ClampedTermsWarning", "ignore:the scheme 'class-")
@pytest.mark.parametrize("engine", ENGINES)
def test_weights_by_every_scheme(engine):
    documented = Given(documents(), {}, None)
    scanned, read = tb.scan(in_engine(engine, documented.cells())), documented.read()
    for scheme, norm in zip(tb.SCHEMES, itertools.cycle([None, "l1", "l2"])):
        if scheme != "fisher-kernel":
            found, expected = (plain(c.weights(scheme, norm=norm), ordered=False) for c in (scanned, read))
            found = found.filter(pl.col("weight") != 0)
            assert differences(found, expected) == [], scheme


def test_a_bad_frame_raises_one_sentence():
    for engine in ENGINES:
        for columns, message in [
            (
                {"document": ["a"], "body": ["x"]},
                r"the frame has the columns 'document', 'body'; it needs texts \('document', 'text'\), or counts",
            ),
            (
                {"document": ["a", "b"], "text": ["x y", None]},
                r"the column 'text' has null in 1 row\(s\): fill them with ''",
            ),
            (
                {"document": ["a", None], "text": ["x", "y"]},
                r"the column 'document' has null in 1 row\(s\): every document",
            ),
            ({"document": ["a", "a"], "text": ["x", "y"]}, "2 documents have the id 'a'"),
            ({"document": [1, 1], "text": ["x", "y"]}, "2 documents have the id 1"),
            ({"document": [0.5], "text": ["x"]}, "the column 'document' must contain strings or integers; got Float64"),
            ({"document": ["a"], "text": [5]}, "the column 'text' must contain strings; got Int64"),
            (
                {"document": ["a"], "term": ["x"], "count": [-2]},
                "the term 'x' in the document 'a' must be 0 or more",
            ),
            (
                {"document": ["a"], "term": ["x"], "count": [1.5]},
                "the column 'count' must contain integers; got Float64",
            ),
            ({"document": ["a"], "term": [None], "count": [1]}, r"the column 'term' has null in 1 row\(s\)"),
            (
                {"document": ["a", "a"], "term": ["x", "x"], "count": [1, 2]},
                "the document 'a' has 2 rows for the term 'x'",
            ),
            ({"document": ["a"], "text": ["?"]}, "no document has a term"),
            (
                {"document": pl.Series([], dtype=pl.String), "text": pl.Series([], dtype=pl.String)},
                "there are no documents",
            ),
            ({"document": ["a"], "term": ["x"], "count": [0]}, "no document has a term"),
        ]:
            made = pl.DataFrame(columns, schema_overrides={"term": pl.String} if "term" in columns else None)
            assert_refused(in_engine(engine, made), message)


def assert_refused(frame, message):
    """Its columns are refused at once, and its rows with the first question."""
    with pytest.raises(ValueError, match=message) as caught:
        tb.scan(frame).term_table()
    assert "\n" not in str(caught.value)


def test_patterns_that_no_collection_has():
    for engine in ENGINES:
        for rows, message in [
            ([("a", 9, 2, 1), (None, 0, 2, 1)], "the term 'a', 9 times in a document of 2 tokens is impossible"),
            ([("a", -1, 2, 1), (None, 0, 2, 1)], "the term 'a', -1 times in a document of 2 tokens is impossible"),
            ([("a", 0, 2, 1), (None, 0, 2, 1)], "the term 'a', 0 times in a document of 2 tokens is impossible"),
            ([(None, 1, 2, 1), ("a", 2, 2, 1)], "no term, 1 times in a document of 2 tokens is impossible"),
            ([(None, 0, -2, 1), (None, 0, 9, 1)], "a document of -2 tokens is impossible"),
            ([("a", 1, 2, 3), (None, 0, 2, 2)], "there are 2 documents of 2 tokens, but a term is in 3 of them"),
            ([("a", 2, 2, 1), ("b", 1, 2, 1), (None, 0, 2, 1)], "of 2 tokens, .* and their terms have 3 tokens"),
            ([("a", 1, 2, 1)], "there are 0 documents of 2 tokens"),
            ([("a", 5, 9, 2**62), ("a", 5, 9, 2**62), (None, 0, 9, 5)], "the collection is too large"),
        ]:
            schema = {"term": pl.String, "count": pl.Int64, "length": pl.Int64, "documents": pl.Int64}
            assert_refused(in_engine(engine, pl.DataFrame(rows, schema=schema, orient="row")), message)


@pytest.mark.parametrize(
    ("count", "message"),
    [
        (
            pl.Series([2**63 + 5, 1, 1, 1], dtype=pl.UInt64),
            "'count' contains 9223372036854775813, too large",
        ),
        (pl.Series([2**62] * 4), "the collection is too large"),  # their sum wraps round to 0
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_that_would_wrap_round(count, message, engine):
    columns = {"document": [1] * 4, "term": list("abcd"), "count": count}
    assert_refused(in_engine(engine, pl.DataFrame(columns)), message)


@pytest.mark.parametrize("engine", ENGINES)
def test_large_counts_are_the_same_integers(engine):
    """Σ n_ij n_j beyond 2⁵³, which Arrow does not cast to floats; and a document that is too long to fit."""
    X = np.array([[10**9, 3, 0], [1, 10**9 - 7, 5], [2, 0, 7]])
    document, term = np.nonzero(X)
    columns = {"document": document, "term": np.array(list("abc"))[term], "count": X[document, term]}
    corpus = tb.scan(in_engine(engine, pl.DataFrame(columns)))
    assert corpus.statistics == tb.TermStatistics.from_counts(X, list("abc"), detail="patterns")
    with pytest.raises(ValueError, match=r"a document of 1,000,000,003 tokens is too long to fit"):
        corpus.fit_beta_binomial()


def test_columns_of_the_same_name(engine):
    made = engine({"document": ["a"], "text": ["so"], "x": ["ha"]})
    if engine.name == "pandas":
        made.columns = ["document", "text", "text"]
    elif engine.name == "pyarrow":
        made = made.rename_columns(["document", "text", "text"])
    elif engine.name == "spark":
        made = made.toDF("document", "text", "TEXT")
    else:
        pytest.skip("this engine has no such frames")
    with pytest.raises(ValueError, match="two columns of the frame have the same name; rename or drop one"):
        tb.scan(made)


def test_terms_that_differ_after_a_nul():
    columns = {"document": [1, 2], "term": ["a\0b", "a"], "count": [1, 1]}
    for engine in ("polars", "pandas"):
        assert tb.scan(in_engine(engine, pl.DataFrame(columns))).statistics.collection_frequency.tolist() == [1, 1]


def test_columns_of_other_names_and_integer_ids(engine):
    made = engine({"body": ["ha ha so", "so"], "key": [7, 2**40], "text": ["x", "y"]})
    corpus = tb.scan(made, text="body", id="key")
    assert corpus.terms.tolist() == ["ha", "so"]
    weights = local(corpus.weights("counts")).sort("document", "term")
    assert weights.rows() == [(7, "ha", 2.0), (7, "so", 1.0), (2**40, "so", 1.0)]


def test_bad_arguments_raise_one_sentence():
    for ask, message in [
        (lambda f: tb.scan(f).weights("tfidf"), "scheme must be one of"),
        (lambda f: tb.scan(f).weights("fisher-kernel"), "needs all counts of a term at once"),
        (lambda f: tb.scan(f).weights("tf-idf", norm="max"), "norm must be one of 'l1', 'l2'; got 'max'"),
        (lambda f: tb.scan(f).term_table(form="plain"), "form must be one of"),
        (lambda f: tb.scan(f).term_table(sigma2=-1), "sigma2"),
        (lambda f: tb.scan(f, id="text"), "the column 'text' cannot be both 'document' and 'text'"),
        (lambda f: tb.scan(f.with_columns(term="text", count=1)), "could be texts or counts"),
    ]:
        with pytest.raises(ValueError, match=message):
            ask(pl.DataFrame({"document": ["a", "b"], "text": ["ha ha so", "so it goes"]}))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::termburst.inference.ClampedTermsWarning")
@given(st.lists(st.dictionaries(st.sampled_from("abcdé"), st.integers(1, 60), max_size=5), min_size=1, max_size=12))
def test_any_counts(held_by):
    rows = [(j, term, count) for j, held in enumerate(held_by) for term, count in held.items()]
    rows += [(j, "a", 0) for j, held in enumerate(held_by) if "a" not in held]
    frame = pl.LazyFrame(rows, schema=["document", "term", "count"], orient="row")
    terms = sorted({term for _, term, count in rows if count})
    if not terms:
        with pytest.raises(ValueError, match="no document has a term"):
            _ = tb.scan(frame).statistics
        return
    X = [[held.get(term, 0) for term in terms] for held in held_by]
    s = tb.TermStatistics.from_counts(X, terms, detail="patterns")
    assert tb.scan(frame).statistics == s
    found, expected = tb.scan(frame).term_table(form="corrected"), tb.term_table(s, form="corrected")
    assert differences(plain(found, ordered=False), plain(expected, ordered=False)) == []


def test_batches_are_cut_between_terms(monkeypatch):
    from termburst.backends import stream

    monkeypatch.setattr(stream, "ROWS_OF_TERMS", 5)
    terms = [[letter] * times for letter, times in zip("abcdefg", (1, 9, 2, 2, 6, 1, 4), strict=True)]
    rows = pl.DataFrame({"term": list(itertools.chain(*terms))})
    for size in (1, 2, 3, 30):
        pieces = list(stream._whole_terms(rows.iter_slices(size)))
        assert pl.concat(pieces).equals(rows)
        assert len({term for piece in pieces for term in set(piece["term"])}) == sum(
            piece["term"].n_unique() for piece in pieces
        )


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_groups_of_a_partition_on_spark_3_5(size):
    """Rows come sorted by bucket in batches of any size; each bucket is one group, whole."""
    import pyarrow as pa

    table = pa.table({"bucket": [1, 1, 1, 1, 4, 7, 7], "value": range(7)})
    batches = iter([*table.to_batches(max_chunksize=size), *table.slice(0, 0).to_batches()])

    def group(rows):
        return pa.table({"buckets": [len(set(rows["bucket"].to_pylist()))], "sum": [sum(rows["value"].to_pylist())]})

    found = pa.Table.from_batches(spark._by_bucket(group)(batches))
    assert found.to_pydict() == {"buckets": [1, 1, 1], "sum": [6, 4, 11]}


@pytest.mark.parametrize("make", [pl.DataFrame, lambda rows: pl.DataFrame(rows).to_pandas()])
def test_terms_that_are_clamped_are_a_warning_if_the_frame_is_in_memory(make):
    """As in memory: `plr_statistic` has the same words."""
    texts = ["ha ha ha ha so", "so it goes", "it is so"]
    frame = make({"document": [1, 2, 3], "text": texts})
    s = tb.TermStatistics.from_texts(texts)
    with pytest.warns(tb.inference.ClampedTermsWarning) as expected:
        tb.plr_statistic(s, sigma2=4.0)
    said = str(expected[0].message)
    assert "1 of 5 terms" in said
    corpus = tb.scan(frame)
    for ask in (corpus.term_table, lambda **options: corpus.weights("lambda", **options)):
        with pytest.warns(tb.inference.ClampedTermsWarning) as found:
            ask(sigma2=4.0)
        assert [str(one.message) for one in found] == [said]
    corpus.term_table(sigma2=0.1)  # says nothing
