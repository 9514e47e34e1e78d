"""Weights on disk: SciPy reads them, names included, nothing executed."""

import numpy as np
import pytest
import scipy.sparse as sp

from termburst.weights import Weights, load_weights, save_weights


def test_weights_come_back_and_scipy_reads_them_too(tmp_path):
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
