"""The arguments of `read`, and which of them a source has no use for."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, cast

from termburst.counting.options import CountingOptions
from termburst.counting.scripts import unsegmented_script
from termburst.messages import named
from termburst.names import Layer
from termburst.options import made_from
from termburst.reading.documents import Text
from termburst.reading.options import ReadingOptions

Tokenizer = Callable[[Any], Iterable[Any]]
SAMPLE = 200  # texts that are looked at for script and language


@dataclass(frozen=True, slots=True)
class ReadArguments:
    """The arguments of `read`: the options of reading and counting, and what a source may need beside them."""

    reading: ReadingOptions = field(default_factory=ReadingOptions)
    counting: CountingOptions = field(default_factory=CountingOptions)
    ids: Any = None
    tokenizer: Tokenizer | None = None
    terms: Any = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> ReadArguments:
        """The arguments of `read` or `scan`, by name; ValueError for what cannot be used."""
        id, tokenizer = given["id"], given["tokenizer"]
        if tokenizer is not None and not callable(tokenizer):
            raise ValueError(f"tokenizer must be a function from a text to its tokens; got {tokenizer!r:.60}")
        by_column = id is None or isinstance(id, str)
        reading = made_from(ReadingOptions, {**given, "id": id if by_column else None})
        pretokenized = given["pretokenized"] or tokenizer is not None
        counting = made_from(CountingOptions, {**given, "pretokenized": pretokenized})
        return cls(reading, counting, None if by_column else id, tokenizer, given.get("terms"))

    @property
    def is_plain(self) -> bool:
        """Whether nothing was given."""
        beside = (self.ids, self.tokenizer, self.terms)
        options = (self.reading, self.counting) == (ReadingOptions(), CountingOptions())
        return options and all(one is None for one in beside)

    def counted_like(self, counting: CountingOptions) -> ReadArguments:
        """The same with other options of counting; texts that these count as a layer are read in it."""
        reading = replace(self.reading, layer=cast(Layer, counting.layer)) if counting.layer else self.reading
        return replace(self, reading=reading, counting=counting)

    def pattern_limit(self, what: str | None = None) -> AbstractContextManager[None]:
        """A context in which *what*, by default the search for tokens, must not take too long in one document."""
        from termburst.counting.pattern_clock import pattern_limit

        seconds = self.counting.pattern_seconds
        return pattern_limit(seconds) if what is None else pattern_limit(seconds, what=what)

    def refuse(self, what: str, *, keep: tuple[str, ...] = ()) -> None:
        """Raise ValueError if an option was given that *what* has no use for; `id` is for others to judge."""
        defaults = ReadingOptions()
        given = [name for name, value in vars(self.reading).items() if value != getattr(defaults, name)]
        given = [name for name in given if name not in (*keep, "id")]
        given += ["terms"] if self.terms is not None and "terms" not in keep else []
        if given:
            raise ValueError(named(given[0]) + f" is not for {what}; omit it")

    def given_ids(self, size: int) -> list[str]:
        """The ids of documents in a list; by default their numbers, from 1."""
        given = self.ids if self.reading.id is None else self.reading.id
        if given is None:
            return [str(number + 1) for number in range(size)]
        if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
            raise ValueError(named("id") + f" must be a list with one id per document here; got {given!r:.60}")
        names = [str(name) for name in given]
        if len(names) != size:
            raise ValueError(f"there are {size:,} documents, but {len(names):,} ids; give one each")
        return names

    def refuse_words(self) -> None:
        """Raise ValueError if an option of counting was given, for counts."""
        if self.counting != CountingOptions() or self.tokenizer is not None:
            raise ValueError("these are counts already; omit the options of words, such as " + named("ngrams"))

    def warn_of_script(self, texts: Sequence[Text], before: str = "") -> None:
        """Warn if texts are written without spaces between words and nothing divides them."""
        if not self.counting.pretokenized and not all(map(_is_ascii, texts[:SAMPLE])):
            sentence = unsegmented_script(texts, self.counting.language)
            if sentence is not None:
                warnings.warn(before + sentence, stacklevel=5)


def _is_ascii(text: Text) -> bool:
    return isinstance(text, str) and text.isascii()
