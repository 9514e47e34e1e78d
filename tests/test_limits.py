"""If memory is not sufficient, an error of one sentence comes before the allocation."""

import io
import re
import tracemalloc
import zipfile

import numpy as np
import polars as pl
import pytest

import termburst as tb
from helpers.opened import open_corpus
from termburst.counting.options import CountingOptions
from termburst.counting.tokenizer import CHUNK, Tokenizer, _in_order
from termburst.digests import header_text, seal
from termburst.limits import LONGEST_NGRAM, _free_in_group, memory_allowed, require_memory
from termburst.npz import read_arrays

SENTENCE = r"needs [\d,]+ MB of memory, more than the [\d,]+ MB allowed; to allow it, set .* TERMBURST_MEMORY_MB=\d+"


@pytest.fixture
def small(monkeypatch):
    """A machine with 8 MB."""
    monkeypatch.setenv("TERMBURST_MEMORY_MB", "8")


def test_the_environment_variable_sets_the_limit(small):
    assert memory_allowed() == 8 * 2**20
    require_memory(8 * 2**20, "it")
    with pytest.raises(ValueError, match=rf"^it {SENTENCE}$"):
        require_memory(8 * 2**20 + 1, "it")


def test_the_number_in_the_message_is_sufficient(small, monkeypatch):
    size = 1234 * 2**20 + 1
    with pytest.raises(ValueError, match=r"TERMBURST_MEMORY_MB=1235$"):
        require_memory(size, "it")
    monkeypatch.setenv("TERMBURST_MEMORY_MB", "1235")
    require_memory(size, "it")


def test_a_limit_that_is_not_a_number_is_an_error(monkeypatch):
    for value in ["much", "-1", "0", "1.5", "٣", "9" * 5000]:
        monkeypatch.setenv("TERMBURST_MEMORY_MB", value)
        with pytest.raises(ValueError, match="whole number of megabytes"):
            memory_allowed()


def test_there_is_a_limit_without_the_variable(monkeypatch):
    monkeypatch.delenv("TERMBURST_MEMORY_MB", raising=False)
    assert 2**20 < memory_allowed() < 2**50
    with pytest.raises(ValueError, match=SENTENCE):
        require_memory(2**60, "it")


GROUPS = {  # limit, memory in use, and the cached files included in it
    "version 2": ("memory.max", "memory.current", "memory.stat", ""),
    "version 1": ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", "total_"),
}


@pytest.mark.parametrize("version", GROUPS)
def test_cached_files_do_not_count_as_used(tmp_path, version):
    limit, used, stat, prefix = GROUPS[version]
    assert _free_in_group(tmp_path) is None
    (tmp_path / "memory").mkdir()
    (tmp_path / limit).write_text("1000\n", encoding="ascii")
    (tmp_path / used).write_text("900\n", encoding="ascii")
    assert _free_in_group(tmp_path) == 100
    lines = ("anon 200", f"{prefix}inactive_file 400", f"{prefix}active_file 200", "slab_unreclaimable 100", "")
    (tmp_path / stat).write_text("\n".join(lines), encoding="ascii")
    assert _free_in_group(tmp_path) == 700
    (tmp_path / used).write_text("500\n", encoding="ascii")  # read just before the cache grew
    assert _free_in_group(tmp_path) == 1000


def test_the_system_is_not_asked_for_a_megabyte(monkeypatch):
    asked = []
    monkeypatch.setattr("termburst.limits._free_memory", lambda: asked.append(1) or 2**30)
    monkeypatch.delenv("TERMBURST_MEMORY_MB", raising=False)
    require_memory(2**20, "it")
    assert not asked
    require_memory(2**20 + 1, "it")
    assert asked
    monkeypatch.setenv("TERMBURST_MEMORY_MB", "much")
    with pytest.raises(ValueError, match="whole number of megabytes"):
        require_memory(1, "it")


# ---- Parquet: a few kilobytes that unpack to any size


def bomb(path, value, rows):
    pl.DataFrame({"text": [value] * rows}).write_parquet(path)
    assert path.stat().st_size < 10**5
    return path


def test_a_text_stored_once_is_not_copied_for_each_row(tmp_path):
    path, peaks = bomb(tmp_path / "t.parquet", "ab " * 10**6, 64), []
    for _ in range(4):  # the least counts: other work of the process, such as imports, may fall into one reading
        tracemalloc.start()
        try:
            sizes = [sum(map(len, batch.texts)) for batch in open_corpus(path, batch_bytes=2**23).batches()]
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        assert sum(sizes) == 64 * 3 * 10**6
    assert min(peaks) < 40 * 2**20  # of 192


def test_a_row_too_large_is_an_error_before_it_becomes_a_python_string(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"text": ["a", "b", "ab " * 10**6, "c"]}).write_parquet(path)
    with pytest.raises(ValueError, match=re.escape(f"{path}, row 3: one document holds more than 1 MB")):
        list(open_corpus(path, max_document_mb=1).batches())


