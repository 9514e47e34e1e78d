"""The C compiler of the build: CC, that of the machine, or zig; and the message if there is none."""

import importlib
import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def backend(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "build_backend")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.chdir(ROOT)  # frontends call a backend from there
    yield importlib.import_module("termburst_build")
    for name in ("termburst_build", "compilers"):
        sys.modules.pop(name, None)


@pytest.fixture
def no_programs(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("named", "command"), [("my-cc", ["my-cc"]), ("ccache my-cc", ["ccache", "my-cc"]), ("zig cc", ["zig", "cc"])]
)
def test_cc_names_the_compiler_without_a_check(backend, no_programs, monkeypatch, named, command):
    monkeypatch.setenv("CC", named)
    assert backend.own_compiler() == command
    assert "ziglang" not in str(backend.get_requires_for_build_wheel())


def test_a_machine_without_a_compiler_uses_zig(backend, no_programs, monkeypatch):
    assert backend.own_compiler() is None
    assert backend.ZIG in backend.get_requires_for_build_wheel()
    assert backend.ZIG in backend.get_requires_for_build_editable()
    monkeypatch.setattr(backend, "zig", lambda: ["/there/zig", "cc", "-O3"])
    given = backend.settings({"cmake.verbose": "true"})
    assert given["cmake.define.CMAKE_C_COMPILER"] == "/there/zig;cc;-O3"
    assert given["cmake.verbose"] == "true"


@pytest.mark.skipif(os.name == "nt", reason="Windows always uses zig")
def test_a_compiler_that_cannot_compile_is_skipped(backend, no_programs):
    broken = no_programs / "cc"
    broken.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    assert shutil.which("cc") == str(broken)
    assert backend.own_compiler() is None


def test_without_zig_the_error_says_what_to_install(backend, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match=r"needs a compiler: install GCC or Clang .* or the PyPI package ziglang\.$"):
        backend.zig()
