"""The figures of the paper and the numbers of §5.2, beside the published ones."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.plr import plr_statistic
from termburst.models.fit_beta_binomial import beta_binomial_log_likelihood
from termburst.models.penalized_mle import penalized_mle
from termburst.models.penalties import named_penalty
from termburst.paper.classification import MU as GRID_MU
from termburst.paper.classification import SIGMA2 as GRID_SIGMA2
from termburst.paper.classification import at_cells, best_cells
from termburst.paper.collections import FIG2_TRUTH, NEWSGROUPS, R8, Collections, Corpus, Fitted
from termburst.paper.drawings import accuracy_grids, approximate_log_likelihood, likelihood_ridge, samples
from termburst.paper.results import PLACES, Row, Section, compare, judged, percent, published
from termburst.plot.corpus import statistic_against_weight
from termburst.plot.fits import log_alpha

Floats = NDArray[np.float64]
Shares = tuple[float, float]  # percentages of terms with α_i < 0.1 and with α_¬i > 10

PRECISIONS = (0.1, 1.0, 10.0, 100.0)  # of Fig. 1
MU, SIGMA2 = 50.0, 4.0  # of Fig. 2
SHARE_BOUND = 7  # of §5.2
_KEYS = ("terms with α_i < 0.1, %", "terms with α_¬i > 10, %")


def fig1(collections: Collections) -> Section:
    """Fig. 1: beta-binomial samples at four precisions."""
    return Section("fig1", pictures={"fig1": samples(PRECISIONS, mean=0.3, length=100, documents=500)})


def fig2(collections: Collections) -> Section:
    """Fig. 2: the ridge of the approximate likelihood, and the penalty that gives it a maximum."""
    counts = collections.fig2
    alpha, alpha_not = best_grid_point(counts)
    fit = penalized_mle(counts, mu=MU, sigma2=SIGMA2)
    note = "best point of a 100 × 100 grid, log-spaced 1e-10..1 by 10..100; Claim 2 itself gives "
    rows = [
        compare("fig2", "α̂_i", alpha, note=f"{note}{fit.alpha[0]:.5f}"),
        compare("fig2", "α̂_¬i", alpha_not, note=f"{note}{fit.alpha_not[0]:.4f}"),
    ]
    return Section("fig2", rows, {"fig2": likelihood_ridge(counts, MU, SIGMA2, FIG2_TRUTH)})


def best_grid_point(counts: NDArray[np.int64]) -> tuple[float, float]:
    """The point with the highest penalised approximate likelihood on the authors' grid."""
    alpha, alpha_not = np.meshgrid(np.geomspace(1e-10, 1, 100), np.geomspace(10, 100, 100), indexing="ij")
    penalty = named_penalty("gamma", MU, SIGMA2).log_density(alpha + alpha_not)
    value = approximate_log_likelihood(counts, alpha, alpha_not) + penalty
    best = np.unravel_index(np.argmax(value), value.shape)
    return float(alpha[best]), float(alpha_not[best])


def fig3(collections: Collections) -> Section:
    """Fig. 3: λ_i against the sum of TF–IDF, over the terms of a simulated collection."""
    counts, alpha = collections.fig3.counts, collections.fig3.alpha
    n_i, b_i = counts.sum(axis=0), (counts > 0).sum(axis=0)
    occurs = b_i > 0
    tf_idf = tf_idf_sum(n_i, b_i, len(counts))
    printed, corrected = plr_statistic(counts), plr_statistic(counts, form="corrected")
    r = correlation(printed, tf_idf)
    r_occurring, r_corrected = (correlation(x[occurs], tf_idf[occurs]) for x in (printed, corrected))
    note = (
        f"over all {b_i.size} terms, {(~occurs).sum()} of which never occur; {r_occurring:.4f} over the {occurs.sum()} "
        f"that do, {r_corrected:.4f} with the corrected λ"
    )
    rows = [
        compare("fig3", "correlation of λ_i with total TF–IDF", r, note=note),
        compare("fig3", "mean document length", float(counts.sum() / len(counts))),
    ]
    return Section("fig3", rows, {"fig3": statistic_against_weight(printed, tf_idf, alpha, occurs)})


def tf_idf_sum(n_i: Any, b_i: Any, documents: int) -> Floats:
    """Σ_j TF–IDF(i, j) = n_i log(d/b_i) of every term, 0 for one that never occurs."""
    return np.asarray(n_i * np.log(documents / np.maximum(b_i, 1)))


def correlation(x: Floats, y: Floats) -> float:
    """Pearson's correlation."""
    return float(np.corrcoef(x, y)[0, 1])


def reuters(collections: Collections) -> Section:
    """§5.2: how often n_ij of all of Reuters-21578 exceeds 7 in log (n_ij − 1)!."""
    counts = collections.reuters.data
    share = percent(counts <= SHARE_BOUND)
    kept = counts[counts < np.percentile(counts, 99.5)]  # as in the authors' script
    note = f"{percent(kept <= SHARE_BOUND):.2f} after dropping counts from the 99.5th percentile up, as the authors do"
    return Section("reuters", [compare("reuters", "nonzero term counts of at most 7, %", share, note=note)])


