"""Tails, estimates and limits of a sum of hypergeometric numbers equal their twin, in both libraries."""

import numpy as np
import pytest
from twins import collocates as twin

from termburst.core import collocates as core

OPTIONS = {"deviate": 1.959963984540054, "log_tail": np.log(0.025)}


def some_words(seed, documents=40, words=25, repeats=0.4):
    rng = np.random.default_rng(seed)
    others = rng.integers(5, 400, documents)
    near = rng.integers(0, others + 1)
    near[:2], near[2] = 0, others[2]
    chosen = [np.sort(rng.choice(documents, rng.integers(1, documents), replace=False)) for _ in range(words)]
    counts = [np.minimum(rng.geometric(repeats, d.size), others[d]) for d in chosen]
    totals = [twin.distribution(others[d], near[d], k) for d, k in zip(chosen, counts, strict=True)]
    observed = []
    for total in totals:
        possible = np.flatnonzero(total > 1e-290)
        at = int(np.searchsorted(np.cumsum(total), rng.choice([0.0, 0.5, 0.9, 0.999, 0.999999])))
        observed.append(int(np.clip(at, possible[0], possible[-1])))
    starts = np.cumsum([0, *map(len, chosen)])
    cells = (starts, np.concatenate(chosen).astype(np.int32), np.concatenate(counts).astype(np.int32))
    return (others, near), cells, np.array(observed), totals


@pytest.mark.parametrize("seed", range(3))
def test_exact_tails_equal_the_twin(seed, on_both):
    windows, cells, observed, totals = some_words(seed, repeats=(0.4, 0.05, 0.02)[seed])
    baseline, avx2 = on_both(lambda: core.attraction(windows, cells, observed, most=1e12, **OPTIONS))
    expected, log_p, log_above, *_, exact = baseline
    for w, total in enumerate(totals):
        upper, above = twin.tails(total, observed[w])
        assert np.exp(log_p[w]) == pytest.approx(min(upper, 1.0), rel=1e-9)
        assert np.exp(log_above[w]) == pytest.approx(above, rel=1e-9, abs=1e-300)
        assert expected[w] == pytest.approx((total * np.arange(total.size)).sum(), rel=1e-9)
    assert exact.all()
    for one, other in zip(baseline, avx2, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("seed", range(3))
def test_saddlepoint_tails_are_near_the_exact_ones(seed):
    windows, cells, observed, totals = some_words(seed + 10, documents=120, repeats=(0.4, 0.1, 0.03)[seed])
    _, log_p, _, *_, exact = core.attraction(windows, cells, observed, most=0, **OPTIONS)
    assert not exact.all()
    for w in np.flatnonzero(exact == 0):
        upper, _ = twin.tails(totals[w], observed[w])
        if (totals[w] > 1e-12).sum() > 10:  # a range of a few values is summed exactly in practice
            assert np.exp(log_p[w]) == pytest.approx(upper, rel=0.03)


def test_estimates_and_limits_equal_the_twin():
    windows, cells, observed, totals = some_words(5, documents=60)
    *_, theta, low, high, _ = core.attraction(windows, cells, observed, most=1e12, **OPTIONS)
    for w, total in enumerate(totals):
        possible = np.flatnonzero(total > 0)
        if possible.size == 1:
            assert np.isnan(theta[w])
            continue
        assert theta[w] == pytest.approx(twin.theta_at(total, observed[w]), rel=1e-6, abs=1e-6)
        x, first, last = observed[w], possible[0], possible[-1]
        assert (low[w] == -np.inf) == (x == first)
        assert (high[w] == np.inf) == (x == last)
        if first < x < last and x - first <= 12:  # by the tails that p is made of
            assert twin.weighted_tail(total, x, low[w], upper=True) == pytest.approx(0.025, rel=1e-5)
            assert twin.weighted_tail(total, x, high[w], upper=False) == pytest.approx(0.025, rel=1e-5)
        elif first + 2 < x < last - 2:  # r* is close to mid-p; nearer to the ends it is only roughly so
            assert twin.tilted_tail(total, x, low[w], upper=True) == pytest.approx(0.025, abs=0.003)
            assert twin.tilted_tail(total, x, high[w], upper=False) == pytest.approx(0.025, abs=0.003)


def test_the_limit_at_an_end_is_exact():
    windows, cells = (
        (np.array([50]), np.array([10])),
        (np.array([0, 1]), np.zeros(1, np.int32), np.full(1, 3, np.int32)),
    )
    total = twin.distribution([50], [10], [3])
    for x, upper in ((0, False), (3, True)):
        *_, low, high, _ = core.attraction(windows, cells, np.array([x]), most=1e12, **OPTIONS)
        tilt = np.exp(np.arange(4) * (low[0] if upper else high[0])) * total
        assert tilt[x] / tilt.sum() == pytest.approx(0.025, rel=1e-6)


def test_wrong_arrays_are_refused():
    windows, cells, observed, _ = some_words(1)
    starts, document, count = cells

    def run(windows=windows, cells=cells, observed=observed):
        return core.attraction(windows, cells, observed, most=1e4, **OPTIONS)

    with pytest.raises(ValueError, match="out of range"):
        run(cells=(starts, document + 1000, count))
    with pytest.raises(ValueError, match="must ascend"):
        run(cells=(starts[::-1].copy(), document, count))
    with pytest.raises(ValueError, match="at most the length"):
        run(cells=(starts, document, count * 0))
    with pytest.raises(ValueError, match="at most the length"):
        run(observed=observed + 10**6)
    with pytest.raises(ValueError, match="at most the length"):
        run(windows=(windows[0], windows[0] + 1))
    with pytest.raises(ValueError, match="one entry per document"):
        run(windows=(windows[0], windows[1][1:]))


def test_no_words():
    windows, _, _, _ = some_words(1)
    cells = (np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int32))
    assert [part.size for part in core.attraction(windows, cells, np.empty(0, np.int64), most=9, **OPTIONS)] == [0] * 7
