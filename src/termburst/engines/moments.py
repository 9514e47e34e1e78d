"""Sums by term, and the closed forms of them, in expressions that every engine can evaluate.

Formulas are written in steps, each adding columns that the next one uses (named _so, and dropped in the end): an engine
would else write out a column's formula wherever it is used, and a logarithm takes three copies of what is in it.
"""

from __future__ import annotations

import math
from typing import Any

import narwhals.stable.v2 as nw

from termburst.engines.cells import Cells, together
from termburst.engines.frames import as_float
from termburst.inference.plr import Form
from termburst.models.special import stirling_remainder
from termburst.statistics.term_statistics import TermStatistics

STIRLING_FROM = 10  # beyond which six terms of Stirling's series have all digits of log Γ
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
col = nw.col


def moments(cells: Cells) -> Any:
    """Frame of term, n = n_i, b = b_i, count_length_sum, count_squared_sum, repetition = Σ_j log (n_ij − 1)!."""
    return together([_moments(part) for part in cells.parts])


def _moments(cells: Any) -> Any:
    count, documents = col("count"), col("documents")
    whole = {
        "n": count * documents,
        "count_length_sum": count * col("tokens"),
        "count_squared_sum": count * count * documents,
    }
    terms = with_log_factorial(cells).with_columns(
        *(value.alias(name) for name, value in whole.items()),
        repetition=col("_log_factorial") * documents.cast(nw.Float64),
    )
    sums = terms.group_by("term").agg(*(col(name).sum() for name in [*whole, "documents", "repetition"]))
    found = sums.select(
        "term",
        *(col(name).cast(nw.Int64) for name in whole),
        col("documents").cast(nw.Int64).alias("b"),
        "repetition",
    )
    return found.filter(col("b") != 0)


def with_log_factorial(frame: Any) -> Any:
    """Add _log_factorial = log (n − 1)! = log Γ(n) of the whole numbers in "count", to a few ulps.

    A table up to `STIRLING_FROM`, then Stirling's series.
    """
    large = nw.when(col("count") < STIRLING_FROM).then(nw.lit(float(STIRLING_FROM)))
    frame = frame.with_columns(_x=large.otherwise(col("count").cast(nw.Float64)))
    frame = frame.with_columns(_over=1.0 / col("_x"), _log=col("_x").log())
    frame = frame.with_columns(_over_squared=col("_over") * col("_over"))
    series = nw.lit(0.0)
    for coefficient in reversed(STIRLING):
        series = coefficient + series * col("_over_squared")
    value = (col("_x") - 0.5) * col("_log") - col("_x") + math.log(2 * math.pi) / 2 + series * col("_over")
    for small in range(1, STIRLING_FROM):
        value = nw.when(col("count") == small).then(nw.lit(math.lgamma(small))).otherwise(value)
    return frame.with_columns(_log_factorial=value).drop("_x", "_over", "_log", "_over_squared")


def with_log_one_minus(frame: Any, name: str, part: str, whole: float) -> Any:
    """Add a column log((whole − part)/whole), 0 ≤ part < whole, to its last digits, without log1p.

    With u the quotient as rounded that is log u + (v − u)/u, v being the true one. What rounding took away, v − u, is
    −part/whole − (u − 1), exactly so where u ≥ ½; below that log u has all its digits.
    """
    frame = frame.with_columns(_u=(whole - col(part)) / whole, _x=-col(part) / whole)
    lost = nw.when(col("_u") >= 0.5).then((col("_x") - (col("_u") - 1.0)) / col("_u")).otherwise(nw.lit(0.0))
    return frame.with_columns((col("_u").log() + lost).alias(name)).drop("_u", "_x")


