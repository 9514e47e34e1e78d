"""`termburst keyness --formula`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from termburst.cli.corpora import corpus_of
from termburst.cli.keyness_groups import named_groups
from termburst.cli.output import many
from termburst.cli.reading import Reading, working
from termburst.display import printable
from termburst.reading.conditions import CONDITION, is_condition

if TYPE_CHECKING:
    import polars as pl

    from termburst.corpus import Corpus

_LARGEST = 5  # clusters, or groups, that are named

FormulaOption = Annotated[
    str | None, typer.Option("--formula", help="Columns of A that words may depend on, such as 'party + year'.")
]
ClusterOption = Annotated[
    str | None, typer.Option("--cluster", help="Column of A: documents with the same value may depend on each other.")
]
StrataOption = Annotated[
    str | None, typer.Option("--strata", help="Column of A: compare only documents with the same value.")
]
ContrastOption = Annotated[
    list[str] | None, typer.Option("--contrast", help="Two values to compare, such as 'party: D - R'; may be repeated.")
]


def settled_formula(b: str | None, by: str | None, formula: str | None, design: dict[str, Any]) -> str | None:
    """The formula of a comparison; None if there is none. With clusters or strata, the column of --by is a formula."""
    if formula is None and not any(design.values()):
        return None
    if formula is not None and (b is not None or by is not None):
        raise ValueError("give two corpora, A and B; or one corpus and --by COLUMN; or one and --formula")
    if b is not None or (by is None and formula is None):
        raise ValueError("--cluster, --strata and --contrast go with --by or --formula, and not with two corpora")
    by = CONDITION if is_condition(by) else str(by)
    return formula if formula is not None else by if by.isidentifier() else f"`{by}`"


def compare_by_formula(
    corpus: str,
    reading: Reading,
    formula: str,
    design: dict[str, Any],
    options: dict[str, Any],
    by: str | None = None,
    groups: list[str] | None = None,
) -> tuple[pl.DataFrame, list[str], list[str], Corpus]:
    """The table of `keyness_design`, the lines above it, the names of its sides if there are just two, and the corpus.

    *by* and *groups* are the options of these names.
    """
    from termburst.questions.designs import keyness_design
    from termburst.questions.formula_text import named_columns

    if options["method"] != "beta-binomial":
        raise ValueError(f"--formula, --cluster and --strata have no --method {options['method']}; omit it")
    columns = named_columns(formula)  # before the corpus is read: a formula may be wrong
    read = _read(corpus, reading)
    if (only := named_groups(by, groups)) is not None:
        read = _with_values(read, *only)
    if by is not None and is_condition(by):
        read = _with_sides(read, by)
    common = {name: value for name, value in options.items() if name != "method"}
    with working("Comparing"):
        table = keyness_design(read, formula, **design, **common)
    title = [f"{by or formula}, {many(len(read), 'document')}"]
    if design["cluster"] is not None:
        title[0] = f"{title[0]}; {in_words(table, design['cluster'])}"
        title.append(clusters_in_words(read.metadata, design["cluster"], columns, table))
    names = _sides(table, read.metadata, columns)
    if columns == [CONDITION]:
        from termburst.corpus.condition_groups import with_conditions_shown

        table = with_conditions_shown(table)
    return table, title, names, read


def _sides(table: pl.DataFrame, metadata: pl.DataFrame, columns: list[str]) -> list[str]:
    """The two values that a table with one contrast compares, in its order; otherwise none."""
    levels, found = _levels(metadata, columns), table["contrast"].unique().to_list()
    pairs = [levels, levels[::-1]] if len(levels) == 2 and len(found) == 1 else []
    return next((pair for pair in pairs if found[0] == f"{columns[0]}: {' - '.join(pair)}"), [])


def clusters_in_words(metadata: pl.DataFrame, cluster: str, columns: list[str], table: pl.DataFrame) -> str:
    """How many clusters there are and which are the largest; those that the columns of the formula divide.

    Namesakes are one cluster, and the number of documents shows it.

    Examples
    --------
    >>> import polars as pl
    >>> about = pl.DataFrame({"who": ["Adams", "Adams", "Polk", "Bush"], "era": ["early", "late", "early", "late"]})
    >>> tested = pl.DataFrame({"p_method": ["random signs of clusters"]})
    >>> print(clusters_in_words(about, "who", ["era"], tested))
    3 clusters by who (2 in early, 2 in late); the largest: Adams, 2 documents. Adams is in both, so p is by random signs of clusters.
    >>> print(clusters_in_words(about[1:], "who", ["era"], pl.DataFrame({"p_method": ["clusters, chi2"]})))
    3 clusters by who (1 in early, 2 in late), each one document. The documents of a cluster are counted as one.
    """  # noqa: E501  # a line of output
    import polars as pl

    sizes = metadata[cluster].cast(pl.String).value_counts(sort=True).sort("count", cluster, descending=[True, False])
    said = f"{many(sizes.height, 'cluster')} by {printable(cluster)}"
    levels = _levels(metadata, columns)
    within = metadata.group_by(pl.col(cluster).cast(pl.String)).agg(pl.struct(columns).n_unique().alias("values"))
    if levels:
        parts = (metadata.filter(pl.col(columns[0]) == level)[cluster].n_unique() for level in levels)
        said += f" ({', '.join(f'{n:,} in {printable(one)}' for n, one in zip(parts, levels, strict=True))})"
    several = [(printable(name), size) for name, size in sizes.head(_LARGEST).rows() if size > 1]
    (first, most), *others = several or [("", 0)]
    named = ", ".join([f"{first}, {many(most, 'document')}", *(f"{name} {size:,}" for name, size in others)])
    said += f"; the largest: {named}." if most else ", each one document."
    divided = sorted(within.filter(pl.col("values") > 1)[cluster].to_list())
    if divided and "random signs of clusters" in table["p_method"]:
        is_one = len(divided) == 1
        names = ", ".join(map(printable, divided[:_LARGEST])) + (" and others" if len(divided) > _LARGEST else "")
        where = ("is in" if is_one else "are in") + (" both" if len(levels) == 2 else " several groups")
        if not levels:
            where = f"{'has' if is_one else 'have'} several values of {', '.join(columns)}"
        return f"{said} {names} {where}, so p is by random signs of clusters."
    return f"{said} The documents of a cluster are counted as one."


def _levels(metadata: pl.DataFrame, columns: list[str]) -> list[str]:
    """The values of the groups that are compared, if the formula is one category of few values; otherwise none."""
    if len(columns) != 1 or metadata[columns[0]].dtype.is_numeric() or metadata[columns[0]].dtype.is_temporal():
        return []
    levels = [str(one) for one in metadata[columns[0]].unique().sort().to_list()]
    return levels if len(levels) <= _LARGEST else []


def in_words(table: pl.DataFrame, cluster: str) -> str:
    """How much of the evidence was the cluster's, in words.

    Examples
    --------
    >>> import polars as pl
    >>> in_words(pl.DataFrame({"p_value": [0.01, 0.2, None], "p_documents": [0.001, 0.01, None]}), "speaker")
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


