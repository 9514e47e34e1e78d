"""Find the C compiler of this machine; run as a script, say what to install if there is none."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMPILERS = ("cc", "gcc", "clang")
ADVICE = (
    "termburst's C code needs a compiler: install GCC or Clang (Debian, Ubuntu: apt install gcc libc6-dev; "
    "Fedora: dnf install gcc; macOS: xcode-select --install), or the PyPI package ziglang."
)
TRIAL = "#include <math.h>\n#include <stdint.h>\ndouble f(double x);\ndouble f(double x) { return exp(x); }\n"


def works(command: list[str]) -> bool:
    """Whether the compiler can make a library; cc on a Mac without its tools, or GCC without a C library, cannot."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "trial.c")
        source.write_text(TRIAL, encoding="utf-8")
        trial = [*command, "-shared", "-fPIC", str(source), "-o", str(Path(folder, "trial.so")), "-lm"]
        try:
            return subprocess.run(trial, capture_output=True, check=False).returncode == 0
        except OSError:
            return False


def own_compiler() -> list[str] | None:
    """The compiler named by CC, or that of this machine: its path, and further words of the command."""
    if named := os.environ.get("CC"):
        program, *words = [named] if Path(named).is_file() else shlex.split(named)
        return [shutil.which(program) or program, *words]
    for name in () if os.name == "nt" else COMPILERS:
        path = shutil.which(name)
        if path and works([path]):
            return [path]
    return None


if __name__ == "__main__":
    print(*([] if own_compiler() else [ADVICE]), file=sys.stderr)
