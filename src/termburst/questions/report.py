"""What the page about a corpus shows; `termburst.report` makes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from termburst.display import LINES, MOST_TERMS, PAIRS, PANELS
from termburst.names import Adjustment, Form
from termburst.options import Option, Question, options_of


@dataclass(frozen=True)
class Page(Question):
    """What a page shows, whether it is a file or live."""

    title: Annotated[str | None, Option("Heading of the page. (default: the name of the corpus)")] = None
    max_terms: Annotated[int, Option("At most how many terms the page lists, the burstiest.", least=1)] = MOST_TERMS
    examples: Annotated[int, Option("At most how many example lines a term has.", least=0)] = LINES
    mu: Annotated[float | None, Option("Mean of the penalty. (default: mean document length)", above=0)] = None
    sigma2: Annotated[float, Option("Variance of the penalty.", above=0)] = 1.0
    form: Annotated[Form, Option("λ as printed in the paper, corrected, or exact.")] = "printed"
    adjust: Annotated[Adjustment, Option("How p-values are adjusted to q-values.")] = "bh"
    min_count: Annotated[int, Option("Leave out terms that occur fewer times.", least=1)] = 1

    def report(self, **others: Any) -> Report:
        """The same page with other options of `Report`."""
        return Report(**({name: getattr(self, name) for name in options_of(Page)} | others))


@dataclass(frozen=True)
class ComparisonPage(Question):
    """What a page about a comparison shows, in `termburst.report.summarize_keyness` and `termburst keyness`."""

    panels: Annotated[int, Option("How many terms have charts and lines in the page.", least=0)] = PANELS
    max_terms: Annotated[int, Option("At most how many terms the page lists.", least=1)] = MOST_TERMS
    examples: Annotated[int, Option("At most how many example lines a term has in the page.", least=0)] = LINES


@dataclass(frozen=True)
class Report(Page):
    """The question of `termburst.Corpus.report` and `termburst report`."""

    panels: Annotated[int, Option("How many of the burstiest terms have charts and lines.", least=0)] = PANELS
    chosen: Annotated[Sequence[str] | None, Option("Terms that have charts and lines in any case.")] = None
    pairs: Annotated[
        int, Option("How many pairs of words are shown of which one brings on the other; 0 for none.", least=0)
    ] = PAIRS
