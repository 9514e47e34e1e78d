"""Functions that the scripts of this folder share."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HIDDEN = ("cc", "c89", "c99", "gcc", "clang", "tcc", "zig")
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")


def run(*command: str, **options: object) -> None:
    print("+", *command[:8], flush=True)
    subprocess.run(command, check=True, **options)


def build_core(folder: Path, *settings: str, **options: object) -> Path:
    """Install the package without its dependencies into *folder*; return the folder of its libraries."""
    chosen = [f"--config-settings={setting}" for setting in settings]  # -C needs pip 23.1
    run(*PIP, "install", "--quiet", "--upgrade", "--no-deps", "--target", str(folder), *chosen, str(ROOT), **options)
    return folder / "termburst" / "core"


def test_core(core: Path, *tests: str, **environment: str) -> None:
    """Run these tests with the libraries of that folder."""
    # Without the cache, which another run of tests may be writing at the same time.
    options = ("-q", "-p", "no:cacheprovider", "-n", "auto", "--dist", "loadfile")
    command = (sys.executable, "-m", "pytest", *options, *tests)
    run(*command, cwd=ROOT, env={**os.environ, "TERMBURST_CORE": str(core), **environment})


def without_compilers(folder: Path) -> str:
    """A folder with links to all programs of PATH but the compilers."""
    folder.mkdir()
    for place in map(Path, os.get_exec_path()):
        for program in place.iterdir() if place.is_dir() else ():
            link = folder / program.name
            if program.name.split("-")[0] not in HIDDEN and not link.is_symlink():
                link.symlink_to(program)
    return str(folder)
