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
from termburst.inference import distributions as stats
from termburst.inference.confident_effect import agreeing
from termburst.models.beta_binomial_regression import SEPARATED, DesignCells, Regression, RegressionFit
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.threads import in_threads

Floats = NDArray[np.float64]
Names = NDArray[np.object_]

ENOUGH = 6.0  # effective bursts from which χ²_1 is accurate
LOOSE = 30  # documents with a term from which its tie between mean and precision is fitted,
APART = 0.3  # if its logits vary between documents by this standard deviation
TOLD = 1.0  # 2Δℓ from which the fit without the contrast is looked for a second time
EXTREME = 20  # span of a number, in distances between its quartiles, from which some of its values are extreme
FARTHEST_VALUE = 1000  # span of a number over its unit; beyond, rounding would look like a finite estimate
CLASS_RATIO = 1.25  # longest to shortest document of a length class
NARROWEST, WIDEST = 0.4, 3.0  # of the scale of a likelihood ratio that its p says
IDENTICAL = 1e-7  # a likelihood ratio below this is rounding error
UNTOLD = 1e-3  # the same if one side lacks the term: fewer than 0.0005 tokens were expected there, which tells nothing


@dataclass(frozen=True, slots=True)
class Contrast:
    """A contrast c·β: its name, c, and the columns of the design that the unadjusted contrast uses.

    *sides* are a category and the two of its values that are compared; None for a slope or two numbers.
    """

    name: str
    vector: Floats
    own: NDArray[np.intp]
    sides: tuple[str, Any, Any] | None = None


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
class FittedTie:
    """Fits with κ as the last coefficient, one row per term: the design, the fits, and whether a term has one."""

    rows: Floats
    raw: Floats
    found: NDArray[np.bool_]


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
        self._unadjusted: dict[tuple[int, ...], Floats] = {}
        self._last: tuple[Floats, Floats, Floats, Floats] | None = None
        self._tie: FittedTie | None = None
        self._loose: Floats | None = None

    @property
    def fit(self) -> RegressionFit:
        """The fits, with coefficients of the columns of the design."""
        found = self.regression.result(self.raw, self.null)
        back = np.linalg.lstsq(self.rows, self.basis, rcond=None)[0]
        return replace(found, beta=found.beta @ back.T)

    def test(self, contrast: Contrast, confidence: float | None = 0.95, prefix: str = "") -> ContrastTest:
        """Test one contrast, for every term; *prefix* is put before the names of the references."""
        rows, unit = spanning_rows(self.rows, contrast.vector, self.data.tokens, contrast.sides is None)
        full, without = self.both(rows)
        columns = rows.shape[1]
        ratio = np.maximum(2 * (full[:, columns + 1] - without[:, columns + 1]), 0.0)
        cells, fitted = self.data.cells, self.regression.result(full, self.null)
        separated = (full[:, -1] < SEPARATED) & np.isfinite(full[:, 0])
        unknown = separated & (ratio < UNTOLD)  # no document of either side has the term, or could be expected to
        p_value, reference, least_p = self._p_value(rows, without, ratio, unknown)
        tie = self.fitted_tie(rows, full)
        estimate = np.where(tie.found, tie.raw[:, 0], full[:, 0])
        log_ratio = np.where(separated, np.copysign(np.inf, full[:, 0]), estimate) / unit
        status = np.where(separated & (fitted.status != "failed"), "separated", fitted.status)
        log_ratio, status = np.where(unknown, np.nan, log_ratio), np.where(unknown, "undetermined", status)
        limits = np.full((ratio.size, 2), np.nan)
        if confidence is not None:
            critical = self._critical(ratio, p_value, reference, separated, confidence)
            limits = self.limits(rows, full, without, critical) / unit
            limits = agreeing(limits, log_ratio, p_value, 1 - confidence)
            limits[unknown] = -np.inf, np.inf
        absent = ~np.isin(np.arange(ratio.size), self.regression.occurring)
        everywhere = cells.n_i == cells.tokens
        return ContrastTest(
            contrast.name,
            np.where(absent, np.nan, log_ratio),
            np.where(absent, np.nan, log_ratio if contrast.own.size == columns else self._alone(contrast, log_ratio)),
            np.where(absent, np.nan, limits[:, 0]),
            np.where(absent, np.nan, limits[:, 1]),
            np.where(everywhere, 0.0, np.where(absent, np.nan, ratio)),
            np.where(everywhere, 1.0, np.where(absent, np.nan, p_value)),
            np.where(absent, "", np.array([prefix], dtype=object) + reference),
            np.where(everywhere, 1.0, np.where(absent, np.nan, least_p)),
            status,
        )

    def tests(
        self, contrasts: Sequence[Contrast], confidence: float | None = 0.95, prefix: str = ""
    ) -> list[ContrastTest]:
        """`test` of several contrasts. What one of them does in Python is done while the kernels of another run."""
        found: list[Any] = [None] * len(contrasts)
        if len(contrasts) > 1:
            for one in contrasts:
                if one.own.size < self.rows.shape[1]:
                    self._unadjusted_beta(one.own)
            self._loose_fits()

        def fill(k: int) -> None:
            found[k] = copy(self).test(contrasts[k], confidence, prefix)

        in_threads(fill, range(len(contrasts)))
        return found

    def both(self, rows: Floats) -> tuple[Floats, Floats]:
        """Raw fits with and without the contrast, which is the first column of *rows*; the last ones are kept."""
        if self._last is None or not np.array_equal(self._last[0], rows):
            self._last = (rows, *self._both(rows))
        return self._last[1:3]

    def _both(self, rows: Floats) -> tuple[Floats, Floats, Floats]:
        """The same, and the tangents of `Regression.fit_both`."""
        columns = rows.shape[1]
        there = np.linalg.lstsq(rows, self.basis, rcond=None)[0]
        start = np.nan_to_num(np.column_stack([_changed(self.raw[:, :columns], there), self.raw[:, columns]]))
        full, without, tangents = self.regression.fit_both(rows, start, self.rivals)
        full[:, columns + 2] = self.raw[:, columns + 2]
        without = self._from_one_mean(rows, full, without)
        behind = np.flatnonzero(without[:, columns + 1] > full[:, columns + 1] + 1e-8)
        if behind.size:  # the start was at a lower maximum
            again = np.nan_to_num(without[:, : columns + 1])
            better = self.regression.fit(rows, again, how="climb", terms=behind)
            higher = (better[:, columns + 1] > full[:, columns + 1])[:, None]
            full, tangents = np.where(higher, better, full), np.where(higher, np.nan, tangents)
        return full, without, tangents

    def _from_one_mean(self, rows: Floats, full: Floats, without: Floats) -> Floats:
        """The fits without the first coefficient, or those found from the model with one mean, if they are higher.

        The others begin at the fit with it. If a rare word leaves other coefficients of a number or a spline almost
        free, these are large there, and without the first one they are far from any maximum: the search ended where
        2Δℓ was in the thousands. One category alone has no such coefficients.
        """
        if _saturated(self.rows) is not None:
            return without
        gain = rows.shape[1] + 1
        told = np.flatnonzero(2 * (full[:, gain] - without[:, gain]) > TOLD)
        start = self.regression.start(rows, self.null)
        start[:, 0] = 0.0
        again = self.regression.fit(rows, start, how="climb", held=True, terms=told)
        return np.where((again[:, gain] > without[:, gain])[:, None], again, without)

    def fitted_tie(self, rows: Floats, full: Floats) -> FittedTie:
        """Fits with a κ of their own, of terms whose documents say something about the tie; the last ones are kept.

        These are in many documents, and their means differ between documents. They are fitted once, for all contrasts;
        *full* says in which terms the contrast has an estimate.
        """
        if self._tie is None or not np.array_equal(self._tie.rows[:, :-1], rows):
            columns, loose, fits = rows.shape[1], self.regression.with_fitted_tie(), self._loose_fits()
            there = np.linalg.lstsq(rows, self.basis, rcond=None)[0]
            start = np.column_stack([_changed(fits[:, :columns], there), fits[:, columns : columns + 2]])
            terms = np.flatnonzero(np.isfinite(start[:, 0]) & (full[:, -1] >= SEPARATED))
            wide = np.column_stack([rows, np.zeros(len(rows))])
            raw = loose.fit(wide, np.nan_to_num(start), how="climb", terms=terms)
            found = (raw[:, -1] >= SEPARATED) & (raw[:, -2] < 1e-6)
            self._tie = FittedTie(wide, raw, found)
        return self._tie

    def _loose_fits(self) -> Floats:
        """The fits of the whole design with κ as one more coefficient."""
        if self._loose is None:
            self._loose = _with_own_tie(self.regression, self.basis, self.raw)
        return self._loose

    def limits(self, rows: Floats, full: Floats, without: Floats, critical: Floats) -> Floats:
        """Profile-likelihood limits of the first coefficient; over κ, too, where documents say something about it."""
        tie = self.fitted_tie(rows, full)
        tangents = self._last[3] if self._last is not None and np.array_equal(self._last[0], rows) else None
        held = np.flatnonzero(~tie.found)
        limits = self.regression.limits(rows, full, without, critical, held, self.rivals, tangents)
        loose = self.regression.with_fitted_tie()
        own = loose.limits(tie.rows, tie.raw, tie.raw, critical, np.flatnonzero(tie.found))
        return np.where(tie.found[:, None], own, limits)

    def _p_value(
        self, rows: Floats, without: Floats, ratio: Floats, unknown: NDArray[np.bool_]
    ) -> tuple[Floats, Names, Floats]:
        """P, how it was obtained, and the smallest p that the bursts could have; all 1 if the contrast is *unknown*."""
        p_value = stats.f.sf(ratio, 1, self.freedom)
        b_i, documents = self.data.cells.b_i, float(self.data.documents.sum())
        weight = self.data.tokens / self.data.tokens.sum()
        share = 1 / (1 + (rows[:, 0] ** 2).max() / (weight @ rows[:, 0] ** 2))
        candidates = (b_i <= documents / 2) & (b_i * share < 8 * ENOUGH) & (self.null.status != "degenerate")
        found = np.full((b_i.size, core.RESULTS), np.nan)
        several, known = candidates & (b_i > 1), ~unknown[self.regression.terms]
        design = self.regression.design(rows)
        self.regression.over_terms(
            lambda terms: core.placements(self.regression.cells, design, self.classes, terms, without, ENOUGH, found),
            self.regression.terms[several[self.regression.terms] & known],
            found,
        )
        found[several & unknown] = 1.0  # the bursts cannot be on either side
        few, alone = np.isfinite(found[:, 0]) & ~contradicts(found[:, 0], ratio), b_i <= 1
        p_value = np.where(few, found[:, 0], p_value)
        p_value = np.where((ratio < IDENTICAL) | alone | unknown, 1.0, p_value)
        least_p = np.where(alone | unknown, 1.0, np.where(few, np.minimum(found[:, 4], p_value), 0.0))
        return p_value, np.where(few | (alone & candidates), "conditional", "chi2").astype(object), least_p

    def _critical(
        self, ratio: Floats, p_value: Floats, reference: Names, separated: NDArray[np.bool_], confidence: float
    ) -> Floats:
        """How far twice the log-likelihood may fall within an interval: as far as the reference of p says.

        If one side lacks the term, there is one limit, and the fall at it is −log P of a side without the term. P must
        be 1 − confidence there, as p is P at a ratio of 1.
        """
        critical = np.full(ratio.size, stats.f.isf(1 - confidence, 1, self.freedom))
        scaled = (reference == "conditional") & (ratio > 0.5) & (p_value > 1e-6) & (p_value < 1)
        scale = np.clip(ratio[scaled] / stats.norm.isf(p_value[scaled] / 2) ** 2, NARROWEST, WIDEST)
        critical[scaled] = scale * stats.chi2.isf(1 - confidence, 1)
        return np.where(separated, one_sided(confidence, self.freedom), critical)

    def _alone(self, contrast: Contrast, adjusted: Floats) -> Floats:
        """log₂ of the unadjusted ratio.

        It is infinite if it is large in the unit of a slope, or if it is large over all values, extreme ones included,
        and the *adjusted* one is infinite.
        """
        vector = contrast.vector[contrast.own]
        found = _changed(self._unadjusted_beta(contrast.own), vector[None, :])[:, 0] / np.log(2)
        own = self.rows[:, contrast.own]
        spans = [spanning_rows(own, vector, self.data.tokens, number)[1] / np.log(2) for number in (True, False)]
        span = np.where(np.isinf(adjusted), spans[1], spans[0] if contrast.sides is None else spans[1])
        found = np.where(np.abs(found) * span > 20, np.copysign(np.inf, found), found)
        return np.where(self._outside(self.rows[:, contrast.own], vector), np.nan, found)

    def _unadjusted_beta(self, columns: NDArray[np.intp]) -> Floats:
        """Coefficients of the model that has only these columns; design cells that it cannot tell apart are merged."""
        key = tuple(columns.tolist())
        if key not in self._unadjusted:
            own, kind = np.unique(self.rows[:, columns], axis=0, return_inverse=True)
            regression = self.regression.merged(kind.ravel().astype(np.intp))
            basis = orthonormal(own, regression.data.tokens)
            raw = regression.fit(basis, regression.start(basis, self.null))
            loose = _with_own_tie(regression, basis, raw)  # as for the adjusted ratio, so that the two can be compared
            beta = np.where((loose[:, -2] < 1e-6)[:, None], loose[:, : len(key)], raw[:, : len(key)])
            self._unadjusted[key] = _changed(beta, np.linalg.lstsq(own, basis, rcond=None)[0])
        return self._unadjusted[key]

    def _outside(self, own: Floats, vector: Floats) -> NDArray[np.bool_]:
        """Whether a term is in no document of the values that a contrast of one category compares."""
        kind, cells = _saturated(own), self.data.cells
        if kind is None:
            return np.zeros(cells.n_i.size, dtype=bool)
        inside = contrast_rows(own, vector, self.data.tokens)[:, 0] != 0
        return np.bincount(cells.term[inside[self.data.group]], minlength=cells.n_i.size) == 0


