"""Words that bring on words: planted urns, false alarms, held-out perplexity, speed, and the strongest pairs.

    TERMBURST_DATA=… python benchmarks/triggers.py [planted] [order] [together] [ratio] [monotone] [choose]
        [perplexity] [speed] [pairs] [weights]

* planted: documents drawn from urns with no and with fifty pairs. The share of entries inside their 95 % interval
  (prior=None), and how many of the pairs at q ≤ 0.05 are false; with standard errors over corpora.
* order: after the words of each document were shuffled, how often a pair still seems to come in one order; how often
  p_after ≤ 0.05, 0.01 and 0.001; and how many pairs are found whose order was planted in shuffled documents.
* together: how often words that are independent, in documents of different lengths, have p_together ≤ 0.05 and 0.001.
* ratio: the likelihood ratio of a pair beside that of two whole fits, in tiny corpora, where it is farthest off.
* monotone: in how many of 1,000 random fits the likelihood ever falls.
* choose: which least likelihood ratio of candidates is best on other documents than those of perplexity.
* perplexity: held-out log-likelihood per token of the multinomial and the three urns on 20 Newsgroups, R8 and the
  inaugural addresses, with intervals of the differences by bootstrap samples of documents.
* speed: 20 Newsgroups, and halves of it; processor time and time by the clock.
* pairs: the ten strongest pairs of three corpora; near-copies and pairs from repeated passages are set aside.
* weights: accuracy with weights that discount an occurrence by how much the text so far had brought it on.

Every run has a fresh seed, which is printed; ``--seed`` repeats one.
"""

from __future__ import annotations

import argparse
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

import termburst as tb
from termburst.concordance.polya_urn import PolyaUrnFit, full_from
from termburst.concordance.sequences import token_sequences
from termburst.inference.multiplicity import adjust_log10
from termburst.inference.triggers import TriggerIntervals
from termburst.inference.word_pairs import PairOrders, PairsTogether, pair_orders, pairs_together
from termburst.models.fit_polya_urn import fit_urn, group_prior
from termburst.models.urn_screen import screen_pairs
from termburst.models.urn_sequences import Sequences, UrnMatrix
from termburst.questions.triggers import Triggers

PARTS = ("planted", "order", "together", "ratio", "monotone", "choose", "perplexity", "speed", "pairs", "weights")
CORPORA = ("inaugural", "r8", "newsgroups")
KINDS = ("constant", "diagonal", "full")
TERMS, DOCUMENTS, LENGTH = 300, 800, 100
CRITICAL = 3.841458820694124  # of χ²_1 at 5 %
LEVEL = float(np.log10(0.05))  # of q


def sequences_of(documents: list[Any], terms: int) -> Sequences:
    tokens = np.concatenate(documents).astype(np.int32)
    return Sequences(tokens, np.cumsum([one.size for one in documents]).astype(np.int64), terms)


def planted_urn(rng: np.random.Generator, pairs: int) -> tuple[tb.models.PolyaUrn, Any, Any]:
    """An urn with words of very different frequency and burstiness, and pairs of different words."""
    alpha = rng.gamma(0.7, size=TERMS) + 0.02
    M = sp.diags(rng.gamma(2.0, 0.005, size=TERMS)).tolil()
    chosen = rng.permutation(TERMS)[: 2 * pairs]
    source, target = chosen[:pairs], chosen[pairs:]
    for i, k in zip(source, target, strict=True):
        M[i, k] = rng.uniform(0.01, 0.04)
    return tb.models.PolyaUrn(alpha / alpha.sum(), M.tocsr()), source, target


def ml(sequences: Sequences, matrix: UrnMatrix) -> Any:
    alpha = (sequences.counts + 1e-9) / (sequences.counts + 1e-9).sum()
    values = np.where(matrix.own, 0.01, alpha[matrix.targets])
    return fit_urn(sequences, matrix, (alpha, values), tolerance=1e-9)


