"""How Python reaches the C library: structs filled from checked arrays, one call, errors as exceptions.

A kernel is one C function. Its arguments are structs, each mirrored here once as a `Struct`: the file `x.py` has the
structs and functions of `x.c`. ctypes releases Python's lock while a kernel runs, so that plain threads use all cores.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

LIBRARIES = {"avx2": "termburst_core_avx2", "baseline": "termburst_core"}  # the best first
SUFFIXES = (".so", ".dylib", ".dll")
CHOICE = "TERMBURST_CORE"  # environment variable: which of the libraries to load, or a folder that has others

ERRORS = {  # the status codes of core.h
    1: (ValueError, "an index is out of range"),
    2: (ValueError, "a count must be at least 1 and at most the length of its document"),
    3: (RuntimeError, "the room for a kernel is too small"),
}


CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400  # bits of an array's flags, as in NumPy's C interface


class Pointer(ctypes.c_void_p):
    """A pointer to the numbers of a contiguous array; subclasses say of which type, and whether they are written to."""

    dtype: ClassVar[np.dtype[Any]]
    flags: ClassVar[int]  # that an array must have

    @classmethod
    def check(cls, name: str, array: Any) -> int:
        """The address of the first number, once the array is known to be what the kernel expects."""
        if not isinstance(array, np.ndarray) or array.dtype != cls.dtype:
            found = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
            raise TypeError(f"{name} must be an array of {cls.dtype}, got {found}")
        flags: int = array.flags.num
        if flags & cls.flags != cls.flags:
            raise TypeError(f"{name} must be contiguous, aligned{' and writeable' if cls.flags & WRITEABLE else ''}")
        if flags & WRITEABLE and array.size:  # the buffer's address comes in a quarter of the time
            return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
        address: int = array.__array_interface__["data"][0]
        return address


def pointer(dtype: Any, *, writes: bool) -> type[Pointer]:
    """The pointer to an array of that type, which may be one of structs."""
    name = f"{'Out' if writes else 'In'}_{getattr(dtype, '__name__', dtype)}"
    flags = CONTIGUOUS | ALIGNED | (WRITEABLE if writes else 0)
    return type(name, (Pointer,), {"dtype": np.dtype(dtype), "flags": flags})


In_u8, Out_u8 = pointer("uint8", writes=False), pointer("uint8", writes=True)
In_i16 = pointer("int16", writes=False)
In_i32, Out_i32 = pointer("int32", writes=False), pointer("int32", writes=True)
In_i64, Out_i64 = pointer("int64", writes=False), pointer("int64", writes=True)
In_u64, Out_u64 = pointer("uint64", writes=False), pointer("uint64", writes=True)
In_f64, Out_f64 = pointer("float64", writes=False), pointer("float64", writes=True)
Int, Float = ctypes.c_int64, ctypes.c_double  # every number of a struct is one of these


def whole(name: str, value: Any) -> int:
    """A number that fits into an `Int`: ctypes would cut off what does not."""
    if not -(2**63) <= (number := int(value)) < 2**63:
        raise OverflowError(f"{name} is too large: {number}")
    return number


class Struct(ctypes.Structure):
    """A C struct, filled by name. Arrays are checked, and kept alive as long as the struct is.

    Examples
    --------
    >>> class Numbers(Struct):
    ...     _fields_ = [("values", In_f64), ("size", Int)]
    >>> Numbers(values=np.ones(3), size=3).size
    3
    >>> Numbers(values=np.ones(3, dtype=int), size=3)
    Traceback (most recent call last):
    ...
    TypeError: values must be an array of float64, got int64
    """

    checks: ClassVar[list[tuple[str, Callable[[str, Any], int] | None]]]  # of the fields in their order
    pointers: ClassVar[list[str]]

    def __init_subclass__(cls) -> None:
        """Look up once what every struct of the class is to be asked: a short query makes two, and little else."""
        super().__init_subclass__()
        fields: Any = cls._fields_
        cls.pointers = [name for name, kind in fields if issubclass(kind, Pointer)]
        numbers = {Int: whole}  # ctypes itself refuses what is no number
        cls.checks = [(name, kind.check if name in cls.pointers else numbers.get(kind)) for name, kind in fields]

    def __init__(self, **values: Any) -> None:
        if len(values) > len(self.checks):
            unknown = values.keys() - {name for name, _ in self.checks}
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(unknown))}")
        super().__init__(*[check(name, values[name]) if check else values[name] for name, check in self.checks])
        self.arrays = {name: values[name] for name in self.pointers}


def require(condition: bool, sentence: str) -> None:
    """Refuse arrays whose shapes do not belong together, before a kernel reads past their end."""
    if not condition:
        raise ValueError(sentence)


def call(name: str, *structs: Struct | ctypes.Array[Any]) -> int:
    """Call the kernel of that name with structs, or arrays of them.

    A status that is an error is raised, another one (0 or below) is returned.
    """
    core = library()
    for made in map(type, structs):
        if (id(core), made) not in _compared:
            compare_layout(core, getattr(made, "_type_", made))  # of an array of structs, that of one
            _compared.add((id(core), made))
    return call_in(core, name, *structs)


def call_in(core: ctypes.CDLL, name: str, *structs: Struct | ctypes.Array[Any]) -> int:
    """The same in a library of one's own choice: tests hold both libraries against each other."""
    status: int = getattr(core, name)(*map(ctypes.byref, structs))  # which ctypes remembers, unlike core[name]
    if status > 0:
        kind, sentence = ERRORS[status]
        raise kind(sentence)
    return status


