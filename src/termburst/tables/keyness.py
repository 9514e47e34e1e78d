"""Comparisons of corpora, as frames."""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.forks import check_fork
from termburst.inference import keyness as tests
from termburst.inference.checks import LEAST_DRAWS, check_confidence, check_name, checked_whole, shown
from termburst.inference.dispersion import dispersion
from termburst.inference.multiplicity import adjust as adjusted
from termburst.models.cells import TermCells, term_cells
from termburst.names import ADJUSTMENTS, KEYNESS_METHODS, SORTS, Sort
from termburst.statistics.matrix import canonical_counts
from termburst.statistics.merging import laid_onto
from termburst.statistics.term_statistics import TermStatistics
from termburst.tables.frames import counted_texts, named_terms, own_terms, term_frame

if TYPE_CHECKING:
    import polars as pl

MILLION = 1_000_000
MISSING = ("None", "nan", "NaT", "<NA>")  # how Python, NumPy and pandas print a missing value


def keyness(
    A: Any,
    B: Any = None,
    *,
    formula: str | None = None,
    terms: Any = None,
    terms_b: Any = None,
    method: str = "beta-binomial",
    confidence: float | None = 0.95,
    adjust: str = "bh",
    min_count: int = 1,
    sort: Sort = "p",
    **design: Any,
) -> pl.DataFrame:
    """Which terms are more frequent in corpus A than in B, or less, by more than their burstiness explains?

    Parameters
    ----------
    A, B : count matrices, corpora, lists of texts, or TermStatistics with detail="patterns" (a saved reference corpus)
        Their vocabularies are aligned by term name, over the union of both. Texts are counted as `termburst.read` does.
    formula : str, optional
        Instead of B: covariates of the documents of A, such as "party + year". See `keyness_design`, which explains the
        columns, and the options *contrast*, *cluster*, *strata* and *metadata* that go with it.
    terms, terms_b : sequence of str, optional
        The names of the columns of a matrix, or of statistics without names. Without `terms_b`, `terms` is for both if
        they have the same number of columns.
    method : {"beta-binomial", "permutation", "stratified-permutation", "g2", "chi2", "fisher", "welch", "mann-whitney"}
        The default is the likelihood ratio of beta-binomials with one common mean or one mean per corpus; for terms in
        few documents its reference is conditional on the bursts. "g2", "chi2" and "fisher" are what most corpus tools
        offer: they treat tokens as independent, and call a quarter of the words of two random halves of one corpus
        different.
    confidence : float, optional
        Confidence level of the log_ratio interval; None omits the interval, which takes half the time.
    adjust : {"bh", "by", "holm", "storey", "none"}
    min_count : int
        Terms that occur less often in both together are left out, and not counted in the adjustment.
    sort : {"p", "effect", "log_ratio", "term"}
        "effect" sorts by the end of the interval nearest to 0, largest first: the words that A surely uses more.

    Returns
    -------
    polars.DataFrame
        term; n_a, n_b, b_a, b_b (occurrences, documents with the term); per_million_a, per_million_b; log_ratio, the
        binary logarithm of the ratio of the fitted mean shares, with ci_low, ci_high from the profile likelihood, and
        effect, the end nearest to 0; diff_percent, the difference of the frequencies per million; statistic, p_value,
        q_value; reference, how p was obtained; dp_a, dp_b, Gries's deviation of proportions in each corpus.

    Notes
    -----
    A term in only one corpus has log_ratio ±inf and one finite end of the interval. Identical corpora have p = 1 for
    all terms. If a corpus has fewer than five documents, its counts are compared with draws from the common model
    (reference "predictive"), since a likelihood ratio says little there.

    Examples
    --------
    >>> import termburst as tb
    >>> A = [[9, 1, 40]] * 8
    >>> B = [[1, 1, 40], [2, 1, 44]] * 6
    >>> table = tb.keyness(A, B, terms=["ha", "no", "so"])
    >>> table["term"][0], table["n_a"][0], table["n_b"][0], round(table["log_ratio"][0], 2)
    ('ha', 72, 18, 2.42)
    >>> tb.keyness(["ha ha so"] * 6, ["so it goes", "on and on so"] * 4)["term"][0]
    'ha'
    """
    min_count = _checked(sort, method, confidence, adjust, min_count)
    if formula is not None or design or B is None:
        common = {"confidence": confidence, "adjust": adjust, "min_count": min_count, "sort": sort}
        return _by_formula(A, B, formula, method, terms=terms, **common, **design)
    a, b, names = _aligned(A, B, terms, terms_b)
    found = tests.keyness(a, b, method=method, confidence=confidence)
    counted = a.n_i + b.n_i >= max(min_count, 1)
    p_value = np.where(counted, found.p_value, np.nan)
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
        "effect": tests.conservative(found.ci_low, found.ci_high),
        "diff_percent": difference,
        "statistic": found.statistic,
        "p_value": p_value,
        "q_value": adjusted(p_value, adjust),
        "reference": found.reference.tolist(),
        "dp_a": dispersion(a, ["dp"])["dp"],
        "dp_b": dispersion(b, ["dp"])["dp"],
    }
    return _sorted(term_frame(names, columns, counted), sort)


