"""Count matrices in one canonical form, from any sparse or dense form, and how often equal rows of integers occur.

The caller's matrix is never changed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core.matrix import (
    CountBlock,
    add_totals,
    count_block,
    has_repeats,
    put_by_term,
    row_sums,
    survey,
)
from termburst.limits import require_memory
from termburst.threads import cores, in_threads

Integers = NDArray[np.int64]

BLOCK = 2**16  # cells per thread, at least
MANY = 2**24  # with more terms or documents, memory is checked first
BYTES = 24  # memory for the sums of one term or one document, even if it is empty
CHECKED = ("csr", "csc", "coo")  # sparse formats whose index arrays SciPy does not check
PARTS = 4  # parts per core: rows differ in length, and cores may be busy with other work


class NotNumbersError(ValueError, TypeError):
    """Objects instead of counts: a ValueError like all bad input, a TypeError for the checks of scikit-learn."""


TOO_MANY = "the count matrix has too many tokens for 64-bit integers"


def canonical_counts(X: Any) -> Any:
    """Counts n_ij as CSR without duplicate cells, without stored zeros, with integer data.

    The order of the cells within a row is kept: `CountVectorizer` leaves it unsorted, nothing here depends on it, and
    sorting would take longer than the whole weighting.

    Parameters
    ----------
    X : sparse matrix or array, anything that `numpy.asarray` makes two-dimensional, or a `Corpus`
        Documents × terms. Duplicate entries of a sparse matrix are summed, as in SciPy.

    Returns
    -------
    csr_array or csr_matrix
        A `csr_array` if *X* is a sparse array, otherwise a `csr_matrix`. It may share memory with *X*; *X* itself is
        never changed.

    Raises
    ------
    ValueError
        For a negative, fractional, NaN or infinite entry, with its row and column.

    Examples
    --------
    >>> import numpy as np
    >>> canonical_counts(np.array([[2.0, 0.0], [0.0, 1.0]])).data
    array([2, 1])
    """
    held = counted_corpus(X)
    X = X if held is None else held.counts
    if _is_canonical(X):
        return X
    counts = _to_csr(X)
    if not counts.has_canonical_format and has_duplicates(counts):
        counts = counts.copy()
        counts.sum_duplicates()
    whole = _whole_numbers(counts)
    if whole is not counts.data:
        counts = type(counts)((whole, counts.indices, counts.indptr), shape=counts.shape)
    if counts.nnz and counts.data.min() == 0:
        counts = counts.copy()
        counts.eliminate_zeros()
    if counts.nnz and float(counts.data.max()) * counts.nnz >= 2**62 and counts.data.sum(dtype=np.float64) >= 2**62:
        raise ValueError(TOO_MANY)
    return counts


def counted_corpus(X: Any) -> Any:
    """The counted corpus behind *X*, which has `counts` and `terms`; None if there is none.

    A class offers it by the method ``__counted_corpus__``. So every function that takes counts also takes a `Corpus`,
    and arithmetic need not know that class.

    Examples
    --------
    >>> counted_corpus([[2, 0], [0, 1]]) is None
    True
    """
    offer = getattr(type(X), "__counted_corpus__", None)
    return None if offer is None else offer(X)


def refuse_texts(X: Any, taker: str) -> None:
    """Raise ValueError for texts or masked cells instead of counts; *taker* is the name of the caller.

    Examples
    --------
    >>> refuse_texts([[2, 0], [0, 1]], "TermWeighting")
    """
    rows = isinstance(X, Iterable) and isinstance(X, Sized) and getattr(X, "ndim", 1) == 1 and len(X) > 0
    if isinstance(X, str) or (rows and isinstance(next(iter(X)), str)):
        raise ValueError(
            f"{taker} takes counts, not texts: count the texts first with CountVectorizer().fit_transform(texts)"
        )
    _refuse_masked(X)


def _refuse_masked(X: Any) -> None:
    """Raise ValueError for masked cells: NumPy and scikit-learn would use the values under the mask as counts."""
    if np.ma.is_masked(X):
        raise ValueError("the count matrix has masked cells; fill them first, for example with 0")


def document_lengths(counts: Any) -> NDArray[np.int64]:
    """n_j, the row sums of canonical counts, always as 64-bit integers."""
    return np.concatenate([row_sums(block) for block in _blocks(counts)])


def over_rows(counts: Any, function: Callable[[CountBlock, slice, slice], None]) -> None:
    """Call *function*(block, rows, cells) for blocks of rows of an integer CSR matrix, on all cores.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> seen = []
    >>> over_rows(sp.csr_array([[2, 1], [0, 3]]), lambda block, rows, cells: seen.append((rows, cells)))
    >>> seen
    [(slice(0, 2, None), slice(0, 3, None))]
    """
    parts = _parts(counts, min(PARTS * cores(), counts.nnz // BLOCK))
    if len(parts) == 1:
        function(_block(counts, *parts[0]), *parts[0])
    else:
        in_threads(lambda part: function(_block(counts, *part), *part), parts)


def _parts(counts: Any, number: int) -> list[tuple[slice, slice]]:
    """Rows, and their cells, in about *number* parts with about the same number of cells."""
    starts, last = counts.indptr, counts.shape[0]
    inner = np.searchsorted(starts, np.linspace(0, counts.nnz, max(number, 1) + 1)[1:-1]).tolist()
    rows = [slice(a, b) for a, b in pairwise([0, *inner, last]) if a < b] or [slice(0, last)]
    return [(part, slice(int(starts[part.start]), int(starts[part.stop]))) for part in rows]


def _blocks(counts: Any) -> Iterator[CountBlock]:
    """All rows, for kernels that are as fast as memory: in one block, or in several if they must be copied."""
    ready = counts.indices.dtype == np.int32 and counts.data.dtype == np.int64
    for part in _parts(counts, 1 if ready else counts.nnz // BLOCK):
        yield _block(counts, *part)


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums of canonical counts: n_j per document; n_i, b_i and, on request, Σ_j n_ij n_j per term."""

    n_j: Integers
    n_i: Integers
    b_i: Integers
    length_sum: Integers | None


