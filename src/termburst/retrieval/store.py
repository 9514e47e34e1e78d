"""An index on disk: one .npz file of arrays. Loading executes nothing; writing is atomic."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from termburst.counting.stored_options import check_counting, check_entries, check_fields
from termburst.files import atomic_path, first_line
from termburst.npz import read_arrays

FORMAT_VERSION = 2
_KINDS = {"data": "iuf", "indices": "iu", "indptr": "iu", "shape": "iu", "names": "u"}
_TYPES: dict[str, Any] = {"terms": list, "ids": list, "counting": dict}


def save_parts(path: str | PathLike[str], counts: Any, names: dict[str, Any]) -> None:
    """Write counts (CSC) and *names*, a dictionary of JSON values."""
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(
            stream,
            data=counts.data,
            indices=counts.indices,
            indptr=counts.indptr,
            shape=np.array(counts.shape, dtype=np.int64),
            names=np.frombuffer(json.dumps({"format": FORMAT_VERSION, **names}).encode("ascii"), dtype=np.uint8),
        )


def load_parts(path: str | PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Read the counts and names written by `save_parts`."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"the index {path} does not exist")
    try:
        stored = read_arrays(path, _KINDS)
        names = json.loads(stored["names"].tobytes())
        check_fields(names, {"format": int})  # True is 1
        version = names.pop("format")
        arrays = tuple(stored[name] for name in ("data", "indices", "indptr"))
        counts = sp.csc_array(arrays, shape=tuple(stored["shape"].tolist()))
        counts.check_format(full_check=True)  # otherwise SciPy could write outside its arrays
    except Exception as error:  # zipfile, zlib, json, NumPy and SciPy each raise their own
        raise ValueError(f"{path} cannot be read as an index: {first_line(error)}") from error
    if version != FORMAT_VERSION:
        raise ValueError(f"{path} has index format {version!r}, but this version of termburst reads {FORMAT_VERSION}")
    try:
        _check_names(names)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {first_line(error)}") from error
    return counts, names


def _check_names(names: dict[str, Any]) -> None:
    """Raise an error if something is missing, or has another type than `Index.save` gives it."""
    check_fields(names, _TYPES)
    check_entries("terms", names["terms"], str)
    check_entries("ids", names["ids"], str)
    check_counting(names["counting"])
