"""Tests, effects and comparisons on every engine, compared with the same corpus in memory."""

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest

import termburst as tb
from helpers.same_tables import assert_same
from termburst import engines
from termburst.engines import batches, dealing
from termburst.engines.batches import read_spooled, spooled
from termburst.engines.running import finished
from termburst.inference import robust_scale
from termburst.inference.burst_effects import burst_effects
from termburst.inference.multiplicity import adjust
from termburst.models.cells import term_cells
from termburst.questions.burst_columns import burst_columns
from termburst.questions.plans import Finish, shown
from termburst.report.summarize import summarize


def slow(*options):
    """Options that are tried with the slow tests only."""
    return [pytest.param(one, marks=pytest.mark.slow) for one in options]


def groups_of(documents):
    """The group of each document: most documents of x are long."""
    return ["x" if j % 3 == 0 or j % 7 == 0 else "yz"[j % 2] for j in range(documents)]


@pytest.fixture(scope="module")
def texts():
    """Words that burst in short documents only, one that is more than half of all tokens, and two empty documents.

    There are enough of them that terms in few documents learn from others by how much the beta-binomial is off.
    """
    rng = np.random.default_rng(2)
    words = np.array([f"w{i:03}" for i in range(260)] + ["straße", "東京"])
    weight, found, groups = rng.pareto(1.0, words.size) + 0.05, [], groups_of(150)
    more = np.where(np.arange(words.size) % 9 == 4, 12.0, 1.0)  # these words are more frequent in the group x
    for j in range(150):
        share, (least, most) = (weight / 10, (2, 60)) if j % 3 else (2 * weight, (60, 150))
        share = share * more if groups[j] == "x" else share
        found.append(" ".join(rng.choice(words, size=rng.integers(least, most), p=rng.dirichlet(share))))
    return [f"{text}{' the' * (len(text) // 4)}" for text in found] + ["ha " * 100 + "so", "", "? !"]


@pytest.fixture(scope="module")
def s(texts):
    return tb.TermStatistics.from_texts(texts, detail="patterns")


@pytest.fixture(scope="module")
def of_texts(engine, texts):
    return engine({"document": range(len(texts)), "text": texts})


@pytest.fixture(autouse=True)
def small_groups(monkeypatch):
    """Terms come in several groups, and p-values in several ranges and files, as those of a large collection do."""
    monkeypatch.setattr(batches, "ROWS_OF_TERMS", 1_500)
    monkeypatch.setattr(dealing, "ROWS_OF_PART", 700)
    monkeypatch.setattr(batches, "ROWS_PER_FILE", 1_000)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"statistic": "lr", "columns": "main"},
        *slow(
            {"statistic": "lr", "adjust": "storey", "min_count": 3, "dispersion": False, "intervals": False, "seed": 5},
            {
                "statistic": "score",
                "adjust": "holm",
                "mid_p": True,
                "form": "corrected",
                "mu": 20.0,
                "dispersion": False,
            },
            {"statistic": "score", "adjust": "by", "intervals": False, "dispersion": False},
        ),
    ],
)
def test_the_burstiness_test(options, engine, of_texts, s, local):
    if engine.name == "spark" and options:
        pytest.skip("seconds each: one covers what differs on Spark")
    options = {"draws": 199, "columns": "all", **options}
    assert_same(local(engines.burstiness_test(of_texts, **options)), tb.burstiness_test(s, **options))


def test_burst_effects(engine, of_texts, s, local):
    cells = term_cells(s)
    columns = {"n": cells.n_i, "b": cells.b_i, **burst_columns(burst_effects(cells, confidence=0.9))}
    expected = pl.DataFrame({"term": s.terms.tolist(), **columns})
    assert_same(local(engines.burst_effects(of_texts, confidence=0.9)), expected)


def test_a_word_that_one_document_repeats_leads_neither_here_nor_in_memory():
    texts = [f"so it goes {'odd ' * (30 if k == 0 else k < 12)}{'ha ' * 3 * (k < 9)}and on" for k in range(40)]
    frame = pl.LazyFrame({"document": range(len(texts)), "text": texts})
    corpus = tb.read(texts)
    memory = tb.burstiness_test(corpus.statistics, draws=99)
    assert memory.sort("ci_low", descending=True)["term"][0] == "odd"
    firsts = [
        memory,
        engines.burstiness_test(frame, draws=99).collect().sort("lower_bound", descending=True),
        engines.burst_effects(frame).collect().sort("lower_bound", descending=True),
        corpus.term_table(),
        corpus.burstiness(draws=99),
    ]
    assert [table["term"][0] for table in firsts] == ["ha"] * 5
    assert summarize(corpus, pairs=0)["terms"]["term"][0] == "ha"


