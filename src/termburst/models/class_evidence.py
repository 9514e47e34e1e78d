"""What the documents of one class say about every term, for weights that learn from labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.models.margins import class_sums

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

PRIOR_DOCUMENTS = 3.0  # how many documents the shares of the classes count in `class_information`


@dataclass(frozen=True, slots=True)
class ClassEvidence:
    """Sums over the documents j of one class; those of two parts of a class are added.

    Attributes
    ----------
    documents : int
        Number of documents of the class.
    with_term : array, one value per term
        Number of its documents with the term.
    tokens : array, one value per term
        n_ci, the number of occurrences of the term.
    squares : array, one value per term
        Σ_j n_ij²/n_j, n_j the length of document j.
    """

    documents: int
    with_term: Integers
    tokens: Floats
    squares: Floats

    def __add__(self, other: ClassEvidence) -> ClassEvidence:
        return ClassEvidence(
            self.documents + other.documents,
            self.with_term + other.with_term,
            self.tokens + other.tokens,
            self.squares + other.squares,
        )


def class_evidence(counts: Any, label: Integers, classes: int) -> list[ClassEvidence]:
    """The evidence of every class, from counts (CSR, documents × terms) and the class numbers of the documents.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> one, _ = class_evidence(sp.csr_array([[3, 1], [0, 2], [1, 0]]), np.array([0, 0, 1]), 2)
    >>> one.documents, one.with_term.tolist(), one.tokens.tolist(), one.squares.tolist()
    (2, [1, 2], [3.0, 3.0], [2.25, 2.25])
    """
    row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    n_ij = counts.data.astype(np.float64)
    n_j = np.bincount(row, weights=n_ij, minlength=counts.shape[0])
    squares = type(counts)((n_ij**2 / n_j[row], counts.indices, counts.indptr), shape=counts.shape)
    parts = zip(
        np.bincount(label, minlength=classes).tolist(),
        class_sums(counts, label, classes, once=True),
        class_sums(counts, label, classes),
        class_sums(squares, label, classes),
        strict=True,
    )
    return [ClassEvidence(*part) for part in parts]


def explained_burstiness(evidence: Sequence[ClassEvidence]) -> Floats:
    """e_i, the share of the burstiness of a term that the classes explain, from 0 to 1.

    e_i = 1 − log φ_i/log φ_i⁰, cut to [0, 1], and 0 if the term is not bursty. φ_i is Pearson's dispersion within
    classes, Σ_j (n_ij − μ_ij)²/μ_ij over its degrees of freedom, at least 1, with μ_ij = n_j n_ci/n_c for a document j
    of class c. It is about 1 if the occurrences in a class are independent. φ_i⁰ is the same with all documents as one
    class. A word that is frequent in each document of one class and rare elsewhere has e_i near 1: its repeats are no
    chance. A word that repeats in single documents of all classes has e_i near 0.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> X = sp.csr_array([[5, 5, 2], [5, 0, 2], [1, 0, 2], [1, 6, 2]])
    >>> explained_burstiness(class_evidence(X, np.array([0, 0, 1, 1]), 2)).round(2).tolist()
    [1.0, 0.0, 0.0]
    """
    whole = evidence[0]
    for part in evidence[1:]:
        whole = whole + part
    inside = _log_dispersion(evidence)
    outside = _log_dispersion([whole])
    bursty = outside > 1e-9
    left = np.divide(inside, outside, out=np.ones_like(inside), where=bursty)
    return np.clip(1 - left, 0.0, 1.0)


def class_information(evidence: Sequence[ClassEvidence]) -> Floats:
    """What the presence of a term tells about the class of a document that was left out: nats, at least 0, per term.

    Σ_c b_ci/b_i log[(b_ci − 1 + k π_c)/(b_i − 1 + k)/π_c], k = 3, with b_ci the documents of class c that have the
    term, b_i those of all classes, and π_c the share of the class in all documents. Each document is left out once.
    The others with the term predict its class, together with k documents that are spread as the classes are. So no
    document speaks for itself: a term of one document has 0, and one that has about the shares of the classes has 0.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> X = sp.csr_array([[1, 1, 1, 0], [1, 0, 1, 0], [0, 0, 1, 0], [0, 0, 1, 1]])
    >>> class_information(class_evidence(X, np.array([0, 0, 1, 1]), 2)).round(4).tolist()
    [0.2231, 0.0, 0.0, 0.0]
    """
    own = np.array([part.with_term for part in evidence], dtype=np.float64)
    share = np.array([[float(part.documents)] for part in evidence])
    share /= max(share.sum(), 1.0)
    own, share = own[share[:, 0] > 0], share[share[:, 0] > 0]  # partial_fit may add a class without documents
    total = np.maximum(own.sum(axis=0), 1.0)
    others = np.maximum(own - 1, 0) + PRIOR_DOCUMENTS * share
    told = np.log(others) - np.log((total - 1 + PRIOR_DOCUMENTS) * share)
    return np.maximum((own / total * told).sum(axis=0), 0.0)


def _log_dispersion(evidence: Sequence[ClassEvidence]) -> Floats:
    """log of Pearson's dispersion within classes, at least 0; Σ_j n_ij²/μ_ij − n_ci is its sum over a class."""
    found, freedom = np.zeros(evidence[0].tokens.size), np.zeros(evidence[0].tokens.size)
    for part in evidence:
        seen = part.tokens > 0
        found[seen] += part.squares[seen] * part.tokens.sum() / part.tokens[seen] - part.tokens[seen]
        freedom[seen] += part.documents - 1
    return np.asarray(np.log(np.maximum(found / np.maximum(freedom, 1), 1.0)))
