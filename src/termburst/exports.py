"""Counts and weights in the formats of other programs: Matrix Market, R and quanteda, AntConc.

This file imports nothing heavy before a function is called, so that `termburst --help` stays quick.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from termburst.files import atomic_path

if TYPE_CHECKING:
    import polars as pl

MatrixFormat = Literal["matrix-market", "quanteda"]  # documents × terms
MATRIX_FORMATS: tuple[MatrixFormat, ...] = get_args(MatrixFormat)
_BREAKS, _TABS = re.compile(r"[\r\n]"), re.compile(r"[\t\r\n]")


def files_of(path: str | PathLike[str], format: str) -> tuple[Path, ...]:
    """The files that `export_matrix` writes: *path*, and two lists of names if the format has no place for them.

    Examples
    --------
    >>> [file.name for file in files_of("counts.mtx", "matrix-market")]
    ['counts.mtx', 'counts.terms.txt', 'counts.documents.txt']
    >>> [file.name for file in files_of("counts.csv", "quanteda")]
    ['counts.csv']
    """
    path = Path(path)
    if format != "matrix-market":  # which has no place for names
        return (path,)
    return path, path.with_suffix(".terms.txt"), path.with_suffix(".documents.txt")


def export_matrix(
    matrix: Any,
    terms: Iterable[str],
    documents: Iterable[str],
    path: str | PathLike[str],
    format: MatrixFormat,
) -> None:
    """Write counts or weights, documents × terms, for another program; completely or not at all.

    =============== ====================================================================================================
    "matrix-market" A .mtx file for SciPy (`scipy.io.mmread`), R (`Matrix::readMM`), Julia and MATLAB. Two more files
                    have the names of the columns and rows, one per line: NAME.terms.txt and NAME.documents.txt.
    "quanteda"      A CSV file with the columns doc_id, feature and frequency, one row per count that is not 0. In R,
                    ``tidytext::cast_dfm(table, doc_id, feature, frequency)`` makes quanteda's dfm.
    =============== ====================================================================================================

    Parameters
    ----------
    matrix : sparse matrix of shape (documents, terms)
    terms, documents : the names of the columns and rows
    path : the file to write
    format : one of the names above

    Examples
    --------
    >>> import tempfile
    >>> import scipy.sparse as sp
    >>> path = Path(tempfile.mkdtemp()) / "counts.csv"
    >>> export_matrix(sp.csr_array([[2, 1], [0, 1]]), ["ha", "said"], ["a", "b"], path, "quanteda")
    >>> path.read_text(encoding="utf-8").splitlines()
    ['"doc_id","feature","frequency"', '"a","ha",2', '"a","said",1', '"b","said",1']
    """
    if format not in MATRIX_FORMATS:
        raise ValueError(f"format must be one of {', '.join(map(repr, MATRIX_FORMATS))}; got {format!r:.60}")
    matrix = matrix.tocsr()
    terms, documents = list(map(str, terms)), list(map(str, documents))
    if matrix.shape != (len(documents), len(terms)):
        raise ValueError(
            f"the matrix is {matrix.shape}, but there are {len(documents):,} documents and {len(terms):,} terms"
        )
    with ExitStack() as written:
        files = [written.enter_context(atomic_path(file)) for file in files_of(path, format)]
        if format == "matrix-market":
            _write_matrix_market(matrix, files[0])
        else:
            frame = long_frame(matrix, terms, documents, ("doc_id", "feature", "frequency"))
            frame.write_csv(files[0], quote_style="non_numeric")  # a term such as 007 or TRUE must stay text in R
        for file, names, what in zip(files[1:], (terms, documents), ("term", "document id"), strict=False):
            _check(names, _BREAKS, what, "a line break", "one name per line")
            file.write_text("".join(f"{name}\n" for name in names), encoding="utf-8", newline="\n")


def export_word_list(terms: Iterable[str], frequencies: Iterable[int], path: str | PathLike[str]) -> None:
    """Write the terms with their frequencies, the most frequent first, as AntConc 3 saves and loads its word lists.

    The file has three lines with the totals, then rank, frequency, word and an empty column, separated by tabs.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "words.txt"
    >>> export_word_list(["ha", "so"], [1, 3], path)
    >>> path.read_text(encoding="utf-8").splitlines()
    ['#Word Types: 2', '#Word Tokens: 4', '#Search Hits: 0', '1\\t3\\tso\\t', '2\\t1\\tha\\t']
    """
    pairs = sorted(zip(map(str, terms), map(int, frequencies), strict=True), key=lambda pair: (-pair[1], pair[0]))
    pairs = [pair for pair in pairs if pair[1]]
    _check([word for word, _ in pairs], _TABS, "term", "a tab or a line break", "columns separated by tabs")
    head = f"#Word Types: {len(pairs)}\n#Word Tokens: {sum(n for _, n in pairs)}\n#Search Hits: 0\n"
    lines = [f"{rank}\t{frequency}\t{word}\t\n" for rank, (word, frequency) in enumerate(pairs, 1)]
    with atomic_path(path) as temporary:
        temporary.write_bytes((head + "".join(lines)).encode())


def long_frame(
    matrix: Any,
    terms: Iterable[str],
    documents: Iterable[str],
    names: tuple[str, str, str] = ("document", "term", "weight"),
) -> pl.DataFrame:
    """One row per stored cell: the names of its document and its term, and its value.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> long_frame(sp.csr_array([[2, 1], [0, 1]]), ["ha", "said"], ["a", "b"], ("document", "term", "count")).rows()
    [('a', 'ha', 2), ('a', 'said', 1), ('b', 'said', 1)]
    """
    import polars as pl

    cells = matrix.tocsr().sorted_indices().tocoo()
    rows = pl.Series(names[0], list(map(str, documents)), dtype=pl.String)
    columns = pl.Series(names[1], list(map(str, terms)), dtype=pl.String)
    return pl.DataFrame([rows.gather(cells.row), columns.gather(cells.col), pl.Series(names[2], cells.data)])


def _write_matrix_market(matrix: Any, path: Path) -> None:
    from scipy.io import mmwrite

    with path.open("wb") as stream:
        mmwrite(stream, matrix.tocoo(), comment="documents x terms, written by termburst", symmetry="general")


def _check(names: Iterable[str], unwanted: re.Pattern[str], what: str, character: str, layout: str) -> None:
    for name in names:
        if unwanted.search(name):
            raise ValueError(
                f"the {what} {name[:60]!r} contains {character}, but the file has {layout}; remove it, or write Parquet"
            )
