"""Shared by tables of comparisons: terms that are aligned, rows in order, and what a comparison cannot find."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.counting.options import CountingOptions, words_of
from termburst.inference.multiplicity import critical
from termburst.messages import Message, named
from termburst.models.cells import TermCells, cells_of_counts, term_cells
from termburst.names import Sort
from termburst.questions.frames import counted_texts, named_terms, own_terms
from termburst.statistics.matrix import canonical_counts, counted_corpus
from termburst.statistics.merging import laid_onto
from termburst.statistics.term_statistics import TermStatistics

if TYPE_CHECKING:
    from termburst.inference.frequency_list import WordList

MILLION = 1_000_000
LEVEL = 0.05  # q up to this is significant
FEWEST_IN_STRATUM = 15  # documents of a stratum on average from which on p holds, in simulations
FEW_STRATA = 4  # strata up to which p holds however few documents each has
MANY = 0.5  # share of clusters with documents on both sides, from which on a design is taken for a paired one
NEARLY_ALL = 0.8  # of the groups: from this share of single documents on, a comparison of groups warns


def comparison_order(sort: Sort | None) -> list[pl.Expr]:
    """What the rows of a comparison are sorted by, as `sort=` names it; equal ones by term."""
    # Rounded: the term, not the last bits, decides the order of equal values.
    p_value = pl.col("p_value").log10().round(9)
    statistic, lower_bound, log_ratio = (pl.col(name).round(9) for name in ("statistic", "lower_bound", "log_ratio"))
    keys: dict[Sort, list[pl.Expr]] = {
        "p": [p_value, -statistic.abs()],
        "lower_bound": [-lower_bound, p_value],
        "log_ratio": [-log_ratio, p_value],
        "term": [],
    }
    return [] if sort is None else [*keys[sort], pl.col("term")]


def counts_of_sides(a: TermCells, b: TermCells) -> dict[str, Any]:
    """The columns n_a, n_b, b_a and b_b: occurrences, and documents with the term."""
    return {"n_a": a.n_i, "n_b": b.n_i, "b_a": a.b_i, "b_b": b.b_i}


def rates_of_sides(a: TermCells, b: TermCells | WordList) -> dict[str, Any]:
    """The columns per_million_a and per_million_b."""
    return {f"per_million_{name}": MILLION * one.n_i / one.tokens for name, one in (("a", a), ("b", b))}


def difference_of(rates: dict[str, Any]) -> dict[str, Any]:
    """The column diff_percent, from `rates_of_sides`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return {"diff_percent": 100 * (rates["per_million_a"] - rates["per_million_b"]) / rates["per_million_b"]}


def ratios_of(found: Any) -> dict[str, Any]:
    """The columns log_ratio, ci_low and ci_high of a test."""
    return {name: getattr(found, name) for name in ("log_ratio", "ci_low", "ci_high")}


def warn_of_lone_documents(sizes: Any, groups: str = "groups") -> None:
    """Warn if (nearly) all of three or more groups have one document; *sizes* has the documents of each.

    The variation between documents of a group, against which differences are judged, is then seen in few of them only.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     warn_of_lone_documents([1, 1, 1, 1, 2], "values of 'name'")
    ...     warn_of_lone_documents([1, 1, 3, 3, 2])
    >>> [str(warning.message)[:52] for warning in caught]
    ["4 of 5 values of 'name' have only one document each,"]
    """
    alone, number = int(np.sum(np.asarray(sizes) == 1)), len(sizes)
    if number < 3 or alone < NEARLY_ALL * number:
        return
    which = f"all {number:,}" if alone == number else f"{alone:,} of {number:,}"
    warnings.warn(
        Message(
            f"{which} {groups} have only one document each, so it can hardly be seen how much words vary between "
            "documents of the same group, and few terms will differ; put groups together (numbers or years with ",
            named("bin", python="corpus.bin"),
            "), or cut the documents with ",
            named("split", 1000, python="corpus.split(tokens=1000)"),
        ),
        stacklevel=5,  # the caller of the function of the question
    )


