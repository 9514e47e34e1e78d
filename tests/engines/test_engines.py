"""The same cases for every engine, compared with the same corpus counted in memory."""

import itertools
import warnings
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termburst as tb
from termburst import engines
from termburst.engines import door, spark
from termburst.inference.overdispersion import tarone_score
from termburst.questions.burstiness_plan import FIT


@pytest.fixture(scope="module")
def texts():
    """Bursty words, frequent ones and rare ones; one document with a hundred repeats, and two without words."""
    rng = np.random.default_rng(1)
    words = np.array([f"w{i:03}" for i in range(200)] + ["straße", "東京", "naïve", "ǆ", "ⅷ"])
    share = rng.dirichlet(np.full(words.size, 0.05), size=120)
    found = [" ".join(rng.choice(words, size=rng.integers(2, 80), p=p)) for p in share]
    return [*found, "ha " * 100 + "so", "", "? !"]


@pytest.fixture(scope="module")
def ids(texts):
    return [f"d{i:03}" for i in range(len(texts))]


@pytest.fixture(scope="module")
def s(texts):
    return tb.TermStatistics.from_texts(texts, detail="patterns")


@pytest.fixture(scope="module")
def tarone(s):
    """The score of every term, from the test in memory; it does not depend on the draws."""
    return tb.burstiness_test(s, draws=99, columns="all").sort("term")["score"].to_numpy()


@pytest.fixture(scope="module")
def of_texts(engine, texts, ids):
    return engine({"document": ids, "text": texts})


@pytest.fixture(scope="module")
def of_counts(engine, texts, ids):
    """The counts as rows in random order, with rows of 0 for the empty documents."""
    X, terms = tb.CountingOptions().count(texts)
    cells = X.tocoo()
    rows = pl.DataFrame(
        {"document": np.array(ids)[cells.row], "term": terms[cells.col].astype(str), "count": cells.data}
    )
    empty = pl.DataFrame({"document": ids[-2:], "term": ["ha", "so"], "count": [0, 0]}, schema=rows.schema)
    return engine(pl.concat([rows, empty]).sample(fraction=1.0, shuffle=True, seed=3))


@pytest.fixture(scope="module", params=["texts", "counts"])
def frame(request, engine):  # needs *engine*, so that there is one for each
    return request.getfixturevalue(f"of_{request.param}")


@pytest.mark.parametrize("detail", ["frequencies", "moments", "patterns"])
def test_statistics_are_the_same_integers(detail, engine, frame, s, of_counts):
    if engine.name == "spark" and detail != "patterns":
        pytest.skip("seconds each: patterns have what the others have")
    found = engines.term_statistics(frame, detail=detail, batch="b")
    expected = replace(s.coarsen(detail), batches=("b",), counting=None if frame is of_counts else s.counting)
    assert found == expected


def test_texts_are_counted_as_by_the_vectorizer(of_texts, texts, ids, local):
    options = tb.CountingOptions(ngrams=(1, 2), stop_words=("w001", "so"), lowercase=False)
    X, terms = options.count(texts)
    cells = X.tocoo()
    expected = sorted(zip(np.array(ids)[cells.row], terms[cells.col], cells.data.tolist(), strict=True))
    found = local(engines.count_terms(of_texts, counting=options)).rows()
    assert sorted(row for row in found if row[2]) == expected
    assert sorted(row for row in found if not row[2]) == [(ids[-2], "", 0), (ids[-1], "", 0)]


@pytest.mark.filterwarnings("ignore::termburst.ClampedTermsWarning")
@pytest.mark.parametrize(
    ("form", "mu", "sigma2"), [("printed", None, 1.0), ("corrected", 30.0, 0.2), ("exact", None, 0.5)]
)
def test_the_table_of_closed_forms(form, mu, sigma2, engine, frame, s, tarone, local):
    if engine.name == "spark" and form != "exact":
        pytest.skip("seconds each: one form has all that differs on Spark")
    found = local(engines.term_table(frame, form=form, mu=mu, sigma2=sigma2)).sort("term")
    assert found["term"].to_list() == s.terms.tolist()
    assert found["n"].to_list() == s.collection_frequency.tolist()
    assert found["b"].to_list() == s.document_frequency.tolist()
    plr = tb.plr_statistic(s, form=form, mu=mu, sigma2=sigma2)
    np.testing.assert_allclose(found["plr"].to_numpy(), plr, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found["tarone"].to_numpy(), tarone, rtol=1e-9, atol=1e-12)
    estimates = tb.penalized_mle(s, mu=mu, sigma2=sigma2)
    assert (found["status"] == "valid").to_list() == estimates.valid.tolist()
    for name in ("alpha", "alpha_not"):
        np.testing.assert_allclose(found[name].to_numpy(), getattr(estimates, name), rtol=1e-12)
    np.testing.assert_allclose(
        found["idf"].to_numpy(), np.log(s.documents / s.document_frequency), rtol=1e-12, atol=1e-15
    )
    tf_idf = s.collection_frequency * np.log(s.documents / s.document_frequency)
    np.testing.assert_allclose(found["tf_idf_sum"].to_numpy(), tf_idf, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found["icf"].to_numpy(), np.log(s.tokens / s.collection_frequency), rtol=1e-12)


