"""`Corpus`, the object that people hold: documents with ids and metadata, and one method for each question."""

from termburst.corpus.corpus import Corpus
from termburst.corpus.read import read
from termburst.corpus.scan import scan

__all__ = ["Corpus", "read", "scan"]