def covered(sequences: Sequences, urn: tb.models.PolyaUrn, matrix: UrnMatrix) -> dict[str, list[bool]]:
    """Whether intervals contain the planted values: of α, the diagonal, other entries above 0 (M, M/α) and at 0."""
    test = TriggerIntervals(sequences, ml(sequences, matrix))
    truth = np.asarray(urn.replacement.tocsc()[matrix.sources, matrix.targets]).ravel()
    entries, alpha = np.arange(truth.size), -1 - np.arange(TERMS)
    pairs = entries[~matrix.own & (truth > 0)]
    asked = {
        "α": (alpha, urn.alpha, False),
        "diagonal": (entries[matrix.own], truth[matrix.own], False),
        "pairs": (pairs, truth[pairs], False),
        "pairs, M/α": (pairs, truth[pairs] / urn.alpha[matrix.targets[pairs]], True),
        "entries at 0": (entries[truth == 0], truth[truth == 0], False),
    }
    # An interval has the values whose likelihood ratio is below the critical value, so its ends are not needed.
    return {
        name: (test.likelihood_ratio(chosen, true, ratio=ratio) <= CRITICAL).tolist()
        for name, (chosen, true, ratio) in asked.items()
    }


def discoveries(sequences: Sequences, true: set[tuple[int, int]]) -> tuple[int, int]:
    """How many pairs come together and after at q ≤ 0.05, and how many of them were planted in that order."""
    pairs = pairs_together(sequences)
    orders = pair_orders(sequences, pairs.one, pairs.other)
    sure = np.flatnonzero((pairs.log10_q("bh") <= LEVEL) & (after_q(orders) <= LEVEL))
    hits = 0
    for i, k, forward in zip(pairs.one[sure], pairs.other[sure], (orders.later > orders.earlier)[sure], strict=True):
        hits += ((int(i), int(k)) if forward else (int(k), int(i))) in true
    return sure.size, hits


def after_q(orders: PairOrders) -> Any:
    """log₁₀ of q_after."""
    return adjust_log10(orders.log10_p, "bh") if orders.log10_p.size else orders.log10_p


def planted(rng: np.random.Generator, repeats: int, numbers: list[int]) -> None:
    for pairs in numbers:
        shares: dict[str, list[float]] = {}
        hits = []
        for _ in range(repeats):
            urn, source, target = planted_urn(rng, pairs)
            documents = urn.sample_tokens(rng.poisson(LENGTH, DOCUMENTS) + 2, rng)
            sequences = sequences_of(documents, TERMS)
            everyone = np.arange(TERMS)
            extra = rng.integers(0, TERMS, (2, 200))  # entries that are 0
            extra = extra[:, (extra[0] != extra[1]) & ~np.isin(extra[1], target)]
            matrix = UrnMatrix.of_pairs(
                np.concatenate([everyone, source, extra[0]]), np.concatenate([everyone, target, extra[1]]), TERMS
            )
            for name, inside in covered(sequences, urn, matrix).items():
                if inside:
                    shares.setdefault(name, []).append(float(np.mean(inside)))
            hits.append(discoveries(sequences, {(int(i), int(k)) for i, k in zip(source, target, strict=True)}))
        print(f"planted, {pairs} pairs, {repeats} corpora of {DOCUMENTS} documents: inside 95 % intervals: "
              + ", ".join(f"{name} {mean_and_error(one)}" for name, one in shares.items()))  # fmt: skip
        found = np.array(hits, dtype=float)
        false = (found[:, 0] - found[:, 1]) / np.maximum(found[:, 0], 1)
        print(f"  at q ≤ 0.05 for both: {found[:, 0].mean():.2f} pairs, {found[:, 1].mean():.2f} planted ones; "
              f"false-discovery rate {mean_and_error(false)}", flush=True)  # fmt: skip


def mean_and_error(values: Any) -> str:
    """The mean over corpora with its Monte-Carlo error."""
    return f"{np.mean(values):.4f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.4f}"


