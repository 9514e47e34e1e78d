"""The corpus that most tests of the page use."""

import pytest

import termburst as tb
from termburst.counting.counted_corpus import CountedCorpus


@pytest.fixture(scope="session")
def documents() -> CountedCorpus:
    """The docstrings of the standard library, one document per module, without English stop words."""
    corpus = tb.datasets.load_stdlib()
    return CountedCorpus.from_texts(corpus.texts, corpus.ids, counting=tb.CountingOptions(stop_words="english"))
