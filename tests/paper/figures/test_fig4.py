"""Fig. 4: the published fits of 20 Newsgroups can be drawn beside the exact ones."""

from matplotlib.text import Text

from termburst import plot


def test_exact_and_published_fits_are_drawn(data, collections):
    fitted = collections.fig4
    published = (fitted.published.alpha, fitted.published.alpha_not)
    figure = plot.fitted_parameters(fitted.fit, published=published, highlight=["ambulance", "the"], terms=fitted.terms)
    (hatched,) = [patch for patch in figure.axes[1].patches if patch.get_hatch()]
    assert hatched.get_height() == (fitted.fit.status == "boundary").sum()
    assert "31.4 % of terms" in "\n".join(text.get_text() for text in figure.findobj(Text))
