"""One row per term, in the engine: the table of closed forms, and exact fits."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from termburst.counting.options import CountingOptions
from termburst.engines.batches import map_terms
from termburst.engines.cells import cells_of, length_statistics
from termburst.engines.door import opened
from termburst.engines.moments import in_order, moments, shared_numbers, summed, warn_of_clamped
from termburst.engines.operations import ColumnOperations
from termburst.engines.running import run_on_collection
from termburst.inference.plr import check_form
from termburst.models import closed_forms as forms
from termburst.names import Form
from termburst.questions.burstiness_plan import FitPlan

if TYPE_CHECKING:
    import polars as pl

TABLE = ("plr", "tarone", "idf", "icf", "tf_idf_sum", "alpha", "alpha_not")


def term_table(
    frame: Any,
    *,
    mu: float | None = None,
    sigma2: float = 1.0,
    form: Form = "printed",
    counting: CountingOptions | None = None,
    check: bool = True,
    **columns: str,
) -> Any:
    """Every term with its statistics, computed by the engine: a frame of the same engine, in no order of rows.

    It has the columns of `termburst.term_table`. The engine makes two passes: the histogram of document lengths comes
    to this process (it is small), everything else stays in the engine.

    Parameters
    ----------
    frame, counting, check, **columns : see `term_statistics`
    mu, sigma2, form : see `termburst.plr_statistic`; the penalty is the paper's gamma

    Returns
    -------
    frame
        term, n = n_i, b = b_i, plr = λ_i, tarone = z_i (Tarone's score, standard normal if the term does not burst),
        idf = log(d/b_i), icf = log(n/n_i), tf_idf_sum = n_i log(d/b_i), the estimates alpha and alpha_not of Claim 2,
        and their status: "valid", or "invalid" where η² ≤ r_i. There both are null, and λ_i is clamped as in the paper
        (null in the form "exact"). If the result is in memory, a `ClampedTermsWarning` says how many such terms there
        are; in a lazy frame or one of DuckDB or Spark that would take another pass, and only their status says so.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"document": ["a", "b"], "text": ["ha ha ha said the clown", "the end"]})
    >>> term_table(frame).sort("plr")["term"].to_list()[-1]
    'ha'
    """
    check_form(form)
    cells = cells_of(opened(frame, columns, check=check), counting, "counts")
    lengths = length_statistics(cells)
    shared = shared_numbers(lengths, mu, sigma2)
    sums = forms.LengthSums.of(lengths.lengths, lengths.length_documents)
    asked: dict[str, Any] = {"shared": shared, "sums": sums, "form": form}
    if not cells.on_disk:
        terms = moments(cells)
        warn_of_clamped(terms, shared, "null" if form == "exact" else "clamped as in the paper")
        return nw.to_native(_table(terms, **asked))
    import polars as pl

    schema = {"term": pl.String, "n": pl.Int64, "b": pl.Int64, **dict.fromkeys(TABLE, pl.Float64), "status": pl.String}
    return nw.to_native(map_terms(cells.parts, partial(tabled, **asked), schema))


def tabled(cells: pl.DataFrame, **asked: Any) -> pl.DataFrame:
    """The table of some terms, of which all cells are given."""
    found: pl.DataFrame = nw.to_native(_table(summed(in_order(cells)), **asked))
    return found


def _table(terms: Any, shared: forms.Collection, sums: forms.LengthSums, form: Form) -> Any:
    """The columns of `term_table`, from those of `moments`."""
    ops = ColumnOperations(terms)
    n_i, b_i = (ops.keep(ops.as_float(nw.col(name))) for name in ("n", "b"))
    score = forms.tarone(ops, sums, nw.col("n"), nw.col("count_squared_sum"), nw.col("count_length_sum"))
    plr = forms.add_up(forms.plr_parts(ops, shared, n_i, b_i, nw.col("repetition"), form))
    idf = ops.keep(forms.idf(ops, shared.d, b_i))
    r_i = ops.keep(forms.repeats(n_i, b_i))
    alpha_0 = ops.keep(forms.gamma_precision(ops, shared.mu, shared.sigma2, r_i))
    alpha, alpha_not = forms.split_precision(alpha_0, shared.n, n_i, b_i)
    valid = shared.eta2 - r_i > 0
    found = {
        "plr": nw.when(valid).then(plr) if form == "exact" else plr,
        "tarone": score,
        "idf": idf,
        "icf": forms.icf(ops, shared.n, n_i),
        "tf_idf_sum": forms.tf_idf_sum(n_i, idf),
        "alpha": nw.when(valid).then(alpha),
        "alpha_not": nw.when(valid).then(alpha_not),
        "status": ops.where(valid, "valid", "invalid"),
    }
    return ops.frame.select("term", "n", "b", **found)


def fit_beta_binomial(
    frame: Any, *, counting: CountingOptions | None = None, check: bool = True, **columns: str
) -> Any:
    """The exact beta-binomial fit of every term, as a frame of the same engine: `termburst.fit_beta_binomial`.

    The engine merges equal cells. The terms are divided among workers, which all get the histogram of lengths and run
    the compiled code. On Spark the workers are the executors, so the vocabulary need not fit in the driver's memory. In
    other engines some terms at a time come through this process.

    Parameters
    ----------
    frame, counting, check, **columns : see `term_statistics`

    Returns
    -------
    frame
        term, n, b, mean, alpha, alpha_not, alpha_0, loglik, loglik_binomial, standard_error_alpha,
        standard_error_alpha_not and status, as in `termburst.BetaBinomialFit`.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"document": [1, 2, 3], "text": ["ha ha ha said he", "he said no", "no he said"]})
    >>> fit_beta_binomial(frame).filter(pl.col("status") == "converged")["term"].to_list()
    ['ha']
    """
    return run_on_collection(FitPlan(), opened(frame, columns, check=check), counting)
