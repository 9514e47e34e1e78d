"""The tokenizer in C equals `re` and `Counter`, and is the same in both libraries; no input makes it fail."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twins import tokenizer as twin

from termburst.core.binding import record
from termburst.core.matrix_rows import piece, write_rows
from termburst.core.tokenizer import (
    DONE,
    LONGEST,
    MORE_CELLS,
    MORE_NODES,
    MORE_POOL,
    cells,
    count,
    rules,
    text_room,
    texts,
)
from termburst.core.vocabulary import vocabulary
from termburst.counting import tokenizer
from termburst.counting.character_class import character_class
from termburst.counting.tokenizer import Tokenizer
from termburst.counting.unicode_words import UnicodeWords

PATTERNS = [r"\w\w+", r"\w+", r"[^\W\d_]{2,}", r"\b[a-z]+\b", r"\b[A-Z0-9_]{2,}\b", r"[^\s]+", r"[é-ü]+", r"\w{4,}"]
ODD = "ab z_9A-Z\0\t\x7f\x80éßΣ\u0301\u200d\u2028\ud800\udfff日𝔘🙂\U0010ffff"
WORDS = [
    "the",
    "x",
    "ABC",
    "été",
    "a" * 8,
    "a" * 9,
    "b" * 16,
    "b" * 17,
    "c" * 63,
    "d" * 64,
    "é" * 40,
    "-",
    "\0",
    "日本",
]
relaxed = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
odd_texts = st.lists(
    st.one_of(
        st.text(alphabet=ODD, max_size=150),
        st.text(max_size=80),
        st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join),
        st.lists(st.sampled_from(WORDS), max_size=40).map("".join),
    ),
    max_size=8,
)


def counted(pattern, batches, **options):
    made = Tokenizer(character_class(pattern), lowercase=False, **options)
    return made.matrix(list(made.count(batches)))


def rows_of(X):
    return [
        list(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True))
        for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)
    ]


# ---- against re and Counter


@pytest.mark.slow
@relaxed
@given(odd_texts, st.sampled_from(PATTERNS), st.sampled_from([(1, 1), (1, 2), (2, 4), (3, 3), (1, 10**12)]))
def test_counts_equal_re_and_counter(on_both, documents, pattern, ngrams):
    stop_words = ["the", "été"]
    columns, rows = twin.matrix([twin.terms(text, pattern, ngrams, stop_words) for text in documents])
    results = on_both(lambda: counted(pattern, [documents], ngrams=ngrams, stop_words=stop_words))
    for terms, X in results:
        assert terms == columns
        assert list(terms) == list(columns)
        assert rows_of(X) == rows


@pytest.mark.slow
@relaxed
@given(odd_texts, st.sampled_from(PATTERNS))
def test_a_given_vocabulary_is_used(on_both, documents, pattern):
    vocabulary = {"the": 2, "x ABC": 0, "b" * 17: 1, "no such": 3, "a  b": 4}
    found = [twin.terms(text, pattern, (1, 2)) for text in documents]
    expected = [sorted((vocabulary[term], n) for term, n in row.items() if term in vocabulary) for row in found]
    for _, X in on_both(lambda: counted(pattern, [documents], ngrams=(1, 2), vocabulary=vocabulary)):
        assert rows_of(X) == expected


# ---- words as Unicode sees them

JOINED = "ab1२é'’.,:;_·\u0301\u093e\u094d\u200c\u200d\u200b\u200f\u202f\u060c\u05f4אकمा日ไ²𝔘\U000e0100\ud800 "
JOINED_WORDS = [
    "don't",
    "l’homme",
    "3,141.5",
    "मानव",
    "a_1",
    "_a_",
    "x\u0301'y",
    "1\u0301.5",
    "क\u200d\u094dय",
    "the",
    "é",
]
joined_texts = st.lists(
    st.one_of(
        st.text(alphabet=JOINED, max_size=150),
        st.text(max_size=80),
        st.lists(st.sampled_from(JOINED_WORDS), max_size=40).map(" ".join),
        st.lists(st.sampled_from(JOINED_WORDS), max_size=40).map("".join),
    ),
    max_size=8,
)


def unicode_counted(documents, apostrophes="keep", **options):
    made = Tokenizer(UnicodeWords(apostrophes), lowercase=False, **options)
    return made.matrix(list(made.count([documents])))


@pytest.mark.slow
@relaxed
@given(joined_texts, st.sampled_from(["keep", "split"]), st.sampled_from([(1, 1), (1, 3), (2, 2)]), st.booleans())
def test_unicode_words_equal_their_twin(on_both, documents, apostrophes, ngrams, barriers):
    stop_words = ["the", "é"]
    found = [twin.words(text, apostrophes) for text in documents]
    assert [UnicodeWords(apostrophes).find(text) for text in documents] == found
    if not barriers:
        found = [[word for word in words if word not in stop_words] for words in found]
    columns, rows = twin.matrix([twin.terms_between(words, ngrams, stop_words) for words in found])
    options = {"ngrams": ngrams, "stop_words": stop_words, "barriers": barriers}
    for terms, X in on_both(lambda: unicode_counted(documents, apostrophes, **options)):
        assert list(terms) == list(columns)
        assert rows_of(X) == rows


@pytest.mark.parametrize("size", [0, 1, 7, 31, 32, 61, 62, 63, 64, 65, 66, 127, 128, 129])
def test_joiners_at_the_edge_of_a_block(on_both, size):
    documents = [
        "a" * size + rest for rest in ("'b", "'", "''b", ".5", "_5", "é'é", "’b", "\u0301'b", "\u200db", ",5,5")
    ]
    documents += ["1" * size + rest for rest in (",5", ".a", "'5", "\u202f5", ",")]
    columns, rows = twin.matrix([twin.terms_between(twin.words(text), (1, 1), ()) for text in documents])
    for terms, X in on_both(lambda: unicode_counted(documents)):
        assert list(terms) == list(columns)
        assert rows_of(X) == rows


@pytest.mark.slow
@relaxed
@given(odd_texts, st.sampled_from([(1, 2), (2, 4), (3, 3), (1, 10**12)]))
def test_n_grams_do_not_reach_over_barriers(on_both, documents, ngrams):
    stop_words = ["the", "été", "x"]
    found = [twin.tokens(text, r"\w+") for text in documents]
    columns, rows = twin.matrix([twin.terms_between(tokens, ngrams, stop_words) for tokens in found])
    options = {"ngrams": ngrams, "stop_words": stop_words, "barriers": True}
    for terms, X in on_both(lambda: counted(r"\w+", [documents], **options)):
        assert list(terms) == list(columns)
        assert rows_of(X) == rows


# ---- edges


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129])
def test_documents_and_tokens_that_end_at_the_edge_of_a_block(on_both, size):
    documents = [
        "a" * size,
        "a" * size + " ",
        " " * size + "bb",
        "é" * size,
        "x " * size,
        "日" * size + "a",
        "\0" * size,
    ]
    for pattern in PATTERNS:
        columns, rows = twin.matrix([twin.terms(text, pattern) for text in documents])
        for terms, X in on_both(lambda pattern=pattern: counted(pattern, [documents])):
            assert terms == columns
            assert rows_of(X) == rows


@pytest.mark.parametrize("shortest", [2, 5, 10**9, 10**30])
def test_a_minimum_length_beyond_all_tokens(shortest):
    text = "a bb ééééé cccccc 日日"
    pattern = rf"\w{{{shortest},}}"
    least = min(shortest, 1000)  # `re` allows no more
    assert list(counted(pattern, [[text]])[0]) == sorted(re.findall(rf"\w{{{least},}}", text))


# ---- the kernel alone


def kernel(data, ends, pattern=r"\w\w+", ngrams=(1, 1), room=(2**12, 2**10, 2**10, 2**12), lowercase=True):
    """Status and all output, from bytes that need not be UTF-8."""
    slots, nodes, pool, size = room
    klass = pattern if isinstance(pattern, UnicodeWords) else character_class(pattern)
    rows = np.zeros(nodes, dtype=record("Node"))
    known = vocabulary(np.zeros(slots, dtype=np.uint64), rows, np.zeros(pool, dtype=np.uint64))
    ids, numbers = np.zeros((2, size), dtype=np.int32)
    indptr = np.zeros(len(ends) + 1, dtype=np.int64)
    found = cells(ids, numbers, indptr)
    wanted = rules(
        klass.kinds, klass.wide, lowercase=lowercase, bounded=klass.bounded, shortest=klass.shortest, ngrams=ngrams,
        left_out=0, growing=True,
    )  # fmt: skip
    ends = np.array(ends, dtype=np.int64)
    longest = int(np.diff(ends, prepend=0).max(initial=0))
    status = count(texts(data, ends, 0), wanted, known, found, text_room(max(longest, 0), runs=ngrams[1] > 1))
    return status, found.size, found.documents, ids.tolist(), numbers.tolist(), indptr.tolist(), rows.tobytes()


@pytest.mark.slow
@relaxed
@given(
    st.lists(st.binary(max_size=200), max_size=5),
    st.sampled_from([*PATTERNS, UnicodeWords()]),
    st.sampled_from([(1, 1), (1, 3)]),
)
def test_invalid_utf_8_is_counted_equally_by_both_libraries(on_both, parts, pattern, ngrams):
    data = np.frombuffer(b"".join(parts), dtype=np.uint8)
    ends = np.cumsum([len(part) for part in parts])
    results = on_both(lambda: kernel(data, ends, pattern, ngrams))
    assert all(result == results[0] for result in results)
    assert results[0][0] == DONE


@pytest.mark.parametrize(
    "last", [b"\xc3", b"\xe2\x80", b"\xf0\x9f\x99", b"\xf4", b"\xff", b"\x80", b"\xc0\xaf", b"\xf7\xbf\xbf\xbf"]
)
def test_an_incomplete_last_character_is_in_no_token(on_both, last):
    data = np.frombuffer(b"ab cd" + last, dtype=np.uint8)
    for status, size, *_ in on_both(lambda: kernel(data, [data.size])):
        assert (status, size) == (DONE, 2)


@pytest.mark.parametrize(
    ("room", "lacking"),
    [
        ((64, 8, 9, 99), MORE_NODES),
        ((16, 64, 9, 99), MORE_NODES),
        ((256, 99, 0, 99), MORE_POOL),
        ((256, 99, 9, 3), MORE_CELLS),
    ],
)
def test_missing_space_is_reported_and_no_document_is_half_counted(on_both, room, lacking):
    data = np.frombuffer(b"some words here of which one has very-very-many-letters", dtype=np.uint8)
    for status, size, documents, *_ in on_both(lambda: kernel(data, [data.size], room=room)):
        assert (status, size, documents) == (lacking, 0, 0)


def test_growing_does_not_change_the_counts(monkeypatch):
    rng = np.random.default_rng(5)
    documents = [" ".join(f"w{'x' * int(k % 30)}{k}" for k in rng.integers(0, 3000, 400)) for _ in range(20)]
    usual = counted(r"\w+", [documents], ngrams=(1, 2))
    start = tokenizer.Worker.__init__

    def small(self, owner, like=None):
        start(self, owner, like)
        if like is None:
            self.slots, self.pool = np.zeros(4, dtype=np.uint64), np.zeros(1, dtype=np.uint64)
            self.rows = np.zeros(2, dtype=record("Node"))
            self.known = vocabulary(self.slots, self.rows, self.pool)

    monkeypatch.setattr(tokenizer.Worker, "__init__", small)
    terms, X = counted(r"\w+", [[text] for text in documents], ngrams=(1, 2))
    assert terms == usual[0]
    assert (usual[1] != X).nnz == 0


@pytest.mark.parametrize("ends", [[3], [2, 1], [-1], [1, 5]])
def test_documents_outside_the_data_are_errors(ends):
    with pytest.raises(ValueError, match="out of range"):
        kernel(np.full(2, 97, dtype=np.uint8), ends)


def test_input_that_is_too_large_gives_one_sentence(monkeypatch):
    with pytest.raises(ValueError, match="a document of more than 2,147,483,391 bytes cannot be counted"):
        text_room(LONGEST + 1, runs=False)
    monkeypatch.setattr(tokenizer, "MOST_CELLS", 1030)
    with pytest.raises(ValueError, match="more than 1,030 n-grams"):
        counted(r"\w+", [["a b c d e f g " * 10]], ngrams=(1, 50))
    monkeypatch.setattr(tokenizer, "MOST_NODES", 40)
    with pytest.raises(ValueError, match="more than 40 terms cannot be counted at once"):
        Tokenizer(character_class(r"\w+"), vocabulary={f"w{k}": k for k in range(50)})


def test_document_numbers_restart_before_they_overflow():
    made = Tokenizer(character_class(r"\w+"))
    pieces = list(made.count([["so it goes", "so so"]]))
    for worker in made.workers:
        worker.documents = 2**32 - 2
    pieces += made.count([["it is so", "so it is"], ["it"]])
    terms, X = made.matrix(pieces)
    assert all(worker.documents < 9 or worker.documents == 2**32 - 2 for worker in made.workers)
    assert list(terms) == ["goes", "is", "it", "so"]
    assert X.toarray().tolist() == [[1, 0, 1, 1], [0, 0, 0, 2], [0, 1, 1, 1], [0, 1, 1, 1], [0, 0, 1, 0]]


# ---- rows


@pytest.mark.slow
@relaxed
@given(st.integers(0, 2**32), st.sampled_from([1, 30, 600, 3000]), st.sampled_from([np.int32, np.int64]))
def test_rows_are_sorted_like_scipy(on_both, seed, width, dtype):
    rng = np.random.default_rng(seed)
    X = sp.random_array((12, width), density=rng.random(), format="csr", rng=rng)
    X.data = rng.integers(1, 2**31 - 1, X.nnz)
    columns = rng.permutation(width).astype(np.int32)
    columns[rng.random(width) < 0.2] = -1
    expected = X.tocoo()
    kept = columns[expected.col] >= 0
    expected = sp.csr_array((expected.data[kept], (expected.row[kept], columns[expected.col[kept]])), shape=(12, width))
    expected.sort_indices()
    indptr = X.indptr.astype(np.int64)
    parts = [
        (X.indices[a:b].astype(np.int32), X.data[a:b].astype(np.int32), indptr[k : k + 5] - a)
        for k in (0, 4, 8)
        for a, b in [(indptr[k], indptr[k + 4])]
    ]

    def outcome():
        indices, data = np.empty(expected.nnz, dtype=dtype), np.empty(expected.nnz, dtype=np.int64)
        starts = expected.indptr[:-1].astype(np.int64)
        pieces = [piece(*part, starts[4 * k : 4 * k + 4], columns) for k, part in enumerate(parts)]
        write_rows(pieces, width, int(np.diff(indptr).max(initial=0)), indices, data)
        return indices, data

    for indices, data in on_both(outcome):
        np.testing.assert_array_equal(indices, expected.indices)
        np.testing.assert_array_equal(data, expected.data)


def test_cells_outside_the_matrix_are_errors():
    ids, numbers, starts = np.array([0, 1], dtype=np.int32), np.ones(2, dtype=np.int32), np.zeros(1, dtype=np.int64)
    indptr, columns = np.array([0, 2]), np.array([0, 1], dtype=np.int32)

    def written(ids=ids, indptr=indptr, columns=columns, starts=starts, room=2, longest=2, width=2):
        indices, data = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int64)
        write_rows([piece(ids, numbers, indptr, starts, columns)], width, longest, indices, data)
        return indices.tolist()

    assert written() == [0, 1]
    for wrong in (
        {"ids": np.array([0, 2], dtype=np.int32)},
        {"ids": np.array([-1, 0], dtype=np.int32)},
        {"indptr": np.array([0, 3])},
        {"indptr": np.array([-1, 2])},
        {"longest": 1},
        {"columns": np.array([0, 5], dtype=np.int32)},
    ):
        with pytest.raises(ValueError, match="out of range"):
            written(**wrong)
    for wrong in ({"room": 1}, {"starts": np.array([1])}, {"starts": np.array([-1])}, {"starts": np.array([2**62])}):
        with pytest.raises(RuntimeError, match="room"):
            written(**wrong)
