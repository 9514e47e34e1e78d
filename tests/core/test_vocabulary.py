"""Nodes, names and their order equal dicts and Python's sort; damaged tables are errors and are never followed."""

import contextlib
import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twins.tokenizer import learnt

from termburst.core.binding import record
from termburst.core.vocabulary import absorb, alphabetical, learn, rehash, vocabulary, written

relaxed = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
names_of_bytes = st.lists(
    st.one_of(
        st.binary(max_size=40),
        st.lists(st.sampled_from([b"a", b"b", b"\0", b"abcdefgh", b"\xc3\xa9", b"x" * 16, b"y" * 70]), max_size=6).map(
            b"".join
        ),
    ).map(lambda name: name.replace(b"\n", b"")),
    max_size=90,
)
some_terms = st.lists(
    st.lists(st.sampled_from([b"a", b"b", b"", b"\0", b"so", b"s" * 16, b"s" * 17, b"s" * 40]), max_size=4).map(
        b" ".join
    ),
    max_size=30,
)


def made(slots=2**10, nodes=2**9, pool=2**12):
    nodes_of = np.zeros(nodes, dtype=record("Node"))
    return vocabulary(np.zeros(slots, dtype=np.uint64), nodes_of, np.zeros(pool, dtype=np.uint64))


def joined(parts):
    ends = np.cumsum([0, *map(len, parts)])[1:].astype(np.int64)
    return np.frombuffer(b"".join(parts), dtype=np.uint8), ends


def names(known, nodes):
    lines, ends = written(known, np.asarray(nodes, dtype=np.int32))
    starts = [0, *(ends[:-1] + 1)]
    return [bytes(lines[start:end]) for start, end in zip(starts, ends, strict=False)]


@pytest.mark.slow
@relaxed
@given(names_of_bytes)
def test_names_are_sorted_like_python(on_both, listed):
    listed = list(dict.fromkeys(listed))
    lines = np.frombuffer(b"".join(name + b"\n" for name in listed), dtype=np.uint8).copy()
    ends = np.cumsum([len(name) + 1 for name in listed], dtype=np.int64) - 1
    for order in on_both(lambda: alphabetical(lines, ends)):
        assert [listed[k] for k in order] == sorted(listed)


def test_many_names_with_long_common_beginnings_are_sorted():
    rng = np.random.default_rng(0)
    listed = list({b"k" * int(rng.integers(0, 300)) + bytes(rng.integers(97, 100, 5).tolist()) for _ in range(5000)})
    lines = np.frombuffer(b"".join(name + b"\n" for name in listed), dtype=np.uint8).copy()
    order = alphabetical(lines, np.cumsum([len(name) + 1 for name in listed], dtype=np.int64) - 1)
    assert [listed[k] for k in order] == sorted(listed)


@pytest.mark.slow
@relaxed
@given(some_terms, some_terms, st.integers(1, 4))
def test_terms_get_nodes_and_keep_them(on_both, first, second, longest):
    def outcome():
        known, found = made(), []
        for terms in (first, second):
            found += learn(known, *joined(terms), longest).tolist()
        return known.size, found, names(known, range(known.size))

    known = {}
    expected = learnt(first, longest, known) + learnt(second, longest, known)
    for size, found, named in on_both(outcome):
        assert found == expected
        assert size == len(known)
        assert all(named[node] == term for node, term in zip(found, first + second, strict=True) if node >= 0)


@pytest.mark.slow
@relaxed
@given(some_terms, some_terms)
def test_absorbing_keeps_names(on_both, mine, theirs):
    def outcome():
        known, other = made(), made()
        learn(known, *joined(mine), 4)
        learn(other, *joined(theirs), 4)
        before = names(known, range(known.size))
        taken = absorb(known, other)
        return before, names(known, range(known.size)), names(known, taken), names(other, range(other.size))

    for before, after, here, there in on_both(outcome):
        assert here == there
        assert after[: len(before)] == before
        assert len(set(after)) == len(after) == len({*before, *there})


def test_absorbed_nodes_are_found():
    rows = np.zeros(2**9, dtype=record("Node"))
    other = vocabulary(np.zeros(2**10, dtype=np.uint64), rows, np.zeros(9, dtype=np.uint64))
    learn(other, *joined([b"a", b"b"]), 1)
    rows["seen"][:2] = 5, 0
    here = np.zeros(2**9, dtype=record("Node"))
    known = vocabulary(np.zeros(2**10, dtype=np.uint64), here, np.zeros(9, dtype=np.uint64))
    absorb(known, other)
    assert here["seen"][:2].tolist() == [5, 0]


def test_more_slots_find_the_same_nodes():
    slots, rows, pool = np.zeros(64, dtype=np.uint64), np.zeros(64, dtype=record("Node")), np.zeros(64, dtype=np.uint64)
    terms = [bytes([97 + k]) * (k + 1) for k in range(20)]
    old = vocabulary(slots, rows, pool)
    first = learn(old, *joined(terms), 1).tolist()
    known = vocabulary(np.zeros(256, dtype=np.uint64), rows, pool, old.size, old.used)
    rehash(old, known)
    assert learn(known, *joined(terms), 1).tolist() == first


def test_too_little_room_is_an_error():
    for known in (made(slots=8), made(nodes=1), made(pool=1)):
        with pytest.raises(RuntimeError, match="room"):
            learn(known, *joined([b"a" * 30, b"b", b"c", b"d", b"e"]), 1)
    other = made()
    learn(other, *joined([bytes([97 + k]) for k in range(20)]), 1)
    for known in (made(slots=8), made(nodes=1)):
        with pytest.raises(RuntimeError, match="room"):
            absorb(known, other)
    with pytest.raises(RuntimeError, match="room"):
        rehash(other, made(slots=16))


@pytest.mark.parametrize("sizes", [{"slots": 12}, {"slots": 0}])
def test_slots_are_a_power_of_two(sizes):
    with pytest.raises(ValueError, match="power of two"):
        made(**sizes)


def test_arrays_that_do_not_match_are_errors():
    known = made()
    learn(known, *joined([b"so it goes"]), 3)
    for nodes in ([known.size], [-1], [10**6]):
        with pytest.raises(ValueError, match="out of range"):
            written(known, np.array(nodes, dtype=np.int32))
    data, _ = joined([b"ab"])
    for ends in ([3], [2, 1], [-1]):
        with pytest.raises(ValueError, match="out of range"):
            learn(known, data, np.array(ends), 1)
    for ends in ([1, 1], [5], [-1]):
        with pytest.raises(ValueError, match="out of range"):
            alphabetical(np.full(3, 97, dtype=np.uint8), np.array(ends))


def test_a_damaged_table_does_not_crash_or_hang():
    rng = np.random.default_rng(3)
    for full, _ in itertools.product((False, True), range(40)):
        slots = rng.integers(1 if full else 0, 2**63, 64).astype(np.uint64)
        rows = np.frombuffer(rng.bytes(32 * 32), dtype=record("Node")).copy()
        known = vocabulary(slots, rows, rng.integers(0, 2**63, 32).astype(np.uint64), 16, 16)
        nodes = np.arange(16, dtype=np.int32)
        for act in (
            lambda known=known: learn(known, *joined([b"a", b"b c", b"d" * 20]), 2),
            lambda known=known, nodes=nodes: written(known, nodes),
            lambda known=known: absorb(made(), known),
        ):
            with contextlib.suppress(ValueError, RuntimeError, MemoryError):
                act()
