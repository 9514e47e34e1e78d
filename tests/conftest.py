"""Shared fixtures. Tests that need a data set ask for `data` and skip with a sentence where it is missing."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

REQUIRE = "TERMBURST_REQUIRE_DATA"  # set by .ci/run where the data is: a test that then skips fails instead


class SplitCounts(NamedTuple):
    """Counts of training and test documents over the training vocabulary, with their classes."""

    train: Any
    test: Any
    train_labels: NDArray[np.int64]
    test_labels: NDArray[np.int64]
    names: list[str]


def unavailable(reason: str) -> None:
    """Skip with a sentence, or fail where the environment promised that the part would be there."""
    if os.environ.get(REQUIRE) == "1":
        pytest.fail(f"{REQUIRE}=1, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder that TERMBURST_DATA names."""
    folder = os.environ.get("TERMBURST_DATA")
    if not folder:
        unavailable("TERMBURST_DATA is not set; point it at a folder with scikit_learn_data, nltk_data and published")
    path = Path(str(folder))
    if not path.is_dir():
        unavailable(f"TERMBURST_DATA={folder} is not a folder")
    return path


@pytest.fixture(scope="session")
def fig3() -> NDArray[np.int64]:
    """The simulated collection of the paper's Fig. 3: 100 documents × 250 terms, 39 of which never occur."""
    rng = np.random.default_rng(42)
    alpha = rng.gamma(0.5, 0.3 / 0.5, 250)
    lengths = rng.binomial(82, 75 / 82, 100)
    shares = rng.dirichlet(alpha, 100)
    return np.array([rng.multinomial(n, theta) for n, theta in zip(lengths, shares, strict=True)])


def _split_counts(load: Any) -> SplitCounts:
    from sklearn.feature_extraction.text import CountVectorizer

    from termburst.datasets import clean_text

    train, test = load("train"), load("test")
    vectorizer = CountVectorizer(stop_words="english")
    return SplitCounts(
        vectorizer.fit_transform(map(clean_text, train.texts)),
        vectorizer.transform(map(clean_text, test.texts)),
        train.labels,
        test.labels,
        train.label_names,
    )


@pytest.fixture(scope="session")
def newsgroups(data: Path) -> SplitCounts:
    """20 Newsgroups with headers, cleaned and counted as in the paper's Table 2."""
    from termburst.datasets import load_20newsgroups

    return _split_counts(load_20newsgroups)


@pytest.fixture(scope="session")
def r8(data: Path) -> SplitCounts:
    """R8, cleaned and counted as in the paper's Table 3."""
    from termburst.datasets import load_r8

    return _split_counts(load_r8)


@pytest.fixture(scope="session")
def fig4(data: Path) -> tuple[Any, NDArray[np.object_]]:
    """The collection of the paper's Fig. 4: counts and the 72,916 terms, stop words kept."""
    from sklearn.feature_extraction.text import CountVectorizer

    from termburst.datasets import clean_text, load_20newsgroups

    vectorizer = CountVectorizer()
    texts = load_20newsgroups("train", remove=("headers", "footers", "quotes")).texts
    return vectorizer.fit_transform(map(clean_text, texts)), vectorizer.get_feature_names_out()
