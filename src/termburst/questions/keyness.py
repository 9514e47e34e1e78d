"""Comparisons of corpora, as frames."""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.counting.options import CountingOptions
from termburst.display import did_you_mean
from termburst.forks import check_fork
from termburst.inference import keyness as tests
from termburst.inference.checks import check_confidence, check_name, checked_whole, shown
from termburst.inference.confident_effect import confident_effects
from termburst.inference.dispersion import dispersion
from termburst.inference.multiplicity import adjust as adjusted
from termburst.inference.multiplicity import estimate_null_share
from termburst.inference.two_sides import PrecisionPrior
from termburst.models.cells import TermCells, term_cells
from termburst.names import ADJUSTMENTS, COMPARE, KEYNESS_METHODS, SORTS, Compare, Sort
from termburst.questions.burst_comparison import burst_comparison, burst_contrasts
from termburst.questions.compared import MILLION, aligned, sorted_comparison, warn_of_lone_documents
from termburst.questions.frames import named_terms, term_frame
from termburst.questions.reach import table_out_of_reach, warn_of
from termburst.questions.word_lists import keyness_with_list
from termburst.statistics.matrix import canonical_counts
from termburst.statistics.term_statistics import TermStatistics

if TYPE_CHECKING:
    import polars as pl

MISSING = ("None", "nan", "NaT", "<NA>")  # how Python, NumPy and pandas print a missing value


def keyness(
    A: Any,
    B: Any = None,
    *,
    reference: Any = None,
    formula: str | None = None,
    terms: Any = None,
    terms_b: Any = None,
    counting: CountingOptions | None = None,
    method: str = "beta-binomial",
    confidence: float | None = 0.95,
    adjust: str = "bh",
    min_count: int = 1,
    sort: Sort = "p",
    compare: Compare = "frequency",
    **design: Any,
) -> pl.DataFrame:
    """Which terms are more frequent in corpus A than in B, or less, by more than their burstiness explains?

    Parameters
    ----------
    A, B : count matrices, corpora, lists of texts, or TermStatistics with detail="patterns" (a saved reference corpus)
        Their vocabularies are aligned by term name, over the union of both.
    reference : dict from word to number of occurrences, word list or its file; in place of B
        A reference of which only frequencies are known; see `read_word_list`. The column `p_method` then says
        "frequency list". Where nothing differs, p is below 0.05 for about one of 100 words at most, if the documents of
        the list are not much longer than those of A.
    formula : str, optional
        Instead of B: covariates of the documents of A, such as "party + year". See `keyness_design`, which explains the
        columns, and the options *contrast*, *cluster*, *strata* and *metadata* that go with it.
    terms, terms_b : sequence of str, optional
        The names of the columns of a matrix, or of statistics without names. Without `terms_b`, `terms` is for both if
        they have the same number of columns.
    counting : CountingOptions, optional
        How texts are counted. To compare them with statistics, give ``statistics.counting``.
    method : str
        "beta-binomial", "permutation", "stratified-permutation", "g2", "chi2", "fisher", "welch", "mann-whitney",
        "text-dispersion", "bootstrap" or "log-odds". The default lets each corpus have its own burstiness, learned from
        the word's documents and from all words; see `termburst.inference.two_sides`. "g2",
        "chi2" and "fisher" are what most corpus tools offer: they treat tokens as independent, and call a quarter of
        the words of two random halves of one corpus different. "text-dispersion", "bootstrap" and "log-odds" are
        measures of other authors; see :doc:`keyness`.
    confidence : float, optional
        Confidence level of the log_ratio interval; None omits interval and lower_bound, which takes half the time.
    adjust : {"bh", "by", "holm", "storey", "none"}
        A term counts in the adjustment only at p-values that it can have (`least_p`), so that a term in too few
        documents to be significant costs the others nothing.
    min_count : int
        Terms that occur less often in both together are left out, and not counted in the adjustment.
    sort : {"p", "lower_bound", "log_ratio", "term"}
        "lower_bound" puts the words first that A uses more by the largest factor, of those with q ≤ 1 − confidence.
    compare : {"frequency", "burstiness"}
        What is compared. "burstiness": which terms burst more in A than in B, whatever their frequencies. Then
        log_ratio is log₂ of the ratio of the burst ratios, burst_ratio_a and burst_ratio_b, and there are neither
        frequencies per million nor dp; see `termburst.inference.differential_burstiness`.

    Returns
    -------
    polars.DataFrame
        term; n_a, n_b, b_a, b_b (occurrences, documents with the term); per_million_a, per_million_b; log_ratio, the
        binary logarithm of the ratio of the mean shares, with ci_low, ci_high; 0 is outside exactly if p is below
        1 − confidence; lower_bound, the least that it is in words selected by it: of all words with one above any x,
        at most a share of 1 − confidence is expected to differ by less than x; it is 0 unless q ≤ 1 − confidence, and 0
        beside a small q if no difference of a given size stays sure once the strongest of all words are picked;
        diff_percent, the difference of the frequencies per million; statistic, p_value, q_value; least_p, the smallest
        p that the term's documents could give (0 if not known); p_method, how p was obtained; dp_a, dp_b, Gries's
        deviation of proportions in each corpus.

    Notes
    -----
    A term in only one corpus has log_ratio ±inf and one finite end of the interval. Identical corpora have p = 1 for
    all terms, and so has a term in one document alone. If each corpus is one document, nothing is known about how much
    words vary: p is 1 and intervals are infinite.

    Examples
    --------
    >>> import termburst as tb
    >>> A = [[9, 1, 40]] * 8
    >>> B = [[1, 1, 40], [2, 1, 44]] * 6
    >>> table = tb.keyness(A, B, terms=["ha", "no", "so"])
    >>> table["term"][0], table["n_a"][0], table["n_b"][0], round(table["log_ratio"][0], 2)
    ('ha', 72, 18, 2.37)
    >>> tb.keyness(["ha ha so"] * 6, ["so it goes", "on and on so"] * 4)["term"][0]
    'ha'
    """
    min_count = _checked(sort, method, confidence, adjust, min_count)
    if reference is not None:
        if B is not None or method != "beta-binomial":
            raise ValueError("reference= takes the place of B, and has one method; omit B and method=")
        options: dict[str, Any] = {"terms": terms, "counting": counting, "confidence": confidence, "adjust": adjust}
        options["min_count"] = min_count
        return sorted_comparison(keyness_with_list(A, reference, **options), sort)
    if formula is not None or design or B is None:
        common = {"confidence": confidence, "adjust": adjust, "min_count": min_count, "sort": sort}
        return _by_formula(A, B, formula, method, terms=terms, counting=counting, **common, **design)
    a, b, names = aligned(A, B, terms, terms_b, counting)
    if _of_burstiness(compare, method):
        return burst_comparison(a, b, names, confidence=confidence, adjust=adjust, min_count=min_count, sort=sort)
    compared = compared_terms(a, b, method, confidence, min_count)
    table = _finished([compared], names, adjust, confidence)[0]
    warn_of([table_out_of_reach(table, adjust)])
    return sorted_comparison(table, sort)


