"""`BurstinessSelector`: keep the terms that come in bursts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from termburst.estimators.count_input import check_parameters, count_tags, validated
from termburst.inference.checks import check_name
from termburst.inference.multiplicity import adjust_log10
from termburst.inference.overdispersion import burstiness
from termburst.inference.plr import ClampedTermsWarning, plr_statistic
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.options import Option
from termburst.statistics.matrix import canonical_counts
from termburst.statistics.term_statistics import from_canonical

Floats = NDArray[np.float64]


def _plr(counts: Any) -> Floats:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClampedTermsWarning)  # a clamped λ is large, which is enough for a rank
        return plr_statistic(from_canonical(counts, None, "moments"))


def _likelihood_ratio(counts: Any) -> Floats:
    fit = fit_beta_binomial(counts)
    return np.maximum(2 * (fit.loglik - fit.loglik_binomial), 0.0)


def _log_p(counts: Any) -> Floats:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClampedTermsWarning)
        return -burstiness(counts, only="lr").lr.log10_p


SCORES: dict[str, Callable[[Any], Floats]] = {"plr": _plr, "lr": _likelihood_ratio, "p": _log_p}


@dataclass(eq=False, repr=False)
class BurstinessSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Keep the columns of a count matrix with the most bursty terms; no labels are needed.

    Parameters
    ----------
    k : int, float or "all", default=1000
        Number of terms to keep, a share of them (a float of at most 1), or all. Terms that never occur are kept last.
        Among equal scores the first columns are kept. If `k` is above the number of terms, all are kept.
    by : {"plr", "lr", "p"}, default="plr"
        "plr" is the paper's λ_i (`plr_statistic`). "lr" is the exact likelihood ratio 2(ℓ̂ − ℓ̂_binomial) of
        `fit_beta_binomial`. "p" is −log10 of its p-value (`burstiness_test`), which takes the frequency of a term into
        account.
    fdr : float, optional
        Only with by="p": of the `k` terms, keep those whose q-value is at most this (Benjamini–Hochberg over all terms
        that occur). Above 0 and at most 1.

    Attributes
    ----------
    scores_ : array, one value per term
        NaN for a term that never occurs.
    qvalues_ : array, one value per term
        Only with by="p".
    n_features_in_, feature_names_in_
        As in every scikit-learn transformer.

    Examples
    --------
    >>> import termburst as tb
    >>> X = [[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]]
    >>> selector = tb.BurstinessSelector(k=1, by="lr").fit(X)
    >>> selector.get_support().tolist(), selector.transform(X)[:, 0].tolist()
    ([True, False, False], [4, 0, 0, 0])
    """

    k: Any = 1000
    _: KW_ONLY
    by: str = "plr"
    fdr: Annotated[float | None, Option(above=0, most=1)] = None

    def fit(self, X: Any, y: Any = None) -> BurstinessSelector:
        """Score the terms of X, documents × terms."""
        self._check_parameters()
        counts = canonical_counts(validated(self, X, reset=True))
        occurs = np.bincount(counts.indices, minlength=counts.shape[1]) > 0
        self.scores_ = np.full(occurs.size, np.nan)
        if occurs.any():
            self.scores_ = np.where(occurs, SCORES[self.by](counts), np.nan)
        self._scored_by = self.by
        if hasattr(self, "qvalues_"):  # of an earlier fit
            delattr(self, "qvalues_")
        if self.by == "p":
            self.qvalues_ = 10 ** adjust_log10(-self.scores_)
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        self._check_parameters()
        if self.by != self._scored_by:
            raise ValueError(f"the terms were scored with by={self._scored_by!r}: fit again to use by={self.by!r}")
        size = self.scores_.size
        if self.k == "all":
            keep = size
        elif isinstance(self.k, (int, np.integer)):
            keep = min(int(self.k), size)
        else:
            keep = max(1, round(float(self.k) * size))
        score = np.where(np.isnan(self.scores_), -np.inf, self.scores_)
        mask = np.zeros(size, dtype=bool)
        mask[np.argsort(-score, kind="stable")[:keep]] = True
        if self.fdr is not None:
            mask &= np.nan_to_num(self.qvalues_, nan=np.inf) <= self.fdr
        return mask

    def _check_parameters(self) -> None:
        check_name("by", self.by, SCORES)
        whole = isinstance(self.k, (int, np.integer)) and not isinstance(self.k, bool) and self.k >= 1
        share = isinstance(self.k, (float, np.floating)) and 0 < self.k <= 1
        if not (whole or share or (isinstance(self.k, str) and self.k == "all")):
            raise ValueError(
                f"k must be a whole number of 1 or more, a float above 0 and at most 1.0, or 'all'; got {self.k!r}"
            )
        check_parameters(self)
        if self.fdr is not None and self.by != "p":
            raise ValueError("fdr needs by='p': the other scores have no p-values")

    def __sklearn_tags__(self) -> Any:
        return count_tags(super().__sklearn_tags__())
