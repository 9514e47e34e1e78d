"""Errata of λ_i and of its model.

The penalty (1), μ (2), the condition (5), the clamp (6), the conditions of Claim 1 (7), the ridge of Fig. 2 (8).
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from termburst.inference.plr import ClampedTermsWarning, plr_statistic
from termburst.names import FORMS, Form
from termburst.paper import from_scratch
from termburst.paper.beyond import tf_idf_sum
from termburst.paper.classification import MU, best_cells
from termburst.paper.collections import CORPORA, FIG2_TRUTH, Collections
from termburst.paper.figures import correlation
from termburst.paper.from_scratch import claim_1
from termburst.paper.markdown import rendered, significant
from termburst.paper.results import PLACES, Erratum, Row, published
from termburst.paper.results import erratum_row as row

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

FIG3_SIGMA2 = 1.0
WORST = (30.0, 5.0)  # (μ, σ²) with the smallest η² of Fig. A1 and A2
MARGINS = (100.0, 10.0, 2.0, 1.0, 0.5, 0.1, 1e-2, 1e-4, 1e-6)  # η² − r_i
SETTINGS = ((75, 75), (165, 165), (165, 16_500))  # (n_j, α_0): the paper's mean lengths, rounded, also the precision
SMALL_ALPHA = 0.001
WINDOW = (10.0, 100.0)  # range of α_¬i in Fig. 2
WINDOW_ALPHA = (1e-10, 1.0)  # range of α_i there


def penalty_once(collections: Collections) -> Erratum:
    """Erratum 1."""
    counts = collections.fig3.counts
    n_i, b_i = counts.sum(axis=0), (counts > 0).sum(axis=0)
    d, mu = len(counts), float(counts.sum() / len(counts))
    scratch = from_scratch.likelihood_ratio(counts, mu, FIG3_SIGMA2)
    ours = {form: plr_statistic(counts, sigma2=FIG3_SIGMA2, form=form) for form in FORMS}
    once = _largest(ours["printed"] - (scratch.unpenalised + scratch.log_f))
    away = {form: _largest(value - scratch.definition) for form, value in ours.items()}
    tf_idf = tf_idf_sum(n_i, b_i, d)
    r = {form: [correlation(ours[form][which], tf_idf[which]) for which in (b_i >= 0, b_i > 0)] for form in FORMS}
    text = rendered(
        "errata", "erratum_1", n_i=n_i, b_i=b_i, d=d, mu=mu, sigma2=FIG3_SIGMA2, once=once, away=away, r=r,
        log_f=-scratch.log_f, printed=ours["printed"], definition=scratch.definition,
        worst=int(np.argmax(np.abs(ours["printed"] - scratch.definition))),
    )  # fmt: skip
    return Erratum(
        1,
        text,
        [
            row(1, "`printed` from the unpenalised ratio + log f, at most", significant(once, 4)),
            row(1, "`printed` from the definition, at most", significant(away["printed"])),
            row(1, "`corrected` from the definition, at most", significant(away["corrected"], 4)),
            row(1, "r on the terms that occur, `printed`", significant(r["printed"][1], 6)),
            row(1, "r on the terms that occur, `corrected`", significant(r["corrected"][1], 6)),
        ],
    )


def mu_assumed(collections: Collections) -> Erratum:
    """Erratum 2."""
    counts = collections.fig3.counts
    n_i, n, d = counts.sum(axis=0), int(counts.sum()), len(counts)
    worst, mended = {}, {}
    for mu in MU:
        scratch = from_scratch.likelihood_ratio(counts, mu, FIG3_SIGMA2)
        error = plr_statistic(counts, mu=mu, sigma2=FIG3_SIGMA2) - (scratch.unpenalised + scratch.log_f)
        worst[mu], mended[mu] = _largest(error), _largest(error + 2 * n_i * np.log(mu * d / n))
    what = "Fig. 3's collection at μ = 30"
    rows = [
        row(2, f"{what}, Claim 3 from the unpenalised ratio + log f, at most", significant(worst[30.0])),
        row(2, f"{what}, the same after adding 2 n_i log(μd/n)", significant(mended[30.0], 3)),
    ]
    grids, lengths = [], []
    for corpus in CORPORA:
        what, printed = corpus.name, published()[corpus.grid]["best accuracy"]
        for mu_term, how, label in ((False, "as printed", "as printed"), (True, "with the term", "with the μ term")):
            grid = collections.sensitivity(corpus.split, mu_term=mu_term)
            grids.append((f"{what} ({PLACES[corpus.grid]}), {how}", grid, best_cells(grid)))
            rows.append(row(2, f"{what}, best accuracy of the grid {label}", float(grid.max()), printed))
        split = getattr(collections, corpus.split)
        mu, own = (float(part.sum() / part.shape[0]) for part in (split.train, split.test))
        lengths.append((what, mu, own, np.log(mu / own)))
    text = rendered(
        "errata", "erratum_2", mean_length=n / d, sigma2=FIG3_SIGMA2, worst=worst, mended=mended, grids=grids,
        lengths=lengths,
    )  # fmt: skip
    return Erratum(2, text, rows)


def condition_reversed(collections: Collections) -> Erratum:
    """Erratum 5."""
    settings: list[dict[str, Any]] = []
    rows: list[Row] = []
    for corpus in CORPORA:
        train = getattr(collections, corpus.split).train
        n_i, b_i = from_scratch.frequencies(train)
        for mu, sigma2 in ((float(train.sum() / train.shape[0]), 1.0), WORST):
            eta2 = mu**2 / sigma2
            alpha_0 = sigma2 / mu * (b_i - n_i - 1 + eta2)
            i = int(np.argmin(alpha_0))
            line = {
                "setting": f"{corpus.name}, μ = {round(mu, 2):g}, σ² = {sigma2:g}", "eta2": eta2, "terms": len(n_i),
                "printed": int((eta2 > b_i - n_i - 1).sum()), "right": int((eta2 > n_i - b_i + 1).sum()),
                "invalid": int((alpha_0 <= 0).sum()), "n_i": int(n_i[i]), "b_i": int(b_i[i]), "alpha_0": alpha_0[i],
            }  # fmt: skip
            rows.append(row(5, f"{line['setting']}: terms with α̂_0 ≤ 0", line["invalid"]))
            if not settings:
                rows.append(row(5, f"{line['setting']}: terms for which the printed condition holds", line["printed"]))
            settings.append(line)
    return Erratum(5, rendered("errata", "erratum_5", settings=settings), rows)


def clamp(collections: Collections) -> Erratum:
    """Erratum 6."""
    counts = collections.fig3.counts
    d, n = len(counts), int(counts.sum())
    mu, n_i, b_i = n / d, counts.sum(axis=0), (counts > 0).sum(axis=0)
    i = int(np.argmax(n_i - b_i))
    r = int(n_i[i] - b_i[i] + 1)
    sweep = {}  # margin → Claim 3, with the clamp, corrected, by the definition
    for margin in MARGINS:
        sigma2 = mu**2 / (r + margin)
        pair = np.column_stack([counts[:, i], counts.sum(axis=1) - counts[:, i]])
        with np.errstate(invalid="ignore"):  # the estimate of the complement is invalid, but not used
            definition = float(from_scratch.likelihood_ratio(pair, mu, sigma2).definition[0])
        forms: tuple[Form, ...] = ("printed", "corrected")
        clamped, corrected = (_one(counts, i, mu, sigma2, form) for form in forms)
        sweep[margin] = from_scratch.claim_3(counts[:, i], d, n, mu, sigma2), clamped, corrected, definition
    slopes = [(_clamped_term(1 + s, r) - _clamped_term(1, r)) / s for s in (1e-6, -1e-6)]
    unclamped, clamped, corrected, definition = sweep[1e-6]
    return Erratum(
        6,
        rendered("errata", "erratum_6", n_i=n_i[i], b_i=b_i[i], r=r, mu=mu, sweep=sweep, slopes=slopes),
        [
            row(6, f"λ_i of Claim 3 at η² − r_i = 1, r_i = {r}", significant(sweep[1.0][0], 6)),
            row(6, f"λ_i of Claim 3 at η² − r_i = 1e-6, r_i = {r}", significant(unclamped, 6)),
            row(6, "λ_i of Claim 3 with max(1, η² − r_i) at η² − r_i = 1e-6", significant(clamped, 6)),
            row(6, "λ_i corrected at η² − r_i = 1e-6", significant(corrected, 6)),
            row(6, "λ_i by its definition at η² − r_i = 1e-6", significant(definition, 6)),
        ],
    )


def claim_1_needs_more(collections: Collections) -> Erratum:
    """Erratum 7."""
    quotients = {n_ij: [_quotient(n_ij, n_j, alpha_0) for n_j, alpha_0 in SETTINGS] for n_ij in (0, 1, 2, 3, 5)}
    totals = {alpha: [_total(alpha, *setting) for setting in SETTINGS] for alpha in (0.001, 0.01, 0.1)}
    alone = _quotient(5, 5, 10**6, 1e-6)
    rising = math.prod(10**6 + q for q in range(3))
    digits = math.floor(10**6 * math.log10(3)) + 1
    text = rendered(
        "errata", "erratum_7", small_alpha=SMALL_ALPHA, quotients=quotients, totals=totals, alone=alone, rising=rising,
        digits=digits,
    )  # fmt: skip
    return Erratum(
        7,
        text,
        [
            row(7, "Claim 1's pmf over the exact one at n_ij = 1, n_j = α_0 = 165", significant(quotients[1][1])),
            row(7, "Claim 1's pmf over the exact one at n_ij = 3, n_j = α_0 = 75", significant(quotients[3][0])),
            row(7, "Claim 1's pmf over the exact one at n_ij = 3, n_j = α_0 = 165", significant(quotients[3][1])),
            row(7, "sum of Claim 1's pmf at α_i = 0.1, n_j = α_0 = 165", significant(totals[0.1][1])),
            row(7, "the pmfs' quotient in a document without the complement", significant(alone, 6)),
        ],
    )


def ridge(collections: Collections) -> Erratum:
    """Erratum 8."""
    counts = collections.fig2
    n_ij, n_j = counts[:, 0], counts.sum(axis=1)
    n_i, b_i, n = int(n_ij.sum()), int(np.count_nonzero(n_ij)), int(n_j.sum())
    share = b_i / (n - n_i)
    points = (FIG2_TRUTH, (0.02, 10.0), (1.0, 20.0))
    along, across = np.geomspace(*WINDOW, 1001), np.geomspace(*WINDOW_ALPHA, 1001)
    near = np.geomspace(share * WINDOW[0], share * WINDOW[1], 1001)
    level, level_near = (float(np.ptp(_log_likelihood(n_ij, n_j, alpha, 50.0 - alpha))) for alpha in (across, near))
    on_ray = float(np.ptp(_log_likelihood(n_ij, n_j, share * along, along)))
    once = np.minimum(n_ij, 1)
    ray_once = _log_likelihood(once, n_j, along * once.sum() / (n - once.sum()), along)
    heights = {
        a: float(_log_likelihood(n_ij, n_j, a * b_i / (b_i + n - n_i), a * (n - n_i) / (b_i + n - n_i)))
        for a in (50.0, 1.0, 1e-3, 1e-6, 1e-9)
    }
    text = rendered(
        "errata", "erratum_8", n_i=n_i, b_i=b_i, share=share, window=WINDOW, window_alpha=WINDOW_ALPHA, on_ray=on_ray,
        level=level, level_near=level_near, crests=[_crest(n_ij, n_j, alpha_0) for alpha_0 in (15.0, 50.0, 95.0)],
        gap=max(abs(_along_ray(n_ij, n_j, *point) + n_i - b_i) for point in points), ray_once=float(np.ptp(ray_once)),
        log_10=np.log(10), heights=heights,
    )  # fmt: skip
    return Erratum(
        8,
        text,
        [
            row(8, "range of ℓ along the ray through Fig. 2's window", significant(on_ray)),
            row(8, "range of ℓ along α_0 = 50 through Fig. 2's window", significant(level)),
            row(8, "α·∇ℓ on Fig. 2's collection", round(_along_ray(n_ij, n_j, *FIG2_TRUTH), 4), note="b_i − n_i"),
            row(8, "rise of ℓ along the ray from α_0 = 50 to 1e-9", significant(heights[1e-9] - heights[50.0])),
        ],
    )


def _largest(difference: Floats) -> float:
    return float(np.abs(difference).max())


def _one(counts: NDArray[np.int64], i: int, mu: float, sigma2: float, form: Form) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClampedTermsWarning)
        return float(plr_statistic(counts, mu=mu, sigma2=sigma2, form=form)[i])


def _clamped_term(margin: float, r: int) -> float:
    """(η² − 2r + 1) log max(1, η² − r)."""
    return float((margin - r + 1) * np.log(max(1.0, margin)))


def _quotient(n_ij: int, n_j: int, alpha_0: float, alpha: float = SMALL_ALPHA) -> float:
    """Claim 1's pmf divided by the exact one."""
    exact = stats.betabinom.logpmf(n_ij, n_j, alpha, alpha_0 - alpha)
    return float(np.exp(claim_1(n_ij, n_j, alpha, alpha_0 - alpha) - exact))