def totals(counts: Any, *, length_sums: bool) -> Totals:
    """All sums over documents and over terms, in one pass.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> totals(sp.csr_array([[2, 1], [0, 3]]), length_sums=True)
    Totals(n_j=array([3, 3]), n_i=array([2, 4]), b_i=array([1, 2]), length_sum=array([ 6, 12]))
    """
    n_i, b_i, length_sum = (np.zeros(counts.shape[1], dtype=np.int64) for _ in range(3))
    wanted = length_sum if length_sums else None
    n_j = [add_totals(block, n_i, b_i, wanted) for block in _blocks(counts)]
    return Totals(np.concatenate(n_j), n_i, b_i, wanted)


def by_term(counts: Any, b_i: Integers) -> tuple[Integers, NDArray[np.int32], NDArray[np.int32]]:
    """The cells of canonical counts by term: the bounds of each term's cells, their counts, their documents' lengths.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> by_term(sp.csr_array([[2, 1], [0, 3]]), np.array([1, 2]))
    (array([0, 1, 3]), array([2, 1, 3], dtype=int32), array([3, 3, 3], dtype=int32))
    """
    indptr = np.concatenate([[0], np.cumsum(b_i)])
    count, length = np.empty(counts.nnz, dtype=np.int32), np.empty(counts.nnz, dtype=np.int32)
    places = indptr[:-1].copy()
    for block in _blocks(counts):
        put_by_term(block, places, count, length)
    return indptr, count, length


def _block(counts: Any, rows: slice, cells: slice) -> CountBlock:
    """One block for the kernels: 32-bit terms, 64-bit counts and bounds. Other types are copied, block by block."""
    if counts.dtype.kind not in "biu":
        raise TypeError(f"canonical counts must be integers; got {counts.dtype}")
    starts = counts.indptr[rows.start : rows.stop + 1].astype(np.int64)
    term, count = np.ascontiguousarray(counts.indices[cells]), np.ascontiguousarray(counts.data[cells])
    if counts.shape[1] >= 2**31:
        raise ValueError(f"a count matrix may have up to {2**31 - 1:,} terms; this one has {counts.shape[1]:,}")
    if term.dtype != np.int32:  # an index beyond 32 bits must stay invalid, not wrap to another term
        term = np.where((term >= 0) & (term < counts.shape[1]), term, -1)
    return count_block(
        starts - starts[:1], term.astype(np.int32, copy=False), count.astype(np.int64, copy=False), counts.shape[1]
    )


