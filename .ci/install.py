"""Install what `make .venv/.all` installs, on two cores.

PyPI has only the source of PySpark, from which pip first packs a wheel of some 450 MB. One core can do that while the
other installs everything else.
"""

import re
import subprocess
import tempfile
import tomllib

from _shared import PIP, ROOT, run


def parts(project: dict) -> tuple[list[str], list[str], list[str]]:
    """All extras but `spark` and `all`, which includes it; PySpark itself; what else `spark` needs."""
    extras = project["optional-dependencies"]
    pyspark = [text for text in extras["spark"] if re.match(r"pyspark\b", text)]
    others = [text for text in extras["spark"] if text not in pyspark]
    return [name for name in extras if name not in ("all", "spark")], pyspark, others


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras, pyspark, others = parts(project)
    install = (*PIP, "install", "--quiet", "--no-compile")
    with tempfile.TemporaryDirectory() as folder:
        wheel = (*PIP, "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, *pyspark)
        with subprocess.Popen(wheel) as packing:
            run(*install, "-e", f".[{','.join(extras)}]", *others, cwd=ROOT)
        if packing.returncode:
            raise SystemExit(f"pip could not pack {' '.join(pyspark)}")
        run(*install, "--find-links", folder, *pyspark, *others)
    for marker in (".all", ".demo"):  # of the Makefile
        (ROOT / ".venv" / marker).touch()
