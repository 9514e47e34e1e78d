"""Size, coverage, exactness and speed of keyness by a formula, with clusters, on data where the truth is known.

Null. A covariate is drawn at random for every document, so each significant word is a false alarm: a half, a tenth,
or a number; alone, and beside the real categories of the corpus. Clusters. The covariate is drawn for whole clusters,
or for documents and clusters; the test that ignores clusters is beside it. Coverage. Beta-binomial terms are drawn on
the lengths of R8 with a covariate that is correlated with another one. Confounded. A covariate without an
effect goes with the categories of a corpus, or with a simulated covariate that has ratios of 4. Bands are of n_i; ± is
the standard error between draws of the covariate; in parentheses the per cent at 0.1 %. FDR. A covariate is drawn at
random, and a tenth of the words lose three quarters of their documents on one side: of those with q ≤ 5 %, how many are
not among these? Truth. Two sides of a category have the same mean, and precisions whose ratio is 1 to 8: that of
all words, or it varies between them, or half of them have 1 and half 8. Power. A sixth of the words have a ratio of 2.

Strata. Words are drawn on documents in strata of 2 to 20, half of each on either side: a parameter for each stratum.
Pairs. The same with documents of both sides in each cluster: cluster=, strata=, and a paired t test.
Few. 6 to 30 clusters of ten documents, each wholly on one side.

    TERMBURST_DATA=… python benchmarks/designs.py [--draws 20] [--documents 2500] [--terms 4000] [--parts null …]
    … --parts fdr --only "by president"
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
import zipfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
from _strata import paired, words_in_strata
from scipy.optimize import minimize
from scipy.sparse import csr_array, hstack
from scipy.special import betaln, expit
from sklearn.feature_extraction.text import CountVectorizer

from termburst.inference.designs import Contrast, ContrastTest, DesignComparison
from termburst.inference.multiplicity import adjust
from termburst.models.beta_binomial_regression import design_cells
from termburst.models.cells import TermCells, term_cells
from termburst.paper.collections import Collections
from termburst.questions.keyness import keyness

BANDS = ((5, 19), (20, 99), (100, 999), (1_000, 10**9))
PARTS = (
    "loglik", "degenerate", "null", "clusters", "coverage", "speed", "fdr", "confounded", "truth", "power", "strata",
    "pairs", "few",
)  # fmt: skip
SIDES = ((250, 250), (30, 300), (300, 30), (60, 60))  # documents; the first side is the burstier one
TIES = {"beyond": -0.5, "documents": 0.0, "tie": 0.5, "tokens": 1.0}  # what of a word differs: its true κ


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--documents", type=int, default=2_500)
    parser.add_argument("--terms", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--each", type=int, default=100, help="terms of each precision, for coverage")
    parser.add_argument("--ratios", type=float, nargs="+", default=[1.0, 1.5, 4.0], help="for coverage")
    parser.add_argument("--means", type=float, nargs="+", default=[3e-5, 1e-4, 1e-3, 1e-2], help="for coverage")
    parser.add_argument("--only", default="", help="corpora with this in their name, for null, clusters and fdr")
    parser.add_argument("--words", type=int, default=1_000, help="words of a cell, for truth and power")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    asked = parser.parse_args()
    for part in asked.parts:
        print(f"\n{part}", flush=True)
        globals()[f"show_{part}"](asked, np.random.default_rng([asked.seed, PARTS.index(part)]))


def corpora(asked: argparse.Namespace, rng: np.random.Generator) -> Iterator[tuple[str, csr_array, np.ndarray]]:
    """Name, counts of some documents, and the category of each."""
    from termburst.datasets import load_20newsgroups, load_r8

    collections = Collections()
    newsgroups = load_20newsgroups("train", remove=("headers", "footers", "quotes")).labels
    for name, counts, labels in (
        ("20 Newsgroups", collections.fig4.counts, np.asarray(newsgroups) % 5),
        ("R8", collections.fig5.counts, load_r8().labels),
    ):
        X = csr_array(counts)
        filled = np.flatnonzero(np.asarray(X.sum(axis=1)).ravel() > 0)
        rows = rng.permutation(filled)[: asked.documents]
        yield name, some_terms(X[rows], asked.terms, rng), np.asarray(labels)[rows]
    X, president = inaugural(paragraphs=False)
    yield "inaugural addresses", some_terms(X, asked.terms, rng), np.array([int(year) >= 1900 for year, _ in president])


def some_terms(X: csr_array, most: int, rng: np.random.Generator) -> csr_array:
    """The counts of some terms with at least 5 tokens, and of all others together in the last column."""
    n_i = np.asarray(X.sum(axis=0)).ravel()
    kept = np.flatnonzero(n_i >= 5)
    kept = np.union1d(rng.permutation(kept)[:most], np.flatnonzero(n_i >= 1_000))
    rest = np.asarray(X.sum(axis=1)).ravel() - np.asarray(X[:, kept].sum(axis=1)).ravel()
    return csr_array(hstack([X[:, kept], csr_array(rest.reshape(-1, 1))]))


def inaugural(*, paragraphs: bool) -> tuple[csr_array, list[tuple[str, str]]]:
    """Counts of the addresses or of their paragraphs, and year and president of each."""
    path = Path(os.environ["TERMBURST_DATA"], "nltk_data", "corpora", "inaugural.zip")
    texts, about = [], []
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            year, _, president = Path(name).stem.partition("-")
            if not name.endswith(".txt") or not year.isdecimal():
                continue
            text = archive.read(name).decode("latin-1")
            pieces = [piece for piece in text.split("\n") if len(piece) > 40] if paragraphs else [text]
            texts += pieces
            about += [(year, president)] * len(pieces)
    return csr_array(CountVectorizer().fit_transform(texts)), about


def rates(p_value: np.ndarray, n_i: np.ndarray, level: float = 0.05) -> list[float]:
    inside = [(n_i >= low) & (n_i <= high) for low, high in BANDS]
    return [float((p_value[rows] < level).mean()) if rows.any() else np.nan for rows in inside]


def row(name: str, by_draw: list[list[float]], rare: list[list[float]] | None = None) -> None:
    found, cells = np.array(by_draw) * 100, []
    for k in range(found.shape[1]):
        if np.isnan(found[:, k]).all():
            cells.append("–")
            continue
        error = found[:, k].std() / max(len(found) - 1, 1) ** 0.5
        small = f" ({np.mean([one[k] for one in rare]) * 100:.2f})" if rare else ""
        cells.append(f"{found[:, k].mean():.1f} ± {error:.1f}{small}")
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def comparison(X: csr_array, matrix: np.ndarray) -> DesignComparison:
    rows, cell = np.unique(matrix, axis=0, return_inverse=True)
    return DesignComparison(design_cells([term_cells(X[cell.ravel() == g]) for g in range(len(rows))]), rows)


def p_of_last(X: csr_array, matrix: np.ndarray) -> np.ndarray:
    """p of the last column of the design, without the last term, which is the rest."""
    c = np.eye(matrix.shape[1])[-1]
    return comparison(X, matrix).test(Contrast("x", c, np.array([0, c.size - 1])), None).p_value[:-1]


def show_null(asked: argparse.Namespace, rng: np.random.Generator) -> None:
    for name, X, labels in corpora(asked, rng):
        if asked.only not in name:
            continue
        documents, n_i = X.shape[0], np.asarray(X.sum(axis=0)).ravel()[:-1]
        one = np.ones((documents, 1))
        others = np.column_stack([one, *[labels == label for label in np.unique(labels)[1:]]]).astype(float)
        for what, base in (("alone", one), ("beside its categories", others)):
            for kind in ("half", "tenth", "number"):
                found, rare = [], []
                for _ in range(asked.draws):
                    x = rng.random(documents) < (0.5 if kind == "half" else 0.1)
                    x = np.round(rng.normal(size=documents) * 2) / 2 if kind == "number" else x
                    p_value = p_of_last(X, np.column_stack([base, x.astype(float)]))
                    found.append(rates(p_value, n_i))
                    rare.append(rates(p_value, n_i, 0.001))
                row(f"{name}, {kind}, {what}", found, rare)


def clustered(rng: np.random.Generator, asked: argparse.Namespace) -> Iterator[tuple[str, csr_array, np.ndarray]]:
    """Name, counts of documents, and the cluster of each."""
    from termburst.datasets import load_20newsgroups

    X, about = inaugural(paragraphs=True)
    yield "inaugural paragraphs by president", some_terms(X, asked.terms, rng), np.array([name for _, name in about])
    posts = load_20newsgroups("train", remove=("headers", "footers", "quotes"))
    chosen = rng.permutation(len(posts))[:600]
    pieces = [(int(k), piece) for k in chosen for piece in posts.texts[k].split("\n\n") if len(piece) > 40]
    X = csr_array(CountVectorizer().fit_transform([piece for _, piece in pieces]))
    yield "20 Newsgroups, paragraphs by post", some_terms(X, asked.terms, rng), np.array([k for k, _ in pieces])
    X = csr_array(Collections().fig4.counts)
    rows = rng.permutation(np.flatnonzero(np.asarray(X.sum(axis=1)).ravel() > 0))[: asked.documents]
    yield "20 Newsgroups, posts by group", some_terms(X[rows], asked.terms, rng), np.asarray(posts.labels)[rows]


def show_clusters(asked: argparse.Namespace, rng: np.random.Generator) -> None:
    for name, counts, named in clustered(rng, asked):
        if asked.only not in name:
            continue
        filled = np.asarray(counts.sum(axis=1)).ravel() > 0
        X, cluster = counts[filled], named[filled]
        n_i = np.asarray(X.sum(axis=0)).ravel()
        distinct, codes = np.unique(cluster, return_inverse=True)
        for kind in ("whole clusters", "documents and clusters"):
            found: dict[str, list[list[float]]] = {"p_value": [], "p_documents": []}
            for _ in range(asked.draws):
                share = rng.permutation(np.arange(distinct.size) % 2)[codes]
                if kind != "whole clusters":  # each cluster leans to one side
                    share = rng.random(codes.size) < np.where(share == 1, 0.8, 0.2)
                about = pl.DataFrame({"x": np.where(share, "a", "b"), "cluster": codes})
                table = keyness(
                    X, formula="x", metadata=about, cluster="cluster", confidence=None, sort="term", adjust="none"
                )
                place = table["term"].to_numpy()
                for column, rows in found.items():
                    rows.append(rates(table[column].to_numpy()[place < X.shape[1] - 1], n_i[place[:-1]]))
            row(f"{name} ({distinct.size}), {kind}, cluster=", found["p_value"])
            row(f"{name}, {kind}, documents", found["p_documents"])


def show_coverage(asked: argparse.Namespace, rng: np.random.Generator) -> None:
    simulated(asked, rng, asked.ratios, TIES, 0.5)


def show_strata(asked: argparse.Namespace, rng: np.random.Generator) -> None:
    """Size, and coverage of ratios of 1 and 1.5, by how many documents a stratum has: words with 20 to 999 tokens."""
    print("| strata of | strata | words | p ≤ 5 % at ratio 1 | p ≤ 0.1 % | interval covers 1 | covers 1.5 |")
    for each in (2, 3, 5, 8, 10, 15, 20):
        for strata in (2, 4, 8, 24, 48):
            false: list[float] = []
            covered: dict[float, list[bool]] = {1.0: [], 1.5: []}
            for ratio, inside in covered.items():
                for _ in range(asked.draws):
                    X, side, stratum = words_in_strata(rng, strata, each, 40, ratio, 0.5)
                    indicator = stratum[:, None] == np.arange(1, strata)
                    matrix = np.column_stack([np.ones(side.size), indicator, side]).astype(float)
                    test = comparison(X, matrix).test(Contrast("x", np.eye(strata + 1)[-1], np.array([0, strata])))
                    n_i, true = np.asarray(X.sum(axis=0)).ravel(), np.log2(ratio)
                    asked_for = (n_i >= 20) & (n_i < 1_000)
                    asked_for[-1] = False
                    inside.extend(((test.ci_low <= true) & (test.ci_high >= true))[asked_for].tolist())
                    false += test.p_value[asked_for].tolist() if ratio == 1 else []
            shares = [np.array(false) <= 0.05, np.array(false) <= 0.001, *covered.values()]
            cells = " | ".join(
                f"{100 * np.mean(one):.1f} ± {100 * np.std(one) / len(one) ** 0.5:.1f}" for one in shares
            )
            print(f"| {each} | {strata} | {len(false)} | {cells} |", flush=True)


def show_few(asked: argparse.Namespace, rng: np.random.Generator) -> None:
    """Size with few clusters of ten documents, each wholly on one side, by `cluster=`: the documents are summed.

    With 40 words hardly any δ and s are learned from them; with 300 they are.
    """
    print("| words | clusters | spread | p ≤ 5 %, n 5–19 | 20–99 | 100–999 | ≥ 1,000 | reference chi2 |")
    for words, clusters in product((40, 300), (6, 8, 10, 15, 30)):
        for spread in (0.25, 0.5, 1.0):
            by_draw, by_chi2 = [], []
            for _ in range(asked.draws):
                X, _, cluster = words_in_strata(rng, clusters, 10, words, 1.0, spread)
                side = rng.permutation(np.arange(clusters) % 2)[cluster]
                about = pl.DataFrame({"x": np.where(side, "a", "b"), "cluster": cluster.astype(str)})
                terms = [f"{k:03}" for k in range(X.shape[1])]
                options = {"metadata": about, "confidence": None, "sort": "term", "adjust": "none", "terms": terms}
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    table = keyness(X, formula="x", cluster="cluster", **options)
                by_draw.append(rates(table["p_value"].to_numpy()[:-1], np.asarray(X.sum(axis=0)).ravel()[:-1]))
                by_chi2.append(float(table["p_method"].str.ends_with("chi2").mean()))
            found = 100 * np.array(by_draw)
            cells = [
                f"{np.nanmean(one):.1f} ± {np.nanstd(one) / np.sum(~np.isnan(one)) ** 0.5:.1f}"
                if (~np.isnan(one)).any()
                else "–"
                for one in found.T
            ]
            last = f"{100 * np.mean(by_chi2):.0f} %"
            print(f"| {words} | {clusters} | {spread:g} | {' | '.join(cells)} | {last} |", flush=True)


def show_pairs(asked: argparse.Namespace, rng: np.random.Generator) -> None:
    """Words with p ≤ 5 % if each of 20 clusters has as many documents of either side: by cluster=, and by strata=.

    Beside them the paired t test of the logarithms of shares, with half a token added, of words with 100 tokens.
    """
    print("| clusters of | spread | ratio | cluster= | strata= | as if independent | paired t |")
    for each in (2, 4, 10):
        for spread in (0.5, 1.0, 1.5):
            for ratio in (1.0, 1.5, 2.0):
                found: list[list[float]] = [[] for _ in range(4)]
                for _ in range(asked.draws):
                    X, side, cluster = words_in_strata(rng, 20, each, 40, ratio, spread)
                    about = pl.DataFrame({"x": np.where(side, "a", "b"), "cluster": cluster.astype(str)})
                    options = {"metadata": about, "confidence": None, "sort": "term", "adjust": "none"}
                    terms = [f"{k:02}" for k in range(X.shape[1])]
                    enough = (np.asarray(X.sum(axis=0)).ravel() >= 100)[:-1]
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        by = keyness(X, formula="x", terms=terms, cluster="cluster", **options)
                        within = keyness(X, formula="x", terms=terms, strata="cluster", **options)
                    for k, p_value in enumerate((by["p_value"], within["p_value"], by["p_documents"])):
                        found[k] += (p_value.to_numpy()[:-1][enough] <= 0.05).tolist()
                    found[3] += (paired(X.toarray()[:, :-1][:, enough], X, side, cluster) <= 0.05).tolist()
                cells = " | ".join(
                    f"{100 * np.mean(one):.1f} ± {100 * np.std(one) / len(one) ** 0.5:.1f}" for one in found
                )
                print(f"| {each} | {spread:g} | {ratio:g} | {cells} |", flush=True)


def show_confounded(asked: argparse.Namespace, rng: np.random.Generator) -> None:
    """A covariate without an effect that goes with one that has: does p keep its level if the design has both?

    First the real categories of the corpora, whose documents have the covariate with probabilities of 0.1 to 0.9; then
    simulated terms, for which the other covariate has ratios of 4.
    """
    for name, X, labels in corpora(asked, rng):
        if asked.only not in name:
            continue
        n_i = np.asarray(X.sum(axis=0)).ravel()[:-1]
        distinct, code = np.unique(labels, return_inverse=True)
        base = np.column_stack([np.ones(code.size), *[code == k for k in range(1, distinct.size)]]).astype(float)
        found: dict[str, list[list[float]]] = {"beside the categories": [], "alone": []}
        for _ in range(asked.draws):
            x = rng.random(code.size) < rng.permutation(np.linspace(0.1, 0.9, distinct.size))[code]
            found["beside the categories"].append(rates(p_of_last(X, np.column_stack([base, x])), n_i))
            found["alone"].append(rates(p_of_last(X, np.column_stack([base[:, :1], x])), n_i))
        for what, by_draw in found.items():
            row(f"{name}, goes with its categories, {what}", by_draw)
    simulated(asked, rng, [1.0], TIES, np.log(4))


def simulated(
    asked: argparse.Namespace, rng: np.random.Generator, ratios: list[float], ties: dict[str, float], other_beta: float
) -> None:
    lengths = np.asarray(Collections().fig5.counts.sum(axis=1)).ravel().astype(int)
    lengths = rng.choice(lengths[lengths > 0], asked.documents)
    other = rng.integers(0, 3, lengths.size)
    x = rng.random(lengths.size) < np.array([0.3, 0.5, 0.7])[other]
    matrix = np.column_stack([np.ones(lengths.size), other == 1, other == 2, x]).astype(float)
    for ratio in ratios:
        for tie, kappa in ties.items():
            for mean in asked.means:
                beta = np.array([np.log(mean), other_beta, -other_beta, np.log(ratio)])
                omega = matrix @ beta
                pi = expit(omega)
                columns = []
                for alpha_0 in (30.0, 300.0, 3_000.0):
                    own = alpha_0 * (pi / mean) ** -kappa
                    for _ in range(asked.each):
                        columns.append(rng.binomial(lengths, rng.beta(own * pi, own * (1 - pi))))
                counts = np.array(columns).T
                inside, wide, p_value = [], [], []
                share = max(10, int(0.01 / mean))  # so many terms share the lengths with the rest
                for k in range(0, counts.shape[1], share):
                    part = counts[:, k : k + share]
                    own = slice(part.shape[1])
                    rest = np.maximum(lengths - part.sum(axis=1), 0)
                    X = csr_array(np.column_stack([part, rest]))
                    test = comparison(X, matrix).test(Contrast("x", np.eye(4)[-1], np.array([0, 3])))
                    true = np.log2(ratio)
                    inside += list(
                        (test.ci_low[own] <= true) & (true <= test.ci_high[own]) | np.isnan(test.ci_low[own])
                    )
                    wide += list((test.ci_high - test.ci_low)[own])
                    p_value += list(test.p_value[own])
                covered = 100 * np.mean(inside)
                finite = np.isfinite(wide)
                width = np.median(np.array(wide)[finite]) if finite.any() else np.inf
                about = f"ratio {ratio:g} | {tie} | mean {mean:g} | {covered:.1f} % of {len(inside)} terms"
                false = f" p < 5 % in {100 * np.mean(np.array(p_value) < 0.05):.1f} % |" if ratio == 1 else ""
                print(f"| {about} | median width {width:.2f} |{false}", flush=True)


def planted(X: csr_array, x: np.ndarray, rng: np.random.Generator) -> tuple[csr_array, np.ndarray]:
    """The counts after some words lost three quarters of their documents with x, and which words these are.

    What they lose goes to the rest, the last column: the share of no other word changes.
    """
    changed = rng.random(X.shape[1]) < 0.1
    changed[-1] = False
    cells = X.tocoo()
    lost = changed[cells.col] & x[cells.row] & (rng.random(cells.nnz) < 0.75)
    return csr_array((cells.data, (cells.row, np.where(lost, X.shape[1] - 1, cells.col))), shape=X.shape), changed


def show_fdr(asked: argparse.Namespace, rng: np.random.Generator) -> None:
    print("| corpus, design | q ≤ 5 % | false among them | if all words counted | false, nothing planted |")
    settings = [(name, X, labels, None) for name, X, labels in corpora(asked, rng) if X.shape[0] > 100]
    settings += [(name, X, np.zeros(X.shape[0]), cluster) for name, X, cluster in clustered(rng, asked)]
    for name, counts, every_label, cluster in settings:
        if asked.only not in name:
            continue
        filled = np.asarray(counts.sum(axis=1)).ravel() > 0
        X, labels = counts[filled], every_label[filled]
        codes = None if cluster is None else np.unique(cluster[filled], return_inverse=True)[1]
        for formula in ("x", "x + label") if codes is None else ("x",):
            found: list[tuple[float, ...]] = []
            for _ in range(asked.draws):
                x = rng.random(X.shape[0]) < 0.5 if codes is None else (rng.random(codes.max() + 1) < 0.5)[codes]
                about = pl.DataFrame({"x": np.where(x, "a", "b"), "label": labels.astype(str)})
                options = {"confidence": None, "sort": "term", "contrast": "x: a - b"}
                if codes is not None:
                    about, options = about.with_columns(cluster=codes), options | {"cluster": "cluster"}
                shifted, changed = planted(X, x, rng)
                table = keyness(shifted, formula=formula, metadata=about, **options)
                table = table.filter(pl.col("term") < X.shape[1] - 1)
                false = ~changed[table["term"].to_numpy()]
                chosen = table["q_value"].to_numpy() <= 0.05
                every = adjust(table["p_value"].to_numpy()) <= 0.05
                none = keyness(X, formula=formula, metadata=about, **options)["q_value"].to_numpy() <= 0.05
                found.append((chosen.sum(), (chosen & false).sum() / max(chosen.sum(), 1), every.sum(), none.sum()))
            mean = np.mean(found, axis=0)
            error = 100 * np.std(found, axis=0)[1] / max(len(found) - 1, 1) ** 0.5
            about_it = f"{name}, {formula}{'' if codes is None else ', clusters'}"
            print(
                f"| {about_it} | {mean[0]:.0f} | {100 * mean[1]:.1f} ± {error:.1f} % | {mean[2]:.0f} | {mean[3]:.2f} |",
                flush=True,
            )


def negative(x: np.ndarray, matrix: np.ndarray, count: np.ndarray, n: np.ndarray, middle: float) -> float:
    omega = matrix @ x[:-1]
    v = -np.logaddexp(0, omega) - np.logaddexp(0, -omega)
    alpha_0 = np.exp(np.clip(x[-1] - 0.5 * (v - middle), -12, 18))
    alpha, rest = alpha_0 * expit(omega), alpha_0 * expit(-omega)
    return -float(np.sum(betaln(count + alpha, n - count + rest) - betaln(alpha, rest)))


def given_lengths(counts: np.ndarray, lengths: np.ndarray) -> TermCells:
    """The cells of words that are drawn one by one: the lengths of documents are not the sums of their counts."""
    by_term, (distinct, number) = csr_array(counts).tocsc(), np.unique(lengths, return_counts=True)
    sums = [np.asarray(part.sum(axis=0)).ravel().astype(np.int64) for part in (by_term, by_term > 0)]
    own = (by_term.data.astype(np.int32), lengths[by_term.indices].astype(np.int32), np.ones(1))
    return TermCells(by_term.indptr.astype(np.int64), *own, *sums, distinct.astype(np.int64), number.astype(np.int64))


def two_sides(
    rng: np.random.Generator,
    sides: tuple[int, int],
    share: float,
    log_ratio: np.ndarray,
    effect: np.ndarray,
    beside: bool,
) -> tuple[ContrastTest, np.ndarray]:
    """The test of a side of 1,000 tokens a document whose precision is 400 over a ratio; documents with each word."""
    side = np.repeat([1.0, 0.0], sides)[:, None]
    z = np.where(rng.random(side.shape) < 0.5, 1.0, 0.0)
    mean = share * effect**side * (1.5**z if beside else 1.0)
    alpha_0 = 400 / np.exp(side * log_ratio)
    counts = rng.binomial(1_000, rng.beta(alpha_0 * mean, alpha_0 * (1 - mean)))
    matrix = np.hstack([np.ones_like(side), side, *([z] if beside else [])])
    rows, cell = np.unique(matrix, axis=0, return_inverse=True)
    parts = [given_lengths(counts[cell.ravel() == g], np.full((cell == g).sum(), 1_000)) for g in range(len(rows))]
    contrast = Contrast("side", np.eye(matrix.shape[1])[1], np.array([0, 1]))
    return DesignComparison(design_cells(parts), rows).test(contrast), (counts > 0).sum(axis=0)


def show_truth(asked: argparse.Namespace, rng: np.random.Generator) -> None:
    print(
        "| design | documents | ratio | share | b | p ≤ 5 % | higher, lower | p ≤ .1 % | covered | interval disagrees |"
    )
    kinds = {f"{ratio:g}": np.full(asked.words, np.log(ratio)) for ratio in (1, 1.6, 2.7, 8)}
    kinds["N(log 2.7, .5²)"] = rng.normal(np.log(2.7), 0.5, asked.words)
    kinds["1 and 8"] = np.log(8) * (np.arange(asked.words) % 2)
    for beside, sides, (kind, log_ratio), share in product((False, True), SIDES, kinds.items(), (2e-4, 2e-3, 2e-2)):
        found, b = two_sides(rng, sides, share, log_ratio, np.ones(asked.words), beside)
        small, up = found.p_value <= 0.05, found.log_ratio > 0
        inside = (found.ci_low <= 0) & (found.ci_high >= 0)
        size, error = 100 * small.mean(), 100 * (small.std() / asked.words**0.5)
        higher, lower, rare = (
            100 * (small & up).mean(),
            100 * (small & ~up).mean(),
            100 * (found.p_value <= 0.001).mean(),
        )
        what = f"| {'side + z' if beside else 'side'} | {sides[0]}:{sides[1]} | {kind} | {share:g} | {b.mean():.0f} "
        sizes = f"| {size:.1f} ± {error:.1f} | {higher:.1f}, {lower:.1f} | {rare:.2f} "
        print(f"{what}{sizes}| {100 * inside.mean():.1f} | {100 * (inside == small).mean():.1f} |", flush=True)


def show_power(asked: argparse.Namespace, rng: np.random.Generator) -> None:
    print("| documents | share | b | p ≤ 5 % at a ratio of 2 | p ≤ .1 % | covered |")
    effect = np.where(np.arange(asked.words) % 6 == 0, 2.0, 1.0)
    for sides, share in product(SIDES[:2] + SIDES[3:], (2e-4, 5e-4, 2e-3, 2e-2)):
        found, b = two_sides(rng, sides, share, np.zeros(asked.words), effect, False)
        own, true = effect > 1, np.log2(2 * (1 - share) / (1 - 2 * share))
        rates = [100 * (found.p_value[own] <= level).mean() for level in (0.05, 0.001)]
        inside = 100 * ((found.ci_low <= true) & (true <= found.ci_high))[own].mean()
        about = f"{sides[0]}:{sides[1]} | {share:g} | {b[own].mean():.0f}"
        print(f"| {about} | {rates[0]:.1f} | {rates[1]:.1f} | {inside:.1f} |", flush=True)


def show_loglik(asked: argparse.Namespace, rng: np.random.Generator) -> None:
    """The log-likelihood of terms of the inaugural addresses, and that of SciPy's best of four starts."""
    X, about = inaugural(paragraphs=False)
    n = np.asarray(X.sum(axis=1)).ravel()
    year = np.round((np.array([int(year) for year, _ in about]) - 1900) / 50, 1)
    matrix = np.column_stack([np.ones(n.size), year > 0, year])
    rows, cell = np.unique(matrix, axis=0, return_inverse=True)
    found = DesignComparison(design_cells([term_cells(X[cell.ravel() == g]) for g in range(len(rows))]), rows).fit
    b_i = np.asarray((X > 0).sum(axis=0)).ravel()
    worst, better, fits = 0.0, 0, 0
    for i in rng.permutation(np.flatnonzero((b_i >= 10) & (found.status == "converged")))[:40]:
        count = X[:, [i]].toarray().ravel()
        share = count.sum() / n.sum()
        best = np.inf
        for tau in (2.0, 4.0, 6.0, 9.0):
            x = np.array([np.log(share), 0, 0, tau])
            given = (matrix, count, n, np.log(share * (1 - share)))
            x = minimize(negative, x, given, method="BFGS").x
            best = min(best, minimize(negative, x, given, method="Nelder-Mead", options={"fatol": 1e-10}).fun)
        worst, better, fits = max(worst, -best - found.loglik[i]), better + (found.loglik[i] > -best + 1e-6), fits + 1
    print(f"{fits} terms: SciPy is higher by at most {worst:.1e}; termburst is higher by more than 1e-6 in {better}")


