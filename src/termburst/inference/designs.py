"""Designs: which terms depend on a covariate of the documents, given the other covariates?

Every contrast c·β of a beta-binomial regression (`models.beta_binomial_regression`) is tested by the likelihood ratio
against the model with c·β = 0. For a term in few documents 2(ℓ_1 − ℓ_0) is not χ²_1. Then the score of the contrast is
compared with its distribution given the bursts: under the model without the contrast, a burst of size c is in document
j with probability ∝ P(c | n_j, x_j). No two bursts are in one document, which makes the variance smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core import placements as core
from termburst.core import regression as core_regression
from termburst.inference import distributions as stats
from termburst.inference.leaning import LEAST, WIDE, Leaning, log_marginals
from termburst.models.beta_binomial_regression import SEPARATED, DesignCells, Regression, RegressionFit
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.threads import in_threads

Floats = NDArray[np.float64]
Names = NDArray[np.object_]

ENOUGH = 6.0  # effective bursts from which χ²_1 is accurate
LOOSE = 30  # documents with a term from which its tie may be another one,
APART = 0.15  # if its logits vary along the contrast by this standard deviation:
TIE_SPREAD = 0.7  # then its precision may lean on the contrast by as much as κ of this standard deviation would do it
LEAST_FREEDOM = 1.0  # degrees of freedom
TAIL = 0.05  # of the documents on each side, between which precision no longer depends on a number
TOLD = 1.0  # 2Δℓ from which the fit without the contrast is looked for a second time
EXTREME = 20  # span of a number, in distances between its quartiles, from which some of its values are extreme
FARTHEST_VALUE = 1000  # span of a number over its unit; beyond, rounding would look like a finite estimate
CLASS_RATIO = 1.25  # longest to shortest document of a length class
NARROWEST, WIDEST = 0.4, 3.0  # of the scale of a likelihood ratio that its p says
IDENTICAL = 1e-7  # a likelihood ratio below this is rounding error
BEYOND = 1e-3  # by this part of itself a limit is beyond 0 or short of it, where p given the bursts says so
NODES = ((0.0, 8 / 15), *((side * x, w) for x, w in ((1.3556262, 0.2220759), (2.8569700, 0.0112574)) for side in (-1, 1)))
UNTOLD = 1e-3  # the same if one side lacks the term: fewer than 0.0005 tokens were expected there, which tells nothing


@dataclass(frozen=True, slots=True)
class Contrast:
    """A contrast c·β: its name, c, and the columns of the design that the unadjusted contrast uses.

    *sides* are a category and the two of its values that are compared; None for a slope or two numbers. *leans* are the
    columns on which the precision may lean, one row per design cell; None for the number itself.
    """

    name: str
    vector: Floats
    own: NDArray[np.intp]
    sides: tuple[str, Any, Any] | None = None
    leans: Floats | None = None


@dataclass(frozen=True, slots=True)
class ContrastTest:
    """One contrast, one entry per term.

    Attributes
    ----------
    log_ratio : log₂ of the ratio of the odds of a token to be the term, given the other covariates. For a term below a
        few per cent of the tokens it is the ratio of its shares. ±inf if one side lacks the term.
    unadjusted : the same in the model that has no other covariate.
    ci_low, ci_high : profile-likelihood limits of log_ratio.
    statistic : 2(ℓ_1 − ℓ_0).
    p_value, reference : p, and how it was obtained: "chi2" or "conditional" (given the bursts).
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
    reference: Names
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
    spread : Var(log V), where V is the variance of the first coefficient given the precision, and the variance of each γ.
    freedom : ν = 2/Var(log V), at most documents − columns.
    only : the terms that have limits; None if all.
    """

    of: Regression
    rows: Floats
    unit: float
    full: Floats
    without: Floats
    tangents: Floats
    rivals: Floats
    spread: Floats
    freedom: Floats
    only: NDArray[np.intp] | None = None

    @property
    def separated(self) -> NDArray[np.bool_]:
        """Whether the first coefficient has no finite maximum."""
        return np.asarray((self.full[:, -1] < SEPARATED) & np.isfinite(self.full[:, 0]))

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
        found = self.of.limits(self.rows, self.full, self.without, critical, self.only, self.rivals, self.tangents)
        return found / self.unit


@dataclass(frozen=True, slots=True)
class Merged:
    """The documents in the design cells of some columns alone: which of these each design cell is in, and their fits."""

    kind: NDArray[np.intp]
    rows: Floats
    regression: Regression
    raw: Floats


class DesignComparison:
    """The fits of one design to every term of a collection, and the tests of its contrasts."""

    def __init__(self, data: DesignCells, rows: Floats) -> None:
        check_design(data, rows)
        self.data, self.rows = data, np.asarray(rows, np.float64)
        self.regression, self.null = Regression(data), fit_beta_binomial(data.cells)
        self.basis = orthonormal(self.rows, data.tokens)
        start = self.regression.start(self.basis, self.null)
        self.rivals = np.full(len(start), np.inf)
        self.raw = self.regression.fit(self.basis, start, rivals=self.rivals)
        self.classes = _length_classes(data)
        self.freedom = max(float(data.documents.sum()) - self.rows.shape[1], 1.0)
        self._own: dict[tuple[int, ...], Merged] = {}

    @property
    def fit(self) -> RegressionFit:
        """The fits, with coefficients of the columns of the design."""
        found = self.regression.result(self.raw, self.null)
        back = np.linalg.lstsq(self.rows, self.basis, rcond=None)[0]
        return replace(found, beta=found.beta @ back.T)

    def test(
        self,
        contrast: Contrast,
        confidence: float | None = 0.95,
        prefix: str = "",
        leaning: Leaning | None = None,
        fits: ContrastFits | None = None,
    ) -> ContrastTest:
        """Test one contrast, for every term; *prefix* is put before the names of the references.

        *leaning* is what all terms say about the precision; by default it is learned from those of this comparison.
        *fits* are those given it, if they are known.
        """
        leaning = Leaning.of(self.leaning_sums(contrast)) if leaning is None else leaning
        fits = self.fitted(contrast, leaning) if fits is None else fits
        ratio, separated, full = fits.ratio, fits.separated, fits.full
        cells, fitted = self.data.cells, self.regression.result(full, self.null)
        unknown = separated & (ratio < UNTOLD)  # no document of either side has the term, or could be expected to
        p_value, reference, least_p = self._p_value(contrast, leaning, fits, unknown)
        loose = self._loose(fits)
        estimate = full[:, 0] if loose is None else loose.full[:, 0]
        log_ratio = np.where(separated, np.copysign(np.inf, full[:, 0]), estimate) / fits.unit
        status = np.where(separated & (fitted.status != "failed"), "separated", fitted.status)
        log_ratio, status = np.where(unknown, np.nan, log_ratio), np.where(unknown, "undetermined", status)
        limits = np.full((ratio.size, 2), np.nan)
        if confidence is not None:
            critical = critical_fall(fits, p_value, reference, confidence)
            limits = fits.limits(critical)
            if loose is not None:
                limits = at_own_tie(limits, loose.limits(critical), full[:, 0] / fits.unit)
            limits[unknown] = -np.inf, np.inf
        absent = ~np.isin(np.arange(ratio.size), self.regression.occurring)
        everywhere = cells.n_i == cells.tokens
        alone = log_ratio
        if contrast.own.size < self.rows.shape[1]:
            alone = self._alone(contrast, leaning, log_ratio)
        return ContrastTest(
            contrast.name,
            np.where(absent, np.nan, log_ratio),
            np.where(absent, np.nan, alone),
            np.where(absent, np.nan, limits[:, 0]),
            np.where(absent, np.nan, limits[:, 1]),
            np.where(everywhere, 0.0, np.where(absent, np.nan, ratio)),
            np.where(everywhere, 1.0, np.where(absent, np.nan, p_value)),
            np.where(absent, "", np.array([prefix], dtype=object) + reference),
            np.where(everywhere, 1.0, np.where(absent, np.nan, least_p)),
            status,
        )

    def tests(
        self,
        contrasts: Sequence[Contrast],
        confidence: float | None = 0.95,
        prefix: str = "",
        leanings: Sequence[Leaning] | None = None,
    ) -> list[ContrastTest]:
        """`test` of several contrasts. What one of them does in Python is done while the kernels of another run."""
        found: list[Any] = [None] * len(contrasts)
        for one in contrasts if len(contrasts) > 1 else ():
            if one.own.size < self.rows.shape[1]:
                self._merged(one.own)

        def fill(k: int) -> None:
            found[k] = self.test(contrasts[k], confidence, prefix, None if leanings is None else leanings[k])

        in_threads(fill, range(len(contrasts)))
        return found

    def leans(self, contrast: Contrast) -> Floats:
        """The columns of a contrast on which the precision leans, one row per design cell; their means are 0.

        Of two values of a category: which of the two a document has (±½), and, if the category has other values,
        whether it has one of the two. Of a number: the number, with 1 between its quantiles `TAIL` and 1 − `TAIL`, beyond
        which nothing changes.
        """
        if contrast.leans is not None:
            return _centred(contrast.leans, self.data.documents)
        values = self.rows @ contrast.vector
        order = np.argsort(values)
        place = np.cumsum(self.data.documents[order]) / self.data.documents.sum()
        low, high = values[order][np.searchsorted(place, [TAIL, 1 - TAIL])]
        low, high = (low, high) if low < high else (values.min(), values.max())
        place = (np.clip(values, low, high) - low) / max(high - low, 1e-300)
        return _centred(place[:, None] - 0.5, self.data.documents)

    def leaning_sums(self, contrast: Contrast) -> Floats:
        """What the terms say about how the precision leans on a contrast: sums that add over terms, for `Leaning.of`."""
        leans = self.leans(contrast)
        wide = np.full(leans.shape[1], WIDE)
        terms = np.flatnonzero(self.data.cells.b_i >= LEAST)
        fits = self._fitted(contrast, leans, Leaning(0 * wide, wide), terms)
        mean = fits.full[:, self.rows.shape[1] :]
        return np.array([log_marginals(mean[terms, p], fits.spread[terms, 1 + p]) for p in range(leans.shape[1])])

    def fitted(self, contrast: Contrast, leaning: Leaning) -> ContrastFits:
        """The fits with and without a contrast, given what all terms say about the precision."""
        return self._fitted(contrast, self.leans(contrast), leaning, None)

    def both(self, rows: Floats, offsets: Floats, terms: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Raw fits of some terms with and without the first column of *rows*, with a precision that nothing depends on.

        *offsets* are added to log α_0 of the design cells.
        """
        of = self.regression.with_offsets(offsets)
        start = self._start(rows)
        rivals = self.rivals
        if offsets.any():
            full = of.fit(rows, start, how="climb", terms=terms)
            start, rivals = np.nan_to_num(full[:, : rows.shape[1] + 1]), None
        full, without, *_ = of.fit_both(rows, start, rivals, terms)
        return full, self._from_one_mean(of, rows, full, without)

    def _start(self, rows: Floats) -> Floats:
        """The fits of the whole design, with one precision, in terms of other rows that span the same."""
        columns, there = self.basis.shape[1], np.linalg.lstsq(rows, self.basis, rcond=None)[0]
        return np.nan_to_num(np.column_stack([_changed(self.raw[:, :columns], there), self.raw[:, columns]]))

    def _fitted(
        self, contrast: Contrast, leans: Floats, leaning: Leaning, terms: NDArray[np.intp] | None
    ) -> ContrastFits:
        rows, unit = spanning_rows(self.rows, contrast.vector, self.data.tokens, contrast.sides is None)
        of = self.regression.with_leans(leans, leaning.shift, leaning.spread)
        wide, start = _wider(of, rows, self._start(rows))
        raw = of.fit(wide, start, how="climb", terms=terms)
        size = start.shape[1]
        full, without, tangents, spread = of.fit_both(wide, np.nan_to_num(raw[:, :size]), self.rivals, terms)
        full[:, size + 1] = raw[:, size + 1]
        without = self._from_one_mean(of, wide, full, without)
        behind = np.flatnonzero(without[:, size] > full[:, size] + 1e-8)
        if behind.size:  # the start was at a lower maximum
            better = of.fit(wide, np.nan_to_num(without[:, :size]), how="climb", terms=behind)
            higher = (better[:, size] > full[:, size])[:, None]
            full, tangents = np.where(higher, better, full), np.where(higher, np.nan, tangents)
        with np.errstate(divide="ignore"):
            freedom = np.clip(np.nan_to_num(2 / spread[:, 0], nan=self.freedom), LEAST_FREEDOM, self.freedom)
        return ContrastFits(of, wide, unit, full, without, tangents, self.rivals, spread, freedom)

    def _loose(self, fits: ContrastFits) -> ContrastFits | None:
        """Fits in which the tie between mean and precision may be another one, as far as the means differ.

        If log α_0 changes by κβ_0 z along the contrast, and κ is not ½, γ is off by (κ − ½)β_0. So its prior has the
        variance s² + (`TIE_SPREAD` β_0)² in terms whose documents may say something about it; the others are as they were.
        """
        of, full = fits.of, fits.full
        assert of.leans is not None
        assert of.firm is not None
        off = np.where(fits.separated | np.isnan(full[:, 0]), 0.0, full[:, 0])
        terms = np.flatnonzero((self.data.cells.b_i >= LOOSE) & (np.abs(off) * of.leans[:, 0].std() >= APART))
        if not terms.size:
            return None
        of, size = copy(of), full.shape[1] - core_regression.AFTER
        of.firm = fits.of.firm.copy()
        of.firm[terms, 0] = 1 / (1 / of.firm[terms, 0] + (TIE_SPREAD * off[terms]) ** 2)
        raw = of.fit(fits.rows, np.nan_to_num(full[:, :size]), how="climb", terms=terms)
        told = np.isfinite(raw[:, 0]) & (raw[:, -1] >= SEPARATED) & (raw[:, size + 1] < 1e-6)
        full, tangents = np.where(told[:, None], raw, full), np.where(told[:, None], np.nan, fits.tangents)
        return replace(fits, of=of, full=full, tangents=tangents, only=np.flatnonzero(told))

    def _from_one_mean(self, of: Regression, rows: Floats, full: Floats, without: Floats) -> Floats:
        """The fits without the first coefficient, or those found from the model with one mean, if they are higher.

        The others begin at the fit with it. If a rare word leaves other coefficients of a number or a spline almost
        free, these are large there, and without the first one they are far from any maximum: the search ended where
        2Δℓ was in the thousands. One category alone has no such coefficients.
        """
        if _saturated(self.rows) is not None:
            return without
        gain, means = rows.shape[1] + 1, self.rows.shape[1]
        told = np.flatnonzero(2 * (full[:, gain] - without[:, gain]) > TOLD)
        start = self.regression.start(rows[:, :means], self.null)
        start = np.column_stack([start[:, :means], np.nan_to_num(full[:, means : gain - 1]), start[:, means]])
        start[:, 0] = 0.0
        again = of.fit(rows, start, how="climb", held=True, terms=told)
        return np.where((again[:, gain] > without[:, gain])[:, None], again, without)

    def _p_value(
        self, contrast: Contrast, leaning: Leaning, fits: ContrastFits, unknown: NDArray[np.bool_]
    ) -> tuple[Floats, Names, Floats]:
        """P, how it was obtained, and the smallest p that the bursts could have; all 1 if the contrast is *unknown*."""
        ratio, rows = fits.ratio, fits.rows[:, : self.rows.shape[1]]
        p_value = tail_of(ratio, fits.freedom, fits.separated)
        b_i, documents = self.data.cells.b_i, float(self.data.documents.sum())
        weight = self.data.tokens / self.data.tokens.sum()
        share = 1 / (1 + (rows[:, 0] ** 2).max() / (weight @ rows[:, 0] ** 2))
        candidates = (b_i <= documents / 2) & (b_i * share < 8 * ENOUGH) & (self.null.status != "degenerate")
        several = candidates & (b_i > 1)
        found = self._conditional(contrast, leaning, rows, np.flatnonzero(several & ~unknown))
        found[several & unknown] = 1.0  # the bursts cannot be on either side
        few, alone = np.isfinite(found[:, 0]) & ~contradicts(found[:, 0], ratio), b_i <= 1
        p_value = np.where(few, found[:, 0], p_value)
        p_value = np.where((ratio < IDENTICAL) | alone | unknown, 1.0, p_value)
        least_p = np.where(alone | unknown, 1.0, np.where(few, np.minimum(found[:, 1], p_value), 0.0))
        return p_value, np.where(few | (alone & candidates), "conditional", "chi2").astype(object), least_p

    def _conditional(
        self, contrast: Contrast, leaning: Leaning, rows: Floats, terms: NDArray[np.intp]
    ) -> Floats:
        """P given the bursts, and the smallest p that they could have; NaN with `ENOUGH` effective bursts.

        Both are means over γ ~ N(0, s²), at the nodes of a quadrature: never at a γ that is fitted to where the bursts are.
        """
        leans, regression = self.leans(contrast), self.regression
        _, without = self.both(rows, leans @ leaning.shift, terms)
        mean = np.full((len(without), 2), np.nan)
        terms = regression.terms[np.isin(regression.terms, terms)]
        for node, weight in NODES:
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

    def _alone(self, contrast: Contrast, leaning: Leaning, adjusted: Floats) -> Floats:
        """log₂ of the unadjusted ratio.

        It is infinite if it is large in the unit of a slope, or if it is large over all values, extreme ones included,
        and the *adjusted* one is infinite.
        """
        vector = contrast.vector[contrast.own]
        found = _changed(self._unadjusted_beta(contrast, leaning), vector[None, :])[:, 0] / np.log(2)
        own = self.rows[:, contrast.own]
        spans = [spanning_rows(own, vector, self.data.tokens, number)[1] / np.log(2) for number in (True, False)]
        span = np.where(np.isinf(adjusted), spans[1], spans[0] if contrast.sides is None else spans[1])
        found = np.where(np.abs(found) * span > 20, np.copysign(np.inf, found), found)
        return np.where(self._outside(self.rows[:, contrast.own], vector), np.nan, found)

    def _unadjusted_beta(self, contrast: Contrast, leaning: Leaning) -> Floats:
        """Coefficients of the model that has only the columns of a contrast, with the same kind of precision."""
        merged = self._merged(contrast.own)
        documents = np.bincount(merged.kind, self.data.documents)
        parts = [np.bincount(merged.kind, self.data.documents * z) / documents for z in self.leans(contrast).T]
        of = merged.regression.with_leans(np.column_stack(parts), leaning.shift, leaning.spread)
        basis = orthonormal(merged.rows, merged.regression.data.tokens)
        raw = of.fit(*_wider(of, basis, np.nan_to_num(merged.raw[:, : basis.shape[1] + 1])), how="climb")
        return _changed(raw[:, : basis.shape[1]], np.linalg.lstsq(merged.rows, basis, rcond=None)[0])

    def _merged(self, columns: NDArray[np.intp]) -> Merged:
        """The fits of the model that has only these columns; design cells that it cannot tell apart are merged."""
        key = tuple(columns.tolist())
        if key not in self._own:
            own, kind = np.unique(self.rows[:, columns], axis=0, return_inverse=True)
            kind = kind.ravel().astype(np.intp)
            regression = self.regression.merged(kind)
            basis = orthonormal(own, regression.data.tokens)
            raw = regression.fit(basis, regression.start(basis, self.null))
            self._own[key] = Merged(kind, own, regression, raw)
        return self._own[key]

    def _outside(self, own: Floats, vector: Floats) -> NDArray[np.bool_]:
        """Whether a term is in no document of the values that a contrast of one category compares."""
        kind, cells = _saturated(own), self.data.cells
        if kind is None:
            return np.zeros(cells.n_i.size, dtype=bool)
        inside = contrast_rows(own, vector, self.data.tokens)[:, 0] != 0
        return np.bincount(cells.term[inside[self.data.group]], minlength=cells.n_i.size) == 0


