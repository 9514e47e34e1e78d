"""The paper's Tables 2 and 3: every cell for S(λ), to the printed digit; and the inductive figures."""

import csv

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, classification_report
from sklearn.naive_bayes import MultinomialNB

import termburst as tb

PUBLISHED = {"newsgroups": "table2-20newsgroups.csv", "r8": "table3-r8.csv"}


def predictions(split, **options):
    weighting = tb.TermWeighting(**options).fit(split.train)
    model = MultinomialNB().fit(weighting.transform(split.train), split.train_labels)
    return model.predict(weighting.transform(split.test))


@pytest.fixture(params=["newsgroups", "r8"])
def collection(request):
    return request.param, request.getfixturevalue(request.param)


def test_the_collections_are_the_paper_s(newsgroups, r8):
    assert newsgroups.train.shape == (11_314, 88_701)
    assert newsgroups.test.shape[0] == 7_532
    assert newsgroups.train.sum() / 11_314 == pytest.approx(165.29, abs=0.005)
    assert r8.train.shape == (5_501, 19_688)
    assert r8.test.shape[0] == 2_190
    assert r8.train.sum() / 5_501 == pytest.approx(65.75, abs=0.005)


@pytest.mark.filterwarnings("ignore::termburst.ClampedTermsWarning")  # at most seven in a thousand terms
@pytest.mark.parametrize(
    ("scheme", "transductive", "accuracies"),
    [
        ("s-lambda", True, {"newsgroups": 0.80297, "r8": 0.94292}),
        ("s-lambda", False, {"newsgroups": 0.8022, "r8": 0.9425}),
        ("tf-idf", True, {"newsgroups": 0.8059, "r8": 0.9361}),
        ("tf-idf", False, {"newsgroups": 0.8059, "r8": 0.9333}),
    ],
)
def test_accuracies(collection, scheme, transductive, accuracies):
    name, split = collection
    found = accuracy_score(split.test_labels, predictions(split, scheme=scheme, transductive=transductive))
    digits = len(str(accuracies[name])) - 2
    assert round(found, digits) == accuracies[name]


@pytest.mark.filterwarnings("ignore::termburst.ClampedTermsWarning")
@pytest.mark.parametrize(("column", "scheme"), [("slambda", "s-lambda"), ("tfidf", "tf-idf")])
def test_every_cell_of_tables_2_and_3(data, collection, column, scheme):
    name, split = collection
    predicted = predictions(split, scheme=scheme, transductive=True)
    report = classification_report(
        split.test_labels, predicted, target_names=split.names, output_dict=True, zero_division=0
    )
    with (data / "published" / PUBLISHED[name]).open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == len(split.names) + 3
    wrong = []
    for row in rows:
        if row["class"] == "accuracy":
            cells = {f"{column}_f1": report["accuracy"]}
        else:
            found = report[row["class"]]
            keys = {"precision": "precision", "recall": "recall", "f1": "f1-score"}
            cells = {f"{column}_{short}": found[long] for short, long in keys.items()}
        wrong += [(row["class"], k, row[k], v) for k, v in cells.items() if f"{v:.2f}" != row[k]]
    assert not wrong


@pytest.mark.filterwarnings("ignore::termburst.ClampedTermsWarning")
def test_s_lambda_is_nearly_two_level(newsgroups):
    """About b_i/(b_i + n_i) where a term occurs once, and about 1 from twice on."""
    X = newsgroups.train
    weights = tb.TermWeighting().fit_transform(X)
    s = tb.TermStatistics.from_counts(X, detail="frequencies")
    level = s.document_frequency / (s.document_frequency + s.collection_frequency)
    error = np.abs(weights.data - level[weights.indices])[X.data == 1]
    assert np.median(error) < 0.01
    assert np.quantile(error, 0.75) < 0.04
    assert np.quantile(weights.data[X.data >= 2], 0.05) > 0.999
