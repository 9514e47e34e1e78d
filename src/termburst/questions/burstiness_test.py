"""How bursty is every term, and how sure is that?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from termburst.forks import check_fork
from termburst.names import LOWER_BOUND, Adjustment, Columns, Form, Statistic, TermSort
from termburst.options import Option, Question, made_from

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Burstiness(Question):
    """The options of the burstiness test."""

    statistic: Annotated[
        Statistic, Option("Test repetition (plr), or any over-dispersion (lr, score): the statistic of `p_value`.")
    ] = "plr"
    mu: Annotated[float | None, Option("Mean of the penalty. (default: mean document length)", above=0)] = None
    sigma2: Annotated[float, Option("Variance of the penalty.", above=0)] = 1.0
    form: Annotated[Form, Option("λ as printed in the paper, corrected, or exact.")] = "printed"
    adjust: Annotated[Adjustment, Option("How p-values are adjusted to q-values.")] = "bh"
    mid_p: Annotated[bool, Option("Count ties as half, so that p-values of rare terms are right on average.")] = False
    min_count: Annotated[int, Option("Leave out terms that occur fewer times.", least=1)] = 1
    draws: Annotated[int, Option("Draws of the Monte Carlo, where p cannot be enumerated.", least=99)] = 9_999
    seed: Annotated[int, Option("Of the random numbers.", least=0)] = 0
    dispersion: Annotated[bool, Option("Whether all columns include the measures of dispersion.")] = True
    intervals: Annotated[bool, Option("Compute the intervals of burst ratio and reuse, and the lower bound.")] = True
    sort: Annotated[TermSort | None, Option(f"Order of the rows; lower_bound is {LOWER_BOUND}.")] = "lower_bound"
    columns: Annotated[Columns, Option("The twelve main columns, or all, also of dispersion.")] = "main"


def burstiness_test(
    X_or_statistics: Any,
    terms: Any = None,
    *,
    statistic: Statistic = "plr",
    mu: float | None = None,
    sigma2: float = 1.0,
    form: Form = "printed",
    adjust: Adjustment = "bh",
    mid_p: bool = False,
    min_count: int = 1,
    draws: int = 9_999,
    seed: int = 0,
    dispersion: bool = True,
    intervals: bool = True,
    sort: TermSort | None = "lower_bound",
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
    adjust : {"bh", "by", "holm", "none"}
        How `q_value` is obtained: Benjamini–Hochberg, Benjamini–Yekutieli, Holm, or as p is.
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
        None leaves the order open, which costs least on an engine.
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
    asked = made_from(Burstiness, locals())
    from termburst.models.cells import term_cells
    from termburst.questions.burstiness_plan import BurstinessPlan
    from termburst.questions.frames import named_terms
    from termburst.questions.plans import run_in_memory

    cells = term_cells(X_or_statistics)
    return run_in_memory(BurstinessPlan(asked), named_terms(X_or_statistics, terms, cells.n_i.size), [cells])
