"""A build within a limit of memory writes the same file as one without, however often it spills, and leaves nothing."""

import errno
import json
import random
from dataclasses import replace
from itertools import pairwise

import polars as pl
import pytest

from termburst import build_statistics
from termburst.counting import tokenizer
from termburst.counting.options import CountingOptions
from termburst.statistics import building, runs
from termburst.statistics.building import Building, remove_folder
from termburst.statistics.contents import hash_of, known_hashes
from termburst.statistics.runs import Run, bounds_between, merged_range, write_run
from termburst.statistics.term_statistics import TermStatistics


def hashes_of(texts):
    return known_hashes(map(hash_of, texts))


UNCOMPILED = r"\w+'\w+|\w\w+"


@pytest.fixture(scope="module")
def texts():
    """Frequent and rare words, not only ASCII; two documents are empty."""
    rng = random.Random(3)
    words = [f"{rng.choice('aeßéж語')}w{k}" for k in range(1500)]
    lengths = [0, 0, *(rng.randrange(60) for _ in range(400))]
    return [" ".join(words[int(1500 * rng.random() ** 3)] for _ in range(length)) for length in lengths]


def batches_of(texts, size=40):
    return [texts[k : k + size] for k in range(0, len(texts), size)]


@pytest.fixture
def tiny(monkeypatch):
    """Small chunks and blocks, so that a few hundred texts make many runs and ranges."""
    monkeypatch.setattr(tokenizer, "CHUNK", 2000)
    monkeypatch.setattr(runs, "BLOCK", 2**12)


def spilled(texts, path, detail, options, *, room, **given):
    """Build a file with little room; returns the numbers of runs and ranges."""
    with Building(path, detail, options, "4GB") as build:
        build._room, seen = room, []
        build.count(batches_of(texts))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(building, "merged_range", lambda *of: seen.append(of) or merged_range(*of))
            build.save(**given)
    return len(build.runs), len(seen)


@pytest.mark.slow
@pytest.mark.parametrize("detail", ["frequencies", "moments", "patterns"])
@pytest.mark.parametrize(
    "options",
    [
        CountingOptions(),
        CountingOptions(ngrams=(1, 2), stop_words=("aw1", "éw2")),
        CountingOptions(token_pattern=UNCOMPILED),
    ],
    ids=["words", "n-grams", "uncompiled"],
)
def test_many_spills_give_the_same_file(tmp_path, tiny, texts, detail, options):
    whole = TermStatistics.from_texts(texts, detail, counting=options, batch="x")
    whole = replace(whole, texts=hashes_of(texts))
    whole.save(tmp_path / "whole.parquet")
    found = spilled(texts, tmp_path / "spilled.parquet", detail, options, room=300_000, batch="x")
    assert min(found) >= 5
    assert TermStatistics.load(tmp_path / "spilled.parquet") == TermStatistics.load(tmp_path / "whole.parquet")
    assert pl.read_parquet(tmp_path / "spilled.parquet").equals(pl.read_parquet(tmp_path / "whole.parquet"))
    headers = [
        json.loads(pl.read_parquet_metadata(tmp_path / name)["termburst"])
        for name in ("spilled.parquet", "whole.parquet")
    ]
    assert headers[0] == headers[1]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["spilled.parquet", "whole.parquet"]


@pytest.mark.slow
def test_tokens_need_no_tokenizer(tmp_path, tiny, texts):
    options, lists = CountingOptions(pretokenized=True), [text.split() for text in texts]
    found = spilled(lists, tmp_path / "a.parquet", "patterns", options, room=300_000)
    assert min(found) >= 5
    assert TermStatistics.load(tmp_path / "a.parquet") == TermStatistics.from_batches(
        [lists], "patterns", counting=options
    )


@pytest.mark.slow
def test_rare_terms_are_left_out(tmp_path, tiny, texts):
    spilled(texts, tmp_path / "a.parquet", "moments", CountingOptions(), room=300_000, min_count=5)
    found = TermStatistics.load(tmp_path / "a.parquet")
    assert found == TermStatistics.from_texts(texts, counting=CountingOptions()).prune(5)
    with pytest.raises(ValueError, match="no term occurs 1,000,000 times or more"):
        spilled(texts, tmp_path / "b.parquet", "moments", CountingOptions(), room=300_000, min_count=10**6)
    assert [file.name for file in tmp_path.iterdir()] == ["a.parquet"]


