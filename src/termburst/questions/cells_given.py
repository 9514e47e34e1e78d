"""Statistics per cell as input of a design: documents with the same values of the covariates are one cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.inference.checks import shown
from termburst.models.cells import TermCells, term_cells
from termburst.questions.formula_text import named_columns
from termburst.statistics.merging import laid_onto
from termburst.statistics.term_statistics import TermStatistics


def cells_of(
    X: Mapping[Any, Any], formula: str, names: Any, strata: str | None = None
) -> tuple[list[TermCells], NDArray[np.object_], pl.DataFrame]:
    """The cells of each collection over the same terms, the names of these, and one row of covariates for each.

    Parameters
    ----------
    X : from the values of the covariates to the statistics of the documents that have them
    names : of the covariates; by default those in the formula, in its order

    Examples
    --------
    >>> s = TermStatistics.from_counts([[1, 2]], ["so", "it"], detail="patterns")
    >>> parts, names, frame = cells_of({"D": s, "R": s}, "party", None)
    >>> len(parts), names.tolist(), frame.rows()
    (2, ['so', 'it'], [('D',), ('R',)])
    """
    statistics, frame = list(X.values()), _covariates(list(X), names, formula, strata)
    if len(statistics) < 2:
        raise ValueError(f"a comparison needs at least two cells; got {len(statistics)}")
    for number, one in enumerate(statistics):
        if not isinstance(one, TermStatistics) or one.terms is None:
            raise ValueError(f"cells must be TermStatistics with names of terms; cell {number} is {shown(one)}")
        if one.rows is None or one.rows.length is None:
            raise ValueError(
                f'cell {number} has no patterns, which a formula needs: build its statistics with detail="patterns"'
            )
    terms: NDArray[np.object_] = statistics[0].terms
    if not all(np.array_equal(one.terms, terms) for one in statistics):
        terms = np.array(sorted(set().union(*(one.terms.tolist() for one in statistics))), dtype=np.object_)
    return [term_cells(laid_onto(one, terms)) for one in statistics], terms, frame


def frame_of(metadata: Any) -> pl.DataFrame:
    """Metadata as a frame; ValueError if that is not possible."""
    if isinstance(metadata, pl.DataFrame):
        return metadata
    if isinstance(metadata, Mapping):
        metadata = {name: _one_kind(values) for name, values in metadata.items()}
    try:
        return pl.DataFrame(metadata)
    except Exception as error:
        raise ValueError(
            f"metadata must be columns such as {{'year': years}}, or a frame; got {shown(metadata)}"
        ) from error


def _one_kind(values: Any) -> Any:
    """The same column; a list of whole and decimal numbers, which Polars refuses, as decimal numbers.

    >>> _one_kind([1, 2.5, None]), _one_kind([1, "x"])
    ([1.0, 2.5, None], [1, 'x'])
    """
    if isinstance(values, (list, tuple)) and {int, float} <= {*map(type, values)} <= {int, float, type(None)}:
        return [None if value is None else float(value) for value in values]
    return values


def _covariates(keys: Sequence[Any], names: Any, formula: str, strata: str | None) -> pl.DataFrame:
    """The parts of the keys as columns, named as *names* say, or as the formula names its columns."""
    if names is None:
        names = named_columns(formula)
        names = names if strata is None or strata in names else [*names, strata]
    if isinstance(names, str) or not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"metadata must be the names of the parts of the keys, such as ['party']; got {shown(names)}")
    rows = [key if isinstance(key, tuple) else (key,) for key in keys]
    for key, row in zip(keys, rows, strict=True):
        if len(row) != len(names):
            raise ValueError(
                f"the key {shown(key)} has {len(row)} values, but there are {len(names)} columns, "
                f"{', '.join(map(repr, names)):.200}; give their names with metadata="
            )
    try:
        return pl.DataFrame(rows, schema=list(names), orient="row", infer_schema_length=None)
    except Exception as error:
        raise ValueError("values of a column of the keys must have one type, and no name may come twice") from error
