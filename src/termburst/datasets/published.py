"""Published beta-binomial fits, for comparisons."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from termburst.datasets.collection import DamagedDataError, data_file
from termburst.files import first_line
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
    import polars as pl

    check_name("name", name, _FILES)
    file, names, rows = _FILES[name]
    path = data_file(file, _WHAT)
    try:
        table = pl.read_csv(path, infer_schema=False)  # as text, in which only an empty cell is missing
        if tuple(table.columns) != names:
            raise ValueError(f"its first line must be {','.join(names)}")
        if table.height != rows:
            raise ValueError(f"it must have {rows:,} rows; got {table.height:,}")
        terms = table["term"].to_list()
        alpha, alpha_not, *loglik = (table[column].cast(pl.Float64).to_numpy() for column in names[1:4])
        if name != "vgam":
            for column, values in zip(names[1:], (alpha, alpha_not), strict=True):
                _check_positive(column, values, terms)
            return PublishedFits(name, terms, alpha, alpha_not)
    except (ValueError, OSError, pl.exceptions.PolarsError) as error:
        raise DamagedDataError(f"{path} cannot be read as {_WHAT}: {first_line(error)}") from error
    # A fit with a warning has numbers too, such as alpha = 6e119. They are useless, and NaN makes that visible.
    failed = table["status"].ne_missing("converged").to_numpy()
    alpha, alpha_not, kernel = (np.where(failed, np.nan, values) for values in (alpha, alpha_not, *loglik))
    return PublishedFits(name, terms, alpha, alpha_not, kernel, table["status"].to_list())


def _check_positive(column: str, values: NDArray[np.float64], terms: list[str]) -> None:
    bad = np.flatnonzero(~(values > 0))
    if bad.size:
        raise ValueError(f"{column} of {terms[bad[0]]!r} must be above 0; got {values[bad[0]]}")
