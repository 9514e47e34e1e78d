"""The exact beta-binomial fit of every term of a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from termburst.names import TermOrder
from termburst.options import Option, Question


@dataclass(frozen=True)
class Fits(Question):
    """The question of `termburst.Corpus.fit_beta_binomial`."""

    sort: Annotated[TermOrder | None, Option("Order of the rows; None costs least on an engine.")] = "term"
