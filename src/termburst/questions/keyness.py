"""Keyness: which terms does one corpus, or one group of documents, use more than another?"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from termburst.forks import check_fork
from termburst.messages import named, shown
from termburst.names import LOWER_BOUND, Adjustment, Compare, KeynessMethod, Sort
from termburst.options import Option, check_options, made_from

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from termburst.counting.options import CountingOptions

MISSING = ("None", "nan", "NaT", "<NA>")  # how Python, NumPy and pandas print a missing value


@dataclass(frozen=True)
class Keyness:
    """The options of a comparison of corpora."""

    compare: Annotated[Compare, Option("What is compared: how frequent terms are, or how bursty.")] = "frequency"
    method: Annotated[KeynessMethod, Option("The test.")] = "beta-binomial"
    confidence: Annotated[float | None, Option("Confidence level of the log_ratio interval.", above=0, below=1)] = 0.95
    adjust: Annotated[Adjustment, Option("How p-values are adjusted to q-values.")] = "bh"
    sort: Annotated[Sort | None, Option(f"Order of the rows; lower_bound is {LOWER_BOUND}.")] = "p"
    min_count: Annotated[int, Option("Leave out terms that occur fewer times.", least=1)] = 1

    def __post_init__(self) -> None:
        """Check the options."""
        check_options(self)
        if self.compare == "burstiness" and self.method != "beta-binomial":
            one = named("compare", "burstiness") + " has one method, 'beta-binomial'; omit "
            raise ValueError(one + named("method", self.method))

    def check_overall(self) -> None:
        """Raise ValueError for options that the test over all groups does not have."""
        overall: dict[str, tuple[Any, ...]] = {
            "sort": ("p", "term", None),
            "method": ("beta-binomial",),
            "confidence": (0.95,),
            "compare": ("frequency",),
        }
        for option, allowed in overall.items():
            if (value := getattr(self, option)) not in allowed:
                needs = named(option, value) + " needs " + named("contrasts", True)
                raise ValueError(needs + ": over all groups there is one test, without a direction")

    def check_design(self) -> None:
        """Raise ValueError for options that a comparison by a formula does not have."""
        for option, only in (("method", "beta-binomial"), ("compare", "frequency")):
            if (value := getattr(self, option)) != only:
                raise ValueError("a formula has no " + named(option, value) + "; omit it")


def check_contrasts(contrasts: object) -> None:
    """Raise ValueError unless it is None, True or False: 0 would be neither None nor False."""
    if contrasts is not None and not isinstance(contrasts, bool):
        raise ValueError(f"contrasts must be True or False; got {shown(contrasts)}")


def keyness(
    A: Any,
    B: Any = None,
    *,
    by: Iterable[Any] | None = None,
    contrasts: bool | None = None,
    reference: Any = None,
    formula: str | None = None,
    metadata: Any = None,
    contrast: str | Sequence[str] | None = None,
    cluster: str | None = None,
    strata: str | None = None,
    terms: Any = None,
    terms_b: Any = None,
    counting: CountingOptions | None = None,
    compare: Compare = "frequency",
    method: KeynessMethod = "beta-binomial",
    confidence: float | None = 0.95,
    adjust: Adjustment = "bh",
    sort: Sort | None = "p",
    min_count: int = 1,
) -> pl.DataFrame:
    """Which terms are more frequent in corpus A than in B, or less, by more than their burstiness explains?

    Give B, or in its place *by*, *reference* or *formula*.

    Parameters
    ----------
    A, B : count matrices, corpora, lists of texts, or TermStatistics with detail="patterns" (a saved reference corpus)
        Their vocabularies are aligned by term name, over the union of both.
    by : list, array or Series with one label per document of A, in place of B
        All of one type, at least two different ones, and none missing. Of two groups, the first in order is compared
        with the second. Of more, each is compared with all others together.
    contrasts : bool, optional
        Of groups: whether each is compared with all others; by default if there are more than two. With False there is
        one test: does the term differ between the groups at all? Its p-value is that of these comparisons by Simes's
        rule. It has no direction, and of the options only adjust, min_count and sort ("p" or "term").
    reference : dict from word to number of occurrences, word list or its file; in place of B
        A reference of which only frequencies are known; see `read_word_list`. The column `p_method` then says
        "frequency list". Where nothing differs, p is below 0.05 for about one of 100 words at most, if the documents of
        the list are not much longer than those of A.
    formula : str, optional
        In place of B: covariates of the documents of A, columns of their metadata, such as "party + year". Which terms
        depend on a covariate, given the others? Every term has a beta-binomial regression: the logit of its share is
        linear in the columns of the formula. Text is a category, numbers are numbers, dates are years; ``C(year)``
        makes a number a category; the values of a category are in alphabetical order, those of a Polars Enum in its
        own; ``party:year`` is an interaction, ``bs(year, df=4)`` or ``cr(year, df=4)`` a spline.
    metadata : columns or a frame with one row per document, for a formula; not for a corpus, which has its own
    contrast : str or list of str, optional
        Of a formula: "party: D - R" compares two values, at the mean of all else; "year" is the slope of a number, per
        unit. By default the first level of each category minus each other level, and the slope of each number (of a
        spline: the upper minus the lower quartile).
    cluster : str, optional
        Column that says which documents may depend on each other, such as the speaker. If no column of the design
        varies within a cluster, the documents of a cluster are summed. Otherwise the scores of clusters are compared
        with those of random signs, which finds few differences if each cluster has both sides; a warning says so.
    strata : str, optional
        Column within whose values documents are compared: one more category in the formula. With many strata of fewer
        than 15 documents p is too small; a warning says so.
    terms, terms_b : sequence of str, optional
        The names of the columns of a matrix, or of statistics without names. Without `terms_b`, `terms` is for both if
        they have the same number of columns.
    counting : CountingOptions, optional
        How texts are counted. To compare them with statistics, give ``statistics.counting``.
    method : str
        "beta-binomial", "permutation", "stratified-permutation", "g2", "chi2", "fisher", "welch", "mann-whitney",
        "text-dispersion" or "log-odds". The default lets each corpus have its own burstiness, learned from the word's
        documents and from all words; see `termburst.inference.two_sides`. "g2", "chi2" and "fisher" are what most
        corpus tools offer: they treat tokens as independent, and call a quarter of the words of two random halves of
        one corpus different. "text-dispersion" and "log-odds" are measures of other authors; see :doc:`keyness`.
    confidence : float, optional
        Confidence level of the log_ratio interval; None omits interval and lower_bound, which takes half the time.
    adjust : {"bh", "by", "holm", "none"}
        A term counts in the adjustment only at p-values that it can have (`least_p`), so that a term in too few
        documents to be significant costs the others nothing.
    min_count : int
        Terms that occur less often in both together are left out, and not counted in the adjustment.
    sort : {"p", "lower_bound", "log_ratio", "term"}
        "lower_bound" puts the words first that A uses more by the largest factor, of those with q ≤ 1 − confidence.
        None leaves the order open, which costs least on an engine.
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

        By groups, with contrasts: also `group`, where a is the group and b the rest. With ``contrasts=False`` and more
        than two groups: term, n, b, statistic (the largest of the comparisons), p_value, q_value, least_p, p_method,
        and `highest`, the group with the largest ratio of its share to that of the others.

        By a formula, one row per term and contrast: term, n, b, contrast; n_a, n_b, b_a, b_b, per_million_a and
        per_million_b of the two values that are compared (null for a slope, or two numbers); log_ratio, log₂ of the
        ratio of odds (for a term below a few per cent of the tokens the ratio of shares), and log_ratio_unadjusted
        without the other covariates; ci_low, ci_high; lower_bound, the end of the interval nearest to 0 if q is small,
        else 0 (not corrected for choosing terms by it); statistic, p_value, q_value, adjusted for the terms of each
        contrast by itself; least_p, the smallest p that the term could have, wherever its bursts were (0 if not known):
        it counts in q only from there on; p_method; status of the fit. With clusters also statistic_documents and
        p_documents, as if all documents were independent.

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
    >>> X, groups, years = A + B, ["x"] * 8 + ["y"] * 6 + ["z"] * 6, [1, 2, 3, 4] * 5
    >>> tb.keyness(X, by=groups, terms=["ha", "no", "so"]).select("term", "group").rows()[0]
    ('ha', 'x')
    >>> covariates = {"who": groups, "year": years}
    >>> table = tb.keyness(X, formula="who + year", metadata=covariates, terms=["ha", "no", "so"])
    >>> table.select("term", "contrast").rows()[0], round(table["log_ratio"][0], 1)
    (('ha', 'who: x - z'), 2.7)
    """
    check_fork()
    asked = made_from(Keyness, locals())
    from termburst.questions.compared import aligned, comparison_order
    from termburst.questions.designs import keyness_by_formula
    from termburst.questions.keyness_plans import keyness_plan
    from termburst.questions.plans import run_in_memory
    from termburst.questions.word_lists import keyness_with_list

    check_contrasts(contrasts)
    places = {"B": B, "by=": by, "reference=": reference, "formula=": formula}
    if len(ways := [name for name, value in places.items() if value is not None]) > 1:
        raise ValueError(f"{' and '.join(ways)} take the place of each other; give one of them")
    if contrasts is not None and by is None:
        raise ValueError("contrasts= is about groups; give by=, the group of each document")
    design = {"metadata": metadata, "contrast": contrast, "cluster": cluster, "strata": strata}
    if formula is not None:
        asked.check_design()
        return keyness_by_formula(asked, A, formula, terms=terms, counting=counting, **design)
    if any(value is not None for value in design.values()):
        raise ValueError("metadata, contrast, cluster and strata go with formula=, the covariates to compare by")
    if by is not None:
        return _of_groups(asked, A, by, terms, counting, contrasts)
    if reference is not None:
        if method != "beta-binomial":
            raise ValueError("a comparison with reference= has one method; omit method=")
        common: dict[str, Any] = {"confidence": confidence, "adjust": adjust, "min_count": min_count}
        table = keyness_with_list(A, reference, terms=terms, counting=counting, **common)
        return table.sort(order, nulls_last=True) if (order := comparison_order(sort)) else table
    if B is None:
        raise ValueError(
            "give B, the corpus to compare with, by= with the group of each document, or formula= with covariates such "
            "as 'party + year'"
        )
    a, b, names = aligned(A, B, terms, terms_b, counting)
    return run_in_memory(keyness_plan(asked), names, [a, b])


def _of_groups(asked: Keyness, X: Any, labels: Any, terms: Any, counting: Any, contrasts: bool | None) -> pl.DataFrame:
    """Groups of the documents of one corpus, compared with each other."""
    import numpy as np

    from termburst.models.cells import cells_of_counts
    from termburst.questions.compared import warn_of_lone_documents
    from termburst.questions.frames import counted_texts, named_terms
    from termburst.questions.keyness_plans import keyness_plan
    from termburst.questions.plans import run_in_memory
    from termburst.statistics.matrix import canonical_counts
    from termburst.statistics.term_statistics import TermStatistics

    (X,) = counted_texts({"A": X}, counting)
    if isinstance(X, TermStatistics):
        raise ValueError("groups need a count matrix: statistics do not keep which document contains what")
    counts = canonical_counts(X)
    names = named_terms(X, terms, counts.shape[1])
    groups, place = _grouped(labels, counts.shape[0])
    plan = keyness_plan(asked, groups, contrasts)
    parts = [counts[place == g] for g in range(len(groups))]
    for group, part in zip(groups, parts, strict=True):
        if not part.nnz:
            raise ValueError(f"the group {group!r} has no tokens: there is nothing to compare with")
    warn_of_lone_documents(np.bincount(place))
    return run_in_memory(plan, names, [cells_of_counts(part) for part in parts])


def _grouped(labels: Any, documents: int) -> tuple[list[str], NDArray[np.intp]]:
    """The names of the groups in order, and the number of the group of each document."""
    import numpy as np

    unordered = isinstance(labels, (str, bytes, Set, Mapping)) or not isinstance(labels, Iterable)
    if unordered or getattr(labels, "ndim", 1) != 1:
        raise ValueError(f"by must be a list or a Series with one label per document; got {shown(labels)}")
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
    import numpy as np

    kind = type(label.item() if isinstance(label, np.generic) else label)
    return float if kind is int else kind
