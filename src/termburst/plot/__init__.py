"""Matplotlib figures of your own corpus: each function takes your data and returns a `matplotlib.figure.Figure`.

No function uses pyplot or changes Matplotlib's global settings. Figures therefore need no display and do not affect
other figures. `save` writes a figure to disk; `figure.savefig` does so with your own settings. Matplotlib is imported
with the first figure: ``pip install 'termburst[plots]'``.

>>> import termburst as tb
>>> type(tb.plot.zipf([[3, 1], [0, 2]])).__name__
'Figure'
"""

from termburst.plot.accuracy_grids import accuracy_grids
from termburst.plot.approximation_error import approximation_error
from termburst.plot.beta_binomial_samples import beta_binomial_samples
from termburst.plot.burstiness import burstiness
from termburst.plot.canvas import require
from termburst.plot.document_lengths import document_lengths
from termburst.plot.fit_scatter import fit_scatter
from termburst.plot.fitted_parameters import fitted_parameters
from termburst.plot.likelihood_ridge import likelihood_ridge
from termburst.plot.log_alpha import log_alpha
from termburst.plot.ranking_agreement import ranking_agreement
from termburst.plot.save import save
from termburst.plot.statistic_against_weight import statistic_against_weight
from termburst.plot.term_along_corpus import term_along_corpus
from termburst.plot.term_counts import term_counts
from termburst.plot.term_panel import term_panel
from termburst.plot.triggers import triggers
from termburst.plot.volcano import volcano
from termburst.plot.waterfall import waterfall
from termburst.plot.zipf import zipf

__all__ = [
    "accuracy_grids",
    "approximation_error",
    "beta_binomial_samples",
    "burstiness",
    "document_lengths",
    "fit_scatter",
    "fitted_parameters",
    "likelihood_ridge",
    "log_alpha",
    "ranking_agreement",
    "require",
    "save",
    "statistic_against_weight",
    "term_along_corpus",
    "term_counts",
    "term_panel",
    "triggers",
    "volcano",
    "waterfall",
    "zipf",
]