def _centred(leans: Floats, documents: Floats) -> Floats:
    """The columns without their means over the documents where they are not 0."""
    held = leans != 0
    return np.asarray(leans - held * (documents @ leans) / np.maximum(documents @ held, 1.0))


def _changed(coefficients: Floats, there: Any) -> Floats:
    """Coefficients in terms of another basis. Not by BLAS: its threads would spin while the kernels run."""
    return np.einsum("ik,jk->ij", coefficients, there)


def _wider(of: Regression, rows: Floats, start: Floats) -> tuple[Floats, Floats]:
    """A design and its starts with the columns of the γ."""
    leaning, columns = 0 if of.leans is None else of.leans.shape[1], rows.shape[1]
    wide = np.column_stack([rows, np.zeros((len(rows), leaning))])
    return wide, np.column_stack([start[:, :columns], np.zeros((len(start), leaning)), start[:, columns]])


def tail_of(ratio: Floats, freedom: Floats, separated: NDArray[np.bool_]) -> Floats:
    """P of a likelihood ratio R whose precision is known as well as a variance with ν degrees of freedom.

    As for a mean of normal numbers, R = (ν + 1) log(1 + t²/ν), and t is compared with t_ν. If one side lacks the term, p
    is the probability of that: e^(−R'/2) if the precision is known, whose mean over a χ²_ν/ν is e^(−Rν/(2ν + 2)).

    >>> tail_of(np.array([3.841459, 5.991465]), np.array([1e9, 1e9]), np.array([False, True])).round(4).tolist()
    [0.05, 0.05]
    """
    with np.errstate(over="ignore"):
        square = freedom * np.expm1(np.minimum(ratio / (freedom + 1), 700.0))
    return np.where(separated, np.exp(-ratio / 2 * freedom / (freedom + 1)), stats.f.sf(square, 1, freedom))