def test_dispersion(engine, of_texts, s, local):
    columns = {"n": s.collection_frequency, "b": s.document_frequency, **tb.dispersion(s)}
    assert_same(local(engines.dispersion(of_texts)), pl.DataFrame({"term": s.terms.tolist(), **columns}))
    assert local(engines.dispersion(of_texts, ["dp"])).columns == ["term", "n", "b", "dp"]


@pytest.mark.slow
def test_terms_learn_from_terms_of_other_groups(monkeypatch, texts, s):
    """A term in 50 documents or more has the mean κ of all such terms, which are in several groups."""
    monkeypatch.setattr(robust_scale, "TERMS", 5)
    frame = pl.LazyFrame({"document": range(len(texts)), "text": texts})
    expected = tb.burstiness_test(s, draws=99)
    assert_same(engines.burstiness_test(frame, draws=99).collect(), expected)
    monkeypatch.setattr(robust_scale, "TERMS", 10**9)
    alone = tb.burstiness_test(s, draws=99)
    assert (alone.sort("term")["ci_low"] != expected.sort("term")["ci_low"]).any()


@pytest.fixture(scope="module")
def groups(texts):
    return groups_of(len(texts))


@pytest.fixture(scope="module")
def counts(texts):
    return tb.CountingOptions().count(texts)


def statistics(counts, keep):
    """Patterns of some documents, with the terms that they have."""
    X, terms = counts[0][keep], counts[1]
    held = X.sum(axis=0) > 0
    return tb.TermStatistics.from_counts(X[:, held], terms[held], detail="patterns")


def part(engine, frame, column, keep):
    """The rows of a frame whose column has one of these values."""
    if engine.name == "spark":
        return frame.filter(frame[column].isin(keep))
    if engine.name == "duckdb":
        values = ", ".join(map(repr, keep))
        return frame.filter(f'"{column}" in ({values})')
    if engine.name == "pandas":
        return frame[frame[column].isin(keep)]
    if engine.name == "pyarrow":
        return pl.from_arrow(frame).filter(pl.col(column).is_in(keep)).to_arrow()
    return frame.filter(pl.col(column).is_in(keep))


@pytest.fixture(scope="module")
def of_groups(engine, texts, groups):
    years = [{"x": 9, "y": 10, "z": 11}[group] for group in groups]
    return engine({"document": range(len(texts)), "text": texts, "group": groups, "year": years})


KEYNESS = [
    {},
    {"compare": "burstiness"},
    *slow(
        {"adjust": "storey", "min_count": 5, "confidence": 0.8},
        {"method": "g2", "adjust": "holm"},
        {"method": "permutation", "confidence": None, "adjust": "none"},
    ),
]


@pytest.mark.parametrize("options", KEYNESS)
def test_keyness_of_two_frames(options, engine, of_groups, counts, groups, local):
    if engine.name == "spark" and options not in ({}, {"compare": "burstiness"}):
        pytest.skip("seconds each: two cover what differs on Spark")
    label = np.array(groups)
    expected = tb.keyness(*(statistics(counts, keep) for keep in (label == "x", label != "x")), **options)
    a, b = (part(engine, of_groups, "group", keep) for keep in (["x"], ["y", "z"]))
    assert_same(local(engines.keyness(a, b, **options)), expected)
    if options.get("confidence", 0.95) and "compare" not in options:
        assert (expected["lower_bound"] > 0).sum() > 3


@pytest.mark.parametrize("options", [{}, *slow({"contrasts": False}, {"compare": "burstiness"})])
def test_keyness_by_a_column(options, engine, of_groups, counts, groups, local):
    if engine.name == "spark" and options.get("compare"):
        pytest.skip("seconds each: two cover what differs on Spark")
    X, terms = counts
    expected = tb.keyness_groups(X, groups, terms=terms, **options)
    found = local(engines.keyness(of_groups, by="group", **options))
    # In memory the cells of documents are not merged. Iterative fits then differ in memory, too, by their tolerance.
    assert_same(found, expected, "term", *([] if options.get("contrasts") is False else ["group"]), rtol=1e-7)
    if options.get("contrasts") is not False:
        label = np.array(groups)
        one = tb.keyness(
            *(statistics(counts, keep) for keep in (label == "y", label != "y")),
            compare=options.get("compare", "frequency"),
        )
        over_all_groups = ("q_value", "lower_bound")
        assert_same(found.filter(group="y").drop("group", *over_all_groups), one.drop(over_all_groups))