def _changed(coefficients: Floats, there: Any) -> Floats:
    """Coefficients in terms of another basis. Not by BLAS: its threads would spin while the kernels run."""
    return np.einsum("ik,jk->ij", coefficients, there)


def _with_own_tie(regression: Regression, basis: Floats, raw: Floats) -> Floats:
    """The fits *raw* of a design with κ as one more coefficient; NaN for terms that say little about the tie."""
    columns, tokens = basis.shape[1], regression.data.tokens
    share = tokens / tokens.sum()
    omega = np.clip(_changed(np.nan_to_num(raw[:, :columns]), basis), -60, 30)
    variance = (omega - (omega @ share)[:, None]) ** 2 @ share
    terms = np.flatnonzero((regression.data.cells.b_i >= LOOSE) & (variance >= APART**2))
    kappa = np.full(len(raw), regression.kappa)
    start = np.nan_to_num(np.column_stack([raw[:, :columns], kappa, raw[:, columns]]))
    wide = np.column_stack([basis, np.zeros(len(basis))])
    return regression.with_fitted_tie().fit(wide, start, how="climb", terms=terms)


def one_sided(confidence: float, freedom: float) -> float:
    """How far twice the log-likelihood may fall if one side lacks a term: to where that has 1 − *confidence*.

    >>> round(one_sided(0.95, 100), 3), round(one_sided(0.95, 2), 3)  # F is wider with very few documents
    (5.991, 18.513)
    """
    return max(-2 * float(np.log(1 - confidence)), float(stats.f.isf(1 - confidence, 1, freedom)))


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