def inverse_tail(p_value: Any, freedom: Floats, separated: NDArray[np.bool_]) -> Floats:
    """The R of which `tail_of` is *p_value*.

    >>> freedom, separated = np.array([4.0, 4.0]), np.array([False, True])
    >>> tail_of(inverse_tail(0.01, freedom, separated), freedom, separated).round(6).tolist()
    [0.01, 0.01]
    """
    lacking = -2 * np.log(p_value) * (freedom + 1) / freedom
    return np.where(separated, lacking, (freedom + 1) * np.log1p(stats.f.isf(p_value, 1, freedom) / freedom))


def critical_fall(fits: ContrastFits, p_value: Floats, reference: Names, confidence: float) -> Floats:
    """How far twice the log-likelihood may fall within an interval: to where its p is 1 − *confidence*.

    Given the bursts, p has no formula for other values of the contrast. Its ratio to the fall without the contrast is taken
    for that of all values, as far as it says something, so that interval and p agree.
    """
    level, ratio = 1 - confidence, fits.ratio
    critical = inverse_tail(level, fits.freedom, fits.separated)
    given = (reference == "conditional") & (p_value < 1)
    own = inverse_tail(np.clip(p_value, 1e-300, 1 - 1e-9), fits.freedom, fits.separated)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = critical * np.clip(ratio / own, NARROWEST, WIDEST)
    critical = np.where(given & (ratio > 0.5) & (p_value > 1e-6), scaled, critical)
    beyond, within = np.maximum(critical, ratio * (1 + BEYOND)), np.minimum(critical, ratio * (1 - BEYOND))
    return np.where(reference == "conditional", np.where(p_value > level, beyond, within), critical)


