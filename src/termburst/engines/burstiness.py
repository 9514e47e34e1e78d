"""How bursty is every term, how sure is that, and how evenly is it spread? Asked where the data are.

A test of one term needs its own patterns and the lengths of all documents. So terms are dealt out to workers. Three
things depend on all terms: how much the burst ratio varies more than the model says (learned from sums over terms), the
draws of the null distributions (which depend on the largest n_i), and the adjustment of p-values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial, reduce
from operator import add, or_
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from termburst.counting.options import CountingOptions
from termburst.engines.adjusting import with_q_values
from termburst.engines.batches import kept, map_terms
from termburst.engines.bins import key_columns
from termburst.engines.cells import Cells, cells_of, kept_patterns, length_statistics
from termburst.engines.door import opened
from termburst.engines.frames import from_polars, to_polars
from termburst.engines.statistics import statistics_of
from termburst.engines.stored_nulls import StoredNulls, listed, sizes_of
from termburst.engines.term_cells import cells_by_term
from termburst.inference.burst_effects import burst_effects as effects_of
from termburst.inference.checks import LEAST_DRAWS, check_confidence, check_name
from termburst.inference.dispersion import checked_measures
from termburst.inference.dispersion import dispersion as measures_of
from termburst.inference.null_distribution import Longest
from termburst.inference.null_lengths import Lengths
from termburst.inference.overdispersion import shared_null
from termburst.inference.plr import check_form
from termburst.inference.robust_scale import BANDS, ScaleSums, scale_sums
from termburst.models.cells import TermCells, check_lengths
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.models.penalties import checked_hyperparameters
from termburst.names import COLUMNS, Columns, Form, Statistic
from termburst.questions.burst_columns import burst_columns, main_columns
from termburst.questions.burstiness_test import burstiness_columns, checked_options
from termburst.questions.burstiness_test import burstiness_test as test_in_memory
from termburst.questions.frames import term_frame
from termburst.statistics.tally import Integers
from termburst.statistics.term_statistics import TermStatistics

if TYPE_CHECKING:
    import polars as pl


def burstiness_test(
    frame: Any,
    *,
    statistic: Statistic = "plr",
    mu: float | None = None,
    sigma2: float = 1.0,
    form: Form = "printed",
    adjust: str = "bh",
    mid_p: bool = False,
    min_count: int = 1,
    draws: int = 9_999,
    seed: int = 0,
    dispersion: bool = True,
    intervals: bool = True,
    columns: Columns = "main",
    counting: CountingOptions | None = None,
    check: bool = True,
    **names: str,
) -> Any:
    """How bursty is every term, and how sure is that? `termburst.burstiness_test`, as a frame of the same engine.

    The columns and numbers are those of the function in memory; the rows are in no order. Lazy frames are read batch by
    batch: neither this process nor a worker ever has more than the lengths and some of the terms. Terms go through our
    own code twice: first for what they learn from each other, then for the tests.

    Parameters
    ----------
    frame, counting, check, **names : see `term_statistics`, where the names of columns are ``**columns``
    statistic, mu, sigma2, form, adjust, mid_p, min_count, draws, seed, dispersion, intervals, columns
        See `termburst.burstiness_test`.

    Examples
    --------
    >>> import polars as pl
    >>> texts = ["ha ha ha ha so it goes on and on", "so it goes and so on", "it goes on and so it goes", "so so it"]
    >>> frame = pl.LazyFrame({"document": range(4), "text": texts})
    >>> found = burstiness_test(frame, draws=99).collect()
    >>> found.sort("p_value").select("term", "n", "b", "p_method").rows()[0]
    ('ha', 4, 1, 'exact')
    """
    check_form(form)
    min_count, draws, seed = checked_options(statistic, adjust, min_count, draws, seed)
    check_name("columns", columns, COLUMNS)
    options: dict[str, Any] = {"mu": mu, "sigma2": sigma2, "form": form, "mid_p": mid_p, "draws": draws, "seed": seed}
    shown: dict[str, Any] = {
        "statistic": statistic,
        "min_count": min_count,
        "dispersion": dispersion and columns == "all",
        "intervals": intervals,
    }
    source = opened(frame, names, check=check)
    if isinstance(source.frame, nw.DataFrame):
        statistics = statistics_of(source, counting, "patterns")
        return _like(test_in_memory(statistics, adjust=adjust, columns=columns, **options, **shown), source.frame)
    dealt = Dealt.of(cells_of(source, counting, "patterns"))
    checked_hyperparameters(dealt.collection.mean_length if mu is None else mu, sigma2)
    learned = dealt.learned(intervals=intervals)
    drawing: dict[str, Any] = {name: options[name] for name in ("draws", "seed", "mu", "sigma2", "form")}
    nulls = StoredNulls(dealt.lengths, learned.longest, learned.sizes, **drawing)
    shared = shared_null(dealt.lengths, learned.longest, draws=draws, seed=seed, nulls=nulls)
    function = partial(
        tested, lengths=dealt.lengths, options=options | shown | {"shared": shared, "sums": learned.sums}
    )
    results = kept(map_terms(dealt.parts, function, _schema(function)))
    found = with_q_values(results, adjust, logarithms=True)[0]
    return nw.to_native(found if columns == "all" else found.select(*main_columns(statistic)))


def tested(patterns: pl.DataFrame, *, lengths: TermCells, options: dict[str, Any]) -> pl.DataFrame:
    """The burstiness test of some terms, of which all patterns are given."""
    import polars as pl

    terms, cells = cells_by_term(patterns, lengths.lengths, lengths.length_documents)
    columns, counted = burstiness_columns(cells, **options)
    keys = key_columns(columns["log10_p"], logarithms=True)
    table = term_frame(terms, columns | keys, counted)
    return table.with_columns(pl.col("term").cast(pl.String))


def burst_effects(
    frame: Any,
    *,
    confidence: float = 0.95,
    intervals: bool = True,
    counting: CountingOptions | None = None,
    check: bool = True,
    **columns: str,
) -> Any:
    """How bursty is every term, with intervals but without tests: a frame of the same engine, in no order of rows.

    Parameters
    ----------
    frame, counting, check, **columns : see `term_statistics`
    confidence, intervals : see `termburst.inference.burst_effects`

    Returns
    -------
    frame
        term, n, b, burst_ratio, ci_low, ci_high, lower_bound, reuse, reuse_low, reuse_high, reuse_binomial, as in
        `termburst.burstiness_test`.

    Examples
    --------
    >>> import polars as pl
    >>> texts = ["ha ha ha so it goes", "so it goes", "so it goes on", "ha ha so it is", "so it was"]
    >>> found = burst_effects(pl.DataFrame({"document": range(5), "text": texts}))
    >>> found.sort("burst_ratio").select("term", "n", "b").rows()[-1]
    ('ha', 5, 2)
    """
    check_confidence(confidence)
    source = opened(frame, columns, check=check)
    dealt = Dealt.of(cells_of(source, counting, "patterns"))
    options: dict[str, Any] = {"confidence": confidence, "intervals": intervals}
    if not isinstance(source.frame, nw.DataFrame):  # in memory, all terms come at once
        options["sums"] = dealt.learned(intervals=intervals).sums
    function = partial(effects, lengths=dealt.lengths, options=options)
    return nw.to_native(map_terms(dealt.parts, function, _schema(function)))


def effects(patterns: pl.DataFrame, *, lengths: TermCells, options: dict[str, Any]) -> pl.DataFrame:
    """The effects of some terms, of which all patterns are given."""
    terms, cells = cells_by_term(patterns, lengths.lengths, lengths.length_documents)
    columns = burst_columns(effects_of(cells, **options))
    return term_frame(terms, {"n": cells.n_i, "b": cells.b_i, **columns})


def dispersion(
    frame: Any,
    measures: str | Iterable[str] | None = None,
    *,
    counting: CountingOptions | None = None,
    check: bool = True,
    **columns: str,
) -> Any:
    """How evenly is each term spread over the documents? `termburst.dispersion`, as a frame of the same engine.

    Parameters
    ----------
    frame, counting, check, **columns : see `term_statistics`
    measures : name or names of `termburst.inference.dispersion.MEASURES`, optional
        By default all.

    Returns
    -------
    frame
        term, n, b, and one column per measure, in no order of rows.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"document": [1, 2], "text": ["so it goes", "so so"]})
    >>> dispersion(frame, "dp").sort("term").rows()[0]
    ('goes', 1, 1, 0.4)
    """
    names = checked_measures(measures)
    dealt = Dealt.of(cells_of(opened(frame, columns, check=check), counting, "patterns"))
    function = partial(spread, lengths=dealt.lengths, measures=names)
    return nw.to_native(map_terms(dealt.parts, function, _schema(function)))


def spread(patterns: pl.DataFrame, *, lengths: TermCells, measures: list[str]) -> pl.DataFrame:
    """The measures of some terms, of which all patterns are given."""
    terms, cells = cells_by_term(patterns, lengths.lengths, lengths.length_documents)
    return term_frame(terms, {"n": cells.n_i, "b": cells.b_i, **measures_of(cells, measures)})


@dataclass(frozen=True, slots=True)
class Learned:
    """What terms learn from each other: how many tokens draws have, and sums for the intervals, if asked for."""

    longest: Longest
    sizes: Integers
    sums: ScaleSums | None


class Dealt:
    """The terms of a collection, to be dealt out to workers, and the lengths that all of them get.

    Attributes
    ----------
    parts : frames of term, count, length, documents
    collection : the histogram of document lengths
    lengths : the same as cells without terms
    """

    def __init__(self, parts: tuple[Any, ...], collection: TermStatistics) -> None:
        check_lengths(collection.lengths)
        self.parts, self.collection, self.lengths = parts, collection, without_terms(collection)

    @classmethod
    def of(cls, cells: Cells) -> Dealt:
        collection = length_statistics(cells)
        return cls(kept_patterns(cells), collection)

    def learned(self, *, intervals: bool) -> Learned:
        """What terms learn from each other: a pass over all patterns, from which a few numbers per group come here."""
        function = partial(learned_from, lengths=self.lengths, intervals=intervals)
        rows = to_polars(map_terms(self.parts, function, _schema(function)))
        empty = Longest.of(np.zeros(0, dtype=np.int64))
        longest = reduce(or_, (Longest(tuple(row[1:]), row[0]) for row in _numbers(rows, "most", "phase")), empty)
        sizes = listed(*rows["sizes"])
        if not intervals:
            return Learned(longest, sizes, None)
        terms, scale = (_numbers(rows, name) for name in ("terms", "scale"))
        sums = (ScaleSums(*map(np.array, pair)) for pair in zip(terms, scale, strict=True))
        none = ScaleSums(np.zeros(BANDS.size), np.zeros(BANDS.size))
        return Learned(longest, sizes, reduce(add, sums, none))


def learned_from(patterns: pl.DataFrame, *, lengths: TermCells, intervals: bool) -> pl.DataFrame:
    """What other terms learn from some terms, of which all patterns are given: one row of numbers."""
    import polars as pl

    _, cells = cells_by_term(patterns, lengths.lengths, lengths.length_documents)
    drawn = Lengths.of(cells).drawn(cells.n_i)
    longest = Longest.of(drawn)
    sums = ScaleSums(np.zeros(BANDS.size), np.zeros(BANDS.size))
    if intervals:
        sums = scale_sums(cells, fit_beta_binomial(cells))
    row: dict[str, Any] = {"most": longest.most, "sizes": sizes_of(drawn)}
    for name, values in (("phase", longest.phases), ("terms", sums.terms), ("scale", sums.scale)):
        row |= {f"{name}_{k}": value for k, value in enumerate(values)}
    return pl.DataFrame([row])


def without_terms(collection: TermStatistics) -> TermCells:
    """The cells of a collection without its terms: only its document lengths."""
    none, narrow = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    lengths = collection.lengths, collection.length_documents
    return TermCells(np.zeros(1, dtype=np.int64), narrow, narrow, np.ones(1), none, none, *lengths)


def _numbers(rows: pl.DataFrame, *prefixes: str) -> list[tuple[Any, ...]]:
    """The rows of the columns whose names begin so, in the order of the prefixes."""
    return rows.select([name for prefix in prefixes for name in rows.columns if name.startswith(prefix)]).rows()


def _schema(function: Any) -> dict[str, Any]:
    """The columns that a function returns, from what it makes of two terms."""
    import polars as pl

    lengths = without_terms(TermStatistics.from_counts([[1, 1], [0, 2]], ["a", "b"]))
    one = {"term": ["a", "b", "b"], "count": [1, 1, 2], "length": [2, 2, 2], "documents": [1, 1, 1]}
    keywords = dict(function.keywords) | {"lengths": lengths}
    if "shared" in keywords.get("options", {}):
        keywords["options"] = keywords["options"] | {
            "shared": None,
            "sums": None,
            "draws": LEAST_DRAWS,
            "mu": None,
            "sigma2": 1.0,
        }
    return dict(partial(function.func, **keywords)(pl.DataFrame(one)).schema)


def _like(table: pl.DataFrame, frame: Any) -> Any:
    return nw.to_native(from_polars(table, frame))
