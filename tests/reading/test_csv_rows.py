"""The reader of CSV and TSV: rows cut in blocks are the same as those of the csv module, and so are the errors."""

import csv
import gzip
import io
import itertools
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.opened import open_corpus
from termburst.reading import csv_rows
from termburst.reading.csv_blocks import Cut, cut_block

Outcome = tuple[list[tuple[str, Any]], str | None]


def outcome(path: Path, **options: Any) -> Outcome:
    """The documents up to the end or the first fault, and the fault."""
    documents: list[tuple[str, Any]] = []
    try:
        for batch in open_corpus(path, batch_documents=1, **options).batches():
            documents.extend(zip(batch.ids, batch.texts, strict=True))
    except ValueError as error:
        return documents, str(error)
    return documents, None


def by_the_csv_module(path: Path, **options: Any) -> Outcome:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_rows, "cut_block", lambda block, *_: Cut(len(block), 0, None))
        return outcome(path, **options)


def in_blocks(path: Path, size: int, largest: int, chunk: int, **options: Any) -> Outcome:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_rows, "BLOCK", size)
        patch.setattr(csv_rows, "LARGEST_BLOCK", largest)
        patch.setattr("termburst.reading.lines._CHUNK", chunk)
        return outcome(path, **options)


# --- Any table at all -------------------------------------------------------------------------------------------------

TOKENS = ['"', '""', ",", "\t", "\n", "\r\n", "\r", "a", "b c", "é", "𝄞", "\x85", "\u2028", '"a""b"', '""""', "\ufeff"]
soup = st.lists(st.sampled_from(TOKENS), max_size=25).map("".join)
cells = st.one_of(st.lists(st.sampled_from(TOKENS), max_size=4).map("".join), st.sampled_from(["", "a", "é 𝄞", "b c"]))


@st.composite
def tables(draw: st.DrawFn, delimiter: str) -> str:
    """A table as a program writes it, with a few characters changed; or random characters."""
    columns = draw(st.sampled_from([["text"], ["text", "key"], ["n", "key", "text"]]))
    if draw(st.integers(0, 4)) == 0:
        return delimiter.join(columns) + draw(soup)
    buffer = io.StringIO(newline="")
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator=ending, quoting=quoting)
    writer.writerow(columns)
    for row in draw(st.lists(st.tuples(*[cells] * len(columns)), max_size=8)):
        writer.writerow(row)
        buffer.write(draw(st.sampled_from(["", "", "", "", "\n", "\r\n"])))
    table = buffer.getvalue()
    if draw(st.booleans()):
        table = table.rstrip("\r\n")
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(len(columns[0]), len(table)))
        table = table[:at] + draw(st.sampled_from(TOKENS)) + table[at + draw(st.integers(0, 2)) :]
    return table


counter = itertools.count()


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_blocks_give_what_the_csv_module_gives(tmp_path, data):
    kind = data.draw(st.sampled_from(["csv", "tsv"]))
    encoding = data.draw(st.sampled_from(["utf-8", "utf-8", "utf-8", "utf-8-sig", "latin-1", "utf-16"]))
    table = data.draw(tables("," if kind == "csv" else "\t"))
    content = table.encode(encoding, "replace")
    if data.draw(st.integers(0, 9)) == 0:
        at = data.draw(st.integers(0, len(content)))
        content = content[:at] + data.draw(st.sampled_from([b"\xff", b"\0", b"\xc3"])) + content[at:]
    path = tmp_path / f"{next(counter)}.{kind}"
    path.write_bytes(content)
    options = {
        "encoding": encoding,
        "errors": data.draw(st.sampled_from(["strict", "replace", "ignore"])),
        "id": data.draw(st.sampled_from([None, "key"])) if "key" in table[:12] else None,
        "max_document_mb": data.draw(st.sampled_from([1, 10, 30, 2**26, 2**26, 2**26])) / 2**20,
    }
    size = data.draw(st.sampled_from([1, 7, 30, 100, 2**18]))
    blocks = in_blocks(path, size, size * data.draw(st.integers(1, 8)), data.draw(st.integers(1, 50)), **options)
    assert blocks == by_the_csv_module(path, **options)
    path.unlink()


# --- Clear and doubtful blocks ----------------------------------------------------------------------------------------