def test_two_groups_of_counts(engine, texts, counts, groups, local):
    """Integers as groups are in the order of their numbers: 9 is A, 10 is B."""
    if engine.name == "spark":
        pytest.skip("seconds each")
    X, terms = counts
    label = np.array(groups)
    cells = X[label != "z"].tocoo()
    years = np.where(label == "x", 9, 10)[label != "z"]
    empty = np.flatnonzero(X[label != "z"].sum(axis=1) == 0)
    rows = {
        "document": [*cells.row, *empty],
        "term": [*terms[cells.col], *[""] * empty.size],
        "count": [*cells.data, *[0] * empty.size],
        "year": [*years[cells.row], *years[empty]],
    }
    expected = tb.keyness(*(statistics(counts, label == group) for group in "xy"))
    assert_same(local(engines.keyness(engine(rows), by="year")), expected)


def test_rows_in_several_files_end_as_rows_in_memory(engine, local, monkeypatch):
    """Ties, tests without a p-value, and rows that only the end of the plan can choose."""
    if engine.name not in ("polars-lazy", "duckdb"):
        pytest.skip("frames in memory are one table; Spark's rows are tested in test_spark.py")
    monkeypatch.setattr(batches, "BYTES_PER_FILE", 10_000)
    rng = np.random.default_rng(3)
    p = np.concatenate([rng.random(900), rng.beta(0.1, 5, 900), np.full(300, 1.0), rng.integers(1, 60, 900) / 60])
    p[[5, 900]] = np.nan
    table = pl.DataFrame({"number": np.arange(p.size), "p_value": p, "q_value": np.full(p.size, np.nan)})
    table = table.with_columns(pl.selectors.float().fill_nan(None))
    chosen = []

    def finish(rows):
        (p_value,) = rows.take("p_value")
        chosen.append(np.sort(rows.take("number", at_most=0.01)[0]).astype(int).tolist())
        return Finish(adjust(p_value), shown, ("number", "q_value"))

    frame = nw.from_native(engine(table))
    results = read_spooled(spooled(table.iter_slices(100), table.schema), frame)
    found = local(nw.to_native(finished(results, dict(table.schema), finish, frame))).sort("number")
    assert found.columns == ["number", "q_value"]
    np.testing.assert_array_equal(found["q_value"].fill_null(np.nan).to_numpy(), adjust(p))
    assert chosen == [np.flatnonzero(p <= 0.01).tolist()]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (engines.keyness, "give the frame to compare with, or by="),
        (lambda f: engines.keyness(f, f, by="who"), "give the frame to compare with, or by="),
        (lambda f: engines.keyness(f, f, contrasts=True), "contrasts are between groups of one frame"),
        (lambda f: engines.keyness(f, f.lazy()), "both frames must be of one engine; got a polars.DataFrame and a"),
        (lambda f: engines.keyness(f, by="no"), r"the frame has no column 'no' \(by=\.\.\.\); it has 'document'"),
        (lambda f: engines.keyness(f, by="share"), "the column 'share' must contain strings or integers; got Float64"),
        (
            lambda f: engines.keyness(f, by="gap"),
            r"the column 'gap' has null in 1 row\(s\): give every document a group",
        ),
        (lambda f: engines.keyness(f, by="same"), "there is only one group, 'a': a comparison needs at least two"),
        (lambda f: engines.keyness(f, by="empty"), "the group 'none' has no tokens: there is nothing to compare with"),
        (lambda f: engines.keyness(f, f.filter(pl.col("text") == "?")), "the second corpus has no tokens"),
        (lambda f: engines.keyness(f, f.head(0)), "the second corpus has no tokens"),
        (lambda f: engines.keyness(f, f, method="bootstrap"), "the method 'bootstrap' resamples all terms together"),
        (lambda f: engines.keyness(f, f, method="g3"), "method must be one of"),
        (lambda f: engines.keyness(f, f, confidence=2), "confidence must"),
        (lambda f: engines.keyness(f, f, compare="length"), "compare must be one of"),
        (lambda f: engines.keyness(f, f, compare="burstiness", method="g2"), 'compare="burstiness" has one method'),
        (
            lambda f: engines.keyness(f, by="three", contrasts=False, confidence=0.9),
            "confidence=0.9 needs contrasts=True",
        ),
        (lambda f: engines.burstiness_test(f, statistic="z"), "statistic must be one of"),
        (lambda f: engines.burstiness_test(f, columns="z"), "columns must be one of"),
        (lambda f: engines.burstiness_test(f, test="lr"), "no option 'test'.*did you mean 'statistic'"),
        (lambda f: engines.burstiness_test(f, draws=9), "draws must be"),
        (lambda f: engines.burstiness_test(f.lazy(), sigma2=-1.0), "sigma2"),
        (lambda f: engines.burst_effects(f, confidence=1.5), "confidence must"),
        (lambda f: engines.dispersion(f, "dq"), "a measure must be one of"),
    ],
)
def test_bad_arguments_raise_one_sentence(call, message):
    columns = {"who": ["a", "b", "b", "b"], "share": [0.5] * 4, "gap": ["a", None, "b", "b"], "same": ["a"] * 4}
    columns |= {"empty": ["some", "some", "some", "none"], "three": ["a", "b", "c", "a"]}
    frame = pl.DataFrame({"document": range(4), "text": ["ha ha so", "so it goes", "so", "?"], **columns})
    with pytest.raises(ValueError, match=message) as caught:
        call(frame)
    assert "\n" not in str(caught.value)


