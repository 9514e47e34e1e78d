"""Words on documents in strata, for `designs.py`: how they are drawn, and the paired t test beside them."""

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit
from scipy.stats import ttest_rel


def words_in_strata(
    rng: np.random.Generator, strata: int, each: int, words: int, ratio: float, spread: float
) -> tuple[csr_array, np.ndarray, np.ndarray]:
    """Counts of *words* and the rest in that many *strata* of documents, the side and the stratum of each document.

    Lengths are log-normal around 800. A stratum has its own share of each word, by *spread* on the logarithmic scale.
    """
    stratum = np.repeat(np.arange(strata), each)
    side = np.concatenate([rng.permutation((np.arange(each) + rng.integers(2)) % 2) for _ in range(strata)])
    lengths = np.maximum(rng.lognormal(np.log(800), 0.5, stratum.size).astype(int), 50)
    mean = 10 ** rng.uniform(-4, -2.3, words)
    alpha_0 = 10 ** rng.uniform(1.5, 3.5, words)
    omega = np.log(mean) + spread * rng.normal(size=(strata, words))[stratum] + np.log(ratio) * side[:, None]
    pi = expit(omega)
    counts = rng.binomial(lengths[:, None], rng.beta(alpha_0 * pi, alpha_0 * (1 - pi)))
    rest = np.maximum(lengths - counts.sum(axis=1), 0)
    counts = np.column_stack([counts, rest])
    return csr_array(counts[:, counts.sum(axis=0) >= 5]), side, stratum


def paired(counts: np.ndarray, X: csr_array, side: np.ndarray, cluster: np.ndarray) -> np.ndarray:
    """p of the paired t test of each word: of log shares of the two sides of a cluster."""
    number = cluster.max() + 1
    place = cluster + number * side
    gathered, tokens = np.zeros((2 * number, counts.shape[1])), np.zeros(2 * number)
    np.add.at(gathered, place, counts)
    np.add.at(tokens, place, np.asarray(X.sum(axis=1)).ravel())
    log = np.log((gathered + 0.5) / (tokens[:, None] + 1))
    return np.asarray(ttest_rel(log[:number], log[number:]).pvalue)
