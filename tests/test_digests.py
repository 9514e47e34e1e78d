"""Every stored file: whatever byte is damaged, reading is one ValueError that names the file, never other numbers."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import termburst as tb
from termburst.digests import reading
from termburst.ledgers import Ledger
from termburst.retrieval import Index
from termburst.statistics.runs import Run, write_run
from termburst.weights import Weights, load_weights, save_weights

TEXTS = ["ha ha so", "so it goes", "", "it goes on and on"]


def a_ledger(folder: Path) -> None:
    ledger = Ledger(folder)
    ledger.add(tb.read(TEXTS[:2]), batch="monday")
    ledger.add(tb.read(TEXTS[2:]), batch="tuesday")


def some_weights(path: Path) -> None:
    matrix = sp.csr_matrix([[0.5, 0.0], [0.25, 1.0]])
    save_weights(Weights(matrix, np.array(["ha", "so"]), np.array(["a", "b"])), path)


def format_of(path: Path) -> bytes:
    return re.findall(rb"\"format\": \"(termburst \w+)", path.read_bytes())[-1]


def a_run(path: Path) -> None:
    """A part of an unfinished build, as it is opened to go on."""
    with reading(path, "run"):
        Run(path).check()


KINDS: dict[str, tuple[Callable[[Path], Any], Callable[[Path], Any]]] = {  # how each is written, and read
    "statistics": (tb.TermStatistics.from_texts(TEXTS, "patterns").save, tb.TermStatistics.load),
    "statistics in place of texts": (
        tb.TermStatistics.from_texts(TEXTS, "moments").save,
        lambda path: tb.scan(path).terms,
    ),
    "a run": (lambda path: write_run(tb.TermStatistics.from_texts(TEXTS), path, {}), a_run),
    "weights": (some_weights, load_weights),
    "index": (Index.from_texts(TEXTS).save, Index.load),
    "ledger": (a_ledger, tb.scan),
    "the frame of a ledger": (a_ledger, lambda path: Ledger(path).frame()),
}


@pytest.fixture(scope="module", params=KINDS)
def stored(request, tmp_path_factory):
    """Where something is stored, its files, and how it is read."""
    write, read = KINDS[request.param]
    place = tmp_path_factory.mktemp("stored") / "it.parquet"  # other kinds may have any name
    write(place)
    return place, sorted(place.iterdir()) if place.is_dir() else [place], read


def refused(stored, file: Path, content: bytes | None) -> None:
    """Reading with another content of one file, or without it, is an error; then the file is as it was."""
    place, _, read = stored
    whole = file.read_bytes()
    try:
        file.unlink() if content is None else file.write_bytes(content)
        with pytest.raises((FileNotFoundError, ValueError) if content is None else ValueError) as caught:
            read(place)
        assert file.name in str(caught.value)
        assert "\n" not in str(caught.value)
    finally:
        file.write_bytes(whole)


@given(data=st.data())
def test_a_damaged_file_is_one_sentence(stored, data):
    """Any bits of one byte are flipped, or the file is cut, or something is appended to it."""
    file = data.draw(st.sampled_from(stored[1]))
    whole = file.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    flipped = bytes([whole[at] ^ data.draw(st.integers(1, 255))])
    for content in (whole[:at] + flipped + whole[at + 1 :], whole[:at], whole + flipped):
        refused(stored, file, content)


@pytest.mark.slow
def test_each_place_of_a_file(stored):
    """Not a sample: every 7th byte, and each of the last 200."""
    for file in stored[1]:
        whole = file.read_bytes()
        for at in {*range(0, len(whole), 7), *range(max(len(whole) - 200, 0), len(whole))}:
            refused(stored, file, whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])


def test_missing_and_exchanged_files(stored, tmp_path):
    """Files of another kind, too."""
    files = stored[1]
    for file, other in zip(files, files[1:] + files[:1], strict=True):
        refused(stored, file, None)
        if file != other:
            refused(stored, file, other.read_bytes())
    for number, (write, _) in enumerate(KINDS.values()):
        other = tmp_path / str(number)
        write(other)
        if len(files) == 1 and other.is_file() and format_of(other) != format_of(files[0]):
            refused(stored, files[0], other.read_bytes())
