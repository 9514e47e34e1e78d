"""The errata of the paper, each with numbers that are computed anew: `termburst reproduce errata`.

What the paper says and what is true is in texts.toml. A function here has the numbers that show it: what a number is,
the number itself, the printed one if there is one, and a note.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import expit, gammaln, xlogy

from termburst.datasets import PublishedFits, load_published_fits
from termburst.inference.plr import ClampedTermsWarning, cell_coefficients, plr_statistic
from termburst.models.fit_beta_binomial import beta_binomial_log_likelihood
from termburst.names import Form
from termburst.paper.classification import R8_CLASSES, SCHEMES, at_cells, best_cells
from termburst.paper.collections import CORPORA, FIG2_TRUTH, NEWSGROUPS, R8, Collections, Fitted
from termburst.paper.figures import correlation, tf_idf_sum
from termburst.paper.results import PLACES, Row, Section, judged, percent, published, significant
from termburst.paper.tables import table_rows
from termburst.statistics.term_statistics import as_statistics

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Numbers = Iterator[tuple[Any, ...]]  # what, obtained; then the printed number or None, and a note


def erratum(number: int, collections: Collections) -> Section:
    """The erratum with this number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClampedTermsWarning)  # some errata are about these terms
        rows = [_row(number, *found) for found in ERRATA[number](collections)]
    return Section(f"erratum {number}", rows)


def _row(number: int, what: str, obtained: float | str, printed: str | None = None, note: str = "") -> Row:
    return judged(f"Erratum {number}: {what}", printed, obtained, note, number)


def penalty_once(collections: Collections) -> Numbers:
    """Erratum 1."""
    counts = collections.fig3.counts
    n_i, b_i = frequencies(counts)
    ratio, log_f = likelihood_ratio(counts, counts.sum() / len(counts), 1.0)
    printed, corrected = plr_statistic(counts), plr_statistic(counts, form="corrected")
    yield "`printed` from the unpenalised ratio + log f, at most", significant(_largest(printed - ratio - log_f), 4)
    yield "`printed` from the definition, at most", significant(_largest(printed - ratio - 2 * log_f))
    yield "`corrected` from the definition, at most", significant(_largest(corrected - ratio - 2 * log_f), 4)
    tf_idf, occurs = tf_idf_sum(n_i, b_i, len(counts)), b_i > 0
    yield "r on the terms that occur, `printed`", significant(correlation(printed[occurs], tf_idf[occurs]), 6)
    yield "r on the terms that occur, `corrected`", significant(correlation(corrected[occurs], tf_idf[occurs]), 6)


def mu_assumed(collections: Collections) -> Numbers:
    """Erratum 2."""
    counts, mu = collections.fig3.counts, 30.0
    error = plr_statistic(counts, mu=mu) - sum(likelihood_ratio(counts, mu, 1.0))
    lost = 2 * counts.sum(axis=0) * np.log(mu * len(counts) / counts.sum())
    what = "Fig. 3's collection at μ = 30"
    yield f"{what}, Claim 3 from the unpenalised ratio + log f, at most", significant(_largest(error))
    yield f"{what}, the same after adding 2 n_i log(μd/n)", significant(_largest(error + lost), 3)
    for corpus in CORPORA:
        for mu_term, label in ((False, "as printed"), (True, "with the μ term")):
            best = float(collections.sensitivity(corpus.split, mu_term=mu_term).max())
            what = f"{corpus.name}, best accuracy of the grid {label}"
            yield what, best, published()[corpus.grid]["best accuracy"]


