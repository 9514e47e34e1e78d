"""Keyness against a list of frequencies: a reference of which only the totals n_i are known, not the documents.

How much of n_i is evidence depends on how many documents it comes from, and on how bursty the word is there. If documents
are like those of A, the total of a word with precision α_0 has the variance nπ(1 − π)(1 + (ℓ − 1)/(α_0 + 1)), where
ℓ = Σ_j n_j²/n. So has the count in one document of n tokens whose precision is α = (α_0 + 1)(n − 1)/(ℓ − 1) − 1, and for a
rare word both have about the same distribution. So a list is one long document, and given α_0 it is worth x occurrences
in N independent tokens like any corpus (`core.profiles`).

The list says nothing about α_0, so it is borrowed: log α_0 in the list is that in A, less a `SHIFT` for caution, with a
spread. What A says of a word is its likelihood in A, times the distribution of log α_0 among words of similar frequency
in A. P(θ) is then averaged as in `inference.two_sides`, and p, estimate and interval follow from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, polygamma, psi, xlogy

from termburst.core import comparison as core
from termburst.core import profiles as core_profiles
from termburst.inference.keyness import Keyness
from termburst.inference.two_sides import HIGHEST, PART
from termburst.models.cells import TermCells
from termburst.models.fit_beta_binomial import BLOCKS
from termburst.models.fit_groups import GroupedCells
from termburst.statistics.tally import Integers
from termburst.threads import in_threads

Floats = NDArray[np.float64]

NAME = "frequency list"  # in the column `reference`
SHIFT, SPREAD = 0.5, 0.3  # of log α_0 in A less log α_0 in the list
UNKNOWN = 2.0  # times the length of A's documents: those of a list that does not say how many it has
TEMPER = 1.0
SHIFT_MOST, ERRORS = 0.0, 2.33
BAND = 200  # words of similar frequency from which the distribution of log α_0 is learned
LOWEST, STEP = -8.0, 0.5  # the lattice of log α_0
CENTRES = np.arange(-6.0, 3.01, 0.25)  # the grid of its middle, less the log of ℓ,
WIDTHS = np.array([0.3, 0.5, 0.7, 1.0, 1.4, 2.0])  # and of its spread
CENTRE, CENTRE_DEVIATION, MEAN_WIDTH = -1.0, 1.5, 1.0  # what is assumed before: normal, and exponential
NO_FALL = 1e6  # of `PrecisionPrior.level`: the fall beyond the level is part of the trend here


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
        raise ValueError("a corpus and a word list need tokens: there is nothing to compare with")
    levels = np.empty(0) if confidence is None else np.array([1 - confidence])
    size = a.n_i.size
    tails, median, statistic, limits = np.empty((2, size)), np.empty(size), np.empty(size), np.empty((size, 2))
    own = OwnProfiles(a)
    listed = ListProfiles(a, b, own.most)
    own.learn_trend()
    share = (a.n_i + b.n_i) / (a.tokens + b.tokens)

    def compare(block: int) -> None:
        for first in range(block * PART, size, BLOCKS * PART):
            terms = np.arange(first, min(first + PART, size))
            both = np.stack([own.profiles(terms, share[terms]), listed.profiles(terms)], axis=1)
            under_null(both, listed, terms)
            found = core.compare_sides(both, (SHIFT, SPREAD, NO_FALL, 0.5), np.zeros((terms.size, 1)), levels)
            tails[:, terms] = found[0][:, 0], found[1][:, 0]
            median[terms], statistic[terms] = found[2], found[3]
            limits[terms] = found[4][:, 0] if levels.size else np.nan

    in_threads(compare, range(BLOCKS))
    only = a.n_i + b.n_i == a.tokens + b.tokens  # or A has one document: nothing is known
    unknown = only | (int(a.length_documents[a.lengths > 0].sum()) < 2)
    tails[:, unknown], statistic[unknown] = 0.5, 0.0
    limits[unknown] = (-np.inf, np.inf) if levels.size else np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        plain = np.log(a.n_i / a.tokens) - np.log(b.n_i / b.tokens)
    absent = a.n_i + b.n_i == 0
    columns = [np.where(unknown, plain, median) / np.log(2), *limits.T / np.log(2), statistic]
    p_value = np.minimum(2 * tails.min(axis=0), 1.0)
    log_ratio, low, high, statistic, p_value = (np.where(absent, np.nan, x) for x in [*columns, p_value])
    return Keyness(
        log_ratio, low, high, statistic, p_value, np.where(absent, "", NAME).astype(object),
        least_p=np.zeros(size), ends=np.empty((size, 0)), levels=np.empty(0),
    )  # fmt: skip


class OwnProfiles:
    """What A says of log α_0: the likelihood of each term, times the distribution among terms of similar frequency.

    That is Student's with four degrees of freedom, and it falls like 1/α_0 above log ℓ. Its middle and spread are learned
    in bands of frequency: posterior means on a grid.
    """

    def __init__(self, a: TermCells) -> None:
        self.a, self.groups = a, GroupedCells([a])
        self.level = float(np.log(token_length(a)))
        self.start = np.full(a.n_i.size, self.level - 1)
        self.same_as = np.arange(a.n_i.size)
        self.same_as[self.groups.occurring] = self.groups.same_as
        self.lattice = np.arange(LOWEST, self.level + HIGHEST + 1, STEP)
        self.log_documents = np.log(max((a.tokens - 1) / max(token_length(a) - 1, 1e-9), 1.0))
        self.most = most_precision(a, self.level)
        self.at, self.centre, self.width = np.zeros(1), np.full(1, CENTRE), np.full(1, MEAN_WIDTH)

    def likelihoods(self, terms: Integers) -> NDArray[np.void]:
        """The profiles of A alone; flat for terms that it lacks."""
        groups, held = self.groups, self.a.n_i[terms] > 0
        found = np.zeros(terms.size, core_profiles.SIDE_PROFILE)
        found[~held] = flat_profile(0.0, np.zeros(core_profiles.NODES), nodes(self.level))
        distinct, place = np.unique(self.same_as[terms[held]], return_inverse=True)
        of = core_profiles.profiles(groups.cells, groups.lengths, distinct, self.start, self.level + HIGHEST)
        found[held] = of[place, 0]
        return found

    def profiles(self, terms: Integers, share: Floats) -> NDArray[np.void]:
        """The same with the distribution among terms of similar frequency; *share* is that of both sides together."""
        found = self.likelihoods(terms)
        tau = (found["first"][:, None] + np.arange(core_profiles.NODES)) * found["step"][:, None]
        x = log_rarity(share)
        centre, width = np.interp(x, self.at, self.centre)[:, None], np.interp(x, self.at, self.width)[:, None]
        found["height"] += self._log_density(tau, centre, width)
        up, down = self._log_density(tau + 1e-3, centre, width), self._log_density(tau - 1e-3, centre, width)
        found["slope"] += (up - down) / 2e-3
        found["omega"], found["log_size"] = worth(
            self.a.n_i[terms], self.a.tokens, np.expm1(np.logaddexp(0.0, np.minimum(tau, self.most[terms, None])) + self.log_documents)
        )
        return found

    def _log_density(self, tau: Floats, centre: Floats, width: Floats) -> Floats:
        z = (tau - self.level - centre) / width
        return -0.5 * (core.DEGREES + 1) * np.log1p(z**2 / core.DEGREES) - np.logaddexp(0.0, tau - self.level)

    def learn_trend(self) -> None:
        """Middle and spread in each band of frequency, from all terms of A but those that are all or nothing."""
        a = self.a
        held = np.flatnonzero((a.n_i > 1) & (a.n_i < a.tokens))
        if not held.size:
            return
        x = log_rarity(a.n_i[held] / a.tokens)
        bands = np.array_split(np.argsort(x, kind="stable"), max(1, held.size // BAND))
        centre, width = (grid.ravel() for grid in np.meshgrid(CENTRES, WIDTHS, indexing="ij"))
        density = np.exp(self._log_density(self.lattice, centre[:, None], width[:, None]))
        density /= density.sum(axis=1, keepdims=True)
        prior = -0.5 * ((centre - CENTRE) / CENTRE_DEVIATION) ** 2 - width / MEAN_WIDTH
        self.at, self.centre, self.width = np.empty((3, len(bands)))

        def learn(band: int) -> None:
            terms = held[bands[band]]
            told = np.log(self._on_lattice(self.likelihoods(terms)) @ density.T + 1e-300).sum(axis=0) + prior
            weight = np.exp(told - told.max())
            weight /= weight.sum()
            self.at[band], self.centre[band] = np.median(x[bands[band]]), weight @ centre
            self.width[band] = np.sqrt(weight @ width**2 + weight @ (centre - self.centre[band]) ** 2)

        in_threads(learn, range(len(bands)))

    def _on_lattice(self, profiles: NDArray[np.void]) -> Floats:
        """The likelihoods at the lattice, relative to the largest; 0 outside the window of a profile."""
        inside = np.arange(core_profiles.NODES) < profiles["size"][:, None]
        height = np.where(inside, profiles["height"], -np.inf)
        height -= height.max(axis=1, keepdims=True)
        per, row = np.rint(profiles["step"] / STEP).astype(np.int64), np.arange(profiles.size)
        result = np.zeros((profiles.size, self.lattice.size))
        for k in range(core_profiles.NODES):
            place = (profiles["first"] + k) * per - round(LOWEST / STEP)
            valid = inside[:, k] & (place >= 0) & (place < self.lattice.size)
            result[row[valid], place[valid]] = np.exp(height[valid, k])
            if k + 1 < core_profiles.NODES:  # halfway to the next point of a coarse profile, which is cubic between them
                valid = inside[:, k + 1] & (per == 2) & (place >= 0) & (place + 1 < self.lattice.size)
                bend = profiles["step"] * (profiles["slope"][:, k] - profiles["slope"][:, k + 1]) / 8
                middle = (height[:, k] + height[:, k + 1])[valid] / 2 + bend[valid]
                result[row[valid], place[valid] + 1] = np.exp(middle)
        return result


class ListProfiles:
    """What totals are worth, given log α_0: those of a single document of n tokens; all heights are 0."""

    def __init__(self, a: TermCells, b: WordList, most: Floats) -> None:
        length = token_length(a)
        times = UNKNOWN if b.documents is None else b.tokens / b.documents / (a.tokens / _documents(a))
        self.tau = nodes(float(np.log(length)))
        documents = max((b.tokens - 1) / max(times * length - 1, 1e-9), 1.0)  # of equal length
        self.documents, self.b, self.most = documents, b, most

    def profiles(self, terms: Integers) -> NDArray[np.void]:
        return flat_profile(*self.worth_at(terms, self.tau), self.tau)

    def worth_at(self, terms, tau):
        tau = np.minimum(tau, self.most[terms, None] - SHIFT_MOST)
        alpha = np.expm1(np.logaddexp(0.0, tau) + np.log(self.documents))
        return worth(self.b.n_i[terms], self.b.tokens, alpha)


def worth(n_i: Integers, tokens: int, alpha: Floats) -> tuple[Floats, Floats]:
    """logit π̂ and log N for n_i of all tokens in one document of each precision *alpha*, terms × precisions."""
    count = np.broadcast_to(n_i.astype(np.float64)[:, None], alpha.shape)
    rest = tokens - count
    mixed = (count > 0) & (rest > 0)
    omega = np.where(count > 0, np.inf, -np.inf)
    with np.errstate(divide="ignore"):
        log_size = np.log(alpha * _rise(alpha, np.full(alpha.shape, float(tokens)))[0])
    omega[mixed], size = likeliest(count[mixed], rest[mixed], alpha[mixed])
    log_size[mixed] = np.log(size)
    return omega, log_size


def under_null(both, listed, terms):
    own = both[:, 0]
    tau = (own["first"][:, None] + np.arange(core_profiles.NODES)) * own["step"][:, None] - SHIFT
    omega, log_size = listed.worth_at(terms, tau)
    n_a, n_b = np.exp(own["log_size"]), np.exp(log_size)
    x_a, x_b = n_a * expit(own["omega"]), n_b * expit(omega)
    p = np.clip((x_a + x_b) / (n_a + n_b), 1e-300, 1 - 1e-16)
    dev = xlogy(x_a, x_a / (n_a * p)) + xlogy(x_b, x_b / (n_b * p))
    r_a, r_b = n_a * expit(-own["omega"]), n_b * expit(-omega)
    dev += xlogy(r_a, r_a / (n_a * (1 - p))) + xlogy(r_b, r_b / (n_b * (1 - p)))
    height = -TEMPER * np.maximum(dev, 0)
    own["height"] += height
    own["slope"] += np.gradient(height, axis=1) / own["step"][:, None]


def likeliest(x: Floats, y: Floats, alpha: Floats) -> tuple[Floats, Floats]:
    """For x > 0 of x + y tokens in one document of precision *alpha*: logit π̂, and N, by Newton's method.

    The slope of the log-likelihood is proportional to U − V with U = ψ(απ + x) − ψ(απ), V the same of the complement, and
    log U − log V is nearly linear in logit π. The curvature is that of a binomial of N tokens at π̂.
    """
    omega = np.log(x) - np.log(y)
    for _ in range(50):
        a, c = alpha * expit(omega), alpha * expit(-omega)
        (u, bend_u), (v, bend_v) = _rise(a, x), _rise(c, y)
        slope = a * expit(-omega) * bend_u / u + c * expit(omega) * bend_v / v
        step = np.clip((np.log(u) - np.log(v)) / slope, -3.0, 3.0)
        omega = omega + step
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    return omega, a * c * (bend_u + bend_v)


def _rise(z: Floats, more: Floats) -> tuple[Floats, Floats]:
    """ψ(z + m) − ψ(z) and ψ'(z) − ψ'(z + m); without cancellation for large z."""
    end = z + more
    first, second = np.log1p(more / z), more / (z * end)
    by = (z + end) / (z * end)  # of 1/z² − 1/(z + m)², over 1/z − 1/(z + m)
    large = z > 1e3
    plain = np.where(large, 1.0, z)
    return (
        np.where(large, first + second * (0.5 + by / 12), psi(plain + more) - psi(plain)),
        np.where(large, second * (1 + by / 2), polygamma(1, plain) - polygamma(1, plain + more)),
    )


def nodes(level: float) -> Floats:
    """The points of a profile that has all of them, up to `HIGHEST` above *level*."""
    last = int(np.ceil(level + HIGHEST))
    return np.arange(last - core_profiles.NODES + 1, last + 1, dtype=np.float64)


def flat_profile(omega: Floats | float, log_size: Floats, tau: Floats) -> NDArray[np.void]:
    """Profiles that say nothing about log α_0, at the points *tau*."""
    found = np.zeros(np.shape(log_size)[:-1], core_profiles.SIDE_PROFILE)
    found["omega"], found["log_size"] = omega, log_size
    found["step"], found["first"], found["size"] = 1.0, round(tau[0]), tau.size
    return found


def most_precision(a: TermCells, level: float) -> Floats:
    lengths, documents, share = a.lengths.astype(np.float64), a.length_documents, a.n_i / a.tokens
    weight, mean = np.broadcast_to(a.weight, a.count.shape), share[a.term] * a.length
    sums = []
    for power in (2, 4):
        own = np.bincount(a.term, weight * ((a.count - mean) ** power - mean**power), a.n_i.size)
        sums.append(own + share**power * (lengths**power @ documents))
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(np.maximum(sums[1] - sums[0] ** 2 / documents[lengths > 0].sum(), 0.0)) / sums[0]
        effect = sums[0] / (a.n_i * (1 - share)) * np.exp(ERRORS * np.minimum(error, 1.0))
        found = level - np.log(effect - 1)
    return np.where(np.isfinite(found), found, np.inf)


def token_length(a: TermCells) -> float:
    """ℓ = Σ_j n_j²/n, the length of the document of a mean token."""
    return float(a.lengths.astype(np.float64) ** 2 @ a.length_documents) / a.tokens


def log_rarity(share: Floats) -> Floats:
    """log π(1 − π): the same for a term and its complement."""
    return np.asarray(np.log(np.maximum(share * (1 - share), 1e-300)))


def _documents(a: TermCells) -> int:
    return int(a.length_documents[a.lengths > 0].sum())