def show_degenerate(asked: argparse.Namespace, rng: np.random.Generator) -> None:
    X = rng.poisson([0.0, 0.3, 2.0, 30.0], (60, 4))
    about = pl.DataFrame({"a": ["x", "y"] * 30, "same": ["z"] * 60, "year": np.arange(60)})
    X[:, 1] *= np.arange(60) % 2  # only in y: separation
    for formula in (
        "a",
        "a + year",
        "same",
        "a + C(year)",
        "year + a:year",
        "a + a",
        "0 + year",
        "a +",
        "year + I(year)",
    ):
        began = time.perf_counter()
        try:
            table = keyness(X, formula=formula, metadata=about)
            said = ", ".join(f"{status} {n}" for status, n in table["status"].value_counts().sort("status").rows())
        except ValueError as error:
            said = str(error)
        print(f"{formula!r}: {said} ({time.perf_counter() - began:.2f} s)")


def show_speed(asked: argparse.Namespace, rng: np.random.Generator) -> None:
    from termburst.datasets import load_20newsgroups

    X = Collections().fig4.counts
    labels = np.asarray(load_20newsgroups("train", remove=("headers", "footers", "quotes")).labels)
    about = pl.DataFrame(
        {"group": [f"g{label % 8}" for label in labels], "third": rng.integers(0, 3, labels.size).astype(str)}
    )
    X_35, president = inaugural(paragraphs=False)
    by_president = pl.DataFrame({"president": [name for _, name in president]})
    for name, counts, covariates, formula, contrast in (
        ("20 Newsgroups, 10 columns", X, about, "group + third", "third: 0 - 1"),
        ("20 Newsgroups, 10 columns", X, about, "group + third", None),
        ("inaugural addresses, 36 presidents", X_35, by_president, "president", None),
    ):
        for confidence in (None, 0.95):
            began, used = time.perf_counter(), time.process_time()
            table = keyness(counts, formula=formula, metadata=covariates, contrast=contrast, confidence=confidence)
            took, cpu = time.perf_counter() - began, time.process_time() - used
            what = f"{name}, {counts.shape[1]:,} terms, {table['contrast'].n_unique()} contrasts"
            intervals = "without" if confidence is None else "with"
            print(f"{what} {intervals} intervals: {took:.1f} s, {cpu:.1f} s of processor time", flush=True)


if __name__ == "__main__":
    main()
