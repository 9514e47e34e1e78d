"""How well the models classify and cluster 20 Newsgroups and R8, against their peers with the same preprocessing.

Both collections are counted as in the paper's Tables 2 and 3 (headers kept, stop words removed).

    TERMBURST_DATA=… python benchmarks/quality_models.py choose             # training documents only
    TERMBURST_DATA=… python benchmarks/quality_models.py [classify cluster] # the test documents
    TERMBURST_DATA=… python benchmarks/quality_models.py classify newsgroups --defaults  # ours are not tuned
    TERMBURST_DATA=… python benchmarks/quality_models.py cluster newsgroups --seeds 2 --without-lda
    TERMBURST_DATA=… python benchmarks/quality_models.py --quick            # R8 only, three seeds

`choose` (or a half of it: `choose-classify`, `choose-cluster`) prints the grids behind the defaults. The default is
marked d; the best by the mean over both collections is repeated with a *. The naive Bayes models are scored by
three-fold cross-validated accuracy. `EDCMMixture` is scored by NMI and ARI with the labels of random parts of the
training documents, about as large as the test set, with one option changed at a time and two pairs of options.

`classify` tunes by cross-validation on training documents, then scores the test documents, with an interval for each
difference by 2,000 bootstrap samples of them and McNemar's exact p. `cluster` compares NMI and ARI seed by seed, with
Wilcoxon's signed-rank p: this shows the influence of random starts, not of other documents.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import _paired
import numpy as np
from scipy.special import logsumexp
from sklearn.cluster import KMeans
from sklearn.decomposition import NMF, LatentDirichletAllocation, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import adjusted_rand_score, f1_score, normalized_mutual_info_score
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, cross_val_score
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.preprocessing import normalize

import termburst as tb
from termburst.estimators.edcm_mixture import PUSH
from termburst.paper.collections import Collections

ALPHAS = (1.0, 0.5, 0.3, 0.1, 0.03, 0.01, 0.003)
DIRICHLET = {
    "alpha": (0.02, 0.05, 0.1, 0.2),
    "background": (0.02, 0.05, 0.1),
    "precision": (5_000.0, 20_000.0, 50_000.0),
}
DIRICHLET_OTHERS: tuple[dict[str, Any], ...] = (
    {"precision": np.inf},
    {"precision": "shared"},
    {"precision": "fit"},
    {"evidence": "tokens"},
    {"fit_prior": False},
)
BETA_BINOMIAL = {"background": (0.05, 0.1, 0.2), "strength": (300.0, 1000.0, 3000.0)}
LADDER = (50, 35, 25, 18, 12, 8, 5, 3, 2, 1)
MIXTURE: dict[str, tuple[Any, ...]] = {
    "precision": ("component", "shared", 2_000.0, 100_000.0, np.inf),
    "length_damping": (0.0, 0.5, 1.0),
    "background": (0.1, 0.2, 0.5),
    "alpha": (0.001, 0.1),
    "temperatures": ((1,), LADDER[4:], LADDER, LADDER[2:6]),
    "steps": (2, 4),
}
MIXTURE_PAIRS: tuple[dict[str, Any], ...] = (
    {"precision": "shared", "length_damping": 0.0},
    {"length_damping": 1.0, "temperatures": LADDER[2:6]},
)
STEPS = ("choose", "choose-classify", "choose-cluster", "classify", "cluster")
SETS = {"r8": "R8", "newsgroups": "20 Newsgroups"}
PARTS = {"R8": (2_200, 10), "20 Newsgroups": (7_500, 2)}  # size and number of the parts of the training documents


def validated(model: Any, split: Any) -> float:
    """Accuracy on training documents by three-fold cross-validation."""
    folds = StratifiedKFold(3, shuffle=True, random_state=2)
    return float(cross_val_score(model, split.train, split.train_labels, cv=folds).mean())


def grid(options: dict[str, tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    for values in product(*options.values()):
        yield dict(zip(options, values, strict=True))


def named(model: type, options: dict[str, Any]) -> str:
    return f"{model.__name__}({', '.join(f'{name}={value!r}' for name, value in options.items())})"


def is_default(model: type, options: dict[str, Any]) -> bool:
    defaults = model().get_params()
    return all(defaults[name] == value for name, value in options.items())


def table(model: type, rows: Sequence[dict[str, Any]], score: Callable[[Any], list[float]]) -> None:
    """Print the scores of each row (d marks the default), then the best row by its mean again."""

    def show(mark: str, options: dict[str, Any], cells: list[float]) -> None:
        shown = " ".join(f"{cell:.4f}" for cell in cells)
        print(f"{mark} {named(model, options):74} {shown}  mean {np.mean(cells):.4f}", flush=True)

    scores: list[list[float]] = []
    for options in rows:
        scores.append(score(model(**options)))
        show("d" if is_default(model, options) else " ", options, scores[-1])
    best = max(range(len(rows)), key=lambda row: float(np.mean(scores[row])))
    show("*", rows[best], scores[best])


def choose_classify(splits: dict[str, Any]) -> None:
    """How the defaults of the classifiers were chosen, without test documents."""

    def accuracies(model: Any) -> list[float]:
        return [validated(model, split) for split in splits.values()]

    print(f"accuracy, three folds of the training documents: {', '.join(splits)}")
    table(MultinomialNB, [{"alpha": alpha} for alpha in ALPHAS], accuracies)
    table(tb.DirichletMultinomialNB, [*grid(DIRICHLET), *DIRICHLET_OTHERS], accuracies)
    table(tb.BetaBinomialNB, list(grid(BETA_BINOMIAL)), accuracies)


def choose_cluster(splits: dict[str, Any]) -> None:
    """How the defaults of `EDCMMixture` were chosen, without test documents."""

    def agreement(model: tb.EDCMMixture) -> list[float]:
        cells: list[float] = []
        for name, split in splits.items():
            size, parts = PARTS[name]
            found = []
            for seed in range(parts):
                cut = StratifiedShuffleSplit(1, train_size=size, random_state=seed)
                part, _ = next(cut.split(split.train, split.train_labels))
                model.set_params(n_components=number_of_classes(split), random_state=100 + seed)
                found.append(measures(split.train_labels[part], model.fit_predict(split.train[part])))
            cells += np.mean(found, axis=0).tolist()
        return cells

    print(f"NMI and ARI, parts of the training documents: {', '.join(splits)}")
    one_by_one = [{name: value} for name, values in MIXTURE.items() for value in values]
    table(tb.EDCMMixture, [{}, *one_by_one, *MIXTURE_PAIRS], agreement)


def classify(name: str, split: Any, *, tuned: bool = True) -> None:
    """Accuracy of each model on the test documents; ours also tuned, unless *tuned* is False, which is far quicker."""
    multinomial = max(({"alpha": a} for a in ALPHAS), key=lambda o: validated(MultinomialNB(**o), split))
    rivals: dict[str, Any] = {
        "MultinomialNB()": MultinomialNB(),
        f"{named(MultinomialNB, multinomial)}, by CV": MultinomialNB(**multinomial),
        "ComplementNB()": ComplementNB(),
    }
    ours: dict[str, Any] = {
        "DirichletMultinomialNB()": tb.DirichletMultinomialNB(),
        "BetaBinomialNB()": tb.BetaBinomialNB(),
    }
    if tuned:
        dirichlet = max(grid(DIRICHLET), key=lambda o: validated(tb.DirichletMultinomialNB(**o), split))
        ours[f"{named(tb.DirichletMultinomialNB, dirichlet)}, by CV"] = tb.DirichletMultinomialNB(**dirichlet)
    print(f"\n{name}: test documents; in brackets accuracy on training documents, three folds")
    right = {}
    for which, model in (rivals | ours).items():
        cross_validated = f"({validated(model, split):.4f})" if tuned or which in rivals else ""
        start = time.perf_counter()
        predicted = model.fit(split.train, split.train_labels).predict(split.test)
        seconds = time.perf_counter() - start
        right[which] = predicted == split.test_labels
        f1 = f1_score(split.test_labels, predicted, average="macro")
        cells = f"accuracy {right[which].mean():.4f} {cross_validated:8}  macro F1 {f1:.4f}  {seconds:.2f} s"
        print(f"  {which:78} {cells}", flush=True)
    print(f"{name}: differences in accuracy, 95 % interval, McNemar's p")
    for which, rival in product(ours, rivals):
        print(f"  {which:78} minus {rival:30} {_paired.documents(right[which], right[rival])}")


def multinomial_mixture(X: Any, k: int, seed: int, temperatures: Sequence[float], *, damped: bool = False) -> Any:
    """Labels of a mixture of multinomials; smoothing, starts, annealing (and damping) are those of `EDCMMixture`."""
    like, rng = tb.EDCMMixture(k), np.random.RandomState(seed)
    share = rng.dirichlet(np.ones(k), size=X.shape[0])
    tokens, by_term = X.astype(np.float64), X.T.tocsr().astype(np.float64)
    n_j = np.asarray(tokens.sum(axis=1)).ravel()
    damping = np.maximum(1, n_j / np.median(n_j[n_j > 0]))[:, None] ** (like.length_damping if damped else 0)
    everywhere = np.asarray(tokens.sum(axis=0)).ravel() + like.alpha
    everywhere = like.background * everywhere / everywhere.sum()
    for stage, temperature in enumerate(temperatures):
        last, bound = stage == len(temperatures) - 1, -np.inf
        if stage > 0:
            share = (1 - PUSH) * share + PUSH * rng.dirichlet(np.ones(k), size=X.shape[0])
        for _ in range(like.max_iter if last else like.steps):
            own = (by_term @ share).T + like.alpha
            mean = (1 - like.background) * own / own.sum(axis=1, keepdims=True) + everywhere
            joint = tokens @ np.log(mean).T / damping + np.log((share.sum(axis=0) + 1) / (X.shape[0] + k))
            total = logsumexp(joint / temperature, axis=1, keepdims=True)
            share = np.exp(joint / temperature - total)
            previous, bound = bound, temperature * float(total.mean())
            if last and abs(bound - previous) < like.tol:
                break
    return joint.argmax(axis=1)


def latent(weights: Any, seed: int) -> Any:
    """LSA: 100 dimensions of the singular value decomposition, rows of unit length."""
    return normalize(TruncatedSVD(100, random_state=seed).fit_transform(weights))


def number_of_classes(split: Any) -> int:
    return int(np.unique(split.train_labels).size)


def measures(truth: Any, labels: Any) -> tuple[float, float]:
    return float(normalized_mutual_info_score(truth, labels)), float(adjusted_rand_score(truth, labels))


def cluster(name: str, split: Any, seeds: int, *, lda: bool = True) -> None:
    """NMI and ARI with the labels of the test documents, mean and standard deviation over seeds.

    Without *lda*, it takes half the time.
    """
    X, y, k = split.test.tocsr(), split.test_labels, number_of_classes(split)
    weights = TfidfTransformer().fit_transform(X)
    annealed = tb.EDCMMixture().temperatures

    def mixture(**options: Any) -> Callable[[int], Any]:
        return lambda seed: tb.EDCMMixture(k, random_state=seed, **options).fit_predict(X)

    ours = "EDCMMixture()"
    methods: dict[str, Callable[[int], Any]] = {
        ours: mixture(),
        "k-means on LSA": lambda seed: KMeans(k, n_init=1, random_state=seed).fit(latent(weights, seed)).labels_,
        "NMF of TF–IDF": lambda seed: (
            NMF(k, init="nndsvda", max_iter=100, random_state=seed).fit_transform(weights).argmax(axis=1)
        ),
        "LDA of counts": lambda seed: LatentDirichletAllocation(k, random_state=seed).fit_transform(X).argmax(axis=1),
        "k-means on TF–IDF": lambda seed: KMeans(k, n_init=1, random_state=seed).fit(weights).labels_,
        "multinomial mixture, plain EM": lambda seed: multinomial_mixture(X, k, seed, (1,)),
        "multinomial mixture, annealed": lambda seed: multinomial_mixture(X, k, seed, annealed),
        "multinomial mixture, annealed, damped": lambda seed: multinomial_mixture(X, k, seed, annealed, damped=True),
        "  precision='shared', length_damping=0": mixture(precision="shared", length_damping=0),
        "  precision='component', length_damping=0": mixture(precision="component", length_damping=0),
    }
    if not lda:
        del methods["LDA of counts"]
    print(
        f"\n{name}: {X.shape[0]:,} test documents in {k} clusters, {seeds} seeds; {ours} minus each, 95 % interval, p"
    )
    found: dict[str, Any] = {}
    for method, labels in methods.items():
        start = time.perf_counter()
        found[method] = np.array([measures(y, labels(seed)) for seed in range(seeds)])
        seconds = (time.perf_counter() - start) / seeds
        (nmi, ari), (nmi_sd, ari_sd) = found[method].mean(axis=0), found[method].std(axis=0)
        print(f"  {method:42} NMI {nmi:.3f} ± {nmi_sd:.3f}  ARI {ari:.3f} ± {ari_sd:.3f}  {seconds:.1f} s", flush=True)
        if method != ours:
            for which, mine, theirs in zip(("NMI", "ARI"), found[ours].T, found[method].T, strict=True):
                print(f"  {'':42} {which} {_paired.seeds(mine, theirs)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = "default: classify cluster, of both collections"
    parser.add_argument("what", nargs="*", metavar="|".join((*STEPS, *SETS)), help=default)
    parser.add_argument("--quick", action="store_true", help="only R8, and three seeds")
    parser.add_argument("--defaults", action="store_true", help="`classify` without tuning ours")
    parser.add_argument("--without-lda", action="store_true", help="`cluster` in half the time")
    parser.add_argument("--seeds", type=int, default=10, help="of `cluster`")
    options = parser.parse_args()
    unknown = set(options.what) - {*STEPS, *SETS}
    if unknown:
        parser.error(f"unknown step: {', '.join(sorted(unknown))}")
    steps = [step for step in options.what if step in STEPS] or ["classify", "cluster"]
    wanted = ["r8"] if options.quick else [name for name in SETS if name in options.what] or list(SETS)
    collections = Collections()
    splits = {SETS[name]: getattr(collections, name) for name in wanted}
    if {"choose", "choose-classify"} & set(steps):
        choose_classify(splits)
    if {"choose", "choose-cluster"} & set(steps):
        choose_cluster(splits)
    for name, split in splits.items():
        if "classify" in steps:
            classify(name, split, tuned=not options.defaults)
        if "cluster" in steps:
            cluster(name, split, seeds=3 if options.quick else options.seeds, lda=not options.without_lda)


if __name__ == "__main__":
    main()
