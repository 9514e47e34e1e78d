"""Weights on disk: SciPy can read them, names are kept, nothing is executed."""

import io
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

from termburst.digests import header_text, seal
from termburst.npz import write_arrays
from termburst.weights.weight_files import Weights, load_weights, save_weights


def test_weights_are_read_back_and_scipy_can_read_them(tmp_path):
    path = tmp_path / "w.npz"
    matrix = sp.csr_matrix([[0.5, 0.0], [0.25, 1.0]])
    save_weights(Weights(matrix, np.array(["ha", "naïve"], dtype=object), np.array(["a", "b/c"], dtype=object)), path)
    back = load_weights(path)
    assert (back.matrix != matrix).nnz == 0
    assert (back.terms.tolist(), back.documents.tolist()) == (["ha", "naïve"], ["a", "b/c"])
    assert (sp.load_npz(path) != matrix).nnz == 0


def test_damaged_weights_are_refused_by_name(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load_weights(tmp_path / "nowhere.npz")
    bad = tmp_path / "bad.npz"
    bad.write_bytes(b"PK not really")
    with pytest.raises(ValueError, match=r"bad\.npz cannot be read as weights"):
        load_weights(bad)


def test_terms_too_long_for_a_weights_file_are_refused(tmp_path):
    terms = np.array(["x" * 2_000_000, *map(str, range(200))], dtype=object)
    weights = Weights(sp.csr_matrix((1, 201)), terms, np.array(["a"], dtype=object))
    with pytest.raises(ValueError, match="2,000,000 characters"):
        save_weights(weights, tmp_path / "w.npz")
    assert not list(tmp_path.iterdir())


def test_names_that_do_not_fit_the_matrix_are_refused(tmp_path):
    path = tmp_path / "w.npz"
    save_weights(Weights(sp.csr_matrix((2, 2)), np.array(["a"]), np.array(["x", "y"])), path)
    with pytest.raises(ValueError, match="differ in size"):
        load_weights(path)


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "w.npz"
    matrix = sp.csr_matrix([[0.5, 0.0], [0.25, 1.0]])
    save_weights(Weights(matrix, np.array(["ha", "so"]), np.array(["a", "b"])), path)
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"indices": [0, 0, 2]},
        {"indices": [0, -1, 1]},
        {"indices": [0, 0, 2**40]},
        {"indices": [0.0, 0.0, 1.0]},
        {"indices": [0, 0]},
        {"indptr": [0, 3, 1]},
        {"indptr": [0, 5, 3]},
        {"indptr": [0, -1, 3]},
        {"indptr": [1, 1, 3]},
        {"indptr": [0, 3]},
        {"shape": [-2, 2]},
        {"shape": [2, np.nan]},
        {"shape": [2]},
        {"shape": [2**62, 2**62]},
        {"data": [1j, 0, 1]},
        {"data": ["a", "b", "c"]},
        {"data": [[0.5, 0.25, 1.0]]},
        {"format": "bsr"},
        {"format": ["csr", "csr"]},
        {"terms": [1, 2]},
        {"terms": ["ha"]},
        {"terms": [["ha", "so"]]},
        {"documents": [b"a", b"b"]},
        {"documents": np.array(["a", None], dtype=object)},
    ],
)
def test_changed_files_are_refused(stored, changes):
    with np.load(stored) as held:
        changed = {**dict(held), **{name: np.asarray(values) for name, values in changes.items()}}
    write_arrays(stored, "weights", changed)
    with pytest.raises(ValueError, match=r"w\.npz cannot be read as weights: (?!it is)\S"):
        load_weights(stored)


def test_a_file_that_would_unpack_to_gigabytes_is_refused(stored):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (2**40,)})
    with zipfile.ZipFile(stored) as held:
        members = {name: held.read(name) for name in held.namelist()}
    with zipfile.ZipFile(stored, "w") as packed:
        for name, content in (members | {"data.npy": header.getvalue()}).items():
            packed.writestr(name, content)
        packed.comment = header_text("weights", {}).encode()
    seal(stored)
    with pytest.raises(ValueError, match=r"w\.npz cannot be read as weights: its unpacked content needs"):
        load_weights(stored)


@pytest.mark.parametrize(
    ("terms", "documents", "said"), [("a\0", "b", "the term 'a"), ("a", "b\0", "the document id 'b")]
)
def test_names_that_end_in_nul_are_refused(tmp_path, terms, documents, said):
    weights = Weights(sp.csr_matrix((1, 1)), np.array([terms], dtype=object), np.array([documents], dtype=object))
    with pytest.raises(ValueError, match=rf"{said}\\x00' ends in the character NUL"):
        save_weights(weights, tmp_path / "w.npz")
    assert not list(tmp_path.iterdir())
