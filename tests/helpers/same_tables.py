"""Tables of an engine and of memory are the same."""

import numpy as np


def assert_same(found, expected, *keys, rtol=1e-9):
    """Columns and numbers are the same: integers and strings are equal, floats to 1e-9."""
    keys = keys or ("term",)
    found, expected = found.sort(keys), expected.sort(keys)
    assert found.columns == expected.columns
    assert found.height == expected.height
    for name in expected.columns:
        if expected[name].dtype.is_float():
            left, right = (table[name].fill_null(np.nan).to_numpy() for table in (found, expected))
            np.testing.assert_allclose(left, right, rtol=rtol, atol=rtol / 1000, err_msg=name)
        else:
            assert found[name].to_list() == expected[name].to_list(), name
