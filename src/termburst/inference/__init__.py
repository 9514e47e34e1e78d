"""λ_i and its parts, tests of burstiness, comparisons of corpora, dispersion, and co-bursts.

Public are the measure of dispersion that needs the order of tokens, and the warning of `plr_statistic`.

>>> import numpy as np
>>> import termburst as tb
>>> tb.inference.average_reduced_frequency(np.array([0, 1, 0, 1]), 2).tolist()
[2.0, 2.0]
"""

from typing import TYPE_CHECKING

from termburst.lazy import lazy

if TYPE_CHECKING:
    from termburst.inference.dispersion import average_reduced_frequency as average_reduced_frequency
    from termburst.inference.plr import ClampedTermsWarning as ClampedTermsWarning

__getattr__, __dir__, __all__ = lazy(__name__)