def not_maxima(collections: Collections) -> Numbers:
    """Erratum 3."""
    for corpus in CORPORA:
        fitted: Fitted = getattr(collections, corpus.fits)
        fit, printed = fitted.fit, published()[corpus.fits]
        theirs = _published_fits(fitted, corpus.stem)
        loglik = beta_binomial_log_likelihood(fitted.statistics, theirs.alpha, theirs.alpha_not)
        for bound in (0, 0.01, 1):
            what = f"{corpus.name}, exact fit better by more than {bound:g}, % of terms"
            yield what, percent(fit.loglik - loglik > bound)
        what = f"{corpus.name}, binomial better than the published fit, % of terms"
        yield what, percent(fit.loglik_binomial > loglik)
        yield f"{corpus.name}, terms at the boundary, %", percent(fit.status == "boundary")
        small, large = printed["terms with α_i < 0.1, %"], printed["terms with α_¬i > 10, %"]
        inside = fit.alpha[fit.status == "converged"]
        yield f"{corpus.name}, exact fits with α_i < 0.1, % of all terms", percent(fit.alpha < 0.1), small
        yield f"{corpus.name}, exact fits with α_i < 0.1, % of interior terms", percent(inside < 0.1), small
        yield f"{corpus.name}, exact fits with α_¬i > 10, % of all terms", percent(fit.alpha_not > 10), large
    yield from _ambulance(collections.fig4)
    yield from _vgam(collections.fig4)
    yield from _slips(collections.fig5)


def _published_fits(fitted: Fitted, name: str) -> PublishedFits:
    return fitted.published or load_published_fits(name)  # which says what is missing


def _ambulance(news: Fitted) -> Numbers:
    i = news.statistics.index("ambulance")
    theirs = _published_fits(news, NEWSGROUPS.stem)
    loglik = beta_binomial_log_likelihood(news.statistics, theirs.alpha, theirs.alpha_not)[i]
    yield "log-likelihood of “ambulance” at the published values", significant(loglik, 6)
    yield "log-likelihood of “ambulance”, exact fit", significant(news.fit.loglik[i], 6)


def _vgam(news: Fitted) -> Numbers:
    """The fits of R's VGAM for some of the terms."""
    vgam = load_published_fits("vgam")
    assert vgam.loglik is not None
    assert vgam.status is not None
    done = np.array(vgam.status) == "converged"
    at = np.array([news.statistics.index(term) for term in vgam.terms])[done]
    yield f"terms on which VGAM failed, of {len(vgam)}", int((~done).sum())
    pairs = ((vgam.loglik, news.fit.loglik), (vgam.alpha, news.fit.alpha), (vgam.alpha_not, news.fit.alpha_not))
    loglik, *parameters = (_largest(theirs[done] / ours[at] - 1) for theirs, ours in pairs)
    yield "VGAM's log-likelihoods from ours, relative, at most", rounded_up(loglik, 1)
    yield "VGAM's parameters from ours, relative, at most", rounded_up(max(parameters), 2)


def _slips(r8: Fitted) -> Numbers:
    """The named terms whose printed values are not in the authors' own file: another term's, and one cut off."""
    theirs, printed, at = _published_fits(r8, R8.stem), published()["fig5"]["fits"], r8.statistics.index
    student = at("student")
    columns = (("α_i", theirs.alpha, 0), ("α_¬i", theirs.alpha_not, 1))
    for symbol, values, position in columns:
        for i in (student, student - 1):
            what = f"{symbol} of “{r8.terms[i]}” in the published file"
            yield what, significant(values[i], 7), printed["student"][position]
    cut_off = theirs.alpha_not[at("program")]
    yield "α_¬i of “program” in the published file", significant(cut_off, 7), printed["program"][1]
    yield "occurrences of “student” in R8's training documents", int(r8.statistics.collection_frequency[student])


def transductive(collections: Collections) -> Numbers:
    """Erratum 4."""
    ways = {"transductive": True, "inductive": False}
    for corpus in CORPORA:
        for scheme, printed in zip(SCHEMES, filter(None, published()[corpus.table]["accuracy"]), strict=True):
            for way, own in ways.items():
                accuracy = collections.reports(corpus.split, transductive=own)[scheme]["accuracy"]
                yield f"{corpus.name}, accuracy of {scheme}, {way}", float(accuracy), printed
    for corpus in CORPORA:
        for way, own in ways.items():
            report = collections.reports(corpus.split, transductive=own)
            agree = [cell.agrees for cell in table_rows(corpus.table, report, report)]
            yield f"cells of {PLACES[corpus.table]} obtained, of {len(agree)}, {way}", agree.count(True)


