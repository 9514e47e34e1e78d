"""An index on disk: one .npz file of arrays. Loading executes nothing; writing is atomic."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from termburst.counting.stored_options import check_counting, check_entries, check_fields
from termburst.npz import read_arrays, write_arrays

_KINDS = {"data": "iuf", "indices": "iu", "indptr": "iu", "shape": "iu", "names": "u"}


def save_parts(path: str | PathLike[str], counts: Any, names: dict[str, Any]) -> None:
    """Write counts (CSC) and *names*, a dictionary of JSON values."""
    arrays = {
        "data": counts.data,
        "indices": counts.indices,
        "indptr": counts.indptr,
        "shape": np.array(counts.shape, dtype=np.int64),
        "names": np.frombuffer(json.dumps(names).encode("ascii"), dtype=np.uint8),
    }
    write_arrays(path, "index", arrays)


def load_parts(path: Path) -> tuple[Any, dict[str, Any]]:
    """Read the counts and names written by `save_parts`."""
    stored = read_arrays(path, "index", _KINDS)
    names = json.loads(stored["names"].tobytes())
    check_fields(names, {"terms": list, "ids": list, "counting": dict})
    check_entries("terms", names["terms"], str)
    check_entries("ids", names["ids"], str)
    check_counting(names["counting"])
    arrays = tuple(stored[name] for name in ("data", "indices", "indptr"))
    counts = sp.csc_array(arrays, shape=tuple(stored["shape"].tolist()))
    counts.check_format(full_check=True)  # otherwise SciPy could write outside its arrays
    return counts, names