@pytest.mark.filterwarnings("ignore::termburst.ClampedTermsWarning")
@pytest.mark.parametrize("sigma2", [1.0, 10.0, 12.0])  # all valid; one clamped; also one with 0 < η² − r_i < 1
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
def test_closed_forms_at_their_edges(X, form, sigma2):
    terms = ["a", "b"][: len(X[0])]
    rows = [(j, term, count) for j, row in enumerate(X) for term, count in zip(terms, row, strict=True)]
    frame = pl.DataFrame(rows, schema=["document", "term", "count"], orient="row")
    found = engines.term_table(frame, form=form, sigma2=sigma2).sort("term")
    plr = tb.plr_statistic(X, form=form, sigma2=sigma2)
    np.testing.assert_allclose(found["plr"].to_numpy(), plr, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found["tarone"].to_numpy(), tarone_score(X), rtol=1e-12, atol=1e-12)
    assert (found["status"] == "valid").to_list() == tb.penalized_mle(X, sigma2=sigma2).valid.tolist()


def test_fits_are_those_in_memory(frame, s, local):
    found = local(engines.fit_beta_binomial(frame)).sort("term")
    expected = tb.fit_beta_binomial(s)
    assert found["term"].to_list() == s.terms.tolist()
    assert found["status"].to_list() == expected.status.tolist()
    for name in FIT:
        np.testing.assert_allclose(found[name].to_numpy(), getattr(expected, name), rtol=1e-12)


def weights_in_memory(texts, ids, scheme, **options):
    X, terms = tb.CountingOptions().count(texts)
    weights = tb.TermWeighting(scheme, **options).fit_transform(X).tocoo()
    columns = {"document": np.array(ids)[weights.row], "term": terms[weights.col].astype(str), "weight": weights.data}
    return pl.DataFrame(columns).sort("document", "term")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::termburst.ClampedTermsWarning")
@pytest.mark.parametrize("scheme", [name for name in tb.SCHEMES if name != "fisher-kernel"])
@pytest.mark.filterwarnings("ignore:the scheme 'class-")
def test_weights_by_every_scheme(scheme, engine, of_counts, texts, ids, local):
    if engine.name == "spark" and scheme not in ("s-lambda", "damped-tf-idf", "fisher"):
        pytest.skip("seconds each on Spark: three schemes cover the ways to compute weights")
    found = local(engines.weigh(of_counts, scheme)).sort("document", "term")
    expected = weights_in_memory(texts, ids, scheme)
    assert found.select("document", "term").rows() == expected.select("document", "term").rows()
    np.testing.assert_allclose(found["weight"].to_numpy(), expected["weight"].to_numpy(), rtol=1e-9, atol=1e-11)


