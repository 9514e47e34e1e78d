"""Test accuracy of weights: each scheme with four classifiers, on 20 Newsgroups and R8.

Statistics are from training documents only. The collections are those of the paper's Tables 2 and 3, no stop words.
Columns: MultinomialNB() on unnormalised weights; MultinomialNB(alpha=0.01), ComplementNB(alpha=0.3) and
LinearSVC(C=0.5) on rows of unit length.

    TERMBURST_DATA=… python benchmarks/quality_paper.py choose   # 3-fold cross-validation on training documents
    TERMBURST_DATA=… python benchmarks/quality_paper.py          # the test documents, once
    TERMBURST_DATA=… python benchmarks/quality_paper.py raw      # LinearSVC on the raw texts

`choose` prints each scheme and a grid of the constants of "damped-tf-idf", with the number of wins in 48 comparisons
with six rivals. The test prints each cell, an interval for each difference from TF–IDF by 2,000 bootstrap samples of
the test documents, McNemar's exact p, and each of the 48 comparisons. `raw` uses the tokens of scikit-learn without
removing any. It chooses C for each scheme by 3-fold cross-validation on the training documents, and among the
burstiness schemes the one with the best validated accuracy; then it scores the test documents.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import _paired
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

import termburst as tb
from termburst.datasets import load_20newsgroups, load_r8
from termburst.paper.collections import Collections
from termburst.weights import scheme_functions

RIVALS = ("counts", "tf-idf", "tf-icf", "sublinear-tf-idf", "s-lambda", "bm25")
CORPORA = {"20 Newsgroups": "newsgroups", "R8": "r8"}
CLASSIFIERS = ("NB", "NB .01", "CNB .3", "SVC")
GRID = {"DAMPING": (1.0, 2.0, 4.0), "RARITY": (0.25, 0.5, 0.6, 0.75, 1.0)}
LOADERS = {"20 Newsgroups": load_20newsgroups, "R8": load_r8}
RAW_RIVALS = ("sublinear-tf-idf", "bm25")
BY_BURSTINESS = ("damped-tf-idf", "log-damped-tf-idf")
CS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
NON_NEGATIVE = [name for name, scheme in tb.SCHEMES.items() if not scheme.signed]  # which naive Bayes needs


def predicted(train: Any, labels: Any, test: Any) -> Iterator[NDArray[Any]]:
    """The labels of the test documents by each classifier."""
    unit, unit_test = normalize(train), normalize(test)
    yield MultinomialNB().fit(train, labels).predict(test)
    yield MultinomialNB(alpha=0.01).fit(unit, labels).predict(unit_test)
    yield ComplementNB(alpha=0.3).fit(unit, labels).predict(unit_test)
    yield LinearSVC(C=0.5, random_state=0).fit(unit, labels).predict(unit_test)


def right(scheme: str, train: Any, labels: Any, test: Any, truth: Any) -> tuple[NDArray[np.bool_], list[float]]:
    """The test documents that each classifier gets right (classifiers × documents), and its macro F1."""
    weigh = tb.TermWeighting(scheme, norm=None)
    found = list(predicted(weigh.fit_transform(train), labels, weigh.transform(test)))
    return np.stack([labels == truth for labels in found]), [float(f1_score(truth, y, average="macro")) for y in found]


def wins(cells: NDArray[np.float64], rivals: dict[str, NDArray[np.float64]]) -> int:
    return sum(int(np.sum(cells > other)) for other in rivals.values())


def shown(name: str, cells: Any) -> str:
    return f"{name:>34} " + " ".join(f"{value:.4f}"[1:] for value in np.ravel(cells))


def choose() -> None:
    collections = Collections()
    folds = []
    for name in CORPORA.values():
        split = getattr(collections, name)
        cuts = StratifiedKFold(3, shuffle=True, random_state=0).split(split.train, split.train_labels)
        folds.append([(split, *cut) for cut in cuts])

    def validated(scheme: str) -> NDArray[np.float64]:
        cells = [
            np.mean(
                [
                    right(scheme, s.train[a], s.train_labels[a], s.train[b], s.train_labels[b])[0].mean(axis=1)
                    for s, a, b in corpus
                ],
                axis=0,
            )
            for corpus in folds
        ]
        return np.concatenate(cells)

    print(f"{'3-fold cross-validation':>34} {'20 Newsgroups':<19} R8   ({', '.join(CLASSIFIERS)})")
    rivals = {scheme: validated(scheme) for scheme in RIVALS}
    for scheme, cells in rivals.items():
        print(shown(scheme, cells), flush=True)
    for scheme in NON_NEGATIVE:
        if scheme not in rivals:
            cells = validated(scheme)
            print(f"{shown(scheme, cells)}  wins {wins(cells, rivals)} of 48, mean {cells.mean():.4f}", flush=True)
    for values in itertools.product(*GRID.values()):
        for constant, value in zip(GRID, values, strict=True):
            setattr(scheme_functions, constant, value)
        cells = validated("damped-tf-idf")
        name = "damped-tf-idf, " + ", ".join(f"{value:g}" for value in values)
        print(f"{shown(name, cells)}  wins {wins(cells, rivals)} of 48, mean {cells.mean():.4f}", flush=True)


def raw() -> None:
    for corpus, load in LOADERS.items():
        train, test = load("train"), load("test")
        counter = tb.CountVectorizer()
        X, labels = counter.fit_transform(train.texts), np.asarray(train.labels)
        Y, truth = counter.transform(test.texts), np.asarray(test.labels)
        cuts = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, labels))
        print(f"\n{corpus}, raw text, LinearSVC on unit rows: validated accuracy, C, test accuracy")
        found: dict[str, tuple[float, NDArray[np.bool_]]] = {}
        for scheme in (*RAW_RIVALS, *BY_BURSTINESS):
            weigh = tb.TermWeighting(scheme, norm="l2")
            weighed = [(weigh.fit_transform(X[a]), labels[a], weigh.transform(X[b]), labels[b]) for a, b in cuts]
            score = {
                C: np.mean([LinearSVC(C=C, random_state=0).fit(A, a).score(B, b) for A, a, B, b in weighed]) for C in CS
            }
            best = max(CS, key=lambda C: score[C])
            fitted = LinearSVC(C=best, random_state=0).fit(weigh.fit_transform(X), labels)
            hits = fitted.predict(weigh.transform(Y)) == truth
            found[scheme] = float(score[best]), hits
            print(f"{scheme:>34} {score[best]:.4f} {best:<5g} {hits.mean():.4f}", flush=True)
        chosen = max(BY_BURSTINESS, key=lambda scheme: found[scheme][0])
        ours, theirs = found[chosen][1], found["sublinear-tf-idf"][1]
        print(f"{'chosen':>34} {chosen} minus sublinear TF–IDF: {_paired.documents(ours, theirs)} (McNemar)")


def test() -> None:
    collections = Collections()
    results: dict[str, list[NDArray[np.bool_]]] = {}
    print(f"{'test documents':>34} {'20 Newsgroups':<19} R8   ({', '.join(CLASSIFIERS)})")
    for scheme in NON_NEGATIVE:
        found, macro = [], []
        for name in CORPORA.values():
            split = getattr(collections, name)
            hits, f1 = right(scheme, split.train, split.train_labels, split.test, split.test_labels)
            found.append(hits)
            macro += f1
        results[scheme] = found
        print(shown(scheme, [hits.mean(axis=1) for hits in found]) + "   macro F1" + shown("", macro)[34:], flush=True)
    ours = results["damped-tf-idf"]
    print("\ndamped-tf-idf minus TF–IDF, 95 % interval, McNemar's p")
    for corpus, mine, theirs in zip(CORPORA, ours, results["tf-idf"], strict=True):
        for k, classifier in enumerate(CLASSIFIERS):
            print(f"{corpus:>34} {classifier:<7} {_paired.documents(mine[k], theirs[k])}")
    print("\nagainst each rival, cell by cell")
    total = 0
    for rival in RIVALS:
        marks = [
            "won" if a.mean() > b.mean() else "tied" if a.mean() == b.mean() else "LOST"
            for mine, theirs in zip(ours, results[rival], strict=True)
            for a, b in zip(mine, theirs, strict=True)
        ]
        total += marks.count("won")
        print(f"{rival:>34} {' '.join(marks)}")
    print(f"{'won':>34} {total} of {8 * len(RIVALS)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["choose", "test", "raw"], default="test")
    warnings.simplefilter("ignore", tb.inference.ClampedTermsWarning)
    {"choose": choose, "test": test, "raw": raw}[parser.parse_args().what]()


if __name__ == "__main__":
    main()