def _by_formula(A: Any, B: Any, formula: str | None, method: str, **options: Any) -> pl.DataFrame:
    """`keyness_design`, after checking that options for it come with a formula, and others without."""
    from termburst.questions.designs import keyness_design

    if unknown := sorted(options.keys() - {*inspect.signature(keyness_design).parameters}):
        known = [name for function in (keyness, keyness_design) for name in inspect.signature(function).parameters]
        raise TypeError(f"keyness has no option {', '.join(unknown)}{did_you_mean(unknown[0], known)}")
    if formula is None and B is not None:
        raise ValueError("contrast, cluster, strata and metadata go with formula=, and not with B")
    if formula is None:
        raise ValueError("give B, the corpus to compare with, or formula= with covariates such as 'party + year'")
    if B is not None:
        raise ValueError("give another corpus, or formula=, and not both")
    if method != "beta-binomial":
        raise ValueError(f"a formula has no method={method!r:.60}; omit method")
    return keyness_design(A, formula, **options)


def keyness_groups(
    X: Any,
    labels: Iterable[Any],
    *,
    terms: Any = None,
    contrasts: bool = False,
    method: str = "beta-binomial",
    confidence: float | None = 0.95,
    adjust: str = "bh",
    min_count: int = 1,
    sort: Sort = "p",
    compare: Compare = "frequency",
) -> pl.DataFrame:
    """Which terms differ between several groups of documents?

    Each group is compared with all others together, as by `keyness`. One row per term has the p-value that all groups
    have the same mean share, from these comparisons by Simes's rule; with *contrasts* there is one row per term and
    group.

    Parameters
    ----------
    X : count matrix, or a corpus
    labels : list, array or Series with one label per document
        All of one type, at least two different ones, and none missing.
    terms, adjust, min_count, sort, confidence, method, compare : see `keyness`; the last three are only for contrasts
    contrasts : bool
        Whether to return the contrasts instead of the overall test.

    Returns
    -------
    polars.DataFrame
        term, n, b, statistic (the largest of the comparisons), p_value, q_value, least_p, p_method, and `highest`, the
        group with the largest ratio of its share to that of the others; with contrasts the columns of `keyness` and
        `group`, where a is the group and b the rest.

    Examples
    --------
    >>> import termburst as tb
    >>> X = [[9, 1, 40]] * 8 + [[1, 1, 40], [2, 1, 44]] * 6
    >>> tb.keyness_groups(X, ["x"] * 8 + ["y"] * 6 + ["z"] * 6, terms=["ha", "no", "so"])["highest"][0]
    'x'
    """
    min_count = _checked(sort, method, confidence, adjust, min_count)
    if not contrasts:
        check_overall(sort, method, confidence, compare)
    if isinstance(X, TermStatistics):
        raise ValueError("groups need a count matrix: statistics do not keep which document contains what")
    counts = canonical_counts(X)
    names = named_terms(X, terms, counts.shape[1])
    groups, place = _grouped(labels, counts.shape[0])
    parts = [counts[place == g] for g in range(len(groups))]
    for group, part in zip(groups, parts, strict=True):
        if not part.nnz:
            raise ValueError(f"the group {group!r} has no tokens: there is nothing to compare with")
    warn_of_lone_documents(np.bincount(place))
    if _of_burstiness(compare, method):
        named = ((name, term_cells(parts[g]), term_cells(counts[place != g])) for g, name in enumerate(groups))
        return burst_contrasts(named, names, confidence, adjust, min_count, sort)
    if contrasts:
        pairs = ((term_cells(parts[g]), term_cells(counts[place != g])) for g in range(len(groups)))
        compared = [compared_terms(own, rest, method, confidence, min_count) for own, rest in pairs]
        table = _contrasts(groups, _finished(compared, names, adjust, confidence))
        warn_of([table_out_of_reach(table, adjust)])
        return sorted_comparison(table, sort)
    columns, counted = group_columns([term_cells(part) for part in parts], groups, min_count)
    columns["q_value"] = adjusted(columns["p_value"], adjust, attainable=columns["least_p"])
    table = term_frame(names, columns, counted)
    warn_of([table_out_of_reach(table, adjust)])
    return sorted_comparison(table, sort)


