"""The page says how its texts were read: what was skipped, repaired or guessed."""

import json

import pytest

import termburst as tb
from termburst.report import CountedCorpus, render, summarize, summarize_keyness


def test_a_corpus_brings_its_reading_report(speeches):
    corpus = tb.read(speeches)
    summary = summarize(corpus)
    (report,) = summary["reading"]
    assert report["source"] == "speeches"  # not the whole path
    assert report["lines"][0].startswith("5 documents in 5 files")
    assert str(corpus.reading).splitlines()[1:] == report["lines"][1:]
    for words in ("skipped: 1 file", "README", "encoding guessed: 1 file", "café.txt", "could not be read: 1 file"):
        assert words in "\n".join(report["lines"])
    assert json.loads(json.dumps(summary["reading"])) == summary["reading"]
    assert str(speeches) not in json.dumps(summary)


def test_what_was_not_read_has_none():
    texts = ["ha ha ha so", "so it goes", "so on"]
    counted = CountedCorpus.from_texts(texts)
    statistics = tb.TermStatistics.from_counts(counted.counts, counted.terms, "patterns")
    for corpus in (tb.read(counted.counts, terms=counted.terms), counted, statistics):
        assert summarize(corpus)["reading"] == []
    lines = ["3 documents.", "words: as Unicode sees them, in lower case"]
    assert summarize(tb.read(texts))["reading"] == [{"source": "texts", "lines": lines}]


def test_both_sides_of_a_comparison(speeches, tmp_path):
    other = tmp_path / "posts.csv"
    other.write_text("text\n" + "so it is\nno it goes on\n" * 4, encoding="utf-8")
    a, b = tb.read(speeches), tb.read(other)
    table = tb.keyness(a, b, min_count=1)
    found = summarize_keyness(table, {"a": a, "b": b})["reading"]
    assert [report["source"] for report in found] == ["speeches", "posts.csv"]
    groups = {"x": a.where([True, True, False, False, False]), "y": a.where([False, False, True, True, True])}
    assert [report["source"] for report in summarize_keyness(table, groups)["reading"]] == ["speeches"]  # once


def test_a_summary_of_an_older_version_has_a_page(speeches):
    summary = summarize(tb.read(speeches))
    del summary["reading"]
    assert "</html>" in render(summary)


@pytest.mark.parametrize("sides", [1, 2])
def test_the_page_shows_it_as_text(browser, speeches, tmp_path, sides):
    corpus = tb.read(speeches)
    if sides == 1:
        summary = summarize(corpus)
    else:
        other = tb.read(next(speeches.glob("0.txt")), lines=True)
        summary = summarize_keyness(tb.keyness(corpus, other, min_count=1), {"a": corpus, "b": other})
    path = tmp_path / "page.html"
    path.write_text(render(summary), encoding="utf-8")
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    page.locator("html[data-ready=true]").wait_for(state="attached")
    first = page.locator("#reading summary")
    assert first.inner_text().startswith("How these texts were read: ")
    short = "5 documents in 5 files, one per file; skipped: 1 file; "
    assert short in first.inner_text()
    assert "encoding guessed: 1 file" in first.inner_text()
    skipped = page.get_by_text("README or licence: README")
    assert not skipped.is_visible()  # the report is long, so it is folded
    first.click()
    assert skipped.is_visible()
    assert page.locator("#reading li li", has_text="<img src=x onerror=alert(1)>.csv").is_visible()
    assert page.locator("#reading img").count() == 0
    assert "Words: as Unicode sees them, in lower case." in page.locator("#method").inner_text()
    assert errors == []
    page.close()


def test_a_short_report_is_not_folded_and_none_is_hidden(browser, tmp_path):
    (tmp_path / "posts.csv").write_text("text\n" + "so it is\nno it goes on\n" * 4, encoding="utf-8")
    for source, visible in ((tmp_path / "posts.csv", True), ([[3, 1], [0, 2], [1, 1]], False)):
        path = tmp_path / "page.html"
        path.write_text(render(summarize(tb.read(source))), encoding="utf-8")
        page = browser.new_page()
        page.goto(path.as_uri())
        page.locator("html[data-ready=true]").wait_for(state="attached")
        assert page.locator("#reading").is_visible() == visible
        assert page.locator("#reading li").first.is_visible() == visible
        page.close()
