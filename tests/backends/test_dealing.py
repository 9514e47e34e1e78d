"""Terms that are dealt out on disk: no row is lost, no term is in two parts, and parts do not depend on the memory."""

from collections import Counter

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest
from battery.documents import Given

import termburst as tb
from helpers.frames import in_engine, local
from helpers.same_tables import assert_same
from termburst.backends import parts as module
from termburst.backends.parts import Dealer, dealt, dealt_out

WHOLE = ("count", "length", "documents")
SCHEMA = {"term": pl.String, **dict.fromkeys(WHOLE, pl.Int64)}


def made(rows=3_000, terms=700, seed=0):
    """Rows of patterns: most terms are rare, one has a third of the rows; some rows have no term."""
    rng = np.random.default_rng(seed)
    term = [f"w{k}" if k else "often" for k in (terms * rng.random(rows) ** 2).astype(int) * (rng.random(rows) > 0.3)]
    numbers = {"count": rng.integers(1, 9, rows), "length": rng.integers(9, 60, rows), "documents": 1}
    empty = pl.DataFrame({"term": pl.Series([None] * 3, dtype=pl.String), "count": 0, "length": [5, 6, 5]})
    frames = pl.DataFrame({"term": term, **numbers}).cast(SCHEMA), empty.with_columns(documents=1).cast(SCHEMA)
    return list(pl.concat(frames).sample(fraction=1, shuffle=True, seed=seed).iter_slices(101))


def counted(frames):
    found = Counter()
    for *key, documents in (row for frame in frames for row in frame.select(*SCHEMA).rows()):
        found[tuple(key)] += documents
    return found


@pytest.fixture
def like(request):
    """A frame of the engine that streams through this process."""
    if request.param == "polars":
        return nw.from_native(pl.LazyFrame({"a": [1]}))
    duckdb = pytest.importorskip("duckdb")
    return nw.from_native(duckdb.connect().sql("select 1 as a"))


@pytest.mark.parametrize("like", ["polars", "duckdb"], indirect=True)
@pytest.mark.parametrize("room", [6_000, 10**9])
def test_parts_have_all_rows_once_and_no_term_in_common(monkeypatch, like, room):
    monkeypatch.setattr(module, "ROWS_OF_PART", 90)
    monkeypatch.setattr(module, "HELD", room)
    found = dealt(made(), SCHEMA, ("documents",), like)
    parts = [local(nw.to_native(part)) for part in found.parts]
    expected = counted(made())
    assert counted(parts) + counted([local(nw.to_native(found.lengths))]) == expected
    assert counted([local(nw.to_native(found.whole))]) == counted(parts)
    assert found.merged
    assert not any(part.select("term", "count", "length").is_duplicated().any() for part in parts)
    terms = [term for part in parts for term in part["term"].unique()]
    assert len(terms) == len(set(terms)) > 300
    for part in parts:  # one term may have more rows than a part is to have
        assert part.height <= 90 or part["term"].n_unique() == 1
    assert max(part.height for part in parts) > 90


def test_parts_do_not_depend_on_the_memory(monkeypatch):
    monkeypatch.setattr(module, "ROWS_OF_PART", 90)
    found = []
    for room, seed in ((6_000, 1), (20_000, 2), (10**9, 3)):
        monkeypatch.setattr(module, "HELD", room)
        rows = pl.concat(made()).sample(fraction=1, shuffle=True, seed=seed)
        parts = dealt(rows.iter_slices(50 * seed), SCHEMA, ("documents",), nw.from_native(pl.LazyFrame())).parts
        found.append([local(nw.to_native(part)).select(*SCHEMA).sort(*SCHEMA) for part in parts])
    assert len(found[0]) > 10
    for one in found[1:]:
        assert len(one) == len(found[0])
        assert all(a.equals(b) for a, b in zip(one, found[0], strict=True))


def test_what_is_thrown_is_divided_more_than_once_and_piles_are_deleted(monkeypatch):
    depths, throw = [], Dealer._throw
    monkeypatch.setattr(Dealer, "_throw", lambda self, *args: depths.append(args[1]) or throw(self, *args))
    dealer = Dealer(SCHEMA, ("documents",), 2_500)
    found = dealer.leaves(dealer.with_terms(made()))
    assert set(depths) >= {0, module.BITS}
    assert {file for leaf in found for file in leaf.files} == set(dealer.folder.iterdir())


@pytest.mark.parametrize("like", ["polars", "duckdb"], indirect=True)
def test_without_rows_there_are_columns(like):
    found = dealt([], SCHEMA, ("documents",), like)
    for frame in (*found.parts, found.lengths, found.whole):
        table = local(nw.to_native(frame))
        assert (table.height, table.columns) == (0, list(SCHEMA))


def test_frames_that_have_terms_in_common():
    rows = pl.DataFrame({"term": ["so", "it", None], "count": [1, 2, 0], "length": [9, 9, 9], "documents": [3, 4, 7]})
    frames = [nw.from_native(rows.lazy()), nw.from_native(rows.head(1).lazy())]
    (part,) = dealt_out(frames).parts
    assert sorted(local(nw.to_native(part)).rows()) == [("it", 2, 9, 4), ("so", 1, 9, 6)]


@pytest.fixture(scope="module")
def texts():
    """Some words are repeated dozens of times: then the order in which floats are added shows in the last bit."""
    rng = np.random.default_rng(5)
    rare = [(400 * rng.random(rng.integers(0, 40)) ** 3).astype(int) for _ in range(120)]
    repeated = [np.repeat(np.arange(40), rng.integers(0, 60, 40)) for _ in range(120)]
    lines = [" ".join(f"w{k}" for k in np.concatenate(both)) for both in zip(rare, repeated, strict=True)]
    return pl.DataFrame({"document": range(120), "text": lines, "side": ["ab"[k % 2] for k in range(120)]})


QUESTIONS = {
    "table": lambda c: c.term_table(),
    "fits": lambda c: c.fit_beta_binomial(),
    "tests": lambda c: c.burstiness(draws=99),
    "keyness": lambda c: c.keyness(by="side"),
    "bursts": lambda c: c.keyness(by="side", compare="burstiness"),
}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["polars-lazy", "duckdb"])
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("grain", ["texts", "counts"])
def test_answers_are_the_same_to_the_last_bit(monkeypatch, texts, question, grain, engine):
    """Whatever was held at a time: terms learn from each other in sums over parts, and the order of floats matters."""
    monkeypatch.setattr(module, "ROWS_OF_PART", 150)
    given = texts
    if grain == "counts":
        given = Given(texts.rename({"document": "id"}), {}, None).cells()
    found = []
    for room in (20_000, 10**9):
        monkeypatch.setattr(module, "HELD", room)
        found.append(local(QUESTIONS[question](tb.scan(in_engine(engine, given)))).sort("term"))
    assert found[0].height > 200
    if (engine, grain) == ("duckdb", "counts") and question in ("table", "fits"):  # it adds up in an order of its own
        assert_same(*found)
    else:
        assert found[0].equals(found[1])