def fig4(collections: Collections) -> Section:
    """Fig. 4: the beta-binomial fits of every term of 20 Newsgroups."""
    return _fits(NEWSGROUPS, collections)


def fig5(collections: Collections) -> Section:
    """Fig. 5: the beta-binomial fits of every term of R8."""
    return _fits(R8, collections)


def _fits(corpus: Corpus, collections: Collections) -> Section:
    """Fig. 4 or 5 from its collection."""
    name, place = corpus.fits, PLACES[corpus.fits]
    fitted: Fitted = getattr(collections, name)
    fit, theirs = fitted.fit, fitted.published
    boundary, inside = percent(fit.status == "boundary"), fit.status == "converged"
    exact, interior = shares(fit.alpha, fit.alpha_not), shares(fit.alpha[inside], fit.alpha_not[inside])
    as_many = "" if theirs is None else "the authors' file has as many"  # and the same: `Collections` checks it
    rows = [judged(f"{place}: terms", None, len(fitted.terms), as_many)]
    for position, key in enumerate(_KEYS):
        if theirs is None:
            item = f"{place}: {key}, from the published fits"
            rows.append(Row(item, published()[name][key], None, None, f"not done: {fitted.missing}"))
        else:
            from_theirs = shares(theirs.alpha, theirs.alpha_not)[position]
            rows.append(compare(name, key, from_theirs, label=", from the published fits"))
        why = f"{boundary:.1f} % of the terms have no interior maximum: there the binomial (α_0 → ∞) is the best fit"
        rows.append(compare(name, key, exact[position], erratum=3, label=", exact fits, all terms", note=why))
        rows.append(compare(name, key, interior[position], erratum=3, label=", exact fits, interior terms"))
    for term, printed in published()[name]["fits"].items():
        rows += _term_rows(place, fitted, term, printed)
    others = None if theirs is None else (theirs.alpha, theirs.alpha_not)
    return Section(name, rows, {name: log_alpha(fit, others)})


def shares(alpha: Floats, alpha_not: Floats) -> Shares:
    """The percentages of the paper; a term at the boundary has infinite α_i and α_¬i."""
    return percent(alpha < 0.1), percent(alpha_not > 10)


def _term_rows(place: str, fitted: Fitted, term: str, printed: list[str]) -> list[Row]:
    """Two rows, with the log-likelihoods of the published values and of ours."""
    fit, column, theirs = fitted.fit, fitted.statistics.index(term), fitted.published
    n_ij = fitted.counts[:, [column]].toarray().ravel()
    documents = np.column_stack([n_ij, fitted.counts.sum(axis=1).A1 - n_ij])
    pair, elsewhere = (float(printed[0]), float(printed[1])), ""
    if theirs is not None:
        filed = (float(theirs.alpha[column]), float(theirs.alpha_not[column]))
        beside = [judged("", text, value) for text, value in zip(printed, filed, strict=True)]
        if all(row.agrees for row in beside):
            pair = filed  # with all its digits
        else:
            elsewhere = f"; the authors' file has ({', '.join(row.shown() for row in beside)})"
    at_theirs = beta_binomial_log_likelihood(documents, *pair)[0]
    note = f"log-likelihood {fit.loglik[column]:,.3f}; {at_theirs:,.3f} at the published pair{elsewhere}"
    found = (float(fit.alpha[column]), float(fit.alpha_not[column]))
    return [
        judged(f"{place}: {symbol} of {term!r}", text, value, note, erratum=3)
        for symbol, text, value in zip(("α_i", "α_¬i"), printed, found, strict=True)
    ]


def figa1(collections: Collections) -> Section:
    """Fig. A1: accuracy on 20 Newsgroups over μ and σ²."""
    return _grids(NEWSGROUPS, collections)


def figa2(collections: Collections) -> Section:
    """Fig. A2: accuracy on R8 over μ and σ²."""
    return _grids(R8, collections)


def _grids(corpus: Corpus, collections: Collections) -> Section:
    """Fig. A1 or A2: accuracy over μ and σ², as printed and with the μ term of erratum 2."""
    printed, mended = (collections.sensitivity(corpus.split, mu_term=mu_term) for mu_term in (False, True))
    name, place = corpus.grid, PLACES[corpus.grid]
    claimed = at_cells(printed, published()[name]["best cells (μ, σ²)"])
    not_best = " and ".join(f"{value:.5f} at {cell}" for cell, value in claimed.items() if value < printed.max())
    note = f"at {best_cells(mended)}; erratum 2"
    rows = [
        compare(name, "best accuracy", float(printed.max())),
        compare(name, "best cells (μ, σ²)", best_cells(printed), erratum=12, note=not_best),
        judged(f"{place}: best accuracy with the μ term", None, float(mended.max()), note),
    ]
    for i, mu in enumerate(GRID_MU):
        for j, sigma2 in enumerate(GRID_SIGMA2):
            item = f"{place}: accuracy at μ = {mu:g}, σ² = {sigma2:g}"
            row = judged(item, None, float(printed[i, j]), f"{mended[i, j]:.5f} with the μ term")
            rows.append(dataclasses.replace(row, cell=True))
    figure = accuracy_grids({"as printed": printed, "with the μ term": mended})
    return Section(name, rows, {name: figure})
