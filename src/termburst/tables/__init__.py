"""Results as Polars frames."""

from termburst.tables._burstiness_test import burstiness_test
from termburst.tables._coburst import coburst
from termburst.tables._keyness import keyness, keyness_groups
from termburst.tables._term_table import term_table

__all__ = ["burstiness_test", "coburst", "keyness", "keyness_groups", "term_table"]
