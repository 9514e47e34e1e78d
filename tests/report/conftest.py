"""The corpus that most tests of the page use."""

from pathlib import Path

import pytest

import termburst as tb
from termburst.counting.counted_corpus import CountedCorpus


@pytest.fixture(scope="session")
def documents() -> CountedCorpus:
    """The docstrings of the standard library, one document per module, without English stop words."""
    corpus = tb.datasets.load_stdlib()
    return CountedCorpus.from_texts(corpus.texts, corpus.ids, counting=tb.CountingOptions(stop_words="english"))


@pytest.fixture
def speeches(tmp_path: Path) -> Path:
    """A folder with a README, a file whose encoding must be guessed, a table that cannot be read, and odd names."""
    folder = tmp_path / "speeches"
    folder.mkdir()
    for k in range(4):
        text = f"so it goes on and on said the crowd number {k} to the clown who said ha ha ha"
        (folder / f"{k}.txt").write_text(text, encoding="utf-8")
    (folder / "café.txt").write_bytes("une journée au café, déjà vu, à côté de l'hôtel".encode("cp1252"))
    (folder / "README").write_text("About these speeches.", encoding="utf-8")
    (folder / "<img src=x onerror=alert(1)>.csv").write_text("text\n1,2\n", encoding="utf-8")
    return folder
