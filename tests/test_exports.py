"""Formats of other programs: each file is read back by a reader that is not ours, or compared with its description."""

import csv
import re

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


def test_mallet(tmp_path):
    path = tmp_path / "counts.mallet"
    export_matrix(COUNTS, TERMS, DOCUMENTS, path, "mallet")
    default = re.compile(r"^(\S*)[\s,]*(\S*)[\s,]*(.*)$")  # --line-regex of `mallet import-file`
    read = [default.match(line).groups() for line in lines(path)]
    assert [name for name, _, _ in read] == ["a", "b/c.txt", "an_id,_with_a_comma", "empty"]
    assert [label for _, label, _ in read] == ["none"] * 4
    assert sorted(read[0][2].split()) == ["007"] * 5 + ["ha", "ha", "new_york"]
    assert sorted(read[1][2].split()) == ["NA", "naïve", "naïve", "naïve", "नमस्ते"]
    assert read[3][2] == ""


def test_mallet_refuses_weights_and_names_that_become_the_same(tmp_path):
    with pytest.raises(ValueError, match="MALLET reads words"):
        export_matrix(WEIGHTS, TERMS, DOCUMENTS, tmp_path / "x", "mallet")
    with pytest.raises(ValueError, match="'new york' and 'new_york' would both be 'new_york'"):
        export_matrix(sp.csr_array([[1, 1]]), ["new york", "new_york"], ["a"], tmp_path / "x", "mallet")
    assert not list(tmp_path.iterdir())


def test_antconc_word_list(tmp_path):
    """As AntConc 3 saves it, and as CQPweb writes it for AntConc."""
    path = tmp_path / "words.txt"
    export_word_list(["so", "the", "naïve", "never"], [2, 9, 2, 0], path, "antconc")
    assert path.read_bytes().decode() == (
        "#Word Types: 3\n#Word Tokens: 13\n#Search Hits: 0\n1\t9\tthe\t\n2\t2\tnaïve\t\n3\t2\tso\t\n"
    )


def test_wordsmith_word_list(tmp_path):
    path = tmp_path / "words.txt"
    export_word_list(np.array(["so", "the", "नमस्ते"], dtype=object), np.array([2, 9, 1]), path, "wordsmith")
    assert path.read_bytes()[:2] in (b"\xff\xfe", b"\xfe\xff")
    assert path.read_bytes().decode("utf-16") == "the\t9\r\nso\t2\r\nनमस्ते\t1\r\n"


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
        export_word_list(["a\tb"], [1], tmp_path / "x.txt", "antconc")
    assert not list(tmp_path.iterdir())  # not even the matrix


def test_sizes_and_formats_are_checked(tmp_path):
    path = tmp_path / "x"
    with pytest.raises(ValueError, match="there are 1 documents and 7 terms"):
        export_matrix(COUNTS, TERMS, ["a"], path, "mallet")
    with pytest.raises(ValueError, match="format must be one of 'matrix-market'"):
        export_matrix(COUNTS, TERMS, DOCUMENTS, path, "csv")
    with pytest.raises(ValueError, match="format must be one of 'antconc', 'wordsmith'"):
        export_word_list(["a"], [1], path, "csv")


@pytest.mark.parametrize("format", MATRIX_FORMATS)
def test_the_files_are_those_that_were_announced(tmp_path, format):
    path = tmp_path / "x.y.out"
    export_matrix(COUNTS, TERMS, DOCUMENTS, path, format)
    assert sorted(tmp_path.iterdir()) == sorted(files_of(path, format))
