"""The comparison of some terms, of which all patterns are given: what workers do for `engines.keyness`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.engines.bins import key_columns
from termburst.engines.term_cells import cells_of_groups
from termburst.inference.keyness import compare
from termburst.inference.robust_scale import ScaleSums, scale_sums
from termburst.inference.two_sides import PrecisionPrior
from termburst.models.cells import TermCells, joined
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.names import Compare
from termburst.questions.burst_comparison import compared_bursts
from termburst.questions.frames import term_frame
from termburst.questions.keyness import check_overall, compared_terms, group_columns
from termburst.statistics.tally import Integers, tally
from termburst.statistics.term_statistics import TermStatistics

if TYPE_CHECKING:
    import polars as pl

LEVELS = 5  # of `levels_of`


@dataclass(frozen=True)
class Comparing:
    """What is compared and how, and what depends on all terms.

    Attributes
    ----------
    groups : name, lengths and documents of each length, of every group
    compare, method, confidence, min_count, contrasts : see `engines.keyness`
    terms : the number of all terms
    sums : for each side of each pair, those over all terms; see `robust_scale`
    priors : for each pair, what all terms say about the precisions; see `two_sides`
    """

    groups: tuple[tuple[str, Integers, Integers], ...]
    compare: Compare
    method: str
    confidence: float | None
    min_count: int
    contrasts: bool | None = None
    terms: int = 0
    sums: tuple[ScaleSums, ...] = ()
    priors: tuple[PrecisionPrior, ...] = ()

    def between(self, names: tuple[str, ...], lengths: tuple[TermStatistics, ...]) -> Comparing:
        """The same between groups of these names and document lengths."""
        own = tuple((name, one.lengths, one.length_documents) for name, one in zip(names, lengths, strict=True))
        found = replace(self, groups=own)
        if found.overall:
            check_overall("p", self.method, self.confidence, self.compare)
        return found

    def with_learned(self, rows: pl.DataFrame) -> Comparing:
        """The same with what depends on all terms: the rows of `learned_from` for all of them."""

        def sums(what: str, pair: int) -> Any:
            found = total.filter(what=what, pair=pair).sort("k")
            return found["value"].to_numpy()

        total = rows.group_by("what", "pair", "k").sum()
        terms = int(sums("terms", 0).sum())
        if self.compare == "burstiness":
            sides = [ScaleSums(sums("known", side), sums("scale", side)) for side in range(2 * self.pairs)]
            return replace(self, terms=terms, sums=tuple(sides))
        priors = [PrecisionPrior.of_sums(sums("precisions", pair)) for pair in range(self.pairs)]
        return replace(self, terms=terms, priors=tuple(priors))

    @property
    def overall(self) -> bool:
        """Whether there is one test over all groups."""
        return not self.contrasts and len(self.groups) > 2

    @property
    def pairs(self) -> int:
        """How many pairs of corpora are compared."""
        return len(self.groups) if self.contrasts or self.overall else 1

    def cells(self, patterns: pl.DataFrame) -> tuple[pl.Series, list[TermCells]]:
        """The terms, and their cells in each group."""
        return cells_of_groups(patterns, self.groups)

    def sides(self, own: list[TermCells]) -> list[tuple[str, TermCells, TermCells]]:
        """The pairs that are compared: name, cells of A, cells of B."""
        if not self.contrasts and not self.overall:
            return [("", own[0], own[1])]
        names = [name for name, *_ in self.groups]
        return [(name, own[g], merged(own[:g] + own[g + 1 :])) for g, name in enumerate(names)]

    def schema(self) -> dict[str, Any]:
        """The columns of `compared`, from what it makes of two terms."""
        import polars as pl

        lengths, documents = np.array([2, 3]), np.array([6, 6])
        small = replace(
            self, groups=tuple((name, lengths, documents) for name, *_ in self.groups), terms=2, sums=(), priors=()
        )
        rows = [
            {"term": term, "count": 1, "length": 2, "group": name, "documents": 2}
            for name, *_ in self.groups
            for term in ("a", "b")
        ]
        return dict(compared(pl.DataFrame(rows), comparing=small).schema)


def merged(groups: list[TermCells]) -> TermCells:
    """The cells of several groups together, with equal cells as one."""
    whole = joined(groups)
    (term, count, length), weight = tally(
        [whole.term, whole.count.astype(np.int64), whole.length.astype(np.int64)], whole.weight.astype(np.int64)
    )
    indptr = np.searchsorted(term, np.arange(whole.n_i.size + 1))
    return replace(
        whole,
        indptr=indptr,
        count=count.astype(np.int32),
        length=length.astype(np.int32),
        weight=weight.astype(np.float64),
    )


def compared(patterns: pl.DataFrame, *, comparing: Comparing) -> pl.DataFrame:
    """The comparison of some terms, with the columns of the adjustment and the ends of intervals at several levels."""
    import polars as pl

    terms, own = comparing.cells(patterns)
    if comparing.overall:
        names = [name for name, *_ in comparing.groups]
        columns, counted = group_columns(own, names, comparing.min_count, comparing.priors or None)
        return term_frame(terms, columns | key_columns(columns["p_value"], columns["least_p"]), counted)
    function = _bursts if comparing.compare == "burstiness" else _frequencies
    tables = []
    for number, (name, a, b) in enumerate(comparing.sides(own)):
        learned: Any = comparing.priors[number] if comparing.priors else None
        if comparing.compare == "burstiness":
            learned = comparing.sums[2 * number : 2 * number + 2] or (None, None)
        table = function(terms, name, a, b, comparing, learned)
        tables.append(table if comparing.contrasts else table.drop("group"))
    return pl.concat(tables)


def _frequencies(
    terms: pl.Series, name: str, a: TermCells, b: TermCells, comparing: Comparing, prior: PrecisionPrior | None
) -> pl.DataFrame:
    import polars as pl

    size = comparing.terms
    one = compared_terms(a, b, comparing.method, comparing.confidence, comparing.min_count, size, prior)
    nothing = np.full(terms.len(), np.nan)
    ends = one.found.ends.T if comparing.confidence is not None else [nothing] * LEVELS
    columns = one.columns | {"lower_bound": nothing, "q_value": nothing}
    columns |= {f"_end_{k}": end for k, end in enumerate(ends)}
    columns |= key_columns(columns["p_value"], one.found.least_p)
    table = term_frame(terms, columns, one.counted).with_columns(group=pl.lit(name))
    return table.select("term", "group", pl.exclude("term", "group"))


def _bursts(terms: pl.Series, name: str, a: TermCells, b: TermCells, comparing: Comparing, sums: Any) -> pl.DataFrame:
    import polars as pl

    names: Any = np.array(terms.to_list(), dtype=object)
    table = compared_bursts(name, a, b, names, comparing.confidence, comparing.min_count, sums)
    p_value = table["p_value"].fill_null(np.nan).to_numpy()
    first = ["term", "group"]
    order = [*first, *(c for c in table.columns if c not in (*first, "p_method")), "q_value", "p_method"]
    return table.with_columns(q_value=pl.lit(None, dtype=pl.Float64), **key_columns(p_value)).select(
        *order, pl.col("^_.*$")
    )


def learned_from(patterns: pl.DataFrame | None, *, comparing: Comparing) -> pl.DataFrame:
    """What depends on all terms, from some of them: values that add up over rows with the same what, pair and k.

    Without patterns there are no rows.
    """
    import polars as pl

    found: dict[tuple[str, int], Any] = {}
    if patterns is not None:
        found["terms", 0] = [patterns["term"].n_unique()]
        _, own = comparing.cells(patterns)
        for pair, (_, *sides) in enumerate(comparing.sides(own)):
            if comparing.compare == "burstiness":
                for number, side in enumerate(sides, 2 * pair):
                    sums = scale_sums(side, fit_beta_binomial(side))
                    found["known", number], found["scale", number] = sums.terms, sums.scale
            else:
                found["precisions", pair] = compare(sides[0], sides[1]).sides.prior_sums()
    rows = [(what, pair, k, float(value)) for (what, pair), values in found.items() for k, value in enumerate(values)]
    schema = {"what": pl.String, "pair": pl.Int64, "k": pl.Int64, "value": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")
