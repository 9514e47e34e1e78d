"""R8 and Reuters-21578: published sizes, from a folder and from an archive."""

import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from termburst.datasets import load_r8


@pytest.mark.parametrize(
    ("subset", "sizes"),
    [("train", [1596, 253, 2840, 41, 191, 222, 108, 250]), ("test", [696, 121, 1083, 10, 81, 87, 36, 76])],
)
def test_r8_class_sizes(data, subset, sizes):
    r8 = load_r8(subset)
    assert r8.labels is not None
    assert r8.label_names == ["acq", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade"]
    assert np.bincount(r8.labels).tolist() == sizes
    assert len(r8) == len(r8.texts) == sum(sizes) == {"train": 5_501, "test": 2_190}[subset]


def test_r8_has_the_vocabulary_of_the_paper(data, vocabulary_and_mean_length):
    assert vocabulary_and_mean_length(load_r8(), stop_words="english") == (19_688, 65.75)


def test_r8_all_is_train_and_test(data):
    everything = load_r8("all")
    assert set(everything.ids) == {*load_r8("train").ids, *load_r8("test").ids}
    assert len(everything) == 7_691
    assert "test/19918" in everything.ids  # has the same category twice


@pytest.fixture
def small_reuters(nowhere):
    """An unpacked corpus folder with four documents, where the loader expects it below TERMBURST_DATA."""
    folder = nowhere / "nltk_data" / "corpora" / "reuters"
    documents = {"training/2": "Wheat\n", "training/10": "Gold", "training/11": "Loans", "test/3": "Gda\xf1sk"}
    for name, text in documents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("latin-1"))
    listing = "test/3 ship\ntraining/2 grain\ntraining/10 gold\n\ntraining/11 interest money-fx\n"
    (folder / "cats.txt").write_text(listing, encoding="ascii", newline="")
    return folder


def test_r8_from_an_unpacked_folder(small_reuters, nowhere, monkeypatch):
    monkeypatch.setenv("TERMBURST_DATA", str(nowhere))
    r8 = load_r8("all")
    assert r8.ids == ["test/3", "training/2"]
    assert r8.texts == ["Gdańsk", "Wheat\n"]  # ISO-8859-2, as NLTK reads it
    assert r8.labels is not None
    assert r8.labels.tolist() == [6, 3]


def test_r8_from_the_data_folders_of_nltk(small_reuters, nowhere, monkeypatch):
    monkeypatch.delitem(sys.modules, "nltk")
    nltk_data = pytest.importorskip("nltk.data")
    place = nowhere / "elsewhere"
    (place / "corpora").mkdir(parents=True)
    with zipfile.ZipFile(place / "corpora" / "reuters.zip", "w") as archive:
        for path in small_reuters.rglob("*"):
            archive.write(path, Path("reuters") / path.relative_to(small_reuters))
    monkeypatch.setattr(nltk_data, "path", [str(nowhere / "missing"), str(place)])
    assert load_r8().texts == ["Wheat\n"]


def test_a_damaged_archive_is_named(nowhere, monkeypatch):
    archive = nowhere / "nltk_data" / "corpora" / "reuters.zip"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"not a zip")
    monkeypatch.setenv("TERMBURST_DATA", str(nowhere))
    with pytest.raises(ValueError, match=r"reuters\.zip cannot be read"):
        load_r8()


def test_missing_reuters_says_what_to_do(nowhere, one_sentence):
    with pytest.raises(FileNotFoundError, match=r"python -m nltk\.downloader reuters") as error:
        load_r8()
    assert "TERMBURST_DATA" in one_sentence(error)
