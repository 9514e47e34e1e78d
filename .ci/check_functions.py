"""Check that the functions of a folder stay short: python .ci/check_functions.py FOLDER …

A function has at most 60 lines, from `def` to its last line, its docstring not counted. It has at most ten parameters;
keyword-only ones and `self` or `cls` are not counted, nor are those of a command of the command line, which are its
options.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

LINES = 60
PARAMETERS = 10
Function = ast.FunctionDef | ast.AsyncFunctionDef


def lines(function: Function) -> int:
    """How many lines a function has without its docstring."""
    total = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is not None:
        total -= (first.end_lineno or first.lineno) - first.lineno + 1
    return total


def is_command(function: Function) -> bool:
    """Whether typer makes a command of it: @app.command(), @app.callback() or @reads_text."""
    names = [ast.unparse(item).partition("(")[0].rpartition(".")[2] for item in function.decorator_list]
    return not {"command", "callback", "reads_text"}.isdisjoint(names)


def parameters(function: Function) -> int:
    """How many parameters can be given by position."""
    names = [item.arg for item in (*function.args.posonlyargs, *function.args.args)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def faults(path: Path) -> Iterator[str]:
    """Yield one sentence for every function in the file *path* that is too long or has too many parameters."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, Function):
            where = f"{path}:{node.lineno}: {node.name}"
            if (found := lines(node)) > LINES:
                yield f"{where} has {found} lines; at most {LINES} are allowed"
            if (found := parameters(node)) > PARAMETERS and not is_command(node):
                yield f"{where} has {found} parameters; at most {PARAMETERS} are allowed, keyword-only ones apart"


if __name__ == "__main__":
    files = sorted(path for folder in sys.argv[1:] for path in Path(folder).rglob("*.py"))
    wrong = [fault for path in files for fault in faults(path)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(bool(wrong) or not files)
