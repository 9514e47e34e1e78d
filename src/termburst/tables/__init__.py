"""Results as Polars frames."""

from termburst.tables.burstiness_test import burstiness_test
from termburst.tables.coburst import coburst
from termburst.tables.designs import keyness_design
from termburst.tables.keyness import keyness, keyness_groups
from termburst.tables.term_table import term_table

__all__ = ["burstiness_test", "coburst", "keyness", "keyness_design", "keyness_groups", "term_table"]
