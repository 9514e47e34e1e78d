"""Errata of the approximate model: the conditions of Claim 1 (7), and the direction of the ridge of Fig. 2 (8)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from termburst.paper.collections import FIG2_TRUTH, Collections
from termburst.paper.erratum import Erratum, row
from termburst.paper.from_scratch import claim_1
from termburst.paper.markdown import below, show, significant, table

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LENGTHS = (75, 165)  # the paper's mean lengths, rounded, which it also uses as the precision
SMALL_ALPHA = 0.001
WINDOW = (10.0, 100.0)  # range of α_¬i in Fig. 2
LEAST_ALPHA = 1e-10  # smallest α_i in Fig. 2; the largest is 1


def claim_1_needs_more(collections: Collections) -> Erratum:
    """Erratum 7."""
    quotients = {n_j: [_quotient(n_ij, n_j, n_j) for n_ij in (0, 1, 2, 3, 5)] for n_j in LENGTHS}
    far = [_quotient(n_ij, 165, 100 * 165) for n_ij in (0, 1, 2, 3, 5)]
    lines = [
        [str(n_ij), *(show(quotients[n_j][k], ".3f") for n_j in LENGTHS), show(2.0**n_ij, "g"), show(far[k], ".3f")]
        for k, n_ij in enumerate((0, 1, 2, 3, 5))
    ]
    off = table(["n_ij", "n_j = α_0 = 75", "n_j = α_0 = 165", "2^n_ij", "n_j = 165, α_0 = 16,500"], lines)
    alphas = (0.001, 0.01, 0.1)
    settings = [(75, 75), (165, 165), (165, 16_500)]
    totals = {(alpha, *setting): _total(alpha, *setting) for alpha in alphas for setting in settings}
    sums = table(
        ["Σ over n_ij = 0..n_j", *(f"n_j = {n_j}, α_0 = {alpha_0:,}" for n_j, alpha_0 in settings)],
        [[f"α_i = {alpha:g}", *(show(totals[alpha, *setting], ".6f") for setting in settings)] for alpha in alphas],
    )
    alone = _quotient(5, 5, 10**6, 1e-6)
    alpha, n = 10**6, 3
    rising = math.prod(alpha + q for q in range(n))
    digits = alpha * math.log10(n)
    return Erratum(
        7,
        "Claim 1 needs α_¬i to be large against the length of the documents, not merely against 1",
        "Claim 1 (§4.1) approximates the beta-binomial for α_i ≪ 1 and α_¬i ≫ 1, and requires that the complement "
        "occurs in every document (b_¬i = d). Its derivation replaces Γ(n_¬ij + α_¬i)/Γ(α_¬i) by n_¬ij^α_¬i, and "
        "Γ(n_j + α_0)/Γ(α_0) by n_j^α_0.",
        "Γ(n + α)/Γ(α) = α(α + 1)…(α + n − 1) is close to α^n if n is small against α. Otherwise the approximate pmf "
        "is too large by a factor of about (1 + n_j/α_0)^n_ij. The paper's penalty draws α_0 towards the mean document "
        "length, where this factor is 2^n_ij. Claim 1's pmf divided by SciPy's beta-binomial pmf, at α_i = "
        f"{SMALL_ALPHA:g}:\n\n"
        f"{off}\n\n"
        "Its sum is not always one:\n\n"
        f"{sums}\n\n"
        "Both errors vanish as n_j/α_0 goes to 0 (last columns). The condition b_¬i = d, however, is not needed: with "
        "n_¬ij = 0 the quotient of the complement is Γ(α_¬i)/Γ(α_¬i) = 1 = α_¬i^0 exactly. For a document of five "
        "tokens that are all the target term, at α_i = 1e-6 and α_0 = 1e6, the quotient of the two pmfs is "
        f"{alone:.5f}. And n^α is a misprint for α^n: at α = 1e6, n = {n} the quotient of gamma functions is "
        f"{show(rising, '.7g')}, α^n is {show(float(alpha**n), 'g')}, and n^α has {math.floor(digits) + 1:,} digits. "
        "(Eq. bcb-special-case-exact, the next step, has α^n.)",
        [
            row(7, "Claim 1's pmf over the exact one at n_ij = 1, n_j = α_0 = 165", significant(quotients[165][1])),
            row(7, "Claim 1's pmf over the exact one at n_ij = 3, n_j = α_0 = 75", significant(quotients[75][3])),
            row(7, "Claim 1's pmf over the exact one at n_ij = 3, n_j = α_0 = 165", significant(quotients[165][3])),
            row(7, "sum of Claim 1's pmf at α_i = 0.1, n_j = α_0 = 165", significant(totals[0.1, 165, 165])),
            row(7, "the pmfs' quotient in a document without the complement", significant(alone, 6)),
        ],
    )


def ridge(collections: Collections) -> Erratum:
    """Erratum 8."""
    counts = collections.fig2
    n_ij, n_j = counts[:, 0], counts.sum(axis=1)
    n_i, b_i, n = int(n_ij.sum()), int(np.count_nonzero(n_ij)), int(n_j.sum())
    slope = n_i - b_i
    share = b_i / (n - n_i)
    gap = max(abs(_along_ray(n_ij, n_j, *point) + slope) for point in (FIG2_TRUTH, (0.02, 10.0), (1.0, 20.0)))
    along = np.geomspace(*WINDOW, 1001)
    on_ray = _log_likelihood(n_ij, n_j, share * along, along)
    across = np.geomspace(LEAST_ALPHA, 1.0, 1001)
    near = np.geomspace(share * WINDOW[0], share * WINDOW[1], 1001)
    level, level_near = (_log_likelihood(n_ij, n_j, alpha, 50.0 - alpha) for alpha in (across, near))
    ranges = {
        "along the ray α_i/α_¬i = b_i/n_¬i, through the whole window": np.ptp(on_ray),
        "along α_0 = 50, through the whole window": np.ptp(level),
        "along α_0 = 50, over the values of α_i that the ray takes": np.ptp(level_near),
    }
    once = np.minimum(n_ij, 1)
    ray_once = _log_likelihood(once, n_j, along * once.sum() / (n - once.sum()), along)
    crests = [_crest(n_ij, n_j, alpha_0) for alpha_0 in (15.0, 50.0, 95.0)]
    precisions = (50.0, 1.0, 1e-3, 1e-6, 1e-9)
    heights = [
        float(_log_likelihood(n_ij, n_j, a * b_i / (b_i + n - n_i), a * (n - n_i) / (b_i + n - n_i)))
        for a in precisions
    ]
    growing = table(
        ["α_0 on the ray", "ℓ"], [[show(a, "g"), show(h, ".2f")] for a, h in zip(precisions, heights, strict=True)]
    )
    extent = table(["range of ℓ", ""], [[where, show(float(value), ".2f")] for where, value in ranges.items()])
    return Erratum(
        8,
        "The ridge of Fig. 2 runs along constant α_i/α_¬i, not along constant α_0",
        "§4.5: “A clear ridge appears along lines of roughly constant α_0i”, for the model “struggles to distinguish "
        "between different combinations of α_i and α_¬i that roughly sum to the same value”. §4.4 calls α_0 a free "
        "parameter that any value satisfies.",
        "The approximate likelihood hardly depends on the sum but strongly on the ratio: the ridge crosses the lines "
        "of constant α_0. Along a ray, where α_i and α_¬i grow in proportion, α·∇ℓ = α_i ∂ℓ/∂α_i + α_¬i ∂ℓ/∂α_¬i = "
        "b_i + n_¬i − n = b_i − n_i, so ℓ is (b_i − n_i) log α_0 plus a constant. Finite differences "
        f"of the summed logarithms of Claim 1 on the collection of Fig. 2 (n_i = {n_i}, b_i = {b_i}) give b_i − n_i = "
        f"{show(-slope, 'd')} at three points to within {below(gap, 1e-5).removeprefix('less than ')}. In the window "
        f"of the figure, α_i from {LEAST_ALPHA:g} to 1 and α_¬i from {WINDOW[0]:g} to {WINDOW[1]:g}:\n\n"
        f"{extent}\n\n"
        "The top of the ridge, the best α_i for a given α_0, keeps the ratio: α_i/α_¬i is "
        f"{', '.join(show(crest, '.6f') for crest in crests)} at α_0 = 15, 50, 95, and b_i/n_¬i = "
        f"{show(share, '.6f')}.\n\n"
        "The ridge is level exactly if the term never repeats, n_i = b_i. If the repeated occurrences are removed from "
        f"this collection, ℓ varies by {below(float(np.ptp(ray_once)), 1e-9)} along its ray, and α_0 is indeed "
        f"free. With them it is not: ℓ decreases in α_0 everywhere and grows without bound as α_0 → 0, by {slope} · "
        f"log 10 = {show(slope * np.log(10), '.2f')} per factor of ten:\n\n"
        f"{growing}\n\n"
        "(The last two would be probabilities above 1.) So without the penalty the approximate model is not only "
        "unidentified: it has no maximum for any term that repeats. §4.4 does say that its equations need n_i = b_i.",
        [
            row(8, "range of ℓ along the ray through Fig. 2's window", significant(float(np.ptp(on_ray)))),
            row(8, "range of ℓ along α_0 = 50 through Fig. 2's window", significant(float(np.ptp(level)))),
            row(8, "α·∇ℓ on Fig. 2's collection", round(_along_ray(n_ij, n_j, *FIG2_TRUTH), 4), note="b_i − n_i"),
            row(8, "rise of ℓ along the ray from α_0 = 50 to 1e-9", significant(heights[-1] - heights[0])),
        ],
    )


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
