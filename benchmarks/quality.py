"""Weights and classifiers on many sets of texts, every scheme tuned alike on training documents only.

    TERMBURST_DATA=… python benchmarks/quality.py choose    # folds of the training documents of eight sets
    TERMBURST_DATA=… python benchmarks/quality.py confirm   # the sets and test parts that were not used to choose
    TERMBURST_DATA=… python benchmarks/quality.py time      # how long `BurstClassifier` takes to train

Each scheme is combined with MultinomialNB, ComplementNB, LinearSVC and logistic regression. What a model needs (alpha
and whether rows have unit length; C) is chosen for every scheme alike on one third of at most 4,000 training documents.
Printed are accuracy and macro F1 of all cells, McNemar's exact p of the recommended scheme against each rival, and mean
ranks with a bootstrap interval over sets. Then `BurstClassifier()` is compared with TfidfVectorizer(sublinear_tf=True)
+ LinearSVC(), both with defaults: accuracy, p, processor time of training. `--sets`, `--most` (training documents of
`choose`), `--models MultinomialNB BurstClassifier` (only these) and `--ngrams 2` (pairs of words, too) change what is
measured. `--keep FOLDER` stores the results of each set and model and does not compute those again that are there, so
that models can be run one by one and printed together.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import _paired
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from quality_sets import CHOOSE, CONFIRM, TITLES, Split, choosing, confirming
from scipy.stats import rankdata
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, normalize
from sklearn.svm import LinearSVC

import termburst as tb

LEAST = 4000  # training documents used to tune, at most
Result = dict[str, dict[str, Any]]  # cell → {"hits": 0 and 1 for each test document, "f1": macro F1, …}


class NBSVM:
    """NB-SVM (Wang and Manning, 2012): presence times log-ratio, LinearSVC, coefficients pulled to their mean."""

    def __init__(self, options: tuple[float, float]) -> None:
        self.C, self.beta = options

    def fit(self, X: Any, y: NDArray[Any]) -> NBSVM:
        self.classes_ = np.unique(y)
        self.rows = []
        for c in self.classes_ if self.classes_.size > 2 else self.classes_[1:]:
            own, rest = X[y == c].sum(axis=0) + 1.0, X[y != c].sum(axis=0) + 1.0
            r = np.ravel(np.log(own / own.sum()) - np.log(rest / rest.sum()))
            model = LinearSVC(C=self.C, tol=1e-3, random_state=0).fit(X @ sp.diags_array(r), y == c)
            w = model.coef_[0]
            self.rows.append((r * ((1 - self.beta) * np.abs(w).mean() + self.beta * w), model.intercept_[0]))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        scores = np.column_stack([X @ v + b for v, b in self.rows])
        at = scores.argmax(axis=1) if self.classes_.size > 2 else (scores[:, 0] > 0).astype(int)
        return np.asarray(self.classes_[at])


def logistic(C: float) -> Any:
    return OneVsRestClassifier(LogisticRegression(C=C, solver="liblinear", dual=True, tol=1e-2, random_state=0))


def presence(counts: Any) -> Any:
    return sp.csr_array((np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape)


SCHEMES: dict[str, Callable[[], Any]] = {
    "counts": FunctionTransformer,
    "binary": lambda: FunctionTransformer(presence),
    "scikit-learn's TF–IDF": lambda: TfidfTransformer(norm=None),
    "scikit-learn's sublinear": lambda: TfidfTransformer(norm=None, sublinear_tf=True),
    "bm25": lambda: tb.TermWeighting("bm25", norm=None),
    "damped-tf-idf": lambda: tb.TermWeighting("damped-tf-idf", norm=None),
    "log-damped-tf-idf": lambda: tb.TermWeighting("log-damped-tf-idf", norm=None),
    # These two learn from the labels, as NB-SVM does.
    "class-lift": lambda: tb.TermWeighting("class-lift", norm=None),
    "class-damped": lambda: tb.TermWeighting("class-damped", norm=None),
}
BAYES = [(norm, alpha) for norm in (False, True) for alpha in (1.0, 0.1, 0.01)]
MODELS: dict[str, tuple[list[tuple[bool, float]], Callable[[float], Any]]] = {  # (unit rows, value), model of a value
    "MultinomialNB": (BAYES, lambda alpha: MultinomialNB(alpha=alpha)),
    "ComplementNB": (BAYES, lambda alpha: ComplementNB(alpha=alpha)),
    "LinearSVC": ([(True, C) for C in (0.3, 1.0, 3.0)], lambda C: LinearSVC(C=C, tol=1e-2, random_state=0)),
    "logistic": ([(True, 10.0)], logistic),  # one C for all schemes, since tuning takes too long
}
FOR = {"MultinomialNB": "naive-bayes", "ComplementNB": "naive-bayes", "LinearSVC": "linear", "logistic": "linear"}
OURS = "BurstClassifier"


def tuned(rows: list[tuple[bool, Any]], make: Callable[[Any], Any], A: Any, a: Any, B: Any, b: Any) -> Any:
    """The setting with the highest accuracy on B after fitting A; the first of equals."""
    if len(rows) == 1:
        return rows[0]
    units = normalize(A), normalize(B)

    def accuracy(row: tuple[bool, Any]) -> float:
        P, Q = units if row[0] else (A, B)
        return float(np.mean(make(row[1]).fit(P, a).predict(Q) == b))

    return max(rows, key=accuracy)


def predictions(split: Split, ngrams: int, models: list[str]) -> dict[str, NDArray[Any]]:
    """The labels of the test documents by every scheme and each of the models."""
    counter = tb.CountVectorizer(ngram_range=(1, ngrams))
    X, y = sp.csr_array(counter.fit_transform(split.train)), split.train_labels
    Y = sp.csr_array(counter.transform(split.test))
    some = np.random.default_rng(1).permutation(y.size)[:LEAST]
    many = np.isin(y[some], [c for c in np.unique(y[some]) if np.sum(y[some] == c) > 2])
    some = some[many]
    a, b = next(StratifiedShuffleSplit(1, test_size=1 / 3, random_state=0).split(some, y[some]))
    a, b = some[a], some[b]
    found: dict[str, NDArray[Any]] = {}
    for scheme, make in SCHEMES.items():
        weigh = make()
        A, B = weigh.fit_transform(X[a], y[a]), weigh.transform(X[b])
        whole, test = weigh.fit_transform(X, y), weigh.transform(Y)
        for model in models:
            rows, build = MODELS[model]
            unit, value = tuned(rows, build, A, y[a], B, y[b])
            P, Q = (normalize(whole), normalize(test)) if unit else (whole, test)
            found[f"{scheme} | {model}"] = build(value).fit(P, y).predict(Q)
    if "LinearSVC" not in models:
        return found
    X, Y = presence(X), presence(Y)
    settings = [(False, (C, beta)) for beta in (0.25, 1.0) for C in (0.1, 1.0)]
    _, chosen = tuned(settings, NBSVM, X[a], y[a], X[b], y[b])
    found["NB-SVM | LinearSVC"] = NBSVM(chosen).fit(X, y).predict(Y)
    return found


def rivals() -> dict[str, Any]:
    return {
        "rival": make_pipeline(TfidfVectorizer(sublinear_tf=True), LinearSVC(random_state=0)),
        "BurstClassifier": tb.BurstClassifier(),
    }


def show_times(names: Iterable[str], rounds: int = 3) -> None:
    """Processor seconds of training on the training documents of each set; the least of some rounds, taken in turn."""
    for name in names:
        split = next(iter(confirming(name)))
        least = dict.fromkeys(rivals(), np.inf)
        for _ in range(rounds):
            for which, model in rivals().items():
                start = time.process_time()
                model.fit(split.train, split.train_labels)
                least[which] = min(least[which], time.process_time() - start)
        ours, rival = least["BurstClassifier"], least["rival"]
        print(f"{TITLES[name]:14} {ours:.2f} s, {rival:.2f} s, ratio {ours / rival:.2f}", flush=True)


def classifiers(split: Split) -> dict[str, tuple[NDArray[Any], float]]:
    """Predictions and processor seconds of training, of `BurstClassifier` and its rival."""
    found = {}
    for name, model in rivals().items():
        start = time.process_time()
        model.fit(split.train, split.train_labels)
        spent = time.process_time() - start
        found[name] = (model.predict(split.test), spent)
        if name == "BurstClassifier":
            print(f"    C = {model.cost_:g}, factors {model.factors_.round(2).tolist()}", flush=True)
    return found


def measured(splits: Iterable[Split], ngrams: int, models: list[str]) -> Result:
    """All cells of one set; the predictions of its folds are put together."""
    weighed = [model for model in models if model in MODELS]
    labels: dict[str, list[NDArray[Any]]] = {}
    seconds: dict[str, float] = {}
    truth = []
    for split in splits:
        truth.append(split.test_labels)
        for name, predicted in (predictions(split, ngrams, weighed) if weighed else {}).items():
            labels.setdefault(name, []).append(predicted)
        for name, (predicted, spent) in (classifiers(split) if OURS in models else {}).items():
            labels.setdefault(name, []).append(predicted)
            seconds[name] = seconds.get(name, 0.0) + spent
    y = np.concatenate(truth)
    result: Result = {}
    for name, parts in labels.items():
        predicted = np.concatenate(parts)
        f1 = float(f1_score(y, predicted, average="macro"))
        result[name] = {"hits": (predicted == y).astype(int).tolist(), "f1": f1, "seconds": seconds.get(name)}
    return result


def hits(result: Result, cell: str) -> NDArray[np.bool_]:
    return np.array(result[cell]["hits"], dtype=bool)


def show_weights(results: dict[str, Result]) -> None:
    titles = ", ".join(TITLES[name] for name in results)
    for model, kind in FOR.items():
        cells = [cell for cell in next(iter(results.values())) if cell.endswith(f"| {model}")]
        if not cells:
            continue
        table = np.array([[hits(result, cell).mean() for result in results.values()] for cell in cells])
        ranks = rankdata(-table.T, axis=1)
        rng = np.random.default_rng(0)
        drawn = np.array([ranks[rng.integers(0, len(ranks), len(ranks))].mean(axis=0) for _ in range(2000)])
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        print(f"\n{model}: accuracy (macro F1) on {titles}; mean rank [95 %]; mean")
        for k, cell in enumerate(cells):
            f1 = [result[cell]["f1"] for result in results.values()]
            shown = "  ".join(f"{x:.4f} ({y:.3f})" for x, y in zip(table[k], f1, strict=True))
            print(f"  {cell.split(' | ')[0]:25} {shown}  rank {ranks[:, k].mean():.2f} [{low[k]:.2f}, {high[k]:.2f}]"
                  f"  {table[k].mean():.4f}")  # fmt: skip
        ours = f"{tb.recommended_scheme(kind)} | {model}"
        for rival in cells:
            if rival != ours:
                print(
                    f"  {tb.recommended_scheme(kind)} minus {rival.split(' | ')[0]}: {compared(results, ours, rival)}"
                )


def compared(results: dict[str, Result], ours: str, rival: str) -> str:
    """The differences on all sets; * marks p < 0.05 by McNemar's test, and the end counts won, tied, lost."""
    shown, better, worse = [], 0, 0
    for result in results.values():
        a, b = hits(result, ours), hits(result, rival)
        sure = _paired.mcnemar(a, b) < 0.05
        shown.append(f"{a.mean() - b.mean():+.4f}{'*' if sure else ' '}")
        better, worse = better + (sure and a.mean() > b.mean()), worse + (sure and a.mean() < b.mean())
    higher = sum(hits(result, ours).mean() > hits(result, rival).mean() for result in results.values())
    return f"{' '.join(shown)} higher on {higher} of {len(results)}, significantly better {better}, worse {worse}"


