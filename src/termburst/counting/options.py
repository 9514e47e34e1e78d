"""How texts become tokens: one set of options for the command line, `TermStatistics.from_texts` and saved files."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.counting import plain_tokenizer
from termburst.counting.plain_tokenizer import EMPTY_MATCH, PatternTokens, PlainTokenizer, TermsOfText, split_tokens
from termburst.limits import LONGEST_NGRAM
from termburst.reading.documents import Text

if TYPE_CHECKING:
    from termburst.counting.tokenizer import Tokenizer

DEFAULT_TOKEN_PATTERN = r"(?u)\b\w\w+\b"  # scikit-learn's: words of two or more characters


@dataclass(frozen=True, slots=True)
class CountingOptions:
    """How texts are counted. Saved statistics keep these options, so that only equally counted texts are added to them.

    Parameters
    ----------
    ngrams : (int, int), or int
        Smallest and largest number of tokens in a term.
    stop_words : "english", a list, tuple or set of str, or None
        Tokens to leave out. "english" is scikit-learn's list. Kept as a sorted tuple: the order has no meaning.
    token_pattern : str
        A regular expression. A token is what it matches, or what its one group matches. It must not match the empty
        string.
    lowercase : bool
        Whether to convert texts to lower case first.
    pretokenized : bool
        The texts are tokens already, separated by white space (or lists of tokens). The token pattern and `lowercase`
        are not used.

    Examples
    --------
    >>> counts, terms = CountingOptions(ngrams=(1, 2)).count(["so it goes", "it goes on"])
    >>> terms.tolist()
    ['goes', 'goes on', 'it', 'it goes', 'on', 'so', 'so it']
    """

    ngrams: tuple[int, int] = (1, 1)
    stop_words: str | tuple[str, ...] | None = None
    token_pattern: str = DEFAULT_TOKEN_PATTERN
    lowercase: bool = True
    pretokenized: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError for options that cannot be used, before any text is read."""
        object.__setattr__(self, "ngrams", _checked_ngrams(self.ngrams))
        object.__setattr__(self, "stop_words", _sorted_words(self.stop_words))
        _check_pattern(self.token_pattern)

    def count(self, texts: Iterable[Text]) -> tuple[Any, NDArray[np.object_]]:
        """Count *texts*: (documents × terms as a `scipy.sparse.csr_array`, the terms in alphabetical order).

        If no text has a term, the matrix has no columns. This is not an error.
        """
        from termburst.counting.tokenizer import in_chunks

        self._check_longest()
        documents, small = plain_tokenizer.measured(self._checked(texts), plain_tokenizer.SMALL)
        tokenizer: Any = (None if small else self.tokenizer()) or self.plain_tokenizer()
        terms, X = tokenizer.matrix(list(tokenizer.count(in_chunks(documents))))
        return X, np.array(list(terms), dtype=object)

    def tokenizer(self) -> Tokenizer | None:
        """The compiled tokenizer, which keeps one vocabulary over many batches; None if it cannot find the tokens.

        In that case use `plain_tokenizer`.
        """
        from termburst.counting.character_class import character_class
        from termburst.counting.tokenizer import Tokenizer

        self._check_longest()
        pattern = None if self.pretokenized else character_class(self.token_pattern)
        if pattern is None:
            return None
        stop_words = self._stop_words(self._find_tokens())
        return Tokenizer(pattern, lowercase=self.lowercase, ngrams=self.ngrams, stop_words=stop_words)

    def plain_tokenizer(self) -> PlainTokenizer:
        """A tokenizer in plain Python for any options, with the same methods as the compiled one."""
        self._check_longest()
        find = self._find_tokens()
        return PlainTokenizer(TermsOfText(find, self._stop_words(find), self.ngrams))

    def check_text(self, text: Any, number: int) -> None:
        """Raise ValueError, with the number of the document, if it is not a text."""
        if isinstance(text, str):
            return
        if not self.pretokenized:
            raise ValueError(f"Document {number} must be a string, got {text!r:.60}.")
        if not isinstance(text, list):
            raise ValueError(f"Document {number} must be a string or a list of tokens, got {text!r:.60}.")
        for token in text:
            if not isinstance(token, str):
                raise ValueError(f"Every token of document {number} must be a string, got {token!r:.60}.")
        if "" in text:
            raise ValueError(f"The empty string is among the tokens of document {number}. Remove it.")

    def to_json(self) -> dict[str, Any]:
        """Plain values from which `from_json` makes equal options."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> CountingOptions:
        """The inverse of `to_json`, also for values read from JSON, where tuples have become lists."""
        plain: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
        }
        return cls(**plain)

    def _checked(self, texts: Iterable[Text]) -> Iterator[Text]:
        for number, text in enumerate(texts):
            self.check_text(text, number)
            yield text

    def _check_longest(self) -> None:
        if self.ngrams[1] > LONGEST_NGRAM:  # not in __post_init__: files with longer n-grams must still load
            raise ValueError(f"n-grams have at most {LONGEST_NGRAM} tokens each; give a smaller number")

    def _find_tokens(self) -> Callable[[Any], list[str]]:
        """The function that finds the tokens of a text in plain Python."""
        return split_tokens if self.pretokenized else PatternTokens(self.token_pattern, self.lowercase)

    def _stop_words(self, find: Callable[[Any], list[str]]) -> frozenset[str]:
        """The tokens to leave out. Warn if *find* turns a stop word into other tokens."""
        if self.stop_words == "english":
            from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

            words = frozenset(ENGLISH_STOP_WORDS)
        else:
            words = frozenset(self.stop_words or ())
        missing: set[str] = set()
        with suppress(ValueError):  # the pattern matches the empty string; this is reported when texts are counted
            for word in words:
                missing.update(token for token in find(word) if token not in words)
        if missing:
            shown = ", ".join(map(repr, sorted(missing)[:10])) + (", …" if len(missing) > 10 else "")
            warnings.warn(f"Some stop words become other tokens: {shown}. Add these to the stop words.", stacklevel=2)
        return words


def _checked_ngrams(ngrams: Any) -> tuple[int, int]:
    """Both numbers as plain integers, so that equal options compare equal and can be written as JSON."""
    sizes: Any = (ngrams, ngrams) if isinstance(ngrams, Integral) else ngrams
    if isinstance(sizes, Iterable):
        sizes = tuple(sizes)
        if len(sizes) == 2 and all(isinstance(size, Integral) for size in sizes) and 1 <= sizes[0] <= sizes[1]:
            return int(sizes[0]), int(sizes[1])
    raise ValueError(f"ngrams must be two whole numbers such as (1, 2), smallest first, from 1 on; got {ngrams!r:.60}")


def _sorted_words(words: Any) -> str | tuple[str, ...] | None:
    """Stop words in one order, so that equal options compare equal."""
    if words is None or (isinstance(words, str) and words == "english"):
        return words
    listed = list(words) if isinstance(words, Iterable) and not isinstance(words, str) else [None]
    if not all(isinstance(word, str) for word in listed):
        raise ValueError(f'stop words must be "english" or a list of strings; got {words!r:.60}')
    return tuple(sorted({str(word) for word in listed}))  # str: they may be of type numpy.str_


def _check_pattern(token_pattern: str) -> None:
    try:
        pattern = re.compile(token_pattern)
    except (re.error, OverflowError, RecursionError, TypeError) as error:
        raise ValueError(f"the token pattern {token_pattern!r} is not a regular expression: {error}") from error
    if pattern.fullmatch(""):
        raise ValueError(EMPTY_MATCH.format(token_pattern))
    if pattern.groups > 1:
        raise ValueError(f"the token pattern {token_pattern!r} has {pattern.groups} groups; it may have one at most")


def checked_counting(counting: CountingOptions | None) -> CountingOptions:
    """The options; scikit-learn's defaults for None; ValueError for anything else."""
    if counting is None:
        return CountingOptions()
    if not isinstance(counting, CountingOptions):
        raise ValueError(f"counting must be CountingOptions(...), got {counting!r:.60}")
    return counting
