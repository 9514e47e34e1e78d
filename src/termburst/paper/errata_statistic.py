"""Errata of the statistic λ_i: the penalty (1), μ (2), the condition (5) and the clamp (6)."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from termburst.inference.plr import ClampedTermsWarning, plr_statistic
from termburst.names import FORMS, Form
from termburst.paper import from_scratch
from termburst.paper.classification import MU, best_cells
from termburst.paper.collections import CORPORA, Collections
from termburst.paper.erratum import Erratum, row
from termburst.paper.figures.fig3 import correlation
from termburst.paper.markdown import below, show, significant, table
from termburst.paper.results import PLACES, published

Floats = NDArray[np.float64]

FIG3_SIGMA2 = 1.0
WORST = (30.0, 5.0)  # (μ, σ²) with the smallest η² of Fig. A1 and A2
MARGINS = (100.0, 10.0, 2.0, 1.0, 0.5, 0.1, 1e-2, 1e-4, 1e-6)  # η² − r_i


def penalty_once(collections: Collections) -> Erratum:
    """Erratum 1."""
    counts = collections.fig3.counts
    n_i, b_i = counts.sum(axis=0), (counts > 0).sum(axis=0)
    d, mu = len(counts), float(counts.sum() / len(counts))
    scratch = from_scratch.likelihood_ratio(counts, mu, FIG3_SIGMA2)
    ours = {form: plr_statistic(counts, sigma2=FIG3_SIGMA2, form=form) for form in FORMS}
    once = _largest(ours["printed"] - (scratch.unpenalised + scratch.log_f))
    away = {form: _largest(value - scratch.definition) for form, value in ours.items()}
    worst = int(np.argmax(np.abs(ours["printed"] - scratch.definition)))
    tf_idf, occurs = n_i * np.log(d / np.maximum(b_i, 1)), b_i > 0
    r = {form: [correlation(ours[form][which], tf_idf[which]) for which in (b_i >= 0, occurs)] for form in FORMS}
    log_f = -scratch.log_f
    comparison = table(
        ["largest difference over the terms", ""],
        [
            ["`printed` from −2(ℓ_0 − ℓ_1 without the penalty) + log f", show(once, ".2e")],
            ["`printed` from the definition", show(away["printed"], ".3f")],
            ["`corrected` from the definition", show(away["corrected"], ".2e")],
            ["`exact` from the definition", below(away["exact"], 1e-9)],
        ],
    )
    correlations = table(
        ["correlation with total TF–IDF", "all terms", "terms that occur"],
        [[f"`{form}`", *(show(value, ".4f") for value in r[form])] for form in FORMS],
    )
    return Erratum(
        1,
        "The penalty enters the statistic once, and should enter twice",
        "§5.1 defines λ_i = −2(ℓ_0 − ℓ_1), where ℓ_1 is the penalised log-likelihood of Eq. gbb-log-likelihood, in "
        "which log f(α̂_0) is a summand. From the first display of the derivation in §5.2 on, it is outside the "
        "factor −2, as “+ log f”, and so it is in Claim 3 (Eq. lambda-tfidf).",
        "By the definition λ_i contains 2 log f(α̂_0). To see which of the two Claim 3 has, λ_i was evaluated on the "
        f"collection of Fig. 3 ({len(n_i)} terms, {d} documents, μ = {mu:.2f}, σ² = {FIG3_SIGMA2:g}) document by "
        "document: ℓ_0 with SciPy's binomial, ℓ_1 with the formula of Claim 1 at the estimates of Claim 2, log f with "
        "SciPy's gamma density. The table compares it with termburst's three forms of λ.\n\n"
        f"{comparison}\n\n"
        f"The first line is the error of Stirling's formula, 1/(12η²) = {show(FIG3_SIGMA2 / (12 * mu**2), '.2e')}: "
        "Claim 3 has the penalty once. The second line is the missing penalty: −log f(α̂_0) is between "
        f"{log_f.min():.3f} and {log_f.max():.3f}, so that no term has the value of the definition. The difference is "
        f"largest for the term with n_i = {n_i[worst]} and b_i = {b_i[worst]}: λ_i = {ours['printed'][worst]:.2f} "
        f"instead of {scratch.definition[worst]:.2f}. The correlation in the figure hardly changes "
        f"({int((~occurs).sum())} of its {len(n_i)} terms never occur):\n\n"
        f"{correlations}",
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
    lines, worst, mended = [], {}, {}
    for mu in MU:
        scratch = from_scratch.likelihood_ratio(counts, mu, FIG3_SIGMA2)
        error = plr_statistic(counts, mu=mu, sigma2=FIG3_SIGMA2) - (scratch.unpenalised + scratch.log_f)
        worst[mu], mended[mu] = _largest(error), _largest(error + 2 * n_i * np.log(mu * d / n))
        lines.append([f"{mu:g}", show(worst[mu], ".1f"), show(mended[mu], ".1e")])
    simulated = table(["μ", "Claim 3", "Claim 3 + 2 n_i log(μd/n)"], lines)
    rows = [
        row(
            2,
            "Fig. 3's collection at μ = 30, Claim 3 from the unpenalised ratio + log f, at most",
            significant(worst[30.0]),
        ),
        row(2, "Fig. 3's collection at μ = 30, the same after adding 2 n_i log(μd/n)", significant(mended[30.0], 3)),
    ]
    grids, lengths = [], []
    for corpus in CORPORA:
        name, what, printed = corpus.split, corpus.name, published()[corpus.grid]["best accuracy"]
        plain, with_term = (collections.sensitivity(name, mu_term=mu_term) for mu_term in (False, True))
        for how, grid in (("as printed", plain), ("with the term", with_term)):
            ends = (show(end, ".5f") for end in (grid.max(), grid.min()))
            grids.append([f"{what} ({PLACES[corpus.grid]}), {how}", *ends, best_cells(grid)])
        rows.append(row(2, f"{what}, best accuracy of the grid as printed", float(plain.max()), printed))
        rows.append(row(2, f"{what}, best accuracy of the grid with the μ term", float(with_term.max()), printed))
        split = getattr(collections, name)
        mu, own = (float(part.sum() / part.shape[0]) for part in (split.train, split.test))
        lengths.append(f"{own:.2f} with μ = {mu:.2f} on {what}, a shift of {show(np.log(mu / own), '.3f')} n_ij")
    best = table(["accuracy over the grid", "best", "worst", "best at (μ, σ²)"], grids)
    return Erratum(
        2,
        "μ = n/d is assumed, then varied",
        "After Eq. pre-mu the derivation of Claim 3 sets μ = n/d, the mean document length; §5.2 says so, “leaving σ² "
        "as the sole tunable parameter”. §6.1 and §6.2 nevertheless offer both μ and σ² for tuning, and Fig. A1 and "
        "A2 vary μ from 30 to 180 in the formula that results from this substitution.",
        "With another μ the substitution omits 2 n_i log(μd/n) from λ_i, and n_ij log(μd/n) from λ_ij; both are 0 only "
        f"at μ = n/d. On the collection of Fig. 3 (n/d = {n / d:.2f}, σ² = {FIG3_SIGMA2:g}) Claim 3 was compared with "
        "−2(ℓ_0 − ℓ_1 without the penalty) + log f, which is what it computes at μ = n/d (erratum 1), evaluated "
        "document by document with SciPy. Largest difference over the terms:\n\n"
        f"{simulated}\n\n"
        "With the term added, only Stirling's error remains. The term matters in the sensitivity grids: with it the "
        "best accuracies are lower, and the worst are higher. So the missing term caused much of the small effect that "
        "μ and σ² had on the accuracy.\n\n"
        f"{best}\n\n"
        "The test documents of Tables 2 and 3 are affected too, since they are weighted with their own n and d but "
        f"the μ of the training documents (erratum 4): n/d is {'; '.join(lengths)}.",
        rows,
    )


def condition_reversed(collections: Collections) -> Erratum:
    """Erratum 5."""
    lines, rows, example = [], [], ""
    for corpus in CORPORA:
        train = getattr(collections, corpus.split).train
        n_i, b_i = from_scratch.frequencies(train)
        for mu, sigma2 in ((float(train.sum() / train.shape[0]), 1.0), WORST):
            eta2 = mu**2 / sigma2
            alpha_0 = sigma2 / mu * (b_i - n_i - 1 + eta2)
            printed, invalid = int((eta2 > b_i - n_i - 1).sum()), int((alpha_0 <= 0).sum())
            right = int((eta2 > n_i - b_i + 1).sum())
            setting = f"{corpus.name}, μ = {round(mu, 2):g}, σ² = {sigma2:g}"
            lines.append([setting, show(eta2, ",.1f"), *(show(k, ",d") for k in (len(n_i), printed, right, invalid))])
            rows.append(row(5, f"{setting}: terms with α̂_0 ≤ 0", invalid))
            if not example:
                rows.append(row(5, f"{setting}: terms for which the printed condition holds", printed))
                i = int(np.argmin(alpha_0))
                example = (
                    f"The invalid term of the first line has n_i = {n_i[i]:,} and b_i = {b_i[i]:,}: α̂_0 = "
                    f"{show(float(alpha_0[i]), '.1f')}, although {eta2:,.1f} > "
                    f"{show(int(b_i[i] - n_i[i] - 1), ',d')}."
                )
    counted = table(["", "η²", "terms", "η² > b_i − n_i − 1", "η² > n_i − b_i + 1", "α̂_0 ≤ 0"], lines)
    return Erratum(
        5,
        "The condition for a valid estimate is printed with its signs reversed",
        "§4.4, after Claim 2: α̂_0 “must be positive to yield valid parameter estimates. This requires μ²/σ² > b_i − "
        "n_i − 1.” (§5.2 has the correct one: η² > n_i − b_i + 1.)",
        "Claim 2 has α̂_0 = (σ²/μ)(b_i − n_i − 1 + μ²/σ²), which is positive exactly if μ²/σ² > n_i − b_i + 1 = r_i. "
        "The printed condition compares a positive number with one that is at most −1. It therefore holds for every "
        "term, even if α̂_0 ≤ 0. Training documents of Tables 2 and 3, at the paper's setting and at the corner of its "
        "grids with the smallest η²:\n\n"
        f"{counted}\n\n"
        f"{example}",
        rows,
    )


def clamp(collections: Collections) -> Erratum:
    """Erratum 6."""
    counts = collections.fig3.counts
    d, n = len(counts), int(counts.sum())
    mu, n_i, b_i = n / d, counts.sum(axis=0), (counts > 0).sum(axis=0)
    i = int(np.argmax(n_i - b_i))
    r = int(n_i[i] - b_i[i] + 1)
    lines, unclamped, clamped, definition, corrected = [], {}, {}, {}, {}
    for margin in MARGINS:
        sigma2 = mu**2 / (r + margin)
        unclamped[margin] = from_scratch.claim_3(counts[:, i], d, n, mu, sigma2)
        clamped[margin], corrected[margin] = (_one(counts, i, mu, sigma2, form) for form in ("printed", "corrected"))
        pair = np.column_stack([counts[:, i], counts.sum(axis=1) - counts[:, i]])
        with np.errstate(invalid="ignore"):  # the estimate of the complement is invalid, but not used
            definition[margin] = float(from_scratch.likelihood_ratio(pair, mu, sigma2).definition[0])
        found = (unclamped[margin], clamped[margin], corrected[margin], definition[margin])
        lines.append([show(margin, "g"), *(show(value, ".2f") for value in found)])
    sweep = table(["η² − r_i", "Claim 3", "with max(1, η² − r_i)", "`corrected`", "definition (SciPy)"], lines)
    step = 1e-6
    slopes = [(_clamped_term(1 + s, r) - _clamped_term(1, r)) / s for s in (step, -step)]
    return Erratum(
        6,
        "Claim 3 diverges where the precision becomes small, and the clamp hides it",
        "Claim 3 has the term (η² − 2r_i + 1) log(η² − r_i). §5.2 proposes to take max(1, η² − r_i) “in the extreme "
        "cases where n_i ≥ μ²”, which makes the term zero; Eq. lambda-ij (§6.2) has the max(1, ·) inside the "
        "logarithm of every term.",
        "The factor before the logarithm is 1 − r_i at η² = r_i. So for a term that repeats (r_i > 1) Claim 3 goes to "
        "+∞ as η² falls to r_i: the statistic says “infinitely bursty” just before it becomes undefined. The "
        "definition does not diverge. With the penalty twice (erratum 1) the term is 2(η² − r_i) log(η² − r_i), which "
        f"goes to 0. The most repeated term of Fig. 3's collection (n_i = {n_i[i]}, b_i = {b_i[i]}, r_i = {r}), with "
        f"μ = {mu:.2f} and σ² chosen to give the η² − r_i of the first column:\n\n"
        f"{sweep}\n\n"
        f"The last two columns differ by Stirling's error, {show(corrected[1e-6] - definition[1e-6], '.1e')} in the "
        "last line. The effect of max(1, ·) depends on where it is applied. If it is applied only to the terms that "
        "need it, as in §5.2, λ_i jumps from arbitrarily large values to a finite one as η² passes r_i. If it is "
        "applied to every term, as in Eq. lambda-ij and in the third column, there is no jump but a kink at η² − r_i "
        f"= 1 (for this term the slope of the clamped term in η² is {show(slopes[0], '.1f')} above and "
        f"{show(slopes[1] + 0.0, '.1f')} below). Then the clamp also changes valid terms with 0 < η² − r_i < 1 "
        f"(erratum 9 counts these, too). The clamped value, {clamped[1e-6]:.0f}, still differs from the definition, "
        f"{definition[1e-6]:.0f}. In the `corrected` form only η² ≤ r_i needs a clamp, and it is continuous there; "
        "`exact` is NaN.",
        [
            row(6, f"λ_i of Claim 3 at η² − r_i = 1, r_i = {r}", significant(unclamped[1.0], 6)),
            row(6, f"λ_i of Claim 3 at η² − r_i = 1e-6, r_i = {r}", significant(unclamped[1e-6], 6)),
            row(6, "λ_i of Claim 3 with max(1, η² − r_i) at η² − r_i = 1e-6", significant(clamped[1e-6], 6)),
            row(6, "λ_i corrected at η² − r_i = 1e-6", significant(corrected[1e-6], 6)),
            row(6, "λ_i by its definition at η² − r_i = 1e-6", significant(definition[1e-6], 6)),
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
