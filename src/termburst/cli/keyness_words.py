"""What is said above and below a table of `termburst keyness`: the answer in words, clusters, and what columns mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from termburst.cli.output import SURE, many, of_words
from termburst.display import FREQUENT, printable
from termburst.names import LOWER_BOUND

if TYPE_CHECKING:
    import polars as pl

_LARGEST = 5  # clusters, or groups, that are named
_OWN_INTERVAL = (
    "Here “at least” and “at most” are the end of the word's own confidence interval, not corrected for choosing the "
    "strongest words."
)  # of designs, which have no corrected lower bound
_LEFT_OUT = {
    "per_million_a",
    "per_million_b",
    "diff_percent",
    "dp_a",
    "dp_b",
    "p_method",
    "least_p",
}  # columns; files have them

_COLUMNS = (
    "n, b: occurrences, documents with the term; log_ratio: log₂ of the ratio of its shares, A to B;",
    f"lower_bound: {LOWER_BOUND};",
    "q_value: expected share of false alarms down to this row",
)

_BURST_COLUMNS = (
    "n, b: occurrences, documents with the term; burst_ratio: how many times likelier a word is it if another word is;",
    f"log_ratio: log₂ of their ratio, A to B; lower_bound: {LOWER_BOUND}",
)


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
    sure = table.filter(pl.col("q_value") <= SURE)
    if "highest" in table.columns:  # one test over all groups
        surest = sure.sort("p_value").select("term", "highest").head(3).rows()
        terms = ", ".join(f"{printable(term)} (most in {printable(group)})" for term, group in surest)
        verb = "differs" if sure.height == 1 else "differ"
        count = f"{of_words(sure.height, words, verb)} between the groups (q ≤ {SURE})"
        return [f"{count}: {terms}." if terms else f"{count}."]
    if sure.is_empty():
        row = table.sort("q_value", nulls_last=True, maintain_order=True).row(0, named=True)
        nearest = f" Nearest: {printable(row['term'])}{_where(row)} (q = {row['q_value']:.2g})."
        none = f"None of {many(words, 'word')} surely {what.replace('differ', 'differs')}{between} (q ≤ {SURE})."
        return [none + nearest]
    found = sure["term"].n_unique()
    count = f"{of_words(found, words, what.replace('differ', 'differs') if found == 1 else what)}{between} (q ≤ {SURE})"
    size = pl.col("lower_bound" if "lower_bound" in table.columns else "log_ratio")
    ordered = sure.sort(size.abs(), descending=True, nulls_last=True, maintain_order=True)
    more = ordered.filter(pl.col("log_ratio") > 0).head(1)
    named = more["term"].to_list()  # of several groups, a word may be the strongest on both sides
    less = ordered.filter((pl.col("log_ratio") < 0) & ~pl.col("term").is_in(named)).head(1)
    strongest = [*more.iter_rows(named=True), *less.iter_rows(named=True)]
    first = "; ".join(_difference(row, names, burst=burst) for row in strongest)
    said = [f"{count}: {first}." if first else f"{count}."]
    if "contrast" in table.columns and (" at least " in first or " at most " in first):
        said.append(_OWN_INTERVAL)
    return said


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
    if "contrast" in row:
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


def narrow(table: pl.DataFrame) -> list[str]:
    """The columns that a terminal shows; files have all of them."""
    hidden = _LEFT_OUT
    if "contrast" in table.columns:  # n and b of both sides, or of all documents for a slope
        sides = {"n_a", "n_b", "b_a", "b_b"}
        slopes = table["n_a"].null_count() > 0
        hidden = hidden | {"statistic_documents", "status"} | (sides if slopes else {"n", "b"})
        if table["log_ratio_unadjusted"].equals(table["log_ratio"].rename("log_ratio_unadjusted")):
            hidden = hidden | {"log_ratio_unadjusted"}
    return [name for name in table.columns if name not in hidden]


def said_of(table: pl.DataFrame) -> tuple[str, ...]:
    """What the columns of a table mean."""
    if "burst_ratio_a" in table.columns:
        return _BURST_COLUMNS
    return (*_COLUMNS, *_no_least(table))


def _no_least(table: pl.DataFrame) -> list[str]:
    """A line on terms that surely differ, but with a lower bound of 0; designs have no such correction."""
    if "lower_bound" not in table.columns or "contrast" in table.columns:
        return []
    none = table.filter((table["q_value"] <= SURE) & (table["lower_bound"] == 0)).height
    if not none:
        return []
    differ = f"{many(none, 'row')} with q ≤ {SURE} {'has' if none == 1 else 'have'} lower_bound 0"
    return [f"{differ}: a difference is sure, but no size of it once the strongest of so many words are picked"]


def clusters_in_words(metadata: pl.DataFrame, cluster: str, columns: list[str], table: pl.DataFrame) -> str:
    """How many clusters there are and which are the largest; those within which the columns of the formula vary.

    Namesakes are one cluster, and the number of documents shows it.

    Examples
    --------
    >>> import polars as pl
    >>> about = pl.DataFrame({"who": ["Adams", "Adams", "Polk", "Bush"], "era": ["early", "late", "early", "late"]})
    >>> print(clusters_in_words(about, "who", ["era"], pl.DataFrame({"p_method": ["random signs of clusters"]})))
    3 clusters by who; the largest: Adams 2, Bush 1, Polk 1 documents. p is by random signs of clusters, since 1 has documents on several sides: Adams.
    >>> print(clusters_in_words(about[1:], "who", ["era"], pl.DataFrame({"p_method": ["clusters, chi2"]})))
    3 clusters by who; the largest: Adams 1, Bush 1, Polk 1 documents. The documents of a cluster are counted as one.
    """  # noqa: E501  # a line of output
    import polars as pl

    by = pl.col(cluster).cast(pl.String).alias("cluster")
    found = metadata.group_by(by).agg(pl.len().alias("documents"), pl.struct(columns).n_unique().alias("values"))
    found = found.sort("documents", "cluster", descending=[True, False])
    largest = ", ".join(f"{printable(name)} {size:,}" for name, size, _ in found.head(_LARGEST).rows())
    said = f"{many(found.height, 'cluster')} by {printable(cluster)}; the largest: {largest} documents."
    divided = found.filter(pl.col("values") > 1)["cluster"].sort()
    if divided.is_empty() or "random signs of clusters" not in table["p_method"]:
        return f"{said} The documents of a cluster are counted as one."
    names = ", ".join(map(printable, divided.head(_LARGEST))) + (", …" if len(divided) > _LARGEST else "")
    have = "has" if len(divided) == 1 else "have"
    several = f"{len(divided):,} {have} documents on several sides: {names}"
    return f"{said} p is by random signs of clusters, since {several}."


def cluster_in_words(table: pl.DataFrame, cluster: str) -> str:
    """How much of the evidence was the cluster's, in words.

    Examples
    --------
    >>> import polars as pl
    >>> cluster_in_words(pl.DataFrame({"p_value": [0.01, 0.2, None], "p_documents": [0.001, 0.01, None]}), "speaker")
    'of 2 rows with p < 0.05 if documents were independent, 1 is left if they depend on each other within speaker'
    """
    alone = table.filter(table["p_documents"] < 0.05)
    left = int((alone["p_value"] < 0.05).sum())
    verb = "is" if left == 1 else "are"
    rows = many(alone.height, "row")
    return (
        f"of {rows} with p < 0.05 if documents were independent, {left} {verb} left if they depend on each other "
        f"within {cluster}"
    )
