"""Cleaning, the data folder, and messages that all loaders share."""

import pytest

from termburst.datasets import BUILT_IN, clean_text, load_20newsgroups, load_cranfield, load_published_fits, load_r8


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [("", ""), ("  A\tB\n\nc ", "a b c"), ("naïve café", "na ve caf"), ("x1y22z", "x y z"), ("1984!", "")],
)
def test_clean_text(text, cleaned):
    assert clean_text(text) == cleaned


LOADERS = {
    "cranfield/cran.all.1400": load_cranfield,
    "published/r8-beta-binomial-fits.csv": lambda: load_published_fits("r8"),
}


@pytest.mark.parametrize("file", LOADERS)
def test_missing_files_are_named(nowhere, monkeypatch, file, one_sentence):
    with pytest.raises(FileNotFoundError, match="set TERMBURST_DATA") as error:
        LOADERS[file]()
    assert file in one_sentence(error)
    monkeypatch.setenv("TERMBURST_DATA", str(nowhere))
    with pytest.raises(FileNotFoundError, match=f"put {file} into"):
        LOADERS[file]()


@pytest.mark.parametrize("load", [load_20newsgroups, load_r8, load_cranfield, lambda: load_published_fits("vgam")])
def test_a_data_folder_that_does_not_exist(nowhere, monkeypatch, load):
    monkeypatch.setenv("TERMBURST_DATA", str(nowhere / "missing"))
    with pytest.raises(FileNotFoundError, match=r"TERMBURST_DATA must be a folder; got .*missing"):
        load()


def test_the_message_about_an_unknown_name_lists_the_choices():
    with pytest.raises(ValueError, match="subset must be one of 'train', 'test', 'all'; got 'dev'"):
        load_20newsgroups("dev")
    with pytest.raises(ValueError, match="subset must be one of"):
        load_r8("dev")
    with pytest.raises(ValueError, match="remove must be one of 'headers', 'footers', 'quotes'; got 'header'"):
        load_20newsgroups(remove=("header",))
    with pytest.raises(ValueError, match="name must be one of '20newsgroups', 'r8', 'vgam'; got 'reuters'"):
        load_published_fits("reuters")


def test_built_in_corpora_load_their_training_set(data):
    assert list(BUILT_IN) == ["20newsgroups", "inaugural", "r8", "stdlib"]
    assert len(BUILT_IN["r8"]()) == 5_501