def shuffled(sequences: Sequences, rng: np.random.Generator) -> Sequences:
    """The words of each document in any order."""
    document = np.repeat(np.arange(sequences.ends.size), sequences.lengths)
    return replace(sequences, tokens=sequences.tokens[np.lexsort((rng.random(document.size), document))])


def order(rng: np.random.Generator, names: list[str], shuffles: int = 100) -> None:
    for name, train, _ in corpora(names):
        every = 4 if name == "20 Newsgroups" else 1  # a sample
        sequences, terms = token_sequences(train.where(np.arange(len(train)) % every == int(rng.integers(every))))
        pairs = pairs_together(sequences)
        real = pair_orders(sequences, pairs.one, pairs.other)
        listed = np.argsort(pairs.log10_p, kind="stable")[:50]
        kept, q = pairs.log10_q("bh") <= LEVEL, after_q(real) <= LEVEL
        sure = kept & q
        print(f"order, {name}: {sequences.ends.size:,} documents, {pairs.one.size:,} pairs, {kept.sum():,} together; "
              f"of these {sure.sum():,} after; of the {listed.size} listed {sure[listed].sum()} after")  # fmt: skip
        among, listed_among, p = [], [], []
        for _ in range(shuffles):
            orders = pair_orders(shuffled(sequences, rng), pairs.one, pairs.other)
            again = after_q(orders) <= LEVEL
            among.append(100 * again.mean())
            listed_among.append(100 * again[listed].mean())
            p.append(10**orders.log10_p)
        sizes = [f"p_after ≤ {level}: {100 * (np.array(p) <= level).mean():.3f} %" for level in (0.05, 0.01, 0.001)]
        print(f"  {shuffles} shuffles: q_after ≤ 0.05 for {mean_and_error(among)} % of all pairs, for "
              f"{mean_and_error(listed_among)} % of the listed ones, at most {max(listed_among):.0f} %; in "
              f"{np.mean(np.array(among) > 0):.2f} of the shuffles for any; {', '.join(sizes)}")  # fmt: skip
        one = shuffled(sequences, rng)
        words = [terms[part].tolist() for part in np.split(one.tokens, one.ends[:-1])]
        table = Triggers().answer(tb.fit_polya_urn(words, "full"))
        print(f"  the whole way from one shuffled corpus: {table.height} listed, {(table['q_together'] <= 0.05).sum()} "
              f"of them together, {(table['q_after'] <= 0.05).sum()} after")  # fmt: skip
        for strength in (0.25, 0.5, 1.0):
            print(f"  planted, {100 * strength:.0f} % of documents put in order: "
                  + planted_orders(rng, sequences, pairs, strength), flush=True)  # fmt: skip


def planted_orders(rng: np.random.Generator, sequences: Sequences, pairs: PairsTogether, strength: float) -> str:
    """How many of some pairs without common words are found, if in a share of their documents one stands first."""
    used: set[int] = set()
    chosen = []
    for place in rng.permutation(pairs.one.size):
        ends = {int(pairs.one[place]), int(pairs.other[place])}
        if not ends & used:
            used |= ends
            chosen.append(int(place))
    chosen = chosen[:200]
    made = shuffled(sequences, rng)
    places = np.argsort(made.tokens, kind="stable")
    start = np.append(0, np.cumsum(made.counts))
    document = np.repeat(np.arange(made.ends.size), made.lengths)
    for place in chosen:
        i, k = pairs.one[place], pairs.other[place]
        both = np.sort(np.concatenate([places[start[term] : start[term + 1]] for term in (i, k)]))
        for one in np.split(both, np.flatnonzero(np.diff(document[both])) + 1):
            if rng.random() < strength:
                made.tokens[one] = np.sort(made.tokens[one])  # i < k
    orders = pair_orders(made, pairs.one, pairs.other)
    sure = after_q(orders) <= LEVEL
    parts = []
    planted = np.array(chosen)
    for low, high in ((5, 9), (10, 19), (20, 49), (50, 10**9)):
        some = planted[(pairs.documents[planted] >= low) & (pairs.documents[planted] <= high)]
        right = sure[some] & (orders.later[some] > orders.earlier[some])
        span = f"{low} to {high}" if high < 10**9 else f"{low} and more"
        parts.append(f"{right.sum()} of {some.size} in {span} documents")
    words = np.unique(np.concatenate([pairs.one[planted], pairs.other[planted]]))
    untouched = ~np.isin(pairs.one, words) & ~np.isin(pairs.other, words)
    return f"found {', '.join(parts)}; of {untouched.sum():,} other pairs {(sure & untouched).sum()}"


