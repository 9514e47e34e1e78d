"""`EDCMMixture`: clusters of documents whose words come in bursts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import ClassifierTags, check_random_state
from sklearn.utils.validation import check_is_fitted

from termburst.estimators.count_input import count_tags, sparse_counts
from termburst.estimators.naive_bayes import LEAST, MOST, log_shares
from termburst.inference.checks import checked_number, checked_whole, shown
from termburst.models.dirichlet_multinomial_classes import Patterns, class_log_likelihood
from termburst.models.edcm import edcm_log_likelihood, edcm_precision

Floats = NDArray[np.float64]
Precision = Literal["shared", "component"] | float
PUSH = 0.05  # the share of chance in the responsibilities when the temperature falls


@dataclass(frozen=True, slots=True)
class _Run:
    mean: Floats
    precision: Floats
    log_weights: Floats
    bound: float
    iterations: int
    converged: bool


class EDCMMixture(DensityMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster documents by a mixture of Dirichlet-multinomials with Elkan's estimates, with annealing.

    Elkan ("Clustering documents with an exponential-family approximation of the Dirichlet compound multinomial
    distribution", 2006) has log P(n_j | c) = log [n_j! Γ(s_c)/Γ(s_c + n_j)] + Σ_{i: n_ij > 0} log(β_ci/n_ij),
    β_ci = s_c m_ci, and so m_ci ∝ Σ_j r_jc [n_ij > 0]: the documents with a term, not its tokens. These means, with
    alpha added and mixed with the same of all documents, are kept; by default they are scored by the Dirichlet-
    multinomial itself at a given s, as in `DirichletMultinomialNB`, in which repetitions still count a little.

    EM at temperature T has responsibilities r_jc ∝ [π_c P(n_j | c)^(1/l_j)]^(1/T). A high temperature keeps early
    decisions soft; it is lowered step by step. l_j = max(1, n_j/ñ)^length_damping, ñ being the median length: the words
    of a long document are not independent, and say less than their number.

    Parameters
    ----------
    n_components : int, default=2
    precision : float, "shared" or "component", default=20000.0
        s: a number, infinite for the multinomial, with the Dirichlet-multinomial's likelihood; or Elkan's approximation
        with s from s Σ_j r_j [ψ(s + n_j) − ψ(s)] = Σ_j r_j b_j, one for all components ("shared") or one for each, as
        in his paper ("component"). With one for each, documents are also parted by how much they repeat themselves,
        whatever their words.
    length_damping : float, default=0.75
        From 0, where documents count by all of their tokens, to 1, where none counts more than one of median length.
    alpha : float, default=0.01
        What is added to every term's evidence, above 0.
    background : float, default=0.3
        The share of all documents' mean in every component's, from 0 to 1, where all components are the same.
    temperatures : sequence of float, default=(25, 18, 12, 8, 5, 3, 2, 1)
        Falling, of at least 1. ``(1,)`` is EM without annealing. A higher start takes longer.
    steps : int, default=8
        EM steps at each temperature before the last.
    max_iter : int, default=100
        EM steps at the last.
    tol : float, default=1e-4
        Converged is a change of the bound, a document, below this.
    n_init : int, default=1
        Random starts, of which the one with the highest bound is kept.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    weights_ : array, one a component
        π_c.
    mean_ : array, components × terms
        m_ci.
    precision_ : array, one a component
        s_c.
    labels_ : array, one a document
        The most probable component of every fitted document.
    length_ : float
        ñ.
    lower_bound_ : float
        T Σ_j log Σ_c [π_c P(n_j | c)^(1/l_j)]^(1/T) over the documents' number at the last temperature T; at T = 1 and
        without damping the mean log-likelihood.
    converged_ : bool
    n_iter_ : int
        EM steps at the last temperature.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    * The defaults were chosen with the labels of the training documents of 20 Newsgroups and R8
      (``benchmarks/quality_models.py choose``). Precisions from 2,000 upwards differ little.
    * ``precision="component", length_damping=0`` is Elkan's model, apart from `background` and `alpha`.

    Examples
    --------
    >>> import termburst as tb
    >>> X = [[3, 1, 0, 0], [1, 4, 0, 0], [2, 2, 0, 1], [0, 0, 3, 1], [0, 0, 1, 5], [0, 1, 2, 2]]
    >>> labels = tb.EDCMMixture(2, temperatures=(2, 1), n_init=5, random_state=0).fit_predict(X)
    >>> (labels == labels[0]).tolist()
    [True, True, True, False, False, False]
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        precision: Precision = 20000.0,
        length_damping: float = 0.75,
        alpha: float = 0.01,
        background: float = 0.3,
        temperatures: Sequence[float] = (25, 18, 12, 8, 5, 3, 2, 1),
        steps: int = 8,
        max_iter: int = 100,
        tol: float = 1e-4,
        n_init: int = 1,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.precision = precision
        self.length_damping = length_damping
        self.alpha = alpha
        self.background = background
        self.temperatures = temperatures
        self.steps = steps
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> EDCMMixture:
        """Find the components of the counts X, documents × terms."""
        self._check_parameters()
        counts = sparse_counts(self, X, reset=True)
        if counts.shape[0] < self.n_components:
            raise ValueError(
                f"n_samples={counts.shape[0]} documents cannot be parted into {self.n_components} components"
            )
        n_j = np.asarray(counts.sum(axis=1)).ravel()
        self.length_ = float(np.median(n_j[n_j > 0])) if counts.nnz else 1.0
        rng = check_random_state(self.random_state)
        best = max((self._run(counts, rng) for _ in range(self.n_init)), key=lambda run: run.bound)
        if not best.converged:
            warnings.warn("EDCMMixture did not converge: increase max_iter or tol", ConvergenceWarning, stacklevel=2)
        self.mean_, self.precision_, self.weights_ = best.mean, best.precision, np.exp(best.log_weights)
        self.lower_bound_, self.n_iter_, self.converged_ = best.bound, best.iterations, best.converged
        self.labels_ = self._joint(counts).argmax(axis=1)
        return self

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.int64]:
        """Find the components and say which every document is of."""
        return np.asarray(self.fit(X).labels_)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """The most probable component of every document."""
        check_is_fitted(self)
        return np.asarray(self._joint(sparse_counts(self, X, reset=False)).argmax(axis=1))

    def predict_proba(self, X: Any) -> Floats:
        """P(c | n_j) ∝ π_c P(n_j | c)^(1/l_j) of the fitted model, at temperature 1; documents × components."""
        check_is_fitted(self)
        return np.exp(log_shares(self._joint(sparse_counts(self, X, reset=False))))

    def score_samples(self, X: Any) -> Floats:
        """The log-likelihood of every document."""
        check_is_fitted(self)
        counts = sparse_counts(self, X, reset=False)
        log_likelihood = self._scorer(counts)(self.mean_, self.precision_)
        return np.asarray(logsumexp(log_likelihood + np.log(self.weights_), axis=1))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of a document."""
        return float(self.score_samples(X).mean())

    def _joint(self, counts: Any) -> Floats:
        log_likelihood = self._scorer(counts)(self.mean_, self.precision_)
        return log_likelihood / self._damping(counts) + np.log(self.weights_)

    def _damping(self, counts: Any) -> Floats:
        n_j = np.asarray(counts.sum(axis=1), dtype=np.float64)[:, None]
        return np.asarray(np.maximum(1.0, n_j / self.length_) ** self.length_damping)

    def _scorer(self, counts: Any) -> Callable[[Floats, Floats], Floats]:
        """log P(n_j | c) as a function of means and precisions; what they do not change is worked out once."""
        if isinstance(self.precision, str):
            return partial(edcm_log_likelihood, counts)
        patterns = Patterns.of(counts)
        factorials = sp.csr_array((gammaln(counts.data + 1), counts.indices, counts.indptr), shape=counts.shape)
        coefficient = (gammaln(np.asarray(counts.sum(axis=1)) + 1) - factorials.sum(axis=1))[:, None]
        return lambda mean, precision: class_log_likelihood(counts, mean, precision, patterns=patterns) + coefficient

    def _run(self, counts: Any, rng: np.random.RandomState) -> _Run:
        d, k = counts.shape[0], self.n_components
        present = sp.csr_array((np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape)
        by_term = present.T.tocsr()
        everywhere = by_term.sum(axis=1) + self.alpha
        everywhere = self.background * everywhere / everywhere.sum()
        length, which = np.unique(np.asarray(counts.sum(axis=1)).ravel(), return_inverse=True)
        of_length = sp.csr_array((np.ones(d), (which, np.arange(d))), shape=(length.size, d))
        if isinstance(self.precision, str):
            shared = edcm_precision(length, of_length.sum(axis=1), float(counts.nnz))
        else:
            shared = float(self.precision)
        score, damping = self._scorer(counts), self._damping(counts)
        share = rng.dirichlet(np.ones(k), size=d)
        bound, iteration, converged = -np.inf, 0, False
        last = len(self.temperatures) - 1
        for stage, temperature in enumerate(self.temperatures):
            if stage > 0:  # components that coincide at a high temperature would stay together without a push
                share = (1 - PUSH) * share + PUSH * rng.dirichlet(np.ones(k), size=d)
            for iteration in range(1, (self.max_iter if stage == last else self.steps) + 1):
                evidence = (by_term @ share).T
                own = evidence + self.alpha
                mean = (1 - self.background) * own / own.sum(axis=1, keepdims=True) + everywhere
                precision = np.full(k, shared)
                if self.precision == "component":
                    pairs = zip((of_length @ share).T, evidence.sum(axis=1), strict=True)
                    precision = np.array([edcm_precision(length, w, float(b)) for w, b in pairs])
                log_weights = np.log((share.sum(axis=0) + 1) / (d + k))
                joint = (score(mean, precision) / damping + log_weights) / temperature
                total = logsumexp(joint, axis=1, keepdims=True)
                share = np.exp(joint - total)
                previous, bound = bound, temperature * float(total.mean())
                converged = stage == last and iteration > 1 and abs(bound - previous) < self.tol
                if converged:
                    break
        return _Run(mean, precision, log_weights, bound, iteration, converged)

    def _check_parameters(self) -> None:
        for name in ("n_components", "steps", "max_iter", "n_init"):
            checked_whole(name, getattr(self, name), least=1)
        if not isinstance(self.precision, str):
            checked_number("precision", self.precision, LEAST, np.inf)
        elif self.precision not in ("shared", "component"):
            raise ValueError(f"precision is a number, 'shared' or 'component'; got {self.precision!r}")
        checked_number("length_damping", self.length_damping, 0.0, 1.0, low_too=True)
        checked_number("alpha", self.alpha, 0.0, MOST)
        checked_number("background", self.background, 0.0, 1.0, low_too=True)
        checked_number("tol", self.tol, 0.0, np.inf)
        try:
            falling = np.asarray(self.temperatures, dtype=np.float64)
        except (TypeError, ValueError):  # texts, a ragged list
            falling = np.empty(0)
        ordered = falling.ndim == 1 and falling.size and (falling >= 1).all() and (np.diff(falling) <= 0).all()
        if not ordered or np.isinf(falling).any():
            raise ValueError(f"temperatures fall and are numbers of at least 1; got {shown(self.temperatures)}")

    def __sklearn_tags__(self) -> Any:
        tags = count_tags(super().__sklearn_tags__())
        # scikit-learn's check of sparse input takes whatever has predict_proba for a classifier of two classes, or of
        # four where multi_class: with other than two components it cannot be passed
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags
