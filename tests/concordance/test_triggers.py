"""`corpus.triggers`: planted pairs are found in their direction, and bad input gets one sentence."""

import numpy as np
import polars as pl
import pytest

import termburst as tb
from termburst.questions.triggers import Triggers


@pytest.fixture(scope="module")
def corpus():
    """Documents where "socrates" brings on "plato", which brings on nothing."""
    rng = np.random.default_rng(5)
    words = ["socrates", "plato", "sea", "sun", "ship", "sand", "wind", "the"]
    M = np.diag(np.full(8, 0.05))
    M[0, 1] = 1.0
    urn = tb.models.PolyaUrn([0.05, 0.02, 0.13, 0.1, 0.1, 0.1, 0.1, 0.4], M)
    return tb.read([" ".join(words[k] for k in one) for one in urn.sample_tokens(np.full(500, 30), rng)])


def shuffled(texts, rng):
    """The same words in each text, in any order."""
    return [" ".join(rng.permutation(text.split())) for text in texts]


@pytest.fixture(scope="module")
def topical():
    """Four topics of five words each. No word comes after another more than by chance, but for "first" and "second"."""
    rng = np.random.default_rng(8)
    texts = []
    for number in range(240):
        topic = [f"{'abcd'[number % 4]}{k}" for k in range(5)]
        words = rng.choice(topic + [f"w{k}" for k in range(30)], 25).tolist()
        if number % 6 == 0:
            words[3], words[17] = "first", "second"
        texts.append(" ".join(words))
    return texts


COLUMNS = [
    "direction", "term", "documents", "expected", "p_together", "q_together", "later", "earlier", "p_after", "q_after",
    "ratio", "ci_low", "ci_high", "repeated", "log10_p_together", "log10_p_after",
]  # fmt: skip


def test_a_planted_pair_is_found_in_its_direction(corpus):
    table = corpus.triggers("socrates")
    assert table.columns == COLUMNS
    first = table.row(0, named=True)
    assert (first["direction"], first["term"]) == ("brings on", "plato")
    assert first["q_together"] < 1e-10
    assert first["q_after"] < 1e-10
    assert first["ci_low"] < 1 + 1.0 / 0.02 < first["ci_high"]
    assert first["ci_low"] < first["ratio"] < first["ci_high"]
    assert first["later"] > 2 * first["earlier"]
    assert first["later"] + first["earlier"] <= first["documents"]
    assert first["documents"] > first["expected"]
    backwards = corpus.triggers("Plato").row(0, named=True)
    assert (backwards["direction"], backwards["term"]) == ("brought on by", "socrates")
    assert {name: backwards[name] for name in COLUMNS[2:]} == {name: first[name] for name in COLUMNS[2:]}


def test_in_shuffled_documents_nothing_comes_later(topical):
    """They keep their pairs, which share a topic; at most 5 % of these seem to come in one order."""
    rng = np.random.default_rng(9)
    original = tb.read(topical).triggers()
    for _ in range(3):
        table = tb.read(shuffled(topical, rng)).triggers()
        assert table.height > 30
        assert table.filter(pl.col("q_together") <= 0.05).height > 30
        assert (table["q_after"] <= 0.05).mean() <= 0.05
        assert (table["p_after"] <= 0.05).mean() <= 0.2  # of some fifty
        assert table["p_together"].to_list() == original["p_together"].to_list()


def test_only_a_sure_order_is_put_into_words(topical):
    corpus = tb.read(topical)
    assert corpus.triggers("first").row(0)[:2] == ("brings on", "second")
    assert corpus.triggers("second").row(0)[:2] == ("brought on by", "first")
    topic = corpus.triggers("a1")
    assert topic.height > 2
    assert set(topic["direction"]) == {"together with"}
    assert corpus.triggers(after=True).select("source", "target").rows() == [("first", "second")]
    assert corpus.triggers("a1", after=True).height == 0


def test_the_two_orders_of_a_pair_are_one_row(topical):
    table = tb.read(topical).triggers(top=0)
    pairs = [frozenset(row) for row in table.select("source", "target").iter_rows()]
    assert len(set(pairs)) == len(pairs)
    assert (table["later"] >= table["earlier"]).all()
    assert (table["p_after"] > 0).all()
    assert (table["p_together"] > 0).all()