def together(rng: np.random.Generator, repeats: int) -> None:
    """p_together of pairs of independent words; as in the table, pairs in fewer than five documents have p = 1."""
    for documents, length, spread in (
        (60, 100, 0.5),
        (300, 400, 0.7),
        (800, 100, 0.0),
        (800, 100, 1.2),
        (3000, 60, 1.2),
    ):
        for burst in (0.001, 0.01, 0.1):
            sizes, false = [], []
            for _ in range(repeats):
                alpha = rng.gamma(0.7, size=TERMS) + 0.02
                urn = tb.models.PolyaUrn(alpha / alpha.sum(), np.diag(rng.gamma(2.0, burst / 2, TERMS)))
                lengths = np.maximum(np.exp(rng.normal(np.log(length), spread, documents)).astype(int), 2)
                pairs = pairs_together(
                    sequences_of(urn.sample_tokens(lengths, rng), TERMS), least_ratio=0.0, most=TERMS
                )
                p = 10**pairs.log10_p  # only those above their mean; the others are not small
                sizes.append([100 * (p <= level).sum() / max(pairs.looked_at, 1) for level in (0.05, 0.001)])
                false.append(float((pairs.log10_q("bh") <= LEVEL).any()))
            shown = [f"{mean_and_error(one)} %" for one in np.array(sizes).T]
            print(f"together, {documents:,} documents of {length} words, spread {spread}, mean M[k, k] {burst}: "
                  f"p_together ≤ 0.05: {shown[0]}, ≤ 0.001: {shown[1]}; any q ≤ 0.05 in {np.mean(false):.2f} of "
                  f"{repeats} corpora", flush=True)  # fmt: skip


def ratio(rng: np.random.Generator, corpora: int = 400) -> None:
    """How many times too large the likelihood ratio of a pair is, with and without its correction."""
    found, unbounded = [], 0
    for _ in range(corpora):
        terms, documents = int(rng.integers(5, 41)), int(rng.integers(10, 151))
        M = np.diag(rng.gamma(2.0, 0.02, terms))
        M[0, 1] = 10 ** rng.uniform(-1.5, 0.5)
        urn = tb.models.PolyaUrn(rng.dirichlet(np.full(terms, 10 ** rng.uniform(-0.5, 0.7))), M)
        drawn = urn.sample_tokens(rng.poisson(10 ** rng.uniform(0.6, 1.9), documents) + 2, rng)
        sequences, everyone = sequences_of(drawn, terms), np.arange(terms)
        matrix = UrnMatrix.of_pairs(np.append(everyone, [0, 2]), np.append(everyone, [1, 3]), terms)
        without = UrnMatrix.of_pairs(np.append(everyone, 2), np.append(everyone, 3), terms)
        fit = ml(sequences, matrix)
        exact = 2 * (fit.log_likelihood - ml(sequences, without).log_likelihood)
        unbounded += exact > 2 and fit.status == "unbounded"  # there intervals say little, as the docs say
        if exact > 2 and fit.status != "unbounded":
            test = TriggerIntervals(sequences, fit)
            entry = np.flatnonzero((matrix.sources == 0) & (matrix.targets == 1))
            line = 2 * (test.best[1] - test.profile(entry, np.zeros(1))[0][0])
            share = sequences.counts[1] / sequences.tokens.size
            found.append((max(0.0, test.likelihood_ratio(entry, np.zeros(1))[0]) / exact, line / exact, share, exact))
    print(f"ratio: {unbounded} further corpora have an unbounded fit")
    for what, chosen in (
        ("all", lambda row: True),
        ("target at least a fifth of the text", lambda row: row[2] >= 0.2),
        ("target less than a fifth of the text", lambda row: row[2] < 0.2),
        ("ratio of 10 and more", lambda row: row[3] >= 10),
        ("ratio below 10", lambda row: row[3] < 10),
    ):
        some = np.array([row for row in found if chosen(row)])
        for name, column in (("corrected", 0), ("not corrected", 1)):
            least, low, middle, high, most = np.quantile(some[:, column], [0, 0.05, 0.5, 0.95, 1])
            print(f"ratio, {what}, {len(some)} corpora, {name}: median {middle:.3f} times that of two whole fits, "
                  f"90 % within {low:.2f} to {high:.2f}, all within {least:.2f} to {most:.2f}", flush=True)  # fmt: skip


