"""Public names that are loaded when they are first used, so that importing a package is fast."""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

_IMPORT = re.compile(r"^    from (\S+) import (\w+) as \w+$", re.MULTILINE)


def lazy(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The functions `__getattr__` and `__dir__` of a package, and its list `__all__`.

    The names are those that the package imports, one per line, under `if TYPE_CHECKING`, which only editors and type
    checkers execute. Its own source says which they are.

    Examples
    --------
    >>> get, names, public = lazy("termburst.weights")
    >>> get("SCHEMES") is import_module("termburst.weights.schemes").SCHEMES, names()[:2]
    (True, ['SCHEMES', 'Weights'])
    """
    module = sys.modules[package]
    source = "".join(linecache.getlines(str(module.__file__), vars(module)))  # also in a zip file
    assert source, f"{package} reads its public names from its own .py files, and they are not here"
    home = {name: place for place, name in _IMPORT.findall(source.partition("if TYPE_CHECKING:")[2])}

    def get(name: str) -> Any:
        if name not in home:
            # Python asks before it imports a module of that name.
            hint = "" if find_spec(f"{package}.{name}") else import_module("termburst.display").did_you_mean(name, home)
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        is_module = home[name] == package
        value = import_module(f"{package}.{name}") if is_module else getattr(import_module(home[name]), name)
        setattr(module, name, value)
        return value

    return get, lambda: sorted(home), list(home)
