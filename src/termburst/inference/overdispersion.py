"""The burstiness test: is a term more bursty than chance, and how sure is that?

The null hypothesis is the binomial with one probability for all documents. Given n_i and the lengths, it is a draw of
n_i tokens without replacement from all n positions (multivariate hypergeometric), for any probability. So all terms
with the same n_i share one null distribution. Three statistics are compared with it.

* **λ_i** (`plr_statistic`) depends on b_i and Σ_j log (n_ij − 1)!: on repetition within documents, not on which
  documents.
* **LR_i** = 2(ℓ̂ − ℓ_binomial) of the exact fits, and **Tarone's score** z_i, detect any kind of over-dispersion,
  including a preference for short documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from termburst.inference.checks import LEAST_DRAWS, checked_whole
from termburst.inference.null_distribution import Longest, Null, Nulls, PlrFunction
from termburst.inference.null_ratio import log_ratio_p, ratio_samples
from termburst.models.cells import TermCells, term_cells
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.names import Form, Statistic
from termburst.threads import Aside

Floats = NDArray[np.float64]
Names = NDArray[np.object_]


@dataclass(frozen=True, slots=True)
class PValues:
    """A statistic of every term, with its p-value under the null.

    Attributes
    ----------
    value : the statistic; NaN for a term that never occurs.
    log10_p : log₁₀ p, finite however small; NaN for a term that never occurs.
    p_method : "exact" (enumerated), "monte-carlo" ((1 + #{T* ≥ T})/(B + 1)) or "tail" (beyond the draws, by the shape
        of the tail, which continues from the largest draws).
    """

    value: Floats
    log10_p: Floats
    p_method: Names


@dataclass(frozen=True, slots=True)
class SharedNull:
    """What all terms of a collection share in their null distributions; see `shared_null`."""

    longest: Longest
    samples: tuple[list[int], list[Floats]]
    nulls: Nulls | None = None


def shared_null(
    lengths: TermCells, longest: Longest, *, draws: int, seed: int, nulls: Nulls | None = None, ratio: bool = True
) -> SharedNull:
    """Draws of the likelihood ratio, made once for all terms: they depend on the lengths and the largest n_i only.

    Parameters
    ----------
    lengths : cells of the collection, with or without terms
    longest : of all terms
    draws, seed : see `burstiness`
    nulls : the null distributions of λ and the score at all n_i, of the same draws, seed and options of λ, optional
        Without them, every call of `burstiness` draws those that its terms need.
    ratio : whether p-values of the likelihood ratio are wanted; without its draws, `burstiness` must not be asked
    """
    null = Null(lengths, draws, seed, False, PlrFunction(lengths, None, 1.0, "printed"), longest)
    return SharedNull(longest, ratio_samples(null) if ratio else ([], []), nulls)


@dataclass(frozen=True, slots=True)
class Burstiness:
    """The burstiness test of every term, by three statistics, and the exact fits that LR uses."""

    plr: PValues
    lr: PValues
    score: PValues
    fit: BetaBinomialFit


def burstiness(
    X_or_statistics: Any,
    *,
    mu: float | None = None,
    sigma2: float = 1.0,
    form: Form = "printed",
    draws: int = 9_999,
    seed: int = 0,
    mid_p: bool = False,
    shared: SharedNull | None = None,
    only: Statistic | None = None,
) -> Burstiness:
    """Test every term of a collection.

    Parameters
    ----------
    X_or_statistics : count matrix, or TermStatistics with detail="patterns"
    mu, sigma2, form : options of λ_i; see `plr_statistic`
    draws, seed : for the Monte Carlo. The number of draws depends on n_i (`PHASES` in `null_distribution`): ten times
        *draws* for n_i ≤ 64, fewer beyond 300
    mid_p : count ties as half, in enumerated and drawn distributions: p-values are then right on average, but no longer
        conservative
    shared : that of all terms, with the same draws and seed, if only some terms are given: p-values are then those
        that they have among all
    only : the statistic whose p-values are wanted, which takes about half of the time; those of the others are NaN
    """
    draws, seed = checked_whole("draws", draws, least=LEAST_DRAWS), checked_whole("seed", seed)
    cells = term_cells(X_or_statistics)
    if not cells.tokens:
        raise ValueError("all documents are empty: there is nothing to test")
    longest, nulls = (None, None) if shared is None else (shared.longest, shared.nulls)
    plr_of = PlrFunction(cells, mu, sigma2, form)
    null = Null(cells, draws, seed, mid_p, plr_of, longest, scores=only != "plr", nulls=nulls)
    with Aside() as other:  # compiled loops, which use a core while the rest needs Python's lock
        drawn = only in (None, "lr")
        samples = other.submit(lambda: ratio_samples(null) if shared is None else shared.samples) if drawn else None
        fit = fit_beta_binomial(cells)
        squares, products = _sums(cells)
        repetition = cells.sum(special.gammaln(cells.count))
        plr = np.full(cells.n_i.size, np.nan)
        occurring = np.flatnonzero(cells.n_i)
        plr[occurring] = null.plr(cells.n_i[occurring], cells.b_i[occurring], repetition[occurring])
        score = np.where(cells.n_i > 0, null.lengths.score(cells.n_i, squares, products), np.nan)
        ratio = np.where(cells.n_i > 0, _ratio(fit), np.nan)
        for i in np.flatnonzero((2 * cells.n_i > cells.tokens) & ~null.fixed).tolist():
            ratio[i] = _ratio(fit_beta_binomial(_others(cells, i)))[0]  # equal, but no digits are lost at a mean near 1
        lr = None if samples is None else other.submit(lambda: log_ratio_p(null, ratio, *samples.get()))
        log_p, how = _no_p(2, plr.size) if only == "lr" else null.drawn_p(plr, score)
        (ratio_p,), (ratio_how,) = _no_p(1, plr.size)
        if lr is not None:
            ratio_p, ratio_how = lr.get()
    undefined = np.isnan(plr) | (only not in (None, "plr"))  # λ in the form "exact" is not defined for clamped terms
    log_p[0][undefined], how[0][undefined] = np.nan, ""
    if only == "plr":
        log_p[1][:], how[1][:] = np.nan, ""
    return Burstiness(
        PValues(plr, log_p[0] / np.log(10), how[0]),
        PValues(ratio, ratio_p / np.log(10), ratio_how),
        PValues(score, log_p[1] / np.log(10), how[1]),
        fit,
    )


def _no_p(tests: int, terms: int) -> tuple[tuple[Floats, ...], tuple[Names, ...]]:
    """log p and how of statistics whose p-values are not wanted."""
    return tuple(np.full(terms, np.nan) for _ in range(tests)), tuple(np.full(terms, "", object) for _ in range(tests))


def _ratio(fit: BetaBinomialFit) -> Floats:
    return np.maximum(2 * (fit.loglik - fit.loglik_binomial), 0.0)


def _others(cells: TermCells, term: int) -> TermCells:
    """The cells of all tokens except one term's, as if they were one term."""
    of = slice(cells.indptr[term], cells.indptr[term + 1])
    count, length = cells.count[of], cells.length[of]
    weight = np.broadcast_to(cells.weight, cells.count.shape)[of]
    without = cells.length_documents - np.bincount(
        np.searchsorted(cells.lengths, length), weight, cells.lengths.size
    )  # documents without the term, by length
    count = np.concatenate([length - count, cells.lengths]).astype(np.int32)
    length = np.concatenate([length, cells.lengths]).astype(np.int32)
    weight = np.concatenate([weight, without])
    held = (count > 0) & (weight > 0)
    tokens, documents = cells.tokens - int(cells.n_i[term]), int(weight[held].sum())
    return TermCells(
        np.array([0, held.sum()]), count[held], length[held], weight[held], np.array([tokens]), np.array([documents]),
        cells.lengths, cells.length_documents,
    )  # fmt: skip


def _sums(cells: TermCells) -> tuple[Floats, Floats]:
    """Σ_j n_ij² and Σ_j n_ij n_j of every term."""
    count = cells.count.astype(np.float64)
    return cells.sum(count**2), cells.sum(count * cells.length)
