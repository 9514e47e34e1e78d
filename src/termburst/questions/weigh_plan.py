"""Weights of the cells of a frame: closed forms as expressions, other schemes by our own code on batches of cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.models import closed_forms as forms
from termburst.models.penalties import checked_hyperparameters
from termburst.questions.weights import Weigh
from termburst.statistics.term_statistics import TermStatistics
from termburst.weights.scheme_functions import LENGTH_SHARE, SATURATION
from termburst.weights.schemes import named_scheme, warn_without_labels

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FittedTerms:
    """The arrays of a `termburst.models.BetaBinomialFit` that schemes read; they have one entry per term."""

    mean: Floats
    alpha: Floats
    alpha_not: Floats
    alpha_0: Floats


FITTED = tuple(field.name for field in fields(FittedTerms))


@dataclass(frozen=True)
class WeighPlan:
    """Weights of cells, of which term, count, length, and n and b of the term are known.

    Attributes
    ----------
    asked : scheme, mu, sigma2 and norm
    collection : statistics without terms: the document lengths
    """

    asked: Weigh
    collection: TermStatistics

    @classmethod
    def of(cls, asked: Weigh, collection: TermStatistics) -> WeighPlan:
        """The plan; ValueError for a scheme that needs more than a cell and sums of its term."""
        if asked.scheme == "fisher-kernel":
            raise ValueError(
                "the scheme 'fisher-kernel' needs all counts of a term at once, but engines work on batches of rows; "
                "use termburst.TermWeighting"
            )
        named_scheme(asked.scheme)
        warn_without_labels(asked.scheme)
        return cls(asked, collection)

    @property
    def shared(self) -> forms.Collection:
        """The numbers of the collection that closed forms need; μ is by default the mean document length."""
        own, asked = self.collection, self.asked
        mu, sigma2 = checked_hyperparameters(own.mean_length if asked.mu is None else asked.mu, asked.sigma2)
        return forms.Collection(float(own.documents), float(own.tokens), mu, sigma2)

    @property
    def is_expression(self) -> bool:
        """Whether the engine itself can evaluate the weight."""
        return self.asked.scheme in EXPRESSIONS

    @property
    def fitted(self) -> tuple[str, ...]:
        """The columns of the exact fits that the scheme needs."""
        return FITTED if named_scheme(self.asked.scheme).needs_fit else ()

    def terms(self, ops: Any) -> dict[str, Any]:
        """What an expression takes from each term, from its n and b."""
        n_i, b_i = (ops.keep(ops.as_float(ops.column(name))) for name in ("n", "b"))
        shared = self.shared
        if self.asked.scheme not in SHARES:
            return {"idf": forms.idf(ops, shared.d, b_i), "icf": forms.icf(ops, shared.n, n_i)}
        per_length, once, per_count, _ = forms.cell_coefficients(ops, shared, n_i, b_i)
        return {"per_length": per_length, "once": once, "per_count": per_count}

    def clamped(self, ops: Any) -> Any:
        """Which terms repeat too often for the penalty; None if the scheme has none."""
        repeated = forms.repeats(ops.as_float(ops.column("n")), ops.as_float(ops.column("b")))
        return repeated >= self.shared.eta2 if self.asked.scheme in SHARES else None

    def weight(self, ops: Any) -> Any:
        """The weight of cells as an expression of their columns and those of `terms`."""
        return EXPRESSIONS[self.asked.scheme](ops, self.shared.mu)

    def weights(self) -> Callable[[pl.DataFrame], pl.DataFrame]:
        """A function of some cells, with n, b and `fitted` of their terms, that gives their weights."""
        shared, lengths = self.shared, self.collection
        return partial(
            weighed, scheme=self.asked.scheme, lengths=lengths.lengths, length_documents=lengths.length_documents,
            mu=shared.mu, sigma2=shared.sigma2,
        )  # fmt: skip


def _count(ops: Any) -> Any:
    return ops.as_float(ops.column("count"))


def _saturated(ops: Any, mu: float) -> Any:
    relative = 1 - LENGTH_SHARE + LENGTH_SHARE / mu * ops.as_float(ops.column("length"))
    return _count(ops) * (SATURATION + 1) / (_count(ops) + SATURATION * relative)


def _plr_share(ops: Any) -> Any:
    """λ_ij, as `closed_forms.cell_coefficients` has it and `core/weights.c` computes it in memory."""
    log_factorial = ops.log_factorial(ops.column("count"))
    per_length = ops.column("per_length") * ops.as_float(ops.column("length"))
    return ops.keep(ops.column("per_count") * (_count(ops) - 1.0) + ops.column("once") + per_length + log_factorial)


def _sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + (-x.clip(-700.0, None)).exp())  # below −700 the exponential overflows, and some engines fail


SHARES = ("lambda", "s-lambda")  # schemes that need shares of λ
EXPRESSIONS: dict[str, Callable[[Any, float], Any]] = {  # of the columns that `WeighPlan.terms` makes; the number is μ
    "counts": lambda ops, mu: _count(ops),
    "tf-idf": lambda ops, mu: _count(ops) * ops.column("idf"),
    "btf-idf": lambda ops, mu: ops.column("idf"),
    "tf-icf": lambda ops, mu: _count(ops) * ops.column("icf"),
    "sublinear-tf-idf": lambda ops, mu: (1.0 + ops.log(_count(ops))) * (1.0 + ops.column("idf")),
    "bm25": lambda ops, mu: _saturated(ops, mu) * ops.column("idf"),
    "lambda": lambda ops, mu: _plr_share(ops),
    "s-lambda": lambda ops, mu: _sigmoid(_plr_share(ops)),
}


def weighed(
    batch: pl.DataFrame, *, scheme: str, lengths: Any, length_documents: Any, mu: float, sigma2: float
) -> pl.DataFrame:
    """The weights of some cells, which may be cells of any documents.

    A scheme takes a matrix of documents. Here each cell is a document of its own. All its other tokens are one more
    term, so that its length is right.
    """
    import scipy.sparse as sp

    term, count = batch["term"], batch["count"].to_numpy()
    rest = batch["length"].to_numpy() - count
    place = term.rank("dense").to_numpy().astype(np.int64) - 1
    _, first = np.unique(place, return_index=True)
    others = first.size
    data, indices = np.stack([count, rest], axis=1), np.stack([place, np.full_like(place, others)], axis=1)
    kept = np.stack([np.ones(rest.size, dtype=bool), rest != 0], axis=1)  # a document may consist of one term
    starts = np.concatenate([[0], kept.sum(axis=1).cumsum()])
    counts = sp.csr_array((data[kept], indices[kept], starts), shape=(count.size, others + 1))
    tokens, documents = int(lengths @ length_documents), int(length_documents.sum())
    statistics = TermStatistics(
        None,
        lengths,
        length_documents,
        np.append(batch["n"].to_numpy()[first], tokens),
        np.append(batch["b"].to_numpy()[first], documents),
    )
    fit = _fitted(batch[first]) if named_scheme(scheme).needs_fit else None
    weights = named_scheme(scheme)(counts, statistics, fit, mu=mu, sigma2=sigma2)[starts[:-1]]
    return pl.DataFrame({"document": batch["document"], "term": term, "weight": weights})


def _fitted(terms: pl.DataFrame) -> FittedTerms:
    """The fits of terms, one row per term; and behind them that of the other tokens, at the boundary with mean 1."""
    last = {"mean": 1.0, "alpha": np.inf, "alpha_not": np.inf, "alpha_0": np.inf}
    return FittedTerms(**{name: np.append(terms[name].to_numpy(), last[name]) for name in FITTED})
