"""The burstiness test, burst effects, dispersion and fits as plans.

Three things depend on all terms: how much the burst ratio varies more than the model says (learned from sums over
terms), the draws of the null distributions (which depend on the largest n_i), and the adjustment of p-values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.inference.burst_effects import BurstEffects, burst_effects
from termburst.inference.checks import LEAST_DRAWS
from termburst.inference.dispersion import dispersion
from termburst.inference.multiplicity import adjust_log10
from termburst.inference.null_distribution import FREQUENT, Longest
from termburst.inference.null_lengths import Lengths
from termburst.inference.overdispersion import Burstiness as Tests
from termburst.inference.overdispersion import burstiness, shared_null
from termburst.inference.robust_scale import ScaleSums, scale_sums
from termburst.models.cells import TermCells
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.models.penalties import checked_hyperparameters
from termburst.names import Statistic
from termburst.questions.burst_columns import burst_columns, main_columns, sorted_terms, term_order
from termburst.questions.burstiness_test import Burstiness
from termburst.questions.frames import term_frame
from termburst.questions.plans import SAMPLE, Finish, Order, Rows, TermsPlan, lesson, shown, sums_of
from termburst.questions.stored_nulls import StoredNulls
from termburst.threads import Aside

TERMS, SCALE, LONGEST, SIZES = "terms", "scale", "longest", "sizes"  # what is learned
FIT = ("mean", "alpha", "alpha_not", "alpha_0", "loglik", "loglik_binomial", "standard_error_alpha",
       "standard_error_alpha_not")  # fmt: skip


@dataclass(frozen=True)
class OneCollection(TermsPlan):
    """A plan of one collection of documents."""

    def schema(self) -> dict[str, Any]:
        """See `TermsPlan`."""
        return dict(self.rows(["a", "b"], [SAMPLE]).schema)

    def finish(self, rows: Rows) -> Finish:
        """See `TermsPlan`."""
        return Finish(None, shown)


@dataclass(frozen=True)
class TermByTerm(OneCollection):
    """Each term is answered by itself; rows are in the order of terms, or with *sort* None in any."""

    sort: str | None
    learns = False

    def order(self) -> Order:
        """See `TermsPlan`."""
        return [] if self.sort is None else super().order()


@dataclass(frozen=True)
class DispersionPlan(TermByTerm):
    """How evenly is each term spread?"""

    measures: tuple[str, ...] = ()

    def rows(self, terms: Any, cells: Sequence[TermCells]) -> pl.DataFrame:
        """See `TermsPlan`."""
        (own,) = cells
        return term_frame(terms, {"n": own.n_i, "b": own.b_i, **dispersion(own, list(self.measures))})


@dataclass(frozen=True)
class FitPlan(TermByTerm):
    """The exact beta-binomial fit of every term."""

    def rows(self, terms: Any, cells: Sequence[TermCells]) -> pl.DataFrame:
        """See `TermsPlan`."""
        (own,) = cells
        found = fit_beta_binomial(own)
        columns = {"n": own.n_i, "b": own.b_i, **{name: getattr(found, name) for name in FIT}}
        status = pl.Series(found.status.tolist(), dtype=pl.String)
        return pl.DataFrame({"term": terms, **columns}).with_columns(status=status)


@dataclass(frozen=True)
class BurstinessPlan(OneCollection):
    """The burstiness test.

    Attributes
    ----------
    asked : the options
    collection : cells without terms: the document lengths of the whole collection
    sums, shared : what all terms say; None if all are given at once
    """

    asked: Burstiness
    collection: TermCells | None = None
    sums: ScaleSums | None = None
    shared: Any = None

    @property
    def every(self) -> bool:
        """Whether all columns are wanted; otherwise those of other tests are not computed."""
        return self.asked.columns == "all"

    def prepared(self, collections: Sequence[TermCells]) -> Self:
        """See `TermsPlan`."""
        (own,) = collections
        checked_hyperparameters(own.mean_length if self.asked.mu is None else self.asked.mu, self.asked.sigma2)
        return replace(self, collection=own)

    def learn(self, cells: Sequence[TermCells]) -> pl.DataFrame:
        """See `TermsPlan`: how bursty terms are in general, and which draws the null distributions need."""
        (own,) = cells
        drawn = Lengths.of(own).drawn(own.n_i)
        longest = Longest.of(drawn)
        found = scale_of(own) if self.asked.intervals else {}
        return lesson(
            {**found, (0, LONGEST): [longest.most, *longest.phases], (0, SIZES): np.unique(drawn[drawn <= FREQUENT])}
        )

    def taught(self, rows: pl.DataFrame) -> Self:
        """See `TermsPlan`."""
        asked, lengths = self.asked, self.collection
        assert lengths is not None  # `prepared` came first
        sizes = rows.filter(what=SIZES)["value"].unique().sort().cast(pl.Int64).to_numpy()
        most = rows.filter(what=LONGEST).group_by("place").agg(pl.col("value").max()).sort("place")["value"]
        longest = Longest(tuple(most.cast(pl.Int64).to_list()[1:]), int(most[0])) if len(most) else Longest.of(sizes)
        drawing: dict[str, Any] = {name: getattr(asked, name) for name in ("draws", "seed", "mu", "sigma2", "form")}
        nulls = StoredNulls(lengths, longest, sizes, **drawing)
        ratio = self.every or asked.statistic == "lr"
        shared = shared_null(lengths, longest, draws=asked.draws, seed=asked.seed, nulls=nulls, ratio=ratio)
        return replace(self, shared=shared, sums=taught_scale(rows) if asked.intervals else None)

    def rows(self, terms: Any, cells: Sequence[TermCells]) -> pl.DataFrame:
        """See `TermsPlan`."""
        asked, (own,) = self.asked, cells
        options: dict[str, Any] = {
            name: getattr(asked, name) for name in ("mu", "sigma2", "form", "draws", "seed", "mid_p")
        }
        with Aside() as other:  # uses a core while the test leaves it idle
            measures = other.submit(dispersion, own) if asked.dispersion and self.every else None
            found = burstiness(own, **options, shared=self.shared, only=None if self.every else asked.statistic)
            effects = burst_effects(
                own, found.fit, intervals=asked.intervals, reuse_intervals=self.every, sums=self.sums
            )
        columns = test_columns(own, found, effects, asked.statistic)
        if measures is not None:
            columns |= measures.get()
        return _test_frame(terms, columns, own.n_i >= max(asked.min_count, 1))

    def schema(self) -> dict[str, Any]:
        """See `TermsPlan`."""
        asked = replace(self.asked, draws=LEAST_DRAWS, mu=None, sigma2=1.0)
        return dict(BurstinessPlan(asked).rows(["a", "b"], [SAMPLE]).schema)

    def finish(self, rows: Rows) -> Finish:
        """Adjusted p-values, from their logarithms: p may be too small for a float."""
        (log10_p,) = rows.take("log10_p")
        columns = None if self.every else tuple(main_columns(self.asked.statistic))
        return Finish(10 ** adjust_log10(log10_p, self.asked.adjust), shown, columns)

    def order(self) -> Order:
        """See `TermsPlan`."""
        asked, has = self.asked, ("lower_bound", "burst_ratio", "plr", "lr", "score", "log10_p")
        return term_order(has, asked.sort, asked.statistic, intervals=asked.intervals)


def scale_of(cells: TermCells) -> dict[tuple[int, str], Any]:
    """What some terms say about how much the burst ratio varies more than the model says: see `scale_sums`."""
    sums = scale_sums(cells, fit_beta_binomial(cells))
    return {(0, TERMS): sums.terms, (0, SCALE): sums.scale}


def taught_scale(rows: pl.DataFrame) -> ScaleSums | None:
    """The same of all terms, from the rows of `TermsPlan.learn`."""
    found = sums_of(rows)
    return ScaleSums(found[0, TERMS], found[0, SCALE]) if found else None


def _test_frame(terms: Any, columns: dict[str, Any], counted: NDArray[np.bool_]) -> pl.DataFrame:
    return term_frame(terms, columns, counted).with_columns(pl.col("p_method", "status").cast(pl.String))


def test_columns(cells: TermCells, found: Tests, effects: BurstEffects, statistic: Statistic) -> dict[str, Any]:
    """The columns of `burstiness_test` but those of dispersion, q_value not yet filled in."""
    tested = {"plr": found.plr, "lr": found.lr, "score": found.score}
    log10_p = tested[statistic].log10_p
    return {
        "n": cells.n_i,
        "b": cells.b_i,
        **burst_columns(effects),
        **{name: result.value for name, result in tested.items()},
        **{f"p_{name}": 10**result.log10_p for name, result in tested.items()},
        "p_value": 10**log10_p,
        "log10_p": log10_p,
        "q_value": np.full(log10_p.size, np.nan),
        "p_method": tested[statistic].p_method.tolist(),
        "mean": found.fit.mean,
        "alpha": found.fit.alpha,
        "alpha_not": found.fit.alpha_not,
        "status": found.fit.status.tolist(),
    }


def burstiness_in_short(
    cells: TermCells, terms: Any, *, adjust: str, min_count: int, **options: Any
) -> tuple[pl.DataFrame, BetaBinomialFit]:
    """`burstiness_test` with the default test only, in about half of its time, and the fit of all terms: for pages.

    The columns are the same. p_lr, p_score, reuse_low and reuse_high are null.
    """
    found = burstiness(cells, only="plr", **options)
    effects = burst_effects(cells, found.fit, reuse_intervals=False)
    columns = test_columns(cells, found, effects, "plr")
    log10_p = np.where(cells.n_i >= max(min_count, 1), columns["log10_p"], np.nan)
    columns["q_value"] = 10 ** adjust_log10(log10_p, adjust)
    table = _test_frame(terms, columns, ~np.isnan(log10_p))
    return sorted_terms(table, "lower_bound"), found.fit
