"""What a comparison cannot find is said, and where p does not hold: by the same sentence wherever it is asked."""

import numpy as np
import polars as pl
import pytest

import termburst as tb
from termburst.questions.compared import design_notes, divided_clusters, out_of_reach, small_strata
from termburst.report import summarize_keyness

TERMS = [f"w{k:02}" for k in range(40)] + ["rest"]
WARNING = pytest.mark.filterwarnings("ignore::UserWarning")


def drawn(documents: int, seed: int = 3) -> np.ndarray:
    """Counts of 40 words that differ in nothing, and of the rest."""
    rng = np.random.default_rng(seed)
    X = rng.binomial(1_000, rng.beta(0.3, 60, (documents, 40)))
    return np.c_[X, np.maximum(1_000 - X.sum(axis=1), 0)]


def about(clusters: int, each: int) -> dict[str, list]:
    at = np.arange(clusters * each)
    return {"year": (1900.0 + at % each + at // each % 3).tolist(), "who": [f"s{k // each:02}" for k in at]}


def test_with_11_clusters_nothing_can_be_significant():
    assert out_of_reach([2**-11] * 41, clusters=11) is None  # 41/2048 < 5 %: one word alone could be
    with pytest.warns(UserWarning, match=r"with 8 clusters no p is below 0\.0039, .*; at least 10 clusters"):
        table = tb.keyness(drawn(32), formula="year", metadata=about(8, 4), terms=TERMS, cluster="who")
    assert table["least_p"].min() == 2**-8
    text = out_of_reach([2**-11] * 12_762, clusters=11)
    assert "0.00049" in text
    assert "12,762" in text
    assert "at least 18 clusters" in text


def test_what_is_significant_together_or_unknown_is_not_out_of_reach():
    assert out_of_reach([0.0, 0.2, 0.2]) is None  # not known of the first one
    assert out_of_reach([0.06, 0.2]) is not None
    assert out_of_reach([0.04, 0.2], "bh") is None  # the second does not count at that level
    assert out_of_reach([0.04, 0.04], "bh") is not None
    assert out_of_reach([0.04, 0.04], "none") is None


def test_two_small_corpora_say_that_nothing_can_be_found():
    own = np.eye(6, 41, dtype=int) + np.roll(np.eye(6, 41, dtype=int), 1, axis=1)
    A, B = own, np.roll(own, 3, axis=1)
    with pytest.warns(UserWarning, match=r"with so few documents no p is below 0\.\d+, so no word can be"):
        tb.keyness(A, B, terms=TERMS)
    frames = [
        pl.DataFrame(
            [{"document": d, "term": TERMS[t], "count": int(x[d, t])} for d, t in zip(*np.nonzero(x), strict=True)]
        )
        for x in (A, B)
    ]
    with pytest.warns(UserWarning, match="with so few documents no p is below"):
        tb.scan(frames[0]).keyness(tb.scan(frames[1]))
    labels = ["x", "y", "z"] * 2
    with pytest.warns(UserWarning, match="with so few documents no p is below"):
        tb.keyness(A, by=labels, terms=TERMS)
    sides = frames[0].with_columns(side=pl.col("document").replace_strict(range(6), labels))
    with pytest.warns(UserWarning, match="with so few documents no p is below"):
        tb.scan(sides).keyness(by="side")


PAIRS = {"side": ["a", "b"] * 10, "pair": [f"p{k // 2}" for k in range(20)]}


def test_pairs_have_a_warning_with_either_option():
    with pytest.warns(UserWarning, match=r"10 of 10 clusters of 'pair' have several values of side: cluster= does not"):
        tb.keyness(drawn(20), formula="side", metadata=PAIRS, terms=TERMS, cluster="pair")
    with pytest.warns(UserWarning, match=r"the strata of 'pair' have 2 documents each on average, but from 15 on p"):
        tb.keyness(drawn(20), formula="side", metadata=PAIRS, terms=TERMS, strata="pair")
    frame = pl.DataFrame({**PAIRS, "document": range(20)})
    long = [{"document": d, "term": TERMS[t], "count": int(c)} for (d, t), c in np.ndenumerate(drawn(20)) if c]
    joined = pl.DataFrame(long).join(frame, on="document")
    with pytest.warns(UserWarning, match=r"the strata of 'pair' have 2 documents each on average"):
        tb.scan(joined).keyness("side", strata="pair")


def test_enough_documents_or_few_strata_have_none():
    assert small_strata([15] * 8, "s") is None
    assert small_strata([14] * 8, "s") is not None
    assert small_strata([3, 3, 3, 3], "s") is None  # few strata are few parameters
    frame = pl.DataFrame(PAIRS | {"year": range(20)})
    assert divided_clusters(frame, ["year"], "pair") is None  # a slope is no comparison of two sides
    assert design_notes(frame, ["side"], None, None) == []
    assert [one[:16] for one in design_notes(frame, ["side"], "pair", "pair")] == [
        "10 of 10 cluster",
        "the strata of 'p",
    ]


@WARNING
def test_pages_say_the_same():
    corpus = tb.read(drawn(20), terms=TERMS, metadata=PAIRS)
    table = corpus.keyness("side", cluster="pair")
    notes = summarize_keyness(table, {"all documents": corpus}, formula="side", cluster="pair")["notes"]
    assert notes[0] == divided_clusters(corpus.metadata, ["side"], "pair")
    eight = tb.read(drawn(32), terms=TERMS, metadata=about(8, 4))
    found = summarize_keyness(
        eight.keyness("year", cluster="who"), {"all documents": eight}, formula="year", cluster="who"
    )
    assert found["notes"][0].startswith("with 8 clusters no p is below 0.0039")
    a, b = (tb.read(part, terms=TERMS) for part in (drawn(40)[:20], drawn(40)[20:]))
    assert summarize_keyness(tb.keyness(a, b), {"a": a, "b": b})["notes"] == []
