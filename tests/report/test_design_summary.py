"""The numbers of the page of a design are those of its table."""

import json

import numpy as np
import pytest

import termburst as tb
from termburst.report import render, summarize_keyness


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(11)
    texts, who, year = [], [], []
    for k in range(48):
        mine = "yea" if k % 2 else "nay"
        texts.append(" ".join([*rng.choice(["so", "it", "goes", "on"], 30), *[mine] * int(rng.integers(1, 5))]))
        who.append("a - b" if k % 2 else "<i>c</i>")
        year.append(1900 + k)
    return tb.read(texts, metadata={"who": who, "year": year, "speaker": [f"s{k // 3}" for k in range(48)]})


@pytest.fixture(scope="module")
def table(corpus):
    return tb.keyness(corpus, formula="who + year")


def test_rows_are_those_of_the_table(corpus, table):
    found = summarize_keyness(table, {"all documents": corpus}, formula="who + year", examples=2)
    json.dumps(found, allow_nan=False)
    terms = found["terms"]
    assert (terms["term"], terms["group"]) == (table["term"].to_list(), table["contrast"].to_list())
    for name, only in (("log_ratio", "only_in"), ("log_ratio_unadjusted", "only_unadjusted")):
        for value, shown, side in zip(table[name], terms[name], terms[only], strict=True):
            assert (shown, side) == ((None, "a" if value > 0 else "b") if np.isinf(value) else (value, None))
    assert 10 ** np.array(terms["log10_q"]) == pytest.approx(table["q_value"].to_numpy())
    assert sum(contrast["sure"] for contrast in found["design"]["contrasts"]) == found["overview"]["sure"] > 0
    (side,) = found["sides"]
    assert (side["documents"], [axis["column"] for axis in side["axes"]]) == (48, ["year"])
    panel = next(panel for panel in found["panels"] if panel["term"] == "yea")
    assert sum(panel["sides"][0]["occurrences"]) == table.filter(term="yea")["n"][0]


def test_a_value_with_a_dash_and_a_slope(corpus, table):
    design = summarize_keyness(table, {"all documents": corpus}, formula="who + year")["design"]
    assert {one["column"]: one["sides"] for one in design["contrasts"]} == {"who": ["<i>c</i>", "a - b"], "year": None}


def test_clusters_have_the_p_of_documents(corpus):
    table = tb.keyness(corpus, formula="year", cluster="speaker")
    found = summarize_keyness(table, {"all documents": corpus}, formula="year", cluster="speaker", max_terms=3)
    assert 10 ** np.array(found["terms"]["log10_p_documents"]) == pytest.approx(table["p_documents"].to_numpy()[:3])
    assert "same speaker" in found["design"]["about"][-1]


def test_what_is_no_table_of_a_design(corpus):
    with pytest.raises(ValueError, match="formula="):
        summarize_keyness(corpus.keyness(by="who"), {"all documents": corpus}, formula="who")


@pytest.mark.parametrize("width", [390, 1300])
def test_the_page(corpus, table, browser, tmp_path, width):
    path, complaints = tmp_path / "page.html", []
    path.write_text(
        render(summarize_keyness(table, {"all documents": corpus}, formula="who + year", title="<b>who</b>")),
        encoding="utf-8",
    )
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=true]", state="attached")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#group option").all_text_contents() == ["who: <i>c</i> - a - b", "year"]
    assert page.locator("#lists h3").all_text_contents() == ["<i>c</i>", "a - b"]
    assert "only" in page.text_content("#panel-sentence")
    page.select_option("#group", "year")
    assert "slope of year" in page.text_content("#contrast-note")
    assert "each unit of year" in page.text_content("#panel-sentence")
    assert page.locator("i", has_text="c").count() == 0
    assert (complaints, len(requests)) == ([], 1)
    page.close()


def test_a_condition_is_shown_by_itself(corpus):
    table = corpus.keyness(by="year >= 1920", cluster="speaker")
    found = summarize_keyness(table, {"all documents": corpus}, formula="by_condition", cluster="speaker")
    (contrast,) = found["design"]["contrasts"]
    assert (contrast["column"], contrast["sides"]) == ("", ["year >= 1920", "year < 1920"])
    assert found["design"]["formula"] == "year >= 1920"
    assert "by_condition" not in json.dumps(found)


def test_frequent_words_are_marked_since_their_ratio_is_one_of_odds(corpus, table):
    found = summarize_keyness(table, {"all documents": corpus}, formula="who + year")["terms"]
    assert True in found["frequent"]
    for term, group, frequent in zip(found["term"], found["group"], found["frequent"], strict=True):
        row = table.filter((table["term"] == term) & (table["contrast"] == group)).row(0, named=True)
        assert frequent == (max(row["per_million_a"] or 0, row["per_million_b"] or 0) > 30_000)
