"""The page: its size, its numbers, and that the corpus adds nothing for a browser to fetch or run."""

import base64
import hashlib
import html
import html.parser
import json
import re
import zlib

import numpy as np
import pytest

import termburst as tb
from termburst.report import CountedCorpus, render, summarize


def _block(page: str, name: str) -> bytes:
    (packed,) = re.findall(rf'id="block-{name}">([^<]*)</script>', page)
    return zlib.decompress(base64.b64decode(packed))


def _columns(page: str) -> dict[str, list]:
    """The columns, unpacked as in the page's script."""
    about, data = json.loads(_block(page, "about")), _block(page, "columns")
    rows, at, columns = len(json.loads(_block(page, "terms"))), 0, {}
    for column in about["columns"]:
        if column["kind"] == "computed":
            n, b = np.array(columns["n"]), np.array(columns["b"])
            columns[column["name"]] = (n * np.log(about["overview"]["documents"] / b)).tolist()
        elif column["kind"] == "names":
            codes = np.frombuffer(data, "<u2", rows, at)
            columns[column["name"]] = [column["names"][code - 1] if code else None for code in codes]
            at += 2 * rows
        else:
            planes = np.frombuffer(data, np.uint8, 4 * rows, at).reshape(4, rows).T.copy()
            columns[column["name"]] = planes.view("<u4" if column["kind"] == "integers" else "<f4").ravel().tolist()
            at += 4 * rows
    assert at == len(data)
    return columns


@pytest.fixture(scope="module")
def summary():
    corpus = tb.datasets.load_stdlib()
    return summarize(CountedCorpus.from_texts(corpus.texts, corpus.ids), title="docstrings", panels=20)


def test_columns_come_back_to_six_digits(summary):
    page = render(summary)
    columns = _columns(page)
    assert json.loads(_block(page, "terms")) == summary["terms"]["term"]
    for name, values in summary["terms"].items():
        if name in ("term", "p_method", "status"):
            continue
        if name in ("reuse_low", "reuse_high"):  # the page does not show them
            assert name not in columns
            continue
        expected = [np.nan if value is None else value for value in values]
        if name.startswith("log10"):
            np.testing.assert_allclose(columns[name], expected, rtol=0, atol=2.0**-13)
        else:
            np.testing.assert_allclose(columns[name], expected, rtol=2.0**-20)
    assert columns["n"] == summary["terms"]["n"]
    assert columns["status"] == summary["terms"]["status"]


def test_panels_come_back(summary):
    for panel, given in zip(json.loads(_block(render(summary), "panels")), summary["panels"], strict=True):
        assert np.cumsum(panel["places"]).tolist() == given["places"]
        assert panel["lines"] == given["lines"]
        np.testing.assert_allclose(panel["binomial"], given["binomial"], rtol=1e-4)


def test_a_page_of_a_hundred_thousand_terms_is_below_five_megabytes():
    """Zipfian and bursty, with terms as long as words, lines for 2,000 panels; no pairs, which are a few lines."""
    rng = np.random.default_rng(5)
    vocabulary = np.array([f"w{number:x}{rng.integers(1 << 30):x}"[:9] for number in range(120_000)])
    share = 1 / np.arange(1, len(vocabulary) + 1)
    words = rng.choice(vocabulary, 1_500_000, p=share / share.sum())
    words = np.concatenate([words, np.repeat(vocabulary, 2)])  # every word occurs at least twice
    rng.shuffle(words)
    texts = [" ".join(part) for part in np.array_split(words, 6_000)]
    page = render(summarize(CountedCorpus.from_texts(texts, [f"folder/file-{k}.txt" for k in range(6_000)]), pairs=0))
    assert len(json.loads(_block(page, "terms"))) == 100_000
    assert len(json.loads(_block(page, "panels"))) == 2_000
    assert len(page.encode()) < 5_000_000


class _Tags(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


EVIL = "<script>alert(1)</script>"


def test_nothing_from_the_corpus_is_markup_and_nothing_is_fetched():
    texts = [f"{EVIL} {EVIL} <img src=x onerror=alert(1)> &amp; \"'` </script> ]]> <!-- ", f"{EVIL} {{{{7*7}}}}"]
    counting = tb.CountingOptions(token_pattern=r"\S+", lowercase=False)
    page = render(
        summarize(CountedCorpus.from_texts(texts, [f"{EVIL}.txt", "b"], counting=counting), title=EVIL + "{{7*7}}")
    )
    assert "alert(1)" not in page.replace("&lt;script&gt;alert(1)&lt;/script&gt;", "")
    parser = _Tags()
    parser.feed(page)
    scripts = [attributes for tag, attributes in parser.tags if tag == "script"]
    assert len(scripts) == 7  # six blocks of data, and the page's script
    assert not any("src" in attributes or "href" in attributes for tag, attributes in parser.tags if tag != "a")
    assert not any(name.startswith("on") for _, attributes in parser.tags for name in attributes)
    assert not re.search(r"https?://|@import|url\(", page)
    assert EVIL in json.loads(_block(page, "terms"))


def test_the_policy_names_the_scripts_by_their_hashes(summary):
    page = render(summary)
    policy = dict(
        rule.split(" ", 1) for rule in html.unescape(re.search(r'Policy" content="([^"]*)"', page)[1]).split("; ")
    )
    packed = re.search(r'id="block-library">([^<]*)<', page)[1]
    scripts = [
        re.search(r"<script>(.*?)</script>", page, re.DOTALL)[1].encode(),
        zlib.decompress(base64.b64decode(packed)),
    ]
    hashes = [base64.b64encode(hashlib.sha256(script).digest()).decode() for script in scripts]
    assert policy["script-src"].split() == [
        f"'sha256-{known}'" for known in hashes
    ]  # neither unsafe-inline nor eval is allowed
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert page.index("Content-Security-Policy") < page.index(
        "<title>"
    )  # the policy does not apply to what comes before it


def test_very_long_terms_are_cut_and_odd_characters_are_kept():
    texts = ["x" * 10_000 + " \u202eevil 日本語 e\u0301", "so \u202eevil"]
    counting = tb.CountingOptions(token_pattern=r"\S+")
    found = summarize(CountedCorpus.from_texts(texts, ["\ud800", "b"], counting=counting), title="\ud800")
    page = render(found)
    page.encode()
    terms = json.loads(_block(page, "terms"))
    assert "x" * 200 + "… (10,000 characters)" in terms
    assert {"\u202eevil", "日本語", "e\u0301"} <= set(terms)
    assert "x" * 10_000 in found["terms"]["term"]
