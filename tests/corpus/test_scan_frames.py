"""`tb.scan` of a frame: its engine answers as `tb.read` of the same texts does."""

from dataclasses import replace

import duckdb
import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import termburst as tb
from termburst import engines

WORDS = ["the", "and", "of", "whale", "ship", "sea", "harpoon", "ox", "done", "naïve", "so", "it", "goes", "on"]
QUIET = ("ignore:split", "ignore:with so few", "ignore:.* clusters", "ignore:.* of .* terms repeat too often")
pytestmark = [pytest.mark.filterwarnings(warning) for warning in QUIET]
ENGINES = ("polars", "duckdb")
CLASSES = {"polars": pl.LazyFrame, "duckdb": duckdb.DuckDBPyRelation}
EAGER = {"polars": lambda frame: frame, "pandas": pl.DataFrame.to_pandas, "pyarrow": pl.DataFrame.to_arrow}


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


def in_engine(name, frame):
    """A frame of an engine that does not hold it in Python."""
    if name == "polars":
        return frame.lazy()
    connection = duckdb.connect()
    connection.register("given", frame.to_arrow())
    connection.sql("create table kept as select * from given")
    return connection.table("kept")


def here(answer):
    """The rows of an answer, in this process; other answers as they are."""
    if isinstance(answer, pl.LazyFrame):
        return answer.collect()
    if isinstance(answer, duckdb.DuckDBPyRelation):
        return pl.from_arrow(answer.to_arrow_table())
    return answer


def same(one, other):
    """The same rows in any order: integers equal, reals within 1e-9, p within 1e-8 of itself."""
    one, other = (table.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String)) for table in (one, other))
    assert one.height > 0
    keys = [name for name in ("id", "document", "term", "contrast", "group", "position") if name in one.columns]
    one, other = one.sort(keys), other.sort(keys)
    reals = {name for name, dtype in one.schema.items() if dtype.is_float()}
    tails = {name for name in reals if name in ("p_value", "q_value", "least_p", "p_upper")}
    assert_frame_equal(one.drop(reals), other.drop(reals))
    assert_frame_equal(
        one.select(sorted(reals - tails)), other.select(sorted(reals - tails)), rel_tol=1e-9, abs_tol=1e-9
    )
    assert_frame_equal(one.select(sorted(tails)), other.select(sorted(tails)), rel_tol=1e-8, abs_tol=0)


QUESTIONS = {
    "burstiness": lambda c: c.burstiness(columns="all", draws=199),
    "term_table": lambda c: c.term_table(),
    "term_table, exact": lambda c: c.term_table(fit="exact", intervals=False, form="corrected"),
    "term_table, no fit": lambda c: c.term_table(fit="none"),
    "dispersion": lambda c: c.dispersion(),
    "one measure": lambda c: c.dispersion("dp"),
    "two corpora": lambda c: c.where("year < 1955").keyness(c.where("year >= 1955")),
    "burstiness of two": lambda c: c.keyness(by="year >= 1955", compare="burstiness"),
    "a condition": lambda c: c.keyness(by="year >= 1955 AND party = 'ha'"),
    "a grouped corpus": lambda c: c.group("party").keyness(min_count=2),
    "groups": lambda c: c.keyness(by="party", groups=["hc", "hb", "ha"]),
    "groups without contrasts": lambda c: c.keyness(by="party", contrasts=False),
    "two groups": lambda c: c.keyness(by="party", groups=["hc", "ha"]),
    "two groups without contrasts": lambda c: c.keyness(by="party", groups=["hc", "ha"], contrasts=False),
    "two groups with contrasts": lambda c: c.keyness(by="party", groups=["hc", "ha"], contrasts=True),
    "groups of a design": lambda c: c.keyness(by="half", groups=["early", "late"], cluster="who"),
    "a design": lambda c: c.keyness("party + year"),
    "clusters": lambda c: c.where("party != 'hc'").keyness(formula="half", cluster="who", min_count=3),
    "lines": lambda c: c.kwic("so*", columns=["year", "party"], width=20),
    "lines of one case": lambda c: c.kwic("So", case=True),
    "collocates": lambda c: c.collocates("so", window=3, adjust="by"),
}
OPTIONS = {
    "as it is": {},
    "stop words": {"stop_words": "english"},
    "n-grams": {"ngrams": (1, 2), "lowercase": False},
    "a language": {"language": "en", "stop_words": True, "words": "unicode"},
}


ASKED = [(question, "as it is") for question in QUESTIONS]
ASKED += [(question, options) for question in ("burstiness", "two corpora", "collocates") for options in OPTIONS]


