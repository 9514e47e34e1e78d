"""`weigh`: a file that SciPy, NumPy and termburst can read, with the weights of `TermWeighting`."""

import numpy as np
import pytest
import scipy.sparse as sp

import termburst as tb
from termburst.counting.vectorizer import CountVectorizer  # cells in the order of columns: sums are equal to the bit


@pytest.mark.parametrize("scheme", sorted(tb.SCHEMES))
@pytest.mark.parametrize("norm", [None, "l2"])
def test_the_weights_are_those_of_the_estimator(run, corpus, tmp_path, texts, scheme, norm):
    target = tmp_path / "weights.npz"
    outcome = run("weigh", corpus, "--scheme", scheme, "-o", target, *(["--norm", norm] if norm else []))
    assert (outcome.code, outcome.raw, outcome.err) == (0, b"", "")
    vectorizer = CountVectorizer()
    expected = tb.TermWeighting(scheme, norm=norm).fit_transform(vectorizer.fit_transform(texts))
    np.testing.assert_array_equal(sp.load_npz(target).toarray(), expected.toarray())
    weights = tb.load_weights(target)
    np.testing.assert_array_equal(weights.matrix.toarray(), expected.toarray())
    assert weights.terms.tolist() == vectorizer.get_feature_names_out().tolist()
    assert weights.documents.tolist() == [f"corpus.txt:{i}" for i in range(1, 42)]
    with np.load(target, allow_pickle=False) as stored:
        assert stored["terms"].tolist() == weights.terms.tolist()
        assert stored["documents"].tolist() == weights.documents.tolist()


def test_the_default_and_the_options_of_the_statistic(run, corpus, tmp_path, texts):
    counts = CountVectorizer(ngram_range=(1, 2)).fit_transform(texts)
    run("weigh", corpus, "-o", tmp_path / "a.npz", "--ngrams", "1,2", "--mu", 30, "--sigma2", 0.5)
    expected = tb.TermWeighting("s-lambda", mu=30, sigma2=0.5).fit_transform(counts)
    np.testing.assert_array_equal(sp.load_npz(tmp_path / "a.npz").toarray(), expected.toarray())


def test_ids_come_from_a_column(run, tmp_path, table):
    table.write_csv(tmp_path / "table.csv")
    assert run("weigh", tmp_path / "table.csv", "--text", "body", "--id", "name", "-o", tmp_path / "w.npz").code == 0
    assert tb.load_weights(tmp_path / "w.npz").documents.tolist() == table["name"].to_list()


@pytest.mark.parametrize(
    ("given", "named"),
    [(["--scheme", "tfidf"], "'tf-idf'"), (["--norm", "l3"], "'l3'"), (["--sigma2", "-1"], "sigma2")],
)
def test_wrong_options_are_refused(fault, corpus, tmp_path, given, named):
    target = tmp_path / "out" / "weights.npz"
    target.parent.mkdir()
    assert named in fault("weigh", corpus, "-o", target, *given)
    assert list(target.parent.iterdir()) == []


def test_an_unknown_scheme_is_refused_before_anything_is_read(fault, tmp_path):
    assert "'nonsense'" in fault("weigh", tmp_path / "missing", "-s", "nonsense", "-o", tmp_path / "w.npz")
