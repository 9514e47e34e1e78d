"""Build the core as on a machine without a C compiler, and run the kernels' tests with both its libraries."""

import os
import tempfile
from pathlib import Path

from _shared import build_core, test_core

HIDDEN = ("cc", "c89", "c99", "gcc", "clang", "tcc", "zig")


def without_compilers(folder: Path) -> str:
    """A folder with links to all programs of PATH but the compilers."""
    folder.mkdir()
    for place in map(Path, os.get_exec_path()):
        for program in place.iterdir() if place.is_dir() else ():
            link = folder / program.name
            if program.name.split("-")[0] not in HIDDEN and not link.is_symlink():
                link.symlink_to(program)
    return str(folder)


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    environment = {key: value for key, value in os.environ.items() if key not in ("CC", "CFLAGS")}
    path = {"PATH": without_compilers(folder / "programs")}
    core = build_core(folder / "package", env=environment | path)
    for library in sorted(core.glob("termburst_core*.*")):
        print(library.name, "by zig", flush=True)
    test_core(core, "tests/core", **path)
