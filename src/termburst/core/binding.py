"""Calls from Python into the C library: arrays are checked and put into structs, error codes become exceptions.

A kernel is one C function whose arguments are structs. Both are declared in `x.h` only. The library contains the text
of these declarations (TB_STRUCT in core.h): `struct` and `call` take the fields and arguments from it. The file `x.py`
has one function per kernel of `x.c`. ctypes releases Python's lock during a call, so plain threads use all cores.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Numbers = NDArray[np.int32]
Bytes = NDArray[np.uint8]
Hashes = NDArray[np.uint64]

LIBRARIES = {"avx2": "termburst_core_avx2", "baseline": "termburst_core"}  # the fastest first
SUFFIXES = (".so", ".dylib", ".dll")
CHOICE = "TERMBURST_CORE"  # environment variable: the name of the library to load, or a folder with other libraries

ERRORS = {  # the status codes of core.h
    1: (ValueError, "an index is out of range"),
    2: (ValueError, "a count must be at least 1 and at most the length of its document"),
    3: (RuntimeError, "the room given to a kernel is too small"),
}


CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400  # array flags as in NumPy's C interface
NUMBERS: dict[str, Any] = {  # the types of C that a field, or an array, may have
    "double": ctypes.c_double,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint8_t": ctypes.c_uint8,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
}
OTHER_VERSION = "termburst's compiled core is of another version: install again (in a checkout: make test)"


class Struct(ctypes.Structure):
    """A C struct, made by `struct`. Its numbers have the names of the fields, and `arrays` has the arrays."""

    arrays: dict[str, NDArray[Any]]


class Declaration(ctypes.Structure):
    """The text of a declaration in a header, and the size of a struct; as in core.h."""

    _fields_ = [("size", ctypes.c_int64), ("text", ctypes.c_char_p)]


@dataclass(frozen=True, slots=True)
class Pointer:
    """A field with the address of an array."""

    dtype: np.dtype[Any]
    flags: int  # required flags of the array

    def check(self, name: str, array: Any) -> int:
        """Check that the array is what the kernel expects, and return the address of its first number."""
        if not isinstance(array, np.ndarray) or array.dtype != self.dtype:
            found = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
            raise TypeError(f"{name} must be an array of {self.dtype}; got {found}")
        flags: int = array.flags.num
        if flags & self.flags != self.flags:
            raise TypeError(f"{name} must be contiguous, aligned{' and writeable' if self.flags & WRITEABLE else ''}")
        if flags & WRITEABLE and array.size:  # via the buffer it takes a quarter of the time
            return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
        address: int = array.__array_interface__["data"][0]
        return address


def whole(name: str, value: Any) -> int:
    """An integer that fits into 64 bits. ctypes would silently drop the upper bits of a larger one."""
    if not -(2**63) <= (number := int(value)) < 2**63:
        raise OverflowError(f"{name} is too large: {number}")
    return number


def size_of(_: str, array: NDArray[Any]) -> int:
    """The value of a field of type Size."""
    return array.size


class Definition(NamedTuple):
    """A struct of C.

    Attributes
    ----------
    kind : its class
    values : for each field, in order, the given value that it is made from, and how it is checked or found
    given : the names of the values that must be given: all fields but sizes
    arrays : those that are arrays
    """

    kind: type[Struct]
    values: list[tuple[str, Callable[[str, Any], int] | None]]
    given: list[str]
    arrays: list[str]


def declared(name: str) -> Declaration:
    """The declaration of a struct or kernel, as the library was compiled."""
    try:
        return Declaration.in_dll(library(), f"tb_declared_{name}")
    except ValueError:
        raise ImportError(f"{OTHER_VERSION}; it has no {name}") from None


@functools.cache
def definition(name: str) -> Definition:
    """The struct of that name. It is made once, because a short search spends most of its time making two structs."""
    found = declared(name)
    fields: list[tuple[str, Any]] = []
    values: list[tuple[str, Callable[[str, Any], int] | None]] = []
    given: list[str] = []
    arrays: list[str] = []
    for constant, kind, declarators in re.findall(r"(const )?(\w+) ([^;]+);", found.text.decode()):
        for star, field, length in re.findall(r"(\*?)(\w+)(?:\[(\d+)\])?", declarators):
            if kind == "Size":
                fields.append((field, ctypes.c_int64))
                values.append((arrays[-1], size_of))
                continue
            given.append(field)
            if star:
                flags = CONTIGUOUS | ALIGNED | (0 if constant else WRITEABLE)
                fields.append((field, ctypes.c_void_p))
                values.append((field, Pointer(_pointed_at(kind), flags).check))
                arrays.append(field)
            else:
                fields.append((field, NUMBERS[kind] * int(length) if length else NUMBERS[kind]))
                values.append((field, whole if kind == "int64_t" else None))  # ctypes rejects what is not a number
    made = type(name, (Struct,), {"_fields_": fields})
    if ctypes.sizeof(made) != found.size:
        raise ImportError(f"{OTHER_VERSION}; {name} has another size")
    return Definition(made, values, given, arrays)


def _pointed_at(kind: str) -> np.dtype[Any]:
    """The dtype of arrays of numbers or structs; bytes, if the type is known to C alone."""
    if kind in NUMBERS:
        return np.dtype(NUMBERS[kind])
    return record(kind) if hasattr(library(), f"tb_declared_{kind}") else np.dtype(np.uint8)


def record(name: str) -> np.dtype[Any]:
    """The NumPy dtype of a C struct, for arrays of it."""
    return np.dtype(definition(name).kind)


Kind = TypeVar("Kind", bound=Struct)


@overload
def struct(kind: str, local: Mapping[str, Any] = ..., /, **values: Any) -> Struct: ...


@overload
def struct(kind: type[Kind], local: Mapping[str, Any] = ..., /, **values: Any) -> Kind: ...


def struct(kind: Any, local: Mapping[str, Any] = MappingProxyType({}), /, **values: Any) -> Any:
    """A C struct, filled by field name. Arrays are checked, and kept alive as long as the struct.

    *kind* is the name of the struct; or, if functions pass the struct on, a `NewType` with that name. Sizes are not
    given: the size of an array is known. A function whose variables have the names of the fields gives `locals()`.

    Examples
    --------
    >>> struct("LengthSums", log_z=np.ones(3), value=np.zeros(3), slope=np.zeros(3)).size
    3
    >>> log_z, value, slope = np.ones((3, 2))
    >>> struct("LengthSums", locals()).size
    2
    >>> struct("LengthSums", log_z=np.ones(3, dtype=int), value=np.zeros(3), slope=np.zeros(3))
    Traceback (most recent call last):
    ...
    TypeError: log_z must be an array of float64; got int64
    """
    made, of, given, arrays = definition(kind if type(kind) is str else kind.__name__)
    if local:
        values = {name: local[name] for name in given if name in local} | values
    if len(values) == len(given):
        try:
            filled = made(*[check(name, values[name]) if check else values[name] for name, check in of])
            filled.arrays = {name: values[name] for name in arrays}
            return filled
        except KeyError:
            pass
    raise ImportError(f"{OTHER_VERSION}; {made.__name__} has {', '.join(given)}, not {', '.join(values)}")


def require(condition: bool, sentence: str) -> None:
    """Raise ValueError if a condition fails (matching shapes, …), before a kernel reads past the end of an array."""
    if not condition:
        raise ValueError(sentence)


def call(name: str, *structs: Struct | ctypes.Array[Any]) -> int:
    """Call the kernel of that name with structs or arrays of structs.

    A status above 0 is an error and is raised. Any other status is returned.
    """
    core = library()
    kinds = tuple(map(type, structs))
    if (name, kinds) not in _checked:
        _check_arguments(name, kinds)
        _checked.add((name, kinds))
    status: int = getattr(core, name)(*map(ctypes.byref, structs))  # cached by ctypes, unlike core[name]
    if status > 0:
        kind, sentence = ERRORS[status]
        raise kind(sentence)
    return status


_checked: set[tuple[str, tuple[type, ...]]] = set()  # kernels, each with the types of its arguments


def _check_arguments(name: str, given: tuple[Any, ...]) -> None:
    """Raise ImportError if the library has no such kernel, or one with other arguments."""
    expected = re.findall(r"(\w+) \*", declared(name).text.decode())
    found = [getattr(kind, "_type_", kind).__name__ for kind in given]  # of an array: the type of its elements
    if found != expected:
        raise ImportError(f"{OTHER_VERSION}; {name} takes {', '.join(expected)}, not {', '.join(found)}")


@functools.cache
def library() -> ctypes.CDLL:
    """The fastest library that this machine can run."""
    choice = os.environ.get(CHOICE, "")
    baseline = load("baseline")
    if choice == "avx2" and not baseline.tb_has_avx2():
        raise ImportError(f"{CHOICE}=avx2, but this processor has no AVX2; unset {CHOICE}")
    if choice in LIBRARIES:
        return load(choice)
    return load("avx2") if baseline.tb_has_avx2() and found("avx2") else baseline


def found(name: str) -> Path | None:
    """The path of the library of that name. In an editable installation it is not in the folder of the sources."""
    import termburst.core

    choice = os.environ.get(CHOICE, "")
    own = choice not in ("", *LIBRARIES)
    if own and not Path(choice).is_dir():
        raise ImportError(f"{CHOICE} must be one of {', '.join(LIBRARIES)}, a folder, or unset; got {choice}")
    for folder in [choice] if own else termburst.core.__path__:
        for path in (Path(folder, f"{LIBRARIES[name]}{suffix}") for suffix in SUFFIXES):
            if path.is_file():
                return path
    return None


def load(name: str) -> ctypes.CDLL:
    """Load the library for "baseline" or "avx2" processors."""
    path = found(name)
    if path is None:
        raise ImportError(
            "termburst's compiled core is missing: install it with pip install termburst (in a checkout: make test)"
        )
    return ctypes.CDLL(str(path))
