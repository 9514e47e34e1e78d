"""How text becomes tokens, said once: for the command line, for `TermStatistics.from_texts`, and in the files saved."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.counting.pattern_clock import restart
from termburst.limits import LONGEST_NGRAM
from termburst.reading.documents import Text

if TYPE_CHECKING:
    from termburst.counting.tokenizer import Tokenizer

DEFAULT_TOKEN_PATTERN = r"(?u)\b\w\w+\b"  # scikit-learn's: words of two or more characters
_EMPTY = "the token pattern '{}' can match the empty string; write + in place of *, as in \\w+"


@dataclass(frozen=True, slots=True)
class CountingOptions:
    """How texts are counted; kept in saved statistics, so that nothing counted another way is added to them.

    Parameters
    ----------
    ngrams : (int, int), or int
        Shortest and longest run of tokens that makes a term.
    stop_words : "english", a list, tuple or set of str, or None
        Tokens to leave out; "english" is scikit-learn's list. Kept as a sorted tuple: the order means nothing.
    token_pattern : str
        A regular expression; what it matches (or its one group) is a token. Matching the empty string is an error.
    lowercase : bool
        Whether case is folded before tokens are looked for.
    pretokenized : bool
        The texts are tokens already, separated by white space (or lists of tokens): no pattern, no lower-casing.

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
        """Refuse what cannot be counted with, before any text is read."""
        if isinstance(self.ngrams, int):
            object.__setattr__(self, "ngrams", (self.ngrams, self.ngrams))
        shortest, longest = self.ngrams
        object.__setattr__(self, "ngrams", (shortest, longest))  # a list would not be equal to it
        if not 1 <= shortest <= longest:
            raise ValueError(f"n-grams run from a shortest of 1 or more to a longest, such as 1,2; got {self.ngrams}")
        if isinstance(self.stop_words, str) and self.stop_words != "english":
            raise ValueError(f'stop words are "english" or a list of words; got {self.stop_words!r}')
        object.__setattr__(self, "stop_words", _sorted_words(self.stop_words))
        try:
            pattern = re.compile(self.token_pattern)
        except (re.error, OverflowError, RecursionError, TypeError) as error:
            raise ValueError(
                f"the token pattern {self.token_pattern!r} is not a regular expression: {error}"
            ) from error
        if pattern.fullmatch(""):
            raise ValueError(_EMPTY.format(self.token_pattern))
        if (groups := pattern.groups) > 1:
            raise ValueError(
                f"the token pattern {self.token_pattern!r} has {groups} groups; at most one says what a token is"
            )

    def count(self, texts: Iterable[Text]) -> tuple[Any, NDArray[np.object_]]:
        """Count *texts*: (documents × terms as CSR, the terms in alphabetical order). No term at all is no error."""
        documents = 0

        def numbered() -> Iterable[Text]:
            nonlocal documents
            try:
                for text in texts:
                    self.check_text(text, documents)
                    restart(documents)
                    documents += 1
                    yield text
            finally:
                restart(None)

        try:
            vectorizer = self._vectorizer()
            X = vectorizer.fit_transform(numbered())
        except ValueError as error:
            if "empty vocabulary" not in str(error):
                raise
            import scipy.sparse as sp

            return sp.csr_matrix((documents, 0), dtype=np.int64), np.empty(0, dtype=object)
        return X, np.asarray(vectorizer.get_feature_names_out(), dtype=object)

    def check_text(self, text: Any, number: int) -> None:
        """Refuse a document that is no text, naming its number."""
        if not isinstance(text, str) and not (self.pretokenized and isinstance(text, list)):
            raise ValueError(f"document {number} is no text but {text!r:.60}")

    def tokenizer(self) -> Tokenizer | None:
        """A compiled tokenizer that keeps one vocabulary over many batches; None where these options have none."""
        tokenizer: Tokenizer | None = self._vectorizer().compiled_tokenizer()
        return tokenizer

    def to_json(self) -> dict[str, Any]:
        """Plain values that `from_json` turns into equal options."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> CountingOptions:
        """The inverse of `to_json`, also after a trip through JSON, which turns tuples into lists."""
        plain: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
        }
        return cls(**plain)

    def _vectorizer(self) -> Any:
        from termburst.counting.vectorizer import CountVectorizer

        if self.ngrams[1] > LONGEST_NGRAM:  # not before: what was counted so elsewhere can still be loaded
            raise ValueError(f"n-grams have at most {LONGEST_NGRAM} tokens each; give a smaller number")
        stop_words = list(self.stop_words) if isinstance(self.stop_words, tuple) else self.stop_words
        if self.pretokenized:
            return CountVectorizer(
                preprocessor=_as_it_is, tokenizer=_split, token_pattern=None, stop_words=stop_words,
                ngram_range=self.ngrams, lowercase=False,
            )  # fmt: skip
        made = CountVectorizer(
            token_pattern=self.token_pattern, stop_words=stop_words, ngram_range=self.ngrams, lowercase=self.lowercase
        )
        if not made.is_compiled():  # whose patterns match one character at least
            made.set_params(tokenizer=_Tokens(self.token_pattern), token_pattern=None)
        return made


@dataclass(frozen=True, slots=True)
class _Tokens:
    """What a pattern matches, as scikit-learn does it, where that is never the empty string."""

    pattern: str

    def __call__(self, text: str) -> list[str]:
        found: list[str] = re.compile(self.pattern).findall(text)
        if "" in found:
            raise ValueError(_EMPTY.format(self.pattern))
        return found


def _sorted_words(words: Any) -> str | tuple[str, ...] | None:
    """Stop words in one order, whatever they came in, so that equal ones compare equal."""
    if words is None or isinstance(words, str):
        return words
    listed = list(words) if isinstance(words, Iterable) else [words]
    if not all(isinstance(word, str) for word in listed):
        raise ValueError(f'stop words are "english" or a list of words; got {words!r:.60}')
    return tuple(sorted({str(word) for word in listed}))  # numpy.str_ too


def _as_it_is(text: Text) -> Text:
    return text


def _split(text: Text) -> list[str]:
    if isinstance(text, str):
        return text.split()
    if "" in text:
        raise ValueError("the empty string is among the tokens of a document; a token has characters: leave it out")
    return text


def checked_counting(counting: CountingOptions | None) -> CountingOptions:
    """How texts are counted, by default as scikit-learn does; or a sentence."""
    if counting is None:
        return CountingOptions()
    if not isinstance(counting, CountingOptions):
        raise ValueError(f"counting is CountingOptions(...), not {counting!r:.60}")
    return counting
