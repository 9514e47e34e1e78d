"""Does a word stand near a node more often than its documents explain? The arithmetic of collocates."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from termburst.core import collocates as core
from termburst.inference.checks import check_confidence
from termburst.threads import in_threads

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_STEPS = 20_000.0  # of an exact sum for one word; above, a saddlepoint approximation takes less time
LITTLE, ENOUGH = 1.0, 5.0  # means of X: up to the first p is P(X ≥ x), from the second on mid-p
_BLOCK = 2**16  # cells of the words that a thread computes at a time


@dataclass(frozen=True, slots=True)
class Attraction:
    """How strongly words are attracted by a node; arrays have one entry per word.

    Attributes
    ----------
    expected : E X, the number of tokens in the windows if the other tokens of every document are shuffled
    log_p : log p, see `attraction`
    log_upper : log P(X ≥ x), which is never too small, but often too large
    log_ratio, low, high : log₂ of the common odds ratio and its confidence limits; NaN if X can have only one value
    exact : whether the tails are exact sums; if not, they are saddlepoint approximations
    """

    expected: Floats
    log_p: Floats
    log_upper: Floats
    log_ratio: Floats
    low: Floats
    high: Floats
    exact: NDArray[np.bool_]


def attraction(
    others: Integers,
    near: Integers,
    cells: tuple[Integers, NDArray[np.int32], NDArray[np.int32]],
    observed: Integers,
    *,
    confidence: float = 0.95,
    effects: bool = True,
) -> Attraction:
    r"""Test every word for attraction by a node, given which words each document has and where the node stands in it.

    **The null.** In document d, the node stays where it is, and all other N_d tokens are shuffled. n_d of their places
    are in the window; a place within reach of two nodes counts once. If the document has K_d other tokens of a word,
    the number of them in the window is hypergeometric, and documents are independent:

    X = Σ_d Hypergeometric(N_d, K_d, n_d),  E X = Σ_d K_d n_d / N_d.

    A word that is only about the same thing as the node is in the same documents, and so it has a large E X, too.

    **p.** P(X > x) + w P(X = x). w is ½ (mid-p) if E X is 5 or more, and 1 if it is 1 or less; between them it falls
    linearly. Because X is discrete, P(X ≥ x) is below 0.05 for only 3 to 4 % of the words with E X ≥ 5 under the null,
    and p for about 5 %; at a small E X, mid-p would be below 0.05 too often.

    The tails are summed exactly if this takes at most `MOST_STEPS` steps. Otherwise P(X ≥ x) is a saddlepoint
    approximation: with K(θ) = Σ_d log E exp(θ X_d) and K'(θ) = x − ½, r = sign(θ) √(2(θ(x − ½) − K(θ))),
    u = 2 sinh(θ/2) √K''(θ), it is Φ(−r*) with r* = r + log(u/r)/r (Daniels 1987, Barndorff-Nielsen 1986).

    **log_ratio.** Under an attraction, a token of the word is e^θ times as likely as another token of its document to
    be in the window: X has the density ∝ exp(θx) with respect to the null. θ is estimated from K'(θ) = x̃, where
    x̃ = R (x + ½)/(R + 1) and R is the largest possible x, so that x = 0 has a finite estimate and the bias of log is
    removed. log_ratio = θ/log 2. If x is at most 12 and the tails are exact, the lower limit is the θ at which the
    tail that p is made of, P_θ(X > x) + w P_θ(X = x) with w by the mean of X at θ, is (1 − confidence)/2, and the upper
    limit the same for P_θ(X < x) (if x is 0 or R: the exact tail). So the lower limit is above 0 if p is below that.
    Above 12 both have the mid-p, and the limits solve r*(θ) = ±z. Because X is discrete, there are only as many limits
    as values of x: at a mean below 1 they cover more than they say.

    Parameters
    ----------
    others, near : N_d and n_d, one per document
    cells : starts, document, count
        Word w has the cells starts[w] to starts[w + 1] − 1, each with the number of a document, and K_d ≥ 1.
    observed : x, one per word
    confidence : level of the limits
    effects : whether log_ratio is estimated, which takes longer than p; without it, it is 0 (NaN stays NaN) and its
        limits are NaN

    Examples
    --------
    >>> starts, document, count = np.array([0, 2]), np.array([0, 1], dtype=np.int32), np.array([3, 1], dtype=np.int32)
    >>> found = attraction(np.array([20, 30]), np.array([4, 6]), (starts, document, count), np.array([3]))
    >>> found.expected.round(2).tolist(), np.exp(found.log_p).round(4).tolist()
    ([0.8], [0.0204])
    """
    check_confidence(confidence)
    alike = _alike(cells, observed, others.size)
    is_first = alike == np.arange(alike.size)
    starts, document, count = cells_of(cells, is_first)
    observed = observed[is_first]
    outside = (1 - confidence) / 2
    options = {"deviate": float(-ndtri(outside)), "log_tail": log(outside), "most": MOST_STEPS}
    bounds = _blocks(starts)

    def one(block: tuple[int, int]) -> tuple[NDArray[np.generic], ...]:
        first, last = block
        from_, to = int(starts[first]), int(starts[last])
        part = (starts[first : last + 1] - from_, document[from_:to], count[from_:to])
        return core.attraction((others, near), part, observed[first:last], **options, effects=effects)

    found = [one(bounds[0])] if len(bounds) == 1 else in_threads(one, bounds)  # little work needs no thread
    columns = [np.concatenate(column) for column in zip(*found, strict=True)]
    if not columns:
        columns = [np.empty(0)] * 7
    place = (np.cumsum(is_first) - 1)[alike]
    columns = [column[place] for column in columns]
    expected, log_upper, log_above, theta, low, high, exact = columns
    log_p = weighted(expected, log_upper, log_above)
    return Attraction(expected, log_p, log_upper, theta / log(2), low / log(2), high / log(2), exact == 1)


def weighted(expected: Floats, log_upper: Floats, log_above: Floats) -> Floats:
    """log(P(X > x) + w P(X = x)) from log P(X ≥ x) and log P(X > x), with w between 1 and ½ by the mean of X.

    Examples
    --------
    >>> np.exp(weighted(np.array([0.5, 3.0, 9.0]), np.log([0.2] * 3), np.log([0.1] * 3))).round(4).tolist()
    [0.2, 0.175, 0.15]
    """
    w = np.clip(1 - (expected - LITTLE) / (2 * (ENOUGH - LITTLE)), 0.5, 1.0)
    with np.errstate(divide="ignore"):
        return np.minimum(np.logaddexp(np.log(w) + log_upper, np.log1p(-w) + log_above), 0.0)


def cells_of(
    cells: tuple[Integers, NDArray[np.int32], NDArray[np.int32]], chosen: NDArray[np.bool_]
) -> tuple[Integers, NDArray[np.int32], NDArray[np.int32]]:
    """The cells of the *chosen* words.

    Examples
    --------
    >>> cells = (np.array([0, 2, 3]), np.array([0, 1, 1], dtype=np.int32), np.array([3, 1, 2], dtype=np.int32))
    >>> [part.tolist() for part in cells_of(cells, np.array([False, True]))]
    [[0, 1], [1], [2]]
    """
    starts, document, count = cells
    sizes = np.diff(starts)
    inside = np.repeat(chosen, sizes)
    return np.append(0, np.cumsum(sizes[chosen])), document[inside], count[inside]


def _alike(
    cells: tuple[Integers, NDArray[np.int32], NDArray[np.int32]], observed: Integers, documents: int
) -> Integers:
    """For each word, the number of the first word with the same result. Only words of at most one token are compared.

    Most words of a corpus occur once, and so often several of them in the same document.

    >>> cells = np.array([0, 1, 1, 2, 3]), np.zeros(3, dtype=np.int32), np.ones(3, dtype=np.int32)
    >>> _alike(cells, np.array([0, 0, 1, 0]), 1).tolist()
    [0, 1, 2, 0]
    """
    starts, document, count = cells
    sizes = np.diff(starts)
    alike = np.arange(sizes.size)
    nowhere = np.flatnonzero((sizes == 0) & (observed == 0))
    alike[nowhere] = nowhere[:1]
    single = np.flatnonzero((sizes == 1) & (observed >= 0) & (observed <= 1))
    at = starts[single]
    single = single[(count[at] == 1) & (document[at] >= 0) & (document[at] < documents)]
    key = 2 * document[starts[single]].astype(np.int64) + observed[single]
    first = np.empty(2 * documents, dtype=np.int64)
    first[key[::-1]] = single[::-1]  # of equal keys, the last assignment stays
    alike[single] = first[key]
    return alike


def _blocks(starts: Integers) -> list[tuple[int, int]]:
    """Consecutive words with about `_BLOCK` cells each."""
    words = starts.size - 1
    edges = np.searchsorted(starts, np.arange(0, max(int(starts[-1]), 1), _BLOCK))
    edges = np.unique(np.append(np.minimum(edges, words), [0, words]))
    return [(int(first), int(last)) for first, last in itertools.pairwise(edges)]


def log_dice(both: Integers, node: int, word: Integers) -> Floats:
    """logDice = 14 + log₂(2 f_xy/(f_x + f_y)) (Rychlý 2008); NaN for a word that never stands near the node.

    Examples
    --------
    >>> log_dice(np.array([5, 0]), 10, np.array([10, 3])).tolist()
    [13.0, nan]
    """
    with np.errstate(divide="ignore"):
        found = 14 + np.log2(2 * both / (node + word))
    return np.where(both > 0, found, np.nan)
