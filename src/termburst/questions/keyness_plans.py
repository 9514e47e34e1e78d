"""Keyness as plans: of two corpora, of each group with all others, and of all groups at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
import polars as pl

from termburst.inference import keyness as tests
from termburst.inference.differential_burstiness import differential_burstiness
from termburst.inference.dispersion import dispersion
from termburst.inference.multiplicity import Claims, adjust, levels_of
from termburst.inference.robust_scale import ScaleSums, scale_sums
from termburst.inference.two_sides import PrecisionPrior
from termburst.models.cells import TermCells
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.questions.compared import (
    comparison_order,
    counts_of_sides,
    difference_of,
    never_significant,
    rates_of_sides,
    ratios_of,
    warn_of,
)
from termburst.questions.frames import term_frame
from termburst.questions.keyness import Keyness
from termburst.questions.plans import (
    SAMPLE,
    Finish,
    Floats,
    Order,
    Rows,
    TermsPlan,
    floats,
    lesson,
    shown,
    sums_of,
    with_lower_bound,
    with_selected_end,
)

END = "_end_"  # begins the columns with the ends of intervals at several levels


@dataclass(frozen=True)
class KeynessPlan(TermsPlan):
    """A comparison of corpora: of two, or with *contrasts* of each group with all others.

    Attributes
    ----------
    asked : the options
    groups : names of the groups, of which the cells of a term are given in this order
    contrasts : whether each group is compared with all others; otherwise there are two
    terms : the number of all terms
    learned : for each pair, what all terms say; empty if all are given at once
    """

    asked: Keyness
    groups: tuple[str, ...] = ("A", "B")
    contrasts: bool = False
    terms: int = 0
    learned: tuple[Any, ...] = ()

    def over(self, terms: int) -> Self:
        """See `TermsPlan`."""
        return replace(self, terms=terms)

    def pairs(self, cells: Sequence[TermCells]) -> Iterator[tuple[TermCells, TermCells]]:
        """The corpora that are compared, one pair in memory at a time."""
        return tests.against_others(cells) if self.contrasts else iter([(cells[0], cells[1])])

    def learn(self, cells: Sequence[TermCells]) -> pl.DataFrame:
        """See `TermsPlan`: sums that add over terms."""
        found: dict[tuple[int, str], Any] = {(0, "all terms"): float(cells[0].n_i.size)}
        for number, (a, b) in enumerate(self.pairs(cells)):
            found |= {(number, what): values for what, values in self.sums(a, b).items()}
        return lesson(found)

    def taught(self, rows: pl.DataFrame) -> Self:
        """See `TermsPlan`."""
        sums = sums_of(rows)
        terms = int(sums.pop((0, "all terms"), np.zeros(1))[0])
        pairs = [{what: value for (pair, what), value in sums.items() if pair == k} for k in range(len(self.groups))]
        return replace(self, terms=terms, learned=tuple(self.lesson(one) for one in pairs if one))

    def rows(self, terms: Any, cells: Sequence[TermCells]) -> pl.DataFrame:
        """See `TermsPlan`."""
        pairs = self.pairs(cells)  # only one of them is in memory
        return pl.concat([self.of_pair(terms, *next(pairs), number) for number in range(self.tests)])

    @property
    def tests(self) -> int:
        """How many pairs are compared."""
        return len(self.groups) if self.contrasts else 1

    def of_pair(self, terms: Any, a: TermCells, b: TermCells, number: int) -> pl.DataFrame:
        """The rows of one pair."""
        columns = self.columns(a, b, self.learned[number] if self.learned else None)
        table = term_frame(terms, columns, a.n_i + b.n_i >= max(self.asked.min_count, 1))
        if self.contrasts:
            table = table.insert_column(1, pl.lit(self.groups[number], dtype=pl.String).alias("group"))
        return table.with_columns(pl.col("p_method").cast(pl.String))

    def schema(self) -> dict[str, Any]:
        """See `TermsPlan`."""
        plan = replace(self, terms=2, learned=())
        return dict(plan.rows(["a", "b"], [SAMPLE] * len(self.groups)).schema)

    def order(self) -> Order:
        """See `TermsPlan`."""
        return comparison_order(self.asked.sort)

    @abstractmethod
    def sums(self, a: TermCells, b: TermCells) -> dict[str, Floats]:
        """What some terms of a pair say about the others."""

    @abstractmethod
    def lesson(self, sums: dict[str, Floats]) -> Any:
        """What the sums of all terms of a pair say."""

    @abstractmethod
    def columns(self, a: TermCells, b: TermCells, learned: Any) -> dict[str, Any]:
        """The columns of a pair."""


class FrequencyPlan(KeynessPlan):
    """Which terms are more frequent?"""

    def sums(self, a: TermCells, b: TermCells) -> dict[str, Floats]:
        """See `KeynessPlan`."""
        return {"precisions": tests.compare(a, b).sides.prior_sums()}

    def lesson(self, sums: dict[str, Floats]) -> PrecisionPrior:
        """See `KeynessPlan`."""
        return PrecisionPrior.of_sums(sums["precisions"])

    def columns(self, a: TermCells, b: TermCells, learned: PrecisionPrior | None) -> dict[str, Any]:
        """See `KeynessPlan`."""
        options: dict[str, Any] = {"method": self.asked.method, "confidence": self.asked.confidence}
        found = tests.keyness(a, b, terms=self.terms, prior=learned, **options)
        rates, nothing = rates_of_sides(a, b), np.full(a.n_i.size, np.nan)
        return {
            **counts_of_sides(a, b),
            **rates,
            **ratios_of(found),
            "lower_bound": nothing,
            **difference_of(rates),
            "statistic": found.statistic,
            "p_value": found.p_value,
            "q_value": nothing,
            "least_p": found.least_p,
            "p_method": found.p_method.tolist(),
            "dp_a": dispersion(a, ["dp"])["dp"],
            "dp_b": dispersion(b, ["dp"])["dp"],
            **{f"{END}{k}": end for k, end in enumerate(found.ends.T)},
        }

    def finish(self, rows: Rows) -> Finish:
        """Adjusted p-values and, from order statistics of the ends of intervals, lower bounds after selection."""
        asked = self.asked
        p_value, least = rows.take("p_value", "least_p")
        q_value = adjust(p_value, asked.adjust, attainable=np.minimum(least, p_value))
        warn_of([never_significant(p_value, q_value, least, asked.adjust)], stacklevel=4)
        if asked.confidence is None:
            return Finish(q_value, shown)
        level = 1 - asked.confidence
        largest = p_value[q_value <= level].max(initial=-1.0)  # q rises with p, so these are the rows with p up to that
        levels = levels_of(level, self.terms)
        ends = np.column_stack(rows.take(*(f"{END}{k}" for k in range(levels.size)), at_most=largest))
        able = int(np.sum(least[~np.isnan(p_value)] <= max(largest, 0.0)))
        claims = Claims.of(len(ends), levels, asked.adjust, max(able, 1))
        return Finish(q_value, partial(_claimed, claims=claims, least=claims.order_statistics(ends), level=level))


def _claimed(table: pl.DataFrame, *, claims: Claims, least: Floats, level: float) -> pl.DataFrame:
    """Rows of `FrequencyPlan` with their lower bounds."""
    p_value, q_value, ratio = (floats(table[name]) for name in ("p_value", "q_value", "log_ratio"))
    ends = np.column_stack([floats(table[name]) for name in table.columns if name.startswith(END)])
    lower_bound, selected = np.where(np.isnan(p_value), np.nan, 0.0), q_value <= level
    lower_bound[selected] = claims.effects(ends[selected], least)
    return with_lower_bound(table, lower_bound * np.sign(ratio))


class BurstRatioPlan(KeynessPlan):
    """Which terms burst more? A term that a corpus lacks has no p-value, and does not count in the adjustment."""

    def sums(self, a: TermCells, b: TermCells) -> dict[str, Floats]:
        """See `KeynessPlan`."""
        sides = {name: scale_sums(cells, fit_beta_binomial(cells)) for name, cells in (("a", a), ("b", b))}
        return {f"{name} {what}": getattr(one, what) for name, one in sides.items() for what in ("terms", "scale")}

    def lesson(self, sums: dict[str, Floats]) -> tuple[ScaleSums, ...]:
        """See `KeynessPlan`."""
        return tuple(ScaleSums(sums[f"{name} terms"], sums[f"{name} scale"]) for name in "ab")

    def columns(self, a: TermCells, b: TermCells, learned: Any) -> dict[str, Any]:
        """See `KeynessPlan`."""
        found = differential_burstiness(a, b, confidence=self.asked.confidence, sums=learned or (None, None))
        both, nothing = ~np.isnan(found.log_ratio), np.full(a.n_i.size, np.nan)
        return {
            **counts_of_sides(a, b),
            "burst_ratio_a": found.burst_ratio_a,
            "burst_ratio_b": found.burst_ratio_b,
            **ratios_of(found),
            "lower_bound": nothing,  # filled in when q is known
            "statistic": np.where(both, found.statistic, np.nan),
            "p_value": np.where(both, found.p_value, np.nan),
            "q_value": nothing,
            "p_method": np.where(both, "chi2", "").tolist(),
        }

    def finish(self, rows: Rows) -> Finish:
        """See `TermsPlan`."""
        (p_value,) = rows.take("p_value")
        return Finish(adjust(p_value, self.asked.adjust), partial(with_selected_end, confidence=self.asked.confidence))


class OverallPlan(FrequencyPlan):
    """Which terms differ between several groups at all? Each group is compared with all others."""

    def rows(self, terms: Any, cells: Sequence[TermCells]) -> pl.DataFrame:
        """See `TermsPlan`."""
        found = tests.keyness_groups(cells, self.learned or None)
        n_i, b_i = (np.sum([getattr(c, name) for c in cells], axis=0) for name in ("n_i", "b_i"))
        columns: dict[str, Any] = {
            "n": n_i,
            "b": b_i,
            "statistic": found.statistic,
            "p_value": found.p_value,
            "q_value": np.full(n_i.size, np.nan),
            "least_p": np.minimum(found.least_p, found.p_value),
            "p_method": np.full(n_i.size, tests.OWN).tolist(),
            "highest": [self.groups[g] for g in found.highest.tolist()],
        }
        return term_frame(terms, columns, n_i >= max(self.asked.min_count, 1))

    def finish(self, rows: Rows) -> Finish:
        """See `TermsPlan`."""
        p_value, least = rows.take("p_value", "least_p")
        q_value = adjust(p_value, self.asked.adjust, attainable=least)
        warn_of([never_significant(p_value, q_value, least, self.asked.adjust)], stacklevel=4)
        return Finish(q_value, shown)


def keyness_plan(asked: Keyness, groups: Sequence[str] = ("A", "B"), contrasts: bool | None = False) -> KeynessPlan:
    """The plan of a comparison of two corpora, or of groups.

    Of more than two groups, each is compared with all others, unless *contrasts* is False.
    """
    several = len(groups) > 2 and contrasts is not False
    if contrasts is False and len(groups) > 2:
        asked.check_overall()
        return OverallPlan(asked, tuple(groups), contrasts=True)
    kind = BurstRatioPlan if asked.compare == "burstiness" else FrequencyPlan
    return kind(asked, tuple(groups), contrasts=several or bool(contrasts))
