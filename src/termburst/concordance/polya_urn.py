"""An urn fitted to a corpus: how much each word brings on itself and other words."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from termburst.concordance.sequences import known_sequences, token_sequences
from termburst.forks import check_fork
from termburst.inference.checks import check_name, checked_number, checked_whole
from termburst.models.dirichlet_multinomial import fit_dirichlet_multinomial
from termburst.models.fit_polya_urn import UrnEstimate, fit_urn, group_prior
from termburst.models.polya_urn import PolyaUrn
from termburst.models.urn_screen import Candidates, screen_pairs
from termburst.models.urn_sequences import Floats, Integers, Sequences, UrnMatrix
from termburst.names import URNS
from termburst.threads import Aside


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """How well an urn predicts documents that it was not fitted to.

    Attributes
    ----------
    log_likelihood : shape (documents,), of the known tokens of each document, in their order
    tokens : shape (documents,), how many those are
    unknown : the number of tokens left out, because the urn does not know their words

    Examples
    --------
    >>> import termburst as tb
    >>> urn = tb.fit_polya_urn(tb.read(["ha ha ha so", "so it goes", "it is so"]), "constant")
    >>> held_out = urn.held_out(tb.read(["so ha ha", "and so on"]))
    >>> held_out.tokens.tolist(), held_out.unknown, bool(held_out.perplexity > 1)
    ([3, 1], 2, True)
    """

    log_likelihood: Floats
    tokens: Integers
    unknown: int

    @property
    def per_token(self) -> float:
        """The mean log-likelihood of a token; NaN without tokens."""
        tokens = int(self.tokens.sum())
        return float(self.log_likelihood.sum() / tokens) if tokens else float("nan")

    @property
    def perplexity(self) -> float:
        """exp(−mean log-likelihood): from how many equally likely words each token seems to be chosen."""
        return float(np.exp(-self.per_token))


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class PolyaUrnFit:
    """An urn fitted by `fit_polya_urn`, scaled to α_0 = 1.

    Attributes
    ----------
    kind : "constant", "diagonal" or "full"
    terms : shape (m,), the words
    alpha : shape (m,), α: the probability of each word as the first of a document
    replacement : csr_matrix of shape (m, m), M: what one token of the row adds to the mass of the column
    log_likelihood : of all tokens in their order
    history : log-likelihood plus penalty after each iteration; it never falls. Empty for "constant"
    status : "converged"; "boundary": nothing is brought on, M = 0; "unbounded": entries of M grow without bound,
        with a UserWarning; "max_iterations": not converged
    documents, tokens : what it was fitted to
    prior : pseudo-count of the prior, or None
    decay : tokens after which what a token added counts half, or None
    pairs_looked_at : ordered pairs of words that the screen for "full" looked at

    Examples
    --------
    >>> import termburst as tb
    >>> urn = tb.fit_polya_urn(tb.read(["ha ha ha so", "so it goes", "it is so"]), "constant")
    >>> urn.status, urn.terms.tolist(), urn.replacement.shape
    ('boundary', ['goes', 'ha', 'is', 'it', 'so'], (5, 5))
    """

    kind: str
    terms: NDArray[np.object_]
    alpha: Floats
    replacement: Any
    log_likelihood: float
    history: Floats
    status: str
    documents: int
    tokens: int
    prior: float | None
    decay: float | None
    pairs_looked_at: int = 0
    _sequences: Sequences | None = field(default=None, repr=False)
    _estimate: UrnEstimate | None = field(default=None, repr=False)

    @property
    def urn(self) -> PolyaUrn:
        """The urn itself, to draw documents from; ValueError if it has a decay."""
        if self.decay is not None:
            raise ValueError("PolyaUrn has no decay; fit with decay=None")
        return PolyaUrn(self.alpha, self.replacement)

    def held_out(self, documents: Any) -> HeldOut:
        """The log-likelihood of documents, one by one. Words that the urn does not know are left out, and counted.

        It is −∞ for a document with a word that has no mass there, which is possible with prior=None.

        Parameters
        ----------
        documents : corpus, or list of lists of tokens

        Examples
        --------
        >>> import termburst as tb
        >>> urn = tb.fit_polya_urn([["ha", "ha", "so"], ["so", "it"], ["so", "so", "it", "goes"]])
        >>> found = urn.held_out([["ha", "ha"], ["it", "goes", "on"]])
        >>> found.tokens.tolist(), found.unknown
        ([2, 2], 1)
        """
        sequences, unknown = known_sequences(documents, self.terms, self.decay)
        mass, total = self._masses(sequences)
        with np.errstate(divide="ignore"):  # a word without mass
            logs = np.log(mass / total)
        document = np.repeat(np.arange(sequences.ends.size), sequences.lengths)
        found = np.bincount(document, logs, sequences.ends.size).astype(np.float64)
        return HeldOut(found, sequences.lengths, unknown)

    def score(self, documents: Any) -> float:
        """The mean log-likelihood per token of documents; higher is better. See `held_out`.

        Examples
        --------
        >>> import termburst as tb
        >>> urn = tb.fit_polya_urn([["ha", "ha", "so"], ["so", "it"], ["so", "so", "it", "goes"]], "constant")
        >>> round(urn.score([["ha", "ha"]]), 3)  # (log 2/9 + log 2/9)/2: nothing is brought on in these documents
        -1.504
        """
        found = self.held_out(documents)
        if not found.tokens.sum():
            raise ValueError("no token of these documents is known to the urn")
        return found.per_token

    def _masses(self, sequences: Sequences) -> tuple[Floats, Floats]:
        by_column = self.replacement.tocsc()
        matrix = UrnMatrix(by_column.indptr.astype(np.int64), by_column.indices.astype(np.int32))
        with Aside() as aside:
            return aside.submit(sequences.masses, self.alpha, matrix, by_column.data.astype(np.float64)).get()


def fit_polya_urn(
    corpus: Any,
    kind: str = "diagonal",
    *,
    prior: float | None = 1.0,
    decay: float | None = None,
    sources: int = 10,
    min_documents: int = 5,
    tolerance: float = 1e-8,
    max_iterations: int = 500,
) -> PolyaUrnFit:
    """Learn from the order of words how much each word brings on itself, and other words.

    The next token of a document is the word k with the probability

    (α_k + Σ_{s<t} M[w_s, k]) / (α_0 + Σ_{s<t} ρ_{w_s}), where ρ_i = Σ_k M[i, k], scaled to α_0 = 1.

    See `termburst.models.fit_polya_urn.fit_urn` for how the likelihood is maximised; it never falls.

    Parameters
    ----------
    corpus : corpus, or list of lists of tokens
        Stop words of the corpus are left out. A corpus or matrix of counts has no order, so each of its documents gets
        one at random: M then says what comes in the same document, and is halfway between both directions.
    kind : {"constant", "diagonal", "full"}
        "constant": M = δI, the Dirichlet-multinomial, the same as `fit_dirichlet_multinomial` with α/δ; "diagonal":
        each word has its own burstiness; "full": words also bring on other words, among candidates: up to *sources*
        for each word, which stand before it in at least *min_documents* documents and more often than by chance.
    prior : pseudo-count of the gamma prior that shrinks the entries of M; None for pure maximum likelihood
        The diagonal is shrunken towards a common value, other entries towards a common multiple of α, both estimated.
        Without it rare words are overfitted: the urn predicts new documents less well. Not used for "constant".
    decay : number of tokens after which what a token added counts half; by default it counts for the whole document.
    tolerance : the fit ends if an iteration gains less log-likelihood per token.

    Examples
    --------
    >>> import termburst as tb
    >>> texts = [["plato", "said", "so"], ["it", "is", "so", "it", "is"], ["socrates", "and", "plato", "and", "plato"]]
    >>> urn = tb.fit_polya_urn(texts * 10)
    >>> urn.status, round(float(urn.alpha.sum()), 6), urn.replacement.shape
    ('converged', 1.0, (7, 7))
    """
    check_fork()
    check_name("kind", kind, URNS)
    prior = None if prior is None else checked_number("prior", prior, 0.0, 1e6)
    decay = None if decay is None else checked_number("decay", decay, 0.0, 1e9)
    sources, min_documents = checked_whole("sources", sources, least=1), checked_whole("min_documents", min_documents)
    if sources > MOST_SOURCES:
        raise ValueError(f"sources must be at most {MOST_SOURCES}; got {sources}")
    tolerance = checked_number("tolerance", tolerance, 0.0, 1.0)
    max_iterations = checked_whole("max_iterations", max_iterations, least=1)
    if kind == "constant" and decay is not None:
        raise ValueError('kind="constant" takes no decay; use kind="diagonal"')
    sequences, terms = token_sequences(corpus)
    sequences = replace(sequences, half_life=decay)
    _check_tokens(sequences)
    found, candidates = _constant(sequences), None
    options: dict[str, Any] = {"tolerance": tolerance, "max_iterations": max_iterations}
    if kind != "constant":
        with Aside() as aside:
            found = aside.submit(_diagonal, sequences, found, prior, options).get()
            if kind == "full":
                most = (sources, min_documents)
                found, candidates = aside.submit(_full, sequences, found, prior, most, options).get()
    if found.status == "unbounded":
        warnings.warn(
            "after some words nearly only words come that they bring on, so entries of M grow without bound: their"
            ' values are where the fit ended, and intervals of these words say little (status "unbounded")',
            stacklevel=2,
        )
    shape = (terms.size, terms.size)
    matrix = sp.csc_matrix((found.values, found.matrix.sources, found.matrix.indptr), shape=shape).tocsr()
    matrix.eliminate_zeros()
    return PolyaUrnFit(
        kind=kind, terms=terms, alpha=found.alpha, replacement=matrix, log_likelihood=found.log_likelihood,
        history=found.history, status=found.status, documents=int(sequences.ends.size),
        tokens=int(sequences.tokens.size), prior=None if kind == "constant" else prior, decay=decay,
        pairs_looked_at=0 if candidates is None else candidates.looked_at, _sequences=sequences, _estimate=found,
    )  # fmt: skip


MOST_SOURCES = 50  # of one word: beyond, a column of M is no small problem any more


def _check_tokens(sequences: Sequences) -> None:
    """Refuse documents from which nothing can be learned."""
    if not sequences.tokens.size:
        raise ValueError("the documents have no tokens: there is nothing to fit")
    if sequences.lengths.max(initial=0) < 2:
        raise ValueError("no document has two tokens: no word can bring on another")
    change = np.flatnonzero(np.diff(sequences.tokens)) + 1
    if np.isin(change, sequences.ends).all():
        raise ValueError("no document has two different words: what a word brings on would grow without bound")


def _constant(sequences: Sequences) -> UrnEstimate:
    """The Dirichlet-multinomial as an urn."""
    document = np.repeat(np.arange(sequences.ends.size), sequences.lengths)
    counts = sp.csr_matrix(
        (np.ones(sequences.tokens.size, dtype=np.int64), (document, sequences.tokens)),
        shape=(sequences.ends.size, sequences.terms),
    )
    fit = fit_dirichlet_multinomial(counts)
    delta = 0.0 if fit.status == "boundary" else 1 / fit.precision
    values = np.full(sequences.terms, delta)
    return UrnEstimate(fit.mean, UrnMatrix.diagonal(sequences.terms), values, fit.loglik, np.zeros(0), fit.status)


def _diagonal(sequences: Sequences, start: UrnEstimate, prior: float | None, options: dict[str, Any]) -> UrnEstimate:
    values = start.values if start.values.any() else np.full(sequences.terms, 1e-3)
    density = None if prior is None else group_prior(start.matrix, start.alpha, prior)
    return fit_urn(sequences, start.matrix, (start.alpha, values), density, **options)


def _full(
    sequences: Sequences, start: UrnEstimate, prior: float | None, limits: tuple[int, int], options: dict[str, Any]
) -> tuple[UrnEstimate, Candidates]:
    _, total = sequences.masses(start.alpha, start.matrix, start.values)
    candidates = screen_pairs(sequences, start.alpha, total, most=limits[0], min_documents=limits[1])
    return full_from(sequences, start, candidates, prior, options), candidates


def full_from(
    sequences: Sequences, start: UrnEstimate, candidates: Candidates, prior: float | None, options: dict[str, Any]
) -> UrnEstimate:
    """The urn with the given candidates, from a diagonal one."""
    everyone = np.arange(sequences.terms)  # each brings on itself
    sources, targets = np.append(everyone, candidates.source), np.append(everyone, candidates.target)
    matrix = UrnMatrix.of_pairs(sources, targets, sequences.terms)
    values = np.where(matrix.own, np.maximum(start.values[matrix.targets], 1e-9), start.alpha[matrix.targets])
    density = None if prior is None else group_prior(matrix, start.alpha, prior)
    return fit_urn(sequences, matrix, (start.alpha, values), density, **options)
