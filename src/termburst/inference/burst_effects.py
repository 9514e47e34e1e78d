"""How bursty is a term? Burst ratio and reuse of every term, each with a profile-likelihood interval.

* **Burst ratio** R = (1 + 1/α)/(1 + 1/α_0) = 1 + ρ(1 − π)/π, with ρ = 1/(1 + α_0): how many times likelier a token is
  the term if another token of the document, drawn at random, is the term. 1 means not bursty.
* **Reuse** P(N ≥ 2 | N ≥ 1) for a document of mean length: of the documents that use the term, the share that use it
  again, as fitted; and the same for the binomial, that is, by chance.

Both are functions of the exact beta-binomial fit. An interval is all values that the likelihood does not reject, when
the other parameter is chosen as well as it can be for each value. Text is not exactly beta-binomial, so the likelihood
ratio is divided by κ ≥ 1 (`robust_scale`), which is nearly 1 if the model holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from termburst.core import effects as core
from termburst.core.binding import record
from termburst.inference.checks import check_confidence
from termburst.inference.robust_scale import ScaleSums, robust_scale
from termburst.models.cells import TermCells, over_distinct
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.models.length_table import LengthTable

Floats = NDArray[np.float64]

FEWEST, ENOUGH = 5, 10  # documents with a term, from which on it can have a `lower_bound` above 1
HARDLY = 2.0  # if reuse is above this multiple of the repeats per document, a term hardly repeats where it stands


@dataclass(frozen=True, slots=True)
class BurstEffects:
    """Effects of every term; arrays have one entry per term, NaN for a term that never occurs.

    Attributes
    ----------
    burst_ratio : R of the exact fit; 1 at the boundary, 1/mean if the fit is degenerate.
    ci_low, ci_high : the limits of R; `ci_low` is 1 if the interval contains 1, and if the term does not repeat within
        documents more often than by chance (`repeats`). NaN without intervals.
    lower_bound : `ci_low`, but 1 if too few documents use or repeat the term (`spread_enough`), or if it hardly repeats
        (`hardly_repeats`); without intervals NaN. This is the order of all tables.
    reuse : P(N ≥ 2 | N ≥ 1) of the exact fit, for a document of mean length.
    reuse_low, reuse_high : the limits of `reuse`. NaN without intervals, and for a term that is every token.
    reuse_binomial : the same probability if the term were not bursty.
    """

    burst_ratio: Floats
    ci_low: Floats
    ci_high: Floats
    lower_bound: Floats
    reuse: Floats
    reuse_low: Floats
    reuse_high: Floats
    reuse_binomial: Floats


def burst_effects(
    cells: TermCells, fit: BetaBinomialFit | None = None, *, confidence: float = 0.95, intervals: bool = True,
    reuse_intervals: bool = True, sums: ScaleSums | None = None,
) -> BurstEffects:  # fmt: skip
    """Burst ratio and reuse of every term.

    The limits of R are where the profile likelihood, maximised over π, has fallen by half of a quantile of χ²_1. R
    cannot be below 1, so near 1 that would be too wide: the lower limit has the critical value with the right coverage
    for a normal mean that cannot be negative. For R = 1 itself it is 2.71, since the likelihood ratio there is the
    mixture ½χ²_0 + ½χ²_1. It reaches 3.84 where the fit is four standard errors from 1.

    Parameters
    ----------
    cells : the cells of the collection, by term
    fit : its exact fit, if it is known
    confidence : of the intervals
    intervals : whether to compute them; without them, limits and lower bounds are NaN
    reuse_intervals : whether to compute those of reuse, too, which take as long as those of R; without them, NaN
    sums : those over all terms of the collection, if *cells* has only some; see `robust_scale`

    Examples
    --------
    >>> from termburst.models.cells import term_cells
    >>> found = burst_effects(term_cells([[4, 26], [0, 31], [0, 28], [1, 24], [0, 30], [5, 15]]))
    >>> [round(float(value), 2) for value in (found.ci_low[0], found.burst_ratio[0], found.ci_high[0])]
    [1.35, 3.05, 11.24]
    """
    check_confidence(confidence)
    fit = fit_beta_binomial(cells) if fit is None else fit
    tau, omega = coordinates(fit)
    length = cells.mean_length
    ratio, all_tokens = burst_ratios(cells, tau, omega), (cells.n_i == cells.tokens) & (cells.n_i > 0)
    share = np.where(cells.n_i > 0, cells.n_i / max(cells.tokens, 1), np.nan)
    with np.errstate(divide="ignore"):
        by_chance = reuse_of(np.full(share.size, np.inf), special.logit(share), length)
    low, high, reuse_low, reuse_high = (np.full(ratio.size, np.nan) for _ in range(4))
    if intervals:
        gain = np.maximum(fit.loglik - fit.loglik_binomial, 0.0)
        scale = np.sqrt(robust_scale(cells, fit, sums))
        low, high, reuse_low, reuse_high = _intervals(
            cells, (tau, omega, gain), scale, confidence, reuse=reuse_intervals
        )
        even = ~repeats(cells)
        low[even & (low > 1)] = 1.0
        reuse_low = np.where(even, np.minimum(reuse_low, by_chance), reuse_low)
        documents = max(cells.documents, 1)
        critical = 2 * special.gammaincinv(0.5, confidence)
        high[all_tokens] = np.exp(critical / 2 / documents)  # if each document is one draw
    reuse = reuse_of(tau, omega, length)
    listed = spread_enough(cells) & ~hardly_repeats(reuse, cells.n_i, cells.b_i)
    lower_bound = np.where(listed, low, np.where(np.isnan(low), np.nan, 1.0))
    return BurstEffects(ratio, low, high, lower_bound, reuse, reuse_low, reuse_high, by_chance)


def repeats(cells: TermCells) -> NDArray[np.bool_]:
    """Whether a term repeats within documents more often than chance would have it.

    A beta-binomial also takes a term for bursty that prefers short documents and is never repeated there, such as a
    word of a standard greeting. Its repetitions, n_i − b_i, are compared with their mean for a binomial in the
    documents that have the term, given that they have it. (Whether they are surely more is not asked here.)

    >>> from termburst.models.cells import term_cells
    >>> X = [[2, 1, 17], [3, 1, 26]] * 4 + [[0, 0, 300]] * 40  # both only in short documents
    >>> repeats(term_cells(X)).tolist()
    [True, False, True]
    """
    share = (cells.n_i / max(cells.tokens, 1))[cells.term]
    length = cells.length.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = np.log1p(-share)
        some = -np.expm1(length * rest)
        more = length * share / some - 1  # E[N | N ≥ 1] − 1
    expected = cells.sum(np.where(share < 1, np.nan_to_num(more), 0.0))
    seen = cells.n_i - cells.b_i
    # A frequent term repeats by chance in most documents that have it: there the fit itself decides.
    return (seen > expected) | (expected > 0.5 * cells.b_i)


def hardly_repeats(reuse: Any, n: Any, b: Any) -> Any:
    """Whether most documents with a term have it only once, though the fit at mean length says otherwise.

    A beta-binomial takes a term for bursty that prefers short documents, even if hardly any of them repeats it: at most
    n − b documents do. Numbers, arrays, or columns of a frame.

    Examples
    --------
    >>> hardly_repeats(0.72, 14, 12), hardly_repeats(0.72, 40, 12)
    (True, False)
    """
    return reuse * b > HARDLY * (n - b)


def spread_enough(cells: TermCells) -> NDArray[np.bool_]:
    """Whether a term is in `fewest_documents`, and at least half of so many, rounded up, repeat it: three at least.

    Where only one or two documents repeat a term, they alone say that it is bursty.

    >>> from termburst.models.cells import term_cells
    >>> X = [[9, 2, 30]] + [[1, 2, 30]] * 4 + [[0, 0, 33]] * 7  # both in five documents; one repeats the first
    >>> spread_enough(term_cells(X)).tolist()
    [False, True, True]
    """
    fewest = fewest_documents(int(cells.length_documents.sum()))
    repeating = cells.sum((cells.count > 1).astype(np.float64))
    return (cells.b_i >= fewest) & (repeating >= (fewest + 1) // 2)


def fewest_documents(documents: int) -> int:
    """In how many documents a term must be to have `lower_bound` > 1: a tenth of them, but 5 at least and 10 at most.

    Below, the highest of thousands of lower limits are those of words that happen to be in few documents: with a
    floor of 3, 6 of the first 100 words of one half of 20 Newsgroups are among the first 100 of the other half; with 10
    it is 25. In the inaugural addresses it is 11 with a floor of 3 and 29 with 5.

    >>> fewest_documents(12), fewest_documents(59), fewest_documents(80), fewest_documents(11_314)
    (5, 5, 8, 10)
    """
    return min(max(documents // 10, FEWEST), ENOUGH)


def coordinates(fit: BetaBinomialFit) -> tuple[Floats, Floats]:
    """τ = log α_0 (inf at the boundary, −inf if degenerate) and ω = logit π of every term; NaN if it never occurs."""
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = fit.status == "converged"
        tau = np.where(fit.status == "empty", np.nan, np.log(fit.alpha_0))
        return tau, np.where(inside, np.log(fit.alpha) - np.log(fit.alpha_not), special.logit(fit.mean))


def burst_level(tau: Floats, omega: Floats) -> Floats:
    """log(R − 1) = −ω − log(1 + e^τ), −inf at the boundary.

    >>> burst_level(np.log([39.0]), np.log([1 / 9])).round(4).tolist()  # log(9/40)
    [-1.4917]
    """
    with np.errstate(invalid="ignore"):
        return np.where(tau == np.inf, -np.inf, -omega - np.logaddexp(0.0, tau))


def burst_ratios(cells: TermCells, tau: Floats, omega: Floats) -> Floats:
    """R of every term; NaN if it never occurs, and 1 if it is every token."""
    with np.errstate(over="ignore"):
        ratio = 1 + np.exp(burst_level(tau, omega))
    return np.where(cells.n_i == 0, np.nan, np.where(cells.n_i == cells.tokens, 1.0, ratio))


def reuse_of(tau: Floats, omega: Floats, length: float) -> Floats:
    """P(N ≥ 2 | N ≥ 1) for a document of *length* tokens; 0 if that is one token or less.

    >>> reuse_of(np.log([2.0]), np.zeros(1), 2.0).round(4).tolist()  # a uniform mixture of binomials: P(2) = 1/3
    [0.5]
    """
    defined = np.isfinite(omega) & ~np.isnan(tau)
    out = np.where(np.isnan(omega) | np.isnan(tau), np.nan, 1.0 if length > 1 else 0.0)  # every token is the term
    if length > 1 and defined.any():
        lowest = np.maximum(tau[defined], -25.0)
        out[defined] = special.expit(core.reuse_logits(lowest, np.ascontiguousarray(omega[defined]), length))
    return out


@cache
def _critical_table(confidence: float) -> tuple[Floats, Floats]:
    """The root of the critical value for a normal mean μ ≥ 0, on a grid of μ from 0 to where it is that of χ²_1.

    The likelihood ratio of μ is z² for an estimate μ + z above 0, and otherwise −μ² − 2zμ. So the critical value c has
    P(z > √c) + P(z < −(c + μ²)/2μ) = 1 − confidence.
    """
    full = -special.ndtri((1 - confidence) / 2)
    grid = np.linspace(0.0, full, 201)
    low, high = np.full(grid.size, -special.ndtri(1 - confidence)), np.full(grid.size, full)
    for _ in range(60):
        middle = (low + high) / 2
        with np.errstate(divide="ignore"):
            beyond = special.ndtr(-middle) + special.ndtr(-(middle**2 + grid**2) / (2 * grid))
        too_small = beyond > 1 - confidence
        low, high = np.where(too_small, middle, low), np.where(too_small, high, middle)
    return grid, (low + high) / 2


def lower_roots(from_boundary: Floats, confidence: float) -> Floats:
    """The fall √(2(ℓ̂ − ℓ)) at the lower limit, given that at R = 1; NaN if the interval contains 1.

    If r is the fall at the limit, R is `from_boundary` − r standard errors above 1 there; r is the root of the critical
    value for that distance.

    >>> lower_roots(np.array([1.0, 1.7, 2.5, 9.0]), 0.95).round(3).tolist()
    [nan, 1.645, 1.739, 1.96]
    """
    grid, root = _critical_table(confidence)
    distance = grid + root  # from R = 1 to the fit, for a limit at each μ
    found = np.interp(from_boundary, distance, root)
    return np.where(from_boundary > root[0], found, np.nan)


def _intervals(
    cells: TermCells, fits: tuple[Floats, Floats, Floats], scale: Floats, confidence: float, *, reuse: bool
) -> tuple[Floats, ...]:
    """Lower and upper limits of R and, if asked for, of *reuse*; *scale* is the root of κ."""
    tau, _, gain = fits
    occurring = (cells.n_i > 0) & (cells.n_i < cells.tokens)
    full = scale * -special.ndtri((1 - confidence) / 2)
    ratio_roots, reuse_roots = (np.empty(tau.size, record("Roots")) for _ in range(2))
    ratio_roots["low"], ratio_roots["high"] = scale * lower_roots(np.sqrt(2 * gain) / scale, confidence), full
    reuse_roots["low"] = reuse_roots["high"] = full
    ratio = limits(cells, core.RATIO, occurring, fits, ratio_roots)
    low, high = (np.where(cells.n_i > 0, 1 + np.exp(ratio[name]), np.nan) for name in ("low", "high"))
    low[np.isnan(low) & (cells.n_i > 0)] = 1.0
    if not reuse or not cells.mean_length > 1:
        none = np.where((cells.n_i > 0) & reuse, 0.0, np.nan)
        return low, high, none, none.copy()
    levels = limits(cells, core.REUSE, occurring, fits, reuse_roots)
    return low, high, special.expit(levels["low"]), special.expit(levels["high"])


def limits(
    cells: TermCells,
    effect: int,
    chosen: NDArray[np.bool_],
    fits: tuple[Floats, Floats, Floats],
    roots: NDArray[np.void],
) -> NDArray[np.void]:
    """Limits of an effect of the chosen terms as levels, log(R − 1) or logit of reuse; NaN for the others."""
    table = LengthTable.of(cells.lengths, cells.length_documents)
    of, lengths, length = cells.for_kernels(), table.for_kernels(), max(cells.mean_length, 1.0 + 1e-9)
    out = np.full(chosen.size, np.nan, np.float64).repeat(2).view(record("Roots"))
    tau, omega, gain = (np.ascontiguousarray(array) for array in fits)
    over_distinct(
        lambda terms: core.effect_limits(of, lengths, effect, length, terms, (tau, omega, gain), roots, out),
        of,
        np.flatnonzero(chosen),
        cells.n_i,
        out,
    )
    return out
