"""λ of one term as the sum of its named parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from termburst.names import Fit, Form, Invalid, PenaltyName
from termburst.options import Option, Question

if TYPE_CHECKING:
    from termburst.inference.plr import Explanation
    from termburst.statistics.term_statistics import TermStatistics


@dataclass(frozen=True)
class Explain(Question):
    """The question of `termburst.Corpus.explain` and `termburst.explain`."""

    term: Annotated[str, Option("The term to explain.")]
    mu: Annotated[float | None, Option("Mean of the penalty. (default: mean document length)", above=0)] = None
    sigma2: Annotated[float, Option("Variance of the penalty.", above=0)] = 1.0
    form: Annotated[Form, Option("λ as printed in the paper, corrected, or exact.")] = "printed"
    penalty: Annotated[PenaltyName, Option("The penalty on the precision of a term.")] = "gamma"
    invalid: Annotated[Invalid, Option("What to do with terms that repeat too often for the penalty.")] = "clamp"
    fit: Annotated[Fit, Option("Estimates of α and α_¬: the paper's, exact maximum likelihood, or none.")] = "penalized"

    def answer(self, statistics: TermStatistics) -> Explanation:
        """The parts, and how bursty the term is in words, from statistics."""
        from termburst.inference.plr import explain
        from termburst.questions.burst_columns import term_in_words

        return replace(explain(statistics, **vars(self)), sentences=term_in_words(statistics, self.term))
