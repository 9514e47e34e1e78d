"""Every term with its statistics, as a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.forks import check_fork
from termburst.inference.checks import check_name
from termburst.inference.names import FITS, Fit, Form, Invalid
from termburst.inference.plr import add_up, plr_parts
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.models.penalized_mle import penalized_mle
from termburst.statistics.term_statistics import as_statistics
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
    X_or_statistics : count matrix, or TermStatistics of detail "moments" or more
    mu, sigma2, form, penalty, invalid : see `termburst.plr_statistic`
    parts : bool
        Also the named parts of λ_i, a column each.
    fit : {"penalized", "exact", "none"}
        Which estimates of α_i and α_¬i to show: those of Claim 2, or the exact maximum-likelihood ones, which need a
        count matrix or statistics with detail="patterns".

    Returns
    -------
    polars.DataFrame
        term (or its column where terms have no names), n = n_i, b = b_i, plr = λ_i, tf_idf_sum = Σ_j TF–IDF(i,j), and
        the estimates alpha, alpha_not with their status: "valid" or "invalid" (and null) for penalised ones, and as in
        `BetaBinomialFit` for exact ones, with their mean. Sorted by λ_i, then by term.

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
    n_i, b_i, m = statistics.collection_frequency, statistics.document_frequency, statistics.vocabulary_size
    columns: dict[str, Any] = {
        "n": n_i,
        "b": b_i,
        "plr": add_up(named),
        "tf_idf_sum": n_i * np.log(statistics.documents / np.maximum(b_i, 1)),
    }
    if fit == "exact":
        exact = fit_beta_binomial(statistics)
        columns |= {"mean": exact.mean, "alpha": exact.alpha, "alpha_not": exact.alpha_not}
        columns["status"] = exact.status.tolist()
    elif fit == "penalized":
        estimates = penalized_mle(statistics, mu=mu, sigma2=sigma2, penalty=penalty)
        status = np.where(estimates.valid, "valid", "invalid")
        columns |= {"alpha": estimates.alpha, "alpha_not": estimates.alpha_not, "status": status.tolist()}
    if parts:
        columns.update({name: np.broadcast_to(part, m).copy() for name, part in named.items()})
    table = term_frame(statistics.terms, columns)
    # Rounded, lest the last bits of equal values decide instead of the term.
    return table.sort([pl.col("plr").round(9), "term"], descending=[True, False], nulls_last=True)