def condition_reversed(collections: Collections) -> Numbers:
    """Erratum 5."""
    for corpus in CORPORA:
        train = getattr(collections, corpus.split).train
        n_i, b_i = frequencies(train)
        # The setting of the tables, and the smallest η² of Fig. A1 and A2.
        for mu, sigma2 in ((float(train.sum() / train.shape[0]), 1.0), (30.0, 5.0)):
            eta2 = mu**2 / sigma2
            setting = f"{corpus.name}, μ = {round(mu, 2):g}, σ² = {sigma2:g}"
            yield f"{setting}: terms with α̂_0 ≤ 0", int((b_i - n_i - 1 + eta2 <= 0).sum())
            if corpus is CORPORA[0] and sigma2 == 1:
                holds = int((eta2 > b_i - n_i - 1).sum())
                yield f"{setting}: terms for which the printed condition holds", holds


def clamp(collections: Collections) -> Numbers:
    """Erratum 6: the most repeated term of Fig. 3's collection."""
    counts = collections.fig3.counts
    n_i, b_i = frequencies(counts)
    i = int(np.argmax(n_i - b_i))
    mu, r, margin = counts.sum() / len(counts), int(n_i[i] - b_i[i] + 1), 1e-6

    def statistic(form: Form, margin: float) -> float:
        return float(plr_statistic(counts, mu=mu, sigma2=mu**2 / (r + margin), form=form)[i])

    clamped = statistic("printed", margin)
    unclamped = clamped + (margin - r + 1) * np.log(margin)  # the term that the clamp makes zero
    yield f"λ_i of Claim 3 at η² − r_i = 1, r_i = {r}", significant(statistic("printed", 1.0), 6)
    yield f"λ_i of Claim 3 at η² − r_i = 1e-6, r_i = {r}", significant(unclamped, 6)
    yield "λ_i of Claim 3 with max(1, η² − r_i) at η² − r_i = 1e-6", significant(clamped, 6)
    yield "λ_i corrected at η² − r_i = 1e-6", significant(statistic("corrected", margin), 6)
    pair = np.column_stack([counts[:, i], counts.sum(axis=1) - counts[:, i]])
    with np.errstate(invalid="ignore"):  # the estimate of the complement is invalid, but not used
        ratio, log_f = likelihood_ratio(pair, mu, mu**2 / (r + margin))
    yield "λ_i by its definition at η² − r_i = 1e-6", significant((ratio + 2 * log_f)[0], 6)


def claim_1_needs_more(collections: Collections) -> Numbers:
    """Erratum 7."""

    def quotient(n_ij: int, n_j: int, alpha_0: float, alpha: float) -> float:
        exact = stats.betabinom.logpmf(n_ij, n_j, alpha, alpha_0 - alpha)
        return float(np.exp(claim_1(n_ij, n_j, alpha, alpha_0 - alpha) - exact))

    for n_ij, n_j in ((1, 165), (3, 75), (3, 165)):
        what = f"Claim 1's pmf over the exact one at n_ij = {n_ij}, n_j = α_0 = {n_j}"
        yield what, significant(quotient(n_ij, n_j, n_j, 0.001))
    total = np.exp(claim_1(np.arange(166), 165, 0.1, 164.9)).sum()
    yield "sum of Claim 1's pmf at α_i = 0.1, n_j = α_0 = 165", significant(float(total))
    alone = quotient(5, 5, 10**6, 1e-6)
    yield "the pmfs' quotient in a document without the complement", significant(alone, 6)


