"""The result of a loader, the paper's text cleaning, and the folder of the data."""

import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

DATA_VARIABLE = "TERMBURST_DATA"
SUBSETS = ("train", "test", "all")

Subset = Literal["train", "test", "all"]

_NOT_A_LETTER = re.compile(r"[^a-z]+")


class DamagedDataError(ValueError):
    """A file of a data set exists but its content cannot be read."""


@dataclass(frozen=True, slots=True, eq=False)  # eq: comparing arrays field by field has no single truth value
class TextCollection:
    """Texts with their ids, and their classes if the corpus has classes.

    `labels[j]` is the index of document j's class in `label_names`; both are None if there are no classes.

    >>> pair = TextCollection("pair", ["a", "b"], ["so so", "as is"], None, None)
    >>> len(pair)
    2
    """

    name: str
    ids: list[str]
    texts: list[str]
    labels: NDArray[np.int64] | None
    label_names: list[str] | None
    metadata: Mapping[str, Sequence[str | int]] = field(default_factory=dict)  # further columns, by name

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.ids)

    def columns(self) -> dict[str, list[str | int]]:
        """What is known of the documents: their classes as "label", if they have classes, and the metadata."""
        labels, names = self.labels, self.label_names
        classes = {} if labels is None or names is None else {"label": [names[code] for code in labels]}
        return {name: list(column) for name, column in (classes | dict(self.metadata)).items()}


def clean_text(text: str) -> str:
    """Clean a text as in the paper: lower case, only a–z, everything else becomes one space.

    >>> clean_text("It's 2 o'clock,\\n  isn't it?")
    'it s o clock isn t it'
    """
    # The paper replaces characters by spaces, then collapses spaces. One substitution gives the same text.
    return _NOT_A_LETTER.sub(" ", text.lower()).strip()


def data_folder() -> Path | None:
    """The folder in TERMBURST_DATA; None if the variable is not set or empty."""
    value = os.environ.get(DATA_VARIABLE)
    if not value:
        return None
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise FileNotFoundError(f"{DATA_VARIABLE} must be a folder; got {value!r}")
    return folder


def data_file(relative: str, what: str) -> Path:
    """A file in the data folder, for a corpus that no other library provides."""
    folder = data_folder()
    if folder is None:
        raise FileNotFoundError(f"{what} is not included: set {DATA_VARIABLE} to a folder that contains {relative}")
    path = folder / relative
    if not path.is_file():
        raise FileNotFoundError(f"{what} is not in the folder of {DATA_VARIABLE}: put {relative} into {folder}")
    return path


@contextmanager
def nltk_corpus(name: str, title: str) -> Iterator[tuple[list[str], Callable[[str], bytes]]]:
    """The names in NLTK's copy of a corpus, and a function that reads one; DamagedDataError if it cannot be read."""
    source = nltk_copy(name, title)
    try:
        if source.is_dir():
            yield [path.name for path in source.iterdir()], lambda file: (source / file).read_bytes()
        else:
            with zipfile.ZipFile(source) as archive:
                names = [file.removeprefix(f"{name}/") for file in archive.namelist()]
                yield names, lambda file: archive.read(f"{name}/{file}")
    except (zipfile.BadZipFile, zlib.error, KeyError, FileNotFoundError, UnicodeDecodeError) as error:
        raise DamagedDataError(f"{source} cannot be read as NLTK's copy of {title}") from error


def nltk_copy(name: str, title: str) -> Path:
    """The zip archive, or the unpacked folder in its place."""
    for corpora in _nltk_places():
        for candidate in (corpora / f"{name}.zip", corpora / name):
            if candidate.is_file() or (candidate.is_dir() and any(candidate.iterdir())):
                return candidate
    raise FileNotFoundError(
        f"{title} not found: run `pip install nltk` and `python -m nltk.downloader {name}`, or set "
        f"{DATA_VARIABLE} to a folder that contains nltk_data/corpora/{name}.zip"
    )


def _nltk_places() -> Iterator[Path]:
    folder = data_folder()
    if folder is not None:
        yield folder / "nltk_data" / "corpora"
    try:
        import nltk.data
    except ImportError:
        return
    # The search path instead of nltk.data.find, which needs one call for the archive and one for the folder, and whose
    # error message is a page long.
    for place in nltk.data.path:
        yield Path(place) / "corpora"
