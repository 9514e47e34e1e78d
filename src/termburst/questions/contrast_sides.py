"""How often a term occurs on each side of a contrast: what was counted, beside what was estimated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.inference.designs import Contrast
from termburst.models.cells import TermCells
from termburst.questions.compared import MILLION
from termburst.questions.formulas import Design

Tally = tuple[NDArray[np.int64], NDArray[np.int64], int]  # occurrences, documents with the term, tokens
_COLUMNS = ("n_a", "n_b", "b_a", "b_b", "per_million_a", "per_million_b")


def side_columns(
    design: Design, contrasts: Sequence[Contrast], terms: int, tally: Callable[[NDArray[np.bool_]], Tally]
) -> list[dict[str, pl.Series]]:
    """The columns n_a, n_b, b_a, b_b, per_million_a and per_million_b of each contrast.

    They are null for a contrast that does not compare two values of a category. *tally* counts the documents, or the
    rows of covariates, that a mask selects.
    """
    known: dict[tuple[str, Any], Tally] = {}

    def counted(name: str, level: Any) -> Tally:
        if (name, level) not in known:
            known[name, level] = tally((design.levels[name] == level).to_numpy())
        return known[name, level]

    found = []
    for contrast in contrasts:
        values: list[Any] = [[None] * terms] * len(_COLUMNS)
        if contrast.sides is not None:
            name, *levels = contrast.sides
            (n_a, b_a, tokens_a), (n_b, b_b, tokens_b) = (counted(name, level) for level in levels)
            values = [n_a, n_b, b_a, b_b, MILLION * n_a / tokens_a, MILLION * n_b / tokens_b]
        columns = zip(_COLUMNS, values, strict=True)
        found.append({
            name: pl.Series(name, value, pl.Float64 if "million" in name else pl.Int64) for name, value in columns
        })  # fmt: skip
    return found


def tally_of_documents(counts: Any, selected: NDArray[np.bool_]) -> Tally:
    """The tally of some rows of a count matrix.

    >>> from scipy.sparse import csr_array
    >>> n, b, tokens = tally_of_documents(csr_array([[1, 2], [3, 0], [9, 9]]), np.array([True, True, False]))
    >>> n.tolist(), b.tolist(), tokens
    ([4, 2], [2, 1], 6)
    """
    part = counts[np.flatnonzero(selected)]
    n, b = (np.asarray(one.sum(axis=0)).ravel().astype(np.int64) for one in (part, part > 0))
    return n, b, int(n.sum())


def tally_of_cells(parts: Sequence[TermCells], selected: NDArray[np.bool_]) -> Tally:
    """The tally of some of the parts of a collection, which have the same terms."""
    some = [part for part, wanted in zip(parts, selected.tolist(), strict=True) if wanted]
    n, b = (np.sum([getattr(part, name) for part in some], axis=0).astype(np.int64) for name in ("n_i", "b_i"))
    return n, b, sum(part.tokens for part in some)
