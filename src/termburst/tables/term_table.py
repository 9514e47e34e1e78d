"""Every term with its statistics, as a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.forks import check_fork
from termburst.inference.checks import check_name
from termburst.inference.plr import add_up, plr_parts
from termburst.models import closed_forms as forms
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.models.penalized_mle import penalized_mle
from termburst.names import FITS, Fit, Form, Invalid
from termburst.statistics.term_statistics import TermStatistics, as_statistics
from termburst.tables.frames import term_frame

if TYPE_CHECKING:
    import polars as pl


def term_table(
    X_or_statistics: Any,
    *,
    mu: float | None = None,
    sigma2: float = 1.0,
    form: Form = "printed",
    penalty: str = "gamma",
    invalid: Invalid = "clamp",
    parts: bool = False,
    fit: Fit = "penalized",
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

    Returns
    -------
    polars.DataFrame
        One row per term, sorted by λ_i, then by term. `engines.term_table` has the same columns.

        * term: its name, or the number of its column if terms have no names
        * n = n_i, b = b_i: its occurrences, and the documents that contain it
        * plr = λ_i
        * tarone: Tarone's score, standard normal if the term does not burst
        * idf = log(d/b_i), icf = log(n/n_i), tf_idf_sum = Σ_j TF–IDF(i,j) = n_i log(d/b_i)
        * alpha, alpha_not: the estimates; with fit="exact" their mean, too
        * status: "valid" or "invalid" (and the estimates null) for penalised estimates, as in `BetaBinomialFit` for
          exact ones

        For a term that never occurs tarone, idf and icf are null.

    Examples
    --------
    >>> import termburst as tb
    >>> s = tb.TermStatistics.from_counts([[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]], terms=["ha", "no", "so"])
    >>> tb.term_table(s)["term"].to_list()
    ['ha', 'no', 'so']
    """
    import polars as pl

    check_fork()
    check_name("fit", fit, FITS)
    statistics = as_statistics(X_or_statistics, "patterns" if fit == "exact" else "moments")
    named = plr_parts(statistics, mu=mu, sigma2=sigma2, form=form, penalty=penalty, invalid=invalid)
    columns: dict[str, Any] = {
        "n": statistics.collection_frequency,
        "b": statistics.document_frequency,
        "plr": add_up(named),
        **_closed_forms(statistics),
        **_estimates(statistics, fit, mu=mu, sigma2=sigma2, penalty=penalty),
    }
    if parts:
        size = statistics.vocabulary_size
        columns.update({name: np.broadcast_to(part, size).copy() for name, part in named.items()})
    table = term_frame(statistics.terms, columns)
    # Rounded: the term, not the last bits, decides the order of equal values.
    return table.sort([pl.col("plr").round(9), "term"], descending=[True, False], nulls_last=True)


def _estimates(statistics: TermStatistics, fit: Fit, **options: Any) -> dict[str, Any]:
    """The columns of the fit asked for."""
    if fit == "none":
        return {}
    if fit == "exact":
        exact = fit_beta_binomial(statistics)
        status = exact.status.tolist()
        return {"mean": exact.mean, "alpha": exact.alpha, "alpha_not": exact.alpha_not, "status": status}
    estimates = penalized_mle(statistics, **options)
    status = np.where(estimates.valid, "valid", "invalid").tolist()
    return {"alpha": estimates.alpha, "alpha_not": estimates.alpha_not, "status": status}


def _closed_forms(statistics: TermStatistics) -> dict[str, Any]:
    """The columns between λ_i and the estimates."""
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
