"""The weights of the cells of a count matrix (weights.c); `termburst.weights.scheme_functions` explains the formulas.

Every function fills `weight`, one number per cell of the block, from arrays with one number per term.
"""

from __future__ import annotations

from typing import NewType

import numpy as np

from termburst.core.binding import Floats, Integers, Struct, call, require, struct
from termburst.core.matrix import CountBlock

TABLED = 256  # counts whose log (n − 1)! is in a table, as in weights.h

Weights = NewType("Weights", Struct)


def share_weights(counts: CountBlock, weight: Floats, *, packed: Floats, log_factorial: Floats, sigmoid: bool) -> None:
    """λ_ij = per_count (n_ij − 1) + once + per_length n_j + log (n_ij − 1)!, or 1/(1 + exp(−λ_ij)).

    `packed` has per_length, once, per_count and an unused fourth number for each term. `log_factorial` is a table of
    log (n − 1)!; for larger n they are computed.
    """
    require(packed.shape == (counts.terms, 4), "packed must have four numbers per term")
    require(log_factorial.size == TABLED, f"log_factorial must have {TABLED} numbers")
    terms = struct("ShareTerms", packed=packed, log_factorial=log_factorial, sigmoid=sigmoid)
    call("tb_share_weights", counts, terms, _weights(counts, weight))


def discounted_weights(counts: CountBlock, weight: Floats, *, pairs: Floats, share: float, mean: float) -> None:
    """A(ψ(n_ij/L_j + A) − ψ(A)) · rarity; L_j = 1 − share + share n_j/mean. `pairs` has A and rarity of each term."""
    require(pairs.shape == (counts.terms, 2), "pairs must have two numbers per term")
    terms = struct("DiscountTerms", pairs=pairs, share=share, mean=mean)
    call("tb_discounted_weights", counts, terms, _weights(counts, weight))


def discounted_squares(starts: Integers, count: Integers, documents: Integers, a: Floats) -> Floats:
    """Σ_j [a(ψ(n_ij + a) − ψ(a))]² of each term. Term i has the rows [starts[i], starts[i + 1])."""
    require(starts.size == a.size + 1, "starts must have one start more than there are terms")
    require(count.size == documents.size, "each row must have a count and a number of documents")
    total = np.empty(a.size)
    rows = struct("TermRows", starts=starts, count=count, documents=documents, a=a, sum=total)
    call("tb_discounted_squares", rows)
    return total


def saturated_weights(
    counts: CountBlock, weight: Floats, *, rarity: Floats, share: float, mean: float, saturation: float
) -> None:
    """n_ij (k + 1)/(n_ij + k L_j) · rarity with k = `saturation`; L_j = 1 − share + share n_j/mean."""
    _require_per_term(counts, rarity)
    terms = struct("SaturatedTerms", rarity=rarity, share=share, mean=mean, saturation=saturation)
    call("tb_saturated_weights", counts, terms, _weights(counts, weight))


def sublinear_weights(counts: CountBlock, weight: Floats, *, rarity: Floats) -> None:
    """(1 + log n_ij) · rarity."""
    _require_per_term(counts, rarity)
    call("tb_sublinear_weights", counts, struct("SublinearTerms", rarity=rarity), _weights(counts, weight))


def pearson_weights(counts: CountBlock, weight: Floats, *, alpha: Floats, alpha_0: Floats, mean: Floats) -> None:
    """(n_ij − n_j p)/√(n_j p(1 − p) φ_j), φ_j = (α_0 + n_j)/(α_0 + 1)."""
    _require_per_term(counts, alpha, alpha_0, mean)
    terms = struct("FitTerms", alpha=alpha, alpha_0=alpha_0, mean=mean)
    call("tb_pearson_weights", counts, terms, _weights(counts, weight))


def deviance_weights(counts: CountBlock, weight: Floats, *, alpha: Floats, alpha_0: Floats, mean: Floats) -> None:
    """√(binomial deviance/φ_j), with the sign of n_ij − n_j p."""
    _require_per_term(counts, alpha, alpha_0, mean)
    terms = struct("FitTerms", alpha=alpha, alpha_0=alpha_0, mean=mean)
    call("tb_deviance_weights", counts, terms, _weights(counts, weight))


def tail_weights(counts: CountBlock, weight: Floats, *, n_i: Floats, tokens: float) -> None:
    """−log P(N ≥ n_ij) of the hypergeometric distribution: n_j draws from all tokens, n_i of which are the term."""
    _require_per_term(counts, n_i)
    call("tb_tail_weights", counts, struct("TailTerms", n_i=n_i, tokens=tokens), _weights(counts, weight))


def _weights(counts: CountBlock, weight: Floats) -> Weights:
    require(weight.size == counts.cells, "weight must have one number per cell")
    return struct(Weights, weight=weight)


def _require_per_term(counts: CountBlock, *arrays: Floats) -> None:
    require(all(array.size == counts.terms for array in arrays), "there must be one number per term")
