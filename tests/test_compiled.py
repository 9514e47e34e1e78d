"""How kernels are compiled: one line on a terminal, none elsewhere; functions that only kernels call."""

import os
import subprocess
import sys

import pytest

from termburst._compiled import NOTICE, from_python, inner

pty = pytest.importorskip("pty")

FIT = """
import termburst as tb
fit = tb.fit_beta_binomial([[4, 26], [0, 31], [0, 28], [1, 24], [0, 30], [5, 15]])
print(fit.alpha_0.tolist())
"""
OTHER = "import numba; numba.njit(lambda x: x + 1)(1)\n"


def run(code, cache, *, terminal=False):
    """What a Python process with that folder for compiled code writes to stdout, and to stderr."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join(sys.path)}
    if not terminal:
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        return done.stdout, done.stderr
    leader, follower = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=follower, text=True, check=True
    )
    os.close(follower)
    try:
        written = os.read(leader, 10_000).decode()
    except OSError:  # Linux: nothing was written, and nobody is left to write
        written = ""
    os.close(leader)
    return done.stdout, written.replace("\r\n", "\n")


def test_a_terminal_is_told_once_while_there_is_something_to_compile(tmp_path):
    assert run(OTHER, tmp_path, terminal=True) == ("", "")
    first, told = run(FIT, tmp_path, terminal=True)
    assert told == f"{NOTICE}\n"
    assert run(FIT, tmp_path, terminal=True) == (first, "")


def test_a_file_is_told_nothing(tmp_path):
    assert run(FIT, tmp_path)[1] == ""


def test_an_inner_function_is_interpreted_where_python_calls_it():
    @inner
    def double(x):
        return 2 * x

    assert double("ab") == "abab"
    assert from_python(double)(21) == 42
