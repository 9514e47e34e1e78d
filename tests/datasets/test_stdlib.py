"""The docstrings of the standard library, and their cache."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from termburst.datasets import load_stdlib
from termburst.datasets.stdlib import cache_folder


@pytest.fixture
def small_stdlib(tmp_path, monkeypatch):
    """A standard library of a few files, with its own cache folder."""
    root = tmp_path / "lib"
    sources = {
        "whole.py": (
            '"""First."""\n\nraise SystemExit("imported")\n\n'
            'class C:\n    """Second.\n\n        Indented.\n    """\n\n'
            '    def f(self):\n        """Third."""\n        def g():\n            """Fourth."""\n\n'
            'try:\n    pass\nexcept E:\n    async def h():\n        """Fifth."""\n'
            'else:\n    def i():\n        """Sixth."""\n'
        ),
        "package/__init__.py": '"""A package with a bad escape: \\d."""\n',
        "package/module.py": "'One of its modules.'\n",
        "silent.py": "x = 1\n",
        "broken.py": '"""Broken."""\ndef (:\n',
        "null.py": '"""Null\0."""\n',
    }
    skipped = ["test", "package/tests", "package/idle_test", "site-packages", "dist-packages", "ensurepip/_bundled"]
    sources |= {f"{folder}/skipped.py": '"""Skipped."""\n' for folder in [*skipped, "config-3.11-linux", "__pycache__"]}
    for name, source in sources.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(source)
    paths = sysconfig.get_paths() | {"stdlib": str(root)}
    monkeypatch.setattr("sysconfig.get_paths", lambda: paths)
    monkeypatch.setenv("TERMBURST_CACHE", str(tmp_path / "cache"))
    return root


def cache_files():
    return sorted(Path(os.environ["TERMBURST_CACHE"]).iterdir())


def test_stdlib_documents_and_what_is_left_out(small_stdlib):
    stdlib = load_stdlib(cache=False)
    assert stdlib.ids == ["package", "package.module", "whole"]
    assert stdlib.texts[0] == "A package with a bad escape: \\d."
    assert stdlib.texts[2] == "First.\n\nSecond.\n\nIndented.\n\nThird.\n\nFourth.\n\nFifth.\n\nSixth."
    assert stdlib.labels is None


def test_stdlib_progress_counts_every_file(small_stdlib):
    calls = []
    load_stdlib(progress=lambda done, total: calls.append((done, total)))
    assert calls == [(done, 6) for done in range(1, 7)]
    load_stdlib(progress=lambda done, total: pytest.fail("the cache was not used"))


def test_stdlib_from_the_cache_is_the_same(small_stdlib):
    parsed = load_stdlib()
    [file] = cache_files()  # and no temporary file
    assert file.name.startswith(f"stdlib-{sys.implementation.name}-{sys.version_info.major}.{sys.version_info.minor}.")
    (small_stdlib / "whole.py").unlink()
    cached = load_stdlib()
    assert (cached.ids, cached.texts) == (parsed.ids, parsed.texts)
    assert "whole" not in load_stdlib(cache=False).ids


@pytest.mark.parametrize(
    "damage",
    [lambda content: content[:-20], lambda content: b"", lambda content: content.replace(b"First", b"Fiest")],
)
def test_stdlib_damaged_cache_is_rebuilt(small_stdlib, capfd, damage):
    parsed = load_stdlib()
    [file] = cache_files()
    content = file.read_bytes()
    file.write_bytes(damage(content))
    assert load_stdlib().texts == parsed.texts
    assert file.read_bytes() == content
    assert capfd.readouterr() == ("", "")


def test_stdlib_without_a_writable_cache(small_stdlib, monkeypatch):
    # A file in place of the folder, since permissions do not stop every user (root).
    monkeypatch.setenv("TERMBURST_CACHE", str(small_stdlib / "silent.py"))
    assert len(load_stdlib()) == 3
    monkeypatch.setenv("TERMBURST_CACHE", str(small_stdlib / "silent.py" / "below"))
    assert len(load_stdlib()) == 3


def test_stdlib_without_a_home_folder(small_stdlib, monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    for variable in ("TERMBURST_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert cache_folder() is None
    assert len(load_stdlib()) == 3


def test_stdlib_without_sources(tmp_path, monkeypatch):
    monkeypatch.setattr("sysconfig.get_paths", lambda: {"stdlib": str(tmp_path / "python311.zip")})
    with pytest.raises(FileNotFoundError, match="no source files"):
        load_stdlib(cache=False)


@pytest.mark.slow
def test_the_real_stdlib_is_read_and_not_imported():
    script = (
        "import sys; from termburst.datasets import load_stdlib; stdlib = load_stdlib(cache=False)\n"
        "assert {'argparse', 'heapq', 'json', 'json.decoder'} <= set(stdlib.ids)\n"
        "assert len(stdlib) == len(set(stdlib.ids)) > 400\n"
        "assert not {'test', 'tests', 'site-packages'} & {part for name in stdlib.ids for part in name.split('.')}\n"
        "assert not {'antigravity', 'this', 'turtle', 'idlelib', 'polars', 'sklearn', 'nltk'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
