"""Inconsistent statistics are refused with a clear message, wherever they come from."""

import copy
import re
from dataclasses import replace

import numpy as np
import pytest

import termburst as tb
from termburst.names import DETAILS
from termburst.statistics.labels import mark_sound
from termburst.statistics.soundness import check_sound
from termburst.statistics.term_statistics import TermStatistics

TEXTS = ["ha ha so", "so it goes", "ha ha no no no", "it", ""]


def crafted(path, statistics, **changes):
    """Save these statistics with other numbers, and with the matching digest."""
    made = copy.copy(statistics)
    rows = {name.removeprefix("rows_"): changes.pop(name) for name in list(changes) if name.startswith("rows_")}
    if rows:
        changes["rows"] = replace(statistics.rows, **{name: np.array(values) for name, values in rows.items()})
    for name, values in changes.items():
        object.__setattr__(made, name, np.array(values) if isinstance(values, list) else values)
    mark_sound(made).save(path)  # without the mark they would not be saved


def patterns():
    return TermStatistics.from_texts(TEXTS, "patterns")


# Terms: goes, ha, it, no, so. "ha" occurs twice in a document of length 3 and in one of length 5; "it" occurs once in a
# document of length 1 and in one of length 3.
LENGTHS = [0, 1, 3, 5]
COUNTS = [1, 2, 2, 1, 1, 3, 1]
CRAFTED = [
    ({"rows_count": [1, 2, 2, 1, 1, 6, 1]}, "the term 'no': its rows are impossible (beyond length)"),
    ({"rows_count": [1, 2, 2, 1, 1, -3, 1]}, "'no': its rows are impossible (bad count)"),
    ({"rows_count": [1, 2, 2, 1, 1, 0, 1]}, "'no': its rows are impossible (bad count)"),
    ({"rows_count": [1, 2, 2, 1, 1, 2**40, 1]}, "'no': its rows are impossible (beyond length)"),
    ({"rows_count": [1, 2, 2, 1, 1, 2, 1]}, "'no': its rows are impossible (wrong n)"),
    ({"rows_length": [3, 3, 4, 1, 3, 5, 3]}, "'ha': its rows are impossible (unknown length)"),
    ({"rows_length": [3, 3, -5, 1, 3, 5, 3]}, "'ha': its rows are impossible (unknown length)"),
    ({"rows_length": [3, 5, 3, 1, 3, 5, 3]}, "'ha': its rows are impossible (no order)"),
    ({"rows_length": [3, 3, 5, 1, 5, 5, 3]}, "'it': its rows are impossible (wrong sum)"),
    ({"rows_documents": [1, 1, 1, 1, 1, 2**60, 2]}, "'no': its rows are impossible (too many)"),
    ({"rows_documents": [1, 1, 1, 1, 1, 0, 2]}, "'no': its rows are impossible (bad documents)"),
    ({"rows_documents": [1, 1, 1, 1, 1, 2, 2]}, "'no': its rows are impossible (too many)"),
    ({"rows_documents": [1, 1, 1, 1, 1, 1, 1]}, "'so': its rows are impossible (wrong b)"),
    ({"lengths": [0, 3, 1, 5]}, "must be distinct, ascending and 0 or more; got 3 before 1"),
    ({"lengths": [0, 3, 3, 5]}, "got 3 before 3"),
    ({"lengths": [-1, 1, 3, 5]}, "got -1"),
    ({"lengths": [0, 1, 3, 2**40]}, "too large"),
    ({"length_documents": [2**60, 1, 2, 1]}, "too many documents"),
    ({"length_documents": [2**40, 1, 2, 2**60]}, "too many documents"),
    ({"length_documents": [1, -1, 2, 1]}, "the number of documents with 1 tokens is -1; it must be 1 or more"),
    ({"length_documents": [0, 1, 2, 1]}, "the number of documents with 0 tokens is 0"),
    ({"length_documents": [1, 1, 1, 1]}, "the terms have 12 tokens in total, but the collection has 9"),
    ({"length_documents": [1, 1, 2]}, "4 lengths but 3 numbers"),
    ({"collection_frequency": [1, 4, 2, 99, 2]}, "'no': 99 occurrences in 1 documents, of 12 tokens"),
    ({"collection_frequency": [1, 4, 2, -3, 2]}, "'no': -3 occurrences"),
    ({"document_frequency": [1, 2, 2, 9, 2]}, "'no': 3 occurrences in 9 documents"),
    ({"document_frequency": [1, 2, 1, 1, 2]}, "'it': its rows are impossible (wrong b)"),
    ({"count_squared_sum": [1, 8, 2, 10, 2]}, "'no': its rows are impossible (wrong sum)"),
]


def test_the_example_is_what_the_cases_assume():
    s = patterns()
    assert s.terms.tolist() == ["goes", "ha", "it", "no", "so"]
    assert s.lengths.tolist() == LENGTHS
    assert s.length_documents.tolist() == [1, 1, 2, 1]
    assert s.rows.count.tolist() == COUNTS
    assert s.rows.length.tolist() == [3, 3, 5, 1, 3, 5, 3]
    assert s.rows.documents.tolist() == [1, 1, 1, 1, 1, 1, 2]


