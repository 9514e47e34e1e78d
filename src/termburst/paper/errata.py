"""The errata of the paper, each with numbers that are computed anew: `termburst reproduce errata`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from termburst.paper import errata_experiments, errata_fits, errata_formulas
from termburst.paper.collections import Collections
from termburst.paper.markdown import rendered
from termburst.paper.results import Erratum

ERRATA: dict[int, Callable[[Collections], Erratum]] = {
    1: errata_formulas.penalty_once,
    2: errata_formulas.mu_assumed,
    3: errata_fits.not_maxima,
    4: errata_experiments.transductive,
    5: errata_formulas.condition_reversed,
    6: errata_formulas.clamp,
    7: errata_formulas.claim_1_needs_more,
    8: errata_formulas.ridge,
    9: errata_experiments.most_terms,
    10: errata_experiments.small_counts,
    11: errata_experiments.sizes,
    12: errata_experiments.best_settings,
}


def as_markdown(errata: Sequence[Erratum]) -> str:
    """All errata with their evidence; docs/errata.md has them in short."""
    return "\n".join([rendered("errata", "introduction"), *(erratum.text for erratum in errata)])
