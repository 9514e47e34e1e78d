"""A concordance that searches one layer of an annotated corpus and shows another."""

import pytest

import termburst as tb

CONLLU = """# newdoc id = a
1	Je	je	PRON
2	suis	être	AUX
3-4	du	_	_
3	de	de	ADP
4	le	le	DET
5	pays	pays	NOUN
5.1	perdu	perdre	VERB

# newdoc id = b
1	Nous	nous	PRON
2	étions	être	AUX
3	là	_	_

"""
VERTICAL = """<text id="a">
Je	PRON	je
suis	AUX	être
du	ADP	de
pays	NOUN	pays
</text>
<text id="b">
Nous	PRON	nous
étions	AUX	être
là	ADV	là
</text>
"""
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><w lemma="je" pos="PRON">Je</w> <w lemma="être"
pos="AUX">suis</w> <w>du<w lemma="de" pos="ADP"/><w lemma="le" pos="DET"/></w> <w lemma="pays" pos="NOUN">pays</w>
</body></text></TEI>"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.conllu").write_text("# global.columns = ID FORM LEMMA UPOS\n" + CONLLU, encoding="utf-8")
    (tmp_path / "a.vert").write_text(VERTICAL, encoding="utf-8")
    (tmp_path / "a.xml").write_text(TEI, encoding="utf-8")
    return tmp_path


def lines(corpus, query, **options):
    return [row[1:4] for row in corpus.kwic(query, width=30, **options).rows()]


def test_lemmas_are_searched_and_the_text_is_shown(files):
    for name in ["a.conllu", "a.vert", "a.xml"]:
        for read in ["form", "lemma"]:
            corpus = tb.read(files / name, layer=read)
            found = lines(corpus, "être", layer="lemma", show="form")
            assert found[0] == ("Je ", "suis", " du pays")
            assert [match for _, match, _ in found] == (["suis"] if name == "a.xml" else ["suis", "étions"])
            assert lines(corpus, "SUIS", layer="form", show="upos") == [
                ("PRON ", "AUX", f" ADP{'' if name == 'a.vert' else ' DET'} NOUN")
            ]
            assert lines(corpus, "suis", layer="form") == lines(corpus, "suis", layer="form", show=read)


@pytest.mark.parametrize("name", ["a.conllu", "a.xml"])
def test_a_contraction_is_one_word_of_the_text(files, name):
    corpus = tb.read(files / name)
    assert lines(corpus, "le pays", layer="lemma", show="form") == [("Je suis ", "du pays", "")]
    assert lines(corpus, "du", show="lemma") == [("je être ", "de le", " pays")]
    assert lines(corpus, "ADP DET", layer="upos", show="lemma_upos")[0][1] == "de_ADP le_DET"


def test_a_missing_lemma_is_the_form_and_documents_can_be_chosen(files):
    corpus = tb.read(files / "a.conllu")
    assert lines(corpus, "là", layer="lemma", show="form") == [("Nous étions ", "là", "")]
    found = corpus.where([False, True]).kwic("être", layer="lemma", show="form", sort="L1")
    assert found.select("id", "match", "position").rows() == [("a.conllu:b", "étions", 5)]


def test_a_layer_that_is_not_there(files):
    (files / "few.conllu").write_text("# global.columns = ID FORM LEMMA\n1\tJe\tje\n\n", encoding="utf-8")
    corpus = tb.read(files / "few.conllu")
    with pytest.raises(ValueError, match="no column UPOS"):
        corpus.kwic("je", show="upos")
    with pytest.raises(ValueError, match="show must be one of 'form', 'lemma'"):
        corpus.kwic("je", show="stem")
    with pytest.raises(ValueError, match="need files"):
        tb.read([["so", "it"]]).kwic("so", show="lemma")
