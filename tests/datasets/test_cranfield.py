"""The Cranfield collection: documents, queries and judgements."""

import pytest

from termburst.datasets import load_cranfield


def test_cranfield_documents(data):
    documents = load_cranfield().documents
    assert documents.ids == [str(number) for number in range(1, 1_401)]
    assert [name for name, text in zip(documents.ids, documents.texts, strict=True) if not text] == ["471", "995"]
    assert documents.texts[0].startswith("experimental investigation of the aerodynamics of a\nwing")


def test_cranfield_misplaced_markers_are_removed_and_their_text_kept(data):
    texts = load_cranfield().documents.texts
    assert not any(line.startswith(".") and len(line) == 2 for text in texts for line in text.splitlines())
    assert "separated region  .\napplication to turbulent" in texts[240 - 1]
    assert texts[576 - 1].endswith("blades is included .")


def test_cranfield_queries_are_numbered_in_file_order(data):
    cranfield = load_cranfield()
    assert cranfield.queries.ids == [str(number) for number in range(1, 226)]
    assert cranfield.queries.texts[2].startswith("what problems of heat conduction")  # .I 004 in the file
    assert cranfield.judgements.keys() == set(cranfield.queries.ids)


def test_cranfield_relevance(data):
    cranfield = load_cranfield()
    grades = [grade for judged in cranfield.judgements.values() for grade in judged.values()]
    assert len(grades) == 1_837
    assert set(grades) == {-1, 1, 2, 3, 4}
    assert sum(map(len, cranfield.relevant.values())) == 1_837 - grades.count(-1) == 1_612
    assert cranfield.judgements["1"]["184"] == 2
    assert "184" in cranfield.relevant["1"]


def test_a_malformed_judgement_is_named(data, nowhere, monkeypatch):
    folder = nowhere / "cranfield"
    folder.mkdir()
    for name in ("cran.all.1400", "cran.qry"):
        (folder / name).write_bytes((data / "cranfield" / name).read_bytes())
    (folder / "cranqrel").write_text("1 184 2\n1 x 3\n")
    monkeypatch.setenv("TERMBURST_DATA", str(nowhere))
    with pytest.raises(ValueError, match="cranqrel, line 2: expected three whole numbers; got '1 x 3'"):
        load_cranfield()
