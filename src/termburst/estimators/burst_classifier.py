"""`BurstClassifier`: from texts to classes in one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.preprocessing import normalize
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from termburst.counting.vectorizer import CountVectorizer
from termburst.estimators.count_input import check_parameters, sparse_counts
from termburst.estimators.naive_bayes import CountClassifier, distinct_labels, label_column, refuse_no_labels
from termburst.inference.checks import checked_number, shown
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.models.margins import (
    ClassLogRatios,
    class_sums,
    fit_margins,
    fit_mix,
    frequent_first,
    linear_scores,
    log_means,
)
from termburst.options import Option
from termburst.statistics.matrix import canonical_counts, refuse_texts
from termburst.statistics.term_statistics import from_canonical
from termburst.weights.schemes import SCHEMES

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SCHEME = "log-damped-tf-idf"
INNER, ENOUGH = 3000, 800  # documents of the inner folds, at most; held-out documents that are enough
SMOOTHING, BACKGROUND = 0.1, 0.05  # of the naive Bayes part, as in `DirichletMultinomialNB`
ROUGH, FINE = 0.3, 0.1  # tolerance of the fits on inner folds, and of the last fit


@dataclass(eq=False, repr=False, kw_only=True)
class BurstClassifier(CountClassifier):
    """Classify texts, or counts, by a linear model that knows how words burst.

    1. Texts are counted: words and pairs of words. Pairs that are in one training document only are left out.
    2. Counts are damped by the burstiness of each term and weighted by its rarity ("log-damped-tf-idf"); pairs count
       `ngram_weight` times as much; rows have unit length.
    3. r_ci is the log-ratio of the smoothed rate of term i in class c to that in the other classes, from damped counts.
    4. A linear model with squared hinge loss separates every class from the others. The prior variance of a
       coefficient is proportional to |r_ci|: terms that do not differ between classes can hardly be used.
    5. The same damped counts give naive Bayes scores. Inner folds choose C, and the two factors with which both scores
       are added and turned into probabilities: softmax(f_1 margin + f_2 naive Bayes). With many documents the margin
       gets more weight, with few the other. The result is one linear model: `coef_` and `intercept_`.

    Parameters
    ----------
    vectorizer : estimator, optional
        Counts texts. The default is ``termburst.CountVectorizer(ngram_range=(1, 2))``.
    ngram_weight : float, default=0.7
        Factor of the terms that consist of several words, above 0. Only with texts: counts have no names.
    costs : sequence of float, default=(1.0, 4.0)
        The values of C to choose from, each above 0; C as in LinearSVC.
    folds : int, default=3
        Number of inner folds, at least 2. They use at most 3,000 documents. No more folds are held out once 800
        documents were, which are enough to choose C and two factors.
    random_state : int, default=0
        Seed of the inner folds and of the order in which documents are visited.

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    coef_ : array, classes × terms
    intercept_ : array, one value per class
    cost_ : float
        The value of C chosen.
    factors_ : array of two numbers
        f_1 and f_2.
    vectorizer_ : estimator or None
        The fitted vectorizer; None with counts.
    kept_ : array
        The columns of the counts that are used.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator; only with counts.

    Notes
    -----
    * There is no `partial_fit`: rarity, folds and margins need all documents. For a stream of documents use
      `DirichletMultinomialNB`.
    * Counts must be whole numbers.
    * Probabilities are calibrated on held-out documents of the inner folds, if these come from the same source as the
      documents to predict.

    Examples
    --------
    >>> import termburst as tb
    >>> texts = ["the ship sank", "a ship at sea", "the sea was calm", "stocks fell", "the bank fell", "stocks rose"]
    >>> model = tb.BurstClassifier().fit(texts, ["sea"] * 3 + ["money"] * 3)
    >>> model.predict(["a calm ship", "the bank sold stocks"]).tolist()
    ['sea', 'money']
    """

    vectorizer: Any = None
    ngram_weight: Annotated[float, Option(above=0, most=1e6)] = 0.7
    costs: Any = (1.0, 4.0)
    folds: Annotated[int, Option(least=2)] = 3
    random_state: Annotated[int, Option(least=0, most=2**63 - 1)] = 0

    def fit(self, X: Any, y: Any) -> BurstClassifier:
        """Learn from texts, or from counts (documents × terms), and their labels."""
        costs = self._check_parameters()
        refuse_no_labels(self, y)
        if _are_texts(X):
            counts = self._counted(X)
        else:
            counts = canonical_counts(sparse_counts(self, X, reset=True))
            self.vectorizer_: Any = None
            self.kept_ = np.arange(counts.shape[1])
            self._ngram_factor = np.ones(counts.shape[1])
        self.classes_, label = _labels(y, counts.shape[0])
        weights = self._learn_weights(counts)
        self.cost_, self.factors_ = self._choose(weights, label, costs)
        order = frequent_first(weights)
        weights = weights[:, order]
        ratios = ClassLogRatios(class_sums(weights, label, self.classes_.size, once=True))
        margins = fit_margins(weights, label, ratios, self.cost_, tolerance=FINE, seed=self.random_state)
        self.coef_ = np.zeros((self.classes_.size, counts.shape[1]))
        coefficients = margins.coefficients
        coefficients *= self.factors_[0]
        if self.factors_[1] > 0:
            coefficients += self.factors_[1] * self._naive_bayes(weights, label)
        for own, ordered in zip(self.coef_, coefficients, strict=True):
            own[order] = ordered
        self.intercept_ = self.factors_[0] * margins.intercept
        return self

    def explain(self, document: Any, label: Any = None, against: Any = None) -> pl.DataFrame:
        """Which terms of one document speak for a class, and how strongly.

        Parameters
        ----------
        document : a text, or one row of counts
        label, against : two of the classes; by default the most probable one, and the most probable one of the others

        Returns
        -------
        polars.DataFrame
            One row per term of the document that the model knows, by |contribution|: term, count, and contribution, by
            how much the term raises the log-odds of *label* against *against*. The sum of all contributions and of
            the difference of the two `intercept_` is these log-odds.

        Examples
        --------
        >>> import termburst as tb
        >>> texts = ["the ship sank", "a ship at sea", "the sea was calm", "stocks fell", "the bank fell", "stocks up"]
        >>> model = tb.BurstClassifier().fit(texts, ["sea"] * 3 + ["money"] * 3)
        >>> model.explain("the ship was full of stocks", "sea")["term"].to_list()
        ['stocks', 'ship', 'was', 'the']
        """
        import polars as pl

        counts = self._known_counts([document] if isinstance(document, str) else document)
        if counts.shape[0] != 1:
            raise ValueError(f"explain takes one document; got {counts.shape[0]:,}")
        weights = self._weigh(counts)
        scores = np.asarray(weights @ self.coef_.T)[0] + self.intercept_
        first, second = self._two_classes(scores, label, against)
        difference = (self.coef_[first] - self.coef_[second])[weights.indices]
        if self.vectorizer_ is not None:
            names = self.vectorizer_.get_feature_names_out()[self.kept_]
        else:
            names = getattr(self, "feature_names_in_", np.arange(self.coef_.shape[1]))
        return pl.DataFrame(
            {
                "term": names[weights.indices].tolist(),
                "count": counts.data.astype(np.int64),
                "contribution": weights.data * difference,
            }
        ).sort(pl.col("contribution").abs(), "term", descending=[True, False])

    def _two_classes(self, scores: Floats, label: Any, against: Any) -> tuple[int, int]:
        """The numbers of the two classes; those that are None are the most probable of the others."""
        known = self.classes_.tolist()
        given = [one for one in (label, against) if one is not None]
        if not all(np.ndim(one) == 0 and one in known for one in given) or (len(given) == 2 and label == against):
            raise ValueError(f"label and against must be two of {shown(known)}; got {shown(given)}")
        order = [k for k in np.argsort(-scores, kind="stable").tolist() if known[k] not in given]
        first = order.pop(0) if label is None else known.index(label)
        return first, order[0] if against is None else known.index(against)

    def _scores(self, X: Any) -> Floats:
        return np.asarray(self._weigh(self._known_counts(X)) @ self.coef_.T) + self.intercept_

    def _known_counts(self, X: Any) -> Any:
        """The counts of the terms that were learned."""
        check_is_fitted(self)
        texts = _are_texts(X)
        if texts != (self.vectorizer_ is not None):
            learned, given = ("counts", "texts") if texts else ("texts", "counts")
            raise ValueError(f"BurstClassifier was fitted on {learned}; got {given}")
        if texts:
            return canonical_counts(self.vectorizer_.transform(X)[:, self.kept_])
        return canonical_counts(sparse_counts(self, X, reset=False))

    def _counted(self, texts: Any) -> Any:
        """The counts of texts, without n-grams that occur in one document only."""
        vectorizer = CountVectorizer(ngram_range=(1, 2)) if self.vectorizer is None else clone(self.vectorizer)
        counts = canonical_counts(vectorizer.fit_transform(texts))
        several = np.array([" " in str(name) for name in vectorizer.get_feature_names_out()])
        documents = np.bincount(counts.indices, minlength=counts.shape[1])
        self.vectorizer_ = vectorizer
        self.kept_ = np.flatnonzero(~several | (documents > 1))
        self._ngram_factor = np.where(several[self.kept_], float(self.ngram_weight), 1.0)
        return canonical_counts(counts[:, self.kept_])

    def _learn_weights(self, counts: Any) -> Any:
        self.statistics_ = from_canonical(counts, None, SCHEMES[SCHEME].detail)
        self.fit_ = fit_beta_binomial(self.statistics_)
        return self._weigh(counts)

    def _weigh(self, counts: Any) -> Any:
        """Weights of unit length."""
        data = SCHEMES[SCHEME](counts, self.statistics_, self.fit_) if counts.nnz else np.empty(0)
        data = data * self._ngram_factor[counts.indices]
        weights = type(counts)((data, counts.indices, counts.indptr), shape=counts.shape)
        return normalize(weights, copy=False)

    def _naive_bayes(self, weights: Any, label: Integers) -> Floats:
        """Naive Bayes as coefficients, classes × terms."""
        return log_means(class_sums(weights, label, self.classes_.size), SMOOTHING, BACKGROUND)

    def _choose(self, weights: Any, label: Integers, costs: list[float]) -> tuple[float, Floats]:
        """The cost with the best probabilities in the first inner fold, and the factors from all inner folds."""
        rng = np.random.default_rng(self.random_state)
        some = rng.permutation(label.size)[:INNER]
        fold = np.empty(some.size, dtype=np.int64)  # the members of a class are dealt out to the folds in turn
        fold[np.argsort(label[some], kind="stable")] = np.arange(some.size) % self.folds
        cost, kept = costs[0], []
        truth: list[Integers] = []
        for k in range(min(self.folds, some.size)):
            if sum(part.size for part in truth) >= ENOUGH:
                break
            inside, outside = some[fold != k], some[fold == k]
            tried = self._held_out(weights, label, inside, outside, costs if k == 0 else [cost])
            best = int(np.argmax([fit_mix(scores, label[outside])[1] for scores in tried])) if k == 0 else 0
            cost = costs[best] if k == 0 else cost
            kept.append(tried[best])
            truth.append(label[outside])
        both = [np.concatenate(parts) for parts in zip(*kept, strict=True)]
        return cost, fit_mix(both, np.concatenate(truth))[0]

    def _held_out(
        self, weights: Any, label: Integers, inside: Integers, outside: Integers, costs: list[float]
    ) -> list[list[Floats]]:
        """For every cost, the two scores of the documents *outside* by fits of those *inside*."""
        own, new = weights[inside], weights[outside]
        order = frequent_first(own)  # terms that are only outside are unknown, as in prediction
        own, new = own[:, order], new[:, order]
        ratios = ClassLogRatios(class_sums(own, label[inside], self.classes_.size, once=True))
        second = linear_scores(new, self._naive_bayes(own, label[inside]))
        options: dict[str, Any] = {"tolerance": ROUGH, "seed": self.random_state}
        return [[fit_margins(own, label[inside], ratios, cost, **options).scores(new), second] for cost in costs]

    def _check_parameters(self) -> list[float]:
        check_parameters(self)
        if self.vectorizer is not None and not hasattr(self.vectorizer, "fit_transform"):
            raise ValueError(f"vectorizer must be None or a vectorizer of scikit-learn; got {shown(self.vectorizer)}")
        costs = self.costs if isinstance(self.costs, str) or not hasattr(self.costs, "__iter__") else list(self.costs)
        if not isinstance(costs, list) or not costs:
            raise ValueError(f"costs must be a list of numbers; got {shown(self.costs)}")
        return [checked_number("costs", cost, 0.0, 1e6) for cost in costs]


def _are_texts(X: Any) -> bool:
    """Whether X is a list, an array or a column of texts; raises an error for a single text."""
    if isinstance(X, str):
        raise ValueError("BurstClassifier takes a list of texts, or counts; got a single text")
    if hasattr(X, "columns") and any(isinstance(next(iter(X[name]), None), str) for name in X.columns):
        raise ValueError("BurstClassifier takes texts, or counts, not a table with texts; give one column: df['text']")
    try:
        refuse_texts(X, "BurstClassifier")
    except ValueError as error:
        if "takes counts, not texts" not in str(error):
            raise
        for number, text in enumerate(X):
            if not hasattr(text, "__len__"):  # None, NaN, pandas' NA
                raise ValueError(f"document {number} must be a string; got {text!r:.60}") from None
        return True
    return False


def _labels(y: Any, documents: int) -> tuple[NDArray[Any], Integers]:
    """The classes, and the number of the class of every document."""
    y = label_column(y, documents)
    classes = distinct_labels(y)
    check_classification_targets(y)
    if classes.size < 2:
        raise ValueError(f"BurstClassifier needs at least two classes; got one class, {classes.tolist()[0]!r}")
    return classes, np.searchsorted(classes, y)
