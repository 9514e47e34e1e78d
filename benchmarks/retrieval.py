"""Ranking models on Cranfield (MAP, nDCG@10, P@10, paired tests), and queries per second against bm25s.

Cranfield: 1,400 abstracts, 225 queries, words of two letters or more, no stemming, without English stop words and with
them. All documents with a word of the query are ranked. Models have their default parameters; only μ of LM-Dirichlet is
also tuned, by 2-fold cross-validation over the queries. Gains of nDCG are 4 for a complete answer (Cranfield's grade 1)
down to 1 (grade 4).

20 Newsgroups: 1,000 queries of five words, each drawn from one post, ten hits, over all 18,846 posts. bm25s gets the
same tokens and the same BM25; scores are compared. It is not a dependency: ``pip install bm25s``.

    TERMBURST_DATA=… python benchmarks/retrieval.py [--cranfield | --speed]
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import termburst as tb
from termburst.datasets import load_20newsgroups, load_cranfield
from termburst.retrieval import MODELS, Evaluation, Index, evaluate, paired_test

MU = (25, 50, 100, 150, 200, 300, 400, 600, 800, 1000, 1500, 2000, 3000, 5000)
PAIRS = (
    ("spud", "lm-dirichlet"),
    ("spud", "lm-dirichlet, tuned"),
    ("spud", "lm-jm"),
    ("spud", "bm25"),
    ("gspud", "lm-dirichlet, tuned"),
    ("gspud", "spud"),
)
QUERIES, WORDS, HITS, ROUNDS = 1000, 5, 10, 9


def cranfield_runs(counting: tb.CountingOptions) -> Callable[..., Evaluation]:
    """A function that evaluates a model on Cranfield, by its name and parameters."""
    corpus = load_cranfield()
    index = Index.from_texts(corpus.documents.texts, corpus.documents.ids, counting=counting)
    gains = {
        query: {document: 5 - grade for document, grade in grades.items() if grade > 0}
        for query, grades in corpus.judgements.items()
    }

    def run(model: str, **parameters: Any) -> Evaluation:
        found = index.batch_search(corpus.queries.texts, None, model=model, **parameters)
        return evaluate({q: hits.ids for q, hits in zip(corpus.queries.ids, found, strict=True)}, gains)

    return run


def cranfield(counting: tb.CountingOptions) -> None:
    run = cranfield_runs(counting)
    values = {model: run(model).values for model in MODELS}
    values["lm-dirichlet, tuned"], chosen = tuned({mu: run("lm-dirichlet", mu=mu) for mu in MU})
    print(f"\nCranfield, stop words {counting.stop_words}: {len(values['spud']['map'])} queries, default parameters")
    print(f"{'model':<22}{'MAP':>8}{'nDCG@10':>9}{'P@10':>8}")
    for name, measures in values.items():
        print(f"{name:<22}" + "".join(f"{v.mean():>{w}.4f}" for v, w in zip(measures.values(), (8, 9, 8), strict=True)))
    print(f"tuned μ of the two folds: {chosen}")
    for a, b in PAIRS:
        test = paired_test(values[a]["map"], values[b]["map"], draws=99_999)
        print(
            f"MAP of {a} − {b}: {test.difference:+.4f}, {test.wins} won, {test.losses} lost; "
            f"p {test.p_randomisation:.2g} (randomisation), {test.p_wilcoxon:.2g} (Wilcoxon), {test.p_t:.2g} (t)"
        )


def tuned(results: dict[int, Evaluation]) -> tuple[dict[str, Any], list[int]]:
    """Each half of the queries (odd, even) with the μ that has the best MAP on the other half."""
    number = len(next(iter(results.values())).queries)
    halves = [np.arange(number) % 2 == half for half in (0, 1)]
    chosen = [max(results, key=lambda mu: results[mu].values["map"][~half].mean()) for half in halves]
    first, second = (results[mu].values for mu in chosen)
    return {measure: np.where(halves[0], first[measure], second[measure]) for measure in first}, chosen


def tokens_and_queries(texts: Sequence[str]) -> tuple[list[list[str]], list[list[str]]]:
    """The tokens of each text without English stop words, and queries of words drawn from one text each."""
    analyse = tb.CountVectorizer(stop_words="english").build_analyzer()
    tokens = [analyse(text) for text in texts]
    rng = np.random.default_rng(0)
    long_enough = [words for words in tokens if len(words) >= WORDS]
    queries = [
        rng.choice(long_enough[post], WORDS, replace=False).tolist()
        for post in rng.choice(len(long_enough), QUERIES, replace=False)
    ]
    return tokens, queries


def speed() -> None:
    texts = load_20newsgroups("all").texts
    start = time.perf_counter()
    index = Index.from_texts(texts, counting=tb.CountingOptions(words="sklearn", stop_words="english"))
    print(f"\n20 Newsgroups: {len(index):,} posts, {index.terms.size:,} terms, indexed in {since(start):.1f} s")
    tokens, queries = tokens_and_queries(texts)
    rivals: dict[str, Callable[[], Any]] = {
        f"termburst {model}": lambda model=model: index.batch_search(queries, HITS, model=model)
        for model in MODELS
    }  # fmt: skip
    rivals["termburst bm25, one at a time"] = lambda: [index.search(query, HITS, model="bm25") for query in queries]
    sentences = [" ".join(query) for query in queries]
    rivals["termburst bm25, from text"] = lambda: index.batch_search(sentences, HITS, model="bm25")
    rivals |= bm25s_rivals(tokens, queries)
    rates = measured(rivals)
    for name, rate in rates.items():
        beside = {rival: rate / rates[rival] for rival in rates if rival.startswith("bm25s")}
        ratios = ", ".join(f"{ratio:.2f}× {rival}" for rival, ratio in beside.items() if rival != name)
        print(f"{name:<32}{rate:>9,.0f} queries/s  {ratios if name.startswith('termburst') else ''}")
    if "bm25s numpy" in rivals:
        same = same_scores(index.batch_search(queries, HITS, model="bm25"), rivals["bm25s numpy"]().scores)
        print(f"BM25 scores equal to bm25s's (relative 1e-4, its floats are 32-bit): {same} of {QUERIES} queries")


def same_scores(ours: Sequence[Any], theirs: Sequence[Any]) -> int:
    """The number of queries whose hits have the same scores."""
    return sum(np.allclose(hits.scores, row[: len(hits)], rtol=1e-4) for hits, row in zip(ours, theirs, strict=True))


def bm25s_rivals(tokens: list[list[str]], queries: list[list[str]]) -> dict[str, Callable[[], Any]]:
    if importlib.util.find_spec("bm25s") is None:
        print("bm25s is not installed: no ratio (pip install bm25s)")
        return {}
    bm25s = importlib.import_module("bm25s")
    found: dict[str, Callable[[], Any]] = {}
    for backend in backends():
        rival = bm25s.BM25(k1=1.2, b=0.75, backend=backend)
        rival.index(tokens, show_progress=False)
        found[f"bm25s {backend}"] = lambda rival=rival: rival.retrieve(queries, k=HITS, show_progress=False)
        found[f"bm25s {backend}, one at a time"] = lambda rival=rival: [
            rival.retrieve([query], k=HITS, show_progress=False) for query in queries
        ]
    return found


def measured(rivals: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Queries per second, the median of several rounds in which the rivals take turns, after a warm-up round."""
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for turn in range(ROUNDS + 1):
        for name, function in rivals.items():
            start = time.perf_counter()
            function()
            if turn:
                times[name].append(since(start))
    return {name: QUERIES / statistics.median(values) for name, values in times.items()}


def since(start: float) -> float:
    return time.perf_counter() - start


def backends() -> list[str]:
    """The backends of bm25s that can run here: Numba is a separate package."""
    return ["numpy", *(["numba"] if importlib.util.find_spec("numba") else [])]


def main() -> None:
    parser = argparse.ArgumentParser(description="Ranking on Cranfield, speed on 20 Newsgroups")
    parser.add_argument("--cranfield", action="store_true", help="only the effectiveness")
    parser.add_argument("--speed", action="store_true", help="only the speed")
    asked = parser.parse_args()
    if asked.cranfield or not asked.speed:
        for stop_words in ("english", None):
            cranfield(tb.CountingOptions(words="sklearn", stop_words=stop_words))
    if asked.speed or not asked.cranfield:
        speed()


if __name__ == "__main__":
    main()
