"""Formats of other programs: each file is read back by a reader that is not ours, or compared with its description."""

import csv

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from scipy.io import mmread

from termburst.exports import MATRIX_FORMATS, export_matrix, export_word_list, files_of, long_frame

TERMS = ["ha", "naïve", "new york", "नमस्ते", '"so", it', "007", "NA"]
DOCUMENTS = ["a", "b/c.txt", "an id, with a comma", "empty"]
COUNTS = sp.csr_array([[2, 0, 1, 0, 0, 5, 0], [0, 3, 0, 1, 0, 0, 1], [0, 0, 0, 0, 1, 0, 2], [0] * 7])
WEIGHTS = COUNTS * (1 / 3)


def lines(path):
    return path.read_text(encoding="utf-8").split("\n")[:-1]


@pytest.mark.parametrize(("matrix", "field"), [(COUNTS, "integer"), (WEIGHTS, "real")])
def test_matrix_market(tmp_path, matrix, field):
    path = tmp_path / "counts.mtx"
    export_matrix(matrix, TERMS, DOCUMENTS, path, "matrix-market")
    assert path.read_text(encoding="utf-8").startswith(f"%%MatrixMarket matrix coordinate {field} general\n")
    back = mmread(path)
    assert back.shape == matrix.shape
    np.testing.assert_array_equal(back.toarray(), matrix.toarray())  # to the last bit
    assert lines(tmp_path / "counts.terms.txt") == TERMS
    assert lines(tmp_path / "counts.documents.txt") == DOCUMENTS


def test_quanteda(tmp_path):
    path = tmp_path / "counts.csv"
    export_matrix(COUNTS, TERMS, DOCUMENTS, path, "quanteda")
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == ["doc_id", "feature", "frequency"]
    cells = COUNTS.tocoo()
    expected = {(DOCUMENTS[i], TERMS[j], str(n)) for i, j, n in zip(cells.row, cells.col, cells.data, strict=True)}
    assert set(map(tuple, rows[1:])) == expected
    assert len(rows) == 1 + COUNTS.nnz
    assert '"007",5' in path.read_text(encoding="utf-8")  # in quotes: a name, not a number


def test_antconc_word_list(tmp_path):
    """As AntConc 3 saves it, and as CQPweb writes it for AntConc."""
    path = tmp_path / "words.txt"
    export_word_list(["so", "the", "naïve", "never"], [2, 9, 2, 0], path)
    assert path.read_bytes().decode() == (
        "#Word Types: 3\n#Word Tokens: 13\n#Search Hits: 0\n1\t9\tthe\t\n2\t2\tnaïve\t\n3\t2\tso\t\n"
    )


def test_the_long_form(tmp_path):
    frame = long_frame(WEIGHTS, TERMS, DOCUMENTS)
    assert frame.columns == ["document", "term", "weight"]
    assert frame.schema["weight"] == pl.Float64
    row = {document: i for i, document in enumerate(DOCUMENTS)}
    column = {term: j for j, term in enumerate(TERMS)}
    back = np.zeros(WEIGHTS.shape)
    for document, term, weight in frame.rows():
        back[row[document], column[term]] = weight
    np.testing.assert_array_equal(back, WEIGHTS.toarray())


@pytest.mark.parametrize("terms", [["a\nb"], ["a\rb"]])
def test_names_that_do_not_fit_a_line_are_refused(tmp_path, terms):
    with pytest.raises(ValueError, match="contains a line break"):
        export_matrix(sp.csr_array([[1]]), terms, ["d"], tmp_path / "x.mtx", "matrix-market")
    with pytest.raises(ValueError, match="a tab or a line break"):
        export_word_list(["a\tb"], [1], tmp_path / "x.txt")
    assert not list(tmp_path.iterdir())  # not even the matrix


def test_sizes_and_formats_are_checked(tmp_path):
    path = tmp_path / "x"
    with pytest.raises(ValueError, match="there are 1 documents and 7 terms"):
        export_matrix(COUNTS, TERMS, ["a"], path, "quanteda")
    with pytest.raises(ValueError, match="format must be one of 'matrix-market'"):
        export_matrix(COUNTS, TERMS, DOCUMENTS, path, "csv")


@pytest.mark.parametrize("format", MATRIX_FORMATS)
def test_the_files_are_those_that_were_announced(tmp_path, format):
    path = tmp_path / "x.y.out"
    export_matrix(COUNTS, TERMS, DOCUMENTS, path, format)
    assert sorted(tmp_path.iterdir()) == sorted(files_of(path, format))
