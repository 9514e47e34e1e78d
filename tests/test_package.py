"""The public names of the package: each exists, and the import loads nothing heavy."""

import ast
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import termburst as tb

LAZY = ["termburst", *(f"termburst.{name}" for name in ("concordance", "inference", "models", "questions", "weights"))]
PACKAGES = [*LAZY, *(f"termburst.{name}" for name in ("backends", "ledgers"))]
UNDOCUMENTED = {"SCHEMES", "__version__", "LedgerConflictError", "HeldOut"}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_exists_and_is_documented(package):
    module = import_module(package)
    for name in module.__all__:
        value = getattr(module, name)
        assert name in UNDOCUMENTED or ">>> " in value.__doc__, name
        in_package = package != "termburst" and hasattr(module, "__path__")
        assert not in_package or find_spec(f"{package}.{name}") is None, f"{name} is also a module"


@pytest.mark.parametrize("package", LAZY)
def test_type_checkers_see_the_names_that_are_loaded(package):
    module = import_module(package)
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    typed = next(node for node in tree.body if isinstance(node, ast.If))
    assert ast.unparse(typed.test) == "TYPE_CHECKING"
    for node in typed.body:
        for alias in node.names:
            assert alias.name == alias.asname
            found = import_module(node.module)
            assert getattr(found, alias.name) is getattr(module, alias.name)
    assert sorted(alias.name for node in typed.body for alias in node.names) == dir(module) == sorted(module.__all__)


def test_few_names_are_public():
    assert len(tb.__all__) <= 40


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'burst'"):
        _ = tb.burst
    with pytest.raises(AttributeError, match="did you mean 'keyness'"):
        _ = tb.kyness


def test_importing_loads_nothing_heavy():
    heavy = ("numpy", "scipy", "sklearn", "polars", "pandas", "typer", "rich", "nltk")
    script = (
        f"import sys, {', '.join(LAZY)}; print([m for m in {heavy!r} if m in sys.modules]); import termburst as tb; "
        "tb.models, tb.questions, dir(tb)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
