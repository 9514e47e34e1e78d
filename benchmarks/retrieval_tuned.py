"""Ranking models, each tuned alike on two collections (MED and NPL) and then confirmed once on Cranfield.

    TERMBURST_DATA=… python benchmarks/retrieval_tuned.py choose    # MAP of every setting on MED and NPL
    TERMBURST_DATA=… python benchmarks/retrieval_tuned.py confirm   # Cranfield with the setting of the best mean MAP

English stop words are left out, words are not stemmed, and all documents with a word of the query are ranked.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

import termburst as tb
from termburst.datasets import load_cranfield
from termburst.datasets.collection import data_file
from termburst.retrieval import Evaluation, Index, evaluate, paired_test

SHARES = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
GRIDS: dict[str, dict[str, tuple[float, ...]]] = {
    "spud": {"omega": SHARES},
    "gspud": {"omega": SHARES},
    "lm-dirichlet": {"mu": (25, 50, 100, 200, 300, 500, 1000, 2000)},
    "lm-jm": {"smoothing": SHARES},
    "bm25": {"k1": (0.9, 1.2, 1.6, 2.0, 3.0), "b": (0.3, 0.5, 0.75, 0.9)},
}


@dataclass(frozen=True)
class Task:
    """An index, queries and judgements."""

    index: Index
    queries: dict[str, str]
    judgements: dict[str, dict[str, int]]

    def run(self, model: str, **parameters: Any) -> Evaluation:
        found = self.index.batch_search(self.queries.values(), None, model=model, **parameters)
        return evaluate({q: hits.ids for q, hits in zip(self.queries, found, strict=True)}, self.judgements)


def task(documents: dict[str, str], queries: dict[str, str], judgements: dict[str, dict[str, int]]) -> Task:
    counting = tb.CountingOptions(words="sklearn", stop_words="english")
    return Task(Index.from_texts(documents.values(), documents, counting=counting), queries, judgements)


def med() -> Task:
    def entries(name: str) -> dict[str, str]:
        text = data_file(f"med/{name}", "MED").read_text(encoding="latin-1")
        parts = re.split(r"^\.I +(\d+)\s*\n\.W *\n", text, flags=re.MULTILINE)[1:]
        return dict(zip(parts[::2], parts[1::2], strict=True))

    judgements: dict[str, dict[str, int]] = {}
    for line in data_file("med/MED.REL", "MED").read_text(encoding="latin-1").splitlines():
        if line.strip():
            query, document, _ = line.split()
            judgements.setdefault(query, {})[document] = 1
    return task(entries("MED.ALL"), entries("MED.QRY"), judgements)


def npl() -> Task:
    def entries(name: str) -> dict[str, str]:
        text = data_file(f"npl/{name}", "NPL").read_text(encoding="latin-1")
        parts = [part.strip() for part in re.split(r"^ *\/ *$", text, flags=re.MULTILINE)]
        pairs = [part.split("\n", 1) for part in parts if part and part.split("\n", 1)[0].strip().isdigit()]
        return {pair[0].strip(): pair[1] if len(pair) > 1 else "" for pair in pairs}

    judged = entries("rlv-ass")
    return task(
        entries("doc-text"), entries("query-text"), {q: dict.fromkeys(found.split(), 1) for q, found in judged.items()}
    )


def cranfield() -> Task:
    corpus = load_cranfield()
    judgements = {
        query: {document: 5 - grade for document, grade in grades.items() if grade > 0}
        for query, grades in corpus.judgements.items()
    }
    documents = dict(zip(corpus.documents.ids, corpus.documents.texts, strict=True))
    return task(documents, dict(zip(corpus.queries.ids, corpus.queries.texts, strict=True)), judgements)


def chosen() -> dict[str, dict[str, float]]:
    """The setting of every model with the best mean MAP over MED and NPL."""
    tasks = {"MED": med(), "NPL": npl()}
    for name, one in tasks.items():
        print(f"{name}: {len(one.index):,} documents, {len(one.queries)} queries")
    best = {}
    for model, grid in GRIDS.items():
        settings = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
        scores = [[one.run(model, **setting).means["map"] for one in tasks.values()] for setting in settings]
        at = int(np.argmax(np.mean(scores, axis=1)))
        best[model] = settings[at]
        print(f"{model:14} {settings[at]}: MAP {scores[at][0]:.4f} on MED, {scores[at][1]:.4f} on NPL", flush=True)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["choose", "confirm"])
    what = parser.parse_args().what
    best = chosen()
    if what == "choose":
        return
    one = cranfield()
    runs = {model: one.run(model, **setting) for model, setting in best.items()}
    for model, run in runs.items():
        print(f"{model:14} Cranfield " + ", ".join(f"{name} {mean:.4f}" for name, mean in run.means.items()))
    for model, rival in product(("spud", "gspud"), ("bm25", "lm-dirichlet", "lm-jm")):
        test = paired_test(runs[model].values["map"], runs[rival].values["map"])
        print(f"{model} minus {rival}: {test.difference:+.4f}, won {test.wins}, p = {test.p_randomisation:.2g}")


if __name__ == "__main__":
    main()
