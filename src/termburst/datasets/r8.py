"""Reuters-21578 from NLTK's copy, and R8, the eight largest of its classes of documents with one category."""

from collections.abc import Iterator

import numpy as np

from termburst.datasets.collection import SUBSETS, Subset, TextCollection, nltk_corpus
from termburst.inference.checks import check_name

CATEGORIES = ("acq", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade")

_ENCODING = "ISO-8859-2"  # the encoding that NLTK's reader uses for this corpus
_PREFIX = {"train": ("training/",), "test": ("test/",), "all": ("training/", "test/")}


def load_r8(subset: Subset = "train") -> TextCollection:
    """Load R8, the ApteMod documents of Reuters-21578 with one of eight categories: 5,501 for training, 2,190 for test.

    R8 has the documents with exactly one distinct category, if it is in `CATEGORIES`. "Distinct" matters only for
    test/19918, which has "trade" twice. Documents are in NLTK's order, sorted by id as text.

    >>> r8 = load_r8("train")  # doctest: +SKIP
    >>> len(r8), r8.ids[0], r8.label_names[r8.labels[0]]  # doctest: +SKIP
    (5501, 'training/10', 'acq')
    """
    categories, ids, texts = _load(subset, only=set(CATEGORIES))
    labels = np.array([CATEGORIES.index(next(iter(categories[name]))) for name in ids], dtype=np.int64)
    return TextCollection("r8", ids, texts, labels, list(CATEGORIES))


def load_r52(subset: Subset = "train") -> TextCollection:
    """Load R52: the ApteMod documents with exactly one category, if it occurs in both parts.

    >>> r52 = load_r52("test")  # doctest: +SKIP
    >>> len(r52), len(r52.label_names)  # doctest: +SKIP
    (2570, 52)
    """
    both = set.intersection(*(_single_categories(part) for part in ("train", "test")))
    names = sorted(both)
    categories, ids, texts = _load(subset, only=both)
    labels = np.array([names.index(next(iter(categories[name]))) for name in ids], dtype=np.int64)
    return TextCollection("r52", ids, texts, labels, names)


def load_reuters(subset: Subset = "train") -> TextCollection:
    """Load all ApteMod documents of Reuters-21578, 7,769 for training and 3,019 for test, without their categories.

    >>> len(load_reuters("all"))  # doctest: +SKIP
    10788
    """
    _, ids, texts = _load(subset, only=None)
    return TextCollection("reuters", ids, texts, None, None)


def _single_categories(subset: Subset) -> set[str]:
    """The categories of documents with exactly one category."""
    categories, ids, _ = _load(subset, only=None)
    return {next(iter(categories[name])) for name in ids if len(categories[name]) == 1}


def _load(subset: Subset, only: set[str] | None) -> tuple[dict[str, set[str]], list[str], list[str]]:
    """Categories, ids and texts of documents: of all, or of those with exactly one category, which is in *only*."""
    check_name("subset", subset, SUBSETS)
    with nltk_corpus("reuters", "Reuters-21578") as (_, read):
        categories = dict(_categories(read("cats.txt").decode(_ENCODING)))
        ids = sorted(
            name
            for name, of in categories.items()
            if name.startswith(_PREFIX[subset]) and (only is None or (len(of) == 1 and of <= only))
        )
        return categories, ids, [read(name).decode(_ENCODING) for name in ids]


def _categories(listing: str) -> Iterator[tuple[str, set[str]]]:
    for line in listing.splitlines():
        name, *categories = line.split() or [""]
        yield name, set(categories)
