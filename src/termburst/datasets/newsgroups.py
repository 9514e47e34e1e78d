"""20 Newsgroups, through scikit-learn's loader."""

import contextlib
import io
import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from termburst.datasets.collection import DATA_VARIABLE, SUBSETS, DamagedDataError, Subset, TextCollection, data_folder
from termburst.inference.checks import check_name

PARTS = ("headers", "footers", "quotes")

_FOLDER = "scikit_learn_data"
_FILE = "20news-bydate_py3.pkz"  # the name of scikit-learn's own cache file


def load_20newsgroups(subset: Subset = "train", *, remove: Iterable[str] = ()) -> TextCollection:
    """Load 20 Newsgroups, split by date: 11,314 training and 7,532 test posts in 20 classes.

    If the data folder has no copy, scikit-learn's `fetch_20newsgroups` downloads 14 MB once. The order is
    scikit-learn's default shuffle. `remove` lists the parts of a post to leave out: "headers", "footers", "quotes". An
    id is the newsgroup and the number of the post.

    >>> news = load_20newsgroups("test", remove=("headers", "footers", "quotes"))  # doctest: +SKIP
    >>> len(news), news.label_names[0]  # doctest: +SKIP
    (7532, 'alt.atheism')
    """
    check_name("subset", subset, SUBSETS)
    parts = (remove,) if isinstance(remove, str) else tuple(remove)
    for part in parts:
        check_name("remove", part, PARTS)
    bunch = _fetch(subset, parts)
    return TextCollection(
        name="20newsgroups",
        ids=[_post_id(filename) for filename in bunch.filenames],
        texts=list(bunch.data),
        labels=np.asarray(bunch.target, dtype=np.int64),
        label_names=list(bunch.target_names),
    )


def cached_file() -> Path | None:
    """The copy of 20 Newsgroups on this machine: in the data folder or in scikit-learn's; None if there is none."""
    from sklearn.datasets import get_data_home

    folder = data_folder()
    places = ([folder / _FOLDER] if folder else []) + [Path(get_data_home())]
    return next((place / _FILE for place in places if (place / _FILE).is_file()), None)


def _fetch(subset: str, parts: tuple[str, ...]) -> Any:
    from http.client import HTTPException

    from sklearn.datasets import fetch_20newsgroups

    folder = data_folder()
    home = None if folder is None else folder / _FOLDER
    if home is not None and (home / _FILE).is_file():
        try:
            # scikit-learn prints a message about a damaged file before it raises; the error below replaces it.
            with contextlib.redirect_stdout(io.StringIO()):
                return fetch_20newsgroups(data_home=home, subset=subset, remove=parts, download_if_missing=False)
        except OSError as error:
            raise DamagedDataError(f"{home / _FILE} cannot be read as scikit-learn's copy of 20 Newsgroups") from error
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Retry downloading")  # the error at the end says it once
            return fetch_20newsgroups(subset=subset, remove=parts)
    except (OSError, HTTPException) as error:
        raise FileNotFoundError(
            "20 Newsgroups could not be downloaded: run "
            '`python -c "from sklearn.datasets import fetch_20newsgroups; fetch_20newsgroups()"` with a network '
            f"connection, or set {DATA_VARIABLE} to a folder that contains {_FOLDER}/{_FILE}"
        ) from error


def _post_id(filename: str) -> str:
    # The copy may come from a machine with another path separator.
    return "/".join(re.split(r"[\\/]", filename)[-2:])
