"""Options of the wrong type or size are refused in one sentence."""

from fractions import Fraction

import numpy as np
import pytest

from termburst.inference.checks import check_confidence, check_name, checked_whole


@pytest.mark.parametrize("value", [1, np.int8(1), np.uint64(1), 10**30])
def test_whole_numbers(value):
    found = checked_whole("top", value, least=1)
    assert found == value
    assert type(found) is int


@pytest.mark.parametrize(
    "value", [0, -1, 1.0, np.float64(2), np.nan, np.inf, "3", None, True, [1], np.array([1, 2]), {}, "line\n" * 99]
)
def test_what_is_no_such_number(value):
    with pytest.raises(ValueError, match=r"^top must be a whole number of 1 or more; got ") as caught:
        checked_whole("top", value, least=1)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 110


@pytest.mark.parametrize("value", ["q", ["p"], 3, None, {}, np.array(["p", "q"])])
def test_what_is_no_such_name(value):
    check_name("sort", np.str_("p"), {"p": 1, "term": 2})
    with pytest.raises(ValueError, match=r"^sort must be one of 'p', 'term'; got "):
        check_name("sort", value, {"p": 1, "term": 2})


@pytest.mark.parametrize("value", [0, 1, 95, -0.5, np.nan, "x", "0.9", [0.9], np.array([0.5, 0.9]), Fraction(1, 2)])
def test_what_is_no_confidence(value):
    for good in (None, 0.5, np.float32(0.9)):
        check_confidence(good)
    with pytest.raises(ValueError, match=r"^confidence must be between 0 and 1; got "):
        check_confidence(value)
