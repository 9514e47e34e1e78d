"""Small calls do little: no threads, each matrix is looked at once, and nothing is computed that is not shown."""

import threading

import numpy as np
import pytest

import termburst as tb
from termburst.statistics import matrix

pytestmark = pytest.mark.filterwarnings("ignore:30 of 30 clusters")  # each has both sides

rng = np.random.default_rng(3)
X = rng.poisson(0.3, (60, 20)) * rng.integers(1, 4, (60, 20))
TERMS = [f"w{k}" for k in range(20)]
METADATA = {"party": ["D", "R"] * 30, "year": list(range(1960, 2020)), "who": [f"s{k // 2}" for k in range(60)]}
TEXTS = [" ".join(f"w{k}" for k, count in enumerate(row) for _ in range(count)) for row in X.tolist()]
CALLS = {
    "counts": lambda corpus: tb.keyness(X[:30], X[30:], terms=TERMS),
    "texts": lambda corpus: tb.keyness(TEXTS[:30], TEXTS[30:]),
    "by": lambda corpus: corpus.keyness(by="party"),
    "design": lambda corpus: corpus.keyness("party + year"),
    "clusters": lambda corpus: corpus.keyness("party + year", cluster="who"),
    "vectorizer": lambda corpus: tb.BurstinessVectorizer().fit_transform(TEXTS),
}


@pytest.fixture(scope="module")
def corpus():
    return tb.read(TEXTS, metadata=METADATA)


@pytest.mark.parametrize("name", CALLS)
def test_little_work_starts_no_thread(name, corpus, monkeypatch):
    CALLS[name](corpus)  # imports may start some
    started, start = [], threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda self: (started.append(self), start(self)))
    CALLS[name](corpus)
    assert not started


def test_a_matrix_is_looked_at_once_not_once_per_design_cell(corpus, monkeypatch):
    looked, is_canonical = [], matrix._is_canonical
    monkeypatch.setattr(matrix, "_is_canonical", lambda counts: looked.append(counts) or is_canonical(counts))
    corpus.keyness("party + year", cluster="who")
    assert len(looked) <= 3  # the counts, and those of clusters


@pytest.mark.parametrize("statistic", ["plr", "lr", "score"])
def test_columns_that_are_not_shown_change_nothing(statistic):
    few = tb.burstiness_test(X, TERMS, statistic=statistic, draws=499)
    every = tb.burstiness_test(X, TERMS, statistic=statistic, draws=499, columns="all")
    assert few.equals(every.select(few.columns))
