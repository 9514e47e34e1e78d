import pytest

import termburst as tb
from termburst import plot


@pytest.mark.parametrize("X", [[[5]], [[1, 2]], [[3, 0], [0, 4]], [[1, 9], [0, 0], [0, 2]]])
@pytest.mark.filterwarnings("ignore::termburst.inference.ClampedTermsWarning")
def test_tiny_corpora(X):
    plot.term_along_corpus(X, 0).draw_without_rendering()
    plot.term_counts(X, 0).draw_without_rendering()
    statistics = tb.TermStatistics.from_counts(X)
    plot.waterfall(tb.explain(statistics, 0, sigma2=1e-3)).draw_without_rendering()
