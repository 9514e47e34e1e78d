"""Matplotlib figures, for the reproduction of the paper and for users: arrays in, `matplotlib.figure.Figure` out.

No function touches pyplot or changes Matplotlib's global settings, so figures can be made without a display and beside
other figures; `save` writes one to disk, `figure.savefig` does so with settings of your own. Matplotlib itself is
imported with the first figure that is asked for: ``pip install 'termburst[plots]'``.
"""

from termburst.plot._accuracy_grids import accuracy_grids
from termburst.plot._approximation_error import approximation_error
from termburst.plot._beta_binomial_samples import beta_binomial_samples
from termburst.plot._canvas import require
from termburst.plot._fit_scatter import fit_scatter
from termburst.plot._fitted_parameters import fitted_parameters
from termburst.plot._likelihood_ridge import likelihood_ridge
from termburst.plot._ranking_agreement import ranking_agreement
from termburst.plot._save import save
from termburst.plot._statistic_against_weight import statistic_against_weight

__all__ = [
    "accuracy_grids",
    "approximation_error",
    "beta_binomial_samples",
    "fit_scatter",
    "fitted_parameters",
    "likelihood_ridge",
    "ranking_agreement",
    "require",
    "save",
    "statistic_against_weight",
]
