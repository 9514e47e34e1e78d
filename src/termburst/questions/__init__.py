"""Results as Polars frames."""

from termburst.questions.burstiness_test import burstiness_test
from termburst.questions.coburst import coburst
from termburst.questions.designs import keyness_design
from termburst.questions.keyness import keyness, keyness_groups
from termburst.questions.lockwords import lockwords
from termburst.questions.term_table import term_table
from termburst.questions.word_lists import WordFrequencies, read_word_list

__all__ = [
    "WordFrequencies",
    "burstiness_test",
    "coburst",
    "keyness",
    "keyness_design",
    "keyness_groups",
    "lockwords",
    "read_word_list",
    "term_table",
]
