"""Arrays in .npz files with a digest. In reading, types and sizes are checked before anything is unpacked."""

from __future__ import annotations

import json
import math
import sys
import zipfile
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.digests import check_digest, check_format, header_text, seal
from termburst.files import atomic_path
from termburst.limits import require_memory


def write_arrays(path: str | PathLike[str], kind: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays to a file of some *kind*: see `termburst.digests`."""
    with atomic_path(path) as temporary:
        with temporary.open("wb") as stream:
            np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
        with zipfile.ZipFile(temporary, "a") as packed:
            packed.comment = header_text(kind, {}).encode()
        seal(temporary)


MATRIX = {"data": "biuf", "indices": "iu", "indptr": "iu", "shape": "iu"}  # the arrays of a sparse matrix


def matrix_arrays(matrix: Any) -> dict[str, NDArray[Any]]:
    """The arrays of a CSR or CSC matrix, for `write_arrays`."""
    return {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr, "shape": np.array(matrix.shape)}


def matrix_of(stored: Mapping[str, NDArray[Any]], kind: Callable[..., Any]) -> Any:
    """The matrix of some *kind*, such as `scipy.sparse.csr_array`, of `matrix_arrays`, which may be damaged."""
    arrays = stored["data"], stored["indices"], stored["indptr"]
    return kind(arrays, shape=tuple(stored["shape"].tolist()))


def read_arrays(path: Path, kind: str, kinds: Mapping[str, str]) -> dict[str, NDArray[Any]]:
    """Read arrays by name. *kinds* are the allowed kinds of NumPy dtypes per array, such as "iu" for integers.

    Nothing is executed. Nothing is allocated before the total size is checked, since a few bytes can declare any size.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.npz"
    >>> write_arrays(path, "weights", {"shape": np.array([2, 3])})
    >>> read_arrays(path, "weights", {"shape": "iu"})["shape"].tolist()
    [2, 3]
    >>> read_arrays(path, "weights", {"shape": "U"})
    Traceback (most recent call last):
    ValueError: the array 'shape' must not have the type int64
    """
    with path.open("rb") as stream:
        check_digest(stream, kind)
        with zipfile.ZipFile(stream) as packed:
            check_format(json.loads(packed.comment), kind)
            size = 0
            for name, allowed in kinds.items():
                shape, dtype = _header(packed, name)
                if dtype.hasobject or dtype.kind not in allowed:
                    raise ValueError(f"the array {name!r} must not have the type {dtype}")
                if any(number < 0 for number in shape):
                    raise ValueError(f"the array {name!r} has the impossible shape {shape}")
                if not dtype.itemsize and all(shape):  # a file without a byte of it could declare any number
                    raise ValueError(f"the array {name!r} has the shape {shape}, but its entries have no bytes")
                size += max(packed.getinfo(f"{name}.npy").file_size, math.prod(shape) * dtype.itemsize)
            require_memory(size, "its unpacked content")
            return {name: _array(packed, name) for name in kinds}


def _header(packed: zipfile.ZipFile, name: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    with _member(packed, name) as stream:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(stream)
    return shape, dtype


def _array(packed: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with _member(packed, name) as stream:
        found: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    if found.dtype.kind == "U" and found.size:
        codes = np.ascontiguousarray(found).reshape(-1).view(np.dtype(np.uint32).newbyteorder(found.dtype.byteorder))
        if codes.max() > sys.maxunicode:  # Python would crash or fail as soon as it makes a string of it
            raise ValueError(f"the array {name!r} contains {int(codes.max()):#x}, which is not a character")
    return found


def _member(packed: zipfile.ZipFile, name: str) -> Any:
    try:
        return packed.open(f"{name}.npy")
    except KeyError:
        raise ValueError(f"the array {name!r} is missing") from None
