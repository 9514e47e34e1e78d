"""Which words stand before the first occurrence of another more often than by chance (urn_screen.c)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

import numpy as np
from numpy.typing import NDArray

from termburst.core.binding import Floats, Integers, Numbers, Struct, call, require, struct

FirstPlaces = NewType("FirstPlaces", Struct)


@dataclass(frozen=True, eq=False)
class Screened:
    """The best sources of each target; arrays have the shape (targets, most).

    Attributes
    ----------
    targets : the terms
    sources : terms, −1 for none
    ratio : the likelihood ratio of `shared` as a Poisson number, 2 (D log(D/e) − (D − e))
    shared : D, the documents where the source stands before the first occurrence of the target
    expected : e, the mean of D if the source does not matter
    """

    targets: Numbers
    sources: Numbers
    ratio: Floats
    shared: Floats
    expected: Floats

    @classmethod
    def empty(cls, targets: Numbers, most: int) -> Screened:
        """Room for the results."""
        shape = (targets.size, most)
        return cls(targets, np.full(shape, -1, dtype=np.int32), *(np.zeros(shape) for _ in range(3)))


def first_places(
    document_of: Integers, terms: Numbers, after: Floats, by_term: tuple[Integers, Numbers, Integers]
) -> FirstPlaces:
    """The first occurrences, as a struct for kernels; *by_term* is (term_of, document, cell)."""
    term_of, document, cell = by_term
    require(terms.size == after.size == document.size == cell.size, "the lists of first places must have one size")
    return struct(FirstPlaces, locals(), documents=document_of.size - 1, term_count=term_of.size - 1)


def screen(
    places: FirstPlaces,
    span: tuple[int, int],
    out: Screened,
    null: tuple[Floats, Floats],
    eligible: NDArray[np.uint8],
    *,
    least_documents: int,
    least_ratio: float,
) -> None:
    """Fill the targets of *span* in *out*; *null* is α and the exposure to each term since its first occurrence."""
    alpha, presence = null
    m = places.term_count
    require(alpha.size == presence.size == eligible.size == m, "each term must have α, an exposure and a mark")
    require(0 <= span[0] <= span[1] <= out.targets.size, "the targets are out of range")
    (first, last), most = span, out.sources.shape[1]
    room = struct("ScreenRoom", count=np.zeros(m), overlap=np.zeros(m), touched=np.zeros(m, dtype=np.int32))
    call("tb_urn_screen", places, struct("UrnScreen", vars(out) | locals()), room)
