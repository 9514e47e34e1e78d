"""The options of `read`, and which of them a source has no use for."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from termburst.counting.options import CountingOptions
from termburst.counting.scripts import unsegmented_script
from termburst.reading.documents import Text

Tokenizer = Callable[[Any], Iterable[Any]]
SAMPLE = 200  # texts that are looked at for script and language


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The options of `read`: ids, how files are read, how words are counted."""

    id: Any
    files: Mapping[str, Any]
    counting: CountingOptions
    tokenizer: Tokenizer | None = None
    terms: Any = None

    def refuse(self, what: str, *, keep: tuple[str, ...] = ()) -> None:
        """Raise ValueError if an option was given that *what* has no use for."""
        given = [name for name, value in self.files.items() if value != NO_FILES[name] and name not in keep]
        given += ["terms"] if self.terms is not None and "terms" not in keep else []
        if given:
            raise ValueError(f"{given[0]}= is not for {what}; omit it")

    def refuse_words(self) -> None:
        """Raise ValueError if an option of counting was given, for counts."""
        if self.counting != CountingOptions() or self.tokenizer is not None:
            raise ValueError("these are counts already; omit the options of words, such as ngrams=")

    def warn_of_script(self, texts: Sequence[Text]) -> None:
        """Warn if texts are written without spaces between words and nothing divides them."""
        if not self.counting.pretokenized and not all(map(_is_ascii, texts[:SAMPLE])):
            sentence = unsegmented_script(texts, self.counting.language)
            if sentence is not None:
                warnings.warn(sentence, stacklevel=5)


NO_FILES: dict[str, Any] = {
    "text": None, "layer": None, "encoding": None, "errors": "strict", "lines": False, "delimiter": None,
    "xpath": None, "name_pattern": None, "strict": False,
}  # fmt: skip


def _is_ascii(text: Text) -> bool:
    return isinstance(text, str) and text.isascii()
