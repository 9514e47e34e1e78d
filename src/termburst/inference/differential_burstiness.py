"""Does a term burst more in one corpus than in another? The ratio of two burst ratios, with an interval and a p-value.

R is the burst ratio of `burst_effects`. Each corpus has its own mean and precision. The null hypothesis is that both
have the same R, whatever their means; the statistic is the likelihood ratio of one common R against one R per corpus.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from termburst.core import burst_difference as core
from termburst.inference.burst_effects import burst_ratios, coordinates
from termburst.inference.checks import check_confidence
from termburst.inference.robust_scale import ScaleSums, robust_scale
from termburst.models.cells import GroupedCells, TermCells
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.models.length_table import LengthTable

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DifferentialBurstiness:
    """The comparison of every term; arrays have one entry per term.

    Attributes
    ----------
    burst_ratio_a, burst_ratio_b : R in each corpus; NaN if the corpus lacks the term.
    log_ratio : log₂ R_a/R_b; NaN if a corpus lacks the term.
    ci_low, ci_high : profile-likelihood interval of `log_ratio`; NaN without one.
    statistic : 2(ℓ̂ − ℓ_0)/κ, with the mean κ of both corpora (`robust_scale`); 0 if a corpus lacks the term, or if both
        fits are at the boundary R = 1.
    p_value : of χ²_1, and 1 if a corpus lacks the term.
    """

    burst_ratio_a: Floats
    burst_ratio_b: Floats
    log_ratio: Floats
    ci_low: Floats
    ci_high: Floats
    statistic: Floats
    p_value: Floats


def differential_burstiness(
    a: TermCells, b: TermCells, *, confidence: float | None = 0.95,
    sums: tuple[ScaleSums, ScaleSums] | tuple[None, None] = (None, None),
) -> DifferentialBurstiness:  # fmt: skip
    """Compare the burst ratios of every term of two corpora over the same terms.

    Parameters
    ----------
    a, b : the cells of both, by term
    confidence : of the interval of `log_ratio`; None omits it
    sums : those over all terms of each corpus, if *a* and *b* have only some; see `robust_scale`

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> often, once = [[6, 24], [0, 30], [0, 30]] * 10, [[2, 28]] * 30
    >>> found = differential_burstiness(term_cells(often), term_cells(once))
    >>> bool(found.log_ratio[0] > 1), bool(found.p_value[0] < 1e-6)
    (True, True)
    """
    if confidence is not None:
        check_confidence(confidence)
    groups, fits = (a, b), [fit_beta_binomial(one) for one in (a, b)]
    both = (a.n_i > 0) & (b.n_i > 0) & (a.n_i < a.tokens) & (b.n_i < b.tokens)
    ratio_a, ratio_b = (burst_ratios(one, *coordinates(fit)) for one, fit in zip(groups, fits, strict=True))
    kappa = np.mean([robust_scale(one, fit, of) for one, fit, of in zip(groups, fits, sums, strict=True)], axis=0)
    root = 0.0 if confidence is None else float(-special.ndtri((1 - confidence) / 2))
    out = _compared(groups, fits, both, root * np.sqrt(kappa))
    statistic = np.where(both, np.maximum(out[:, 0] / kappa, 0.0), 0.0)  # SciPy has NaN below 0
    return DifferentialBurstiness(
        ratio_a,
        ratio_b,
        np.where(both, np.log2(ratio_a) - np.log2(ratio_b), np.nan),
        out[:, 1] / np.log(2),
        out[:, 2] / np.log(2),
        statistic,
        special.chdtrc(1, statistic),
    )


def _compared(
    groups: tuple[TermCells, TermCells], fits: list[BetaBinomialFit], both: NDArray[np.bool_], roots: Floats
) -> Floats:
    """2(ℓ̂ − ℓ_0) and the limits of log R_a/R_b of the terms in *both*; NaN for the others."""
    grouped = GroupedCells(groups)
    rows = np.column_stack(
        [column for fit in fits for column in (*coordinates(fit), np.maximum(fit.loglik - fit.loglik_binomial, 0.0))]
    )
    rows = np.ascontiguousarray(rows)
    tables = [LengthTable.of(one.lengths, one.length_documents).for_kernels() for one in groups]
    out = np.full((both.size, 3), np.nan)
    grouped.over_terms(
        lambda terms: core.burst_differences(grouped.cells, (tables[0], tables[1]), terms, rows, roots, out),
        grouped.terms[both[grouped.terms]],
        out,
    )
    return out
