"""The closed forms of the paper, each written once: for NumPy arrays and for the columns of an engine's frame.

The arguments are d documents, n tokens, and for every term n_i occurrences in b_i documents. The first argument of
most formulas, *ops*, says how to compute with them (`Operations`): `NUMPY` here, `backends.expressions` for frames.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.special import xlogy

from termburst.models.special import stirling_remainder
from termburst.names import Form
from termburst.statistics.matrix import Integers


class Operations(Protocol):
    """What a formula needs beyond + − × ÷ and comparisons. A value is an array, or an expression of columns."""

    def log(self, x: Any) -> Any:
        """Natural logarithm."""

    def xlogy(self, x: Any, y: Any) -> Any:
        """x log y; 0 at x = 0."""

    def where(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """*then* where the condition holds, *otherwise* elsewhere."""

    def at_least(self, x: Any, least: float) -> Any:
        """x, or *least* where x is below it."""

    def as_float(self, x: Any) -> Any:
        """Integers as the nearest 64-bit floats."""

    def log_one_minus(self, part: Any, whole: float) -> Any:
        """log((whole − part)/whole) to its last digits, 0 ≤ part < whole."""

    def keep(self, value: Any) -> Any:
        """A value that is used more than once.

        NumPy has computed it already. An engine puts it into a column: without that, it would write the formula of the
        value into the query once for each use.
        """


class NumPyOperations:
    """The operations of NumPy arrays."""

    log, xlogy, where = staticmethod(np.log), staticmethod(xlogy), staticmethod(np.where)

    def at_least(self, x: Any, least: float) -> Any:
        """See `Operations`."""
        return np.maximum(x, least)

    def as_float(self, x: Any) -> Any:
        """See `Operations`."""
        return np.asarray(x, dtype=np.float64)

    def log_one_minus(self, part: Any, whole: float) -> Any:
        """See `Operations`: by log1p where *part* is small, by log where it is nearly all.

        Examples
        --------
        >>> NUMPY.log_one_minus(np.array([1e-18, 0.75]), 1.0)
        array([-1.00000000e-18, -1.38629436e+00])
        """
        small = part < whole / 2
        if small.all():
            return np.log1p(-part / whole)
        return np.where(small, np.log1p(-np.where(small, part, 0) / whole), np.log((whole - part) / whole))

    def keep(self, value: Any) -> Any:
        """See `Operations`."""
        return value


NUMPY = NumPyOperations()


@dataclass(frozen=True, slots=True)
class Collection:
    """The numbers that all terms share.

    Attributes
    ----------
    d, n : documents and tokens
        Integers in memory, floats in an engine.
    mu, sigma2 : mean and variance of the gamma penalty on the precision α_0
    """

    d: float
    n: float
    mu: float
    sigma2: float

    @property
    def eta2(self) -> float:
        """η² = μ²/σ²."""
        return self.mu / self.sigma2 * self.mu


@dataclass(frozen=True, slots=True)
class LengthSums:
    """What Tarone's score takes from the document lengths.

    Attributes
    ----------
    n : Σ_j n_j
    squared : Σ_j n_j²
    counts_vary : bool
        False if only one document has tokens, or if no document has more than one token: then no count can vary.
    """

    n: float
    squared: float
    counts_vary: bool

    @classmethod
    def of(cls, lengths: Integers, documents: Integers) -> LengthSums:
        """The sums of a histogram: the number of *documents* of each of the *lengths*.

        They are integers, which fit into 64 bits (`statistics.labels.check_fits`).

        Examples
        --------
        >>> LengthSums.of(np.array([0, 2, 3]), np.array([4, 1, 1]))
        LengthSums(n=5, squared=13, counts_vary=True)
        """
        held = (lengths > 0) & (documents > 0)
        varies = int(documents[held].sum()) > 1 and int(lengths[held].max()) > 1
        return cls(int(lengths @ documents), int(lengths**2 @ documents), varies)


def idf(ops: Operations, d: float, b_i: Any) -> Any:
    """IDF, log(d/b_i); log d for a term that never occurs."""
    return ops.log(d / ops.at_least(b_i, 1))


def icf(ops: Operations, n: float, n_i: Any) -> Any:
    """ICF, log(n/n_i); log n for a term that never occurs."""
    return ops.log(n / ops.at_least(n_i, 1))


def tf_idf_sum(n_i: Any, idf: Any) -> Any:
    """Σ_j TF–IDF(i,j) = n_i log(d/b_i)."""
    return n_i * idf


def repeats(n_i: Any, b_i: Any) -> Any:
    """r_i = n_i − b_i + 1."""
    return n_i - b_i + 1


def gamma_precision(ops: Operations, mu: float, sigma2: float, r_i: Any) -> Any:
    """α̂_0 = (σ²/μ)(η² − r_i) of Claim 2; NaN where that is not positive.

    Examples
    --------
    >>> gamma_precision(NUMPY, 4.0, 2.0, np.array([2, 8]))
    array([ 3., nan])
    """
    margin = ops.keep(mu / sigma2 * mu - r_i)
    return ops.where(margin > 0, sigma2 / mu * margin, math.nan)


def split_precision(alpha_0: Any, n: float, n_i: Any, b_i: Any) -> tuple[Any, Any]:
    """α̂_i and α̂_¬i of Claim 2: the precision split as b_i to n_¬i = n − n_i."""
    n_not = n - n_i
    total = b_i + n_not
    return alpha_0 * b_i / total, alpha_0 * n_not / total


def likelihood_parts(ops: Operations, d: float, n: float, n_i: Any, b_i: Any, repetition: Any) -> dict[str, Any]:
    """The parts of λ_i that do not depend on the penalty; *repetition* is Σ_j log (n_ij − 1)!."""
    return {
        "tf_icf": -2 * ops.xlogy(n_i, n_i / n),
        "btf_idf": 2 * ops.xlogy(b_i, b_i / d),
        "repetition": 2 * repetition,
        "collection": -2 * n * ops.log_one_minus(n_i - b_i, n),
    }


def excess_share(ops: Operations, n: float, n_i: Any, b_i: Any, scale: float) -> Any:
    """log((b_i + n_¬i)/scale): λ_i contains twice this for each repeat of the term."""
    return ops.log((b_i + (n - n_i)) / scale)


def plr_parts(
    ops: Operations, collection: Collection, n_i: Any, b_i: Any, repetition: Any, form: Form
) -> dict[str, Any]:
    """The named parts of λ_i under the gamma penalty (Claim 3), in their order; some are plain numbers.

    `inference.plr.PARTS` has the formulas, `inference.plr.plr_statistic` explains the forms.

    Examples
    --------
    >>> parts = plr_parts(NUMPY, Collection(4, 95, 23.75, 1.0), np.array([4]), np.array([1]), np.log([6.0]), "printed")
    >>> add_up(parts).round(2)
    array([5.83])
    """
    c = collection
    penalties = 1 if form == "printed" else 2  # how often log f enters: erratum 1
    parts = likelihood_parts(ops, c.d, c.n, n_i, b_i, repetition)
    parts["excess"] = 2 * (n_i - b_i) * excess_share(ops, c.n, n_i, b_i, c.d * c.sigma2)
    parts["mean_length"] = -(2 * b_i + penalties) * _log(c.mu)
    if form != "printed":
        parts["mu_shift"] = 2 * n_i * _log(c.mu * c.d / c.n)
    parts["precision"] = precision_part(ops, c.eta2, ops.keep(repeats(n_i, b_i)), form)
    if form == "exact":
        parts["stirling"] = -2 * float(stirling_remainder(c.eta2))
    parts["constant"] = -penalties * _log(2 * np.pi) / 2
    return parts


def precision_part(ops: Operations, eta2: float, r_i: Any, form: Form) -> Any:
    """The part of λ_i in η² and r_i, expanded around log η². Computed directly, it would lose η² log η² ulps.

    printed:  (η² − 2r + 1) log max(1, η² − r) + r − (η² − 3/2) log η²
    corrected: 2(η² − r) log(η² − r) + 2r − (2η² − 3) log η², the first term 0 where η² ≤ r
    exact: as corrected; NaN where η² ≤ r
    """
    log_eta2 = _log(eta2)
    margin = ops.keep(eta2 - r_i)
    defined = margin >= 1 if form == "printed" else margin > 0
    shrunk = ops.log_one_minus(ops.where(defined, r_i, 0.0), eta2)
    if form == "printed":
        value = (2.5 - 2 * r_i) * log_eta2 + (eta2 - 2 * r_i + 1) * shrunk + r_i
        return ops.where(defined, value, r_i - (eta2 - 1.5) * log_eta2)
    value = (3 - 2 * r_i) * log_eta2 + 2 * margin * shrunk + 2 * r_i
    return ops.where(defined, value, math.nan if form == "exact" else 2 * r_i - (2 * eta2 - 3) * log_eta2)


def add_up(parts: Mapping[str, Any]) -> Any:
    """The sum of the parts in their order: this defines λ_i. (Python's own `sum` rounds in another way since 3.12.)

    Examples
    --------
    >>> add_up({"one": 0.1, "two": 0.2, "three": 0.3}) == (0.1 + 0.2) + 0.3
    True
    """
    return functools.reduce(operator.add, parts.values())


def cell_coefficients(ops: Operations, collection: Collection, n_i: Any, b_i: Any) -> tuple[Any, Any, Any, Any]:
    """The coefficients of λ_ij (Eq. lambda-ij) for each term: per_length, once, per_count, per_absent.

    λ_ij = per_count · (n_ij − 1) + once + per_length · n_j + log (n_ij − 1)!, and per_absent + per_length · n_j in a
    document without the term. For a term that never occurs, *once* and *per_count* are 0.
    """
    c = collection
    seen, r_i = n_i > 0, ops.keep(repeats(n_i, b_i))
    share = ops.keep(excess_share(ops, c.n, n_i, b_i, c.d * c.sigma2))
    per_absent = ops.keep((precision_part(ops, c.eta2, r_i, "printed") - _log(c.mu)) / (2 * c.d))
    per_count = ops.keep(ops.where(seen, icf(ops, c.n, n_i) + share, 0.0))
    per_cell = ops.where(seen, per_absent - idf(ops, c.d, b_i) - share - _log(c.mu), 0.0)
    return -ops.log_one_minus(r_i - 1, c.n), per_cell + per_count, per_count, per_absent


def tarone(ops: Operations, lengths: LengthSums, n_i: Any, squares: Any, products: Any) -> Any:
    """Tarone's score z_i of *squares* Σ_j n_ij² and *products* Σ_j n_ij n_j, with p = n_i/n.

    z_i = [Σ_j (n_ij − n_j p)²/(p(1 − p)) − n] / √(2 Σ_j n_j (n_j − 1))

    0 where the counts of the term cannot vary: it is every token, or `LengthSums.counts_vary` is False. NaN at n_i = 0.
    """
    n, n_i = lengths.n, ops.keep(ops.as_float(n_i))
    fixed = n_i == n if lengths.counts_vary else n_i > 0
    # The score of all other tokens is the same. For a term that is more than half of the text it is used instead: 1 − p
    # would lose digits. So would differences of large floats. Differences of integers are exact, and none of these can
    # overflow, in this order.
    major = 2 * n_i > n
    p = ops.keep(ops.where(fixed, 0.5, ops.where(major, n - n_i, n_i) / n))
    others = (lengths.squared - products) - (products - squares)
    squares = ops.as_float(ops.keep(ops.where(major, others, squares)))
    products = ops.as_float(ops.keep(ops.where(major, lengths.squared - products, products)))
    squared = float(lengths.squared)
    excess = (squares - 2 * p * products + p * p * squared) / (p * (1 - p)) - n
    return ops.where(fixed, 0.0, excess / (math.sqrt(2 * (squared - n)) or 1.0))


def _log(x: float) -> float:
    """The logarithm of a plain number, as NumPy rounds it."""
    return float(np.log(x))
