"""Every term's beta-binomial in several groups of documents: a mean a group, and precisions tied by one parameter.

Two corpora that differ in a word's share may differ in how many documents take it up (α_0 is the same, and the shape
α_i = α_0 π in proportion to the share), or in how often those that do say it (α_i is the same, as when tokens are
thinned out, and α_0 in inverse proportion). Text does some of both: α_0g ∝ (π_g (1 − π_g))^−κ with κ = ½ is half-way,
κ = 0 a common α_0. Where many documents of each of two groups hold a term, a wrong tie would bias the ratio of their
means, and there is no need of one: `fit_apart` gives each its own precision. (For a test of equal means the tie does no
harm, and is needed: with precisions of their own, random halves of real text differ too often.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core import cells as core_cells
from termburst.core import groups as core
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
    """Maximum-likelihood estimates of every term; arrays have one row a term.

    Attributes
    ----------
    mean : array of shape (terms, groups)
        π_g, the expected share of the term in a document of group g; 0 where the group lacks the term.
    alpha_0 : the precision of a group with the share that the term has in all of them together: the common one where
        κ = 0; inf where the binomial is the supremum.
    loglik : log-likelihood summed over the groups, binomial coefficients left out.
    """

    mean: Floats
    alpha_0: Floats
    loglik: Floats


@dataclass(frozen=True, slots=True)
class ApartFit:
    """Fits of two groups apart, for terms that are marked `own`: each has a mean and a precision of its own.

    Attributes
    ----------
    mean : π_g, as in `GroupsFit`.
    ratio : 2(ℓ_1 − ℓ_0), against one mean for both, the precisions still their own; NaN where not `own`.
    rows : τ_a, τ_b, gain, ω_a, ω_b, for `GroupedCells.ratio_limits`.
    """

    own: NDArray[np.bool_]
    mean: Floats
    ratio: Floats
    rows: Floats


class GroupedCells:
    """The cells of several collections over the same terms, with what their fits share."""

    def __init__(self, groups: Sequence[TermCells], kappa: float = KAPPA) -> None:
        self.groups, self.kappa = groups, float(kappa)
        offset = np.cumsum([0, *(g.count.size for g in groups[:-1])])
        self.cells = core_cells.cells(
            np.stack([g.indptr for g in groups]) + offset[:, None],
            np.concatenate([g.count for g in groups]),
            np.concatenate([g.length for g in groups]),
            np.concatenate([np.broadcast_to(g.weight, g.count.shape) for g in groups]),
        )
        tables = [LengthTable.of(g.lengths, g.length_documents) for g in groups]
        self.tokens = np.array([float(table.tokens) for table in tables])
        longest = max(1, *(table.longest for table in tables))
        self.lengths = core.group_lengths(np.stack([table.coefficients for table in tables]), self.tokens, longest)
        self.n_i = np.stack([g.n_i for g in groups], axis=1)
        # Every result depends on a term's cells alone: terms with the same cells, as most rare ones have, share it.
        n_i = self.n_i.sum(axis=1)
        self.occurring = np.flatnonzero(n_i)
        distinct, place = core_cells.alike_terms(self.cells, self.occurring)
        self.same_as = distinct[place]  # for every term that occurs
        self.terms = distinct[np.argsort(-n_i[distinct], kind="stable")]  # the long ones first, and dealt out evenly

    def over_terms(self, kernel: Callable[[Integers], None], terms: Integers, *results: NDArray[Any]) -> None:
        """Call *kernel* with parts of *terms*, on all cores, then give terms with the same cells the same *results*."""
        in_threads(lambda part: kernel(terms[part::BLOCKS].copy()), range(BLOCKS))
        for result in results:
            result[self.occurring] = result[self.same_as]

    def fit(self, null: BetaBinomialFit) -> tuple[GroupsFit, Floats]:
        """The fits, and their raw rows (τ, gain, ω_g) for `ratio_limits`; *null* is the fit of all groups together."""
        terms, groups = self.n_i.shape
        raw = np.full((terms, 2 + groups), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            tau, omega = np.log(null.alpha_0), np.log(null.mean) - np.log1p(-null.mean)
        tau = np.where(null.status == "converged", tau, np.inf)
        separate = sum(binomial.log_likelihood(self.n_i[:, g], int(self.tokens[g])) for g in range(groups))
        gains = null.loglik - separate  # of the null model over a binomial for every group

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
        lower = null.status == "degenerate"  # every document is all this term or without it, in every group
        if lower.any():
            b_i = np.stack([g.b_i for g in self.groups], axis=1)[lower]
            documents = np.array([g.length_documents[g.lengths > 0].sum() for g in self.groups])
            mean[lower], alpha_0[lower], raw[lower, 0] = b_i / documents, 0.0, -np.inf
            loglik[lower] = binomial.log_likelihood(b_i, np.broadcast_to(documents, b_i.shape)).sum(axis=1)
        return GroupsFit(mean, alpha_0, loglik), raw

    def fit_apart(self, fewest: int) -> ApartFit:
        """Fit two groups apart, for terms that *fewest* documents of each hold."""
        own = np.min([g.b_i for g in self.groups], axis=0) >= fewest
        fits = [fit_some_terms(g, np.flatnonzero(own)) for g in self.groups]
        for fit, tokens, n_i in zip(fits, self.tokens, self.n_i.T, strict=True):
            own &= np.isin(fit.status, ["converged", "boundary"]) & (n_i < tokens)
        mean = np.stack([fit.mean for fit in fits], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            tau = [np.where(fit.status == "converged", np.log(fit.alpha_0), np.inf) for fit in fits]
            gain = sum(fit.loglik - fit.loglik_binomial for fit in fits)
            rows = np.column_stack([*tau, gain, np.log(mean) - np.log1p(-mean)])
        ratio = np.full(own.size, np.nan)
        marks = own.astype(np.uint8)

        self.over_terms(
            lambda terms: core.ratios(self.cells, self.lengths, terms, marks, rows, ratio),
            self.terms[own[self.terms]],
            ratio,
        )
        return ApartFit(own, mean, ratio, rows)

    def ratio_limits(self, raw: Floats, critical: Floats | float, apart: ApartFit | None = None) -> Floats:
        """Profile-likelihood limits of log π_0/π_1 of two groups, terms × 2; ±inf where there is no limit.

        A limit is where twice the log-likelihood has fallen by *critical*, say χ²_1's quantile. Precisions are tied but
        for terms that were fitted *apart*.
        """
        critical = np.full(len(raw), critical, dtype=np.float64)
        limits = np.tile([-np.inf, np.inf], (len(raw), 1))
        own = np.zeros(len(raw), dtype=bool) if apart is None else apart.own
        rows = np.ascontiguousarray(raw[:, [0, 0, 1, 2, 3]])
        if apart is not None:
            rows = np.where(own[:, None], apart.rows, rows)

        marks = own.astype(np.uint8)
        self.over_terms(
            lambda terms: core.ratio_limits(self.cells, self.lengths, self.kappa, terms, marks, rows, critical, limits),
            self.terms,
            limits,
        )
        lower = np.flatnonzero(raw[:, 0] == -np.inf)
        if lower.size:  # as α_0 → 0 a document is one draw
            ones = GroupedCells([_one_token_documents(g, lower) for g in self.groups], self.kappa)
            single = ones.fit(fit_beta_binomial(joined(ones.groups)))[1]
            limits[lower] = ones.ratio_limits(single, critical[lower])
        return limits


def _one_token_documents(cells: TermCells, terms: Integers) -> TermCells:
    """The given terms in as many documents of one token, each the term or not."""
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
