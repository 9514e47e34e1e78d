"""The live page of a corpus; `termburst.report` serves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from termburst.options import Option
from termburst.questions.report import Page


@dataclass(frozen=True)
class Explore(Page):
    """The question of `termburst.Corpus.explore` and `termburst explore`."""

    examples: Annotated[int, Option("At most how many example lines a term has.", least=0)] = 500
    port: Annotated[int, Option("Port on this machine; 0 takes a free one.", least=0, most=65_535)] = 0
    browser: Annotated[bool, Option("Open the page, or only give its address.")] = True
