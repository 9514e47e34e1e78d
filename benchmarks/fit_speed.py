"""Exact beta-binomial fits of a whole vocabulary, against that of the paper: one `scipy.optimize.minimize` per term.

On the Fig. 4 collection (20 Newsgroups training posts, headers, footers and quotes removed, 72,916 terms):
the time of `fit_beta_binomial` with its tables; the time of L-BFGS-B from (1, 1) with numerical gradients on the dense
column, for a random sample of terms, extrapolated; whether a scan three times as fine finds a better maximum; the time
of one term as documents without it are added; and the peak memory.

    TERMBURST_DATA=… python benchmarks/fit_speed.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import betaln
from sklearn.feature_extraction.text import CountVectorizer

import termburst as tb
from termburst.core import beta_binomial as core
from termburst.core.binding import record
from termburst.datasets import clean_text, load_20newsgroups
from termburst.models import fit_beta_binomial as module
from termburst.models.cells import term_cells
from termburst.models.length_table import LengthTable

SAMPLE = 40
ROUNDS = 15


def seconds(function: Any, *arguments: Any) -> float:
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def authors_fit(column: np.ndarray, lengths: np.ndarray) -> Any:
    def negative(parameters: np.ndarray) -> float:
        a, b = parameters
        return float(-(betaln(column + a, lengths - column + b) - betaln(a, b)).sum())

    return minimize(negative, [1.0, 1.0], method="L-BFGS-B", bounds=[(1e-10, None)] * 2)


def sampled(X: Any, size: int) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """Random terms, their dense columns, and the lengths of non-empty documents."""
    sample = np.random.default_rng(0).choice(X.shape[1], size, replace=False)
    lengths = np.asarray(X.sum(axis=1)).ravel()
    by_term = X[lengths > 0].tocsc()
    columns = [by_term[:, [i]].toarray().ravel().astype(float) for i in sample]
    return sample, columns, lengths[lengths > 0].astype(float)


def main() -> None:
    train = load_20newsgroups("train", remove=("headers", "footers", "quotes"))
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(map(clean_text, train.texts))
    lengths = np.asarray(X.sum(axis=1)).ravel()
    print(f"{X.shape[0]:,} documents × {X.shape[1]:,} terms, {X.nnz:,} cells, {X.sum():,} tokens")

    tb.fit_beta_binomial(X[:50])
    ours = statistics.median(seconds(tb.fit_beta_binomial, X) for _ in range(ROUNDS))
    fit = tb.fit_beta_binomial(X)
    counts = {status: int((fit.status == status).sum()) for status in sorted(set(fit.status))}
    print(f"fit_beta_binomial: {ours:.3f} s for all terms")
    score, step = fit.score_norm.max(), np.abs(fit.newton_step).max()
    print(f"  {counts}; largest scaled score {score:.1e}, largest last step {step:.1e}")

    _, columns, filled = sampled(X, SAMPLE)
    theirs = [seconds(authors_fit, column, filled) for column in columns]
    whole = statistics.mean(theirs) * X.shape[1]
    print(
        f"L-BFGS-B from (1, 1): {statistics.mean(theirs):.3f} s per term ({SAMPLE} terms), {whole:,.0f} s for all: "
        f"{whole / ours:,.0f}× (goal ≥ 100,000×)"
    )

    cells = term_cells(X)
    finer = module._result(cells, module._fit_all(cells, np.zeros(4), module.SPACING / 3))
    better = finer.loglik - fit.loglik
    print(f"a scan three times as fine is better by more than 1e-6 on {int((better > 1e-6).sum())} terms")

    print('one term, "ambulance", as documents without it are added:')
    term = X.tocsc()[:, [vectorizer.vocabulary_["ambulance"]]]
    rest = sp.csr_matrix(lengths[:, None] - term.toarray())
    pair = sp.hstack([term, rest]).tocsr()
    without = pair[term.toarray().ravel() == 0]
    for times in (1, 4, 16):
        stack = sp.vstack([pair, *[without] * (times - 1)]).tocsr()
        statistics_ = tb.TermStatistics.from_counts(stack, detail="patterns")
        only = kernel_seconds(statistics_)
        print(f"  {times:>2} d = {stack.shape[0]:>7,} documents: {1e6 * only:6.1f} µs")

    with tempfile.TemporaryDirectory() as folder:
        sp.save_npz(f"{folder}/X.npz", X)
        peak = in_a_child(MEMORY, folder)
    matrix = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    print(f"peak memory {peak / 2**20:.1f} MiB more, {peak / matrix:.2f}× the count matrix (goal < 3×)")


MEMORY = """
import sys, tracemalloc
import numpy as np, scipy.sparse as sp
import termburst as tb

def resident(key):
    with open("/proc/self/status") as status:
        return 1024 * next(int(line.split()[1]) for line in status if line.startswith(key))

X = sp.load_npz(sys.argv[1] + "/X.npz")
tb.fit_beta_binomial(np.array([[4, 26], [0, 31], [1, 24]]))
peaks = []
if sys.platform == "linux":  # peak resident memory, which includes memory of kernels
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")
    before = resident("VmRSS")
    tb.fit_beta_binomial(X)
    peaks.append(resident("VmHWM") - before)
tracemalloc.start()
tb.fit_beta_binomial(X)
peaks.append(tracemalloc.get_traced_memory()[1])
print(max(peaks))
"""


def in_a_child(script: str, *arguments: str) -> float:
    """The output of a new process, needed to measure the peak of resident memory."""
    command = [sys.executable, "-c", script, *arguments]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def kernel_seconds(collection: tb.TermStatistics) -> float:
    """The time to fit only the first term, with tables made before."""
    cells = term_cells(collection)
    table = LengthTable.of(collection.lengths, collection.length_documents)
    of, lengths, raw = cells.for_kernels(), table.for_kernels(), np.zeros(cells.n_i.size, record("FitResult"))
    arguments = of, lengths, np.array([0]), np.zeros(4), module.SPACING, raw
    core.fit_terms(*arguments)
    return statistics.median(seconds(core.fit_terms, *arguments) for _ in range(101))


if __name__ == "__main__":
    main()
