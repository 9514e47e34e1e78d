import numpy as np
import pytest

from termburst import plot
from termburst.inference.count_distribution import count_distribution


def drawn(axes):
    """Heights of the bars, and of the points of both models."""
    first, *others = ([line.get_ydata() for line in axes.lines[k : k + 2]] for k in (0, 2))
    return [bar.get_height() for bar in axes.patches], np.concatenate(first), np.concatenate(others[0])


@pytest.mark.parametrize("term", [0, 3, 25, 37])
def test_bars_and_points_are_the_distributions(counts, statistics, term):
    largest = min(12, counts[:, term].max() + 1)
    expected = count_distribution(counts, [term], largest=largest)
    for corpus in (counts, statistics):
        observed, plain, bursty = drawn(plot.term_counts(corpus, term).axes[0])
        assert observed == expected.observed[0].tolist()
        assert np.allclose(plain, expected.binomial[0])
        assert np.allclose(bursty, expected.beta_binomial[0])
        assert sum(observed) == 60


def test_the_last_bar_includes_all_higher_counts(counts):
    axes = plot.term_counts(counts, 0, largest=2).axes[0]
    observed, *_ = drawn(axes)
    n_ij = counts[:, 0]
    assert observed == [(n_ij == 0).sum(), (n_ij == 1).sum(), (n_ij >= 2).sum()]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "1", "2+"]
    assert axes.get_yscale() == "log"


@pytest.mark.parametrize(
    ("X", "says"),
    [([[1, 9]] * 3, "the same"), ([[3, 0], [0, 4]], r"$\alpha_0 \to 0$"), ([[0, 4], [0, 2]], "beta-binomial"),
     ([[5]], "the same"), ([[2, 1]], "the same"), ([[1, 9], [0, 0]], "the same")],
)  # fmt: skip
def test_fits_without_an_interior_maximum(X, says, words):
    figure = plot.term_counts(X, 0)
    figure.draw_without_rendering()
    assert says in words(figure)


def test_bad_input_gets_one_sentence(counts, statistics):
    with pytest.raises(ValueError, match="'t1' is not among"):
        plot.term_counts(statistics, "t1")
    with pytest.raises(ValueError, match="largest must be a whole number of 1 or more"):
        plot.term_counts(counts, 0, largest=0)
    with pytest.raises(ValueError, match='detail="patterns"'):
        plot.term_counts(statistics.coarsen("moments"), 0)
