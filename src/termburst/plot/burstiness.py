"""λ_i against the sum of TF–IDF, with the names of the burstiest terms: Fig. 3 of the paper for your own corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.plr import plr_statistic
from termburst.models import closed_forms as forms
from termburst.models.penalized_mle import penalized_mle
from termburst.names import Form, Invalid
from termburst.plot.labels import label_points
from termburst.plot.statistic_against_weight import statistic_against_weight
from termburst.plot.terms import corpus_and_names, picked, written
from termburst.statistics.term_statistics import as_statistics, from_canonical

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDE = 100.0  # an axis is logarithmic if its largest value exceeds this multiple of the median


def burstiness(
    X_or_statistics: Any,
    *,
    terms: Sequence[str] | NDArray[Any] | None = None,
    label: int | Sequence[str] = 10,
    mu: float | None = None,
    sigma2: float = 1.0,
    form: Form = "printed",
    penalty: str = "gamma",
    invalid: Invalid = "clamp",
) -> Figure:
    """Draw λ_i against Σ_j TF–IDF(i, j) = n_i log(d/b_i), one point per term that occurs.

    The diameter of a point shows α̂_i (Claim 2). An axis is logarithmic, except near 0, if some values are far larger
    than most. A term without a valid α̂_i, since η² ≤ r_i, has the smallest point: there α̂_i tends to 0.

    Parameters
    ----------
    X_or_statistics : TermStatistics of detail "moments" or more, `Corpus`, or count matrix
    terms : column names of a count matrix
    label : number of terms with the highest λ_i to name, or a list of terms
    mu, sigma2, form, penalty, invalid : see `termburst.plr_statistic`

    Examples
    --------
    >>> import termburst as tb
    >>> s = tb.TermStatistics.from_counts([[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]], terms=["ha", "no", "so"])
    >>> figure = burstiness(s, label=1)
    >>> [note.get_text() for note in figure.axes[0].texts]
    ['ha']
    """
    corpus, named = corpus_and_names(X_or_statistics, terms)
    statistics = as_statistics(named, "moments") if corpus is named else from_canonical(corpus, named.terms, "moments")
    n_i, b_i = statistics.collection_frequency, statistics.document_frequency
    plr = plr_statistic(statistics, mu=mu, sigma2=sigma2, form=form, penalty=penalty, invalid=invalid)
    weight = forms.tf_idf_sum(n_i, forms.idf(forms.NUMPY, statistics.documents, b_i))
    alpha = penalized_mle(statistics, mu=mu, sigma2=sigma2, penalty=penalty).alpha
    there = n_i > 0
    drawn = there & np.isfinite(plr)
    order = np.argsort(-plr, kind="stable")
    names = np.arange(n_i.size) if statistics.terms is None else statistics.terms
    chosen = picked(label, names, order[drawn[order]])
    figure = statistic_against_weight(plr[there], weight[there], alpha=np.nan_to_num(alpha[there]))
    axes = figure.axes[0]
    for values, scale in ((plr, axes.set_xscale), (weight, axes.set_yscale)):
        reach = np.abs(values[drawn])
        if reach.max() > WIDE * max(float(np.median(reach)), 1.0):
            scale("symlog", linthresh=1.0, linscale=0.5)
    if chosen:
        points = np.column_stack([plr, weight])
        x, y = points[chosen].T
        label_points(figure, axes, x, y, [written(names[k]) for k in chosen], points[drawn])
    return figure
