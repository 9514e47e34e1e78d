"""Public names that are loaded when they are first used, so that importing a package is fast."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def lazy(
    package: str, homes: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The functions `__getattr__` and `__dir__` of a package, and its list `__all__`.

    Parameters
    ----------
    package : its name
    homes : the modules inside the package with their public names; "" has modules that are public themselves

    Examples
    --------
    >>> get, names, public = lazy("termburst", {"messages": ["named"], "": ["messages"]})
    >>> get("named") is get("messages").named, names()
    (True, ['messages', 'named'])
    """
    home = {name: module for module, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name not in home:
            is_module = find_spec(f"{package}.{name}") is not None  # Python asks before it imports one
            hint = "" if is_module else import_module("termburst.display").did_you_mean(name, home)
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        if home[name]:
            value = getattr(import_module(f"{package}.{home[name]}"), name)
        else:
            value = import_module(f"{package}.{name}")
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(home), list(home)