def ridge(collections: Collections) -> Numbers:
    """Erratum 8, in the window of Fig. 2: α_i from 1e-10 to 1, α_¬i from 10 to 100."""
    counts = collections.fig2
    n_ij, n_j = counts[:, 0], counts.sum(axis=1)
    n_i, b_i = (int(x[0]) for x in frequencies(counts))
    rest = int(n_j.sum() - n_i)

    def likelihood(alpha: Any, alpha_not: Any) -> Floats:
        """Claim 1 summed over the documents, without the coefficients."""
        alpha, alpha_not = np.asarray(alpha)[..., None], np.asarray(alpha_not)[..., None]
        return np.asarray(claim_1(n_ij, n_j, alpha, alpha_not).sum(axis=-1))

    along, across = np.geomspace(10.0, 100.0, 1001), np.geomspace(1e-10, 1.0, 1001)
    on_ray = np.ptp(likelihood(b_i / rest * along, along))
    yield "range of ℓ along the ray through Fig. 2's window", significant(on_ray)
    level = np.ptp(likelihood(across, 50.0 - across))
    yield "range of ℓ along α_0 = 50 through Fig. 2's window", significant(level)
    step = 1e-4  # of a central difference
    up, down = (likelihood(*(np.array(FIG2_TRUTH) * (1 + s))) for s in (step, -step))
    yield "α·∇ℓ on Fig. 2's collection", round(float(up - down) / (2 * step), 4), None, "b_i − n_i"
    high, low = (likelihood(a * b_i / (b_i + rest), a * rest / (b_i + rest)) for a in (1e-9, 50.0))
    yield "rise of ℓ along the ray from α_0 = 50 to 1e-9", significant(float(high - low))


def most_terms(collections: Collections) -> Numbers:
    """Erratum 9."""
    for corpus in CORPORA:
        n_i, b_i = frequencies(getattr(collections, corpus.split).train)
        few = percent(30.0**2 / 5 - (n_i - b_i + 1) < 1)
        yield f"{corpus.name}, terms with η² − r_i < 1 at (30, 5), %", few


def small_counts(collections: Collections) -> Numbers:
    """Erratum 10."""
    yield "log (n_ij − 1)! at n_ij = 2", float(gammaln(2.0))
    counts = collections.newsgroups.train.data
    yield "20 Newsgroups, nonzero counts that are 1, %", percent(counts == 1)
    yield "20 Newsgroups, nonzero counts that are 1 or 2, %", percent(counts <= 2)
    for corpus in CORPORA:
        median = absent_weight(getattr(collections, corpus.split).train, 0.5)
        yield f"{corpus.name}, median of S(λ_ij) on absent cells", significant(median)


def absent_weight(counts: Any, share: float) -> float:
    """A quantile of S(λ_ij) over all cells where the term does not occur.

    There λ_ij is linear in n_j and depends only on n_i and b_i. So the 1e9 cells are not listed but counted.
    """
    packed = cell_coefficients(as_statistics(counts, "frequencies"), None, 1.0).packed
    kinds, kind = np.unique(packed[:, [0, 3]], axis=0, return_inverse=True)  # per token, and per document
    length, length_of = np.unique(np.asarray(counts.sum(axis=1)).ravel(), return_inverse=True)
    cells = np.outer(np.bincount(kind), np.bincount(length_of))
    np.subtract.at(cells, (kind[counts.indices], np.repeat(length_of, np.diff(counts.indptr))), 1)
    weights = expit(np.outer(kinds[:, 0], length) + kinds[:, 1:]).ravel()
    order = np.argsort(weights)
    upto = np.cumsum(cells.ravel()[order])
    return float(weights[order][np.searchsorted(upto, share * upto[-1])])


def sizes(collections: Collections) -> Numbers:
    """Erratum 11."""
    for corpus in CORPORA:
        split, printed = getattr(collections, corpus.split), published()[corpus.split]["unique terms"]
        yield f"{corpus.name}, terms of the training documents", split.train.shape[1], printed
        yield f"{corpus.name}, terms of all documents", split.whole_vocabulary, printed
    for key, classes in R8_CLASSES.items():
        what = key.removeprefix("share of ").removesuffix(", %")
        for which, share in collections.r8.shares(classes).items():
            yield f"R8, share of {what}, {which} documents, %", share, published()["r8"][key]
    yield "20 Newsgroups, terms of the training posts of Fig. 4", len(collections.fig4.terms)


