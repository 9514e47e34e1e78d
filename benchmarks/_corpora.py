"""Real texts cut into two sides; and simulated sides, with the oracle that knows their precisions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from _tests import Side
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from termburst.datasets import clean_text, load_20newsgroups, load_inaugural, load_r8, load_stdlib
from termburst.datasets.collection import data_file

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TOKEN = re.compile(r"\b\w\w+\b")
RELATED = 3.0  # |z| from which the share of a word rises or falls with document length


@dataclass(frozen=True)
class Collection:
    """Tokens as numbers of words, one document after the other; the kind of each document, and its cluster."""

    name: str
    token: Integers
    n_j: Integers
    words: int
    kind: Integers | None
    cluster: Integers | None

    @classmethod
    def of(cls, name: str, texts: list[str], kind: object = None, cluster: object = None) -> Collection:
        found = [TOKEN.findall(text.lower()) for text in texts]
        filled = np.array([bool(tokens) for tokens in found])
        number: dict[str, int] = {}
        token = np.array([number.setdefault(word, len(number)) for tokens in found for word in tokens])
        n_j = np.array([len(tokens) for tokens in found if tokens])
        given = (None if x is None else np.asarray(x)[filled] for x in (kind, cluster))
        codes = (None if x is None else np.unique(x, return_inverse=True)[1] for x in given)
        return cls(name, token, n_j, len(number), *codes)

    @cached_property
    def counts(self) -> csr_array:
        """Documents × words that are in two documents, or occur five times."""
        document = np.repeat(np.arange(self.n_j.size), self.n_j)
        X = csr_array((np.ones(self.token.size, dtype=np.int64), (document, self.token)), (self.n_j.size, self.words))
        X.sum_duplicates()
        n_i, b_i = np.bincount(X.indices, X.data), np.bincount(X.indices)
        return csr_array(X[:, np.flatnonzero((b_i >= 2) | (n_i >= 5))])

    def side(self, documents: NDArray[np.bool_]) -> Side:
        cluster = None if self.cluster is None else self.cluster[documents]
        return Side(csr_array(self.counts[documents]), self.n_j[documents], cluster)

    def halved(self, rng: np.random.Generator, share: float = 0.5) -> tuple[Side, Side]:
        """Random documents, that share of them, and the others."""
        inside = rng.permutation(self.n_j.size) < round(share * self.n_j.size)
        return self.side(inside), self.side(~inside)

    def windows(self, documents: Integers, sizes: Integers, rng: np.random.Generator) -> Side:
        """Random circular windows of these sizes of the documents; all words."""
        start = (np.cumsum(self.n_j) - self.n_j)[documents]
        offset = rng.integers(0, self.n_j[documents])
        place = np.repeat(np.arange(documents.size), sizes)
        step = np.arange(place.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        word = self.token[start[place] + (offset[place] + step) % self.n_j[documents][place]]
        X = csr_array((np.ones(word.size, dtype=np.int64), (place, word)), (documents.size, self.words))
        X.sum_duplicates()
        return Side(X, sizes.astype(np.int64))

    def related_to_length(self) -> NDArray[np.bool_]:
        """Words whose share rises or falls with document length, by |z| > 3.

        z is Σ_j (n_ij − π_i n_j)(log n_j − g), divided by the root of the sum of squares of its terms, where g is the
        mean of log n_j over tokens. Its expectation is 0 if the share is the same in long and short documents.
        """
        document = np.repeat(np.arange(self.n_j.size), self.n_j)
        key, count = np.unique(self.token * self.n_j.size + document, return_counts=True)
        word, place = key // self.n_j.size, key % self.n_j.size
        share = np.bincount(word, count, self.words) / self.token.size
        g = np.log(self.n_j) - self.n_j @ np.log(self.n_j) / self.token.size
        expected = share[word] * self.n_j[place]
        total = np.bincount(word, count * g[place], self.words)  # Σ_j n_j g_j = 0
        squares = np.bincount(word, ((count - expected) ** 2 - expected**2) * g[place] ** 2, self.words)
        return np.abs(total / np.sqrt(squares + share**2 * np.sum((self.n_j * g) ** 2))) > RELATED


def _newsgroups() -> Collection:
    posts = load_20newsgroups("train", remove=("headers", "footers", "quotes"))
    return Collection.of("20 Newsgroups", [clean_text(text) for text in posts.texts], posts.labels, posts.labels)


def _r8() -> Collection:
    found = load_r8("train")
    return Collection.of("R8", [clean_text(text) for text in found.texts], found.labels)


def _addresses() -> Collection:
    found = load_inaugural()
    years = [int(re.findall(r"\d{4}", str(name))[0]) for name in found.ids]
    return Collection.of("inaugural", found.texts, np.array(years) < 1900)


def _labelled(name: str) -> Callable[[], Collection]:
    def load() -> Collection:
        table = pl.read_parquet(data_file(f"classification/{name}.parquet", name))
        return Collection.of(name, table["text"].to_list(), table["label"].cast(str).to_numpy())

    return load


def _paragraphs() -> Collection:
    found = load_inaugural()
    rows = [(part, str(name)) for text, name in zip(found.texts, found.ids, strict=True) for part in text.split("\n")]
    rows = [(text, re.sub(r"^\d{4}-|\.txt$", "", name)) for text, name in rows if len(text) > 40]
    texts, who = zip(*rows, strict=True)
    return Collection.of("inaugural paragraphs by president", list(texts), None, who)


def _posts() -> Collection:
    posts = load_20newsgroups("train", remove=("headers", "footers", "quotes"))
    some = np.random.default_rng(0).permutation(len(posts))[:600].tolist()
    rows = [(part, k) for k in some for part in posts.texts[k].split("\n\n") if len(part) > 40]
    texts, post = zip(*rows, strict=True)
    return Collection.of("paragraphs of 20 Newsgroups by post", list(texts), None, post)


COLLECTIONS: dict[str, Callable[[], Collection]] = {
    "R8": _r8, "20 Newsgroups": _newsgroups, "inaugural": _addresses,
    "stdlib": lambda: Collection.of("stdlib", load_stdlib().texts), "webkb": _labelled("webkb"),
    "gnad": _labelled("gnad"),
}  # fmt: skip
CLUSTERED: dict[str, Callable[[], Collection]] = {
    "inaugural paragraphs": _paragraphs, "paragraphs of 20 Newsgroups": _posts, "20 Newsgroups": _newsgroups,
}  # fmt: skip


def thinned(side: Side, ratio: float | Floats, rng: np.random.Generator) -> Side:
    """Each token is kept with probability 1/ratio, of all words or word by word; the lengths stay."""
    X = side.X.copy()
    X.data = rng.binomial(X.data, 1 / np.broadcast_to(ratio, X.shape[1])[X.indices])
    X.eliminate_zeros()
    return Side(X, side.n_j, side.cluster)


def drawn(mean: Floats, alpha_0: Floats, n_j: Integers, rng: np.random.Generator) -> Side:
    """Beta-binomial counts of one word per mean and precision (inf: binomial), on documents of these lengths."""
    parts = []
    for block in np.array_split(np.arange(mean.size), max(1, mean.size * n_j.size // 2_000_000)):
        pi, a = np.broadcast_arrays(mean[block], alpha_0[block])
        finite = np.where(np.isinf(a), 1.0, a)
        share = np.where(np.isinf(a), pi, rng.beta(finite * pi, finite * (1 - pi), (n_j.size, block.size)))
        parts.append(csr_array(rng.binomial(n_j[:, None], share)))
    return Side(csr_array(hstack(parts)), n_j)


# --- the grid of precisions

RATIOS = (1.0, 1.6, 2.7, 8.0)
LENGTHS = ((1_000, 1_000), (400, 2_000), (150, 3_000))
DOCUMENTS = ((250, 250), (30, 300), (8, 200))
SHARES = (0.0002, 0.002, 0.02)
LAWS = ("same", "drawn", "mixture")
BASE, SPREAD = 150.0, 0.5  # α_0 of a word on the burstier side is exp(N(log 150, 0.5²))
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
        burstier = BASE * np.exp(SPREAD * rng.standard_normal(words))
        log_ratio = np.full(words, math.log(self.ratio))
        if self.law == "drawn":
            log_ratio += SPREAD * rng.standard_normal(words)
        elif self.law == "mixture":
            log_ratio[::2] = 0.0
        in_a = self.ratio >= 1
        return (burstier, burstier * np.exp(log_ratio)) if in_a else (burstier * np.exp(-log_ratio), burstier)

    def sides(self, precisions: tuple[Floats, Floats], rng: np.random.Generator) -> tuple[Side, Side]:
        a, b = (
            drawn(np.full(alpha_0.size, self.share), alpha_0, np.full(documents, length), rng)
            for alpha_0, documents, length in zip(precisions, self.documents, self.lengths, strict=True)
        )
        return a, b


def grid() -> Iterator[Cell]:
    """All cells; where sizes differ, A is the smaller side."""
    for law in LAWS:
        for size in RATIOS if law != "mixture" else RATIOS[-1:]:
            for lengths in LENGTHS:
                for documents in DOCUMENTS:
                    alike = lengths[0] == lengths[1] and documents[0] == documents[1]
                    for ratio in (size,) if size == 1 or alike else (size, 1 / size):
                        yield from (Cell(law, ratio, lengths, documents, share) for share in SHARES)


def exact_tails(
    totals: tuple[Integers, Integers],
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
