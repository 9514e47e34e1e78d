"""`fit_polya_urn`: kinds, scores, predictions, and what it says about documents that teach nothing."""

import numpy as np
import pytest
import scipy.sparse as sp

import termburst as tb

TEXTS = [
    ["ha", "ha", "ha", "ha", "so"],
    ["so", "so", "goes"],
    ["it", "so", "it", "it", "it"],
    ["ha", "ha", "ha"],
    ["on", "goes"],
] * 4


def counts_of(documents, terms):
    place = {term: k for k, term in enumerate(terms)}
    X = np.zeros((len(documents), len(terms)), dtype=int)
    for j, document in enumerate(documents):
        for token in document:
            X[j, place[token]] += 1
    return X


def test_constant_equals_the_dirichlet_multinomial():
    urn = tb.fit_polya_urn(TEXTS, "constant")
    fit = tb.fit_dirichlet_multinomial(counts_of(TEXTS, urn.terms))
    delta = urn.replacement.diagonal()
    np.testing.assert_allclose(urn.alpha / delta, fit.alpha, rtol=1e-9)
    assert urn.log_likelihood == pytest.approx(fit.loglik, rel=1e-12)
    total = sum(urn.urn.sequence_log_likelihood([urn.terms.tolist().index(w) for w in one]) for one in TEXTS)
    assert urn.held_out(TEXTS).log_likelihood.sum() == pytest.approx(total, rel=1e-12)
    assert total == pytest.approx(fit.loglik, rel=1e-9)


def test_one_word_tied_diagonal_and_constant_agree_where_order_cannot_matter():
    rng = np.random.default_rng(3)
    shares = rng.beta(0.6, 0.6, 60)
    texts = [["a" if u < share else "b" for u in rng.random(10)] for share in shares]
    constant = tb.fit_polya_urn(texts, "constant")
    diagonal = tb.fit_polya_urn(texts, "diagonal", prior=None, tolerance=1e-12)
    assert diagonal.log_likelihood >= constant.log_likelihood - 1e-9
    assert diagonal.log_likelihood - constant.log_likelihood < 4  # half a χ² of one more parameter


def test_the_kinds_gain_likelihood_in_turn():
    rng = np.random.default_rng(1)
    M = np.diag([0.5, 0.1, 0.02, 0.02, 0.3])
    M[0, 1] = 1.0
    urn = tb.models.PolyaUrn([0.05, 0.05, 0.5, 0.3, 0.1], M)
    documents = urn.sample_tokens(rng.poisson(20, 400) + 1, rng)
    texts = [[f"w{k}" for k in one] for one in documents]
    fits = [tb.fit_polya_urn(texts, kind, prior=None) for kind in ("constant", "diagonal", "full")]
    values = [fit.log_likelihood for fit in fits]
    assert values == sorted(values)
    full = fits[-1]
    assert full.pairs_looked_at == 20
    assert full.replacement[0, 1] == pytest.approx(1.0, rel=0.4)
    assert full.score(texts) == pytest.approx(full.log_likelihood / full.tokens, rel=1e-9)
    found = tb.fit_polya_urn(texts, "full", decay=10.0)
    assert found.score(texts) == pytest.approx(found.log_likelihood / found.tokens, rel=1e-9)
    with pytest.raises(ValueError, match="no decay"):
        _ = found.urn


def test_held_out_counts_unknown_words():
    urn = tb.fit_polya_urn(TEXTS)
    found = urn.held_out([["ha", "what", "ha"], [], ["what"]])
    assert found.tokens.tolist() == [2, 0, 0]
    assert found.unknown == 2
    assert found.log_likelihood[1:].tolist() == [0, 0]
    assert found.perplexity == pytest.approx(np.exp(-found.per_token))
    with pytest.raises(ValueError, match="no token of these documents is known"):
        urn.score([["what"]])


@pytest.mark.parametrize("decay", [None, 2.0])
def test_the_probability_of_a_text_is_the_product_of_those_of_its_tokens(decay):
    urn = tb.fit_polya_urn(TEXTS, decay=decay)
    place, added = {term: k for k, term in enumerate(urn.terms)}, urn.replacement.toarray()
    brought, log_likelihood = np.zeros_like(urn.alpha), 0.0
    for word in TEXTS[0]:
        mass = urn.alpha + brought
        log_likelihood += np.log(mass[place[word]] / mass.sum())
        brought = (brought + added[place[word]]) if decay is None else 0.5 ** (1 / decay) * brought + added[place[word]]
    assert log_likelihood == pytest.approx(urn.held_out(TEXTS[:1]).log_likelihood[0])