def _by_formula(A: Any, B: Any, formula: str | None, method: str, **options: Any) -> pl.DataFrame:
    """`keyness_design`, after checking that options for it come with a formula, and others without."""
    from termburst.tables.designs import keyness_design

    if unknown := options.keys() - {*inspect.signature(keyness_design).parameters}:
        raise TypeError(f"keyness has no option {', '.join(sorted(unknown))}")
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
    draws: int = 1_999,
    seed: int = 0,
) -> pl.DataFrame:
    """Which terms differ between several groups of documents?

    One likelihood ratio per term over all groups: one mean per group against one common mean. With *contrasts*, each
    group is compared with all others together: one row per term and group.

    Parameters
    ----------
    X : count matrix, or a corpus
    labels : list, array or Series with one label per document
        All of one type, at least two different ones, and none missing.
    terms, adjust, min_count, sort, confidence, method : see `keyness`; the last two are only for contrasts
    contrasts : bool
        Whether to return the contrasts instead of the overall test.
    draws, seed : for the Monte Carlo, used for terms in few documents

    Returns
    -------
    polars.DataFrame
        term, n, b, statistic, df, p_value, q_value, reference, and `highest`, the group with the largest mean share;
        with contrasts the columns of `keyness` and `group`, where a is the group and b the rest.

    Examples
    --------
    >>> import termburst as tb
    >>> X = [[9, 1, 40]] * 8 + [[1, 1, 40], [2, 1, 44]] * 6
    >>> tb.keyness_groups(X, ["x"] * 8 + ["y"] * 6 + ["z"] * 6, terms=["ha", "no", "so"])["highest"][0]
    'x'
    """
    min_count = _checked(sort, method, confidence, adjust, min_count)
    draws, seed = checked_whole("draws", draws, least=LEAST_DRAWS), checked_whole("seed", seed)
    if not contrasts:
        _check_overall(sort, method, confidence)
    if isinstance(X, TermStatistics):
        raise ValueError("groups need a count matrix: statistics do not keep which document contains what")
    counts = canonical_counts(X)
    names = named_terms(X, terms, counts.shape[1])
    groups, place = _grouped(labels, counts.shape[0])
    parts = [counts[place == g] for g in range(len(groups))]
    for group, part in zip(groups, parts, strict=True):
        if not part.nnz:
            raise ValueError(f"the group {group!r} has no tokens: there is nothing to compare with")
    if contrasts:
        against = [(group, parts[g], counts[place != g]) for g, group in enumerate(groups)]
        table = _contrasts(against, adjust, terms=names, method=method, confidence=confidence, min_count=min_count)
        return _sorted(table, sort)
    cells = [term_cells(part) for part in parts]
    found = tests.keyness_groups(cells, draws=draws, seed=seed)
    n_i, b_i = (np.sum([getattr(c, name) for c in cells], axis=0) for name in ("n_i", "b_i"))
    counted = n_i >= max(min_count, 1)
    p_value = np.where(counted, found.p_value, np.nan)
    columns: dict[str, Any] = {
        "n": n_i,
        "b": b_i,
        "statistic": found.statistic,
        "df": np.full(n_i.size, len(groups) - 1),
        "p_value": p_value,
        "q_value": adjusted(p_value, adjust),
        "reference": found.reference.tolist(),
        "highest": [groups[g] for g in np.argmax(found.mean, axis=1)],
    }
    return _sorted(term_frame(names, columns, counted), sort)


