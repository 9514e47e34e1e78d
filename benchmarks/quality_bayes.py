"""Naive Bayes with bursty words, with defaults, beside `MultinomialNB` with tuned alpha, on counts of the same sets.

    TERMBURST_DATA=… python benchmarks/quality_bayes.py choose    # folds of at most 3,000 training documents
    TERMBURST_DATA=… python benchmarks/quality_bayes.py confirm   # sets and test parts that were not used to choose

alpha of `MultinomialNB` (1, 0.3, 0.1, 0.03, 0.01) has the best accuracy in three folds of the training documents.
Printed are accuracies, what was chosen, and each difference with a bootstrap interval and McNemar's exact p.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import _paired
import numpy as np
from numpy.typing import NDArray
from quality_sets import CHOOSE, CONFIRM, TITLES, Split, choosing, confirming
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import MultinomialNB

import termburst as tb

ALPHAS = (1.0, 0.3, 0.1, 0.03, 0.01)


def models() -> dict[str, Any]:
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    return {
        "MultinomialNB, tuned": GridSearchCV(MultinomialNB(), {"alpha": ALPHAS}, cv=folds),
        "DirichletMultinomialNB()": tb.DirichletMultinomialNB(),
        "BetaBinomialNB()": tb.BetaBinomialNB(),
    }


def right(split: Split) -> dict[str, NDArray[np.bool_]]:
    counter = tb.CountVectorizer()
    X, Y = counter.fit_transform(split.train), counter.transform(split.test)
    found = {}
    for name, model in models().items():
        found[name] = model.fit(X, split.train_labels).predict(Y) == split.test_labels
        chosen = getattr(model, "best_params_", getattr(model, "smoothing_", getattr(model, "background_", None)))
        print(f"    {name}: {chosen}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["choose", "confirm"])
    parser.add_argument("--sets", nargs="+", choices=sorted(TITLES))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    choose = options.what == "choose"
    for name in options.sets or (CHOOSE if choose else CONFIRM):
        parts = [right(split) for split in (choosing(name, 3000) if choose else confirming(name))]
        hits = {model: np.concatenate([part[model] for part in parts]) for model in parts[0]}
        print(f"{TITLES[name]}: " + ", ".join(f"{model} {found.mean():.4f}" for model, found in hits.items()))
        rival, *ours = hits
        for model in ours:
            print(f"  {model} minus {rival}: {_paired.documents(hits[model], hits[rival])}", flush=True)


if __name__ == "__main__":
    main()
