"""Print the lowest versions that pyproject.toml allows, as constraints for pip: python .ci/lowest_versions.py [EXTRA …]

One line `name==version` for each requirement of the package, of its build, and of the extras that are named, as far as
it has a lower bound and applies to this Python. Where several give a bound for one name, the highest counts.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
LOWER = (">=", "==", "~=")


def requirements(project: dict[str, Any], extras: list[str]) -> list[Requirement]:
    """The requirements of a project and of these extras, those among them that name other extras resolved."""
    found, optional = [Requirement(text) for text in project["dependencies"]], project.get("optional-dependencies", {})
    waiting, seen = list(extras), set()
    while waiting:
        extra = waiting.pop()
        if extra in seen:
            continue
        if extra not in optional:
            raise ValueError(f"There is no extra {extra!r}; there are {', '.join(sorted(optional))}.")
        seen.add(extra)
        for requirement in map(Requirement, optional[extra]):
            if canonicalize_name(requirement.name) == canonicalize_name(project["name"]):
                waiting.extend(requirement.extras)
            else:
                found.append(requirement)
    return found


def constraints(required: list[Requirement]) -> list[str]:
    """One `name==version` for each name with a lower bound, sorted; requirements without one are left to pip."""
    lowest: dict[str, Version] = {}
    for requirement in required:
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue
        for bound in requirement.specifier:
            if bound.operator in LOWER:
                name, version = canonicalize_name(requirement.name), Version(bound.version)
                lowest[name] = max(version, lowest.get(name, version))
    return [f"{name}=={version}" for name, version in sorted(lowest.items())]


if __name__ == "__main__":
    described = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    build = [Requirement(text) for text in described["build-system"]["requires"]]
    print(*constraints([*requirements(described["project"], sys.argv[1:]), *build]), sep="\n")
