"""What every estimator of counts refuses, with one clear sentence."""

import numpy as np
import pytest
import scipy.sparse as sp

import termburst as tb

X = np.random.default_rng(0).poisson(1.0, size=(20, 6))
Y = np.repeat(["no", "yes"], 10)
ESTIMATORS = [
    tb.DirichletMultinomialNB(),
    tb.BetaBinomialNB(),
    tb.EDCMMixture(2, random_state=0),
    tb.BurstinessSelector(2),
    tb.ClassTermWeighting(),
    tb.TermWeighting(),
]


@pytest.fixture(params=ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def estimator(request):
    return request.param


def damaged(kind):
    matrix = sp.csc_matrix(X) if kind == "csc" else sp.csr_matrix(X)
    if kind == "starts":
        matrix.indptr[3] = 9999
    elif kind == "short":
        matrix.indices = matrix.indices[:3]
    else:
        matrix.indices[0] = 9999
    return matrix


@pytest.mark.parametrize("kind", ["csr", "csc", "starts", "short"])
def test_a_damaged_matrix_does_not_end_the_process(estimator, kind):
    with pytest.raises(ValueError, match="the sparse matrix is damaged"):
        estimator.fit(damaged(kind), Y)


@pytest.mark.parametrize("texts", ["so it goes", ["so it goes", "so so"], np.array(["so it goes", "so so"])])
def test_the_message_about_texts_names_the_vectorizer(estimator, texts):
    with pytest.raises(ValueError, match=r"takes counts, not texts: count the texts first with CountVectorizer\(\)"):
        estimator.fit(texts, ["no", "yes"])


def test_masked_cells_are_refused(estimator):
    with pytest.raises(ValueError, match="the count matrix has masked cells; fill them first"):
        estimator.fit(np.ma.masked_greater(X, 2), Y)


@pytest.mark.parametrize("labels", [["no", None] * 10, [0.0, np.nan] * 10])
@pytest.mark.parametrize("kind", [tb.DirichletMultinomialNB, tb.BetaBinomialNB, tb.ClassTermWeighting])
def test_every_document_needs_a_label(kind, labels):
    with pytest.raises(ValueError, match="give every document a label"):
        kind().fit(X, np.array(labels))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: tb.DirichletMultinomialNB(alpha=np.inf),
            r"alpha must be a number above 0 and at most 1e\+100, or one of 'held-out'; got inf",
        ),
        (
            lambda: tb.DirichletMultinomialNB(precision=1e-320),
            "precision must be a number above 1e-100, or .*; got 1e-320",
        ),
        (
            lambda: tb.DirichletMultinomialNB(precision=10**400),
            "precision must be a number above 1e-100, or .*; got 1000",
        ),
        (lambda: tb.DirichletMultinomialNB(class_prior={"no": 0.5, "yes": 0.5}), "class_prior must be 2 probabilities"),
        (lambda: tb.BetaBinomialNB(strength=np.inf), "strength must be a number above 0"),
        (lambda: tb.EDCMMixture(alpha=1e308), "alpha must be a number above 0"),
        (lambda: tb.EDCMMixture(temperatures=(2, np.nan, 1)), "temperatures must decrease"),
        (lambda: tb.EDCMMixture(temperatures=("warm", "cold")), "temperatures must decrease"),
        (lambda: tb.EDCMMixture(temperatures=[[2], [1]]), "temperatures must decrease"),
        (lambda: tb.BurstinessSelector(by=["p"]), "by must be one of 'plr', 'lr', 'p'"),
        (lambda: tb.ClassTermWeighting(seed_multiplier="two"), "seed_multiplier must be a number"),
        (lambda: tb.ClassTermWeighting(seed_words="turtle"), "seed_words must be a list of words; got 'turtle'"),
        (lambda: tb.ClassTermWeighting(seed_words=3), "seed_words must be a list of words; got 3"),
    ],
)
def test_bad_parameters_are_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make().fit(X, Y)


@pytest.mark.parametrize("make", [tb.DirichletMultinomialNB, lambda: tb.EDCMMixture(2, random_state=0)])
def test_too_many_tokens_are_refused(make):
    with pytest.raises(ValueError, match="too many tokens"):
        make().fit(X * 1e300, Y)
    proba = make().fit(X, Y).predict_proba(np.full((1, 6), 1e17))
    np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_too_large_sample_weights_are_refused():
    with pytest.raises(ValueError, match="divide them all by the largest"):
        tb.DirichletMultinomialNB().fit(X, Y, sample_weight=np.full(20, 1e308))


@pytest.mark.parametrize(("classes", "sentence"), [([], "one class is needed"), (["no", None], "document a label")])
def test_classes_of_partial_fit(classes, sentence):
    with pytest.raises(ValueError, match=sentence):
        tb.DirichletMultinomialNB().partial_fit(X, Y, classes)


def test_an_unknown_label_is_named():
    model = tb.DirichletMultinomialNB().partial_fit(X, np.repeat([0, 1], 10), [0, 1])
    with pytest.raises(ValueError, match=r"^the label 2 is not among the classes$"):
        model.partial_fit(X, np.repeat([1, 2], 10))


@pytest.mark.parametrize(
    ("changed", "sentence"), [({"k": -1}, "k must be"), ({"k": None}, "k must be"), ({"by": "p"}, "fit again")]
)
def test_bad_changes_after_fitting_are_refused(changed, sentence):
    with pytest.raises(ValueError, match=sentence):
        tb.BurstinessSelector(2).fit(X).set_params(**changed).get_support()


@pytest.mark.parametrize("n", [0, -1, 1.5, None])
def test_the_number_of_top_terms_is_checked(n):
    with pytest.raises(ValueError, match="n must be a whole number of 1 or more"):
        tb.ClassTermWeighting().fit(X, Y).top_terms(n=n)


def test_names_must_be_a_list():
    with pytest.raises(ValueError, match="one name per column"):
        tb.ClassTermWeighting().fit(X, Y).top_terms(iter("abcdef"))
