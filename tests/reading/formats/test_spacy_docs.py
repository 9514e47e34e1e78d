"""Collections of spaCy documents."""

import zlib

import pytest


@pytest.fixture
def docs():
    tokens = pytest.importorskip("spacy.tokens")
    vocabulary = pytest.importorskip("spacy.vocab").Vocab()

    def docs(*, annotated: bool = True) -> bytes:
        made = tokens.DocBin(attrs=["ORTH", "LEMMA", "POS"] if annotated else ["ORTH"], store_user_data=True)
        words = [
            ("Katzen", "Katze", "NOUN"),
            ("schlafen", "schlafen", "VERB"),
            ("\n", "\n", "SPACE"),
            ("मानव", "मानव", "NOUN"),
        ]
        for year in (1999, 2001):
            doc = tokens.Doc(
                vocabulary,
                [word for word, _, _ in words],
                lemmas=[lemma for _, lemma, _ in words] if annotated else None,
                pos=[tag for _, _, tag in words] if annotated else None,
                user_data={"year": year, "nested": {"a": 1}},
            )
            made.add(doc)
        return made.to_bytes()

    return docs


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (None, "Katzen schlafen मानव"),
        ("lemma", "Katze schlafen मानव"),
        ("upos", "NOUN VERB NOUN"),
        ("lemma_upos", "Katze_NOUN schlafen_VERB मानव_NOUN"),
    ],
)
def test_layers(read, docs, layer, expected):
    found = read(".spacy", docs(), layer=layer).documents
    assert [(each.name, each.text, each.metadata) for each in found] == [
        ("1", expected.split(), {"year": 1999}),
        ("2", expected.split(), {"year": 2001}),
    ]


def test_missing_annotation_is_refused(refused, docs):
    assert "has no annotation for the layer 'lemma'" in refused(".spacy", docs(annotated=False), layer="lemma")


def test_damaged_files_get_one_sentence(refused, docs):
    assert "cannot be unpacked" in refused(".spacy", b"hello")
    assert "ends too early" in refused(".spacy", docs()[:-20])
    assert "damaged" in refused(".spacy", zlib.compress(b"nothing"))
    assert "larger than 1 MB when unpacked" in refused(".spacy", zlib.compress(bytes(50_000_000)), file_bytes=2**20)
