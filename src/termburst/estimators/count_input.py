"""Code that all estimators of counts share: the checks of their input, and scikit-learn's tags."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from termburst.options import options_of
from termburst.statistics.matrix import TOO_MANY, check_structure, refuse_texts

LEAST, MOST = 1e-100, 1e100  # limits of parameters in products and quotients, which could otherwise overflow


def check_parameters(estimator: Any) -> None:
    """Raise ValueError for a parameter that is not as its `Option` says; scikit-learn wants none in `__init__`."""
    for name, parameter in options_of(estimator.__class__).items():
        parameter.checked(getattr(estimator, name))


def sparse_counts(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as a `csr_array` without duplicates and stored zeros. Fractions are allowed, as in `MultinomialNB`."""
    check_parameters(estimator)
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
    if tokens >= 2**62:  # such large log-probabilities have no digits left that differ between classes
        raise ValueError(TOO_MANY)
    return counts


def validated(estimator: Any, X: Any, *, reset: bool, name: str = "") -> Any:
    """X after scikit-learn's checks of shape and names; texts are refused under *name*, by default the class's."""
    check_parameters(estimator)
    refuse_texts(X, name or type(estimator).__name__)
    # `canonical_counts` checks for NaN and duplicates: its message names the cell, and it sums without overflow.
    return validate_data(estimator, X, reset=reset, accept_sparse=True, dtype=None, ensure_all_finite=False)


def count_tags(tags: Any) -> Any:
    """scikit-learn's tags, set for counts."""
    tags.input_tags.sparse = True
    tags.input_tags.positive_only = True
    tags.input_tags.categorical = True  # scikit-learn's word for whole numbers: its checks then use them
    return tags