def test_a_clear_block_is_cut():
    for block, width, columns in [
        (b"a,b\nc,\n", 2, [["a", "c"], ["b", ""]]),
        (b'"a,\n""b""","c"\n', 2, [['a,\n"b"'], ["c"]]),
        (b'"",""""\n', 2, [[""], ['"']]),
        (b'"a\r\nb","\r"\r\n', 2, [["a\r\nb"], ["\r"]]),
        (b"\n\r\na,b\r\n\r\n\n", 2, [["a"], ["b"]]),
        (b'a\n\n\r\n""\n', 1, [["a", "", "", ""]]),
        ("é,𝄞\n".encode(), 2, [["é"], ["𝄞"]]),
    ]:
        lines = block.count(b"\n")
        assert cut_block(block, ord(","), width, list(range(width)), 100) == Cut(len(block), lines, columns)
        rest = b'a "quote'  # the next row, which is not complete
        assert cut_block(block + rest, ord(","), width, [0], 100) == Cut(len(block), lines, columns[:1])
        assert cut_block(block.replace(b",", b"\t"), ord("\t"), width, [width - 1], 100).columns is not None


def test_a_doubtful_block_is_left_to_the_csv_module():
    for block in [
        b'a "b" c,d\n',  # the csv module reads these quotes as text
        b' "a",b\n',
        b'"a" ,b\n',
        b'"a"b,c\n',
        b"a\rb,c\n",
        b"a,b\r\r\n",
        b"a,b,c\n",
        b"a\n",
        b"a,b,c\nd\n",
        b'""\n',
        b"a\0,b\n",
        b"caf\xe9,b\n",
        b"\xed\xa0\x80,b\n",  # half of a surrogate pair
        b"0123456789" * 10 + b",b\n",
    ]:
        assert cut_block(b"a,b\n" + block, ord(","), 2, [0], 100).columns is None


def test_a_block_without_a_complete_row():
    assert cut_block(b'a,"b\nc', ord(","), 2, [0], 100) == Cut(0, 0, None)


# --- From NumPy to the csv module and back ----------------------------------------------------------------------------


def count_rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that gets the number of rows cut from each block."""
    rows: list[int] = []

    def spy(*arguments: Any) -> Cut:
        cut = cut_block(*arguments)
        rows.append(len(cut.columns[0]) if cut.columns is not None else 0)
        return cut

    monkeypatch.setattr(csv_rows, "cut_block", spy)
    return rows


def test_the_blocks_after_a_doubtful_one_are_cut_again(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_rows, "BLOCK", 1000)
    monkeypatch.setattr("termburst.reading.lines._CHUNK", 100)
    path = tmp_path / "t.csv"
    texts = [f'text "{k}"' if k == 500 else f"text {k}" for k in range(1000)]
    path.write_text("n,text\n" + "".join(f"{k},{text}\n" for k, text in enumerate(texts)), encoding="utf-8")
    rows = count_rows(monkeypatch)
    assert outcome(path) == ([(f"t.csv:{k}", text) for k, text in enumerate(texts, 1)], None)
    assert sum(rows) > 900
    with path.open("a", encoding="utf-8") as file:
        file.write("1000\n")
    assert outcome(path)[1] == (
        f"{path}, line 1002: the row has 1 fields but the header has 2; quote fields that contain the delimiter"
    )


def test_a_quoted_header_with_line_breaks_and_another_delimiter(tmp_path, monkeypatch):
    for ending in ["\n", "\r\n"]:
        for delimiter, other in [(",", ";"), (";", ","), ("\t", ";")]:
            monkeypatch.setattr("termburst.reading.lines._CHUNK", 10)
            path = tmp_path / "t.csv"
            header = [f'"a{other}{ending}b{other}""c"""', '5"', "text"]
            rows = [header, ["1", '6"', "so it"], ["2", '7"', "goes on"]]
            path.write_bytes("".join(delimiter.join(row) + ending for row in rows).encode())
            assert outcome(path) == ([("t.csv:1", "so it"), ("t.csv:2", "goes on")], None)


def test_a_row_longer_than_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_rows, "BLOCK", 100)
    monkeypatch.setattr(csv_rows, "LARGEST_BLOCK", 1000)
    monkeypatch.setattr("termburst.reading.lines._CHUNK", 100)
    path = tmp_path / "t.csv"
    texts = ["a\n" * length for length in (1, 300, 1, 3000, 1)]
    path.write_text("text\n" + "".join(f'"{text}"\n' for text in texts), encoding="utf-8")
    rows = count_rows(monkeypatch)
    assert [text for _, text in outcome(path)[0]] == texts
    assert sum(rows) == 4  # the csv module reads the longest row


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_rows_before_damage_are_read(tmp_path, encoding):
    path = tmp_path / "t.csv.gz"
    rows = "".join(f'"{os.urandom(20).hex()}"\n' for _ in range(3000))
    path.write_bytes(gzip.compress(f"text\n{rows}".encode(encoding))[:-1000])
    documents, problem = outcome(path, encoding=encoding)
    assert len(documents) > 1000
    assert problem is not None
    assert "not a complete gzip file" in problem
    assert (documents, problem) == by_the_csv_module(path, encoding=encoding)
