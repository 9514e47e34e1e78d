"""Every term with its statistics, as a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from termburst.forks import check_fork
from termburst.names import LOWER_BOUND, Fit, Form, Invalid, PenaltyName, TermSort
from termburst.options import Option, Question, made_from

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class TermTable(Question):
    """The question of `termburst.Corpus.term_table`, `termburst.term_table` and `termburst terms`."""

    mu: Annotated[float | None, Option("Mean of the penalty. (default: mean document length)", above=0)] = None
    sigma2: Annotated[float, Option("Variance of the penalty.", above=0)] = 1.0
    form: Annotated[Form, Option("λ as printed in the paper, corrected, or exact.")] = "printed"
    penalty: Annotated[PenaltyName, Option("The penalty on the precision of a term.")] = "gamma"
    invalid: Annotated[Invalid, Option("What to do with terms that repeat too often for the penalty.")] = "clamp"
    parts: Annotated[bool, Option("Also show the parts that add up to λ.")] = False
    fit: Annotated[Fit, Option("Estimates of α and α_¬: the paper's, exact maximum likelihood, or none.")] = "penalized"
    effects: Annotated[bool, Option("Add the burst ratio and reuse, which need exact fits.")] = True
    intervals: Annotated[bool, Option("Compute the intervals of burst ratio and reuse, and the lower bound.")] = True
    confidence: Annotated[float, Option("Confidence level of these intervals.", above=0, below=1)] = 0.95
    sort: Annotated[TermSort | None, Option(f"Order of the rows; lower_bound is {LOWER_BOUND}.")] = "lower_bound"
    min_count: Annotated[int, Option("Leave out terms that occur fewer times.", least=1)] = 1


def term_table(
    X_or_statistics: Any,
    *,
    mu: float | None = None,
    sigma2: float = 1.0,
    form: Form = "printed",
    penalty: PenaltyName = "gamma",
    invalid: Invalid = "clamp",
    parts: bool = False,
    fit: Fit = "penalized",
    effects: bool = True,
    intervals: bool = True,
    confidence: float = 0.95,
    sort: TermSort | None = "lower_bound",
    min_count: int = 1,
) -> pl.DataFrame:
    """Every term with its statistics, the burstiest first.

    Parameters
    ----------
    X_or_statistics : count matrix, corpus, or TermStatistics of detail "moments" or more
    mu, sigma2, form, penalty, invalid : see `termburst.plr_statistic`
    parts : bool
        Also the named parts of λ_i, one column per part.
    fit : {"penalized", "exact", "none"}
        Which estimates of α_i and α_¬i to show: those of Claim 2, the exact maximum-likelihood ones, which need a
        count matrix or statistics with detail="patterns", or none.
    effects : bool
        Whether to add the burst ratio and reuse, which need exact fits. Without them, an engine computes the table by
        expressions of its own.
    intervals : bool
        Whether to compute the intervals of burst ratio and reuse, and the lower bound.
    confidence : float
        Confidence level of these intervals.
    sort : {"lower_bound", "plr", "lr", "p", "term"}
        See `termburst.burstiness_test`. Statistics with detail="moments" have no lower_bound: then it sorts by λ_i.
        This table has no p-values and no likelihood ratio, so "lr" and "p" sort by λ_i, too.
    min_count : int
        Terms that occur less often are left out.

    Returns
    -------
    polars.DataFrame
        One row per term.

        * term: its name, or the number of its column if terms have no names
        * n = n_i, b = b_i: its occurrences, and the documents that contain it
        * burst_ratio, ci_low, ci_high, lower_bound, reuse, reuse_low, reuse_high, reuse_binomial: how
          bursty it is, with intervals; see `termburst.burstiness_test`. They need exact fits, so statistics with
          detail="moments" do not have them
        * plr = λ_i
        * tarone: Tarone's score, standard normal if the term does not burst
        * idf = log(d/b_i), icf = log(n/n_i), tf_idf_sum = Σ_j TF–IDF(i,j) = n_i log(d/b_i)
        * alpha, alpha_not: the estimates; with fit="exact" their mean, too
        * status: "valid" or "invalid" (and the estimates null) for penalised estimates, as in `BetaBinomialFit` for
          exact ones

        For a term that never occurs the effects, tarone, idf and icf are null.

    Examples
    --------
    >>> import termburst as tb
    >>> s = tb.TermStatistics.from_counts([[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]], terms=["ha", "no", "so"])
    >>> tb.term_table(s)["term"].to_list()
    ['ha', 'no', 'so']
    """
    check_fork()
    asked = made_from(TermTable, locals())
    from termburst.questions.term_table_plan import table_of

    return table_of(asked, X_or_statistics)
