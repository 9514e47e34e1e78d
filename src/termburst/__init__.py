"""termburst finds the words of a corpus that come in bursts and turns that into term weights.

Each public name is loaded when it is first used, so that ``import termburst`` is fast.
"""

from typing import TYPE_CHECKING

from termburst import forks as forks  # imported first, because it must see every fork
from termburst.lazy import lazy

if TYPE_CHECKING:
    from termburst import datasets as datasets
    from termburst import inference as inference
    from termburst import ledgers as ledgers
    from termburst import models as models
    from termburst import plot as plot
    from termburst import questions as questions
    from termburst import report as report
    from termburst import retrieval as retrieval
    from termburst import weights as weights
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
    from termburst.inference.plr import explain as explain
    from termburst.inference.plr import plr_contributions as plr_contributions
    from termburst.inference.plr import plr_statistic as plr_statistic
    from termburst.models.dirichlet_multinomial import fit_dirichlet_multinomial as fit_dirichlet_multinomial
    from termburst.models.fit_beta_binomial import fit_beta_binomial as fit_beta_binomial
    from termburst.models.penalized_mle import penalized_mle as penalized_mle
    from termburst.questions.burstiness_test import burstiness_test as burstiness_test
    from termburst.questions.coburst import coburst as coburst
    from termburst.questions.keyness import keyness as keyness
    from termburst.questions.term_table import term_table as term_table
    from termburst.questions.word_lists import read_word_list as read_word_list
    from termburst.statistics.term_statistics import TermStatistics as TermStatistics
    from termburst.version import __version__ as __version__
    from termburst.weights.schemes import SCHEMES as SCHEMES
    from termburst.weights.schemes import recommended_scheme as recommended_scheme

__getattr__, __dir__, __all__ = lazy(__name__)
