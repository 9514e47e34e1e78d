"""Reading a corpus from a place in the middle, and detecting whether it has changed."""

import gzip
import itertools
import os

import polars as pl
import pytest

from helpers.opened import open_corpus
from termburst.files import atomic_path, remove_leftovers
from termburst.reading import file_readers
from termburst.reading.readers import Place


@pytest.fixture
def folder(tmp_path):
    """Sixteen documents: text files with one each, a CSV table, an empty table, a compressed file, a Parquet table."""
    path = tmp_path / "folder"
    path.mkdir()
    for name in ("a1.txt", "a2.txt", "e1.txt", "z.txt"):
        (path / name).write_text(name, encoding="utf-8")
    (path / "b.csv").write_text("text\nb1\nb2\nb3\n", encoding="utf-8")
    (path / "c.jsonl").write_text("\n", encoding="utf-8")
    (path / "d.txt.gz").write_bytes(gzip.compress(b"packed"))
    pl.DataFrame({"text": [f"row {i}" for i in range(8)]}).write_parquet(path / "f.parquet")
    return path


@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_reading_can_start_at_any_place(folder, size):
    corpus = open_corpus(folder, batch_documents=size)
    batches = list(corpus.batches())
    texts = [text for batch in batches for text in batch.texts]
    assert len(texts) == 16
    assert batches[-1].place == Place(16, 8, 16)
    assert batches[-1].position == corpus.size
    count = 0
    places = [Place()]
    for batch in batches:
        count += len(batch.ids)
        assert batch.place.documents == count
        assert batch.place.before <= count
        places.append(batch.place)
    for place in places:
        for skipped in range(place.before, 17):
            rest = list(corpus.batches(Place(skipped, place.files, place.before)))
            assert [text for batch in rest for text in batch.texts] == texts[skipped:]
            assert not rest or (rest[-1].place, rest[-1].position) == (Place(16, 8, 16), corpus.size)


def test_many_files_are_read_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(file_readers, "READERS_AHEAD", 3)
    for i in range(500):
        (tmp_path / f"{i:03}.txt").write_text(f"text {i}", encoding="utf-8")
    batches = list(open_corpus(tmp_path, batch_documents=7).batches())
    assert [text for batch in batches for text in batch.texts] == [f"text {i}" for i in range(500)]
    assert [batch.place.files for batch in batches] == [*range(7, 500, 7), 500]
    (tmp_path / "300.txt").write_bytes(b"\0\1")
    (tmp_path / "301.txt").write_bytes(b"\0\1")
    damaged = open_corpus(tmp_path, batch_documents=1, strict=True).batches()
    assert len(list(itertools.islice(damaged, 299))) == 299  # one batch is held back, since it might be the last
    with pytest.raises(ValueError, match=r"300\.txt"):
        next(damaged)
    open_batches = open_corpus(tmp_path, batch_documents=1).batches()
    next(open_batches)
    open_batches.close()


@pytest.mark.parametrize("size", [1, 3, 100])
def test_reading_can_start_behind_files_that_are_skipped_or_have_several_documents(tmp_path, size):
    for i in range(12):
        (tmp_path / f"{i:02}.txt").write_text(f"text {i}", encoding="utf-8")
    for i in (0, 4, 5, 11):
        (tmp_path / f"{i:02}.txt").write_bytes(b"binary\0\1")
    mails = "".join(f"From a Mon Jan  1 00:00:00 2024\nSubject: {i}\n\nmail {i}\n\n" for i in range(3))
    (tmp_path / "07").write_text(mails, encoding="utf-8")
    corpus = open_corpus(tmp_path, batch_documents=size)
    batches = list(corpus.batches())
    texts = [text for batch in batches for text in batch.texts]
    assert len(texts) == 11
    places = [Place(), *(batch.place for batch in batches)]
    for place, following in zip(places, [*places[1:], places[-1]], strict=True):
        for skipped in range(place.documents, following.documents + 1):
            rest = corpus.batches(Place(skipped, place.files, place.before))
            assert [text for batch in rest for text in batch.texts] == texts[skipped:]


def test_the_fingerprint_changes_with_the_files_and_how_they_are_read(folder, monkeypatch):
    first = open_corpus(folder).fingerprint()
    assert (
        first
        == open_corpus(f"{folder}/").fingerprint()
        == open_corpus(folder, max_document_mb=99 / 2**20).fingerprint()
    )
    monkeypatch.chdir(folder.parent)
    assert open_corpus("folder").fingerprint() == first
    found = {first, open_corpus(folder, encoding="latin-1").fingerprint(), open_corpus(folder, id="id").fingerprint()}
    found.add(open_corpus(folder, lines=True).fingerprint())
    os.utime(folder / "b.csv", ns=(1, 1))
    found.add(open_corpus(folder).fingerprint())
    (folder / "b.csv").rename(folder / "bb.csv")
    found.add(open_corpus(folder).fingerprint())
    assert len(found) == 6
    assert open_corpus("-").fingerprint() is None


def test_leftovers_of_a_killed_process_are_removed(tmp_path):
    kept, removed = tmp_path / "kept.parquet", tmp_path / "[odd] *name.parquet"
    for path in (kept, removed):
        with atomic_path(path) as temporary:
            pass
        path.unlink()
        temporary.write_bytes(b"half")
    remove_leftovers(removed)
    assert len(list(tmp_path.iterdir())) == 1
    remove_leftovers(kept)
    assert list(tmp_path.iterdir()) == []
