import numpy as np
import pytest

import termburst as tb
from termburst import plot
from termburst.plot.terms import written


def test_points_are_those_of_the_table(statistics):
    figure = plot.burstiness(statistics, sigma2=0.1)
    table = tb.term_table(statistics, sigma2=0.1)
    seen = table.filter(table["n"] > 0)
    offsets = np.asarray(figure.axes[0].collections[0].get_offsets())
    expected = np.column_stack([seen["plr"], seen["tf_idf_sum"]])
    assert np.allclose(offsets[np.lexsort(offsets.T)], expected[np.lexsort(expected.T)])


def test_terms_with_the_highest_statistic_are_named(statistics):
    figure = plot.burstiness(statistics, label=3, sigma2=0.1)
    named = "\n".join(note.get_text() for note in figure.axes[0].texts).split("\n")
    burstiest = tb.term_table(statistics, sigma2=0.1, sort="plr")["term"][:3]
    assert sorted(named) == sorted(written(term) for term in burstiest)


def test_listed_terms_are_named(counts, statistics):
    figure = plot.burstiness(statistics, label=["t30", "$x$"], sigma2=0.1)
    assert sorted(note.get_text() for note in figure.axes[0].texts) == ["$x$", "t30"]
    assert not plot.burstiness(counts, label=0, sigma2=0.1).axes[0].texts


def test_terms_without_a_valid_alpha_are_drawn_smallest(counts):
    with pytest.warns(tb.inference.ClampedTermsWarning):
        figure = plot.burstiness(counts, sigma2=100.0, label=0)
    points = figure.axes[0].collections[0]
    alpha = tb.penalized_mle(counts, sigma2=100.0).alpha[counts.sum(axis=0) > 0]
    assert np.isnan(alpha).any()
    assert len(points.get_offsets()) == alpha.size
    assert set(points.get_sizes()[np.isnan(alpha)]) == {points.get_sizes().min()}


def test_axes_with_a_wide_range_are_logarithmic():
    rng = np.random.default_rng(0)
    X = np.zeros((50, 2001), dtype=int)
    X[rng.integers(0, 50, 2000), np.arange(2000)] = 1
    X[:, 2000] = rng.geometric(0.001, 50) * rng.integers(0, 2, 50)
    figure = plot.burstiness(X, label=1, sigma2=1e-3)
    assert figure.axes[0].get_xscale() == "symlog"


def test_many_points_are_stored_as_pixels():
    X = np.random.default_rng(0).poisson(0.05, (40, 6000))
    assert plot.burstiness(X, label=0).axes[0].collections[0].get_rasterized()
    assert not plot.burstiness(X[:, :100], label=0).axes[0].collections[0].get_rasterized()


@pytest.mark.parametrize(
    ("sentence", "options"),
    [("'nowhere' cannot be labelled: it is not among", {"label": ["nowhere"]}),
     ("'t39' cannot be labelled: it has no point", {"label": ["t39"]}),
     ("label must be a whole number", {"label": -1})],
)  # fmt: skip
def test_bad_input_gets_one_sentence(statistics, sentence, options):
    with pytest.raises(ValueError, match=sentence):
        plot.burstiness(statistics, sigma2=0.1, **options)


def test_frequencies_alone_are_not_enough(statistics):
    with pytest.raises(ValueError, match='detail="moments"'):
        plot.burstiness(statistics.coarsen("frequencies"))
    with pytest.raises(ValueError, match="all documents are empty"):
        plot.burstiness([[0, 0]])
