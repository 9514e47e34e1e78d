"""The documents that most tests of the page are about."""

import pytest

import termburst as tb
from termburst.report import Documents


@pytest.fixture(scope="session")
def documents() -> Documents:
    """The docstrings of the standard library, a document a module, English stop words left out."""
    corpus = tb.datasets.load_stdlib()
    return Documents.from_texts(corpus.texts, corpus.ids, counting=tb.CountingOptions(stop_words="english"))
