"""Measures of dispersion of a corpus, also those that need the order of tokens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.counting.counted_corpus import CountedCorpus
from termburst.counting.options import checked_counting
from termburst.inference.dispersion import MEASURES, dispersion
from termburst.inference.dispersion_more import average_reduced_frequency, dp_interval, dp_nofreq

MORE = ("dp_nofreq", "dp_interval", "arf")  # measures beyond `MEASURES`


def measured(counted: CountedCorpus, measures: str | Iterable[str] | None) -> dict[str, Any]:
    """The columns of `Corpus.dispersion`."""
    if measures is not None and not isinstance(measures, Iterable):
        raise ValueError(f"measures must be names such as 'dp'; got {measures!r:.60}")
    names = [measures] if isinstance(measures, str) else list(MEASURES if measures is None else measures)
    if not names:
        raise ValueError(f"measures is empty; name some, such as {', '.join(list(MEASURES)[:3])}, or omit it")
    plain = dispersion(counted, [name for name in names if name not in MORE])
    columns: dict[str, Any] = {}
    for name in names:
        if name == "dp_interval":
            columns["dp_low"], columns["dp_high"] = dp_interval(counted)
        elif name == "dp_nofreq":
            columns[name] = dp_nofreq(counted)
        elif name == "arf":
            columns[name] = average_reduced_frequency(token_terms(counted), counted.terms.size)
        else:
            columns[name] = plain[name]
    return columns


def token_terms(counted: CountedCorpus) -> NDArray[np.int64]:
    """The number of the term of each token of the corpus, in order; tokens that are not counted are left out.

    Examples
    --------
    >>> token_terms(CountedCorpus.from_texts(["so it goes", "so"])).tolist()
    [2, 1, 0, 2]
    """
    if counted.texts is None:
        raise ValueError("arf needs the order of the tokens, but the corpus was made from counts; read the texts")
    counting = checked_counting(counted.counting)
    if counting.ngrams != (1, 1):
        raise ValueError("arf is for single words; read the texts without ngrams=")
    number = {term: place for place, term in enumerate(counted.terms.tolist())}
    found = [
        number[token] for text in counted.texts for token, _, _ in counting.placed_tokens(text)[1] if token in number
    ]
    return np.array(found, dtype=np.int64)
