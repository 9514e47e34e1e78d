"""termburst finds the words of a corpus that come in bursts and turns that into term weights.

The public names are loaded with the first use of each, so that ``import termburst`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from termburst import datasets as datasets
    from termburst import engines as engines
    from termburst import plot as plot
    from termburst import report as report
    from termburst import retrieval as retrieval
    from termburst.counts.counting import CountingOptions as CountingOptions
    from termburst.counts.statistics import TermStatistics as TermStatistics
    from termburst.counts.vectorizer import CountVectorizer as CountVectorizer
    from termburst.estimators._beta_binomial_nb import BetaBinomialNB as BetaBinomialNB
    from termburst.estimators._burstiness_selector import BurstinessSelector as BurstinessSelector
    from termburst.estimators._burstiness_vectorizer import BurstinessVectorizer as BurstinessVectorizer
    from termburst.estimators._class_term_weighting import ClassTermWeighting as ClassTermWeighting
    from termburst.estimators._dirichlet_multinomial_nb import DirichletMultinomialNB as DirichletMultinomialNB
    from termburst.estimators._edcm_mixture import EDCMMixture as EDCMMixture
    from termburst.estimators._term_weighting import TermWeighting as TermWeighting
    from termburst.inference.dispersion import dispersion as dispersion
    from termburst.inference.plr import ClampedTermsWarning as ClampedTermsWarning
    from termburst.inference.plr import explain as explain
    from termburst.inference.plr import plr_contributions as plr_contributions
    from termburst.inference.plr import plr_statistic as plr_statistic
    from termburst.models.beta_binomial import approximate_log_pmf as approximate_log_pmf
    from termburst.models.dirichlet_multinomial import DirichletMultinomialFit as DirichletMultinomialFit
    from termburst.models.dirichlet_multinomial import dirichlet_multinomial_log_pmf as dirichlet_multinomial_log_pmf
    from termburst.models.dirichlet_multinomial import dirichlet_multinomial_sample as dirichlet_multinomial_sample
    from termburst.models.dirichlet_multinomial import fit_dirichlet_multinomial as fit_dirichlet_multinomial
    from termburst.models.fit_beta_binomial import BetaBinomialFit as BetaBinomialFit
    from termburst.models.fit_beta_binomial import beta_binomial_log_likelihood as beta_binomial_log_likelihood
    from termburst.models.fit_beta_binomial import fit_beta_binomial as fit_beta_binomial
    from termburst.models.penalized_mle import penalized_mle as penalized_mle
    from termburst.models.polya_urn import PolyaUrn as PolyaUrn
    from termburst.tables import burstiness_test as burstiness_test
    from termburst.tables import coburst as coburst
    from termburst.tables import keyness as keyness
    from termburst.tables import keyness_groups as keyness_groups
    from termburst.tables import term_table as term_table
    from termburst.weighting import RECOMMENDED_SCHEME as RECOMMENDED_SCHEME
    from termburst.weighting import SCHEMES as SCHEMES
    from termburst.weights import Weights as Weights
    from termburst.weights import load_weights as load_weights
    from termburst.weights import save_weights as save_weights

_HOME = {
    "BetaBinomialFit": "termburst.models.fit_beta_binomial",
    "BetaBinomialNB": "termburst.estimators._beta_binomial_nb",
    "BurstinessSelector": "termburst.estimators._burstiness_selector",
    "BurstinessVectorizer": "termburst.estimators._burstiness_vectorizer",
    "ClampedTermsWarning": "termburst.inference.plr",
    "ClassTermWeighting": "termburst.estimators._class_term_weighting",
    "CountVectorizer": "termburst.counts.vectorizer",
    "CountingOptions": "termburst.counts.counting",
    "DirichletMultinomialFit": "termburst.models.dirichlet_multinomial",
    "DirichletMultinomialNB": "termburst.estimators._dirichlet_multinomial_nb",
    "EDCMMixture": "termburst.estimators._edcm_mixture",
    "PolyaUrn": "termburst.models.polya_urn",
    "RECOMMENDED_SCHEME": "termburst.weighting",
    "SCHEMES": "termburst.weighting",
    "TermStatistics": "termburst.counts.statistics",
    "TermWeighting": "termburst.estimators._term_weighting",
    "Weights": "termburst.weights",
    "approximate_log_pmf": "termburst.models.beta_binomial",
    "beta_binomial_log_likelihood": "termburst.models.fit_beta_binomial",
    "burstiness_test": "termburst.tables",
    "coburst": "termburst.tables",
    "dirichlet_multinomial_log_pmf": "termburst.models.dirichlet_multinomial",
    "dirichlet_multinomial_sample": "termburst.models.dirichlet_multinomial",
    "dispersion": "termburst.inference.dispersion",
    "explain": "termburst.inference.plr",
    "fit_beta_binomial": "termburst.models.fit_beta_binomial",
    "fit_dirichlet_multinomial": "termburst.models.dirichlet_multinomial",
    "keyness": "termburst.tables",
    "keyness_groups": "termburst.tables",
    "load_weights": "termburst.weights",
    "penalized_mle": "termburst.models.penalized_mle",
    "plr_contributions": "termburst.inference.plr",
    "plr_statistic": "termburst.inference.plr",
    "save_weights": "termburst.weights",
    "term_table": "termburst.tables",
}
_MODULES = ("datasets", "engines", "plot", "report", "retrieval")
__all__ = ["__version__", *_MODULES, *_HOME]  # noqa: PLE0604  the table above is the list


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in _MODULES:
        value = import_module(f"termburst.{name}")
    elif name == "__version__":
        value = import_module("importlib.metadata").version("termburst")
    else:
        raise AttributeError(f"module 'termburst' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
