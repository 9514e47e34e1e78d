"""The sentences above tables say what the tables say."""

import math

import polars as pl
import pytest

from termburst.cli.concordance import near
from termburst.cli.keyness_words import compared, said_of
from termburst.cli.terms import burstiest


def comparison(**more):
    columns = {
        "term": ["a", "b", "c"],
        "log_ratio": [math.inf, -2.0, 0.4],
        "lower_bound": [3.0, -1.0, 0.0],
        "q_value": [0.01, 0.05, 0.06],
    }
    return pl.DataFrame(columns | more)


def test_each_side_has_its_strongest_word():
    (said,) = compared(comparison(), ["left", "right"])
    assert said == (
        "2 of 3 words differ between left and right (q ≤ 0.05): a, at least 8 times as often in left; "
        "b, at least 2 times as often in right."
    )
    assert compared(comparison(), []) == [
        "2 of 3 words differ (q ≤ 0.05): a, at least 8 times as often in A; b, at least 2 times as often in B."
    ]


def test_a_ratio_is_never_rounded_up():
    (said,) = compared(comparison(lower_bound=[math.log2(9.99), -math.log2(99.9), 0.0]), ["left", "right"])
    assert "at least 9.9 times" in said
    assert "at least 99 times" in said


def test_without_an_effect_no_ratio_is_said():
    (said,) = compared(comparison(lower_bound=[None, -0.0, None]), ["left", "right"])
    assert said.endswith(": a, more often in left; b, more often in right.")
    (said,) = compared(comparison().drop("lower_bound"), ["left", "right"])
    assert said.endswith(": a, more often in left; b, more often in right.")


def test_groups_contrasts_and_burstiness_have_their_own_words():
    (said,) = compared(comparison(term=["a", "a", "c"], group=["x", "y", "y"]))  # no word is named twice
    assert said == "1 of 2 words differs (q ≤ 0.05): a, at least 8 times as often in x."
    (said,) = compared(comparison(group=["x", "y", "y"]))
    assert said.endswith("a, at least 8 times as often in x; b, at least 2 times as often in the rest as in y.")
    said, own = compared(comparison(contrast=["p: x - y"] * 3))
    assert said.endswith("a, at least 8 times as often (p: x - y); b, rarer: at most 1/2 as often (p: x - y).")
    assert "not corrected for choosing the strongest words" in own
    often = comparison(contrast=["p: x - y"] * 3, per_million_a=[31e3, 8.0, 0.0], per_million_b=[9.0, 31e3, 0.0])
    said, _ = compared(often)
    assert said.endswith("a, at least 8 times the odds (p: x - y); b, rarer: at most 1/2 of the odds (p: x - y).")
    (said,) = compared(often.drop("contrast"), ["x", "y"])  # not a design: the ratio is one of shares
    assert said.endswith("a, at least 8 times as often in x; b, at least 2 times as often in y.")
    (said,) = compared(comparison(burst_ratio_a=[2.0] * 3), ["left", "right"])
    assert "differ in burstiness between left and right" in said
    assert "a, burst ratio at least 8 times as large in left" in said


def test_nothing_found_names_what_was_nearest():
    (said,) = compared(comparison(q_value=[0.9, None, 0.4]), ["left", "right"])
    assert said == "None of 3 words surely differs between left and right (q ≤ 0.05). Nearest: c (q = 0.4)."
    assert compared(comparison(q_value=pl.Series([None] * 3, dtype=pl.Float64))) == []
    assert compared(comparison().drop("q_value")) == []
    assert compared(comparison().head(0)) == []


@pytest.mark.parametrize("term", ["\x1b[31m", "so\nso", "\u202eevil"])
def test_terms_are_shown_as_escapes(term):
    for (said,) in (
        compared(comparison(term=[term] * 3), [term, term]),
        near(pl.DataFrame({"term": [term], "n_window": [2], "expected": [0.1], "q_value": [0.01]}), term),
    ):
        assert said.isprintable()


def test_near_and_burstiest():
    none = pl.DataFrame({"term": ["a"], "n_window": [2], "expected": [0.1], "q_value": [0.2]})
    assert near(none, "so") == ["0 of 1 word stand near 'so' more often than by chance (q ≤ 0.05)."]
    assert burstiest(pl.DataFrame({"term": ["a", "b"], "q_value": [0.01, 0.2]}), [9], [5]) == [
        "1 of 2 words comes in bursts (q ≤ 0.05)"
    ]
    assert burstiest(pl.DataFrame({"term": ["a"]}), [9], [5]) == []


def test_very_mixed_lengths_are_said():
    row = {"term": "a", "n": 90, "b": 9, "burst_ratio": 5.0, "ci_low": 3.0, "reuse": 0.864, "reuse_binomial": 0.31}
    table = pl.DataFrame([row])
    (said,) = burstiest(table, [50, 4050], [9, 1])
    assert "used again in 86 % of cases in a document of mean length (450 tokens); by chance" in said
    (said,) = burstiest(table, [100, 300], [5, 5])
    assert "in 9 of 10 documents, and once used, it is used again in 86 % of cases; by chance" in said


FREQUENT = {"term": "a", "n": 204, "b": 31, "burst_ratio": 4.1, "ci_low": 2.9, "reuse": 0.774, "reuse_binomial": 0.888}


def test_a_frequent_bursty_word_is_not_described_by_reuse():
    (said,) = burstiest(pl.DataFrame([FREQUENT]), [2341], [59])
    assert said == (
        "a: in 31 of 59 documents; by chance it would be 57. "
        "Those use it 6.6 times on average; by chance it would be 3.6 times."
    )
    (said,) = burstiest(pl.DataFrame([FREQUENT | {"b": 55}]), [2341], [59])  # in nearly as many as by chance
    assert said.startswith("a: in 55 of 59 documents, but more in some than in others: if one word")
    close = FREQUENT | {"reuse": 0.893}  # hardly more than by chance
    assert "used again" not in burstiest(pl.DataFrame([close]), [2341], [59])[0]
    (said,) = burstiest(pl.DataFrame([FREQUENT | {"reuse": 0.95}]), [2341], [59])
    assert "used again in 95.0 % of cases; by chance it would be 89 %" in said


def test_a_lower_bound_of_0_beside_a_small_q_is_explained():
    table = comparison(lower_bound=[0.0, -1.0, 0.0], least_p=[0.0] * 3)
    assert said_of(table)[-1] == (
        "1 row with q ≤ 0.05 has lower_bound 0: a difference is sure, but no size of it once the strongest of so many "
        "words are picked"
    )
    assert not any("lower_bound 0" in line for line in said_of(comparison(least_p=[0.0] * 3)))
