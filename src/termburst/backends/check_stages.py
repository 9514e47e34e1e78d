"""`Corpus.check` where the texts are.

Texts are read once (`traced`), and of documents that may be near-copies, and of a few with shared passages, once more.
Documents come to this process as fingerprints, lengths and ids, about 250 bytes each, not as texts; passages as a
sample of at most eight million. Pairs of documents that may be near-copies are compared by workers, and words are
tested by workers, which all get the halves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from termburst.backends.frames import to_polars, totals
from termburst.backends.stream import kept, map_batches, map_stream, map_terms
from termburst.core.minhash import band_keys
from termburst.counting.options import CountingOptions, checked_counting
from termburst.counting.shingles import BLOCK, TextShingles
from termburst.inference.corpus_check import (
    BANDS,
    FEWEST,
    Alarms,
    TermDocuments,
    alarms_of,
    chosen_places,
    prior_sums,
    random_halves,
    words_below,
)
from termburst.inference.duplicates import (
    PASSAGE,
    WIDTH,
    Candidates,
    Fingerprints,
    NearDuplicates,
    banding,
    components,
    every_passage,
    jaccard_of,
    sampled_passages,
    shared_of,
)
from termburst.inference.two_sides import PrecisionPrior
from termburst.questions.check import Check
from termburst.questions.corpus_check import CorpusCheck, checked, cluster_codes, largest_shares, shown_passages
from termburst.questions.plans import NO_ROWS, TermsPlan, lesson, sums_of
from termburst.questions.text_cells import TEXTS, document_type, tokenised
from termburst.statistics.matrix import Integers
from termburst.statistics.term_statistics import NothingToCountError

SIGNED = np.int64  # engines have no unsigned integers: hashes are stored as the signed ones with the same bits
LISTED = 1_000  # ids in a condition of a query
DECODED = 100_000  # fingerprints that are bytes of Python at a time
KINDS = ("documents", "units")  # of which words say how precise they are
HASH = np.dtype("<u8")  # of a fingerprint, which workers write and this process reads


def check_in_stages(asked: Check, texts: Any, metadata: Any, counting: CountingOptions | None) -> CorpusCheck:
    """The answer of `Check` about a frame of document and text, and one of document and all columns of metadata.

    Documents are taken in the order of their ids: of near-copies, the one with the first id is the original. The result
    is small and in this process, with frames of Polars.
    """
    traces = Traces.of(texts, counting, banding(asked.threshold))
    corpus = Documents.of(to_polars(traces.documents), traces)
    name = asked.cluster
    clusters = None if name is None else cluster_codes(_cluster(metadata, name, corpus), name)
    found = _near_duplicates(texts, corpus, asked.threshold)
    repeated, passages = _passages(texts, traces, corpus, found)
    alarms = _false_alarms(traces.cells, corpus, clusters, asked.halves, asked.seed)
    shares = _shares(metadata, traces, corpus)
    return checked(asked, list(map(str, corpus.ids)), corpus.n_j, found, repeated, passages, shares, alarms)


@dataclass(frozen=True)
class Documents:
    """What this process has of every document: id, length and fingerprint, in the order of ids."""

    ids: pl.Series
    n_j: Integers
    prints: Fingerprints

    @classmethod
    def of(cls, found: pl.DataFrame, traces: Traces) -> Documents:
        """Those of the rows of `Traces.documents`."""
        found = found.sort("document")
        if not found.height:
            raise NothingToCountError(NO_ROWS)
        if not found["length"].sum():
            raise NothingToCountError("no document has a term; perhaps all are empty or contain only stop words")
        return cls(found["document"], found["length"].to_numpy(), traces.fingerprints(found))

    def numbers(self, ids: pl.Series) -> Integers:
        """The places of some documents in the order of ids."""
        return self.ids.search_sorted(ids, side="left").to_numpy().astype(np.int64)


def _near_duplicates(texts: Any, corpus: Documents, threshold: float) -> NearDuplicates:
    """The near-copies; workers compare the pairs that fingerprints propose, those that belong together at a time."""
    candidates = Candidates.of(corpus.prints)
    pairs = candidates.pairs
    if not pairs.size:
        return candidates.near_duplicates(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    held = np.unique(pairs)
    together = components(pairs, candidates.documents)[held]
    chosen = pl.DataFrame({"document": corpus.ids[held], "number": held, "together": together})
    schema = {"first": pl.Int64, "second": pl.Int64, "jaccard": pl.Float64}
    found = to_polars(
        map_terms(
            (kept(chosen_texts(texts, chosen)),),
            partial(compared_pairs, pairs=pairs),
            schema,
            "together",
        )
    )
    found = found.filter(pl.col("jaccard") >= threshold)
    return candidates.near_duplicates(*(found[name].to_numpy() for name in schema))


def compared_pairs(batch: pl.DataFrame, *, pairs: Integers) -> pl.DataFrame:
    """The Jaccard index of the pairs of some documents, of which all that belong together are given."""
    batch = batch.sort("number")
    numbers, texts = batch["number"].to_numpy(), batch["text"].to_list()
    own = pairs[np.isin(pairs[:, 0], numbers)]
    values = np.zeros(0)
    if own.size:
        values = jaccard_of(TextShingles(texts), np.arange(numbers.size), np.searchsorted(numbers, own))
    return pl.DataFrame({"first": own[:, 0], "second": own[:, 1], "jaccard": values})


def _passages(texts: Any, traces: Traces, corpus: Documents, found: NearDuplicates) -> tuple[float, pl.DataFrame]:
    """The share of the text that is in another document, too, and the passages in most documents, without copies."""
    every = every_passage(int(corpus.n_j.sum()))
    rows = to_polars(traces.passages(every))
    rows = rows.with_columns(number=pl.Series(corpus.numbers(rows["document"]), dtype=pl.Int64)).drop("document")
    rows = rows.filter(pl.Series(found.kept).gather(rows["number"]))  # not in one chain, which would hold three copies
    rows = rows.sort("number", "position")
    hashes = rows["hash"].to_numpy().view(np.uint64)
    shared = shared_of(hashes, rows["number"].to_numpy(), rows["position"].to_numpy(), every)
    examples = np.unique(shared.example)
    chosen = pl.DataFrame({"document": corpus.ids[examples], "number": examples})
    held = to_polars(chosen_texts(texts, chosen)).select("number", "text").rows() if examples.size else []
    return shared.share, shown_passages(shared, corpus.ids.to_list(), dict(held))


def _false_alarms(cells: Any, corpus: Documents, clusters: Any, halves: int, seed: int) -> Alarms | None:
    """`false_alarms` of the same documents in memory, with words dealt out to workers."""
    filled = corpus.n_j > 0
    n_j = corpus.n_j[filled]
    of = np.arange(n_j.size) if clusters is None else np.unique(clusters[filled], return_inverse=True)[1]
    units = int(of.max(initial=-1)) + 1
    if units < FEWEST:
        return None
    rng = np.random.default_rng(seed)
    chosen = _chosen_words(totals(cells, ["term"], "count"), rng)
    firsts = np.array(random_halves(rng, units, halves))
    schema = {"document": document_type(cells), "term": pl.String, "count": pl.Int64, "band": pl.Int64}
    held = map_batches(cells, partial(of_words, chosen=chosen), schema)
    dealt = Dealt(corpus.ids.filter(pl.Series(filled)), n_j, of, firsts, summed=clusters is not None)
    held = kept(held)
    sums = sums_of(to_polars(map_terms((held,), partial(saying, dealt=dealt), TermsPlan.lesson_schema())))
    priors = tuple(
        tuple(PrecisionPrior.of_sums(sums[half, kind]) for kind in KINDS if (half, kind) in sums)
        for half in range(halves if sums else 0)
    )
    dealt = replace(dealt, priors=priors)
    numbers = dict.fromkeys(("half", "test", "band", "below"), pl.Int64)
    found = to_polars(map_terms((held,), partial(alarming, dealt=dealt), numbers))
    below = np.zeros((halves, 3, len(BANDS)), np.int64)
    np.add.at(below, tuple(found[name].to_numpy() for name in ("half", "test", "band")), found["below"].to_numpy())
    if clusters is None:
        below[:, 2] = -1  # not tested
    words = np.bincount(chosen["band"].to_numpy(), minlength=len(BANDS))
    return alarms_of(below, words, int(chosen["n"].to_numpy().max(initial=0)))


def _chosen_words(words: Any, rng: np.random.Generator) -> pl.DataFrame:
    """The words to test, with their bands and n_i: of each band at random, by their places in order."""
    n, band = nw.col("count"), nw.lit(None, dtype=nw.Int64)
    for number, (least, most) in enumerate(BANDS):
        band = nw.when((n >= least) & (n <= most)).then(nw.lit(number, dtype=nw.Int64)).otherwise(band)
    banded = words.with_columns(band=band).filter(~nw.col("band").is_null())
    sizes = dict(to_polars(banded.group_by("band").agg(nw.len().alias("words"))).select("band", "words").rows())
    wanted = nw.lit(False)
    for number in range(len(BANDS)):
        size = sizes.get(number, 0)
        places = chosen_places(size, rng)
        among = nw.lit(True) if places.size == size else nw.col("place").is_in((places + 1).tolist())
        wanted = wanted | ((nw.col("band") == number) & among)
    placed = banded.with_columns(place=nw.col("term").rank("ordinal").over("band").cast(nw.Int64))
    found: pl.DataFrame = to_polars(placed.filter(wanted).select("term", "band", nw.col("count").alias("n")))
    return found


def of_words(batch: pl.DataFrame, *, chosen: pl.DataFrame) -> pl.DataFrame:
    """The cells of the chosen words, with their bands."""
    return batch.join(chosen.select("term", "band"), on="term", how="inner")


@dataclass(frozen=True)
class Dealt:
    """What workers need to test words in random halves: documents that are not empty, and their halves.

    Attributes
    ----------
    ids, n_j : id and length of each document, in the order of ids
    of : the unit of each document
    firsts : halves × units, whether a unit is in the first half
    summed : whether units are also tested as one document each
    priors : for each of the halves, what all words say about the precisions, of documents and of units
    """

    ids: pl.Series
    n_j: Integers
    of: Any
    firsts: Any
    summed: bool
    priors: tuple[tuple[PrecisionPrior, ...], ...] = ()


def saying(cells: pl.DataFrame, *, dealt: Dealt) -> pl.DataFrame:
    """What some words say about the precisions of each pair of halves; all their cells are given."""
    documents, whole, _ = _documents(cells, dealt)
    return lesson({
        (half, kind): sums
        for half, first in enumerate(dealt.firsts)
        for kind, sums in zip(KINDS, prior_sums(documents, first, dealt.of, whole), strict=False)
    })  # fmt: skip


def alarming(cells: pl.DataFrame, *, dealt: Dealt) -> pl.DataFrame:
    """How many of some words have p below 0.05 in each half; all their cells are given."""
    documents, whole, band = _documents(cells, dealt)
    priors = dealt.priors or [(None, None)] * len(dealt.firsts)
    each = zip(dealt.firsts, priors, strict=True)
    below = np.array([words_below(documents, band, first, dealt.of, whole, own) for first, own in each])
    half, test, of_band = (index.ravel() for index in np.indices(below.shape))
    return pl.DataFrame({"half": half, "test": test, "band": of_band, "below": np.maximum(below, 0).ravel()})


def _documents(cells: pl.DataFrame, dealt: Dealt) -> tuple[TermDocuments, TermDocuments | None, Integers]:
    """Some words in the documents, and in units as one document each, if asked for; and the band of each."""
    number = dealt.ids.search_sorted(cells["document"], side="left").cast(pl.Int64)
    cells = cells.with_columns(number=number).sort("term", "number")
    terms = cells["term"].unique(maintain_order=True)
    term = terms.search_sorted(cells["term"], side="left").to_numpy().astype(np.int64)
    count = cells["count"].to_numpy()
    n_i = np.bincount(term, count, terms.len()).astype(np.int64)
    documents = TermDocuments(term, cells["number"].to_numpy(), count, dealt.n_j, n_i)
    band = cells["band"].to_numpy()[np.searchsorted(term, np.arange(terms.len()))]
    return documents, documents.summed(dealt.of, dealt.firsts.shape[1]) if dealt.summed else None, band


def _cluster(meta: Any, cluster: str, corpus: Documents) -> pl.Series:
    """The cluster of each document, in the order of ids."""
    names = meta.collect_schema().names()
    if cluster not in names[1:]:
        known = ", ".join(map(repr, names[1:])) or "none besides texts"
        raise ValueError(f"the frame has no column {cluster!r:.60} (cluster=...); it has {known:.300}")
    rows = to_polars(meta.select("document", cluster))
    found: pl.Series = rows[cluster][np.argsort(corpus.numbers(rows["document"].cast(corpus.ids.dtype)))]
    return found


def _shares(meta: Any, traces: Traces, corpus: Documents) -> pl.DataFrame:
    """`largest_shares` of the columns of a frame, but the ids."""
    lengths = traces.documents.select("document", "length")
    integers = corpus.ids.dtype == pl.Int64
    meta = meta.with_columns(nw.col("document").cast(nw.Int64 if integers else nw.String))
    types = {name: dtype for name, dtype in meta.collect_schema().items() if name != "document"}

    def column(name: str) -> Any:
        return meta.select("document", nw.col(name).alias("value")).join(lengths, on="document", how="inner")

    return largest_shares(types, column, len(corpus.ids), int(corpus.n_j.sum()), to_polars)


# One pass over the texts


@dataclass(frozen=True, slots=True)
class Traces:
    """The results of the pass, in the engine's scratch space: rows of document, term, count, length, print.

    A row is a cell (it has a term), a document (it has a fingerprint) or a passage (it has neither).
    """

    rows: Any
    bands: int

    @classmethod
    def of(cls, texts: Any, counting: CountingOptions | None, bands: tuple[int, int]) -> Traces:
        """The traces of a frame of texts (document, text)."""
        numbers = dict.fromkeys(("count", "length"), pl.Int64)
        schema = {"document": document_type(texts), "term": pl.String, **numbers, "print": pl.String}
        stage = partial(traced, counting=checked_counting(counting), bands=bands)
        return cls(kept(map_stream(texts, stage, schema, rows=TEXTS)), bands[0])

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
    return map_batches(texts, partial(only, chosen=chosen), schema, rows=TEXTS)


def only(batch: pl.DataFrame, *, chosen: pl.DataFrame) -> pl.DataFrame:
    """The chosen documents of some."""
    return batch.join(chosen, on="document", how="inner")
