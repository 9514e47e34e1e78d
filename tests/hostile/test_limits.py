"""Limits: files that are small on disk and large in memory, patterns that never end, data that do not fit."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from attacks import Attack, Outcome, fine, refused, survives
from attacks.crafted import resized, saved, statistics_bytes, with_header

import termburst as tb
from termburst.digests import seal
from termburst.weights import Weights, save_weights

MB = 2**20
LITTLE = ("--max-document-mb", "1")
TOO_LARGE = "max-document-mb"


@cache
def _gzip_of(size: int, unit: bytes) -> bytes:
    return gzip.compress(unit * (size // len(unit)), compresslevel=1)


def _zstd(content: bytes) -> bytes:
    try:
        from compression import zstd
    except ImportError:  # before Python 3.14
        from backports import zstd
    return zstd.compress(content)


def _zstd_bomb(folder: Path) -> None:
    (folder / "b.txt.zst").write_bytes(_zstd(b"so " * (40 * MB // 3)))


def _repeated(megabytes: int, rows: int) -> Callable[[Path], None]:
    """A Parquet file of a few kB in which each row is a text of *megabytes* MB."""

    def make(folder: Path) -> None:
        text = pl.Series("text", ["so it " * (megabytes * MB // 6)], dtype=pl.Categorical)
        frame = pl.DataFrame(text).select(pl.col("text").repeat_by(rows).explode())
        frame.write_parquet(folder / "b.parquet", compression="zstd")

    return make


def _labelled(*, tokens: bool = False) -> Callable[[Path], None]:
    """A Parquet file of 1 kB whose 800 rows have a label, metadata or a token of 3 MB each."""

    def make(folder: Path) -> None:
        once = pl.Series("g", ["a" * 3_000_000, "b"], dtype=pl.Categorical)
        frame = pl.DataFrame([pl.Series("text", ["so it so"] * 800), once.gather([0] * 799 + [1])])
        if tokens:
            frame = frame.select(pl.col("g").reshape((800, 1)).arr.to_list().alias("text"))
        frame.write_parquet(folder / "b.parquet", statistics=False)

    return make


def _many_rows(folder: Path) -> None:
    """A small file of statistics that declares 30 million equal terms."""
    frame = pl.select(pl.repeat(1, 30_000_000, dtype=pl.Int64).alias("collection_frequency"))
    header = pl.read_parquet_metadata(io.BytesIO(statistics_bytes("frequencies")))["termburst"]
    frame.with_columns(document_frequency=pl.col("collection_frequency")).write_parquet(
        folder / "s.parquet", metadata={"termburst": header}, compression="zstd"
    )
    seal(folder / "s.parquet")


def _declared(name: str, shape: tuple[int, ...], dtype: str = "<f8") -> Callable[[Path], None]:
    """Weights whose array *name* declares a shape much larger than its data."""

    def make(folder: Path) -> None:
        path = folder / "w.npz"
        vectorizer = tb.BurstinessVectorizer(scheme="tf-icf")
        matrix = vectorizer.fit_transform(["ha ha", "so it goes"])
        save_weights(Weights(matrix, vectorizer.get_feature_names_out(), np.array(["a", "b"])), path)
        with zipfile.ZipFile(path) as stored:
            parts, header = {entry: stored.read(entry) for entry in stored.namelist()}, stored.comment
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(head, {"descr": dtype, "fortran_order": False, "shape": shape})
        parts[f"{name}.npy"] = head.getvalue() + bytes(64)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as stored:
            for entry, content in parts.items():
                stored.writestr(entry, content)
            stored.comment = header
        seal(path)

    return make


def _zeros(name: str, size: int) -> Callable[[Path], None]:
    """An index with an array of zeros, a thousand times smaller on disk."""

    def make(folder: Path) -> None:
        tb.retrieval.Index.from_texts(["ha ha said", "so it goes"]).save(folder / "i.npz")
        resized(folder / "i.npz", "index", **{name: np.zeros(size, dtype=np.int64)})

    return make


DOUBLED = """
s = tb.TermStatistics.from_counts(np.array([[2, 1, 0], [0, 3, 1], [1, 1, 4], [0, 0, 2]]), ['a', 'b', 'c'], 'patterns')
for _ in range(22):
    s = s + s
