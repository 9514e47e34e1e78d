"""Questions, one file each: its options, what it computes, and its table.

>>> import termburst as tb
>>> A, B = [[9, 1, 40]] * 40, [[1, 1, 40], [2, 1, 44]] * 20
>>> tb.questions.lockwords(A, B, terms=["ha", "no", "so"])["term"][0]
'so'
"""

from typing import TYPE_CHECKING

from termburst.lazy import lazy

if TYPE_CHECKING:
    from termburst.questions.corpus_check import CorpusCheck as CorpusCheck
    from termburst.questions.equivalence import lockwords as lockwords
    from termburst.questions.word_lists import WordFrequencies as WordFrequencies

__getattr__, __dir__, __all__ = lazy(__name__)
