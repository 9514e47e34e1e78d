"""The answer in words, above the table of a command."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from termburst.cli.output import many
from termburst.display import FREQUENT, printable

if TYPE_CHECKING:
    import polars as pl

SURE = 0.05  # q up to this counts as found
_OWN_INTERVAL = (
    "Here “at least” and “at most” are the end of the word's own confidence interval, not corrected for choosing the "
    "strongest words."
)  # of designs, which have no corrected lower bound


def burstiest(table: pl.DataFrame, lengths: Any, documents: Any, *, alphabet: bool = False) -> list[str]:
    """How many terms are surely bursty, if they were tested, and the first term in words, if its lower bound is known.

    *lengths* are the distinct lengths of documents, and *documents* says how many have each. In a list by the
    *alphabet*, where the first term would be any, it is the one with the largest lower bound.
    """
    from termburst.questions.burst_columns import documents_by_chance, in_words, mean_of_mixed_lengths

    said = []
    if "q_value" in table.columns and table.height:
        sure, verb = int((table["q_value"] <= SURE).sum()), "come in bursts"
        said.append(f"{_of(sure, table.height, verb.replace('come', 'comes') if sure == 1 else verb)} (q ≤ {SURE})")
    if "reuse" in table.columns and table.height:
        first = table.sort("lower_bound", descending=True, nulls_last=True, maintain_order=True) if alphabet else table
        row = first.row(0, named=True)
        if row["reuse"] is not None:
            mixed = mean_of_mixed_lengths(lengths, documents)
            row |= {"term": printable(row["term"])}
            row |= {"b_binomial": float(documents_by_chance(row["n"], lengths, documents))}
            said.append(f"{in_words(row, int(sum(documents)), length=mixed)}.")
    return ["; ".join(said)] if said else []


def _surest(table: pl.DataFrame, most: int = 3) -> list[tuple[str, str]]:
    """The terms that differ most surely between groups, and the group that has most of each."""
    import polars as pl

    return table.filter(pl.col("q_value") <= SURE).sort("p_value").select("term", "highest").head(most).rows()


def compared(table: pl.DataFrame, names: Sequence[str] = ()) -> list[str]:
    """How many words differ, and the strongest on each side, from a table of a comparison.

    *names* are those of the two sides; a table with a column "group" has its own.

    Examples
    --------
    >>> import polars as pl
    >>> columns = {"term": ["gold", "silver", "of"], "log_ratio": [-9.0, 8.0, 0.1], "lower_bound": [-4.2, 2.1, 0.0]}
    >>> table = pl.DataFrame(columns | {"q_value": [0.001, 0.002, 0.3]})
    >>> print(*compared(table, ["Democrats", "Republicans"]))
    2 of 3 words differ between Democrats and Republicans (q ≤ 0.05): silver, at least 4.2 times as often in Democrats; gold, at least 18 times as often in Republicans.
    >>> for sentence in compared(table.with_columns(contrast=pl.lit("metal: x - y"))):
    ...     print(sentence)
    2 of 3 words differ (q ≤ 0.05): silver, at least 4.2 times as often (metal: x - y); gold, rarer: at most 1/18 as often (metal: x - y).
    Here “at least” and “at most” are the end of the word's own confidence interval, not corrected for choosing the strongest words.
    >>> print(*compared(table.tail(1), ["Democrats", "Republicans"]))
    None of 1 word surely differs between Democrats and Republicans (q ≤ 0.05). Nearest: of (q = 0.3).
    """  # noqa: E501  # a line of output
    import polars as pl

    if "q_value" not in table.columns or not table["q_value"].count():
        return []
    burst, words = "burst_ratio_a" in table.columns, table["term"].n_unique()
    what = "differ in burstiness" if burst else "differ"
    between = f" between {' and '.join(map(printable, names))}" if len(names) == 2 else ""
    if "highest" in table.columns:  # one test over all groups
        terms = ", ".join(f"{printable(term)} (most in {printable(group)})" for term, group in _surest(table))
        differing = table.filter(pl.col("q_value") <= SURE).height
        verb = "differs" if differing == 1 else "differ"
        count = f"{_of(differing, words, verb)} between the groups (q ≤ {SURE})"
        return [f"{count}: {terms}." if terms else f"{count}."]
    sure = table.filter(pl.col("q_value") <= SURE)
    if sure.is_empty():
        row = table.sort("q_value", nulls_last=True, maintain_order=True).row(0, named=True)
        nearest = f" Nearest: {printable(row['term'])}{_where(row)} (q = {row['q_value']:.2g})."
        none = f"None of {many(words, 'word')} surely {what.replace('differ', 'differs')}{between} (q ≤ {SURE})."
        return [none + nearest]
    found = sure["term"].n_unique()
    count = f"{_of(found, words, what.replace('differ', 'differs') if found == 1 else what)}{between} (q ≤ {SURE})"
    size = pl.col("lower_bound" if "lower_bound" in table.columns else "log_ratio")
    strongest = [
        side.sort(size.abs(), descending=True, nulls_last=True, maintain_order=True).row(0, named=True)
        for side in (sure.filter(pl.col("log_ratio") > 0), sure.filter(pl.col("log_ratio") < 0))
        if side.height
    ]
    first = "; ".join(_difference(row, names, burst=burst) for row in strongest)
    said = [f"{count}: {first}." if first else f"{count}."]
    if "contrast" in table.columns and (" at least " in first or " at most " in first):
        said.append(_OWN_INTERVAL)
    return said


def near(table: pl.DataFrame, word: str) -> list[str]:
    """How many words are near a word, and the surest, from a table of collocates.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"term": ["world", "of"], "n_window": [45, 3], "expected": [12.3, 2.9], "q_value": [0.0, 0.4]})
    >>> print(*near(table, "free"))
    1 of 2 words stands near 'free' more often than by chance (q ≤ 0.05); the surest is world, 45 times; by chance it would be 12.3 times.
    """  # noqa: E501
    sure = table.filter(table["q_value"] <= SURE)
    verb = "stands" if sure.height == 1 else "stand"
    said = f"{_of(sure.height, table.height, verb)} near {printable(word)!r} more often than by chance (q ≤ {SURE})"
    if sure.is_empty():
        return [f"{said}."]
    row = sure.row(0, named=True)
    often = f"{many(row['n_window'], 'time')}; by chance it would be {row['expected']:,.3g} times"
    return [f"{said}; the surest is {printable(row['term'])}, {often}."]


def brought_on(table: pl.DataFrame, word: str) -> list[str]:
    """How many words come together with a word, and which of them surely come later or earlier, from `triggers`.

    Examples
    --------
    >>> import polars as pl
    >>> found = {"direction": ["together with", "brings on"], "term": ["is", "plato"], "q_together": [0.01, 0.0]}
    >>> print(*brought_on(pl.DataFrame(found), "socrates"))
    2 of 2 words come together with 'socrates' (q ≤ 0.05). It brings on 1 of them, which comes later: plato.
    >>> print(*brought_on(pl.DataFrame(found)[:1], "socrates"))
    1 of 1 word comes together with 'socrates' (q ≤ 0.05). It does not surely come later or earlier.
    """
    together = table.filter(table["q_together"] <= SURE)
    verb = "comes" if together.height == 1 else "come"
    said = [f"{_of(together.height, table.height, verb)} together with {printable(word)!r} (q ≤ {SURE})."]
    later, earlier = (
        together.filter(together["direction"] == name)["term"].to_list() for name in ("brings on", "brought on by")
    )
    if later:
        said.append(f"It brings on {len(later):,} of them, which {_comes(later)} later: {_some(later)}.")
    if earlier:
        said.append(f"It is brought on by {len(earlier):,} of them, which {_comes(earlier)} earlier: {_some(earlier)}.")
    if not later and not earlier and together.height:
        none = "It does not" if together.height == 1 else "None of them does"
        said.append(f"{none} surely come later or earlier.")
    return [" ".join(said)]


def _comes(words: list[str]) -> str:
    return "comes" if len(words) == 1 else "come"


def _some(words: list[str], most: int = 3) -> str:
    return ", ".join(map(printable, words[:most])) + (", …" if len(words) > most else "")


def _of(found: int, all_: int, verb: str) -> str:
    return f"{found:,} of {many(all_, 'word')} {verb}"


def _difference(row: dict[str, Any], names: Sequence[str], *, burst: bool) -> str:
    """One word with how much it differs, at least, and where it is the more frequent or the burstier."""
    more, bound = row["log_ratio"] > 0, abs(row.get("lower_bound") or 0.0)
    as_often = "the odds" if _by_odds(row) else "as often"
    ratio = _rounded_down(2**bound) if bound < 300 else 1.0
    if ratio > 1:
        often = f"{'burst ratio ' if burst else ''}at least {ratio:,g} times {'as large' if burst else as_often}"
    else:
        often = "burstier" if burst else "more often"
    term = printable(row["term"])
    if "contrast" in row and len(names) != 2:
        rarer = f"rarer: at most 1/{ratio:g} {as_often.replace('the', 'of the')}" if ratio > 1 else "rarer"
        return f"{term}, {often if more else rarer}{_where(row)}"
    if "group" in row:
        group = printable(str(row["group"]))
        rest = f"the rest {'as' if ratio > 1 else 'than'} in {group}"
        return f"{term}, {often} in {group if more else rest}"
    side = names[0 if more else 1] if len(names) == 2 else "AB"[not more]
    return f"{term}, {often} in {printable(side)}"


def _by_odds(row: dict[str, Any]) -> bool:
    """Whether the ratio of a word must be called one of odds: in a design, if the word is frequent.

    >>> [_by_odds({"contrast": "p: x - y", "per_million_a": rate, "per_million_b": None}) for rate in (29e3, 31e3)]
    [False, True]
    """
    return "contrast" in row and max(row.get(f"per_million_{side}") or 0.0 for side in "ab") > FREQUENT


def _where(row: dict[str, Any]) -> str:
    """The group or the contrast of a row, if it has one."""
    for name in ("group", "contrast"):
        if row.get(name) is not None:
            return f" ({printable(str(row[name]))})"
    return ""


def _rounded_down(value: float) -> float:
    """To two digits, and never up, since it stands after "at least".

    >>> [_rounded_down(value) for value in (1.06, 4.19, 18.8, 1234.5)]
    [1.0, 4.1, 18.0, 1200.0]
    """
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return round(math.floor(value / step) * step, 6)
