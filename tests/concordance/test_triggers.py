"""`corpus.triggers`: planted pairs are found in their direction, and bad input gets one sentence."""

import numpy as np
import polars as pl
import pytest

import termburst as tb
from termburst.concordance.triggers import triggers


@pytest.fixture(scope="module")
def corpus():
    """Documents where "socrates" brings on "plato", which brings on nothing."""
    rng = np.random.default_rng(5)
    words = ["socrates", "plato", "sea", "sun", "ship", "sand", "wind", "the"]
    M = np.diag(np.full(8, 0.05))
    M[0, 1] = 1.0
    urn = tb.PolyaUrn([0.05, 0.02, 0.13, 0.1, 0.1, 0.1, 0.1, 0.4], M)
    return tb.read([" ".join(words[k] for k in one) for one in urn.sample_tokens(np.full(500, 30), rng)])


def test_a_planted_pair_is_found_in_its_direction(corpus):
    table = corpus.triggers("socrates")
    assert table.columns == [
        "direction", "term", "ratio", "ci_low", "ci_high", "documents", "expected", "p_value", "q_value", "log10_p",
        "repeated",
    ]  # fmt: skip
    first = table.row(0, named=True)
    assert (first["direction"], first["term"]) == ("brings on", "plato")
    assert first["q_value"] < 1e-10
    assert first["ci_low"] < 1 + 1.0 / 0.02 < first["ci_high"]
    assert first["ci_low"] < first["ratio"] < first["ci_high"]
    assert first["documents"] > 2 * first["expected"]
    backwards = corpus.triggers("Plato").row(0, named=True)
    assert (backwards["direction"], backwards["term"]) == ("brought on by", "socrates")


def test_all_pairs_and_options(corpus):
    table = corpus.triggers()
    assert table.select("source", "target").row(0) == ("socrates", "plato")
    assert table["p_value"].is_sorted()
    assert (table["q_value"] >= table["p_value"]).all()
    narrow = corpus.triggers("socrates", confidence=0.5).row(0, named=True)
    wide = corpus.triggers("socrates", confidence=0.99).row(0, named=True)
    assert wide["ci_low"] < narrow["ci_low"] < narrow["ci_high"] < wide["ci_high"]
    assert corpus.triggers("socrates", top=1, adjust="holm").height == 1
    fit = tb.fit_polya_urn(corpus, "full", min_documents=400)
    assert corpus.triggers("sea", fit=fit).schema["term"] == pl.String


def test_no_candidates_give_an_empty_table():
    corpus = tb.read(["a b", "b a", "a c"])
    table = corpus.triggers("a")
    assert table.height == 0
    assert table.schema["term"] == pl.String


def test_bad_input_gets_one_sentence(corpus):
    with pytest.raises(ValueError, match=r"'platoo' does not occur in the corpus; did you mean 'plato'"):
        corpus.triggers("platoo")
    with pytest.raises(ValueError, match="give one word"):
        corpus.triggers(3)
    with pytest.raises(ValueError, match="confidence must be"):
        corpus.triggers("plato", confidence=2)
    with pytest.raises(ValueError, match="most_repeated must be a number of at least 0 and at most 1; got 2"):
        corpus.triggers("plato", most_repeated=2)
    with pytest.raises(ValueError, match="adjust must be"):
        corpus.triggers("plato", adjust="none at all")
    with pytest.raises(ValueError, match='got kind="diagonal"'):
        triggers(tb.fit_polya_urn(corpus, "diagonal"), "plato")
    with pytest.raises(ValueError, match="the corpus was made from counts"):
        tb.read(np.array([[1, 2], [3, 4]]), terms=["a", "b"]).triggers("a")


def test_terms_of_counts_need_not_be_sorted():
    counts = tb.read(np.array([[3, 1, 0], [0, 2, 2], [1, 1, 1]] * 10), terms=["z", "b", "a"])
    fit = tb.fit_polya_urn(counts, "full", min_documents=1)
    assert fit.terms.tolist() == ["z", "b", "a"]
    assert triggers(fit).height > 0
    for word in triggers(fit)["source"]:
        assert triggers(fit, word).filter(direction="brings on").height > 0


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
    table = tb.read(texts).triggers(top=None)
    by_pair = {(row["source"], row["target"]): row for row in table.iter_rows(named=True)}
    signature, pair = by_pair["gordon", "banks"], by_pair["socrates", "plato"]
    assert signature["repeated"] == signature["documents"] == 30
    assert (pair["repeated"], pair["documents"]) == (0, 30)
    assert (table["repeated"] <= table["documents"]).all()
    kept = tb.read(texts).triggers(top=1, most_repeated=0.5)
    assert kept.select("source", "target").row(0) == ("socrates", "plato")
    assert kept["q_value"][0] == pair["q_value"]
