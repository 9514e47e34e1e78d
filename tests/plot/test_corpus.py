"""Figures that take counts also take a `Corpus`, which knows its terms."""

import pytest

import termburst as tb
from termburst import plot

TEXTS = ["ha ha ha ha said the clown", "the crowd said nothing", "so the clown said the end", "ha the end so"] * 5


@pytest.fixture(scope="module")
def corpus():
    return tb.read(TEXTS)


@pytest.mark.parametrize("draw", [plot.term_along_corpus, plot.term_counts])
def test_a_term_is_found_by_name(corpus, words, draw):
    figure = draw(corpus, "ha")
    assert "25 occurrences of “ha” in 10 of 20 documents" in words(figure)


def test_burstiness_names_the_terms(corpus, words):
    names = words(plot.burstiness(corpus, label=3))
    assert names == words(plot.burstiness(corpus.statistics, label=3))
    assert "ha" in names.splitlines()


@pytest.mark.parametrize("draw", [plot.zipf, plot.document_lengths])
def test_figures_without_names_of_terms(corpus, words, draw):
    assert words(draw(corpus)) == words(draw(corpus.counts))
