"""Time and memory of tb.CountVectorizer against that of scikit-learn, and from text to weights.

Each measurement is a separate process. Its peak memory does not include the texts and the code (on Linux, the peak that
the kernel measures is reset before the first round). Compiled code is loaded before the clock starts. "1 core" binds
the process to one core.

    TERMBURST_DATA=… python benchmarks/counting_speed.py [rounds] [--large]

--large adds a corpus of 1 GB, the posts repeated in random order: as one matrix, and streamed, as `stats build` would.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

import termburst as tb
from termburst.datasets import load_20newsgroups

LARGE = 10**9  # characters, almost all of one byte
WARM = 800  # posts counted first, to load everything


def texts() -> list[str]:
    return list(load_20newsgroups("all").texts)


def memory(which: str) -> float:
    """Megabytes of this process now ("VmRSS"), or at the peak since the last `forget_peak` ("VmHWM")."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith(which)).split()[1]) / 1024


def forget_peak() -> None:
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # return freed memory, whose reuse would not be measured
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def sklearn_counts(posts: list[str]) -> Any:
    return CountVectorizer().fit_transform(posts)


def our_counts(posts: list[str]) -> Any:
    return tb.CountVectorizer().fit_transform(posts)


def sklearn_tfidf(posts: list[str]) -> Any:
    return TfidfVectorizer().fit_transform(posts)


def our_weights(posts: list[str]) -> Any:
    return tb.BurstinessVectorizer(scheme="s-lambda", norm=None).fit_transform(posts)


def our_tests(posts: list[str]) -> Any:
    vectorizer = tb.CountVectorizer()
    return tb.burstiness_test(vectorizer.fit_transform(posts), vectorizer.get_feature_names_out())


def our_tests_and_dispersion(posts: list[str]) -> Any:
    vectorizer = tb.CountVectorizer()
    return tb.burstiness_test(vectorizer.fit_transform(posts), vectorizer.get_feature_names_out(), columns="all")


def our_large_counts(posts: list[str]) -> Any:
    return tb.CountVectorizer().fit_transform(shuffled(posts, LARGE if len(posts) > WARM else 10**6))


def our_statistics(posts: list[str]) -> Any:
    many = shuffled(posts, LARGE if len(posts) > WARM else 10**6)
    return tb.TermStatistics.from_texts(many, counting=tb.CountingOptions(words="sklearn"))


def shuffled(posts: list[str], size: int) -> Iterator[str]:
    rng = np.random.default_rng(1)
    while size > 0:
        for k in rng.permutation(len(posts)).tolist():
            yield posts[k]
            size -= len(posts[k])
            if size <= 0:
                return


TASKS: dict[str, Callable[[list[str]], Any]] = {
    "scikit-learn's CountVectorizer": sklearn_counts,
    "tb.CountVectorizer": our_counts,
    "scikit-learn's TfidfVectorizer": sklearn_tfidf,
    "text to S(λ) weights": our_weights,
    "text to exact fits and p-values": our_tests,
    "and nine measures of dispersion": our_tests_and_dispersion,
    "matrix of 1 GB": our_large_counts,
    "statistics of 1 GB, streamed": our_statistics,
}
SMALL, LARGE_TASKS = list(TASKS)[:6], list(TASKS)[6:]


def measure(task: str, rounds: int) -> None:
    """In this process: seconds of each round, and megabytes without the texts."""
    posts = texts()
    TASKS[task](posts[:WARM])
    forget_peak()
    before, seconds = memory("VmRSS"), []
    for _ in range(rounds):
        start = time.perf_counter()
        TASKS[task](posts)
        seconds.append(time.perf_counter() - start)
    print(
        json.dumps(
            {
                "seconds": seconds,
                "megabytes": memory("VmHWM") - before,
                "size": sum(len(post.encode()) for post in posts),
            }
        )
    )


def measured(task: str, rounds: int, cores: int | None = None) -> tuple[float, float, int]:
    """In a separate process on *cores* cores: the median time, megabytes, characters."""

    def bind() -> None:
        if cores is not None:
            os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:cores]))

    command = [sys.executable, __file__, str(rounds), "--task", task]
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, preexec_fn=bind).stdout)
    return statistics.median(result["seconds"]), result["megabytes"], result["size"]


def identical() -> None:
    posts, ours, theirs = texts(), tb.CountVectorizer(), CountVectorizer()
    X, Y = ours.fit_transform(posts), theirs.fit_transform(posts)
    Y.sort_indices()
    same = ours.vocabulary_ == theirs.vocabulary_ and all(
        np.array_equal(getattr(X, name), getattr(Y, name)) for name in ("data", "indices", "indptr")
    )
    if not same:
        sys.exit("the matrices are DIFFERENT")
    print(f"{X.shape[0]:,} posts × {X.shape[1]:,} terms, {X.nnz:,} cells: identical\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rounds", type=int, nargs="?", default=5)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--task", choices=TASKS)
    options = parser.parse_args()
    if options.task:
        measure(options.task, options.rounds)
        return
    identical()
    names = list(TASKS)
    for cores in (None, 1):
        print(f"{'all cores' if cores is None else '1 core'}; medians of {options.rounds}")
        base: dict[str, float] = {}
        for task in SMALL:
            seconds, megabytes, size = measured(task, options.rounds, cores)
            base[task] = seconds
            peer = names[0] if task in names[:2] else names[2]
            ratio = base[peer] / seconds
            rate = size / seconds / 1e6
            print(f"{task:>34} {seconds:7.3f} s {ratio:5.1f}× {rate:7.0f} MB/s {megabytes:7.0f} MB more")
    for task in LARGE_TASKS if options.large else ():
        seconds, megabytes, _ = measured(task, 1)
        print(f"{task:>34} {seconds:7.1f} s       {LARGE / seconds / 1e6:7.0f} MB/s {megabytes:7.0f} MB more")


if __name__ == "__main__":
    main()
