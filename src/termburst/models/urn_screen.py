"""Candidates for the entries of M off the diagonal: words that stand before others more often than by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from termburst.core import urn_screen as core
from termburst.models.urn_sequences import Floats, Integers, Numbers, Sequences
from termburst.threads import in_threads

PARTS = 64  # into which the targets are divided for the threads
# Of log m: the smallest of 0.5, 1, 1.5, 2, 3, 4 with which "full" predicts better than "diagonal" in R8, Ohsumed, CR,
# docstrings and addresses. In many short documents a smaller one is better, in few long ones it is worse.
FACTOR = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Pairs of terms that passed the screen; arrays have one entry per pair.

    Attributes
    ----------
    source, target : terms
    documents : D, the documents where the source stands before the first occurrence of the target
    expected : the mean of D if the source does not matter, given everything before
    looked_at : the number of ordered pairs of terms that the screen looked at
    """

    source: Numbers
    target: Numbers
    documents: Integers
    expected: Floats
    looked_at: int


def screen_pairs(
    sequences: Sequences,
    alpha: Floats,
    total: Floats,
    *,
    most: int = 10,
    min_documents: int = 5,
    least_ratio: float | None = None,
) -> Candidates:
    """For each term, the *most* terms that stand before its first occurrence more often than by chance.

    If no other term matters, the first occurrence of k comes with the chance α_k/Z_t at each token t of a document
    that has had no k. So the documents D where i came earlier have the mean

    e = α_k Σ_j Σ_t 1/Z_t over the tokens t after the first i up to the first k of document j.

    A pair passes if 2 (D log(D/e) − (D − e)) ≥ *least_ratio* and D ≥ *min_documents*. By default the ratio must be
    2 log m′ (`FACTOR` is 2) for the m′ terms that were looked at: the penalty of the risk inflation criterion (Foster
    and George 1994) for one parameter chosen among m′.

    Parameters
    ----------
    alpha : shape (terms,), with α_0 = 1
    total : Z_t of each token, under M without entries off the diagonal
    min_documents : terms in fewer documents are not looked at

    Examples
    --------
    1 follows 0 in twenty documents, where five are expected:

    >>> tokens = np.array([0, 1, 2, 2, 2, 3] * 20, dtype=np.int32)
    >>> sequences = Sequences(tokens, np.arange(1, 41) * 3, 4)
    >>> found = screen_pairs(sequences, np.full(4, 0.25), np.ones(120), least_ratio=10.0)
    >>> found.source.tolist(), found.target.tolist(), found.documents.tolist(), found.expected.tolist()
    ([0, 1], [1, 2], [20, 20], [5.0, 5.0])
    """
    m, lengths = sequences.terms, sequences.lengths
    document = np.repeat(np.arange(lengths.size), lengths)
    _, first = np.unique(document * m + sequences.tokens, return_index=True)
    first.sort()
    terms, where = sequences.tokens[first], document[first]
    inverse = np.cumsum(1 / total)
    after = inverse[sequences.ends[where] - 1] - inverse[first]
    by_term = np.argsort(terms, kind="stable")
    documents = np.bincount(terms, minlength=m)
    places = core.first_places(
        np.searchsorted(where, np.arange(lengths.size + 1)).astype(np.int64),
        terms,
        after,
        (
            np.append(0, np.cumsum(documents)).astype(np.int64),
            where[by_term].astype(np.int32),
            by_term.astype(np.int64),
        ),
    )
    eligible = documents >= max(min_documents, 1)
    targets = np.flatnonzero(eligible).astype(np.int32)
    found = core.Screened.empty(targets, most)
    if least_ratio is None:
        least_ratio = FACTOR * float(np.log(max(targets.size, 1)))
    null = (alpha, np.bincount(terms, after, m).astype(np.float64))
    spread = targets.size * np.arange(PARTS + 1) // PARTS

    def some(part: int) -> None:
        core.screen(
            places, (int(spread[part]), int(spread[part + 1])), found, null, eligible.view(np.uint8),
            least_documents=min_documents, least_ratio=least_ratio,
        )  # fmt: skip

    in_threads(some, range(PARTS))
    row, place = np.nonzero(found.sources >= 0)
    shared = found.shared[row, place].astype(np.int64)
    looked_at = targets.size * max(targets.size - 1, 0)
    return Candidates(found.sources[row, place], targets[row], shared, found.expected[row, place], looked_at)
