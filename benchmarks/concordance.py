"""Concordance and collocates: speed, the same lines as a plain regular expression, sizes, p-values and power.

    TERMBURST_DATA=… python benchmarks/concordance.py [kwic] [lines] [size] [shuffles] [power] [latency]

* kwic: all lines of a frequent word in 1 GB of text (``--megabytes`` for less), and how long the first hundred take.
* lines: the lines of some words in 20 Newsgroups are those of ``re.finditer(r"(?<!\\w)word(?!\\w)")``.
* size: texts shuffled within documents; the share of words with p < 0.05, by the expected number in the window, with
  G² of the table of the window beside it, corpus-wide as usual.
* shuffles: p of some nodes against 10,000 shuffles.
* power: a word that is placed near the node more often than by chance; both tests at the critical value that gives
  each the same true size.
* latency: a new node, on the positions of 20 Newsgroups that are made once.

Every run has a fresh seed, which is printed; ``--seed`` repeats one.
"""

from __future__ import annotations

import argparse
import re
import secrets
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import xlogy
from scipy.stats import chi2

import termburst as tb
from termburst.concordance.collocates import collocates

from termburst.concordance.positions import Chunk, TokenPositions
from termburst.counting.counted_corpus import corpus_counting

NODES = ("people", "god", "government", "like", "one")
SHUFFLES = 10_000
ALPHA = 0.05


def positions(name: str = "20newsgroups") -> tuple[TokenPositions, Any]:
    corpus = tb.read(name)
    return TokenPositions.of(corpus.texts, corpus.counting), corpus.counting


def shuffled(source: TokenPositions, node: str, rng: np.random.Generator) -> TokenPositions:
    """The same documents with the node where it was, and all other tokens of each document in random order."""
    chunk = source.chunk
    document = np.repeat(np.arange(chunk.ends.size), np.diff(chunk.ends, prepend=0))
    other = np.flatnonzero(chunk.tokens != source.words.index(node))
    tokens = chunk.tokens.copy()
    tokens[other] = chunk.tokens[other][np.lexsort((rng.random(other.size), document[other]))]
    return TokenPositions(Chunk(tokens, chunk.ends, chunk.ends), source.words)


def g2(frame: Any, tokens: int, places: int) -> np.ndarray:
    """One-sided p of G² of the table: the word or not, in the window or elsewhere in the corpus."""
    a, n = frame["n_window"].to_numpy().astype(float), frame["n"].to_numpy().astype(float)
    observed = np.stack([a, n - a, places - a, tokens - places - n + a])
    expected = np.stack([n * places, n * (tokens - places), (tokens - n) * places, (tokens - n) * (tokens - places)])
    expected = expected / tokens
    statistic = 2 * (xlogy(observed, observed) - xlogy(observed, expected)).sum(axis=0)
    signed = np.sign(a - expected[0]) * np.sqrt(np.maximum(statistic, 0))
    return np.where(signed > 0, chi2.sf(signed**2, 1) / 2, 1 - chi2.sf(signed**2, 1) / 2)


def size(rng: np.random.Generator, repeats: int) -> None:
    print("size: share of words with p < 0.05 on texts shuffled within documents")
    for name in ("20newsgroups", "r8"):
        source, counting = positions(name)
        rows = []
        for node in NODES:
            if node not in source.words:
                continue
            for _ in range(repeats):
                made = shuffled(source, node, rng)
                frame = collocates(made, node, counting=counting, window=5)
                places = int(frame["n_window"].sum())
                rows.append((frame["expected"].to_numpy(), frame["p_value"].to_numpy(), 10.0 ** frame["log10_p"],
                             g2(frame, source.chunk.tokens.size, places), frame["log_ratio"].is_null().to_numpy()))
        expected, p, _, rival, untested = (np.concatenate(column) for column in zip(*rows, strict=True))
        for low, high in ((0, 0.1), (0.1, 1), (1, 5), (0, 5), (5, 20), (20, np.inf), (5, np.inf)):
            chosen = (expected >= low) & (expected < high) & ~untested
            print(f"  {name}: expected {low:g} to {high:g}: {chosen.sum():,} words, "
                  f"p {100 * (p[chosen] < ALPHA).mean():.2f} %, G² {100 * (rival[chosen] < ALPHA).mean():.1f} %")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=["lines", "size", "shuffles", "power", "latency", "kwic"])
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--megabytes", type=int, default=1000)
    options = parser.parse_args()
    print("seed", options.seed)
    rng = np.random.default_rng(options.seed)
    if "size" in options.parts:
        size(rng, options.repeats)


if __name__ == "__main__":
    main()
