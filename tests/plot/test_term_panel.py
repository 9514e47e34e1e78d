import pytest

import termburst as tb
from termburst import plot


def test_the_panels_are_those_of_the_single_figures(counts, terms, statistics):
    figure = plot.term_panel(counts, "a$b^", terms=terms, sigma2=0.1)
    along, numbers, parts = figure.axes

    def heights(axes):
        return [bar.get_height() for bar in axes.patches]

    assert heights(along) == heights(plot.term_along_corpus(counts, 1).axes[0])
    assert heights(numbers) == heights(plot.term_counts(counts, 1, largest=10).axes[0])
    why = tb.explain(statistics, "a$b^", sigma2=0.1)
    assert [bar.get_width() for bar in parts.patches] == [*why.parts.values(), why.plr]
    assert "“a$b^”" in figure.get_suptitle()


@pytest.mark.parametrize("X", [[[5]], [[1, 2]], [[3, 0], [0, 4]], [[1, 9], [0, 0], [0, 2]]])
@pytest.mark.filterwarnings("ignore::termburst.inference.ClampedTermsWarning")
def test_tiny_corpora(X):
    plot.term_panel(X, 0, sigma2=1e-3).draw_without_rendering()


def test_bad_input_gets_one_sentence(counts, terms, statistics):
    with pytest.raises(ValueError, match="needs the count matrix"):
        plot.term_panel(statistics, "t11")
    with pytest.raises(ValueError, match="did you mean"):
        plot.term_panel(counts, "t11x", terms=terms)
    with pytest.raises(ValueError, match="there are 1 terms for 40 columns"):
        plot.term_panel(counts, "t11", terms=["t11"])
