"""The same counts and statistics from frames of Polars, pandas, PyArrow, DuckDB and PySpark.

A frame has texts (document, text), counts (document, term, count) or patterns (term, count, length, documents: see
`patterns`). An engine is imported only when its first frame is used.

>>> import polars as pl
>>> from termburst import engines
>>> frame = pl.DataFrame({"document": ["a", "b"], "text": ["ha ha ha said the clown", "the end"]})
>>> engines.term_statistics(frame)
TermStatistics(2 documents, 8 tokens, 5 terms, detail='moments')
"""

from termburst.engines.counts import count_terms
from termburst.engines.ledger import add, patterns, withdraw
from termburst.engines.statistics import term_statistics
from termburst.engines.terms import fit_beta_binomial, term_table
from termburst.engines.weights import weigh

__all__ = ["add", "count_terms", "fit_beta_binomial", "patterns", "term_statistics", "term_table", "weigh", "withdraw"]
