"""`tally` compared with a dictionary, for keys that fit 64 bits and keys that do not."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from termburst.statistics.matrix import tally

ROWS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 1, 2**40]), st.integers(0, 2)), max_size=30)


@given(ROWS, st.booleans(), st.data())
def test_tally_counts_equal_rows(rows, weighted, data):
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)] or [np.zeros(0, np.int64)] * 3
    weights = data.draw(st.lists(st.integers(-3, 3), min_size=len(rows), max_size=len(rows))) if weighted else None
    expected: Counter = Counter()
    for k, row in enumerate(rows):
        expected[row] += 1 if weights is None else weights[k]
    distinct, totals = tally(columns, None if weights is None else np.array(weights, dtype=np.int64))
    assert dict(zip(zip(*map(np.ndarray.tolist, distinct), strict=True), totals.tolist(), strict=True)) == dict(
        expected
    )
    assert list(zip(*map(np.ndarray.tolist, distinct), strict=True)) == sorted(expected)


@given(st.lists(st.tuples(st.integers(0, 2**40), st.integers(0, 2**40)), min_size=1, max_size=20), st.booleans())
def test_rows_too_large_to_pack(rows, weighted):
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
    columns[0][0], columns[1][0] = 2**40, 2**40  # the key would need 80 bits
    weights = np.ones(len(rows), dtype=np.int64) if weighted else None
    distinct, totals = tally(columns, weights)
    expected = Counter(zip(*(c.tolist() for c in columns), strict=True))
    assert dict(zip(zip(*map(np.ndarray.tolist, distinct), strict=True), totals.tolist(), strict=True)) == expected
