"""Collections that change: patterns with the ids of their batches, in frames or in storage.

`add` and `withdraw` are for frames of `Corpus.patterns`. `Ledger` keeps such patterns in Parquet files, in DuckDB, and
in Delta and Iceberg tables.

>>> import termburst as tb
>>> tb.scan(add(tb.read(["so it goes"]).patterns("monday"), tb.read(["so so"]).patterns("tuesday"))).tokens
5
"""

from termburst.ledgers.frames import add, withdraw
from termburst.ledgers.ledger import Ledger
from termburst.ledgers.storage import LedgerConflictError

__all__ = ["Ledger", "LedgerConflictError", "add", "withdraw"]
