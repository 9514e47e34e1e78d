"""A weight for every term in every document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from termburst.names import DEFAULT_SCHEME, Invalid, Norm
from termburst.options import Option, check_options


@dataclass(frozen=True)
class Weigh:
    """The question of `termburst.Corpus.weights`; its answer is that of `termburst.TermWeighting`.

    In an estimator there are two more options, about documents that it was not fitted on and the kind of matrix.
    """

    scheme: Annotated[str, Option("Name of the weight, such as tf-idf, bm25 or s-lambda.")] = DEFAULT_SCHEME
    mu: Annotated[float | None, Option("Mean of the penalty. (default: mean document length)", above=0)] = None
    sigma2: Annotated[float, Option("Variance of the penalty.", above=0)] = 1.0
    norm: Annotated[Norm | None, Option("Scale each document to unit norm.")] = None
    invalid: Annotated[Invalid, Option("What to do with terms that repeat too often for the penalty.")] = "clamp"

    def __post_init__(self) -> None:
        """Raise ValueError for an option that cannot be used."""
        from termburst.weights.schemes import named_scheme

        check_options(self)
        named_scheme(self.scheme)
