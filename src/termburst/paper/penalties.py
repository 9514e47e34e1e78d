"""Other penalties than the gamma: λ in closed form, how it ranks the terms, and how it classifies."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from termburst.inference.plr import CellCoefficients, ClampedTermsWarning, plr_statistic
from termburst.models import closed_forms as forms
from termburst.models.penalties import PENALTIES, named_penalty
from termburst.paper.beyond import DECIMALS, Floats, Numbers, numbered_rows, repeats_in, spearman, tf_idf_sum, top
from termburst.paper.classification import Split, accuracy, predicted
from termburst.paper.collections import CORPORA, Collections
from termburst.paper.figures import correlation
from termburst.paper.markdown import rendered, table
from termburst.paper.results import Row, Section
from termburst.statistics.term_statistics import TermStatistics, as_statistics

LENGTHS = (0.5, 1.0, 2.0)  # μ, as multiples of the mean document length
VARIANCES = (0.5, 1.0, 5.0, 100.0)


def cell_weights(counts: Any, statistics: TermStatistics, penalty: str, mu: float, sigma2: float) -> Floats:
    """S(λ_ij) of the stored cells, with the penalty twice and its log f in equal shares: Σ_j λ_ij = λ_i/2.

    λ_ij = n_ij icf − b_ij idf + log (n_ij − 1)! + n_j log(n/(b_i + n_¬i)) + (n_ij − b_ij) log((b_i + n_¬i)/(d α̂_0))
    − n_ij log(n/d) + log f(α̂_0)/d. Where the gamma penalty has no α̂_0, it is taken at η² − r_i = 1.
    """
    d, n = statistics.documents, statistics.tokens
    n_i, b_i = statistics.collection_frequency, statistics.document_frequency
    r_i = np.asarray(forms.repeats(n_i, b_i), dtype=np.float64)
    if penalty == "gamma":
        r_i = np.minimum(r_i, max(mu / sigma2 * mu - 1, 0.5 * mu / sigma2 * mu))
    log_alpha_0, log_f = named_penalty(penalty, mu, sigma2).log_at_precision(r_i)
    seen = n_i > 0
    excess = forms.excess_share(forms.NUMPY, n, n_i, b_i, d) - log_alpha_0
    per_count = np.where(seen, forms.icf(forms.NUMPY, n, np.maximum(n_i, 1)) + excess - np.log(n / d), 0.0)
    once = per_count - excess - forms.idf(forms.NUMPY, d, np.maximum(b_i, 1)) + log_f / d
    per_length = -np.asarray(forms.NUMPY.log_one_minus(n_i - b_i, n))
    packed = np.column_stack([per_length, np.where(seen, once, 0.0), per_count, log_f / d])
    return CellCoefficients(packed)(counts, sigmoid=True)


def accuracies(split: Split, penalty: str, mu: float, sigma2: float) -> float:
    """The accuracy of naive Bayes on S(λ_ij), transductive as in the paper."""
    statistics = [as_statistics(counts, "frequencies") for counts in (split.train, split.test)]
    weights = [
        cell_weights(counts, s, penalty, mu, sigma2)
        for counts, s in zip((split.train, split.test), statistics, strict=True)
    ]
    return accuracy(split, predicted(split, *weights))


def penalties(collections: Collections) -> Section:
    """How λ, its correlation with TF–IDF, its ranking and its classification change with the penalty."""
    rows: list[Row] = []
    counts = collections.fig3.counts
    simulated = as_statistics(counts, "moments")
    tf_idf = tf_idf_sum(simulated.collection_frequency, simulated.document_frequency, simulated.documents)
    lines = []
    for length in LENGTHS:
        for sigma2 in VARIANCES:
            mu = length * simulated.mean_length
            found = {name: correlation(_scores(simulated, name, mu, sigma2), tf_idf) for name in PENALTIES}
            lines.append([f"{length:g} n/d", f"{sigma2:g}", *found.values()])
            rows += numbered_rows(f"Penalties, Fig. 3's collection, r at μ = {length:g} n/d, σ² = {sigma2:g}", found)
    ranking, classes = [], []
    for corpus in CORPORA:
        statistics, split = getattr(collections, corpus.fits).statistics, getattr(collections, corpus.split)
        for sigma2 in VARIANCES:
            numbers = _agreement(statistics, sigma2)
            ranking.append([corpus.name, f"{sigma2:g}", *numbers.values()])
            rows += numbered_rows(f"Penalties, {corpus.name}, σ² = {sigma2:g}", numbers)
        mean = float(split.train.sum() / split.train.shape[0])
        for length in LENGTHS:
            for sigma2 in VARIANCES:
                found = {name: accuracies(split, name, length * mean, sigma2) for name in PENALTIES}
                classes.append([corpus.name, f"{length:g} n/d", f"{sigma2:g}", *found.values()])
                what = f"Penalties, {corpus.name}, accuracy at μ = {length:g} n/d, σ² = {sigma2:g}"
                rows += numbered_rows(what, found, cell=True)
    text = rendered(
        "report", "penalties", fig3=table(["μ", "σ²", *PENALTIES], lines, "llrrr"),
        ranking=table(["collection", "σ²", *numbers], ranking, "ll" + "r" * len(numbers)),
        classes=table(["collection", "μ", "σ²", *PENALTIES], classes, "lllrrr"),
    )  # fmt: skip
    return Section("penalties", text, rows)


def _scores(statistics: TermStatistics, penalty: str, mu: float, sigma2: float) -> Floats:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClampedTermsWarning)
        return np.round(plr_statistic(statistics, mu=mu, sigma2=sigma2, form="corrected", penalty=penalty), DECIMALS)


def _agreement(statistics: TermStatistics, sigma2: float) -> Numbers:
    """Spearman's ρ with the gamma's λ over the terms that repeat, and how many of the hundred largest are the same.

    Terms that never repeat all have the same λ, whatever the penalty.
    """
    mu = statistics.mean_length
    scores = {name: _scores(statistics, name, mu, sigma2) for name in PENALTIES}
    eta2 = mu / sigma2 * mu
    clamped = forms.repeats(statistics.collection_frequency, statistics.document_frequency) >= eta2
    found: Numbers = {"terms clamped by the gamma": float(np.sum(clamped))}
    again = repeats_in(statistics)
    first = set(top(scores["gamma"], 100))
    for name in list(PENALTIES)[1:]:
        found[f"ρ, {name} and gamma"] = spearman(scores["gamma"][again], scores[name][again])
        found[f"of the top 100, {name}"] = float(len(first & set(top(scores[name], 100))))
    return found
