"""Naive Bayes on weights, as in Tables 2 and 3 and in the sensitivity grids of Fig. A1 and A2."""

from __future__ import annotations

import dataclasses
import re
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.inference.plr import CellCoefficients, ClampedTermsWarning, cell_coefficients
from termburst.paper.results import percent
from termburst.statistics.term_statistics import TermStatistics, as_statistics
from termburst.weights.schemes import named_scheme

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

MU = (30.0, 60.0, 90.0, 120.0, 150.0, 180.0)  # of Fig. A1 and A2
SIGMA2 = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0)
SCHEMES = {"TF–IDF": "tf-idf", "S(λ)": "s-lambda"}  # the tables' columns
R8_CLASSES = {  # classes whose share the paper gives: key in published.toml → classes
    "share of the class earn, %": ["earn"],
    "share of grain, ship and interest together, %": ["grain", "ship", "interest"],
}

Report = dict[str, Any]  # the result of scikit-learn's classification_report


@dataclasses.dataclass(frozen=True, slots=True)
class Split:
    """Training and test documents over the training vocabulary, stop words removed."""

    train: Any
    test: Any
    train_labels: NDArray[np.int64]
    test_labels: NDArray[np.int64]
    names: list[str]
    whole_vocabulary: int  # terms of training and test documents together

    def shares(self, classes: list[str]) -> dict[str, float]:
        """The percentage of the training, the test and all documents that are in one of *classes*."""
        labels = {"training": self.train_labels, "test": self.test_labels}
        labels["all"] = np.concatenate([*labels.values()])
        wanted = [self.names.index(name) for name in classes]
        return {which: percent(np.isin(found, wanted)) for which, found in labels.items()}


def classify(split: Split, scheme: str, *, transductive: bool) -> Integers:
    """Test labels that MultinomialNB() predicts from the weights of *scheme*; μ is the mean training length, σ² = 1.

    With *transductive*, as in the paper, the test documents are weighted with their own n_i, b_i, d and n (erratum 4).
    """
    train = as_statistics(split.train, "frequencies")
    test = as_statistics(split.test, "frequencies") if transductive else train
    weigh = named_scheme(scheme)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClampedTermsWarning)  # erratum 9 counts them
        return predicted(
            split, weigh(split.train, train, mu=train.mean_length), weigh(split.test, test, mu=train.mean_length)
        )


def sensitivity(split: Split, *, mu_term: bool) -> Floats:
    """Accuracy of S(λ) over `MU` × `SIGMA2` (Fig. A1 and A2), transductive; *mu_term* adds the term of erratum 2."""
    statistics = [as_statistics(counts, "frequencies") for counts in (split.train, split.test)]
    grid = np.empty((len(MU), len(SIGMA2)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClampedTermsWarning)
        for row, mu in enumerate(MU):
            for column, sigma2 in enumerate(SIGMA2):
                weights = [
                    _s_lambda(counts, s, mu, sigma2, mu_term)
                    for counts, s in zip((split.train, split.test), statistics, strict=True)
                ]
                grid[row, column] = accuracy(split, predicted(split, *weights))
    return grid


def accuracy(split: Split, predicted: Integers) -> float:
    """The share of test documents that are classified correctly."""
    return float(np.mean(predicted == split.test_labels))


def report(split: Split, predicted: Integers) -> Report:
    """Precision, recall and F1 of every class, their averages and the accuracy."""
    from sklearn.metrics import classification_report

    return classification_report(
        split.test_labels, predicted, target_names=split.names, output_dict=True, zero_division=0
    )


def best_cells(grid: Floats) -> str:
    """The (μ, σ²) of a sensitivity grid's best accuracy.

    >>> grid = np.zeros((6, 6))
    >>> grid[1, 1] = grid[5, 0] = 0.9
    >>> best_cells(grid)
    '(60, 1), (180, 0.5)'
    """
    return ", ".join(cell for cell, value in _cells(grid).items() if value == grid.max())


def at_cells(grid: Floats, cells: str) -> dict[str, float]:
    """The accuracies of a sensitivity grid at cells in the format of `best_cells`.

    >>> at_cells(np.arange(36.0).reshape(6, 6), "(60, 1), (180, 0.5)")
    {'(60, 1)': 7.0, '(180, 0.5)': 30.0}
    """
    found = _cells(grid)
    return {cell: found[cell] for cell in re.findall(r"\(.+?\)", cells)}


def _cells(grid: Floats) -> dict[str, float]:
    return {f"({mu:g}, {s:g})": float(grid[i, j]) for i, mu in enumerate(MU) for j, s in enumerate(SIGMA2)}


def _s_lambda(counts: Any, statistics: TermStatistics, mu: float, sigma2: float, mu_term: bool) -> Floats:
    cells = cell_coefficients(statistics, mu, sigma2)
    if mu_term:  # n_ij log(μd/n)
        lost = np.log(mu * statistics.documents / statistics.tokens)
        cells = CellCoefficients(cells.packed + np.array([0.0, lost, lost, 0.0]))
    return cells(counts, sigmoid=True)


def predicted(split: Split, train_weights: Floats, test_weights: Floats) -> Integers:
    """Test labels that MultinomialNB() predicts from weights of the stored cells."""
    from sklearn.naive_bayes import MultinomialNB

    model = MultinomialNB().fit(_with(split.train, train_weights), split.train_labels)
    return model.predict(_with(split.test, test_weights))


def _with(counts: Any, weights: Floats) -> Any:
    return type(counts)((weights, counts.indices, counts.indptr), shape=counts.shape)
