"""Inconsistent matrices and frames, passed in Python, give a ValueError, never a crash."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attacks import Attack, Kind, by_kind, fine, refused

DENSE = "np.array([[2, 1, 0, 0], [0, 3, 1, 0], [1, 0, 0, 2], [0, 0, 4, 1]])"
POINTS_OUTSIDE = "damaged|outside|index|indices|out of|bounds|point|negative|matrix"
SPOILT = {  # for each format: how to damage X, a valid 4 × 4 matrix
    "csr": {
        "index out of range": "X.indices[0] = 99",
        "negative index": "X.indices[0] = -1",
        "index of 2^31 - 1": "X.indices[-1] = 2**31 - 1",
        "pointers that decrease": "X.indptr[1] = 7; X.indptr[2] = 1",
        "pointers past the end": "X.indptr[-1] = 10**6",
        "a negative pointer": "X.indptr[1] = -5",
        "a first pointer that is not 0": "X.indptr[0] = 3",
        "too few pointers": "X.indptr = X.indptr[:2]",
        "too few numbers": "X.data = X.data[:1]",
        "a shape it does not have": "X._shape = (4000, 4)",
        "a width it does not have": "X._shape = (4, 1)",
    },
    "coo": {
        "row out of range": "X.row[0] = 99",
        "column out of range": "X.col[0] = 99",
        "negative row": "X.row[0] = -1",
        "too few numbers": "X.data = X.data[:1]",
        "a width it does not have": "X._shape = (4, 1)",
    },
}
SPOILT["csc"] = {name: SPOILT["csr"][name] for name in ("index out of range", "pointers past the end")}
TAKERS = (
    "tb.TermStatistics.from_counts(X, detail='patterns')",
    "tb.burstiness_test(X)",
    "tb.TermWeighting().fit_transform(X)",
    "tb.keyness(X, X)",
    "tb.fit_dirichlet_multinomial(X)",
    "tb.fit_beta_binomial(X)",
    "tb.plr_contributions(X)",
)
BEGIN = f"import warnings; warnings.simplefilter('ignore'); D = {DENSE}; X = "
VALUES = {
    "a negative count": "[[1, -2], [3, 4]]",
    "a fraction": "[[1.5, 2.0], [3.0, 4.0]]",
    "NaN": "[[float('nan'), 1.0], [2.0, 3.0]]",
    "2^63 as unsigned": "np.array([[2**63, 1], [1, 1]], dtype=np.uint64)",
    "sums beyond 64 bits": "np.full((4, 4), 2**61)",
    "complex numbers": "np.array([[1j, 2], [3, 4]])",
    "text": "np.array([['a', 'b'], ['c', 'd']])",
    "one dimension": "[1, 2, 3]",
    "ragged rows": "[[1, 2], [3]]",
    "masked cells": "np.ma.masked_array([[1, 2], [3, 4]], mask=[[1, 0], [0, 0]])",
    "a text": "'so it goes'",
    "a sparse vector": "sp.coo_array(np.array([1, 2, 3]))",
}
FRAME = "pl.DataFrame({'term': ['ha', 'ha', 'so'], 'count': %s, 'length': %s, 'documents': %s})"
PATTERNS = {
    "a negative length": ("[1, 2, 1]", "[-5, 3, 3]", "[1, 1, 1]"),
    "a negative count": ("[-1, 2, 1]", "[3, 3, 3]", "[1, 1, 1]"),
    "a count beyond its length": ("[9, 2, 1]", "[3, 3, 3]", "[1, 1, 1]"),
    "a count of 2^40": ("[2**40, 2, 1]", "[2**41, 3, 3]", "[1, 1, 1]"),
    "2^60 documents": ("[1, 2, 1]", "[3, 3, 3]", "[2**60, 1, 1]"),
    "a negative number of documents": ("[1, 2, 1]", "[3, 3, 3]", "[-1, 1, 1]"),
    "nulls": ("[None, 2, 1]", "[3, None, 3]", "[1, 1, None]"),
}
LABELS = {
    "too few labels": "['a', 'b']",
    "labels of NaN": "[float('nan'), 1.0, 2.0, 2.0]",
    "one label": "['a', 'a', 'a', 'a']",
    "no labels": "[]",
    "labels of lists": "[['a'], ['b'], ['c'], ['d']]",
}


def _formats() -> list[Attack]:
    rows, taker = [], 0
    for format, ways in SPOILT.items():
        for name, done in ways.items():
            kind = ("matrix", "array")[taker % 2]
            made = f"sp.csr_{kind}(D).asformat({format!r})"
            run = f"{BEGIN}{made}\n{done}\n{TAKERS[taker % len(TAKERS)]}"
            rows.append(refused(f"{format}, {name}", run, POINTS_OUTSIDE))
            taker += 1
    return rows


ATTACKS = [
    *_formats(),
    *(
        refused(f"counts with {name}", f"X = {made}\n{TAKERS[i % 2]}", "")
        for i, (name, made) in enumerate(VALUES.items())
    ),
    *(
        refused(f"patterns with {name}", f"tb.scan({FRAME % columns}).statistics", "")
        for name, columns in PATTERNS.items()
    ),
    *(
        refused(f"groups by {name}", f"tb.keyness({DENSE}, by={made}, min_count=1)", "")
        for name, made in LABELS.items()
    ),
    fine(
        "csr that wrongly claims to be sorted",
        f"{BEGIN}sp.csr_matrix(([1, 2, 3], [3, 0, 0], [0, 3, 3, 3, 3]), shape=(4, 4))\n"
        "X.has_sorted_indices = True; X.has_canonical_format = True\n"
        "assert tb.TermStatistics.from_counts(X).collection_frequency.tolist() == [5, 0, 0, 1]",
    ),
    refused("too few terms", f"tb.burstiness_test({DENSE}, terms=['a'])", "terms"),
    refused(
        "terms with half a character",
        f"tb.term_table(tb.TermStatistics.from_counts({DENSE}, ['a', 'b', 'c', '\\ud800']))",
        "surrogate",
    ),
    refused("a matrix of 2^31 columns", "tb.TermStatistics.from_counts(sp.csr_matrix((2, 2**31), dtype=int))", "terms"),
    refused("a query for -1 documents", "tb.retrieval.Index.from_texts(['ha ha', 'so']).search('ha', k=-1)", ""),
    refused("an unknown model", "tb.retrieval.Index.from_texts(['ha ha', 'so']).search('ha', model='evil')", "evil"),
    refused("an unknown scheme", f"tb.TermWeighting('__import__').fit({DENSE})", "__import__"),
    refused("a list in place of a frame", "tb.scan([1, 2, 3])", "frame"),
    refused("a frame without columns", "tb.scan(pl.DataFrame())", "column"),
]


@pytest.mark.parametrize("attack", by_kind(ATTACKS), ids=str)
def test_a_matrix_or_a_frame(attack: Kind, attacked: Callable[[Kind], None]) -> None:
    attacked(attack)
