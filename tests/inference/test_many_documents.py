"""Statistics of 84 million documents: their lengths are a histogram, and no array has an entry per document."""

import numpy as np
import pytest

import termburst as tb


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
