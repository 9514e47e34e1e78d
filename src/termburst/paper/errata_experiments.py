"""Errata of the experiments: transduction (4), invalid terms (9), small counts (10), sizes (11), best cells (12)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln

from termburst.inference.plr import ClampedTermsWarning, plr_contributions
from termburst.paper import from_scratch
from termburst.paper.classification import MU, R8_CLASSES, SCHEMES, SIGMA2, Split, at_cells, best_cells
from termburst.paper.collections import CORPORA, Collections
from termburst.paper.markdown import percent, rendered, significant
from termburst.paper.results import PLACES, Erratum, published
from termburst.paper.results import erratum_row as row
from termburst.paper.tables import table_rows

Floats = NDArray[np.float64]


def transductive(collections: Collections) -> Erratum:
    """Erratum 4."""
    rows, accuracies, cells, ways = [], [], [], {"transductive": True, "inductive": False}
    for corpus in CORPORA:
        printed_accuracies = filter(None, published()[corpus.table]["accuracy"])
        for scheme, printed in zip(SCHEMES, printed_accuracies, strict=True):
            found = {way: collections.accuracy(corpus.split, scheme, transductive=own) for way, own in ways.items()}
            accuracies.append((f"{corpus.name}, {scheme}", printed, *found.values()))
            for way, value in found.items():
                rows.append(row(4, f"{corpus.name}, accuracy of {scheme}, {way}", value, printed))
    for corpus in CORPORA:
        reports = {way: collections.reports(corpus.split, transductive=own) for way, own in ways.items()}
        tables = {way: table_rows(corpus.table, report, report) for way, report in reports.items()}
        agreeing = {way: sum(bool(cell.agrees) for cell in table) for way, table in tables.items()}
        place, number = PLACES[corpus.table], len(tables["inductive"])
        cells.append((f"{place} ({corpus.name})", agreeing.values(), number))
        rows += [row(4, f"cells of {place} obtained, of {number}, {way}", k) for way, k in agreeing.items()]
    inductive_r8 = collections.accuracy("r8", "TF–IDF", transductive=False)
    text = rendered("errata", "erratum_4", cells=cells, accuracies=accuracies, inductive_r8=inductive_r8)
    return Erratum(4, text, rows)


def most_terms(collections: Collections) -> Erratum:
    """Erratum 9."""
    settings = [(30.0, sigma2) for sigma2 in SIGMA2 if sigma2 > 1] + [(60.0, 5.0), (180.0, 5.0)]
    splits = {corpus.name: getattr(collections, corpus.split) for corpus in CORPORA}
    repeats = {name: from_scratch.repeats(split.train) for name, split in splits.items()}
    few = {(mu, s): [percent(mu**2 / s - r < 1) for r in repeats.values()] for mu, s in settings}
    text = rendered(
        "errata", "erratum_9", few=few, twice=[percent(r <= 2) for r in repeats.values()],
        most=[max(percent(mu**2 / s - r < 1) for mu in MU for s in SIGMA2) for r in repeats.values()],
        flattened=[_flattened(split) for split in splits.values()],
    )  # fmt: skip
    what = "terms with η² − r_i < 1 at (30, 5), %"
    return Erratum(9, text, [row(9, f"{name}, {what}", percent(180.0 - r < 1)) for name, r in repeats.items()])


def small_counts(collections: Collections) -> Erratum:
    """Erratum 10."""
    news, r8, reuters = collections.newsgroups.train, collections.r8.train, collections.reuters
    named = {"20 Newsgroups": news, "R8": r8, "Reuters-21578, stop words kept": reuters}
    small = {what: [percent(X.data <= most) for most in (1, 2, 7)] for what, X in named.items()}
    absent = {what: _absent_weights(X) for what, X in (("20 Newsgroups", news), ("R8", r8))}
    text = rendered(
        "errata", "erratum_10", tracks=gammaln(np.arange(1, 9)) + 0.0, small=small, absent=absent,
        present=[percent(_present_weights(X) < 0.49) for X in (news, r8)],
    )  # fmt: skip
    return Erratum(
        10,
        text,
        [
            row(10, "log (n_ij − 1)! at n_ij = 2", float(gammaln(2.0))),
            row(10, "20 Newsgroups, nonzero counts that are 1, %", small["20 Newsgroups"][0]),
            row(10, "20 Newsgroups, nonzero counts that are 1 or 2, %", small["20 Newsgroups"][1]),
            *(
                row(10, f"{what}, median of S(λ_ij) on absent cells", significant(found[1]))
                for what, (found, _) in absent.items()
            ),
        ],
    )


def sizes(collections: Collections) -> Erratum:
    """Erratum 11."""
    rows, vocabularies, classes = [], [], []
    for corpus in CORPORA:
        split, printed = getattr(collections, corpus.split), published()[corpus.split]["unique terms"]
        terms = {"the training": split.train.shape[1], "all": split.whole_vocabulary}
        vocabularies.append((corpus.name, printed, *terms.values()))
        rows += [row(11, f"{corpus.name}, terms of {which} documents", k, printed) for which, k in terms.items()]
    for key, of_classes in R8_CLASSES.items():
        shares, printed = collections.r8.shares(of_classes), published()["r8"][key]
        what = key.removeprefix("share of ").removesuffix(", %")
        classes.append((what, printed, shares.values()))
        rows += [row(11, f"R8, share of {what}, {which} documents, %", x, printed) for which, x in shares.items()]
    fitted = len(collections.fig4.terms)
    text = rendered(
        "errata", "erratum_11", vocabularies=vocabularies, classes=classes, fitted=fitted,
        classified=collections.newsgroups.train.shape[1],
    )  # fmt: skip
    return Erratum(11, text, [*rows, row(11, "20 Newsgroups, terms of the training posts of Fig. 4", fitted)])


def best_settings(collections: Collections) -> Erratum:
    """Erratum 12."""
    lines, rows = [], []
    for corpus in CORPORA:
        figure, said = PLACES[corpus.grid], published()[corpus.grid]
        printed, claimed = said["best accuracy"], said["best cells (μ, σ²)"]
        grid, split = collections.sensitivity(corpus.split, mu_term=False), getattr(collections, corpus.split)
        best = float(grid.max())
        lines.append((f"{figure}, {corpus.name}: best", printed, best, best_cells(grid), 0))
        rows.append(row(12, f"{figure}, best accuracy", best, printed))
        for cell, found in at_cells(grid, claimed).items():
            behind = round((best - found) * split.test.shape[0])
            lines.append((f"{figure}, {corpus.name}: at {cell}", printed, found, cell, behind))
            rows.append(row(12, f"{figure}, accuracy at {cell}", found, printed))
        rows.append(row(12, f"{figure}, best cells (μ, σ²)", best_cells(grid), None))
    return Erratum(12, rendered("errata", "erratum_12", lines=lines), rows)


def _flattened(split: Split) -> int:
    """Valid terms that max(1, ·) flattens, over the table's setting and the 36 of the grid, training and test."""
    mean = float(split.train.sum() / split.train.shape[0])
    settings = [mean**2, *(mu**2 / sigma2 for mu in MU for sigma2 in SIGMA2)]
    margins = (eta2 - from_scratch.repeats(part) for part in (split.train, split.test) for eta2 in settings)
    return sum(int(((margin > 0) & (margin < 1)).sum()) for margin in margins)


