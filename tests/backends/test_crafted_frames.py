"""Misleading frames: column names that look like regular expressions, and patterns that no collection has."""

import duckdb
import polars as pl
import pytest

import termburst as tb
from helpers.frames import LOCAL, in_engine, local

DOTS = not duckdb.__version__.startswith("1.")  # whether a column name may have one


@pytest.fixture(params=LOCAL)
def make(request):
    return lambda columns: in_engine(request.param, pl.DataFrame(columns))


def test_a_dot_in_a_column_name_of_duckdb_1_is_refused():
    frame = in_engine("duckdb", pl.DataFrame({"document": [1], "a.b": ["so it goes"]}))
    if DOTS:
        assert tb.scan(frame, text="a.b").tokens == 3
    else:
        with pytest.raises(ValueError, match=r"the column 'a\.b' cannot be read: DuckDB 1 takes"):
            _ = tb.scan(frame, text="a.b").tokens


def test_a_column_name_is_not_a_regular_expression(make):
    for pattern in ["^te.*$", "^.*$", "^text$"]:
        name = pattern if DOTS else pattern.replace(".*", "[x]*")  # a dot is refused by DuckDB 1
        frame = make({"document": [1, 2], "text": ["the wrong column", "again"], name: ["so it goes", "so so"]})
        assert tb.scan(frame, text=name).terms.tolist() == ["goes", "it", "so"]


def test_the_column_name_of_ids_is_not_a_regular_expression(make):
    frame = make({"document": [1, 1], "^d[o]cument$": [7, 8], "text": ["so it goes", "so so"]})
    found = local(tb.scan(frame, id="^d[o]cument$").weights("counts"))
    assert set(found["document"].to_list()) == {7, 8}


def test_a_star_is_a_column_name_or_refused(make):
    frame = make({"document": [1, 2], "text": ["the wrong column", "again"], "*": ["so it goes", "so so"]})
    if isinstance(frame, duckdb.DuckDBPyRelation):
        with pytest.raises(ValueError, match="the name means all columns; rename it"):
            _ = tb.scan(frame, text="*").statistics
    else:
        assert tb.scan(frame, text="*").terms.tolist() == ["goes", "it", "so"]


SOUND = {
    "term": ["ha", "ha", "no", None, None],
    "count": [2, 1, 3, 0, 0],
    "length": [4, 9, 9, 4, 9],
    "documents": [1, 2, 1, 3, 2],
}
CRAFTED = {
    "negative length": {"length": [-4, 9, 9, 4, 9]},
    "negative length of a document": {"length": [4, 9, 9, -4, 9]},
    "length beyond 32 bits": {"length": [2**40, 9, 9, 4, 9]},
    "length that would wrap round": {"length": [2**32 + 4, 9, 9, 4, 9]},
    "unknown length": {"length": [5, 9, 9, 4, 9]},
    "negative count": {"count": [-2, 1, 3, 0, 0]},
    "no count": {"count": [0, 1, 3, 0, 0]},
    "count beyond 32 bits": {"count": [2**40, 1, 3, 0, 0]},
    "count that would wrap round": {"count": [2**32 + 2, 1, 3, 0, 0]},
    "count beyond its length": {"count": [5, 1, 3, 0, 0]},
    "negative documents": {"documents": [-1, 2, 1, 3, 2]},
    "negative documents of a length": {"documents": [1, 2, 1, -3, 2]},
    "impossibly many documents": {"documents": [2**60, 2, 1, 3, 2]},
    "impossibly many documents of a length": {"documents": [1, 2, 1, 2**60, 2]},
    "everything at its limit": {"count": [2**63 - 1] * 5, "length": [2**63 - 1] * 5, "documents": [2**63 - 1] * 5},
}


def test_patterns_that_no_collection_has_are_refused():
    for changes in CRAFTED.values():
        with pytest.raises(ValueError, match=r"\w+"):
            _ = tb.scan(pl.DataFrame({**SOUND, **changes})).statistics


def test_the_example_itself_is_sound():
    corpus = tb.scan(pl.DataFrame(SOUND))
    assert corpus.statistics.collection_frequency.tolist() == [4, 3]
    assert set(corpus.term_table(fit="exact")["status"]) <= {"converged", "boundary"}
