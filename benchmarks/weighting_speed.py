"""`TermWeighting("s-lambda").fit_transform` beside scikit-learn's `TfidfTransformer().fit_transform`: time and memory.

Both weigh the 20 Newsgroups training counts (11,314 × 88,701) in the same run, alternating, on the matrix as
CountVectorizer's `fit_transform` leaves it (unsorted) and on sorted indices. Times are medians; memory is the peak that
NumPy allocates during the call, by tracemalloc.

    TERMBURST_DATA=… python benchmarks/weighting_speed.py
"""

from __future__ import annotations

import statistics
import time
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

import termburst as tb
from termburst.datasets import clean_text, load_20newsgroups

ROUNDS = 31
GOALS = {"as CountVectorizer leaves it": 1.0, "sorted indices": 3.0}


def training_counts() -> Any:
    """As scikit-learn leaves them: a document's terms in the order of the text."""
    return CountVectorizer(stop_words="english").fit_transform(map(clean_text, load_20newsgroups("train").texts))


def fresh(X: Any, *, ordered: bool) -> Any:
    """A copy without SciPy's cached flags, so that nothing learned about order in one round serves the next."""
    copy = sp.csr_matrix((X.data.copy(), X.indices.copy(), X.indptr.copy()), shape=X.shape)
    if ordered:
        copy.sort_indices()
    return copy


def seconds(function: Callable[[Any], Any], X: Any) -> float:
    start = time.perf_counter()
    function(X)
    return time.perf_counter() - start


def peak(function: Callable[[Any], Any], X: Any) -> int:
    tracemalloc.start()
    function(X)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def main() -> None:
    warnings.simplefilter("ignore", tb.ClampedTermsWarning)
    X = training_counts()
    print(f"20 Newsgroups training counts: {X.shape[0]:,} × {X.shape[1]:,}, {X.nnz:,} cells")
    rivals: dict[str, Callable[[Any], Any]] = {
        "TfidfTransformer": lambda counts: TfidfTransformer().fit_transform(counts),
        "TermWeighting": lambda counts: tb.TermWeighting("s-lambda").fit_transform(counts),
    }
    for (name, goal), ordered in zip(GOALS.items(), (False, True), strict=True):
        times: dict[str, list[float]] = {rival: [] for rival in rivals}
        for _ in range(ROUNDS):
            for rival, function in rivals.items():
                times[rival].append(seconds(function, fresh(X, ordered=ordered)))
        theirs, ours = (1000 * statistics.median(times[rival]) for rival in rivals)
        memory = [peak(function, fresh(X, ordered=ordered)) for function in rivals.values()]
        print(
            f"{name:<30} TfidfTransformer {theirs:6.1f} ms, TermWeighting {ours:6.1f} ms: {ours / theirs:.2f}× "
            f"(goal ≤ {goal:g}×); peak memory {memory[0] / 2**20:.1f} and {memory[1] / 2**20:.1f} MiB: "
            f"{memory[1] / memory[0]:.2f}× (goal ≤ 2×)"
        )


if __name__ == "__main__":
    main()