def test_a_corpus_gives_its_words_without_stop_words():
    corpus = tb.read(["Ha ha the so", "so it the", "it goes the it"] * 5, stop_words=["the"])
    urn = tb.fit_polya_urn(corpus)
    assert urn.terms.tolist() == ["goes", "ha", "it", "so"]
    lists = [["ha", "ha", "so"], ["so", "it"], ["it", "goes", "it"]] * 5
    same = tb.fit_polya_urn(lists)
    assert urn.log_likelihood == pytest.approx(same.log_likelihood, rel=1e-12)
    assert urn.score(corpus) == pytest.approx(same.score(lists), rel=1e-12)


def test_counts_get_an_order_at_random():
    X = counts_of(TEXTS, ["goes", "ha", "it", "on", "so"])
    first, again = tb.fit_polya_urn(sp.csr_matrix(X)), tb.fit_polya_urn(X)
    assert first.log_likelihood == again.log_likelihood
    assert tb.fit_polya_urn(X, "constant").log_likelihood == pytest.approx(
        tb.fit_polya_urn(TEXTS, "constant").log_likelihood, rel=1e-9
    )


def test_bad_documents_get_one_sentence():
    for documents, sentence in [
        ("ha ha", "give a corpus"),
        (7, "give a corpus"),
        (["ha ha"], "Document 0 is a text; read texts first, with tb.read"),
        ([{"ha": 2}], r"Document 0 must be a string or a list of tokens; got \{.ha.: 2\}"),
        (np.array([["ha", "so"]])[0], "Document 0 is a text"),
        (np.array([[1.5, 2.0]]), "Every token of document 0 must be a string; got 1.5"),
        ([["ha"], None], "Document 1 must be a string or a list of tokens; got None"),
        ([["ha", 3]], "Every token of document 0 must be a string; got 3"),
        ([], "no tokens"),
        ([[], []], "no tokens"),
        ([["ha"], ["so"]], "no document has two tokens"),
        ([["ha", "ha"], ["so", "so", "so"], ["it"]], "no document has two different words"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            tb.fit_polya_urn(documents)


def test_bad_options_get_one_sentence():
    for options, sentence in [
        ({"kind": "dense"}, "kind must be one of 'constant', 'diagonal', 'full'"),
        ({"prior": 0}, "prior must be a number above 0"),
        ({"prior": float("nan")}, "prior must be a number above 0"),
        ({"decay": -1}, "decay must be a number above 0"),
        ({"kind": "constant", "decay": 5.0}, "takes no decay"),
        ({"sources": 0}, "sources must be a whole number"),
        ({"sources": 99}, "sources must be at most 50"),
        ({"max_iterations": 0}, "max_iterations must be a whole number"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            tb.fit_polya_urn(TEXTS, **options)


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_documents_from_which_little_can_be_learned_have_documented_limits():
    never = tb.fit_polya_urn([["a", "b", "c"], ["b", "c", "a"], ["d", "a", "b"]], prior=None)
    assert never.status == "boundary"
    assert never.replacement.nnz == 0
    assert tb.fit_polya_urn([["a", "b", "c"], ["b", "c", "a"], ["d", "a", "b"]]).status == "boundary"
    with pytest.warns(UserWarning, match="grow without bound: their values are where the fit ended"):
        without = tb.fit_polya_urn([["a", "b", "b", "c"]] * 6, "full", prior=None)
    assert without.status == "unbounded"
    with pytest.warns(UserWarning, match="grow without bound"):
        equal = tb.fit_polya_urn([["a", "b", "b", "c"]] * 6, "full")
    assert np.isfinite(equal.log_likelihood)
    assert np.isfinite(equal.score([["c", "c", "a"]]))
    with pytest.warns(UserWarning, match="grow without bound"):
        alone = tb.fit_polya_urn([["a"] * 5, ["b", "c", "b"]] * 3, prior=None)
    assert alone.status == "unbounded"
    short = tb.fit_polya_urn([["a"], ["b", "b"], ["c", "d"], ["a"]])
    assert np.isfinite(short.alpha).all()


@pytest.mark.filterwarnings("error")
def test_a_word_without_mass_has_no_likelihood():
    """With prior=None a word that always came after another cannot begin a document."""
    rng = np.random.default_rng(0)
    texts = [["s", "t", "x", "z"] if u < 0.5 else list(rng.permutation(["x", "y", "z", "s"])) for u in rng.random(60)]
    with pytest.warns(UserWarning, match="grow without bound"):
        urn = tb.fit_polya_urn(texts, "full", prior=None)
    place = urn.terms.tolist().index("t")
    assert urn.alpha[place] == 0
    assert urn.held_out([["t"], ["x"]]).log_likelihood[0] == -np.inf


def test_a_column_of_counts_that_is_empty():
    for kind in ["constant", "diagonal", "full"]:
        for prior in [None, 1.0]:
            X = np.array([[3, 1, 0, 0], [0, 2, 2, 0], [1, 1, 1, 0]] * 10)
            urn = tb.fit_polya_urn(X, kind, prior=prior, min_documents=1)
            assert urn.alpha[3] < 1e-9
            assert np.isfinite(urn.score(X))
