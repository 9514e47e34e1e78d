"""`weigh`: a file that SciPy, NumPy and termburst can read, with the weights of `TermWeighting`."""

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from scipy.io import mmread

import termburst as tb
from termburst.counting.vectorizer import CountVectorizer  # cells in the order of columns: sums are equal to the bit
from termburst.names import DEFAULT_SCHEME
from termburst.weights import load_weights


def test_the_weights_are_those_of_the_estimator(done, corpus, tmp_path, texts):
    target = tmp_path / "weights.npz"
    done("weigh", corpus, "--lines", "-o", target)
    vectorizer = CountVectorizer()
    expected = tb.TermWeighting(norm=None).fit_transform(vectorizer.fit_transform(texts))
    np.testing.assert_array_equal(sp.load_npz(target).toarray(), expected.toarray())
    weights = load_weights(target)
    np.testing.assert_array_equal(weights.matrix.toarray(), expected.toarray())
    assert weights.terms.tolist() == vectorizer.get_feature_names_out().tolist()
    assert weights.documents.tolist() == [f"corpus.txt:{i}" for i in range(1, 42)]
    with np.load(target, allow_pickle=False) as stored:
        assert stored["terms"].tolist() == weights.terms.tolist()
        assert stored["documents"].tolist() == weights.documents.tolist()


def test_the_help_names_the_default_scheme(run):
    assert f"[default: {DEFAULT_SCHEME}]" in " ".join(run("weigh", "--help").out.replace("│", " ").split())


@pytest.mark.parametrize("name", ["w.csv", "w.parquet"])
def test_the_long_form(run, corpus, tmp_path, texts, name):
    outcome = run("weigh", corpus, "--lines", "-s", "tf-idf", "-o", tmp_path / name)
    assert outcome.code == 0
    assert "1 document has no term and is not in the file, which has one row per weight" in outcome.err
    frame = pl.read_csv(tmp_path / name) if name == "w.csv" else pl.read_parquet(tmp_path / name)
    assert frame.columns == ["document", "term", "weight"]
    vectorizer = CountVectorizer()
    expected = tb.TermWeighting("tf-idf", norm=None).fit_transform(vectorizer.fit_transform(texts)).tocoo()
    assert frame["weight"].to_list() == expected.data.tolist()  # to the last bit
    assert frame["term"].to_list() == vectorizer.get_feature_names_out()[expected.col].tolist()
    assert frame["document"].to_list() == [f"corpus.txt:{row + 1}" for row in expected.row]


def test_matrix_market(run, done, corpus, tmp_path):
    run("weigh", corpus, "--lines", "-o", tmp_path / "w.npz")
    expected = load_weights(tmp_path / "w.npz")
    done("weigh", corpus, "--lines", "-o", tmp_path / "w.mtx")
    terms = (tmp_path / "w.terms.txt").read_text(encoding="utf-8").splitlines()
    assert terms == expected.terms.tolist()
    assert len((tmp_path / "w.documents.txt").read_text(encoding="utf-8").splitlines()) == 41
    np.testing.assert_array_equal(mmread(tmp_path / "w.mtx").toarray(), expected.matrix.toarray())


def test_names_are_not_written_over_the_corpus(fault, corpus):
    terms = corpus.with_name("corpus.terms.txt")
    corpus.rename(terms)
    assert "is part of the input" in fault("weigh", terms, "-o", terms.with_name("corpus.mtx"))


def test_ids_come_from_a_column(run, tmp_path, table):
    table.write_csv(tmp_path / "table.csv")
    assert run("weigh", tmp_path / "table.csv", "--text", "body", "--id", "name", "-o", tmp_path / "w.npz").code == 0
    assert load_weights(tmp_path / "w.npz").documents.tolist() == table["name"].to_list()


@pytest.mark.parametrize(
    ("given", "named"),
    [(["--scheme", "tfidf"], "'tf-idf'"), (["--norm", "l3"], "'l3'"), (["--sigma2", "-1"], "sigma2")],
)
def test_wrong_options_are_refused(fault, corpus, tmp_path, given, named):
    target = tmp_path / "out" / "weights.npz"
    target.parent.mkdir()
    assert named in fault("weigh", corpus, "--lines", "-o", target, *given)
    assert list(target.parent.iterdir()) == []


def test_an_unknown_scheme_is_refused_before_anything_is_read(fault, tmp_path):
    assert "'nonsense'" in fault("weigh", tmp_path / "missing", "-s", "nonsense", "-o", tmp_path / "w.npz")


@pytest.mark.parametrize(("command", "name"), [("weigh", "w.npz"), ("export", "w.csv")])
def test_ids_that_are_not_unique_are_said(run, tmp_path, command, name):
    path = tmp_path / "t.csv"
    path.write_text("who,text\na,so it goes\nb,so so\na,on and on\n", encoding="utf-8")
    outcome = run(command, path, "--id", "who", "-o", tmp_path / name, "--quiet")
    assert outcome.code == 0
    assert "1 id is that of more than one document: 'a'; ids of documents should be unique" in outcome.err
    assert run(command, path, "-o", tmp_path / name, "--quiet").err == ""


@pytest.mark.filterwarnings("default")
def test_a_weight_that_needs_labels_is_made_with_a_warning(run, corpus, tmp_path):
    told = run("weigh", corpus, "--lines", "--scheme", "class-lift", "-o", tmp_path / "a.npz")
    assert "'class-lift' has no labels of documents here" in " ".join(told.err.split())
