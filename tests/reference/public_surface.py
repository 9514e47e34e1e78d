"""Write every public name of termburst with its parameters: python tests/reference/public_surface.py > FILE

Run it at each release and keep the file: tests/test_surface.py compares the names that users have with those that are.
"""

import inspect
import json
import sys
from importlib import import_module
from typing import Any

MODULES = (
    "termburst",
    "termburst.engines",
    "termburst.retrieval",
    "termburst.plot",
    "termburst.datasets",
    "termburst.report",
)


def parameters(value: Any) -> list[str] | None:
    """The names of the parameters; None if there is no signature."""
    try:
        return list(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return None


def surface() -> dict[str, list[str] | None]:
    """Parameters by public name; of classes also those of the public methods, and None for attributes."""
    found: dict[str, list[str] | None] = {}
    for module in map(import_module, MODULES):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.ismodule(value):
                continue
            full = f"{module.__name__}.{name}"
            found[full] = parameters(value) if callable(value) else None
            if inspect.isclass(value):
                members = [member for member in dir(value) if not member.startswith("_")]
                for member in members:
                    method = getattr(value, member, None)
                    found[f"{full}.{member}"] = parameters(method) if inspect.isroutine(method) else None
    return found


if __name__ == "__main__":
    json.dump(surface(), sys.stdout, indent=0, sort_keys=True)
    sys.stdout.write("\n")