@pytest.mark.filterwarnings("ignore::termburst.ClampedTermsWarning")
@pytest.mark.parametrize(("scheme", "norm"), [("s-lambda", "l1"), ("bm25", "l2")])
def test_weights_of_texts_to_unit_norm(scheme, norm, of_texts, texts, ids, local):
    found = local(engines.weigh(of_texts, scheme, norm=norm, mu=20.0)).sort("document", "term")
    expected = weights_in_memory(texts, ids, scheme, norm=norm, mu=20.0)
    assert found["term"].to_list() == expected["term"].to_list()
    np.testing.assert_allclose(found["weight"].to_numpy(), expected["weight"].to_numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_a_ledger_grows_and_shrinks_and_ignores_batches_that_it_has(engine, texts, ids, s):
    def part(keep, batch):
        made = engines.patterns(engine({"document": ids[keep], "text": texts[keep]}), batch)
        return made.cache() if engine.name == "spark" else made

    first, second, third = slice(0, 50), slice(50, 90), slice(90, None)
    if engine.name == "duckdb":  # only relations of one connection can be concatenated
        connection = _connection({"document": ids, "text": texts})

        def part(keep, batch):
            chosen = connection.sql(f"select * from kept where document between '{ids[keep][0]}' and '{ids[keep][-1]}'")
            return engines.patterns(chosen, batch)

    week = engines.add(part(first, "monday"), part(second, "tuesday"))
    week = engines.add(engines.add(week, part(third, "wednesday")), part(third, "wednesday"))  # again: no effect
    assert engines.term_statistics(week, detail="patterns") == replace(s, counting=None)
    gone = part(second, "tuesday withdrawn")
    left = engines.withdraw(engines.withdraw(week, gone), gone)
    expected = tb.TermStatistics.from_texts(texts[first] + texts[third], detail="patterns")
    assert engines.term_statistics(left, detail="patterns") == replace(expected, counting=None)
    with pytest.raises(ValueError, match="documents were withdrawn that had not been added"):
        engines.withdraw(left, part(slice(60, 61), "again, by another name"))


def _connection(columns):
    import duckdb

    arrow = pl.DataFrame(columns).to_arrow(compat_level=pl.CompatLevel.oldest())
    connection = duckdb.connect()
    connection.register("made", arrow)
    connection.sql("create table kept as select * from made")
    return connection


@pytest.mark.parametrize(
    ("columns", "message"),
    [
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
        ({"document": ["a", "a"], "term": ["x", "x"], "count": [1, 2]}, "the document 'a' has 2 rows for the term 'x'"),
        ({"document": ["a"], "text": ["?"]}, "no document has a term"),
        (
            {"document": pl.Series([], dtype=pl.String), "text": pl.Series([], dtype=pl.String)},
            "there are no documents",
        ),
        ({"document": ["a"], "term": ["x"], "count": [0]}, "no document has a term"),
    ],
)
def test_a_bad_frame_raises_one_sentence(columns, message, engine):
    if engine.name == "spark" and not message.startswith(("2 documents have the id 'a'", "there are no documents")):
        pytest.skip("the same expressions, seconds each")
    made = pl.DataFrame(columns, schema_overrides={"term": pl.String} if "term" in columns else None)
    with pytest.raises(ValueError, match=message) as caught:
        engines.term_table(engine(made))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", 9, 2, 1), (None, 0, 2, 1)], "the term 'a', 9 times in a document of 2 tokens is impossible"),
        ([("a", -1, 2, 1), (None, 0, 2, 1)], "the term 'a', -1 times in a document of 2 tokens is impossible"),
        ([("a", 0, 2, 1), (None, 0, 2, 1)], "the term 'a', 0 times in a document of 2 tokens is impossible"),
        ([(None, 1, 2, 1), ("a", 2, 2, 1)], "no term, 1 times in a document of 2 tokens is impossible"),
        ([(None, 0, -2, 1), (None, 0, 9, 1)], "a document of -2 tokens is impossible"),
        ([("a", 1, 2, 3), (None, 0, 2, 2)], "there are 2 documents of 2 tokens, but a term is in 3 of them"),
        ([("a", 2, 2, 1), ("b", 1, 2, 1), (None, 0, 2, 1)], "of 2 tokens, .* and their terms have 3 tokens"),
        ([("a", 1, 2, 1)], "there are 0 documents of 2 tokens"),
        ([("a", 5, 9, 2**62), ("a", 5, 9, 2**62), (None, 0, 9, 5)], "the collection is too large"),
    ],
)
def test_patterns_that_no_collection_has(rows, message, engine):
    if engine.name == "spark":
        pytest.skip("the same expressions, seconds each")
    schema = {"term": pl.String, "count": pl.Int64, "length": pl.Int64, "documents": pl.Int64}
    with pytest.raises(ValueError, match=message) as caught:
        engines.term_table(engine(pl.DataFrame(rows, schema=schema, orient="row")))
    assert "\n" not in str(caught.value)


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
def test_numbers_that_would_wrap_round(count, message, engine):
    if engine.name == "spark":
        pytest.skip("Spark has no unsigned integers, and raises on overflow itself")
    with pytest.raises(ValueError, match=message):
        engines.term_table(engine({"document": [1] * 4, "term": list("abcd"), "count": count}))


def test_large_counts_are_the_same_integers(engine, local):
    """Σ n_ij n_j beyond 2⁵³, which Arrow does not cast to floats; and a document that is too long to fit."""
    X = np.array([[10**9, 3, 0], [1, 10**9 - 7, 5], [2, 0, 7]])
    document, term = np.nonzero(X)
    frame = engine({"document": document, "term": np.array(list("abc"))[term], "count": X[document, term]})
    s = tb.TermStatistics.from_counts(X, list("abc"), detail="patterns")
    assert engines.term_statistics(frame, detail="patterns") == s
    found = local(engines.term_table(frame, form="corrected")).sort("term")
    np.testing.assert_allclose(found["plr"].to_numpy(), tb.plr_statistic(s, form="corrected"), rtol=1e-12)
    with pytest.raises(ValueError, match=r"a document of 1,000,000,003 tokens is too long to fit"):
        engines.fit_beta_binomial(frame)


