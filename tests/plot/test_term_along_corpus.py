import numpy as np
import pytest

import termburst as tb
from termburst import plot


@pytest.fixture(scope="module")
def corpus(counts, terms):
    return tb.read(counts, terms=terms, id=[f"doc{j}" for j in range(60)])


def bars(figure):
    """The place of every bar and its height."""
    return [segment[1].tolist() for segment in figure.axes[0].collections[0].get_segments()]


def test_there_is_one_bar_per_document(counts, corpus, lines, words):
    figure = plot.term_along_corpus(corpus, "$x$")
    held = np.flatnonzero(counts[:, 0])
    assert np.allclose(bars(figure), np.column_stack([held + 1, counts[held, 0]]))
    (even,) = lines(figure.axes[0]).values()
    assert set(even.get_ydata()) == {counts[:, 0].mean()}
    assert f"{counts[:, 0].sum()} occurrences of “$x$” in {held.size} of 60 documents" in words(figure)
    assert bars(plot.term_along_corpus(counts, 0)) == bars(figure)


@pytest.mark.parametrize("documents", [1, 700, 100_000])
def test_bars_of_many_documents_can_be_seen(documents):
    n_ij = np.random.default_rng(documents).poisson(0.2, documents)
    n_ij[documents // 2] = 50
    figure = plot.term_along_corpus(n_ij[:, None], 0)
    assert [height for _, height in bars(figure)] == n_ij[n_ij > 0].tolist()
    assert figure.axes[0].collections[0].get_linewidth()[0] >= 0.8
    assert figure.axes[0].collections[0].get_rasterized() is (documents > 1000)


def test_documents_with_the_highest_counts_are_named(counts, corpus):
    figure = plot.term_along_corpus(corpus, 0, label=2)
    most = np.argsort(-counts[:, 0], kind="stable")[:2]
    named = "\n".join(note.get_text() for note in figure.axes[0].texts).split()
    assert sorted(named) == sorted(f"doc{j}" for j in most)
    assert not plot.term_along_corpus(corpus, 0, label=0).axes[0].texts
    assert not plot.term_along_corpus(counts, 0).axes[0].texts


def test_a_term_that_never_occurs_has_no_bar(corpus, words):
    figure = plot.term_along_corpus(corpus, "t39")
    assert not bars(figure)
    assert "0 occurrences of “t39” in 0 of 60 documents" in words(figure)


@pytest.mark.parametrize(
    ("sentence", "term", "options"),
    [("'nowhere' is not among the 40 terms", "nowhere", {}), ("no column 40", 40, {}),
     ("label must be a whole number", 0, {"label": 1.5})],
)  # fmt: skip
def test_bad_input_gets_one_sentence(corpus, counts, sentence, term, options):
    with pytest.raises(ValueError, match=sentence):
        plot.term_along_corpus(corpus, term, **options)
    with pytest.raises(ValueError, match="have no term names"):
        plot.term_along_corpus(counts, "ha")


def test_statistics_and_empty_matrices_are_refused(statistics):
    with pytest.raises(ValueError, match="needs the count matrix"):
        plot.term_along_corpus(statistics, 0)
    with pytest.raises(ValueError, match="nothing to draw: the count matrix is 0 × 2"):
        tb.plot.term_along_corpus(np.zeros((0, 2)), 0)
