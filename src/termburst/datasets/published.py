"""Published beta-binomial fits, for comparisons."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from termburst.datasets.collection import DamagedDataError, data_file
from termburst.inference.checks import check_name

_WHAT = "the table of published fits"
_FITS = ("term", "alpha_i", "alpha_not_i")
_FILES = {  # name → file, its columns, number of rows
    "20newsgroups": ("published/20ng-beta-binomial-fits.csv", _FITS, 72_916),
    "r8": ("published/r8-beta-binomial-fits.csv", _FITS, 19_966),
    "vgam": (
        "published/vgam-20newsgroups-fits.csv", ("term", "alpha", "alpha_not", "loglik_kernel", "seconds", "status"), 32
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)  # eq: comparing arrays field by field has no single truth value
class PublishedFits:
    """One beta-binomial distribution per term: `alpha` for the term itself, `alpha_not` for all other terms.

    `loglik`, without the binomial coefficients, and `status` are None if they were not published. The numbers of a term
    are NaN if its status is not "converged".
    """

    name: str
    terms: list[str]
    alpha: NDArray[np.float64]
    alpha_not: NDArray[np.float64]
    loglik: NDArray[np.float64] | None = None
    status: list[str] | None = None

    def __len__(self) -> int:
        """The number of terms."""
        return len(self.terms)


def load_published_fits(name: str) -> PublishedFits:
    """Load published fits from `published/` in the data folder.

    "20newsgroups" and "r8" are the fits of the paper's authors, which stopped before they converged. "vgam" has 32
    terms of 20 Newsgroups fitted with R's VGAM; 12 of these fits failed.

    >>> fits = load_published_fits("vgam")  # doctest: +SKIP
    >>> fits.terms[1], round(float(fits.alpha[1]), 5), fits.status[1]  # doctest: +SKIP
    ('baby', 0.02009, 'converged')
    """
    check_name("name", name, _FILES)
    file, names, rows = _FILES[name]
    path = data_file(file, _WHAT)
    try:
        columns = _read_columns(path, names)
        if len(columns["term"]) != rows:
            raise ValueError(f"it must have {rows:,} rows; got {len(columns['term']):,}")
        if name != "vgam":
            alpha, alpha_not = (_positive(columns, column) for column in ("alpha_i", "alpha_not_i"))
            return PublishedFits(name, columns["term"], alpha, alpha_not)
        # A fit with a warning has numbers too, such as alpha = 6e119. They are useless, and NaN makes that visible.
        failed = np.array([status != "converged" for status in columns["status"]])
        alpha, alpha_not, loglik = (
            np.where(failed, np.nan, _floats(columns, column)) for column in ("alpha", "alpha_not", "loglik_kernel")
        )
    except (ValueError, OSError) as error:
        raise DamagedDataError(f"{path} cannot be read as {_WHAT}: {error}") from error
    return PublishedFits(name, columns["term"], alpha, alpha_not, loglik, columns["status"])


def _read_columns(path: Path, names: tuple[str, ...]) -> dict[str, list[str]]:
    # The csv module: a data frame reader could take the terms "null" and "nan" for missing values.
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if not rows or tuple(rows[0]) != names:
        raise ValueError(f"its first line must be {','.join(names)}")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(names):
            raise ValueError(f"line {number} must have {len(names)} cells; got {len(row)}")
    return {column: [row[index] for row in rows[1:]] for index, column in enumerate(names)}


def _floats(columns: dict[str, list[str]], name: str) -> NDArray[np.float64]:
    return np.array([float(cell) if cell else np.nan for cell in columns[name]], dtype=np.float64)


def _positive(columns: dict[str, list[str]], name: str) -> NDArray[np.float64]:
    values = _floats(columns, name)
    bad = np.flatnonzero(~(values > 0))
    if bad.size:
        raise ValueError(f"{name} of {columns['term'][bad[0]]!r} must be above 0; got {values[bad[0]]}")
    return values
