"""Lines of a concordance: the same as those of a plain regular expression, sorted, filtered, limited."""

import datetime
import re

import polars as pl
import pytest

import termburst as tb
from termburst.concordance import kwic as module

TEXTS = [
    "Freedom is not free. FREEDOM of speech,\n  freedom of the press; unfree freedoms, free-dom.",
    "They speak of freedom and peace. The free\nworld and the Free   World.",
    "Nothing here.",
    "Liberté, égalité: LIBERTÉ. 自由 freedom 自由 Straße STRASSE",
]
YEARS = [1945, 1941, 1950, None]


@pytest.fixture
def corpus():
    days = [datetime.date(1945, 5, 8), datetime.date(1941, 1, 6), datetime.date(1950, 1, 1), None]
    return tb.read(TEXTS, id=list("abcd"), metadata={"year": YEARS, "day": days, "party": ["x", "y", "x", "y"]})


def plain_lines(texts, ids, pattern, width):
    """The lines of `re.finditer`, independently of termburst."""
    for name, text in zip(ids, texts, strict=True):
        for found in pattern.finditer(text):
            start, stop = found.span()
            parts = text[max(start - width, 0) : start], found.group(), text[stop : stop + width]
            yield (name, *(re.sub(r"\s+", " ", part) for part in parts), start)


def test_a_word_has_the_lines_of_a_plain_regular_expression(corpus):
    for word in ["freedom", "liberté", "自由", "straße", "free", "the", "here."]:
        for width in [0, 9, 60]:
            pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
            assert corpus.kwic(word, width=width).rows() == list(plain_lines(TEXTS, "abcd", pattern, width))


def test_a_regular_expression_has_its_own_lines(corpus):
    for pattern in [r"free\w*", r"\b[fl]\w+", "自.", r"free\s+world"]:
        expected = list(plain_lines(TEXTS, "abcd", re.compile(pattern, re.IGNORECASE), 20))
        assert expected
        assert corpus.kwic(pattern, regex=True, width=20).rows() == expected


def test_wildcards_and_phrases(corpus):
    def matches(query, **options):
        return corpus.kwic(query, **options)["match"].to_list()

    assert matches("free*") == [
        "Freedom",
        "free",
        "FREEDOM",
        "freedom",
        "freedoms",
        "free",
        "freedom",
        "free",
        "Free",
        "freedom",
    ]
    assert matches("free world") == ["free world", "Free World"]
    assert matches("*free*") == matches(r"(?<!\w)\w*free\w*(?!\w)", regex=True)
    assert matches("fr*m") == ["Freedom", "FREEDOM", "freedom", "freedom", "freedom"]
    assert matches("fre?") == ["free", "free", "free", "Free"]
    assert matches("of * press") == ["of the press"]
    assert matches("free", case=True) == ["free", "free", "free"]


@pytest.mark.parametrize("query", ["freedom", r"freedom\b"])
def test_sorting_by_the_words_beside_the_match(corpus, query):
    regex = "\\" in query
    right = corpus.kwic(query, sort="R1", regex=regex)
    assert [line.split()[0].strip(".,") for line in right["right"]] == ["and", "is", "of", "of", "自由"]
    assert right["position"].to_list()[2:4] == sorted(right["position"].to_list()[2:4])
    left = corpus.kwic(query, sort=["L1"], regex=regex)["left"]
    assert [re.findall(r"\w+", line)[-1:] for line in left] == [["free"], ["of"], ["speech"], ["自由"], []]
    assert corpus.kwic(query, sort="-R1", regex=regex)["right"].to_list() != right["right"].to_list()


