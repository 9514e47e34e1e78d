"""How many texts, and how many characters of them, each question reads.

On Polars a source of our own sees which columns and rows are asked for. On Spark a stage just before ours sees what is
sent to Python: queries that Java answers do not count.
"""

import polars as pl
import pytest
from polars.io.plugins import register_io_source

import termburst as tb
from termburst.backends import check_stages
from termburst.questions import text_cells

SHORT = ["ha ha so" if i % 3 else "so it goes on" for i in range(40)]  # too short to be compared with others
LONG = [f"{i} " + " ".join(f"w{(i * k) % 41}" for k in range(30)) for i in range(1, 41)]
NOTICE = "this message and any files sent with it are meant only for the person who is named above"
QUESTIONS = {
    "statistics": lambda c: c.statistics,
    "count_rows": lambda c: c.count_rows(),
    "patterns": lambda c: c.patterns("monday"),
    "fit_beta_binomial": lambda c: c.fit_beta_binomial(),
    "term_table": lambda c: c.term_table(),
    "burstiness": lambda c: c.burstiness(draws=99),
    "dispersion": lambda c: c.dispersion(),
    "keyness": lambda c: c.keyness(by="who"),
    "keyness of a formula": lambda c: c.keyness("who + year"),
    "weights": lambda c: c.weights("damped-tf-idf"),
    "weights by fits": lambda c: c.weights("pearson"),
    "kwic": lambda c: c.kwic("so"),
    "collocates": lambda c: c.collocates("so"),
    "check": lambda c: c.check(),
}
SCHEMA = "document bigint, text string, who string, year bigint"
ON_SPARK = ("burstiness", "weights by fits", "keyness", "collocates", "check")  # seconds each


def columns(texts):
    """Forty documents with metadata."""
    numbers = range(len(texts))
    return {"document": numbers, "text": texts, "who": ["ab"[i % 2] for i in numbers], "year": [i % 5 for i in numbers]}


def source(texts):
    """A lazy frame, and a list that gets every text that is read of it."""
    whole, read = pl.DataFrame(columns(texts)), []

    def batches(with_columns, predicate, n_rows, batch_size):
        found = whole if predicate is None else whole.filter(predicate)
        found = found if with_columns is None else found.select(with_columns)
        read.extend(found["text"] if "text" in found.columns else [])
        yield found

    return register_io_source(batches, schema=whole.schema), read


def with_copies():
    """Documents 7 and 30 are near-copies; five others end with the same notice."""
    texts = list(LONG)
    texts[30] = texts[7] + " and more"
    for i in range(10, 15):
        texts[i] += f" {NOTICE}"
    return texts


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.filterwarnings("ignore::termburst.inference.ClampedTermsWarning")
def test_polars(question):
    frame, read = source(SHORT)
    found = QUESTIONS[question](tb.scan(frame))
    if isinstance(found, pl.LazyFrame):
        assert found.collect().height
    assert sorted(read) == sorted(SHORT)


def test_the_check_reads_again_only_what_it_compares_and_shows():
    texts = with_copies()
    frame, read = source(texts)
    found = tb.scan(frame).check()
    assert found.duplicates.select("id", "duplicate_of").rows() == [("30", "7")]
    assert found.passages["documents"].to_list() == [5]
    example = texts[int(found.passages["example"][0])]
    assert sorted(read) == sorted([*texts, texts[7], texts[30], example])


def test_many_texts_to_compare_are_found_among_all(monkeypatch):
    monkeypatch.setattr(check_stages, "LISTED", 1)
    texts = with_copies()
    frame, read = source(texts)
    found = tb.scan(frame).check()
    assert found.duplicates.height == found.passages.height == 1
    assert sorted(read) == sorted([*texts, *texts, texts[int(found.passages["example"][0])]])


def test_null_texts_are_found_when_texts_are_read(monkeypatch):
    """They are counted to the end, although texts after the first of them are not looked at."""
    monkeypatch.setattr(text_cells, "TEXTS", 10)
    texts = [None if i in (12, 13, 35) else text for i, text in enumerate(SHORT)]
    frame, read = source(texts)
    with pytest.raises(ValueError, match=r"^the column 'text' has null in 3 row\(s\): fill them with ''"):
        tb.scan(frame).dispersion()
    assert read == texts


@pytest.fixture
def sent(spark, monkeypatch):
    """Two accumulators: the texts, and the characters of texts, that are sent to our code in Python."""
    module = pytest.importorskip("termburst.backends.spark")
    texts, characters = spark.sparkContext.accumulator(0), spark.sparkContext.accumulator(0)
    own = module.map_in_arrow

    def counted(batches):
        for batch in batches:
            texts.add(batch.num_rows)
            characters.add(sum(map(len, batch.column("text").to_pylist())))
            yield batch

    def after_counting(frame, stage, schema):
        return own(frame.mapInArrow(counted, frame.schema) if "text" in frame.columns else frame, stage, schema)

    monkeypatch.setattr(module, "map_in_arrow", after_counting)
    return lambda: (texts.value, characters.value)


@pytest.mark.parametrize("question", ON_SPARK, ids=lambda name: f"spark {name}")  # conftest.py knows by the id
def test_spark(question, spark, sent, local):
    found = QUESTIONS[question](tb.scan(spark.createDataFrame(pl.DataFrame(columns(SHORT)).rows(), SCHEMA)))
    assert found.documents if question == "check" else local(found).height
    assert sent() == (len(SHORT), sum(map(len, SHORT)))


@pytest.mark.parametrize("texts", [with_copies()], ids=["spark"])
def test_the_check_on_spark_reads_again_only_what_it_compares_and_shows(texts, spark, sent):
    found = tb.scan(spark.createDataFrame(pl.DataFrame(columns(texts)).rows(), SCHEMA)).check()
    assert found.duplicates.select("id", "duplicate_of").rows() == [("30", "7")]
    again = [texts[7], texts[30], texts[int(found.passages["example"][0])]]
    assert sent() == (len(texts) + len(again), sum(map(len, [*texts, *again])))
