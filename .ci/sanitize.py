"""Build the core with the address and undefined-behaviour sanitizers, and run the tests that feed it odd input.

It needs GCC or Clang on Linux (zig has no such libraries). The first read or write out of bounds ends the tests.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from _shared import ROOT, build_core, test_core

TESTS = (  # the other files of tests/counting call no kernel
    "tests/core",
    *(f"tests/counting/test_{subject}.py" for subject in ("options", "pattern_clock", "unicode_words", "vectorizer")),
    *(f"tests/statistics/test_{subject}.py" for subject in ("tally", "matrix")),
    "tests/reading/test_csv_rows.py",
    "tests/retrieval/test_index.py",
)


def runtime(compiler: str) -> list[str]:
    """The libraries that must be loaded before all others, as Python itself is not built with them."""

    def says(*question: str) -> str:
        return subprocess.run([compiler, *question], capture_output=True, text=True, check=True).stdout.strip()

    clang = "clang" in says("--version")
    machine = says("-dumpmachine").split("-")[0]
    wanted = [f"libclang_rt.asan-{machine}.so"] if clang else ["libasan.so", "libubsan.so"]
    found = [says(f"-print-file-name={name}") for name in (*wanted, "libstdc++.so.6")]
    return [path for path in found if Path(path).is_absolute()]


compiler = next(filter(None, map(shutil.which, (os.environ.get("CC", ""), "gcc", "clang", "cc"))), None)
if sys.platform != "linux" or compiler is None:
    sys.exit("make sanitize needs Linux, and GCC or Clang with their sanitizers (gcc; or clang, libclang-rt-dev)")
core = build_core(
    ROOT / "build" / "sanitize",
    "cmake.define.TERMBURST_SANITIZE=ON",
    "build-dir=build/sanitize-objects",
    "install.strip=false",
    env={**os.environ, "CC": compiler, "CFLAGS": "-Werror"},
)
options = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}  # Python leaks by design
test_core(core, *(sys.argv[1:] or TESTS), LD_PRELOAD=":".join(runtime(compiler)), **options)
