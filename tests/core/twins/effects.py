"""The computations of core/effects.c in plain Python: the same maxima, by sums of logarithms and golden sections.

A term is given by its counts in all documents, zeros included, and the lengths of the documents.
"""

from __future__ import annotations

import math

GOLDEN = (math.sqrt(5) - 1) / 2


class Term:
    """For q = 0, 1, …, the number of documents with more than q occurrences, other tokens, and tokens."""

    def __init__(self, counts, lengths):
        self.more = _beyond(counts)
        self.others = _beyond([length - count for count, length in zip(counts, lengths, strict=True)])
        self.longer = _beyond(lengths)
        n_i, n = sum(counts), sum(lengths)
        self.binomial = n_i * math.log(n_i / n) + (n - n_i) * math.log1p(-n_i / n)

    def gain(self, tau, omega):
        """ℓ(τ, ω) − ℓ of the best binomial."""
        alpha_0, p = math.exp(tau), 1 / (1 + math.exp(-omega))
        alpha, alpha_not = alpha_0 * p, alpha_0 / (1 + math.exp(omega))
        parts = ((1, self.more, alpha), (1, self.others, alpha_not), (-1, self.longer, alpha_0))
        logs = [sign * times * math.log(start + q) for sign, many, start in parts for q, times in enumerate(many)]
        return math.fsum(logs) - self.binomial


def _beyond(numbers):
    return [sum(number > q for number in numbers) for q in range(max(numbers))]


def highest(function, low, high, steps):
    """The maximum of a function of one number: the best of a grid, then golden sections around it."""
    width = (high - low) / steps
    best = max((low + k * width for k in range(steps + 1)), key=function)
    low, high = best - width, best + width
    one, other = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_one, at_other = function(one), function(other)
    while high - low > 1e-5:
        if at_one > at_other:
            high, other, at_other = other, one, at_one
            one = high - GOLDEN * (high - low)
            at_one = function(one)
        else:
            low, one, at_one = one, other, at_other
            other = low + GOLDEN * (high - low)
            at_other = function(other)
    return max(at_one, at_other)


def gain_at_ratio(term, level):
    """The highest gain of all τ and ω with log(R − 1) = −ω − log(1 + e^τ) equal to *level*."""
    return highest(lambda tau: term.gain(tau, -level - math.log1p(math.exp(tau))), -8.0, 16.0, 24)


def reuse_logit(tau, omega, length):
    """logit P(N ≥ 2 | N ≥ 1) for a document of *length* tokens, a whole number: from P(N = 0) and P(N = 1)/P(N = 0)."""
    alpha_0, p = math.exp(tau), 1 / (1 + math.exp(-omega))
    alpha, alpha_not = alpha_0 * p, alpha_0 / (1 + math.exp(omega))
    log_none = math.fsum(math.log1p(-alpha / (alpha_0 + k)) for k in range(length))
    once = length * alpha / (alpha_not + length - 1)
    return math.log(math.expm1(-log_none) / once - 1)


def gain_at_reuse(term, level, length):
    """The highest gain of all τ and ω where the logit of reuse is *level*. With α fixed, reuse decreases in τ."""

    def gain(log_alpha):
        low, high = log_alpha + 1e-4, log_alpha + 25.0
        for _ in range(45):
            tau = (low + high) / 2
            omega = log_alpha - tau - math.log(-math.expm1(log_alpha - tau))
            if reuse_logit(tau, omega, length) > level:
                low = tau
            else:
                high = tau
        return term.gain(tau, omega)

    return highest(gain, -8.0, 4.0, 24)
