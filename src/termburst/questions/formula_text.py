"""Reading a formula such as "party + log(year)": what it names and calls. All but a few functions are refused."""

from __future__ import annotations

import ast
import re
from typing import Any

FUNCTIONS = ("C", "bs", "cr", "cs", "cc", "poly", "scale", "center", "log", "log10", "log2", "exp", "sqrt")
MOST_COLUMNS = 60
MOST_CROSSINGS = 16  # of * / : in a formula: each may double its terms
MOST_CHARACTERS = 10_000
MOST_POWER = 5  # of (a + b)**2
_MISSING = "formulas need formulaic, which is not installed: pip install 'termburst[designs]'"


def named_columns(formula: str) -> list[str]:
    """The columns that a formula names, in the order in which it names them.

    >>> named_columns("party:period + C(`a b`) + period")
    ['party', 'period', 'a b']
    """
    names = {name for _, used, _ in parsed_formula(formula)[1] for name in used}
    return sorted(names, key=formula.find)


def parsed_formula(formula: str) -> tuple[Any, list[tuple[str, set[str], str]]]:
    """The formula, and of each factor the function it calls, the columns it names, and its text.

    Formulaic evaluates factors as Python, so all but a few functions of columns and numbers are refused.
    """
    try:
        from formulaic import Formula
        from formulaic.errors import FormulaicError
    except ImportError as error:
        raise ValueError(_MISSING) from error
    if not isinstance(formula, str):
        raise ValueError(f"a formula must be a string such as 'party + year'; got {formula!r:.60}")
    _check_size(formula)
    try:
        parsed = Formula(formula)
        terms = list(parsed)
        if not all(hasattr(term, "factors") for term in terms):
            raise ValueError(f"the formula {formula!r:.80} must have no left side; name only covariates")
        factors = {str(factor.expr): factor.eval_method.value for term in terms for factor in term.factors}
    except (FormulaicError, SyntaxError, RecursionError, IndexError, UnicodeError) as error:
        end = re.search(r"[-+*/:~^|(]+\s*$", formula)
        why = f"it ends with {end[0].strip()!r}" if end else "columns need + * or : between them, and ( needs )"
        raise ValueError(
            f"the formula {formula!r:.80} cannot be read: {why}; write it such as 'party + year'"
        ) from error
    return parsed, [_factor(text, how, formula) for text, how in factors.items() if text not in ("0", "1")]


def _check_size(formula: str) -> None:
    """Raise ValueError for a formula that would take for ever to multiply out."""
    outside = re.sub(r"`[^`]*`", "", formula)
    powers = [int(power[:9]) for power in re.findall(r"(?:\*\*|\^)[\s(]*(\d+)", outside)]
    if max(powers, default=0) > MOST_POWER:
        raise ValueError(f"the formula {formula!r:.80} has a power above {MOST_POWER}; write the interactions out")
    if len(re.findall(r"\*\*?|[/:^%]", outside)) > MOST_CROSSINGS or len(formula) > MOST_CHARACTERS:
        raise ValueError(
            f"the formula {formula!r:.80} is too long: at most {MOST_CROSSINGS} interactions and {MOST_CHARACTERS:,} "
            "characters are allowed"
        )


def _factor(text: str, how: str, formula: str) -> tuple[str, set[str], str]:
    if how == "lookup":  # looked up among the columns, not evaluated
        return "", {text}, text
    names: dict[str, str] = {}
    parts = text.split("`")
    if len(parts) > 1 and (len(parts) % 2 == 0 or set(text) & set("\"'\\")):
        # formulaic knows quotes, and a ` within them is none to it: what was looked at here would not be what is run
        raise ValueError(f"the formula {formula!r:.80} has ` beside quotes at {text!r:.60}; rename the column")
    for k in range(1, len(parts), 2):
        names[f"column_{k}_of_formula"] = parts[k]
        parts[k] = f"column_{k}_of_formula"
    try:
        tree = ast.parse("".join(parts), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"the formula {formula!r:.80} cannot be read at {text!r:.60}") from error
    called, used = "", set()
    heads = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
                allowed = ", ".join(FUNCTIONS)
                raise ValueError(f"the formula {formula!r:.80} uses {text!r:.60}; a formula may use only {allowed}")
            _check_spline(node, text)
            called = called or node.func.id
        elif isinstance(node, ast.Name):
            if id(node) not in heads:
                used.add(names.get(node.id, node.id))
        elif not isinstance(node, _HARMLESS):
            raise ValueError(f"the formula {formula!r:.80} uses {text!r:.60}; write it as a column of the metadata")
    return called, used, text


def _check_spline(call: ast.Call, text: str) -> None:
    """Raise ValueError if a call asks for more columns than a design can have."""
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg in ("df", "degree"))]
    numbers = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, int)]
    if max(numbers, default=0) > MOST_COLUMNS:
        raise ValueError(f"{text!r:.60} asks for {max(numbers):.3g} columns; at most {MOST_COLUMNS} can be fitted")


_HARMLESS = (ast.Constant, ast.keyword, ast.Load, ast.List, ast.Tuple, ast.UnaryOp, ast.USub)
