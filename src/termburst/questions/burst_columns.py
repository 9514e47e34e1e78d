"""Shared by the tables of terms: the columns that say how bursty a term is, the order of rows, and a term in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.display import printable
from termburst.inference.burst_effects import FEWEST, BurstEffects, burst_effects, hardly_repeats
from termburst.inference.dispersion import MEASURES
from termburst.models.cells import term_cells
from termburst.names import MAIN_COLUMNS, Statistic, TermSort
from termburst.statistics.term_statistics import TermStatistics

HARDLY = 1.05  # a burst ratio below this would be printed as 1.0
FREQUENT = 0.5  # reuse by chance from which on a term is too frequent for reuse to say how bursty it is
FEWER = 0.9  # of what is expected by chance: less is clearly less


def burst_columns(effects: BurstEffects) -> dict[str, Any]:
    """The columns of the effects, in the order in which tables have them."""
    return {field.name: getattr(effects, field.name) for field in fields(effects)}


def main_columns(statistic: Statistic) -> list[str]:
    """The main columns of a table of the burstiness test.

    Examples
    --------
    >>> main_columns("lr")[-4:]
    ['lr', 'p_value', 'q_value', 'p_method']
    """
    return [statistic if name == "plr" else name for name in MAIN_COLUMNS]


def main_part(table: pl.DataFrame, statistic: Statistic) -> tuple[pl.DataFrame, int]:
    """The main columns of a table without dispersion, and how many columns there are with it."""
    return table.select(main_columns(statistic)), table.width + len(MEASURES)


def term_order(
    columns: Collection[str], sort: TermSort | None, statistic: Statistic = "plr", *, intervals: bool = True
) -> list[pl.Expr]:
    """What the rows of a table with these columns are sorted by; without *intervals*, not by lower bounds."""
    if sort is None:
        return []
    first = "lower_bound" if intervals else "burst_ratio"  # terms whose lower bound is 1 come by their p-values
    largest = {"lower_bound": [first], "plr": ["plr"], "lr": ["lr"], "p": [], "term": []}[sort]
    # Rounded: the term, not the last bits, decides the order of equal values.
    keys = [-pl.col(name).round(9) for name in largest if name in columns]
    if sort != "term":
        keys += [pl.col(name) for name in ("log10_p",) if name in columns]
        keys += [-pl.col(name).round(9) for name in (statistic,) if name in columns]
    return [*keys, pl.col("term")]


def sorted_terms(table: pl.DataFrame, sort: TermSort | None) -> pl.DataFrame:
    """The rows in the given order. Columns that the table does not have are passed over; null comes last.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"term": ["so", "ha"], "lower_bound": [1.0, 3.2], "plr": [2.0, 1.0]})
    >>> sorted_terms(table, "lower_bound")["term"].to_list(), sorted_terms(table, "plr")["term"].to_list()
    (['ha', 'so'], ['so', 'ha'])
    """
    intervals = "lower_bound" in table.columns and not table["lower_bound"].is_null().all()
    order = term_order(table.columns, sort, intervals=intervals)
    return table.sort(order, nulls_last=True) if order else table


def mean_of_mixed_lengths(lengths: Any, documents: Any) -> float | None:
    """The mean length if lengths are very mixed, that is, if their standard deviation is above their mean; else None.

    `reuse` is about a document of mean length. If lengths are very mixed, few documents are like that, and a sentence
    should say so.

    Examples
    --------
    >>> mean_of_mixed_lengths([100, 300], [5, 5]), mean_of_mixed_lengths([50, 4050], [9, 1])
    (None, 450.0)
    """
    lengths, documents = np.asarray(lengths, dtype=np.float64), np.asarray(documents, dtype=np.float64)
    filled = lengths > 0
    if not documents[filled].sum():
        return None
    mean = np.average(lengths[filled], weights=documents[filled])
    spread = np.sqrt(np.average((lengths[filled] - mean) ** 2, weights=documents[filled]))
    return float(mean) if spread > mean else None


def documents_by_chance(n: Any, lengths: Any, documents: Any) -> NDArray[np.float64]:
    """In how many documents a term would be if its n tokens were at random positions: Σ_j (1 − (1 − n/N)^n_j).

    *lengths* are the distinct lengths of documents, *documents* says how many have each, and N is all their tokens.

    Examples
    --------
    >>> documents_by_chance([1, 20, 100], [10, 20], [4, 3]).round(2).tolist()
    [0.93, 6.54, 7.0]
    """
    lengths, documents = np.asarray(lengths, np.float64), np.asarray(documents, np.float64)
    often, place = np.unique(np.asarray(n, np.float64), return_inverse=True)
    tokens = max(float(lengths @ documents), 1.0)
    found = np.zeros(often.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        for k, absent in enumerate(np.log1p(-often / tokens)):
            found[k] = documents @ -np.expm1(np.where(lengths > 0, lengths * absent, 0.0))
    return found[place].reshape(np.shape(n))


def in_words(row: Mapping[str, Any], documents: int, unit: str = "documents", *, length: float | None = None) -> str:
    """How bursty a term is, as a sentence, from its row of a table with the columns of the effects.

    Most documents with a frequent term repeat it even by chance, so the sentence about it is not about reuse. It says
    what makes the term bursty: fewer documents have it than by chance, or it is used more in some than in others.

    *length*, if given, is the mean length that reuse is about, and is said: see `mean_of_mixed_lengths`. A row may also
    have "b_binomial", the number of documents that would have the term by chance: see `documents_by_chance`.

    Examples
    --------
    >>> silver = {"term": "silver", "b": 21, "burst_ratio": 5.0, "ci_low": 3.0, "reuse": 0.864, "reuse_binomial": 0.31}
    >>> in_words(silver, 59, "speeches")
    'silver: in 21 of 59 speeches, and once used, it is used again in 86 % of cases; by chance it would be 31 %'
    >>> in_words(silver, 59, length=1204.3)
    'silver: in 21 of 59 documents, and once used, it is used again in 86 % of cases in a document of mean length (1,204 tokens); by chance it would be 31 %'
    >>> in_words(silver | {"b": 2}, 59)
    'silver: in 2 of 59 documents, too few to say how bursty it is'
    >>> in_words(silver | {"ci_low": 1.0}, 59)
    'silver: in 21 of 59 documents, and once used, it is not surely used again more often than by chance (31 % of cases)'
    >>> in_words(silver | {"reuse_binomial": 0.93}, 59)  # a frequent term that is crowded into few documents
    'silver: in 21 of 59 documents, but more in some than in others: if one word of a document is it, another is 5.0 times likelier to be it'
    >>> in_words(silver | {"n": 204, "reuse_binomial": 0.93, "b_binomial": 56.6}, 59)
    'silver: in 21 of 59 documents; by chance it would be 57. Those use it 9.7 times on average; by chance it would be 3.6 times'
    >>> in_words(silver | {"reuse_binomial": 0.93, "burst_ratio": 1.02, "ci_low": 1.01}, 59)
    'silver: in 21 of 59 documents, and hardly bursty: if one word of a document is it, another is 2 % likelier to be it'
    >>> in_words(silver | {"n": 24}, 59)  # the fit at mean length says more than its short documents show
    'silver: 24 times in 21 of 59 documents, so at most 3 of them repeat it; the fit expects 86 % at mean length'
    """  # noqa: E501  # a line of output
    found = f"{row['term']}: in {row['b']:,} of {documents:,} {unit}"
    if row["b"] < FEWEST:
        return f"{found}, too few to say how bursty it is"
    again, chance = percent(row["reuse"]), percent(row["reuse_binomial"])
    if (row["ci_low"] or 1.0) <= 1:
        return f"{found}, and once used, it is not surely used again more often than by chance ({chance} of cases)"
    if (n := row.get("n")) is not None and hardly_repeats(row["reuse"], n, row["b"]):
        where = found.removeprefix(f"{row['term']}: ")
        repeat = f"so at most {n - row['b']:,} of them repeat{'s' if n - row['b'] == 1 else ''} it"
        return f"{row['term']}: {n:,} times {where}, {repeat}; the fit expects {again} at mean length"
    alone, alone_by_chance = 1 - row["reuse"], 1 - row["reuse_binomial"]
    frequent = row["reuse_binomial"] > FREQUENT and alone > FEWER * alone_by_chance
    if frequent or row["reuse"] <= row["reuse_binomial"] or again == chance:
        return f"{found}{_uneven(row, frequent=frequent)}"
    at = "" if length is None else f" in a document of mean length ({length:,.0f} tokens)"
    return f"{found}, and once used, it is used again in {again} of cases{at}; by chance it would be {chance}"


def _uneven(row: Mapping[str, Any], *, frequent: bool) -> str:
    """What makes a term bursty whose reuse does not say it: documents lack it, or some use it more than others."""
    by_chance = row.get("b_binomial") or 0.0
    if frequent and row["b"] < FEWER * by_chance:
        mean, expected = (f"{row['n'] / number:,.1f} times" for number in (row["b"], by_chance))
        use = f"Those use it {mean} on average; by chance it would be {expected}"
        return f"; by chance it would be {by_chance:,.0f}. {use}"
    if row["burst_ratio"] < HARDLY:
        more = f"{100 * (row['burst_ratio'] - 1):.0f} %" if row["burst_ratio"] > 1.01 else "less than 1 %"
        return f", and hardly bursty: if one word of a document is it, another is {more} likelier to be it"
    likelier = f"{row['burst_ratio']:,.1f} times likelier"
    return f", but more in some than in others: if one word of a document is it, another is {likelier} to be it"


def ratio_in_words(row: Mapping[str, Any]) -> list[str]:
    """The burst ratio and its interval, as a sentence, or none if the term never occurs.

    Examples
    --------
    >>> ratio_in_words({"burst_ratio": 3.05, "ci_low": 1.35, "ci_high": 11.24})
    ['Burst ratio 3.05 (95 % interval 1.35 to 11.2): how many times likelier a word is this one if another word is.']
    """
    if row["burst_ratio"] is None:
        return []
    ratio, low, high = (f"{row[name]:,.3g}" if row[name] < 1000 else f"{row[name]:,.0f}" for name in _RATIO)
    meaning = "how many times likelier a word is this one if another word is"
    return [f"Burst ratio {ratio} (95 % interval {low} to {high}): {meaning}."]


_RATIO = ("burst_ratio", "ci_low", "ci_high")


def effects_of_term(statistics: TermStatistics, term: str) -> dict[str, Any]:
    """One row of a table of terms, with the columns of the effects and b_binomial; only this term is fitted."""
    one = term_cells(statistics).of_terms(np.array([statistics.index(term)]))
    columns = burst_columns(burst_effects(one))
    values = {name: float(column[0]) for name, column in columns.items()}
    found: dict[str, Any] = {name: None if np.isnan(value) else value for name, value in values.items()}
    often = {"n": int(one.n_i[0]), "b": int(one.b_i[0])}
    expected = documents_by_chance(often["n"], statistics.lengths, statistics.length_documents)
    return {"term": term, **often, **found, "b_binomial": float(expected)}


def term_in_words(statistics: TermStatistics, term: str) -> tuple[str, ...]:
    """How bursty one term is, in sentences; none if the statistics lack the patterns that an exact fit needs."""
    if statistics.detail != "patterns":
        return ()
    row = effects_of_term(statistics, term)
    mixed = mean_of_mixed_lengths(statistics.lengths, statistics.length_documents)
    sentence = in_words(row | {"term": printable(term)}, statistics.documents, length=mixed)
    return (f"{sentence}.", *ratio_in_words(row))


def percent(share: float) -> str:
    """A share in per cent, with a decimal if it is small.

    >>> percent(0.864), percent(0.0312), percent(0.0004), percent(0.9996)
    ('86 %', '3.1 %', '0.04 %', '99.96 %')
    """
    small = min(share, 1 - share)
    digits = 0 if small >= 0.095 or small == 0 else 1 if small >= 0.0095 else 2
    return f"{100 * share:.{digits}f} %"