def with_plr_steps(frame: Any, collection: TermStatistics, mu: float, sigma2: float, form: Form) -> Any:
    """Add what λ_i and λ_ij are made of, from the columns n and b.

    _n, _b; _icf = log(n/n_i), _idf = log(d/b_i), _share = log((b_i + n_¬i)/(dσ²)), _one_minus = log(1 − (n_i − b_i)/n),
    and _precision, the part in η² and r_i = n_i − b_i + 1 (see `inference.plr`).
    """
    d, n, eta2 = float(collection.documents), float(collection.tokens), mu / sigma2 * mu
    frame = frame.with_columns(_n=col("n").cast(nw.Float64), _b=col("b").cast(nw.Float64))
    frame = frame.with_columns(_excess=col("_n") - col("_b"), _r=col("_n") - col("_b") + 1.0)
    defined = eta2 - col("_r") >= 1 if form == "printed" else eta2 - col("_r") > 0
    frame = frame.with_columns(
        _in=nw.when(defined).then(col("_r")).otherwise(nw.lit(0.0)),
        _icf=(n / col("_n")).log(),
        _idf=(d / col("_b")).log(),
        _share=((col("_b") + (n - col("_n"))) / (d * sigma2)).log(),
    )
    frame = with_log_one_minus(frame, "_one_minus", "_excess", n)
    frame = with_log_one_minus(frame, "_shrunk", "_in", eta2)
    r_i, shrunk, log_eta2 = col("_r"), col("_shrunk"), math.log(eta2)
    if form == "printed":
        value = (2.5 - 2 * r_i) * log_eta2 + (eta2 - 2 * r_i + 1) * shrunk + r_i
        clamped = r_i - (eta2 - 1.5) * log_eta2
    else:
        value = (3 - 2 * r_i) * log_eta2 + 2 * (eta2 - r_i) * shrunk + 2 * r_i
        clamped = 2 * r_i - (2 * eta2 - 3) * log_eta2 if form == "corrected" else nw.lit(math.nan)
    return frame.with_columns(_precision=nw.when(defined).then(value).otherwise(clamped)).drop("_in", "_shrunk")


def plr(collection: TermStatistics, mu: float, sigma2: float, form: Form) -> Any:
    """λ_i in the columns of `with_plr_steps` and "repetition": the sum of `inference.plr.PARTS`.

    With the paper's penalty: Claim 3 (Eq. lambda-tfidf) in the form "printed", and the others as in `plr_statistic`.
    """
    d, n = float(collection.documents), float(collection.tokens)
    penalties = 1 if form == "printed" else 2
    value = (
        2 * col("_n") * col("_icf")
        - 2 * col("_b") * col("_idf")
        + 2 * col("repetition")
        - 2 * n * col("_one_minus")
        + 2 * col("_excess") * col("_share")
        - (2 * col("_b") + penalties) * math.log(mu)
        + col("_precision")
        - penalties * math.log(2 * math.pi) / 2
    )
    if form != "printed":
        value = value + 2 * col("_n") * math.log(mu * d / n)
    if form == "exact":
        value = value - 2 * float(stirling_remainder(mu / sigma2 * mu))
    return value


def with_tarone(frame: Any, collection: TermStatistics) -> Any:
    """Add tarone, from the columns of `moments`: as `inference.null_lengths.Lengths.score` has it.

    z_i = [Σ_j (n_ij − n_j p)²/(p(1 − p)) − n] / √(2 Σ_j n_j (n_j − 1)), p = n_i/n; 0 where counts cannot vary.
    """
    n = float(collection.tokens)
    held = collection.lengths > 0
    if int(collection.length_documents[held].sum()) == 1 or int(collection.lengths[held].max()) == 1:
        return frame.with_columns(tarone=0.0 * col("n"))  # counts cannot vary
    whole = int(collection.lengths**2 @ collection.length_documents)  # which fits: see `check_fits`
    squared, n_i = float(whole), as_float(frame, "n")
    # Of more than half of the text rather that of the other tokens, which is the same: 1 − p would lose digits. So
    # would differences of floats; those of integers are exact, in an order in which none of them can wrap round.
    major = 2 * n_i > n
    every = n_i == n
    squares, products = col("count_squared_sum"), col("count_length_sum")
    frame = frame.with_columns(
        _p=nw.when(every).then(nw.lit(0.5)).otherwise(nw.when(major).then((n - n_i) / n).otherwise(n_i / n)),
        _squares=nw.when(major).then((whole - products) - (products - squares)).otherwise(squares),
        _products=nw.when(major).then(whole - products).otherwise(products),
    )
    frame = frame.with_columns(_squares=as_float(frame, "_squares"), _products=as_float(frame, "_products"))
    p = col("_p")
    excess = (col("_squares") - 2 * p * col("_products") + p * p * squared) / (p * (1 - p)) - n
    z = excess / math.sqrt(2 * (squared - n))
    return frame.with_columns(tarone=nw.when(every).then(nw.lit(0.0)).otherwise(z)).drop("_p", "_squares", "_products")
