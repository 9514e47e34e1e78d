"""The structs of Python equal those of the compiler: size and offset of each field."""

import ctypes
import importlib
from pathlib import Path

import pytest

import termburst.core
from termburst.core.binding import Struct, call, layout, library, load

SUBJECTS = sorted({path.stem for path in Path(termburst.core.__file__).parent.glob("*.py")} - {"__init__", "binding"})


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
    assert by_python(subject) == layout(library(), subject)
    assert by_python(subject) == layout(load("baseline"), subject)


def test_there_are_subjects():
    assert {"length_table"} <= set(SUBJECTS)


def test_a_library_built_from_other_sources_is_an_error():
    class LengthTable(Struct):
        _fields_ = [("coefficients", ctypes.c_void_p), ("longest", ctypes.c_int64)]

    LengthTable.__module__ = "termburst.core.length_table"
    with pytest.raises(ImportError, match="of another version: install again"):
        call("tb_look_up", LengthTable(coefficients=None, longest=1))