def test_empty_tokens_also_count(tmp_path):
    path = bomb(tmp_path / "t.parquet", [""] * 10**6, 2)
    with pytest.raises(ValueError, match="row 1: one document holds more than 1000 bytes"):
        list(open_corpus(path, max_document_mb=1000 / 2**20, pretokenized=True).batches())


def test_a_row_group_that_does_not_fit_is_an_error(tmp_path, small):
    path = bomb(tmp_path / "t.parquet", ["ab"] * 10**6, 2)
    with pytest.raises(ValueError, match=SENTENCE) as caught:
        list(open_corpus(path, pretokenized=True).batches())
    assert str(path) in str(caught.value)


def test_statistics_that_declare_many_rows_are_an_error(tmp_path, small):
    path = tmp_path / "s.parquet"
    tb.TermStatistics.from_texts(["so it goes"]).save(path)
    header = pl.read_parquet_metadata(path)["termburst"]
    ones = pl.repeat(1, 10**6, eager=True, dtype=pl.Int64)
    pl.DataFrame({"collection_frequency": ones}).write_parquet(path, metadata={"termburst": header})
    seal(path)
    assert path.stat().st_size < 10**5
    with pytest.raises(ValueError, match=SENTENCE) as caught:
        tb.TermStatistics.load(path)
    assert str(path) in str(caught.value)


def test_statistics_whose_terms_are_one_long_string_are_an_error(tmp_path, small):
    path = tmp_path / "s.parquet"
    frame = pl.DataFrame({"term": ["x" * 10**6] * 64})
    frame.write_parquet(path, metadata={"termburst": header_text("statistics", {})}, statistics=False)
    seal(path)
    with pytest.raises(ValueError, match=f"terms {SENTENCE}"):
        tb.TermStatistics.load(path)


# ---- arrays in a zip file


def sealed(path):
    """An archive with a header, whose digest is right."""
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = header_text("weights", {}).encode()
    seal(path)
    return path


def test_an_array_that_declares_more_than_its_data_is_an_error(tmp_path):
    for entries in (2**40, 2**70):
        path, header = tmp_path / f"{entries}.npz", io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (entries,)})
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("data.npy", header.getvalue())
        with pytest.raises(ValueError, match=SENTENCE):
            read_arrays(sealed(path), "weights", {"data": "f"})


def test_an_array_that_really_is_too_large_is_an_error(tmp_path, small):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, data=np.zeros(2 * 10**6))
    assert path.stat().st_size < 10**5
    with pytest.raises(ValueError, match=SENTENCE):
        read_arrays(sealed(path), "weights", {"data": "f"})


# ---- counting


def test_the_length_of_n_grams_is_limited():
    CountingOptions(ngrams=(1, LONGEST_NGRAM)).count(["so it goes"])
    for ngrams in ((1, LONGEST_NGRAM + 1), (1, 10**9), (10**30, 10**30)):
        with pytest.raises(ValueError, match=f"at most {LONGEST_NGRAM} tokens"):
            CountingOptions(ngrams=ngrams).count(["so it goes"])


@pytest.mark.parametrize("most", [10**9, 10**30])
def test_the_vectorizer_accepts_any_n_like_scikit_learn(most):
    texts = ["so it goes " + "x" * 200_000, "so on"]
    vectorizer = tb.CountVectorizer(ngram_range=(1, most)).fit(texts)
    assert "so it goes" in vectorizer.vocabulary_
    with pytest.raises(ValueError, match="empty vocabulary"):
        tb.CountVectorizer(ngram_range=(most, most)).fit(texts)


def test_a_document_too_long_to_count_is_an_error(small):
    texts = ["so it goes " * 200_000]
    with pytest.raises(ValueError, match=rf"a document of 2,200,000 bytes {SENTENCE}"):
        list(tokenizer().count([texts]))


def test_a_document_with_too_many_n_grams_is_an_error(monkeypatch):
    monkeypatch.setenv("TERMBURST_MEMORY_MB", "64")
    with pytest.raises(ValueError, match=rf"the n-grams of a document .* {SENTENCE}"):
        list(tokenizer(ngrams=(1, 10**9)).count([["so it goes " * 20_000]]))


def tokenizer(**options) -> Tokenizer:
    found = tb.CountVectorizer(ngram_range=options.get("ngrams", (1, 1))).compiled_tokenizer()
    assert found is not None
    return found


@pytest.mark.slow
def test_very_long_documents_are_not_read_for_all_threads_at_once():
    fetched = []

    def chunks():
        for k in range(20):
            fetched.append(k)
            yield ["x" * (64 * CHUNK)]

    results = _in_order(len, chunks(), 8)
    next(results)
    assert len(fetched) == 2
    assert len(list(results)) == 19
