"""What users of the last version wrote still works: each of its names and parameters is still there, or warns."""

import importlib.util
import json
import re
from importlib import import_module
from pathlib import Path

import pytest

REFERENCE = Path(__file__).parent / "reference"
LAST = max(REFERENCE.glob("surface-*.json"))

specification = importlib.util.spec_from_file_location("public_surface", REFERENCE / "public_surface.py")
public_surface = importlib.util.module_from_spec(specification)
specification.loader.exec_module(public_surface)

# An old name that still works with a DeprecationWarning, and the new one.
RENAMED = {"termburst.report.Documents": "termburst.report.CountedCorpus"}

# Parameters that are gone on purpose, because what they set is gone; CHANGELOG.md says so.
REMOVED = {
    "termburst.keyness_groups": {"draws", "seed", "of"},
    "termburst.keyness": {"of"},
    "termburst.read": {"drop_duplicates"},
    "termburst.burstiness_test": {"test"},
    "termburst.engines.burstiness_test": {"test"},
    "termburst.engines.keyness": {"of"},
}

# Names that have a new one, without the old.
REPLACED = {"termburst.recommended": "termburst.recommended_scheme"}


def now_called(name: str) -> str:
    """The name of today, also of what belongs to a class that was renamed."""
    now = RENAMED | REPLACED
    old = next((old for old in now if name == old or name.startswith(f"{old}.")), None)
    return name if old is None else now[old] + name.removeprefix(old)


def test_every_name_and_parameter_of_the_last_version_is_still_there():
    before, now = json.loads(LAST.read_text(encoding="utf-8")), public_surface.surface()
    assert len(before) > 300
    before = {now_called(name): old for name, old in before.items()}
    assert [name for name in before if name not in now] == []
    public = {name: {one for one in old or () if one[0] != "_"} for name, old in before.items()}
    kept = {name: old - REMOVED.get(name, set()) for name, old in public.items()}
    lost = {name: old - set(now[name] or ()) for name, old in kept.items() if old}
    free = {name for name in lost if now[name] and {"kwargs", "options"} & set(now[name])}
    assert {name: missing for name, missing in lost.items() if missing and name not in free} == {}


def test_what_is_gone_is_gone_and_in_the_changelog():
    now, changes = public_surface.surface(), (REFERENCE.parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")
    for name, parameters in REMOVED.items():
        assert not parameters & set(now[name])
        assert all(f"`{word}`" in changes for word in (*parameters, name.rpartition(".")[2]))


@pytest.mark.parametrize(("old", "new"), REPLACED.items())
def test_a_replaced_name_is_answered_with_the_new_one(old, new):
    module, _, name = old.rpartition(".")
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; did you mean '{new.rpartition('.')[2]}'"):
        getattr(import_module(module), name)


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_an_old_name_works_and_says_the_new_one(old, new):
    module, _, name = old.rpartition(".")
    with pytest.warns(DeprecationWarning, match=re.escape(f"{old} is now {new}; ")):
        found = getattr(import_module(module), name)
    assert found is getattr(import_module(new.rpartition(".")[0]), new.rpartition(".")[2])
    with pytest.raises(AttributeError, match="no attribute 'never_there'"):
        _ = import_module(module).never_there
