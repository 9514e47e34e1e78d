"""Passes over the tokens of documents for the urn with a replacement matrix (urn.c)."""

from __future__ import annotations

from typing import NewType

import numpy as np

from termburst.core.binding import Floats, Integers, Numbers, Struct, call, require, struct

LANES = 4  # as in core.h

UrnTexts = NewType("UrnTexts", Struct)
Urn = NewType("Urn", Struct)
UrnRoom = NewType("UrnRoom", Struct)


def urn_texts(tokens: Numbers, ends: Integers, first: int, last: int, terms: int, powers: Floats) -> UrnTexts:
    """The documents *first* to *last* − 1, as a struct for kernels."""
    require(0 <= first <= last <= ends.size, "the documents are out of range")
    return struct(UrnTexts, tokens=tokens, ends=ends, first=first, last=last, terms=terms, powers=powers)


def urn(alpha: Floats, gains: Floats, indptr: Integers, sources: Numbers, values: Floats) -> Urn:
    """α, the row sums of M, and M by columns, as a struct for kernels."""
    require(alpha.size == gains.size == indptr.size - 1, "alpha, gains and the columns of M must have the same size")
    require(sources.size == values.size, "each entry of M must have a source")
    return struct(Urn, alpha=alpha, gains=gains, indptr=indptr, sources=sources, values=values)


def _room(terms: int, longest: int) -> UrnRoom:
    spare = np.zeros(longest + LANES)
    return struct(UrnRoom, amount=np.zeros(terms), place=np.zeros(terms, dtype=np.int64), spare=spare)


def exposure(texts: UrnTexts, of: Urn) -> tuple[Floats, float, float]:
    """Σ_t C_i(<t)/Z_t of each term, Σ_t 1/Z_t and Σ_t log Z_t, where Z_t = 1 + Σ_{s<t} ρ_{w_s} r^(t−1−s)."""
    found, sums = np.zeros(texts.terms), np.zeros(2)
    out = struct("UrnExposure", exposure=found, sums=sums)
    call("tb_urn_exposure", texts, of, out, _room(texts.terms, texts.longest))
    return found, float(sums[0]), float(sums[1])


def squares(texts: UrnTexts, of: Urn) -> tuple[Floats, Floats, float]:
    """Σ_t C_i(<t)/Z_t² and Σ_t C_i(<t)²/Z_t² of each term, and Σ_t 1/Z_t²."""
    crossed, squared, total = np.zeros(texts.terms), np.zeros(texts.terms), np.zeros(1)
    out = struct("UrnSquares", crossed=crossed, squared=squared, sum=total)
    call("tb_urn_squares", texts, of, out, _room(texts.terms, 2 * texts.longest))
    return crossed, squared, float(total[0])


def products(texts: UrnTexts, of: Urn) -> Floats:
    """Σ_t C_i(<t) C_k(<t)/Z_t² of each entry M[i, k] off the diagonal; those on it have no meaning."""
    found = np.zeros(of.entries)
    call("tb_urn_products", texts, of, struct("UrnProducts", products=found), _room(texts.terms, texts.longest))
    return found


def masses(texts: UrnTexts, of: Urn, mass: Floats, total: Floats) -> None:
    """Write α_k + Σ_{s<t} M[w_s, k] r^(t−1−s) of each token k = w_t, and Z_t."""
    require(mass.size == total.size == texts.size, "there must be one mass and one total for each token")
    call("tb_urn_masses", texts, of, struct("UrnMasses", mass=mass, total=total), _room(texts.terms, texts.longest))


def past(texts: UrnTexts, of: Urn, own: Floats, others: Numbers) -> None:
    """Write how often each token's own term stood before (with decay), and how many other sources of it did."""
    require(own.size == others.size == texts.size, "there must be one number for each token")
    starts, local, amounts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0)
    out = struct("UrnPast", locals(), cells=0, fills=False)
    call("tb_urn_past", texts, of, out, _room(texts.terms, texts.longest))


def fill_past(texts: UrnTexts, of: Urn, starts: Integers, local: Numbers, amounts: Floats) -> None:
    """Write the sources that stood before a token, from `starts` of the token on; nothing if that is negative."""
    require(starts.size == texts.size, "there must be one start for each token")
    require(local.size == amounts.size, "each source must have an amount")
    own, others = np.zeros(0), np.zeros(0, dtype=np.int32)
    out = struct("UrnPast", locals(), cells=local.size, fills=True)
    call("tb_urn_past", texts, of, out, _room(texts.terms, texts.longest))