def _is_canonical(X: Any) -> bool:
    """Whether these are canonical counts already, in one pass over the cells."""
    import scipy.sparse as sp  # not at the top: it is slow to load, and `kwic` needs no matrix

    if not (sp.issparse(X) and X.format == "csr" and X.ndim == 2) or X.shape[1] > MANY:
        return False
    if X.indptr.size != X.shape[0] + 1 or X.indptr[0] != 0 or (X.indptr[1:] < X.indptr[:-1]).any():
        return False
    if X.dtype.kind not in "iu" or X.dtype == np.uint64 or not X.data.size == X.indices.size == X.indptr[-1]:
        return False
    if X.data.ndim != 1 or X.indices.dtype.kind not in "iu" or X.indptr.dtype.kind not in "iu":
        return False
    found = [survey(block) for block in _blocks(X)]
    most = max(part.most for part in found)
    if not all(part.inside and part.least > 0 for part in found) or most * X.nnz >= 2**62:
        return False
    return all(part.ascending for part in found) or not has_duplicates(X)


def _to_csr(X: Any) -> Any:
    import scipy.sparse as sp

    if sp.issparse(X):
        if X.ndim != 2:
            raise ValueError(
                f"a count matrix must be two-dimensional, documents × terms; this one has {X.ndim} dimension(s)"
            )
        if X.format not in CHECKED:
            try:
                X = X.tocoo()
            except TypeError as error:  # LIL matrices can contain any object
                raise NotNumbersError(f"a count matrix must contain integers, not other objects: {error}") from error
        check_structure(X)
        if max(X.shape) > MANY:
            require_memory(BYTES * sum(X.shape), f"a count matrix of {X.shape[0]:,} documents × {X.shape[1]:,} terms")
        return _widened(_without_flags(X)).tocsr()
    _refuse_masked(X)
    try:
        dense = np.asarray(X)
    except ValueError as error:  # ragged lists
        raise ValueError("a count matrix must be documents × terms; the rows given differ in length") from error
    if dense.ndim != 2:
        raise ValueError(
            f"a count matrix must be two-dimensional, documents × terms; got {dense.ndim} dimension(s); "
            "count texts first, with termburst.read(texts)"
        )
    if dense.dtype == object:
        try:
            dense = dense.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise NotNumbersError(f"a count matrix must contain integers, not other objects: {error}") from error
    if dense.dtype.kind not in "biuf":
        raise ValueError(f"a count matrix must contain integers, not {dense.dtype}")
    return _widened(sp.csr_matrix(dense.astype(np.float64) if dense.dtype.kind == "f" else dense))


def check_structure(X: Any) -> None:
    """Raise ValueError if the index arrays of a matrix in the format CSR, CSC or COO point outside of it.

    SciPy does not check, and compiled code, SciPy's and ours, would read and write outside the arrays.
    """
    if X.format not in CHECKED:  # SciPy checks the others when it converts them
        return
    if X.format == "coo":
        inside = all(_inside(place, size) for place, size in zip(X.coords, X.shape, strict=True))
        sound = inside and len({place.size for place in X.coords} | {X.data.size}) == 1
    else:
        outer, inner = X.shape if X.format == "csr" else X.shape[::-1]
        starts, places = X.indptr, X.indices
        sound = starts.dtype.kind in "iu" and starts.size == outer + 1 and starts[0] == 0
        sound = sound and starts[-1] <= min(places.size, len(X.data)) and X.data.ndim == 1
        sound = sound and not (starts[1:] < starts[:-1]).any() and _inside(places, inner)
    if not sound:
        raise ValueError("the sparse matrix is damaged: its index arrays point outside of it")


def _inside(places: NDArray[Any], size: int) -> bool:
    if places.size == 0:
        return True
    return places.dtype.kind in "iu" and bool(places.min() >= 0 and places.max() < size)


def _without_flags(X: Any) -> Any:
    """The same matrix without SciPy's flags for sorted and unique cells, so that SciPy checks again.

    If a caller has changed the arrays directly, the flags may be wrong, and SciPy trusts them.
    """
    import scipy.sparse as sp

    plain = getattr(sp, f"{X.format}_{'array' if isinstance(X, sp.sparray) else 'matrix'}")  # not a subclass
    arrays = (X.data, X.coords) if X.format == "coo" else (X.data, X.indices, X.indptr)
    return plain(arrays, shape=X.shape, copy=False)


