"""`fit_dirichlet_multinomial` on all terms of 20 Newsgroups, and the coverage of its intervals in simulations.

Seconds are medians over runs and do not include counting. The log-likelihoods are without multinomial coefficients.
Coverage is that of 95 % intervals, over replications with known parameters.

    TERMBURST_DATA=… python benchmarks/dirichlet_multinomial.py
"""

from __future__ import annotations

import statistics
import time

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from termburst.datasets import clean_text, load_20newsgroups
from termburst.models.dirichlet_multinomial import (
    METHODS,
    dirichlet_multinomial_sample,
    fit_dirichlet_multinomial,
)
from termburst.statistics.term_statistics import TermStatistics

ROUNDS = 7
REPLICATIONS = 1000


def newsgroups() -> None:
    X = CountVectorizer(stop_words="english").fit_transform(map(clean_text, load_20newsgroups("train").texts))
    collection = TermStatistics.from_counts(X)
    print(f"20 Newsgroups training counts: {X.shape[0]:,} × {X.shape[1]:,}")
    n_i = collection.collection_frequency
    multinomial = float(n_i @ np.log(n_i / collection.tokens))
    print(f"multinomial: log-likelihood {multinomial:,.1f}")
    for method in METHODS:
        times = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            fit = fit_dirichlet_multinomial(collection, method=method)
            times.append(time.perf_counter() - start)
        print(
            f"{method}: {statistics.median(times):.3f} s, {fit.status}, {fit.iterations} iterations, gradient norm "
            f"{fit.gradient_norm:.1e}, α_0 {fit.precision:.2f}, log-likelihood {fit.loglik:,.1f} "
            f"({fit.loglik - multinomial:+,.1f} against the multinomial)"
        )


def coverage() -> None:
    rng = np.random.default_rng(2024)
    for documents, alpha in [
        (200, np.array([0.2, 0.5, 1.0, 2.0, 4.0])),
        (500, np.geomspace(0.02, 2.0, 40)),
    ]:
        covered, sought, lost = np.zeros(alpha.size), np.zeros(alpha.size), 0
        for _ in range(REPLICATIONS):
            lengths = rng.integers(20, 150, documents)
            fit = fit_dirichlet_multinomial(dirichlet_multinomial_sample(lengths, alpha, rng))
            lost += fit.status != "converged"
            low, high = fit.intervals()
            sought += ~np.isnan(low)
            covered += (low <= alpha) & (alpha <= high)
        share = 100 * covered / sought
        error = 100 * np.sqrt(0.95 * 0.05 / REPLICATIONS)
        print(
            f"{documents} documents, {alpha.size} terms: {REPLICATIONS} replications ({lost} not converged), coverage "
            f"{share.mean():.1f} % (terms {share.min():.1f} to {share.max():.1f}; binomial error {error:.1f})"
        )


if __name__ == "__main__":
    newsgroups()
    coverage()
