"""The generalised multivariate Pólya process (Cummins 2017): an urn where a drawn term adds mass to other terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_BLOCK_TOKENS = 2**20  # tokens in memory while sampling: about 50 MB with everything computed from them


@dataclass(frozen=True, slots=True, eq=False)
class PolyaUrn:
    """An urn that starts with mass α_i of each term i, and gains mass M[i, k] of each term k when i is drawn.

    The t-th token of a document w_1 … w_n has the probability

    P(w_t = k | w_1 … w_{t−1}) = (α_k + Σ_{s<t} M[w_s, k]) / (α_0 + Σ_{s<t} ρ_{w_s}), α_0 = Σ_i α_i, ρ_i = Σ_k M[i, k].

    M = 0 is the multinomial, and M = δI is the Dirichlet-multinomial with α/δ. A diagonal M gives each term its own
    burstiness; an entry off the diagonal lets one word trigger another. (cα, cM) is the same process.

    Parameters
    ----------
    alpha : array of shape (m,)
        Initial masses, kept as a read-only copy. Zero is allowed, for a term that can only be triggered by others, but
        not for all terms.
    replacement : number, array of shape (m,), or dense or sparse matrix of shape (m, m)
        M, not negative: a number means δI, a vector the diagonal, and row i of a matrix is what a draw of i adds.
        Always kept as a read-only canonical `csr_matrix`.

    Raises
    ------
    ValueError
        For wrong shapes, and for masses that are neither 0 nor between 1e-100 and 1e100.

    Examples
    --------
    "neural" and "network" burst together if each triggers the other as much as itself:

    >>> import numpy as np
    >>> alpha = [0.1, 0.1, 5.0]  # neural, network, all other words
    >>> apart = PolyaUrn(alpha, 1.0)
    >>> together = PolyaUrn(alpha, [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    >>> for urn in (apart, together):
    ...     counts = urn.sample(np.full(5000, 50), 0).toarray()
    ...     print(np.corrcoef(counts[:, 0], counts[:, 1])[0, 1].round(1))
    -0.0
    0.8
    """

    alpha: Floats
    replacement: Any

    def __post_init__(self) -> None:
        """Check the masses and keep read-only copies."""
        alpha = _numbers(self.alpha, "alpha")
        if alpha.ndim != 1 or not alpha.size:
            raise ValueError(f"alpha must be a vector of at least one number; got shape {alpha.shape}")
        given, m = _numbers(self.replacement, "replacement"), alpha.size
        if given.shape not in ((), (m,), (m, m)):
            raise ValueError(
                f"replacement must be a number or have shape ({m},) or ({m}, {m}); got shape {given.shape}"
            )
        square = given if given.ndim == 2 else sp.diags(np.broadcast_to(given, m).astype(np.float64))
        masses, matrix = alpha.astype(np.float64), sp.csr_matrix(square, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        for name, values in (("alpha", masses), ("replacement", matrix.data)):
            for wrong in values[~((values == 0) | ((values >= 1e-100) & (values <= 1e100)))][:1]:
                raise ValueError(f"{name} must be 0 or between 1e-100 and 1e100; got {wrong}")
        if not masses.any():
            raise ValueError("alpha must be above 0 for at least one term; all entries are 0")
        for array in (masses, matrix.data, matrix.indices, matrix.indptr):
            array.setflags(write=False)
        object.__setattr__(self, "alpha", masses)
        object.__setattr__(self, "replacement", matrix)

    def sample(self, lengths: ArrayLike, rng: np.random.Generator | int | None = None) -> Any:
        """Counts of documents with these lengths: `csr_matrix` of shape (documents, m), int64.

        Examples
        --------
        >>> PolyaUrn([1.0, 1.0, 8.0], 2.0).sample([3, 0, 5], rng=1).sum(axis=1).ravel().tolist()
        [[3, 0, 5]]
        """
        drawn = self.sample_tokens(lengths, rng)
        row = np.repeat(np.arange(len(drawn)), [tokens.size for tokens in drawn])
        column = np.concatenate([np.empty(0, dtype=np.int64), *drawn])
        return sp.csr_matrix((np.ones(row.size, np.int64), (row, column)), shape=(len(drawn), self.alpha.size))

    def sample_tokens(self, lengths: ArrayLike, rng: np.random.Generator | int | None = None) -> list[Integers]:
        """Documents with these lengths, each as the numbers of its terms in the order of the draws.

        Examples
        --------
        >>> [document.size for document in PolyaUrn([1.0, 1.0, 8.0], 2.0).sample_tokens([3, 0, 5], rng=1)]
        [3, 0, 5]
        """
        sizes, generator = _whole_numbers(lengths, "lengths"), np.random.default_rng(rng)
        found: list[Integers] = [np.empty(0, dtype=np.int64)] * sizes.size
        # Longest first: the documents that still grow are then the first ones of their block.
        order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
        start = 0
        while start < order.size:
            block = order[start : start + max(1, _BLOCK_TOKENS // int(sizes[order[start]]))]
            for document, tokens in zip(block.tolist(), self._draw(sizes[block], generator), strict=True):
                found[document] = tokens[: sizes[document]].copy()
            start += block.size
        return found

    def _draw(self, sizes: Integers, rng: np.random.Generator) -> Integers:
        """Tokens, shape (documents, longest), of documents in descending order of length; undefined past the length.

        NumPy's uniforms are at most 1 − 2⁻⁵³, so u·x < x even after rounding: no search below runs past its end.
        """
        M, initial = self.replacement, np.cumsum(self.alpha)
        row_sums, within_row = np.asarray(M.sum(axis=1)).ravel() / initial[-1], _row_cumulative(M)
        documents, longest = sizes.size, int(sizes[0])
        tokens: Integers = np.zeros((documents, longest), dtype=np.int64)
        if not M.nnz:
            tokens[:] = np.searchsorted(initial, rng.random(tokens.shape) * initial[-1], side="right")
            return tokens
        added = np.zeros((documents, longest))  # Σ_{s≤t} ρ_{w_s} / α_0
        flat_tokens, flat_added = tokens.reshape(-1), added.reshape(-1)
        for t in range(longest):
            growing = int(np.searchsorted(-sizes, -t))
            gained = added[:growing, t - 1] if t else np.zeros(growing)
            token = np.searchsorted(initial, rng.random(growing) * initial[-1], side="right")
            echo = np.flatnonzero(rng.random(growing) * (1 + gained) >= 1)
            u, v = rng.random((2, echo.size))
            first = echo * longest
            source = flat_tokens[_first_above(flat_added, first, first + t, u * gained[echo])]
            low, high = M.indptr[source].astype(np.int64), M.indptr[source + 1].astype(np.int64)
            token[echo] = M.indices[_first_above(within_row, low, high, v * within_row[high - 1])]
            tokens[:growing, t] = token
            added[:growing, t] = gained + row_sums[token]
        return tokens

    def sequence_log_likelihood(self, tokens: ArrayLike) -> float:
        """The log-probability of the tokens of a document in their order, for any M.

        Σ_t log(α_{w_t} + Σ_{s<t} M[w_s, w_t]) − Σ_t log(α_0 + Σ_{s<t} ρ_{w_s}); −inf if a token had no mass, 0 for
        the empty document.

        Parameters
        ----------
        tokens : array of shape (n,)
            The indices of the terms, 0 to m − 1.

        Examples
        --------
        >>> urn = PolyaUrn([1.0, 1.0], [[0.0, 2.0], [0.0, 0.0]])
        >>> np.exp([urn.sequence_log_likelihood(w) for w in ([0, 1], [1, 0])]).round(4)  # 1/2 · 3/4 and 1/2 · 1/2
        array([0.375, 0.25 ])
        """
        sequence = self._checked_tokens(tokens)
        total, M = self.alpha.sum(), self.replacement
        mass = self.alpha / total
        drawn, gained = np.empty(sequence.size), np.zeros(sequence.size + 1)
        for t, term in enumerate(sequence):
            drawn[t] = mass[term]
            row = slice(M.indptr[term], M.indptr[term + 1])
            mass[M.indices[row]] += M.data[row] / total
            gained[t + 1] = gained[t] + M.data[row].sum() / total
        with np.errstate(divide="ignore"):
            return float(np.log(drawn).sum() - np.log1p(gained[:-1]).sum())

    def predict(self, tokens: ArrayLike) -> Floats:
        """The probability of each term as the next token of a document that began with *tokens*.

        Examples
        --------
        >>> PolyaUrn([1.0, 1.0], [[0.0, 2.0], [0.0, 0.0]]).predict([0, 0]).round(4)  # masses 1 and 1 + 2·2
        array([0.1667, 0.8333])
        """
        sequence = self._checked_tokens(tokens)
        mass = self.alpha + self.replacement.T @ np.bincount(sequence, minlength=self.alpha.size)
        return np.asarray(mass / mass.sum())

    def _checked_tokens(self, tokens: ArrayLike) -> Integers:
        sequence = _whole_numbers(tokens, "tokens")
        for t in np.flatnonzero(sequence >= self.alpha.size)[:1]:
            raise ValueError(f"tokens must be below {self.alpha.size}, the number of terms; entry {t} is {sequence[t]}")
        return sequence


def _first_above(cumulative: Floats, low: Integers, high: Integers, value: Floats) -> Integers:
    """The first index in each [low, high) where cumulative > value; the last entry of each range must be above."""
    high = high - 1
    while (low < high).any():
        middle = (low + high) // 2
        above = cumulative[middle] > value
        low, high = np.where(above, low, middle + 1), np.where(above, middle, high)
    return low


def _row_cumulative(M: Any) -> Floats:
    """Running sums of the stored entries, each row starting at zero: one sum over all rows would lose digits."""
    running: Floats = M.data.copy()
    for i in np.flatnonzero(np.diff(M.indptr) > 1):
        row = slice(M.indptr[i], M.indptr[i + 1])
        running[row] = np.cumsum(running[row])
    return running


def _numbers(values: Any, name: str) -> Any:
    """Values as an array, or an unchanged sparse matrix; ValueError if they are ragged, text or complex."""
    try:
        array = values if sp.issparse(values) and values.ndim == 2 else np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be a rectangular array of numbers") from None
    if array.dtype.kind not in "buif":
        raise ValueError(f"{name} must contain real numbers; got {array.dtype}")
    return array


def _whole_numbers(values: Any, name: str) -> Integers:
    """A vector of numbers as 64-bit integers, none negative or fractional."""
    array: NDArray[Any] = _numbers(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be a vector; got shape {array.shape}")
    for i in np.flatnonzero(~((array >= 0) & (array < 2**53) & (array == np.floor(array))))[:1]:
        raise ValueError(f"{name} must contain integers of 0 or more; entry {i} is {array[i]}")
    return array.astype(np.int64)
