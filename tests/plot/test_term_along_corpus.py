import numpy as np
import pytest
from scipy.sparse import csr_array

import termburst as tb
from termburst import plot
from termburst.plot.term import BARS, column_counts


def bars(figure):
    """The middle of every bar and its height."""
    return [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in figure.axes[0].patches]


def test_there_is_one_bar_per_document(counts, terms, lines, words):
    figure = plot.term_along_corpus(counts, "$x$", terms=terms)
    held = np.flatnonzero(counts[:, 0])
    assert np.allclose(bars(figure), np.column_stack([held + 1, counts[held, 0]]))
    (even,) = lines(figure.axes[0]).values()
    assert set(even.get_ydata()) == {counts[:, 0].mean()}
    assert f"{counts[:, 0].sum()} occurrences of “$x$” in {held.size} of 60 documents" in words(figure)


@pytest.mark.parametrize("documents", [1, BARS, BARS + 1, 100_000])
def test_documents_that_share_a_bar_show_their_highest_count(documents):
    n_ij = np.random.default_rng(documents).poisson(0.01, documents)
    n_ij[documents // 2] = 50
    figure = plot.term_along_corpus(n_ij[:, None], 0)
    together = -(-documents // BARS)
    highest = {}
    for place in np.flatnonzero(n_ij):
        highest[place // together] = max(highest.get(place // together, 0), n_ij[place])
    assert [height for _, height in bars(figure)] == list(highest.values())
    assert np.allclose([x for x, _ in bars(figure)], [k * together + 0.5 + together / 2 for k in highest])


def test_documents_with_the_highest_counts_are_named(counts, terms):
    names = [f"doc{j}" for j in range(60)]
    figure = plot.term_along_corpus(counts, 0, documents=names, label=2)
    most = np.argsort(-counts[:, 0], kind="stable")[:2]
    assert sorted("\n".join(note.get_text() for note in figure.axes[0].texts).split()) == sorted(names[j] for j in most)


def test_a_term_that_never_occurs_has_no_bar(counts, terms, words):
    figure = plot.term_along_corpus(counts, "t39", terms=terms, documents=[""] * 60)
    assert not bars(figure)
    assert "0 occurrences of “t39” in 0 of 60 documents" in words(figure)


def test_columns_of_unsorted_rows():
    X = csr_array((np.array([3, 1, 2]), np.array([2, 0, 2]), np.array([0, 2, 2, 3])), shape=(3, 3))
    assert column_counts(X, 2).tolist() == [3, 0, 2]


@pytest.mark.parametrize(
    ("sentence", "arguments", "options"),
    [("'nowhere' is not among the 40 terms", ("nowhere",), {"terms": True}), ("no column 40", (40,), {}),
     ("have no term names", ("ha",), {}), ("for each of the 60 documents; got 1", (0,), {"documents": ["a"]}),
     ("label must be a whole number", (0,), {"label": 1.5})],
)  # fmt: skip
def test_bad_input_gets_one_sentence(counts, terms, sentence, arguments, options):
    with pytest.raises(ValueError, match=sentence):
        plot.term_along_corpus(counts, *arguments, **({**options, "terms": terms} if "terms" in options else options))


def test_statistics_and_empty_matrices_are_refused(statistics):
    with pytest.raises(ValueError, match="needs the count matrix"):
        plot.term_along_corpus(statistics, 0)
    with pytest.raises(ValueError, match="nothing to draw: the count matrix is 0 × 2"):
        tb.plot.term_along_corpus(np.zeros((0, 2)), 0)
