"""Collocates: counts by hand, p by brute force, size under the null."""

import numpy as np
import pytest

import termburst as tb
from termburst.concordance.positions import TokenPositions
from termburst.counting.options import CountingOptions
from termburst.inference.collocates import attraction
from termburst.inference.multiplicity import adjust
from termburst.questions.collocates import Collocates

COUNTING = CountingOptions()
COLUMNS = [
    *("term", "n", "n_window", "documents", "expected", "log_dice", "log_ratio", "ci_low", "ci_high"),
    *("p_value", "q_value", "log10_p", "p_upper"),
]


def by_hand(documents, node, window):
    """n, n_window and documents of every word, in plain Python; *node* is a list of tokens."""
    found = {}
    for number, tokens in enumerate(documents):
        starts = [k for k in range(len(tokens)) if tokens[k : k + len(node)] == node]
        own = {k + j for k in starts for j in range(len(node))}
        near = {j for k in starts for j in range(k - window, k + len(node) + window) if 0 <= j < len(tokens)} - own
        for place, token in enumerate(tokens):
            row = found.setdefault(token, [0, 0, set()])
            row[0] += 1
            if place in near:
                row[1] += 1
                row[2].add(number)
    return {word: (n, inside, len(where)) for word, (n, inside, where) in found.items()}


def random_documents(rng, documents=40, words=30):
    weight = 1 / np.arange(1, words + 1)
    names = np.array([f"w{k}" for k in range(words)])
    return [rng.choice(names, rng.integers(1, 120), p=weight / weight.sum()).tolist() for _ in range(documents)]


def test_counts_are_those_made_by_hand():
    for node in ["w1", "w2 w0", "w0 w0"]:
        for window in [1, 4, 50]:
            documents = random_documents(np.random.default_rng(window))
            frame = tb.read(documents).collocates(node, window=window)
            expected = by_hand(documents, node.split(), window)
            if " " not in node:
                del expected[node]
            assert {row[0]: row[1:] for row in frame.select("term", "n", "n_window", "documents").rows()} == expected
            assert frame.columns == COLUMNS
            assert frame["log10_p"].is_sorted()


@pytest.mark.slow
def test_p_is_that_of_shuffles():
    rng = np.random.default_rng(7)
    documents = random_documents(rng, documents=15)
    frame = Collocates("w3", window=3).answer(documents, CountingOptions(pretokenized=True))
    observed = dict(frame.select("term", "n_window").rows())
    above, equal = dict.fromkeys(observed, 0), dict.fromkeys(observed, 0)
    shuffles = 2000
    arrays = [(np.array(tokens), np.array(tokens) != "w3") for tokens in documents if "w3" in tokens]
    for _ in range(shuffles):
        counts = dict.fromkeys(observed, 0)
        for tokens, other in arrays:
            shuffled = tokens.copy()
            shuffled[other] = rng.permutation(tokens[other])
            nodes = np.flatnonzero(~other)
            reached = np.abs(np.arange(tokens.size)[:, None] - nodes[None, :]).min(axis=1) <= 3
            for word in shuffled[reached & other]:
                counts[word] += 1
        for word, count in counts.items():
            above[word] += count > observed[word]
            equal[word] += count == observed[word]
    for term, p, upper, expected in frame.select("term", "p_value", "p_upper", "expected").rows():
        error = 4.5 * np.sqrt(max(upper * (1 - upper), 1e-3) / shuffles)
        assert (above[term] + equal[term]) / shuffles == pytest.approx(upper, abs=error)
        weight = float(np.clip(1 - (expected - 1) / 8, 0.5, 1))
        assert (above[term] + weight * equal[term]) / shuffles == pytest.approx(p, abs=error)


def test_texts_and_positions_give_the_same_table():
    texts = [" ".join(tokens) + "." for tokens in random_documents(np.random.default_rng(3))]
    for within in ("document", "sentence"):
        source = TokenPositions.of(texts, COUNTING, sentences=within == "sentence")
        one, other = (Collocates("w4", within=within).answer(kind, COUNTING) for kind in (source, texts))
        assert one.equals(other)


def test_a_window_ends_with_the_sentence():
    corpus = tb.read(["The free world. Peace is free! War came."])
    near = corpus.collocates("free", window=2, within="sentence")
    assert dict(near.select("term", "n_window").rows()) == {
        "the": 1,
        "world": 1,
        "peace": 1,
        "is": 1,
        "war": 0,
        "came": 0,
    }
    assert corpus.collocates("free", window=2)["n_window"].sum() == 6


def test_stop_words_are_places_but_no_rows():
    corpus = tb.read(["free of the fear and want", "fear"] * 3, stop_words=["of", "the", "and"])
    frame = corpus.collocates("free", window=3)
    assert dict(frame.select("term", "n_window").rows()) == {"fear": 3, "want": 0}


def test_the_node_has_a_row_only_if_asked():
    corpus = tb.read(["ha ha and so on ha", "ha so it goes"])
    assert "ha" not in corpus.collocates("ha")["term"].to_list()
    row = corpus.collocates("ha", window=1, include_node=True).row(0, named=True)
    assert (row["term"], row["n"], row["n_window"], row["documents"], row["p_value"]) == ("ha", 4, 2, 1, None)


def test_patterns_and_case():
    corpus = tb.read(["Free speech, freedom of speech, unfree speech"] * 2)
    near = corpus.collocates("FREE*", window=1)
    assert dict(near.select("term", "n_window").rows()) == {"speech": 2, "of": 2, "unfree": 0}  # once, though near two
    assert corpus.collocates("Free Speech", window=1)["n_window"].sum() == 2


