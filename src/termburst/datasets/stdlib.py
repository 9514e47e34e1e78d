"""A corpus that every Python has: the docstrings of its standard library, one document per module."""

import ast
import os
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from termburst.datasets import cache as stored
from termburst.datasets.collection import TextCollection

_SKIPPED_FOLDERS = frozenset(
    {"site-packages", "dist-packages", "test", "tests", "idle_test", "_bundled", "__pycache__", "lib-dynload"}
)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# The fields of a statement that contain other statements, in the order of the source.
_BLOCKS = ("body", "cases", "handlers", "orelse", "finalbody")


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
    path = stored.stdlib_file(root) if cache else None
    documents = stored.read(path) if path is not None else None
    if documents is None:
        documents = _parse_all(root, progress)
        if path is not None:
            stored.write(path, documents)
    ids, texts = documents
    return TextCollection("stdlib", ids, texts, None, None)


def _parse_all(root: Path, progress: Callable[[int, int], None] | None) -> tuple[list[str], list[str]]:
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