def monotone(rng: np.random.Generator, fits: int = 1000) -> None:
    falls, worst = 0, 0.0
    for fit in range(fits):
        terms = int(rng.integers(2, 8))
        M = np.diag(rng.gamma(1.0, 0.3, terms)) + (rng.random((terms, terms)) < 0.2)
        urn = tb.models.PolyaUrn(rng.dirichlet(np.ones(terms)), M)
        sequences = sequences_of(urn.sample_tokens(rng.poisson(rng.uniform(1, 20), 20) + 1, rng), terms)
        extra = rng.integers(0, terms, (2, 4 * (fit % 2)))
        everyone = np.arange(terms)
        matrix = UrnMatrix.of_pairs(np.append(everyone, extra[0]), np.append(everyone, extra[1]), terms)
        start = (np.full(terms, 1 / terms), np.full(matrix.sources.size, 0.1))
        prior = group_prior(matrix, start[0], float(rng.uniform(0.1, 3))) if fit % 4 < 2 else None
        history = fit_urn(sequences, matrix, start, prior, max_iterations=60).history
        drop = -np.diff(history).min(initial=0.0) / max(abs(history[-1]), 1.0)
        worst, falls = max(worst, drop), falls + (drop > 1e-12)
    print(f"monotone: in {falls} of {fits:,} fits the likelihood falls; largest relative drop {worst:.1e}")


def inaugural() -> tuple[Any, Any]:
    """The inaugural addresses in pieces of 500 words; every fifth address is held out."""
    folder = Path(os.environ.get("TERMBURST_DATA", "."), "nltk_data", "corpora", "inaugural.zip")
    corpus = tb.read(folder)
    chosen = np.arange(len(corpus)) % 5 == 4
    return tuple(tb.read(list(corpus.where(part).split(tokens=500).texts)) for part in (~chosen, chosen))


def choosing() -> Iterator[tuple[str, Any, Any]]:
    """Documents on which the screen's threshold is chosen: training sets only, every fifth document held out."""
    folder = Path(os.environ.get("TERMBURST_DATA", "."))
    sets = {"R8, training": tb.datasets.load_r8("train").texts, "stdlib": tb.datasets.load_stdlib().texts}
    for name in ("cr", "ohsumed"):
        sets[name] = pl.read_parquet(folder / "classification" / f"{name}.parquet")["text"].to_list()
    for name, texts in sets.items():
        held = [place % 5 == 4 for place in range(len(texts))]
        yield name, *(tb.read([t for t, h in zip(texts, held, strict=True) if h == part]) for part in (False, True))
    addresses = tb.read(folder / "nltk_data" / "corpora" / "inaugural.zip")
    addresses = addresses.where(np.arange(len(addresses)) % 5 != 4)
    chosen = np.arange(len(addresses)) % 5 == 2
    pieces = (list(addresses.where(part).split(tokens=500).texts) for part in (~chosen, chosen))
    yield "inaugural addresses, training", *(tb.read(texts) for texts in pieces)