_compared: set[tuple[int, type]] = set()  # libraries, and the structs that were compared with theirs


class Field(ctypes.Structure):
    """As in core.h: what `tb_layout_…` tells of a struct, or of a field by its name Struct.field."""

    _fields_ = [("name", ctypes.c_char_p), ("offset", ctypes.c_int64), ("size", ctypes.c_int64)]


def layout(core: ctypes.CDLL, subject: str) -> dict[str, tuple[int, int]]:
    """Offset and size of all structs of a subject and their fields, as the compiler has them."""
    ask = core[f"tb_layout_{subject}"]
    ask.restype = ctypes.POINTER(Field)
    fields, found, k = ask(), {}, 0
    while fields[k].name is not None:
        found[fields[k].name.decode()] = (fields[k].offset, fields[k].size)
        k += 1
    return found


def compare_layout(core: ctypes.CDLL, kind: Any) -> None:
    """Refuse a library that was built from other sources than this file's: it would write to wrong places."""
    home, subject = kind.__module__.rsplit(".", 1) if "." in kind.__module__ else ("", "")
    if home != "termburst.core":
        return
    try:
        theirs = layout(core, subject)
    except AttributeError:
        theirs = {}
    ours = {f"{kind.__name__}.{name}": getattr(kind, name) for name, _ in kind._fields_}
    if any(theirs.get(name) != (field.offset, field.size) for name, field in ours.items()):
        raise ImportError("termburst's compiled core is of another version: install again (make test in a checkout)")


@functools.cache
def library() -> ctypes.CDLL:
    """The C library, as this machine runs it best."""
    choice = os.environ.get(CHOICE, "")
    baseline = load("baseline")
    if choice == "avx2" and not baseline.tb_has_avx2():
        raise ImportError(f"{CHOICE}=avx2, but this processor has no AVX2: leave it unset")
    if choice in LIBRARIES:
        return load(choice)
    return load("avx2") if baseline.tb_has_avx2() and found("avx2") else baseline


def found(name: str) -> Path | None:
    """Where the library of that name lies. An editable installation has it in another folder than the sources."""
    import termburst.core

    choice = os.environ.get(CHOICE, "")
    own = choice not in ("", *LIBRARIES)
    if own and not Path(choice).is_dir():
        raise ImportError(f"{CHOICE}={choice}: it is one of {', '.join(LIBRARIES)}, or a folder, or not set")
    for folder in [choice] if own else termburst.core.__path__:
        for path in (Path(folder, f"{LIBRARIES[name]}{suffix}") for suffix in SUFFIXES):
            if path.is_file():
                return path
    return None


def load(name: str) -> ctypes.CDLL:
    """The library built for "baseline" or "avx2" processors."""
    path = found(name)
    if path is None:
        raise ImportError(
            "termburst's compiled core is missing: install the package (pip install termburst; make test in a checkout)"
        )
    return ctypes.CDLL(str(path))
