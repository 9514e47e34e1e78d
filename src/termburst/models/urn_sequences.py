"""Documents as sequences of terms, and the passes over them that an urn with a replacement matrix needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core import urn as core
from termburst.core.urn_columns import ColumnRows
from termburst.limits import require_memory
from termburst.threads import in_threads

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Numbers = NDArray[np.int32]

BLOCKS = 8  # of documents, whatever the number of cores: sums are then the same on all machines
SMALL = 2**15  # tokens; with fewer, threads take longer than the work


@dataclass(frozen=True, slots=True, eq=False)
class UrnMatrix:
    """The places of the entries of M, by columns: the sources of each term, ascending.

    Attributes
    ----------
    indptr : shape (terms + 1,), where the sources of each term begin
    sources : shape (entries,), the terms that bring a term on
    """

    indptr: Integers
    sources: Numbers

    @classmethod
    def of_pairs(cls, source: Any, target: Any, terms: int) -> UrnMatrix:
        """Distinct pairs of terms, in any order.

        Examples
        --------
        >>> matrix = UrnMatrix.of_pairs([1, 0, 0], [0, 0, 1], 2)
        >>> matrix.indptr.tolist(), matrix.sources.tolist(), matrix.targets.tolist()
        ([0, 2, 3], [0, 1, 0], [0, 0, 1])
        """
        pairs = np.unique(np.asarray(target, dtype=np.int64) * terms + np.asarray(source, dtype=np.int64))
        counts = np.bincount(pairs // terms, minlength=terms)
        return cls(np.append(0, np.cumsum(counts)).astype(np.int64), (pairs % terms).astype(np.int32))

    @classmethod
    def diagonal(cls, terms: int) -> UrnMatrix:
        """Each term is its own only source."""
        return cls(np.arange(terms + 1, dtype=np.int64), np.arange(terms, dtype=np.int32))

    @property
    def targets(self) -> Integers:
        """The term that each entry brings on."""
        return np.repeat(np.arange(self.indptr.size - 1), np.diff(self.indptr))

    @property
    def own(self) -> NDArray[np.bool_]:
        """Which entries are on the diagonal."""
        return np.asarray(self.sources == self.targets)

    def gains(self, values: Floats) -> Floats:
        """ρ, the row sums."""
        return np.bincount(self.sources, values, self.indptr.size - 1).astype(np.float64)  # integers if it is empty


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """Documents as sequences of terms.

    Attributes
    ----------
    tokens : shape (n,), the term of each token
    ends : shape (documents,), where each document ends
    terms : number of terms, m
    half_life : tokens after which what a token added counts half; None: it counts for the whole document
    """

    tokens: Numbers
    ends: Integers
    terms: int
    half_life: float | None = None

    @property
    def lengths(self) -> Integers:
        """The number of tokens of each document."""
        return np.diff(self.ends, prepend=0)

    @property
    def counts(self) -> Integers:
        """How often each term occurs."""
        return np.bincount(self.tokens, minlength=self.terms)

    def alone(self) -> NDArray[np.bool_]:
        """Which terms are alone in all of their documents, and repeated in one.

        Examples
        --------
        >>> Sequences(np.array([0, 0, 1, 2, 1], dtype=np.int32), np.array([2, 3, 5]), 3).alone().tolist()
        [True, False, False]
        """
        document = np.repeat(np.arange(self.ends.size), self.lengths)
        first = np.minimum(self.ends - self.lengths, max(self.tokens.size - 1, 0))
        other = self.tokens != self.tokens[first][document]
        mixed = np.bincount(document, other, self.ends.size) > 0
        with_others = np.bincount(self.tokens, mixed[document], self.terms) > 0
        again = np.bincount(self.tokens, (self.lengths > 1)[document], self.terms) > 0
        return np.asarray(again & ~with_others)

    def _powers(self) -> Floats:
        ratio = 1.0 if self.half_life is None else 0.5 ** (1 / self.half_life)
        return np.asarray(ratio ** np.arange(int(self.lengths.max(initial=0)) + 2))

    def _texts(self) -> list[core.UrnTexts]:
        """Blocks of documents with about the same number of tokens."""
        blocks = BLOCKS if self.tokens.size > SMALL else 1
        bounds = np.searchsorted(self.ends, np.linspace(0, self.tokens.size, blocks + 1)[1:-1])
        bounds = np.concatenate([[0], bounds, [self.ends.size]])
        powers = self._powers()
        return [
            core.urn_texts(self.tokens, self.ends, int(first), int(last), self.terms, powers)
            for first, last in pairwise(bounds)
        ]

    def _over_blocks(self, function: Callable[[core.UrnTexts], Any]) -> list[Any]:
        texts = self._texts()
        return [function(texts[0])] if len(texts) == 1 else in_threads(function, texts)

    def exposure(self, gains: Floats) -> tuple[Floats, float, float]:
        """Σ_t C_i(<t)/Z_t of each term, Σ_t 1/Z_t, and Σ_t log Z_t, for α_0 = 1 and row sums ρ.

        Examples
        --------
        >>> made = Sequences(np.array([0, 1], dtype=np.int32), np.array([2]), 2).exposure(np.array([1.0, 1.0]))
        >>> made[0].tolist(), made[1]  # before the second token there was one 0, and Z = 2
        ([0.5, 0.0], 1.5)
        """
        of = self._only_gains(gains)
        parts = self._over_blocks(lambda texts: core.exposure(texts, of))
        return sum(part[0] for part in parts), sum(part[1] for part in parts), sum(part[2] for part in parts)

    def squares(self, gains: Floats) -> tuple[Floats, Floats, float]:
        """Σ_t C_i(<t)/Z_t² and Σ_t C_i(<t)²/Z_t² of each term, and Σ_t 1/Z_t²: how −log Z is curved.

        Examples
        --------
        >>> made = Sequences(np.array([0, 0, 1], dtype=np.int32), np.array([3]), 2).squares(np.array([1.0, 1.0]))
        >>> [one.round(4).tolist() for one in made[:2]]  # 1/4 + 2/9 and 1/4 + 4/9, and nothing after the 1
        [[0.4722, 0.0], [0.6944, 0.0]]
        """
        of = self._only_gains(gains)
        parts = self._over_blocks(lambda texts: core.squares(texts, of))
        return sum(part[0] for part in parts), sum(part[1] for part in parts), sum(part[2] for part in parts)

    def products(self, matrix: UrnMatrix, gains: Floats) -> Floats:
        """Σ_t C_i(<t) C_k(<t)/Z_t² of each entry M[i, k]."""
        of = core.urn(gains, gains, matrix.indptr, matrix.sources, np.zeros(matrix.sources.size))
        return np.asarray(sum(self._over_blocks(lambda texts: core.products(texts, of))))

    def _only_gains(self, gains: Floats) -> core.Urn:
        return core.urn(gains, gains, np.zeros(self.terms + 1, dtype=np.int64), np.zeros(0, np.int32), np.zeros(0))

    def masses(self, alpha: Floats, matrix: UrnMatrix, values: Floats) -> tuple[Floats, Floats]:
        """The mass of the term of each token just before it, and the total mass then, for α_0 = 1."""
        mass, total = np.empty(self.tokens.size), np.empty(self.tokens.size)
        of = core.urn(alpha, matrix.gains(values), matrix.indptr, matrix.sources, values)
        self._over_blocks(lambda texts: core.masses(texts, of, mass, total))
        return mass, total

    def rows(self, matrix: UrnMatrix) -> ColumnRows:
        """What stood before the tokens of each term, as far as M has entries for it. Equal rows are merged."""
        n, m = self.tokens.size, self.terms
        require_memory(40 * n, "what stood before each token")
        of = core.urn(np.zeros(m), np.zeros(m), matrix.indptr, matrix.sources, np.zeros(matrix.sources.size))
        own, others = np.empty(n), np.empty(n, dtype=np.int32)
        self._over_blocks(lambda texts: core.past(texts, of, own, others))
        place = np.zeros(m, dtype=np.int64)  # of the diagonal entry in its column, from 1; 0 if there is none
        entries = np.flatnonzero(matrix.own)
        place[matrix.sources[entries]] = entries - matrix.indptr[matrix.sources[entries]] + 1
        own[place[self.tokens] == 0] = 0.0
        simple = (others == 0) & ((own == 0) if self.half_life is not None else True)
        merged, weight = np.unique(
            self.tokens[simple].astype(np.int64) * (n + 1) + own[simple].astype(np.int64), return_counts=True
        )
        kind, times = merged // (n + 1), merged % (n + 1)
        rest = np.flatnonzero(~simple)
        term = np.concatenate([kind, self.tokens[rest]])
        cells = np.concatenate([times > 0, others[rest] + (own[rest] > 0)]).astype(np.int64)
        order = np.argsort(term, kind="stable")
        starts = np.append(0, np.cumsum(cells[order])).astype(np.int64)
        require_memory(12 * int(starts[-1]), "the sources of all tokens")
        local, amounts = np.zeros(starts[-1], dtype=np.int32), np.zeros(starts[-1])
        begin = np.empty(term.size, dtype=np.int64)
        begin[order] = starts[:-1]
        again = np.flatnonzero(times > 0)
        local[begin[again]], amounts[begin[again]] = place[kind[again]], times[again]
        where = np.full(n, -1, dtype=np.int64)
        where[rest] = begin[kind.size :]
        self._over_blocks(lambda texts: core.fill_past(texts, of, where, local, amounts))
        weights = np.concatenate([weight, np.ones(rest.size)]).astype(np.float64)
        row_of = np.append(0, np.cumsum(np.bincount(term, minlength=m))).astype(np.int64)
        return ColumnRows(row_of, starts, local, amounts, weights[order])
