"""Every term with its statistics, as a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from termburst.forks import check_fork
from termburst.names import LOWER_BOUND, Fit, Form, Invalid, PenaltyName, TermSort
from termburst.options import Option, check_options, made_from

if TYPE_CHECKING:
    import polars as pl

    from termburst.models.fit_beta_binomial import BetaBinomialFit
    from termburst.statistics.term_statistics import TermStatistics


@dataclass(frozen=True)
class TermTable:
    """The question of `termburst.Corpus.term_table`, `termburst.term_table` and `termburst terms`."""

    mu: Annotated[float | None, Option("Mean of the penalty. (default: mean document length)", above=0)] = None
    sigma2: Annotated[float, Option("Variance of the penalty.", above=0)] = 1.0
    form: Annotated[Form, Option("λ as printed in the paper, corrected, or exact.")] = "printed"
    penalty: Annotated[PenaltyName, Option("The penalty on the precision of a term.")] = "gamma"
    invalid: Annotated[Invalid, Option("What to do with terms that repeat too often for the penalty.")] = "clamp"
    parts: Annotated[bool, Option("Also show the parts that add up to λ.")] = False
    fit: Annotated[Fit, Option("Estimates of α and α_¬: the paper's, exact maximum likelihood, or none.")] = "penalized"
    intervals: Annotated[bool, Option("Compute the intervals of burst ratio and reuse, and the lower bound.")] = True
    sort: Annotated[TermSort, Option(f"Order of the rows; lower_bound is {LOWER_BOUND}.")] = "lower_bound"
    min_count: Annotated[int, Option("Leave out terms that occur fewer times.", least=1)] = 1

    def __post_init__(self) -> None:
        """Raise ValueError for an option that cannot be used."""
        check_options(self)


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
    intervals: bool = True,
    sort: TermSort = "lower_bound",
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
    intervals : bool
        Whether to compute the intervals of burst ratio and reuse, and the lower bound.
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
          detail="moments" do not have them, and `engines.term_table` does not
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
    made_from(TermTable, locals())
    import numpy as np

    from termburst.inference.burst_effects import burst_effects
    from termburst.inference.plr import add_up, plr_parts
    from termburst.models.cells import term_cells
    from termburst.models.fit_beta_binomial import fit_beta_binomial
    from termburst.questions.burst_columns import burst_columns, sorted_terms
    from termburst.questions.frames import term_frame
    from termburst.statistics.term_statistics import as_statistics

    statistics = as_statistics(
        X_or_statistics, "patterns" if _has_cells(X_or_statistics) or fit == "exact" else "moments"
    )
    exact: BetaBinomialFit | None = None
    effects: dict[str, Any] = {}
    if _has_cells(statistics) and statistics.tokens:
        cells = term_cells(statistics)
        exact = fit_beta_binomial(cells)
        effects = burst_columns(burst_effects(cells, exact, intervals=intervals))
    named = plr_parts(statistics, mu=mu, sigma2=sigma2, form=form, penalty=penalty, invalid=invalid)
    columns: dict[str, Any] = {
        "n": statistics.collection_frequency,
        "b": statistics.document_frequency,
        **effects,
        "plr": add_up(named),
        **_closed_forms(statistics),
        **_estimates(statistics, exact, fit, mu=mu, sigma2=sigma2, penalty=penalty),
    }
    if parts:
        size = statistics.vocabulary_size
        columns.update({name: np.broadcast_to(part, size).copy() for name, part in named.items()})
    counted = statistics.collection_frequency >= min_count if min_count > 1 else None
    table = term_frame(statistics.terms, columns, counted)
    return sorted_terms(table, sort if effects or sort == "term" else "plr")


def _has_cells(X_or_statistics: Any) -> bool:
    """Whether exact fits are possible: with counts, or with statistics that keep the patterns."""
    from termburst.statistics.term_statistics import TermStatistics

    return not isinstance(X_or_statistics, TermStatistics) or X_or_statistics.detail == "patterns"


def _estimates(statistics: TermStatistics, exact: BetaBinomialFit | None, fit: Fit, **options: Any) -> dict[str, Any]:
    """The columns of the fit asked for."""
    import numpy as np

    from termburst.models.fit_beta_binomial import fit_beta_binomial
    from termburst.models.penalized_mle import penalized_mle

    if fit == "none":
        return {}
    if fit == "exact":
        exact = fit_beta_binomial(statistics) if exact is None else exact
        status = exact.status.tolist()
        return {"mean": exact.mean, "alpha": exact.alpha, "alpha_not": exact.alpha_not, "status": status}
    estimates = penalized_mle(statistics, **options)
    status = np.where(estimates.valid, "valid", "invalid").tolist()
    return {"alpha": estimates.alpha, "alpha_not": estimates.alpha_not, "status": status}


def _closed_forms(statistics: TermStatistics) -> dict[str, Any]:
    """The columns between λ_i and the estimates."""
    import numpy as np

    from termburst.models import closed_forms as forms

    n_i, b_i = statistics.collection_frequency, statistics.document_frequency
    sums = forms.LengthSums.of(statistics.lengths, statistics.length_documents)
    squares, products = statistics.count_squared_sum, statistics.count_length_sum
    with np.errstate(divide="ignore", invalid="ignore"):  # at n_i = 0
        score = forms.tarone(forms.NUMPY, sums, n_i, squares, products)
    idf, icf = forms.idf(forms.NUMPY, statistics.documents, b_i), forms.icf(forms.NUMPY, statistics.tokens, n_i)
    return {
        "tarone": score,
        "idf": np.where(n_i > 0, idf, np.nan),
        "icf": np.where(n_i > 0, icf, np.nan),
        "tf_idf_sum": forms.tf_idf_sum(n_i, idf),
    }
