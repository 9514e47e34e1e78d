"""Calls into the C library: the checks of structs, status codes as exceptions, and the choice of the library."""

import gc
import os
import re
import shutil
import subprocess
import sys
import weakref
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import termburst.core
from termburst.core import binding
from termburst.core.binding import ERRORS, Declaration, call, definition, found, load, record, require, struct

HEADERS = Path(termburst.core.__file__).parent.glob("*.h")
TEXT = (
    b"{ const double *values; Size size; int64_t *out, *more; double scale; int64_t number; Point *points; "
    b"void *room; }"
)


@pytest.fixture(autouse=True)
def _declared(monkeypatch):
    """One more struct, as if it were in the library."""
    known = binding.declared
    monkeypatch.setattr(binding, "declared", lambda name: Declaration(64, TEXT) if name == "Sums" else known(name))
    yield
    definition.cache_clear()


def filled(without=(), **changes):
    values = {
        "values": np.ones(4), "out": np.zeros(4, np.int64), "more": np.zeros(1, np.int64), "scale": 0.5, "number": 4,
        "points": np.zeros(2, record("Point")), "room": np.zeros(9, np.uint8), **changes,
    }  # fmt: skip
    return struct("Sums", **{name: value for name, value in values.items() if name not in without})


def test_a_struct_holds_addresses_numbers_and_sizes():
    values, out = np.arange(6.0).reshape(2, 3), np.zeros(4, dtype=np.int64)
    made = filled(values=values, out=out, number=np.int32(3), scale=2)
    assert (made.values, made.out) == (values.ctypes.data, out.ctypes.data)
    assert (made.size, made.number, made.scale) == (6, 3, 2.0)
    assert made.arrays["out"] is out


def test_a_struct_keeps_its_arrays_alive():
    values = np.arange(1000.0)
    alive = weakref.ref(values)
    made = filled(values=values)
    del values
    gc.collect()
    assert alive() is not None
    del made
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"values": np.ones(4, dtype=np.float32)}, "values must be an array of float64; got float32"),
        ({"values": np.ones(4, dtype=">f8")}, "values must be an array of float64; got >f8"),
        ({"values": [1.0, 2.0]}, "values must be an array of float64; got list"),
        ({"values": None}, "values must be an array of float64; got NoneType"),
        ({"more": np.zeros(4, dtype=np.int32)}, "more must be an array of int64; got int32"),
        ({"points": np.zeros(4)}, "points must be an array of .*'stratum'.*; got float64"),
        ({"room": np.zeros(4)}, "room must be an array of uint8; got float64"),
        ({"values": np.ones(8)[::2]}, "values must be contiguous, aligned$"),
        ({"values": np.asfortranarray(np.ones((2, 3)))}, "values must be contiguous, aligned$"),
        ({"values": np.zeros(33, dtype=np.uint8)[1:].view(np.float64)}, "values must be contiguous, aligned$"),
        ({"out": np.zeros(8, dtype=np.int64)[::2]}, "out must be contiguous, aligned and writeable"),
        ({"number": "four"}, "four"),
        ({"scale": "half"}, "str"),
    ],
)
def test_a_struct_rejects_arrays_that_a_kernel_cannot_read(changes, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        filled(**changes)


def test_only_output_arrays_must_be_writeable():
    values, out = np.ones(4), np.zeros(4, dtype=np.int64)
    values.flags.writeable = out.flags.writeable = False
    filled(values=values)
    for name in ("out", "more"):
        with pytest.raises(TypeError, match=f"{name} must be contiguous, aligned and writeable"):
            filled(**{name: out})


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64 + 1])
def test_a_number_too_large_is_an_error_and_not_truncated(number):
    with pytest.raises(OverflowError, match=f"number is too large: {number}"):
        filled(number=number)


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63)])
def test_the_largest_numbers_are_kept(number):
    assert filled(number=number).number == number


