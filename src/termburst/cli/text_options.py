"""What the command line says of a corpus, and the options of commands beside those of reading and counting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from termburst.options import Option

CORPUS_HELP = (
    "A folder, a file, an archive, or a glob in quotes. A text file is one document (--lines: each line is one). So is "
    "a Word, PDF, HTML or TEI file, or a row of a CSV, JSONL, Parquet or Excel table. - is standard input, where each "
    "line is one. Or a data set: inaugural, 20newsgroups, r8, stdlib."
)
PANEL = "Reading text"


@dataclass(frozen=True)
class Steps:
    """What is done with documents after they are read, in this order: methods of `Corpus`, in Python."""

    where: Annotated[
        str | None, Option('Only documents whose columns meet a condition, such as "year >= 1945".', panel=PANEL)
    ] = None
    drop_duplicates: Annotated[
        bool, Option("Leave out near-copies of earlier documents; all texts are held in memory.", panel=PANEL)
    ] = False
    split: Annotated[
        int | str | None,
        Option("Cut documents into pieces: a number of tokens, or a pattern such as '^CHAPTER'.", panel=PANEL),
    ] = None
