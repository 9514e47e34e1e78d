"""The table of terms as a plan: closed forms, burst effects and estimates, from all cells of some terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import polars as pl

from termburst.inference.burst_effects import burst_effects
from termburst.inference.plr import add_up, plr_parts
from termburst.inference.robust_scale import ScaleSums
from termburst.models import closed_forms as forms
from termburst.models.cells import TermCells, term_cells
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.models.penalized_mle import penalized_mle
from termburst.models.penalties import checked_hyperparameters
from termburst.questions.burst_columns import burst_columns, sorted_terms, term_order
from termburst.questions.burstiness_plan import OneCollection, scale_of, taught_scale
from termburst.questions.frames import term_frame
from termburst.questions.plans import SAMPLE, Order, lesson
from termburst.questions.term_table import TermTable
from termburst.statistics.rows import CountRows
from termburst.statistics.term_statistics import TermStatistics, as_statistics


@dataclass(frozen=True)
class TermTablePlan(OneCollection):
    """The table of terms.

    Attributes
    ----------
    asked : the options
    sums : what all terms say about the variation of the burst ratio; None if all are given at once
    quiet : whether nobody hears warnings about clamped terms, because only some terms are given at a time
    """

    asked: TermTable
    sums: ScaleSums | None = None
    quiet: bool = False

    @property
    def learns(self) -> bool:  # type: ignore[override]
        """Whether terms say something about each other."""
        return self.asked.effects and self.asked.intervals

    def prepared(self, collections: Sequence[TermCells]) -> Self:
        """See `TermsPlan`."""
        return replace(self, quiet=True)

    def learn(self, cells: Sequence[TermCells]) -> pl.DataFrame:
        """See `TermsPlan`."""
        return lesson(scale_of(cells[0]))

    def taught(self, rows: pl.DataFrame) -> Self:
        """See `TermsPlan`."""
        return replace(self, sums=taught_scale(rows))

    def rows(self, terms: Any, cells: Sequence[TermCells]) -> pl.DataFrame:
        """See `TermsPlan`."""
        (own,) = cells
        return term_frame(terms, self.columns(_statistics(own, terms), own), own.n_i >= self.asked.min_count)

    def schema(self) -> dict[str, Any]:
        """See `TermsPlan`."""
        asked = replace(self.asked, mu=None, sigma2=1.0, invalid="clamp", min_count=1)
        return dict(replace(self, asked=asked, sums=None, quiet=True).rows(["a", "b"], [SAMPLE]).schema)

    def order(self) -> Order:
        """See `TermsPlan`."""
        own = ("lower_bound", "burst_ratio", "plr") if self.asked.effects else ("plr",)
        return term_order(own, self.asked.sort, intervals=self.asked.intervals)

    def columns(self, statistics: TermStatistics, cells: TermCells | None) -> dict[str, Any]:
        """The columns of the terms of these statistics; effects only if their cells are given."""
        asked = self.asked
        exact, effects = None, {}
        if cells is not None and asked.effects:
            exact = fit_beta_binomial(cells)
            options: dict[str, Any] = {"confidence": asked.confidence, "intervals": asked.intervals}
            effects = burst_columns(burst_effects(cells, exact, sums=self.sums, **options))
        penalised: dict[str, Any] = {name: getattr(asked, name) for name in ("mu", "sigma2", "penalty")}
        named = plr_parts(statistics, form=asked.form, invalid=asked.invalid, quiet=self.quiet, **penalised)
        columns = {
            "n": statistics.collection_frequency,
            "b": statistics.document_frequency,
            **effects,
            "plr": add_up(named),
            **_closed_forms(statistics),
        }
        if asked.fit == "exact":
            exact = fit_beta_binomial(statistics) if exact is None else exact
            columns |= {name: getattr(exact, name) for name in ("mean", "alpha", "alpha_not")}
            columns["status"] = exact.status.tolist()
        elif asked.fit == "penalized":
            estimates = penalized_mle(statistics, **penalised)
            columns |= {"alpha": estimates.alpha, "alpha_not": estimates.alpha_not}
            columns["status"] = np.where(estimates.valid, "valid", "invalid").tolist()
        if asked.parts:
            size = statistics.vocabulary_size
            columns |= {name: np.broadcast_to(part, size).copy() for name, part in named.items()}
        return columns


def table_of(asked: TermTable, X_or_statistics: Any) -> pl.DataFrame:
    """The table from counts or statistics; statistics without patterns have no effects."""
    given = X_or_statistics
    has_cells = not isinstance(given, TermStatistics) or given.detail == "patterns"
    statistics = as_statistics(given, "patterns" if has_cells or asked.fit == "exact" else "moments")
    cells = term_cells(statistics) if has_cells and statistics.tokens else None
    counted = statistics.collection_frequency >= asked.min_count if asked.min_count > 1 else None
    table = term_frame(statistics.terms, TermTablePlan(asked).columns(statistics, cells), counted)
    has_effects = cells is not None and asked.effects
    return sorted_terms(table, asked.sort if has_effects or asked.sort in (None, "term") else "plr")


@dataclass(frozen=True)
class ClosedForms:
    """The table without effects, as expressions that an engine evaluates.

    Attributes
    ----------
    asked : the options
    collection : statistics without terms: the document lengths
    """

    asked: TermTable
    collection: TermStatistics

    @staticmethod
    def can(asked: TermTable) -> bool:
        """Whether the options ask for closed forms alone."""
        return not (asked.effects or asked.parts or asked.fit == "exact" or asked.penalty != "gamma")

    @staticmethod
    def sums(ops: Any) -> dict[str, Any]:
        """What is added up over the cells of a term: count, documents and tokens are their columns."""
        count, documents = ops.column("count"), ops.column("documents")
        return {
            "n": count * documents,
            "b": documents,
            "products": count * ops.column("tokens"),
            "squares": count * count * documents,
            "repetition": ops.log_factorial(count) * ops.as_float(documents),
        }

    def columns(self, ops: Any) -> dict[str, Any]:
        """The columns of the table after n and b, from these sums."""
        own, asked = self.collection, self.asked
        mu, sigma2 = checked_hyperparameters(own.mean_length if asked.mu is None else asked.mu, asked.sigma2)
        shared = forms.Collection(float(own.documents), float(own.tokens), mu, sigma2)
        n_i, b_i = (ops.keep(ops.as_float(ops.column(name))) for name in ("n", "b"))
        plr = forms.add_up(forms.plr_parts(ops, shared, n_i, b_i, ops.column("repetition"), asked.form))
        r_i = ops.keep(forms.repeats(n_i, b_i))
        valid = shared.eta2 - r_i > 0
        sums = (ops.column(name) for name in ("squares", "products"))
        found = {
            "plr": ops.where(valid, plr, None) if asked.form == "exact" else plr,
            "tarone": _tarone(ops, own, ops.column("n"), *sums),
            **_frequencies(ops, shared.d, shared.n, n_i, b_i),
        }
        if asked.fit == "none":
            return found
        alpha_0 = ops.keep(forms.gamma_precision(ops, mu, sigma2, r_i))
        alpha, alpha_not = forms.split_precision(alpha_0, shared.n, n_i, b_i)
        estimates = {"alpha": ops.where(valid, alpha, None), "alpha_not": ops.where(valid, alpha_not, None)}
        return found | estimates | {"status": ops.where(valid, "valid", "invalid")}


def _statistics(cells: TermCells, terms: Any) -> TermStatistics:
    """The sums of closed forms, of terms of which all cells are given."""
    count, length = cells.count.astype(np.int64), cells.length.astype(np.int64)
    documents = np.broadcast_to(cells.weight, count.shape).astype(np.int64)
    rows = CountRows(cells.indptr, count, length, documents)
    return TermStatistics(
        np.array(list(terms), dtype=object), cells.lengths, cells.length_documents, cells.n_i, cells.b_i, "patterns",
        rows.sum_by_term(count * length * documents), rows.sum_by_term(count * count * documents), rows,
    )  # fmt: skip


def _closed_forms(statistics: TermStatistics) -> dict[str, Any]:
    """The columns between λ_i and the estimates."""
    n_i, b_i = statistics.collection_frequency, statistics.document_frequency
    with np.errstate(divide="ignore", invalid="ignore"):  # at n_i = 0
        score = _tarone(forms.NUMPY, statistics, n_i, statistics.count_squared_sum, statistics.count_length_sum)
    found = _frequencies(forms.NUMPY, statistics.documents, statistics.tokens, n_i, b_i)
    return {"tarone": score, **found, **{name: np.where(n_i > 0, found[name], np.nan) for name in ("idf", "icf")}}


def _tarone(ops: Any, collection: TermStatistics, n_i: Any, squares: Any, products: Any) -> Any:
    """See `closed_forms.tarone`."""
    lengths = forms.LengthSums.of(collection.lengths, collection.length_documents)
    return forms.tarone(ops, lengths, n_i, squares, products)


def _frequencies(ops: Any, d: float, n: float, n_i: Any, b_i: Any) -> dict[str, Any]:
    """IDF, ICF, and the sum of TF–IDF over documents."""
    idf = ops.keep(forms.idf(ops, d, b_i))
    return {"idf": idf, "icf": forms.icf(ops, n, n_i), "tf_idf_sum": forms.tf_idf_sum(n_i, idf)}
