"""Ranking documents for queries: an index, ranking models with and without burstiness, and evaluation.

>>> from termburst.retrieval import Index, MODELS
>>> index = Index.from_texts(["ha ha said the clown", "the crowd said nothing", "the end"])
>>> index.search("clown")[0].id, list(MODELS)
('0', ['spud', 'gspud', 'lm-dirichlet', 'lm-jm', 'bm25'])
"""

from termburst.retrieval.evaluation import MEASURES, Evaluation, evaluate
from termburst.retrieval.index import Index
from termburst.retrieval.models import MODELS
from termburst.retrieval.search import Hit, Hits

__all__ = ["MEASURES", "MODELS", "Evaluation", "Hit", "Hits", "Index", "evaluate"]
