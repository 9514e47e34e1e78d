"""The compiled tb.CountVectorizer against that of scikit-learn on random texts: all differences are printed.

Texts are drawn from all Unicode planes, from characters that are difficult to lower-case or to split (combining marks,
lone surrogates, joiners, dotless i, final sigma, ligatures, control characters), and from words. A few hundred texts
share random parameters, chunks and threads. The exit code is 1 if any text differs.

    python benchmarks/counting_fuzz.py [texts, default 300,000] [seed]
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

import termburst as tb
from termburst.counting import tokenizer, vectorizer

AWKWARD = list("abzAZ019_-'. \n\t\0\x85\x1c") + list(
    "éÉßẞİıΣσςǅﬁﬀK\u0301\u0308\u200b\u200c\u200d\u2060\u00ad\u2028\ud800\udfff²½Ⅷ٣नम日𝔘𐐀🙂\ufeff\u0345ŉΐ"
)
WORDS = [
    "the",
    "The",
    "cat",
    "CAT",
    "Été",
    "e\u0301te\u0301",
    "ΣΑΣ",
    "x",
    "co-op",
    "don't",
    "__init__",
    "w" * 40,
    "é" * 9,
]
PATTERNS = (r"(?u)\b\w\w+\b", r"\w+", r"[^\W\d_]{2,}", r"\b[a-z]+\b", r"[A-Za-z0-9_]{3,}", r"[\w']+", r"\b\w{4,}\b")
SHARED = 400  # texts with the same parameters


def texts(rng: np.random.Generator) -> list[str]:
    made = []
    for _ in range(SHARED):
        kind, size = rng.integers(4), int(rng.geometric(0.03))
        if kind == 0:
            made.append("".join(map(chr, rng.integers(0, 0x110000, size))))
        elif kind == 1:
            made.append("".join(rng.choice(AWKWARD, size)))
        elif kind == 2:
            made.append(" ".join(rng.choice(WORDS, min(size, 60))))
        else:
            made.append("".join(map(chr, rng.integers(0, 0x250, size))))
    if rng.random() < 0.02:
        made.append("x" * int(rng.integers(1, 10**6)))
    return made


def parameters(rng: np.random.Generator) -> dict[str, Any]:
    first = int(rng.integers(1, 3))
    return {
        "token_pattern": str(rng.choice(PATTERNS)),
        "lowercase": bool(rng.random() < 0.7),
        "strip_accents": [None, "unicode", "ascii"][rng.integers(3)],
        "ngram_range": (first, first + int(rng.integers(0, 3))),
        "stop_words": [None, "english", ["the", "été", "x"]][rng.integers(3)],
        "min_df": int(rng.integers(1, 3)),
        "binary": bool(rng.random() < 0.2),
    }


def outcome(cls: Any, options: dict[str, Any], made: list[str], later: list[str]) -> Any:
    try:
        fitted = cls(**options)
        matrices = [fitted.fit_transform(made), fitted.transform(later)]
    except ValueError as error:
        return str(error)
    for X in matrices:
        X.sort_indices()
    return fitted.vocabulary_, [(X.shape, X.data.tolist(), X.indices.tolist(), X.indptr.tolist()) for X in matrices]


def alone(options: dict[str, Any], text: str) -> bool:
    """Whether this text alone gives a difference."""
    theirs = outcome(CountVectorizer, {**options, "min_df": 1}, [text], [text])
    return outcome(tb.CountVectorizer, {**options, "min_df": 1}, [text], [text]) != theirs


def main() -> int:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20260101
    rng = np.random.default_rng(seed)
    vectorizer.SMALL = -1  # always use compiled code
    start, done, different = time.perf_counter(), 0, 0
    warnings.simplefilter("ignore")  # about stop words that no token can equal
    while done < wanted:
        made, later, options = texts(rng), texts(rng), parameters(rng)
        tokenizer.CHUNK, threads = int(rng.choice([100, 5_000, 2**20])), int(rng.integers(1, 4))
        tokenizer.cores = lambda threads=threads: threads
        if outcome(tb.CountVectorizer, options, made, later) != outcome(CountVectorizer, options, made, later):
            different += 1
            print(f"DIFFERENT with seed {seed} after {done:,} texts, {threads} threads: {options}")
            print(next((f"  {text!r}" for text in made if alone(options, text)), "  all together"))
        done += len(made) + len(later)
    print(f"{done:,} texts, {different} batches different, {time.perf_counter() - start:.0f} s")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
