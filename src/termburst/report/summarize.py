"""A corpus as a plain dict: everything that its page shows, ready to write as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.counting.counted_corpus import CountedCorpus
from termburst.display import did_you_mean
from termburst.inference.count_distribution import count_distribution
from termburst.inference.multiplicity import adjust_log10
from termburst.inference.plr import plr_parts
from termburst.messages import named, shown
from termburst.models.cells import term_cells
from termburst.models.fit_beta_binomial import BetaBinomialFit
from termburst.models.penalized_mle import penalized_mle, settled_hyperparameters
from termburst.names import Adjustment, Form
from termburst.options import made_from
from termburst.questions.burst_columns import documents_by_chance
from termburst.questions.burstiness_plan import burstiness_in_short
from termburst.questions.report import Report
from termburst.report import pieces
from termburst.report.occurrences import first_collocates, surest_pairs, term_panels
from termburst.report.pieces import SURE, Dict
from termburst.statistics.term_statistics import TermStatistics, as_statistics

Step = Callable[[str], object]
_COLUMNS = (
    "term", "n", "b", "b_binomial", "burst_ratio", "ci_low", "ci_high", "lower_bound", "reuse",
    "reuse_binomial", "plr", "tf_idf_sum", "log10_p", "log10_q", "p_method", "alpha", "alpha_not",
    "status",
)  # fmt: skip


def summarize(
    corpus: Any,
    *,
    title: str | None = None,
    max_terms: int = 100_000,
    examples: int = 20,
    mu: float | None = None,
    sigma2: float = 1.0,
    form: Form = "printed",
    adjust: Adjustment = "bh",
    min_count: int = 1,
    panels: int = 2_000,
    chosen: Sequence[str] | None = None,
    pairs: int = 10,
    step: Step | None = None,
) -> Dict:
    """Everything that the page about a corpus shows, as a dict of plain values: numbers, text, lists, None.

    Parameters
    ----------
    corpus : Corpus, CountedCorpus, or TermStatistics with detail="patterns"
        Statistics do not keep documents: their panels show neither lines nor where a term occurs.
    title : heading of the page
    max_terms : how many of the burstiest terms are listed; `overview` counts all
    examples : at most how many concordance lines a term has; beyond the first terms a panel has fewer
    mu, sigma2, form, adjust, min_count : see `termburst.burstiness_test`
    panels : how many of the burstiest terms get a panel
    chosen : terms that get a panel in any case
    pairs : how many pairs of words, of which one brings on the other, are shown; 0 to not look for them
    step : called with what is done next, such as "Looking for pairs of words", so that it can be shown

    Returns
    -------
    dict
        title, kind ("corpus"), termburst (the version), settings, reading (source and lines of the reading report, if
        files were read), overview, lengths, zipf, log_alpha, correlation (of λ_i and Σ_j TF–IDF over all terms), axes
        (columns of numbers or dates in the metadata, with one value per document), terms (a dict of columns, the
        largest lower_bound first), brought_on (see `surest_pairs`; None if not looked for), panels (of the first terms,
        in the same order, and of those *chosen*) and documents (number → id, of those named in panels). A number that
        is not finite is None.

    Examples
    --------
    >>> found = summarize(CountedCorpus.from_texts(["ha ha ha so", "so it goes", "so on", "it is so"]))
    >>> found["terms"]["term"][0], found["panels"][0]["lines"][0]["after"]
    ('ha', ' ha ha so')
    """
    asked = made_from(Report, locals())
    title, say = asked.title or "corpus", step or (lambda what: None)
    given, corpus = corpus, pieces.documents_of(corpus, "patterns")
    if isinstance(corpus, CountedCorpus) and not corpus.counts.nnz:
        raise ValueError(f"{title}: no document contains a term, so there is nothing to report")
    statistics = as_statistics(corpus, "patterns")
    mu, sigma2 = settled_hyperparameters(statistics, asked.mu, asked.sigma2)
    options = {"mu": mu, "sigma2": sigma2, "form": form}
    tested, fit = burstiness_in_short(
        term_cells(statistics), pieces.term_names(statistics), mu=mu, sigma2=sigma2, form=form, adjust=adjust,
        min_count=asked.min_count,
    )  # fmt: skip
    if not tested.height:
        raise ValueError(f"{title}: no term occurs {min_count:,} times; lower " + named("min_count", bare=True))
    tested = tested.with_columns(
        log10_q=pl.Series(adjust_log10(tested["log10_p"].to_numpy(), adjust)),  # q itself may be too small for a float
        tf_idf_sum=pl.col("n") * (statistics.documents / pl.col("b")).log(),
    )
    listed = tested.head(asked.max_terms)
    lengths = statistics.lengths, statistics.length_documents
    listed = listed.with_columns(b_binomial=documents_by_chance(listed["n"], *lengths))
    first = _with_panels(asked, listed, tested)
    brought_on = None
    if asked.pairs:
        say("Looking for pairs of words")
        brought_on = surest_pairs(corpus, asked.pairs)
    say("Collecting lines and collocates")
    return {
        **pieces.heading("corpus", title),
        "settings": {**options, "adjust": adjust, "min_count": min_count, "counting": pieces.counting_of(corpus)},
        "reading": pieces.reading_of([given]),
        "overview": _overview(statistics, tested, penalized_mle(statistics, mu=mu, sigma2=sigma2).valid),
        "lengths": pieces.length_summary(statistics),
        "zipf": pieces.zipf_curve(statistics),
        "log_alpha": _log_alpha(tested),
        "correlation": _correlation(tested),
        "axes": pieces.axes_of(given),
        "terms": pieces.columns_of(listed, _COLUMNS),
        "brought_on": brought_on,
        **panels_of(corpus, statistics, first, asked.examples, options, fit=fit),
    }  # fmt: skip


def _with_panels(asked: Report, listed: Any, tested: Any) -> list[str]:
    """The terms that have a panel: the first ones, and those that were chosen."""
    chosen, known = asked.chosen or (), set(tested["term"]) if asked.chosen else set()
    if unknown := [term for term in chosen if term not in known]:
        near = did_you_mean(unknown[0], known)
        raise ValueError(named("chosen", bare=True) + f": {shown(unknown[0])} is not among the terms of the page{near}")
    return list(dict.fromkeys([*listed["term"].head(asked.panels), *chosen]))


def _overview(statistics: TermStatistics, tested: Any, valid: NDArray[np.bool_]) -> Dict:
    n_i = statistics.collection_frequency
    return {
        "documents": statistics.documents,
        "tokens": statistics.tokens,
        "terms": int((n_i > 0).sum()),
        "once": int((n_i == 1).sum()),
        "kept": tested.height,
        "tested": int(tested["log10_p"].is_not_null().sum()),
        "clamped": int((~valid & (n_i > 0)).sum()),
        "sure": int((tested["q_value"] <= SURE).sum()),
    }


def _log_alpha(tested: Any) -> Dict:
    """Histograms of log10 α_i and log10 α_¬i, of the fits with an interior maximum (the paper's Fig. 4)."""
    inner = tested.filter(pl.col("status") == "converged")
    logs = [np.log10(inner[name].to_numpy()) for name in ("alpha", "alpha_not")]
    both = np.concatenate(logs)
    low, high = (np.floor(both.min() * 4) / 4, np.ceil(both.max() * 4) / 4) if both.size else (-4.0, 4.0)
    edges = np.linspace(low, high, int(min(max(4 * (high - low), 1), 80)) + 1)
    return {
        "edges": edges.tolist(),
        "alpha": pieces.histogram(logs[0], edges),
        "alpha_not": pieces.histogram(logs[1], edges),
        "converged": inner.height,
        "boundary": int((tested["status"] == "boundary").sum()),
        "below_a_tenth": int((inner["alpha"] < 0.1).sum()),
    }


def _correlation(tested: Any) -> float | None:
    """Pearson's correlation of λ_i and Σ_j TF–IDF, as in the paper's Fig. 3."""
    both = tested.select("plr", "tf_idf_sum").drop_nulls().to_numpy().T
    if both.shape[1] < 2 or not both.std(axis=1).all():
        return None
    return float(np.corrcoef(both)[0, 1])


def panels_of(
    corpus: CountedCorpus | TermStatistics,
    statistics: TermStatistics,
    terms: Sequence[str],
    lines: int,
    options: dict[str, Any],
    *,
    fit: BetaBinomialFit | None = None,
    collocates: bool = True,
) -> Dict:
    """The panels of *terms*, and the names of the documents in them; *options* are those of λ.

    With *collocates*, those of the first terms are found.
    """
    column = {str(name): number for number, name in enumerate(pieces.term_names(statistics))}
    columns = np.array([column[term] for term in terms], dtype=np.intp)
    parts = plr_parts(statistics, penalty="gamma", invalid="clamp", quiet=True, **options)
    parts = {name: np.broadcast_to(part, len(column)) for name, part in parts.items()}
    counts = count_distribution(statistics, columns, fit=fit, largest=pieces.LARGEST_COUNT)
    panels: list[Dict] = [
        {
            "term": terms[row],
            "parts": {name: pieces.plain(float(part[i])) for name, part in parts.items()},
            "observed": counts.observed[row].astype(np.int64).tolist(),
            "binomial": counts.binomial[row].tolist(),
            "beta_binomial": counts.beta_binomial[row].tolist(),
        }
        for row, i in enumerate(columns)
    ]
    if not isinstance(corpus, CountedCorpus):
        return {"panels": panels, "documents": {}}
    found = term_panels(corpus, terms, pieces.PLACES, lines)
    for panel, more in zip(panels, found, strict=True):
        panel.update(more)
    if collocates:
        for panel, sure in zip(panels, first_collocates(corpus, terms), strict=False):
            panel["collocates"] = sure
    return {"panels": panels, "documents": pieces.document_names(corpus, found)}
