"""In how many documents the second word of a pair comes later than the first (pair_order.c)."""

from __future__ import annotations

from typing import NewType

import numpy as np

from termburst.core.binding import Integers, Numbers, Struct, call, require, struct

TermPlaces = NewType("TermPlaces", Struct)


def term_places(tokens: Numbers, ends: Integers, terms: int) -> TermPlaces:
    """The places of the tokens of each term, as a struct for kernels."""
    lengths = np.diff(ends, prepend=0)
    require(int(lengths.sum()) == tokens.size, "the documents must have all tokens")
    places = np.argsort(tokens, kind="stable").astype(np.int64)
    term_of = np.append(0, np.cumsum(np.bincount(tokens, minlength=terms))).astype(np.int64)
    document_of = np.repeat(np.arange(ends.size, dtype=np.int32), lengths)
    return struct(TermPlaces, locals(), term_count=terms)


def count_orders(
    places: TermPlaces, pairs: tuple[Numbers, Numbers], span: tuple[int, int], later: Integers, earlier: Integers
) -> None:
    """Fill *later* and *earlier* for the pairs of *span*."""
    one, other = pairs
    require(one.size == other.size == later.size == earlier.size, "each pair must have its two words and two results")
    require(0 <= span[0] <= span[1] <= one.size, "the pairs are out of range")
    out = struct("PairOrder", one=one, other=other, first=span[0], last=span[1], later=later, earlier=earlier)
    call("tb_pair_order", places, out)
