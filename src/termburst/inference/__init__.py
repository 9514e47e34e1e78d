"""λ_i and its parts, tests of burstiness, comparisons of corpora, dispersion, and co-bursts.

Public are the measures of dispersion that `termburst.dispersion` does not have, and the warning of `plr_statistic`.

>>> import termburst as tb
>>> tb.inference.dp_nofreq([[2, 1], [2, 3]]).shape
(2,)
"""

from typing import TYPE_CHECKING

from termburst.lazy import lazy

if TYPE_CHECKING:
    from termburst.inference.dispersion_more import average_reduced_frequency as average_reduced_frequency
    from termburst.inference.dispersion_more import dp_interval as dp_interval
    from termburst.inference.dispersion_more import dp_nofreq as dp_nofreq
    from termburst.inference.plr import ClampedTermsWarning as ClampedTermsWarning

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "dispersion_more": ["average_reduced_frequency", "dp_interval", "dp_nofreq"],
        "plr": ["ClampedTermsWarning"],
    },
)
