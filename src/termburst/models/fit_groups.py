"""Every term's beta-binomial in several groups of documents: one mean per group, and precisions tied by one parameter.

Two corpora with different shares of a word may differ in how many documents use it (α_0 is the same, and α_i = α_0 π is
proportional to the share), or in how often these documents use it (α_i is the same, as after random thinning of tokens,
and α_0 is inversely proportional to the share). Real text does some of both: α_0g ∝ (π_g (1 − π_g))^−κ with κ = ½ is
halfway; κ = 0 is a common α_0. If many documents of both groups contain a term, a wrong tie would bias the ratio of the
means and no tie is needed: `fit_apart` gives each group its own precision. (A test of equal means needs the tie, and
the tie does not bias it: with separate precisions, random halves of real text differ too often.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core import cells as core_cells
from termburst.core import groups as core
from termburst.core import ratios as core_ratios
from termburst.models import binomial
from termburst.models.cells import TermCells, joined
from termburst.models.fit_beta_binomial import BLOCKS, BetaBinomialFit, fit_beta_binomial, fit_some_terms
from termburst.models.length_table import LengthTable
from termburst.statistics.tally import Integers
from termburst.threads import in_threads

Floats = NDArray[np.float64]

KAPPA = 0.5


@dataclass(frozen=True, slots=True)
class GroupsFit:
    """Maximum-likelihood estimates of every term; arrays have one row per term.

    Attributes
    ----------
    mean : array of shape (terms, groups)
        π_g, the expected share of the term in a document of group g; 0 if the group lacks the term.
    alpha_0 : the precision of a group in which the term has its overall share (for κ = 0 the common precision); inf if
        the binomial is the supremum.
    loglik : log-likelihood summed over the groups, without binomial coefficients.
    """

    mean: Floats
    alpha_0: Floats
    loglik: Floats


@dataclass(frozen=True, slots=True)
class ApartFit:
    """Separate fits of two groups, for terms marked `own`: each group has its own mean and precision.

    Attributes
    ----------
    mean : π_g, as in `GroupsFit`.
    rows : τ_a, τ_b, gain, ω_a, ω_b, for `GroupedCells.ratio_limits`.
    """

    own: NDArray[np.bool_]
    mean: Floats
    rows: Floats


class GroupedCells:
    """The cells of several collections over the same terms, and the data that all fits use."""

    def __init__(self, groups: Sequence[TermCells], kappa: float = KAPPA) -> None:
        self.groups, self.kappa = groups, float(kappa)
        offset = np.cumsum([0, *(g.count.size for g in groups[:-1])])
        self.cells = core_cells.cells(
            np.stack([g.indptr for g in groups]) + offset[:, None],
            np.concatenate([g.count for g in groups]),
            np.concatenate([g.length for g in groups]),
            np.concatenate([np.broadcast_to(g.weight, g.count.shape) for g in groups]),
        )
        self.tables = [LengthTable.of(g.lengths, g.length_documents) for g in groups]
        self.tokens = np.array([float(table.tokens) for table in self.tables])
        longest = max(1, *(table.longest for table in self.tables))
        self.lengths = core.group_lengths(np.stack([table.coefficients for table in self.tables]), self.tokens, longest)
        self.n_i = np.stack([g.n_i for g in groups], axis=1)
        # A result depends only on the cells of a term: terms with equal cells, as most rare terms have, share it.
        n_i = self.n_i.sum(axis=1)
        self.occurring = np.flatnonzero(n_i)
        distinct, place = core_cells.alike_terms(self.cells, self.occurring)
        self.same_as = distinct[place]  # one entry for every term that occurs
        self.terms = distinct[np.argsort(-n_i[distinct], kind="stable")]  # frequent terms first, evenly over the parts

    def over_terms(self, kernel: Callable[[Integers], None], terms: Integers, *results: NDArray[Any]) -> None:
        """Call *kernel* with parts of *terms* on all cores; then copy *results* to terms with equal cells."""
        in_threads(lambda part: kernel(terms[part::BLOCKS].copy()), range(BLOCKS))
        for result in results:
            result[self.occurring] = result[self.same_as]

    def fit(self, null: BetaBinomialFit) -> tuple[GroupsFit, Floats]:
        """The fits, and raw rows (τ, gain, ω_g) for `ratio_limits`; *null* is the fit of all groups together."""
        terms, groups = self.n_i.shape
        raw = np.full((terms, 2 + groups), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            tau, omega = np.log(null.alpha_0), np.log(null.mean) - np.log1p(-null.mean)
        tau = np.where(null.status == "converged", tau, np.inf)
        separate = sum(binomial.log_likelihood(self.n_i[:, g], int(self.tokens[g])) for g in range(groups))
        gains = null.loglik - separate  # gain of the null model over one binomial per group

        self.over_terms(
            lambda terms: core.fit_groups(self.cells, self.lengths, self.kappa, terms, tau, gains, omega, raw),
            self.terms,
            raw,
        )
        raw[self.n_i.sum(axis=1) == 0] = [np.inf, 0.0, *np.zeros(groups)]
        e = np.exp(-np.abs(raw[:, 2:]))
        mean = np.where(raw[:, 2:] > 0, 1, e) / (1 + e)
        mean = np.where(self.n_i == 0, 0.0, np.where(self.n_i == self.tokens, 1.0, mean))
        alpha_0, loglik = np.exp(raw[:, 0]), separate + raw[:, 1]
        lower = null.status == "degenerate"  # in every group, documents are only this term or without it
        if lower.any():
            b_i = np.stack([g.b_i for g in self.groups], axis=1)[lower]
            documents = np.array([g.length_documents[g.lengths > 0].sum() for g in self.groups])
            mean[lower], alpha_0[lower], raw[lower, 0] = b_i / documents, 0.0, -np.inf
            loglik[lower] = binomial.log_likelihood(b_i, np.broadcast_to(documents, b_i.shape)).sum(axis=1)
        return GroupsFit(mean, alpha_0, loglik), raw

    def fit_apart(self, fewest: int) -> ApartFit:
        """Fit two groups separately, for terms that at least *fewest* documents of each contain."""
        own = np.min([g.b_i for g in self.groups], axis=0) >= fewest
        fits = [fit_some_terms(g, np.flatnonzero(own)) for g in self.groups]
        for fit, tokens, n_i in zip(fits, self.tokens, self.n_i.T, strict=True):
            own &= np.isin(fit.status, ["converged", "boundary"]) & (n_i < tokens)
        mean = np.stack([fit.mean for fit in fits], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            tau = [np.where(fit.status == "converged", np.log(fit.alpha_0), np.inf) for fit in fits]
            gain = sum(fit.loglik - fit.loglik_binomial for fit in fits)
            rows = np.column_stack([*tau, gain, np.log(mean) - np.log1p(-mean)])
        return ApartFit(own, mean, rows)

    def apart_ratio(self, apart: ApartFit) -> Floats:
        """2(ℓ_1 − ℓ_0) against one mean for both, still with separate precisions; NaN if not fitted *apart*."""
        ratio, marks = np.full(apart.own.size, np.nan), apart.own.astype(np.uint8)
        self.over_terms(
            lambda terms: core_ratios.ratios(self.cells, self.lengths, terms, marks, apart.rows, ratio),
            self.terms[apart.own[self.terms]],
            ratio,
        )
        return ratio

    def ratio_limits(
        self,
        raw: Floats,
        critical: Floats | float,
        apart: ApartFit | None = None,
        only: NDArray[np.bool_] | None = None,
    ) -> Floats:
        """Profile-likelihood limits of log π_0/π_1 of two groups, terms × 2; ±inf if there is no limit.

        A limit is where twice the log-likelihood has fallen by *critical*, for example a χ²_1 quantile. Precisions are
        tied, except for terms that were fitted *apart*. *only* marks the terms that need limits (terms with equal cells
        alike); the others have ±inf.
        """
        critical = np.full(len(raw), critical, dtype=np.float64)
        limits = np.tile([-np.inf, np.inf], (len(raw), 1))
        own = np.zeros(len(raw), dtype=bool) if apart is None else apart.own
        rows = np.ascontiguousarray(raw[:, [0, 0, 1, 2, 3]])
        if apart is not None:
            rows = np.where(own[:, None], apart.rows, rows)

        marks = own.astype(np.uint8)
        self.over_terms(
            lambda terms: core_ratios.ratio_limits(
                self.cells, self.lengths, self.kappa, terms, marks, rows, critical, limits
            ),
            self.terms if only is None else self.terms[only[self.terms]],
            limits,
        )
        lower = np.flatnonzero((raw[:, 0] == -np.inf) & (True if only is None else only))
        if lower.size:  # as α_0 → 0 a document is one draw
            ones = GroupedCells([_one_token_documents(g, lower) for g in self.groups], self.kappa)
            single = ones.fit(fit_beta_binomial(joined(ones.groups)))[1]
            limits[lower] = ones.ratio_limits(single, critical[lower])
        return limits


def _one_token_documents(cells: TermCells, terms: Integers) -> TermCells:
    """The given terms in the same number of documents, each of one token: the term or not."""
    b_i = cells.b_i[terms]
    held = b_i > 0
    ones = np.ones(int(held.sum()), dtype=np.int32)
    documents = cells.length_documents[cells.lengths > 0].sum()
    return TermCells(
        np.concatenate([[0], np.cumsum(held)]),
        ones,
        ones,
        b_i[held].astype(np.float64),
        b_i,
        b_i,
        np.array([1]),
        np.array([documents]),
    )
