"""The questions of the battery: one row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from battery.documents import Given

import termburst as tb
from termburst.names import DEFAULT_SCHEME
from termburst.questions.report import Report

COLUMNS = ["id", "party", "who", "half", "year", "month", "note"]
LIST = {"the": 900, "sea": 40, "so": 60, "naïve": 3}
ANOTHER = tb.TermStatistics.from_texts(["so it goes", "the sea"] * 9, "patterns")
TWO = {"by": "party", "groups": ["hc", "ha"]}
BY_TWO = ("keyness", "--by", "party", "--groups", "hc,ha")
BY_THREE = ("keyness", "--by", "party")
BRIEF: dict[str, Any] = {
    "statistic": "lr",
    "intervals": False,
    "dispersion": False,
    "mid_p": True,
    "draws": 99,
    "seed": 4,
}
BRIEF["adjust"] = "holm"
ONE, OTHER = "party: hc - ha", "half: late - early"
LATE = "year >= 1952 AND party = 'ha'"


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes
    ----------
    ask : to a corpus
    command : the same on the command line, before the options of reading; empty if there is no such command
    function : the same without a corpus; none if there is no such function
    needs : "sums" over documents; "cells", the counts of each document; "metadata"; "documents", cells in memory;
        "texts"; "pieces" of texts; or "whole", texts in memory
    rule : how words are counted
    any_order : whether frames answer with rows in no order, because they are the cells of documents
    kind : whether it is asked of every way in; some ways in answer these questions only
    """

    name: str
    ask: Callable[[Any], Any]
    command: tuple[Any, ...] = ()
    function: Callable[[Given], Any] | None = None
    needs: str = "sums"
    rule: str = "as they are"
    kind: bool = False
    any_order: bool = False


def sums(given: Given) -> tb.TermStatistics:
    return tb.TermStatistics.from_texts(given.texts, "patterns", counting=given.counting)


def spread(given: Given) -> pl.DataFrame:
    X, terms = given.counted()
    return pl.DataFrame({"term": terms.tolist(), **tb.dispersion(X)})


def two(given: Given, **options: Any) -> pl.DataFrame:
    return tb.keyness(given.of("party", "hc"), given.of("party", "ha"), counting=given.counting, **options)


def halves(given: Given) -> pl.DataFrame:
    return tb.keyness(given.of("half", "early"), given.of("half", "late"), counting=given.counting)


def three(given: Given, **options: Any) -> pl.DataFrame:
    X, terms = given.counted()
    return tb.keyness(X, by=given.frame["party"].to_list(), terms=terms, **options)


def design(given: Given, formula: str, **options: Any) -> pl.DataFrame:
    return tb.keyness(given.texts, formula=formula, metadata=given.metadata, counting=given.counting, **options)


def weights(given: Given, scheme: str, labels: Any = None, norm: str | None = None) -> pl.DataFrame:
    X, terms = given.counted()
    return cells(tb.TermWeighting(scheme, norm=norm).fit_transform(X, labels), given.ids, terms)


def cells(matrix: Any, ids: Any, terms: Any) -> pl.DataFrame:
    """The cells of a matrix that are not 0, in the order of documents: document, term, weight."""
    found = matrix.tocoo()
    names, words = np.asarray(ids, dtype=object), np.asarray(terms, dtype=object)
    rows = {
        "document": names[found.row].astype(str),
        "term": words[found.col].astype(str),
        "weight": found.data.astype(float),
    }
    return pl.DataFrame(rows).filter(pl.col("weight") != 0)


def page(corpus: Any, parts: tuple[str, ...]) -> dict[str, Any]:
    """Parts of what the page shows."""
    found = corpus.summary(Report(panels=3, pairs=3))
    return {name: found[name] for name in parts}


def pairs(X: Any, terms: Any) -> pl.DataFrame:
    return tb.coburst(X, [("the", "and"), ("whale", "ship")], terms=terms)