assert s.documents == 4 * 2**22
"""
OF_MANY_DOCUMENTS = (
    "tb.burstiness_test(s)",
    "tb.keyness(s, s)",
    "tb.term_table(s)",
    "tb.fit_beta_binomial(s)",
    "tb.dispersion(s)",
)


def _words(number: int) -> bytes:
    return b"\n".join(b" ".join(b"w%d" % (i * 40 + j) for j in range(40)) for i in range(number // 40))


def _quick(seconds: float) -> Callable[[Path, Outcome], None]:
    def check(folder: Path, outcome: Outcome) -> None:
        assert outcome.cpu < seconds

    return check


def _texts(content: bytes, name: str = "b.txt") -> dict[str, Any]:
    return {"files": {name: content}}


LONG = "a" * 100_000
LONG_LABELS = {
    "b.csv": f"g,text\n{LONG},so it\nb,it is\n".encode(),
    "b.tsv": f"g\ttext\n{LONG}\tso it\nb\tit is\n".encode(),
    "b.jsonl": f'{{"g": "{LONG}", "text": "so it"}}\n{{"g": "b", "text": "it is"}}\n'.encode(),
    "b.json": f'[{{"g": "{LONG}", "text": "so it"}}, {{"g": "b", "text": "it is"}}]'.encode(),
}

ATTACKS = [
    refused(
        "a gzip of one line of 24 MB",
        ["terms", "b.txt.gz", *LITTLE],
        TOO_LARGE,
        memory=2048,
        make=lambda at: (at / "b.txt.gz").write_bytes(_gzip_of(24 * MB, b"a" * MB)),
    ),
    refused(
        "a gzip of one CSV field of 24 MB",
        ["terms", "b.csv.gz", *LITTLE],
        TOO_LARGE,
        memory=2048,
        make=lambda at: (at / "b.csv.gz").write_bytes(gzip.compress(b'text\n"') + _gzip_of(24 * MB, b"a" * MB)),
    ),
    refused(
        "a gzip of one JSON line of 24 MB",
        ["terms", "b.jsonl.gz", *LITTLE],
        TOO_LARGE,
        memory=2048,
        make=lambda at: (at / "b.jsonl.gz").write_bytes(gzip.compress(b'{"text": "') + _gzip_of(24 * MB, b"a" * MB)),
    ),
    refused(
        "a gzip in a folder",
        ["terms", "d", *LITTLE],
        TOO_LARGE,
        memory=2048,
        make=lambda at: ((at / "d").mkdir(), (at / "d" / "b.txt.gz").write_bytes(_gzip_of(24 * MB, b"a" * MB))),
    ),
    refused(
        "a gzip of NULs",
        ["terms", "b.txt.gz", *LITTLE],
        "NUL|" + TOO_LARGE,
        memory=2048,
        make=lambda at: (at / "b.txt.gz").write_bytes(_gzip_of(24 * MB, bytes(MB))),
    ),
    refused("a zstd of one line of 40 MB", ["terms", "b.txt.zst", *LITTLE], TOO_LARGE, memory=2048, make=_zstd_bomb),
    refused(
        "a Parquet file of long rows", ["terms", "b.parquet", *LITTLE], TOO_LARGE, memory=2048, make=_repeated(8, 64)
    ),
    refused(
        "a Parquet file of long rows, by default",
        ["terms", "b.parquet"],
        TOO_LARGE + "|memory",
        memory=3072,
        make=_repeated(70, 64),
    ),
    refused(
        "a Parquet file of long ids",
        ["weigh", "b.parquet", "--id", "text", "-o", "w.npz", *LITTLE],
        TOO_LARGE,
        memory=2048,
        make=_repeated(8, 64),
    ),
    refused(
        "a Parquet file of long labels",
        ["keyness", "b.parquet", "--by", "g"],
        "the label .* 3,000,000 characters",
        memory=2048,
        make=_labelled(),
    ),
    refused(
        "the same labels as ids",
        ["terms", "b.parquet", "--id", "g"],
        "the id .* 3,000,000 characters",
        memory=2048,
        make=_labelled(),
    ),
    fine(
        "a Parquet file of long metadata, read one batch at a time",
        """
