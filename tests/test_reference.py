"""docs/reference.md has an entry for each public name, and for nothing else."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import termburst as tb

PAGE = (Path(__file__).parents[1] / "docs" / "reference.md").read_text(encoding="utf-8")
MODULES = (
    "models", "inference", "questions", "concordance", "report", "weights", "retrieval", "backends", "ledgers", "plot",
    "datasets",
)  # fmt: skip


def entries(page: str, kind: str) -> list[str]:
    return re.findall(rf"^\.\. {kind}:: (\S+)$", page, flags=re.MULTILINE)


def section(module: str) -> str:
    """The part of the page under the heading of the module."""
    return PAGE.split(f"\n## termburst.{module}\n")[1].split("\n## ")[0]


def test_every_public_name_has_an_entry():
    own = PAGE
    for module in MODULES:
        own = own.replace(section(module), "")
    listed = entries(own, r"(?:auto(?:class|function|exception)|py:data)")
    assert sorted(listed) == sorted(set(tb.__all__) - set(MODULES))


@pytest.mark.parametrize("module", MODULES)
def test_every_name_of_a_module_has_an_entry(module):
    """Sphinx lists names in `__all__` with a docstring. Tables of names have none, so their entries are manual."""
    assert entries(section(module), "automodule") == [f"termburst.{module}"]
    package = import_module(f"termburst.{module}")
    values = {name: getattr(package, name) for name in package.__all__}
    assert all(value.__doc__ for value in values.values())
    data = [name for name, value in values.items() if not (inspect.isclass(value) or inspect.isfunction(value))]
    assert sorted(entries(section(module), "py:data")) == sorted(data)


def test_all_public_modules_are_tested():
    modules = {name for name in tb.__all__ if inspect.ismodule(getattr(tb, name))}
    assert modules <= set(MODULES)
