"""The collections of the paper; each is read, counted and fitted once, even if several examples use it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst import datasets
from termburst.counting.vectorizer import CountVectorizer
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.paper import classification
from termburst.paper.classification import Split
from termburst.statistics.term_statistics import TermStatistics

Floats = NDArray[np.float64]
UNAVAILABLE = (FileNotFoundError, datasets.DamagedDataError)  # errors of a data set that cannot be used

FIG2_TRUTH = (0.10, 49.90)  # α_i and α_¬i of the simulated documents of Fig. 2


@dataclass(frozen=True, slots=True)
class Corpus:
    """The names of a real collection; `fits`, `split`, `table` and `grid` are keys here and in published.toml."""

    name: str
    stem: str  # the beginning of its file names
    fits: str
    split: str
    table: str
    grid: str


NEWSGROUPS = Corpus("20 Newsgroups", "20newsgroups", "fig4", "newsgroups", "table2", "figa1")
R8 = Corpus("R8", "r8", "fig5", "r8", "table3", "figa2")
CORPORA = (NEWSGROUPS, R8)


@dataclass(frozen=True, slots=True)
class Simulated:
    """The collection of Fig. 3: counts, documents × terms, and the α of the simulation."""

    counts: NDArray[np.int64]
    alpha: Floats


@dataclass(frozen=True, slots=True)
class Fitted:
    """A training collection with stop words kept, its exact fits, and the fits that the authors published."""

    counts: Any
    terms: NDArray[np.object_]
    statistics: TermStatistics
    fit: BetaBinomialFit
    published: datasets.PublishedFits | None  # None if that table is missing
    missing: str  # how to get it, if it is missing


class Collections:
    """Every collection of the paper, loaded on first use and kept.

    A missing or damaged data set raises one of `UNAVAILABLE`, with a message that says what to do. It is searched for
    only once; later uses raise the same error.
    """

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    @property
    def fig2(self) -> NDArray[np.int64]:
        """Fig. 2's 40 documents of 50 words: counts of the target term and of its complement."""
        return self._once("fig2", _fig2)

    @property
    def fig3(self) -> Simulated:
        """Fig. 3's 100 documents over 250 terms, 39 of which never occur."""
        return self._once("fig3", _fig3)

    @property
    def fig4(self) -> Fitted:
        """20 Newsgroups, training posts without headers, footers and quotes."""
        load = functools.partial(datasets.load_20newsgroups, "train", remove=("headers", "footers", "quotes"))
        return self._once("fig4", lambda: _fitted(load, NEWSGROUPS.stem))

    @property
    def fig5(self) -> Fitted:
        """R8, training documents."""
        return self._once("fig5", lambda: _fitted(datasets.load_r8, R8.stem))

    @property
    def newsgroups(self) -> Split:
        """20 Newsgroups with headers, as in Table 2."""
        return self._once("newsgroups", lambda: _split(datasets.load_20newsgroups))

    @property
    def r8(self) -> Split:
        """R8, as in Table 3."""
        return self._once("r8", lambda: _split(datasets.load_r8))

    @property
    def reuters(self) -> Any:
        """The counts of all of Reuters-21578, stop words kept."""
        return self._once("reuters", lambda: _counted(datasets.load_reuters("all"))[0])

    def reports(self, name: str, *, transductive: bool) -> dict[str, classification.Report]:
        """The numbers of the table for the split *name*, "newsgroups" or "r8", by scheme."""

        def make() -> dict[str, classification.Report]:
            split = getattr(self, name)
            return {
                label: classification.report(split, classification.classify(split, scheme, transductive=transductive))
                for label, scheme in classification.SCHEMES.items()
            }

        return self._once(f"reports {name} {transductive}", make)

    def sensitivity(self, name: str, *, mu_term: bool) -> Floats:
        """The accuracies of Fig. A1 ("newsgroups") or A2 ("r8"), as printed or with the μ term of erratum 2."""
        return self._once(
            f"sensitivity {name} {mu_term}", lambda: classification.sensitivity(getattr(self, name), mu_term=mu_term)
        )

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._kept:
            try:
                self._kept[name] = make()
            except UNAVAILABLE as error:
                self._kept[name] = error
        if isinstance(self._kept[name], UNAVAILABLE):
            raise self._kept[name]
        return self._kept[name]


def _fig2() -> NDArray[np.int64]:
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(FIG2_TRUTH, 40)
    return np.array([rng.multinomial(50, theta) for theta in shares])


def _fig3() -> Simulated:
    rng = np.random.default_rng(42)
    alpha = rng.gamma(0.5, 0.3 / 0.5, 250)
    lengths = rng.binomial(82, 75 / 82, 100)
    shares = rng.dirichlet(alpha, 100)
    counts = np.array([rng.multinomial(n_j, theta) for n_j, theta in zip(lengths, shares, strict=True)])
    return Simulated(counts, alpha)


def _fitted(load: Callable[[], datasets.TextCollection], name: str) -> Fitted:
    published, missing = None, ""
    try:
        published = datasets.load_published_fits(name)
    except UNAVAILABLE as error:
        missing = str(error)
    counts, terms = _counted(load())
    if published is not None and list(terms) != published.terms:
        raise ValueError(
            f"the terms of {name} differ from those of the published fits: check that the training set is complete"
        )
    statistics = TermStatistics.from_counts(counts, terms, "patterns")
    return Fitted(counts, terms, statistics, fit_beta_binomial(statistics), published, missing)


def _counted(collection: datasets.TextCollection) -> tuple[Any, NDArray[np.object_]]:
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(map(datasets.clean_text, collection.texts))
    return counts, vectorizer.get_feature_names_out()


def _split(load: Callable[[Any], datasets.TextCollection]) -> Split:
    train, test = load("train"), load("test")
    # All documents are counted at once; the training vocabulary are the columns with training tokens.
    counts = CountVectorizer(stop_words="english").fit_transform(map(datasets.clean_text, [*train.texts, *test.texts]))
    trained = np.bincount(counts[: len(train)].indices, minlength=counts.shape[1]) > 0
    assert train.labels is not None
    assert test.labels is not None
    assert train.label_names is not None
    return Split(
        counts[: len(train)][:, trained],
        counts[len(train) :][:, trained],
        train.labels,
        test.labels,
        train.label_names,
        counts.shape[1],
    )
