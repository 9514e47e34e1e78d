"""What differs between two answers: integers and strings are equal, reals and p-values within a bound."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import polars as pl
from battery.asked import cells

import termburst as tb
from helpers.frames import local
from termburst.inference.plr import Explanation
from termburst.questions.corpus_check import CorpusCheck
from termburst.weights.weight_files import Weights

REALS, P_VALUES = 1e-9, 1e-8  # reals: of max(1, |x|); p-values: of themselves
KEYS = ("id", "document", "term", "contrast", "group", "position", "weight")
IDS = ("id", "document", "duplicate_of", "example")
IS_P = re.compile(r"p_value|q_value|least_p|p_upper|[pq]_(together|after|documents|plr|lr|score)")


def plain(answer: Any, *, ordered: bool = True) -> Any:
    """An answer as frames, dictionaries, lists and numbers."""
    if isinstance(answer, Weights):
        answer = cells(answer.matrix, answer.documents, answer.terms)
    if isinstance(answer, CorpusCheck):
        answer = answer.to_dict()
    if isinstance(answer, dict) and "false_alarms" in answer:  # of a check; the answer in words names options
        return {name: _table(value) for name, value in answer.items() if name != "answer"}
    if isinstance(answer, Explanation):
        return {"parts": dict(answer.parts), "plr": answer.plr, "n": answer.n_i, "b": answer.b_i}
    if isinstance(answer, tb.TermStatistics):
        return replace(answer, batches=(), counting=None)
    if isinstance(answer, (dict, list, tuple, str, int, float)):
        return answer
    frame = _table(local(answer))
    return frame if ordered else frame.sort([name for name in KEYS if name in frame.columns])


def _table(rows: Any) -> Any:
    """A frame, or a list of rows, without the folder or archive in ids; other values as they are."""
    if not isinstance(rows, (list, pl.DataFrame)):
        return rows
    frame = pl.DataFrame(rows, infer_schema_length=None) if isinstance(rows, list) else rows
    frame = frame.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    ids = (pl.col(name).cast(pl.String).str.replace("^.*/", "") for name in IDS if name in frame.columns)
    return frame.with_columns(ids)


def differences(found: Any, expected: Any, where: str = "") -> list[str]:
    """What differs, one sentence each.

    >>> differences({"n": 1, "p_value": 1e-12}, {"n": 2, "p_value": 1.1e-12})
    ['n: 1, not 2', 'p_value: 1e-12, not 1.1e-12']
    """
    if isinstance(expected, pl.DataFrame):
        if _kinds(found) != _kinds(expected):
            return [f"{where}: {_kinds(found)}, not {_kinds(expected)}"]
        found, expected = (table.to_dict(as_series=False) for table in (found, expected))
    if isinstance(expected, dict):
        if list(found) != list(expected):
            return [f"{where}: {list(found)}, not {list(expected)}"]
        return [one for key in expected for one in differences(found[key], expected[key], f"{where} {key}".strip())]
    if isinstance(expected, (list, tuple)):
        if len(found) != len(expected):
            return [f"{where}: {len(found)} values, not {len(expected)}"]
        pairs = enumerate(zip(found, expected, strict=True))
        return [one for k, (left, right) in pairs for one in differences(left, right, f"{where}[{k}]")]
    is_same = found == expected or _close(found, expected, where)
    return [] if is_same else [f"{where}: {found!r}, not {expected!r}"]


def _kinds(frame: pl.DataFrame) -> dict[str, str]:
    """Whether each column has integers, reals or something else."""
    return {
        name: "integers" if kind.is_integer() else "reals" if kind.is_float() else str(kind)
        for name, kind in frame.schema.items()
    }


def _close(found: Any, expected: Any, where: str) -> bool:
    """Whether both are reals that are nearly equal; NaN is no number, as null."""
    left, right = (math.nan if value is None else value for value in (found, expected))
    if not all(isinstance(value, (int, float)) for value in (left, right)) or type(found) is type(expected) is int:
        return False
    if not (math.isfinite(left) and math.isfinite(right)):
        return math.isnan(left) and math.isnan(right)
    name = where.rpartition(" ")[2].partition("[")[0]
    bound = P_VALUES * abs(right) if IS_P.fullmatch(name) else REALS * max(1.0, abs(right))
    return abs(left - right) <= bound
