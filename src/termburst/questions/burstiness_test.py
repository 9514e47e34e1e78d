"""The burstiness test of every term, as a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.forks import check_fork
from termburst.inference.burst_effects import BurstEffects, burst_effects
from termburst.inference.checks import LEAST_DRAWS, check_name, checked_whole
from termburst.inference.dispersion import dispersion as dispersion_measures
from termburst.inference.multiplicity import adjust_log10
from termburst.inference.overdispersion import Burstiness, burstiness
from termburst.inference.robust_scale import ScaleSums
from termburst.models.cells import TermCells, term_cells
from termburst.models.fit_beta_binomial import BetaBinomialFit
from termburst.names import ADJUSTMENTS, COLUMNS, STATISTICS, TERM_SORTS, Columns, Form, Statistic, TermSort
from termburst.questions.burst_columns import burst_columns, main_columns, sorted_terms
from termburst.questions.frames import named_terms, term_frame
from termburst.statistics.term_statistics import TermStatistics
from termburst.threads import Aside

if TYPE_CHECKING:
    import polars as pl


def burstiness_test(
    X_or_statistics: Any,
    terms: Any = None,
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
    sort: TermSort = "lower_bound",
    columns: Columns = "main",
) -> pl.DataFrame:
    """How bursty is every term, and how sure is that? The terms that are surely burstiest come first.

    `lower_bound` says how bursty, `p_value` whether at all. On real text nearly every frequent word is bursty at all.

    The null hypothesis is that the n_i tokens of the term are at random positions of the collection. λ (`p_plr`) reacts
    only to repetition within documents. The exact likelihood ratio (`p_lr`) and Tarone's score (`p_score`) also react
    to which documents they are: a word of short documents counts as over-dispersed even if it never repeats.

    Parameters
    ----------
    X_or_statistics : count matrix, corpus, or TermStatistics with detail="patterns"
    terms : sequence of str, optional
        The names of the columns of a matrix, or of statistics without names.
    statistic : {"plr", "lr", "score"}
        The statistic whose p-value is `p_value` and is adjusted for multiplicity.
    mu, sigma2, form : options of λ; see `termburst.plr_statistic`
    adjust : {"bh", "by", "holm", "storey", "none"}
        How `q_value` is obtained: Benjamini–Hochberg, Benjamini–Yekutieli, Holm, Storey's q.
    mid_p : bool
        Count ties as half: p-values of rare terms, whose null is very discrete, are then right on average, but no
        longer conservative.
    min_count : int
        Terms that occur less often are neither tested nor counted in the adjustment.
    draws, seed : for the Monte Carlo, if enumeration is not feasible; the same seed gives the same p-values.
    dispersion : bool
        Whether all columns include the measures of dispersion; see `termburst.inference.dispersion`.
    intervals : bool
        Whether to compute the intervals of burst ratio and reuse, and the lower bound.
    sort : {"lower_bound", "plr", "lr", "p", "term"}
        The order of the rows: by lower_bound (without intervals by burst ratio), λ or the likelihood ratio, largest
        first; by p-value, smallest first; or by term. Terms with equal lower bounds are in the order of their p-values.

    columns : {"main", "all"}
        The dozen columns that one needs first, or all 34. The main ones are term, n, b, burst_ratio, ci_low, ci_high,
        lower_bound, reuse, the *statistic* that is tested, p_value, q_value and p_method.

    Returns
    -------
    polars.DataFrame
        term; n, b: its occurrences, and the documents that contain it.

        burst_ratio, ci_low, ci_high: how many times likelier a token is this term if another token of the document,
        drawn at random, is; 1 is not bursty. ci_low is 1, too, if a term is not repeated within documents more often
        than by chance. lower_bound: the end of that interval nearest to 1; 1 if it contains 1, if fewer than ten
        documents contain the term or fewer than five repeat it (five to ten, and half of that, if the collection has
        less than 100 documents), or if most of them have it once though the fit says otherwise.
        reuse, reuse_low, reuse_high: of the documents of mean length that contain the term, the share that repeat it;
        reuse_binomial: the same by chance, which is large for a frequent term, bursty or not. Intervals are 95 %
        profile-likelihood intervals; see `termburst.inference.burst_effects`.

        plr, lr, score, p_plr, p_lr, p_score, p_value, log10_p (of p_value, even if p_value is too small for
        a float), q_value, p_method ("exact", "monte-carlo" or "tail": how p_value was obtained), mean, alpha, alpha_not
        and status of the exact fit, and the measures of dispersion.

    Examples
    --------
    >>> import termburst as tb
    >>> X = [[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]]
    >>> tb.burstiness_test(X, ["ha", "no", "so"], dispersion=False)["term", "n", "p_value", "p_method"].rows()[0]
    ('ha', 4, 0.01292..., 'exact')
    """
    check_fork()
    min_count, draws, seed = checked_options(statistic, adjust, min_count, draws, seed)
    check_name("sort", sort, TERM_SORTS)
    check_name("columns", columns, COLUMNS)
    cells = term_cells(X_or_statistics)
    names = named_terms(X_or_statistics, terms, cells.n_i.size)
    options: dict[str, Any] = {"mu": mu, "sigma2": sigma2, "form": form, "draws": draws, "seed": seed, "mid_p": mid_p}
    options["dispersion"] = dispersion and columns == "all"
    values, counted = burstiness_columns(
        cells, statistic=statistic, min_count=min_count, intervals=intervals, **options
    )
    table = _adjusted(names, values, counted, adjust, sort=sort, statistic=statistic)
    return table if columns == "all" else table.select(main_columns(statistic))


def checked_options(statistic: Statistic, adjust: str, min_count: Any, draws: Any, seed: Any) -> tuple[int, int, int]:
    """Smallest count, draws and seed as integers, after all of these options were checked."""
    check_name("statistic", statistic, STATISTICS)
    check_name("adjust", adjust, ADJUSTMENTS)
    least = checked_whole("min_count", min_count)
    return least, checked_whole("draws", draws, least=LEAST_DRAWS), checked_whole("seed", seed)


def burstiness_in_short(
    statistics: TermStatistics, terms: Any, *, adjust: str, min_count: int, reuse_intervals: bool, **options: Any
) -> tuple[pl.DataFrame, BetaBinomialFit]:
    """`burstiness_test` with the default test only, in about half of its time, and the fit of all terms: for pages.

    The columns are the same. p_lr, p_score and, without *reuse_intervals*, reuse_low and reuse_high are null.
    """
    check_fork()
    check_name("adjust", adjust, ADJUSTMENTS)
    min_count, cells = checked_whole("min_count", min_count), term_cells(statistics)
    found = burstiness(cells, only="plr", **options)
    effects = burst_effects(cells, found.fit, reuse_intervals=reuse_intervals)
    columns, counted = _columns(cells, found, effects, "plr", min_count)
    return _adjusted(named_terms(statistics, terms, cells.n_i.size), columns, counted, adjust), found.fit


def _adjusted(
    names: Any, columns: dict[str, Any], counted: NDArray[np.bool_], adjust: str, *, sort: TermSort = "lower_bound",
    statistic: Statistic = "plr",
) -> pl.DataFrame:  # fmt: skip
    columns["q_value"] = 10 ** adjust_log10(columns["log10_p"], adjust)
    return sorted_terms(term_frame(names, columns, counted), sort, statistic)


def burstiness_columns(
    cells: TermCells, *, statistic: Statistic, min_count: int, dispersion: bool, intervals: bool,
    sums: ScaleSums | None = None, **options: Any,
) -> tuple[dict[str, Any], NDArray[np.bool_]]:  # fmt: skip
    """The columns of `burstiness_test`, q_value not yet filled in, and whether a term is listed.

    Parameters
    ----------
    sums : of all terms of the collection, if *cells* has only some; see `burst_effects`
    **options : of `termburst.inference.overdispersion.burstiness`
    """
    with Aside() as other:  # uses a core while the test leaves it idle
        measures = other.submit(dispersion_measures, cells) if dispersion else None
        found = burstiness(cells, **options)
        effects = burst_effects(cells, found.fit, intervals=intervals, sums=sums)
    columns, counted = _columns(cells, found, effects, statistic, min_count)
    if measures is not None:
        columns |= measures.get()
    return columns, counted


def _columns(
    cells: TermCells, found: Burstiness, effects: BurstEffects, statistic: Statistic, min_count: int
) -> tuple[dict[str, Any], NDArray[np.bool_]]:
    tested = {"plr": found.plr, "lr": found.lr, "score": found.score}
    counted = cells.n_i >= max(min_count, 1)
    log10_p = np.where(counted, tested[statistic].log10_p, np.nan)
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
    }, counted
