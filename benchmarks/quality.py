"""How good the results are: classification, clustering, words of topics, ranking, and guesses of reading.

Everything is chosen on training documents; `choose` and `defaults` read no test document, and `confirm` looks at sets
and test parts that were not used to choose.

    TERMBURST_DATA=… python benchmarks/quality.py [--parts choose …] [--sets mr sms] [--models MultinomialNB] [--keep]
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from _program import Program, Table, data
from numpy.typing import NDArray
from scipy import stats
from sklearn.cluster import KMeans
from sklearn.decomposition import NMF, LatentDirichletAllocation, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score, f1_score, normalized_mutual_info_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, StratifiedShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, normalize
from sklearn.svm import LinearSVC

import termburst as tb
from termburst.counting.scripts import guess_language
from termburst.datasets import load_20newsgroups, load_cranfield, load_r8, load_r52
from termburst.datasets.collection import data_file
from termburst.reading.encodings import guess_encoding
from termburst.retrieval import MODELS as RANKINGS
from termburst.retrieval import Evaluation, Index, evaluate

program = Program(__doc__, __file__)
program.option("--sets", nargs="+", metavar="SET", help="of choose and confirm; default: all")
program.option("--models", nargs="+", metavar="MODEL", help="of choose and confirm; default: all")
program.option("--most", type=int, default=4_500, help="training documents of a set, for choose")
program.option("--ngrams", type=int, default=1, help="2: pairs of words, too, for choose and confirm")
program.option("--seeds", type=int, default=10, help="of cluster")

# --- sets of labelled texts

CHOOSE = ("ag", "webkb", "mr", "sms", "gnad", "trec", "20ng", "r8")
CONFIRM = ("ohsumed", "cr", "r52", "ag", "webkb", "mr", "sms", "20ng", "r8")  # of the last six, the test parts
FOLDED = ("gnad", "trec", "cr")  # without a test part
TITLES = {
    "ag": "AG News", "webkb": "WebKB", "mr": "MR", "sms": "SMS spam", "gnad": "10kGNAD", "trec": "TREC",
    "20ng": "20 Newsgroups", "r8": "R8", "ohsumed": "Ohsumed", "cr": "CR", "r52": "R52",
}  # fmt: skip


@dataclass(frozen=True)
class Split:
    """Training texts and test texts with their labels."""

    train: list[str]
    train_labels: NDArray[Any]
    test: list[str]
    test_labels: NDArray[Any]


def both_parts(name: str) -> Split:
    """A set with a fixed test part; the test part is empty if it has none."""
    if name in ("20ng", "r8", "r52"):
        load: Any = {"20ng": load_20newsgroups, "r8": load_r8, "r52": load_r52}[name]
        train, test = load("train"), load("test")
        names, others = np.array(train.label_names), np.array(test.label_names)
        return Split(train.texts, names[train.labels], test.texts, others[test.labels])
    table = pl.read_parquet(data_file(f"classification/{name}.parquet", name))
    parts = [table.filter(pl.col("test").fill_null(False) == held) for held in (False, True)]
    texts, labels = [part["text"].to_list() for part in parts], [part["label"].to_numpy().astype(str) for part in parts]
    return Split(texts[0], labels[0], texts[1], labels[1])


def folds(split: Split, number: int) -> Iterator[Split]:
    """Folds of the training documents."""
    y = split.train_labels
    for a, b in StratifiedKFold(number, shuffle=True, random_state=0).split(y, y):
        yield Split([split.train[i] for i in a], y[a], [split.train[i] for i in b], y[b])


def splits_of(part: str, name: str, most: int) -> Iterable[Split]:
    """Three folds of at most *most* training documents; or the test part, or five folds if there is none."""
    whole = both_parts(name)
    if part == "confirm":
        return folds(whole, 5) if name in FOLDED else [whole]
    some = np.random.default_rng(0).permutation(len(whole.train))[:most]
    return folds(Split([whole.train[i] for i in some], whole.train_labels[some], [], whole.train_labels[:0]), 3)


# --- differences on the same documents


def mcnemar(ours: NDArray[np.bool_], theirs: NDArray[np.bool_]) -> float:
    """McNemar's exact p: do as many documents change from right to wrong as from wrong to right?"""
    better, worse = int(np.sum(ours & ~theirs)), int(np.sum(~ours & theirs))
    return float(stats.binomtest(better, better + worse).pvalue) if better + worse else 1.0


