"""The null distribution of how the bursts of a term fall into groups of documents (bursts.c)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.core.beta_binomial import LANES
from termburst.core.binding import Float, In_f64, In_i64, Int, Out_f64, Out_i64, Struct, call, pointer, require
from termburst.core.cells import Cells

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

OUTCOMES = 2**16 + 8  # maximum number of outcomes of a sum of scores, plus one per burst for rounding; see CROWDED

WAYS = 2048  # maximum number of assignments of bursts that are enumerated


class LengthClasses(Struct):
    _fields_ = [("length", In_f64), ("documents", In_f64), ("size", Int), ("groups", Int)]


class CommonModel(Struct):
    _fields_ = [("alpha", In_f64), ("alpha_0", In_f64), ("mean", In_f64), ("terms", Int), ("kappa", Float)]


class Burst(Struct):
    _fields_ = [("score", Float), ("count", Int), ("group", Int), ("kind", Int)]


BURST = np.dtype(Burst)


class BurstSum(Struct):
    _fields_ = [("value", Float), ("mass", Float), ("number", Int)]


BURST_SUM = np.dtype(BurstSum)


class BurstRoom(Struct):
    _fields_ = [
        ("weight", Out_f64),
        ("bursts", pointer(BURST, writes=True)),
        ("spare", pointer(BURST, writes=True)),
        ("shares", Out_f64),
        ("sums", Out_f64),
        ("left", Out_f64),
        ("crowding", Out_f64),
        ("held", Out_i64),
        ("sorted", pointer(BURST_SUM, writes=True)),
        ("values", Out_f64),
        ("mass", Out_f64),
        ("before", Out_f64),
        ("from", Out_f64),
        ("most", Int),
        ("outcomes", Int),
    ]


class ReferenceTask(Struct):
    _fields_ = [("terms", In_i64), ("size", Int), ("enough", Float), ("p_value", Out_f64), ("least", Out_f64)]


class DrawTask(Struct):
    _fields_ = [("terms", In_i64), ("size", Int), ("seeds", In_i64), ("draws", Int), ("p_value", Out_f64)]


class BurstTask(Struct):
    _fields_ = [
        ("count", Int),
        ("alpha", Float),
        ("alpha_0", Float),
        ("mean", Float),
        ("kappa", Float),
        ("weight", Out_f64),
        ("shares", Out_f64),
        ("score", Out_f64),
    ]


class MidPTask(Struct):
    _fields_ = [("size", Int), ("crowded", Int), ("p_value", Out_f64)]


def length_classes(length: Floats, documents: Floats) -> LengthClasses:
    """Length classes: the mean length of each class, and the number of documents, classes × groups."""
    require(length.size > 0 and documents.shape[:1] == length.shape, "documents must have one row per class")
    require(bool((length > 0).all()), "the length of a class must be above 0")
    more = -length.size % LANES
    length, documents = np.append(length, np.zeros(more)), np.pad(documents, ((0, more), (0, 0)))
    return LengthClasses(length=length, documents=documents, size=length.size, groups=documents.shape[1])


def common_model(alpha: Floats, alpha_0: Floats, mean: Floats, kappa: float) -> CommonModel:
    """The beta-binomials fitted to all groups together, one per term (alpha and alpha_0 inf: binomial), and κ."""
    require(alpha.shape == alpha_0.shape == mean.shape, "there must be one model per term")
    return CommonModel(alpha=alpha, alpha_0=alpha_0, mean=mean, terms=mean.size, kappa=kappa)


def burst(
    classes: LengthClasses, count: int, alpha: float, alpha_0: float, mean: float, kappa: float
) -> tuple[Floats, float]:
    """The probability that a burst of this size falls into each group, and its score ∂ log P(c)/∂ log π.

    The score is c (1 − κ E[n_j/(α_0 + n_j)]) − (1 − κ) Σ_{q<c} q/(α + q).
    """
    shares, score = np.empty(classes.groups), np.empty(1)
    task = BurstTask(
        count=count,
        alpha=alpha,
        alpha_0=alpha_0,
        mean=mean,
        kappa=kappa,
        weight=np.empty(2 * classes.size),
        shares=shares,
        score=score,
    )
    call("tb_burst", classes, task)
    return shares, float(score[0])


def mid_p(
    scores: Floats, shares: Floats, in_first: NDArray[np.bool_], crowding: Floats | None = None
) -> tuple[float, float]:
    """Two-sided p of T = Σ_k score_k I_k, observed at I = *in_first*, and the smallest p that is possible.

    P(I) is proportional to Π share_k^I_k (1 − share_k)^(1 − I_k) · crowding[Σ I_k]; without *crowding* the I_k are
    independent. Outcomes are ordered by their tails: those with a smaller tail than the observed one, on either side,
    count in full, and those with the same tail as half (Blaker 2000, Canadian Journal of Statistics 28). p is at least
    1/1.3 of the sum in which these count in full, too. Up to 2,048 assignments are enumerated, where bursts of one size
    are alike. For more, scores are rounded to a lattice.
    """
    require(scores.shape == shares.shape == in_first.shape, "scores, shares and in_first must have one entry per burst")
    require(crowding is None or crowding.shape == (scores.size + 1,), "crowding must have one entry per number, from 0")
    bursts, p_value = np.zeros(scores.size, BURST), np.empty(2)
    bursts["score"], bursts["group"], bursts["kind"] = scores, ~in_first, np.arange(scores.size)
    room = _room(bursts, np.column_stack([shares, 1 - shares]), 0, crowding)
    call("tb_mid_p", room, MidPTask(size=scores.size, crowded=crowding is not None, p_value=p_value))
    return float(p_value[0]), float(p_value[1])


def _room(bursts: NDArray[Any], shares: Floats, classes: int, crowding: Floats | None = None) -> BurstRoom:
    most, groups = shares.shape
    return BurstRoom(
        weight=np.empty(2 * classes),
        bursts=bursts,
        spare=np.empty_like(bursts),
        shares=shares,
        sums=np.empty(3 * groups),
        left=np.empty(groups * (most + 1)),
        crowding=np.empty(most + 1) if crowding is None else crowding.copy(),
        held=np.empty(groups, np.int64),
        sorted=np.empty(2 * WAYS, BURST_SUM),
        **{name: np.empty(OUTCOMES + most + 1) for name in ("values", "mass", "before", "from")},
        most=most,
        outcomes=OUTCOMES + most,
    )


def _room_for(b_i: Integers, terms: Integers, classes: LengthClasses) -> BurstRoom:
    most = int(b_i[terms].max(initial=1))
    return _room(np.empty(most, BURST), np.empty((most, classes.groups)), classes.size)


def burst_reference(
    cells: Cells, classes: LengthClasses, model: CommonModel, terms: Integers, b_i: Integers, enough: float,
    p_value: Floats, least: Floats,
) -> None:  # fmt: skip
    """Two-sided p of the given terms, from the total score of their bursts in the first of two groups.

    *least* is the smallest p that the term's bursts could have. Terms with at least *enough* expected bursts in each
    group keep *p_value* and *least*. *b_i* is the number of bursts, one entry per term of the collection.
    """
    require(cells.groups == classes.groups == 2, "cells and classes must have two groups")
    require(model.terms == cells.terms, "there must be one model per term")
    shapes = {b_i.shape, p_value.shape, least.shape}
    require(shapes == {(cells.terms,)}, "b_i, p_value and least must have one entry per term")
    task = ReferenceTask(terms=terms, size=terms.size, enough=enough, p_value=p_value, least=least)
    call("tb_burst_reference", cells, classes, model, task, _room_for(b_i, terms, classes))


def burst_draws(
    cells: Cells, classes: LengthClasses, model: CommonModel, terms: Integers, b_i: Integers, seeds: Integers,
    draws: int, p_value: Floats,
) -> None:  # fmt: skip
    """Monte Carlo p of the given terms: bursts are assigned to groups *draws* times; (½ + #{Q* > Q} + …)/(draws + 1).

    Q = Σ_g (S_g − E S_g)²/E S_g of the scores of the bursts; a tie counts as half. Each term has its own seed (32 bits)
    for the stream of NumPy's RandomState.
    """
    require(cells.groups == classes.groups, "classes and cells must have the same groups")
    require(model.terms == cells.terms, "there must be one model per term")
    require(
        b_i.shape == seeds.shape == p_value.shape == (cells.terms,),
        "b_i, seeds and p_value must have one entry per term",
    )
    task = DrawTask(terms=terms, size=terms.size, seeds=seeds, draws=draws, p_value=p_value)
    call("tb_burst_draws", cells, classes, model, task, _room_for(b_i, terms, classes))
