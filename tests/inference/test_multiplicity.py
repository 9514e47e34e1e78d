"""Adjusted p-values: against SciPy, definitions by brute force, published examples, and simulated error rates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from termburst.inference import multiplicity
from termburst.inference.multiplicity import METHODS, adjust, adjust_log10

# Benjamini & Hochberg (1995), §4.1: fifteen p-values of a comparison of treatments of myocardial infarction.
MYOCARDIAL = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000,
]  # fmt: skip
P_VALUES = arrays(np.float64, st.integers(0, 40), elements=st.floats(0, 1) | st.just(np.nan))


def by_definition(p, method):
    """The least level at which the method as its authors state it rejects each hypothesis, one level after another."""
    p = np.asarray(p)
    m = p.size

    def rejected(level):
        ordered = np.sort(p)
        if method == "holm":
            for k, value in enumerate(ordered):
                if value > level / (m - k):
                    return p < value
            return np.ones(m, dtype=bool)
        scale = sum(1 / k for k in range(1, m + 1)) if method == "by" else 1.0
        fulfilled = [k for k in range(1, m + 1) if ordered[k - 1] <= k / m * level / scale]
        return p <= ordered[fulfilled[-1] - 1] if fulfilled else np.zeros(m, dtype=bool)

    levels = np.linspace(0, 1, 2001)
    decisions = np.array([rejected(level) for level in levels])
    return np.where(decisions.any(axis=0), levels[decisions.argmax(axis=0)], 1.0)


def test_the_published_example_of_benjamini_and_hochberg():
    """As they report it: Bonferroni rejects the three smallest at 0.05, their procedure four."""
    assert (np.array(MYOCARDIAL) <= 0.05 / 15).sum() == 3
    assert (adjust(MYOCARDIAL, "bh") <= 0.05).sum() == 4
    assert (adjust(MYOCARDIAL, "holm") <= 0.05).sum() == 3
    assert adjust(MYOCARDIAL)[3] == pytest.approx(0.0095 * 15 / 4)


@pytest.mark.parametrize("method", ["bh", "by"])
@given(p=arrays(np.float64, st.integers(1, 60), elements=st.floats(0, 1)))
def test_equals_scipy(method, p):
    expected = stats.false_discovery_control(p, method=method)
    np.testing.assert_allclose(adjust(p, method), expected, rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("method", ["bh", "by", "holm"])
@pytest.mark.parametrize("seed", range(5))
def test_equals_the_definition_level_by_level(method, seed):
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(0.3, 1.5, 25), 3)  # rounded: with ties
    found = adjust(p, method)
    np.testing.assert_array_less(np.abs(found - by_definition(p, method)), 1 / 2000 + 1e-12)


@pytest.mark.parametrize("method", METHODS)
@given(p=P_VALUES, data=st.data())
def test_the_order_of_the_tests_does_not_matter(method, p, data):
    order = np.array(data.draw(st.permutations(range(p.size))), dtype=np.intp)
    np.testing.assert_array_equal(adjust(p[order], method), adjust(p, method)[order])


@pytest.mark.parametrize("method", METHODS)
@given(p=P_VALUES)
def test_adjusted_values_keep_the_order_and_the_range(method, p):
    q = adjust(p, method)
    np.testing.assert_array_equal(np.isnan(q), np.isnan(p))
    tested = ~np.isnan(p)
    order = np.argsort(p[tested])
    assert (np.diff(q[tested][order]) >= 0).all()
    assert ((q[tested] >= p[tested]) & (q[tested] <= 1)).all()


@pytest.mark.parametrize("method", METHODS)
@given(p=P_VALUES)
def test_untested_terms_do_not_count(method, p):
    np.testing.assert_array_equal(adjust(p, method)[~np.isnan(p)], adjust(p[~np.isnan(p)], method))


@pytest.mark.parametrize("method", METHODS)
def test_logarithms_agree_where_floats_reach(method):
    p = np.append(10.0 ** -np.linspace(0, 300, 400), np.linspace(0.01, 1, 150))
    np.testing.assert_allclose(10.0 ** adjust_log10(np.log10(p), method), adjust(p, method), rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_logarithms_go_on_where_floats_end(method):
    """Multiplying all p-values below the cap by a constant multiplies the adjusted ones by it."""
    near = np.array([-3.0, -8.5, -8.5, -12.0, -20.0])
    far = adjust_log10(near - 100_000, method)
    close = adjust_log10(near, method)
    np.testing.assert_allclose(far + 100_000, close, atol=1e-9)
    assert adjust_log10([-np.inf, -1.0], method)[0] == -np.inf


@pytest.mark.parametrize("method", ["bh", "by", "holm", "none"])
def test_the_smallest_of_many_tests_are_adjusted_as_if_all_were_given(method):
    p = np.random.default_rng(0).beta(0.5, 5, 1000)
    small = np.argsort(p)[:50]
    # the step-up minimum may lie beyond those given; then what is found is above it, never below
    found, whole = 10 ** adjust_log10(np.log10(p[small]), method, tests=1000), adjust(p, method)[small]
    assert (found >= whole - 1e-15).all()
    first = slice(0, 10)
    np.testing.assert_allclose(found[first], whole[first], rtol=1e-13)
    assert adjust_log10([-3.0], tests=10).tolist() == [-2.0]
    with pytest.raises(ValueError, match="tests must be at least the number of p-values, 2; got 1"):
        adjust_log10([-1.0, -2.0], tests=1)


@pytest.mark.parametrize("method", ["bh", "by"])
def test_false_discovery_rate_is_kept(method):
    """Of 1,000 tests 200 are real: the mean share of false discoveries, over 400 simulations, stays at 10 %."""
    rng = np.random.default_rng(3)
    shares = []
    for _ in range(400):
        z = rng.standard_normal(1000)
        z[:200] += 2.5
        found = adjust(stats.norm.sf(z), method) <= 0.1
        shares.append(found[200:].sum() / max(found.sum(), 1))
    margin = 3 * np.std(shares) / 20
    assert np.mean(shares) <= 0.1 + margin
    if method == "bh":
        assert np.mean(shares) == pytest.approx(0.1 * 0.8, abs=margin)


def test_holm_keeps_the_probability_of_any_false_discovery():
    rng = np.random.default_rng(4)
    any_false = [(adjust(rng.random(50), "holm") <= 0.05).any() for _ in range(4000)]
    assert np.mean(any_false) == pytest.approx(1 - 0.999**50, abs=4 * np.sqrt(0.05 / 4000))


@pytest.mark.parametrize("method", METHODS)
def test_shape_is_kept_and_nothing_tested_is_nothing_adjusted(method):
    p = np.random.default_rng(5).random((3, 4))
    np.testing.assert_array_equal(adjust(p, method).ravel(), adjust(p.ravel(), method))
    assert adjust([], method).shape == (0,)
    assert np.isnan(adjust([np.nan, np.nan], method)).all()
    assert adjust([1.0 + 1e-12], method).tolist() == [1.0]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0.1, 1.2],), {}, "p-values must lie between 0 and 1; number 1 is 1.2"),
        (([-0.1],), {}, "number 0 is -0.1"),
        ((["x"],), {}, "p-values must be numbers"),
        (([0.1], "bonferoni"), {}, "method must be one of 'bh', 'by', 'holm', 'none'; got 'bonferoni'"),
    ],
)
def test_bad_input_gets_one_sentence(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        adjust(*arguments, **options)


def test_positive_logarithms_are_refused():
    with pytest.raises(ValueError, match=r"logarithms of p-values must be 0 or below; number 1 is 0\.5"):
        adjust_log10([-1.0, 0.5])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("part", [1, 7, 10**6])
def test_tests_are_adjusted_part_by_part(method, part, monkeypatch):
    """Against the definition, one test at a time: m(p) tests could have a p-value as small as p."""
    monkeypatch.setattr(multiplicity, "PART", part)
    rng = np.random.default_rng(9)
    p = np.append(rng.integers(1, 40, 200) / 40 * rng.random(200).round(1), [np.nan, 0.0, 1.0])
    least = p * rng.choice([0.2, 1.0], p.size)
    values, able = np.sort(p[~np.isnan(p)]), least[~np.isnan(p)]
    m = np.array([np.sum(able <= x * (1 + 1e-9)) for x in values])
    rank, harmonic = np.arange(1, values.size + 1), np.sum(1 / np.arange(1, m.max() + 1))
    factor = {"holm": m - rank + 1, "none": np.ones(m.size)}.get(method, m / rank)
    raw = values * factor * (harmonic if method == "by" else 1)
    expected = {"holm": np.maximum.accumulate(raw), "none": raw}.get(method, np.minimum.accumulate(raw[::-1])[::-1])
    found = adjust(p, method, attainable=least)
    assert np.isnan(found[-3])
    np.testing.assert_allclose(np.sort(found[~np.isnan(found)]), np.sort(np.minimum(expected, 1)), rtol=1e-12)
    logs = np.log10(np.maximum(p, 1e-300))
    np.testing.assert_allclose(10 ** adjust_log10(logs, method), adjust(10**logs, method), rtol=1e-9)
