"""Results as Polars frames."""

from termburst.tables.burstiness_test import burstiness_test
from termburst.tables.coburst import coburst
from termburst.tables.designs import keyness_design
from termburst.tables.keyness import keyness, keyness_groups
from termburst.tables.lockwords import lockwords
from termburst.tables.term_table import term_table
from termburst.tables.word_lists import WordFrequencies, read_word_list

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
