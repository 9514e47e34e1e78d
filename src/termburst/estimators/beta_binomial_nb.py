"""`BetaBinomialNB`: naive Bayes in which every term has its own burstiness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from termburst.estimators.count_input import MOST
from termburst.estimators.naive_bayes import MANY, MANY_FOLDS, CountNaiveBayes, HeldOut, clearly_better, held_out_parts
from termburst.models.beta_binomial_classes import beta_binomial_class_log_likelihood
from termburst.models.fit_beta_binomial import fit_beta_binomial
from termburst.models.margins import class_sums
from termburst.options import Option
from termburst.statistics.matrix import canonical_counts

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# To choose from; the first of equals is taken.
BACKGROUNDS, ALPHAS, SHARES = (0.1, 0.3, 0.5, 0.8), (0.3, 0.1, 1.0, 0.03, 0.01), (0.5, 0.0, 1.0)
MOST_COPIES = 10**6  # of one document
FEW_CELLS = 300_000  # up to here all folds are predicted, since that takes little time


@dataclass(eq=False, repr=False, kw_only=True)
class BetaBinomialNB(CountNaiveBayes):
    """Classify documents by one beta-binomial per class and term, over all terms, absent ones included.

    log P(n_j | c) = Σ_i log [B(n_ij + α_ci, n_j − n_ij + α_¬ci)/B(α_ci, α_¬ci)] + const. This is the paper's model of a
    term given the length of the document, with terms assumed independent. `fit_beta_binomial` fits every term in every
    class and in all documents. With m = α/α_0 and ρ = 1/(1 + α_0), the correlation of two tokens of a document,
    m_ci = (1 − w) m̂_ci + w m̂_i and ρ_ci = (n_ci ρ̂_ci + κ ρ̂_i)/(n_ci + κ).

    Few documents of a class tell little about the burstiness of a word. Therefore the score of a class is
    (1 − t) log P(n_j | c) + t Σ_i n_ij log p_ci, where p_c is that of `MultinomialNB`: t = 1 is that classifier.

    Parameters
    ----------
    background : float or "held-out", default="held-out"
        w, the weight of the mean over all documents in the mean of every class, above 0 and at most 1. "held-out" takes
        0.1, 0.3, 0.5 or 0.8, whichever classifies held-out training documents best; 0.1 if there are fewer than 100
        documents.
    multinomial : float or "held-out", default="held-out"
        t, from 0 to 1. "held-out" takes 0, 0.5 or 1, whichever classifies held-out training documents best, and chooses
        alpha of the multinomial from 0.01 to 1 in the same way. It takes 1 unless another is better by more than two
        standard errors; 0 if there are fewer than 100 documents.
    strength : float, default=1000.0
        κ, the weight of the burstiness in all documents, as a number of tokens of a class; above 0.
    fit_prior : bool, default=True
        Whether class priors are learned; otherwise all are equal.
    class_prior : array, one value per class, optional
        Priors to use instead of learned ones.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_
        As in `DirichletMultinomialNB`.
    background_ : float
        w, as given or as chosen.
    multinomial_ : float
        t, as given or as chosen.
    feature_log_prob_ : array, classes × terms
        log p_ci.
    alpha_, alpha_not_ : array, classes × terms
        α_ci and α_¬ci.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    * Counts must be whole numbers. ρ is limited to 1e-6 … 0.99, since fits can end at 0 or 1.
    * The sum over absent terms is computed at 24 lengths and interpolated between them. The error is about 1e-3 in a
      log-probability of hundreds if the lengths of the predicted documents span three powers of ten, and up to 1 in
      tens of thousands if they span five.

    Examples
    --------
    >>> import termburst as tb
    >>> X, y = [[3, 0, 1], [2, 0, 0], [0, 4, 1], [0, 1, 2]], ["war", "war", "peace", "peace"]
    >>> tb.BetaBinomialNB().fit(X, y).predict([[1, 0, 0], [0, 2, 1]]).tolist()
    ['war', 'peace']
    """

    background: Annotated[float | HeldOut, Option(above=0, most=1)] = "held-out"
    multinomial: Annotated[float | HeldOut, Option(least=0, most=1)] = "held-out"
    strength: Annotated[float, Option(above=0, most=MOST)] = 1000.0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BetaBinomialNB:
        """Learn from the counts X, documents × terms, and their labels.

        A sample weight must be a whole number: a document of weight 2 counts as two equal documents.
        """
        counts, weights = self._labelled(X, y, sample_weight)
        if (weights != np.floor(weights)).any() or weights.max() > MOST_COPIES:
            raise ValueError(f"the sample weights of BetaBinomialNB must be whole numbers up to {MOST_COPIES}")
        copies = np.repeat(np.arange(weights.shape[0]), weights.max(axis=1).astype(np.int64))
        counts, label = canonical_counts(counts)[copies], weights.argmax(axis=1)[copies]
        self._set_prior(weights.sum(axis=0))
        self.background_, alpha, self.multinomial_ = self._choose(counts, label)
        self._set_parameters(self._fits(counts, label), self.background_)
        self.feature_log_prob_ = self._multinomial(counts, label, alpha)
        return self

    def _choose(self, counts: Any, label: Integers) -> tuple[float, float, float]:
        """w and alpha with the highest accuracy of each model alone on held-out documents, then t with that of both."""
        backgrounds = BACKGROUNDS if self.background == "held-out" else (float(self.background),)
        shares = SHARES if self.multinomial == "held-out" else (float(self.multinomial),)
        parts = held_out_parts(np.arange(label.size), all_folds=counts.nnz <= FEW_CELLS)
        if not parts:
            return backgrounds[0], ALPHAS[0], 0.0 if self.multinomial == "held-out" else shares[0]
        alpha = self._choose_alpha(counts, label)
        bursty, plain, truth = [], [], []
        for inside, outside in parts:
            own, new = counts[inside], counts[outside]
            fits = self._fits(own, label[inside]) if min(shares) < 1 else []
            bursty.append([self._scores_by(fits, w, new) for w in backgrounds] if fits else [])
            plain.append(new @ self._multinomial(own, label[inside], alpha).T)
            truth.append(label[outside])
        label = np.concatenate(truth)
        tried, multinomial = [np.concatenate(found) for found in zip(*bursty, strict=True)], np.concatenate(plain)

        def right(score: Floats) -> NDArray[np.bool_]:
            return np.asarray((score + self.class_log_prior_).argmax(axis=1) == label)

        w = int(np.argmax([right(score).sum() for score in tried])) if tried else 0
        if len(shares) == 1:
            return backgrounds[w], alpha, shares[0]
        mixed = [right((1 - t) * tried[w] + t * multinomial) for t in shares]
        t = int(np.argmax([found.sum() for found in mixed]))
        return backgrounds[w], alpha, shares[t] if clearly_better(mixed[t], right(multinomial)) else 1.0

    def _choose_alpha(self, counts: Any, label: Integers) -> float:
        """alpha of the multinomial with the highest accuracy on held-out documents."""
        total = np.zeros(len(ALPHAS))
        for inside, outside in held_out_parts(np.arange(label.size), MANY_FOLDS, most=MANY):
            tokens = class_sums(counts[inside], label[inside], self.classes_.size)
            for k, alpha in enumerate(ALPHAS):
                score = counts[outside] @ _log_shares(tokens + alpha).T + self.class_log_prior_
                total[k] += np.sum(score.argmax(axis=1) == label[outside])
        return ALPHAS[int(total.argmax())]

    def _scores_by(self, fits: list[tuple[Floats, Floats, Floats]], w: float, counts: Any) -> Floats:
        self._set_parameters(fits, w)
        return beta_binomial_class_log_likelihood(counts, self.alpha_, self.alpha_not_)

    def _multinomial(self, counts: Any, label: Integers, alpha: float) -> Floats:
        """log p_ci, p_ci ∝ n_ci + alpha: classes × terms."""
        return _log_shares(class_sums(counts, label, self.classes_.size) + alpha)

    def _fits(self, counts: Any, label: Integers) -> list[tuple[Floats, Floats, Floats]]:
        """Mean, correlation and n_i of every term: in all documents, then in each class."""
        mean, rho, n_i = _fitted(counts)
        mean = np.maximum(mean, 0.5 / max(int(counts.sum()), 1))  # a term that is new in prediction is the rarest
        return [(mean, rho, n_i), *(_fitted(counts[label == c]) for c in range(self.classes_.size))]

    def _set_parameters(self, fits: list[tuple[Floats, Floats, Floats]], w: float) -> None:
        (mean, rho, _), *own = fits
        kappa = self.strength
        shares = np.array([(1 - w) * m + w * mean for m, _, _ in own])
        rhos = np.array([(n * r + kappa * rho) / (n + kappa) for _, r, n in own])
        alpha_0 = 1 / np.clip(rhos, 1e-6, 0.99) - 1
        shares = np.clip(shares, 1e-12, 1 - 1e-9)
        self.alpha_, self.alpha_not_ = shares * alpha_0, (1 - shares) * alpha_0

    def _log_likelihood(self, counts: Any) -> Floats:
        counts, t = canonical_counts(counts), self.multinomial_
        found = np.zeros((counts.shape[0], self.classes_.size))
        if t < 1:
            found += (1 - t) * beta_binomial_class_log_likelihood(counts, self.alpha_, self.alpha_not_)
        if t > 0:
            found += t * (counts @ self.feature_log_prob_.T)
        return found


def _log_shares(evidence: Floats) -> Floats:
    return np.asarray(np.log(evidence) - np.log(evidence.sum(axis=1, keepdims=True)))


def _fitted(counts: Any) -> tuple[Floats, Floats, Floats]:
    """The mean and the correlation of every term, 0 if it does not occur, and n_i."""
    n_i = np.bincount(counts.indices, weights=counts.data, minlength=counts.shape[1]).astype(np.float64)
    if not counts.nnz:
        return np.zeros(n_i.size), np.zeros(n_i.size), n_i
    fit = fit_beta_binomial(counts)
    return np.nan_to_num(fit.mean), np.nan_to_num(1 / (1 + fit.alpha_0)), n_i