def test_two_terms_have_one_score(engine, local):
    """With two terms the scores are equal. Computed with floats, they would differ by a factor of 4."""
    if engine.name == "spark":
        pytest.skip("the same expressions, seconds each")
    frame = engine({"document": [1, 1, 2], "term": ["a", "b", "a"], "count": [10**9, 3, 1]})
    assert local(engines.term_table(frame))["tarone"].to_list() == pytest.approx([-0.7071067822472077] * 2, rel=1e-12)


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
        engines.term_table(made)


def test_terms_that_differ_after_a_nul():
    pd = pytest.importorskip("pandas")
    columns = {"document": [1, 2], "term": ["a\0b", "a"], "count": [1, 1]}
    assert engines.term_statistics(pl.DataFrame(columns)).collection_frequency.tolist() == [1, 1]
    with pytest.raises(ValueError, match="the column 'term' contains a NUL, which pandas cannot group by"):
        engines.term_statistics(pd.DataFrame(columns))


def test_a_frame_without_rows(engine, local):
    if engine.name == "spark":
        pytest.skip("seconds each")
    none = engine(pl.DataFrame(schema={"document": pl.String, "text": pl.String}))
    assert local(engines.count_terms(none)).height == 0
    with pytest.raises(ValueError, match="the frame has no rows"):
        engines.term_table(none)


def test_columns_of_other_names_and_integer_ids(engine, local):
    made = engine({"body": ["ha ha so", "so"], "key": [7, 2**40], "text": ["x", "y"]})
    assert engines.term_statistics(made, document="key", text="body").terms.tolist() == ["ha", "so"]
    weights = local(engines.weigh(made, "counts", document="key", text="body")).sort("document", "term")
    assert weights.rows() == [(7, "ha", 2.0), (7, "so", 1.0), (2**40, "so", 1.0)]
    counts = engine({"document": ["a"], "word": ["so"], "count": [2], "text": ["x"]})
    assert engines.term_statistics(counts, term="word").tokens == 2
    with pytest.raises(ValueError, match=r"the frame has no column 'no' \(text=\.\.\.\); it has 'body', 'key', 'text'"):
        engines.term_statistics(made, document="key", text="no")


@pytest.mark.parametrize(
    "function", [engines.term_table, engines.term_statistics, engines.weigh, engines.fit_beta_binomial]
)
@pytest.mark.parametrize("frame", [None, [1, 2], "texts.parquet", np.zeros((2, 2)), {"text": ["so"]}])
def test_other_objects_than_frames_are_refused(function, frame):
    with pytest.raises(ValueError, match="frame must be a frame of Polars, pandas, PyArrow, DuckDB or PySpark; got"):
        function(frame)


