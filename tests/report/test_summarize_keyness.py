"""The numbers of a comparison's page are those of its table."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import termburst as tb
from termburst.report import CountedCorpus, render, summarize_keyness
from termburst.report.pieces import PLACES
from termburst.statistics.term_statistics import as_statistics

statistics_of = partial(as_statistics, detail="patterns")


@pytest.fixture(scope="module")
def sides():
    corpus = tb.datasets.load_stdlib()
    is_first = [name.startswith(("asyncio", "email")) for name in corpus.ids]
    parts = {}
    for name, wanted in (("network", True), ("rest", False)):
        chosen = [k for k, first in enumerate(is_first) if first is wanted]
        parts[name] = CountedCorpus.from_texts([corpus.texts[k] for k in chosen], [corpus.ids[k] for k in chosen])
    return parts


def test_two_corpora(sides):
    a, b = map(statistics_of, sides.values())
    table = tb.keyness(a, b, min_count=5)
    found = summarize_keyness(table, sides, panels=40, settings={"method": "beta-binomial"})
    json.dumps(found, allow_nan=False)
    assert found["terms"]["term"] == table["term"].to_list()
    for i, row in enumerate(table.to_dicts()):
        ratio, only = found["terms"]["log_ratio"][i], found["terms"]["only_in"][i]
        if np.isinf(row["log_ratio"]):
            assert (ratio, only) == (None, "a" if row["n_b"] == 0 else "b")
        else:
            assert (ratio, only) == (row["log_ratio"], None)
        assert 10 ** found["terms"]["log10_p"][i] == pytest.approx(row["p_value"], rel=1e-9, abs=0)
    assert [(side["documents"], side["tokens"]) for side in found["sides"]] == [(s.documents, s.tokens) for s in (a, b)]
    for panel in found["panels"]:
        for side, statistics in zip(panel["sides"], (a, b), strict=True):
            held = panel["term"] in set(statistics.terms)
            n = statistics.collection_frequency[statistics.index(panel["term"])] if held else 0
            assert sum(side["occurrences"]) == n or len(side["occurrences"]) == PLACES // 2
    assert render(found).startswith("<!doctype html>")


def test_groups_and_their_rows():
    corpus = tb.datasets.load_stdlib()
    wanted = ("asyncio", "email", "unittest")
    chosen = [k for k, name in enumerate(corpus.ids) if name.split(".")[0] in wanted]
    labels = [corpus.ids[k].split(".")[0] for k in chosen]
    whole = CountedCorpus.from_texts([corpus.texts[k] for k in chosen])
    table = tb.keyness(whole.counts, by=labels, terms=whole.terms, contrasts=True, min_count=5)
    parts = {group: replace(whole, texts=None).rows([one == group for one in labels]) for group in wanted}
    found = summarize_keyness(table, parts, max_terms=100)
    assert len(found["terms"]["term"]) == 100
    assert set(found["terms"]["group"]) == set(wanted)
    assert len({panel["term"] for panel in found["panels"]}) == len(found["panels"])
    assert not any(side["lines"] for panel in found["panels"] for side in panel["sides"])  # there are no texts


def test_a_side_may_be_statistics_and_p_may_be_too_small_for_a_float(sides):
    many = CountedCorpus.from_texts(["ha " * 60] * 400)
    few = tb.TermStatistics.from_texts(["so it goes " * 20] * 400, "patterns")
    table = tb.keyness(statistics_of(many), few, method="g2")
    found = summarize_keyness(table, {"a": many, "b": few})
    assert min(found["terms"]["log10_p"]) == -307
    assert [len(panel["sides"]) for panel in found["panels"]] == [2] * 4
    assert found["panels"][0]["sides"][1] == {"places": [], "occurrences": [], "lines": []}
    with pytest.raises(ValueError, match="at least two sides"):
        summarize_keyness(table, {})
    with pytest.raises(ValueError, match=r"frame of tb\.keyness"):
        summarize_keyness(table.to_dict(), {"a": many, "b": few})
    with pytest.raises(ValueError, match="lower min_count"):
        summarize_keyness(table.head(0), {"a": many, "b": few})
