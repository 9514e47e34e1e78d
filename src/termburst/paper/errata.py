"""The errata of the paper, each with numbers that are computed anew: `termburst reproduce errata`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from termburst.paper import errata_experiments, errata_fits, errata_model, errata_statistic
from termburst.paper.collections import Collections
from termburst.paper.erratum import Erratum

__all__ = ["ERRATA", "Erratum", "as_markdown"]

ERRATA: dict[int, Callable[[Collections], Erratum]] = {
    1: errata_statistic.penalty_once,
    2: errata_statistic.mu_assumed,
    3: errata_fits.not_maxima,
    4: errata_experiments.transductive,
    5: errata_statistic.condition_reversed,
    6: errata_statistic.clamp,
    7: errata_model.claim_1_needs_more,
    8: errata_model.ridge,
    9: errata_experiments.most_terms,
    10: errata_experiments.small_counts,
    11: errata_experiments.sizes,
    12: errata_experiments.best_settings,
}

_INTRODUCTION = (
    "# Errata of the paper\n\n"
    "Statements that do not hold in Ahmed, Sheridan, McIsaac and Farooque (2026), “Common TF–IDF variants arise as key "
    "components in the test statistic of a penalized likelihood-ratio test for word burstiness”, and the numbers that "
    "show it. The paper's main point is not affected: TF–ICF and BTF–IDF are parts of the corrected statistic too.\n\n"
    "`termburst reproduce errata` writes this page; run it to write the page again. It computes every number from the "
    "collections, with SciPy's own distributions where these check termburst's. Errata 1, 6, 7 and 8 need no data. The "
    "others need 20 Newsgroups, Reuters-21578 or the authors' published fits, in the folder of TERMBURST_DATA.\n\n"
    "The notation is that of the paper: documents j = 1..d of length n_j, terms i, counts n_ij, b_ij = [n_ij > 0], n_i "
    "and b_i their sums, n the number of tokens, n_¬i = n − n_i, r_i = n_i − b_i + 1, η² = μ²/σ². Equations are cited "
    "by their labels in the paper's source. `printed`, `corrected` and `exact` are the forms of λ in "
    "`plr_statistic`.\n"
)


def as_markdown(errata: Sequence[Erratum]) -> str:
    """The page docs/errata.md."""
    return "\n".join([_INTRODUCTION, *(erratum.as_markdown() for erratum in errata)])
