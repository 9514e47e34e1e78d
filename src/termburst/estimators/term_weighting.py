"""`TermWeighting`: from counts to weights in a scikit-learn pipeline."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from termburst.estimators.count_input import count_tags, validated
from termburst.estimators.naive_bayes import label_column
from termburst.models.class_evidence import ClassEvidence, class_evidence, class_information, explained_burstiness
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.models.margins import class_contrast
from termburst.models.penalties import checked_hyperparameters
from termburst.names import DEFAULT_SCHEME, Invalid
from termburst.options import Option
from termburst.statistics.matrix import canonical_counts
from termburst.statistics.term_statistics import TermStatistics, from_canonical
from termburst.weights.schemes import named_scheme, warn_of_one_class, warn_without_labels


@dataclass(eq=False, repr=False)
class TermWeighting(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a matrix of counts into a matrix of term weights; fit on one collection, then weigh any other.

    Parameters
    ----------
    scheme : str, default="bm25"
        A name in `termburst.SCHEMES`; the weight of the paper is "s-lambda". With labels `termburst.recommended_scheme`
        has better ones.
    mu : float, optional
        Mean of the penalty on the precision; some schemes also scale documents to this length. The default is the mean
        document length of the fitted collection.
    sigma2 : float, default=1.0
        Variance of the penalty; only "lambda" and "s-lambda" use it.
    norm : {"l1", "l2"} or None, default="l2"
        Scale every document to unit norm. None keeps the weights as they are, as the formulas have them. "l2" is better
        for LinearSVC and ComplementNB; None for MultinomialNB (see Notes), and LogisticRegression with its default C.
    transductive : bool, default=False
        Recompute all statistics on the documents passed to `transform`, as the paper's experiments do, but keep the μ
        of `fit`. By default all statistics are those of `fit`.
    invalid : {"clamp", "raise"}, default="clamp"
        What to do with terms that repeat too often for the penalty; see `termburst.plr_statistic`.
    sparse_output : bool, default=True
        Whether weights are CSR. `set_output(transform="pandas")` and `"polars"` need dense weights: ``False``.

    Attributes
    ----------
    statistics_ : TermStatistics
        Statistics of the fitted collection, with the detail that the scheme needs.
    fit_ : BetaBinomialFit or None
        The exact fit of every term, for the schemes that need one.
    mu_ : float
        The value of μ.
    contrast_ : array, one value per term, or None
        How much the classes surely differ in a term. Only for the schemes that use labels (`Scheme.uses_labels`), and
        if `fit` was given labels of at least two classes; with None that factor of the weight is 1.
    explained_ : array, one value per term, or None
        The share of the burstiness of a term that the classes explain, for the same schemes. Only "class-damped" uses
        it.
    information_ : array, one value per term, or None
        What the presence of a term tells about the class, in nats, for the same schemes. Only "class-lift" uses it.
    n_features_in_, feature_names_in_
        As in every scikit-learn transformer.

    Notes
    -----
    * Only cells where a term occurs are stored; absent cells have weight 0 in every scheme.
    * A term that did not occur in fitting has weight 0. An empty document is a row of zeros; it counts in d.
    * `partial_fit` adds documents to the fit. The result is the same as if all had been fitted at once.
    * "class-lift" and "class-damped" learn from the labels y, as a pipeline passes them on, and warn if there are none.
      All other schemes ignore y.
    * For MultinomialNB take ``TermWeighting(recommended_scheme("naive-bayes"), norm=None)``, or without labels
      ``TermWeighting("damped-tf-idf", norm=None)``: that classifier takes weights for counts, and needs the lengths of
      documents.
    * The input matrix is never changed. The result shares no memory with it, has no duplicate cells, and keeps the
      order of the cells in a row, sorted or not.

    Examples
    --------
    >>> import termburst as tb
    >>> X = [[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]]
    >>> tb.TermWeighting("tf-idf", norm=None).fit_transform(X).toarray().round(3)
    array([[5.545, 0.   , 0.   ],
           [0.   , 0.   , 0.   ],
           [0.   , 0.   , 0.   ],
           [0.   , 0.   , 0.   ]])
    """

    scheme: str = DEFAULT_SCHEME
    _: KW_ONLY
    mu: float | None = None
    sigma2: float = 1.0
    norm: Annotated[Literal["l1", "l2"] | None, Option()] = "l2"
    transductive: bool = False
    invalid: Annotated[Invalid, Option()] = "clamp"
    sparse_output: bool = True

    def fit(self, X: Any, y: Any = None) -> TermWeighting:
        """Learn the statistics of the collection X, documents × terms; y are labels, for the schemes that use them."""
        self._fit(X, y)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> TermWeighting:
        """Add the documents of X to the fit; the columns must be the same terms."""
        known = getattr(self, "statistics_", None)
        self._learn(self._counts(X, reset=known is None), y, known)
        return self

    def transform(self, X: Any) -> Any:
        """Weigh the documents of X."""
        check_is_fitted(self)
        return self._weigh(self._counts(X, reset=False))

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Learn from X and weigh it; X is checked only once."""
        return self._weigh(self._fit(X, y))

    def _fit(self, X: Any, y: Any) -> Any:
        """Learn from X, and return its counts."""
        counts = self._counts(X, reset=True)
        if not counts.nnz:
            raise ValueError("all documents are empty: weights need at least one token")
        self._learn(counts, y, known=None)
        if len(self.class_evidence_) == 1:  # in `partial_fit` the documents of other classes may still come
            warn_of_one_class(self.scheme, next(iter(self.class_evidence_)), stacklevel=3)
        return counts

    def _learn(self, counts: Any, y: Any, known: TermStatistics | None) -> None:
        if y is None and known is None:
            warn_without_labels(self.scheme, stacklevel=3)
        scheme = named_scheme(self.scheme)
        self.class_evidence_ = self._class_evidence(counts, y, known) if scheme.uses_labels else {}
        new = from_canonical(counts, getattr(self, "feature_names_in_", None), scheme.detail)
        self.statistics_ = new if known is None else known + new
        self.fit_ = fit_beta_binomial(self.statistics_) if scheme.needs_fit else None
        self.mu_ = self.statistics_.mean_length if self.mu is None else self.mu
        classes = list(self.class_evidence_.values())
        several = len(classes) > 1
        self.contrast_ = class_contrast(np.array([one.with_term for one in classes])) if several else None
        self.explained_ = explained_burstiness(classes) if several else None
        self.information_ = class_information(classes) if several else None

    def _class_evidence(self, counts: Any, y: Any, known: TermStatistics | None) -> dict[Any, ClassEvidence]:
        """For each label, what its documents say about every term, added to that of earlier calls."""
        found = {} if known is None else dict(self.class_evidence_)
        if known is not None and bool(found) != (y is not None):
            raise ValueError("give labels y either in every call of partial_fit or in none")
        if y is None:
            return found
        y = label_column(y, counts.shape[0])
        if type_of_target(y, raise_unknown=True) not in ("binary", "multiclass"):
            raise ValueError(
                f"the scheme {self.scheme!r} compares classes, but y has {type_of_target(y)} values; "
                f"take another scheme, such as {DEFAULT_SCHEME!r}"
            )
        classes, label = np.unique(y, return_inverse=True)
        for name, new in zip(classes.tolist(), class_evidence(counts, label, classes.size), strict=True):
            found[name] = found[name] + new if name in found else new
        return found

    def _weigh(self, counts: Any) -> Any:
        scheme = named_scheme(self.scheme)
        statistics, fit = self.statistics_, self.fit_
        if self.transductive and counts.nnz:
            statistics = from_canonical(counts, statistics.terms, scheme.detail)
            fit = None  # the scheme then computes its own
        data: Any = []
        if counts.nnz:
            names = ("contrast", "explained", "information") if scheme.uses_labels else ()
            labelled = {name: getattr(self, f"{name}_") for name in names}
            data = scheme(counts, statistics, fit, mu=self.mu_, sigma2=self.sigma2, invalid=self.invalid, **labelled)
        weights = type(counts)((data, counts.indices.copy(), counts.indptr.copy()), shape=counts.shape)
        if self.norm is not None:
            weights = normalize(weights, norm=self.norm, copy=False)
        return weights if self.sparse_output else weights.toarray()

    def _counts(self, X: Any, *, reset: bool) -> Any:
        named_scheme(self.scheme)
        checked_hyperparameters(1.0 if self.mu is None else self.mu, self.sigma2)
        return canonical_counts(validated(self, X, reset=reset, name="TermWeighting (unlike BurstinessVectorizer)"))

    def __sklearn_tags__(self) -> Any:
        tags = count_tags(super().__sklearn_tags__())
        tags.transformer_tags.preserves_dtype = []
        return tags
