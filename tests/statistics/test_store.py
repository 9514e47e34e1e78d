"""Files: saved statistics load exactly; damaged files are refused; a crash leaves no half-written file."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from contextlib import suppress
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from termburst.counting.options import CountingOptions
from termburst.digests import VERSION, seal
from termburst.files import atomic_path, check_output
from termburst.names import DETAILS
from termburst.reading.parquet_footer import has_statistics
from termburst.statistics.term_statistics import TermStatistics

COUNTS = hnp.arrays(
    np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.sampled_from([0, 0, 1, 5])
)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "s.parquet"
    TermStatistics.from_texts(["ha ha so", "so it goes", ""], "patterns", batch="first").save(path)
    return path


@pytest.mark.slow
@given(X=COUNTS, detail=st.sampled_from(DETAILS), named=st.booleans())
def test_save_and_load_are_exact(tmp_path_factory, X, detail, named):
    path = tmp_path_factory.mktemp("store") / "s.parquet"
    terms = [f"t{i} «ß\n\t'\"" for i in range(X.shape[1])] if named else None
    s = TermStatistics.from_counts(X, terms, detail, batch="a")
    s.save(path)
    assert TermStatistics.load(path) == s
    assert has_statistics(path)


def test_counting_options_and_batches_are_loaded(saved):
    s = TermStatistics.load(saved)
    assert s.batches == ("first",)
    assert s.counting.lowercase is True
    assert s == TermStatistics.from_texts(["ha ha so", "so it goes", ""], "patterns", batch="first")


def test_any_parquet_reader_can_open_it(saved):
    frame = pl.read_parquet(saved)
    assert frame["term"].to_list() == ["goes", "ha", "it", "so"]
    assert frame["collection_frequency"].to_list() == [1, 2, 1, 2]
    assert frame["count"].to_list() == [[1], [2], [1], [1]]
    assert frame["length"].to_list() == [[3], [3], [3], [3]]


def rewrite(path, change_header=None, change_frame=None):
    header = json.loads(pl.read_parquet_metadata(path)["termburst"])
    frame = pl.read_parquet(path)
    if change_header:
        change_header(header)
    if change_frame:
        frame = change_frame(frame)
    frame.write_parquet(path, metadata={"termburst": json.dumps(header)})
    with suppress(ValueError):  # without a place for a digest
        seal(path)


def test_another_version_of_the_format_is_refused(saved):
    rewrite(saved, lambda header: header.update(version=VERSION - 1))
    message = rf"s\.parquet cannot be read as statistics: it has format version {VERSION - 1}, but .*; build them again"
    with pytest.raises(ValueError, match=message):
        TermStatistics.load(saved)


def test_a_forged_file_is_refused(saved):
    """Its digest is right."""
    content = saved.read_bytes()
    for header, frame, said in [
        (lambda h: h.pop("digest"), None, "it is another file, of another version, or damaged; build them again"),
        (lambda h: h.update(format="termburst weights"), None, "it is another kind of file"),
        (lambda h: h.pop("lengths"), None, "the header field 'lengths' is missing"),
        (lambda h: h.update(batches=[7]), None, "each entry of the header field 'batches' must be a string; got 7"),
        (lambda h: h.update(counting=7), None, "the header field 'counting' must be an object or null; got 7"),
        (lambda h: h["counting"].update(ngrams=[1, True]), None, "ngrams must be .* or two whole numbers"),
        (lambda h: h.update(detail="all"), None, "unknown detail"),
        (lambda h: h.update(lengths=["x"]), None, "a number is missing"),
        (lambda h: h.update(lengths=[0, 4]), None, "these statistics are inconsistent"),
        (None, lambda f: f.drop("document_frequency"), "document_frequency"),
        (None, lambda f: f.with_columns(collection_frequency=pl.lit(None, pl.Int64)), "a number is missing"),
        (None, lambda f: f.with_columns(collection_frequency=pl.lit(7)), "these statistics are inconsistent"),
        (None, lambda f: f.with_columns(length=pl.lit([4])), "these statistics are inconsistent"),
        (None, lambda f: f.with_columns(term=pl.lit("a")), "the term 'a'"),
        (None, lambda f: f.with_columns(documents=pl.lit([1, 1])), "these statistics are inconsistent"),
    ]:
        saved.write_bytes(content)
        rewrite(saved, header, frame)
        with pytest.raises(ValueError, match=said) as caught:
            TermStatistics.load(saved)
        assert "s.parquet" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_other_files_are_refused_by_name(tmp_path, saved):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        TermStatistics.load(tmp_path / "nowhere.parquet")
    plain = tmp_path / "plain.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(plain)
    assert not has_statistics(plain)
    with pytest.raises(ValueError, match="it is another file, of another version, or damaged; build them again"):
        TermStatistics.load(plain)
    text = tmp_path / "text.parquet"
    text.write_text("not Parquet")
    assert not has_statistics(text)
    with pytest.raises(ValueError, match=r"text\.parquet cannot be read as .*; build them again, with termburst"):
        TermStatistics.load(text)
    with pytest.raises(ValueError, match=r"is a folder, not saved statistics; .* stats build .* -o NAME\.parquet$"):
        TermStatistics.load(tmp_path)
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(saved.read_bytes()[:-20])
    with pytest.raises(ValueError, match="cannot be read as statistics"):
        TermStatistics.load(cut)


def test_lone_surrogates_are_refused_and_nothing_is_written(tmp_path):
    s = TermStatistics.from_texts([["\ud800"]], counting=CountingOptions(pretokenized=True))
    with pytest.raises(ValueError, match="lone surrogate"):
        s.save(tmp_path / "s.parquet")
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_only_the_old_file(tmp_path):
    target = tmp_path / "out"
    target.write_text("old")

    def fail():
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a POSIX signal")
def test_kill_9_in_the_middle_of_a_write_leaves_the_old_file(tmp_path):
    target = tmp_path / "out"
    target.write_text("old")
    script = textwrap.dedent(f"""
        import os, signal
        from termburst.statistics.store import atomic_path
        with atomic_path({str(target)!r}) as temporary:
            temporary.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    """)
    done = subprocess.run([sys.executable, "-c", script], check=False)
    assert done.returncode == -signal.SIGKILL
    assert target.read_text() == "old"


@pytest.mark.parametrize(("where", "said"), [("", "is a folder"), ("nowhere/out", "does not exist")])
def test_the_error_names_a_place_that_cannot_be_written_to(tmp_path, where, said):
    with pytest.raises(ValueError, match=said), atomic_path(tmp_path / where):
        pass


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc, where no file can be created")
def test_a_folder_where_no_file_can_be_created_is_refused_before_the_work():
    with pytest.raises(ValueError, match=r"/proc/out.parquet cannot be written"):
        check_output("/proc/out.parquet")


def test_a_name_with_wildcards_means_that_file(tmp_path):
    one, other = (TermStatistics.from_texts([text]) for text in ("so it goes", "ha ha"))
    one.save(tmp_path / "a[1].parquet")
    other.save(tmp_path / "a1.parquet")
    assert TermStatistics.load(tmp_path / "a[1].parquet") == one


def test_links_are_followed_and_a_full_disk_is_reported(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    with atomic_path(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"

    def fill():
        with atomic_path(target):
            raise OSError(28, "No space left on device")

    with pytest.raises(ValueError, match=r"target cannot be written: No space left"):
        fill()


def test_a_file_of_the_corpus_is_not_overwritten(tmp_path, monkeypatch):
    """This holds for a folder and for a glob."""
    monkeypatch.chdir(tmp_path)
    inside = tmp_path / "corpus" / "deep" / "a.txt"
    inside.parent.mkdir(parents=True)
    for path in (inside, inside.with_name(".hidden"), tmp_path / "b.txt"):
        path.write_text("so it goes")
    for source in ("corpus", ".", str(tmp_path), "corpus/**/*.txt", "corpus/deep/[ab].tx?", inside):
        with pytest.raises(ValueError, match="is part of the input"):
            check_output(inside, source)
    for source in ("corpus", "corpus/**", "c*.txt", "-", "stdlib"):
        check_output("b.txt", source)
        check_output(inside.with_name(".hidden"), source)
        check_output(inside.with_name("new.txt"), source)


def test_the_file_being_read_is_not_overwritten(tmp_path):
    corpus = tmp_path / "corpus.csv"
    corpus.write_text("text")
    with pytest.raises(ValueError, match="is part of the input"):
        check_output(corpus, corpus)
    check_output(corpus, "stdlib")
