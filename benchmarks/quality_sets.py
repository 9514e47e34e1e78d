"""The text-classification sets of the data folder: those to choose on, and those to confirm on, looked at once.

Loaders read `TERMBURST_DATA`. Sets without a test part are split into five folds, each of them predicted once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from termburst.datasets import load_20newsgroups, load_r8, load_r52
from termburst.datasets.collection import data_file

CHOOSE = ("ag", "webkb", "mr", "sms", "gnad", "trec", "20ng", "r8")
CONFIRM = ("ohsumed", "cr", "r52", "ag", "webkb", "mr", "sms", "20ng", "r8")  # of the last six, the test parts
FOLDED = ("gnad", "trec", "cr")  # without a test part
TITLES = {
    "ag": "AG News", "webkb": "WebKB", "mr": "MR", "sms": "SMS spam", "gnad": "10kGNAD", "trec": "TREC",
    "20ng": "20 Newsgroups", "r8": "R8", "ohsumed": "Ohsumed", "cr": "CR", "r52": "R52",
}  # fmt: skip


@dataclass(frozen=True)
class Split:
    """Training texts and test texts with their labels."""

    train: list[str]
    train_labels: NDArray[Any]
    test: list[str]
    test_labels: NDArray[Any]


def both_parts(name: str) -> Split:
    """A set with a fixed test part; the test part is empty if it has none."""
    if name in ("20ng", "r8", "r52"):
        load: Any = {"20ng": load_20newsgroups, "r8": load_r8, "r52": load_r52}[name]
        train, test = load("train"), load("test")
        names, others = np.array(train.label_names), np.array(test.label_names)
        return Split(train.texts, names[train.labels], test.texts, others[test.labels])
    table = pl.read_parquet(data_file(f"classification/{name}.parquet", name))
    parts = [table.filter(pl.col("test").fill_null(False) == held) for held in (False, True)]
    texts, labels = [part["text"].to_list() for part in parts], [part["label"].to_numpy().astype(str) for part in parts]
    return Split(texts[0], labels[0], texts[1], labels[1])


def taken(texts: list[str], which: Any) -> list[str]:
    return [texts[i] for i in which]


def folds(split: Split, number: int) -> Iterator[Split]:
    """Folds of the training documents."""
    y = split.train_labels
    for a, b in StratifiedKFold(number, shuffle=True, random_state=0).split(y, y):
        yield Split(taken(split.train, a), y[a], taken(split.train, b), y[b])


def choosing(name: str, most: int) -> Iterator[Split]:
    """Three folds of at most *most* training documents. No test part is read."""
    whole = both_parts(name)
    some = np.random.default_rng(0).permutation(len(whole.train))[:most]
    yield from folds(Split(taken(whole.train, some), whole.train_labels[some], [], whole.train_labels[:0]), 3)


def confirming(name: str) -> Iterator[Split]:
    """The test part, or five folds if there is none."""
    whole = both_parts(name)
    if name in FOLDED:
        yield from folds(whole, 5)
    else:
        yield whole
