"""What a corpus has that could make p-values wrong: in words, and as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.counting.shingles import CountShingles, TextShingles, plain_words
from termburst.display import html_table, printable
from termburst.inference.corpus_check import FEWEST, LEVEL, Alarms, effective_documents, false_alarms
from termburst.inference.duplicates import NearDuplicates, SharedPassages, Source, near_duplicates, shared_passages
from termburst.messages import Message, joined, named
from termburst.reading.faults import many

if TYPE_CHECKING:
    from termburst.counting.counted_corpus import CountedCorpus
    from termburst.questions.check import Check
    from termburst.reading.documents import Text

FEW = 20  # effective documents below which little can be said
COPIES, REPEATED, DOMINANT, ALARMS = 0.01, 0.05, 0.5, 0.07  # shares from which the text warns
ENOUGH_WORDS = 50  # in a band, for the text to mention it
_LONGEST = 160  # characters of a passage in the text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CorpusCheck:
    """What a corpus has that could make p-values wrong: print it for a paragraph and a table.

    Attributes
    ----------
    documents, tokens : their numbers
    effective_documents : (Σ n_j²)²/Σ n_j⁴, how many documents of equal length would weigh as much
    threshold : Jaccard index from which documents are near-copies
    compared : number of documents that are long enough to be compared
    duplicates : frame with one row per near-copy: id, duplicate_of, jaccard
    repeated : share of the text that is in another document, too; without near-copies. NaN if only counts are known
    passages : frame of the passages that most documents share: documents, example (an id), passage
    shares : frame of the largest value of each column of the metadata: column, value, documents, tokens (shares)
    cluster : the column by which documents were dealt out, if any
    false_alarms : frame with one row per band of frequency: least, most, words, keyness, g2 (shares of words with p
        below 0.05 in random halves), summed (the same where a cluster is one document), and their standard errors; no
        rows if there are too few documents
    halves : how often the corpus was halved

    Examples
    --------
    >>> import termburst as tb
    >>> check = tb.read(["one and the same short text"] * 2 + ["so it goes", "and so on"]).check()
    >>> check.documents, check.duplicates["jaccard"].to_list()
    (4, [1.0])
    """

    documents: int
    tokens: int
    effective_documents: float
    threshold: float
    compared: int
    duplicates: pl.DataFrame
    repeated: float
    passages: pl.DataFrame
    shares: pl.DataFrame
    cluster: str | None
    false_alarms: pl.DataFrame
    halves: int

    @property
    def warnings(self) -> list[str]:
        """One sentence per finding that makes p-values too small, or leaves nothing to say."""
        copies = self._copies() if self.duplicates.height >= COPIES * self.documents else ""
        found = [self._few(), copies, self._repetition(), self._dominant(), self._alarms()]
        return [sentence for sentence in found if sentence]

    @property
    def words(self) -> str:
        """The answer in one paragraph."""
        size = f"{many(self.documents, 'document')}, {self.tokens:,} tokens"
        alike = f"which tell as much as {many(round(self.effective_documents), 'document')} would"
        warned = self.warnings
        verdict = "Take care with p-values here" if warned else "Nothing here speaks against the p-values"
        parts = [f"{verdict}: {size}, {alike} if all had the same length.", *warned]
        copies = self._copies()
        return joined([*parts, *([] if copies in parts else [copies]), self._halves()], " ")

    def __str__(self) -> str:
        """The paragraph and the table."""
        return joined([self.words, *(["", *self._table()] if self.false_alarms.height else [])], "\n")

    def __repr__(self) -> str:
        """The same as printed."""
        return str(self)

    def _repr_html_(self) -> str:
        """The paragraph and the table, for notebooks."""
        return html_table(self.words, self.false_alarms)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        values: dict[str, Any] = {"answer": self.words}
        for field in fields(self):
            value = getattr(self, field.name)
            values[field.name] = value.fill_nan(None).to_dicts() if isinstance(value, pl.DataFrame) else value
        return values | {"repeated": None if np.isnan(self.repeated) else self.repeated}

    # Sentences

    def _few(self) -> str:
        if self.effective_documents >= FEW:
            return ""
        why = "a few long documents outweigh all others" if self.documents >= FEW else "there are so few documents"
        cut = named("split", 1000, python="split(tokens=1000)")
        return Message(f"Little can be said of single words, because {why}: cut long ones (", cut, "), or add more.")

    def _copies(self) -> str:
        number = self.duplicates.height
        if not number and self.compared < 2:
            return "There are no two documents to compare."
        if not number:
            return f"No document is a near-copy of another ({self.compared:,} compared)."
        first = self.duplicates.row(0, named=True)
        example = f"{printable(first['id'])} of {printable(first['duplicate_of'])}"
        share = f"{number:,} of {self.documents:,} documents ({_percent(number / self.documents)})"
        verb = "is a near-copy of another" if number == 1 else "are near-copies of others"
        why = "they count the same evidence again, which makes p-values too small. "
        why = why if number >= COPIES * self.documents else ""
        drop = named("drop_duplicates", bare=True)
        return Message(f"{share} {verb} (such as {example}); {why}", drop, " drops them.")

    def _repetition(self) -> str:
        if not self.repeated >= REPEATED:
            return ""
        sentence = f"{_percent(self.repeated)} of the text is in another document, too"
        if self.passages.height:
            most = self.passages.row(0, named=True)
            sentence += f", most often “{printable(most['passage'], _LONGEST)}” (in {most['documents']:,} documents)"
        return f"{sentence}: quotations and boilerplate make documents depend on each other."

    def _dominant(self) -> str:
        large = self.shares.filter(pl.col("tokens") >= DOMINANT)
        named = [
            f"{printable(row['column'])} = {printable(row['value'])} ({_percent(row['tokens'])})"
            for row in large.head(3).iter_rows(named=True)
        ]
        return f"One value has most of the text: {', '.join(named)}; results are mostly about it." if named else ""

    def _alarms(self) -> str:
        frame = self.false_alarms.filter(pl.col("words") >= ENOUGH_WORDS)
        high = frame.filter(pl.col("keyness") - 2 * pl.col("keyness_error") > ALARMS)
        if not high.height:
            return ""
        if self.cluster is None:
            return "Even between random halves too many words differ: see the table."
        name = printable(self.cluster)
        return f"Documents of one {name} depend on each other: compare with cluster={name!r}, or sum their counts."

    def _halves(self) -> str:
        frame = self.false_alarms.filter(pl.col("words") >= ENOUGH_WORDS)
        if not frame.height and self.false_alarms.height:
            return f"No row of the table has {ENOUGH_WORDS} words, so its shares say little."
        if not frame.height:
            return "There are too few documents or words to try random halves."
        ours, theirs = (_range(frame[name]) for name in ("keyness", "g2"))
        what = "the documents" if self.cluster is None else f"the values of {printable(self.cluster)}"
        text = (
            f"In {self.halves} random halves of {what}, where no word truly differs, {ours} of the words have p below "
            f"{_percent(LEVEL)} by termburst's keyness, and {theirs} by G²"
        )
        if self.cluster is not None:
            return f"{text}; with the documents of each value as one, {_range(frame['summed'])}."
        return (
            f"{text}. Halves of documents cannot show whether documents depend on each other; near-copies can, and "
            "cluster= with the column of authors or sources."
        )

    def _table(self) -> list[str]:
        names = {"keyness": "termburst", "g2": "G²"} | ({"summed": "clusters summed"} if self.cluster else {})
        rows = [["occurrences", "words", *names.values()]]
        for row in self.false_alarms.iter_rows(named=True):
            shares = [f"{100 * row[name]:.1f} % ± {100 * row[f'{name}_error']:.1f}" for name in names]
            rows.append([f"{row['least']:,}–{row['most']:,}", f"{row['words']:,}", *shares])
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        return ["Words with p below 5 % in random halves:", *lines]


def corpus_check(
    asked: Check, corpus: CountedCorpus, metadata: pl.DataFrame, clusters: NDArray[np.intp] | None
) -> CorpusCheck:
    """Check documents; `cluster_codes` makes *clusters*."""
    source, ids = shingles_of(corpus.texts, corpus.counts), list(corpus.ids)
    found = near_duplicates(source, asked.threshold)
    n_j = np.asarray(corpus.counts.sum(axis=1)).ravel().astype(np.int64)
    shared, texts = None, {}
    if isinstance(source, TextShingles):
        shared = shared_passages(source, np.flatnonzero(found.kept), int(n_j.sum()))
        texts = {number: source.texts[number] for number in shared.example.tolist()}
    alarms = false_alarms(corpus.counts, cluster=clusters, halves=asked.halves, seed=asked.seed)
    return checked(asked, ids, n_j, found, shared, texts, _shares(metadata, n_j), alarms)


def checked(
    asked: Check, ids: list[str], n_j: NDArray[np.int64], found: NearDuplicates, shared: SharedPassages | None,
    texts: Mapping[int, Text], shares: pl.DataFrame, alarms: Alarms | None,
) -> CorpusCheck:  # fmt: skip
    """The answer, from documents of n_j tokens and what was found in them; *texts* has the examples of passages."""
    return CorpusCheck(
        len(ids), int(n_j.sum()), effective_documents(n_j), asked.threshold, found.compared, dropped_frame(ids, found),
        float("nan") if shared is None else shared.share, _passages(shared, ids, texts), shares, asked.cluster,
        _alarms_frame(alarms), asked.halves if alarms is not None else 0,
    )  # fmt: skip


def shingles_of(texts: Sequence[Text] | None, counts: Any) -> Source:
    """What is compared: the texts, or the counts if there are no texts."""
    return CountShingles(counts) if texts is None else TextShingles(texts)


def _passages(found: SharedPassages | None, ids: Sequence[str], texts: Mapping[int, Text]) -> pl.DataFrame:
    """One row per passage."""
    schema = {"documents": pl.Int64, "example": pl.String, "passage": pl.String}
    if found is None:
        return pl.DataFrame(schema=schema)
    words = {example: plain_words(text) for example, text in texts.items()}
    columns = (column.tolist() for column in (found.documents, found.example, found.start, found.stop))
    rows = [(number, ids[k], " ".join(words[k][start:stop])) for number, k, start, stop in zip(*columns, strict=True)]
    return pl.DataFrame(rows, schema=schema, orient="row")


def largest_shares(
    types: Mapping[str, Any], column: Callable[[str], Any], n_j: NDArray[np.int64], collect: Callable[[Any], Any]
) -> pl.DataFrame:
    """The value with most tokens of each column of text that groups documents.

    *column* gives a lazy frame of Narwhals with the value and the length of each document, and *collect* its rows.
    """
    import narwhals.stable.v2 as nw

    found = []
    for name, dtype in types.items():
        if not (dtype in (nw.String, nw.Boolean, nw.Categorical) or isinstance(dtype, nw.Enum)):
            continue
        by_value = column(name).group_by("value").agg(nw.len().alias("documents"), nw.col("length").sum())
        if not 1 < collect(by_value.select(nw.len().alias("values")))["values"][0] < n_j.size:
            continue
        named = by_value.filter(~nw.col("value").is_null()).with_columns(nw.col("value").cast(nw.String))
        first = collect(named.sort("length", "value", descending=[True, False]).head(1))
        value, number, size = first.select("value", "documents", "length").row(0)
        found.append((name, value, number / n_j.size, size / max(int(n_j.sum()), 1)))
    schema = {"column": pl.String, "value": pl.String, "documents": pl.Float64, "tokens": pl.Float64}
    return pl.DataFrame(found, schema=schema, orient="row").sort("tokens", descending=True, maintain_order=True)


def _shares(frame: pl.DataFrame, n_j: NDArray[np.int64]) -> pl.DataFrame:
    """`largest_shares` of the columns of a frame in memory, but the first."""
    import narwhals.stable.v2 as nw

    types = nw.from_native(frame[:, 1:]).schema

    def column(name: str) -> Any:
        return nw.from_native(pl.LazyFrame({"value": frame[name], "length": n_j}))

    return largest_shares(types, column, n_j, lambda rows: rows.collect().to_native())


def _alarms_frame(alarms: Alarms | None) -> pl.DataFrame:
    """One row per band of frequency that has words."""
    schema = {"least": pl.Int64, "words": pl.Int64, "keyness": pl.Float64, "keyness_error": pl.Float64}
    if alarms is None or not alarms["words"].any():
        return pl.DataFrame(schema=schema)
    return pl.DataFrame(alarms).filter(pl.col("words") > 0)


def dropped_frame(ids: list[str], found: NearDuplicates) -> pl.DataFrame:
    """One row per near-copy of an earlier document: id, duplicate_of, jaccard."""
    originals, similar = found.original.tolist(), found.similarity.tolist()
    rows = [(ids[k], ids[originals[k]], similar[k]) for k in np.flatnonzero(~found.kept).tolist()]
    schema = {"id": pl.String, "duplicate_of": pl.String, "jaccard": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def cluster_codes(column: pl.Series, name: str) -> NDArray[np.intp]:
    """The number of each document's cluster; ValueError if it is not known for all."""
    if column.null_count():
        raise ValueError(
            f"{column.null_count():,} documents have nothing in the column {name!r:.60}; fill it, or leave them out"
        )
    codes = column.rank("dense").to_numpy().astype(np.intp) - 1
    if codes.max(initial=-1) + 1 < FEWEST:
        raise ValueError(
            f"the column {name!r:.60} has {codes.max(initial=-1) + 1} values; to deal them out, at least {FEWEST} are "
            "needed"
        )
    return codes


def _percent(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


def _range(shares: pl.Series) -> str:
    low, high = (f"{100 * value:.1f}" for value in np.percentile(shares.to_numpy(), [0, 100]).tolist())
    return f"{low} %" if low == high else f"{low} to {high} %"
