"""Term weights: one pure function a scheme, one table of their names.

A scheme takes counts, the statistics of a collection and, where it needs one, a fit, and returns the weights of the
stored cells in their order. Cells where a term does not occur are not stored and weigh 0. A term that the collection
has never seen weighs 0 too: there is nothing to judge it by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from termburst.counts.statistics import Detail, TermStatistics
from termburst.inference.plr import Invalid, cell_coefficients

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scheme:
    """A named way to weigh terms: call it with (counts, statistics, fit).

    Attributes
    ----------
    function : callable
        The formula; takes counts (canonical CSR), statistics, fit, and by name mu, sigma2 and invalid.
    formula : str
        The weight of a cell, for people.
    detail : "frequencies", "moments" or "patterns"
        How much the scheme needs to know of the collection; no more than that is computed.
    needs_fit : bool
        Whether it needs a fitted model of every term.

    Examples
    --------
    >>> from termburst.counts.matrix import canonical_counts
    >>> X = canonical_counts([[2, 1], [0, 3]])
    >>> SCHEMES["tf-idf"](X, TermStatistics.from_counts(X)).round(4)
    array([1.3863, 0.    , 0.    ])
    """

    function: Callable[..., Floats]
    formula: str
    detail: Detail = "frequencies"
    needs_fit: bool = False

    def __call__(
        self,
        counts: Any,
        statistics: TermStatistics,
        fit: Any = None,
        *,
        mu: float | None = None,
        sigma2: float = 1.0,
        invalid: Invalid = "clamp",
    ) -> Floats:
        """The weights of the stored cells of *counts*."""
        return self.function(counts, statistics, fit, mu=mu, sigma2=sigma2, invalid=invalid)


def tf_idf(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """n_ij log(d/b_i) (Eq. tfidf). Unlike scikit-learn's default it is neither smoothed nor raised by one."""
    return counts.data * _idf(statistics)[counts.indices]


def btf_idf(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """b_ij log(d/b_i), b_ij = [n_ij > 0] (Eq. btfidf)."""
    return _idf(statistics)[counts.indices]


def tf_icf(counts: Any, statistics: TermStatistics, fit: Any = None, **_: Any) -> Floats:
    """n_ij log(n/n_i) (Eq. tficf)."""
    return counts.data * _log_inverse(statistics.tokens, statistics.collection_frequency)[counts.indices]


def plr_share(
    counts: Any,
    statistics: TermStatistics,
    fit: Any = None,
    *,
    mu: float | None = None,
    sigma2: float = 1.0,
    invalid: Invalid = "clamp",
) -> Floats:
    """λ_ij, the document's share in λ_i (Eq. lambda-ij); may be negative."""
    return _unseen_zero(cell_coefficients(statistics, mu, sigma2, invalid)(counts), counts, statistics)


def plr_sigmoid(
    counts: Any,
    statistics: TermStatistics,
    fit: Any = None,
    *,
    mu: float | None = None,
    sigma2: float = 1.0,
    invalid: Invalid = "clamp",
) -> Floats:
    """S(λ_ij) = 1/(1 + exp(−λ_ij)), the paper's weight, between 0 and 1."""
    weights = cell_coefficients(statistics, mu, sigma2, invalid)(counts, transform=expit)
    return _unseen_zero(weights, counts, statistics)


SCHEMES: dict[str, Scheme] = {
    "tf-idf": Scheme(tf_idf, "n_ij log(d/b_i)"),
    "btf-idf": Scheme(btf_idf, "b_ij log(d/b_i)"),
    "tf-icf": Scheme(tf_icf, "n_ij log(n/n_i)"),
    "lambda": Scheme(plr_share, "λ_ij"),
    "s-lambda": Scheme(plr_sigmoid, "1/(1 + exp(−λ_ij))"),
}


def named_scheme(name: str) -> Scheme:
    """The scheme of that name, or a sentence with the names there are.

    Examples
    --------
    >>> named_scheme("tf-icf").formula
    'n_ij log(n/n_i)'
    """
    if not isinstance(name, str) or name not in SCHEMES:
        raise ValueError(f"scheme is one of {', '.join(map(repr, SCHEMES))}; got {name!r}")
    return SCHEMES[name]


def _idf(statistics: TermStatistics) -> Floats:
    return _log_inverse(statistics.documents, statistics.document_frequency)


def _log_inverse(whole: int, part: NDArray[np.int64]) -> Floats:
    """log(whole/part), and 0 for what was never seen."""
    return np.where(part > 0, np.log(max(whole, 1) / np.maximum(part, 1)), 0.0)


def _unseen_zero(weights: Floats, counts: Any, statistics: TermStatistics) -> Floats:
    unseen = statistics.collection_frequency == 0
    if unseen.any():
        weights[unseen[counts.indices]] = 0.0
    return weights
