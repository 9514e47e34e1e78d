"""What `check` needs of texts, from one pass over them: cells, a fingerprint of each document, and passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from termburst.core.minhash import band_keys
from termburst.counting.options import CountingOptions, checked_counting
from termburst.counting.shingles import BLOCK, TextShingles
from termburst.inference.duplicates import PASSAGE, WIDTH, Fingerprints, every_passage, sampled_passages
from termburst.questions.plans import Engine
from termburst.questions.text_cells import TEXTS, document_type, tokenised

SIGNED = np.int64  # engines have no unsigned integers: hashes are stored as the signed ones with the same bits
LISTED = 1_000  # ids in a condition of a query
DECODED = 100_000  # fingerprints that are bytes of Python at a time
HASH = np.dtype("<u8")  # of a fingerprint, which workers write and this process reads


@dataclass(frozen=True, slots=True)
class Traces:
    """The results of the pass, in the engine's scratch space: rows of document, term, count, length, print.

    A row is a cell (it has a term), a document (it has a fingerprint) or a passage (it has neither).
    """

    rows: Any
    bands: int

    @classmethod
    def of(cls, engine: Engine, texts: Any, counting: CountingOptions | None, bands: tuple[int, int]) -> Traces:
        """The traces of a frame of texts (document, text)."""
        numbers = dict.fromkeys(("count", "length"), pl.Int64)
        schema = {"document": document_type(texts), "term": pl.String, **numbers, "print": pl.String}
        stage = partial(traced, counting=checked_counting(counting), bands=bands)
        return cls(engine.kept(engine.map_stream(texts, stage, schema, rows=TEXTS)), bands[0])

    @property
    def cells(self) -> Any:
        """Rows of document, term, count."""
        return self.rows.filter(~nw.col("term").is_null()).select("document", "term", "count")

    @property
    def documents(self) -> Any:
        """Rows of document, words (as `plain_words` has them), length, print."""
        found = self.rows.filter(~nw.col("print").is_null())
        return found.select("document", nw.col("count").alias("words"), "length", "print")

    def passages(self, every: int) -> Any:
        """Rows of document, hash, position: every so many of the passages, as `every_passage` says."""
        found = self.rows.filter(nw.col("term").is_null() & nw.col("print").is_null())
        found = found.select("document", nw.col("length").alias("hash"), nw.col("count").alias("position"))
        return found if every == 1 else found.filter(nw.col("hash") % every == 0)

    def fingerprints(self, documents: pl.DataFrame) -> Fingerprints:
        """The fingerprints in rows of `documents`."""
        hashes = np.empty((documents.height, 1 + self.bands), dtype=np.uint64)
        for first in range(0, documents.height, DECODED):
            some = documents["print"][first : first + DECODED].str.decode("base64")
            hashes[first : first + DECODED] = np.frombuffer(b"".join(some), HASH).reshape(-1, 1 + self.bands)
        return Fingerprints(hashes[:, 1:], np.ascontiguousarray(hashes[:, 0]), documents["words"].to_numpy())


def traced(
    batches: Iterable[pl.DataFrame], *, counting: CountingOptions, bands: tuple[int, int]
) -> Iterator[pl.DataFrame]:
    """The rows of `Traces` of some texts.

    How many passages will be looked at depends on the number of all tokens, which nobody knows yet. Those seen here are
    a part of them, so the sample that goes with these contains the final one. It grows with their logarithm.
    """
    tokens = 0
    for batch in batches:
        for texts in _in_blocks(batch):
            rows = tokenised(texts, counting=counting).with_columns(print=pl.lit(None, dtype=pl.String))
            cells, documents = (rows.filter(pl.col("term").is_null() == empty) for empty in (False, True))
            tokens += int(documents["length"].sum())
            yield pl.concat([cells, _printed(documents, texts, bands), _passages(texts, every_passage(tokens), rows)])


def _in_blocks(batch: pl.DataFrame) -> list[pl.DataFrame]:
    """Parts of a batch with about `BLOCK` bytes of text each: a row per passage takes more memory than its word."""
    block = (pl.col("text").str.len_bytes().cast(pl.Int64).cum_sum() // BLOCK).alias("block")
    return batch.with_columns(block).partition_by("block", maintain_order=True, include_key=False)


def _printed(documents: pl.DataFrame, texts: pl.DataFrame, bands: tuple[int, int]) -> pl.DataFrame:
    """The rows of documents, with their numbers of words and their fingerprints."""
    listed = texts["text"].to_list()
    found = TextShingles(listed).shingles(listed, WIDTH)
    keys = band_keys(found.hashes, found.indptr, *bands)
    raw = np.column_stack([found.whole, keys]).astype(HASH).tobytes()
    size = HASH.itemsize * (1 + bands[0])
    prints = pl.Series([raw[at : at + size] for at in range(0, len(raw), size)], dtype=pl.Binary)
    return documents.with_columns(count=pl.Series(found.words), print=prints.bin.encode("base64"))


def _passages(texts: pl.DataFrame, every: int, like: pl.DataFrame) -> pl.DataFrame:
    """The rows of passages, with the columns of *like*."""
    listed = texts["text"].to_list()
    found = TextShingles(listed).shingles(listed, PASSAGE)
    hashes, place, position = sampled_passages(found, every, np.arange(texts.height))
    columns = {"document": texts["document"].gather(place), "count": position, "length": hashes.view(SIGNED)}
    none = pl.lit(None, dtype=pl.String)
    return pl.DataFrame(columns).with_columns(term=none, print=none).select(like.columns)


def chosen_texts(engine: Engine, texts: Any, chosen: pl.DataFrame) -> Any:
    """The texts of some documents, with the other columns of *chosen*; up to `LISTED` of them, the engine finds them.

    More are found by our own code, which gets all texts for that.
    """
    if chosen.height <= LISTED:
        texts = texts.filter(nw.col("document").is_in(chosen["document"].to_list()))
    schema = {**dict(chosen.drop("document").schema), "text": pl.String}
    return engine.map_batches(texts, partial(only, chosen=chosen), schema, rows=TEXTS)


def only(batch: pl.DataFrame, *, chosen: pl.DataFrame) -> pl.DataFrame:
    """The chosen documents of some."""
    return batch.join(chosen, on="document", how="inner")
