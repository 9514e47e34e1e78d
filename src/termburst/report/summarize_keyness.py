"""A comparison, of corpora or by a formula, as a plain dict: everything that its page shows, ready to write as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from termburst.counting.counted_corpus import CountedCorpus
from termburst.display import FREQUENT, LINES, MOST_TERMS, PANELS
from termburst.forks import check_fork
from termburst.inference.checks import checked_whole
from termburst.messages import named
from termburst.questions.compared import design_notes, table_out_of_reach
from termburst.questions.formula_text import named_columns
from termburst.reading.conditions import CONDITION, both_sides, is_condition
from termburst.report import pieces
from termburst.report.occurrences import term_panels
from termburst.report.pieces import SURE, Dict
from termburst.statistics.term_statistics import as_statistics

_COLUMNS = (
    "term", "group", "n_a", "n_b", "b_a", "b_b", "log_ratio", "ci_low", "ci_high", "lower_bound", "only_in", "log10_p",
    "log10_q", "p_method",
)  # fmt: skip
_OF_DESIGN = (
    "term", "group", "n", "b", "log_ratio", "log_ratio_unadjusted", "ci_low", "ci_high", "lower_bound", "only_in",
    "only_unadjusted", "frequent", "log10_p", "log10_q", "log10_p_documents", "p_method", "status",
)  # fmt: skip


def summarize_keyness(
    table: pl.DataFrame,
    sides: Mapping[str, Any],
    *,
    formula: str | None = None,
    cluster: str | None = None,
    strata: str | None = None,
    title: str = "comparison",
    settings: Dict | None = None,
    panels: int = PANELS,
    max_terms: int = MOST_TERMS,
    examples: int = LINES,
) -> Dict:
    """Everything that the page about a comparison shows, as a dict of plain values: numbers, text, lists, None.

    Parameters
    ----------
    table : the frame of `termburst.keyness`, also by groups with contrasts, or with a formula
    sides : name → Corpus, CountedCorpus or TermStatistics
        Two in the order A, B; or all groups; with a formula one, all documents. Statistics do not keep documents:
        panels do not show where a term occurs.
    formula, cluster, strata : as for the table; the page says in words what they mean
    settings : how the table was made; the page shows it
    panels : how many terms, in the order of the table, get a panel
    max_terms : how many rows of the table are shown
    examples : at most how many example lines a term has

    Returns
    -------
    dict
        title, kind ("keyness"), termburst (the version), settings, reading (source and lines of each reading report, if
        files were read), sides (each with its size), overview, notes (sentences on what cannot be found), terms (a dict
        of columns, in the order of *table*), panels. A term that only A has: log_ratio None, only_in "a". p-values
        below 1e-307 have log10_p −307. With a formula also design: the formula, sentences about it, and its contrasts,
        each with the names of its two sides (None for the slope of a number), how many terms were tested and how many
        differ. The column "group" of terms is then the contrast.

    Examples
    --------
    >>> import termburst as tb
    >>> a, b = (CountedCorpus.from_texts(texts) for texts in (["ha ha so"] * 6, ["so it goes", "on and on so"] * 4))
    >>> table = tb.keyness(a.counts, b.counts, terms=a.terms, terms_b=b.terms)
    >>> found = summarize_keyness(table, {"clown": a, "crowd": b})
    >>> found["terms"]["term"][0], found["terms"]["only_in"][0], found["panels"][0]["sides"][0]["occurrences"][:3]
    ('ha', 'a', [2, 2, 2])
    >>> who = {"who": ["x"] * 12 + ["y"] * 12}
    >>> corpus = tb.read(["ha ha so", "ha so"] * 6 + ["so it goes", "so so"] * 6, metadata=who)
    >>> found = summarize_keyness(tb.keyness(corpus, formula="who"), {"all documents": corpus}, formula="who")
    >>> found["terms"]["term"][0], found["design"]["contrasts"][0]["sides"]
    ('ha', ['x', 'y'])
    """
    check_fork()
    needed = {"term", "log_ratio", "q_value"} if formula is None else {"contrast", "log_ratio_unadjusted", "status"}
    if not isinstance(table, pl.DataFrame) or not needed <= set(table.columns):
        which = "tb.keyness, of groups with contrasts=True" if formula is None else "tb.keyness(formula=)"
        raise ValueError(f"table must be the frame of {which}")
    if not table.height:
        raise ValueError(f"{title}: no term occurs often enough to compare; lower " + named("min_count", bare=True))
    panels, max_terms = checked_whole("panels", panels), checked_whole("max_terms", max_terms, least=1)
    examples = checked_whole("examples", examples)
    if (len(sides) < 2) is (formula is None):
        raise ValueError(
            "a comparison needs at least two sides, one with a formula; give each a name, and its counted corpus or "
            "statistics"
        )
    given, sides = sides, {name: pieces.documents_of(side) for name, side in sides.items()}
    settings = {"counting": pieces.counting_of(next(iter(sides.values()))), **(settings or {})}
    adjust, design = settings.get("adjust", "bh"), {}
    if formula is None:
        reach = table_out_of_reach(table, adjust)
        notes = [] if reach is None else [reach]
    else:
        (corpus,) = given.values()
        table = table.with_columns(group=table["contrast"].cast(pl.String))
        notes = _notes(table, corpus, formula, cluster, strata, adjust)
        design = {"design": _design(table, corpus, formula, cluster, strata)}
    columns = _COLUMNS if formula is None else _OF_DESIGN
    listed = _for_the_page(table.head(max_terms))
    terms = listed["term"].unique(maintain_order=True).head(panels).to_list()
    return {
        **pieces.heading("keyness", title),
        "settings": settings,
        "reading": pieces.reading_of(given.values()),
        "notes": notes,
        **design,
        "sides": [side_summary(name, side, given[name]) for name, side in sides.items()],
        "overview": {"tested": table.height, "sure": int((table["q_value"] <= SURE).sum())},
        "terms": pieces.columns_of(listed, [name for name in columns if name in listed.columns]),
        **side_panels(terms, sides, examples),
    }


def side_summary(name: str, held: Any, given: Any) -> Dict:
    """The size of one side, and the columns along which its documents can be laid out."""
    statistics = as_statistics(held, "frequencies")
    return {
        "name": name,
        "has_documents": isinstance(held, CountedCorpus),
        "axes": pieces.axes_of(given),
        "documents": statistics.documents,
        "tokens": statistics.tokens,
        "terms": int((statistics.collection_frequency > 0).sum()),
        "lengths": pieces.length_summary(statistics),
    }


def side_panels(terms: list[str], sides: Mapping[str, Any], lines: int) -> Dict:
    """Where each term occurs on each side, and the ids of the documents, in the order of the sides."""
    places, each = max(pieces.PLACES // len(sides), 5), -(-lines // len(sides))
    panels: list[Dict] = [{"term": term, "sides": []} for term in terms]
    names: list[Dict] = []
    for side in sides.values():
        if isinstance(side, CountedCorpus):
            shown = term_panels(side, terms, places, each)
            names.append(pieces.document_names(side, shown))
        else:
            shown = [{"places": [], "occurrences": [], "lines": []}] * len(terms)
            names.append({})
        for panel, more in zip(panels, shown, strict=True):
            panel["sides"].append(more)
    return {"panels": panels, "documents": names}


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

    def infinite(name: str) -> pl.Expr:
        above = pl.when(pl.col(name) == float("inf")).then(pl.lit("a"))
        return above.when(pl.col(name) == float("-inf")).then(pl.lit("b"))

    def log10(name: str) -> pl.Expr:
        return pl.col(name).log10().clip(lower_bound=pieces.SMALLEST_LOG10_P)

    made = {
        "only_in": ("log_ratio", infinite), "only_unadjusted": ("log_ratio_unadjusted", infinite),
        "log10_p": ("p_value", log10), "log10_q": ("q_value", log10), "log10_p_documents": ("p_documents", log10),
    }  # fmt: skip
    shown = {new: make(old) for new, (old, make) in made.items() if old in table.columns}
    if "contrast" in table.columns:
        rates = [name for name in ("per_million_a", "per_million_b") if name in table.columns]
        shown["frequent"] = pl.max_horizontal(*rates).fill_null(0.0) > FREQUENT if rates else pl.lit(False)
    return table.with_columns(pl.col("term").cast(pl.String), **shown)


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


def _design(table: pl.DataFrame, corpus: Any, formula: str, cluster: str | None, strata: str | None) -> Dict:
    """The formula, what it means in sentences, and its contrasts."""
    if formula == CONDITION:
        formula = next(iter(_conditions(str(table["group"][0]))), formula)
    about = [
        f"The formula is {formula}: how often a word is used may depend on each of its parts.",
        "A ratio compares two values of one column, with all other columns of the formula equal. The unadjusted ratio "
        "leaves the other columns out.",
    ]
    if strata is not None:
        about.append(f"Only documents with the same {strata} are compared with each other.")
    if cluster is not None:
        about.append(f"Documents with the same {cluster} may depend on each other: p, q and intervals allow for that.")
    groups = table.group_by("group", maintain_order=True)
    contrasts = [_contrast(str(name), rows, corpus) for (name,), rows in groups]
    return {"formula": formula, "about": about, "contrasts": contrasts}
