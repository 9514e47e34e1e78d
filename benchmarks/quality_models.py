"""How well the models classify and cluster 20 Newsgroups and R8, beside their peers at the same preprocessing.

Both collections are counted as in the paper's Tables 2 and 3 (headers kept, stop words removed). Whatever is chosen is
chosen on training documents by cross-validation; the test documents are scored once, at the end, by what was chosen.

    TERMBURST_DATA=… python benchmarks/quality_models.py [classify] [cluster]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import accuracy_score, adjusted_rand_score, f1_score, normalized_mutual_info_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import ComplementNB, MultinomialNB

import termburst as tb
from termburst.paper.collections import Collections

ALPHAS = (1.0, 0.5, 0.3, 0.1, 0.03, 0.01, 0.003)


def chosen(estimators: dict[str, Any], X: Any, y: Any) -> tuple[str, dict[str, float]]:
    """The best of the estimators by three-fold cross-validated accuracy, and the accuracy of each."""
    folds = StratifiedKFold(3, shuffle=True, random_state=2)
    found = {name: float(cross_val_score(model, X, y, cv=folds).mean()) for name, model in estimators.items()}
    return max(found, key=lambda name: found[name]), found


def classify(name: str, split: Any) -> None:
    X, y = split.train, split.train_labels
    multinomial = {f"MultinomialNB(alpha={a})": MultinomialNB(alpha=a) for a in ALPHAS}
    best, by_alpha = chosen(multinomial, X, y)
    ours: dict[str, Any] = {
        "DirichletMultinomialNB()": tb.DirichletMultinomialNB(),
        "  precision=inf": tb.DirichletMultinomialNB(precision=np.inf),
        "  precision='shared'": tb.DirichletMultinomialNB(precision="shared"),
        "  precision='fit'": tb.DirichletMultinomialNB(precision="fit"),
        "  evidence='tokens'": tb.DirichletMultinomialNB(evidence="tokens"),
        **({"BetaBinomialNB()": tb.BetaBinomialNB()} if hasattr(tb, "BetaBinomialNB") else {}),
    }
    print(f"{name}: accuracy on training documents, three folds")
    for which, accuracy in (by_alpha | chosen(ours, X, y)[1]).items():
        print(f"  {which:32} {accuracy:.4f}")
    grid = {
        f"alpha={a}, background={w}, precision={s}, by CV": tb.DirichletMultinomialNB(
            alpha=a, background=w, precision=s
        )
        for a, w, s in product((0.02, 0.05, 0.1, 0.2), (0.02, 0.05, 0.1), (5_000, 20_000, 50_000))
    }
    tuned, by_grid = chosen(grid, X, y)
    print(f"  {tuned}: {by_grid[tuned]:.4f}")
    print(f"{name}: test documents")
    rivals = {"MultinomialNB()": MultinomialNB(), f"{best}, by CV": multinomial[best], "ComplementNB()": ComplementNB()}
    defaults = {which: model for which, model in ours.items() if which.endswith("NB()")}
    for which, model in (rivals | defaults | {tuned: grid[tuned]}).items():
        start = time.perf_counter()
        predicted = model.fit(X, y).predict(split.test)
        seconds = time.perf_counter() - start
        accuracy = accuracy_score(split.test_labels, predicted)
        f1 = f1_score(split.test_labels, predicted, average="macro")
        print(f"  {which:54} accuracy {accuracy:.4f}  macro F1 {f1:.4f}  {seconds:.2f} s", flush=True)


def multinomial_mixture(X: Any, k: int, seed: int, temperatures: Sequence[float]) -> Any:
    """Labels of a mixture of multinomials: tokens; smoothing, starts and annealing of `EDCMMixture`."""
    like = tb.EDCMMixture(k)
    share = np.random.RandomState(seed).dirichlet(np.ones(k), size=X.shape[0])
    tokens, by_term = X.astype(np.float64), X.T.tocsr().astype(np.float64)
    everywhere = np.asarray(tokens.sum(axis=0)).ravel() + like.alpha
    everywhere = like.background * everywhere / everywhere.sum()
    for stage, temperature in enumerate(temperatures):
        last, bound = stage == len(temperatures) - 1, -np.inf
        for _ in range(like.max_iter if last else like.steps):
            own = (by_term @ share).T + like.alpha
            mean = (1 - like.background) * own / own.sum(axis=1, keepdims=True) + everywhere
            joint = tokens @ np.log(mean).T + np.log((share.sum(axis=0) + 1) / (X.shape[0] + k))
            total = logsumexp(joint / temperature, axis=1, keepdims=True)
            share = np.exp(joint / temperature - total)
            previous, bound = bound, temperature * float(total.mean())
            if last and abs(bound - previous) < like.tol:
                break
    return joint.argmax(axis=1)


def cluster(name: str, X: Any, y: Any, seeds: int = 10) -> None:
    """NMI and ARI with the labels, mean and standard deviation over seeds."""
    X, k = X.tocsr(), int(np.unique(y).size)
    weights = TfidfTransformer().fit_transform(X)
    annealed = tb.EDCMMixture().temperatures
    methods: dict[str, Callable[[int], Any]] = {
        "k-means on TF–IDF": lambda seed: KMeans(k, n_init=1, random_state=seed).fit(weights).labels_,
        "multinomial mixture, plain EM": lambda seed: multinomial_mixture(X, k, seed, (1,)),
        "multinomial mixture, annealed": lambda seed: multinomial_mixture(X, k, seed, annealed),
        "EDCMMixture()": lambda seed: tb.EDCMMixture(k, random_state=seed).fit_predict(X),
        "EDCMMixture(precision='component')": lambda seed: tb.EDCMMixture(
            k, precision="component", random_state=seed
        ).fit_predict(X),
    }
    print(f"{name}: {X.shape[0]:,} documents in {k} clusters, {seeds} seeds")
    for method, labels in methods.items():
        start = time.perf_counter()
        found = [labels(seed) for seed in range(seeds)]
        seconds = (time.perf_counter() - start) / seeds
        nmi = [normalized_mutual_info_score(y, label) for label in found]
        ari = [adjusted_rand_score(y, label) for label in found]
        print(
            f"  {method:36} NMI {np.mean(nmi):.3f} ± {np.std(nmi):.3f}  ARI {np.mean(ari):.3f} ± {np.std(ari):.3f}"
            f"  {seconds:.1f} s",
            flush=True,
        )


def main() -> None:
    parts = sys.argv[1:] or ["classify", "cluster"]
    collections = Collections()
    for name, split in (("R8", collections.r8), ("20 Newsgroups", collections.newsgroups)):
        if "classify" in parts:
            classify(name, split)
        if "cluster" in parts:  # test documents: smoothing and temperatures were chosen on training documents
            cluster(f"{name}, test documents", split.test, split.test_labels)


if __name__ == "__main__":
    main()
