import numpy as np
import pytest

import termburst as tb


def centres(figure):
    return [(bar.get_x(), bar.get_x() + bar.get_width(), bar.get_height()) for bar in figure.axes[0].patches]


def test_mean_and_median_are_numpys(counts, lines):
    n_j = counts.sum(axis=1)
    mean, median, *_ = lines(tb.plot.document_lengths(counts).axes[0]).values()
    assert set(mean.get_xdata()) == {n_j.mean()}
    assert set(median.get_xdata()) == {np.median(n_j)}


@pytest.mark.parametrize("lengths", [[5], [3, 4], [1, 2, 2, 9], [2, 2, 5, 5], [0, 1, 1]])
def test_medians_of_few_documents(lengths, lines):
    figure = tb.plot.document_lengths(np.array(lengths)[:, None])
    _, median, *_ = lines(figure.axes[0]).values()
    assert set(median.get_xdata()) == {np.median(lengths)}
    assert sum(height for *_, height in centres(figure)) == np.count_nonzero(lengths)


def test_bars_count_every_document_that_is_not_empty(words):
    lengths = np.r_[0, 0, 1, np.random.default_rng(0).geometric(0.05, 500), 20_000]
    figure = tb.plot.document_lengths(lengths[:, None])
    assert sum(height for *_, height in centres(figure)) == 502
    for low, high, height in centres(figure):
        assert height == ((lengths >= low) & (lengths < high)).sum()
        assert high - low >= 1  # no bar between two whole numbers
    assert "not drawn: 2 empty" in words(figure)


def test_statistics_without_documents_are_refused():
    s = tb.TermStatistics.from_counts([[1, 2], [4, 0]])
    with pytest.raises(ValueError, match="no document"):
        tb.plot.document_lengths(s - s)
    with pytest.raises(ValueError, match="no document"):
        tb.plot.document_lengths(np.zeros((3, 2), dtype=int))
