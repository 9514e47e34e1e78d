"""Word lists of other programs, and the table of keyness against them."""

import numpy as np
import pytest

import termburst as tb
from termburst.exports import export_word_list
from termburst.questions.word_lists import WordFrequencies, as_frequencies

ANTCONC_4 = "Type\tPOS\tHeadword\tRank\tFreq\tRange\tNormFreq\nso\t\t\t1\t120\t9\t600\nit\t\t\t2\t80\t7\t400\n"
WORDSMITH = "N\tWord\tFreq.\t%\tTexts\t%\n1\tSO\t120\t60.00\t9\t90.00\n2\tIT\t80\t40.00\t7\t70.00\n"
BNC = "100106029 !!WHOLE_CORPUS !!ANY 4124\n100 so av0 90\n20 so cjs 9\n80 it pnp 7\n"


def test_formats(tmp_path):
    for content in [
        "word,count\nso,120\nit,80\n",
        "so,120\nit,80\n",
        "so;120\nit;80\n",
        "so\t120\nit\t80\n",
        "so 120\nit 80\n",
        "120,so\n80,it\n",
        '"so","120"\n\n"it","80"\n',
        "feature,frequency,rank\nso,120,1\nit,80,2\n",
        "#Word Types: 2\n#Word Tokens: 200\n#Search Hits: 0\n1\t120\tso\t\n2\t80\tit\t\n",
        ANTCONC_4,
        WORDSMITH,
        BNC,
        "So,100\nso,20\nIT,80\n",
    ]:
        path = tmp_path / "list.txt"
        path.write_text(content, encoding="utf-8")
        found = tb.read_word_list(path)
        assert found.counts == {"so": 120, "it": 80}
        assert (found.tokens, found.documents) == ((100_106_029, 4124) if content is BNC else (200, None))


def test_what_is_exported_can_be_read(tmp_path):
    path = tmp_path / "list.txt"
    words = {"so": 120, "it": 80, "déjà vu": 3, "1984": 2, "freq": 1, "the": 9}
    export_word_list(words, words.values(), path)
    assert tb.read_word_list(path, lowercase=False).counts == words


def test_upper_case_may_stay(tmp_path):
    path = tmp_path / "list.csv"
    path.write_bytes(b"\xef\xbb\xbfSo,100\nso,20\n")
    assert tb.read_word_list(path, lowercase=False).counts == {"So": 100, "so": 20}


def test_files_that_are_no_lists(tmp_path):
    for content, sentence in [
        ("so,1.5\n", r"line 1: no word and count were found"),
        ("word,count\nso,1.5\n", r"line 2: the count of 'so' must be a whole number"),
        ("so,12\nit\n", r"line 2: there are only 1 fields"),
        ("word,count\n", r"there is no word with a count"),
        ("", r"there is no word with a count"),
        ("a text, and not a list\n", r"line 1: no word and count were found"),
        (b"so,1\n\xff\xff\xff,2\n", r"line 2, is not utf-8"),
    ]:
        path = tmp_path / "list.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(ValueError, match=sentence):
            tb.read_word_list(path)


def test_files_that_cannot_be_read(tmp_path):
    for path, sentence in ((tmp_path, "is not a file"), (tmp_path / "none.csv", "cannot be read")):
        with pytest.raises(ValueError, match=sentence):
            tb.read_word_list(path)


def test_references_that_are_no_lists():
    for bad in [{}, {"so": 1.5}, {"so": -1}, {1: 2}, {"so": True}, {"so": 0}, 7, ["so"]]:
        with pytest.raises(ValueError, match="reference"):
            as_frequencies(bad)


@pytest.mark.slow
def test_the_table():
    rng = np.random.default_rng(61)
    A = np.column_stack([rng.poisson(3, 80), rng.poisson(1, 80), rng.poisson(40, 80)])
    table = tb.keyness(A, reference={"so": 500, "it": 40, "the": 9_000}, terms=["ha", "so", "the"])
    assert set(table["p_method"]) == {"frequency list"}
    assert sorted(table["term"]) == ["ha", "it", "so", "the"]
    row = table.filter(term="ha").row(0, named=True)
    assert (row["n_a"], row["n_b"], row["log_ratio"]) == (A[:, 0].sum(), 0, np.inf)
    assert row["p_value"] < 0.05
    assert table["term"][0] == "ha"
    assert table.filter(term="the")["per_million_b"][0] == pytest.approx(1e6 * 9_000 / 9_540)


def test_a_list_takes_the_place_of_b():
    A = [[3, 9]] * 8
    with pytest.raises(ValueError, match="B and reference= take the place of each other"):
        tb.keyness(A, A, reference={"so": 3}, terms=["so", "it"])
    with pytest.raises(ValueError, match="omit method="):
        tb.keyness(A, reference={"so": 3}, terms=["so", "it"], method="g2")
    with pytest.raises(ValueError, match="give B"):
        tb.keyness(A)
    with pytest.raises(ValueError, match="need names"):
        tb.keyness(A, reference={"so": 3})
    moments = tb.TermStatistics.from_counts(A, ["so", "it"])
    with pytest.raises(ValueError, match="without the patterns"):
        tb.keyness(moments, reference={"so": 3})
    assert (
        repr(WordFrequencies({"so": 3}, 5)) == "WordFrequencies of 1 words, 5 tokens in an unknown number of documents"
    )
