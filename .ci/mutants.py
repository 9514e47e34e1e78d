"""Seed small faults into the code and see whether the tests of their package notice: python .ci/mutants.py --help.

A mutant is one changed statement: a comparison, an operator, a number, a truth value, a condition, or a call that is
left out. Each runs alone, in a copy of the sources, against the quick tests of its own package and its docstrings. A
mutant is named by its function and statement, not by its line, so that the same mutants can be replayed in another
version of the code; those whose statement is no longer there are counted apart.
"""

import argparse
import ast
import copy
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from _shared import ROOT

SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
}  # fmt: skip
WHOLE = ast.Assign | ast.AugAssign | ast.Return | ast.Expr
CONDITIONS = {ast.If: "test", ast.While: "test"}
SKIPPED = ("raise", "require(", "note(", "warn")  # what is only said to users

# An editable installation would come before the copy of the sources.
START = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
sys.path.insert(0, sys.argv.pop(1))
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


class Statement(NamedTuple):
    """A statement, or the condition of a block, by its package, function and text."""

    package: str
    function: str
    text: str


class Place(NamedTuple):
    """Where a statement is in this version of the code: lines from 1, columns in bytes from 0."""

    path: Path
    first: int
    start: int
    last: int
    end: int


def statements(root: Path) -> dict[Statement, Place]:
    """All statements in functions of the package that a mutant may change."""
    found, source = {}, root / "src" / "termburst"
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).parts
        package = parts[0] if len(parts) > 1 else "termburst"
        for function, statement in in_functions(ast.parse(path.read_text(encoding="utf-8"))):
            node: ast.stmt | ast.expr = statement
            if (condition := CONDITIONS.get(type(statement))) is not None:
                node = getattr(statement, condition)
            elif not isinstance(statement, WHOLE):
                continue
            text = ast.unparse(node)
            if faults(text) and not text.startswith(SKIPPED):
                place = Place(path, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
                found[Statement(package, function, text)] = place
    return found


def in_functions(node: ast.AST, name: str = "", inside: bool = False) -> Iterator[tuple[str, ast.stmt]]:
    """The statements in all functions below a node, each with the name of its function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            own = f"{name}.{child.name}" if name else child.name
            yield from in_functions(child, own, inside or not isinstance(child, ast.ClassDef))
        else:
            if inside and isinstance(child, ast.stmt):
                yield name, child
            yield from in_functions(child, name, inside)


def faults(text: str) -> list[tuple[int, str, object]]:
    """The faults that fit a statement: which node of the tree changes, and which field to what."""
    found: list[tuple[int, str, object]] = []
    for index, node in enumerate(ast.walk(ast.parse(text))):
        match node:
            case ast.Expr(value=ast.Call()):
                found.append((index, "value", ast.Constant(None)))
            case ast.Compare(ops=[op, *rest]) if type(op) in SWAPS:
                found.append((index, "ops", [SWAPS[type(op)](), *rest]))
            case ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in SWAPS:
                found.append((index, "op", SWAPS[type(op)]()))
            case ast.UnaryOp(op=ast.Not()):
                found.append((index, "operand", ast.UnaryOp(ast.Not(), copy.deepcopy(node.operand))))
            case ast.Constant(value=bool() as value):
                found.append((index, "value", not value))
            case ast.Constant(value=int() | float() as value):
                found.append((index, "value", value + 1))
    return found


def faulty(text: str, fault: tuple[int, str, object]) -> str:
    """The statement with that fault."""
    tree = ast.parse(text)
    index, field, value = fault
    setattr(list(ast.walk(tree))[index], field, value)
    return ast.unparse(tree)


def apply(after: str, place: Place) -> bytes:
    """The file with *after* in that place; in brackets, since a condition may stand in a larger expression."""
    lines = place.path.read_bytes().splitlines(keepends=True)
    head, tail = lines[place.first - 1][: place.start], lines[place.last - 1][place.end :]
    in_block = head.strip() != b""
    return b"".join(
        [
            *lines[: place.first - 1],
            head,
            f"({after})".encode() if in_block else after.encode(),
            tail,
            *lines[place.last :],
        ]
    )


def own_tests(root: Path, package: str, module: str) -> list[str]:
    """The tests of a package and its docstrings; those of the module itself come first, which saves time."""
    tests, source = root / "tests", root / "src" / "termburst"
    if package == "termburst":
        found = [*sorted(tests.glob("test_*.py")), source / f"{module}.py"]
    else:
        folder = sorted((tests / package).rglob("test_*.py"))
        found = [*folder, *sorted(tests.glob(f"test_{package}*.py")), source / package]
    return [str(path) for path in sorted(found, key=lambda path: path.stem != f"test_{module}")]


def run_tests(tree: Path, tests: list[str], limit: float) -> str:
    """Whether the tests noticed: "killed", "survived", or "stopped" if they did not end in time."""
    source = str(tree / "src")
    options = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not slow"]
    try:
        done = subprocess.run(
            [sys.executable, "-c", START, source, *options, *tests], cwd=tree, timeout=limit, capture_output=True,
            env={**os.environ, "PYTHONPATH": source}, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "stopped"
    return "survived" if done.returncode == 0 else "killed"


def copy_tree(root: Path, folder: Path) -> Path:
    """A copy of all files that git lists, with the compiled core."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (root / name).is_file():
            shutil.copy2(root / name, folder / name)
    import termburst.core

    for library in (path for place in termburst.core.__path__ for path in Path(place).glob("termburst_core*.*")):
        shutil.copy2(library, folder / "src" / "termburst" / "core" / library.name)
    return folder


def drawn(found: dict[Statement, Place], each: int, seed: int, packages: list[str]) -> list[tuple[Statement, str]]:
    """Statements of every package, drawn at random, each with one of its faults."""
    result = []
    for package in packages or sorted({statement.package for statement in found}):
        draw = random.Random(f"{seed} {package}")
        own = sorted(statement for statement in found if statement.package == package)
        for statement in draw.sample(own, min(each, len(own))):
            result.append((statement, faulty(statement.text, draw.choice(faults(statement.text)))))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", help="only these; modules outside of packages are 'termburst'")
    parser.add_argument("--each", type=int, default=15, help="mutants per package (15)")
    parser.add_argument("--seed", type=int, default=0, help="which mutants are drawn (0)")
    parser.add_argument("--replay", type=Path, help="the mutants of a file that --keep wrote, instead of drawn ones")
    parser.add_argument("--keep", type=Path, help="append each mutant and its result to this file, as lines of JSON")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to test (this one)")
    options = parser.parse_args()
    root, found = options.root.resolve(), statements(options.root.resolve())
    if options.replay:
        rows = map(json.loads, options.replay.read_text(encoding="utf-8").splitlines())
        listed = [(Statement(*row["statement"]), row["after"]) for row in rows]
        listed = [row for row in listed if not options.packages or row[0].package in options.packages]
    else:
        listed = drawn(found, options.each, options.seed, options.packages)

    results: dict[str, list[str]] = {}
    limits: dict[str, float] = {}  # per package: an endless loop is a fault that was noticed
    with tempfile.TemporaryDirectory() as name:
        tree = copy_tree(root, Path(name))
        for statement, after in listed:
            package, result = statement.package, "gone"
            if (place := found.get(statement)) is not None:
                tests = own_tests(tree, package, place.path.stem)
                if package not in limits:
                    start = time.monotonic()
                    if run_tests(tree, tests, 1800) != "survived":
                        sys.exit(f"the quick tests of {package} fail without any mutant")
                    limits[package] = 60 + 4 * (time.monotonic() - start)
                copied = tree / place.path.relative_to(root)
                whole = copied.read_bytes()
                copied.write_bytes(apply(after, place))
                result = run_tests(tree, tests, limits[package])
                copied.write_bytes(whole)
            results.setdefault(package, []).append(result)
            print(f"{result:9}{package}: {statement.function}: {statement.text} -> {after}"[:200], flush=True)
            if options.keep:
                with options.keep.open("a", encoding="utf-8") as file:
                    print(json.dumps({"statement": statement, "after": after, "result": result}), file=file)
    for package, outcome in results.items():
        there = [result for result in outcome if result != "gone"]
        noticed = sum(result != "survived" for result in there)
        print(f"{package:15}{noticed:4} of {len(there)} noticed; gone: {outcome.count('gone')}")


if __name__ == "__main__":
    main()
