"""`Corpus.check` where the texts are.

Texts are read once (`traced`), and of documents that may be near-copies, and of a few with shared passages, once more.
Documents come to this process as fingerprints, lengths and ids, about 250 bytes each, not as texts; passages as a
sample of at most eight million; and the cells of the words that are tested in random halves, at most 4,000. Pairs of
documents that may be near-copies are compared by workers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import scipy.sparse as sp

from termburst.backends.frames import to_polars, totals
from termburst.backends.stream import kept, map_batches, map_stream, map_terms
from termburst.core.minhash import band_keys
from termburst.counting.options import CountingOptions, checked_counting
from termburst.counting.shingles import BLOCK, TextShingles
from termburst.display import no_column
from termburst.inference.corpus_check import BANDS, Alarms, alarms_of_words, chosen_words
from termburst.inference.duplicates import (
    PASSAGE,
    WIDTH,
    Fingerprints,
    NearDuplicates,
    SharedPassages,
    banding,
    components,
    every_passage,
    jaccard_of,
    near_duplicates_of,
    sampled_passages,
    shared_of,
)
from termburst.questions.check import Check
from termburst.questions.corpus_check import CorpusCheck, checked, cluster_codes, largest_shares
from termburst.questions.plans import NO_ROWS
from termburst.questions.text_cells import TEXTS, document_type, tokenised
from termburst.statistics.matrix import Integers
from termburst.statistics.term_statistics import NothingToCountError

SIGNED = np.int64  # engines have no unsigned integers: hashes are stored as the signed ones with the same bits
LISTED = 1_000  # ids in a condition of a query
DECODED = 100_000  # fingerprints that are bytes of Python at a time
HASH = np.dtype("<u8")  # of a fingerprint, which workers write and this process reads


def check_in_stages(asked: Check, texts: Any, metadata: Any, counting: CountingOptions | None) -> CorpusCheck:
    """The answer of `Check` about a frame of document and text, and one of document and all columns of metadata.

    Documents are taken in the order of their ids: of near-copies, the one with the first id is the original. The result
    is small and in this process, with frames of Polars.
    """
    corpus = Documents.of(texts, counting, banding(asked.threshold))
    name = asked.cluster
    clusters = None if name is None else cluster_codes(_cluster(metadata, name, corpus), name)
    found = _near_duplicates(texts, corpus, asked.threshold)
    shared = _shared_passages(corpus, found)
    examples = np.unique(shared.example)
    chosen = pl.DataFrame({"document": corpus.ids[examples], "number": examples})
    held = to_polars(chosen_texts(texts, chosen)).select("number", "text").rows() if examples.size else []
    alarms = _false_alarms(corpus, clusters, asked.halves, asked.seed)
    return checked(
        asked, list(map(str, corpus.ids)), corpus.n_j, found, shared, dict(held), _shares(metadata, corpus), alarms
    )


@dataclass(frozen=True)
class Documents:
    """What this process has of every document: id, length and fingerprint, in the order of ids.

    The results of the pass over the texts, *rows*, stay in the engine's scratch space: document, term, count, length,
    print. A row is a cell (it has a term), a document (it has a fingerprint) or a passage (it has neither).
    """

    rows: Any
    ids: pl.Series
    n_j: Integers
    prints: Fingerprints

    @classmethod
    def of(cls, texts: Any, counting: CountingOptions | None, bands: tuple[int, int]) -> Documents:
        """Those of a frame of texts (document, text)."""
        numbers = dict.fromkeys(("count", "length"), pl.Int64)
        schema = {"document": document_type(texts), "term": pl.String, **numbers, "print": pl.String}
        stage = partial(traced, counting=checked_counting(counting), bands=bands)
        rows = kept(map_stream(texts, stage, schema, rows=TEXTS))
        found = to_polars(rows.filter(~nw.col("print").is_null()).select("document", "count", "length", "print"))
        found = found.sort("document")
        if not found.height:
            raise NothingToCountError(NO_ROWS)
        if not found["length"].sum():
            raise NothingToCountError("no document has a term; perhaps all are empty or contain only stop words")
        hashes = np.empty((found.height, 1 + bands[0]), dtype=np.uint64)
        for first in range(0, found.height, DECODED):
            some = found["print"][first : first + DECODED].str.decode("base64")
            hashes[first : first + DECODED] = np.frombuffer(b"".join(some), HASH).reshape(-1, 1 + bands[0])
        prints = Fingerprints(hashes[:, 1:], np.ascontiguousarray(hashes[:, 0]), found["count"].to_numpy())
        return cls(rows, found["document"], found["length"].to_numpy(), prints)

    def numbers(self, ids: pl.Series) -> Integers:
        """The places of some documents in the order of ids."""
        return self.ids.search_sorted(ids, side="left").to_numpy().astype(np.int64)


def _near_duplicates(texts: Any, corpus: Documents, threshold: float) -> NearDuplicates:
    """The near-copies; workers compare the pairs that fingerprints propose, those that belong together at a time."""

    def compared(pairs: Integers) -> Any:
        held = np.unique(pairs)
        together = components(pairs, corpus.n_j.size)[held]
        chosen = pl.DataFrame({"document": corpus.ids[held], "number": held, "together": together})
        stage = partial(compared_pairs, pairs=pairs)
        schema = {"pair": pl.Int64, "jaccard": pl.Float64}
        rows = to_polars(map_terms((kept(chosen_texts(texts, chosen)),), stage, schema, "together"))
        return rows.sort("pair")["jaccard"].to_numpy()

    return near_duplicates_of(corpus.prints, compared, threshold)


def compared_pairs(batch: pl.DataFrame, *, pairs: Integers) -> pl.DataFrame:
    """The Jaccard index of the pairs of some documents, of which all that belong together are given."""
    batch = batch.sort("number")
    numbers, texts = batch["number"].to_numpy(), batch["text"].to_list()
    own = np.flatnonzero(np.isin(pairs[:, 0], numbers))
    values = np.zeros(0)
    if own.size:
        values = jaccard_of(TextShingles(texts), np.arange(numbers.size), np.searchsorted(numbers, pairs[own]))
    return pl.DataFrame({"pair": own, "jaccard": values})


def _shared_passages(corpus: Documents, found: NearDuplicates) -> SharedPassages:
    """The passages that several documents have which are not near-copies."""
    every, hashed = every_passage(int(corpus.n_j.sum())), nw.col("length")
    passages = corpus.rows.filter(nw.col("term").is_null() & nw.col("print").is_null())
    passages = passages if every == 1 else passages.filter(hashed % every == 0)
    rows = to_polars(passages.select("document", hashed.alias("hash"), nw.col("count").alias("position")))
    rows = rows.with_columns(number=pl.Series(corpus.numbers(rows["document"]), dtype=pl.Int64)).drop("document")
    rows = rows.filter(pl.Series(found.kept).gather(rows["number"]))  # not in one chain, which would hold three copies
    rows = rows.sort("number", "position")
    return shared_of(rows["hash"].to_numpy().view(np.uint64), rows["number"].to_numpy(), rows["position"].to_numpy())


def _false_alarms(corpus: Documents, clusters: Any, halves: int, seed: int) -> Alarms | None:
    """`false_alarms` of the same documents in memory."""
    rng = np.random.default_rng(seed)
    cells = corpus.rows.filter(~nw.col("term").is_null()).select("document", "term", "count")
    words = to_polars(totals(cells, ["term"], "count").filter(nw.col("count") >= BANDS[0][0])).sort("term")
    words = words[chosen_words(words["count"].to_numpy(), rng)].select("term", word=pl.int_range(pl.len()))
    schema = {"document": document_type(cells), "word": pl.Int64, "count": pl.Int64}
    held = to_polars(map_batches(cells, partial(only, chosen=words, on="term"), schema))
    places = corpus.numbers(held["document"]), held["word"].to_numpy()
    counts = sp.csr_array((held["count"].to_numpy(), places), shape=(corpus.n_j.size, words.height))
    return alarms_of_words(counts, corpus.n_j, rng, clusters, halves)


def _cluster(meta: Any, cluster: str, corpus: Documents) -> pl.Series:
    """The cluster of each document, in the order of ids."""
    names = meta.collect_schema().names()
    if cluster not in names[1:]:
        raise ValueError(no_column(cluster, names[1:], " (cluster=...)", "the frame"))
    rows = to_polars(meta.select("document", cluster))
    found: pl.Series = rows[cluster][np.argsort(corpus.numbers(rows["document"].cast(corpus.ids.dtype)))]
    return found


def _shares(meta: Any, corpus: Documents) -> pl.DataFrame:
    """`largest_shares` of the columns of a frame, but the ids."""
    lengths = corpus.rows.filter(~nw.col("print").is_null()).select("document", "length")
    integers = corpus.ids.dtype == pl.Int64
    meta = meta.with_columns(nw.col("document").cast(nw.Int64 if integers else nw.String))
    types = {name: dtype for name, dtype in meta.collect_schema().items() if name != "document"}

    def column(name: str) -> Any:
        return meta.select("document", nw.col(name).alias("value")).join(lengths, on="document", how="inner")

    return largest_shares(types, column, corpus.n_j, to_polars)


# One pass over the texts


def traced(
    batches: Iterable[pl.DataFrame], *, counting: CountingOptions, bands: tuple[int, int]
) -> Iterator[pl.DataFrame]:
    """The rows of `Documents` of some texts.

    How many passages will be looked at depends on the number of all tokens, which nobody knows yet. Those seen here are
    a part of them, so the sample that goes with these contains the final one. It grows with their logarithm.
    """
    tokens = 0
    for batch in batches:
        for texts in _in_blocks(batch):
            rows = tokenised(texts, counting=counting).with_columns(print=pl.lit(None, dtype=pl.String))
            cells, documents = (rows.filter(pl.col("term").is_null() == empty) for empty in (False, True))
            tokens += int(documents["length"].sum())
            yield pl.concat(
                [cells, _printed(documents, texts, bands), _passage_rows(texts, every_passage(tokens), rows)]
            )


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


def _passage_rows(texts: pl.DataFrame, every: int, like: pl.DataFrame) -> pl.DataFrame:
    """The rows of passages, with the columns of *like*."""
    listed = texts["text"].to_list()
    found = TextShingles(listed).shingles(listed, PASSAGE)
    hashes, place, position = sampled_passages(found, every, np.arange(texts.height))
    columns = {"document": texts["document"].gather(place), "count": position, "length": hashes.view(SIGNED)}
    none = pl.lit(None, dtype=pl.String)
    return pl.DataFrame(columns).with_columns(term=none, print=none).select(like.columns)


def chosen_texts(texts: Any, chosen: pl.DataFrame) -> Any:
    """The texts of some documents, with the other columns of *chosen*; up to `LISTED` of them, the engine finds them.

    More are found by our own code, which gets all texts for that.
    """
    if chosen.height <= LISTED:
        texts = texts.filter(nw.col("document").is_in(chosen["document"].to_list()))
    schema = {**dict(chosen.drop("document").schema), "text": pl.String}
    return map_batches(texts, partial(only, chosen=chosen, on="document"), schema, rows=TEXTS)


def only(batch: pl.DataFrame, *, chosen: pl.DataFrame, on: str) -> pl.DataFrame:
    """The rows of the chosen documents or words, with the other columns of *chosen*."""
    return batch.join(chosen, on=on, how="inner")
