"""The footer of a Parquet file: its sizes are read, and a damaged one does no harm."""

import io
import random
import tracemalloc
from contextlib import suppress

import polars as pl
import pytest

from termburst.reading.parquet_footer import FooterError, has_statistics, read_chunks


def written(frame: pl.DataFrame, **options) -> bytes:
    stream = io.BytesIO()
    frame.write_parquet(stream, **options)
    return stream.getvalue()


def test_every_row_group_has_its_rows_and_values():
    rows = [["so"] * k for k in range(1, 11)]
    frame = pl.DataFrame({"tokens": rows, "n": range(10), "s": [{"a": 1, "b": "x"}] * 10})
    groups = read_chunks(io.BytesIO(written(frame, row_group_size=4)))
    assert [[(c.name, c.rows) for c in group] for group in groups] == [
        [("tokens", size), ("n", size), ("s", size), ("s", size)] for size in (4, 4, 2)
    ]
    assert [[c.values for c in group][:2] for group in groups] == [[10, 4], [26, 4], [19, 2]]


def test_a_value_that_is_stored_once_counts_as_often_as_it_occurs():
    [[chunk]] = read_chunks(io.BytesIO(written(pl.DataFrame({"x": [["ab"] * 10**5] * 3}))))
    assert chunk.values == 3 * 10**5
    assert chunk.memory >= 16 * chunk.values


def test_files_that_are_not_parquet():
    for data in [b"", b"PAR1", b"PAR1PAR1", b"\xff\xff\xff\x7fPAR1", b"x" * 100 + b"\x50\0\0\0PAR1"]:
        with pytest.raises(FooterError):
            read_chunks(io.BytesIO(data))


def test_a_damaged_footer_raises_no_other_error():
    whole = written(pl.DataFrame({"text": ["so it goes", "so so"], "n": [1, 2]}))
    size = int.from_bytes(whole[-8:-4], "little")
    random_source = random.Random(0)
    for _ in range(2000):
        damaged = bytearray(whole)
        for _ in range(random_source.randint(1, 4)):
            damaged[random_source.randrange(len(whole) - 8 - size, len(whole) - 4)] = random_source.randrange(256)
        with suppress(FooterError):
            read_chunks(io.BytesIO(damaged))


@pytest.mark.parametrize("part", [b"\x1c", b"\x19\xfc\x01", b"\x19\x19"])
def test_a_footer_that_is_nested_too_deeply_is_refused(part):
    footer = part * 10_000
    with pytest.raises(FooterError):
        read_chunks(io.BytesIO(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"))


def thrift(*fields: bytes) -> bytes:
    return b"".join(fields) + b"\0"


def test_fields_of_any_kind_are_skipped_if_not_needed():
    long = b"\x18\x80\x01" + b"x" * 128  # a string of 128 bytes
    numbers = b"\x19\x25\xff\x7f\x01"
    other = b"\x11\x12\x13\x7f\x17" + b"x" * 8 + long + numbers + b"\x1c" + thrift(b"\x18\x02ab")
    name = b"\x09\x06" + b"\x28\x01s\x01a"  # field 3: a list of two strings
    sizes = thrift(name, b"\x26\x08\x16\x0a", b"\x07\x20" + b"x" * 8)
    column = thrift(b"\x3c" + sizes, b"\x0c\x20" + thrift(other))
    group = thrift(b"\x19\x1c" + column, b"\x26\x04", b"\x0c\x40" + thrift(other))
    footer = thrift(b"\x49\x1c" + group, b"\x0c\x40" + thrift(other))
    [[chunk]] = read_chunks(io.BytesIO(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"))
    assert chunk == ("s", 2, 4, 5)


def test_a_footer_that_is_too_large_is_not_read(monkeypatch, tmp_path):
    monkeypatch.setenv("TERMBURST_MEMORY_MB", "8")
    size = 2**20
    with pytest.raises(ValueError, match=r"^t\.parquet: its footer needs 128 MB of memory, more than the 8 MB allowed"):
        read_chunks(io.BytesIO(bytes(size + 4) + size.to_bytes(4, "little") + b"PAR1"), "t.parquet")
    path = tmp_path / "t.parquet"
    path.write_bytes(bytes(size + 4) + size.to_bytes(4, "little") + b"PAR1")
    with pytest.raises(ValueError, match="its footer needs 128 MB of memory"):
        has_statistics(path)


@pytest.mark.parametrize("part", [b"\0", b"\x19\x0c\0", b"\x36\x02\0", b"\x19\x1c\x3c\0\0\0"])
def test_a_footer_takes_no_more_memory_than_was_asked_for(part):
    number = 50_000
    count = bytes([number & 127 | 128, number >> 7 & 127 | 128, number >> 14])
    footer = thrift(b"\x49\xfc" + count + part * number)
    tracemalloc.start()
    with pytest.raises(FooterError, match="damaged"):
        read_chunks(io.BytesIO(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 128 * len(footer) + 2**16
