"""Build the core as on a machine without a C compiler, and run the kernels' quick tests with both its libraries."""

import os
import sys
import tempfile
from pathlib import Path

from _shared import ROOT, build_core, run, test_core, without_compilers

NONE = "from compilers import own_compiler; assert own_compiler() is None, own_compiler()"

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    path = {"PATH": without_compilers(folder / "programs")}
    environment = {key: value for key, value in os.environ.items() if key not in ("CC", "CFLAGS")}
    run(sys.executable, "-c", NONE, cwd=ROOT / "build_backend", env=environment | path)
    core = build_core(folder / "package", env=environment | path)
    for library in sorted(core.glob("termburst_core*.*")):
        print(library.name, "by zig", flush=True)
    test_core(core, "tests/core", "-m", "not slow", **path)
