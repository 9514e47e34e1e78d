"""Formulas such as "party + year": the design matrix of documents, and contrasts of it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial, update_wrapper
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.display import no_column
from termburst.inference.checks import shown
from termburst.inference.contrast_rows import FARTHEST_VALUE
from termburst.inference.designs import Contrast
from termburst.messages import named
from termburst.questions.compared import warn_of_lone_documents
from termburst.questions.formula_text import MOST_COLUMNS, parsed_formula

Floats = NDArray[np.float64]

STATEFUL = ("bs", "cr", "cs", "cc", "poly", "scale", "center")  # their values depend on all documents
MOST_REPEATED = 10_000_000  # rows of covariates that stand for several documents, for these functions
MOST_CELLS = 1_024  # distinct rows of a design: each has a length table of 23 kB, and is looked up for every term
LARGEST = 1e15  # number in a design: beyond it, an intercept is lost by rounding
BINS = (256, 128, 64, 32, 16, 8)  # classes of a number, if there are too many distinct rows


@dataclass(frozen=True, slots=True)
class Design:
    """A formula applied to the metadata of documents.

    Attributes
    ----------
    rows : the distinct rows of the design matrix, one per design cell.
    cell : the design cell of each document, or of each row of covariates if these stand for several documents.
    names : the names of the columns.
    frame, documents : the distinct rows of covariates, and the number of documents of each.
    levels : the categories and numbers of each document, or of each row of covariates.
    """

    rows: Floats
    cell: NDArray[np.intp]
    names: list[str]
    spec: Any
    frame: pl.DataFrame
    terms: list[tuple[set[str], list[int], bool]]  # variables, columns, and whether all its factors are plain columns
    categories: dict[str, list[Any]]
    documents: Floats
    levels: pl.DataFrame
    strata: str | None = None

    @property
    def variables(self) -> list[str]:
        """The columns of the metadata that the formula names, without the strata."""
        every = dict.fromkeys(name for names, _, _ in self.terms for name in sorted(names))
        return [name for name in every if name != self.strata]

    def contrasts(self, asked: str | Sequence[str] | None = None) -> list[Contrast]:
        """The contrasts that are *asked* for, or by default the first level minus each other, and slopes."""
        if asked is None:
            return [contrast for name in self.variables for contrast in self._default(name)]
        asked = list(asked) if isinstance(asked, Iterable) and not isinstance(asked, str) else [asked]
        if not asked:
            raise ValueError("contrast must have at least one contrast, such as 'party: D - R'")
        return [self._parsed(one) for one in asked]

    def _default(self, name: str) -> list[Contrast]:
        if name in self.categories:
            first, *others = self.categories[name]
            return [self._difference(name, first, other) for other in others]
        if self._is_plain(name):
            return [self._slope(name)]
        values = np.repeat(self.frame[name].to_numpy(), self.documents.astype(np.int64))
        low, high = (float(np.quantile(values, q)) for q in (0.25, 0.75))
        return [self._difference(name, high, low)]

    def _is_plain(self, name: str) -> bool:
        return all(plain for names, _, plain in self.terms if name in names)

    def _parsed(self, text: Any) -> Contrast:
        """A contrast as a user writes it: "party: D - R", "year: 1990 - 1950", or "year" for the slope of a number."""
        if not isinstance(text, str):
            raise ValueError(f"a contrast must be a string such as 'party: D - R'; got {shown(text)}")
        name, _, levels = (part.strip() for part in text.partition(":"))
        if name not in self.variables:
            known = ", ".join(map(repr, self.variables))
            example = f"write it as '{self.variables[0]}: a - b'" if self.variables else "omit it"
            raise ValueError(
                f"the contrast {shown(text)} begins with {name!r:.60}, but the formula has {known}; {example}"
            )
        if not levels:
            if name in self.categories or not self._is_plain(name):
                raise ValueError(f"the contrast {shown(text)} needs two values, such as '{name}: a - b'")
            return self._slope(name)
        sides = levels.split(" - ")
        for cut in range(1, len(sides)):  # a level may have " - " in it
            a, b = (self._level(name, " - ".join(part)) for part in (sides[:cut], sides[cut:]))
            if a is not None and b is not None:
                return self._difference(name, a, b)
        if len(sides) < 2:
            raise ValueError(
                f"a contrast has two values with ' - ' between them, such as '{name}: a - b'; got {shown(text)}"
            )
        known = ", ".join(map(str, self.categories.get(name, ["numbers"])))
        raise ValueError(f"the contrast {shown(text)} has a value that {name!r:.60} does not have; it has {known:.200}")

    def _level(self, name: str, text: str) -> Any:
        """The level that a text names, or None."""
        if name in self.categories:
            return next((level for level in self.categories[name] if str(level) == text.strip()), None)
        try:
            return float(text)
        except ValueError:
            return None

    def _difference(self, name: str, a: Any, b: Any) -> Contrast:
        vector = self._mean_row(name, a) - self._mean_row(name, b)
        shown_values = [f"{value:g}" if isinstance(value, float) else str(value) for value in (a, b)]
        sides = (name, a, b) if name in self.categories else None
        leans = self._leans(name, a, b) if sides else self._number(name, float(a) - float(b))
        return Contrast(f"{name}: {' - '.join(shown_values)}", vector, self._own(name), sides, leans)

    def _number(self, name: str, difference: float) -> Floats | None:
        """A number of each design cell, over the *difference* that is compared."""
        if difference == 0:
            return None
        values, rows = self.levels[name].to_numpy().astype(np.float64), np.bincount(self.cell, minlength=len(self.rows))
        return np.asarray(np.bincount(self.cell, values, len(rows)) / rows / difference)[:, None]

    def _leans(self, name: str, a: Any, b: Any) -> Floats:
        """Which of two values of a category documents have (±½); and whether one of them, if there are others."""
        levels = self.levels[name]
        in_a, in_b = ((levels == one).to_numpy().astype(np.float64) for one in (a, b))
        columns = [(in_a - in_b) / 2] + ([in_a + in_b - 0.5] if len(self.categories[name]) > 2 else [])
        rows = np.bincount(self.cell, minlength=len(self.rows))
        return np.column_stack([np.bincount(self.cell, one, len(rows)) / rows for one in columns])

    def _slope(self, name: str) -> Contrast:
        self._warn_of_far_values(name)
        vector = self._mean_row(name, pl.col(name) + 1) - self._mean_row(name, pl.col(name))
        return Contrast(name, vector, self._own(name), leans=self._number(name, 1.0))

    def _warn_of_far_values(self, name: str) -> None:
        """Warn of a number whose slope rests on very few documents, and whose fits may fail."""
        values = np.repeat(self.frame[name].to_numpy().astype(np.float64), self.documents.astype(np.int64))
        least, low, high, most = np.quantile(values, [0, 0.25, 0.75, 1])
        if 0 < FARTHEST_VALUE * (high - low) < most - least:
            warnings.warn(
                f"half of the documents have {name!r:.60} between {low:g} and {high:g}, but it goes from {least:g} to "
                f"{most:g}: fits of such a slope may fail. Check the extreme values, or use log({name:.60})",
                stacklevel=5,
            )

    def _mean_row(self, name: str, value: Any) -> Floats:
        """The mean over documents of the rows of the design, if all documents had that value."""
        value = value if isinstance(value, pl.Expr) else pl.lit(value)
        frame = self.frame.with_columns(value.cast(self.frame[name].dtype).alias(name))
        mean: Floats = self.documents @ _matrix(self.spec, frame)[0] / self.documents.sum()
        return mean

    def _own(self, name: str) -> NDArray[np.intp]:
        """The columns of the model without other variables; all columns if *name* is only in interactions."""
        own = [column for names, columns, _ in self.terms if names <= {name} for column in columns]
        alone = any(names == {name} for names, _, _ in self.terms)
        return np.array(own if alone else range(len(self.names)), dtype=np.intp)


def design_of(
    formula: str, metadata: pl.DataFrame, strata: str | None = None, documents: NDArray[np.int64] | None = None
) -> Design:
    """Apply a formula to the metadata of documents; with *strata*, that column is one more category in it.

    With *documents*, each row of the metadata stands for that many documents.

    Examples
    --------
    >>> import polars as pl
    >>> of = design_of("party + year", pl.DataFrame({"party": ["D", "R", "D", "R"], "year": [1, 2, 3, 4]}))
    >>> of.names, [contrast.name for contrast in of.contrasts()]
    (['Intercept', 'party[T.R]', 'year'], ['party: D - R', 'year'])
    >>> ordered = pl.DataFrame({"party": pl.Series(["D", "R", "D"], dtype=pl.Enum(["R", "D"]))})
    >>> [contrast.name for contrast in design_of("party", ordered).contrasts()]  # in the order of the Enum
    ['party: R - D']
    """
    if not isinstance(formula, str) or not formula.strip():
        raise ValueError(f"formula must be a string such as 'party + year'; got {shown(formula)}")
    if strata is not None:
        if strata not in metadata.columns:
            raise ValueError(no_column(strata, metadata.columns, " for strata"))
        formula = f"{formula} + C(`{strata}`)"
    parsed, factors = parsed_formula(formula)
    names = list(dict.fromkeys(name for _, used, _ in factors for name in sorted(used)))
    frame, categories = _columns(metadata, names, [used for called, used, _ in factors if called == "C"])
    _check_functions(factors, frame)
    first = np.arange(frame.height)
    if documents is not None and any(called in STATEFUL for called, _, _ in factors):
        frame, first, documents = *_repeated(frame, documents), None
    for bins in (None, *BINS):
        shorter = frame if bins is None else _binned(frame, categories, bins)
        matrix, spec = _matrix(parsed, shorter)
        _check_columns(matrix, list(spec.column_names), strata)
        rows, cell = np.unique(matrix, axis=0, return_inverse=True)
        if len(rows) <= MOST_CELLS or documents is not None or all(name in categories for name in names):
            break
    if len(rows) > MOST_CELLS:
        raise ValueError(
            f"the formula {formula!r:.80} has {len(rows):,} combinations of values, but at most {MOST_CELLS:,} can "
            "be fitted; merge values, or name the column with the most as cluster="
        )
    if bins is not None:
        warnings.warn(f"numbers of the formula were replaced by the means of {bins} classes of them", stacklevel=4)
    terms = [_term(term, list(columns), factors) for term, columns in spec.term_indices.items()]
    distinct, number = _distinct(shorter, documents)
    for name in categories:
        warn_of_lone_documents(_distinct(distinct.select(name), number)[1], f"values of {name!r:.60}")
    cell, levels, columns = cell.ravel()[first], shorter[first], list(spec.column_names)
    return Design(rows, cell, columns, spec, distinct, terms, categories, number, levels, strata)


def _repeated(frame: pl.DataFrame, documents: NDArray[np.int64]) -> tuple[pl.DataFrame, NDArray[np.intp]]:
    """One row per document, and where the documents of each row begin: for functions that depend on all documents."""
    if documents.sum() > MOST_REPEATED:
        raise ValueError(
            f"a formula with {', '.join(STATEFUL)} needs one row per document, for at most {MOST_REPEATED:,} of "
            f"them; there are {documents.sum():,}"
        )
    return frame[np.repeat(np.arange(frame.height), documents)], np.cumsum(documents) - documents


def _distinct(frame: pl.DataFrame, documents: NDArray[Any] | None) -> tuple[pl.DataFrame, Floats]:
    """The distinct rows in order, and the number of documents of each."""
    weight = pl.lit(1) if documents is None else pl.Series("", documents)
    counted = frame.with_columns(weight.alias("\0")).group_by(frame.columns).agg(pl.col("\0").sum())
    counted = counted.sort(frame.columns)
    return counted.drop("\0"), counted["\0"].to_numpy().astype(np.float64)


def _term(term: Any, columns: list[int], factors: list[tuple[str, set[str], str]]) -> tuple[set[str], list[int], bool]:
    """The variables of a term of the formula, its columns, and whether its factors are plain columns."""
    of = {text: (called, used) for called, used, text in factors}
    found = [of[str(factor.expr)] for factor in term.factors if str(factor.expr) in of]
    return set().union(*(used for _, used in found)), columns, all(not called for called, _ in found)


def _columns(
    metadata: pl.DataFrame, names: list[str], coded: list[set[str]]
) -> tuple[pl.DataFrame, dict[str, list[Any]]]:
    """The columns that a formula names, as categories or numbers, and the levels of categories."""
    made, categories = [], {}
    for name in names:
        if name not in metadata.columns:
            raise ValueError(no_column(name, metadata.columns))
        if name == "Intercept" or "\0" in name:
            raise ValueError(f"a column named {name!r:.60} cannot be in a formula; rename it")
        column = metadata[name]
        if column.dtype.is_nested() or column.dtype == pl.Object:
            raise ValueError(
                f"the column {name!r:.60} has lists or objects, but a formula needs text, numbers or dates"
            )
        if column.null_count() or (column.dtype.is_float() and column.is_nan().any()):
            known = f'"{name:.60} IS NOT NULL"' if column.null_count() else f"pl.col({name!r:.60}).is_not_nan()"
            raise ValueError(
                f"{column.null_count() or int(column.is_nan().sum()):,} documents have nothing in the column "
                f"{name!r:.60}; leave them out with " + named("where", python=f"corpus.where({known})")
            )
        if column.dtype.is_temporal() and column.dtype != pl.Duration:
            column = column.dt.year() + (column.dt.ordinal_day() - 1) / 365.25  # dates as years
        if not column.dtype.is_numeric() or any(name in used for used in coded):
            levels = column.unique().sort()  # of an Enum: in its own order
            if not column.dtype.is_numeric():
                column, levels = column.cast(pl.String), levels.cast(pl.String)
                levels = levels if isinstance(metadata.schema[name], pl.Enum) else levels.sort()
            categories[name] = levels.to_list()
        else:
            column = column.cast(pl.Float64)
            if not column.is_finite().all():
                raise ValueError(f"the column {name!r:.60} has numbers that are not finite")
        if column.n_unique() < 2:
            raise ValueError(f"the column {name!r:.60} has only one value, {column[0]!r:.60}: nothing can depend on it")
        made.append(column.rename(name))
    if not made:
        raise ValueError("the formula names no column of the metadata")
    return pl.DataFrame(made), categories


def _check_functions(factors: list[tuple[str, set[str], str]], frame: pl.DataFrame) -> None:
    """Raise ValueError for a function of numbers that is given text."""
    for called, used, text in factors:
        words = [name for name in sorted(used) if called not in ("", "C") and not frame[name].dtype.is_numeric()]
        if words:
            raise ValueError(f"the formula has {text!r:.60}, which needs numbers, but {words[0]!r:.60} has no numbers")


def _binned(frame: pl.DataFrame, categories: dict[str, list[Any]], bins: int) -> pl.DataFrame:
    """The frame with each number replaced by the mean of its class; classes have about equally many documents."""
    made = []
    for name in frame.columns:
        column = frame[name]
        if name not in categories and column.n_unique() > bins:
            place = (column.rank("average") * bins / len(column)).ceil()
            column = frame.select(pl.col(name).mean().over(place.alias("class")))[name]
        made.append(column)
    return pl.DataFrame(made)


def _matrix(formula: Any, frame: pl.DataFrame) -> tuple[Floats, Any]:
    """The design matrix of a formula or of its specification."""
    import pandas as pd
    from formulaic.errors import FormulaicError

    # pandas comes with formulaic, which would turn categories into it by PyArrow, which does not
    columns = pd.DataFrame({column.name: column.to_numpy() for column in frame})
    try:
        with np.errstate(all="ignore"):  # numbers that are not finite are refused below, or here if they are NaN
            found = formula.get_model_matrix(
                columns, output="numpy", context=_context(formula, frame), na_action="raise"
            )
    except (FormulaicError, TypeError, ValueError, IndexError, KeyError, AttributeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        # what formulaic says about a function: which one, then in brackets the type of an error and its message
        factor = re.match(r"Unable to evaluate factor `(.+?)`\. \[\w+: (.*?)\.?\]$", reason)
        problem = f"{factor[1]} cannot be computed ({factor[2]})" if factor else reason
        raise ValueError(f"the formula cannot be used on the metadata: {problem:.200}") from error
    return np.asarray(found, dtype=np.float64), found.model_spec


def _context(formula: Any, frame: pl.DataFrame) -> dict[str, Any]:
    """The functions of a formula or its specification that are not, or not so, among formulaic's own.

    Beside an intercept, the columns of cr, cs and cc are centred: these splines add up to an intercept of their own.
    So do all values of a category that is written without one, as in 0 + party.
    """
    from formulaic.transforms import TRANSFORMS

    context: dict[str, Any] = {"sqrt": np.sqrt}
    terms = [str(term).strip("`") for term in getattr(formula, "formula", formula)]
    categories = {name for name in frame.columns if not frame[name].dtype.is_numeric()}
    if any(term == "1" or term in categories or term.startswith("C(") for term in terms):
        for name in ("cr", "cs", "cc"):
            context[name] = update_wrapper(partial(TRANSFORMS[name], constraints="center"), TRANSFORMS[name])
    return context


def _check_columns(matrix: Floats, names: list[str], strata: str | None) -> None:
    """Raise ValueError if there are too many columns, or if one follows from the others."""
    from scipy.linalg import qr

    if len(names) > MOST_COLUMNS:
        raise ValueError(f"the design has {len(names)} columns, but at most {MOST_COLUMNS} can be fitted; merge values")
    if not np.isfinite(matrix).all():
        raise ValueError("the formula gives numbers that are not finite")
    if np.abs(matrix).max() > LARGEST:
        name = names[int(np.argmax(np.abs(matrix).max(axis=0)))]
        raise ValueError(f"the design has numbers above {LARGEST:g} in {name!r:.60}; write scale({name:.60}) instead")
    size = np.sqrt((matrix**2).mean(axis=0))
    if (size == 0).any():
        raise ValueError(f"the column {names[int(np.argmin(size))]!r:.60} of the design is 0 for all documents")
    of, order = qr(matrix / size, mode="r", pivoting=True)
    diagonal = np.abs(np.diag(of))
    rank = int((diagonal > 1e-9 * diagonal[0]).sum())
    if rank < len(names):
        extra = ", ".join(repr(names[k]) for k in order[rank:][:5])
        within = f"; within the strata of {strata!r:.60} there may be nothing to compare" if strata else ""
        raise ValueError(f"the columns of the design are collinear: {extra} follow from the others{within}; remove one")
