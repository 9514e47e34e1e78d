"""Statistics of 84 million documents: their lengths are a histogram, and no array has an entry per document."""

import numpy as np
import pytest

import termburst as tb
from termburst.inference import null_distribution
from termburst.inference.null_lengths import drawn_documents
from termburst.inference.overdispersion import burstiness


@pytest.fixture
def doubled() -> tb.TermStatistics:
    """Statistics of 84 million documents, in which the first term is more than half of the text."""
    rng = np.random.default_rng(0)
    counts = rng.negative_binomial(0.3, 0.1, size=(80, 6))
    counts[:, 0] += rng.poisson(60, 80)
    statistics = tb.TermStatistics.from_counts(counts, detail="patterns")
    for _ in range(20):
        statistics = statistics + statistics
    assert statistics.documents == 80 * 2**20
    return statistics


@pytest.fixture
def no_repeats(monkeypatch):
    """An array of every document is refused, as it would be on a small machine."""
    repeat = np.repeat

    def checked(values, times, **options):
        assert np.sum(times) * (np.size(values) if np.ndim(times) == 0 else 1) < 10**7
        return repeat(values, times, **options)

    monkeypatch.setattr(np, "repeat", checked)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_very_many_documents_are_a_histogram(doubled, no_repeats):
    assert tb.burstiness_test(doubled)["p_value"].is_finite().all()
    assert tb.keyness(doubled, doubled)["p_value"].min() > 0.9  # rounding of 10¹⁰ tokens


@pytest.mark.slow
def test_drawing_by_histograms_is_drawing_document_by_document(monkeypatch):
    rng = np.random.default_rng(1)
    counts = np.c_[rng.binomial(30, 0.98, 60) + 1, rng.poisson(0.5, 60)]  # the first term is all but a few tokens
    expected = burstiness(counts).plr.log10_p[0]
    monkeypatch.setattr(null_distribution, "SEPARATE", 10)
    assert 10 ** burstiness(counts).plr.log10_p[0] == pytest.approx(10**expected, abs=0.03)
    monkeypatch.setattr(null_distribution, "FREQUENT", 5)  # as if the other tokens were very many
    assert 10 ** burstiness(counts).plr.log10_p[0] == pytest.approx(10**expected, abs=0.1)


def test_documents_are_drawn_in_proportion_to_their_length():
    lengths, documents = np.array([1, 5, 10]), np.array([20, 10, 3])
    rng, seen = np.random.default_rng(2), np.zeros(11)
    for _ in range(4_000):
        length, held = drawn_documents(lengths, documents, 12, rng)
        assert held.sum() == 12
        assert np.all((held >= 1) & (held <= length))
        seen += np.bincount(length, held, 11)
    np.testing.assert_allclose(seen[lengths] / 48_000, np.array([20, 50, 30]) / 100, atol=0.01)
    length, held = drawn_documents(lengths, documents, 100, rng)
    assert held.tolist() == length.tolist()
    assert np.bincount(length)[lengths].tolist() == documents.tolist()
