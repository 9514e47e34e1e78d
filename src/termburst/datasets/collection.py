"""What a loader returns, the paper's cleaning, and where data is looked for."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

DATA_VARIABLE = "TERMBURST_DATA"
SUBSETS = ("train", "test", "all")

Subset = Literal["train", "test", "all"]

_NOT_A_LETTER = re.compile(r"[^a-z]+")


class DamagedDataError(ValueError):
    """A file of a data set is there and cannot be read as what it should be."""


@dataclass(frozen=True, slots=True, eq=False)  # eq: comparing arrays field by field has no single truth value
class TextCollection:
    """Texts with an id each, and a class each where the corpus has classes.

    `labels[j]` is the index of document j's class in `label_names`; both are None where there are no classes.

    >>> pair = TextCollection("pair", ["a", "b"], ["so so", "as is"], None, None)
    >>> len(pair)
    2
    """

    name: str
    ids: list[str]
    texts: list[str]
    labels: NDArray[np.int64] | None
    label_names: list[str] | None

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.ids)


def clean_text(text: str) -> str:
    """The paper's cleaning: lower case, all but a–z and white space replaced by a space, white space collapsed.

    >>> clean_text("It's 2 o'clock,\\n  isn't it?")
    'it s o clock isn t it'
    """
    # One substitution does both steps, because a run of spaces and replaced characters collapses to one space anyway.
    return _NOT_A_LETTER.sub(" ", text.lower()).strip()


def data_folder() -> Path | None:
    """The folder that TERMBURST_DATA names, or None where the variable is not set or empty."""
    value = os.environ.get(DATA_VARIABLE)
    if not value:
        return None
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise FileNotFoundError(f"{DATA_VARIABLE} is set to {value!r}, which is not a folder")
    return folder


def data_file(relative: str, what: str) -> Path:
    """A file of a corpus that no other library provides, so that it can only be in the data folder."""
    folder = data_folder()
    if folder is None:
        raise FileNotFoundError(f"{what} is not included: set {DATA_VARIABLE} to a folder that holds {relative}")
    path = folder / relative
    if not path.is_file():
        raise FileNotFoundError(f"{what} is not in the folder that {DATA_VARIABLE} names: put {relative} into {folder}")
    return path


def check_choice(argument: str, value: str, choices: Iterable[str]) -> None:
    """Raise ValueError naming the choices where `value` is none of them."""
    choices = tuple(choices)
    if value not in choices:
        raise ValueError(f"{argument} must be one of {', '.join(map(repr, choices))}, not {value!r}")
