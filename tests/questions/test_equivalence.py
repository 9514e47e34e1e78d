"""The table of lockwords."""

import numpy as np
import pytest

import termburst as tb


def test_the_surest_come_first_with_q():
    rng = np.random.default_rng(71)
    A, B = (np.column_stack([rng.poisson(mean, 120) for mean in means]) for means in ((20, 9, 2, 50), (20, 3, 2, 50)))
    table = tb.questions.lockwords(A, B, terms=["same", "more", "rare", "rest"], ratio=1.3)
    assert table["term"].to_list()[-1] == "more"
    assert table["term"].to_list()[0] in ("same", "rest")
    assert table["p_value"].is_sorted()
    assert table.filter(term="more")["p_value"][0] == 1
    assert (table["q_value"] >= table["p_value"]).all()
    assert (table.filter(term="same")["q_value"] < 0.05).all()


def test_bad_options():
    for option, value in [("ratio", 1.0), ("ratio", "2"), ("level", 0.6), ("adjust", "x"), ("min_count", -1)]:
        with pytest.raises(ValueError, match=option):
            tb.questions.lockwords([[1, 2]] * 6, [[1, 3]] * 6, **{option: value})
