"""Questions about documents: a corpus that is scanned reads no more than it must."""

import json

import polars as pl
import pytest

import termburst as tb
from termburst.corpus.stream import Stream

ROWS = {
    "id": ["a", "b", "c", "d"],
    "year": [1945, 1950, None, 1961],
    "text": ["So it goes, and so on.", "So what? 東京 so 都", "so", "socrates asked plato so"],
}
WORDS = """# newdoc id = one
1\tShe\tshe\tPRON\t_\t_\t_\t_\t_\t_
2\twent\tgo\tVERB\t_\t_\t_\t_\t_\t_

"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "speeches.csv"
    pl.DataFrame(ROWS).write_csv(path)
    return path


@pytest.fixture
def passes(monkeypatch):
    """How many times documents are read."""
    found, read = [], Stream.reading
    monkeypatch.setattr(
        Stream, "reading", lambda self, *given, **more: (found.append(1), read(self, *given, **more))[1]
    )
    return found


@pytest.mark.parametrize("options", [{}, {"sort": ["-year", "R1"], "top": 3}])
def test_lines_are_found_in_one_pass(table, passes, options):
    assert tb.scan(table, id="id").kwic("so", **options).height > 1
    assert len(passes) == 1


def test_layers_of_files_that_stay_where_they_are(tmp_path):
    (tmp_path / "a.conllu").write_text(WORDS, encoding="utf-8")
    for options in ({"layer": "lemma", "show": "form"}, {"layer": "lemma"}, {"show": "lemma"}, {}):
        query = "go" if "layer" in options else "went"
        lines = [corpus.kwic(query, **options).rows() for corpus in (tb.scan(tmp_path), tb.read(tmp_path))]
        assert lines[0] == lines[1] != []


def test_a_word_that_is_nowhere_gives_the_columns(table):
    for corpus in (tb.scan(table), tb.read(table)):
        assert corpus.kwic("nowhere", columns="year").columns == ["id", "left", "match", "right", "position", "year"]


def test_a_column_that_no_document_has(table):
    for corpus in (tb.scan(table), tb.read(table)):
        with pytest.raises(ValueError, match=r"no .*column 'yaer'"):
            corpus.kwic("so", columns="yaer")


def test_an_urn_is_fitted_once_for_each_decay(monkeypatch):
    fitted, fit = [], tb.fit_polya_urn
    monkeypatch.setattr(
        "termburst.concordance.polya_urn.fit_polya_urn", lambda *a, **o: (fitted.append(o), fit(*a, **o))[1]
    )
    corpus = tb.read(["socrates asked plato", "the sea and the sun", "a ship on the sea"] * 8)
    for options in ({}, {"after": True}, {"decay": 5}, {"decay": 5, "top": 1}, {"min_documents": 2}):
        corpus.triggers("socrates", **options)
    assert [(one["decay"], one["min_documents"]) for one in fitted] == [(None, 5), (5, 5), (None, 2)]


def test_terms_that_are_chosen_have_panels(tmp_path):
    corpus = tb.read(["ha ha ha ha so it is"] + ["so it goes on"] * 9)
    page = corpus.report(tmp_path / "page.json", panels=1, chosen=["goes"], pairs=0)
    assert [panel["term"] for panel in json.loads(page.read_bytes())["panels"]] == ["ha", "goes"]
    with pytest.raises(ValueError, match="chosen: 'gose' is not among the terms of the page; did you mean 'goes'"):
        corpus.report(tmp_path / "page.json", chosen=["gose"])
