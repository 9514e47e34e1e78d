"""A corpus that every Python has: the docstrings of its standard library, one document per module."""

import ast
import hashlib
import json
import os
import platform
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from termburst.datasets.collection import TextCollection
from termburst.digests import check_digest, header_text, seal
from termburst.files import atomic_path

CACHE_VARIABLE = "TERMBURST_CACHE"

_FORMAT = "1"  # of the cache: increase it when the content of a document changes
_SKIPPED_FOLDERS = frozenset(
    {"site-packages", "dist-packages", "test", "tests", "idle_test", "_bundled", "__pycache__", "lib-dynload"}
)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# The fields of a statement that contain other statements, in the order of the source.
_BLOCKS = ("body", "cases", "handlers", "orelse", "finalbody")

Documents = tuple[list[str], list[str]]  # ids and texts


def load_stdlib(*, cache: bool = True, progress: Callable[[int, int], None] | None = None) -> TextCollection:
    """Load the docstrings of the running Python's standard library; this needs no network and no data folder.

    There is one document per module: its docstring and those of its classes and functions, in the order of the source,
    separated by blank lines. The id is the module's dotted name. Modules without docstrings, tests and installed
    packages are left out. The sources are parsed, never imported.

    Parsing takes some seconds. The result is therefore kept in the folder in the environment variable TERMBURST_CACHE,
    by default the platform's cache folder; `cache=False` neither reads nor writes it. `progress(done, total)` is called
    after each parsed file, and never if the result comes from the cache.

    >>> stdlib = load_stdlib()
    >>> stdlib.texts[stdlib.ids.index("heapq")].splitlines()[0]
    'Heap queue algorithm (a.k.a. priority queue).'
    """
    root = Path(sysconfig.get_paths()["stdlib"])
    path = _cache_file(root) if cache else None
    documents = _read(path) if path is not None else None
    if documents is None:
        documents = _parse_all(root, progress)
        if path is not None:
            _write(path, documents)
    ids, texts = documents
    return TextCollection("stdlib", ids, texts, None, None)


def _parse_all(root: Path, progress: Callable[[int, int], None] | None) -> Documents:
    sources = sorted((_module_name(path.relative_to(root)), path) for path in _source_files(root))
    if not sources:
        raise FileNotFoundError(
            f"the standard library of {sys.executable} has no source files in {root}: use a Python that is installed "
            "with source files, not an embedded or zipped one"
        )
    documents: dict[str, str] = {}
    for done, (name, path) in enumerate(sources, start=1):
        text = "\n\n".join(_docstrings(path))
        if text:
            documents.setdefault(name, text)
        if progress is not None:
            progress(done, len(sources))
    return list(documents), list(documents.values())


def _source_files(root: Path) -> Iterator[Path]:
    for folder, subfolders, files in os.walk(root):
        # Removed in place, so that os.walk never enters site-packages with its many thousand files.
        subfolders[:] = [name for name in subfolders if not _is_skipped(name)]
        yield from (Path(folder, file) for file in files if file.endswith(".py"))


def _is_skipped(folder: str) -> bool:
    return folder in _SKIPPED_FOLDERS or folder.startswith("config-")


def _module_name(relative: Path) -> str:
    parts = relative.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _docstrings(path: Path) -> Iterator[str]:
    """The cleaned docstrings of a file; none if it cannot be parsed, such as templates and examples of bad code."""
    try:
        source = path.read_bytes()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as invalid escapes, which the user cannot correct
            tree = ast.parse(source)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    # Only statements are visited: expressions have no docstrings, and there are ten times as many of them.
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, _DOCUMENTED) and (docstring := ast.get_docstring(node)):
            yield docstring
        for block in reversed(_BLOCKS):
            stack.extend(reversed(getattr(node, block, ())))


def cache_folder() -> Path | None:
    """The folder in TERMBURST_CACHE, or by default the platform's cache folder; None if there is no home folder."""
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named)
    try:
        return _platform_cache() / "termburst"
    except RuntimeError:  # Path.home() raises it if the user has no home folder
        return None


def _platform_cache() -> Path:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    xdg = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return xdg if xdg.is_absolute() else Path.home() / ".cache"  # the XDG standard says to ignore relative paths


def _cache_file(root: Path) -> Path | None:
    """The cache file of the running interpreter for the standard library in `root`."""
    folder = cache_folder()
    if folder is None:
        return None
    digest = hashlib.sha256(f"{_FORMAT}\n{root}".encode()).hexdigest()[:12]
    return folder / f"stdlib-{sys.implementation.name}-{platform.python_version()}-{digest}.json"


def _read(path: Path) -> Documents | None:
    """The ids and texts in a cache file; None if the file is missing or damaged."""
    try:
        with path.open("rb") as stream:
            check_digest(stream, "cache")
            found = json.load(stream)
    except (OSError, ValueError):
        return None
    return found["ids"], found["texts"]


def _write(path: Path, documents: Documents) -> None:
    """Write a cache file completely or not at all. If the folder is not writable, there is no cache and no error."""
    ids, texts = documents
    with suppress(OSError, ValueError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            temporary.write_text(header_text("cache", {"ids": ids, "texts": texts}), encoding="ascii")
            seal(temporary)
