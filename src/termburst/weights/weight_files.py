"""A weighted matrix with the names of its rows and columns, in memory and on disk."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.digests import reading
from termburst.npz import MATRIX, matrix_arrays, matrix_of, read_arrays, write_arrays
from termburst.statistics.matrix import check_structure, has_duplicates

_MAX_STRINGS = 2**30  # at most this many bytes of fixed-width strings in a file
_KINDS = MATRIX | {"format": "SU", "terms": "U", "documents": "U"}


@dataclass(frozen=True, slots=True)
class Weights:
    """A weighted matrix, documents × terms, with their names.

    Attributes
    ----------
    matrix : sparse matrix of shape (documents, terms)
    terms, documents : arrays of str

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> weights = Weights(sp.csr_matrix([[0.5, 0.0], [0.0, 2.0]]), np.array(["ha", "so"]), np.array(["a", "b"]))
    >>> weights.matrix[[1], :].toarray().tolist()
    [[0.0, 2.0]]
    """

    matrix: Any
    terms: NDArray[Any]
    documents: NDArray[Any]


def save_weights(weights: Weights, path: str | PathLike[str]) -> None:
    """Write a weighted matrix to an .npz file, which SciPy's `load_npz` can read; it also has "terms" and "documents".

    Examples
    --------
    >>> import tempfile
    >>> import termburst as tb
    >>> vectorizer = tb.BurstinessVectorizer(scheme="tf-icf")
    >>> matrix = vectorizer.fit_transform(["ha ha", "so it goes"])
    >>> path = Path(tempfile.mkdtemp()) / "weights.npz"
    >>> save_weights(Weights(matrix, vectorizer.get_feature_names_out(), np.array(["a", "b"])), path)
    >>> load_weights(path).terms.tolist()
    ['goes', 'ha', 'it', 'so']
    """
    matrix = weights.matrix.tocsr()
    _check(matrix, weights.terms)
    names = {
        "format": np.array(b"csr"),
        "terms": _fixed_width(weights.terms, "term"),
        "documents": _fixed_width(weights.documents, "document id"),
    }
    write_arrays(path, "weights", matrix_arrays(matrix) | names)


def load_weights(path: str | PathLike[str]) -> Weights:
    """Read a file that `save_weights` or `termburst weigh` wrote; nothing in the file is executed.

    Examples
    --------
    >>> import tempfile
    >>> import scipy.sparse as sp
    >>> path = Path(tempfile.mkdtemp()) / "weights.npz"
    >>> save_weights(Weights(sp.csr_matrix([[0.5], [2.0]]), np.array(["ha"]), np.array(["a", "b"])), path)
    >>> load_weights(path).documents.tolist()
    ['a', 'b']
    """
    import scipy.sparse as sp

    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    with reading(path, "weights"):
        stored = read_arrays(path, "weights", _KINDS)
        if stored["format"].item() not in (b"csr", "csr"):
            raise ValueError(f"the format of the matrix must be 'csr'; got {stored['format'].item()!r}")
        matrix = matrix_of(stored, sp.csr_matrix)
        check_structure(matrix)
        weights = Weights(matrix, stored["terms"], stored["documents"])
        if weights.terms.ndim != 1 or matrix.shape != weights.documents.shape + weights.terms.shape:
            raise ValueError("the matrix and its names differ in size")
        _check(matrix, weights.terms)
    return weights


def _check(matrix: Any, terms: NDArray[Any]) -> None:
    """Raise ValueError if a weight is not a finite number, a cell is stored twice, or two columns have one name."""
    if not np.isfinite(matrix.data).all():
        raise ValueError("a weight is NaN or infinite; weights must be finite numbers")
    if has_duplicates(matrix):
        raise ValueError("a cell of the matrix is stored twice; add up such cells with sum_duplicates()")
    if len(names := Counter(map(str, terms))) < len(terms):
        raise ValueError(f"the term {names.most_common(1)[0][0]!r:.60} names two columns; names must be unique")


def _fixed_width(names: NDArray[Any], what: str) -> NDArray[np.str_]:
    longest = max(map(len, names), default=0)
    if 4 * longest * len(names) > _MAX_STRINGS:
        raise ValueError(
            f"the longest {what} has {longest:,} characters, too many for a weights file with {len(names):,} of them; "
            r"leave such terms out with a token pattern such as '\b\w{2,50}\b'"
        )
    for name in names:
        if str(name).endswith("\0"):  # a fixed-width string loses it
            raise ValueError(
                f"the {what} {str(name)[:60]!r} ends in the character NUL, which a weights file cannot store; remove it"
            )
    return np.asarray(names, dtype=np.str_)
