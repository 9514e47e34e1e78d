"""A comparison of corpora as a plain dict: everything that its page shows, ready to write as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from termburst.counting.counted_corpus import CountedCorpus
from termburst.display import LINES, MOST_TERMS, PANELS
from termburst.forks import check_fork
from termburst.inference.checks import checked_whole
from termburst.messages import named
from termburst.questions.compared import table_out_of_reach
from termburst.report.occurrences import term_panels
from termburst.report.pieces import (
    PLACES,
    SMALLEST_LOG10_P,
    SURE,
    Dict,
    axes_of,
    columns_of,
    counting_of,
    document_names,
    documents_of,
    heading,
    length_summary,
    reading_of,
    statistics_of,
)
from termburst.statistics.term_statistics import TermStatistics

if TYPE_CHECKING:
    import polars as pl

_COLUMNS = (
    "term", "group", "n_a", "n_b", "b_a", "b_b", "log_ratio", "ci_low", "ci_high", "lower_bound", "only_in", "log10_p",
    "log10_q", "p_method",
)  # fmt: skip


def summarize_keyness(
    table: pl.DataFrame,
    sides: Mapping[str, Any],
    *,
    title: str = "comparison",
    settings: Dict | None = None,
    panels: int = PANELS,
    max_terms: int = MOST_TERMS,
    examples: int = LINES,
) -> Dict:
    """Everything that the page about a comparison shows, as a dict of plain values: numbers, text, lists, None.

    Parameters
    ----------
    table : the frame of `termburst.keyness`, or of `termburst.keyness_groups` with contrasts=True
    sides : name → Corpus, CountedCorpus or TermStatistics
        Two in the order A, B; or all groups. Statistics do not keep documents: panels do not show where a term occurs.
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
        below 1e-307 have log10_p −307.

    Examples
    --------
    >>> import termburst as tb
    >>> a, b = (CountedCorpus.from_texts(texts) for texts in (["ha ha so"] * 6, ["so it goes", "on and on so"] * 4))
    >>> table = tb.keyness(a.counts, b.counts, terms=a.terms, terms_b=b.terms)
    >>> found = summarize_keyness(table, {"clown": a, "crowd": b})
    >>> found["terms"]["term"][0], found["terms"]["only_in"][0], found["panels"][0]["sides"][0]["occurrences"][:3]
    ('ha', 'a', [2, 2, 2])
    """
    import polars as pl

    check_fork()
    panels, max_terms = checked_whole("panels", panels), checked_whole("max_terms", max_terms, least=1)
    examples = checked_whole("examples", examples)
    if not isinstance(table, pl.DataFrame) or not {"term", "log_ratio", "q_value"} <= set(table.columns):
        raise ValueError("table must be the frame of tb.keyness, or of tb.keyness_groups with contrasts=True")
    if len(sides) < 2:
        raise ValueError(
            "a comparison needs at least two sides; give each a name, and its counted corpus or statistics"
        )
    if not table.height:
        raise ValueError(f"{title}: no term occurs often enough to compare; lower " + named("min_count", bare=True))
    given, sides = sides, {name: documents_of(side) for name, side in sides.items()}
    statistics = {name: statistics_of(side) for name, side in sides.items()}
    ratio = pl.col("log_ratio")
    table = table.with_columns(
        pl.col("term").cast(pl.String),
        only_in=pl.when(ratio.is_infinite() & (ratio > 0)).then(pl.lit("a"))
        .when(ratio.is_infinite()).then(pl.lit("b")),
        **{f"log10_{x}": pl.col(f"{x}_value").log10().clip(lower_bound=SMALLEST_LOG10_P) for x in ("p", "q")},
    )  # fmt: skip
    settings = {"counting": counting_of(next(iter(sides.values()))), **(settings or {})}
    listed = table.head(min(max_terms, table.height))
    terms = listed["term"].unique(maintain_order=True).head(min(panels, listed.height)).to_list()
    return {
        **heading("keyness", title),
        "settings": settings,
        "reading": reading_of(given.values()),
        "overview": {
            "tested": table.height,
            "sure": int((table["q_value"] <= SURE).sum()),
        },
        "notes": [one for one in [table_out_of_reach(table, settings.get("adjust", "bh"))] if one is not None],
        "sides": [side_summary(name, s, sides[name], given[name]) for name, s in statistics.items()],
        "terms": columns_of(listed, [name for name in _COLUMNS if name in table.columns]),
        **side_panels(terms, sides, examples),
    }


def side_summary(name: str, statistics: TermStatistics, held: Any, given: Any) -> Dict:
    """The size of one side, and the columns along which its documents can be laid out."""
    return {
        "name": name,
        "has_documents": isinstance(held, CountedCorpus),
        "axes": axes_of(given),
        "documents": statistics.documents,
        "tokens": statistics.tokens,
        "terms": int((statistics.collection_frequency > 0).sum()),
        "lengths": length_summary(statistics),
    }


def side_panels(terms: list[str], sides: Mapping[str, Any], lines: int) -> Dict:
    """Where each term occurs on each side, and the ids of the documents, in the order of the sides."""
    places, each = max(PLACES // len(sides), 5), -(-lines // len(sides))
    panels: list[Dict] = [{"term": term, "sides": []} for term in terms]
    names: list[Dict] = []
    for side in sides.values():
        if isinstance(side, CountedCorpus):
            shown = term_panels(side, terms, places, each)
            names.append(document_names(side, shown))
        else:
            shown = [{"places": [], "occurrences": [], "lines": []}] * len(terms)
            names.append({})
        for panel, more in zip(panels, shown, strict=True):
            panel["sides"].append(more)
    return {"panels": panels, "documents": names}
