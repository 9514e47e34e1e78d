"""Ledgers in storage: one file per kind of storage, and the table of their names in `ledger`."""

from termburst.engines.ledgers.ledger import STORAGES, Ledger
from termburst.engines.ledgers.storage import LedgerConflictError

__all__ = ["STORAGES", "Ledger", "LedgerConflictError"]
