"""Concordance and collocates: speed, the same lines as a plain regular expression, sizes, p-values and power.

    TERMBURST_DATA=… python benchmarks/concordance.py [lines] [latency] [kwic] [size] [intervals] [shuffles] [power]

* kwic: all lines of a frequent word in 1 GB of text (``--megabytes`` for less), and how long the first hundred take.
* lines: the lines of some words in 20 Newsgroups are those of ``re.finditer(r"(?<!\\w)word(?!\\w)")``.
* size: texts shuffled within documents; the share of words with p < 0.05, by the expected number in the window, with
  G² of the table of the window beside it, corpus-wide as usual.
* intervals: the share that cover the truth: texts shuffled within documents, words that stand near the node at least
  once, too; and words that are drawn as in the test, with a known odds ratio.
* shuffles: p of some nodes against 10,000 shuffles.
* power: a word that is placed near the node more often than by chance; both tests at the critical value that gives
  each the same true size.
* latency: a new node, on the positions of 20 Newsgroups that are made once.

Every run has a fresh seed, which is printed; ``--seed`` repeats one.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import xlogy
from scipy.stats import chi2, hypergeom

import termburst as tb
from termburst.concordance.kwic import line_frames
from termburst.concordance.positions import Chunk, TokenPositions
from termburst.concordance.queries import parsed
from termburst.inference.collocates import attraction
from termburst.questions.collocates import Collocates
from termburst.report.explorer import Explorer
from termburst.report.pieces import documents_of

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
                frame = Collocates(node).answer(made, counting)
                places = int(frame["n_window"].sum())
                rows.append(
                    (
                        frame["expected"].to_numpy(),
                        frame["p_value"].to_numpy(),
                        g2(frame, source.chunk.tokens.size, places),
                        frame["log_ratio"].is_null().to_numpy(),
                    )
                )
        expected, p, rival, untested = (np.concatenate(column) for column in zip(*rows, strict=True))
        for low, high in ((0, 0.1), (0.1, 1), (1, 5), (0, 5), (5, 20), (20, np.inf), (5, np.inf)):
            chosen = (expected >= low) & (expected < high) & ~untested
            print(
                f"  {name}: expected {low:g} to {high:g}: {chosen.sum():,} words, "
                f"p {100 * (p[chosen] < ALPHA).mean():.2f} %, G² {100 * (rival[chosen] < ALPHA).mean():.1f} %"
            )


def covered(low: np.ndarray, high: np.ndarray, true: float) -> np.ndarray:
    """Per cent of limits with the truth between them, below the lower one, and above the upper one."""
    return 100 * np.array([((low <= true) & (high >= true)).mean(), (low > true).mean(), (high < true).mean()])


def intervals(rng: np.random.Generator, repeats: int) -> None:
    print("intervals: per cent that cover the truth (too high, too low)")
    for name in ("20newsgroups", "r8"):
        source, counting = positions(name)
        rows = []
        for node in NODES:
            for _ in range(repeats if node in source.words else 0):
                frame = Collocates(node).answer(shuffled(source, node, rng), counting)
                frame = frame.filter(frame["log_ratio"].is_not_null())
                rows.append(frame.select("expected", "n_window", "ci_low", "ci_high", "p_value").to_numpy())
        expected, seen, low, high, p = np.vstack(rows).T
        for first, last in ((0, 0.1), (0.1, 0.3), (0.3, 1), (0, 1), (1, 5), (5, np.inf)):
            for which, some in (("all", seen >= 0), ("near the node at least once", seen > 0)):
                chosen = (expected >= first) & (expected < last) & some
                share, high_, low_ = covered(low[chosen], high[chosen], 0.0)
                print(
                    f"  {name}: expected {first:g} to {last:g}, {which}: {chosen.sum():,} words, cover 0: "
                    f"{share:.1f} % ({high_:.1f}, {low_:.1f}); p ≤ 2.5 %: {100 * (p[chosen] <= 0.025).mean():.1f} %"
                )
    for expected_mean in (0.1, 0.3, 0.6, 1.0, 2.0, 5.0, 20.0):
        for odds in (1.0, 2.0, 4.0):
            mean, low, high, seen = planted_intervals(rng, expected_mean, odds, 2_000 * repeats)
            found = [covered(low[some], high[some], np.log2(odds)) for some in (seen >= 0, seen > 0)]
            said = "; ".join(f"{share:.1f} % ({high_:.1f}, {low_:.1f})" for share, high_, low_ in found)
            print(f"  drawn, {mean:.2f} expected, odds ratio {odds:g}: all {said} near the node at least once")


def planted_intervals(
    rng: np.random.Generator, expected: float, odds: float, words: int
) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """E X; limits of log₂ of the odds ratio of words that are drawn with one; how often each is near the node."""
    others = rng.integers(50, 400, 60)
    near = np.minimum(rng.choice([10, 20, 30], others.size), others // 2)
    documents, counts, starts, observed = [], [], [0], []
    while len(observed) < words:
        reached = np.zeros(others.size, dtype=np.int64)
        order = rng.integers(others.size, size=10_000)
        number = rng.choice([1, 1, 2, 4], order.size) if expected > 0.5 else np.ones(order.size, dtype=np.int64)
        last = int(np.searchsorted(np.cumsum(number * near[order] / others[order]), expected)) + 1
        np.add.at(reached, order[:last], number[:last])
        reached = np.minimum(reached, others // 4)
        place = np.flatnonzero(reached)
        observed.append(sum(tilted(rng, int(others[d]), int(near[d]), int(reached[d]), odds) for d in place))
        documents += place.tolist()
        counts += reached[place].tolist()
        starts.append(len(documents))
    cells = np.array(starts), np.array(documents, dtype=np.int32), np.array(counts, dtype=np.int32)
    found = attraction(others, near, cells, np.array(observed))
    return float(found.expected.mean()), found.low, found.high, np.array(observed)


def tilted(rng: np.random.Generator, others: int, near: int, count: int, odds: float) -> int:
    """A hypergeometric number whose probabilities are multiplied by odds^x."""
    if odds == 1:
        return int(rng.hypergeometric(near, others - near, count))
    weight = hypergeom_tilted(others, near, count, odds)
    return int(np.searchsorted(np.cumsum(weight), rng.random() * weight.sum()))


@lru_cache(maxsize=100_000)
def hypergeom_tilted(others: int, near: int, count: int, odds: float) -> np.ndarray:
    x = np.arange(min(count, near) + 1)
    return np.asarray(hypergeom.pmf(x, others, near, count) * odds**x)


def shuffles(rng: np.random.Generator) -> None:
    """p of all words near three random nodes, against brute force."""
    source, counting = positions()
    chunk = source.chunk
    document = np.repeat(np.arange(chunk.ends.size), np.diff(chunk.ends, prepend=0))
    print(f"shuffles: p against {SHUFFLES:,} shuffles")
    done = 0
    while done < 3:
        number = int(rng.integers(len(source.words)))
        documents = np.unique(document[chunk.tokens == number])
        held = np.isin(document, documents)
        if not (15 <= documents.size <= 60 and held.sum() <= 12_000):
            continue
        done += 1
        node = source.words[number]
        frame = Collocates(node).answer(source, counting)
        tokens, where = chunk.tokens[held], document[held]
        is_node = tokens == number
        places = np.flatnonzero(is_node)
        near = np.zeros(tokens.size, dtype=bool)
        for shift in range(-5, 6):
            moved = places + shift
            ok = (moved >= 0) & (moved < tokens.size)
            near[moved[ok][where[moved[ok]] == where[places[ok]]]] = True
        near &= ~is_node
        other = np.flatnonzero(~is_node)
        words, small = np.unique(tokens[other], return_inverse=True)
        observed = np.bincount(small[near[other]], minlength=words.size)
        above, equal = np.zeros(words.size), np.zeros(words.size)
        for _ in range(SHUFFLES):
            order = np.argsort(where[other] + rng.random(other.size))
            count = np.bincount(small[order][near[other]], minlength=words.size)
            above += count > observed
            equal += count == observed
        found = {row[0]: row[1:] for row in frame.select("term", "p_value", "p_upper", "expected", "n_window").rows()}
        p, upper, expected, n_window = np.array([found[source.words[word]] for word in words]).T
        assert (n_window == observed).all()
        weight = np.clip(1 - (expected - 1) / 8, 0.5, 1)
        for name, value, share in (("p_value", p, above + weight * equal), ("p_upper", upper, above + equal)):
            free = (observed > 0) & (upper > 5 / SHUFFLES)
            z = (share / SHUFFLES - value)[free] / np.sqrt(value[free] * (1 - value[free]) / SHUFFLES + 1e-12)
            print(
                f"  {node!r}, {name}: {free.sum():,} words, |z| > 1.96 for {100 * (np.abs(z) > 1.96).mean():.1f} %, "
                f"largest |z| {np.abs(z).max():.1f}, largest difference {np.abs(share / SHUFFLES - value).max():.4f}"
            )


def power(rng: np.random.Generator, repeats: int) -> None:
    """The share of words with a planted attraction that each test finds, at the same true size."""
    source, counting = positions()
    node, chunk = "government", source.chunk
    document = np.repeat(np.arange(chunk.ends.size), np.diff(chunk.ends, prepend=0))
    number = source.words.index(node)
    first = Collocates(node).answer(source, counting)
    some = first.filter((first["expected"] >= 2) & (first["expected"] < 50))["term"].to_list()
    names = rng.choice(some, min(200, len(some)), replace=False).tolist()
    chosen = np.zeros(len(source.words), dtype=bool)
    chosen[[source.words.index(name) for name in names]] = True
    documents = np.unique(document[chunk.tokens == number])
    held = np.isin(document, documents)

    def planted(strength: float) -> tuple[np.ndarray, np.ndarray]:
        tokens = shuffled(source, node, rng).chunk.tokens.copy()
        places = np.flatnonzero(tokens == number)
        near = np.zeros(tokens.size, dtype=bool)
        for shift in range(-5, 6):
            moved = places + shift
            ok = (moved >= 0) & (moved < tokens.size)
            near[moved[ok][document[moved[ok]] == document[places[ok]]]] = True
        near &= tokens != number
        free = near & ~chosen[tokens]
        by_document = {
            d: np.flatnonzero(free[start:stop]) + start
            for d, start, stop in zip(
                documents, np.append(0, chunk.ends)[documents], chunk.ends[documents], strict=True
            )
        }
        for place in np.flatnonzero(held & ~near & chosen[tokens] & (rng.random(tokens.size) < strength)):
            room = by_document[document[place]]
            if room.size:
                at = rng.choice(room)
                if not chosen[tokens[at]]:
                    tokens[place], tokens[at] = tokens[at], tokens[place]
        made = TokenPositions(Chunk(tokens, chunk.ends, chunk.ends), source.words)
        frame = Collocates(node).answer(made, counting)
        rival = g2(frame, tokens.size, int(frame["n_window"].sum()))
        rows = np.isin(frame["term"].to_numpy(), names)
        return frame["p_value"].to_numpy()[rows], rival[rows]

    null = [np.concatenate(column) for column in zip(*(planted(0.0) for _ in range(3 * repeats)), strict=True)]
    cuts = [np.quantile(column, ALPHA) for column in null]
    sizes = [100 * (column < ALPHA).mean() for column in null]
    print(
        f"power near {node!r}: {len(names)} words with 2 to 50 expected; below 0.05 under the null: "
        f"p {sizes[0]:.1f} %, G² {sizes[1]:.1f} %; then both cut at a true size of 5 %"
    )
    for strength in (0.02, 0.05, 0.1):
        found = [np.concatenate(column) for column in zip(*(planted(strength) for _ in range(repeats)), strict=True)]
        shares = [100 * (column <= cut).mean() for column, cut in zip(found, cuts, strict=True)]
        print(
            f"  {100 * strength:.0f} % of the tokens moved near: found by p {shares[0]:.1f} %, by G² {shares[1]:.1f} %"
        )


def latency() -> None:
    source, counting = positions()
    corpus = tb.read("20newsgroups")
    corpus.kwic("so")
    explorer = Explorer(documents_of(corpus))
    explorer.collocates("so")  # makes the positions
    load = f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    print(f"latency on 20 Newsgroups: seconds of wall time (of processor time); {load}; goal of explore 0.3 s")
    for node in ("freedom", "god", "space station", "the"):
        runs = {
            "collocates, all words": partial(Collocates(node).answer, source, counting),
            "collocates, as explore answers": partial(explorer.collocates, node),
            "kwic, all lines": partial(corpus.kwic, node),
            "kwic, as explore answers": partial(explorer.kwic, node),
        }
        for what, run in runs.items():
            wall, cpu = time.perf_counter(), time.process_time()
            run()
            print(f"  {what} {node!r}: {time.perf_counter() - wall:.3f} ({time.process_time() - cpu:.3f})")


def lines() -> None:
    corpus = tb.read("20newsgroups")
    texts = list(zip(corpus.ids, corpus.texts, strict=True))
    for word in ("freedom", "the", "don't", "c++"):
        pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
        start = time.process_time()
        expected = []
        for name, text in texts:
            for found in pattern.finditer(text):
                begin, end = found.span()
                parts = text[max(begin - 60, 0) : begin], found.group(), text[end : end + 60]
                expected.append((name, *(re.sub(r"\s+", " ", part) for part in parts), begin))
        plain, start = time.process_time() - start, time.process_time()
        got = corpus.kwic(word)
        ours = time.process_time() - start
        same = "the same" if got.rows() == expected else "OTHER"
        print(f"lines of {word!r}: {got.height:,}, {same} as re.finditer; {plain / ours:.0f} times as fast")


def speed(megabytes: int) -> None:
    texts = [" ".join(text.split()) for text in tb.read("20newsgroups").texts]
    block = ("\n".join(texts) + "\n").encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "big.txt")
        with path.open("wb") as file:
            for _ in range(max(1, round(megabytes * 1e6 / len(block)))):
                file.write(block)
        size = path.stat().st_size / 1e6
        print(f"kwic in {size:,.0f} MB of text, {size * 1e6 / len(block) * len(texts):,.0f} documents")
        command = [sys.executable, "-m", "termburst", "kwic", str(path), "the", "--lines", "--quiet"]
        wall, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            for _ in range(100):
                process.stdout.readline()
            wall = time.perf_counter() - wall
            process.stdout.close()
            process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
        print(f"  command: the first hundred lines after {wall:.2f} s from its start; processor {cpu:.2f} s")
        for word in ("the", "people", "freedom"):
            with path.open(encoding="utf-8") as file:
                wall, cpu = time.perf_counter(), time.process_time()
                found = sum(frame.height for frame in line_frames(file, parsed(word), width=60))
                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"  {word!r}: {found:,} lines, {size / cpu:,.0f} MB per second of processor time, reading included")
            print(f"    {size / wall:,.0f} MB per second by the clock; largest memory {memory:,.0f} MB")


def main() -> None:
    parts = ("lines", "latency", "kwic", "size", "intervals", "shuffles", "power")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=parts)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--megabytes", type=int, default=1000)
    options = parser.parse_args()
    if unknown := set(options.parts) - set(parts):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    print(f"seed {options.seed}; load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    rng = np.random.default_rng(options.seed)
    runs = {
        "lines": lines, "latency": latency, "kwic": lambda: speed(options.megabytes),
        "size": lambda: size(rng, options.repeats), "shuffles": lambda: shuffles(rng),
        "intervals": lambda: intervals(rng, options.repeats), "power": lambda: power(rng, options.repeats),
    }  # fmt: skip
    for part in options.parts:
        runs[part]()


if __name__ == "__main__":
    main()
