"""The computations of core/urn.c, urn_columns.c and urn_screen.c in plain Python."""

from __future__ import annotations

import math

import numpy as np


def amounts(document, t, terms, ratio=1.0):
    """C_i(<t) of each term."""
    found = np.zeros(terms)
    for s in range(t):
        found[document[s]] += ratio ** (t - 1 - s)
    return found


def masses(documents, alpha, M, ratio=1.0):
    """Mass and total of each token; M is dense."""
    mass, total = [], []
    for document in documents:
        for t, term in enumerate(document):
            C = amounts(document, t, len(alpha), ratio)
            mass.append(alpha[term] + C @ M[:, term])
            total.append(1 + C @ M.sum(axis=1))
    return np.array(mass), np.array(total)


def exposure(documents, M, ratio=1.0):
    """Σ_t C_i(<t)/Z_t, Σ 1/Z_t, Σ log Z_t."""
    terms = M.shape[0]
    found, inverse, logs = np.zeros(terms), 0.0, 0.0
    for document in documents:
        for t in range(len(document)):
            C = amounts(document, t, terms, ratio)
            Z = 1 + C @ M.sum(axis=1)
            found += C / Z
            inverse += 1 / Z
            logs += math.log(Z)
    return found, inverse, logs


def second_moments(documents, M, ratio=1.0):
    """Σ_t C_i/Z_t², Σ_t C_i C_k/Z_t², Σ_t 1/Z_t²."""
    terms = M.shape[0]
    crossed, products, total = np.zeros(terms), np.zeros((terms, terms)), 0.0
    for document in documents:
        for t in range(len(document)):
            C = amounts(document, t, terms, ratio)
            Z = 1 + C @ M.sum(axis=1)
            crossed += C / Z**2
            products += np.outer(C, C) / Z**2
            total += 1 / Z**2
    return crossed, products, total


def em_step(documents, alpha, M, ratio=1.0):
    """One closed update of α and M, and the log-likelihood before it; α_0 need not be 1 after it."""
    fresh, brought = np.zeros_like(alpha), np.zeros_like(M)
    exposed, inverse, logs = exposure(documents, M, ratio)
    log_mass = 0.0
    for document in documents:
        for t, term in enumerate(document):
            C = amounts(document, t, len(alpha), ratio)
            mass = alpha[term] + C @ M[:, term]
            fresh[term] += alpha[term] / mass
            brought[:, term] += C * M[:, term] / mass
            log_mass += math.log(mass)
    with np.errstate(invalid="ignore"):
        new = np.where(exposed[:, None] > 0, brought / exposed[:, None], 0.0)
    return fresh / inverse, new, log_mass - logs


def em_fit(documents, alpha, M, steps):
    """Many closed updates, scaled to α_0 = 1; the log-likelihood after each."""
    history = []
    for _ in range(steps):
        alpha, M, found = em_step(documents, alpha, M)
        alpha, M = alpha / alpha.sum(), M / alpha.sum()
        history.append(found)
    return alpha, M, history


def screen(documents, alpha, total, source, target):
    """D and its expectation for one pair."""
    shared, expected, at = 0, 0.0, 0
    for document in documents:
        seen_source = seen_target = False
        for term in document:
            if seen_source and not seen_target:
                expected += alpha[target] / total[at]
                shared += term == target
            seen_source |= term == source
            seen_target |= term == target
            at += 1
    return shared, expected