def choose() -> None:
    """The gain of "full" over "diagonal" per held-out token, by the least likelihood ratio of a candidate."""
    for name, train, test in choosing():
        base = tb.fit_polya_urn(train, "diagonal")
        sequences, start = base._sequences, base._estimate
        assert sequences is not None
        assert start is not None
        _, total = sequences.masses(start.alpha, start.matrix, start.values)
        line = []
        for factor in (0.5, 1.0, 1.5, 2.0, 3.0, 4.0):
            found = screen_pairs(sequences, start.alpha, total, factor=factor)
            fit = as_fit(base, found, full_from(sequences, start, found, 1.0, {"tolerance": 1e-8}))
            gained = fit.held_out(test).per_token - base.held_out(test).per_token
            line.append(f"{factor:g} log m: {found.source.size:,} pairs {gained:+.4f}")
        print(f"choose, {name}: {'; '.join(line)}", flush=True)


def as_fit(base: PolyaUrnFit, candidates: Any, found: Any) -> PolyaUrnFit:
    m = base.terms.size
    M = sp.csc_matrix((found.values, found.matrix.sources, found.matrix.indptr), shape=(m, m)).tocsr()
    return replace(base, kind="full", alpha=found.alpha, replacement=M)


def corpora(names: list[str]) -> Iterator[tuple[str, Any, Any]]:
    if "inaugural" in names:
        yield "inaugural addresses", *inaugural()
    if "r8" in names:
        yield "R8", *(tb.read(tb.datasets.load_r8(part).texts) for part in ("train", "test"))
    if "newsgroups" in names:
        removed = ("headers", "footers", "quotes")
        news = (tb.datasets.load_20newsgroups(part, remove=removed).texts for part in ("train", "test"))
        yield "20 Newsgroups", *(tb.read(texts) for texts in news)


def multinomial(fit: PolyaUrnFit, train: Any) -> PolyaUrnFit:
    counts = np.zeros(fit.terms.size)
    held = fit._sequences
    assert held is not None
    counts += held.counts
    nothing = sp.csr_matrix((fit.terms.size, fit.terms.size))
    return replace(fit, kind="multinomial", alpha=counts / counts.sum(), replacement=nothing)


def perplexity(rng: np.random.Generator, names: list[str]) -> None:
    for name, train, test in corpora(names):
        constant = tb.fit_polya_urn(train, "constant")
        fits = {"multinomial": multinomial(constant, train), "constant": constant}
        for kind in KINDS[1:]:
            fits[kind] = tb.fit_polya_urn(train, kind)
        fits["diagonal, prior=None"] = tb.fit_polya_urn(train, "diagonal", prior=None)
        fits["full, decay=50"] = tb.fit_polya_urn(train, "full", decay=50.0)
        scores = {kind: fit.held_out(test) for kind, fit in fits.items()}
        one = scores["constant"]
        print(
            f"{name}: {int(one.tokens.sum()):,} known tokens in {one.tokens.size:,} documents, {one.unknown:,} unknown"
        )
        before = None
        for kind, found in scores.items():
            line = f"  {kind:22s} log-likelihood per token {found.per_token:.4f}, perplexity {found.perplexity:,.0f}"
            if before is not None and kind in KINDS:
                low, high = difference(rng, found.log_likelihood - before.log_likelihood, found.tokens)
                line += f", gain over the one before [{low:+.4f}, {high:+.4f}]"
            print(f"{line}  ({fits[kind].status})", flush=True)
            before = found


def difference(rng: np.random.Generator, gained: Any, tokens: Any, samples: int = 2000) -> tuple[float, float]:
    """The 95 % interval of the gain per token, by bootstrap samples of documents."""
    drawn = rng.integers(0, gained.size, (samples, gained.size))
    low, high = np.quantile(gained[drawn].sum(axis=1) / tokens[drawn].sum(axis=1), [0.025, 0.975])
    return float(low), float(high)


