"""A comparison by a formula as a plain dict: everything that its page shows, ready to write as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from termburst.display import FREQUENT, LINES, MOST_TERMS, PANELS
from termburst.forks import check_fork
from termburst.inference.checks import checked_whole
from termburst.messages import named
from termburst.questions.compared import design_notes, table_out_of_reach
from termburst.questions.formula_text import named_columns
from termburst.reading.conditions import CONDITION, both_sides, is_condition
from termburst.report.pieces import (
    SMALLEST_LOG10_P,
    SURE,
    Dict,
    columns_of,
    counting_of,
    documents_of,
    heading,
    reading_of,
    statistics_of,
)
from termburst.report.summarize_keyness import side_panels, side_summary

if TYPE_CHECKING:
    import polars as pl

_COLUMNS = (
    "term", "group", "n", "b", "log_ratio", "log_ratio_unadjusted", "ci_low", "ci_high", "lower_bound", "only_in",
    "only_unadjusted", "frequent", "log10_p", "log10_q", "log10_p_documents", "p_method", "status",
)  # fmt: skip
_NEEDED = {"term", "contrast", "log_ratio", "log_ratio_unadjusted", "q_value", "status"}


def summarize_design(
    table: pl.DataFrame,
    corpus: Any,
    formula: str,
    *,
    cluster: str | None = None,
    strata: str | None = None,
    title: str = "comparison",
    settings: Dict | None = None,
    panels: int = PANELS,
    max_terms: int = MOST_TERMS,
    examples: int = LINES,
) -> Dict:
    """Everything that the page about a design shows, as a dict of plain values: numbers, text, lists, None.

    Parameters
    ----------
    table : the frame of `termburst.keyness_design`
    corpus : Corpus, CountedCorpus or TermStatistics
        The documents. Statistics do not keep them: panels do not show where a term occurs.
    formula, cluster, strata : as for the table; the page says in words what they mean
    settings, panels, max_terms, examples : see `summarize_keyness`

    Returns
    -------
    dict
        As that of `summarize_keyness`, with one side, all documents; and design: its formula, sentences about it, and
        its contrasts, each with the names of its two sides (None for the slope of a number), how many terms were tested
        and how many differ. The column "group" of terms is the contrast.

    Examples
    --------
    >>> import termburst as tb
    >>> who = {"who": ["x"] * 12 + ["y"] * 12}
    >>> corpus = tb.read(["ha ha so", "ha so"] * 6 + ["so it goes", "so so"] * 6, metadata=who)
    >>> found = summarize_design(tb.keyness_design(corpus, "who"), corpus, "who")
    >>> found["terms"]["term"][0], found["design"]["contrasts"][0]["sides"]
    ('ha', ['x', 'y'])
    """
    import polars as pl

    check_fork()
    panels, max_terms = checked_whole("panels", panels), checked_whole("max_terms", max_terms, least=1)
    examples = checked_whole("examples", examples)
    if not isinstance(table, pl.DataFrame) or not set(table.columns) >= _NEEDED:
        raise ValueError("table must be the frame of tb.keyness_design")
    if not table.height:
        raise ValueError(f"{title}: no term occurs often enough to compare; lower " + named("min_count", bare=True))
    held = documents_of(corpus)
    table = _for_the_page(table)
    notes = _notes(table, corpus, formula, cluster, strata, (settings or {}).get("adjust", "bh"))
    if formula == CONDITION:
        formula = next(iter(_conditions(str(table["group"][0]))), formula)
    listed = table.head(min(max_terms, table.height))
    terms = listed["term"].unique(maintain_order=True).head(panels).to_list()
    return {
        **heading("keyness", title),
        "settings": {"counting": counting_of(held), **(settings or {})},
        "reading": reading_of([corpus]),
        "overview": {"tested": table.height, "sure": int((table["q_value"] <= SURE).sum())},
        "notes": notes,
        "design": {
            "formula": formula,
            "about": design_in_words(formula, cluster, strata),
            "contrasts": [
                _contrast(str(name), rows, corpus) for (name,), rows in table.group_by("group", maintain_order=True)
            ],
        },
        "sides": [side_summary("all documents", statistics_of(held), held, corpus)],
        "terms": columns_of(listed, [name for name in _COLUMNS if name in table.columns]),
        **side_panels(terms, {"all documents": held}, examples),
    }


def _notes(
    table: pl.DataFrame, corpus: Any, formula: str, cluster: str | None, strata: str | None, adjust: str
) -> list[str]:
    """The sentences on what the design cannot find, and where its p-values do not hold."""
    metadata = getattr(corpus, "metadata", None)
    found: list[str] = []
    clusters = None
    if metadata is not None and {cluster, strata} - {None} <= {*metadata.columns}:
        columns = [name for name in named_columns(formula) if name in metadata.columns]
        found = design_notes(metadata, columns, cluster, strata)
        clusters = None if cluster is None else metadata[cluster].n_unique()
    reach = table_out_of_reach(table, adjust, clusters)
    return found if reach is None else [*found, reach]


def _for_the_page(table: pl.DataFrame) -> pl.DataFrame:
    """The table with logarithms of p and q, and with the side that alone has a term if its ratio is infinite."""
    import polars as pl

    def infinite(name: str) -> pl.Expr:
        above = pl.when(pl.col(name) == float("inf")).then(pl.lit("a"))
        return above.when(pl.col(name) == float("-inf")).then(pl.lit("b"))

    rates = [pl.col(name) for name in ("per_million_a", "per_million_b") if name in table.columns]
    logs = {"log10_p": "p_value", "log10_q": "q_value", "log10_p_documents": "p_documents"}
    return table.with_columns(
        pl.col("term").cast(pl.String),
        pl.col("contrast").cast(pl.String).alias("group"),
        only_in=infinite("log_ratio"),
        only_unadjusted=infinite("log_ratio_unadjusted"),
        frequent=pl.max_horizontal(*rates).fill_null(0.0) > FREQUENT if rates else pl.lit(False),
        **{
            new: pl.col(old).log10().clip(lower_bound=SMALLEST_LOG10_P)
            for new, old in logs.items()
            if old in table.columns
        },
    )


def _conditions(contrast: str) -> list[str]:
    """The two sides of a contrast of a condition and its opposite; nothing if it is another contrast.

    >>> _conditions("year >= 1945 - year < 1945"), _conditions("year")
    (['year >= 1945', 'year < 1945'], [])
    """
    parts = contrast.split(" - ")
    cuts = [(" - ".join(parts[:k]), " - ".join(parts[k:])) for k in range(1, len(parts))]
    return next((list(cut) for cut in cuts if is_condition(cut[0]) and both_sides(cut[0]) == cut), [])


def _contrast(name: str, rows: pl.DataFrame, corpus: Any) -> Dict:
    """One contrast: its name, column and two values, how many terms say something about it, and how many differ."""
    conditions = _conditions(name)
    column, colon, values = ("", ": ", "") if conditions else name.partition(": ")
    sides = conditions or values.split(" - ")
    if colon and len(sides) != 2:  # a value has " - " in it
        known = getattr(corpus, "metadata", None)
        held = set() if known is None or column not in known.columns else set(map(str, known[column]))
        cuts = [(" - ".join(sides[:k]), " - ".join(sides[k:])) for k in range(1, len(sides))]
        sides = next((list(cut) for cut in cuts if held.issuperset(cut)), ["the first value", "the second value"])
    return {
        "name": name,
        "column": column,
        "sides": sides if colon else None,
        "tested": int((rows["status"] != "undetermined").sum()),
        "sure": int((rows["q_value"] <= SURE).sum()),
    }


def design_in_words(formula: str, cluster: str | None, strata: str | None) -> list[str]:
    """What a design means, in sentences.

    Examples
    --------
    >>> first, *_, last = design_in_words("party + year", "speaker", None)
    >>> print(first)
    The formula is party + year: how often a word is used may depend on each of its parts.
    >>> print(last)
    Documents with the same speaker may depend on each other: p, q and intervals allow for that.
    """
    found = [
        f"The formula is {formula}: how often a word is used may depend on each of its parts.",
        "A ratio compares two values of one column, with all other columns of the formula equal. The unadjusted ratio "
        "leaves the other columns out.",
    ]
    if strata is not None:
        found.append(f"Only documents with the same {strata} are compared with each other.")
    if cluster is not None:
        found.append(f"Documents with the same {cluster} may depend on each other: p, q and intervals allow for that.")
    return found