def _absent_weights(counts: Any) -> tuple[list[float], int]:
    """Percentiles 1, 50 and 99 of S(λ_ij) over all cells where the term does not occur, and the number of these cells.

    There λ_ij depends only on n_i, b_i and n_j. So the 1e9 cells are not listed but counted by these three.
    """
    n_i, b_i = from_scratch.frequencies(counts)
    n_j = np.asarray(counts.sum(axis=1)).ravel()
    d, n = counts.shape[0], int(n_j.sum())
    mu = n / d
    (kind_n, kind_b), kind = np.unique(np.stack([n_i, b_i]), axis=1, return_inverse=True)
    length, length_of = np.unique(n_j, return_inverse=True)
    cells = np.outer(np.bincount(kind), np.bincount(length_of))
    np.subtract.at(cells, (kind[counts.indices], np.repeat(length_of, np.diff(counts.indptr))), 1)
    r, eta2 = kind_n - kind_b + 1, mu**2
    shared = (eta2 - 2 * r + 1) * np.log(np.maximum(1.0, eta2 - r)) - (eta2 - 1.5) * np.log(eta2) + r
    per_term = (shared - np.log(mu)) / (2 * d)
    weights = expit(np.log(n / (kind_b + n - kind_n))[:, None] * length + per_term[:, None]).ravel()
    order = np.argsort(weights)
    upto = np.cumsum(cells.ravel()[order])
    positions = np.searchsorted(upto, np.array([0.01, 0.5, 0.99]) * upto[-1])
    return weights[order][positions].tolist(), int(upto[-1])


def _present_weights(counts: Any) -> Floats:
    """S(λ_ij) on the cells where the term occurs, at μ = n/d and σ² = 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClampedTermsWarning)
        return np.asarray(expit(plr_contributions(counts).data))
