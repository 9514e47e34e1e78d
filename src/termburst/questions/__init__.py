"""Questions, one file each: its options, what it computes, and its table.

>>> import termburst as tb
>>> tb.questions.WordFrequencies({"so": 900, "ha": 2}, tokens=10_000)
WordFrequencies of 2 words, 10,000 tokens in an unknown number of documents
"""

from typing import TYPE_CHECKING

from termburst.lazy import lazy

if TYPE_CHECKING:
    from termburst.questions.corpus_check import CorpusCheck as CorpusCheck
    from termburst.questions.word_lists import WordFrequencies as WordFrequencies

__getattr__, __dir__, __all__ = lazy(__name__)