def _contrasts(against: Iterable[tuple[str, Any, Any]], adjust: str, **options: Any) -> pl.DataFrame:
    """`keyness` of each (group, its counts, counts of the rest), with q-values over all groups and terms."""
    import polars as pl

    frames = [keyness(own, rest, adjust="none", **options).with_columns(group=pl.lit(g)) for g, own, rest in against]
    table = pl.concat(frames)
    p_value = table["p_value"].to_numpy()
    table = table.with_columns(q_value=pl.Series(adjusted(p_value, adjust)))
    return table.select("term", "group", pl.exclude("term", "group"))


def _check_overall(sort: Any, method: Any, confidence: Any) -> None:
    """Raise ValueError for options that the test over all groups does not have."""
    overall: dict[str, tuple[Any, Any]] = {
        "sort": (sort, ("p", "term")),
        "method": (method, ("beta-binomial",)),
        "confidence": (confidence, (0.95,)),
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
    """The type of a label; for NumPy scalars the Python type."""
    return type(label.item() if isinstance(label, np.generic) else label)


def _sorted(table: pl.DataFrame, sort: Sort) -> pl.DataFrame:
    import polars as pl

    by: dict[Sort, list[Any]] = {
        "p": ["p_value", -pl.col("statistic").abs(), "term"],
        "effect": [-pl.col("effect"), "p_value", "term"],
        "log_ratio": [-pl.col("log_ratio"), "p_value", "term"],
        "term": ["term"],
    }
    return table.sort(by[sort], nulls_last=True)


def _aligned(A: Any, B: Any, terms: Any, terms_b: Any) -> tuple[TermCells, TermCells, NDArray[np.object_] | None]:
    """The cells of both over the same terms, and the names of the terms, if any."""
    A, B = counted_texts(A, "A"), counted_texts(B, "B")
    terms, terms_b = (list(names) if isinstance(names, Iterator) else names for names in (terms, terms_b))
    if terms_b is None and _unnamed(B):
        terms_b, terms = terms, terms if _unnamed(A) else None
    first, names_a = _named(A, terms, "A")
    second, names_b = _named(B, terms_b, "B")
    if (names_a is None) != (names_b is None):
        raise ValueError("one corpus has term names and the other does not: give terms= and terms_b=")
    if names_a is None or names_b is None or np.array_equal(names_a, names_b):
        a, b = term_cells(first), term_cells(second)
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


def _unnamed(corpus: Any) -> bool:
    return own_terms(corpus) is None


def _named(corpus: Any, terms: Any, which: str) -> tuple[Any, NDArray[np.object_] | None]:
    if not isinstance(corpus, TermStatistics):
        counts = canonical_counts(corpus)
        return counts, named_terms(corpus, terms, counts.shape[1], which)
    if corpus.rows is None or corpus.rows.length is None:
        raise ValueError(
            f'{which} has statistics without the patterns that keyness needs: build them with detail="patterns"'
        )
    names = named_terms(corpus, terms, corpus.vocabulary_size, which)
    return (corpus if corpus.terms is not None else replace(corpus, terms=names)), names
