import numpy as np
import pytest

import termburst as tb


def test_points_are_the_sorted_frequencies(statistics, lines, words):
    figure = tb.plot.zipf(statistics)
    points = lines(figure.axes[0])["38 terms"].get_xydata()
    n_i = np.sort(statistics.collection_frequency)[::-1][:38]
    assert np.array_equal(points, np.column_stack([np.arange(1, 39), n_i]))
    assert "not drawn: 2 without an occurrence" in words(figure)
    law = lines(figure.axes[0])["Zipf's law, $n_{(1)}$/rank"].get_xydata()
    assert np.allclose(law.prod(axis=1), n_i[0])


def test_a_large_vocabulary_is_thinned(words):
    n_i = np.random.default_rng(1).zipf(1.5, 50_000).clip(max=10_000)
    figure = tb.plot.zipf(n_i[None, :])
    rank, height = figure.axes[0].lines[0].get_xydata().T.astype(int)
    assert rank.size < 1001
    assert (rank[0], rank[-1]) == (1, 50_000)
    assert np.array_equal(height, np.sort(n_i)[::-1][rank - 1])
    assert f"{100 * (n_i == 1).mean():.1f} % of terms occur once" in words(figure)


def test_one_term_of_one_document():
    assert tb.plot.zipf([[3]]).axes[0].lines[0].get_xydata().tolist() == [[1, 3]]


def test_a_corpus_without_terms_is_refused():
    with pytest.raises(ValueError, match="no term occurs"):
        tb.plot.zipf([[0, 0]])