def test_a_document_in_two_groups():
    rows = {"document": [1, 1, 2], "term": ["a", "b", "a"], "count": [1, 2, 3], "who": ["x", "y", "y"]}
    with pytest.raises(ValueError, match="the document 1 is in 2 groups; every document must be in one"):
        engines.keyness(pl.LazyFrame(rows), by="who")


@pytest.mark.slow
def test_patterns_are_compared_with_texts(texts, counts, groups):
    """A stored reference corpus, of which only the patterns are left."""
    label = np.array(groups)
    frame = pl.LazyFrame({"document": range(len(texts)), "text": texts, "who": groups})
    reference = engines.patterns(frame.filter(pl.col("who") != "x"), "stored").drop("batch")
    expected = tb.keyness(*(statistics(counts, keep) for keep in (label == "x", label != "x")))
    options = tb.CountingOptions()
    found = engines.keyness(frame.filter(pl.col("who") == "x"), reference, counting=options)
    assert_same(found.collect(), expected)


@pytest.mark.slow
@pytest.mark.parametrize("lazy", ["polars", "duckdb"])
def test_frequent_terms_and_terms_of_every_phase(lazy, monkeypatch):
    """The draws of a term depend on the most frequent term of all, which is in another group."""
    monkeypatch.setattr(batches, "ROWS_OF_TERMS", 1)
    rng = np.random.default_rng(7)
    mean = np.array([600.0, 300.0, 90.0, 20.0, 4.0, 3.0, 0.8, 0.5, 0.1, 0.05, 1500.0])
    X = rng.poisson(rng.gamma(2.0, mean / 2, (60, mean.size)))
    terms = [f"t{k}" for k in range(mean.size)]
    assert (X.sum(axis=0) > 20_000).sum() == 2
    document, term = np.nonzero(X)
    rows = pl.DataFrame({"document": document, "term": np.array(terms)[term], "count": X[document, term]})
    frame = rows.lazy() if lazy == "polars" else duckdb_table(rows)
    expected = tb.burstiness_test(tb.TermStatistics.from_counts(X, terms, detail="patterns"), draws=499, columns="all")
    found = engines.burstiness_test(frame, draws=499, columns="all")
    assert_same(found.collect() if lazy == "polars" else found.pl(), expected)


def duckdb_table(rows):
    import duckdb

    connection = duckdb.connect()
    connection.register("made", rows.to_arrow())
    return connection.table("made")


def test_patterns_without_terms():
    """All terms may have been left out of stored patterns: there is nothing to test, and nothing fails."""
    schema = {"term": pl.String, "count": pl.Int64, "length": pl.Int64, "documents": pl.Int64}
    frame = pl.LazyFrame([(None, 0, 5, 9)], schema=schema, orient="row")
    for found in (engines.burstiness_test(frame), engines.burst_effects(frame), engines.dispersion(frame)):
        assert found.collect().height == 0
    for options in ({}, {"compare": "burstiness"}):
        assert engines.keyness(frame, frame, **options).collect().height == 0