def at_own_tie(limits: Floats, loose: Floats, estimate: Floats) -> Floats:
    """Limits θ at which the prior of the precision is that of θ: *limits* are with that of 0, *loose* with that of the estimate.

    What the tie may be off changes with θ, so p(0) and p(θ) have different priors. Between those of 0 and of the *estimate* a limit
    is taken as linear in |θ|. So it is on the same side of 0 as with the prior of 0, which p has.

    >>> limits, loose = np.array([[0.2, 2.0], [0.2, 2.0]]), np.array([[-0.2, 2.2], [np.nan, np.nan]])
    >>> at_own_tie(limits, loose, np.array([1.0, 1.0])).round(2).tolist()
    [[0.14, 2.5], [0.2, 2.0]]
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = (loose - limits) / np.abs(estimate)[:, None] * np.sign(limits)
        found = limits / np.maximum(1 - slope, 0.5)
    return np.where(np.isfinite(loose) & np.isfinite(found) & np.isfinite(limits), found, np.where(np.isinf(loose), loose, limits))


def contradicts(p_value: Floats, ratio: Floats) -> NDArray[np.bool_]:
    """Whether a conditional p is far too small for the likelihood ratio.

    This happens where the other columns explain nearly all that a contrast could, so that the score T hardly varies. In
    other contrasts z² of p is hardly ever so large, neither in R8 nor in the inaugural addresses.

    >>> contradicts(np.array([0.0070, 0.1, 4e-62, 7e-9]), np.array([5.3, 0.8, 0.0013, 8.4])).tolist()
    [False, False, True, True]
    """
    square = np.square(stats.norm.isf(np.fmin(p_value, 1.0) / 2))
    return np.asarray(square > np.minimum(5 * ratio, 1.5 * ratio + 4))


def check_design(data: DesignCells, rows: Floats) -> None:
    """Raise ValueError for a design that cannot be fitted."""
    rows = np.asarray(rows, np.float64)
    documents = int(data.documents.sum())
    if rows.shape[0] != data.tokens.size or rows.ndim != 2:
        raise ValueError("a design must have one row per design cell")
    if documents <= rows.shape[1]:
        raise ValueError(
            f"the design has {rows.shape[1]} columns, but there are only {documents:,} documents with words"
        )
    residual = np.ones(len(rows)) - rows @ np.linalg.lstsq(rows, np.ones(len(rows)), rcond=None)[0]
    if np.abs(residual).max() > 1e-8:
        raise ValueError("the formula must have an intercept; remove '0 +' or '- 1' from it")


def orthonormal(rows: Floats, tokens: Floats) -> Floats:
    """The same column space, with columns that are orthonormal over all tokens: Newton's method is then stable.

    If each distinct row has its own mean, as with one category, the columns are indicators of the distinct rows. The
    kernels skip zeros, so a category of many values costs little.
    """
    kind = _saturated(rows)
    if kind is not None:
        share = np.bincount(kind, tokens) / tokens.sum()
        return np.ascontiguousarray(np.diag(1 / np.sqrt(share))[kind])
    weight = np.sqrt(tokens / tokens.sum())[:, None]
    return np.ascontiguousarray(np.linalg.qr(rows * weight)[0] / weight)


def contrast_rows(rows: Floats, vector: Floats, tokens: Floats) -> Floats:
    """The same design with c·β as its first coefficient; the other columns span the designs with c·β = 0."""
    size = float(vector @ vector)
    if not size > 0:
        raise ValueError("the two sides of the contrast are the same")
    kind = _saturated(rows)
    if kind is not None:
        return _saturated_contrast(rows, vector, tokens, kind)
    others = np.linalg.svd(vector[None, :])[2][1:].T
    rest = orthonormal(rows @ others, tokens)
    first = rows @ vector / size
    first = first - rest @ (rest.T @ (first * tokens / tokens.sum()))
    return np.ascontiguousarray(np.column_stack([first, rest]))


def _saturated(rows: Floats) -> NDArray[np.intp] | None:
    """Which distinct row each row is, if there are as many distinct rows as columns, and they are independent."""
    distinct, kind = np.unique(rows, axis=0, return_inverse=True)
    if len(distinct) != rows.shape[1] or not np.linalg.cond(distinct) < 1e6:
        return None
    return kind.ravel()


def _saturated_contrast(rows: Floats, vector: Floats, tokens: Floats, kind: NDArray[np.intp]) -> Floats:
    """`contrast_rows` if each distinct row has its own mean ω: c·β = w·ω, where most w are 0.

    The columns of rows with w = 0 are indicators; only the others have more than one number that is not 0.
    """
    share = np.bincount(kind, tokens) / tokens.sum()
    w = np.linalg.solve(np.unique(rows, axis=0).T, vector)
    w[np.abs(w) < 1e-12 * np.abs(w).max()] = 0.0
    inside, outside = np.flatnonzero(w), np.flatnonzero(w == 0)
    found = np.zeros((w.size, w.size))
    found[:, 0] = w / share / (w**2 / share).sum()
    if inside.size > 1:
        others = np.linalg.svd((w[inside] / np.sqrt(share[inside]))[None, :])[2][1:].T / np.sqrt(share[inside])[:, None]
        found[inside[:, None], np.arange(1, inside.size)] = others
    found[outside, np.arange(inside.size, w.size)] = 1 / np.sqrt(share[outside])
    return np.ascontiguousarray(found[kind])


def spanning_rows(
    rows: Floats, vector: Floats, tokens: Floats, number: bool = False
) -> tuple[Floats, Floats]:  # fmt: skip
    """`contrast_rows` with a first column that spans 1, and by what to divide its coefficient for log₂ of the ratio.

    Without this, what counts as flat, and the steps of a search, would depend on the unit of a number. If few values of
    a *number* are far from all others, the unit is what the others span: most documents say nothing about a slope that
    is measured in the distance to an extreme one.

    >>> rows, unit = spanning_rows(np.array([[1.0, 0], [1, 500], [1, 1000]]), np.array([0.0, 1]), np.ones(3))
    >>> rows[:, 0].round(3).tolist(), round(float(unit / np.log(2)))
    ([-0.5, 0.0, 0.5], 1000)
    """
    first = contrast_rows(rows, vector, tokens)[:, 0]
    span = float(np.ptp(first))
    if number:
        # Adjusted for other covariates, an extreme value moves those that share them, so ask the number itself, too.
        middles = (_quartile_distance(values, tokens) for values in (first, rows @ vector / (vector @ vector)))
        middle = min(filter(None, middles), default=0.0)
        if 0 < EXTREME * middle < span:
            span = max(2 * middle, span / FARTHEST_VALUE)
    return contrast_rows(rows, vector * span, tokens), span * np.log(2)


def _quartile_distance(values: Floats, tokens: Floats) -> float:
    """Between the quartiles of the values of all tokens."""
    order = np.argsort(values)
    place = np.searchsorted(np.cumsum(tokens[order]), np.array([0.25, 0.75]) * tokens.sum())
    return float(np.ptp(values[order][place]))


def _length_classes(data: DesignCells) -> core.LengthClasses:
    """The documents of each design cell in classes of similar length."""
    starts, lengths, documents = [0], [], []
    for of, number in data.lengths:
        place = np.floor(np.log(np.maximum(of, 1)) / np.log(CLASS_RATIO)).astype(np.int64)
        edges = np.flatnonzero(np.diff(place, prepend=-1))
        if edges.size:
            held = np.add.reduceat(number, edges).astype(np.float64)
            lengths.append(np.add.reduceat(of * number, edges) / held)
            documents.append(held)
        starts.append(starts[-1] + edges.size)
    return core.length_classes(np.array(starts, np.int64), np.concatenate(lengths), np.concatenate(documents))
