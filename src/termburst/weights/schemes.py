"""Term weights by name: one table of schemes, and those to start with. `scheme_functions` has the formulas."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.display import did_you_mean
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.names import DEFAULT_SCHEME, Detail
from termburst.statistics.term_statistics import TermStatistics
from termburst.weights import scheme_functions as formulas

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scheme:
    """A named way to weight terms: call it with (counts, statistics, fit).

    Attributes
    ----------
    function : callable
        The formula; takes counts (canonical CSR) and a `scheme_functions.Background`.
    formula : str
        The weight of a cell, as text.
    detail : "frequencies", "moments" or "patterns"
        The detail that the scheme needs; no more than that is computed.
    needs_fit : bool
        Whether it needs a fitted model of every term.
    signed : bool
        Whether weights may be negative, which naive Bayes and class weights do not allow.
    uses_labels : bool
        Whether it takes *contrast*, *explained* and *information*, one number per term each, which labels give: see
        `class_damped` and `class_lift`. Without labels they are None.

    Examples
    --------
    >>> from termburst.statistics.matrix import canonical_counts
    >>> X = canonical_counts([[2, 1], [0, 3]])
    >>> SCHEMES["tf-idf"](X, TermStatistics.from_counts(X)).round(4)
    array([1.3863, 0.    , 0.    ])
    """

    function: Callable[..., Floats]
    formula: str
    detail: Detail = "frequencies"
    needs_fit: bool = False
    signed: bool = False
    uses_labels: bool = False

    def __call__(self, counts: Any, statistics: TermStatistics, fit: Any = None, **more: Any) -> Floats:
        """The weights of the stored cells of *counts*; a fit is computed if it is needed and not given.

        *more* are other fields of `scheme_functions.Background`.
        """
        if self.needs_fit and fit is None:
            fit = fit_beta_binomial(statistics)
        return self.function(counts, formulas.Background(statistics, fit, **more))


SCHEMES: dict[str, Scheme] = {
    "tf-idf": Scheme(formulas.tf_idf, "n_ij log(d/b_i)"),
    "btf-idf": Scheme(formulas.btf_idf, "b_ij log(d/b_i)"),
    "tf-icf": Scheme(formulas.tf_icf, "n_ij log(n/n_i)"),
    "lambda": Scheme(formulas.plr_share, "λ_ij", signed=True),
    "s-lambda": Scheme(formulas.plr_sigmoid, "1/(1 + exp(−λ_ij))"),
    "counts": Scheme(formulas.raw_counts, "n_ij"),
    "sublinear-tf-idf": Scheme(formulas.sublinear_tf_idf, "(1 + log n_ij)(1 + log(d/b_i))"),
    "bm25": Scheme(formulas.bm25, "2.2 n_ij/(n_ij + 1.2 L_j) log(d/b_i)"),
    "class-lift": Scheme(
        formulas.class_lift,
        "2.2 n_ij/(n_ij + 1.2 L_j) (1 + log((1 + d)/(1 + b_i)))^1.25 √(0.3 + g_i)",
        uses_labels=True,
    ),
    "class-damped": Scheme(
        formulas.class_damped,
        "n_ij^min(0.1 + 1.4 e_i, 1) √[(1 + log((1 + d)/(1 + b_i))) (0.3 + s_i)]",
        uses_labels=True,
    ),
    "damped-tf-idf": Scheme(
        formulas.damped_tf_idf, "A(ψ(n_ij/L_j + A) − ψ(A)) √log(d/b_i)", "patterns", needs_fit=True
    ),
    "log-damped-tf-idf": Scheme(
        formulas.log_damped_tf_idf,
        "log(1 + n_ij/A)/log(1 + 1/A) (1 + log((1 + d)/(1 + b_i)))^1.1",
        "patterns",
        needs_fit=True,
    ),
    "pearson": Scheme(
        formulas.pearson_residual, "(n_ij − n_j p)/√(n_j p(1 − p)φ_j)", "patterns", needs_fit=True, signed=True
    ),
    "deviance": Scheme(formulas.deviance_residual, "±√(deviance/φ_j)", "patterns", needs_fit=True, signed=True),
    "fisher": Scheme(formulas.fisher, "−log P(N ≥ n_ij), hypergeometric"),
    "two-stage": Scheme(formulas.two_stage, "log(d/b_i) + (n_ij − 1) log(1/ρ_i)"),
    "fisher-kernel": Scheme(formulas.fisher_kernel, "(ψ(n_ij + α) − ψ(α))/√I_i", "patterns", needs_fit=True),
}
_RECOMMENDED = {"linear": "class-lift", "naive-bayes": "class-damped"}


def recommended_scheme(model: str) -> str:
    """The name of the scheme to start with, for a kind of model: "linear" or "naive-bayes".

    "linear" means LinearSVC, logistic regression and other linear models, on rows of unit length (``norm="l2"``, the
    default of `TermWeighting`). "naive-bayes" means MultinomialNB and ComplementNB; for MultinomialNB take
    ``norm=None``. Both weights learn from labels, which a pipeline passes on. Without labels the default of
    `TermWeighting` is right for linear models, and "damped-tf-idf" with ``norm=None`` for MultinomialNB. Both were
    chosen on training documents of eight collections; docs/weights.md has all results, also on collections that were
    not used to choose.

    Examples
    --------
    >>> recommended_scheme("linear")
    'class-lift'
    """
    if not isinstance(model, str) or model not in _RECOMMENDED:
        names = ", ".join(map(repr, _RECOMMENDED))
        raise ValueError(f"model must be one of {names}; got {model!r}. LinearSVC and logistic regression are linear")
    return _RECOMMENDED[model]


def named_scheme(name: str) -> Scheme:
    """The scheme with this name; the ValueError for another name lists all names.

    Examples
    --------
    >>> named_scheme("tf-icf").formula
    'n_ij log(n/n_i)'
    """
    if not isinstance(name, str) or name not in SCHEMES:
        hint = did_you_mean(name, SCHEMES) if isinstance(name, str) else ""
        raise ValueError(f"scheme must be one of {', '.join(map(repr, SCHEMES))}; got {name!r}{hint}")
    return SCHEMES[name]


def warn_of_one_class(name: str, label: object, stacklevel: int = 2) -> None:
    """Warn that all labels are the same, so that a scheme that compares classes has nothing to compare."""
    warnings.warn(
        f"all documents have the label {label!r}, so that the scheme {name!r} has no classes to compare and its factor "
        f"for them is 1; take the scheme {DEFAULT_SCHEME!r}, or give labels of at least two classes",
        stacklevel=stacklevel + 1,
    )


def warn_without_labels(name: str, stacklevel: int = 2) -> None:
    """Warn if the scheme with this name learns from labels: to be called where it has none."""
    if SCHEMES[name].uses_labels:
        warnings.warn(
            f"the scheme {name!r} has no labels of documents here, so that its factor for the contrast between classes "
            f"is 1; take the scheme {DEFAULT_SCHEME!r}, or give labels y, as in corpus.weights({name!r}, "
            "y='column') or fit(X, y) of an estimator (a pipeline passes them on)",
            stacklevel=stacklevel + 1,
        )
