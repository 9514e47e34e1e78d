"""One file per distribution: log-pmf, score, fit; the urn is sampled, too. Arrays in, frozen dataclasses out.

>>> import termburst as tb
>>> tb.models.PolyaUrn([1.0, 2.0], 0.5).alpha.tolist()
[1.0, 2.0]
"""

from typing import TYPE_CHECKING

from termburst.lazy import lazy

if TYPE_CHECKING:
    from termburst.models.beta_binomial import approximate_log_pmf as approximate_log_pmf
    from termburst.models.dirichlet_multinomial import DirichletMultinomialFit as DirichletMultinomialFit
    from termburst.models.dirichlet_multinomial import dirichlet_multinomial_log_pmf as dirichlet_multinomial_log_pmf
    from termburst.models.fit_beta_binomial import BetaBinomialFit as BetaBinomialFit
    from termburst.models.fit_beta_binomial import beta_binomial_log_likelihood as beta_binomial_log_likelihood
    from termburst.models.polya_urn import PolyaUrn as PolyaUrn

__getattr__, __dir__, __all__ = lazy(__name__)