def test_all_that_headers_declare_is_in_the_library():
    text = "".join(path.read_text(encoding="utf-8") for path in HEADERS)
    for name in re.findall(r"^TB_STRUCT\((\w+)", text, re.MULTILINE):
        assert definition(name).kind.__name__ == name  # which also compares the size with that of the compiler
    kernels = re.findall(r"^TB_KERNEL\((\w+)", text, re.MULTILINE)
    assert len(kernels) > 50
    assert all(b" *" in binding.declared(name).text for name in kernels)


def test_arrays_in_a_struct_have_their_length():
    assert record("SideProfile")["height"].shape == (24,)
    assert record("Node").itemsize == 32


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: filled(without=["scale"]), "Sums has values, out, .*, not values"),
        (lambda: filled(scales=1.0), "Sums has .* scale, .*, not .* scales"),
        (lambda: filled(without=["scale"], scales=1.0), "Sums has"),
        (lambda: struct("Nothing", size=1), "it has no Nothing"),
        (lambda: call("tb_no_such_kernel", filled()), "it has no tb_no_such_kernel"),
        (lambda: call("tb_survey", filled()), "tb_survey takes CountBlock, Survey, not Sums"),
    ],
)
def test_a_library_that_declares_something_else_is_of_another_version(wrong, sentence):
    with pytest.raises(ImportError, match=f"of another version: install again .*{sentence}"):
        wrong()


def test_a_struct_of_another_size_is_of_another_version(monkeypatch):
    monkeypatch.setattr(binding, "declared", lambda name: Declaration(56, TEXT if name == "Sums" else b"{ double x; }"))
    definition.cache_clear()
    with pytest.raises(ImportError, match=r"of another version: .* has another size"):
        definition("Sums")


def test_shapes_that_do_not_match_are_errors():
    require(True, "fine")
    with pytest.raises(ValueError, match="one edge more"):
        require(False, "there must be one edge more than there are runs")


@pytest.fixture
def returns(monkeypatch):
    """A function that makes all kernels return a status."""
    monkeypatch.setattr(binding, "_check_arguments", lambda name, given: None)
    return lambda status: monkeypatch.setattr(
        binding, "library", lambda: SimpleNamespace(tb_kernel=lambda *structs: status)
    )


@pytest.mark.parametrize("status", ERRORS)
def test_an_error_of_a_kernel_is_an_exception(status, returns):
    made, (kind, sentence) = filled(), ERRORS[status]
    returns(status)
    with pytest.raises(kind, match=sentence):
        call("tb_kernel", made)


@pytest.mark.parametrize("status", [0, -1])
def test_another_status_is_returned(status, returns):
    made = filled()
    returns(status)
    assert call("tb_kernel", made) == status


def test_both_libraries_are_found_and_agree_about_the_processor():
    here = load("baseline").tb_has_avx2()
    assert here in (0, 1)
    if here:
        assert load("avx2").tb_has_avx2() == 1
        assert binding.LIBRARIES["avx2"] in str(found("avx2"))


def loaded(choice):
    """The library that a new Python process loads with this TERMBURST_CORE, or the last line of its error."""
    environment = {**os.environ, "TERMBURST_CORE": str(choice), "PYTHONPATH": os.pathsep.join(sys.path)}
    script = "from termburst.core.binding import library; print(library()._name)"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).strip().splitlines()[-1]


def test_the_variable_names_one_of_the_libraries(monkeypatch):
    monkeypatch.delenv("TERMBURST_CORE", raising=False)  # `make sanitize` sets it
    assert loaded("baseline") == str(found("baseline"))


def test_the_variable_may_name_a_folder_of_libraries(tmp_path):
    copy = shutil.copy(found("baseline"), tmp_path)
    assert loaded(tmp_path) == str(copy)


def test_another_value_of_the_variable_is_an_error(tmp_path):
    nowhere = tmp_path / "nowhere"
    sentence = f"TERMBURST_CORE must be one of avx2, baseline, a folder, or unset; got {nowhere}"
    assert loaded(nowhere) == f"ImportError: {sentence}"


def test_a_missing_library_gives_one_sentence(tmp_path):
    assert loaded(tmp_path).startswith("ImportError: termburst's compiled core is missing: install it")
