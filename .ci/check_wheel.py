"""Build the wheel from the sdist, install it into an empty environment, use it there, and ship it with a Spark job.

python .ci/check_wheel.py                                   # with this Python
python .ci/check_wheel.py python3.11 python3.12 python3.13  # the same wheel with each of these
"""

import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

from _shared import ROOT, run

USE = """
import importlib.metadata, pathlib, platform, termburst as tb
assert "site-packages" in tb.__file__, tb.__file__
for part in ("py.typed", "report/templates/page.html", "report/templates/page.js"):
    assert (pathlib.Path(tb.__file__).parent / part).is_file(), part
import numpy as np
from termburst.core.binding import found, library
from termburst.core.length_table import length_sums
assert found("baseline") and (found("avx2") or platform.machine() not in ("x86_64", "AMD64"))
sums, _ = length_sums(np.zeros(1), np.array([9.0, 9.0, 3.0]), np.array([3]), np.empty(0))  # K(1) = 9/2 + 3 · 2/3
assert abs(sums[0] - 6.5) < 1e-12, sums
for name in tb.__all__:
    getattr(tb, name)
assert tb.TermWeighting().fit_transform([[4, 20], [0, 24], [1, 22]]).nnz == 5
core = pathlib.Path(library()._name).name
print("termburst", tb.__version__, "works from its wheel on Python", platform.python_version(), "with", core)
"""

with tempfile.TemporaryDirectory() as folder:
    run(sys.executable, "-m", "build", "--outdir", folder, str(ROOT))  # the sdist, and the wheel from it
    (wheel,) = Path(folder).glob("*.whl")
    parts = zipfile.ZipFile(wheel).namelist()
    assert wheel.name.split("-")[2:4] == ["py3", "none"], wheel.name
    assert not [part for part in parts if part.endswith((".c", ".h"))], "the sources of the core are in the wheel"
    for number, python in enumerate(sys.argv[1:] or [sys.executable]):
        empty = Path(folder, f"empty{number}")
        run(python, "-m", "venv", str(empty))
        scripts = empty / ("Scripts" if os.name == "nt" else "bin")
        pip = (str(scripts / "python"), "-m", "pip", "--disable-pip-version-check")
        run(*pip, "install", "--quiet", "--no-compile", str(wheel))  # modules are compiled when used
        run(str(scripts / "python"), "-c", USE, cwd=folder)
        run(str(scripts / "termburst"), "--version", cwd=folder)
    if shutil.which("java"):
        run(sys.executable, str(ROOT / ".ci" / "ship_wheel.py"), str(wheel), cwd=folder)
    elif "TERMBURST_REQUIRE_SPARK" in os.environ:
        sys.exit("the wheel could not be shipped with a Spark job: there is no java")
    else:
        print("the wheel was not shipped with a Spark job, as there is no java")