def interval(differences: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of the mean, by bootstrap samples of the pairs."""
    rng = np.random.default_rng(0)
    drawn = [differences[rng.integers(0, differences.size, differences.size)].mean() for _ in range(2_000)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def gap(ours: Any, theirs: Any, p: float) -> str:
    """The mean difference, its 95 % interval by bootstrap samples of the pairs, and p."""
    difference = np.asarray(ours, dtype=float) - theirs
    low, high = interval(difference)
    return f"{difference.mean():+.4f} [{low:+.4f}, {high:+.4f}]  p = {p:.2g}"


# --- weights and classifiers


def presence(counts: Any) -> Any:
    return sp.csr_array((np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape)


def logistic(C: float) -> Any:
    return OneVsRestClassifier(LogisticRegression(C=C, solver="liblinear", dual=True, tol=1e-2, random_state=0))


OWN_SCHEMES = ("bm25", "damped-tf-idf", "log-damped-tf-idf", "class-lift", "class-damped")  # as far as they exist
SCHEMES: dict[str, Callable[[], Any]] = {
    "counts": FunctionTransformer,
    "binary": lambda: FunctionTransformer(presence),
    "scikit-learn's TF–IDF": lambda: TfidfTransformer(norm=None),
    "scikit-learn's sublinear": lambda: TfidfTransformer(norm=None, sublinear_tf=True),
    **{name: lambda name=name: tb.TermWeighting(name, norm=None) for name in OWN_SCHEMES if name in tb.SCHEMES},
}
BAYES = [(norm, alpha) for norm in (False, True) for alpha in (1.0, 0.1, 0.01)]
MODELS: dict[str, tuple[list[tuple[bool, float]], Callable[[float], Any]]] = {  # (unit rows, value), model of a value
    "MultinomialNB": (BAYES, lambda alpha: MultinomialNB(alpha=alpha)),
    "ComplementNB": (BAYES, lambda alpha: ComplementNB(alpha=alpha)),
    "LinearSVC": ([(True, C) for C in (0.3, 1.0, 3.0)], lambda C: LinearSVC(C=C, tol=1e-2, random_state=0)),
    "logistic": ([(True, 10.0)], logistic),  # one C for all schemes, since tuning takes too long
}
FOR = {"MultinomialNB": "naive-bayes", "ComplementNB": "naive-bayes", "LinearSVC": "linear", "logistic": "linear"}
TEXTS: dict[str, Callable[[], Any]] = {  # models of texts, all with defaults
    "TF–IDF + LinearSVC": lambda: make_pipeline(TfidfVectorizer(sublinear_tf=True), LinearSVC(random_state=0)),
    "BurstClassifier": tb.BurstClassifier,
}
COUNTS: dict[str, Callable[[], Any]] = {  # models of counts, all with defaults, but the first
    "MultinomialNB, tuned": lambda: GridSearchCV(
        MultinomialNB(), {"alpha": (1.0, 0.3, 0.1, 0.03, 0.01)}, cv=StratifiedKFold(3, shuffle=True, random_state=0)
    ),
    "DirichletMultinomialNB": tb.DirichletMultinomialNB,
    "BetaBinomialNB": tb.BetaBinomialNB,
}
GROUPS = {**{name: (name,) for name in MODELS}, "texts": tuple(TEXTS), "bayes": tuple(COUNTS)}
Result = dict[str, dict[str, Any]]  # cell → {"hits": 0 and 1 for each test document, "f1": macro F1}


@program.part("90 min")
def choose(asked: argparse.Namespace) -> None:
    """Weights and classifiers on folds of the training documents of eight sets, each scheme tuned alike.

    What a model needs (alpha and unit rows; C) is chosen for every scheme alike on a third of at most 4,000 training
    documents. "texts" are BurstClassifier and TF–IDF with LinearSVC, "bayes" naive Bayes with bursty words beside
    MultinomialNB with tuned alpha, all with defaults.
    """
    classify("choose", CHOOSE, asked)


@program.part("40 min")
def defaults(asked: argparse.Namespace) -> None:
    """Weights under scikit-learn's default models, rows with and without unit length: how ours was chosen.

    Mean accuracy over folds of the training documents of the sets for choosing.
    """
    warnings.simplefilter("ignore")
    names = asked.sets or (("sms",) if asked.quick else CHOOSE)
    models = {
        "LinearSVC": LinearSVC(random_state=0),
        "logistic": LogisticRegression(),
        "MultinomialNB": MultinomialNB(),
    }
    models["ComplementNB"] = ComplementNB()
    right: dict[tuple[str, str], list[float]] = {}
    for name in names:
        for split in splits_of("choose", name, 600 if asked.quick else asked.most):
            counter, y = tb.CountVectorizer(), split.train_labels
            X, Y = counter.fit_transform(split.train), counter.transform(split.test)
            for scheme, make in SCHEMES.items():
                weigh = make()
                weighed = weigh.fit_transform(X, y), weigh.transform(Y)
                for norm, (A, B) in {"none": weighed, "l2": tuple(map(normalize, weighed))}.items():
                    for model, one in models.items():
                        hits = np.mean(one.fit(A, y).predict(B) == split.test_labels)
                        right.setdefault((f"{scheme}, {norm}", model), []).append(float(hits))
    table = Table(f"Means over {', '.join(TITLES[name] for name in names)}", "", *models, "mean", first=36, width=14)
    for row in dict.fromkeys(key[0] for key in right):
        means = [np.mean(right[row, model]) for model in models]
        table.row(row, *(f"{mean:.4f}" for mean in [*means, np.mean(means)]))


@program.part("120 min")
def confirm(asked: argparse.Namespace) -> None:
    """The same on sets and test parts that were not used to choose."""
    classify("confirm", CONFIRM, asked)


def classify(part: str, every: tuple[str, ...], asked: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")
    names = [name for name in asked.sets or (("sms",) if asked.quick else every) if name in every]
    models = asked.models or (["MultinomialNB", "bayes"] if asked.quick else list(GROUPS))
    most = 600 if asked.quick else asked.most
    results: dict[str, dict[str, Result]] = {model: {} for model in models}
    for name, model in product(names, models):
        results[model][name] = cells_of(splits_of(part, name, most), model, asked.ngrams)
    for model, of_sets in results.items():
        show_cells(model, of_sets)


def cells_of(splits: Iterable[Split], model: str, ngrams: int) -> Result:
    """The results of one set; the predictions of its folds are put together."""
    labels: dict[str, list[NDArray[Any]]] = {}
    truth = []
    for split in splits:
        truth.append(split.test_labels)
        for name, predicted in predictions(split, model, ngrams).items():
            labels.setdefault(name, []).append(predicted)
    y = np.concatenate(truth)
    found = {name: np.concatenate(parts) for name, parts in labels.items()}
    return {
        name: {"hits": (one == y).astype(int).tolist(), "f1": float(f1_score(y, one, average="macro"))}
        for name, one in found.items()
    }


def predictions(split: Split, model: str, ngrams: int) -> dict[str, NDArray[Any]]:
    """The labels of the test documents by each scheme under a model, or by each model of texts or of counts."""
    y = split.train_labels
    if model == "texts":
        return {name: make().fit(split.train, y).predict(split.test) for name, make in TEXTS.items()}
    counter = tb.CountVectorizer(ngram_range=(1, ngrams))
    X, Y = sp.csr_array(counter.fit_transform(split.train)), sp.csr_array(counter.transform(split.test))
    if model == "bayes":
        return {name: make().fit(X, y).predict(Y) for name, make in COUNTS.items()}
    some = np.random.default_rng(1).permutation(y.size)[:4_000]
    some = some[np.isin(y[some], [c for c in np.unique(y[some]) if np.sum(y[some] == c) > 2])]
    a, b = next(StratifiedShuffleSplit(1, test_size=1 / 3, random_state=0).split(some, y[some]))
    a, b = some[a], some[b]
    rows, build = MODELS[model]
    found: dict[str, NDArray[Any]] = {}
    for scheme, make in SCHEMES.items():
        weigh = make()
        unit, value = tuned(rows, build, weigh.fit_transform(X[a], y[a]), y[a], weigh.transform(X[b]), y[b])
        whole, test = weigh.fit_transform(X, y), weigh.transform(Y)
        P, Q = (normalize(whole), normalize(test)) if unit else (whole, test)
        found[scheme] = build(value).fit(P, y).predict(Q)
    return found


def tuned(rows: Any, make: Callable[[Any], Any], A: Any, a: Any, B: Any, b: Any) -> Any:
    """The setting with the highest accuracy on B after fitting A; the first of equals."""
    if len(rows) == 1:
        return rows[0]
    units = normalize(A), normalize(B)

    def accuracy(row: tuple[bool, Any]) -> float:
        P, Q = units if row[0] else (A, B)
        return float(np.mean(make(row[1]).fit(P, a).predict(Q) == b))

    return max(rows, key=accuracy)


def show_cells(model: str, results: dict[str, Result]) -> None:
    """Accuracy (macro F1) of every cell on every set, mean ranks, and ours minus each other; * marks p < 0.05."""
    cells = list(next(iter(results.values())))
    right = {cell: [np.array(result[cell]["hits"], dtype=bool) for result in results.values()] for cell in cells}
    means = np.array([[hits.mean() for hits in right[cell]] for cell in cells])
    ranks = stats.rankdata(-means.T, axis=1).mean(axis=0)
    titles = [TITLES[name] for name in results]
    table = Table(f"{model}: accuracy (macro F1)", "", *titles, "rank", "mean", width=17)
    for k, cell in enumerate(cells):
        f1 = [result[cell]["f1"] for result in results.values()]
        texts = (f"{mean:.4f} ({f:.3f})" for mean, f in zip(means[k], f1, strict=True))
        table.row(cell, *texts, f"{ranks[k]:.2f}", f"{means[k].mean():.4f}")
    ours = [tb.recommended_scheme(FOR[model])] if model in FOR else cells[1:]
    table = Table("", "minus", *titles, "higher on, better, worse", first=52, width=12)
    for own, rival in product(ours, cells if model in FOR else cells[:1]):
        if own == rival or own not in right:
            continue
        shown, counts = [], np.zeros(3, dtype=int)
        for a, b in zip(right[own], right[rival], strict=True):
            sure, up = mcnemar(a, b) < 0.05, a.mean() > b.mean()
            shown.append(f"{a.mean() - b.mean():+.4f}{'*' if sure else ' '}")
            counts += [up, sure and up, sure and a.mean() < b.mean()]
        table.row(f"{own} − {rival}", *shown, ", ".join(map(str, counts)))


# --- clusters


@program.part("40 min")
def cluster(asked: argparse.Namespace) -> None:
    """EDCMMixture beside k-means, NMF and LDA: NMI and ARI with the labels of R8 and 20 Newsgroups, seed by seed.

    Differences have intervals and Wilcoxon's signed-rank p over seeds: the influence of random starts.
    """
    from termburst.paper.collections import Collections

    seeds = 2 if asked.quick else asked.seeds
    for name in ("r8",) if asked.quick else ("r8", "newsgroups"):
        cluster_set(name, getattr(Collections(), name), seeds)


def cluster_set(name: str, split: Any, seeds: int) -> None:
    """The table of one collection."""
    X, y = split.test.tocsr(), split.test_labels
    k, weights = np.unique(split.train_labels).size, TfidfTransformer().fit_transform(X)

    def latent(seed: int) -> Any:
        return normalize(TruncatedSVD(100, random_state=seed).fit_transform(weights))

    methods: dict[str, Callable[[int], Any]] = {
        "EDCMMixture()": lambda s: tb.EDCMMixture(k, random_state=s).fit_predict(X),
        "k-means on LSA": lambda s: KMeans(k, n_init=1, random_state=s).fit(latent(s)).labels_,
        "NMF of TF–IDF": lambda s: (
            NMF(k, init="nndsvda", max_iter=100, random_state=s).fit_transform(weights).argmax(axis=1)
        ),
        "LDA of counts": lambda s: LatentDirichletAllocation(k, random_state=s).fit_transform(X).argmax(axis=1),
        "k-means on TF–IDF": lambda s: KMeans(k, n_init=1, random_state=s).fit(weights).labels_,
    }
    table = Table(
        f"{name}: {X.shape[0]:,} documents, {k} clusters, {seeds} seeds", "", "NMI", "ARI", "EDCM − NMI", first=22
    )
    found: dict[str, Any] = {}
    for method, labels in methods.items():
        answers = [labels(seed) for seed in range(seeds)]
        scores = [(normalized_mutual_info_score(y, one), adjusted_rand_score(y, one)) for one in answers]
        found[method] = np.array(scores)
        ours, theirs = found["EDCMMixture()"][:, 0], found[method][:, 0]
        p = float(stats.wilcoxon(ours - theirs).pvalue) if (ours != theirs).any() else 1.0
        table.row(method, *found[method].mean(axis=0), "" if method == "EDCMMixture()" else f"  {gap(ours, theirs, p)}")


# --- words of topics

TOP = 10
PRESENCE = ", presence"


@program.part("30 min")
def topics(asked: argparse.Namespace) -> None:
    """Words of topics by scheme: coherence (NPMI of unseen documents) times diversity; BERTopic if it is installed.

    Groups are the newsgroups, and 20 and 100 clusters; the words are learned from training documents. "similar" is the
    share of unseen documents that are nearest to their group, "alone" that of words of which one document has half of
    the tokens. "presence" counts a document once per word. Headers, footers and quotes are left out.
    """
    warnings.simplefilter("ignore", tb.inference.ClampedTermsWarning)
    parts = ("headers", "footers", "quotes")
    train, test = (tb.datasets.load_20newsgroups(side, remove=parts) for side in ("train", "test"))
    for stop_words in ("english",) if asked.quick else ("english", None):
        counter = tb.CountVectorizer(stop_words=stop_words)
        X, Y = counter.fit_transform(train.texts), counter.transform(test.texts)
        found = topic_scores(
            X, train.labels, Y, test.labels, ("newsgroups",) if asked.quick else ("newsgroups", 20, 100)
        )
        title = f"stop words {'left out' if stop_words else 'kept'}; means over groups"
        table = Table(title, "", "coherence", "diversity", "product", "similar", "alone", first=42, width=11)
        for name in sorted(found, key=lambda name: -found[name][2]):
            table.row(name, *found[name])


def topic_scores(
    X: Any, labels: Any, Y: Any, unseen_labels: Any, kinds: tuple[Any, ...] = ("newsgroups", 20, 100),
    only: tuple[str, ...] = (),
) -> dict[str, Any]:  # fmt: skip
    """Coherence, diversity, their product, similarity and concentration by every model: means over the groupings."""
    frequent = np.bincount(X.indices, minlength=X.shape[1]) >= 5
    learned, unseen = X[:, frequent], Y[:, frequent]
    found: dict[str, list[Any]] = {}
    for kind in kinds:
        a, b = (labels, unseen_labels) if kind == "newsgroups" else k_means(int(kind), learned, unseen)
        for name, model in topic_models(learned).items():
            if not only or name in only:
                found.setdefault(name, []).append(topic_score(model, learned, a, unseen, b, name.endswith(PRESENCE)))
    return {name: np.mean(rows, axis=0) for name, rows in found.items()}


def topic_models(documents: Any) -> dict[str, Any]:
    """By name, all ways to learn from groups × terms, or from the documents themselves."""
    found: dict[str, Any] = {}
    for name, scheme in tb.SCHEMES.items():
        if not scheme.signed:
            found[name] = lambda X, s=name: tb.TermWeighting(s, norm=None).fit(X)
            found[f"{name}, of documents"] = lambda X, s=name: tb.TermWeighting(s, norm=None).fit(documents)
            found[f"{name}{PRESENCE}"] = found[name]  # `topic_score` passes presences instead of counts
    try:
        from bertopic.vectorizers import ClassTfidfTransformer as Theirs
    except ImportError:
        return found
    return found | {"BERTopic": lambda X: Theirs().fit(X)}


def topic_score(model: Any, counts: Any, labels: Any, unseen: Any, unseen_labels: Any, once: bool) -> list[float]:
    learned, unseen = ((one > 0).astype(np.int64) if once else one for one in (counts, unseen))
    member = sp.csr_matrix((np.ones(labels.size, dtype=np.int64), (labels, np.arange(labels.size))))
    X = (member @ learned).tocsr()
    fitted = model(X.copy())
    weights = sp.csr_matrix(fitted.transform(X.astype(np.float64)))
    top = np.argsort(-weights.toarray(), axis=1, kind="stable")[:, :TOP]
    coherent, diverse = coherence(top, unseen), np.unique(top).size / top.size
    documents = sp.csr_matrix(fitted.transform(unseen.astype(np.float64)))
    nearest = (normalize(documents) @ normalize(weights).T).toarray().argmax(axis=1)
    by_group = [counts[labels == group][:, words] for group, words in enumerate(top)]
    alone = float(np.mean([2 * one.max(axis=0).toarray() >= one.sum(axis=0) for one in by_group]))
    return [coherent, diverse, coherent * diverse, float(np.mean(nearest == unseen_labels)), alone]


def coherence(top: Any, reference: Any) -> float:
    """Mean over groups of the mean NPMI of the pairs of their words, log(p_ij/p_i p_j)/−log p_ij, by documents."""
    words = np.unique(top)
    there = (reference[:, words] > 0).astype(np.float64)
    joint = (there.T @ there).toarray() / reference.shape[0]
    alone = np.diag(joint)
    with np.errstate(divide="ignore", invalid="ignore"):
        npmi = np.log(joint / np.outer(alone, alone)) / -np.log(joint)
    npmi[joint == 0] = -1  # never together, or one never occurs
    at, pairs = np.searchsorted(words, top), np.triu_indices(top.shape[1], 1)
    return float(np.mean([npmi[np.ix_(row, row)][pairs].mean() for row in at]))


def k_means(k: int, learned: Any, unseen: Any) -> tuple[Any, Any]:
    """k-means of 100 dimensions of TF–IDF: the clusters of learned and of unseen documents."""
    weigh, reduce = TfidfTransformer(sublinear_tf=True), TruncatedSVD(100, random_state=0)
    means = KMeans(k, random_state=0, n_init=3)
    labels = means.fit_predict(normalize(reduce.fit_transform(weigh.fit_transform(learned))))
    return labels, means.predict(normalize(reduce.transform(weigh.transform(unseen))))


# --- ranking

SHARES = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
GRIDS: dict[str, dict[str, tuple[float, ...]]] = {
    "spud": {"omega": SHARES}, "gspud": {"omega": SHARES}, "lm-jm": {"smoothing": SHARES},
    "lm-dirichlet": {"mu": (25, 50, 100, 200, 300, 500, 1000, 2000)},
    "bm25": {"k1": (0.9, 1.2, 1.6, 2.0, 3.0), "b": (0.3, 0.5, 0.75, 0.9)},
}  # fmt: skip


@dataclass(frozen=True)
class Task:
    """An index, queries and judgements."""

    index: Index
    queries: dict[str, str]
    judgements: dict[str, dict[str, int]]

    @classmethod
    def of(cls, documents: dict[str, str], queries: dict[str, str], judgements: dict[str, dict[str, int]]) -> Task:
        counting = tb.CountingOptions(words="sklearn", stop_words="english")
        return cls(Index.from_texts(documents.values(), documents, counting=counting), queries, judgements)

    def run(self, model: str, **parameters: Any) -> Evaluation:
        found = self.index.batch_search(self.queries.values(), None, model=model, **parameters)
        return evaluate({q: hits.ids for q, hits in zip(self.queries, found, strict=True)}, self.judgements)


@program.part("3 min")
def ranking(asked: argparse.Namespace) -> None:
    """Ranking models on Cranfield: with default parameters, and tuned alike on MED and NPL; without English stop words.

    Gains of nDCG are 4 for a complete answer (grade 1) down to 1 (grade 4).
    """
    one = cranfield()
    runs = {f"{model}, default": one.run(model) for model in RANKINGS}
    tasks = [] if asked.quick else [med(), npl()]
    for model, grid in GRIDS.items() if tasks else ():
        settings = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
        scores = [np.mean([task.run(model, **setting).means["map"] for task in tasks]) for setting in settings]
        best = settings[int(np.argmax(scores))]
        named = ", ".join(f"{name}={value:g}" for name, value in best.items())
        runs[f"{model}, {named}"] = one.run(model, **best)
    table = Table(f"Cranfield, {len(one.queries)} queries", "", *next(iter(runs.values())).means, first=34)
    for name, run in runs.items():
        table.row(name, *(f"{value:.4f}" for value in run.means.values()))
    print()
    for (name, run), (rival, other) in product(runs.items(), runs.items()):
        same_kind = name.endswith("default") == rival.endswith("default")
        if same_kind and name.startswith(("spud", "gspud")) and not rival.startswith(("spud", "gspud")):
            gap = run.values["map"] - other.values["map"]
            p = stats.permutation_test((gap,), np.mean, permutation_type="samples", rng=0).pvalue
            print(f"MAP of {name} − {rival}: {gap.mean():+.4f}, {(gap > 0).sum()} won, p = {p:.2g}")


def cranfield() -> Task:
    corpus = load_cranfield()
    judgements = {
        query: {document: 5 - grade for document, grade in grades.items() if grade > 0}
        for query, grades in corpus.judgements.items()
    }
    documents = dict(zip(corpus.documents.ids, corpus.documents.texts, strict=True))
    return Task.of(documents, dict(zip(corpus.queries.ids, corpus.queries.texts, strict=True)), judgements)


def med() -> Task:
    def entries(name: str) -> dict[str, str]:
        text = data_file(f"med/{name}", "MED").read_text(encoding="latin-1")
        parts = re.split(r"^\.I +(\d+)\s*\n\.W *\n", text, flags=re.MULTILINE)[1:]
        return dict(zip(parts[::2], parts[1::2], strict=True))

    judgements: dict[str, dict[str, int]] = {}
    for line in data_file("med/MED.REL", "MED").read_text(encoding="latin-1").splitlines():
        if line.strip():
            query, document, _ = line.split()
            judgements.setdefault(query, {})[document] = 1
    return Task.of(entries("MED.ALL"), entries("MED.QRY"), judgements)


def npl() -> Task:
    def entries(name: str) -> dict[str, str]:
        text = data_file(f"npl/{name}", "NPL").read_text(encoding="latin-1")
        parts = [part.strip() for part in re.split(r"^ *\/ *$", text, flags=re.MULTILINE)]
        pairs = [part.split("\n", 1) for part in parts if part and part.split("\n", 1)[0].strip().isdigit()]
        return {pair[0].strip(): pair[1] if len(pair) > 1 else "" for pair in pairs}

    judged = {query: dict.fromkeys(found.split(), 1) for query, found in entries("rlv-ass").items()}
    return Task.of(entries("doc-text"), entries("query-text"), judged)


# --- what reading finds out

WRITTEN_IN = {  # file of the UDHR → encodings in which such texts lie on disks
    "deu": ("cp1252", "latin-1", "utf-16", "utf-16-le"), "fra": ("cp1252", "latin-1", "utf-16"),
    "spa": ("cp1252", "latin-1"), "por_PT": ("cp1252", "latin-1"), "ita": ("cp1252",), "swe": ("cp1252",),
    "nld": ("cp1252",), "fin": ("cp1252",), "isl": ("cp1252",), "pol": ("cp1250",), "ces": ("cp1250",),
    "hun": ("cp1250",), "slk": ("cp1250",), "tur": ("cp1254",), "rus": ("cp1251", "koi8_r", "utf-16"),
    "ukr": ("cp1251",), "bul": ("cp1251",), "ell_monotonic": ("cp1253",), "heb": ("cp1255",), "arb": ("cp1256",),
    "jpn": ("shift_jis", "euc_jp"), "cmn_hans": ("gb18030",), "kor": ("euc_kr",), "tha": ("cp874",),
}  # fmt: skip


@program.part("1 min")
def guesses(asked: argparse.Namespace) -> None:
    """How often the guesses of reading are right: languages of documents, encodings of paragraphs of the UDHR.

    No rule and no test was chosen on these texts. A language is guessed from the first 300 characters. An encoding is
    right if it decodes the bytes to the same text; paragraphs that are ASCII are left out.
    """
    table = Table("", "language of", "texts", "right", "no guess", "other", first=14, width=12)
    for name, code, texts in of_language(40 if asked.quick else 300):
        found = Counter((guess_language([text[:300]]) or ("none",))[0] for text in texts)
        other = sum(found.values()) - found[code] - found["none"]
        table.row(name, len(texts), f"{found[code] / len(texts):.1%}", f"{found['none'] / len(texts):.1%}", other)
    table = Table("", "encoding of", "written in", "texts", "right", first=14, width=12)
    right = total = 0
    with zipfile.ZipFile(data() / "nltk_data" / "corpora" / "udhr2.zip") as archive:
        for name, encoding in ((name, one) for name, names in WRITTEN_IN.items() for one in names):
            contents = [
                text.encode(encoding, "ignore") for text in paragraphs(archive.read(f"udhr2/{name}.txt").decode())
            ]
            contents = [content for content in contents if not content.isascii()]
            hits = sum(is_guessed(content, encoding) for content in contents)
            right, total = right + hits, total + len(contents)
            table.row(name, encoding, len(contents), f"{hits / max(len(contents), 1):.1%}")
    table.row("all", "", total, f"{right / total:.1%}")


def is_guessed(content: bytes, encoding: str) -> bool:
    guess = guess_encoding(content)
    decoded = "" if guess is None else content.decode(guess.encoding, "replace").removeprefix("\ufeff")
    return decoded == content.decode(encoding)


def of_language(most: int) -> Iterator[tuple[str, str, list[str]]]:
    """(name, language, texts) of sets that the guess was not chosen on."""
    for name in ("gnad", "ag", "cr", "mr", "ohsumed", "sms", "trec", "webkb"):
        texts = pl.read_parquet(data_file(f"classification/{name}.parquet", name))["text"].drop_nulls()
        yield (
            name,
            "de" if name == "gnad" else "en",
            texts.sample(fraction=1, shuffle=True, seed=1).head(most).to_list(),
        )


def paragraphs(text: str) -> list[str]:
    """The declaration behind the preamble and article 1, whose sentences the tests have, in pieces of 3 lines."""
    lines = [line.strip() for line in text.splitlines() if len(line.strip()) > 30]
    body = lines[len(lines) // 4 :]
    return ["\n".join(body[k : k + 3]) for k in range(0, len(body) - 2, 3)]


if __name__ == "__main__":
    sys.exit(program.main())
