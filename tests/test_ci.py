"""The scripts of .ci/ find the faults that they look for."""

import importlib
import io
import json
import tarfile
import tomllib
import zipfile
from itertools import chain
from pathlib import Path
from types import ModuleType

import pytest
from coverage import CoverageData
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]


def script(name: str) -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / ".ci")
        return importlib.import_module(name)


# --- check_functions --------------------------------------------------------------------------------------------------

SHORT = '''
def short(a, b, c, d, e, f, g, h, i, j, *, k=1, l=2):
    """One line.

    {more}
    """
    {body}
'''


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (SHORT.format(more="\n".join("x" * 80), body="\n    ".join(["a += 1"] * 59)), []),
        (SHORT.format(more="", body="\n    ".join(["a += 1"] * 60)), ["2: short has 61 lines; at most 60 are allowed"]),
        ("def f(a, b, c, d, e, f, g, h, i, j, k): ...", ["1: f has 11 parameters; at most 10 are allowed, …"]),
        ("async def f(a, b, c, d, e, f, g, h, /, i, j, k): ...", ["1: f has 11 parameters; …"]),
        ("class C:\n    def f(self, a, b, c, d, e, f, g, h, i, j): ...", []),
        ("@app.command()\ndef f(a, b, c, d, e, f, g, h, i, j, k): ...", []),
        ("@cache\ndef f(a, b, c, d, e, f, g, h, i, j, k): ...", ["2: f has 11 parameters; …"]),
    ],
)
def test_long_functions_and_long_lists_of_parameters_are_found(tmp_path: Path, source: str, said: list[str]) -> None:
    path = tmp_path / "module.py"
    path.write_text(source, encoding="utf-8")
    found = list(script("check_functions").faults(path))
    assert len(found) == len(said)
    for sentence, expected in zip(found, said, strict=True):
        assert sentence.startswith(f"{path}:{expected.rstrip('…')}")


# --- lowest_versions --------------------------------------------------------------------------------------------------

PROJECT = {
    "name": "My_Package",
    "dependencies": ["numpy>=2.0,<3", "typing.extensions>=4; python_version < '3'", "Rich~=13.7", "polars"],
    "optional-dependencies": {
        "spark": ["pyspark[sql]>=4.0", "pandas<3"],
        "dev": ["numpy>=2.1", "pandas>=2.2"],
        "all": ["my-package[spark]"],
    },
}


@pytest.mark.parametrize(
    ("extras", "expected"),
    [
        ([], ["numpy==2.0", "rich==13.7"]),
        (["all"], ["numpy==2.0", "pyspark==4.0", "rich==13.7"]),
        (["all", "dev"], ["numpy==2.1", "pandas==2.2", "pyspark==4.0", "rich==13.7"]),
    ],
)
def test_lower_bounds_become_constraints(extras: list[str], expected: list[str]) -> None:
    lowest = script("lowest_versions")
    assert lowest.constraints(lowest.requirements(PROJECT, extras)) == expected


def test_an_extra_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="There is no extra 'docs'; there are all, dev, spark"):
        script("lowest_versions").requirements(PROJECT, ["docs"])


def test_every_requirement_of_the_package_has_a_lower_bound() -> None:
    lowest = script("lowest_versions")
    project = lowest.tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounded = {line.partition("==")[0] for line in lowest.constraints(lowest.requirements(project, ["all", "dev"]))}
    texts = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    names = {lowest.canonicalize_name(Requirement(text).name) for text in texts if "python_version" not in text}
    assert names - bounded == {"termburst"}


# --- check_release ----------------------------------------------------------------------------------------------------

CHANGES = "# Changes\n\n## 1.2.0 (2026-01-31)\n\n### Added\n- More.\n\n## 1.1.0 (2025-01-31)\n\n- Less.\n"
METADATA = "Metadata-Version: 2.4\nName: termburst\nVersion: 1.2.0\nRequires-Python: >=3.11\n\nText.\n"
WHEEL = {
    "termburst/__init__.py": "",
    "termburst/py.typed": "",
    "termburst/core/libtermburst_core.so": "",
    "termburst-1.2.0.dist-info/METADATA": METADATA,
    "termburst-1.2.0.dist-info/licenses/LICENSE": "",
}
SDIST = {"termburst-1.2.0/PKG-INFO": METADATA, "termburst-1.2.0/src/termburst/core/core.h": ""}


