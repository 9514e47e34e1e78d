"""What the docs of keyness say besides its calibration: each claim with the number that it rests on.

* Welch's t-test on 10/90 splits of R8: the share of p ≤ 5 %, by band of n_i. Nothing differs.
* Copies: every module of the docstrings four times. Random halves of the *documents* cannot show that they depend on
  each other, since a word has its copies on both sides. Halves of the *modules* show it.
* Selection: words of R8 at a true ratio of 1 (half of them) or 2 and 4 (thinned). Of the 50 with the largest lower
  bound, how many differ by less? The same for the end of the 95 % interval nearest to 0, as it was before.
* Rare words: the number with q ≤ 5 % at min_count 1, 5 and 10, and with an adjustment that counts all words.

    TERMBURST_DATA=… python benchmarks/keyness_claims.py [--splits 8]
"""

from __future__ import annotations

import argparse

import numpy as np
from _keyness_corpora import BY_N, Corpus, band_name, corpora, random_part, thinned
from sklearn.feature_extraction.text import CountVectorizer

from termburst.datasets import load_stdlib
from termburst.inference.keyness import keyness
from termburst.inference.multiplicity import adjust, confident_effects
from termburst.models.cells import term_cells

SEED = 20261117


def welch_sizes(corpus: Corpus, splits: int) -> None:
    whole = corpus.cells(np.ones(corpus.n_j.size, dtype=bool))
    for method in ("welch", "beta-binomial"):
        rates = []
        for split in range(splits):
            inside = random_part(corpus, 0.1, np.random.default_rng([SEED, split]))
            p = keyness(corpus.cells(inside), corpus.cells(~inside), method=method, confidence=None).p_value
            rates.append([np.mean(p[(whole.n_i >= low) & (whole.n_i <= high)] <= 0.05) for low, high in BY_N])
        bands = zip(BY_N, 100 * np.mean(rates, axis=0), strict=True)
        print(
            f"{method}, {corpus.name}, 10/90, {splits} splits: "
            + ", ".join(f"{band_name(*b)}: {r:.1f} %" for b, r in bands)
        )


def copies(splits: int) -> None:
    X = CountVectorizer(stop_words="english").fit_transform(load_stdlib().texts).tocsr()
    n_i = 4 * np.asarray(X.sum(axis=0)).ravel()
    X = X[np.repeat(np.arange(X.shape[0]), 4)][:, n_i >= 20]
    module = np.arange(X.shape[0]) // 4
    for name in ("documents", "modules"):
        rates = []
        for split in range(splits):
            rng = np.random.default_rng([SEED, 1, split])
            side = (
                rng.permutation(module[-1] + 1)[module] % 2 if name == "modules" else rng.permutation(len(module)) % 2
            )
            p = keyness(term_cells(X[side == 0]), term_cells(X[side == 1]), confidence=None).p_value
            rates.append(np.nanmean(p <= 0.05))
        print(f"every document four times, random halves of the {name}: {100 * np.mean(rates):.1f} % at 5 %")


def selection(corpus: Corpus, splits: int) -> None:
    for share in (0.5, 0.1):
        over, naive, null, rare = [], [], [], []
        for split in range(splits):
            rng = np.random.default_rng([SEED, 2, split])
            inside = random_part(corpus, share, rng)
            a, b = corpus.cells(inside), corpus.cells(~inside)
            ratio = rng.choice([1.0, 1.0, 2.0, 4.0], corpus.terms)
            b = thinned(b, ratio[b.term], rng)
            found, truth = keyness(a, b), np.log2(ratio)
            q = adjust(found.p_value, attainable=found.least_p)
            chosen = q <= 0.05
            able = int(np.sum(found.least_p <= found.p_value[chosen].max(initial=0.0)))
            bound = confident_effects(found.ends, found.levels, chosen, "bh", able) * (found.log_ratio > 0)
            top = np.argsort(-bound)[:50]
            over.append(np.mean(truth[top] < bound[top]))
            null.append(np.mean(truth[top] == 0))
            old = np.nan_to_num(np.maximum(found.ci_low, 0.0))
            top = np.argsort(-old)[:50]
            naive.append(np.mean(truth[top] < old[top]))
            n_i = a.n_i + b.n_i
            counts = [
                np.sum(adjust(np.where(n_i >= m, found.p_value, np.nan), attainable=found.least_p) <= 0.05)
                for m in (1, 5, 10)
            ]
            plain = [np.sum(adjust(np.where(n_i >= m, found.p_value, np.nan)) <= 0.05) for m in (1, 5, 10)]
            rare.append([*counts, *plain])
        print(
            f"{corpus.name}, A has {share:.0%}: of the first 50 by lower bound {100 * np.mean(over):.1f} % are "
            f"overstated, {100 * np.mean(null):.1f} % are null; "
            f"by the 95 % interval {100 * np.mean(naive):.1f} % are over"
        )
        print(
            f"  q ≤ 5 % at min_count 1, 5, 10: {np.mean(rare, axis=0)[:3]}, "
            f"all words counted: {np.mean(rare, axis=0)[3:]}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=8)
    splits = parser.parse_args().splits
    copies(splits)
    corpus = next(corpus for corpus in corpora() if corpus.name == "R8")
    selection(corpus, splits)
    welch_sizes(corpus, splits)


if __name__ == "__main__":
    main()
