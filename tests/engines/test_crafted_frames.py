"""Misleading frames: column names that look like regular expressions, and unchecked patterns that no collection has."""

import re

import duckdb
import narwhals.stable.v2 as nw
import polars as pl
import pytest

from termburst import engines
from termburst.engines.frames import to_polars

MAKE = {
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pandas": lambda columns: pl.DataFrame(columns).to_pandas(),
    "arrow": lambda columns: pl.DataFrame(columns).to_arrow(),
    "duckdb": lambda columns: duckdb.from_arrow(pl.DataFrame(columns).to_arrow()),
}


DOTS = not duckdb.__version__.startswith("1.")  # whether a column name may have one


@pytest.fixture(params=MAKE)
def make(request):
    return MAKE[request.param]


def test_a_dot_in_a_column_name_of_duckdb_1_is_refused():
    frame = MAKE["duckdb"]({"document": [1], "a.b": ["so it goes"]})
    if DOTS:
        assert engines.term_statistics(frame, text="a.b").tokens == 3
    else:
        with pytest.raises(ValueError, match=r"the column 'a\.b' cannot be read: DuckDB 1 takes"):
            engines.term_statistics(frame, text="a.b")


@pytest.mark.parametrize("name", ["^te.*$", "^.*$", "^text$"])
def test_a_column_name_is_not_a_regular_expression(make, name):
    if make is MAKE["duckdb"] and not DOTS:
        name = "^te[x]t$"
    frame = make({"document": [1, 2], "text": ["the wrong column", "again"], name: ["so it goes", "so so"]})
    assert engines.term_statistics(frame, text=name).terms.tolist() == ["goes", "it", "so"]


def test_the_column_name_of_ids_is_not_a_regular_expression(make):
    frame = make({"document": [1, 1], "^d[o]cument$": [7, 8], "text": ["so it goes", "so so"]})
    found = to_polars(nw.from_native(engines.count_terms(frame, document="^d[o]cument$")))
    assert set(found["document"].to_list()) == {7, 8}


def test_a_star_is_a_column_name_or_refused(make):
    frame = make({"document": [1, 2], "text": ["the wrong column", "again"], "*": ["so it goes", "so so"]})
    if isinstance(frame, duckdb.DuckDBPyRelation):
        with pytest.raises(ValueError, match="the name means all columns; rename it"):
            engines.term_statistics(frame, text="*")
    else:
        assert engines.term_statistics(frame, text="*").terms.tolist() == ["goes", "it", "so"]


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


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CRAFTED)
@pytest.mark.parametrize("call", ["term_table", "fit_beta_binomial", "moments", "patterns"])
def test_unchecked_patterns_may_give_wrong_numbers_but_nothing_worse(make, case, call):
    frame = make({**SOUND, **CRAFTED[case]})
    said = ""
    try:
        if call in ("moments", "patterns"):
            engines.term_statistics(frame, detail=call, check=False)
        else:
            to_polars(nw.from_native(getattr(engines, call)(frame, check=False)))
    except ValueError as error:
        said = str(error)
    except duckdb.Error as error:  # DuckDB has its own messages for overflow and for logarithms
        said = re.search("(?i)out of range|overflow|logarithm", str(error)).group()
    assert len(said.splitlines()) <= 1


@pytest.mark.parametrize("case", CRAFTED)
def test_the_same_patterns_are_refused_if_checked(case):
    with pytest.raises(ValueError, match=r"\w+"):
        engines.term_statistics(pl.DataFrame({**SOUND, **CRAFTED[case]}))


def test_the_example_itself_is_sound():
    assert engines.term_statistics(pl.DataFrame(SOUND), detail="patterns").collection_frequency.tolist() == [4, 3]
    assert engines.fit_beta_binomial(pl.DataFrame(SOUND), check=False)["loglik"].is_finite().all()
