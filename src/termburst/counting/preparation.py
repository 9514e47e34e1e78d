"""What is done to a text before its tokens are found: lower case, one form of each letter, boundaries of words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from termburst.counting.languages import lower_case
from termburst.counting.normal_form import composed
from termburst.counting.segmenters import segmenter

_DOTTED = ("tr", "az")  # I and i are not the same letter


@dataclass(frozen=True, slots=True)
class Preparation:
    """A function of a text.

    * Lower case, by the rules of the language.
    * If *tidy*: Unicode's form NFC, the apostrophe ' in place of ’, no soft hyphens. So two spellings that look the
      same are one word.
    * Chinese, Japanese and Thai: a zero width space between words.

    Examples
    --------
    >>> Preparation(tidy=True)("DON’T Cafe\u0301")
    "don't café"
    """

    lowercase: bool = True
    language: str | None = None
    tidy: bool = False
    segment: Callable[[str], str] | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Choose the segmenter of the language."""
        object.__setattr__(self, "segment", segmenter(self.language))

    def __call__(self, text: str) -> str:
        """The prepared text."""
        if self.lowercase:
            text = lower_case(text, self.language)
        if self.tidy and not text.isascii():
            text = composed(text).replace("\u2019", "'").replace("\uff07", "'").replace("\xad", "")
        return text if self.segment is None else self.segment(text)

    def is_ready(self, text: str) -> bool:
        """Whether the compiled tokenizer, which converts ASCII to lower case, can take the text as it is."""
        return text.isascii() and not (self.lowercase and self.language in _DOTTED)
