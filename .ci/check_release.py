"""Check what is about to be released: python .ci/check_release.py TAG FOLDER

TAG is a name such as v1.2.3. It must be the version in pyproject.toml and the newest one in CHANGELOG.md, which must
have a date and say what changed. FOLDER has the wheels and the sdist, all of that version. Each wheel is for every
Python 3, with the licence, the type marker and the compiled core.
"""

import re
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
HEADING = re.compile(r"## (?P<version>\S+) \((?P<date>[^)]*)\)\s*")
PARTS = ("termburst/__init__.py", "termburst/py.typed", "licenses/LICENSE")


def version_faults(tag: str, project: dict[str, Any], changelog: str) -> Iterator[str]:
    """Yield one sentence for everything in which the tag, pyproject.toml and the changelog disagree."""
    version = project["version"]
    if tag != f"v{version}":
        yield f"The tag is {tag}, but pyproject.toml has version {version}: the tag must be v{version}."
    start = changelog.find("\n## ") + 1
    newest, _, rest = changelog[start:].partition("\n")
    heading = HEADING.fullmatch(newest)
    if heading is None:
        yield f"The newest heading of CHANGELOG.md is {newest!r}; it must look like '## {version} (2026-01-31)'."
        return
    if heading["version"] != version:
        yield f"The newest version in CHANGELOG.md is {heading['version']}, but pyproject.toml has {version}."
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", heading["date"]):
        yield f"CHANGELOG.md has {heading['date']!r} in place of the date of {version}, such as 2026-01-31."
    if not re.search(r"^- ", rest.partition("\n## ")[0], flags=re.MULTILINE):
        yield f"CHANGELOG.md does not say what changed in {heading['version']}."


def metadata_faults(name: str, text: str, project: dict[str, Any]) -> Iterator[str]:
    """Yield one sentence for every field of a package's metadata that differs from pyproject.toml."""
    said = HeaderParser().parsestr(text)
    for field, key in (("Name", "name"), ("Version", "version"), ("Requires-Python", "requires-python")):
        if said[field] != project[key]:
            yield f"{name} has {field} {said[field]}, but pyproject.toml has {project[key]}."


def wheel_faults(path: Path, project: dict[str, Any]) -> Iterator[str]:
    """Yield one sentence for everything that is wrong with the wheel *path*."""
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        yield from metadata_faults(path.name, wheel.read(metadata).decode(), project)
    if path.stem.split("-")[2:4] != ["py3", "none"]:
        yield f"{path.name} is not for every Python 3: its name must have py3-none."
    for part in PARTS:
        if not any(name.endswith(part) for name in names):
            yield f"{path.name} lacks {part}."
    if not any("termburst_core" in name for name in names):
        yield f"{path.name} lacks the compiled core."
    if any(name.endswith((".c", ".h")) for name in names):
        yield f"{path.name} contains the C sources of the core; they belong in the sdist only."


def sdist_faults(path: Path, project: dict[str, Any]) -> Iterator[str]:
    """Yield one sentence for everything that is wrong with the sdist *path*."""
    top = f"{project['name']}-{project['version']}"
    with tarfile.open(path) as sdist:
        names = sdist.getnames()
        if f"{top}/PKG-INFO" not in names:
            yield f"{path.name} lacks {top}/PKG-INFO."
            return
        described = sdist.extractfile(f"{top}/PKG-INFO")
        yield from metadata_faults(path.name, described.read().decode() if described else "", project)
    if not any(name.endswith("/core.h") for name in names):
        yield f"{path.name} lacks the C sources of the core."


def faults(tag: str, folder: Path, root: Path = ROOT) -> list[str]:
    """One sentence for everything that stands in the way of a release."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = list(version_faults(tag, project, (root / "CHANGELOG.md").read_text(encoding="utf-8")))
    wheels, sdists = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    if not wheels:
        found.append(f"There is no wheel in {folder}.")
    if len(sdists) != 1:
        found.append(f"There must be one sdist in {folder}; there are {len(sdists)}.")
    found += [fault for path in wheels for fault in wheel_faults(path, project)]
    return found + [fault for path in sdists for fault in sdist_faults(path, project)]


if __name__ == "__main__":
    wrong = faults(sys.argv[1], Path(sys.argv[2]))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)