def _widened(X: Any) -> Any:
    # Summing duplicates keeps the dtype: 100 + 100 would be −56 in int8, and True + True would stay True.
    if X.dtype == np.uint64 and X.tocoo().data.max(initial=0) >= 2**62:  # would become negative
        raise ValueError(TOO_MANY)
    wide = np.dtype(np.int64) if X.dtype.kind in "biu" else np.dtype(np.float64)
    needs_summing = X.format != "csr" or not X.has_canonical_format
    return X.astype(wide) if needs_summing and X.dtype.kind in "biuf" and X.dtype != wide else X


def has_duplicates(counts: Any) -> bool:
    """Whether any cell is stored twice: marks every term with its last row, or sorts keys if there are many terms."""
    if 2 * counts.shape[1] <= counts.nnz and counts.shape[0] < 2**31 and counts.dtype.kind in "biu":
        return any(has_repeats(block) for block in _blocks(counts))
    d, m = counts.shape
    key_type = np.uint32 if d * m < 2**32 else np.uint64
    key = np.repeat(np.arange(d, dtype=key_type) * key_type(m), np.diff(counts.indptr))
    key += counts.indices.astype(key_type, copy=False)
    key.sort()
    return bool((key[1:] == key[:-1]).any())


def _whole_numbers(counts: Any) -> NDArray[Any]:
    """The data as non-negative integers; the same array if they are already."""
    data = counts.data
    if data.dtype.kind == "b":
        return np.asarray(data, dtype=np.int64)
    if data.dtype.kind not in "iuf":
        raise ValueError(f"a count matrix must contain integers, not {data.dtype}")
    if data.size and not data.min() >= 0:  # NaN too
        where = int(np.flatnonzero(~(data >= 0))[0])
        kind = "NaN" if np.isnan(data[where]) else "Negative"  # scikit-learn's checks match these words
        raise ValueError(f"{kind} values in data: {_cell(counts, where)}; counts must be integers of 0 or more")
    if data.dtype.kind != "f":
        return np.asarray(data, dtype=np.int64 if data.dtype == np.uint64 else data.dtype)
    with np.errstate(invalid="ignore"):
        whole = data.astype(np.int64)
    if not np.array_equal(whole, data):
        where = int(np.flatnonzero(whole != data)[0])
        raise ValueError(
            f"{_cell(counts, where)}; counts must be finite integers. Weights (such as TF–IDF) cannot be weighted "
            "again: pass the counts that they were made from"
        )
    return np.asarray(whole)


def _cell(counts: Any, where: int) -> str:
    row = int(np.searchsorted(counts.indptr, where, side="right")) - 1
    return f"row {row}, column {int(counts.indices[where])} of the count matrix is {counts.data[where]}"


def tally(columns: list[Integers], weights: Integers | None = None) -> tuple[list[Integers], Integers]:
    """Distinct rows in lexicographic order, and for each the sum of *weights* (by default the number of rows).

    The columns contain non-negative integers. Rows are packed into one 64-bit key if that fits: NumPy sorts plain
    integers ten times faster than rows.

    Examples
    --------
    >>> import numpy as np
    >>> rows, times = tally([np.array([1, 0, 1]), np.array([5, 7, 5])])
    >>> [column.tolist() for column in rows], times.tolist()
    ([[0, 1], [7, 5]], [1, 2])
    """
    columns = [np.asarray(column, dtype=np.int64) for column in columns]
    size = columns[0].size
    if size == 0:
        return columns, np.zeros(0, np.int64)
    spans = [int(column.max()) + 1 for column in columns]
    if math.prod(spans) < 2**63:
        key = columns[0]
        for column, span in zip(columns[1:], spans[1:], strict=True):
            key = key * span + column
        if weights is None:  # the order is not needed: sort the keys themselves
            key = np.sort(key)
            first = _run_starts([key])
            return _unpack(key[first], spans), np.diff(np.append(first, size))
        order = np.argsort(key, kind="stable")
    else:
        order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    first = _run_starts(ordered)
    ones = np.ones(size, np.int64)
    return [column[first] for column in ordered], np.add.reduceat(ones if weights is None else weights[order], first)


def _run_starts(ordered: list[Integers]) -> NDArray[np.intp]:
    change = np.zeros(ordered[0].size, dtype=bool)
    change[0] = True
    for column in ordered:
        change[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(change)


def _unpack(key: Integers, spans: list[int]) -> list[Integers]:
    rows = []
    for span in reversed(spans[1:]):
        key, column = np.divmod(key, span)
        rows.append(column)
    return [key, *reversed(rows)]
