"""The notebook runs from the first cell to the last, in a real kernel."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SETUP = "setup"  # the tag of the cell that installs packages and downloads data


def cells(path: Path) -> list[dict]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def test_there_is_one():
    assert len(NOTEBOOKS) == 1


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_outputs_are_stored(path):
    """They would disagree with the code sooner or later; those who run it see them."""
    assert all(not cell["outputs"] for cell in cells(path) if cell["cell_type"] == "code")
    assert [SETUP in cell["metadata"].get("tags", []) for cell in cells(path)].count(True) == 1


def test_binder_has_a_python_that_is_allowed_and_what_the_first_cells_install():
    """Binder's own Python may be too old, and it must not take another termburst than that of the repository."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = (ROOT / "binder/runtime.txt").read_text(encoding="utf-8").strip().removeprefix("python-")
    assert version in SpecifierSet(project["requires-python"])
    installed = re.search(r'"\.\[([\w,]+)\]"', (ROOT / "binder/postBuild").read_text(encoding="utf-8"))[1].split(",")
    assert set(installed) <= set(project["optional-dependencies"])
    first = ["".join(cell["source"]) for path in NOTEBOOKS for cell in cells(path) if SETUP in str(cell["metadata"])]
    asked = {
        extra for text in first for found in re.findall(r"termburst\[([\w,]+)\]", text) for extra in found.split(",")
    }
    assert len(first) == 1
    assert asked == set(installed)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(path, data, tmp_path, monkeypatch):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    book = nbformat.read(path, as_version=4)
    book.cells = [cell for cell in book.cells if SETUP not in cell.metadata.get("tags", [])]
    nbclient.NotebookClient(book, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(cell.outputs for cell in code)
    assert not [out for cell in code for out in cell.outputs if out.output_type == "error"]
