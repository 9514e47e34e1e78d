"""HTML for notebooks: every term stays text, and the markup is valid."""

from html.parser import HTMLParser

import numpy as np
import pytest

import termburst as tb
from termburst.display import ROWS, html_table, number, printable

HARD = ["<script>alert(1)</script>", "\"'&amp;", "\u202eevil\u2066", "x" * 10_000, "</td></table>", "a\nb\tc", "שלום"]


class Page(HTMLParser):
    """The tags and texts of a page; fails if a tag is not closed in order."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.texts, self.attributes = [], set(), [], []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [name for name, _ in attrs]
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


TAGS = {"div", "p", "strong", "br", "table", "thead", "tbody", "tr", "th", "td", "bdi", "small"}


@pytest.fixture(scope="module")
def statistics():
    X = np.random.default_rng(0).poisson(0.7, (30, 15))
    X[0, :7] += 5
    return tb.TermStatistics.from_counts(X, HARD + [f"t{k}" for k in range(8)], "patterns")


def shown(result):
    page = result._repr_html_()
    read = Page(page)
    assert read.tags <= TAGS
    assert set(read.attributes) <= {"style", "scope"}
    assert "color" not in page  # colours are those of the notebook, light or dark
    assert "background" not in page
    assert len(page) < 8000
    return read.texts


def test_statistics(statistics):
    texts = shown(statistics)
    order = np.argsort(-statistics.collection_frequency, kind="stable")[:ROWS]
    assert [text for text in texts if text in {printable(t, 80) for t in statistics.terms}] == [
        printable(statistics.terms[k], 80) for k in order
    ]
    assert "5 more terms, less frequent" in texts
    assert any(f"tokens: {statistics.tokens:,}" in text for text in texts)


def test_explanations_of_hard_terms(statistics):
    for term in HARD:
        why = tb.explain(statistics, term, sigma2=0.01)
        assert str(why) == repr(why)
        assert not set(str(why)) & set("\u202e\u2066")


def test_numbers_are_short():
    values = [0, 12_345, 0.1 + 0.2, 1e-7, -2.5, 123456.789, 1e20, np.inf, -np.inf, np.nan, np.int64(7), np.float64(0.5)]
    assert [number(value) for value in values] == [
        "0", "12,345", "0.3", "1e−07", "−2.5", "123,456.79", "1e+20", "∞", "−∞", "–", "7", "0.5",
    ]  # fmt: skip


def test_a_heading_and_a_note_are_escaped():
    page = html_table("<a>", {"<b>": "<c>"}, ["<d>"], [["<e>"]], "<f>")
    assert Page(page).tags <= TAGS


def test_joiners_are_kept_as_part_of_the_spelling():
    assert printable("می\u200cخواهم") == "می\u200cخواهم"