@pytest.mark.parametrize(("question", "options"), dict.fromkeys(ASKED))
@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_answers_as_memory(texts, engine, question, options):
    ask, given = QUESTIONS[question], {"text": "body", "id": "key", **OPTIONS[options]}
    answer = ask(tb.scan(in_engine(engine, texts), **given))
    assert type(answer) is CLASSES[engine]
    if question == "lines of one case":
        assert here(answer).height == 0
        assert here(answer).columns == ask(tb.read(texts, **given)).columns
    else:
        same(here(answer), ask(tb.read(texts, **given)))


@pytest.mark.parametrize("engine", ENGINES)
def test_documents_and_sums_are_those_of_memory(texts, engine):
    scanned, read = (tb.scan(in_engine(engine, texts), text="body", id="key"), tb.read(texts, text="body", id="key"))
    one, other = (corpus.check(cluster="who", halves=3) for corpus in (scanned, read))
    assert one.duplicates.rows()[0][:2] == ("d40", "d10")
    for name in ("duplicates", "passages", "shares", "false_alarms"):
        assert_frame_equal(getattr(one, name), getattr(other, name))
    assert scanned.statistics == read.statistics
    assert (len(scanned), scanned.tokens, scanned.terms.tolist()) == (60, read.tokens, read.terms.tolist())
    assert scanned.explain("so").plr == pytest.approx(read.explain("so").plr, rel=1e-12)


@pytest.mark.parametrize(
    "scheme", ["tf-idf", "s-lambda", "mean-s-lambda"] if "mean-s-lambda" in tb.SCHEMES else ["tf-idf", "s-lambda"]
)
@pytest.mark.parametrize("engine", ENGINES)
def test_weights_are_those_of_memory(texts, engine, scheme):
    found = here(tb.scan(in_engine(engine, texts), text="body", id="key").weights(scheme, norm="l2"))
    weights = tb.read(texts, text="body", id="key").weights(scheme, norm="l2")
    cells = weights.matrix.tocoo()
    expected = pl.DataFrame(
        {
            "document": weights.documents[cells.row].astype(str),
            "term": weights.terms[cells.col].astype(str),
            "weight": cells.data,
        }
    )
    same(found.filter(pl.col("weight") != 0), expected.filter(pl.col("weight") != 0))


CONDITIONS = [
    "year >= 1955 AND party != 'hc'",
    "month > 3",
    "month IS NULL OR party IN ('ha', 'hb')",
    "score > 2 OR party = 'hb'",
    "NOT (score > 2)",
    "who LIKE 'w1%' OR who BETWEEN 'w5' AND 'w7'",
    '"year" < 1950',
]


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("kind", [*ENGINES, *EAGER])
def test_a_condition_is_a_filter_of_the_engine(texts, kind, condition):
    frame = EAGER[kind](texts) if kind in EAGER and kind != "polars" else in_engine(kind, texts)
    scanned, read = tb.scan(frame, text="body", id="key"), tb.read(texts, text="body", id="key")
    assert scanned.where(condition).statistics == read.where(condition).statistics


@pytest.mark.parametrize("kind", EAGER)
def test_a_frame_in_memory_has_results_of_its_own_kind(texts, kind):
    frame = EAGER[kind](texts)
    for question in ("burstiness", "term_table, exact", "a condition", "two groups", "lines", "collocates"):
        ask = QUESTIONS[question]
        answer = ask(tb.scan(frame, text="body", id="key"))
        assert type(answer) is type(frame), question
        found = answer if kind == "polars" else pl.from_pandas(answer) if kind == "pandas" else pl.from_arrow(answer)
        same(found, ask(tb.read(texts, text="body", id="key")))


@pytest.mark.parametrize("engine", ENGINES)
def test_counts_and_patterns_are_scanned(texts, engine):
    read, frame = tb.read(texts, text="body", id="key"), in_engine(engine, texts)
    counts = engines.count_terms(frame, document="key", text="body")
    counts = in_engine(engine, here(counts).rename({"document": "id"}).join(texts, left_on="id", right_on="key"))
    patterns = engines.patterns(frame, "all of them", document="key", text="body")
    for corpus in (tb.scan(counts), tb.scan(patterns)):
        assert corpus.counting is None
        assert replace(corpus.statistics, batches=()) == replace(read.statistics, counting=None)
        same(here(corpus.burstiness(draws=99)), read.burstiness(draws=99))
        with pytest.raises(ValueError, match="this function needs texts"):
            corpus.kwic("so")
    of_counts = tb.scan(counts)
    same(here(of_counts.keyness(by="party")), read.keyness(by="party"))
    early, others = (
        corpus.where("year < 1955").keyness(by="party", groups=["hb", "ha"]) for corpus in (of_counts, read)
    )
    same(here(early), others)
    with pytest.raises(ValueError, match="chooses documents, but 'count' says something about a term"):
        of_counts.where("count > 1")
    with pytest.raises(ValueError, match="these are counts already; omit the options of words"):
        tb.scan(counts, ngrams=2)
    late = tb.scan(frame, text="body", id="key").where("year >= 1955")
    same(here(late.keyness(tb.scan(patterns))), read.where("year >= 1955").keyness(read))


