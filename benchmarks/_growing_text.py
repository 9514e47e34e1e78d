"""Synthetic text whose vocabulary grows as in nature: ranks by Zipf's law, so that new words go on (Heaps' law)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

EXPONENT = 1.2  # 14.8 million distinct words in 1 GB
LENGTH = 200  # mean tokens of a document
BLOCK = 1_000_000  # tokens that are made at a time
LETTERS = np.frombuffer(b"etaoinshrdlcumwfgypbvkjxqz", dtype=np.uint8)


def write_growing_text(path: Path, size: int, *, seed: int = 0) -> tuple[int, int]:
    """Write at least *size* bytes, one document per line; returns the numbers of documents and tokens."""
    rng = np.random.default_rng(seed)
    documents = tokens = 0
    with path.open("wb") as out:
        while out.tell() < size:
            ranks, where = np.unique(rng.zipf(EXPONENT, BLOCK), return_inverse=True)
            words = [_word(rank) for rank in ranks.tolist()]
            text = [words[k] for k in where.tolist()]
            ends = np.cumsum(1 + rng.geometric(1 / LENGTH, BLOCK // LENGTH))
            ends = ends[ends < BLOCK].tolist()
            for start, stop in zip([0, *ends], [*ends, BLOCK], strict=True):
                out.write(b" ".join(text[start:stop]) + b"\n")
            documents, tokens = documents + len(ends) + 1, tokens + BLOCK
    return documents, tokens


def _word(rank: int) -> bytes:
    """Frequent words are short: the digits of the rank in base 26, at least two letters."""
    digits = []
    rank += 25
    while rank:
        rank, digit = divmod(rank, 26)
        digits.append(digit)
    return LETTERS[digits].tobytes()


if __name__ == "__main__":
    import sys

    print("{:,} documents, {:,} tokens".format(*write_growing_text(Path(sys.argv[1]), int(sys.argv[2]))), flush=True)