def aligned(
    A: Any, B: Any, terms: Any, terms_b: Any, counting: CountingOptions | None
) -> tuple[TermCells, TermCells, NDArray[np.object_] | None]:
    """The cells of both over the same terms, and the names of the terms, if any."""
    A, B = counted_texts({"A": A, "B": B}, counting)
    _check_same_words(A, B)
    terms, terms_b = (list(names) if isinstance(names, Iterator) else names for names in (terms, terms_b))
    if terms_b is None and own_terms(B) is None:
        terms_b, terms = terms, terms if own_terms(A) is None else None
    first, names_a = named_counts(A, terms, "A")
    second, names_b = named_counts(B, terms_b, "B")
    if (names_a is None) != (names_b is None):
        raise ValueError("one corpus has term names and the other does not: give terms= and terms_b=")
    if names_a is None or names_b is None or np.array_equal(names_a, names_b):
        a, b = (term_cells(x) if isinstance(x, TermStatistics) else cells_of_counts(x) for x in (first, second))
        if a.n_i.size != b.n_i.size:
            raise ValueError(
                f"A has {a.n_i.size:,} columns and B has {b.n_i.size:,}: give terms= and terms_b= to align them"
            )
        return a, b, names_a
    union: NDArray[np.object_] = np.array(sorted({*names_a.tolist(), *names_b.tolist()}), dtype=np.object_)
    laid = [
        laid_onto(x if isinstance(x, TermStatistics) else TermStatistics.from_counts(x, names, "patterns"), union)
        for x, names in ((first, names_a), (second, names_b))
    ]
    return term_cells(laid[0]), term_cells(laid[1]), union


def _check_same_words(A: Any, B: Any) -> None:
    """Refuse to compare counts of other words: every difference of the rule would look like a difference."""
    a, b = (one if isinstance(one, TermStatistics) else counted_corpus(one) for one in (A, B))
    rules = [None if one is None else one.counting for one in (a, b)]
    if None not in rules and rules[0] != rules[1]:
        raise ValueError(
            f"A was counted with other options (words: {words_of(rules[0])}) than B (words: {words_of(rules[1])}); "
            "count both with the same options"
        )


def named_counts(corpus: Any, terms: Any, which: str) -> tuple[Any, NDArray[np.object_] | None]:
    """Canonical counts, or statistics with patterns; and the names of their terms."""
    if not isinstance(corpus, TermStatistics):
        counts = canonical_counts(corpus)
        return counts, named_terms(corpus, terms, counts.shape[1], which)
    if corpus.rows is None or corpus.rows.length is None:
        raise ValueError(
            f"{which} has statistics without the patterns that keyness needs: build them with "
            + named("detail", "patterns")
        )
    names = named_terms(corpus, terms, corpus.vocabulary_size, which)
    return (corpus if corpus.terms is not None else replace(corpus, terms=names)), names


def out_of_reach(least_p: Any, adjust: str = "bh", clusters: int | None = None) -> str | None:
    """Why no word could be significant by itself after the adjustment, if that is so.

    The k-th smallest p must be small for q ≤ 5 %, and the first one smallest. If m words can have a p as small as l,
    and l is above what rank 1 needs among m, the first word cannot be significant, whatever its counts.

    Parameters
    ----------
    least_p : the smallest p that each tested word could have
    adjust : how p is adjusted
    clusters : if their random signs set a limit to p, which is 2 to the power of minus their number

    Examples
    --------
    >>> print(out_of_reach([2**-11] * 12_762, clusters=11))
    with 11 clusters no p is below 0.00049, so no word can be significant by itself among the 12,762 that are tested (q ≤ 0.05); at least 18 clusters would be needed
    >>> print(out_of_reach([0.02, 0.02, 0.02, 0.1]))
    with so few documents no p is below 0.02, so no word can be significant by itself among the 3 that could have such a p (q ≤ 0.05); more documents would be needed
    >>> print(out_of_reach([0.02, 0.0]))  # not known for one of them, so perhaps
    None
    """  # noqa: E501  # lines of output
    least, number = np.unique(np.asarray(least_p, np.float64), return_counts=True)
    if not least.size or not least[0] > 0:
        return None
    able = np.cumsum(number)
    needed = np.array([critical(adjust, LEVEL, np.ones(1), round(m))[0] for m in able])
    if (least <= needed).any():
        return None
    by_signs = clusters is not None and least[0] <= 0.5**clusters * (1 + 1e-9)
    few, what = (f"{clusters:,} clusters", "clusters") if by_signs else ("so few documents", "documents")
    among = f"{round(able[0]):,} that {'are tested' if by_signs and able[0] == able[-1] else 'could have such a p'}"
    at_least = f"at least {math.ceil(-math.log2(needed[0]))} {what}" if by_signs else f"more {what}"
    return (
        f"with {few} no p is below {least[0]:.2g}, so no word can be significant by itself among the {among} "
        f"(q ≤ {LEVEL}); {at_least} would be needed"
    )