@pytest.mark.parametrize("library", ["ibis", "dask", "modin", "cudf", "sqlframe", "ray", "daft", "snowflake"])
def test_frames_of_an_engine_that_is_not_supported(library, monkeypatch):
    """Whether Narwhals knows the library or not, the error names the way round."""
    foreign = type("Dataset", (), {"__module__": f"{library}.data"})()
    known = {"ibis", "dask", "modin", "cudf", "sqlframe"}
    if library in known:
        given = SimpleNamespace(implementation=nw.Implementation[library.upper()])
        monkeypatch.setattr(door.nw, "from_native", lambda frame: given)
    with pytest.raises(ValueError, match=f"^frames of {library} cannot be read here; .*(Parquet|parquet|give|SQL)"):
        engines.term_table(foreign)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: engines.weigh(f, "tfidf"), "scheme must be one of"),
        (lambda f: engines.weigh(f, "fisher-kernel"), "needs all counts of a term at once"),
        (lambda f: engines.weigh(f, "tf-idf", norm="max"), "norm must be 'l1', 'l2' or None"),
        (
            lambda f: engines.weigh(engines.patterns(f, "a"), "tf-idf"),
            r"the frame has patterns; this function needs texts \('document', 'text'\), or counts",
        ),
        (lambda f: engines.term_table(f, form="plain"), "form must be one of"),
        (lambda f: engines.term_table(f, sigma2=-1), "sigma2"),
        (
            lambda f: engines.term_table(f, counting="english"),
            r"counting must be CountingOptions\(\.\.\.\); got 'english'",
        ),
        (lambda f: engines.term_statistics(f, detail="all"), "detail must be one of"),
        (lambda f: engines.term_table(f, document="text"), "the column 'text' cannot be both 'document' and 'text'"),
        (
            lambda f: engines.withdraw(engines.patterns(f, "a"), engines.patterns(f, "a")),
            "the batch id 'a' was already added; use another id for the documents to be withdrawn",
        ),
        (
            lambda f: engines.add(engines.patterns(f, "a"), engines.patterns(f.lazy(), "b")),
            "both frames must be of one engine; got a polars.DataFrame and a polars.LazyFrame",
        ),
        (
            lambda f: engines.add(engines.patterns(f, "a"), engines.patterns(f, "b").with_columns(batch=3)),
            "the column 'batch' must contain strings; got Int32",
        ),
        (lambda f: engines.patterns(f, 5), "batch must be a string; got 5"),
        (lambda f: engines.count_terms(engines.count_terms(f)), "the frame has counts; this function needs texts"),
        (
            lambda f: engines.term_table(f, txt="text"),
            "no option 'txt'; the columns that can be named are 'document', ",
        ),
        (lambda f: engines.term_table(f, stop_words="english"), "no option 'stop_words'"),
        (lambda f: engines.term_table(f.with_columns(term="text", count=1)), "could be texts or counts"),
        (lambda f: engines.add(f, f), r"the frame has texts; this function needs patterns \('term', 'count',"),
        (lambda f: engines.add(engines.patterns(f, "a").drop("batch"), f), "these patterns have no column 'batch'"),
        (
            lambda f: engines.term_table(engines.count_terms(f), counting=tb.CountingOptions()),
            "this frame has counts",
        ),
    ],
)
def test_bad_arguments_raise_one_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call(pl.DataFrame({"document": ["a", "b"], "text": ["ha ha so", "so it goes"]}))


@pytest.mark.slow
@given(st.lists(st.dictionaries(st.sampled_from("abcdé"), st.integers(1, 60), max_size=5), min_size=1, max_size=12))
def test_any_counts(documents):
    rows = [(j, term, count) for j, held in enumerate(documents) for term, count in held.items()]
    rows += [(j, "a", 0) for j, held in enumerate(documents) if "a" not in held]
    frame = pl.LazyFrame(rows, schema=["document", "term", "count"], orient="row")
    terms = sorted({term for _, term, count in rows if count})
    if not terms:
        with pytest.raises(ValueError, match="no document has a term"):
            engines.term_statistics(frame)
        return
    X = [[held.get(term, 0) for term in terms] for held in documents]
    s = tb.TermStatistics.from_counts(X, terms, detail="patterns")
    assert engines.term_statistics(frame, detail="patterns") == s
    table = engines.term_table(frame, form="corrected").sort("term").collect()
    statistics = [tb.explain(s, term, form="corrected", invalid="clamp").plr for term in terms if not _clamped(s, term)]
    kept = [value for value, term in zip(table["plr"].to_list(), terms, strict=True) if not _clamped(s, term)]
    np.testing.assert_allclose(kept, statistics, rtol=1e-9, atol=1e-9)


def _clamped(s, term):
    return not tb.penalized_mle(s).valid[s.index(term)]


def test_batches_are_cut_between_terms(monkeypatch):
    from termburst.engines import batches

    monkeypatch.setattr(batches, "ROWS_OF_TERMS", 5)
    terms = [[letter] * times for letter, times in zip("abcdefg", (1, 9, 2, 2, 6, 1, 4), strict=True)]
    rows = pl.DataFrame({"term": list(itertools.chain(*terms))})
    for size in (1, 2, 3, 30):
        pieces = list(batches._whole_terms(rows.iter_slices(size)))
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
    with pytest.warns(tb.ClampedTermsWarning) as expected:
        tb.plr_statistic(s, sigma2=4.0)
    said = str(expected[0].message)
    assert "1 of 5 terms" in said
    for ask in (engines.term_table, partial(engines.weigh, scheme="lambda")):
        with pytest.warns(tb.ClampedTermsWarning) as found:
            ask(frame, sigma2=4.0)
        assert [str(one.message) for one in found] == [said]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        engines.term_table(frame, sigma2=0.1)
        lazy = engines.term_table(pl.DataFrame({"document": [1, 2, 3], "text": texts}).lazy(), sigma2=4.0)
    assert lazy.filter(pl.col("status") == "invalid").collect()["term"].to_list() == ["ha"]