def _with_values(corpus: Corpus, column: str, values: list[str]) -> Corpus:
    """The documents with one of some values of a column; a number is compared as it is written."""
    import polars as pl

    from termburst.corpus.metadata import as_levels, chosen_values

    written = corpus.metadata.select(pl.col(column).cast(pl.String)) if column in corpus.metadata.columns else None
    chosen = chosen_values(corpus.metadata if written is None else written, column, values)
    part = corpus.where(pl.col(column).cast(pl.String).is_in(chosen))
    return part.with_metadata({column: as_levels(part.metadata[column].cast(pl.String), chosen)})


def _with_sides(corpus: Corpus, condition: str) -> Corpus:
    """The corpus with one more column, which says of each document whether it meets a condition."""
    from termburst.corpus.condition_groups import sides

    return corpus.with_metadata({CONDITION: sides(corpus.metadata, condition)})


def _read(corpus: str, reading: Reading) -> Corpus:
    """The corpus with its metadata, read and counted with the options of the command line."""
    from termburst.cli.saved import is_saved

    if corpus == "-":
        raise ValueError("standard input has no columns; give a file with --formula")
    if is_saved(corpus):
        raise ValueError(f"{corpus} is saved statistics, which have no documents; give the corpus itself")
    return corpus_of(reading, corpus)