def test_impossible_numbers_do_not_reach_a_kernel(tmp_path):
    """From a file with the right digest, and from Python."""
    for changes, said in CRAFTED:
        path = tmp_path / "s.parquet"
        crafted(path, patterns(), **changes)
        with pytest.raises(ValueError, match=r"s\.parquet cannot be read as statistics: ") as refused:
            TermStatistics.load(path)
        assert said in str(refused.value)
        s, given = patterns(), dict(changes)
        rows = {
            name.removeprefix("rows_"): np.array(given.pop(name)) for name in list(given) if name.startswith("rows_")
        }
        given = {name: np.array(values) for name, values in given.items()}
        if rows:
            given["rows"] = replace(s.rows, **rows)
        with pytest.raises(ValueError, match=r"\w") as refused:
            tb.fit_beta_binomial(replace(s, **given))
        assert said in str(refused.value)


MOMENTS = [
    ({"rows_count": [1, 2, 1, 6, 1]}, "'no': its rows are impossible (beyond length)"),
    ({"rows_count": [1, 2, 1, 2**40, 1]}, "'no': its rows are impossible (beyond length)"),
    ({"rows_documents": [1, 2, 2, 2**62, 2]}, "'no': its rows are impossible (too many)"),
    ({"rows_documents": [1, 2, 2, -1, 2]}, "'no': its rows are impossible (bad documents)"),
    ({"count_length_sum": [3, 16, 4, 99, 6]}, "'no': its rows are impossible (wrong sum)"),
    ({"count_length_sum": [3, 16, 4, 8, 6]}, "'no': its rows are impossible (wrong sum)"),
]


def test_moments_are_checked_too(tmp_path):
    for changes, said in MOMENTS:
        path = tmp_path / "s.parquet"
        crafted(path, patterns().coarsen("moments"), **changes)
        with pytest.raises(ValueError, match=r"s\.parquet cannot be read as statistics: ") as refused:
            TermStatistics.load(path)
        assert said in str(refused.value)


def test_ranges_outside_of_the_arrays_are_refused():
    s = patterns()
    for starts in ([0, 1, 3, 9, 6, 7], [0, 1, -3, 5, 6, 7]):
        with pytest.raises(ValueError, match="bad range"):
            tb.fit_beta_binomial(replace(s, rows=replace(s.rows, indptr=np.array(starts))))
    with pytest.raises(ValueError, match="arrays have different lengths"):
        tb.fit_beta_binomial(replace(s, rows=replace(s.rows, count=s.rows.count[:-1])))
    with pytest.raises(ValueError, match=r"rows\.count must be a one-dimensional array of 64-bit integers; got"):
        tb.fit_beta_binomial(replace(s, rows=replace(s.rows, count=s.rows.count.astype(float))))
    with pytest.raises(ValueError, match="lack data that detail"):
        tb.plr_statistic(replace(s, count_squared_sum=None))


def test_counts_changed_in_place_do_not_overflow():
    s = patterns()
    tb.fit_beta_binomial(s)
    s.rows.count[:] = 2**32 + s.rows.count
    with pytest.raises(ValueError, match="outside of 0 to"):
        tb.fit_beta_binomial(s)


@pytest.mark.parametrize("detail", DETAILS)
def test_counted_statistics_are_consistent(detail):
    one = TermStatistics.from_texts(TEXTS, detail)
    two = TermStatistics.from_texts([*TEXTS, "and so on and on"], detail)
    for s in (one + two, two - one, one - one, two.prune(2), (one + two).coarsen("frequencies")):
        vars(s).pop("_sound", None)
        check_sound(s)


def test_a_long_document_is_found_among_the_lengths():
    X = np.array([[70_000, 1], [70_000, 2], [1, 0]])
    s = TermStatistics.from_counts(X, detail="patterns")
    vars(s).pop("_sound")
    check_sound(s)
    wrong = replace(s, rows=replace(s.rows, length=s.rows.length + (s.rows.length == 70_002)))
    with pytest.raises(ValueError, match=r"column 0: its rows are impossible \(unknown length\)"):
        check_sound(wrong)


UNSAVED = [
    ({"collection_frequency": np.array([1, 4, 2, 99, 2])}, "'no': 99 occurrences in 1 documents"),
    ({"terms": np.array(["a", "b", "a", "c", "d"], dtype=object)}, "'a' names two columns"),
    ({"terms": np.array(["a", None, "b", "c", "d"], dtype=object)}, "terms must be strings; number 1 is None"),
    ({"detail": "all"}, "detail must be one of"),
    ({"batches": (1,)}, "each entry of the header field 'batches' must be a string; got 1"),
    ({"min_count": np.int64(3)}, "cannot be saved"),
]


def test_statistics_that_could_not_be_loaded_are_not_saved(tmp_path):
    for changes, said in UNSAVED:
        with pytest.raises(ValueError, match=re.escape(said)):
            replace(patterns(), **changes).save(tmp_path / "s.parquet")
        assert list(tmp_path.iterdir()) == []
