"""The base classes of the classifiers of counts: labels, priors, predictions from scores or log-likelihoods."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from termburst.estimators.count_input import MOST, count_tags, sparse_counts
from termburst.inference.checks import shown

Floats = NDArray[np.float64]
HeldOut = Literal["held-out"]  # stands for a value that held-out training documents choose
FEWEST, HELD_OUT = 100, 4000  # documents from which smoothing is chosen: at least, and at most
MANY, MANY_FOLDS = 8000, 5  # at most, and folds, for models that learn in one pass


class CountClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier with a score for every document and class, whose softmax are the probabilities.

    A subclass sets `classes_` in `fit`.
    """

    classes_: NDArray[Any]

    @abstractmethod
    def _scores(self, X: Any) -> Floats:
        """The logarithms of the probabilities, documents × classes, up to a constant of each document."""

    def predict_log_proba(self, X: Any) -> Floats:
        """The log of `predict_proba`."""
        return log_shares(self._scores(X))

    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class, documents × classes."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of every document."""
        best = self._scores(X).argmax(axis=1)  # raises the error of a model that is not fitted
        return np.asarray(self.classes_[best])

    def __sklearn_tags__(self) -> Any:
        tags = count_tags(super().__sklearn_tags__())
        tags.classifier_tags.poor_score = True  # on scikit-learn's blobs, which are not counts
        return tags


@dataclass(eq=False, repr=False, kw_only=True)
class CountNaiveBayes(CountClassifier):
    """A classifier by class prior and class-conditional distribution of the counts of a document.

    A subclass learns in `fit`, and its `_log_likelihood` returns the log-likelihood of documents in every class.
    """

    fit_prior: bool = True
    class_prior: ArrayLike | None = None

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """log P(c) + log P(n_j | c), documents × classes, up to a constant that is the same for all classes."""
        check_is_fitted(self)
        return self._log_likelihood(sparse_counts(self, X, reset=False)) + self.class_log_prior_

    def _scores(self, X: Any) -> Floats:
        return self.predict_joint_log_proba(X)

    @abstractmethod
    def _log_likelihood(self, counts: Any) -> Floats:
        """log P(n_j | c), documents × classes, up to a constant that is the same for all classes."""

    def _labelled(
        self, X: Any, y: Any, sample_weight: Any, *, classes: Any = None, reset: bool = True
    ) -> tuple[Any, Floats]:
        """Counts, and the weight of every document in every class; sets `classes_` if *reset*."""
        refuse_no_labels(self, y)
        counts = sparse_counts(self, X, reset=reset)
        y = label_column(y, counts.shape[0])
        check_classification_targets(y)
        if reset:
            self.classes_ = distinct_labels(y if classes is None else classes)
        label = np.searchsorted(self.classes_, y)
        unknown = self.classes_[np.minimum(label, self.classes_.size - 1)] != y
        if unknown.any():
            raise ValueError(f"the label {y[unknown].tolist()[0]!r} is not among the classes")
        weights = np.zeros((y.size, self.classes_.size))
        weights[np.arange(y.size), label] = _check_sample_weight(
            sample_weight, y, dtype=np.float64, ensure_non_negative=True
        )
        if weights.max() > MOST:
            raise ValueError("the sample weights are too large to be summed: divide them all by the largest")
        return counts, weights

    def _set_prior(self, class_count: Floats) -> None:
        self.class_count_ = class_count
        classes = class_count.size
        if self.class_prior is not None:
            try:
                prior = np.asarray(self.class_prior, dtype=np.float64)
            except (TypeError, ValueError):  # texts, a dictionary
                prior = np.empty(0)
            if prior.shape != (classes,) or not (prior >= 0).all() or not np.isclose(prior.sum(), 1):
                raise ValueError(f"class_prior must be {classes} probabilities, one per class, with sum 1")
        elif self.fit_prior:
            prior = class_count / class_count.sum()
        else:
            prior = np.full(classes, 1 / classes)
        with np.errstate(divide="ignore"):  # a class with prior 0 is never predicted
            self.class_log_prior_ = np.log(prior)