def best_settings(collections: Collections) -> Numbers:
    """Erratum 12."""
    for corpus in CORPORA:
        figure, said = PLACES[corpus.grid], published()[corpus.grid]
        grid = collections.sensitivity(corpus.split, mu_term=False)
        yield f"{figure}, best accuracy", float(grid.max()), said["best accuracy"]
        for cell, found in at_cells(grid, said["best cells (μ, σ²)"]).items():
            yield f"{figure}, accuracy at {cell}", found, said["best accuracy"]
        yield f"{figure}, best cells (μ, σ²)", best_cells(grid)


ERRATA: dict[int, Callable[[Collections], Numbers]] = {
    1: penalty_once, 2: mu_assumed, 3: not_maxima, 4: transductive, 5: condition_reversed, 6: clamp,
    7: claim_1_needs_more, 8: ridge, 9: most_terms, 10: small_counts, 11: sizes, 12: best_settings,
}  # fmt: skip


def frequencies(counts: Any) -> tuple[Integers, Integers]:
    """n_i and b_i of the terms of a count matrix.

    >>> frequencies(np.array([[2, 1], [0, 3]]))
    (array([2, 4]), array([1, 2]))
    """
    return np.asarray(counts.sum(axis=0)).ravel(), np.asarray((counts > 0).sum(axis=0)).ravel()


def claim_1(n_ij: Any, n_j: Any, alpha: Any, alpha_not: Any) -> Floats:
    """The logarithm of Eq. bcb-approx-1, (n_j!/n_¬ij!) (α_i/n_ij)^b_ij α_¬i^n_¬ij / α_0i^n_j, also if α_i = 0.

    >>> float(claim_1(1, 2, 0.5, 1.5).round(6))  # 2 · 0.5 · 1.5 / 4
    -0.980829
    """
    b_ij, n_not = np.asarray(n_ij) > 0, n_j - np.asarray(n_ij)
    value = gammaln(np.asarray(n_j) + 1) - gammaln(n_not + 1) + xlogy(b_ij, alpha) - xlogy(b_ij, np.maximum(n_ij, 1))
    return np.asarray(value + n_not * np.log(alpha_not) - n_j * np.log(alpha + alpha_not))


def likelihood_ratio(counts: Integers, mu: float, sigma2: float) -> tuple[Floats, Floats]:
    """The two parts of λ_i = −2(ℓ_0 − ℓ_1): the ratio without log f(α̂_0) in ℓ_1, and log f(α̂_0), which enters twice.

    Document by document: SciPy's binomial, Claim 1 at Claim 2's estimates, and SciPy's gamma density.

    >>> ratio, log_f = likelihood_ratio(np.array([[4, 21], [0, 25], [0, 23], [0, 24]]), 24.25, 1.0)
    >>> (ratio + 2 * log_f).round(3)[:1]
    array([4.906])
    """
    n_j, n = counts.sum(axis=1), counts.sum()
    n_i, b_i = frequencies(counts)
    alpha_0 = sigma2 / mu * (b_i - n_i - 1 + mu**2 / sigma2)
    alpha, alpha_not = alpha_0 * b_i / (b_i + n - n_i), alpha_0 * (n - n_i) / (b_i + n - n_i)
    null = stats.binom.logpmf(counts, n_j[:, None], n_i / n).sum(axis=0)
    bursty = claim_1(counts, n_j[:, None], alpha, alpha_not).sum(axis=0)
    return -2 * (null - bursty), stats.gamma(mu**2 / sigma2, scale=sigma2 / mu).logpdf(alpha_0)


def rounded_up(value: float, digits: int) -> float:
    """The value rounded up to this number of significant digits, for a statement with "at most".

    >>> rounded_up(1.046e-4, 2)
    0.00011
    """
    step = 10.0 ** (np.floor(np.log10(value)) - digits + 1)
    return significant(float(np.ceil(value / step) * step), digits)


def _largest(difference: Floats) -> float:
    return float(np.abs(difference).max())