def group_columns(
    cells: Sequence[TermCells], groups: Sequence[str], min_count: int, priors: Sequence[PrecisionPrior] | None = None
) -> tuple[dict[str, Any], NDArray[np.bool_]]:
    """The columns of `keyness_groups`, q_value not yet filled in; and whether a term is listed."""
    found = tests.keyness_groups(cells, priors)
    n_i, b_i = (np.sum([getattr(c, name) for c in cells], axis=0) for name in ("n_i", "b_i"))
    counted = n_i >= max(min_count, 1)
    p_value = np.where(counted, found.p_value, np.nan)
    columns: dict[str, Any] = {
        "n": n_i,
        "b": b_i,
        "statistic": found.statistic,
        "p_value": p_value,
        "q_value": np.full(n_i.size, np.nan),
        "least_p": np.minimum(found.least_p, p_value),
        "p_method": np.full(n_i.size, tests.OWN).tolist(),
        "highest": [groups[g] for g in found.highest.tolist()],
    }
    return columns, counted


@dataclass(frozen=True, slots=True)
class ComparedTerms:
    """A comparison of two corpora before the adjustment: the columns of its table, and which terms are listed."""

    found: tests.Keyness
    columns: dict[str, Any]
    counted: NDArray[np.bool_]


def compared_terms(
    a: TermCells, b: TermCells, method: str, confidence: float | None, min_count: int, terms: int | None = None,
    prior: PrecisionPrior | None = None,
) -> ComparedTerms:  # fmt: skip
    """Compare two corpora over the same terms.

    *terms* is the number of all terms, and *prior* what was learned from all of them, if only some are given.
    """
    found = tests.keyness(a, b, method=method, confidence=confidence, terms=terms, prior=prior)
    counted = a.n_i + b.n_i >= max(min_count, 1)
    rate_a, rate_b = MILLION * a.n_i / a.tokens, MILLION * b.n_i / b.tokens
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = 100 * (rate_a - rate_b) / rate_b
    columns: dict[str, Any] = {
        "n_a": a.n_i,
        "n_b": b.n_i,
        "b_a": a.b_i,
        "b_b": b.b_i,
        "per_million_a": rate_a,
        "per_million_b": rate_b,
        "log_ratio": found.log_ratio,
        "ci_low": found.ci_low,
        "ci_high": found.ci_high,
        "lower_bound": None,
        "diff_percent": difference,
        "statistic": found.statistic,
        "p_value": np.where(counted, found.p_value, np.nan),
        "q_value": None,
        "least_p": found.least_p,
        "p_method": found.p_method.tolist(),
        "dp_a": dispersion(a, ["dp"])["dp"],
        "dp_b": dispersion(b, ["dp"])["dp"],
    }
    return ComparedTerms(found, columns, counted)


