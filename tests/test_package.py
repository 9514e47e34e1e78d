"""The public names of the package: each exists, and the import loads nothing heavy."""

import subprocess
import sys

import pytest

import termburst as tb
from termburst import backends, ledgers


@pytest.mark.parametrize("name", tb.__all__)
def test_every_public_name_exists_and_is_documented(name):
    value = getattr(tb, name)
    assert name in dir(tb)
    if name not in ("SCHEMES", "__version__"):
        assert ">>> " in value.__doc__


@pytest.mark.parametrize(("module", "name"), [(one, name) for one in (backends, ledgers) for name in one.__all__])
def test_every_name_of_backends_and_ledgers_has_an_example(module, name):
    if name != "LedgerConflictError":
        assert ">>> " in getattr(module, name).__doc__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'burst'"):
        _ = tb.burst


def test_importing_loads_nothing_heavy():
    heavy = ("numpy", "scipy", "sklearn", "polars", "pandas", "typer", "rich", "nltk")
    script = f"import sys, termburst; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
