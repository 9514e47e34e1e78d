"""Calls from Python into the C library: arrays are checked and put into structs, error codes become exceptions.

A kernel is one C function whose arguments are structs. The file `x.py` mirrors each struct of `x.h` as a `Struct`, and
has one function per kernel of `x.c`. ctypes releases Python's lock during a call, so plain threads use all cores.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

LIBRARIES = {"avx2": "termburst_core_avx2", "baseline": "termburst_core"}  # the fastest first
SUFFIXES = (".so", ".dylib", ".dll")
CHOICE = "TERMBURST_CORE"  # environment variable: the name of the library to load, or a folder with other libraries

ERRORS = {  # the status codes of core.h
    1: (ValueError, "an index is out of range"),
    2: (ValueError, "a count must be at least 1 and at most the length of its document"),
    3: (RuntimeError, "the room given to a kernel is too small"),
}


CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400  # array flags as in NumPy's C interface


class Pointer(ctypes.c_void_p):
    """A pointer to the data of a contiguous array. Subclasses define the dtype, and whether the kernel writes to it."""

    dtype: ClassVar[np.dtype[Any]]
    flags: ClassVar[int]  # required flags of the array

    @classmethod
    def check(cls, name: str, array: Any) -> int:
        """Check that the array is what the kernel expects, and return the address of its first number."""
        if not isinstance(array, np.ndarray) or array.dtype != cls.dtype:
            found = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
            raise TypeError(f"{name} must be an array of {cls.dtype}; got {found}")
        flags: int = array.flags.num
        if flags & cls.flags != cls.flags:
            raise TypeError(f"{name} must be contiguous, aligned{' and writeable' if cls.flags & WRITEABLE else ''}")
        if flags & WRITEABLE and array.size:  # via the buffer it takes a quarter of the time
            return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
        address: int = array.__array_interface__["data"][0]
        return address


def pointer(dtype: Any, *, writes: bool) -> type[Pointer]:
    """The pointer class for arrays of that dtype, which may be a dtype of structs."""
    name = f"{'Out' if writes else 'In'}_{getattr(dtype, '__name__', dtype)}"
    flags = CONTIGUOUS | ALIGNED | (WRITEABLE if writes else 0)
    return type(name, (Pointer,), {"dtype": np.dtype(dtype), "flags": flags})


In_u8, Out_u8 = pointer("uint8", writes=False), pointer("uint8", writes=True)
In_i32, Out_i32 = pointer("int32", writes=False), pointer("int32", writes=True)
In_i64, Out_i64 = pointer("int64", writes=False), pointer("int64", writes=True)
Out_u64 = pointer("uint64", writes=True)
In_f64, Out_f64 = pointer("float64", writes=False), pointer("float64", writes=True)
Int, Float = ctypes.c_int64, ctypes.c_double  # each number in a struct has one of these types


def whole(name: str, value: Any) -> int:
    """An integer that fits into an `Int`. ctypes would silently drop the upper bits of a larger one."""
    if not -(2**63) <= (number := int(value)) < 2**63:
        raise OverflowError(f"{name} is too large: {number}")
    return number


class Struct(ctypes.Structure):
    """A C struct, filled by field name. Arrays are checked, and kept alive as long as the struct.

    Examples
    --------
    >>> class Numbers(Struct):
    ...     _fields_ = [("values", In_f64), ("size", Int)]
    >>> Numbers(values=np.ones(3), size=3).size
    3
    >>> Numbers(values=np.ones(3, dtype=int), size=3)
    Traceback (most recent call last):
    ...
    TypeError: values must be an array of float64; got int64
    """

    checks: ClassVar[list[tuple[str, Callable[[str, Any], int] | None]]]  # one per field, in order
    pointers: ClassVar[list[str]]

    def __init_subclass__(cls) -> None:
        """Prepare the checks once per class, because a short search spends most of its time making two structs."""
        super().__init_subclass__()
        fields: Any = cls._fields_
        cls.pointers = [name for name, kind in fields if issubclass(kind, Pointer)]
        numbers = {Int: whole}  # ctypes itself rejects what is not a number
        cls.checks = [(name, kind.check if name in cls.pointers else numbers.get(kind)) for name, kind in fields]

    def __init__(self, **values: Any) -> None:
        if len(values) > len(self.checks):
            unknown = values.keys() - {name for name, _ in self.checks}
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(unknown))}")
        super().__init__(*[check(name, values[name]) if check else values[name] for name, check in self.checks])
        self.arrays = {name: values[name] for name in self.pointers}


def require(condition: bool, sentence: str) -> None:
    """Raise ValueError if a condition fails (matching shapes, …), before a kernel reads past the end of an array."""
    if not condition:
        raise ValueError(sentence)


def call(name: str, *structs: Struct | ctypes.Array[Any]) -> int:
    """Call the kernel of that name with structs or arrays of structs.

    A status above 0 is an error and is raised. Any other status is returned.
    """
    core = library()
    for made in map(type, structs):
        if (id(core), made) not in _compared:
            compare_layout(core, getattr(made, "_type_", made))  # for an array: the type of its elements
            _compared.add((id(core), made))
    return call_in(core, name, *structs)


def call_in(core: ctypes.CDLL, name: str, *structs: Struct | ctypes.Array[Any]) -> int:
    """Call a kernel of the given library. Tests use it to compare the two libraries."""
    status: int = getattr(core, name)(*map(ctypes.byref, structs))  # cached by ctypes, unlike core[name]
    if status > 0:
        kind, sentence = ERRORS[status]
        raise kind(sentence)
    return status


_compared: set[tuple[int, type]] = set()  # pairs of library and struct that have been compared


class Field(ctypes.Structure):
    """As in core.h: one entry of `tb_layout_…`, for a struct or for a field named Struct.field."""

    _fields_ = [("name", ctypes.c_char_p), ("offset", ctypes.c_int64), ("size", ctypes.c_int64)]


def layout(core: ctypes.CDLL, subject: str) -> dict[str, tuple[int, int]]:
    """Offset and size of all structs and fields of one C file, as compiled."""
    ask = core[f"tb_layout_{subject}"]
    ask.restype = ctypes.POINTER(Field)
    fields, found, k = ask(), {}, 0
    while fields[k].name is not None:
        found[fields[k].name.decode()] = (fields[k].offset, fields[k].size)
        k += 1
    return found


def compare_layout(core: ctypes.CDLL, kind: Any) -> None:
    """Raise ImportError if the library was built from other sources: it would write to wrong places in memory."""
    home, subject = kind.__module__.rsplit(".", 1) if "." in kind.__module__ else ("", "")
    if home != "termburst.core":
        return
    try:
        theirs = layout(core, subject)
    except AttributeError:
        theirs = {}
    ours = {f"{kind.__name__}.{name}": getattr(kind, name) for name, _ in kind._fields_}
    if any(theirs.get(name) != (field.offset, field.size) for name, field in ours.items()):
        raise ImportError("termburst's compiled core is of another version: install again (in a checkout: make test)")


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
