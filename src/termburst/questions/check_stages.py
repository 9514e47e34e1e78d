"""`Corpus.check` in stages, where the texts are.

Texts are read once (`check_traces`), and of documents that may be near-copies, and of a few with shared passages, once
more. Documents come to this process as fingerprints, lengths and ids, about 250 bytes each, not as texts; passages as a
sample of at most eight million. Pairs of documents that may be near-copies are compared by workers, and words are
tested by workers, which all get the halves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from termburst.counting.options import CountingOptions
from termburst.counting.shingles import TextShingles
from termburst.inference.corpus_check import (
    BANDS,
    FEWEST,
    TermDocuments,
    alarms_of,
    chosen_places,
    prior_sums,
    random_halves,
    words_below,
)
from termburst.inference.duplicates import (
    Candidates,
    Fingerprints,
    NearDuplicates,
    banding,
    components,
    every_passage,
    jaccard_of,
    shared_of,
)
from termburst.inference.two_sides import PrecisionPrior
from termburst.questions.check import Check
from termburst.questions.check_traces import Traces, chosen_texts
from termburst.questions.corpus_check import CorpusCheck, checked, cluster_codes, largest_shares, shown_passages
from termburst.questions.plans import NO_ROWS, Engine
from termburst.questions.text_cells import document_type
from termburst.statistics.matrix import Integers
from termburst.statistics.term_statistics import NothingToCountError


def check_in_stages(
    asked: Check, engine: Engine, texts: Any, metadata: Any, counting: CountingOptions | None
) -> CorpusCheck:
    """The answer of `Check` about a frame of document and text, and one of document and all columns of metadata.

    Documents are taken in the order of their ids: of near-copies, the one with the first id is the original. The result
    is small and in this process, with frames of Polars.
    """
    traces = Traces.of(engine, texts, counting, banding(asked.threshold))
    corpus = Documents.of(engine.to_polars(traces.documents), traces)
    name = asked.cluster
    clusters = None if name is None else cluster_codes(_cluster(engine, metadata, name, corpus), name)
    found = _near_duplicates(engine, texts, corpus, asked.threshold)
    repeated, passages = _passages(engine, texts, traces, corpus, found)
    alarms = _false_alarms(engine, traces.cells, corpus, clusters, asked.halves, asked.seed)
    shares = _shares(engine, metadata, traces, corpus)
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


def _near_duplicates(engine: Engine, texts: Any, corpus: Documents, threshold: float) -> NearDuplicates:
    """The near-copies; workers compare the pairs that fingerprints propose, those that belong together at a time."""
    candidates = Candidates.of(corpus.prints)
    pairs = candidates.pairs
    if not pairs.size:
        return candidates.near_duplicates(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    held = np.unique(pairs)
    together = components(pairs, candidates.documents)[held]
    chosen = pl.DataFrame({"document": corpus.ids[held], "number": held, "together": together})
    schema = {"first": pl.Int64, "second": pl.Int64, "jaccard": pl.Float64}
    found = engine.to_polars(
        engine.map_terms(
            (engine.kept(chosen_texts(engine, texts, chosen)),),
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


def _passages(
    engine: Engine, texts: Any, traces: Traces, corpus: Documents, found: NearDuplicates
) -> tuple[float, pl.DataFrame]:
    """The share of the text that is in another document, too, and the passages in most documents, without copies."""
    every = every_passage(int(corpus.n_j.sum()))
    rows = engine.to_polars(traces.passages(every))
    rows = rows.with_columns(number=pl.Series(corpus.numbers(rows["document"]), dtype=pl.Int64)).drop("document")
    rows = rows.filter(pl.Series(found.kept).gather(rows["number"]))  # not in one chain, which would hold three copies
    rows = rows.sort("number", "position")
    hashes = rows["hash"].to_numpy().view(np.uint64)
    shared = shared_of(hashes, rows["number"].to_numpy(), rows["position"].to_numpy(), every)
    examples = np.unique(shared.example)
    chosen = pl.DataFrame({"document": corpus.ids[examples], "number": examples})
    held = (
        engine.to_polars(chosen_texts(engine, texts, chosen)).select("number", "text").rows() if examples.size else []
    )
    return shared.share, shown_passages(shared, corpus.ids.to_list(), dict(held))


def _false_alarms(engine: Engine, cells: Any, corpus: Documents, clusters: Any, halves: int, seed: int) -> Any:
    """`false_alarms` of the same documents in memory, with words dealt out to workers."""
    filled = corpus.n_j > 0
    n_j = corpus.n_j[filled]
    of = np.arange(n_j.size) if clusters is None else np.unique(clusters[filled], return_inverse=True)[1]
    units = int(of.max(initial=-1)) + 1
    if units < FEWEST:
        return None
    rng = np.random.default_rng(seed)
    chosen = _chosen_words(engine, engine.totals(cells, ["term"], "count"), rng)
    firsts = np.array(random_halves(rng, units, halves))
    schema = {"document": document_type(cells), "term": pl.String, "count": pl.Int64, "band": pl.Int64}
    held = engine.map_batches(cells, partial(of_words, chosen=chosen), schema)
    dealt = Dealt(corpus.ids.filter(pl.Series(filled)), n_j, of, firsts, summed=clusters is not None)
    held = engine.kept(held)
    sums = dict.fromkeys(("half", "kind", "place"), pl.Int64) | {"value": pl.Float64}
    dealt = replace(
        dealt, priors=_priors(engine.to_polars(engine.map_terms((held,), partial(saying, dealt=dealt), sums)), halves)
    )
    numbers = dict.fromkeys(("half", "test", "band", "below"), pl.Int64)
    found = engine.to_polars(engine.map_terms((held,), partial(alarming, dealt=dealt), numbers))
    below = np.zeros((halves, 3, len(BANDS)), np.int64)
    np.add.at(below, tuple(found[name].to_numpy() for name in ("half", "test", "band")), found["below"].to_numpy())
    if clusters is None:
        below[:, 2] = -1  # not tested
    words = np.bincount(chosen["band"].to_numpy(), minlength=len(BANDS))
    return alarms_of(below, words, int(chosen["n"].to_numpy().max(initial=0)))


def _chosen_words(engine: Engine, words: Any, rng: np.random.Generator) -> pl.DataFrame:
    """The words to test, with their bands and n_i: of each band at random, by their places in order."""
    n, band = nw.col("count"), nw.lit(None, dtype=nw.Int64)
    for number, (least, most) in enumerate(BANDS):
        band = nw.when((n >= least) & (n <= most)).then(nw.lit(number, dtype=nw.Int64)).otherwise(band)
    banded = words.with_columns(band=band).filter(~nw.col("band").is_null())
    sizes = dict(engine.to_polars(banded.group_by("band").agg(nw.len().alias("words"))).select("band", "words").rows())
    wanted = nw.lit(False)
    for number in range(len(BANDS)):
        size = sizes.get(number, 0)
        places = chosen_places(size, rng)
        among = nw.lit(True) if places.size == size else nw.col("place").is_in((places + 1).tolist())
        wanted = wanted | ((nw.col("band") == number) & among)
    placed = banded.with_columns(place=nw.col("term").rank("ordinal").over("band").cast(nw.Int64))
    found: pl.DataFrame = engine.to_polars(placed.filter(wanted).select("term", "band", nw.col("count").alias("n")))
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


def _priors(rows: pl.DataFrame, halves: int) -> tuple[tuple[PrecisionPrior, ...], ...]:
    """What all words say, from the rows of `saying`."""
    keys = ["half", "kind", "place"]
    sums = rows.group_by(keys).agg(pl.col("value").sum()).sort(keys)
    return tuple(
        tuple(
            PrecisionPrior.of_sums(one["value"].to_numpy())
            for one in sums.filter(half=half).partition_by("kind", maintain_order=True)
        )
        for half in range(halves)
    )


def saying(cells: pl.DataFrame, *, dealt: Dealt) -> pl.DataFrame:
    """What some words say about the precisions of each pair of halves; all their cells are given."""
    documents, whole, _ = _documents(cells, dealt)
    rows = [
        pl.DataFrame({"half": half, "kind": kind, "place": np.arange(sums.size), "value": sums})
        for half, first in enumerate(dealt.firsts)
        for kind, sums in enumerate(prior_sums(documents, first, dealt.of, whole))
    ]
    return pl.concat(rows).cast({"half": pl.Int64, "kind": pl.Int64})


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


def _cluster(engine: Engine, meta: Any, cluster: str, corpus: Documents) -> pl.Series:
    """The cluster of each document, in the order of ids."""
    names = meta.collect_schema().names()
    if cluster not in names[1:]:
        known = ", ".join(map(repr, names[1:])) or "none besides texts"
        raise ValueError(f"the frame has no column {cluster!r:.60} (cluster=...); it has {known:.300}")
    rows = engine.to_polars(meta.select("document", cluster))
    found: pl.Series = rows[cluster][np.argsort(corpus.numbers(rows["document"].cast(corpus.ids.dtype)))]
    return found


def _shares(engine: Engine, meta: Any, traces: Traces, corpus: Documents) -> pl.DataFrame:
    """`largest_shares` of the columns of a frame, but the ids."""
    lengths = traces.documents.select("document", "length")
    integers = corpus.ids.dtype == pl.Int64
    meta = meta.with_columns(nw.col("document").cast(nw.Int64 if integers else nw.String))
    types = {name: dtype for name, dtype in meta.collect_schema().items() if name != "document"}

    def column(name: str) -> Any:
        return meta.select("document", nw.col(name).alias("value")).join(lengths, on="document", how="inner")

    return largest_shares(types, column, len(corpus.ids), int(corpus.n_j.sum()), engine.to_polars)