def test_q_is_over_the_words_that_share_a_document_with_the_node():
    frame = tb.read([*random_documents(np.random.default_rng(11), words=60), ["zz", "yy"]]).collocates("w20", window=2)
    tested = frame.filter(frame["log_ratio"].is_not_null())
    np.testing.assert_allclose(tested["q_value"], adjust(tested["p_value"].to_numpy()), rtol=1e-9)
    rest = frame.filter(frame["log_ratio"].is_null())
    assert set(rest["p_value"]) == set(rest["q_value"]) == {1.0}
    assert frame["log_dice"].max() < 14


def test_wrong_input_gives_one_sentence():
    for node, options, message in [
        ("nowhere", {}, "does not occur in the corpus"),
        ("gose", {}, "did you mean 'goes'"),
        ("", {}, "must be a word"),
        ("...", {}, "is not a word by the rule"),
        ("so", {"window": 0}, "window must be a whole number"),
        ("so", {"window": 10**6}, "window must be a whole number from 1 to 1,000"),
        ("so", {"within": "chapter"}, "within must be one of"),
        ("so", {"confidence": 95}, "confidence must be a number between"),
        ("so", {"adjust": "x"}, "adjust must be one of"),
    ]:
        with pytest.raises(ValueError, match=message) as error:
            tb.read(["so it goes", "so so it"]).collocates(node, **options)
        assert "\n" not in str(error.value)


def test_counts_have_no_order():
    with pytest.raises(ValueError, match="have no order"):
        tb.read([[1, 2], [3, 4]]).collocates("so")


def test_a_corpus_whose_positions_are_too_large_is_read_again(monkeypatch):
    corpus = tb.read(["so it goes", "so so it"])
    expected = corpus.collocates("so")
    monkeypatch.setenv("TERMBURST_MEMORY_MB", "1")
    monkeypatch.setattr("termburst.corpus.corpus.memory_allowed", lambda: 10)
    again = tb.read(["so it goes", "so so it"])
    assert again.collocates("so").equals(expected)
    assert "positions" not in vars(again._documents)


@pytest.mark.parametrize("node", ["w3", "w1 w2", "w?"])
def test_a_limit_gives_the_first_rows_of_the_whole_table(node):
    rng = np.random.default_rng(22)
    texts = [" ".join(f"w{k}" for k in rng.zipf(1.5, 60) if k < 300) for _ in range(40)]
    for source in (texts, TokenPositions.of(texts, COUNTING)):
        whole = Collocates(node, min_count=2).answer(source, COUNTING)
        for top in (1, 7, whole.height - 1, whole.height, 10_000):
            assert Collocates(node, min_count=2, top=top).answer(source, COUNTING).equals(whole.head(top))
        assert Collocates(node, min_count=2, top=0).answer(source, COUNTING).equals(whole)  # all
        by_n = whole.sort("n", descending=True, maintain_order=True)
        assert Collocates(node, min_count=2, sort="n", top=7).answer(source, COUNTING).equals(by_n.head(7))
    own = Collocates("w3", include_node=True, top=4).answer(texts, COUNTING)
    assert own.equals(Collocates("w3", include_node=True).answer(texts, COUNTING).head(4))
    with pytest.raises(ValueError, match="top"):
        Collocates(node, top=-1)


@pytest.mark.slow
def test_the_size_holds_on_shuffled_texts():
    """Words in topics: each document has its own vocabulary, so that G² would find attraction everywhere."""
    rng = np.random.default_rng(20)
    names = np.array(["node", *(f"w{k}" for k in range(400))])
    documents = []
    for _ in range(400):
        share = rng.dirichlet(20 / np.arange(1, 402)) * 0.9 + 0.1 / 401
        share[0] = rng.beta(0.5, 20)
        documents.append(rng.choice(names, rng.integers(50, 300), p=share / share.sum()))
    found = []
    for _ in range(12):
        for tokens in documents:
            other = tokens != "node"
            tokens[other] = rng.permutation(tokens[other])
        texts = [tokens.tolist() for tokens in documents]
        frame = Collocates("node").answer(texts, CountingOptions(pretokenized=True))
        found.append(frame.select("expected", "p_value").to_numpy())
    expected, p = np.concatenate(found).T
    enough = expected >= 5
    assert enough.sum() > 1500
    assert 0.035 < (p[enough] < 0.05).mean() < 0.065
    assert (p[~enough] < 0.05).mean() < 0.06


def test_intervals_agree_with_p_where_little_is_expected():
    """The lower end is above 0 exactly if p is below 2.5 %: the mid-p had three times as many above 0."""
    rng = np.random.default_rng(5)
    others, near = rng.integers(50, 400, 60), np.full(60, 20)
    words = 4_000
    document = np.sort(rng.integers(0, 60, (words, 6)), axis=1)
    seen = rng.hypergeometric(near[document], (others - near)[document], 1).sum(axis=1)
    shuffled = np.repeat(np.arange(words), 6), document.ravel()  # a document twice is two tokens of one cell
    cells = {}
    for word, one in zip(*shuffled, strict=True):
        cells[word, one] = cells.get((word, one), 0) + 1
    places = np.array(list(cells))
    starts = np.append(0, np.cumsum(np.bincount(places[:, 0], minlength=words)))
    of = starts, places[:, 1].astype(np.int32), np.array(list(cells.values()), dtype=np.int32)
    found = attraction(others, near, of, seen)
    assert 0.3 < found.expected.mean() < 1
    np.testing.assert_array_equal(found.low > 0, found.log_p < np.log(0.025))
    listed = seen > 0
    assert ((found.low <= 0) & (found.high >= 0))[listed].mean() > 0.97