def test_frames_with_other_names_are_compared(texts):
    one, other = texts.filter(year=1950), texts.filter(year=1951).rename({"body": "text", "key": "document"})
    found = tb.scan(one.lazy(), text="body", id="key").keyness(tb.scan(other.lazy()))
    same(here(found), tb.read(one, text="body", id="key").keyness(tb.read(other, text="text", id="document")))


def test_names_of_columns_are_no_patterns(texts):
    odd = texts.rename({"key": "^k.*$", "body": "^b.*$", "party": "^p.*$"})
    scanned, read = tb.scan(odd.lazy(), text="^b.*$", id="^k.*$"), tb.read(texts, text="body", id="key")
    lines = here(scanned.kwic("so", columns="^p.*$")).rename({"^p.*$": "party"})
    same(lines, read.kwic("so", columns="party"))
    same(here(scanned.keyness(by="^p.*$")), read.keyness(by="party"))
    same(here(scanned.keyness(scanned.where("year < 1950"))), read.keyness(read.where("year < 1950")))


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
    "split": (
        lambda c: c.split(tokens=10),
        r"^split\(\) needs the documents, but the frame stays where it is; tb.read",
    ),
    "bin": (lambda c: c.bin("year"), r"^bin\(\) needs the documents"),
    "drop_duplicates": (lambda c: c.drop_duplicates(), r"^drop_duplicates\(\) needs the documents"),
    "triggers": (
        lambda c: c.triggers("so"),
        r"^this needs the documents in memory, but the frame stays .* tb.read\(fr",
    ),
    "coburst": (lambda c: c.coburst(), "^this needs the documents in memory"),
    "ngrams": (lambda c: c.ngrams(), "^this needs the documents in memory"),
    "report": (lambda c: c.report("report.html"), "^this needs the documents in memory"),
    "explore": (lambda c: c.explore(browser=False), "^this needs the documents in memory"),
    "ids": (lambda c: c.ids, "^this needs the documents in memory"),
    "texts": (lambda c: c.texts, "^this needs the documents in memory"),
    "counts": (lambda c: c.counts, "^this needs the documents in memory"),
    "metadata": (lambda c: c.metadata, "^this needs the documents in memory"),
    "batches": (lambda c: next(c.batches()), "^this needs the documents in memory"),
    "in_memory": (lambda c: c.in_memory(), "^this needs the documents in memory"),
    "counted": (lambda c: c.counted(), "^this needs the documents in memory"),
    "as counts": (tb.burstiness_test, "^this needs the documents in memory"),
    "bootstrap": (
        lambda c: c.keyness(by="year > 1950", method="bootstrap"),
        "^the method 'bootstrap' resamples all terms",
    ),
    "a list": (lambda c: c.keyness(reference={"so": 3}), "^a frame has no reference=; tb.keyness"),
    "a corpus": (lambda c: c.keyness(tb.read(["so"])), "^a frame is compared with another one that is scanned"),
    "clusters": (lambda c: c.keyness(by="year > 1950", cluster="who"), "make it a column of the frame$"),
    "order": (lambda c: c.burstiness(sort="term"), "^sort= is not for a frame, whose answers have rows in no order"),
    "top": (lambda c: c.kwic("so", top=3), "^top= is not for a frame, whose answers have rows in no order"),
    "the node": (lambda c: c.collocates("so", include_node=True), "^include_node= is not for a frame; omit it, or"),
    "layers": (lambda c: c.kwic("so", show="lemma"), "^show= is not for a frame; omit it, or tb.read"),
    "parts": (lambda c: c.term_table(parts=True), "^parts= is not for a frame"),
    "labels": (lambda c: c.weights("class-bm25", y="party"), "^y= is not for a frame"),
    "arf": (lambda c: c.dispersion(["dp", "arf"]), "^arf needs the documents, but the frame stays where it is"),
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
    "nothing": (lambda c: c.keyness(), "^give the column to compare by"),
    "both": (lambda c: c.keyness("party", by="party"), "^give another corpus or a formula, or by=, and not both"),
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("engine", ENGINES)
def test_what_a_frame_cannot_answer_is_said(texts, engine, what):
    ask, sentence = REFUSED[what]
    corpus = tb.scan(in_engine(engine, texts), text="body", id="key")
    with pytest.raises(ValueError, match=sentence) as error:
        here(ask(corpus))
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
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
    ],
)
def test_a_frame_that_cannot_be_scanned(texts, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        tb.scan(texts.lazy(), **options)


def test_the_words_of_both_frames_must_be_the_same(texts):
    one, other = (tb.scan(texts.lazy(), text="body", id="key", ngrams=size) for size in (1, 2))
    with pytest.raises(
        ValueError, match=r"the first frame was counted with ngrams=\(1, 1\), the second with ngrams=\(2, 2\)"
    ):
        one.keyness(other)
