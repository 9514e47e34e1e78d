"""What Figs 4 and 5 share: the beta-binomial fits of every term, exact and published."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from termburst import plot
from termburst.models.fit_beta_binomial import beta_binomial_log_likelihood
from termburst.paper.collections import Collections, Corpus, Fitted
from termburst.paper.markdown import percent, table
from termburst.paper.results import PLACES, Picture, Row, Section, compare, judged, published

Shares = tuple[float, float]  # percentages of terms with α_i < 0.1 and with α_¬i > 10
_KEYS = ("terms with α_i < 0.1, %", "terms with α_¬i > 10, %")


def section(corpus: Corpus, what: str, collections: Collections) -> Section:
    """Fig. 4 or 5 from its collection; *what* says how the collection was prepared."""
    name, place = corpus.fits, PLACES[corpus.fits]
    fitted: Fitted = getattr(collections, name)
    fit, theirs = fitted.fit, fitted.published
    boundary = percent(fit.status == "boundary")
    exact = shares(fit.alpha, fit.alpha_not)
    inside = fit.status == "converged"
    interior = shares(fit.alpha[inside], fit.alpha_not[inside])
    as_many = "" if theirs is None else "the authors' file has as many"  # and the same: `Collections` checks it
    rows, lines = [judged(f"{place}: terms", None, len(fitted.terms), as_many)], []
    for position, key in enumerate(_KEYS):
        if theirs is None:
            item = f"{place}: {key}, from the published fits"
            rows.append(Row(item, published()[name][key], None, None, f"not done: {fitted.missing}"))
        else:
            from_theirs = shares(theirs.alpha, theirs.alpha_not)[position]
            rows.append(compare(name, key, from_theirs, label=", from the published fits"))
        why = f"{boundary:.1f} % of the terms have no interior maximum: there the binomial (α_0 → ∞) is the best fit"
        rows.append(compare(name, key, exact[position], erratum=3, label=", exact fits, all terms", note=why))
        rows.append(compare(name, key, interior[position], erratum=3, label=", exact fits, interior terms"))
        cells = (f"{share} %" for share in (published()[name][key], *(f"{x[position]:.2f}" for x in (exact, interior))))
        lines.append([key.removesuffix(", %"), *cells])
    for term, printed in published()[name]["fits"].items():
        rows += _term_rows(place, fitted, term, printed)
    text = (
        f"{what}: {len(fit.alpha):,} terms. The published fits are not maxima (erratum 3). With exact fits "
        f"{boundary:.1f} % of the terms have no interior maximum at all: for them the binomial itself is the supremum, "
        "α_0 → ∞. The paper's conclusion, that α_i is small and α_¬i large, holds for the terms with an interior "
        "maximum; its percentages do not hold.\n\n"
        + table(["", "published", "exact, all terms", "exact, interior terms"], lines)
    )
    pair = None if theirs is None else (theirs.alpha, theirs.alpha_not)
    figure = plot.fitted_parameters(fit, published=pair, highlight=list(published()[name]["fits"]), terms=fitted.terms)
    beside = "" if theirs is None else " beside the published ones"
    caption = (
        f"Fitted α_i and α_¬i of every term, natural logarithms: exact fits{beside}. {what}. Terms "
        "without an interior maximum are in the separate bar at the right."
    )
    pictures = [Picture(name, caption, figure)]
    if theirs is not None:
        low, low_not = (
            percent(theirs.alpha[inside] < fit.alpha[inside]),
            percent(theirs.alpha_not[inside] < fit.alpha_not[inside]),
        )
        shifted = (
            "The same fits, exact and published. Of the terms with an interior maximum the published α_¬i is below the "
            f"exact one for {low_not:.1f} % and the published α_i for {low:.1f} %: starting from (1, 1), α_¬i mostly "
            "stopped before the maximum and α_i went past it. The published precision is too small: the fits are "
            "shifted down the ridge."
        )
        pictures.append(Picture(f"{name}-scatter", shifted, plot.fit_scatter(fit, published=pair)))
    return Section(name, f"{place}: fits of every term", text, rows, pictures)


def shares(alpha: NDArray[np.float64], alpha_not: NDArray[np.float64]) -> Shares:
    """The percentages of the paper; a term at the boundary has infinite α_i and α_¬i."""
    return percent(alpha < 0.1), percent(alpha_not > 10)


def _term_rows(place: str, fitted: Fitted, term: str, printed: list[str]) -> list[Row]:
    """Two rows, with the log-likelihoods of the published values and of ours."""
    fit, column, theirs = fitted.fit, fitted.statistics.index(term), fitted.published
    n_ij = fitted.counts[:, [column]].toarray().ravel()
    documents = np.column_stack([n_ij, fitted.counts.sum(axis=1).A1 - n_ij])
    pair, elsewhere = (float(printed[0]), float(printed[1])), ""
    if theirs is not None:
        filed = (float(theirs.alpha[column]), float(theirs.alpha_not[column]))
        beside = [judged("", text, value) for text, value in zip(printed, filed, strict=True)]
        if all(row.agrees for row in beside):
            pair = filed  # with all its digits
        else:
            elsewhere = f"; the authors' file has ({', '.join(row.shown() for row in beside)})"
    at_theirs = beta_binomial_log_likelihood(documents, *pair)[0]
    note = f"log-likelihood {fit.loglik[column]:,.3f}; {at_theirs:,.3f} at the published pair{elsewhere}"
    found = (float(fit.alpha[column]), float(fit.alpha_not[column]))
    return [
        judged(f"{place}: {symbol} of {term!r}", text, value, note, erratum=3)
        for symbol, text, value in zip(("α_i", "α_¬i"), printed, found, strict=True)
    ]
