"""The numbers of a page are those of the library's functions."""

import json
import warnings
from functools import partial

import numpy as np
import pytest

import termburst as tb
from termburst.report import CountedCorpus, render, summarize
from termburst.report.pieces import PLACES
from termburst.statistics.term_statistics import as_statistics

statistics_of = partial(as_statistics, detail="patterns")


@pytest.fixture(scope="module")
def summary(documents):
    return summarize(documents, title="docstrings", panels=50)


def test_it_is_plain_json(summary):
    assert json.loads(json.dumps(summary, allow_nan=False))["title"] == "docstrings"


def test_terms_are_those_of_the_tables(documents, summary):
    statistics = statistics_of(documents)
    test = tb.burstiness_test(statistics, columns="all")
    tested = {row["term"]: row for row in test.to_dicts()}
    assert summary["terms"]["term"] == test["term"].to_list()
    table = test.select("term").join(tb.term_table(statistics, fit="exact"), on="term", maintain_order="left")
    for name in ("n", "b", "plr", "tf_idf_sum"):
        np.testing.assert_allclose(summary["terms"][name], table[name].to_list(), rtol=1e-12)
    for name in ("burst_ratio", "ci_low", "ci_high", "lower_bound", "reuse", "reuse_binomial"):
        np.testing.assert_allclose(np.array(summary["terms"][name], float), test[name].to_numpy(), rtol=1e-12)
    for i in range(0, table.height, 37):
        term = summary["terms"]["term"][i]
        assert summary["terms"]["log10_p"][i] == tested[term]["log10_p"]
        assert 10 ** summary["terms"]["log10_q"][i] == pytest.approx(tested[term]["q_value"], rel=1e-9, abs=0)
        alpha = tested[term]["alpha"]
        assert summary["terms"]["alpha"][i] == (alpha if np.isfinite(alpha) else None)
    overview = summary["overview"]
    assert overview["sure"] == sum(row["q_value"] <= 0.05 for row in tested.values())
    assert overview["once"] == (table["n"] == 1).sum()
    assert summary["correlation"] == pytest.approx(np.corrcoef(table["plr"], table["tf_idf_sum"])[0, 1])


def test_panels_explain_their_terms(documents, summary):
    statistics = statistics_of(documents)
    for panel in summary["panels"]:
        why = tb.explain(statistics, panel["term"])
        assert panel["parts"] == why.parts
        assert sum(panel["observed"]) == statistics.documents
        assert sum(panel["binomial"]) == pytest.approx(statistics.documents)
        assert sum(panel["occurrences"]) == why.n_i or len(panel["occurrences"]) == PLACES
        for line in panel["lines"]:
            assert line["term"].lower() == panel["term"]
            assert str(line["document"]) in summary["documents"]
    assert len(summary["panels"]) == 50


def test_histograms_count_everything_once(documents, summary):
    lengths = summary["lengths"]
    assert sum(lengths["documents"]) + lengths["empty"] == len(documents.ids)
    n_j = np.asarray(documents.counts.sum(axis=1)).ravel()
    assert (lengths["mean"], lengths["longest"]) == (pytest.approx(n_j.mean()), n_j.max())
    assert lengths["median"] == np.median(n_j)
    logs = summary["log_alpha"]
    fit = tb.fit_beta_binomial(documents.counts)
    inner = fit.alpha[fit.status == "converged"]
    assert sum(logs["alpha"]) == sum(logs["alpha_not"]) == logs["converged"] == inner.size
    assert logs["below_a_tenth"] == (inner < 0.1).sum()
    ranks = np.array(summary["zipf"]["rank"])
    n_i = np.sort(np.asarray(documents.counts.sum(axis=0)).ravel())[::-1]
    np.testing.assert_array_equal(summary["zipf"]["n"], n_i[ranks - 1])


def test_statistics_have_no_documents(documents, summary):
    found = summarize(statistics_of(documents), title="docstrings", panels=50)
    assert found["terms"] == summary["terms"]
    assert found["documents"] == {}
    assert all("places" not in panel and "lines" not in panel for panel in found["panels"])
    assert found["panels"][0]["parts"] == summary["panels"][0]["parts"]


def test_limits_of_terms_and_panels(documents):
    found = summarize(documents, max_terms=30, panels=100, min_count=3, examples=0)
    assert len(found["terms"]["term"]) == len(found["panels"]) == 30
    assert found["overview"]["tested"] == (statistics_of(documents).collection_frequency >= 3).sum()
    assert not any(panel["lines"] for panel in found["panels"])


def test_small_collections_have_a_page():
    for X in [
        [[3, 0], [0, 4], [2, 0], [0, 5]],  # all or nothing
        [[1, 2]],  # one document
        [[5]],  # one term
        [[0, 0], [1, 0]],  # an empty document, and a term that never occurs
        [[1, 1, 1]] * 3,  # never more than chance
        [[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]],
    ]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tb.inference.ClampedTermsWarning)
            found = summarize(tb.TermStatistics.from_counts(X, detail="patterns"))
        json.dumps(found, allow_nan=False)
        assert render(found).startswith("<!doctype html>")


def test_what_cannot_be_summarised():
    with pytest.raises(ValueError, match="nothing to report"):
        summarize(CountedCorpus.from_texts(["", "  "]), title="nothing.txt")
    with pytest.raises(ValueError, match="no term occurs 9 times"):
        summarize(CountedCorpus.from_texts(["so it goes"]), min_count=9)
    with pytest.raises(ValueError, match="patterns"):
        summarize(tb.TermStatistics.from_texts(["so it goes"]))
    with pytest.raises(ValueError, match="count texts first"):
        summarize(["so it goes"])
    with pytest.raises(ValueError, match="summarize"):
        render({"title": "x"})
