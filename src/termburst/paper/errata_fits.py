"""Erratum 3: the published beta-binomial fits are not maxima."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from termburst.datasets import PublishedFits, load_published_fits
from termburst.models.fit_beta_binomial import beta_binomial_log_likelihood
from termburst.paper import from_scratch
from termburst.paper.collections import CORPORA, Collections, Corpus, Fitted
from termburst.paper.markdown import percent, rendered, rounded_up, show, significant, table
from termburst.paper.results import Erratum, Row, published
from termburst.paper.results import erratum_row as row

Floats = NDArray[np.float64]

WITNESS = 1e-6  # log-likelihood units; SciPy adds up to 11,003 documents, −4e5 in all


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Exact and published fits of a collection; arrays have one entry per term."""

    corpus: Corpus
    fitted: Fitted
    theirs: PublishedFits
    theirs_loglik: Floats
    gain: Floats  # of the exact fit over the published one
    inside: NDArray[np.bool_]  # whether the exact fit has an interior maximum
    binomial_wins: NDArray[np.bool_]  # over the published fit


@dataclass(frozen=True, slots=True)
class _Term:
    """A term that the paper names: its counts and its two fits with their log-likelihoods."""

    name: str
    n_ij: NDArray[np.int64]
    n_j: NDArray[np.int64]
    theirs: tuple[float, float]
    theirs_loglik: float
    exact: tuple[float, float]
    exact_loglik: float
    binomial_loglik: float

    def witness_gap(self) -> float:
        """The largest difference of SciPy's beta-binomial and binomial from these log-likelihoods."""
        scipy = [
            from_scratch.beta_binomial_log_likelihood(self.n_ij, self.n_j, *fit) for fit in (self.theirs, self.exact)
        ]
        scipy.append(from_scratch.binomial_log_likelihood(self.n_ij, self.n_j))
        ours = (self.theirs_loglik, self.exact_loglik, self.binomial_loglik)
        return max(abs(a - b) for a, b in zip(scipy, ours, strict=True))

    def slopes(self, fit: tuple[float, float]) -> tuple[float, float]:
        """∂ℓ/∂ log α_i and ∂ℓ/∂ log α_¬i by digamma functions; both are 0 at a maximum."""
        alpha, alpha_not = fit
        lengths = digamma(self.n_j + alpha + alpha_not) - digamma(alpha + alpha_not)
        own = digamma(self.n_ij + alpha) - digamma(alpha)
        other = digamma(self.n_j - self.n_ij + alpha_not) - digamma(alpha_not)
        return alpha * float((own - lengths).sum()), alpha_not * float((other - lengths).sum())


def not_maxima(collections: Collections) -> Erratum:
    """Erratum 3."""
    both = [_comparison(corpus, collections) for corpus in CORPORA]
    news, r8 = both
    terms = {name: _term(found, name) for found in both for name in published()[found.corpus.fits]["fits"]}
    ambulance = terms["ambulance"]
    vgam, vgam_rows = _vgam(news)
    slips, slip_rows = _slips(r8, terms["student"], terms["program"])
    text = rendered(
        "errata", "erratum_3", gains=_gains(both), percentages=_percentages(both), terms=terms.values(),
        gap=max(term.witness_gap() for term in terms.values()), witness=WITNESS, said=terms["said"],
        slopes=ambulance.slopes(ambulance.theirs), slope_at_fit=max(map(abs, ambulance.slopes(ambulance.exact))),
        vgam=vgam, **slips,
    )  # fmt: skip
    return Erratum(3, text, [*_rows(both), *_term_rows(ambulance), *vgam_rows, *slip_rows])


def _comparison(corpus: Corpus, collections: Collections) -> _Comparison:
    fitted: Fitted = getattr(collections, corpus.fits)
    theirs = fitted.published or load_published_fits(corpus.stem)  # which says what is missing
    loglik = beta_binomial_log_likelihood(fitted.statistics, theirs.alpha, theirs.alpha_not)
    fit = fitted.fit
    inside, binomial_wins = fit.status == "converged", fit.loglik_binomial > loglik
    return _Comparison(corpus, fitted, theirs, loglik, fit.loglik - loglik, inside, binomial_wins)


def _term(found: _Comparison, name: str) -> _Term:
    fitted, fit = found.fitted, found.fitted.fit
    i = fitted.statistics.index(name)
    n_j = np.asarray(fitted.counts.sum(axis=1)).ravel()
    n_ij = fitted.counts[:, [i]].toarray().ravel()
    return _Term(
        name,
        n_ij[n_j > 0],
        n_j[n_j > 0],
        (float(found.theirs.alpha[i]), float(found.theirs.alpha_not[i])),
        float(found.theirs_loglik[i]),
        (float(fit.alpha[i]), float(fit.alpha_not[i])),
        float(fit.loglik[i]),
        float(fit.loglik_binomial[i]),
    )


