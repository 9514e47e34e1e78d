"""Counts at several precisions."""

import numpy as np
import pytest

from termburst import plot


def test_samples_are_drawn_document_by_document(lines):
    figure = plot.beta_binomial_samples([0.1, 1.0, 100.0], mean=0.2, length=50, documents=300, seed=4)
    panels, histograms = figure.axes[::2], figure.axes[1::2]
    assert [panel.get_title() for panel in panels] == [rf"$\alpha_0 = {p:g}$" for p in (0.1, 1.0, 100.0)]
    spread = []
    for panel, histogram in zip(panels, histograms, strict=True):
        counts = np.asarray(lines(panel)["one document"].get_ydata())
        assert counts.shape == (300,)
        assert set(lines(panel)["expected count"].get_ydata()) == {10.0}
        assert sum(bar.get_width() for bar in histogram.patches) == 300
        spread.append(counts.std())
    assert spread[0] > spread[1] > spread[2]


def test_samples_follow_the_seed(lines):
    def drawn(seed):
        figure = plot.beta_binomial_samples([1.0], documents=40, seed=seed)
        return np.asarray(lines(figure.axes[0])["one document"].get_ydata()).tolist()

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


@pytest.mark.parametrize("length", [1, 7, 100, 1001])
def test_every_sampled_count_is_in_the_histogram(length):
    figure = plot.beta_binomial_samples([0.05], mean=0.9, length=length, documents=64)
    assert sum(bar.get_width() for bar in figure.axes[1].patches) == 64


BAD = {
    "precisions must be finite": lambda: plot.beta_binomial_samples([]),
    "precisions must be finite numbers above 0": lambda: plot.beta_binomial_samples([1.0, 0.0]),
    "mean must be between": lambda: plot.beta_binomial_samples(mean=1.0),
    "documents must be a whole number": lambda: plot.beta_binomial_samples(documents=0),
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_input_gets_one_sentence(sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        BAD[sentence]()
    assert "\n" not in str(error.value)