def table_out_of_reach(table: pl.DataFrame, adjust: str = "bh", clusters: int | None = None) -> str | None:
    """`never_significant` of a table of a comparison; each contrast is a family of tests."""
    if "least_p" not in table.columns:
        return None
    p_value, q_value, least = (
        table[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in ("p_value", "q_value", "least_p")
    )
    family = table["contrast"].rank("dense").to_numpy() if "contrast" in table.columns else None
    return never_significant(p_value, q_value, least, adjust, clusters, family)


def never_significant(
    p_value: Any, q_value: Any, least_p: Any, adjust: str = "bh", clusters: int | None = None, family: Any = None
) -> str | None:
    """`out_of_reach` of all tests, each in its *family*, if none is significant; NaN where nothing was tested."""
    if (q_value <= LEVEL).any():
        return None
    # A word whose p can only be 1 is no test, and does not count among those that could be significant.
    tested = (p_value <= 1) & (least_p < 1)
    family = np.zeros(tested.size) if family is None else np.asarray(family)
    found = [out_of_reach(least_p[tested & (family == one)], adjust, clusters) for one in np.unique(family)]
    return found[0] if found and all(found) else None


def small_strata(sizes: Any, name: str) -> str | None:
    """Why `strata=` does not hold, if many strata have too few documents: *sizes* has how many each has.

    Each stratum has a parameter of its own, and with few documents for each, the fit takes too much of the variation for
    differences of strata (Neyman & Scott 1948, Econometrica 16).

    Examples
    --------
    >>> print(small_strata([2] * 20, "pair"))
    the strata of 'pair' have 2 documents each on average, but from 15 on p holds: with fewer, p is too small and intervals are too short; merge strata, or leave strata= out
    >>> print(small_strata([12, 19, 15, 16, 19], "decade"))
    None
    """  # noqa: E501  # a line of output
    sizes = np.asarray(sizes, np.float64)
    if sizes.size <= FEW_STRATA or sizes.mean() >= FEWEST_IN_STRATUM:
        return None
    return (
        f"the strata of {name!r:.60} have {sizes.mean():.2g} documents each on average, but from {FEWEST_IN_STRATUM} "
        "on p holds: with fewer, p is too small and intervals are too short; merge strata, or leave strata= out"
    )


def strata_of_cells(covariates: pl.DataFrame, documents: Any, strata: str) -> str | None:
    """`small_strata` of documents that are given as cells: one row of *covariates* and a number of *documents* each."""
    counted = covariates.select(strata).with_columns(documents=np.asarray(documents, np.int64))
    return small_strata(counted.group_by(strata).sum()["documents"], strata)


def divided_clusters(metadata: pl.DataFrame, columns: Sequence[str], cluster: str) -> str | None:
    """Why `cluster=` finds little, if most clusters have several values of a category of the formula.

    Examples
    --------
    >>> import polars as pl
    >>> both = pl.DataFrame({"side": ["a", "b"] * 4, "pair": [1, 1, 2, 2, 3, 3, 4, 4]})
    >>> print(divided_clusters(both, ["side"], "pair"))
    4 of 4 clusters of 'pair' have several values of side: cluster= does not compare within a cluster, and finds few of the differences in such pairs; strata='pair' is no way out, since its p is too small with few documents in a stratum
    >>> print(divided_clusters(both, ["side"], "side"))
    None
    """  # noqa: E501  # a line of output
    kinds = metadata.schema
    others = [
        name for name in columns if name != cluster and not (kinds[name].is_numeric() or kinds[name].is_temporal())
    ]
    if not others:
        return None
    values = metadata.group_by(pl.col(cluster).cast(pl.String)).agg(pl.struct(others).n_unique().alias("values"))
    several = int((values["values"] > 1).sum())
    if several < MANY * values.height:
        return None
    return (
        f"{several:,} of {values.height:,} clusters of {cluster!r:.60} have several values of {', '.join(others)}: "
        "cluster= does not compare within a cluster, and finds few of the differences in such pairs; "
        f"strata={cluster!r:.60} is no way out, since its p is too small with few documents in a stratum"
    )


def design_notes(metadata: pl.DataFrame, columns: Sequence[str], cluster: str | None, strata: str | None) -> list[str]:
    """The sentences about the clusters and strata of documents, of which *metadata* has one row each."""
    found = []
    if cluster is not None:
        found.append(divided_clusters(metadata, columns, cluster))
    if strata is not None:
        found.append(small_strata(metadata[strata].value_counts()["count"], strata))
    return [one for one in found if one is not None]


def warn_of(notes: Iterable[str | None], stacklevel: int = 2) -> None:
    """Give each sentence as a warning."""
    for one in notes:
        if one is not None:
            warnings.warn(one, stacklevel=stacklevel + 1)