def show_classifiers(results: dict[str, Result]) -> None:
    print(
        "\nBurstClassifier() and TfidfVectorizer(sublinear_tf=True) + LinearSVC(): accuracy, macro F1, processor time"
    )
    for name, result in results.items():
        ours, rival = result["BurstClassifier"], result["rival"]
        a, b = hits(result, "BurstClassifier"), hits(result, "rival")
        print(f"  {TITLES[name]:14} {a.mean():.4f} ({ours['f1']:.3f})  {b.mean():.4f} ({rival['f1']:.3f})  "
              f"{_paired.documents(a, b)}  {ours['seconds']:.2f} s, {rival['seconds']:.2f} s, "
              f"ratio {ours['seconds'] / rival['seconds']:.2f}")  # fmt: skip
    print(f"  {compared(results, 'BurstClassifier', 'rival')}")


def kept(options: argparse.Namespace, name: str, model: str) -> Result:
    """The cells of one set and model, from the folder `--keep` if they are there."""
    path = options.keep and options.keep / f"{options.what}-{name}-{options.most}-{options.ngrams}-{model}.json"
    if path and path.exists():
        return dict(json.loads(path.read_text()))
    start = time.process_time()
    splits = choosing(name, options.most) if options.what == "choose" else confirming(name)
    result = measured(splits, options.ngrams, [model])
    print(f"{TITLES[name]}, {model}: {time.process_time() - start:.0f} s of processor time", flush=True)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["choose", "confirm", "time"])
    parser.add_argument("--sets", nargs="+", choices=sorted(TITLES), help="default: all of that half")
    parser.add_argument("--most", type=int, default=4500, help="training documents of a set, for `choose`")
    parser.add_argument("--ngrams", type=int, default=1)
    every = [*MODELS, OURS]
    parser.add_argument("--models", nargs="+", choices=every, default=every, help="default: all")
    parser.add_argument("--keep", type=Path, help="folder for the results of each set")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    allowed = CHOOSE if options.what == "choose" else CONFIRM
    names = options.sets or allowed
    if not set(names) <= set(allowed):
        parser.error(f"the sets of `{options.what}` are {', '.join(allowed)}")
    if options.what == "time":
        show_times(names)
        return
    results: dict[str, Result] = {}
    for name in names:
        results[name] = {}
        for model in options.models:
            results[name] |= kept(options, name, model)
    show_weights(results)
    if OURS in options.models:
        show_classifiers(results)


if __name__ == "__main__":
    main()
