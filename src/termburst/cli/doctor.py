"""`termburst doctor`: what is installed, what is at hand, and what is missing for what."""

from __future__ import annotations

import os
import platform
import re
import shutil
from importlib.metadata import PackageNotFoundError, metadata, version
from pathlib import Path
from typing import Annotated, Any

from termburst.cli.output import json_text, many, say, write_out
from termburst.options import Option

_PARTS = {  # the extras of pyproject.toml that users want, and what each is for
    "report": "pages (report, demo)",
    "explore": "termburst explore",
    "formats": "Word, PDF, RTF, HTML, TEI, Excel",
    "languages": "words of Chinese, Japanese, Thai",
    "designs": "formulas (keyness --formula)",
    "plots": "figures (tb.plot, reproduce)",
    "datasets": "data sets of NLTK",
    "duckdb": "engines on DuckDB",
    "spark": "engines on Spark",
}


def doctor(json: Annotated[bool, Option("The same as JSON, for a bug report.")] = False) -> None:
    """Show versions, extras, the compiled core and the data at hand, and what is missing for what."""
    found = diagnosis()
    if json:
        write_out(json_text(found, indent=2))
        return
    say(f"termburst {found['termburst']}, Python {found['python']}, {found['system']}, {many(found['cores'], 'core')}")
    say(f"compiled core: {found['core']}", "")
    say(", ".join(f"{name} {number}" for name, number in found["packages"].items()), "")
    for name, part in found["extras"].items():
        missing = part["missing"]
        advice = f"missing: {', '.join(missing)}  (pip install 'termburst[{name}]')"
        say(f"  {part['for']:<34} {advice if missing else 'installed'}")
    say(f"  {'Java, for Spark':<34} {found['java'] or 'not found'}")
    say("", "data sets:")
    for name, state in found["data"].items():
        say(f"  {name:<14} {state}")


def diagnosis() -> dict[str, Any]:
    """Everything that `termburst doctor` says, as plain values."""
    required = _requirements()
    return {
        "termburst": version("termburst"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count() or 1,
        "core": _core(),
        "packages": {name: _version(name) or "missing" for name in required.get("", [])},
        "extras": {
            name: {"for": purpose, "missing": [package for package in required.get(name, []) if not _version(package)]}
            for name, purpose in _PARTS.items()
        },
        "java": shutil.which("java") or os.environ.get("JAVA_HOME", ""),
        "data": _data(),
    }


def _requirements() -> dict[str, list[str]]:
    """The packages that each extra names, and those of termburst itself under ""."""
    required: dict[str, list[str]] = {}
    for line in metadata("termburst").get_all("Requires-Dist") or []:
        name = re.match(r"[\w.-]+", line)
        extra = re.search(r"""extra\s*==\s*['"](\w+)['"]""", line)
        if name and name[0] != "termburst" and ("python_version" not in line or extra):
            required.setdefault(extra[1] if extra else "", []).append(name[0])
    return required


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _core() -> str:
    """Which compiled library is used; it must also answer."""
    from termburst.core.binding import library

    try:
        name = library()._name
    except (ImportError, OSError) as error:
        return f"missing: {error}"
    return "for processors with AVX2" if "avx2" in Path(name).name else "for any processor"


def _data() -> dict[str, str]:
    """Where each data set is, or how to get it."""
    from termburst.datasets.collection import data_folder, nltk_copy
    from termburst.datasets.newsgroups import cached_file

    states = {"stdlib": "always there: the docstrings of this Python"}
    try:
        data_folder()
    except FileNotFoundError as error:
        return states | {"TERMBURST_DATA": str(error)}
    for name, corpus in {"inaugural": "inaugural", "r8": "reuters"}.items():
        try:
            states[name] = str(nltk_copy(corpus, "not there; it was"))
        except FileNotFoundError as error:
            states[name] = str(error)
    states["20newsgroups"] = str(cached_file() or "not there; scikit-learn downloads 14 MB when it is first used")
    return states
