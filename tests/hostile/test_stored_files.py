"""Altered files of statistics, weights and indexes give an error of one sentence, even if the digest is right."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from attacks import Attack, Kind, by_kind, fine, refused
from attacks.crafted import Alter, resized, saved, statistics_bytes, with_header

import termburst as tb
from termburst.digests import VERSION
from termburst.npz import write_arrays
from termburst.weights import Weights, save_weights

HUGE = 2**60


def _set(column: str, value: Any, *, term: int = 1, row: int | None = None) -> Alter:
    """Put *value* into a column at a term, or at a row of the list of that term."""

    def alter(header: dict[str, Any], columns: dict[str, Any]) -> None:
        if row is None:
            columns[column][term] = value
        else:
            columns[column][term][row] = value

    return alter


def _head(**values: Any) -> Alter:
    return lambda header, columns: header.update(values)


def _first_length(value: int) -> Alter:
    return lambda header, columns: header["lengths"].__setitem__(0, value)


def _documents(value: int) -> Alter:
    return lambda header, columns: header["length_documents"].__setitem__(0, value)


def _without(key: str) -> Alter:
    return lambda header, columns: (header if key in header else columns).pop(key)


def _column(name: str, made: Callable[[list[Any]], Any]) -> Alter:
    return lambda header, columns: columns.__setitem__(name, made(columns[name]))


def _both(*alterations: Alter) -> Alter:
    def alter(header: dict[str, Any], columns: dict[str, Any]) -> None:
        for one in alterations:
            one(header, columns)

    return alter


def _counting(**values: Any) -> Alter:
    return lambda header, columns: header["counting"].update(values)


def _scaled(header: dict[str, Any], columns: dict[str, Any]) -> None:
    """Multiply all numbers of documents and occurrences by 2^50, so that sums overflow."""
    header["length_documents"] = [number << 50 for number in header["length_documents"]]
    for name in ("collection_frequency", "document_frequency", "count_length_sum", "count_squared_sum"):
        columns[name] = [number << 50 for number in columns[name]]
    columns["documents"] = [[number << 50 for number in numbers] for numbers in columns["documents"]]


VALUES: dict[str, Alter] = {  # in patterns; the terms are clown crowd end goes ha is it nothing said so the
    "a count beyond its length": _set("count", 99, row=0),
    "a negative count": _set("count", -1, row=0),
    "a count of 2^40": _set("count", 2**40, row=0),
    "the smallest 64-bit count": _set("count", -(2**63), row=0),
    "a count and its length of 2^40": _both(_set("count", 2**40, row=0), _set("length", 2**40, row=0)),
    "a length that no document has": _set("length", 77, row=0),
    "a negative length": _set("length", -5, row=0),
    "a length of 2^60": _set("length", HUGE, row=0),
    "a negative number of documents": _set("documents", -1, row=0),
    "2^60 documents with a count": _set("documents", HUGE, row=0),
    "n_i that differs from its rows": _set("collection_frequency", 3),
    "an n_i beyond all tokens": _set("collection_frequency", 10**9),
    "b_i that differs from its rows": _set("document_frequency", 2),
    "b_i beyond all documents": _set("document_frequency", HUGE),
    "another sum of lengths": _set("count_length_sum", 1),
    "another sum of squares": _set("count_squared_sum", 7),
    "lengths out of order": lambda header, columns: header["lengths"].reverse(),
    "a length twice": lambda header, columns: header["lengths"].__setitem__(1, header["lengths"][0]),
    "a negative first length": _first_length(-1),
    "a first length of 2^60": _first_length(HUGE),
    "2^60 documents": _documents(HUGE),
    "a negative number of documents of a length": _documents(-4),
    "sums that overflow": _scaled,
    "no lengths at all": _head(lengths=[], length_documents=[]),
    "more lengths than documents": lambda header, columns: header["lengths"].append(10**6),
    "a row too many": lambda header, columns: columns["count"][1].append(1),
    "lists of unequal lengths": lambda header, columns: columns["documents"][1].append(1),
    "a term without rows": _both(*(_set(name, []) for name in ("count", "length", "documents"))),
    "a null in a list": _set("count", None, row=0),
    "a null list": _set("count", None),
    "a null term": _set("term", None),
    "a term twice": _set("term", "clown"),
    "terms of numbers": _column("term", lambda terms: list(range(len(terms)))),
    "sums of fractions": _column("collection_frequency", lambda sums: [n + 0.5 for n in sums]),
    "sums of text": _column("collection_frequency", lambda sums: [str(n) for n in sums]),
    "counts that are not lists": _column("count", lambda lists: [values[0] for values in lists]),
}
HEADERS: dict[str, Alter] = {
    **{
        f"without {key}": _without(key)
        for key in (
            "detail",
            "lengths",
            "counting",
        )
    },
    **{f"without the column {key}": _without(key) for key in ("term", "count")},
    "another version": _head(version=VERSION + 1),
    "the version before": _head(version=VERSION - 1),
    "a version of text": _head(version="1; rm -rf"),
    "an unknown detail": _head(detail="everything"),
    "a detail finer than the columns": _head(detail="frequencies "),
    "lengths of text": _head(lengths="12345"),
    "lengths of fractions": _head(lengths=[1.5, 2, 3]),
    "lengths beyond 64 bits": _head(lengths=[10**30]),
    "a number of batches": _head(batches=7),
    "batches of numbers": _head(batches=[1, 2]),
    "counting of text": _head(counting="english"),
    "counting of an unknown option": _counting(shell="true"),
    "counting of 0-grams": _counting(ngrams=[0, 0]),
    "counting without an option": lambda header, columns: header["counting"].pop("words"),
    "counting with a bad pattern": _counting(words="sklearn", apostrophes=None, token_pattern="(so"),
    "counting with a pattern for words of Unicode": _counting(token_pattern=r"\w+"),
    "counting with stop words of numbers": _counting(stop_words=[1, 2]),
    "a min_count of text": _head(min_count="many"),
    "a min_count beyond 64 bits": _head(min_count=10**30),
    "a negative min_count": _head(min_count=-5),
    "a digest of a number": _head(digest=12),
    "another kind of file": _head(format="termburst weights"),
}
RAW_HEADERS = {
    "a header that is a list": "[1, 2, 3]",
    "an empty header": "",
    "a header that is not JSON": "{version: 1}",
    "a header of 100,000 brackets": "[" * 100_000,
    "a header of 100,000 objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "a header with a number of 10,000 digits": json.dumps({"version": VERSION, "lengths": []})[:-1]
    + ', "x": '
    + "9" * 10_000
    + "}",
    "a header with NaN": '{"version": NaN}',
    "a header with half a character": '{"version": "\\ud800"}',
}
FRAME = pl.read_parquet(io.BytesIO(statistics_bytes()))
WAYS = (["terms", "s.parquet", "--test"], ["stats", "show", "s.parquet"], ["keyness", "s.parquet", "new.txt"])
DAMAGED = r"s\.parquet"


def _statistics_rows() -> list[Attack]:
    rows = [
        refused(name, WAYS[i % len(WAYS)], DAMAGED, make=saved("patterns", alter), files={"new.txt": b"so it goes\n"})
        for i, (name, alter) in enumerate({**VALUES, **HEADERS}.items())
    ]
    for name in (
        "n_i that differs from its rows",
        "b_i that differs from its rows",
        "a count of 2^40",
        "2^60 documents",
        "another sum of squares",
    ):
        rows.append(
            refused(f"{name}, in moments", ["terms", "s.parquet"], DAMAGED, make=saved("moments", VALUES[name]))
        )
    for name in ("an n_i beyond all tokens", "a negative first length"):
        made = saved("frequencies", VALUES[name])
        rows.append(refused(f"{name}, in frequencies", ["stats", "show", "s.parquet"], DAMAGED, make=made))
    for name, header in RAW_HEADERS.items():
        start = f"{header[:-1]}, " if header.endswith("}") and len(header) > 2 else header.removesuffix("}")
        ended = start + f'"digest": "{0:064}"}}'
        rows.append(refused(name, WAYS[1], DAMAGED, files={"s.parquet": with_header(FRAME, ended)}))
    return rows


def _merging(alter: Alter) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        saved("patterns", lambda header, columns: header.update(batches=[]))(folder)
        saved("patterns", alter, "t.parquet")(folder)

    return make


OTHERS = [
    fine(
        "a crafted file with correct content",
        ["terms", "s.parquet", "--test"],
        make=saved("patterns", lambda h, c: None),
    ),
    fine("the same, in moments", ["terms", "s.parquet"], make=saved("moments", lambda h, c: None)),
    fine("the same, in frequencies", ["stats", "show", "s.parquet"], make=saved("frequencies", lambda h, c: None)),
    refused(
        "a crafted file to merge",
        ["stats", "merge", "s.parquet", "t.parquet", "-o", "u.parquet"],
        r"t\.parquet",
        make=_merging(VALUES["a count of 2^40"]),
    ),
    refused(
        "a crafted file to subtract",
        ["stats", "subtract", "s.parquet", "t.parquet"],
        r"t\.parquet",
        make=_merging(VALUES["2^60 documents"]),
    ),
    refused(
        "a crafted file to add to",
        ["stats", "add", "t.parquet", "new.txt"],
        r"t\.parquet",
        make=_merging(VALUES["lengths out of order"]),
        files={"new.txt": b"so it goes\n"},
    ),
    refused(
        "a crafted file to report",
        ["report", "s.parquet", "-o", "page.html"],
        DAMAGED,
        make=saved("patterns", VALUES["a count of 2^40"]),
    ),
    refused(
        "a crafted file to explain",
        ["explain", "s.parquet", "ha", "--fit", "exact"],
        DAMAGED,
        make=saved("patterns", VALUES["a negative length"]),
    ),
    refused("half a file", ["stats", "show", "s.parquet"], DAMAGED, files={"s.parquet": statistics_bytes()[:900]}),
    refused("four bytes of a file", ["stats", "show", "s.parquet"], DAMAGED, files={"s.parquet": b"PAR1"}),
    refused(
        "a file with a footer of 2 GB",
        ["stats", "show", "s.parquet"],
        DAMAGED,
        files={"s.parquet": b"PAR1" + b"\xff\xff\xff\x7fPAR1"},
    ),
    refused("an empty file of statistics", ["stats", "show", "s.parquet"], DAMAGED, files={"s.parquet": b""}),
    refused(
        "a page in place of statistics",
        ["stats", "show", "s.parquet"],
        DAMAGED,
        files={"s.parquet": b"<html><script>alert(1)</script>"},
    ),
]


def _weights(**arrays: Any) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        vectorizer = tb.BurstinessVectorizer(scheme="tf-icf")
        matrix = vectorizer.fit_transform(["ha ha", "so it goes"])
        ids = np.array(["a", "b"])
        save_weights(Weights(matrix, vectorizer.get_feature_names_out(), ids), folder / "w.npz")
        resized(folder / "w.npz", "weights", **arrays)

    return make


def _index(**arrays: Any) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        tb.retrieval.Index.from_texts(["ha ha said", "so it goes"]).save(folder / "i.npz")
        resized(folder / "i.npz", "index", **arrays)

    return make


LOAD = "w = tb.weights.load_weights(at / 'w.npz'); w.matrix.toarray(); w.matrix.T.tocsr(); w.matrix @ w.matrix.T"
SEARCH = "i = tb.retrieval.Index.load(at / 'i.npz'); i.search('ha so'); i.batch_search(['it', 'goes'])"
ARRAYS: dict[str, dict[str, Any]] = {  # for a matrix of two documents and four terms, with four cells
    "an index out of range": {"indices": np.array([99, 1, 2, 3], dtype=np.int32)},
    "pointers that decrease": {"indptr": np.array([0, 4, 1], dtype=np.int32)},
    "pointers past the end": {"indptr": np.array([0, 1, 10**6], dtype=np.int32)},
    "too few pointers": {"indptr": np.array([0], dtype=np.int32)},
    "pointers of fractions": {"indptr": np.array([0.5, 1.5, 4.0])},
    "a negative shape": {"shape": np.array([-2, 4])},
    "a shape of 2^60": {"shape": np.array([2**60, 2**60])},
    "too few numbers": {"data": np.array([1.0])},
    "no numbers": {"data": None},
    "no shape": {"shape": None},
}
WEIGHTS: dict[str, dict[str, Any]] = {
    **ARRAYS,
    "too few terms": {"terms": np.array(["a"])},
    "terms of numbers": {"terms": np.arange(4)},
    "documents of dates": {"documents": np.array(["2000-01-01", "2000-01-02"], dtype="datetime64[D]")},
    "an unknown format": {"format": np.array(b"evil")},
    "documents in two dimensions": {"documents": np.array([["a"] * 4] * 2), "terms": np.array("a")},
    "terms that are not characters": {"terms": np.array([0x110000, 1, 2, 3], dtype="<u4").view("<U1")},
    "a term twice": {"terms": np.array(["a", "b", "c", "a"])},
    "a cell twice": {"indices": np.array([0, 1, 1, 3], dtype=np.int32)},
    "NaN": {"data": np.array([np.nan, 1.0, 1.0, 1.0])},
}
COUNTING = tb.CountingOptions().to_json()
NAMES: dict[str, Any] = {
    "terms": ["goes", "ha", "it", "said", "so"], "ids": ["0", "1"], "counting": COUNTING,
}  # fmt: skip
INDEX: dict[str, dict[str, Any]] = {
    **{name: ARRAYS[name] for name in ("an index out of range", "pointers past the end", "no numbers")},
    "names that are not JSON": {"names": np.frombuffer(b"{", dtype=np.uint8)},
    "names that are a list": {"names": np.frombuffer(b"[]", dtype=np.uint8)},
    "names of 100,000 brackets": {"names": np.frombuffer(b"[" * 100_000, dtype=np.uint8)},
    "missing names": {"names": np.frombuffer(b"{}", dtype=np.uint8)},
    "names of wrong types": {
        "names": np.frombuffer(json.dumps(NAMES | {"terms": 1, "ids": 2, "counting": 3}).encode(), dtype=np.uint8)
    },
    **{
        f"the name {changed}": {"names": np.frombuffer(json.dumps(NAMES | changed).encode(), dtype=np.uint8)}
        for changed in (
            {"ids": None},
            {"terms": {"goes": 1}},
            {"counting": None},
        )
    },
    **{
        f"the option {changed}": {
            "names": np.frombuffer(json.dumps(NAMES | {"counting": COUNTING | changed}).encode(), dtype=np.uint8)
        }
        for changed in (
            {"lowercase": "no"},
            {"stop_words": {"a": 1}},
            {"ngrams": [True, True]},
            {"shell": "true"},
        )
    },
    "negative counts": {"data": np.array([-1, 1, 1, 1, 1], dtype=np.int64)},
}


def _pickled(folder: Path) -> None:
    """An array of objects. If NumPy unpickled it, this would create the file "pwned"."""

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return (open, ("pwned", "w"))

    _weights()(folder)
    with np.load(folder / "w.npz") as stored:
        kept = {name: stored[name] for name in stored.files}
    write_arrays(folder / "w.npz", "weights", {**kept, "terms": np.array([Evil()] * 4, dtype=object)})


ATTACKS = [
    *_statistics_rows(),
    *OTHERS,
    fine("unchanged weights", LOAD, make=_weights()),
    fine("an unchanged index", SEARCH, make=_index()),
    fine(
        "an index with its own names",
        SEARCH,
        make=_index(names=np.frombuffer(json.dumps(NAMES).encode(), dtype=np.uint8)),
    ),
    *(refused(f"weights with {name}", LOAD, r"w\.npz", make=_weights(**arrays)) for name, arrays in WEIGHTS.items()),
    *(refused(f"an index with {name}", SEARCH, r"i\.npz", make=_index(**arrays)) for name, arrays in INDEX.items()),
    refused("weights that would be unpickled", LOAD, r"w\.npz", make=_pickled),
    refused("weights that are not an archive", LOAD, r"w\.npz", files={"w.npz": b"PK\x03\x04 and no more"}),
]


@pytest.mark.parametrize("attack", by_kind(ATTACKS), ids=str)
def test_a_stored_file(attack: Kind, attacked: Callable[[Kind], None]) -> None:
    attacked(attack)
