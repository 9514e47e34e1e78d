"""`tb.scan` of a frame: its engine answers as `tb.read` of the same texts does."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from battery.documents import Given
from battery.same import differences, plain

import termburst as tb
from helpers.frames import LOCAL, in_engine, local

WORDS = ["the", "and", "of", "whale", "ship", "sea", "harpoon", "ox", "done", "naïve", "so", "it", "goes", "on"]
QUIET = ("ignore:split", "ignore:with so few", "ignore:.* clusters", "ignore:.* of .* terms repeat too often")
pytestmark = [pytest.mark.filterwarnings(warning) for warning in QUIET]


@pytest.fixture(scope="module")
def texts():
    """Sixty texts of three parties and ten people, with a year that is missing once and a number that is NaN once."""
    rng = np.random.default_rng(5)
    made = []
    for _ in range(60):
        shares = rng.dirichlet(np.linspace(1.5, 0.1, len(WORDS)))
        made.append(" ".join(rng.choice(WORDS, size=rng.integers(20, 80), p=shares)))
    made[40] = made[10] + " done"
    return pl.DataFrame(
        {
            "key": [f"d{k:02}" for k in range(60)],
            "body": made,
            "party": [("ha", "hb", "hc")[k // 2 % 3] for k in range(60)],
            "who": [f"w{k // 6}" for k in range(60)],
            "half": ["early" if k < 30 else "late" for k in range(60)],
            "year": [1940 + k // 2 for k in range(60)],
            "month": [None, *(k % 12 for k in range(59))],
            "score": [float("nan"), *(k / 7 for k in range(59))],
        }
    )


def same(one, other):
    """The same rows in any order."""
    assert differences(plain(one, ordered=False), plain(other, ordered=False)) == []


CONDITIONS = [
    "year >= 1955 AND party != 'hc'",
    "month > 3",
    "month IS NULL OR party IN ('ha', 'hb')",
    "score > 2 OR party = 'hb'",
    "NOT (score > 2)",
    "who LIKE 'w1%' OR who BETWEEN 'w5' AND 'w7'",
    '"year" < 1950',
]


@pytest.mark.parametrize("kind", LOCAL)
def test_a_condition_is_a_filter_of_the_engine(texts, kind):
    scanned = tb.scan(in_engine(kind, texts), text="body", id="key")
    read = tb.read(texts, text="body", id="key")
    for condition in CONDITIONS:
        assert scanned.where(condition).statistics == read.where(condition).statistics


def test_counts_and_patterns_beside_texts(texts):
    """A stored reference corpus, of which only the counts or the patterns are left."""
    given = Given(texts.rename({"key": "id", "body": "text"}), {}, Path())
    read, frame = given.read(), tb.scan(texts.lazy(), text="body", id="key")
    counts, patterns = tb.scan(given.cells().lazy()), tb.scan(given.patterns().lazy())
    late, expected = frame.where("year >= 1955"), read.where("year >= 1955").keyness(read)
    for stored in (counts, patterns):
        assert stored.counting is None
        same(late.keyness(stored), expected)
    with pytest.raises(ValueError, match="chooses documents, but 'count' says something about a term"):
        counts.where("count > 1")
    with pytest.raises(ValueError, match="these are counts already; omit the options of words"):
        tb.scan(given.cells().lazy(), ngrams=2)


def test_frames_with_other_names_are_compared(texts):
    one, other = texts.filter(year=1950), texts.filter(year=1951).rename({"body": "text", "key": "document"})
    found = tb.scan(one.lazy(), text="body", id="key").keyness(tb.scan(other.lazy()))
    same(found, tb.read(one, text="body", id="key").keyness(tb.read(other, text="text", id="document")))


@pytest.mark.parametrize("kind", ["count_rows", "patterns"])
def test_advice_to_read_the_frame_is_only_for_texts(texts, kind):
    """`tb.read` takes frames of texts, but none of counts and patterns as they are scanned."""
    read = tb.read(texts, text="body", id="key")
    for corpus in (tb.scan(getattr(read, kind)()), tb.scan(getattr(read, kind)().lazy())):
        with pytest.raises(ValueError, match=r"tb.read takes no frame of (counts|patterns): give it the texts$"):
            corpus.coburst()
        with pytest.raises(ValueError, match=r"tb.read takes no frame of (counts|patterns): give it the texts$"):
            corpus.split(tokens=5)
    with pytest.raises(ValueError, match=r"tb.read\(frame\) reads it into memory, if it is small$"):
        tb.scan(texts.lazy(), text="body", id="key").coburst()


def test_names_of_columns_are_no_patterns(texts):
    odd = texts.rename({"key": "^k.*$", "body": "^b.*$", "party": "^p.*$"})
    scanned, read = tb.scan(odd.lazy(), text="^b.*$", id="^k.*$"), tb.read(texts, text="body", id="key")
    lines = local(scanned.kwic("so", columns="^p.*$")).rename({"^p.*$": "party"})
    same(lines, read.kwic("so", columns="party"))
    same(scanned.keyness(by="^p.*$"), read.keyness(by="party"))
    same(scanned.keyness(scanned.where("year < 1950")), read.keyness(read.where("year < 1950")))


def test_nothing_is_read_before_a_question(texts):
    reads = []
    frame = texts.lazy().map_batches(lambda rows: reads.append(rows.height) or rows, schema=texts.schema)
    corpus = tb.scan(frame, text="body", id="key").where("year > 1950").group("party")
    assert repr(corpus) == (
        "Corpus of texts in a polars.LazyFrame, scanned; grouped by party; words: as Unicode sees them, in lower case"
    )
    assert "LazyFrame" in corpus._repr_html_()
    assert reads == []
    corpus.keyness()
    assert reads


# ---- what a frame cannot answer

REFUSED = {
    "bin": (lambda c: c.bin("year"), r"^bin\(\) needs the documents"),
    "report": (lambda c: c.report("report.html"), "^this needs the documents in memory"),
    "explore": (lambda c: c.explore(browser=False), "^this needs the documents in memory"),
    "texts": (lambda c: c.texts, "^this needs the documents in memory"),
    "batches": (lambda c: next(c.batches()), "^this needs the documents in memory"),
    "in_memory": (lambda c: c.in_memory(), "^this needs the documents in memory"),
    "counted": (lambda c: c.counted(), "^this needs the documents in memory"),
    "as counts": (tb.burstiness_test, "^frame has no counts by document in memory; ask the corpus itself"),
    "a corpus": (lambda c: c.keyness(tb.read(["so"])), "^a frame is compared with another one that is scanned"),
    "clusters": (lambda c: c.keyness(by="year > 1950", cluster="who"), "make it a column of the frame$"),
    "layers": (lambda c: c.kwic("so", show="lemma"), "^show= is not for a frame; omit it, or tb.read"),
    "no column": (lambda c: c.kwic("so", columns="yaer"), "no column 'yaer'.* did you mean 'year'"),
    "no group": (lambda c: c.group("praty"), "no column 'praty'.* did you mean 'party'"),
    "no condition": (lambda c: c.where("yaer > 3"), "no column 'yaer'"),
    "a query": (lambda c: c.where("MAX(year) = year"), "looks at several documents together"),
    "rows": (lambda c: c.where([True] * 60), "takes conditions of single documents"),
    "the name of a text": (lambda c: c.where("party = ha"), "text, it needs single quotes: party = 'ha'"),
    "other types": (lambda c: c.where("year > 'x'"), "cannot compare string with numeric type"),
    "all of them": (lambda c: c.keyness(by="year > 1900"), "^every document meets 'year > 1900', so there is nothing"),
    "unknown": (lambda c: c.keyness(by="month > 5"), "^1 rows have nothing in a column of by 'month > 5'; fill it"),
    "no value": (lambda c: c.keyness(by="party", groups=["ha", "x"]), "'x'"),
    "order of a design": (lambda c: c.keyness(by="half", groups=["late", "early"], cluster="who"), "in that order$"),
    "nothing": (lambda c: c.keyness(), "^there is nothing to compare with; give another corpus, or by= with a column"),
    "both": (lambda c: c.keyness("party", by="party"), "^give another corpus or a formula, or by=, and not both"),
}


def test_ids_are_those_that_read_takes():
    frame = pl.DataFrame({"id": ["x", "y"], "document": [1, 2], "text": ["so so", "it"]})
    assert tb.scan(frame).kwic("so")["id"].to_list() == tb.read(frame).kwic("so")["id"].to_list() == ["x", "x"]


def test_what_is_missing_is_said_of_the_frame():
    frame = pl.LazyFrame({"key": [None, "b"], "body": ["so", "it"]})
    with pytest.raises(ValueError, match=r"^the frame has no column 'txt'; it has 'key', 'body'"):
        tb.scan(frame, text="txt", id="key")
    with pytest.raises(ValueError, match=r"^the column 'key' has null in 1 row\(s\): every document needs an id"):
        _ = tb.scan(frame, text="body", id="key").statistics
    with pytest.raises(ValueError, match="no rows, or none that meets the condition of where"):
        tb.scan(frame, text="body", id="key").where("key > 'z'").burstiness()


def test_what_a_frame_cannot_answer_is_said(texts):
    for ask, sentence in REFUSED.values():
        corpus = tb.scan(in_engine("duckdb", texts), text="body", id="key")
        with pytest.raises(ValueError, match=sentence) as error:
            local(ask(corpus))
        assert len(str(error.value).splitlines()) == 1


def test_a_frame_that_cannot_be_scanned(texts):
    for options, sentence in [
        ({}, r"the frame has the columns 'key', 'body', .*; it needs texts \('document', 'text'\), or counts"),
        ({"text": "body"}, "^documents of a frame need ids: name the column that has them with id=$"),
        ({"text": "boody"}, "no column 'boody'.* did you mean 'body'"),
        ({"text": "body", "id": "kye"}, "no column 'kye'.* did you mean 'key'"),
        ({"text": "body", "id": "score"}, "the column 'score' must contain strings or integers"),
        ({"text": "year", "id": "key"}, "the column 'year' must contain strings"),
        ({"text": "body", "id": "key", "lines": True}, "lines= is not for a frame"),
        (
            {"text": "body", "id": "key", "tokenizer": str.split},
            "tokenizer= is not for a frame that is scanned; tb.read",
        ),
        ({"text": "body", "id": "key", "pretokenized": True}, "pretokenized= is not for a frame that is scanned"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            tb.scan(texts.lazy(), **options)


def test_the_words_of_both_frames_must_be_the_same(texts):
    one, other = (tb.scan(texts.lazy(), text="body", id="key", ngrams=size) for size in (1, 2))
    with pytest.raises(
        ValueError, match=r"the first frame was counted with ngrams=\(1, 1\), the second with ngrams=\(2, 2\)"
    ):
        one.keyness(other)


@pytest.fixture
def small_parts(monkeypatch):
    """Terms come in many parts, as those of a large collection do."""
    for name in ("stream.ROWS_OF_TERMS", "parts.ROWS_OF_PART"):
        monkeypatch.setattr(f"termburst.backends.{name}", 30)


@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb"])
@pytest.mark.parametrize("sort", ["plr", "term"])
@pytest.mark.parametrize("options", [{}, {"form": "exact", "sigma2": 9.0}, {"fit": "none", "min_count": 20}])
@pytest.mark.usefixtures("small_parts")
def test_closed_forms_are_expressions_of_the_engine(texts, engine, sort, options):
    asked = {"effects": False, "sort": sort, **options}
    found = local(tb.scan(in_engine(engine, texts), text="body", id="key").term_table(**asked))
    expected = tb.read(texts, text="body", id="key").term_table(**asked)
    assert differences(plain(found), plain(expected)) == []


@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb"])
@pytest.mark.usefixtures("small_parts")
def test_rows_in_any_order_are_the_same_rows(texts, engine):
    corpus = tb.scan(in_engine(engine, texts), text="body", id="key")
    for ask in (
        lambda **options: corpus.burstiness(draws=99, **options),
        lambda **options: corpus.keyness(by="party", **options),
        corpus.term_table,
        corpus.dispersion,
        corpus.fit_beta_binomial,
    ):
        ordered, any_order = local(ask()), local(ask(sort=None))
        assert ordered["term"].to_list() != any_order["term"].to_list()
        assert ordered.sort(pl.all()).equals(any_order.sort(pl.all()), null_equal=True)


def test_texts_are_counted_once_for_several_questions(texts):
    reads = []
    frame = texts.lazy().map_batches(lambda rows: reads.extend(rows.columns) or rows, schema=texts.schema)
    corpus = tb.scan(frame, text="body", id="key")
    corpus.burstiness(draws=99).collect()
    first = len(reads)
    corpus.term_table().collect()
    corpus.dispersion().collect()
    corpus.patterns("all").collect()
    assert corpus.statistics.documents == 60
    assert len(reads) == first


@pytest.mark.parametrize("detail", ["frequencies", "moments", "patterns"])
def test_statistics_of_other_details(texts, detail):
    frame = texts.rename({"key": "id", "body": "text"})
    expected = tb.TermStatistics.from_texts(frame["text"].to_list(), detail, batch="b")
    for source in (frame.lazy(), in_engine("duckdb", frame), tb.scan(frame), frame["text"].to_list()):
        assert tb.build_statistics(source, detail=detail, batch="b") == expected
    with pytest.raises(ValueError, match=r"^path= needs texts and memory="):
        tb.build_statistics(frame.lazy(), "all.parquet", memory="4GB")
    with pytest.raises(ValueError, match=r"^memory= goes with path="):
        tb.build_statistics(frame, memory="4GB")
    with pytest.raises(ValueError, match="omit counting="):
        tb.build_statistics(tb.scan(frame), counting=tb.CountingOptions(ngrams=2))
