"""On Cranfield, the MAP of SPUD is significantly above that of LM-Dirichlet."""

import pytest
from scipy.stats import wilcoxon

import termburst as tb
from helpers.reference import reference_values
from termburst.datasets import load_cranfield
from termburst.retrieval import Index, evaluate


@pytest.fixture(scope="module")
def average_precision(data):
    corpus = load_cranfield()
    counting = tb.CountingOptions(words="sklearn", stop_words="english")
    index = Index.from_texts(corpus.documents.texts, corpus.documents.ids, counting=counting)
    judgements = {query: dict.fromkeys(relevant, 1) for query, relevant in corpus.relevant.items()}

    def of(model, measure="map", **parameters):
        found = index.batch_search(corpus.queries.texts, None, model=model, **parameters)
        rankings = {query: hits.ids for query, hits in zip(corpus.queries.ids, found, strict=True)}
        return evaluate(rankings, judgements).values[measure]

    return of


def test_all_measures_are_those_of_ir_measures(average_precision):
    for model, means in reference_values("retrieval_peers")["cranfield"].items():
        for measure, mean in means.items():
            assert average_precision(model, measure).mean() == pytest.approx(mean, abs=1e-9)


def test_map_equals_the_documented_values(average_precision):
    """The numbers of docs/retrieval.md. ranx gave the same to fifteen digits for the same rankings."""
    for model, mean in reference_values("cranfield_ranx")["map"].items():
        assert average_precision(model).mean() == pytest.approx(mean, abs=6e-5)


@pytest.mark.parametrize("mu", [50, 100, 200, 300, 500, 1000, 2000])  # the best is near 200
def test_spud_is_above_lm_dirichlet_for_every_mu(mu, average_precision):
    difference = average_precision("spud") - average_precision("lm-dirichlet", mu=mu)
    assert difference.mean() > 0.01
    assert wilcoxon(difference).pvalue < 0.01
