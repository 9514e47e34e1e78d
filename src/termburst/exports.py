"""Counts and weights in the formats of other programs: R and quanteda, AntConc, WordSmith, MALLET.

This file imports nothing heavy before a function is called, so that `termburst --help` stays quick.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from termburst.files import atomic_path

if TYPE_CHECKING:
    import polars as pl

MatrixFormat = Literal["matrix-market", "quanteda", "mallet"]  # documents × terms
WordListFormat = Literal["antconc", "wordsmith"]  # terms with their frequencies
MATRIX_FORMATS: tuple[MatrixFormat, ...] = get_args(MatrixFormat)
WORD_LIST_FORMATS: tuple[WordListFormat, ...] = get_args(WordListFormat)
ENDINGS: dict[str, str] = {  # the format that a file's ending stands for; .txt may be any of four
    ".mtx": "matrix-market",
    ".mallet": "mallet",
}
_BREAKS, _TABS = re.compile(r"[\r\n]"), re.compile(r"[\t\r\n]")
_SPACES = re.compile(r"\s")  # separates tokens in MALLET


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
    "mallet"        One line per document, ``id<tab>none<tab>term term …``, each term as often as it was counted, for
                    ``mallet import-file``. Counts only. White space inside ids and terms becomes "_".
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
    >>> path = Path(tempfile.mkdtemp()) / "counts.txt"
    >>> export_matrix(sp.csr_array([[2, 1], [0, 1]]), ["ha", "said"], ["a", "b"], path, "mallet")
    >>> path.read_text(encoding="utf-8").splitlines()
    ['a\\tnone\\tha ha said', 'b\\tnone\\tsaid']
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
        elif format == "quanteda":
            _write_quanteda(matrix, terms, documents, files[0])
        else:
            _write_mallet(matrix, terms, documents, files[0])
        for file, names, what in zip(files[1:], (terms, documents), ("term", "document id"), strict=False):
            _check(names, _BREAKS, what, "a line break", "one name per line")
            file.write_text("".join(f"{name}\n" for name in names), encoding="utf-8", newline="\n")


def export_word_list(
    terms: Iterable[str], frequencies: Iterable[int], path: str | PathLike[str], format: WordListFormat
) -> None:
    """Write the terms with their frequencies, the most frequent first, for a concordance program.

    =========== ========================================================================================================
    "antconc"   The word list that AntConc 3 saves and loads, for example as a reference list: three lines with the
                totals, then rank, frequency, word and an empty column, separated by tabs. UTF-8.
    "wordsmith" For WordSmith's "import words from text list": word and frequency, separated by a tab. UTF-16 with a
                byte order mark, which WordSmith calls Unicode.
    =========== ========================================================================================================

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "words.txt"
    >>> export_word_list(["ha", "so"], [1, 3], path, "antconc")
    >>> path.read_text(encoding="utf-8").splitlines()
    ['#Word Types: 2', '#Word Tokens: 4', '#Search Hits: 0', '1\\t3\\tso\\t', '2\\t1\\tha\\t']
    """
    if format not in WORD_LIST_FORMATS:
        raise ValueError(f"format must be one of {', '.join(map(repr, WORD_LIST_FORMATS))}; got {format!r:.60}")
    pairs = sorted(zip(map(str, terms), map(int, frequencies), strict=True), key=lambda pair: (-pair[1], pair[0]))
    pairs = [pair for pair in pairs if pair[1]]
    _check([word for word, _ in pairs], _TABS, "term", "a tab or a line break", "columns separated by tabs")
    if format == "antconc":
        totals = (len(pairs), sum(frequency for _, frequency in pairs))
        head = f"#Word Types: {totals[0]}\n#Word Tokens: {totals[1]}\n#Search Hits: 0\n"
        lines = [f"{rank}\t{frequency}\t{word}\t\n" for rank, (word, frequency) in enumerate(pairs, 1)]
        content = (head + "".join(lines)).encode()
    else:
        content = "".join(f"{word}\t{frequency}\r\n" for word, frequency in pairs).encode("utf-16")
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


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


def _write_quanteda(matrix: Any, terms: Sequence[str], documents: Sequence[str], path: Path) -> None:
    frame = long_frame(matrix, terms, documents, ("doc_id", "feature", "frequency"))
    frame.write_csv(path, quote_style="non_numeric")  # R must not read a term such as 007 or TRUE as anything else


def _write_mallet(matrix: Any, terms: Sequence[str], documents: Sequence[str], path: Path) -> None:
    import numpy as np

    if matrix.nnz and not (np.equal(np.mod(matrix.data, 1), 0).all() and matrix.data.min() >= 0):
        raise ValueError("MALLET reads words, which have counts but not weights; export the counts")
    words = np.array(_joined(terms, "terms"), dtype=object)
    names = _joined(documents, "document ids")
    counts = matrix.data.astype(np.int64)
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for row, name in enumerate(names):
            cells = slice(matrix.indptr[row], matrix.indptr[row + 1])
            repeated = np.repeat(words[matrix.indices[cells]], counts[cells])
            # the second field is a label, which must not be empty
            stream.write(f"{name}\tnone\t{' '.join(repeated)}\n")


def _joined(names: Sequence[str], what: str) -> list[str]:
    """The names without white space; ValueError if two would become the same."""
    joined = [_SPACES.sub("_", name) or "_" for name in names]
    if len(set(joined)) < len(set(names)):
        seen: dict[str, str] = {}
        for name, one in zip(names, joined, strict=True):
            if seen.setdefault(one, name) != name:
                raise ValueError(
                    f"the {what} {seen[one]!r:.60} and {name!r:.60} would both be {one!r:.60} in MALLET; rename one"
                )
    return joined


def _check(names: Iterable[str], unwanted: re.Pattern[str], what: str, character: str, layout: str) -> None:
    for name in names:
        if unwanted.search(name):
            raise ValueError(
                f"the {what} {name[:60]!r} contains {character}, but the file has {layout}; remove it, or write Parquet"
            )
