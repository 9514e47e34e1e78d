"""The cache folder of each platform."""

import sys
from pathlib import Path

import pytest

from termburst.datasets.stdlib import cache_folder


@pytest.mark.parametrize(
    ("system", "variable", "usual"),
    [
        ("linux", "XDG_CACHE_HOME", ".cache"),
        ("darwin", None, "Library/Caches"),
        ("win32", "LOCALAPPDATA", "AppData/Local"),
    ],
)
def test_cache_folder_of_each_platform(tmp_path, monkeypatch, system, variable, usual):
    for name in ("TERMBURST_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_folder() == tmp_path / usual / "termburst"
    if variable is not None:
        monkeypatch.setenv(variable, str(tmp_path / "set"))
        assert cache_folder() == tmp_path / "set" / "termburst"
    monkeypatch.setenv("TERMBURST_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"