def _gains(both: list[_Comparison]) -> str:
    lines = [
        ["terms", *(show(len(c.gain), ",d") for c in both)],
        ["exact fit better than the published one", *(show(int((c.gain > 0).sum()), ",d") for c in both)],
        ["… by more than 0.01", *(_share(c.gain > 0.01) for c in both)],
        ["… by more than 1", *(_share(c.gain > 1) for c in both)],
        ["median gain", *(show(float(np.median(c.gain)), ".2f") for c in both)],
        ["binomial better than the published beta-binomial", *(_share(c.binomial_wins) for c in both)],
        ["exact fit below the binomial", *(_share(c.fitted.fit.loglik < c.fitted.fit.loglik_binomial) for c in both)],
        ["binomial is the maximum (boundary, α_0 → ∞)", *(_share(c.fitted.fit.status == "boundary") for c in both)],
    ]
    return table(["", *(c.corpus.name for c in both)], lines)


def _percentages(both: list[_Comparison]) -> str:
    lines = []
    for found in both:
        fit, inside = found.fitted.fit, found.inside
        for label, theirs, exact in (
            ("α_i < 0.1", found.theirs.alpha < 0.1, fit.alpha < 0.1),
            ("α_¬i > 10", found.theirs.alpha_not > 10, fit.alpha_not > 10),
        ):
            shares = (show(percent(mask), ".2f") + " %" for mask in (theirs, exact, exact[inside]))
            lines.append([f"{found.corpus.name}, {label}", *shares])
    exact_head = ("exact fits, all terms (∞ at the boundary)", "exact fits, interior terms")
    return table(["share of terms", "published fits", *exact_head], lines)


def _vgam(news: _Comparison) -> tuple[dict[str, Any], list[Row]]:
    """The fits of R's VGAM for some of the terms."""
    vgam = load_published_fits("vgam")
    assert vgam.loglik is not None
    assert vgam.status is not None
    at = np.array([news.fitted.statistics.index(term) for term in vgam.terms])
    done = np.array([status == "converged" for status in vgam.status])
    fit, n_i = news.fitted.fit, news.fitted.statistics.collection_frequency[at]
    loglik = float(np.abs(vgam.loglik[done] / fit.loglik[at[done]] - 1).max())
    parameters = rounded_up(
        max(
            float(np.abs(theirs[done] / ours[at[done]] - 1).max())
            for theirs, ours in ((vgam.alpha, fit.alpha), (vgam.alpha_not, fit.alpha_not))
        )
    )
    found = {
        "tried": len(vgam), "converged": int(done.sum()), "loglik": loglik, "parameters": parameters,
        "failed": n_i[~done], "median_failed": int(np.median(n_i[~done])),
        "median_converged": int(np.median(n_i[done])),
    }  # fmt: skip
    return found, [
        row(3, f"terms on which VGAM failed, of {len(vgam)}", int((~done).sum())),
        row(3, "VGAM's log-likelihoods from ours, relative, at most", rounded_up(loglik, 1)),
        row(3, "VGAM's parameters from ours, relative, at most", parameters),
    ]


def _slips(r8: _Comparison, student: _Term, program: _Term) -> tuple[dict[str, Any], list[Row]]:
    """The named terms whose printed values are not in the authors' own file: another term's, and one cut off."""
    printed, cut_off = published()["fig5"]["fits"]["student"], published()["fig5"]["fits"]["program"][1]
    i = r8.fitted.statistics.index("student")
    neighbour = str(r8.fitted.terms[i - 1])
    above = (float(r8.theirs.alpha[i - 1]), float(r8.theirs.alpha_not[i - 1]))
    rows = [
        row(3, f"α_{which} of “{name}” in the published file", significant(value, 7), of_paper)
        for position, (which, of_paper) in enumerate(zip(("i", "¬i"), printed, strict=True))
        for name, value in (("student", student.theirs[position]), (neighbour, above[position]))
    ]
    rows += [
        row(3, "α_¬i of “program” in the published file", significant(program.theirs[1], 7), cut_off),
        row(3, "occurrences of “student” in R8's training documents", int(student.n_ij.sum())),
    ]
    found = {"student": student, "program": program, "printed": printed, "cut_off": cut_off}
    return found | {"neighbour": neighbour, "above": above}, rows


def _rows(both: list[_Comparison]) -> list[Row]:
    rows = []
    for found in both:
        what, fit, printed = found.corpus.name, found.fitted.fit, published()[found.corpus.fits]
        small, large = printed["terms with α_i < 0.1, %"], printed["terms with α_¬i > 10, %"]
        numbers: list[tuple[str, NDArray[np.bool_], str | None]] = [
            *((f"exact fit better by more than {b:g}, % of terms", found.gain > b, None) for b in (0, 0.01, 1)),
            ("binomial better than the published fit, % of terms", found.binomial_wins, None),
            ("terms at the boundary, %", fit.status == "boundary", None),
            ("exact fits with α_i < 0.1, % of all terms", fit.alpha < 0.1, small),
            ("exact fits with α_i < 0.1, % of interior terms", fit.alpha[found.inside] < 0.1, small),
            ("exact fits with α_¬i > 10, % of all terms", fit.alpha_not > 10, large),
        ]
        rows += [row(3, f"{what}, {item}", percent(mask), of_paper) for item, mask, of_paper in numbers]
    return rows


def _term_rows(term: _Term) -> list[Row]:
    return [
        row(3, f"log-likelihood of “{term.name}” at the published values", significant(term.theirs_loglik, 6)),
        row(3, f"log-likelihood of “{term.name}”, exact fit", significant(term.exact_loglik, 6)),
    ]


def _share(mask: NDArray[np.bool_]) -> str:
    return f"{percent(mask):.1f} %"