def _total(alpha: float, n_j: int, alpha_0: float) -> float:
    return float(np.exp(claim_1(np.arange(n_j + 1), n_j, alpha, alpha_0 - alpha)).sum())


def _log_likelihood(n_ij: Integers, n_j: Integers, alpha: Floats | float, alpha_not: Floats | float) -> Floats:
    """The log-likelihood of Claim 1, summed over the documents."""
    alpha, alpha_not = np.asarray(alpha)[..., None], np.asarray(alpha_not)[..., None]
    return np.asarray(claim_1(n_ij, n_j, alpha, alpha_not).sum(axis=-1))


def _along_ray(n_ij: Integers, n_j: Integers, alpha: float, alpha_not: float) -> float:
    """α·∇ℓ by central differences."""
    step = 1e-4
    ends = [float(_log_likelihood(n_ij, n_j, alpha * (1 + s), alpha_not * (1 + s))) for s in (step, -step)]
    return (ends[0] - ends[1]) / (2 * step)


def _crest(n_ij: Integers, n_j: Integers, alpha_0: float) -> float:
    """α_i/α_¬i at the best α_i for this α_0, by numerical search."""
    from scipy.optimize import minimize_scalar

    def loss(log_alpha: float) -> float:
        alpha = np.exp(log_alpha)
        return -float(_log_likelihood(n_ij, n_j, alpha, alpha_0 - alpha))

    best = np.exp(minimize_scalar(loss, bounds=(np.log(1e-6), 0.0), method="bounded", options={"xatol": 1e-9}).x)
    return float(best / (alpha_0 - best))
