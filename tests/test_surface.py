"""What users of the last version wrote still works: each of its names and parameters is still there, or warns."""

import importlib.util
import json
from pathlib import Path

REFERENCE = Path(__file__).parent / "reference"
LAST = max(REFERENCE.glob("surface-*.json"))

specification = importlib.util.spec_from_file_location("public_surface", REFERENCE / "public_surface.py")
public_surface = importlib.util.module_from_spec(specification)
specification.loader.exec_module(public_surface)

RENAMED: dict[str, str] = {}  # an old name that still works with a DeprecationWarning, and the new one


def test_every_name_and_parameter_of_the_last_version_is_still_there():
    before, now = json.loads(LAST.read_text(encoding="utf-8")), public_surface.surface()
    assert len(before) > 300
    gone = [name for name in before if name not in now and name not in RENAMED]
    assert gone == []
    lost = {name: set(old) - set(now[name] or ()) for name, old in before.items() if old and name in now}
    free = {name for name in lost if now[name] and {"kwargs", "options"} & set(now[name])}
    assert {name: missing for name, missing in lost.items() if missing and name not in free} == {}
