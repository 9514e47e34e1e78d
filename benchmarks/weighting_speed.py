"""Time and memory of `TermWeighting` against scikit-learn's `TfidfTransformer`, scheme by scheme.

Both weight the 20 Newsgroups training counts (11,314 × 88,701) in the same run, alternating: first `fit_transform` of
"s-lambda", on the unsorted matrix that `fit_transform` of CountVectorizer returns and on sorted indices; then
`transform` of each scheme, on sorted indices; then `fit_transform` of "damped-tf-idf", compared with the sum of its
`transform`, the statistics and the exact fits. Times are medians; memory is the peak of NumPy's allocations during the
call, by tracemalloc.

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
GOALS = {"as CountVectorizer leaves it": 1.0, "sorted indices": 1.5}  # times TfidfTransformer().fit_transform
TRANSFORM_GOAL = 3.0  # times TfidfTransformer.transform
SLOWER_GOALS = {"fisher": 8.0}  # several logarithms per cell
FITTED_GOAL = 1.2  # fit_transform, relative to statistics, exact fits and transform one by one
MEMORY_GOAL = 2.0  # relative to TfidfTransformer


def training_counts() -> Any:
    """The counts as scikit-learn returns them: the terms of a document in the order of the text."""
    return CountVectorizer(stop_words="english").fit_transform(map(clean_text, load_20newsgroups("train").texts))


def fresh(X: Any, *, ordered: bool) -> Any:
    """A copy without SciPy's cached flags, so that a round does not know from the last one whether it is sorted."""
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


def medians(rivals: dict[str, Callable[[Any], Any]], X: Any, *, ordered: bool, rounds: int) -> dict[str, float]:
    """Milliseconds of each rival; they take turns."""
    times: dict[str, list[float]] = {rival: [] for rival in rivals}
    for _ in range(rounds):
        for rival, function in rivals.items():
            times[rival].append(seconds(function, fresh(X, ordered=ordered)))
    return {rival: 1000 * statistics.median(found) for rival, found in times.items()}


def compare_fit_transform(X: Any) -> None:
    rivals: dict[str, Callable[[Any], Any]] = {
        "TfidfTransformer": lambda counts: TfidfTransformer().fit_transform(counts),
        "TermWeighting": lambda counts: tb.TermWeighting("s-lambda", norm=None).fit_transform(counts),
    }
    for (name, goal), ordered in zip(GOALS.items(), (False, True), strict=True):
        theirs, ours = medians(rivals, X, ordered=ordered, rounds=ROUNDS).values()
        memory = [peak(function, fresh(X, ordered=ordered)) for function in rivals.values()]
        print(
            f"{name:<30} TfidfTransformer {theirs:6.1f} ms, TermWeighting {ours:6.1f} ms: {ours / theirs:.2f}× "
            f"(goal ≤ {goal:g}×); peak memory {memory[0] / 2**20:.1f} and {memory[1] / 2**20:.1f} MiB: "
            f"{memory[1] / memory[0]:.2f}× (goal ≤ {MEMORY_GOAL:g}×)"
        )


def compare_transform(X: Any) -> None:
    fitted = {scheme: tb.TermWeighting(scheme, norm=None).fit(X) for scheme in tb.SCHEMES}
    rivals = {"TfidfTransformer": TfidfTransformer().fit(X).transform}
    rivals |= {scheme: weighting.transform for scheme, weighting in fitted.items()}
    found = medians(rivals, X, ordered=True, rounds=ROUNDS // 2)
    theirs, theirs_peak = found.pop("TfidfTransformer"), peak(rivals["TfidfTransformer"], fresh(X, ordered=True))
    print(f"{'transform':<30} TfidfTransformer {theirs:6.1f} ms, peak memory {theirs_peak / 2**20:.1f} MiB")
    for scheme, ours in found.items():
        goal, memory = SLOWER_GOALS.get(scheme, TRANSFORM_GOAL), peak(rivals[scheme], fresh(X, ordered=True))
        print(
            f"  {scheme:<30} {ours:6.1f} ms: {ours / theirs:.2f}× (goal ≤ {goal:g}×); peak memory "
            f"{memory / 2**20:.1f} MiB: {memory / theirs_peak:.2f}× (goal ≤ {MEMORY_GOAL:g}×)"
        )


def compare_exact_fits(X: Any) -> None:
    scheme = "log-damped-tf-idf"
    learned = tb.TermStatistics.from_counts(X, detail="patterns")
    fitted = tb.TermWeighting(scheme, norm=None).fit(X)
    found = medians(
        {
            "fit_transform": lambda counts: tb.TermWeighting(scheme, norm=None).fit_transform(counts),
            "statistics": lambda counts: tb.TermStatistics.from_counts(counts, detail="patterns"),
            "exact fits": lambda _: tb.fit_beta_binomial(learned),
            "transform": fitted.transform,
        },
        X,
        ordered=True,
        rounds=5,
    )
    whole = found.pop("fit_transform")
    parts = ", ".join(f"{name} {part:.1f}" for name, part in found.items())
    ratio = whole / sum(found.values())
    print(f"{scheme} fit_transform {whole:.1f} ms; {parts}: {ratio:.2f}× their sum (goal ≤ {FITTED_GOAL:g}×)")


def main() -> None:
    warnings.simplefilter("ignore", tb.inference.ClampedTermsWarning)
    X = training_counts()
    print(f"20 Newsgroups training counts: {X.shape[0]:,} × {X.shape[1]:,}, {X.nnz:,} cells")
    compare_fit_transform(X)
    compare_transform(X)
    compare_exact_fits(X)


if __name__ == "__main__":
    main()
