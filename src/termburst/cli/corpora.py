"""A corpus with its texts and metadata, for the commands that need both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termburst.cli.reading import Reading

if TYPE_CHECKING:
    from termburst.corpus.corpus import Corpus
    from termburst.reading.documents import Text


def corpus_of(reading: Reading, name: str) -> Corpus:
    """The corpus *name* in memory: texts, ids, and the metadata that files, folders and columns of tables have."""
    from termburst.corpus import metadata
    from termburst.corpus.corpus import Corpus
    from termburst.corpus.documents import Documents

    ids: list[str] = []
    texts: list[Text] = []
    records: list[dict[str, Any]] = []
    with replace(reading, columns="all").batches(name, reading.counting) as read:
        for batch in read.batches:
            ids.extend(batch.ids)
            texts.extend(batch.texts)
            known = [dict(row) for row in batch.metadata or [{}] * len(batch.ids)]
            if reading.steps.split is not None:  # pieces are named parent:number
                known = [{"parent": one.rpartition(":")[0], **row} for one, row in zip(batch.ids, known, strict=True)]
            records.extend(known)
    if not ids:
        raise ValueError(f"{name}: there are no documents to read")
    documents = Documents(ids, read.counting, texts)
    reports = () if read.report is None else (read.report,)
    return Corpus(documents, metadata.of_documents(ids, records), name=Path(name).name or name, _reports=reports)