def test_ranges_are_disjoint_and_bounded(tmp_path, monkeypatch, texts):
    monkeypatch.setattr(runs, "BLOCK", 2**12)
    parts = [TermStatistics.from_texts(some, "patterns") for some in batches_of(texts, 100)]
    for k, part in enumerate(parts):
        write_run(part, tmp_path / str(k), {})
    written = [Run(tmp_path / str(k)) for k in range(len(parts))]
    bounds = bounds_between(written, 100_000)
    assert bounds == sorted(set(bounds))
    found = [merged_range(written, a, b)[0] for a, b in pairwise([*bounds, None])]
    assert [name for one in found for name in one] == sorted({name for part in parts for name in part.terms})
    for one, two, bound in zip(found, found[1:], bounds[1:], strict=False):
        assert one[-1] < bound <= two[0]
    assert runs.TERM_BYTES * max(map(len, found)) <= 100_000 + len(written) * 2 * 2**12


def test_what_fits_is_never_written_to_scratch(tmp_path, texts):
    found = spilled(texts, tmp_path / "a.parquet", "moments", CountingOptions(), room=2**30)
    assert found == (0, 0)
    assert TermStatistics.load(tmp_path / "a.parquet") == TermStatistics.from_texts(texts)


def test_a_full_disk_is_one_sentence_and_leaves_the_old_file(tmp_path, tiny, monkeypatch, texts):
    path = tmp_path / "a.parquet"
    TermStatistics.from_texts(["so it goes"]).save(path)
    before = path.read_bytes()

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(building, "write_run", full)
    with pytest.raises(ValueError, match=r"^temporary files cannot be kept in .*\.scratch: No space left on device$"):
        spilled(texts, path, "moments", CountingOptions(), room=300_000)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_run_may_have_no_terms(tmp_path):
    """The documents of a run may all be empty."""
    write_run(TermStatistics.from_counts([[0], [0]], terms=["so"]), tmp_path / "0", {})
    write_run(TermStatistics.from_texts(["so it goes"]), tmp_path / "1", {})
    names, fields = merged_range([Run(tmp_path / "0"), Run(tmp_path / "1")], "", None)
    assert (names, fields["collection_frequency"].tolist()) == (["goes", "it", "so"], [1, 1, 1])


def test_a_flipped_bit_of_a_run_is_noticed(tmp_path):
    path = tmp_path / "0.run"
    write_run(TermStatistics.from_texts(["so it goes"]), path, {"place": 1})
    content = path.read_bytes()
    Run(path).check()
    for k in (0, len(content) // 2, len(content) - 20):
        path.write_bytes(content[:k] + bytes([content[k] ^ 1]) + content[k + 1 :])
        with pytest.raises(ValueError, match=r"damaged|JSON|codec|Expecting"):
            Run(path).check()


def test_scratch_of_a_killed_build_is_removed(tmp_path):
    left = tmp_path / ".a.parquet.scratch"
    left.mkdir()
    (left / "000000.run").write_bytes(b"so")
    build_statistics(["so it goes"], tmp_path / "a.parquet", memory="4GB")
    assert [file.name for file in tmp_path.iterdir()] == ["a.parquet"]


def test_other_files_are_not_removed(tmp_path):
    left = tmp_path / ".a.parquet.scratch"
    left.mkdir()
    (left / "thesis.txt").write_text("mine")
    with pytest.raises(ValueError, match="the place for temporary files, cannot be removed"):
        build_statistics(["so it goes"], tmp_path / "a.parquet", memory="4GB")
    assert (left / "thesis.txt").read_text() == "mine"


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "0.run").write_text("mine")
    (tmp_path / ".a.parquet.scratch").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="is not a folder"):
        remove_folder(tmp_path / ".a.parquet.scratch")
    assert (tmp_path / "elsewhere" / "0.run").exists()


def test_too_little_memory_is_one_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"memory of 20 MB is too small: .* give at least \d+MB$"):
        build_statistics(["so it goes"], tmp_path / "a.parquet", memory="20MB")
    assert not list(tmp_path.iterdir())


def test_what_is_no_memory_is_refused(tmp_path):
    for memory in ["", "1", "GB", "1 kB", "-1GB", "nanGB", "1e9GB", "١GB", 1.5, True]:
        with pytest.raises(ValueError, match="such as 500MB or 1GB"):
            build_statistics(["so it goes"], tmp_path / "a.parquet", memory=memory)


def test_a_wrong_min_count_is_refused_before_counting(tmp_path):
    for min_count in [-1, 1.5, True, "2"]:
        with pytest.raises(ValueError, match="min_count must be an integer"):
            build_statistics(iter(()), tmp_path / "a.parquet", memory="4GB", min_count=min_count)


def test_no_documents_and_no_terms_are_said(tmp_path):
    with pytest.raises(ValueError, match="there are no documents to count"):
        build_statistics([], tmp_path / "a.parquet", memory="4GB")
    with pytest.raises(ValueError, match="no document has a term"):
        build_statistics(["", "!"], tmp_path / "a.parquet", memory="4GB")
