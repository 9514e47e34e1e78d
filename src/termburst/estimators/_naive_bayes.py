"""What the naive Bayes classifiers of counts share: priors, labels, predictions from log-likelihoods."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d, validate_data

from termburst.counts.matrix import TOO_MANY, check_structure, refuse_texts
from termburst.inference.checks import shown

Floats = NDArray[np.float64]
LEAST, MOST = 1e-100, 1e100  # of parameters that are multiplied and divided by: beyond, a product may overflow


class CountNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier by class prior and class-conditional distribution of a document's counts.

    A subclass learns in `fit` and says in `_log_likelihood` how probable documents are in every class.
    """

    fit_prior: bool
    class_prior: ArrayLike | None

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """log P(c) + log P(n_j | c), documents × classes, without what all classes share."""
        check_is_fitted(self)
        return self._log_likelihood(sparse_counts(self, X, reset=False)) + self.class_log_prior_

    def predict_log_proba(self, X: Any) -> Floats:
        """The log of `predict_proba`."""
        return log_shares(self.predict_joint_log_proba(X))

    def predict_proba(self, X: Any) -> Floats:
        """P(c | n_j), documents × classes."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of every document."""
        joint = self.predict_joint_log_proba(X)
        return np.asarray(self.classes_[joint.argmax(axis=1)])

    @abstractmethod
    def _log_likelihood(self, counts: Any) -> Floats:
        """log P(n_j | c), documents × classes, without what all classes share."""

    def _labelled(
        self, X: Any, y: Any, sample_weight: Any, *, classes: Any = None, reset: bool = True
    ) -> tuple[Any, Floats]:
        """Counts, and the weight of every document in every class; sets `classes_` where *reset*."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        counts = sparse_counts(self, X, reset=reset)
        y = column_or_1d(y, warn=True)
        distinct_labels(y)
        check_classification_targets(y)
        if y.size != counts.shape[0]:
            raise ValueError(f"there are {counts.shape[0]} documents, but {y.size} labels")
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
            raise ValueError("the sample weights are too large to be added up: divide them all by the largest")
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
                raise ValueError(f"class_prior is {classes} probabilities, one a class, that add up to 1")
        elif self.fit_prior:
            prior = class_count / class_count.sum()
        else:
            prior = np.full(classes, 1 / classes)
        with np.errstate(divide="ignore"):  # a class of no weight is never predicted
            self.class_log_prior_ = np.log(prior)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True
        tags.classifier_tags.poor_score = True  # on scikit-learn's blobs, which are no counts
        return tags


def sparse_counts(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as a `csr_array` without duplicates and stored zeros. Fractions are let in, as `MultinomialNB` does."""
    refuse_texts(X, type(estimator).__name__)
    if sp.issparse(X):
        check_structure(X)  # before scikit-learn converts it
    valid = validate_data(
        estimator, X, reset=reset, accept_sparse="csr", dtype=np.float64, ensure_non_negative=True, copy=False
    )
    counts = sp.csr_array(valid, copy=sp.issparse(valid))
    counts.sum_duplicates()
    counts.eliminate_zeros()
    with np.errstate(over="ignore"):
        tokens = counts.data.sum()
    if tokens >= 2**62:  # log-probabilities so large would have lost all digits that tell classes apart
        raise ValueError(TOO_MANY)
    return counts


def log_shares(joint: Floats) -> Floats:
    """Log-probabilities of the columns, whose exponentials add up to 1 in every row, from unnormalised ones.

    Examples
    --------
    >>> np.exp(log_shares(np.array([[-1e18, -1e18]])))
    array([[0.5, 0.5]])
    """
    joint = joint - joint.max(axis=1, keepdims=True)  # else log 2 is lost beside 1e18
    return np.asarray(joint - logsumexp(joint, axis=1, keepdims=True))


def distinct_labels(labels: Any) -> NDArray[Any]:
    """The distinct labels, sorted, or a sentence where there are none or one is missing.

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
        raise ValueError(f"there is no class: got {shown(labels)}")
    return np.asarray(found)


def checked_number(name: str, value: Any, low: float, high: float, *, low_too: bool = False) -> float:
    """A parameter that is a number above (or, with *low_too*, from) *low* and up to *high*.

    Examples
    --------
    >>> checked_number("alpha", 0.5, 0.0, 1.0)
    0.5
    """
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.complexfloating))
    try:
        number = number and (low < float(value) <= high or (low_too and float(value) == low))
    except OverflowError:  # an integer beyond all floats
        number = False
    if not number:
        upper = "" if np.isinf(high) else f" and at most {high:g}"
        raise ValueError(
            f"{name} is a number {'of at least' if low_too else 'above'} {low:g}{upper}; got {shown(value)}"
        )
    return float(value)