def release_faults(folder: Path, tag="v1.2.0", changes=CHANGES, wheel=WHEEL, sdist=SDIST, tags="py3-none-any"):
    """The faults that the check finds in a release made of these parts."""
    described = '[project]\nname = "termburst"\nversion = "1.2.0"\nrequires-python = ">=3.11"\n'
    (folder / "pyproject.toml").write_text(described, encoding="utf-8")
    (folder / "CHANGELOG.md").write_text(changes, encoding="utf-8")
    dist = folder / "dist"
    dist.mkdir()
    if wheel:
        with zipfile.ZipFile(dist / f"termburst-1.2.0-{tags}.whl", "w") as file:
            for name, text in wheel.items():
                file.writestr(name, text)
    if sdist:
        with tarfile.open(dist / "termburst-1.2.0.tar.gz", "w:gz") as file:
            for name, text in sdist.items():
                member = tarfile.TarInfo(name)
                member.size = len(text)
                file.addfile(member, io.BytesIO(text.encode()))
    return [fault.replace(str(dist), "dist") for fault in script("check_release").faults(tag, dist, folder)]


def without(parts: dict[str, str], ending: str) -> dict[str, str]:
    return {name: text for name, text in parts.items() if not name.endswith(ending)}


def test_a_release_without_a_fault(tmp_path: Path) -> None:
    assert release_faults(tmp_path) == []


@pytest.mark.parametrize(
    ("release", "said"),
    [
        ({"tag": "v1.3.0"}, "The tag is v1.3.0, but pyproject.toml has version 1.2.0: the tag must be v1.2.0."),
        ({"tag": "1.2.0"}, "The tag is 1.2.0, but pyproject.toml has version 1.2.0: the tag must be v1.2.0."),
        (
            {"changes": CHANGES.replace("2026-01-31", "unreleased")},
            "CHANGELOG.md has 'unreleased' in place of the date of 1.2.0, such as 2026-01-31.",
        ),
        (
            {"changes": CHANGES.replace("1.2.0", "1.1.9")},
            "The newest version in CHANGELOG.md is 1.1.9, but pyproject.toml has 1.2.0.",
        ),
        ({"changes": CHANGES.replace("- More.\n", "")}, "CHANGELOG.md does not say what changed in 1.2.0."),
        (
            {"changes": CHANGES.replace(" (2026-01-31)", "")},
            "The newest heading of CHANGELOG.md is '## 1.2.0'; it must look like '## 1.2.0 (2026-01-31)'.",
        ),
        ({"wheel": None}, "There is no wheel in dist."),
        ({"sdist": None}, "There must be one sdist in dist; there are 0."),
        (
            {"wheel": WHEEL | {"termburst-1.2.0.dist-info/METADATA": METADATA.replace("1.2.0", "1.1.0")}},
            "termburst-1.2.0-py3-none-any.whl has Version 1.1.0, but pyproject.toml has 1.2.0.",
        ),
        (
            {"tags": "cp311-cp311-any"},
            "termburst-1.2.0-cp311-cp311-any.whl is not for every Python 3: its name must have py3-none.",
        ),
        ({"wheel": without(WHEEL, "py.typed")}, "termburst-1.2.0-py3-none-any.whl lacks termburst/py.typed."),
        ({"wheel": without(WHEEL, ".so")}, "termburst-1.2.0-py3-none-any.whl lacks the compiled core."),
        (
            {"wheel": WHEEL | {"termburst/core/core.h": ""}},
            "termburst-1.2.0-py3-none-any.whl contains the C sources of the core; they belong in the sdist only.",
        ),
        ({"sdist": without(SDIST, "core.h")}, "termburst-1.2.0.tar.gz lacks the C sources of the core."),
        ({"sdist": without(SDIST, "PKG-INFO")}, "termburst-1.2.0.tar.gz lacks termburst-1.2.0/PKG-INFO."),
    ],
)
def test_a_fault_of_a_release_is_found(tmp_path: Path, release, said: str) -> None:
    assert release_faults(tmp_path, **release) == [said]


# --- install ----------------------------------------------------------------------------------------------------------


def test_nothing_of_the_project_is_left_out_of_an_installation_in_two_parts() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras, pyspark, others = script("install").parts(project)
    given = project["optional-dependencies"]
    assert sorted([*extras, "spark", "all"]) == sorted(given)
    assert [Requirement(text).name for text in pyspark] == ["pyspark"]
    assert sorted(pyspark + others) == sorted(given["spark"])
    (everything,) = map(Requirement, given["all"])
    assert everything.extras <= {*extras, "spark"}


# --- coverage_data ----------------------------------------------------------------------------------------------------


def test_the_lines_of_several_runs_are_added_and_those_of_before_are_not(tmp_path: Path) -> None:
    module, to = tmp_path / "module.py", tmp_path / "data"
    for tier, lines in (("old", [9]), ("quick", [1, 2]), ("slow", [2, 5])):
        files = {"files": {str(module): {"executed_lines": lines, "missing_lines": [7]}}}
        (tmp_path / tier).write_text(json.dumps(files), encoding="utf-8")
    script("coverage_data").convert([str(tmp_path / "old")], str(to))
    script("coverage_data").convert([str(tmp_path / "quick"), str(tmp_path / "slow")], str(to))
    found = CoverageData(basename=str(to))
    found.read()
    assert sorted(found.lines(str(module)) or []) == [1, 2, 5]
