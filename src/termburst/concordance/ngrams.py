"""N-grams of a corpus, with how firmly their words hold together."""

from __future__ import annotations

import numpy as np
import polars as pl

from termburst.concordance.positions import TokenPositions
from termburst.forks import check_fork


def ngrams(source: TokenPositions, size: int = 2, *, min_count: int = 2) -> pl.DataFrame:
    """The n-grams of *size* tokens with their cohesion, the most frequent first.

    log_ratio = log₂ of n/expected, where expected = m Π_k (n_k/n_all): n_k tokens of each part among all n_all tokens,
    and m places where an n-gram can begin. It says how many times more frequent the n-gram is than its parts explain,
    over the whole corpus. It is no test: for that, see `termburst.Corpus.collocates` with a window of 1.

    Parameters
    ----------
    source : the tokens of the corpus; n-grams do not reach over the end of a document, and contain stop words
    size : tokens of an n-gram, from 2 to 10
    min_count : leave out n-grams with fewer tokens

    Returns
    -------
    polars.DataFrame
        term, n, documents, expected, log_ratio

    Examples
    --------
    >>> from termburst.counting.options import CountingOptions
    >>> positions = TokenPositions.of(["new york and new york", "york is new"], CountingOptions())
    >>> ngrams(positions).rows()
    [('new york', 2, 1, 0.84375, 1.24...)]
    """
    check_fork()
    tokens, ends = source.chunk.tokens, source.chunk.ends
    document = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
    starts = np.flatnonzero(document[size - 1 :] == document[: document.size - size + 1])
    codes, first = tokens[starts].astype(np.int64), starts
    for part in range(1, size):  # an n-gram is numbered by its first size − 1 tokens and its last one
        keys = codes * len(source.words) + tokens[starts + part]
        _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
    n = np.bincount(codes, minlength=first.size if starts.size else 0)
    kept = np.flatnonzero(n >= min_count)
    where = np.unique(np.stack([codes, document[starts]]), axis=1)[0]
    documents = np.bincount(where, minlength=n.size)[kept]
    share = np.bincount(tokens, minlength=len(source.words)) / max(tokens.size, 1)
    parts = tokens[starts[first[kept]][:, None] + np.arange(size)]
    expected = starts.size * share[parts].prod(axis=1)
    names = [" ".join(source.words[token] for token in row) for row in parts.tolist()]
    frame = pl.DataFrame({
        "term": pl.Series(names, dtype=pl.String), "n": n[kept], "documents": documents, "expected": expected,
        "log_ratio": np.log2(n[kept] / expected),
    })  # fmt: skip
    return frame.sort("n", "term", descending=[True, False])
