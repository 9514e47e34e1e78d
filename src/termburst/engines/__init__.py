"""The same counts and statistics from frames of Polars, pandas, PyArrow, DuckDB and PySpark.

A frame has texts (document, text), counts (document, term, count) or patterns (term, count, length, documents: see
`patterns`). An engine is imported only when its first frame is used.

>>> import polars as pl
>>> from termburst import engines
>>> frame = pl.DataFrame({"document": ["a", "b"], "text": ["ha ha ha said the clown", "the end"]})
>>> engines.term_statistics(frame)
TermStatistics(2 documents, 8 tokens, 5 terms, detail='moments'; words: as Unicode sees them, in lower case)
"""

from termburst.engines.burstiness import burst_effects, burstiness_test, dispersion
from termburst.engines.check import check
from termburst.engines.concordance import collocates, kwic
from termburst.engines.counts import count_terms
from termburst.engines.keyness import keyness
from termburst.engines.ledger import add, patterns, withdraw
from termburst.engines.ledgers import Ledger, LedgerConflictError
from termburst.engines.memory import memory_limit
from termburst.engines.statistics import term_statistics
from termburst.engines.terms import fit_beta_binomial, term_table
from termburst.engines.weights import weigh

__all__ = [
    "Ledger",
    "LedgerConflictError",
    "add",
    "burst_effects",
    "burstiness_test",
    "check",
    "collocates",
    "count_terms",
    "dispersion",
    "fit_beta_binomial",
    "keyness",
    "kwic",
    "memory_limit",
    "patterns",
    "term_statistics",
    "term_table",
    "weigh",
    "withdraw",
]
