"""`Corpus.drop_duplicates`: the documents without near-copies of earlier ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.inference.duplicates import THRESHOLD, near_duplicates
from termburst.questions.corpus_check import dropped_frame, shingles_of

if TYPE_CHECKING:
    from termburst.corpus.corpus import Corpus


def without_duplicates(corpus: Corpus, threshold: float = THRESHOLD) -> tuple[NDArray[np.intp], pl.DataFrame]:
    """The numbers of the documents to keep, and the frame of those to drop."""
    texts = corpus._documents.texts
    found = near_duplicates(shingles_of(texts, None if texts is not None else corpus.counts), threshold)
    return np.flatnonzero(found.kept), dropped_frame(corpus.ids, found)
