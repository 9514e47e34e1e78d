"""What the scripts of this folder share."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")


def run(*command: str, **options: object) -> None:
    print("+", *command[:8], flush=True)
    subprocess.run(command, check=True, **options)


def build_core(folder: Path, *settings: str, **options: object) -> Path:
    """Install the package alone, without what it needs, into that folder; return where its libraries are."""
    chosen = [f"-C{setting}" for setting in settings]
    run(*PIP, "install", "--quiet", "--upgrade", "--no-deps", "--target", str(folder), *chosen, str(ROOT), **options)
    return folder / "termburst" / "core"


def test_core(core: Path, *tests: str, **environment: str) -> None:
    """Run these tests with the libraries of that folder."""
    command = (sys.executable, "-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", *tests)
    run(*command, cwd=ROOT, env={**os.environ, "TERMBURST_CORE": str(core), **environment})
