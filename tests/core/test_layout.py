"""Structs of Python against those of the compiler: every size, and the offset of every field."""

import ctypes
import importlib
from pathlib import Path

import pytest

import termburst.core
from termburst.core.binding import Struct, library, load

SUBJECTS = sorted({path.stem for path in Path(termburst.core.__file__).parent.glob("*.py")} - {"__init__", "binding"})


class Field(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("offset", ctypes.c_int64), ("size", ctypes.c_int64)]


def by_the_compiler(core, subject):
    ask = core[f"tb_layout_{subject}"]
    ask.restype = ctypes.POINTER(Field)
    fields, found, k = ask(), {}, 0
    while fields[k].name is not None:
        found[fields[k].name.decode()] = (fields[k].offset, fields[k].size)
        k += 1
    return found


def by_python(subject):
    module = importlib.import_module(f"termburst.core.{subject}")
    found = {}
    for name, kind in vars(module).items():
        if isinstance(kind, type) and issubclass(kind, Struct) and kind.__module__ == module.__name__:
            found[name] = (0, ctypes.sizeof(kind))
            for field, _ in kind._fields_:
                place = getattr(kind, field)
                found[f"{name}.{field}"] = (place.offset, place.size)
    return found


@pytest.mark.parametrize("subject", SUBJECTS)
def test_structs_are_the_same_in_c_and_python(subject):
    assert by_python(subject) == by_the_compiler(library(), subject)
    assert by_python(subject) == by_the_compiler(load("baseline"), subject)


def test_there_are_subjects():
    assert {"length_table"} <= set(SUBJECTS)