from termburst.reading.readers import open_corpus
assert sum(len(batch.ids) for batch in open_corpus(at / "b.parquet", columns=["g"]).batches()) == 800
""",
        memory=2048,
        make=_labelled(),
    ),
    fine(
        "a Parquet file of long tokens",
        ["terms", "b.parquet", "--pretokenized", "--quiet"],
        memory=2048,
        make=_labelled(tokens=True),
    ),
    *(
        refused(
            f"a label of 100,000 letters in {name}",
            ["keyness", name, "--by", "g"],
            "the label .* 100,000 characters",
            files={name: content},
        )
        for name, content in LONG_LABELS.items()
    ),
    refused("statistics of 30 million rows", ["stats", "show", "s.parquet"], "s.parquet", memory=2048, make=_many_rows),
    refused("a line of 2 MB", ["terms", "b.txt", *LITTLE], TOO_LARGE, **_texts(b"so " * 700_000)),
    refused("a line of 2 MB on standard input", ["terms", "-", *LITTLE], TOO_LARGE, stdin=b"so " * 700_000),
    refused("a file of 2 MB in a folder", ["terms", "d", *LITTLE], TOO_LARGE, **_texts(b"so \n" * 700_000, "d/b.txt")),
    fine(
        "a table of 20,000 terms",
        ["terms", "b.txt", "--top", "0"],
        prints="w19999",
        check=_quick(10),
        **_texts(_words(20_000)),
    ),
    refused(
        "a token pattern that never ends",
        ["terms", "b.txt", "--token-pattern", r"(?:\w+)+!", "--pattern-seconds", "1"],
        "pattern",
        **_texts(b"so it\n" + b"a" * 60 + b"\n"),
    ),
    survives(
        "n-grams of a long document",
        ["terms", "b.txt", "--ngrams", "1,9"],
        "memory",
        memory=2048,
        **_texts(_words(20_000)),
    ),
    refused(
        "n-grams that need too much memory",
        ["terms", "b.txt", "--ngrams", "1,100"],
        "memory",
        memory=1536,
        **_texts(_words(400_000).replace(b"\n", b" ")),
    ),
    *(fine(f"17 million documents, {what}", DOUBLED + what, memory=3072) for what in OF_MANY_DOCUMENTS),
    *(
        refused(
            f"weights that declare {shape} {name}",
            "tb.weights.load_weights(at / 'w.npz')",
            "w.npz",
            memory=3072,
            make=_declared(name, shape),
        )
        for name, shape in (("data", (2**40,)), ("indices", (2**50, 2**50)), ("terms", (2**62,)), ("indptr", (-5,)))
    ),
    refused(
        "weights of strings of 2 GB each",
        "tb.weights.load_weights(at / 'w.npz')",
        "w.npz",
        memory=3072,
        make=_declared("terms", (4,), "<U500000000"),
    ),
    refused(
        "weights of 2^40 terms of no bytes",
        "tb.weights.load_weights(at / 'w.npz')",
        "w.npz.*no bytes",
        memory=3072,
        make=_declared("terms", (2**40,), "<U0"),
    ),
    *(
        refused(
            f"an index with a million zeros for {name}",
            "tb.retrieval.Index.load(at / 'i.npz')",
            "i.npz",
            memory=3072,
            make=_zeros(name, 1_000_000),
        )
        for name in ("data", "indices", "indptr", "names")
    ),
    refused(
        "a header of 20 MB",
        ["stats", "show", "s.parquet"],
        "s.parquet",
        memory=3072,
        files={"s.parquet": with_header(pl.read_parquet(io.BytesIO(statistics_bytes())), "[" + "1," * 10 * MB + "1]")},
    ),
    refused(
        "100,000 batches",
        ["stats", "merge", "s.parquet", "s.parquet", "-o", "t.parquet"],
        "twice",
        make=saved(alter=lambda h, c: h.update(batches=[f"b{i}" for i in range(100_000)])),
    ),
    fine(
        "100,000 batches shown",
        ["stats", "show", "s.parquet", "--json"],
        make=saved(alter=lambda h, c: h.update(batches=[f"b{i}" for i in range(100_000)])),
    ),
    survives(
        "a title of a megabyte",
        ["report", "b.txt", "-f", "json", "--title", "x" * 100_000],
        **_texts(b"so it so\nit is\n"),
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_a_limit(attack: Attack, attacked: Callable[[Attack], None]) -> None:
    attacked(attack)
