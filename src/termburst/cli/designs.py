"""`termburst keyness --formula`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from termburst.cli.corpora import corpus_of
from termburst.cli.output import many
from termburst.cli.reading import Reading, working

if TYPE_CHECKING:
    import polars as pl

    from termburst.corpus import Corpus

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
    return formula if formula is not None else str(by) if str(by).isidentifier() else f"`{by}`"


def compare_by_formula(
    corpus: str,
    reading: Reading,
    formula: str,
    design: dict[str, Any],
    options: dict[str, Any],
    only: tuple[str, list[str]] | None = None,
) -> tuple[pl.DataFrame, str, Corpus]:
    """The table of `keyness_design`, the line above it, and the corpus; *only* is a column and values to compare."""
    from termburst.tables import keyness_design

    if options["method"] != "beta-binomial":
        raise ValueError(f"--formula, --cluster and --strata have no --method {options['method']}; omit it")
    read = _read(corpus, reading)
    if only is not None:
        read = _with_values(read, *only)
    common = {name: value for name, value in options.items() if name != "method"}
    with working("Comparing"):
        table = keyness_design(read, formula, **design, **common)
    title = f"{formula}, {many(len(read), 'document')}"
    if design["cluster"] is not None:
        title = f"{title}; {in_words(table, design['cluster'])}"
    return table, title, read


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

    from termburst.corpus.metadata import chosen_values

    written = corpus.metadata.select(pl.col(column).cast(pl.String)) if column in corpus.metadata.columns else None
    chosen = chosen_values(corpus.metadata if written is None else written, column, values)
    return corpus.where(pl.col(column).cast(pl.String).is_in(chosen))


def _read(corpus: str, reading: Reading) -> Corpus:
    """The corpus with its metadata, read and counted with the options of the command line."""
    from termburst.statistics.store import holds_statistics

    if corpus == "-":
        raise ValueError("standard input has no columns; give a file with --formula")
    if holds_statistics(corpus):
        raise ValueError(f"{corpus} is saved statistics, which have no documents; give the corpus itself")
    return corpus_of(reading, corpus)
