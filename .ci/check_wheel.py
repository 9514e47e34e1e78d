"""Build the wheel, install it into an empty environment, and use it there."""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
USE = """
import importlib.metadata, pathlib, termburst as tb
assert "site-packages" in tb.__file__, tb.__file__
for part in ("py.typed", "report/templates/page.html", "report/templates/page.js"):
    assert (pathlib.Path(tb.__file__).parent / part).is_file(), part
for name in tb.__all__:
    getattr(tb, name)
assert tb.TermWeighting().fit_transform([[4, 20], [0, 24], [1, 22]]).nnz == 5
print("termburst", tb.__version__, "works from its wheel")
"""


def run(*command: str, **options: object) -> None:
    print("+", *command[:6], flush=True)
    subprocess.run(command, check=True, **options)


with tempfile.TemporaryDirectory() as folder:
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, str(ROOT))
    (wheel,) = Path(folder).glob("*.whl")
    empty = Path(folder, "empty")
    venv.create(empty, with_pip=True)
    scripts = empty / ("Scripts" if os.name == "nt" else "bin")
    run(str(scripts / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", str(wheel))
    run(str(scripts / "python"), "-c", USE, cwd=folder)
    run(str(scripts / "termburst"), "--version", cwd=folder)
