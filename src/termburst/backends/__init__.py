"""Where questions to frames run: Polars, DuckDB and Spark give facts and cells, and run the stages of a plan.

A frame is asked through `termburst.scan`. Public is `memory_limit`, which bounds the memory of this process meanwhile.
"""

from termburst.backends.memory import memory_limit

__all__ = ["memory_limit"]