def log_shares(joint: Floats) -> Floats:
    """Normalise log-probabilities, so that the probabilities of every row add up to 1.

    Examples
    --------
    >>> np.exp(log_shares(np.array([[-1e18, -1e18]])))
    array([[0.5, 0.5]])
    """
    joint = joint - joint.max(axis=1, keepdims=True)  # otherwise log 2 would be lost beside 1e18
    return np.asarray(joint - logsumexp(joint, axis=1, keepdims=True))


def held_out_parts(
    documents: NDArray[np.int64], folds: int = 3, *, all_folds: bool = True, most: int = HELD_OUT
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Pairs (documents to learn from, documents to predict), for choosing options; none if there are too few.

    Folds of at most *most* documents, in an order that is always the same. Without *all_folds*, only the first fold is
    predicted if there are 3,000 or more documents: for models that take long.

    Examples
    --------
    >>> [(inside.size, outside.size) for inside, outside in held_out_parts(np.arange(120))]
    [(80, 40), (80, 40), (80, 40)]
    >>> [outside.size for _, outside in held_out_parts(np.arange(9000), 5, most=8000)]
    [1600, 1600, 1600, 1600, 1600]
    >>> held_out_parts(np.arange(99))
    []
    """
    if documents.size < FEWEST:
        return []
    some = np.random.default_rng(0).permutation(documents)[:most]
    used = range(folds if all_folds or some.size < 3000 else 1)
    return [(some[np.arange(some.size) % folds != k], some[k::folds]) for k in used]


def clearly_better(ours: NDArray[np.bool_], theirs: NDArray[np.bool_], weight: Floats | float = 1.0) -> bool:
    """Whether we are right on more held-out documents than they, by more than two standard errors.

    If b documents are right only with us and c only with them, the difference is b − c. If there is no true
    difference, its standard error is √(b + c), as in McNemar's test.

    Examples
    --------
    >>> clearly_better(np.array([True] * 4 + [False]), np.array([False] * 4 + [True]))
    False
    >>> clearly_better(np.array([True] * 5), np.array([False] * 5))
    True
    """
    difference = ours.astype(np.float64) - theirs
    return bool(np.sum(weight * difference) > 2 * np.sqrt(np.sum(weight * np.abs(difference))))


def refuse_no_labels(estimator: Any, y: Any) -> None:
    """Raise a ValueError, in the words that scikit-learn's checks require, if there are no labels."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")


def label_column(y: Any, documents: int) -> NDArray[Any]:
    """The labels y as an array; ValueError if one is missing, or if there is not one for each of the documents.

    Lists are looked at before NumPy sees them: it makes the text "nan" of NaN beside texts.

    Examples
    --------
    >>> label_column(["war", "peace"], 2).tolist()
    ['war', 'peace']
    >>> label_column(["war", float("nan")], 2)
    Traceback (most recent call last):
    ValueError: document 1 has the label nan: give every document a label
    """
    if isinstance(y, (list, tuple)):
        for number, one in enumerate(y):
            if one is None or (isinstance(one, float) and np.isnan(one)):
                raise ValueError(f"document {number} has the label {one}: give every document a label")
    found: NDArray[Any] = column_or_1d(y, warn=True)
    distinct_labels(found)
    if found.size != documents:
        raise ValueError(f"there are {documents} documents, but {found.size} labels")
    return found


def distinct_labels(labels: Any) -> NDArray[Any]:
    """The distinct labels, sorted; raises an error if there are none or if one is missing.

    Examples
    --------
    >>> distinct_labels(["war", "peace", "war"]).tolist()
    ['peace', 'war']
    """
    try:
        found = np.unique(labels)
        missing = found.dtype.kind == "f" and bool(np.isnan(found).any())
    except TypeError:  # None, or pandas' NA, beside texts
        missing = True
    if missing:
        raise ValueError("Input y contains NaN, None or labels that cannot be sorted: give every document a label")
    if not found.size:
        raise ValueError(f"at least one class is needed; got {shown(labels)}")
    return np.asarray(found)
