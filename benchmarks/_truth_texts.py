"""Real texts as sequences of tokens, and random windows of them: the expected share of each word stays the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from _keyness_corpora import BY_N, as_cells, band_name
from _truth_outcome import ROUNDED
from _verdicts import Verdicts, summary
from numpy.typing import NDArray

from termburst.datasets import clean_text, load_20newsgroups, load_inaugural, load_r8, load_stdlib
from termburst.datasets.collection import data_file
from termburst.inference.keyness import keyness
from termburst.models.cells import TermCells

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TOKEN = re.compile(r"\b\w\w+\b")
PARTS = (1 / 5, 1 / 20)
RELATED = 3.0  # |z| from which the share of a word rises or falls with document length
GROUPS = ("all words", "unrelated to length", "related to length")


Loaders = dict[str, Callable[[], list[str]]]


def _parquet(name: str) -> list[str]:
    return pl.read_parquet(data_file(f"classification/{name}.parquet", name))["text"].to_list()


def _newsgroups() -> list[str]:
    return [clean_text(text) for text in load_20newsgroups("train", remove=("headers", "footers", "quotes")).texts]


TUNED: Loaders = {
    "20 Newsgroups": _newsgroups,
    "R8": lambda: [clean_text(text) for text in load_r8("train").texts],
    "inaugural": lambda: load_inaugural().texts,
}
HELD: Loaders = {
    "stdlib": lambda: load_stdlib().texts,
    "webkb": lambda: _parquet("webkb"),
    "gnad": lambda: _parquet("gnad"),
}


@dataclass(frozen=True)
class Texts:
    """Tokens as numbers of words, one document after the other; documents without tokens are left out."""

    token: Integers
    n_j: Integers
    words: int

    @classmethod
    def of(cls, texts: list[str]) -> Texts:
        documents = [tokens for tokens in (TOKEN.findall(text.lower()) for text in texts) if tokens]
        number: dict[str, int] = {}
        token = np.array([number.setdefault(word, len(number)) for tokens in documents for word in tokens])
        return cls(token, np.array([len(tokens) for tokens in documents]), len(number))

    def cells(self, documents: Integers, sizes: Integers, rng: np.random.Generator) -> TermCells:
        """The cells of random circular windows of these *sizes* of the *documents*."""
        start = (np.cumsum(self.n_j) - self.n_j)[documents]
        offset = rng.integers(0, self.n_j[documents])
        place = np.repeat(np.arange(documents.size), sizes)
        step = np.arange(place.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        word = self.token[start[place] + (offset[place] + step) % self.n_j[documents][place]]
        key, count = np.unique(word * documents.size + place, return_counts=True)
        return as_cells(key // documents.size, count, sizes[key % documents.size], self.words, sizes)

    def of_one_length(self, size: int, rng: np.random.Generator) -> Texts:
        """A random circular window of *size* tokens of each document that has as many."""
        kept = np.flatnonzero(self.n_j >= size)
        start, offset = (np.cumsum(self.n_j) - self.n_j)[kept], rng.integers(0, self.n_j[kept])
        inside = (offset[:, None] + np.arange(size)) % self.n_j[kept][:, None]
        return Texts(self.token[start[:, None] + inside].ravel(), np.full(kept.size, size), self.words)

    def with_length(self) -> Floats:
        """z: do the shares of a word rise or fall with document length?

        Σ_j (n_ij − π_i n_j)(log n_j − g), divided by the root of the sum of squares of its terms, where g is the mean
        of log n_j over tokens. Its expectation is 0 if the expected share is the same in long and short documents.
        (Unlike for the rank correlation of n_ij/n_j with n_j, since longer documents contain a rare word more often.)
        """
        document = np.repeat(np.arange(self.n_j.size), self.n_j)
        key, count = np.unique(self.token * self.n_j.size + document, return_counts=True)
        word, place = key // self.n_j.size, key % self.n_j.size
        share = np.bincount(word, count, self.words) / self.token.size
        g = np.log(self.n_j) - self.n_j @ np.log(self.n_j) / self.token.size
        expected = share[word] * self.n_j[place]
        total = np.bincount(word, count * g[place], self.words)  # Σ_j n_j g_j = 0
        without = share**2 * np.sum((self.n_j * g) ** 2)
        squares = np.bincount(word, ((count - expected) ** 2 - expected**2) * g[place] ** 2, self.words) + without
        return total / np.sqrt(squares)


def show_windows(
    loaders: dict[str, Callable[[], list[str]]],
    splits: int,
    method: str,
    seed: int,
    verdicts: Verdicts,
    length: int | None = None,
) -> None:
    """Random halves of the documents, A cut to windows: per cent of words with p ≤ .05, in each direction, and ≤ .001.

    A window has a fifth or a twentieth of the tokens of its document, rounded half to even, at least one. With *length*
    all documents are first cut to as many tokens, so that no word is related to length.
    """
    for name, load in loaders.items():
        whole_texts = texts = Texts.of(load())
        related = np.abs(texts.with_length()) > RELATED
        groups = GROUPS if length is None else GROUPS[:1]
        for part in PARTS:
            rates: dict[str, list[NDArray[np.float64]]] = {group: [] for group in groups}
            for split in range(splits):
                rng = np.random.default_rng([seed, split, round(1 / part), whole_texts.n_j.size])
                texts = whole_texts if length is None else whole_texts.of_one_length(length, rng)
                order = rng.permutation(texts.n_j.size)
                short, whole = np.sort(order[: order.size // 2]), np.sort(order[order.size // 2 :])
                a = texts.cells(short, np.maximum(np.rint(texts.n_j[short] * part).astype(int), 1), rng)
                b = texts.cells(whole, texts.n_j[whole], rng)
                rows = band_rates(a, b, method)
                for group, members in zip(groups, (related | True, ~related, related), strict=False):
                    rates[group].append(rows(members))
            cut = "" if length is None else f" of {length} tokens"
            title = f"{name}{cut}, windows of 1/{round(1 / part)}"
            print(f"\n{title}: {texts.n_j.size:,} documents, {texts.token.size:,} tokens, {splits} splits, {method}")
            print(f"{'':>19}" + "".join(f"{f'n {band_name(*band)}':>36}" for band in BY_N))
            for group in groups:
                print(f"{group:>19}{band_texts(rates[group], f'{title}, {group}', group != GROUPS[2], verdicts)}")
            print(flush=True, end="")


def band_rates(a: TermCells, b: TermCells, method: str) -> Callable[[NDArray[np.bool_]], Floats]:
    """A function of a set of words: p ≤ .05, A higher, A lower, p ≤ .001 and the number of words, by band of n_i."""
    found = keyness(a, b, method=method, confidence=None)
    n_i, significant = a.n_i + b.n_i, found.p_value <= 0.05 * ROUNDED
    columns = (
        significant,
        significant & (found.log_ratio > 0),
        significant & (found.log_ratio < 0),
        found.p_value <= 0.001 * ROUNDED,
    )
    values = np.column_stack(columns).astype(np.float64)

    def rates(members: NDArray[np.bool_]) -> Floats:
        bands = [members & (n_i >= low) & (n_i <= high) for low, high in BY_N]
        empty = np.full(values.shape[1], np.nan)
        return np.array([[*(values[band].mean(axis=0) if band.any() else empty), band.sum()] for band in bands])

    return rates


def band_texts(splits: list[Floats], where: str, judged: bool, verdicts: Verdicts) -> str:
    """A cell per band: size ± standard error over splits (A higher, A lower; at .1 %) number of words."""
    mean, error = summary(splits)
    texts = []
    for k, band in enumerate(BY_N):
        if mean[k, 4] == 0:
            texts.append("")
            continue
        label = ["", ""]
        if judged:
            group = where.rpartition(", ")[2]
            for i, (column, bound, level) in enumerate(((0, 0.06, ".05"), (3, 0.002, ".001"))):
                requirement = f"windows, {group}: p ≤ {level} at most {100 * bound:g} %"
                cell = f"n {band_name(*band)}"
                label[i] = verdicts.judge(requirement, where, cell, mean[k, column], error[k, column], 0.0, bound)
        size, higher, lower, least = 100 * mean[k, :4]
        text = f"{size:.1f}±{100 * error[k, 0]:.1f}{label[0]} ({higher:.1f}, {lower:.1f}; {least:.2f}{label[1]})"
        texts.append(f"{text} {mean[k, 4]:,.0f}")
    return "".join(f"{text:>36}" for text in texts)
