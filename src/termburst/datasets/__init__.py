"""Example corpora: 20 Newsgroups, R8, Cranfield, the inaugural addresses, and Python's own docstrings; published fits.

The loaders search the folder in the environment variable `TERMBURST_DATA`, then the data folders of scikit-learn and
NLTK. `load_stdlib` needs no data files.

>>> from termburst.datasets import BUILT_IN
>>> sorted(BUILT_IN)
['20newsgroups', 'inaugural', 'r8', 'stdlib']
"""

from collections.abc import Callable

from termburst.datasets.collection import DamagedDataError, TextCollection, clean_text
from termburst.datasets.cranfield import Cranfield, load_cranfield
from termburst.datasets.inaugural import load_inaugural
from termburst.datasets.newsgroups import load_20newsgroups
from termburst.datasets.published import PublishedFits, load_published_fits
from termburst.datasets.r8 import load_r8, load_r52, load_reuters
from termburst.datasets.stdlib import load_stdlib

BUILT_IN: dict[str, Callable[[], TextCollection]] = {
    "20newsgroups": load_20newsgroups,  # the training documents
    "inaugural": load_inaugural,
    "r8": load_r8,  # the training documents
    "stdlib": load_stdlib,
}

__all__ = [
    "BUILT_IN",
    "Cranfield",
    "DamagedDataError",
    "PublishedFits",
    "TextCollection",
    "clean_text",
    "load_20newsgroups",
    "load_cranfield",
    "load_inaugural",
    "load_published_fits",
    "load_r8",
    "load_r52",
    "load_reuters",
    "load_stdlib",
]
