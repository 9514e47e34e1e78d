"""The documents that every way in is given, and the rules by which their words are counted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import termburst as tb

WORDS = [
    "the", "and", "of", "So", "so", "I", "a", "don't", "naïve", "straße", "Ärger", "東京", "İzmir", "ǆ", "l'été",
    "whale", "ship", "sea", "harpoon", "ox", "free", "world", "free world", "it", "goes", "on", "1851", "ha", "x",
    *(f"{letter}{k:02}" for letter in "rst" for k in range(20)),
]  # fmt: skip
NAME = r"\d+_(?P<party>..)_(?P<who>w\d+)_(?P<half>[a-z]+)_(?P<year>\d+)_(?P<month>\d+)?_(?P<note>[a-z]+)?\.txt"
RULES: dict[str, dict[str, Any]] = {  # how words are found and counted
    "as they are": {},
    "of English": {"language": "en", "stop_words": True},
    "n-grams": {"ngrams": (1, 2), "lowercase": False},
    "as scikit-learn": {"words": "sklearn", "stop_words": "english"},
    "by a pattern": {
        "token_pattern": r"[^\W\d]+",
        "ngrams": (2, 2),
        "ngrams_over_stop_words": True,
        "stop_words": "fr",
    },
    "cut at apostrophes": {"apostrophes": "split"},
}


def documents(number: int = 96) -> pl.DataFrame:
    """Bursty words, some of them written otherwise; texts that come twice, and some without a word.

    The documents of a writer (*who*) have one *party*. The metadata has strings, integers and nulls.
    """
    rng = np.random.default_rng(11)
    at = range(number)
    texts = []
    for k in at:
        more = np.where(np.arange(len(WORDS)) % 3 == k // 4 % 3, 3.0, 1.0)
        share = rng.dirichlet(1.4 / np.arange(1, len(WORDS) + 1) ** 0.7 * more)
        words = rng.choice(WORDS, size=rng.integers(3, 60), p=share).tolist()
        words[5:5] = ["."] * (k % 2)
        texts.append(" ".join(words))
    texts[7], texts[40] = "", "? !"
    texts[60], texts[61], texts[80] = texts[10], texts[11] + " done", texts[10]
    for k in range(20, 50, 3):
        texts[k] += " and this is what every letter of the office says below its last line of all"
    columns = {
        "party": [("ha", "hb", "hc")[k // 4 % 3] for k in at],
        "who": [f"w{k // 4}" for k in at],
        "half": ["late" if k // 4 % 5 > 2 else "early" for k in at],
        "year": [1940 + k // 4 for k in at],
        "month": [None if k % 11 == 0 else k % 12 for k in at],
        "note": [None if k % 7 else "seen" for k in at],
    }
    names = [
        "_".join("" if value is None else str(value) for value in row) for row in zip(*columns.values(), strict=True)
    ]
    ids = [f"{k:02}_{name}.txt" for k, name in enumerate(names)]
    return pl.DataFrame({"id": ids, "text": texts, **columns})


@dataclass(frozen=True)
class Given:
    """What a way in is given: documents, the rule for words, a folder to write to, and whatever runs a question."""

    frame: pl.DataFrame
    options: dict[str, Any]
    folder: Path
    run: Any = None  # the command line
    session: Any = None  # of Spark

    @property
    def counting(self) -> tb.CountingOptions:
        return tb.CountingOptions(**self.options)

    @property
    def texts(self) -> list[str]:
        return self.frame["text"].to_list()

    @property
    def ids(self) -> list[str]:
        return self.frame["id"].to_list()

    @property
    def metadata(self) -> pl.DataFrame:
        return self.frame.drop("text")

    def counted(self) -> tuple[Any, Any]:
        """n_ij and the terms."""
        return self.counting.count(self.texts)

    def of(self, column: str, value: Any) -> list[str]:
        """The texts of one group."""
        return self.frame.filter(pl.col(column) == value)["text"].to_list()

    def read(self) -> tb.Corpus:
        """The corpus that all others are compared with."""
        return tb.read(self.texts, id=self.ids, metadata=self.metadata.drop("id"), **self.options)

    def cells(self) -> pl.DataFrame:
        """The rows (document, term, count), with a row of 0 for each document without terms."""
        X, terms = self.counted()
        cells = X.tocoo()
        rows = pl.DataFrame(
            {"id": np.array(self.ids)[cells.row], "term": terms[cells.col].astype(str), "count": cells.data}
        )
        empty = [name for name, size in zip(self.ids, X.sum(axis=1), strict=True) if not size]
        none = pl.DataFrame({"id": empty, "term": "", "count": 0}, schema=rows.schema)
        return pl.concat([rows, none]).sample(fraction=1.0, shuffle=True, seed=3).join(self.metadata, on="id")

    def patterns(self) -> pl.DataFrame:
        """The rows (term, count, length, documents) of a ledger; no term stands for the documents themselves."""
        cells = self.cells().with_columns(length=pl.col("count").sum().over("id"))
        none = cells.unique("id").with_columns(term=pl.lit(None, pl.String), count=pl.lit(0, pl.Int64))
        keys = ("term", "count", "length")
        rows = pl.concat([cells.filter(pl.col("count") > 0), none.select(cells.columns)])
        return rows.group_by(keys).agg(documents=pl.len().cast(pl.Int64))

    def path(self, name: str) -> Path:
        """A file that is not there yet, in a folder of its own."""
        place = self.folder / str(sum(1 for _ in self.folder.iterdir()))
        place.mkdir()
        return place / name


def as_arguments(options: dict[str, Any]) -> list[str]:
    """Options of Python as the command line writes them."""
    found: list[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is False:
            found.append(flag.replace("--", "--no-"))
        elif value is True and name != "stop_words":
            found.append(flag)
        elif value is True:
            found += [flag, str(options["language"])]
        else:
            found += [flag, ",".join(map(str, value)) if isinstance(value, tuple) else str(value)]
    return found
