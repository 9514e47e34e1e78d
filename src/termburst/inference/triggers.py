"""How much a word brings on another: a likelihood ratio and an interval for each entry of the urn's matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from termburst.core import urn_columns as core
from termburst.models.fit_polya_urn import UrnEstimate, maximised
from termburst.models.urn_sequences import SMALL, Floats, Integers, Sequences, UrnMatrix
from termburst.threads import in_threads

PARTS = 64  # into which the pairs are divided for the threads
MOST_RATIO = 1e9  # a ratio beyond this is infinite
_HALVINGS = 45  # of the logarithm of an end of an interval: to about 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class _Bends:
    """How −log Z is curved along the entries of M; arrays have one entry per entry of M, but for the last.

    Attributes
    ----------
    total : Σ_t 1/Z²
    crossed, squared : Σ_t C_i/Z² and Σ_t C_i²/Z² of the source
    products : Σ_t C_i C_k/Z² with the target
    diagonal : shape (terms,), the number of the entry on the diagonal; −1 for none
    """

    total: float
    crossed: Floats
    squared: Floats
    products: Floats
    diagonal: Integers

    @classmethod
    def of(cls, sequences: Sequences, matrix: UrnMatrix, gains: Floats) -> _Bends:
        crossed, squared, total = sequences.squares(gains)
        diagonal = np.full(sequences.terms, -1)
        diagonal[matrix.sources[matrix.own]] = np.flatnonzero(matrix.own)
        return cls(
            total, crossed[matrix.sources], squared[matrix.sources], sequences.products(matrix, gains), diagonal
        )  # fmt: skip

    def taken(
        self,
        entries: Integers,
        diagonal: Integers,
        changes: tuple[Floats, Floats, Floats],
        largest: tuple[Floats, Floats],
        exposure: Floats,
    ) -> tuple[Floats, Floats]:
        """What to take from the likelihood ratio, and the least share of it that is left."""
        a, b, c = changes
        crossed, squared, exposure = self.crossed[entries], self.squared[entries], np.maximum(exposure, 1e-300)
        sum_of_squares = a**2 * self.total + 2 * a * b * crossed + b**2 * squared + c**2 * self.squared[diagonal]
        sum_of_squares += 2 * a * c * self.crossed[diagonal] + 2 * b * c * self.products[entries]
        x = np.maximum((a * crossed + b * squared + c * self.products[entries]) / exposure, -1 + 1e-12)
        share = (largest[0] * crossed + largest[1] * squared) / exposure
        left = np.where(b > 0, 1 / (1 + share) ** 2, (1 - np.minimum(share, 1.0)) ** 2)
        return np.maximum(sum_of_squares, 0.0) * _bend(x), left


class TriggerIntervals:
    """The intervals of one fitted urn. Given the lines that bound −log Z at the fit, columns of M are independent.

    In each column α_k and all entries are free, without a prior: they are nuisance parameters. The lines touch
    −log Z at the fit and are below it elsewhere, so the likelihood ratio of a column is too large: by a share of it
    that is about the probability of the target after its source, much in short documents. `likelihood_ratio` takes
    that away: see there.

    Examples
    --------
    >>> from termburst.models.fit_polya_urn import fit_urn
    >>> from termburst.models.urn_sequences import UrnMatrix
    >>> tokens = np.array([0, 1, 2, 2, 2, 2, 0, 1, 1, 2, 2, 1] * 9, dtype=np.int32)
    >>> sequences = Sequences(tokens, np.arange(1, 28) * 4, 3)
    >>> matrix = UrnMatrix.of_pairs([0, 1, 2, 0], [0, 1, 2, 1], 3)
    >>> fit = fit_urn(sequences, matrix, (np.full(3, 1 / 3), np.full(4, 0.1)))
    >>> intervals = TriggerIntervals(sequences, fit)
    >>> entry = intervals.entries_between(np.array([0]), np.array([1]))
    >>> bool(intervals.intervals(entry)[0][0] > 0)
    True
    """

    def __init__(self, sequences: Sequences, fit: UrnEstimate) -> None:
        self.matrix = fit.matrix
        self.rows = sequences.rows(fit.matrix)
        exposure, inverse, _ = sequences.exposure(fit.matrix.gains(fit.values))
        entries, terms = fit.values.size, fit.alpha.size
        self.exposure, self.inverse = exposure[fit.matrix.sources], inverse
        self.bends = _Bends.of(sequences, fit.matrix, fit.matrix.gains(fit.values))
        free = (np.zeros(entries), np.zeros(entries))
        self.lines = core.urn_lines(fit.matrix.indptr, self.exposure, inverse, free, (0.0, np.zeros(terms)))
        self.alpha, self.values = fit.alpha.copy(), fit.values.copy()
        log_mass = maximised(self.rows, fit.matrix.indptr, self.lines, self.alpha, self.values)
        explained = np.bincount(self.matrix.targets, self.values * self.exposure, terms)
        self.best = log_mass - self.alpha * inverse - explained

    def profile(self, entries: Integers, ratios: Floats) -> tuple[Floats, Floats, Floats]:
        """The log-likelihood of columns, lines included, if some entries have given ratios to α.

        Also returned are α and the entry on the diagonal then.
        """
        column = self.matrix.targets[entries]
        local = (entries - self.matrix.indptr[column] + 1).astype(np.int32)
        diagonal = self.bends.diagonal[column]
        own = np.where(diagonal >= 0, diagonal - self.matrix.indptr[column] + 1, 0).astype(np.int32)
        found = np.empty((3, entries.size))
        start = (self.alpha, self.values)

        def some(part: int) -> None:
            chosen = slice(part, None, PARTS)
            held = (column[chosen].copy(), local[chosen].copy(), ratios[chosen].copy())
            found[:, chosen] = core.profiles(
                self.rows, self.matrix.indptr, self.lines, start, held, own[chosen].copy(), ratio=True
            )  # fmt: skip

        if self.rows.weight.size < SMALL and entries.size < PARTS:
            for part in range(entries.size):
                some(part)
        else:
            in_threads(some, range(min(PARTS, entries.size)))
        return found[0], found[1], found[2]

    def likelihood_ratio(self, entries: Integers, ratios: Floats) -> Floats:
        """2 (ℓ̂ − ℓ) if some entries have given ratios to α, with −log Z itself in the place of its lines.

        Where Z becomes Z + δ_t, the line of −log Z is too low by δ_t/Z − log(1 + δ_t/Z). If α changes by a, the entry
        by b and the entry on the diagonal by c, δ_t = a + b C_i + c C_k. So twice the sum is nearly Σ (δ_t/Z)² g(x)
        with g(x) = 2 (x − log(1 + x))/x² and the mean x = Σ δ_t C_i/Z² / Σ C_i/Z. Further entries of the column take
        up some of the change, so that is rather too much; at most it leaves the share (1 − s)² of the ratio, where s is
        the share of the target in the text after its source, or 1/(1 + s)² for values above the estimate.
        """
        column = self.matrix.targets[entries]
        found, alpha, own = self.profile(entries, ratios)
        line = 2 * (self.best[column] - found)
        diagonal, held, estimate = self.bends.diagonal[column], ratios * alpha, self.values[entries]
        changes = (
            alpha - self.alpha[column],
            held - estimate,
            np.where((diagonal >= 0) & (diagonal != entries), own - self.values[diagonal], 0.0),
        )
        largest = (np.maximum(alpha, self.alpha[column]), np.maximum(held, estimate))
        with np.errstate(over="ignore", invalid="ignore"):  # where the profile is −∞, nothing else has a value
            taken, left = self.bends.taken(entries, diagonal, changes, largest, self.exposure[entries])
            exact = np.maximum(line - taken, line * left)
        return np.where(np.isfinite(line), exact, line)

    def excess(self, entries: Integers) -> Floats:
        """M/α of some entries: just after its source, the target is 1 + excess times as likely as without it.

        It is infinite if the target never comes without one of its sources.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.where(
                self.values[entries] > 0, self.values[entries] / self.alpha[self.matrix.targets[entries]], 0.0
            )
        found[found > MOST_RATIO] = np.inf
        return found

    def entries_between(self, source: Integers, target: Integers) -> NDArray[np.int64]:
        """The place of pairs among the entries of M; −1 if M has no such entry."""
        terms = self.matrix.indptr.size - 1
        keys = self.matrix.targets * terms + self.matrix.sources
        wanted = np.asarray(target, dtype=np.int64) * terms + source
        place = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        return np.where(keys[place] == wanted, place, -1)

    def intervals(self, entries: Integers, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Profile-likelihood intervals of M/α: values with a small enough likelihood ratio.

        The lower end is 0 if 0 is inside; the upper end is infinite beyond `MOST_RATIO`.
        """
        most = float(chdtri(1, 1 - confidence))
        alpha = np.maximum(self.alpha[self.matrix.targets[entries]], 1e-9 / self.inverse)
        smallest = 1e-9 / np.maximum(self.exposure[entries], 1e-300)  # one billionth of a token
        smallest = np.minimum(smallest / alpha, 1e-6)
        middle = np.clip(self.values[entries] / alpha, smallest, MOST_RATIO)
        high = np.full(entries.size, np.inf)
        top, step = middle.copy(), 4.0
        while True:  # until it is outside
            inside = (self.likelihood_ratio(entries, top) <= most) & (top < MOST_RATIO)
            if not inside.any():
                break
            top, step = np.where(inside, np.minimum(top * step, MOST_RATIO), top), step * 1.5
        bounded = self.likelihood_ratio(entries, top) > most
        high[bounded] = self._end(entries, middle, top, most)[bounded]
        at_zero = self.likelihood_ratio(entries, np.zeros(entries.size)) <= most
        low = np.where(at_zero, 0.0, self._end(entries, middle, smallest, most))
        return low, high

    def _end(self, entries: Integers, inside: Floats, outside: Floats, most: float) -> Floats:
        """Where the likelihood ratio crosses *most*, by halving the logarithm."""
        a, b = np.log(inside), np.log(np.maximum(outside, 1e-300))
        for _ in range(_HALVINGS):
            middle = (a + b) / 2
            good = self.likelihood_ratio(entries, np.exp(middle)) <= most
            a, b = np.where(good, middle, a), np.where(good, b, middle)
            if (np.abs(a - b) < 1e-10).all():
                break
        return np.exp((a + b) / 2)


def _bend(x: Floats) -> Floats:
    """2 (x − log(1 + x))/x², 1 at 0."""
    near = np.abs(x) < 1e-4
    away = np.where(near, 1.0, x)
    return np.where(near, 1 - 2 * x / 3, 2 * (away - np.log1p(away)) / away**2)
