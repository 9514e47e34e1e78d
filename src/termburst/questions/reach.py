"""What a comparison cannot find, and where its p-values do not hold: the same sentences wherever it is asked."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.inference.multiplicity import critical

if TYPE_CHECKING:
    import polars as pl

LEVEL = 0.05  # q up to this is significant
FEWEST_IN_STRATUM = 15  # documents of a stratum on average from which on p holds: benchmarks/designs.py --parts strata
FEW_STRATA = 4  # strata up to which p holds however few documents each has
MANY = 0.5  # share of clusters with documents on both sides, from which on a design is taken for a paired one


def out_of_reach(least_p: Any, adjust: str = "bh", clusters: int | None = None, numbers: Any = None) -> str | None:
    """Why no word could be significant by itself after the adjustment, if that is so.

    The k-th smallest p must be small for q ≤ 5 %, and the first one smallest. If m words can have a p as small as l,
    and l is above what rank 1 needs among m, the first word cannot be significant, whatever its counts.

    Parameters
    ----------
    least_p : the smallest p that each tested word could have
    adjust : how p is adjusted
    clusters : if their random signs set a limit to p, which is 2 to the power of minus their number
    numbers : how many words have each least_p, if there are several

    Examples
    --------
    >>> print(out_of_reach([2**-11] * 12_762, clusters=11))
    with 11 clusters no p is below 0.00049, so no word can be significant by itself among the 12,762 that are tested (q ≤ 0.05); at least 18 clusters would be needed
    >>> print(out_of_reach([0.02, 0.02, 0.02, 0.1]))
    with so few documents no p is below 0.02, so no word can be significant by itself among the 3 that could have such a p (q ≤ 0.05); more documents would be needed
    >>> print(out_of_reach([0.02, 0.0]))  # not known for one of them, so perhaps
    None
    """  # noqa: E501  # lines of output
    least, place = np.unique(np.asarray(least_p, np.float64), return_inverse=True)
    number = np.bincount(place, None if numbers is None else np.asarray(numbers, np.float64), least.size)
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
    import polars as pl

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
    import polars as pl

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
