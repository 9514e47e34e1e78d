"""The time of the tests of burstiness and keyness, and of SciPy for similar tests, one term at a time.

On the Fig. 4 collection (20 Newsgroups training posts, headers, footers and quotes removed): `tb.burstiness_test` of
all 72,916 terms; `tb.keyness` of the 20,000 most frequent terms between random halves of the 11,314 documents, with and
without intervals; the parts of each. For comparison, on a random sample of those 20,000 terms and extrapolated: the
likelihood ratio of one beta-binomial mean for both corpora or one for each, with a precision for each, by L-BFGS-B on
the dense column, `scipy.stats.permutation_test` with 999 resamples, and `scipy.stats.mannwhitneyu`. "intervals" shows
only what intervals cost, in processor time: at most three times of what there is without them.

    TERMBURST_DATA=… python benchmarks/inference_speed.py [rounds, default 7 | intervals]
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import stats
from scipy.optimize import minimize
from scipy.special import betaln

import termburst as tb
from termburst.inference import keyness as inference
from termburst.inference.dispersion import dispersion
from termburst.inference.multiplicity import levels_of
from termburst.inference.overdispersion import burstiness
from termburst.inference.two_sides import TwoSides
from termburst.models.cells import joined, term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.paper.collections import Collections
from termburst.threads import cores

TERMS, SAMPLE, RESAMPLES = 20_000, 12, 999


def seconds(function: Callable[..., Any], *arguments: Any, **options: Any) -> float:
    start = time.perf_counter()
    function(*arguments, **options)
    return time.perf_counter() - start


def median(rounds: int, function: Callable[..., Any], *arguments: Any, **options: Any) -> float:
    """The median of *rounds* runs, after one that is not counted."""
    function(*arguments, **options)
    return statistics.median(seconds(function, *arguments, **options) for _ in range(rounds))


def scipy_ratio(a: np.ndarray, b: np.ndarray, n_a: np.ndarray, n_b: np.ndarray) -> float:
    """2(ℓ_1 − ℓ_0) of a term: one mean per corpus against one for both, with a precision for each corpus."""

    def loglik(x: np.ndarray, n: np.ndarray, logit: float, log_precision: float) -> float:
        p, precision = 1 / (1 + np.exp(-logit)), np.exp(log_precision)
        alpha, rest = precision * p, precision * (1 - p)
        return float((betaln(x + alpha, n - x + rest) - betaln(alpha, rest)).sum())

    share = (a.sum() + b.sum()) / (n_a.sum() + n_b.sum())
    start = np.log(share / (1 - share))
    mean, precision = (-25.0, 5.0), (-5.0, 20.0)
    null = minimize(
        lambda v: -loglik(a, n_a, v[0], v[1]) - loglik(b, n_b, v[0], v[2]),
        [start, 6.0, 6.0],
        bounds=[mean, precision, precision],
    )
    free = minimize(
        lambda v: -loglik(a, n_a, v[0], v[2]) - loglik(b, n_b, v[1], v[3]),
        [null.x[0], *null.x],
        bounds=[mean, mean, precision, precision],
    )
    return 2 * float(null.fun - free.fun)


def difference(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
    return np.mean(x, axis=axis) - np.mean(y, axis=axis)


def show(name: str, value: float, note: str = "") -> None:
    print(f"{name:>44} {value:8.3f} s {note}", flush=True)


def burstiness_speed(X: Any, rounds: int) -> None:
    print(f"{X.shape[0]:,} documents × {X.shape[1]:,} terms, {X.nnz:,} cells")
    cells = term_cells(X)
    show(
        "tb.burstiness_test(X), all columns",
        median(rounds, partial(tb.burstiness_test, columns="all"), X),
        "(goal < 5 s)",
    )
    show("cells by term", median(rounds, term_cells, X))
    fitting = median(rounds, fit_beta_binomial, cells)
    show("exact fits", fitting)
    show("null distributions and p-values", median(rounds, burstiness, cells) - fitting)
    show("measures of dispersion", median(rounds, dispersion, cells))


def keyness_speed(A: Any, B: Any, rounds: int) -> float:
    """The time of keyness without intervals."""
    print(f"\n{A.shape[0] + B.shape[0]:,} documents × {A.shape[1]:,} terms, {A.nnz + B.nnz:,} cells, random halves")
    show("tb.keyness(A, B)", median(rounds, tb.keyness, A, B), "(goal < 2 s)")
    bare = median(rounds, tb.keyness, A, B, confidence=None)
    show("without intervals", bare)
    a, b = term_cells(A), term_cells(B)
    show("fit of both together", median(rounds, lambda: fit_beta_binomial(joined([a, b]))))
    found = inference.compare(a, b)
    show("profiles, and what all terms say", median(rounds, lambda: TwoSides(a, b, found.null).prior_sums()))
    show("smallest possible p", median(rounds, lambda: TwoSides(a, b, found.null).least_p(found.prior)))
    tails = median(rounds, found.tails, [0.0], np.empty(0))
    show("tails and estimates", tails)
    show("limits", median(rounds, found.tails, [0.0], levels_of(0.05, A.shape[1])) - tails)
    show("measures of dispersion", median(rounds, lambda: [dispersion(x, ["dp"]) for x in (a, b)]))
    for method in inference.METHODS:
        if method != "beta-binomial":
            show(f"{method}, no intervals", median(rounds, tb.keyness, A, B, method=method, confidence=None))
    return bare


def scipy_speed(A: Any, B: Any, sample: np.ndarray, bare: float) -> None:
    times = A.shape[1] / sample.size
    print(f"\nSciPy, {sample.size} random terms of those, × {times:,.0f}")
    lengths = [np.asarray(part.sum(axis=1)).ravel().astype(float) for part in (A, B)]
    parts = [part[n > 0].tocsc() for part, n in zip((A, B), lengths, strict=True)]
    n_a, n_b = (n[n > 0] for n in lengths)
    columns = [[part[:, [i]].toarray().ravel().astype(float) for part in parts] for i in sample]
    shares = [(x / n_a, y / n_b) for x, y in columns]
    spent = times * seconds(lambda: [scipy_ratio(x, y, n_a, n_b) for x, y in columns])
    show("beta-binomial ratio by L-BFGS-B", spent, f"{spent / bare:,.0f}×")
    options: dict[str, Any] = {"n_resamples": RESAMPLES, "batch": 100, "vectorized": True}
    spent = times * seconds(lambda: [stats.permutation_test(pair, difference, **options) for pair in shares])
    show(f"permutation_test, {RESAMPLES} resamples", spent, f"{spent / bare:,.0f}×")
    spent = times * seconds(lambda: [stats.mannwhitneyu(*pair) for pair in shares])
    show("mannwhitneyu", spent, f"{spent / bare:,.0f}×")


def processor_time(function: Callable[[], Any]) -> float:
    """The smaller one of two runs."""
    times = []
    for _ in range(2):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def intervals_cost(X: Any) -> None:
    """Processor time with intervals over that without; all terms, random halves and random eighths of the documents."""
    eighth = np.random.default_rng(20261117).integers(0, 8, X.shape[0])
    A, B = X[eighth < 4], X[eighth >= 4]
    about = {"eighth": eighth.astype(str)}
    for name, function in (
        ("burstiness_test", lambda shown: tb.burstiness_test(X, columns="all", intervals=shown)),
        ("keyness", lambda shown: tb.keyness(A, B, confidence=0.95 if shown else None)),
        (
            "keyness of burstiness",
            lambda shown: tb.keyness(A, B, compare="burstiness", confidence=0.95 if shown else None),
        ),
        ("design", lambda shown: tb.keyness(X, formula="eighth", metadata=about, confidence=0.95 if shown else None)),
    ):
        bare, whole = (processor_time(lambda run=function, shown=shown: run(shown)) for shown in (False, True))
        print(f"{name}: {bare:.2f} s without intervals, {whole:.2f} s with them: {whole / bare:.2f} times", flush=True)


def main() -> None:
    X = Collections().fig4.counts
    if sys.argv[1:] == ["intervals"]:
        intervals_cost(X)
        return
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    print(f"{cores()} cores; medians of {rounds} runs, warm; × is against tb.keyness without intervals\n")
    burstiness_speed(X, rounds)
    rng = np.random.default_rng(20260101)
    n_i = np.asarray(X.sum(axis=0)).ravel()
    most = X[:, np.sort(np.argsort(-n_i, kind="stable")[:TERMS])]
    order = rng.permutation(X.shape[0])
    A, B = most[order[: X.shape[0] // 2]], most[order[X.shape[0] // 2 :]]
    bare = keyness_speed(A, B, rounds)
    scipy_speed(A, B, rng.choice(TERMS, SAMPLE, replace=False), bare)


if __name__ == "__main__":
    main()
