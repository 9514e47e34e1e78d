"""What `corpus.check()` promises: copies are found, quickly, and dropping them removes the false alarms they cause.

copies   Edited copies of 1, 5 and 30 % of the documents are planted. Truth is brute force: the exact Jaccard index of
         the runs of five words of all pairs, with Python's own tuples. A document is a copy if an earlier one has an
         index of 0.7 or more. Recall and precision of the documents that `near_duplicates` finds.
alarms   A corpus in which 30 % of the documents were copied one to four times, with small edits. It is halved many
         times so that a document and its copies stay together: no word truly differs. Share of words with p < 5 %,
         with the copies, and after `drop_duplicates`.
million  A million short documents, 5 % of them edited copies: time and peak memory.
list     Keyness against a list of frequencies. One part of a corpus is collapsed to a list. When nothing differs, how
         often is p below 5 % (with the documents, and with the list), below 0.1 %, and both below 5 % and smaller than
         with the documents? "real" splits by class, and "2 times" thins the tokens of one side: the same shares are
         then how much is found.

    TERMBURST_DATA=… python benchmarks/check.py [copies] [alarms] [million] [list] [--documents 1000000]
    … check.py list --seed 1 --splits 3 --corpora webkb 20newsgroups
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import defaultdict

import numpy as np
import polars as pl
import scipy.sparse as sp
from _keyness_corpora import thinned

import termburst as tb
from termburst.counting.shingles import TextShingles, plain_words
from termburst.datasets.collection import data_file
from termburst.inference.corpus_check import BANDS, TermDocuments
from termburst.inference.duplicates import THRESHOLD, WIDTH, near_duplicates
from termburst.inference.frequency_list import WordList, list_keyness
from termburst.inference.keyness import keyness
from termburst.inference.keyness_tests import g2
from termburst.models.cells import TermCells

SEED = 20261121
MOST, EDITED = 6_000, 0.1  # copies: documents at most, and the largest share of words edited in a copy
COPIED, EDITED_ALARMS = 3_000, 0.02  # alarms: documents before copying, and the share of words edited


def edited(words: list[str], rate: float, rng: np.random.Generator, pool: list[str]) -> str:
    """A copy in which a share of the words was replaced, dropped or doubled."""
    made = []
    for word in words:
        if rng.random() >= rate:
            made.append(word)
            continue
        kind = rng.integers(3)
        made += [[pool[rng.integers(len(pool))]], [], [word, word]][kind]
    return " ".join(made)


def planted(texts: list[str], share: float, rng: np.random.Generator) -> tuple[list[str], int]:
    words = [plain_words(text) for text in texts]
    pool = sorted({word for some in words[:500] for word in some})
    eligible = [k for k, some in enumerate(words) if len(some) >= 20]
    chosen = rng.choice(eligible, int(share * len(texts)), replace=False)
    copies = [edited(words[k], float(rng.uniform(0.0, EDITED)), rng, pool) for k in chosen]
    both = [*texts, *copies]
    order = rng.permutation(len(both))
    return [both[k] for k in order], len(copies)


def copied_by_brute_force(texts: list[str]) -> np.ndarray:
    """Whether an earlier document has a Jaccard index of at least the threshold, over all pairs."""
    number: dict[tuple[str, ...], int] = {}
    rows, columns, sizes = [], [], []
    for row, text in enumerate(texts):
        words = plain_words(text)
        runs = {tuple(words[k : k + WIDTH]) for k in range(len(words) - WIDTH + 1)}
        rows += [row] * len(runs)
        columns += [number.setdefault(run, len(number)) for run in runs]
        sizes.append(len(runs))
    sets = sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(texts), len(number)))
    size, found = np.array(sizes), np.zeros(len(texts), dtype=bool)
    for first in range(0, len(texts), 500):
        shared = (sets[first : first + 500] @ sets.T).tocoo()
        i, j, both = shared.row + first, shared.col, shared.data
        found[i[(j < i) & (both / (size[i] + size[j] - both) >= THRESHOLD)]] = True
    return found


def copies() -> None:
    print(
        f"copies: documents planted in {MOST:,} or fewer, with 0 to {100 * EDITED:g} % of the words edited; "
        "true copies, recall, precision, seconds"
    )
    for name in ("r8", "20newsgroups"):
        texts = list(tb.datasets.BUILT_IN[name]().texts)[:MOST]
        for share in (0.01, 0.05, 0.3):
            mixed, number = planted(texts, share, np.random.default_rng([SEED, int(1000 * share)]))
            start = time.perf_counter()
            result = near_duplicates(TextShingles(mixed))
            seconds = time.perf_counter() - start
            found = np.zeros(len(mixed), dtype=bool)
            found[result.second] = True
            truth = copied_by_brute_force(mixed)
            hit = (found & truth).sum()
            print(
                f"  {name:13} {share:4.0%} planted {number:5,}, true copies {truth.sum():5,}: "
                f"recall {hit / truth.sum():.4f}, precision {hit / max(found.sum(), 1):.4f}, {seconds:.1f} s"
            )


def alarms(halves: int = 20) -> None:
    print(
        f"alarms: share of words with p < 5 % in halves that keep copies together; copies of {COPIED:,} documents with "
        f"{100 * EDITED_ALARMS:g} % of the words edited"
    )
    for name in ("r8", "20newsgroups"):
        rng = np.random.default_rng([SEED, 7])
        texts = list(tb.datasets.BUILT_IN[name]().texts)
        texts = [texts[k] for k in np.sort(rng.choice(len(texts), COPIED, replace=False))]
        words = [plain_words(text) for text in texts]
        pool = sorted({word for some in words[:500] for word in some})
        family = list(range(len(texts)))
        for k in rng.choice(len(texts), int(0.3 * len(texts)), replace=False).tolist():
            for _ in range(int(rng.integers(1, 5))):
                texts.append(edited(words[k], EDITED_ALARMS, rng, pool))
                family.append(k)
        corpus = tb.read(texts, metadata={"family": family})
        dropped = corpus.drop_duplicates()
        print(f"  {name}: {len(corpus):,} documents, {len(dropped):,} after dropping")
        for what, some in (("with copies", corpus), ("after dropping", dropped)):
            shares = _halved(some, np.array(some.metadata["family"].to_list()), halves)
            print(f"    {what:15} " + "; ".join(shares))


def _halved(corpus: tb.Corpus, family: np.ndarray, halves: int) -> list[str]:
    rng = np.random.default_rng([SEED, 8])
    documents, band = _some_words(corpus, rng)
    found = defaultdict(list)
    units = np.unique(family)
    for _ in range(halves):
        first = np.isin(family, rng.permutation(units)[: units.size // 2])
        a, b = documents.cells(first), documents.cells(~first)
        for test, p in (("termburst", keyness(a, b, confidence=None).p_value), ("G²", g2(a, b)[1])):
            for k in range(len(BANDS)):
                found[test, k].append((p[band == k] < 0.05).mean())
    return [
        f"{test} " + " ".join(f"{100 * np.mean(found[test, k]):.1f}" for k in range(len(BANDS))) + " %"
        for test in ("termburst", "G²")
    ]


def _some_words(corpus: tb.Corpus, rng: np.random.Generator, most: int = 400) -> tuple[TermDocuments, np.ndarray]:
    """At most that many words of each band of frequency, and the band of each."""
    counts = corpus.counts
    n_j = np.asarray(counts.sum(axis=1)).ravel().astype(np.int64)
    if not n_j.all():
        raise ValueError("empty documents must be left out first")
    n_i = np.asarray(counts.sum(axis=0)).ravel()
    chosen = [rng.permutation(np.flatnonzero((n_i >= low) & (n_i <= high)))[:most] for low, high in BANDS]
    columns = np.sort(np.concatenate(chosen))
    band = np.searchsorted([low for low, _ in BANDS], n_i[columns], side="right") - 1
    return TermDocuments.of(counts, columns, n_j), band


def million(documents: int) -> None:
    rng = np.random.default_rng([SEED, 9])
    vocabulary = np.array([f"w{k}" for k in range(50_000)], dtype=object)
    weight = 1 / np.arange(1, vocabulary.size + 1)
    texts: list[str] = []
    for _ in range(0, documents, 10_000):
        sizes = rng.integers(20, 100, 9_500)
        drawn = vocabulary[rng.choice(vocabulary.size, int(sizes.sum()), p=weight / weight.sum())]
        made = [" ".join(some) for some in np.split(drawn, np.cumsum(sizes)[:-1])]
        copies = [made[k].replace(" w1 ", " w7 ", 1) + " end" for k in rng.integers(0, len(made), 500)]
        texts += [*made, *copies]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    result = near_duplicates(TextShingles(texts))
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = sum(map(len, texts)) / 1e6
    memory = f"peak memory {after / 1e6:.2f} GB, of which {before / 1e6:.2f} GB before the search"
    found = f"{(~result.kept).sum():,} near-copies found, {len(texts) // 20:,} planted"
    print(f"million: {len(texts):,} documents, {size:,.0f} MB of text: {seconds:.0f} s; {memory}; {found}")


def corpus_of(name: str) -> tb.Corpus:
    """A built-in corpus, or one of the classification sets in the data folder, with its labels."""
    if name in tb.datasets.BUILT_IN:
        corpus = tb.read(name)
    else:
        table = pl.read_parquet(data_file(f"classification/{name}.parquet", name))
        corpus = tb.read(table["text"].to_list(), metadata={"label": table["label"].cast(str).to_list()})
    return corpus.where((np.asarray(corpus.counts.sum(axis=1)).ravel() > 0).tolist())


def lists(names: list[str], splits: int, start: int) -> None:
    print("list: by band, % of words with p < 5 % with documents, with the list, < 0.1 % with the list, and (below)")
    for name in names:
        corpus = corpus_of(name)
        for share in (0.5, 0.1, 0.9):
            rng = np.random.default_rng([start, 10, int(10 * share)])
            documents, band = _some_words(corpus, rng, 300)
            parts = [rng.permutation(len(corpus)) < share * len(corpus) for _ in range(splits)]
            sides = [(documents.cells(first), documents.cells(~first)) for first in parts]
            _print_list(f"{name}, A has {share:.0%}", band, sides)
            if share < 0.9:
                _print_list("  2 times in B", band, [(thinned(a, 2.0, rng), b) for a, b in sides])
                _print_list("  2 times in A", band, [(a, thinned(b, 2.0, rng)) for a, b in sides])
        if "label" in corpus.metadata.columns:
            label = corpus.metadata["label"].to_numpy()
            first = np.isin(label, np.unique(label)[::2])
            _print_list(f"{name}, real", band, [(documents.cells(first), documents.cells(~first))])


def _print_list(what: str, band: np.ndarray, sides: list[tuple[TermCells, TermCells]]) -> None:
    known = np.array([keyness(a, b, confidence=None).p_value for a, b in sides])
    listed = np.array([list_keyness(a, WordList(b.n_i, b.tokens), confidence=None).p_value for a, b in sides])
    held = ~np.isnan(known)
    parts = []
    for k in [*range(len(BANDS)), None]:
        inside = held & ((band == k) if k is not None else (band >= 0))
        p, q = known[inside], listed[inside]
        shares = [100 * np.mean(x) for x in (p < 0.05, q < 0.05, q < 0.001, (q < 0.05) & (q < p))]
        parts.append("{:.1f} {:.1f} {:.2f} ({:.2f})".format(*shares))
    print(f"  {what:26} " + "  ".join(parts[:-1]) + f"  all: {parts[-1]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["copies", "alarms", "million", "list"])
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=SEED, help="of the lists")
    parser.add_argument("--corpora", nargs="+", default=["r8", "20newsgroups", "stdlib"], help="of the lists")
    parser.add_argument("--splits", type=int, default=6, help="of each corpus, for the lists")
    given = parser.parse_args()
    parts = {
        "copies": copies,
        "alarms": alarms,
        "million": lambda: million(given.documents),
        "list": lambda: lists(given.corpora, given.splits, given.seed),
    }
    for part in given.parts:
        if part not in parts:
            parser.error(f"there is no part {part!r}; there are {', '.join(parts)}")
        parts[part]()


if __name__ == "__main__":
    main()
