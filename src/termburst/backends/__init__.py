"""Where questions to frames run: Polars, DuckDB and Spark give facts and cells, and run the stages of a plan.

A frame is asked through `termburst.scan`. Public is `memory_limit`, which bounds the memory of this process meanwhile.

>>> import polars as pl
>>> import termburst as tb
>>> with memory_limit("4GB"):
...     tb.scan(pl.LazyFrame({"id": [1, 2], "text": ["so it goes", "so so"]})).dispersion("dp").collect().height
3
"""

from termburst.backends.memory import memory_limit

__all__ = ["memory_limit"]
