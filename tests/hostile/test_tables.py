"""Tables that are ragged, unclosed, empty or of wrong types are read correctly, or an error names file and line."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from attacks import Attack, Kind, by_kind, fine, refused, survives

CSV: dict[str, tuple[bytes, str]] = {  # content, expected message
    "an empty file": (b"", "t.csv"),
    "only line breaks": (b"\n" * 1000, "t.csv"),
    "a header and no more": (b"id,text\n", "t.csv.*no documents"),
    "a row too short": (b"id,text\n1,so\n2\n", "t.csv.*line 3"),
    "a row too long": (b"id,text\n1,so,it,goes\n", "t.csv.*line 2"),
    "a column twice": (b"text,text\nso,it\n", "t.csv.*'text'"),
    "no such column": (b"body,id\nso,it\n", "t.csv.*'text'"),
    "old Mac line ends": (b"text\rso it so\r", "t.csv.*line 1"),
    "semicolons and no text": (b"id;body\na;so it\n", "t.csv.*'text', only 'id', 'body'"),
    "a quote never closed": (b'id,text\n1,"so it goes\n2,on\n3,on\n', "t.csv.*line"),
    "a quote closed inside": (b'id,text\n1,"so" it\n', "t.csv.*line 2"),
    "a NUL": (b"id,text\n1,so\0it\n", "t.csv.*NUL"),
    "UTF-16 and no text": ("id,body\na,so it\n".encode("utf-16"), "t.csv.*'text'"),
    "an executable": (b"\x7fELF\x02\x01\x01" + bytes(100), "t.csv"),
    "a header of 100,000 columns": (b",".join(b"c%d" % i for i in range(100_000)) + b"\n", "t.csv.*'text'"),
    "CSV in name, gzip inside": (gzip.compress(b"text\nso\n"), "t.csv"),
}
CSV_FINE: dict[str, bytes] = {
    "a BOM": b"\xef\xbb\xbftext\nso it so\n",
    "Windows line ends": b"text\r\nso it so\r\n",
    "line breaks in a field": b'text\n"so\nit\r\nso"\n',
    "doubled quotes": b'text\n"so ""it"" so"\n',
    "a byte order mark within": b"text\nso it \xef\xbb\xbfso\n",
    "formulas": b"text\n\"=cmd|' /C calc'!A0 so it so\"\n",
}
JSONL: dict[str, tuple[bytes, str]] = {
    "an empty file": (b"", "t.jsonl"),
    "a list": (b"[1, 2]\n", "t.jsonl.*line 1"),
    "half an object": (b'{"text": "so"\n', "t.jsonl.*line 1"),
    "two objects on a line": (b'{"text": "so"}{"text": "it"}\n', "t.jsonl.*line 1"),
    "text that is a number": (b'{"text": 7}\n', "t.jsonl.*line 1"),
    "text that is a list": (b'{"text": ["so", "it"]}\n', "t.jsonl.*pretokenized"),
    "no text": (b'{"body": "so", "title": "it"}\n', "t.jsonl.*'text'"),
    "no text in the second": (b'{"text": "so"}\n{"body": "so"}\n', "t.jsonl.*line 2"),
    "half a character": (b'{"text": "so \\ud800 it"}\n', "t.jsonl.*line 1"),
    "100,000 brackets": (b'{"text": "so"}\n' + b"[" * 100_000 + b"\n", "t.jsonl.*line 2"),
    "100,000 brackets beside": (b'{"text": "so", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", "t.jsonl.*line 1"),
    "an array over lines": (b'[\n{"text": "so"}\n]\n', "t.jsonl.*line 1"),
    "a raw line break": (b'{"text": "so\nit"}\n', "t.jsonl.*line 1"),
}
FRAMES: dict[str, tuple[dict[str, Any], str]] = {
    "no rows": ({"text": pl.Series([], dtype=pl.String)}, "t.parquet"),
    "no column of that name": ({"body": ["so"], "title": ["it"]}, "'text'"),
    "numbers": ({"text": [1, 2]}, "t.parquet.*'text'"),
    "bytes": ({"text": [b"so", b"it"]}, "t.parquet.*'text'"),
    "lists": ({"text": [["so", "it"]]}, "pretokenized"),
    "lists of numbers": ({"text": [[1, 2]]}, "t.parquet.*'text'"),
    "nulls alone": ({"text": pl.Series([None, None], dtype=pl.String)}, "t.parquet.*term"),
    "nulls of no type": ({"text": [None, None]}, "t.parquet"),
}


def _parquet(columns: dict[str, Any], name: str = "t.parquet") -> Callable[[Path], None]:
    return lambda folder: pl.DataFrame(columns).write_parquet(folder / name)


def _damaged(change: Callable[[bytes], bytes]) -> bytes:
    stream = io.BytesIO()
    pl.DataFrame({"text": ["so it goes"] * 50}).write_parquet(stream)
    return change(stream.getvalue())


def _footer(content: bytes) -> int:
    """Where the footer begins. Its length is stored before the last mark."""
    return len(content) - 8 - int.from_bytes(content[-8:-4], "little")


def _bad(kind: str, name: str, content: bytes, says: str, *options: str) -> Attack:
    return refused(f"{kind} with {name}", ["terms", f"t.{kind}", *options], says, files={f"t.{kind}": content})


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut in half": lambda content: content[: len(content) // 2],
    "with a footer of 2 GB": lambda content: content[:-8] + b"\xff\xff\xff\x7fPAR1",
    "with zeros in its pages": lambda content: content[:4] + bytes(60) + content[64:],
    "with zeros in its footer": lambda content: (
        content[: _footer(content)] + bytes(52) + content[_footer(content) + 52 :]
    ),
    "with text before it": lambda content: b"so it goes " + content,
    "in unknown encryption": lambda content: b"PARE" + content[4:-4] + b"PARE",
}
PACKED: dict[str, tuple[str, bytes]] = {
    "half of a gzip": ("t.csv.gz", gzip.compress(b"text\n" + b"so it goes on\n" * 999)[:-20]),
    "a gzip with a wrong sum": ("t.csv.gz", gzip.compress(b"text\nso it\n")[:-8] + b"\0" * 8),
    "garbage after a gzip": ("t.csv.gz", gzip.compress(b"text\nso it\n") + b"rubbish"),
    "text called gzip": ("t.csv.gz", b"text\nso it\n"),
    "only the header of a zstd": ("t.csv.zst", b"\x28\xb5\x2f\xfd"),
    "an empty gzip file": ("t.csv.gz", b""),
    "a Parquet file in a gzip": ("t.parquet.gz", gzip.compress(b"PAR1")),
}


def _more() -> Sequence[Attack]:
    two = b"id,text\n1,so it so\n2,it is\n"
    return [
        fine(
            "JSONL with a null text", ["terms", "t.jsonl"], files={"t.jsonl": b'{"text": null}\n{"text": "so it so"}\n'}
        ),
        fine(
            "JSONL with blank lines",
            ["terms", "t.jsonl"],
            files={"t.jsonl": b'\n{"text": "so it so"}\n\n{"text": "it"}\n'},
        ),
        fine(
            "JSONL with a BOM",
            ["terms", "t.jsonl"],
            files={"t.jsonl": b'\xef\xbb\xbf{"text": "so it so"}\n{"text": "it"}\n'},
        ),
        fine(
            "JSONL with a key twice",
            ["terms", "t.jsonl"],
            files={"t.jsonl": b'{"text": "a", "text": "so it"}\n{"text": "it"}\n'},
        ),
        survives(
            "JSONL with 1e999 beside",
            ["terms", "t.jsonl"],
            files={"t.jsonl": b'{"text": "so it", "n": 1e999}\n{"text": "it"}\n'},
        ),
        survives(
            "JSONL with 9,999 digits beside",
            ["terms", "t.jsonl"],
            r"t.jsonl.*line 1",
            files={"t.jsonl": b'{"text": "so it", "n": ' + b"9" * 9999 + b'}\n{"text": "it"}\n'},
        ),
        fine("Parquet with nulls", ["terms", "t.parquet"], make=_parquet({"text": ["so it so", None, "it"]})),
        fine(
            "Parquet with categories",
            ["terms", "t.parquet"],
            make=_parquet({"text": pl.Series(["so it so", "it"], dtype=pl.Categorical)}),
        ),
        refused(
            "an id of null",
            ["weigh", "t.parquet", "--id", "id", "-o", "w.npz"],
            "'id'.*null",
            make=_parquet({"id": [None, "b"], "text": ["so it", "it"]}),
        ),
        refused(
            "an id of lists",
            ["weigh", "t.parquet", "--id", "id", "-o", "w.npz"],
            "'id'",
            make=_parquet({"id": [["a"], ["b"]], "text": ["so it", "it"]}),
        ),
        refused(
            "an unknown id column", ["weigh", "t.csv", "--id", "nope", "-o", "w.npz"], "'nope'", files={"t.csv": two}
        ),
        fine(
            "the text as its own id",
            ["weigh", "t.csv", "--id", "text", "-o", "w.npz"],
            files={"t.csv": two},
            makes=("w.npz",),
        ),
        refused(
            "pretokenized lists with nulls",
            ["terms", "t.parquet", "--pretokenized"],
            "t.parquet",
            make=_parquet({"text": [["so", None], ["it"]]}),
        ),
        refused(
            "groups of blanks", ["keyness", "t.csv", "--by", "g"], "'g'", files={"t.csv": b"g,text\n ,so it\n ,it is\n"}
        ),
        refused(
            "a single group",
            ["keyness", "t.csv", "--by", "g"],
            "one value",
            files={"t.csv": b"g,text\na,so it\na,it is\n"},
        ),
        refused(
            "as many groups as rows",
            ["keyness", "t.csv", "--by", "g"],
            "at most",
            files={"t.csv": b"g,text\n" + b"".join(b"g%d,so it\n" % i for i in range(99))},
        ),
        refused("a CSV on standard input with --text", ["terms", "-", "--text", "text"], "--text", stdin=two),
        refused(
            "a folder of good tables and a bad one, read strictly",
            ["terms", "d", "--strict"],
            r"b\.csv.*line 3",
            files={"d/a.csv": two, "d/b.csv": b"id,text\n1,so\n2\n"},
        ),
        refused(
            "a quote never closed in a megabyte",
            ["terms", "t.csv", "--max-document-mb", "1"],
            "t.csv.*line 2",
            files={"t.csv": b'text\n"' + b"so it goes\n" * 200_000},
        ),
    ]


ATTACKS = [
    *(_bad("csv", name, *row) for name, row in CSV.items()),
    *(
        fine(f"CSV with {name}", ["terms", "t.csv"], files={"t.csv": content}, prints="so")
        for name, content in CSV_FINE.items()
    ),
    *(_bad("jsonl", name, *row) for name, row in JSONL.items()),
    *(
        refused(f"Parquet of {name}", ["terms", "t.parquet"], says, make=_parquet(columns))
        for name, (columns, says) in FRAMES.items()
    ),
    *(_bad("parquet", name, _damaged(change), "t.parquet") for name, change in DAMAGE.items()),
    *(refused(name, ["terms", file], file, files={file: content}) for name, (file, content) in PACKED.items()),
    *_more(),
]


@pytest.mark.parametrize("attack", by_kind(ATTACKS), ids=str)
def test_a_table(attack: Kind, attacked: Callable[[Kind], None]) -> None:
    attacked(attack)
