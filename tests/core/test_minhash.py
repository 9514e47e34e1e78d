"""Shingles, band keys and Jaccard indices equal their twin in plain Python, with the same bits in both libraries."""

import numpy as np
import pytest
from twins import minhash as twin

from termburst.core import minhash as core
from termburst.core.binding import call, struct
from termburst.counting.shingles import plain_words

TEXTS = [
    "",
    "...",
    "So it goes",
    "So IT goes on, and on -- and ON!",
    "I don’t: 我們，也 Älva’s Ελλάδα ภาษา 한국어 tiếng Việt\u3000x¿y",
    "a b c d e f g",
]


def encoded(texts):
    parts = [text.lower().encode() for text in texts]
    return np.frombuffer(b"".join(parts), dtype=np.uint8), np.cumsum([len(part) for part in parts]).astype(np.int64)


@pytest.mark.parametrize("width", [1, 3, 5])
def test_shingles_equal_the_twin(width, on_both):
    baseline, avx2 = on_both(lambda: core.shingles(*encoded(TEXTS), width))
    words = [plain_words(text) for text in TEXTS]
    assert baseline.words.tolist() == [len(some) for some in words]
    assert baseline.hashes.tolist() == [h for some in words for h in twin.shingles(some, width)]
    assert np.diff(baseline.indptr).tolist() == [max(len(some) - width + 1, 0) for some in words]
    assert baseline.whole.tolist() == [twin.whole(some) for some in words]
    for name in ("hashes", "indptr", "words", "whole"):
        np.testing.assert_array_equal(getattr(baseline, name), getattr(avx2, name))


def test_words_of_every_character_are_those_of_python():
    for first in range(0, 0x3400, 97):
        text = "a".join(chr(code) for code in range(first, first + 97) if chr(code) == chr(code).lower())
        assert core.shingles(*encoded([text]), 1).words[0] == len(plain_words(text)), hex(first)


def test_any_bytes_are_safe():
    rng = np.random.default_rng(3)
    for size in range(60):
        data = rng.integers(0, 256, size, dtype=np.uint8)
        ends = np.sort(rng.integers(0, size + 1, 4)).astype(np.int64)
        assert core.shingles(data, ends, 2).words.size == 4


def test_band_keys_equal_the_twin(on_both):
    rng = np.random.default_rng(4)
    hashes = rng.integers(0, 2**63, 60, dtype=np.uint64) * np.uint64(2)
    indptr = np.array([0, 1, 1, 30, 60])
    baseline, avx2 = on_both(lambda: core.band_keys(hashes, indptr, 7, 3))
    for j in range(4):
        assert baseline[j].tolist() == twin.band_keys(hashes[indptr[j] : indptr[j + 1]].tolist(), 7, 3)
    np.testing.assert_array_equal(baseline, avx2)


def test_equal_minima_estimate_the_jaccard_index():
    rng = np.random.default_rng(6)
    equal = []
    for _ in range(60):  # |A ∩ B| = 60, |A ∪ B| = 100
        hashes = rng.integers(0, 2**64, 100, dtype=np.uint64)
        both = np.concatenate([hashes[:80], hashes[20:]])
        keys = core.band_keys(both, np.array([0, 80, 160]), 128, 1)
        equal.append((keys[0] == keys[1]).mean())
    assert np.mean(equal) == pytest.approx(0.6, abs=4 * np.std(equal) / np.sqrt(60))


def test_distinct_hashes_and_jaccard_equal_sets_of_python(library):
    rng = np.random.default_rng(5)
    sets = [rng.integers(0, 40, size).astype(np.uint64) for size in (0, 1, 25, 60, 200)]
    indptr = np.cumsum([0, *(one.size for one in sets)])
    hashes = np.concatenate(sets)
    sizes = core.distinct_hashes(hashes, indptr)
    for one, start, size in zip(sets, indptr, sizes, strict=False):
        assert hashes[start : start + size].tolist() == sorted(set(one.tolist()))
    first, second = (np.ascontiguousarray(x) for x in np.indices((5, 5)).reshape(2, -1))
    found = core.jaccard(hashes, indptr[:-1].copy(), sizes, first, second)
    for i, j, value in zip(first, second, found, strict=True):
        a, b = set(sets[i].tolist()), set(sets[j].tolist())
        assert value == (len(a & b) / len(a | b) if a | b else 0.0)


def test_bad_input_is_refused():
    data, ends = encoded(["so it goes"])
    with pytest.raises(ValueError, match="1 to 64 words"):
        core.shingles(data, ends, 0)
    with pytest.raises(ValueError, match="out of range"):
        core.shingles(data, np.array([11]), 2)
    with pytest.raises(ValueError, match="bands × rows"):
        core.band_keys(np.zeros(1, np.uint64), np.array([0, 1]), 65, 2)
    with pytest.raises(ValueError, match="out of range"):
        core.jaccard(np.zeros(1, np.uint64), np.array([0]), np.array([1]), np.array([0]), np.array([1]))
    sets = struct("HashSets", hashes=np.zeros(2, np.uint64), starts=np.array([0]), sizes=np.array([2]))
    with pytest.raises(RuntimeError, match="room"):
        call("tb_distinct_hashes", sets, struct("HashRoom", spare=np.zeros(1, np.uint64)))
