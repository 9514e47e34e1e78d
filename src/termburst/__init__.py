"""termburst finds the words of a corpus that come in bursts and turns that into term weights.

Each public name is loaded when it is first used, so that ``import termburst`` is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from termburst import forks as forks  # imported first, because it must see every fork

if TYPE_CHECKING:
    from termburst import backends as backends
    from termburst import datasets as datasets
    from termburst import ledgers as ledgers
    from termburst import plot as plot
    from termburst import report as report
    from termburst import retrieval as retrieval
    from termburst import weights as weights
    from termburst.concordance.polya_urn import HeldOut as HeldOut
    from termburst.concordance.polya_urn import PolyaUrnFit as PolyaUrnFit
    from termburst.concordance.polya_urn import fit_polya_urn as fit_polya_urn
    from termburst.corpus.build_statistics import build_statistics as build_statistics
    from termburst.corpus.corpus import Corpus as Corpus
    from termburst.corpus.read import read as read
    from termburst.corpus.scan import scan as scan
    from termburst.counting.options import CountingOptions as CountingOptions
    from termburst.counting.vectorizer import CountVectorizer as CountVectorizer
    from termburst.estimators.beta_binomial_nb import BetaBinomialNB as BetaBinomialNB
    from termburst.estimators.burst_classifier import BurstClassifier as BurstClassifier
    from termburst.estimators.burstiness_selector import BurstinessSelector as BurstinessSelector
    from termburst.estimators.burstiness_vectorizer import BurstinessVectorizer as BurstinessVectorizer
    from termburst.estimators.class_term_weighting import ClassTermWeighting as ClassTermWeighting
    from termburst.estimators.dirichlet_multinomial_nb import DirichletMultinomialNB as DirichletMultinomialNB
    from termburst.estimators.edcm_mixture import EDCMMixture as EDCMMixture
    from termburst.estimators.term_weighting import TermWeighting as TermWeighting
    from termburst.inference.dispersion import dispersion as dispersion
    from termburst.inference.dispersion_more import average_reduced_frequency as average_reduced_frequency
    from termburst.inference.dispersion_more import dp_interval as dp_interval
    from termburst.inference.dispersion_more import dp_nofreq as dp_nofreq
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
    from termburst.questions.burstiness_test import burstiness_test as burstiness_test
    from termburst.questions.coburst import coburst as coburst
    from termburst.questions.corpus_check import CorpusCheck as CorpusCheck
    from termburst.questions.designs import keyness_design as keyness_design
    from termburst.questions.keyness import keyness as keyness
    from termburst.questions.keyness import keyness_groups as keyness_groups
    from termburst.questions.lockwords import lockwords as lockwords
    from termburst.questions.term_table import term_table as term_table
    from termburst.questions.word_lists import WordFrequencies as WordFrequencies
    from termburst.questions.word_lists import read_word_list as read_word_list
    from termburst.statistics.term_statistics import TermStatistics as TermStatistics
    from termburst.weights.schemes import SCHEMES as SCHEMES
    from termburst.weights.schemes import recommended_scheme as recommended_scheme

_HOME = {
    "BetaBinomialFit": "termburst.models.fit_beta_binomial",
    "BetaBinomialNB": "termburst.estimators.beta_binomial_nb",
    "BurstClassifier": "termburst.estimators.burst_classifier",
    "BurstinessSelector": "termburst.estimators.burstiness_selector",
    "BurstinessVectorizer": "termburst.estimators.burstiness_vectorizer",
    "ClampedTermsWarning": "termburst.inference.plr",
    "ClassTermWeighting": "termburst.estimators.class_term_weighting",
    "Corpus": "termburst.corpus.corpus",
    "CorpusCheck": "termburst.questions.corpus_check",
    "CountVectorizer": "termburst.counting.vectorizer",
    "CountingOptions": "termburst.counting.options",
    "DirichletMultinomialFit": "termburst.models.dirichlet_multinomial",
    "DirichletMultinomialNB": "termburst.estimators.dirichlet_multinomial_nb",
    "EDCMMixture": "termburst.estimators.edcm_mixture",
    "HeldOut": "termburst.concordance.polya_urn",
    "PolyaUrn": "termburst.models.polya_urn",
    "PolyaUrnFit": "termburst.concordance.polya_urn",
    "SCHEMES": "termburst.weights.schemes",
    "TermStatistics": "termburst.statistics.term_statistics",
    "TermWeighting": "termburst.estimators.term_weighting",
    "WordFrequencies": "termburst.questions.word_lists",
    "approximate_log_pmf": "termburst.models.beta_binomial",
    "average_reduced_frequency": "termburst.inference.dispersion_more",
    "beta_binomial_log_likelihood": "termburst.models.fit_beta_binomial",
    "build_statistics": "termburst.corpus.build_statistics",
    "burstiness_test": "termburst.questions.burstiness_test",
    "coburst": "termburst.questions.coburst",
    "dirichlet_multinomial_log_pmf": "termburst.models.dirichlet_multinomial",
    "dirichlet_multinomial_sample": "termburst.models.dirichlet_multinomial",
    "dispersion": "termburst.inference.dispersion",
    "dp_interval": "termburst.inference.dispersion_more",
    "dp_nofreq": "termburst.inference.dispersion_more",
    "explain": "termburst.inference.plr",
    "fit_beta_binomial": "termburst.models.fit_beta_binomial",
    "fit_dirichlet_multinomial": "termburst.models.dirichlet_multinomial",
    "fit_polya_urn": "termburst.concordance.polya_urn",
    "keyness": "termburst.questions.keyness",
    "keyness_design": "termburst.questions.designs",
    "keyness_groups": "termburst.questions.keyness",
    "lockwords": "termburst.questions.lockwords",
    "penalized_mle": "termburst.models.penalized_mle",
    "plr_contributions": "termburst.inference.plr",
    "plr_statistic": "termburst.inference.plr",
    "read": "termburst.corpus.read",
    "read_word_list": "termburst.questions.word_lists",
    "recommended_scheme": "termburst.weights.schemes",
    "scan": "termburst.corpus.scan",
    "term_table": "termburst.questions.term_table",
}
_MODULES = ("backends", "datasets", "ledgers", "plot", "report", "retrieval", "weights")
__all__ = ["__version__", *_MODULES, *_HOME]  # noqa: PLE0604  the table above is the list


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in _MODULES:
        value = import_module(f"termburst.{name}")
    elif name == "__version__":
        value = import_module("importlib.metadata").version("termburst")
    else:
        hint = import_module("termburst.display").did_you_mean(name, __all__)
        raise AttributeError(f"module 'termburst' has no attribute {name!r}{hint}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
