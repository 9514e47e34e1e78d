import itertools

import numpy as np
import pytest

import termburst as tb
from termburst import plot
from termburst.names import FORMS


def test_each_part_begins_where_the_one_before_ends(statistics):
    for term in [0, 30, 39]:
        for form in FORMS:
            why = tb.explain(statistics, term, form=form, sigma2=0.1)
            figure = plot.waterfall(why)
            *parts, total = figure.axes[0].patches
            spans = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in parts]
            assert [end - start for start, end in spans] == pytest.approx(list(why.parts.values()))
            assert spans[0][0] == 0
            assert all(first[1] == pytest.approx(second[0]) for first, second in itertools.pairwise(spans))
            assert (total.get_x(), total.get_width()) == (0, why.plr)
            assert spans[-1][1] == pytest.approx(why.plr)


def test_names_and_values_are_beside_the_bars(statistics):
    why = tb.explain(statistics, "$x$", sigma2=0.1)
    figure = plot.waterfall(why)
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == [*why.parts, r"$\lambda_i$"]
    beside = axes.child_axes[0]
    values = [float(label.get_text().replace("−", "-").replace(",", "")) for label in beside.get_yticklabels()]
    assert np.allclose(values, [*why.parts.values(), why.plr], atol=0.005)
    assert "“$x$”" in axes.get_title()


def test_large_values_stay_within_the_figure():
    X = np.random.default_rng(0).poisson(900, (200, 30))
    why = tb.explain(tb.TermStatistics.from_counts(X, detail="moments"), 0)
    figure = plot.waterfall(why)
    figure.draw_without_rendering()
    tight = figure.get_tightbbox()
    assert min(tight.x0, tight.y0) >= 0
    assert tight.x1 <= figure.get_figwidth()
    assert max(map(abs, why.parts.values())) > 1e6
    values = figure.axes[0].child_axes[0].get_yticklabels()
    edge = figure.axes[0].get_window_extent().x1
    assert all(label.get_window_extent().x0 >= edge - 1 for label in values)


def test_what_cannot_be_drawn_is_refused(statistics):
    with pytest.warns(tb.inference.ClampedTermsWarning):
        why = tb.explain(statistics, 30, form="exact", sigma2=1e4)
    with pytest.raises(ValueError, match=r"η² ≤ r_i: draw another form"):
        plot.waterfall(why)
    with pytest.raises(ValueError, match=r"result of tb\.explain"):
        plot.waterfall(statistics)