def test_all_pairs_and_options(corpus):
    table = corpus.triggers()
    assert table.select("source", "target").row(0) == ("socrates", "plato")
    assert table["p_together"].is_sorted()
    assert (table["q_together"] >= table["p_together"]).all()
    assert (table["q_after"] >= table["p_after"]).all()
    narrow = corpus.triggers("socrates", confidence=0.5).row(0, named=True)
    wide = corpus.triggers("socrates", confidence=0.99).row(0, named=True)
    assert wide["ci_low"] < narrow["ci_low"] < narrow["ci_high"] < wide["ci_high"]
    assert corpus.triggers("socrates", top=1, adjust="holm").height == 1
    assert corpus.triggers(min_documents=10_000).height == 0
    fit = tb.fit_polya_urn(corpus, "full", min_documents=400)
    assert corpus.triggers("sea", fit=fit).schema["term"] == pl.String
    none = corpus.triggers("socrates", fit=fit).row(0, named=True)  # an urn without this entry
    assert (none["term"], none["ratio"], none["ci_low"], none["ci_high"]) == ("plato", None, None, None)


def test_no_candidates_give_an_empty_table():
    corpus = tb.read(["a b", "b a", "a c"])
    table = corpus.triggers("a")
    assert table.height == 0
    assert table.schema["term"] == pl.String


def test_bad_input_gets_one_sentence(corpus):
    with pytest.raises(ValueError, match=r"'platoo' does not occur in the corpus; did you mean 'plato'"):
        corpus.triggers("platoo")
    with pytest.raises(ValueError, match="term must be a string; got 3"):
        corpus.triggers(3)
    with pytest.raises(ValueError, match="confidence must be"):
        corpus.triggers("plato", confidence=2)
    with pytest.raises(ValueError, match="most_repeated must be a number from 0 to 1; got 2"):
        corpus.triggers("plato", most_repeated=2)
    with pytest.raises(ValueError, match="adjust must be"):
        corpus.triggers("plato", adjust="none at all")
    with pytest.raises(ValueError, match='got kind="diagonal"'):
        corpus.triggers("plato", fit=tb.fit_polya_urn(corpus, "diagonal"))
    with pytest.raises(ValueError, match="decay is an option of the urn"):
        corpus.triggers("plato", fit=tb.fit_polya_urn(corpus, "full"), decay=5)
    with pytest.raises(ValueError, match="the corpus was made from counts"):
        tb.read(np.array([[1, 2], [3, 4]]), terms=["a", "b"]).triggers("a")


def test_terms_of_counts_need_not_be_sorted():
    counts = tb.read(np.array([[3, 1, 0, 0, 4], [0, 0, 2, 2, 4], [1, 1, 0, 0, 4]] * 10), terms=[*"zbacd"])
    fit = tb.fit_polya_urn(counts, "full", min_documents=1)
    assert fit.terms.tolist() == [*"zbacd"]
    found = Triggers().answer(fit)
    assert {frozenset(row) for row in found.select("source", "target").rows()} == {frozenset("zb"), frozenset("ac")}
    assert found["documents"].sort().to_list() == [10, 20]
    for word in found["source"]:
        assert Triggers(word).answer(fit).height > 0


@pytest.mark.slow
def test_a_signature_is_told_from_a_pair_of_words():
    rng = np.random.default_rng(2)
    words = [f"w{k}" for k in range(40)]
    texts = []
    for number in range(120):
        text = list(rng.choice(words, 30))
        if number % 4 == 0:  # somewhere in the text, in other words each time
            text[10], text[14] = "socrates", "plato"
        if number % 4 == 1:
            text += ["gordon", "banks", "n3jxp", "skepticism", "is", "the", "chastity", "of", "the", "intellect"]
        texts.append(" ".join(text))
    table = tb.read(texts).triggers(top=0)
    by_pair = {(row["source"], row["target"]): row for row in table.iter_rows(named=True)}
    signature, pair = by_pair["gordon", "banks"], by_pair["socrates", "plato"]
    assert signature["repeated"] == signature["documents"] == 30
    assert (pair["repeated"], pair["documents"]) == (0, 30)
    assert (table["repeated"] <= table["documents"]).all()
    kept = tb.read(texts).triggers(top=1, most_repeated=0.5)
    assert kept.select("source", "target").row(0) == ("socrates", "plato")
    assert kept["q_after"][0] == pair["q_after"]
