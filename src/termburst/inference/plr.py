"""The paper's penalised likelihood-ratio statistic λ_i: its value, its named parts, and the documents' shares λ_ij."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import gammaln

from termburst.core.matrix import CountBlock
from termburst.core.weights import TABLED, share_weights
from termburst.inference.checks import check_name
from termburst.models import closed_forms as forms
from termburst.models.cells import term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.models.penalized_mle import penalized_mle, precision_margin, settled_hyperparameters
from termburst.models.penalties import named_penalty
from termburst.names import FITS, FORMS, INVALID, Fit, Form, Invalid
from termburst.statistics.matrix import canonical_counts, document_lengths, over_rows
from termburst.statistics.term_statistics import TermStatistics, as_statistics

Floats = NDArray[np.float64]
add_up = forms.add_up

_LOG_FACTORIAL_BEFORE = gammaln(np.arange(TABLED))  # log (n − 1)! by n

_RARE = 32  # `cell_coefficients` looks up terms with fewer occurrences than this

PARTS = {  # the parts of λ_i in the order of Claim 3: name → printed formula; `plr_statistic` explains the other forms
    "tf_icf": "2 Σ_j TF–ICF(i,j) = 2 n_i log(n/n_i)",
    "btf_idf": "−2 Σ_j BTF–IDF(i,j) = −2 b_i log(d/b_i)",
    "repetition": "2 Σ_j log (n_ij − 1)!",
    "collection": "2n log(n / (b_i + n_¬i))",
    "excess": "2 (n_i − b_i) log((b_i + n_¬i) / (dσ²))",
    "mean_length": "−(2b_i + 1) log μ",
    "mu_shift": "2 n_i log(μd/n)",
    "precision": "(η² − 2r_i + 1) log max(1, η² − r_i) + r_i − (η² − 3/2) log η²",
    "stirling": "−2 δ(η²)",
    "penalty": "log f(α̂_0)",
    "constant": "−log √(2π)",
}


class ClampedTermsWarning(UserWarning):
    """Some terms have η² ≤ r_i, so their estimated precision is not positive; the message says how many.

    Examples
    --------
    >>> import warnings
    >>> import termburst as tb
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     statistic = tb.plr_statistic([[30, 1], [0, 2]], mu=2.0)
    >>> caught[0].category.__name__
    'ClampedTermsWarning'
    """


def plr_statistic(
    X_or_statistics: Any,
    *,
    mu: float | None = None,
    sigma2: float = 1.0,
    form: Form = "printed",
    penalty: str = "gamma",
    invalid: Invalid = "clamp",
) -> Floats:
    r"""λ_i of every term: how much better a bursty model explains it than a binomial one.

    λ_i = −2(ℓ_0 − ℓ_1), where ℓ_0 is the binomial log-likelihood at n_i/n and ℓ_1 the maximum of the penalised
    approximate beta-binomial one (Claims 1 and 2). Empty documents count in d.

    Parameters
    ----------
    X_or_statistics : count matrix, or TermStatistics of detail "moments" or more
    mu, sigma2 : float
        Mean and variance of the penalty on the precision; by default the mean document length n/d, and 1.
    form : {"printed", "corrected", "exact"}
        * "printed": Claim 3, Eq. lambda-tfidf, as in the paper: the penalty enters once, and terms are cancelled that
          cancel only if μ = n/d.
        * "corrected": derived in the same way (Stirling), with the penalty's 2 log f and the term 2 n_i log(μd/n).
        * "exact": the definition itself, with log Γ in place of Stirling's formula.
    penalty : {"gamma", "log-normal", "inverse-gamma"}
        The paper prints a formula only for gamma. For the others the ratio is evaluated at that penalty's α̂_0
        (`penalized_mle`), log f enters once in the form "printed" and twice in the others, and every term is valid.
    invalid : {"clamp", "raise"}
        What to do with terms that have no positive precision: η² − r_i ≤ 0, where r_i = n_i − b_i + 1. "clamp": the
        logarithm of η² − r_i becomes that of 1, as in the paper. In the form "exact" λ_i is NaN there. A
        `ClampedTermsWarning` says how many such terms there are. "raise": raise a ValueError. (The paper's
        max(1, η² − r_i) in "printed" also changes terms with 0 < η² − r_i < 1; they are valid, and not counted here.)

    Returns
    -------
    array of float, one per term
        A term that never occurs has the formula's value at n_i = b_i = 0: −½ log(2πσ²), twice that if not "printed". A
        term that never repeats has the same value (up to O(1/η²), at μ = n/d).

    Notes
    -----
    In "corrected" the clamped term is 2(η² − r_i) log(η² − r_i). It goes to 0 at η² = r_i, so only η² − r_i ≤ 0 is
    clamped.

    Examples
    --------
    >>> X = [[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]]
    >>> plr_statistic(X).round(2)[:2]
    array([ 5.83, -0.92])
    """
    statistics = as_statistics(X_or_statistics, "moments")
    return add_up(plr_parts(statistics, mu=mu, sigma2=sigma2, form=form, penalty=penalty, invalid=invalid))


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """λ_i of one term as the sum of its named parts: it prints as a table for people, `parts` has the numbers.

    Attributes
    ----------
    term : str or int
    n_i, b_i : int
        Its occurrences, and the documents that have it.
    parts : dict of str to float
        Added up in this order (`add_up`) they are `plr` to the last bit. `PARTS` has the formulas.
    plr : float
        λ_i.
    alpha, alpha_not : float
        Those that `fit` names: the penalised estimates of Claim 2 (NaN if not valid), the exact ones, or NaN.
    form, fit : str
        As they were asked for.
    status : str
        "valid" or "invalid" of penalised estimates, as in `BetaBinomialFit` of exact ones, empty for none.
    sentences : tuple of str
        How bursty the term is, in words; empty if the statistics lack the patterns that this needs.
    """

    term: str | int
    n_i: int
    b_i: int
    parts: dict[str, float]
    plr: float
    alpha: float
    alpha_not: float
    form: Form
    fit: Fit = "penalized"
    status: str = "valid"
    sentences: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """How bursty the term is, one line per part, the sum, and the estimates."""
        head = f"{self.term!r}: n_i = {self.n_i:,} occurrences in b_i = {self.b_i:,} documents"
        formulas = part_formulas(self.parts, self.form)
        lines = [f"  {k:<12}{v:>16,.4f}   {formulas.get(k, '')}".rstrip() for k, v in self.parts.items()]
        end = f"  {'λ_i':<12}{self.plr:>16,.4f}   ({self.form})"
        status = "invalid: η² ≤ r_i" if self.status == "invalid" else self.status
        own = "exact: α_i = {:.6g}, α_¬i = {:.6g}" if self.fit == "exact" else "α̂_i = {:.6g}, α̂_¬i = {:.6g}"
        fitted = [] if self.fit == "none" else [f"  {own.format(self.alpha, self.alpha_not)} ({status})"]
        return "\n".join([*self.sentences, head, *lines, end, *fitted])


def explain(
    statistics: TermStatistics,
    term: str | int,
    *,
    mu: float | None = None,
    sigma2: float = 1.0,
    form: Form = "printed",
    penalty: str = "gamma",
    invalid: Invalid = "clamp",
    fit: Fit = "penalized",
) -> Explanation:
    """λ_i as the sum of the named parts of Claim 3; parameters as in `plr_statistic`, and *fit* as in `term_table`.

    Examples
    --------
    >>> s = TermStatistics.from_counts([[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]], terms=["ha", "no", "so"])
    >>> why = explain(s, "ha", invalid="clamp")
    >>> add_up(why.parts) == why.plr
    True
    >>> round(why.parts["repetition"], 4)  # 2 log 3!
    3.5835
    """
    check_name("fit", fit, FITS)
    statistics = as_statistics(statistics, "moments")
    column = statistics.index(term)
    parts = plr_parts(statistics, mu=mu, sigma2=sigma2, form=form, penalty=penalty, invalid=invalid, only=column)
    alpha, alpha_not, status = float("nan"), float("nan"), ""
    if fit == "penalized":
        penalized = penalized_mle(statistics, mu=mu, sigma2=sigma2, penalty=penalty)
        alpha, alpha_not = float(penalized.alpha[column]), float(penalized.alpha_not[column])
        status = "valid" if penalized.valid[column] else "invalid"
    elif fit == "exact":
        exact = fit_beta_binomial(term_cells(statistics).of_terms(np.array([column])))
        alpha, alpha_not, status = float(exact.alpha[0]), float(exact.alpha_not[0]), str(exact.status[0])
    # Computed for all terms: a vectorised logarithm may differ in the last bit by position.
    return Explanation(
        term if statistics.terms is None else str(statistics.terms[column]),
        int(statistics.collection_frequency[column]),
        int(statistics.document_frequency[column]),
        {name: float(np.broadcast_to(part, statistics.vocabulary_size)[column]) for name, part in parts.items()},
        float(add_up(parts)[column]),
        alpha,
        alpha_not,
        form,
        fit,
        status,
    )


def plr_contributions(X: Any, *, mu: float | None = None, sigma2: float = 1.0, invalid: Invalid = "clamp") -> csr_array:
    """λ_ij, the share of each document in λ_i (Eq. lambda-ij), in the cells where the term occurs.

    Parameters
    ----------
    X : count matrix, documents × terms
    mu, sigma2, invalid : see `plr_statistic`; the form is "printed"

    Returns
    -------
    csr_array
        It has three more attributes, which SciPy's operations (slices, copies, products) do not pass on:

        * ``absent``: one number per term, Σ_j λ_ij over the documents without it, so that
          λ_i = 2 (``.sum(axis=0)`` + ``.absent``) − log √(2π);
        * ``absent_slope`` and ``absent_intercept``: λ_ij of a document of length n_j without the term is
          ``absent_slope * n_j + absent_intercept``.

    Examples
    --------
    >>> shares = plr_contributions([[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]])
    >>> shares.toarray()[:, 0].round(3)
    array([15.449,  0.   ,  0.   ,  0.   ])
    >>> float((2 * (shares.sum(axis=0) + shares.absent) - np.log(2 * np.pi) / 2)[0].round(2))
    5.83
    """
    counts = canonical_counts(X)
    statistics = as_statistics(counts, "frequencies")
    cells = cell_coefficients(statistics, mu, sigma2, invalid)
    result = csr_array((cells(counts), counts.indices.copy(), counts.indptr.copy()), shape=counts.shape)
    missing_documents = statistics.documents - statistics.document_frequency
    present = type(counts)((np.ones_like(counts.data, dtype=np.int64), counts.indices, counts.indptr), counts.shape)
    missing_tokens = statistics.tokens - present.T @ document_lengths(counts)
    result.absent_slope, result.absent_intercept = cells.packed[:, 0].copy(), cells.packed[:, 3].copy()
    result.absent = result.absent_slope * missing_tokens + result.absent_intercept * missing_documents
    return result


@dataclass(frozen=True, slots=True)
class CellCoefficients:
    """The coefficients of λ_ij = per_count_i · (n_ij − 1) + once_i + per_length_i · n_j + log (n_ij − 1)!.

    Called with canonical counts it returns λ_ij of the stored cells, or with *sigmoid* 1/(1 + exp(−λ_ij)).

    Attributes
    ----------
    packed : array, one row per term
        per_length, once, per_count; and per_absent: λ_ij of a document without the term is per_absent + per_length n_j.
    """

    packed: Floats

    def __call__(self, counts: Any, *, sigmoid: bool = False) -> Floats:
        """λ_ij of the stored cells, in their order."""
        values = np.empty(counts.nnz)

        def fill(block: CountBlock, _: slice, cells: slice) -> None:
            table = _LOG_FACTORIAL_BEFORE
            share_weights(block, values[cells], packed=self.packed, log_factorial=table, sigmoid=sigmoid)

        over_rows(counts, fill)
        return values


def cell_coefficients(
    statistics: TermStatistics, mu: float | None, sigma2: float, invalid: Invalid = "clamp"
) -> CellCoefficients:
    """The coefficients of λ_ij (Eq. lambda-ij) for every term of the collection."""
    mu, sigma2 = settled_hyperparameters(statistics, mu, sigma2)
    n_i, b_i = statistics.collection_frequency, statistics.document_frequency
    _handle_invalid(statistics, mu, sigma2, "printed", invalid)
    collection = forms.Collection(statistics.documents, statistics.tokens, mu, sigma2)

    def packed(n_i: NDArray[np.int64], b_i: NDArray[np.int64]) -> Floats:
        return np.column_stack(forms.cell_coefficients(forms.NUMPY, collection, n_i, b_i))

    if n_i.size < 4 * _RARE**2:
        return CellCoefficients(packed(n_i, b_i))
    # Most terms are rare, and many have the same n_i and b_i: each pair is computed once, impossible pairs, too.
    with np.errstate(divide="ignore", invalid="ignore"):
        rare = packed(*np.divmod(np.arange(_RARE**2), _RARE))
    found = rare.take(np.where(n_i < _RARE, n_i * _RARE + b_i, 0), axis=0)
    often = np.flatnonzero(n_i >= _RARE)
    found[often] = packed(n_i[often], b_i[often])
    return CellCoefficients(found)


def plr_parts(
    statistics: TermStatistics,
    *,
    mu: float | None,
    sigma2: float,
    form: Form,
    penalty: str,
    invalid: Invalid,
    only: int | None = None,
    quiet: bool = False,
) -> dict[str, Any]:
    """The named parts of λ_i (see `PARTS`) for all terms: arrays, or plain numbers.

    The warning about clamped terms is about the term *only*, if one is given; *quiet* switches it off.
    """
    check_name("form", form, FORMS)
    check_name("invalid", invalid, INVALID)
    mu, sigma2 = settled_hyperparameters(statistics, mu, sigma2)
    density = named_penalty(penalty, mu, sigma2)
    d, n = statistics.documents, statistics.tokens
    n_i, b_i = statistics.collection_frequency, statistics.document_frequency
    if penalty == "gamma":
        _handle_invalid(statistics, mu, sigma2, form, invalid, only, quiet)
        collection = forms.Collection(d, n, mu, sigma2)
        return forms.plr_parts(forms.NUMPY, collection, n_i, b_i, statistics.log_factorial_sum, form)
    # The paper prints no formula for these: the ratio is evaluated at α̂_0, and the penalty is a part of its own.
    log_alpha_0, log_f = density.log_at_precision(forms.repeats(n_i, b_i))
    return {
        **forms.likelihood_parts(forms.NUMPY, d, n, n_i, b_i, statistics.log_factorial_sum),
        "excess": 2 * (n_i - b_i) * forms.excess_share(forms.NUMPY, n, n_i, b_i, d),
        "mean_length": -2 * n_i * np.log(n / d),
        "precision": -2 * (n_i - b_i) * log_alpha_0,
        "penalty": (1 if form == "printed" else 2) * log_f,
    }


def part_formulas(parts: Mapping[str, Any], form: str) -> dict[str, str]:
    """The formulas of the parts in the form "printed"; empty for other forms and penalties, which have other formulas.

    Examples
    --------
    >>> part_formulas({"constant": -0.92}, "printed"), part_formulas({"constant": -1.84}, "corrected")
    ({'constant': '−log √(2π)'}, {})
    """
    return {name: PARTS[name] for name in parts} if form == "printed" and "penalty" not in parts else {}


def _handle_invalid(
    statistics: TermStatistics,
    mu: float,
    sigma2: float,
    form: Form,
    invalid: Invalid,
    only: int | None = None,
    quiet: bool = False,
) -> None:
    """Warn or raise if η² ≤ r_i for any term, or for the term *only* if one is given."""
    check_name("invalid", invalid, INVALID)
    bad = precision_margin(statistics, mu, sigma2) <= 0
    asked = bad if only is None else bad[only : only + 1]
    number = 0 if quiet else int(asked.sum())
    if number:
        column = int(np.flatnonzero(bad)[0]) if only is None else only
        example = f"column {column}" if statistics.terms is None else f"{str(statistics.terms[column])!r:.60}"
        if invalid == "raise":
            raise ValueError(clamped_terms(number, statistics.vocabulary_size, example, mu, sigma2))
        warn_of_clamped(number, statistics.vocabulary_size, example, mu, sigma2, form, stacklevel=5)


def warn_of_clamped(
    number: int, terms: int, example: str, mu: float, sigma2: float, form: Form = "printed", *, stacklevel: int = 4
) -> None:
    """Warn of so many terms of all, such as *example*, for which η² ≤ r_i."""
    outcome = "their λ_i is NaN" if form == "exact" else "their λ_i is clamped as in the paper"
    what = clamped_terms(number, terms, example, mu, sigma2)
    warnings.warn(f"{what}: {outcome}", ClampedTermsWarning, stacklevel=stacklevel)


def clamped_terms(number: int, terms: int, example: str, mu: float, sigma2: float) -> str:
    """The sentence about terms for which η² ≤ r_i.

    >>> clamped_terms(1, 1000, "'ha'", mu=5, sigma2=2).split(" is not")[0]
    '1 of 1,000 terms repeat too often for this penalty (η² = μ²/σ² = 12.5'
    """
    return (
        f"{number:,} of {terms:,} terms repeat too often for this penalty (η² = μ²/σ² = {mu / sigma2 * mu:.6g} is not "
        f"above r_i = n_i − b_i + 1), for example {example}; use a smaller sigma2"
    )
