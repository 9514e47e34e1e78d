"""Keyness against a list of frequencies: a reference of which only the totals n_i are known, not the documents.

How much of n_i is evidence depends on how bursty the word is, and on how many documents there are. If documents are
like those of A, the total of a word with precision α_0 has the variance nπ(1 − π)D, with the design effect
D = 1 + (ℓ − 1)/(α_0 + 1), where ℓ = Σ_j n_j²/n is the length of a mean token's document. Given α_0 the list is worth
x = n_i/D occurrences in N = n/D independent tokens, and A the same, from its total: so both have the same estimand, the
share in all tokens, even if long documents have another share than short ones.

The list says nothing about α_0, so it is borrowed: log α_0 in A, less that in the list, is a `SHIFT` for caution plus a
`SPREAD` times Student's t. What A says of a word is its likelihood in A, times

* the distribution of log α_0 among words of similar frequency in A;
* how likely the totals of A and the list are if both shares are the same: a word that A lacks, and the list has often,
  is rather one that is bursty. But the shares may differ, so totals say no more than a factor of e^`UNEQUAL`: what
  many documents say outweighs it.

Some words have counts that no beta-binomial expects, such as hundreds in one document. So α_0 is at most such that the
variance is that of the counts of A, and `CAUTION` standard errors more. P(θ) is then averaged over α_0 as in
`inference.two_sides`, and p and interval follow from it. Given any α_0, the most likely log ratio is that of the plain
shares, which is the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, xlogy

from termburst.core import comparison as core
from termburst.core import profiles as core_profiles
from termburst.core.binding import record
from termburst.inference.keyness import Keyness
from termburst.inference.two_sides import HIGHEST, PART
from termburst.models.cells import GroupedCells, TermCells
from termburst.statistics.matrix import Integers
from termburst.threads import in_threads, over_parts

Floats = NDArray[np.float64]
Profiles = NDArray[np.void]

NAME = "frequency list"  # in the column `p_method`
SHIFT, SPREAD = 0.5, 0.3  # of log α_0 in A less log α_0 in the list
CAUTION = 2.33  # standard errors of the variance of counts in A
UNEQUAL = 5.0  # −log of the weight of a real difference against equal shares
UNKNOWN = 2.0  # times the length of A's documents: those of a list that does not say how many it has
BAND = 200  # words of similar frequency from which the distribution of log α_0 is learned
LOWEST, STEP = -8.0, 0.5  # the lattice of log α_0
CENTRES = np.arange(-6.0, 3.01, 0.25)  # the grid of its middle, less log ℓ,
WIDTHS = np.array([0.3, 0.5, 0.7, 1.0, 1.4, 2.0])  # and of its spread
CENTRE, CENTRE_DEVIATION, MEAN_WIDTH = -1.0, 1.5, 1.0  # what is assumed before: normal, and exponential
NO_FALL = 1e6  # the level of the prior of both precisions, whose fall beyond it is in `Precisions` here


@dataclass(frozen=True, slots=True)
class WordList:
    """A reference of which only totals are known.

    Attributes
    ----------
    n_i : occurrences of every term
    tokens : of the whole reference, at least Σ n_i
    documents : their number, or None if it is not known
    """

    n_i: Integers
    tokens: int
    documents: int | None = None


def list_keyness(a: TermCells, b: WordList, *, confidence: float | None = 0.95) -> Keyness:
    """Compare a corpus with a list of frequencies over the same terms."""
    if not a.tokens or not b.tokens:
        raise ValueError("the corpus or the word list has no tokens: there is nothing to compare with")
    size, levels = a.n_i.size, np.empty(0) if confidence is None else np.array([1 - confidence])
    below, above, statistic = np.empty((3, size))
    limits = np.full((size, 2), np.nan)
    sides = ListSides(a, b)

    def compare(part: slice) -> None:
        for first in range(0, size, PART)[part]:
            terms = np.arange(first, min(first + PART, size))
            prior = (SHIFT, SPREAD, NO_FALL, 0.5)
            found = core.compare_sides(sides.profiles(terms), prior, np.zeros((terms.size, 1)), levels)
            below[terms], above[terms], statistic[terms] = found[0][:, 0], found[1][:, 0], found[3]
            if levels.size:
                limits[terms] = found[4][:, 0]

    over_parts(compare, a.count.size, -(-size // PART))
    # Nothing is known if A has one document, the list has fewer tokens than a document, or there is no other term.
    short = b.documents is None and b.tokens < a.tokens / max(a.documents, 1)
    unknown = (a.n_i + b.n_i == a.tokens + b.tokens) | (a.documents < 2) | short
    below[unknown], above[unknown], statistic[unknown] = 0.5, 0.5, 0.0
    limits[unknown] = (-np.inf, np.inf) if levels.size else np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratio = np.log2(a.n_i / a.tokens) - np.log2(b.n_i / b.tokens)
    absent = a.n_i + b.n_i == 0
    p_value = np.minimum(2 * np.minimum(below, above), 1.0)
    columns = [log_ratio, *limits.T / np.log(2), statistic, p_value]
    log_ratio, low, high, statistic, p_value = (np.where(absent, np.nan, values) for values in columns)
    return Keyness(
        log_ratio, low, high, statistic, p_value, np.where(absent, "", NAME).astype(object),
        least_p=np.zeros(size), ends=np.empty((size, 0)), levels=np.empty(0),
    )  # fmt: skip


class ListSides:
    """A corpus and a list: what both are worth at each log α_0, and what is known of log α_0."""

    def __init__(self, a: TermCells, b: WordList) -> None:
        self.a, self.b, self.precisions = a, b, Precisions(a)
        length = float(np.exp(self.precisions.level))
        own = a.tokens / a.documents
        times = UNKNOWN if b.documents is None else b.tokens / b.documents / own
        self.lengths = length, times * length

    def profiles(self, terms: Integers) -> Profiles:
        """The profiles of some terms in A and in the list, terms × 2."""
        share = (self.a.n_i[terms] + self.b.n_i[terms]) / (self.a.tokens + self.b.tokens)
        a, b = self.precisions.profiles(terms, share), flat_profiles(terms.size, self.precisions.nodes)
        tau = points(a)
        a["omega"], a["log_size"] = self._worth(0, terms, tau)
        b["omega"], b["log_size"] = self._worth(1, terms, np.broadcast_to(self.precisions.nodes, tau.shape))
        deviance = half_deviance(a["omega"], a["log_size"], *self._worth(1, terms, tau - SHIFT))
        height = np.logaddexp(-deviance, -UNEQUAL)
        a["height"] += height
        a["slope"] += np.gradient(height, axis=1) / a["step"][:, None]
        return np.stack([a, b], axis=1)

    def _worth(self, side: int, terms: Integers, tau: Floats) -> tuple[Floats, Floats]:
        """logit of the share, and log N = log n/D with D = 1 + (ℓ − 1)/(α_0 + 1), of A (0) or the list (1)."""
        corpus = self.b if side else self.a
        n_i, tokens = corpus.n_i[terms, None].astype(np.float64), float(corpus.tokens)
        tau = np.minimum(tau, self.precisions.highest[terms, None])
        with np.errstate(divide="ignore"):
            omega = np.log(n_i) - np.log(tokens - n_i)
        log_size = np.log(tokens) - np.log1p((self.lengths[side] - 1) * np.exp(-np.logaddexp(0.0, tau)))
        return np.broadcast_to(omega, tau.shape), log_size


class Precisions:
    """What A says of log α_0: the likelihood of each term, times the distribution among terms of similar frequency.

    That is Student's with four degrees of freedom, and it falls like 1/α_0 above log ℓ. Its middle and spread are
    learned in bands of frequency: posterior means on a grid.
    """

    def __init__(self, a: TermCells) -> None:
        self.a, self.groups = a, GroupedCells([a])
        lengths = a.lengths.astype(np.float64)
        self.level = float(np.log(lengths**2 @ a.length_documents / a.tokens))  # log ℓ
        self.highest = self._highest()
        last = int(np.ceil(self.level + HIGHEST))
        self.nodes = np.arange(last - core_profiles.NODES + 1, last + 1, dtype=np.float64)
        self.same_as = np.arange(a.n_i.size)
        self.same_as[self.groups.occurring] = self.groups.same_as
        self.at, self.centre, self.width = np.zeros(1), np.full(1, CENTRE), np.full(1, MEAN_WIDTH)
        self._learn()

    def profiles(self, terms: Integers, share: Floats) -> Profiles:
        """Heights and slopes; *share* is that of both sides together."""
        found = self._likelihoods(terms)
        tau, x = points(found), log_rarity(share)
        centre, width = (np.interp(x, self.at, values)[:, None] for values in (self.centre, self.width))
        found["height"] += self._log_density(tau, centre, width)
        z = (tau - self.level - centre) / width
        found["slope"] -= (core.DEGREES + 1) * z / (core.DEGREES + z**2) / width + expit(tau - self.level)
        return found

    def _likelihoods(self, terms: Integers) -> Profiles:
        """The profiles of A alone; flat for terms that it lacks."""
        found, held = flat_profiles(terms.size, self.nodes), self.a.n_i[terms] > 0
        distinct, place = np.unique(self.same_as[terms[held]], return_inverse=True)
        start, last = np.full(self.a.n_i.size, self.level - 1), self.level + HIGHEST
        found[held] = core_profiles.profiles(self.groups.cells, self.groups.lengths, distinct, start, last)[place, 0]
        return found

    def _log_density(self, tau: Floats, centre: Floats, width: Floats) -> Floats:
        z = (tau - self.level - centre) / width
        return -0.5 * (core.DEGREES + 1) * np.log1p(z**2 / core.DEGREES) - np.logaddexp(0.0, tau - self.level)

    def _learn(self) -> None:
        a = self.a
        held = np.flatnonzero((a.n_i > 1) & (a.n_i < a.tokens))
        if not held.size:
            return
        x = log_rarity(a.n_i[held] / a.tokens)
        bands = np.array_split(np.argsort(x, kind="stable"), max(1, held.size // BAND))
        centre, width = (grid.ravel() for grid in np.meshgrid(CENTRES, WIDTHS, indexing="ij"))
        lattice = np.arange(LOWEST, self.level + HIGHEST + 1, STEP)
        density = np.exp(self._log_density(lattice, centre[:, None], width[:, None]))
        density /= density.sum(axis=1, keepdims=True)
        prior = -0.5 * ((centre - CENTRE) / CENTRE_DEVIATION) ** 2 - width / MEAN_WIDTH
        self.at, self.centre, self.width = np.empty((3, len(bands)))

        def learn(band: int) -> None:
            likelihood = on_lattice(self._likelihoods(held[bands[band]]), lattice.size)
            posterior = np.log(likelihood @ density.T + 1e-300).sum(axis=0) + prior
            weight = np.exp(posterior - posterior.max())
            weight /= weight.sum()
            self.at[band], self.centre[band] = np.median(x[bands[band]]), weight @ centre
            self.width[band] = np.sqrt(weight @ (width**2 + (centre - self.centre[band]) ** 2))

        in_threads(learn, range(len(bands)))

    def _highest(self) -> Floats:
        """log α_0 at which the variance is V = Σ_j e_j², e_j = n_ij − n_i n_j/n, and `CAUTION` standard errors more.

        The standard error of V is √(Σ_j e_j⁴ − V²/d) over the d documents, those without the term, too.
        """
        a, share, documents = self.a, self.a.n_i / self.a.tokens, self.a.documents
        lengths = a.lengths.astype(np.float64)
        weight, mean = np.broadcast_to(a.weight, a.count.shape), share[a.term] * a.length
        sums = []
        for power in (2, 4):
            own = np.bincount(a.term, weight * ((a.count - mean) ** power - mean**power), a.n_i.size)
            sums.append(np.maximum(own + share**power * (lengths**power @ a.length_documents), 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.sqrt(np.maximum(sums[1] - sums[0] ** 2 / documents, 0.0)) / sums[0]
            effect = sums[0] / (a.n_i * (1 - share)) * np.exp(CAUTION * np.minimum(error, 1.0))
            found = self.level - np.log(effect - 1)
        return np.where(np.isfinite(found), found, np.inf)


def half_deviance(omega_a: Floats, log_n_a: Floats, omega_b: Floats, log_n_b: Floats) -> Floats:
    """Half the likelihood ratio of equal shares of x_a of N_a and x_b of N_b occurrences."""
    total = np.zeros(omega_a.shape)
    n_a, n_b = np.exp(log_n_a), np.exp(log_n_b)
    for sign in (1, -1):  # the term, and all others
        x_a, x_b = n_a * expit(sign * omega_a), n_b * expit(sign * omega_b)
        share = np.maximum((x_a + x_b) / (n_a + n_b), 1e-300)
        total += xlogy(x_a, x_a / (n_a * share)) + xlogy(x_b, x_b / (n_b * share))
    return np.maximum(total, 0.0)


def on_lattice(profiles: Profiles, size: int) -> Floats:
    """The likelihoods at multiples of `STEP` from `LOWEST`, relative to the largest; 0 outside the window."""
    inside = np.arange(core_profiles.NODES) < profiles["size"][:, None]
    height = np.where(inside, profiles["height"], -np.inf)
    height -= height.max(axis=1, keepdims=True)
    per, row = np.rint(profiles["step"] / STEP).astype(np.int64), np.arange(profiles.size)
    result = np.zeros((profiles.size, size))
    for k in range(core_profiles.NODES):
        place = (profiles["first"] + k) * per - round(LOWEST / STEP)
        valid = inside[:, k] & (place >= 0) & (place < size)
        result[row[valid], place[valid]] = np.exp(height[valid, k])
        if k + 1 < core_profiles.NODES:  # halfway to the next point of a coarse profile, which is cubic between them
            valid &= inside[:, k + 1] & (per == 2) & (place + 1 < size)
            bend = profiles["step"] * (profiles["slope"][:, k] - profiles["slope"][:, k + 1]) / 8
            middle = (height[valid, k] + height[valid, k + 1]) / 2 + bend[valid]
            result[row[valid], place[valid] + 1] = np.exp(middle)
    return result


def flat_profiles(size: int, tau: Floats) -> Profiles:
    """Profiles that say nothing about log α_0, at the points *tau*."""
    found = np.zeros(size, record("SideProfile"))
    found["step"], found["first"], found["size"] = 1.0, round(tau[0]), tau.size
    return found


def points(profiles: Profiles) -> Floats:
    """log α_0 at the points of profiles."""
    tau: Floats = (profiles["first"][:, None] + np.arange(core_profiles.NODES)) * profiles["step"][:, None]
    return tau


def log_rarity(share: Floats) -> Floats:
    """log π(1 − π): the same for a term and its complement."""
    return np.asarray(np.log(np.maximum(share * (1 - share), 1e-300)))
