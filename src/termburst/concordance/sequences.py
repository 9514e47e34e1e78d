"""Documents as sequences of terms, from a corpus, lists of tokens, or counts."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termburst.concordance.positions import TokenPositions
from termburst.counting.options import CountingOptions
from termburst.inference.checks import shown
from termburst.models.urn_sequences import Sequences
from termburst.statistics.matrix import canonical_counts

Integers = NDArray[np.int64]

SEED = 0  # of the order of tokens that come as counts


@dataclass(frozen=True, slots=True, eq=False)
class OrderedWords:
    """The words of a corpus in their order, and those to leave out: what `token_sequences` asks a corpus for."""

    positions: TokenPositions
    stop_words: Container[str] = frozenset()

    def __token_positions__(self) -> tuple[TokenPositions, Container[str]]:
        """Both."""
        return self.positions, self.stop_words


def token_sequences(source: Any) -> tuple[Sequences, NDArray[np.object_]]:
    """The documents as sequences, and the names of the terms.

    Parameters
    ----------
    source : corpus, list of lists of tokens, or count matrix
        A corpus gives its words in their order, without its stop words. Counts have no order: each document gets one
        at random, always the same.

    Examples
    --------
    >>> sequences, terms = token_sequences([["so", "it", "goes"], ["so", "so"]])
    >>> sequences.tokens.tolist(), sequences.ends.tolist(), terms.tolist()
    ([2, 1, 0, 2, 2], [3, 5], ['goes', 'it', 'so'])
    """
    asked = getattr(source, "__token_positions__", None)
    if asked is not None:
        positions, stop_words = asked()
        if positions is not None:
            return _of_positions(positions, stop_words)
        counted = source.__counted_corpus__()
        return _of_counts(counted.counts), counted.terms
    if sp.issparse(source) or (isinstance(source, np.ndarray) and source.ndim == 2 and source.dtype.kind in "bui"):
        sequences = _of_counts(source)
        return sequences, np.arange(sequences.terms).astype(str).astype(object)
    return _of_lists(source)


def known_sequences(source: Any, terms: NDArray[np.object_], half_life: float | None) -> tuple[Sequences, int]:
    """The same over given terms, and how many tokens were left out because they are not among them.

    Examples
    --------
    >>> sequences, unknown = known_sequences([["so", "it", "goes"]], np.array(["goes", "so"], dtype=object), None)
    >>> sequences.tokens.tolist(), sequences.ends.tolist(), unknown
    ([1, 0], [2], 1)
    """
    found, theirs = token_sequences(source)
    place = {term: number for number, term in enumerate(terms)}
    numbers = np.array([place.get(term, -1) for term in theirs], dtype=np.int32)
    kept = _renumbered(found.tokens, found.ends, numbers, terms.size)
    return replace(kept, half_life=half_life), found.tokens.size - kept.tokens.size


def _renumbered(tokens: NDArray[np.int32], ends: Integers, numbers: NDArray[np.int32], terms: int) -> Sequences:
    """The tokens whose words have a new number, which is not −1."""
    new = numbers[tokens]
    kept = new >= 0
    return Sequences(new[kept], np.append(0, np.cumsum(kept))[ends].astype(np.int64), terms)


def _of_positions(positions: TokenPositions, stop_words: Container[str]) -> tuple[Sequences, NDArray[np.object_]]:
    kept = np.array([word not in stop_words for word in positions.words], dtype=bool)
    numbers = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    terms = np.array(positions.words, dtype=object)[kept]
    return _renumbered(positions.chunk.tokens, positions.chunk.ends, numbers, terms.size), terms


def _of_counts(X: Any) -> Sequences:
    counts = canonical_counts(X)
    rng = np.random.default_rng(SEED)
    tokens = np.repeat(counts.indices, counts.data).astype(np.int32)
    ends = np.append(0, np.cumsum(counts.data))[counts.indptr[1:]].astype(np.int64)
    document = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
    order = np.lexsort((rng.random(tokens.size), document))
    return Sequences(tokens[order], ends, counts.shape[1])


def _of_lists(source: Any) -> tuple[Sequences, NDArray[np.object_]]:
    if isinstance(source, (str, bytes)) or not isinstance(source, Iterable):
        raise ValueError(f"give a corpus, as tb.read makes it, or a list of lists of tokens; got {shown(source)}")
    documents = [one.tolist() if isinstance(one, np.ndarray) else one for one in source]
    counting = CountingOptions(pretokenized=True)
    for number, document in enumerate(documents):
        if isinstance(document, str):
            raise ValueError(f"Document {number} is a text; read texts first, with tb.read(texts)")
        counting.check_text(list(document) if isinstance(document, tuple) else document, number)
    return _of_positions(TokenPositions.of(documents, counting), ())
