"""The values from other programs in tests/reference/."""

import tomllib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "reference"


def reference_values(name: str) -> dict[str, Any]:
    """The content of tests/reference/NAME.toml, which says where its values come from."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
