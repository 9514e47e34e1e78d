"""The maximum of the likelihood of an urn with a replacement matrix, from documents as sequences of terms."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from termburst.core import urn_columns as core
from termburst.core.urn_columns import ColumnRows
from termburst.models.urn_sequences import SMALL, Floats, Integers, Sequences, UrnMatrix
from termburst.threads import check_given_up, in_threads

PARTS = 32  # into which the columns are divided for the threads
UNBOUNDED = 1e6  # a row sum of M is not followed beyond this many times α_0
ALL_BUT = 1e3  # a row sum of M above this: after the word, fewer than one token in a thousand comes from elsewhere
NOTHING = 1e-10  # if no row sum of M is above this, nothing is brought on


@dataclass(frozen=True, slots=True, eq=False)
class UrnPrior:
    """A gamma prior that shrinks entries of M towards a common value; its scale is estimated with them.

    Within each group, Σ_e c_e log M_e − (Σ_e c_e) log Σ_e b_e M_e is added to the log-likelihood: the log density of
    gamma distributions with means proportional to 1/b_e, at the best common factor. Like the likelihood, it does not
    depend on the scale of (α, M). With the factor f of the last iteration, the update of an entry is

    M[i, k] ← (brought_ik + c) / (Σ_t C_i(<t)/Z_t + f b), f = Σ c / Σ b M.

    α may have such a prior too, as one more group.

    Attributes
    ----------
    count : c of each entry: so many tokens are brought on in addition
    rate : b of each entry
    group : the number of the group of each entry
    alpha_count : c of each α_k
    alpha_rate : b of each α_k
    """

    count: Floats
    rate: Floats
    group: Integers
    alpha_count: float
    alpha_rate: Floats

    def log_density(self, alpha: Floats, values: Floats) -> float:
        """The penalty, without constants."""
        density = 0.0
        if self.alpha_count:
            density += self.alpha_count * float(np.log(alpha).sum())
            density -= self.alpha_count * alpha.size * float(np.log((self.alpha_rate * alpha).sum()))
        if self.count.any():
            used = self.count > 0
            totals, sums = self._totals(values)
            density += float((self.count[used] * np.log(values[used])).sum())
            density -= float((totals[totals > 0] * np.log(sums[totals > 0])).sum())
        return density

    def rates(self, alpha: Floats, values: Floats) -> tuple[Floats, Floats]:
        """f b of each entry and of each α_k: the lines that bound the second part of the penalty."""
        totals, sums = self._totals(values)
        factor = np.divide(totals, sums, out=np.zeros(totals.size), where=sums > 0)
        of_alpha = self.alpha_count * alpha.size / max(float((self.alpha_rate * alpha).sum()), 1e-300)
        return np.asarray(factor[self.group] * self.rate), of_alpha * self.alpha_rate

    def _totals(self, values: Floats) -> tuple[Floats, Floats]:
        sums = np.bincount(self.group, self.rate * values * (self.count > 0))
        return np.bincount(self.group, self.count).astype(np.float64), sums.astype(np.float64)


def no_prior(entries: int, terms: int) -> UrnPrior:
    """Pure maximum likelihood."""
    return UrnPrior(np.zeros(entries), np.zeros(entries), np.zeros(entries, dtype=np.int64), 0.0, np.zeros(terms))


@dataclass(frozen=True, slots=True, eq=False)
class UrnEstimate:
    """A fitted urn, scaled to α_0 = 1.

    Attributes
    ----------
    alpha : shape (terms,)
    matrix : the places of the entries of M
    values : the entries of M
    log_likelihood : of the tokens, in their order
    history : log-likelihood plus penalty after each iteration; it never falls
    status : "converged", "max_iterations", "boundary" (nothing is brought on: M = 0), or "unbounded": the entries of a
        word grow without bound, so their values are only where the fit ended. That is so without a prior if a word is
        alone in all of its documents, and in general if only words that it brings on ever come after it
    """

    alpha: Floats
    matrix: UrnMatrix
    values: Floats
    log_likelihood: float
    history: Floats
    status: str


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    alpha: Floats
    values: Floats
    gains: Floats
    exposure: Floats
    inverse: float
    log_likelihood: float
    objective: float


def fit_urn(
    sequences: Sequences,
    matrix: UrnMatrix,
    start: tuple[Floats, Floats],
    prior: UrnPrior | None = None,
    *,
    tolerance: float = 1e-9,
    max_iterations: int = 500,
) -> UrnEstimate:
    """Fit α and the entries of M that *matrix* names.

    With the mass a_t = α_k + Σ_{s<t} M[w_s, k] of the token k = w_t and the total Z_t, the log-likelihood is
    Σ_t log a_t − Σ_t log Z_t. A line bounds −log Z_t from below: −log Z_t ≥ −log z − (Z_t − z)/z, with z the total of
    the last iteration. Then the columns of M are independent, and each is a small concave problem in α_k and M[·, k]:

    Σ_{t: w_t = k} log a_t − α_k Σ_t 1/z_t − Σ_i M[i, k] Σ_t C_i(<t)/z_t.

    Its maximum is the fixed point of α_k ← fresh_k / Σ_t 1/z_t and M[i, k] ← brought_ik / Σ_t C_i(<t)/z_t, where each
    token is divided among its possible causes in proportion to their mass. Newton's method finds it at once. So an
    iteration never lowers the likelihood. From two of them a third is extrapolated (Varadhan and Roland 2008, SQUAREM,
    here on the logarithms of the row sums, on which all lines depend), and kept only if the likelihood is higher.

    Parameters
    ----------
    start : α and the entries of M, above 0
    tolerance : the fit ends if an iteration gains less than this per token

    Examples
    --------
    >>> tokens = np.array([0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1] * 9, dtype=np.int32)
    >>> sequences = Sequences(tokens, np.arange(1, 37) * 3, 2)
    >>> fit = fit_urn(sequences, UrnMatrix.diagonal(2), (np.full(2, 0.5), np.full(2, 0.5)))
    >>> fit.status, fit.alpha.round(6).tolist(), fit.values.round(3).tolist()
    ('converged', [0.5, 0.5], [0.5, 0.5])
    """
    climb = _Climb(sequences, matrix, prior or no_prior(matrix.sources.size, sequences.terms))
    state = climb.step(climb.begin(*start))
    history, status, used = [state.objective], "max_iterations", 1
    while used < max_iterations:
        check_given_up()
        second = climb.step(state)
        third = climb.step(second)
        used += 3
        best = climb.leap(state, second, third)
        history += [second.objective, third.objective, best.objective]
        gained = (best.objective - state.objective) / max(sequences.tokens.size, 1)
        state = best
        if gained < tolerance or state.gains.max(initial=0.0) > UNBOUNDED:
            status = "converged"
            break
    alpha, values, log_likelihood = state.alpha, state.values, state.log_likelihood
    without = sequences.counts / sequences.tokens.size
    at_zero = float(xlogy(sequences.counts, without).sum())
    if state.gains.max(initial=0.0) < NOTHING or climb.better_at_zero(state, without, at_zero):
        alpha, values, status, log_likelihood = without, np.zeros(values.size), "boundary", at_zero
    elif state.gains.max() > ALL_BUT or (prior is None and sequences.alone().any()):
        status = "unbounded"
    return UrnEstimate(alpha, matrix, values, log_likelihood, np.array(history), status)


def maximised(rows: ColumnRows, indptr: Integers, lines: Any, alpha: Floats, values: Floats) -> Floats:
    """Put *alpha* and *values* at the maximum of all columns, on all cores: Σ log of the mass of each column."""
    cells = rows.starts[rows.row_of] + rows.row_of
    parts = PARTS if cells[-1] > SMALL else 1
    cuts = np.searchsorted(cells, cells[-1] * np.arange(1, parts) / parts).tolist()
    log_mass = np.zeros(alpha.size)

    def some(span: tuple[int, int]) -> None:
        log_mass[slice(*span)] = core.maximise_columns(rows, indptr, lines, alpha, values, span)[slice(*span)]

    if parts == 1:
        some((0, alpha.size))
    else:
        in_threads(some, pairwise([0, *cuts, alpha.size]))
    return log_mass


class _Climb:
    """The steps of a fit, and what stays the same between them."""

    def __init__(self, sequences: Sequences, matrix: UrnMatrix, prior: UrnPrior) -> None:
        self.sequences, self.matrix, self.prior = sequences, matrix, prior
        self.rows, self.n = sequences.rows(matrix), sequences.tokens.size
        self.weight = np.sqrt(sequences.counts)

    def begin(self, alpha: Floats, values: Floats) -> _State:
        """A state to start from, whose objective is not known."""
        return self._state(alpha, values, -np.inf)

    def step(self, state: _State, lines: tuple[Floats, float] | None = None) -> _State:
        """The maximum of all columns, with the lines of the state, or others."""
        exposure, inverse = lines or (state.exposure, state.inverse)
        alpha, values = state.alpha.copy(), state.values.copy()
        indptr = self.matrix.indptr
        rates, alpha_rates = self.prior.rates(alpha, values)
        of_alpha = (self.prior.alpha_count, alpha_rates)
        bound = core.urn_lines(indptr, exposure[self.matrix.sources], inverse, (self.prior.count, rates), of_alpha)
        log_mass = maximised(self.rows, indptr, bound, alpha, values)
        scale = alpha.sum()
        return self._state(alpha / scale, values / scale, float(log_mass.sum()) - self.n * float(np.log(scale)))

    def leap(self, first: _State, second: _State, third: _State) -> _State:
        """A state further on in the direction of two steps, if it is better than the last of them.

        First each row sum goes to the limit of its own geometric series; if that fails, all go equally far.
        """
        if third.objective - second.objective < 1e-12 * self.n:
            return third
        moved = (first.gains > 0) & (second.gains > 0) & (third.gains > 0)
        logs = [np.log(np.where(moved, state.gains, 1.0)) for state in (first, second, third)]
        change, bend = logs[1] - logs[0], logs[2] - 2 * logs[1] + logs[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(change != 0, 1 + bend / np.where(change != 0, change, 1.0), 0.0)
        further = change / (1 - np.clip(ratio, 0.0, 0.98))
        lengths = [float(np.linalg.norm(self.weight * part)) for part in (change, bend)]
        together = lengths[0] / lengths[1] if lengths[1] > 0 else 1.0
        for ahead in (further, 2 * together * change + together**2 * bend):
            reached = np.exp(np.clip(logs[0] + np.clip(ahead, -5, 5), -200, 200))
            exposure, inverse, _ = self.sequences.exposure(np.where(moved, reached, third.gains))
            found = self.step(third, (exposure, inverse))
            if found.objective > third.objective:
                return found
        return third

    def better_at_zero(self, state: _State, alpha: Floats, log_likelihood: float) -> bool:
        """Whether M = 0 is better still: the penalty does not depend on the scale of M, which may fall forever."""
        if self.prior.alpha_count and not alpha.all():
            return False
        return log_likelihood + self.prior.log_density(alpha, state.values) >= state.objective

    def _state(self, alpha: Floats, values: Floats, log_mass: float) -> _State:
        gains = self.matrix.gains(values)
        exposure, inverse, log_totals = self.sequences.exposure(gains)
        log_likelihood = log_mass - log_totals
        with np.errstate(divide="ignore"):
            objective = log_likelihood + self.prior.log_density(alpha, values)
        return _State(alpha, values, gains, exposure, inverse, log_likelihood, objective)


def group_prior(matrix: UrnMatrix, alpha: Floats, count: float) -> UrnPrior:
    """The diagonal is shrunken towards a common value, other entries towards a common multiple of α of their target.

    If there are other entries, α itself is shrunken towards the given one: otherwise a word that always stood after
    one of its sources could not begin a document.

    Examples
    --------
    >>> group_prior(UrnMatrix.of_pairs([0, 1, 0], [0, 1, 1], 2), np.array([0.8, 0.2]), 1.0).rate.tolist()
    [1.0, 5.0, 1.0]
    """
    own: NDArray[np.bool_] = matrix.own
    inverse = 1 / np.maximum(alpha, 1e-12)
    rate = np.where(own, 1.0, inverse[matrix.targets])
    return UrnPrior(
        np.full(own.size, float(count)), rate, (~own).astype(np.int64), 0.0 if own.all() else float(count), inverse
    )
