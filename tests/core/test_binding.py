"""Calls into the C library: the checks of structs, status codes as exceptions, and the choice of the library."""

import gc
import os
import shutil
import subprocess
import sys
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

from termburst.core import binding
from termburst.core.binding import ERRORS, Float, In_f64, Int, Out_i64, Struct, call, call_in, found, load, require


class Sums(Struct):
    _fields_ = [("values", In_f64), ("out", Out_i64), ("size", Int), ("scale", Float)]


def filled(**changes):
    return Sums(**{"values": np.ones(4), "out": np.zeros(4, dtype=np.int64), "size": 4, "scale": 0.5, **changes})


def test_a_struct_holds_addresses_and_numbers():
    values, out = np.arange(4.0), np.zeros(4, dtype=np.int64)
    struct = filled(values=values, out=out, size=np.int32(3), scale=2)
    assert (struct.values.value, struct.out.value) == (values.ctypes.data, out.ctypes.data)
    assert (struct.size, struct.scale) == (3, 2.0)


def test_a_struct_keeps_its_arrays_alive():
    values = np.arange(1000.0)
    alive = weakref.ref(values)
    struct = filled(values=values)
    del values
    gc.collect()
    assert alive() is not None
    del struct
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"values": np.ones(4, dtype=np.float32)}, "values must be an array of float64; got float32"),
        ({"values": np.ones(4, dtype=">f8")}, "values must be an array of float64; got >f8"),
        ({"values": [1.0, 2.0]}, "values must be an array of float64; got list"),
        ({"values": None}, "values must be an array of float64; got NoneType"),
        ({"out": np.zeros(4, dtype=np.int32)}, "out must be an array of int64; got int32"),
        ({"values": np.ones(8)[::2]}, "values must be contiguous, aligned$"),
        ({"values": np.asfortranarray(np.ones((2, 3)))}, "values must be contiguous, aligned$"),
        ({"values": np.zeros(33, dtype=np.uint8)[1:].view(np.float64)}, "values must be contiguous, aligned$"),
        ({"out": np.zeros(8, dtype=np.int64)[::2]}, "out must be contiguous, aligned and writeable"),
        ({"size": "four"}, "four"),
        ({"scale": "half"}, "str"),
        ({"sizes": 4}, "Sums has no field sizes"),
    ],
)
def test_a_struct_rejects_arrays_that_a_kernel_cannot_read(changes, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        filled(**changes)


def test_only_output_arrays_must_be_writeable():
    values, out = np.ones(4), np.zeros(4, dtype=np.int64)
    values.flags.writeable = out.flags.writeable = False
    filled(values=values)
    with pytest.raises(TypeError, match="out must be contiguous, aligned and writeable"):
        filled(out=out)


def test_a_missing_field_is_named():
    with pytest.raises(KeyError, match="scale"):
        Sums(values=np.ones(4), out=np.zeros(4, dtype=np.int64), size=4)


@pytest.mark.parametrize("size", [2**63, -(2**63) - 1, 2**64 + 1])
def test_a_number_too_large_is_an_error_and_not_truncated(size):
    with pytest.raises(OverflowError, match=f"size is too large: {size}"):
        filled(size=size)


@pytest.mark.parametrize("size", [2**63 - 1, -(2**63)])
def test_the_largest_numbers_are_kept(size):
    assert filled(size=size).size == size


def test_shapes_that_do_not_match_are_errors():
    require(True, "fine")
    with pytest.raises(ValueError, match="one edge more"):
        require(False, "there must be one edge more than there are runs")


@pytest.mark.parametrize("status", ERRORS)
def test_an_error_of_a_kernel_is_an_exception(status):
    kind, sentence = ERRORS[status]
    with pytest.raises(kind, match=sentence):
        call_in(SimpleNamespace(tb_kernel=lambda *structs: status), "tb_kernel", filled())


@pytest.mark.parametrize("status", [0, -1])
def test_another_status_is_returned(status):
    assert call_in(SimpleNamespace(tb_kernel=lambda *structs: status), "tb_kernel", filled()) == status


def test_an_unknown_kernel_is_an_attribute_error():
    with pytest.raises(AttributeError, match="tb_no_such_kernel"):
        call("tb_no_such_kernel", filled())


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