QUESTIONS = [
    Question(
        "burstiness",
        lambda c: c.burstiness(columns="all"),
        ("terms", "--test", "--columns", "all"),
        lambda g: tb.burstiness_test(*g.counted(), columns="all"),
        kind=True,
    ),
    Question(
        "burstiness of some",
        lambda c: c.burstiness(statistic="score", adjust="holm", min_count=9, mu=30.0, sigma2=0.3, form="corrected"),
        ("terms", "--test", "--statistic", "score", "--adjust", "holm", "--min-count", 9, "--mu", 30, "--sigma2", 0.3,
         "--form", "corrected"),
    ),
    Question(
        "burstiness without intervals",
        lambda c: c.burstiness(**BRIEF),
        function=lambda g: tb.burstiness_test(sums(g), **BRIEF),
    ),
    Question(
        "terms", lambda c: c.term_table(), ("terms",), lambda g: tb.term_table(sums(g)), kind=True
    ),
    *(
        Question(f"terms {rule}", lambda c: c.term_table(), ("terms",), lambda g: tb.term_table(sums(g)), rule=rule)
        for rule in ("of English", "as scikit-learn", "by a pattern", "cut at apostrophes")
    ),
    Question("terms, n-grams", lambda c: c.term_table(), ("terms",), rule="n-grams", kind=True),
    Question(
        "pieces", lambda c: c.split(tokens=15).term_table(), ("terms", "--split", 15), needs="pieces", rule="of English"
    ),
    Question("parts", lambda c: c.split(pattern="free").term_table(), ("terms", "--split", "free"), needs="pieces"),
    Question(
        "no near-copies", lambda c: c.drop_duplicates().term_table(), ("terms", "--drop-duplicates"), needs="documents"
    ),
    Question("terms and their parts", lambda c: c.term_table(parts=True), ("terms", "--parts")),
    Question(
        "terms with exact fits",
        lambda c: c.term_table(fit="exact", form="exact", sigma2=0.5),
        ("terms", "--fit", "exact", "--form", "exact", "--sigma2", 0.5),
    ),
    Question(
        "terms without fits",
        lambda c: c.term_table(fit="none", intervals=False, mu=25.0),
        function=lambda g: tb.term_table(sums(g), fit="none", intervals=False, mu=25.0),
    ),
    Question(
        "explain",
        lambda c: c.explain("whale", form="corrected"),
        function=lambda g: tb.explain(sums(g), "whale", form="corrected"),
    ),
    Question("statistics", lambda c: c.statistics, ("stats", "build"), sums, kind=True),
    Question("sizes", lambda c: (len(c), c.tokens, c.terms.tolist())),
    Question("fits", lambda c: c.fit_beta_binomial(), kind=True),
    Question("dispersion", lambda c: c.dispersion(), (), spread, "cells", kind=True),
    Question("two measures", lambda c: c.dispersion(["dp", "juilland_d"]), needs="cells"),
    Question("dispersion by distances", lambda c: c.dispersion("arf"), needs="whole"),
    Question(
        "two corpora",
        lambda c: c.where("half = 'early'").keyness(c.where("half = 'late'")),
        (),
        halves,
        needs="metadata",
        kind=True,
    ),
    Question(
        "two corpora of n-grams",
        lambda c: c.where("half = 'early'").keyness(c.where("half = 'late'")),
        (),
        halves,
        needs="metadata",
        rule="n-grams",
    ),
    Question("a corpus here", lambda c: c.keyness(ANOTHER)),
    Question("a list", lambda c: c.keyness(reference=LIST), (), lambda g: tb.keyness(g.texts, reference=LIST)),
    Question(
        "three groups",
        lambda c: c.keyness(by="party"),
        BY_THREE,
        lambda g: three(g, contrasts=True),
        "metadata",
        kind=True,
    ),
    Question(
        "three groups of n-grams",
        lambda c: c.group("party").keyness(min_count=4),
        (*BY_THREE, "--min-count", 4),
        lambda g: three(g, contrasts=True, min_count=4),
        "metadata",
        "n-grams",
    ),
    Question(
        "three groups in one test",
        lambda c: c.keyness(by="party", contrasts=False, min_count=3),
        (*BY_THREE, "--no-contrasts", "--min-count", 3),
        lambda g: three(g, contrasts=False, min_count=3),
        "metadata",
    ),
    Question("two groups", lambda c: c.keyness(**TWO), BY_TWO, two, "metadata"),
    Question(
        "two groups, the largest first",
        lambda c: c.where("party != 'hb'").group("party").keyness(sort="lower_bound"),
        (*BY_THREE, "--where", "party != 'hb'", "--sort", "lower_bound"),
        needs="metadata",
    ),
    Question(
        "two groups with contrasts",
        lambda c: c.keyness(by="party", groups=["ha", "hc"], contrasts=True, sort="term"),
        (*BY_THREE, "--groups", "ha,hc", "--contrasts", "--sort", "term"),
        needs="metadata",
    ),
    Question(
        "two groups at another level",
        lambda c: c.keyness(**TWO, confidence=0.8, adjust="by", min_count=4),
        (*BY_TWO, "--confidence", 0.8, "--adjust", "by", "--min-count", 4),
        lambda g: two(g, confidence=0.8, adjust="by", min_count=4),
        "metadata",
    ),
    Question(
        "two groups by permutation",
        lambda c: c.keyness(**TWO, method="permutation", confidence=None),
        (),
        lambda g: two(g, method="permutation", confidence=None),
        "metadata",
    ),
    Question(
        "two groups by G²",
        lambda c: c.keyness(**TWO, method="g2", adjust="holm"),
        (*BY_TWO, "--method", "g2", "--adjust", "holm"),
        needs="metadata",
    ),
    Question(
        "burstiness of two groups",
        lambda c: c.keyness(**TWO, compare="burstiness"),
        (*BY_TWO, "--compare", "burstiness"),
        lambda g: two(g, compare="burstiness"),
        "metadata",
        kind=True,
    ),
    Question(
        "burstiness of three groups",
        lambda c: c.keyness(by="party", compare="burstiness"),
        (*BY_THREE, "--compare", "burstiness"),
        lambda g: three(g, contrasts=True, compare="burstiness"),
        "metadata",
    ),
    Question(
        "two years",
        lambda c: c.keyness(by="year", groups=[1950, 1943]),
        ("keyness", "--by", "year", "--groups", "1950,1943"),
        needs="metadata",
    ),
    Question(
        "two months",
        lambda c: c.where("month = 9 OR month = 10").keyness(by="month"),
        ("keyness", "--by", "month", "--where", "month = 9 OR month = 10"),
        needs="metadata",
    ),
    Question("a condition", lambda c: c.keyness(by=LATE), ("keyness", "--by", LATE), needs="metadata", kind=True),
    Question(
        "some documents",
        lambda c: c.where("month > 3 OR note = 'seen'").keyness(by="half"),
        ("keyness", "--by", "half", "--where", "month > 3 OR note = 'seen'"),
        needs="metadata",
    ),
    Question(
        "a formula",
        lambda c: c.keyness("party + year"),
        ("keyness", "--formula", "party + year"),
        lambda g: design(g, "party + year"),
        "metadata",
    ),
    Question(
        "clusters",
        lambda c: c.keyness(formula="party*half", contrast=[ONE, OTHER], cluster="who", min_count=3),
        ("keyness", "--formula", "party*half", "--contrast", ONE, "--contrast", OTHER, "--cluster", "who",
         "--min-count", 3),
        lambda g: design(g, "party*half", contrast=[ONE, OTHER], cluster="who", min_count=3),
        "metadata",
        kind=True,
    ),
    Question(
        "groups and clusters",
        lambda c: c.keyness(**TWO | {"groups": ["ha", "hc"]}, cluster="who", adjust="holm"),
        ("keyness", "--by", "party", "--groups", "ha,hc", "--cluster", "who", "--adjust", "holm"),
        needs="metadata",
    ),
    Question(
        "strata and a contrast",
        lambda c: c.keyness(by="party", strata="half", contrast=ONE, adjust="holm", confidence=0.9),
        ("keyness", "--by", "party", "--strata", "half", "--contrast", ONE, "--adjust", "holm",
         "--confidence", 0.9),
        lambda g: design(g, "party", strata="half", contrast=ONE, adjust="holm", confidence=0.9),
        "metadata",
    ),
    Question(
        "weights",
        lambda c: c.weights(),
        ("weigh",),
        lambda g: weights(g, DEFAULT_SCHEME),
        "cells",
        any_order=True,
        kind=True,
    ),
    Question(
        "weights tf-idf",
        lambda c: c.weights("tf-idf", norm="l2"),
        ("weigh", "--scheme", "tf-idf", "--norm", "l2"),
        lambda g: weights(g, "tf-idf", norm="l2"),
        "cells",
        any_order=True,
    ),
    Question(
        "weights by fits",
        lambda c: c.weights("pearson"),
        ("weigh", "--scheme", "pearson"),
        lambda g: weights(g, "pearson"),
        "cells",
        any_order=True,
    ),
    Question(
        "weights of n-grams",
        lambda c: c.weights("s-lambda", mu=20.0, sigma2=0.5),
        ("weigh", "--scheme", "s-lambda", "--mu", 20, "--sigma2", 0.5),
        needs="cells",
        rule="n-grams",
        any_order=True,
    ),
    Question(
        "weights of classes",
        lambda c: c.weights("class-lift", y="party"),
        (),
        lambda g: weights(g, "class-lift", g.frame["party"].to_list()),
        "documents",
    ),
    Question("rows of counts", lambda c: c.count_rows(), needs="cells", any_order=True),
    Question("metadata", lambda c: c.metadata.select(COLUMNS), needs="documents"),
    Question("counts", lambda c: cells(c.counts, c.ids, c.terms), ("weigh", "--scheme", "counts"), needs="documents",
             kind=True),
    Question("lines", lambda c: c.kwic("free*"), ("kwic", "free*"), needs="texts", kind=True),
    Question(
        "no line", lambda c: c.kwic("WHALE", case=True), ("kwic", "WHALE", "--case"), needs="texts"
    ),
    Question(
        "lines with columns",
        lambda c: c.kwic("So", case=True, width=12, columns=["year", "note"]),
        ("kwic", "So", "--case", "--width", 12, "--columns", "year,note"),
        needs="texts",
    ),
    Question(
        "lines of a pattern",
        lambda c: c.where("year > 1945").kwic(r"fr\w+ w|東京", regex=True, width=9),
        ("kwic", r"fr\w+ w|東京", "--regex", "--width", 9, "--where", "year > 1945"),
        needs="texts",
    ),
    Question(
        "lines in an order",
        lambda c: c.kwic("so", sort=["R1", "-year"], top=7),
        ("kwic", "so", "--sort", "R1,-year", "--top", 7),
        needs="texts",
    ),
    Question("collocates", lambda c: c.collocates("free"), ("collocates", "free"), needs="texts", kind=True),
    Question(
        "collocates of a phrase",
        lambda c: c.collocates("free world", 2, within="sentence", adjust="holm", min_count=9, confidence=0.8),
        ("collocates", "free world", "--window", 2, "--within", "sentence", "--adjust", "holm", "--min-count", 9,
         "--confidence", 0.8),
        needs="texts",
    ),
    Question(
        "collocates of English",
        lambda c: c.collocates("whale"),
        ("collocates", "whale"),
        needs="texts",
        rule="of English",
    ),
    Question(
        "the node itself",
        lambda c: c.collocates("free", include_node=True, sort="n", top=5),
        ("collocates", "free", "--include-node", "--sort", "n", "--top", 5),
        needs="texts",
    ),
    Question(
        "check",
        lambda c: c.check(cluster="who", halves=3),
        ("check", "--cluster", "who", "--halves", 3),
        needs="texts",
        kind=True,
    ),
    Question("n-grams", lambda c: c.ngrams(), needs="whole"),
    Question(
        "triggers of all words",
        lambda c: c.triggers(decay=9, min_documents=8, top=9),
        ("triggers", "--decay", 9, "--min-documents", 8, "--top", 9),
        needs="whole",
    ),
    Question(
        "triggers",
        lambda c: c.triggers("free", min_documents=3),
        ("triggers", "free", "--min-documents", 3, "--top", 50),
        needs="whole",
        kind=True,
    ),
    Question(
        "pairs", lambda c: pairs(c, None), (), lambda g: pairs(*g.counted()), "documents"
    ),
    Question("page of terms", lambda c: page(c, ("overview", "terms", "zipf", "lengths")), needs="sums"),
    Question(
        "page of texts",
        lambda c: page(c, ("axes", "panels", "brought_on", "documents")),
        ("report", "--panels", 3, "--pairs", 3),
        needs="whole",
    ),
]  # fmt: skip