def speed() -> None:
    texts = tb.datasets.load_20newsgroups("train", remove=("headers", "footers", "quotes")).texts
    for share in (4, 2, 1):
        corpus = tb.read(texts[::share])
        tokens = corpus.__token_positions__()[0].chunk.tokens.size
        for kind in KINDS:
            wall, cpu = time.perf_counter(), time.process_time()
            fit = tb.fit_polya_urn(corpus, kind)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            load = os.getloadavg()[0]
            print(f"speed: {tokens:,} tokens, {kind}: {cpu:.1f} s of processor time, {wall:.1f} s by the clock "
                  f"at load {load:.1f}; {fit.status} after {fit.history.size} iterations", flush=True)  # fmt: skip


def pairs(names: list[str]) -> None:
    for name, train, _ in corpora(names):
        copies = set(train.check(halves=2).duplicates["id"].to_list())
        kept = train.where(np.array([one not in copies for one in train.metadata["id"].to_list()]))
        found = kept.triggers(top=10, most_repeated=0.5, after=True)
        signatures = kept.triggers(top=50, after=True).filter(pl.col("repeated") > pl.col("documents") / 2)
        named = ", ".join(f"{row['source']} → {row['target']}" for row in signatures.iter_rows(named=True))
        print(f"{name}: {len(copies):,} near-copies set aside; of the 50 strongest pairs {signatures.height} rest on "
              f"repeated passages: {named}")  # fmt: skip
        for row in found.iter_rows(named=True):
            seen = f"{row['documents']} documents, {row['expected']:.1f} expected; later in {row['later']}, earlier in "
            seen += f"{row['earlier']}; {row['repeated']} in repeated passages"
            print(f"  {row['source']} → {row['target']}: {seen}", flush=True)


def weights(names: list[str]) -> None:
    """Accuracy of weights that discount what the text so far had brought on, with four classifiers."""
    from sklearn.naive_bayes import ComplementNB, MultinomialNB
    from sklearn.preprocessing import normalize
    from sklearn.svm import LinearSVC

    loaders = {"r8": tb.datasets.load_r8, "newsgroups": tb.datasets.load_20newsgroups}
    for name in (name for name in names if name in loaders):
        train, test = (loaders[name](part) for part in ("train", "test"))
        options = {"stop_words": "en"}
        first, second = (
            tb.read([tb.datasets.clean_text(text) for text in one.texts], **options) for one in (train, test)
        )
        fits = {kind: tb.fit_polya_urn(first, kind) for kind in KINDS}
        none = multinomial(fits["constant"], first)
        made = {"tf-icf": (none.weights(first), none.weights(second))}
        made |= {f"fresh, {kind}": (fit.weights(first), fit.weights(second)) for kind, fit in fits.items()}
        for scheme, (a, b) in made.items():
            line = []
            for model, unit in ((MultinomialNB(), False), (MultinomialNB(alpha=0.01), True),
                                (ComplementNB(alpha=0.3), True), (LinearSVC(C=0.5), True)):  # fmt: skip
                x, y = (normalize(a), normalize(b)) if unit else (a, b)
                line.append(f"{(model.fit(x, train.labels).predict(y) == test.labels).mean():.4f}")
            print(f"weights, {name}, {scheme:16s} {' '.join(line)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=PARTS)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--pairs", nargs="+", type=int, default=[0, 50], help="how many pairs are planted")
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA))
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    print(f"seed {options.seed}; load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    rng = np.random.default_rng(options.seed)
    runs = {
        "planted": lambda: planted(rng, options.repeats, options.pairs), "order": lambda: order(rng, options.corpora),
        "together": lambda: together(rng, options.repeats),
        "ratio": lambda: ratio(rng), "monotone": lambda: monotone(rng), "choose": choose, "speed": speed,
        "perplexity": lambda: perplexity(rng, options.corpora),
        "pairs": lambda: pairs(options.corpora), "weights": lambda: weights(options.corpora),
    }  # fmt: skip
    for part in options.parts:
        runs[part]()


if __name__ == "__main__":
    main()