def _finished(
    compared: Sequence[ComparedTerms], names: NDArray[np.object_] | None, adjust: str, confidence: float | None
) -> list[pl.DataFrame]:
    """The tables of comparisons, with q-values and lower bounds over all of them together."""
    p_value = np.concatenate([one.columns["p_value"] for one in compared])
    least = np.concatenate([one.found.least_p for one in compared])
    q_value = adjusted(p_value, adjust, attainable=np.minimum(least, p_value))
    lower_bound = np.full(p_value.size, np.nan)
    if confidence is not None:
        selected = q_value <= 1 - confidence
        able = int(np.sum(least[~np.isnan(p_value)] <= p_value[selected].max(initial=0.0)))
        share = estimate_null_share(p_value) if adjust == "storey" else 1.0
        ends = np.concatenate([one.found.ends for one in compared])
        lower_bound = confident_effects(ends, compared[0].found.levels, selected, adjust, max(able, 1), share)
        lower_bound *= np.sign(np.concatenate([one.found.log_ratio for one in compared]))
        lower_bound += 0.0  # no −0
        lower_bound[np.isnan(p_value)] = np.nan
    tables, start = [], 0
    for one in compared:
        part = slice(start, start + one.counted.size)
        start = part.stop
        columns = {**one.columns, "lower_bound": lower_bound[part], "q_value": q_value[part]}
        tables.append(term_frame(names, columns, one.counted))
    return tables


def _contrasts(groups: Sequence[str], tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """One table of several comparisons, with the name of the group."""
    import polars as pl

    named = (table.with_columns(group=pl.lit(group)) for group, table in zip(groups, tables, strict=True))
    return pl.concat(named).select("term", "group", pl.exclude("term", "group"))


def _of_burstiness(compare: Any, method: Any) -> bool:
    """Whether burst ratios are compared; ValueError if *compare* is unknown, or if the method cannot do that."""
    check_name("compare", compare, COMPARE)
    if compare == "burstiness" and method != "beta-binomial":
        raise ValueError(f"compare='burstiness' has one method, 'beta-binomial'; omit method={method!r}")
    return bool(compare == "burstiness")


def check_overall(sort: Any, method: Any, confidence: Any, compare: Any) -> None:
    """Raise ValueError for options that the test over all groups does not have."""
    overall: dict[str, tuple[Any, Any]] = {
        "sort": (sort, ("p", "term")),
        "method": (method, ("beta-binomial",)),
        "confidence": (confidence, (0.95,)),
        "compare": (compare, ("frequency",)),
    }
    for option, (value, allowed) in overall.items():
        if value not in allowed:
            raise ValueError(
                f"{option}={value!r} needs contrasts=True: over all groups there is one test, without a direction"
            )


def _checked(sort: Any, method: Any, confidence: Any, adjust: Any, min_count: Any) -> int:
    """Check all options; return *min_count* as an int."""
    check_fork()
    check_name("sort", sort, SORTS)
    check_name("method", method, KEYNESS_METHODS)
    check_confidence(confidence)
    check_name("adjust", adjust, ADJUSTMENTS)
    return checked_whole("min_count", min_count)


def _grouped(labels: Any, documents: int) -> tuple[list[str], NDArray[np.intp]]:
    """The names of the groups in order, and the number of the group of each document."""
    unordered = isinstance(labels, (str, bytes, Set, Mapping)) or not isinstance(labels, Iterable)
    if unordered or getattr(labels, "ndim", 1) != 1:
        raise ValueError(f"labels must be a list or a Series, one per document in order; got {shown(labels)}")
    label = list(labels)
    if len(label) != documents:
        raise ValueError(f"there are {documents:,} documents but {len(label):,} labels")
    if not label:
        raise ValueError("the count matrix has no documents (0 rows)")
    for number, one in enumerate(label):
        if not isinstance(one, str) and str(one) in MISSING:
            raise ValueError(f"document {number} has the label {one}: give every document a group")
        if not isinstance(one, Hashable) or isinstance(one, tuple):
            raise ValueError(f"labels must be one name per document; document {number} has {shown(one)}")
        if _kind(one) is not _kind(label[0]):
            kinds = f"{type(label[0]).__name__} for document 0 and {type(one).__name__} for document {number}"
            raise ValueError(f"labels must have one type; got {kinds}")
    try:
        groups = sorted(set(label))
    except TypeError as error:
        raise ValueError(f"labels must be names or numbers; document 0 has {shown(label[0])}") from error
    if len(groups) < 2:
        raise ValueError(f"there is only one group, {str(groups[0])!r}: a comparison needs at least two")
    number_of = {group: number for number, group in enumerate(groups)}
    return [str(group) for group in groups], np.array([number_of[one] for one in label], dtype=np.intp)


def _kind(label: Any) -> type:
    """The type of a label; for NumPy scalars the Python type, and one type for whole and decimal numbers."""
    kind = type(label.item() if isinstance(label, np.generic) else label)
    return float if kind is int else kind
