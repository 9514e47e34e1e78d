"""Pairs of corpora with equal means and different precisions, and the test that knows the precisions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from _keyness_corpora import as_cells
from numpy.typing import NDArray

from termburst.models.cells import TermCells

Floats = NDArray[np.float64]

RATIOS = (1.0, 1.6, 2.7, 8.0)
LENGTHS = ((1_000, 1_000), (400, 2_000), (150, 3_000))
DOCUMENTS = ((250, 250), (30, 300), (8, 200))
SHARES = (0.0002, 0.002, 0.02)
LAWS = ("same", "drawn", "mixture")
BASE, BASE_SPREAD = 150.0, 0.5  # α_0 of a word in the burstier corpus is exp(N(log 150, 0.5²))
DRAWN_SPREAD = 0.5  # standard deviation of the log ratio of precisions if it is drawn
AT_ONCE = 2**20  # numbers in an array of the exact test


@dataclass(frozen=True)
class Cell:
    """Documents of A and of B, their lengths, and how the precisions of a word differ.

    `ratio` is α_0B/α_0A: above 1 words burst more in A. All words have it ("same"), or it is the median of a log-normal
    distribution ("drawn"), or every other word has it and the others have ratio 1 ("mixture").
    """

    law: str
    ratio: float
    lengths: tuple[int, int]
    documents: tuple[int, int]
    share: float

    @property
    def label(self) -> str:
        ratio = f"1/{1 / self.ratio:g}" if self.ratio < 1 else f"{self.ratio:g}"
        sizes = [f"{a}:{b}" for a, b in (self.lengths, self.documents)]
        return f"{self.law:<8}{ratio:>6}{sizes[0]:>11}{sizes[1]:>9}{self.share:>8g}"

    def precisions(self, words: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """α_0 of each word in A and in B."""
        burstier = BASE * np.exp(BASE_SPREAD * rng.standard_normal(words))
        log_ratio = np.full(words, math.log(self.ratio))
        if self.law == "drawn":
            log_ratio += DRAWN_SPREAD * rng.standard_normal(words)
        elif self.law == "mixture":
            log_ratio[::2] = 0.0
        in_a = self.ratio >= 1
        return (burstier, burstier * np.exp(log_ratio)) if in_a else (burstier * np.exp(-log_ratio), burstier)


def grid(reverse: bool) -> Iterator[Cell]:
    """All cells; with *reverse* also those where few documents are the long ones."""
    for law in LAWS:
        for size in RATIOS if law != "mixture" else RATIOS[-1:]:
            for lengths in (*LENGTHS, *((b, a) for a, b in LENGTHS[1:] if reverse)):
                for documents in DOCUMENTS if lengths[0] <= lengths[1] else DOCUMENTS[1:]:
                    alike = lengths[0] == lengths[1] and documents[0] == documents[1]
                    for ratio in (size,) if size == 1 or alike else (size, 1 / size):
                        yield from (Cell(law, ratio, lengths, documents, share) for share in SHARES)


def draw_counts(
    mean: Floats | float, alpha_0: Floats, length: int, documents: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Beta-binomial counts, words × documents of this length."""
    shares = rng.beta(mean * alpha_0, (1 - mean) * alpha_0, (documents, alpha_0.size))
    return np.ascontiguousarray(rng.binomial(length, shares).T)


def equal_length_cells(counts: NDArray[np.int64], length: int) -> TermCells:
    """The cells of *counts*, words × documents, each document with *length* tokens."""
    word, document = np.nonzero(counts)
    count = counts[word, document]
    return as_cells(word, count, np.full(count.size, length), len(counts), np.full(counts.shape[1], length))


def exact_tails(
    totals: tuple[NDArray[np.int64], NDArray[np.int64]],
    precisions: tuple[Floats, Floats],
    lengths: tuple[int, int],
    documents: tuple[int, int],
) -> tuple[Floats, Floats]:
    """The oracle: mid-probabilities that n_A/tokens_A − n_B/tokens_B is at least, and at most, as large as observed.

    It knows the precisions. The common mean is the average of the two shares, weighted by the inverse of the true
    variance of each. n_A and n_B are sums of independent beta-binomial counts: convolutions by the Fourier transform.
    (A test given n_A + n_B would be too conservative if precisions differ: the estimated mean absorbs the difference.)
    NaN for a word that does not occur.
    """
    tokens = [d * n for d, n in zip(documents, lengths, strict=True)]
    inverse = [t / (1 + (n - 1) / (1 + a)) for t, n, a in zip(tokens, lengths, precisions, strict=True)]
    mean = sum(w * x / t for w, x, t in zip(inverse, totals, tokens, strict=True)) / sum(inverse)
    sizes = np.zeros((mean.size, 2), dtype=int)  # powers of 2: larger totals have nearly no probability
    for g, (x, d, n, a) in enumerate(zip(totals, documents, lengths, precisions, strict=True)):
        deviation = np.sqrt(d * n * mean * (1 + (n - 1) / (1 + a)))
        wide = np.maximum(x, np.minimum(d * n * mean + 9 * deviation + 20 * n / a, d * n)) + 1
        sizes[:, g] = np.where(mean > 0, 2 ** np.ceil(np.log2(wide)), 0)
    upper, lower = np.full((2, mean.size), np.nan)
    for pair in np.unique(sizes[mean > 0], axis=0).tolist():
        words, each = np.flatnonzero((sizes == pair).all(axis=1)), max(1, AT_ONCE // max(*pair, *lengths))
        for part in np.array_split(words, -(-words.size // each)):
            of_a, of_b = (
                sum_probabilities(mean[part], precisions[g][part], lengths[g], documents[g], pair[g]) for g in (0, 1)
            )
            for row, word in enumerate(part):
                # With n_A = k, as extreme a difference needs n_B = edge: a fraction, unless there is a tie.
                edge = totals[1][word] + (np.arange(pair[0]) - totals[0][word]) * tokens[1] / tokens[0]
                below = np.concatenate([[0.0], np.cumsum(of_b[row])])
                up_to, under = (
                    below[np.clip(x, 0, pair[1]).astype(int)] for x in (np.floor(edge + 1e-6) + 1, np.ceil(edge - 1e-6))
                )
                upper[word] = of_a[row] @ (up_to + under) / 2
                lower[word] = max(1 - upper[word], 0.0)
    return upper, lower


def sum_probabilities(mean: Floats, alpha_0: Floats, length: int, documents: int, size: int) -> Floats:
    """P(n_g = 0, 1, …, size − 1) of the sum over documents of equal length, words × size."""
    k = np.arange(length)
    alpha, rest = (mean * alpha_0)[:, None], ((1 - mean) * alpha_0)[:, None]
    steps = np.log((length - k) * (alpha + k)) - np.log((k + 1) * (rest + length - k - 1))
    log_p = np.hstack([np.zeros((mean.size, 1)), np.cumsum(steps, axis=1)])
    p = np.exp(log_p - log_p.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    width = -(-p.shape[1] // size) * size  # larger counts than `size` are folded: they have nearly no probability
    folded = np.pad(p, ((0, 0), (0, width - p.shape[1]))).reshape(mean.size, -1, size).sum(axis=1)
    factor, product = np.fft.rfft(folded, axis=1), np.ones(1)
    while documents:
        product = product * factor if documents & 1 else product
        factor, documents = factor * factor, documents >> 1
    return np.maximum(np.fft.irfft(product, size, axis=1), 0.0)
