"""The frame of co-bursts contains the results of the function, with the names of the terms."""

import numpy as np
import pytest

import termburst as tb
from termburst.inference.coburst import coburst

NAMES = ["plato", "socrates", "sun", "the"]
NUMBERS = ["shared", "expected", "first_documents", "second_documents", "p_value", "log10_p", "q_value"]


@pytest.fixture(scope="module")
def X():  # noqa: N802
    plato, socrates = np.zeros((2, 200), dtype=int)
    plato[:9], socrates[3:12] = 4, 5
    sun = np.roll(plato, 50)
    return np.column_stack([plato, socrates, sun, 90 - plato - socrates - sun])


@pytest.mark.parametrize("options", [{}, {"event": "occurrence"}, {"top": 1}, {"max_terms": 2}, {"min_count": 40},
                                     {"min_documents": 10}])  # fmt: skip
def test_the_frame_contains_the_results_of_the_function(X, options):
    table, found = tb.coburst(X, terms=NAMES, **options), coburst(X, terms=NAMES, **options)
    assert table.columns == ["first", "second", *NUMBERS]
    assert table["first"].to_list() == [NAMES[k] for k in found.first]
    assert table["second"].to_list() == [NAMES[k] for k in found.second]
    for name in NUMBERS:
        np.testing.assert_array_equal(table[name], getattr(found, name), err_msg=name)


def test_the_pair_with_the_smallest_p_comes_first(X):
    table = tb.coburst(X, terms=NAMES)
    assert set(table.select("first", "second").row(0)) == {"plato", "socrates"}
    assert table.row(0, named=True)["shared"] == 6
    assert table["p_value"].is_sorted()


def test_given_pairs_keep_their_order_by_name_or_column(X):
    pairs = [("plato", "sun"), ("socrates", "plato")]
    table = tb.coburst(X, pairs, terms=NAMES)
    assert table.select("first", "second").rows() == pairs
    assert table["shared"].to_list() == [0, 6]
    assert table["expected"].to_list() == pytest.approx([81 / 200] * 2)
    by_column = tb.coburst(X, [(0, 2), (1, 0)])
    assert by_column.select("first", "second").rows() == [(0, 2), (1, 0)]
    assert by_column.select(NUMBERS).equals(table.select(NUMBERS))


def test_no_pairs_give_an_empty_frame(X):
    table = tb.coburst(X, terms=NAMES, min_count=10**6)
    assert table.is_empty()
    assert table.columns == ["first", "second", *NUMBERS]


def test_wrong_options_give_one_sentence(X):
    for options, message in [
        ({"event": "echo"}, "event must be one of 'burst', 'occurrence'; got 'echo'"),
        *(
            ({name: least - 1}, f"{name} must be a whole number of {least} or more; got ")
            for name, least in (("top", 1), ("max_terms", 2), ("min_count", 0), ("min_documents", 0))
        ),
    ]:
        with pytest.raises(ValueError, match=message):
            tb.coburst(X, terms=NAMES, **options)


def test_statistics_are_refused(X):
    with pytest.raises(ValueError, match="co-bursts need a count matrix"):
        tb.coburst(tb.TermStatistics.from_counts(X, NAMES, "patterns"))
