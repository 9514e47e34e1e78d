"""Terms of any kind are shown as text, in notebooks and in the terminal."""

import numpy as np
import pytest

import termburst as tb
from termburst.display import printable

HARD = ["<script>alert(1)</script>", "\"'&amp;", "\u202eevil\u2066", "x" * 10_000, "</td></table>", "a\nb\tc", "שלום"]


@pytest.fixture(scope="module")
def statistics():
    X = np.random.default_rng(0).poisson(0.7, (30, 15))
    X[0, :7] += 5
    return tb.TermStatistics.from_counts(X, HARD + [f"t{k}" for k in range(8)], "patterns")


def test_statistics(statistics):
    page = statistics._repr_html_()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script" not in page
    assert "TermStatistics(30 documents" in page
    most = statistics.collection_frequency.argsort(kind="stable")[::-1][0]
    assert f"<td>{statistics.collection_frequency[most]}</td>" in page
    assert len(page) < 8000


def test_explanations_of_hard_terms(statistics):
    for term in HARD:
        why = tb.explain(statistics, term, sigma2=0.01)
        assert str(why) == repr(why)
        assert not set(str(why)) & set("\u202e\u2066")


def test_joiners_are_kept_as_part_of_the_spelling():
    assert printable("می\u200cخواهم") == "می\u200cخواهم"