def test_sorting_by_metadata_and_limits(corpus):
    by_day = corpus.kwic("freedom", sort=["day", "-match"], columns=["day", "year"])
    assert by_day["year"].to_list() == [1941, 1945, 1945, 1945, None]
    assert by_day.columns == ["id", "left", "match", "right", "position", "day", "year"]
    assert corpus.kwic("freedom", sort="year", top=2)["id"].to_list() == ["b", "a"]
    assert corpus.kwic("freedom", top=2)["id"].to_list() == ["a", "a"]
    assert corpus.kwic("freedom", top=0).height == 5  # all
    assert corpus.kwic("freedom", sort="document")["id"].to_list() == ["a", "a", "a", "b", "d"]
    assert corpus.kwic("freedom", sort=["id", "year", "id"]).height == 5


def test_a_limit_keeps_the_first_lines_of_all_in_order(monkeypatch):
    monkeypatch.setattr(module, "ROOM", 8)
    monkeypatch.setattr(module, "_CHUNK", 64)
    corpus = tb.read([f"w{k:03} node x" for k in range(200)][::-1])
    whole, some = corpus.kwic("node", sort="L1"), corpus.kwic("node", sort="L1", top=5)
    assert some.rows() == whole.head(5).rows()
    assert some["left"][0] == "w000 "
    assert corpus.kwic("node").height == 200


def test_where_chooses_documents(corpus):
    assert set(corpus.where(pl.col("year") > 1942).kwic("freedom")["id"]) == {"a"}
    with pytest.raises(ValueError, match=r"none of . documents meets"):
        corpus.where(pl.col("year") > 2000).kwic("freedom")


def test_token_lists_are_searched_as_text_with_spaces():
    corpus = tb.read([["Go", "to", "New York", "now"], ["go"]])
    assert corpus.kwic("go to").rows() == [("1", "", "Go to", " New York now", 0)]
    assert corpus.kwic("york")["match"].to_list() == ["York"]


def test_many_lines_are_read_like_few(monkeypatch):
    corpus = tb.read(["\ufeffso \"so' , so\x1cso\x00so" * 40, "so so \ud800 so"])
    few = corpus.kwic("so", width=7)
    monkeypatch.setattr(module, "_FEW", 0)
    assert corpus.kwic("so", width=7).equals(few)
    assert few.height > 100
    assert "�" in few["right"].to_list()[-2]


def test_wrong_options_give_one_sentence():
    for query, options, message in [
        ("", {}, "must be a word"),
        (3, {}, "query must be a string"),
        ("x" * 2000, {}, "at most 1,000 characters"),
        ("(", {"regex": True}, "not a regular expression"),
        ("x*", {"regex": True}, "can match the empty string"),
        ("(?=s)", {"regex": True}, "matches the empty string"),
        ("so", {"width": -1}, "width must be a whole number"),
        ("so", {"width": 10**9}, "from 0 to 10,000; got 1000000000"),
        ("so", {"top": 1.5}, "top must be a whole number"),
        ("so", {"sort": "R9"}, "sort must be L1 to L3"),
        ("so", {"columns": ["yeer"]}, "no column 'yeer'"),
        ("so", {"columns": "id"}, "has its own column"),
    ]:
        with pytest.raises(ValueError, match=message) as error:
            tb.read(["so it goes"]).kwic(query, **options)
        assert "\n" not in str(error.value)


def test_a_column_that_has_the_name_of_one_of_a_line_is_refused():
    for name in ("document", "match", "position"):
        with pytest.raises(ValueError, match=f"has its own column '{name}'"):
            tb.read(["so it goes"], metadata={name: ["x"]}).kwic("so", columns=name)


def test_counts_have_no_texts_to_search():
    with pytest.raises(ValueError, match="nothing to search"):
        tb.read([[1, 2], [3, 4]]).kwic("so")


def test_20_newsgroups_has_the_lines_of_a_plain_regular_expression(data):
    corpus = tb.read("20newsgroups")
    pattern = re.compile(r"(?<!\w)freedom(?!\w)", re.IGNORECASE)
    expected = list(plain_lines(corpus.texts, corpus.ids, pattern, 60))
    assert len(expected) > 300
    assert corpus.kwic("freedom").rows() == expected
