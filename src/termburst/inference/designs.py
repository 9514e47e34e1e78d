"""Designs: which terms depend on a covariate of the documents, given the other covariates?

Every contrast c·β of a beta-binomial regression (`models.beta_binomial_regression`) is tested by the likelihood ratio
against the model with c·β = 0. For a term in few documents 2(ℓ_1 − ℓ_0) is not χ²_1. Then the score of the contrast is
compared with its distribution given the bursts: under the model without the contrast, a burst of size c is in document
j with probability ∝ P(c | n_j, x_j). No two bursts are in one document, which makes the variance smaller.

A difference in burstiness is not a difference in frequency. So the precision may depend on the contrast: by (δ + γ) z,
with γ of each term around 0. All terms of the collection say what δ is, and how much γ varies (`inference.leaning`).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core import placements as core
from termburst.core.regression import AFTER
from termburst.inference.contrast_rows import (
    centred,
    changed,
    check_design,
    contrast_rows,
    orthonormal,
    saturated,
    spanning_rows,
)
from termburst.inference.leaning import LEAST, WIDE, Leaning, log_marginals
from termburst.inference.ratio_tails import at_own_tie, contradicts, critical_fall, tail_of
from termburst.models.beta_binomial_regression import SEPARATED, DesignCells, Regression, merged_cells
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.threads import PART, PARTS, in_threads

Floats = NDArray[np.float64]
Names = NDArray[np.object_]
Flags = NDArray[np.bool_]

ENOUGH = 6.0  # effective bursts from which χ²_1 is accurate
LOOSE = 30  # documents with a term from which its tie may be another one,
APART = 0.15  # if its logits vary along the contrast by this standard deviation:
TIE_SPREAD = 0.7  # then its precision may lean on the contrast by as much as κ of this standard deviation would do it
LEAST_FREEDOM = 1.0  # degrees of freedom
TAIL = 0.1  # of the documents on each side, between which precision no longer depends on a number
TOLD = 1.0  # 2Δℓ from which the fit without the contrast is looked for a second time
IDENTICAL = 1e-7  # a likelihood ratio below this is rounding error
# of a normal distribution, with their weights; the first one is its mean
NODES = ((0.0, 2 / 3), (-(3**0.5), 1 / 6), (3**0.5, 1 / 6))
VALUES = 3  # of a lean that is a category: one, the other, none of the two
KNOWN = 0.15  # standard deviation of γ, up to which p given the bursts is that at its mean
UNTOLD = 1e-3  # the same if one side lacks the term: fewer than 0.0005 tokens were expected there, which tells nothing


@dataclass(frozen=True, slots=True)
class Contrast:
    """A contrast c·β: its name, c, and the columns of the design that the unadjusted contrast uses.

    *sides* are a category and the two of its values that are compared; None for a slope or two numbers. *leans* are the
    columns on which the precision may lean, one row per design cell. For numbers it is one column, the number over the
    difference that is compared; by default what the design says of it.
    """

    name: str
    vector: Floats
    own: NDArray[np.intp]
    sides: tuple[str, Any, Any] | None = None
    leans: Floats | None = None


@dataclass(frozen=True, slots=True)
class Significance:
    """Whether there is anything to a contrast, one entry per term: see `ContrastTest`."""

    statistic: Floats
    p_value: Floats
    p_method: Names
    least_p: Floats


@dataclass(frozen=True, slots=True)
class ContrastTest:
    """One contrast, one entry per term.

    Attributes
    ----------
    log_ratio : log₂ of the ratio of the odds of a token to be the term, given the other covariates. For a term below a
        few per cent of the tokens it is the ratio of its shares. ±inf if one side lacks the term.
    unadjusted : the same in the model that has no other covariate.
    ci_low, ci_high : the values of log_ratio between which p is larger than 1 − confidence.
    statistic : 2(ℓ_1 − ℓ_0).
    p_value, p_method : p, and how it was obtained: "chi2" or "conditional" (given the bursts).
    least_p : the smallest p that the bursts of the term could have, wherever they were; 0 if it is not known.
    status : of the fit; "separated" if log_ratio has no finite maximum, "undetermined" (and log_ratio NaN) if no
        document tells anything about it.
    """

    name: str
    log_ratio: Floats
    unadjusted: Floats
    ci_low: Floats
    ci_high: Floats
    statistic: Floats
    p_value: Floats
    p_method: Names
    least_p: Floats
    status: Names


@dataclass(frozen=True, slots=True)
class ContrastFits:
    """The fits of one contrast, one row per term; the precision leans on the contrast.

    Attributes
    ----------
    rows : the design, with the contrast as its first column, and a column of zeros for each γ.
    unit : by what to divide the first coefficient for log₂ of the ratio.
    full, without : fits with the contrast, and with c·β = 0.
    tangents, rivals : see `Regression.fit_both`.
    freedom : ν = 2/Var(log V), at most documents − columns; V is the variance of the first coefficient given the
        precision.
    """

    of: Regression
    rows: Floats
    unit: float
    full: Floats
    without: Floats
    tangents: Floats
    rivals: Floats
    freedom: Floats

    @property
    def separated(self) -> Flags:
        """Whether the first coefficient has no finite maximum."""
        return np.asarray((self.full[:, -1] < SEPARATED) & np.isfinite(self.full[:, 0]))

    @property
    def unknown(self) -> Flags:
        """Terms that no document of either side has, or could be expected to."""
        return np.asarray(self.separated & (self.ratio < UNTOLD))

    @property
    def ratio(self) -> Floats:
        """2(ℓ_1 − ℓ_0)."""
        gain = self.rows.shape[1] + 1
        return np.maximum(2 * (self.full[:, gain] - self.without[:, gain]), 0.0)

    def precision(self, terms: NDArray[np.intp]) -> Floats:
        """log α_0 of each design cell without the contrast, as far as it does not depend on the mean: terms × cells."""
        leans, offsets, size = self.of.leans, self.of.offsets, self.rows.shape[1]
        assert leans is not None
        assert offsets is not None
        without = self.without[terms]
        return np.asarray(without[:, [size]] + offsets + without[:, size - leans.shape[1] : size] @ leans.T)

    def limits(self, critical: Floats) -> Floats:
        """Where twice the log-likelihood is lower by *critical*, in the unit of the ratio."""
        found = self.of.limits(self.rows, self.full, self.without, critical, None, self.rivals, self.tangents)
        return found / self.unit


class DesignComparison:
    """The fits of one design to every term of a collection, and the tests of its contrasts."""

    def __init__(self, data: DesignCells, rows: Floats, null: BetaBinomialFit | None = None) -> None:
        check_design(data, rows)
        self.data, self.rows = data, np.asarray(rows, np.float64)
        self.regression, self.null = Regression(data), fit_beta_binomial(data.cells) if null is None else null
        self.basis = orthonormal(self.rows, data.tokens)
        start = self.regression.start(self.basis, self.null)
        self.rivals = np.full(len(start), np.inf)
        self.raw = self.regression.fit(self.basis, start, rivals=self.rivals)
        self.classes = core.classes_of(data.lengths)
        self.freedom = max(float(data.documents.sum()) - self.rows.shape[1], 1.0)
        self._own: dict[tuple[int, ...], tuple[DesignComparison, NDArray[np.intp]]] = {}

    def test(
        self,
        contrast: Contrast,
        confidence: float | None = 0.95,
        prefix: str = "",
        leaning: Leaning | None = None,
        fits: ContrastFits | None = None,
    ) -> ContrastTest:
        """Test one contrast, for every term; *prefix* is put before the `p_method`.

        *leaning* is what all terms say about the precision; by default it is learned from those of this comparison.
        *fits* are those given it, if they are known.
        """
        leaning = Leaning.of(self.leaning_sums(contrast)) if leaning is None else leaning
        fits = self.fitted(contrast, leaning) if fits is None else fits
        separated, full, unknown = fits.separated, fits.full, fits.unknown
        significance = self.significance(contrast, leaning, fits)
        log_ratio, loose, own, told = self._ratios(contrast, fits.of, fits.rows, fits.unit, full)
        status = self.regression.status(full, self.null)
        status[separated & (status != "failed")] = "separated"
        log_ratio, status = np.where(unknown, np.nan, log_ratio), np.where(unknown, "undetermined", status)
        limits = np.full((separated.size, 2), np.nan)
        if confidence is not None:
            given = significance.p_method == "conditional"
            critical = critical_fall(fits.ratio, fits.freedom, separated, significance.p_value, given, confidence)
            limits = fits.limits(critical)
            if told.any():
                tied = loose.limits(fits.rows, own, own, critical, np.flatnonzero(told), fits.rivals) / fits.unit
                limits = at_own_tie(limits, tied, full[:, 0] / fits.unit)
            limits[unknown] = -np.inf, np.inf
        absent, alone = self._absent, log_ratio
        if contrast.own.size < self.rows.shape[1]:
            alone = self._alone(contrast, leaning)
        log_ratio, alone, low, high = (np.where(absent, np.nan, values) for values in (log_ratio, alone, *limits.T))
        statistic, p_value, least_p = significance.statistic, significance.p_value, significance.least_p
        p_method = np.where(absent, "", np.array([prefix], dtype=object) + significance.p_method)
        return ContrastTest(contrast.name, log_ratio, alone, low, high, statistic, p_value, p_method, least_p, status)

    @property
    def _absent(self) -> Flags:
        """Terms that never occur, or are all tokens."""
        return ~np.isin(np.arange(self.data.cells.n_i.size), self.regression.occurring)

    def significance(
        self, contrast: Contrast, leaning: Leaning | None = None, fits: ContrastFits | None = None
    ) -> Significance:
        """What `test` says without the estimates and their intervals, in about half of the time."""
        leaning = Leaning.of(self.leaning_sums(contrast)) if leaning is None else leaning
        fits = self.fitted(contrast, leaning) if fits is None else fits
        p_value, p_method, least_p = self._p_value(contrast, leaning, fits, fits.unknown)
        absent, everywhere = self._absent, self.data.cells.n_i == self.data.cells.tokens
        return Significance(
            np.where(everywhere, 0.0, np.where(absent, np.nan, fits.ratio)),
            np.where(everywhere, 1.0, np.where(absent, np.nan, p_value)),
            p_method,
            np.where(everywhere, 1.0, np.where(absent, np.nan, least_p)),
        )

    def tests(
        self,
        contrasts: Sequence[Contrast],
        confidence: float | None = 0.95,
        prefix: str = "",
        leanings: Sequence[Leaning] | None = None,
    ) -> list[ContrastTest]:
        """`test` of several contrasts. If there is much to do, Python works on one while the kernels of another run."""
        for one in contrasts if len(contrasts) > 1 else ():
            if one.own.size < self.rows.shape[1]:
                self._unadjusted(one.own)

        def tested(k: int) -> ContrastTest:
            return self.test(contrasts[k], confidence, prefix, None if leanings is None else leanings[k])

        numbers = range(len(contrasts))
        return list(map(tested, numbers)) if self.regression.work < PARTS * PART else in_threads(tested, numbers)

    def leans(self, contrast: Contrast) -> Floats:
        """The columns of a contrast on which the precision leans, one row per design cell; their means are 0.

        Of two values of a category: which of the two a document has (±½), and, if the category has other values,
        whether it has one of the two. Of a number: the number, with 1 between its quantiles `TAIL` and 1 − `TAIL`,
        beyond which nothing changes.
        """
        if contrast.sides is not None and contrast.leans is not None:
            return centred(contrast.leans, self.data.documents)
        values, low, high = self._middle(contrast)
        place = (np.clip(values, low, high) - low) / max(high - low, 1e-300) - 0.5
        return centred(place[:, None], self.data.documents)

    def _middle(self, contrast: Contrast) -> tuple[Floats, float, float]:
        """The number of a contrast in each design cell; its quantiles `TAIL` and 1 − `TAIL`, or its ends."""
        values = self.rows @ contrast.vector / (contrast.vector @ contrast.vector)
        values = values if contrast.leans is None else contrast.leans[:, 0]
        order = np.argsort(values)
        below = np.cumsum(self.data.documents[order]) / self.data.documents.sum()
        low, high = values[order][np.searchsorted(below, [TAIL, 1 - TAIL])].tolist()
        return (values, low, high) if low < high else (values, float(values.min()), float(values.max()))

    def _lean_unit(self, contrast: Contrast) -> float:
        """By how much the logit changes where the first lean changes by 1, if c·β is 1."""
        if contrast.sides is not None and contrast.leans is not None:
            return 1.0
        _, low, high = self._middle(contrast)
        return high - low

    def leaning_sums(self, contrast: Contrast) -> Floats:
        """What the terms say about how the precision leans: sums that add over terms, for `Leaning.of`."""
        leans = self.leans(contrast)
        wide = np.full(leans.shape[1], WIDE)
        terms = np.flatnonzero(self.data.cells.b_i >= LEAST)
        of = self.regression.with_leans(leans, 0 * wide, wide)
        rows, start = _wider(of, self.basis, np.nan_to_num(self.raw[:, : self.basis.shape[1] + 1]))
        fits = of.fit(rows, start, how="climb", terms=terms)
        variance = of.fit_both(rows, np.nan_to_num(fits[:, : start.shape[1]]), None, terms, alone=True)[3][:, 1:]
        first = self.basis.shape[1]
        return np.array([log_marginals(fits[terms, first + p], variance[terms, p]) for p in range(leans.shape[1])])

    def _start(self, rows: Floats) -> Floats:
        """The fits of the whole design, with one precision, in terms of other rows that span the same."""
        columns, there = self.basis.shape[1], np.linalg.lstsq(rows, self.basis, rcond=None)[0]
        return np.nan_to_num(np.column_stack([changed(self.raw[:, :columns], there), self.raw[:, columns]]))

    def _climbed(self, contrast: Contrast, leaning: Leaning) -> tuple[Regression, Floats, float, Floats]:
        """The rows with the contrast first, by what to divide its coefficient, and the fits with it."""
        rows, unit = spanning_rows(self.rows, contrast.vector, self.data.tokens, contrast.sides is None)
        of = self.regression.with_leans(self.leans(contrast), leaning.shift, leaning.spread)
        wide, start = _wider(of, rows, self._start(rows))
        return of, wide, float(unit), of.fit(wide, start, how="climb")

    def _ratios(
        self, contrast: Contrast, of: Regression, rows: Floats, unit: float, raw: Floats
    ) -> tuple[Floats, Regression, Floats, Flags]:
        """log_ratio of raw fits, ±inf if it has no finite maximum; and what `_loose` returns."""
        separated = (raw[:, -1] < SEPARATED) & np.isfinite(raw[:, 0])
        known = np.where(np.isfinite(raw[:, 0]) & ~separated, raw[:, 0], 0.0)
        loose, own, told = self._loose(of, rows, raw, known / unit * np.log(2) * self._lean_unit(contrast))
        return np.where(separated, np.copysign(np.inf, raw[:, 0]), own[:, 0]) / unit, loose, own, told

    def fitted(self, contrast: Contrast, leaning: Leaning) -> ContrastFits:
        """The fits with and without a contrast, given what all terms say about the precision."""
        of, wide, unit, raw = self._climbed(contrast, leaning)
        size = raw.shape[1] - AFTER
        full, without, tangents, spread = of.fit_both(wide, np.nan_to_num(raw[:, :size]), self.rivals)
        full[:, size + 1] = raw[:, size + 1]
        without = self._from_one_mean(of, wide, full, without)
        behind = np.flatnonzero(without[:, size] > full[:, size] + 1e-8)
        if behind.size:  # the start was at a lower maximum
            better = of.fit(wide, np.nan_to_num(without[:, :size]), how="climb", terms=behind)
            higher = (better[:, size] > full[:, size])[:, None]
            full, tangents = np.where(higher, better, full), np.where(higher, np.nan, tangents)
        with np.errstate(divide="ignore"):
            freedom = np.clip(np.nan_to_num(2 / spread[:, 0], nan=self.freedom), LEAST_FREEDOM, self.freedom)
        return ContrastFits(of, wide, unit, full, without, tangents, self.rivals, freedom)

    def _loose(self, of: Regression, rows: Floats, raw: Floats, off: Floats) -> tuple[Regression, Floats, Flags]:
        """Fits in which the tie between mean and precision may be another one, and which terms have such a fit.

        If log α_0 follows the mean by κ, which is not ½, γ is off by (κ − ½) times *off*, the change of the logit along
        the first lean. So its prior has the variance s² + (`TIE_SPREAD` off)² in terms whose documents may say
        something about it.
        """
        assert of.leans is not None
        assert of.firm is not None
        some = (self.data.cells.b_i >= LOOSE) & (np.abs(off) * of.leans[:, 0].std() >= APART)
        loose, size, firm = copy(of), raw.shape[1] - AFTER, of.firm.copy()
        firm[some, 0] = 1 / (1 / firm[some, 0] + (TIE_SPREAD * off[some]) ** 2)
        loose.firm = firm
        if not some.any():
            return loose, raw, some
        found = loose.fit(rows, np.nan_to_num(raw[:, :size]), how="climb", terms=np.flatnonzero(some))
        told = np.isfinite(found[:, 0]) & (found[:, -1] >= SEPARATED) & (found[:, size + 1] < 1e-6)
        return loose, np.where(told[:, None], found, raw), told

    def _from_one_mean(self, of: Regression, rows: Floats, full: Floats, without: Floats) -> Floats:
        """The fits without the first coefficient, or those found from the model with one mean, if they are higher.

        The others begin at the fit with it. If a rare word leaves other coefficients of a number or a spline almost
        free, these are large there, and without the first one they are far from any maximum: the search ended where
        2Δℓ was in the thousands. One category alone has no such coefficients.
        """
        if saturated(self.rows) is not None:
            return without
        gain, means = rows.shape[1] + 1, self.rows.shape[1]
        told = np.flatnonzero(2 * (full[:, gain] - without[:, gain]) > TOLD)
        start = self.regression.start(rows[:, :means], self.null)
        start = np.column_stack([start[:, :means], np.nan_to_num(full[:, means : gain - 1]), start[:, means]])
        start[:, 0] = 0.0
        again = of.fit(rows, start, how="climb", held=True, terms=told)
        return np.where((again[:, gain] > without[:, gain])[:, None], again, without)

    def _p_value(
        self, contrast: Contrast, leaning: Leaning, fits: ContrastFits, unknown: Flags
    ) -> tuple[Floats, Names, Floats]:
        """P, how it was obtained, and the smallest p that the bursts could have; all 1 if the contrast is *unknown*."""
        ratio, rows = fits.ratio, fits.rows[:, : self.rows.shape[1]]
        p_value = tail_of(ratio, fits.freedom, fits.separated)
        b_i, documents = self.data.cells.b_i, float(self.data.documents.sum())
        weight = self.data.tokens / self.data.tokens.sum()
        share = 1 / (1 + (rows[:, 0] ** 2).max() / (weight @ rows[:, 0] ** 2))
        candidates = (b_i <= documents / 2) & (b_i * share < 8 * ENOUGH) & (self.null.status != "degenerate")
        several = candidates & (b_i > 1)
        found = self._conditional(contrast, leaning, fits, np.flatnonzero(several & ~unknown))
        found[several & unknown] = 1.0  # the bursts cannot be on either side
        few, alone = np.isfinite(found[:, 0]) & ~contradicts(found[:, 0], ratio), b_i <= 1
        p_value = np.where(few, found[:, 0], p_value)
        p_value = np.where((ratio < IDENTICAL) | alone | unknown, 1.0, p_value)
        least_p = np.where(alone | unknown, 1.0, np.where(few, np.minimum(found[:, 1], p_value), 0.0))
        return p_value, np.where(few | (alone & candidates), "conditional", "chi2").astype(object), least_p

    def _conditional(self, contrast: Contrast, leaning: Leaning, fits: ContrastFits, terms: NDArray[np.intp]) -> Floats:
        """P given the bursts, and the smallest p that they could have; NaN with `ENOUGH` effective bursts.

        Between values of a category both are means over γ ~ N(0, s²): γ is never that which fits where the bursts are.
        """
        leans, regression, means = self.leans(contrast), self.regression, self.rows.shape[1]
        rows, near = fits.rows[:, :means], np.nan_to_num(fits.without)
        start = np.column_stack([near[:, :means], near[:, fits.rows.shape[1]]])
        of = regression.with_offsets(leans @ leaning.shift)
        without = of.fit(rows, start, how="climb", held=True, terms=terms)
        mean = np.full((len(without), 2), np.nan)
        terms = regression.terms[np.isin(regression.terms, terms)]
        # Of a number, the score would be another one at each node, if a few values are far from all others.
        known = leaning.spread[0] <= KNOWN or np.unique(leans[:, 0].round(9)).size > VALUES
        for node, weight in ((0.0, 1.0),) if known else NODES:
            first = np.zeros(leans.shape[1])
            first[0] = node * leaning.spread[0]
            design = regression.with_offsets(leans @ (leaning.shift + first)).design(rows)
            found, enough = np.full((len(without), core.RESULTS), np.nan), ENOUGH if node == 0 else np.inf

            def tested(part: NDArray[np.int64], design=design, found=found, enough=enough) -> None:  # type: ignore[no-untyped-def]
                core.placements(regression.cells, design, self.classes, part, without, enough, found)

            regression.over_terms(tested, terms, found)
            own = weight * found[:, [0, 4]]
            mean = own if node == 0 else mean + own
            terms = terms[np.isfinite(mean[terms, 0])]
        return mean

    def _alone(self, contrast: Contrast, leaning: Leaning) -> Floats:
        """log_ratio in the model with the contrast's own columns alone; NaN if neither side has the term."""
        alone, first = self._unadjusted(contrast.own)
        leans = None if contrast.leans is None else contrast.leans[first]
        own = replace(contrast, vector=contrast.vector[contrast.own], leans=leans)
        found = alone._ratios(own, *alone._climbed(own, leaning))[0]
        return np.where(self._outside(self.rows[:, contrast.own], own.vector), np.nan, found)

    def _unadjusted(self, columns: NDArray[np.intp]) -> tuple[DesignComparison, NDArray[np.intp]]:
        """The fits of a design of some columns alone, and a design cell of here for each of its own."""
        key = tuple(columns.tolist())
        if key not in self._own:
            rows, first, kind = np.unique(self.rows[:, columns], axis=0, return_index=True, return_inverse=True)
            data = merged_cells(self.data, kind.ravel().astype(np.intp))
            self._own[key] = DesignComparison(data, rows, self.null), first
        return self._own[key]

    def _outside(self, own: Floats, vector: Floats) -> Flags:
        """Whether a term is in no document of the values that a contrast of one category compares."""
        kind, cells = saturated(own), self.data.cells
        if kind is None:
            return np.zeros(cells.n_i.size, dtype=bool)
        inside = contrast_rows(own, vector, self.data.tokens)[:, 0] != 0
        return np.bincount(cells.term[inside[self.data.group]], minlength=cells.n_i.size) == 0


def _wider(of: Regression, rows: Floats, start: Floats) -> tuple[Floats, Floats]:
    """A design and its starts with the columns of the γ."""
    leaning, columns = 0 if of.leans is None else of.leans.shape[1], rows.shape[1]
    wide = np.column_stack([rows, np.zeros((len(rows), leaning))])
    return wide, np.column_stack([start[:, :columns], np.zeros((len(start), leaning)), start[:, columns]])
