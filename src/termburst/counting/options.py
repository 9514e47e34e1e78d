"""How texts become tokens: one set of options, with the same defaults wherever texts are taken."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache, partial
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Annotated, Any

from termburst.counting.languages import (
    default_apostrophes,
    english_stop_words,
    language_code,
    language_name,
    letter_joiners,
    sorted_words,
    stop_words_of,
)
from termburst.counting.pattern_clock import StoredPattern, check_pattern, search_limit
from termburst.counting.segmenters import SEGMENTED
from termburst.limits import LONGEST_NGRAM
from termburst.messages import Message, named
from termburst.names import LAYERS, Apostrophes, WordRule
from termburst.options import Option, check_options, wrong_value
from termburst.reading.documents import Text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from termburst.counting.languages import Preparation
    from termburst.counting.plain_tokenizer import PlainTokenizer
    from termburst.counting.tokenizer import Tokenizer
    from termburst.counting.unicode_words import UnicodeWords

DEFAULT_TOKEN_PATTERN = r"(?u)\b\w\w+\b"  # scikit-learn's: words of two or more characters
_option = partial(Option, panel="Reading text")
_LAYERS = {"form": "the words of the annotation", "lemma": "lemmas of the annotation", "upos": "parts of speech",
           "lemma_upos": "lemmas of the annotation, with the part of speech"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CountingOptions:
    """How texts are counted: the same options and defaults wherever termburst takes texts.

    Only `CountVectorizer` and the estimators count as scikit-learn does, with its parameters. Saved statistics keep
    these options, so that only equally counted texts are added to them.

    Parameters
    ----------
    ngrams : (int, int), or int
        Smallest and largest number of tokens in a term.
    stop_words : "english", a language, True, a list, tuple or set of str, or None
        Tokens to leave out. "english" is scikit-learn's list. A code of ISO 639 or an English name ("de", "german")
        means the list of this language, and True or "auto" the list of `language`. Your own list is kept as a sorted
        tuple: the order has no meaning.
    pattern_seconds : float
        The longest processor time of a search for tokens in one document, for a pattern that may never end. It does not
        change what is counted, and is not saved. Only the main thread has this limit, and Windows has none.
    token_pattern : str or None
        A regular expression for ``words="sklearn"``. A token is what it matches, or what its one group matches. It must
        not match the empty string. By default that of scikit-learn: two or more letters, digits or ``_``.
    lowercase : bool
        Whether to convert texts to lower case first.
    pretokenized : bool
        The texts are tokens already, separated by white space (or lists of tokens). The options for finding tokens are
        not used: `words`, `token_pattern`, `apostrophes`, and without `layer` also `lowercase`.
    words : "unicode", "sklearn" or None
        How tokens are found: as words as Unicode sees them (see `UnicodeWords`), or by `token_pattern` as in
        scikit-learn. By default "unicode", unless there is a token pattern.
    language : str or None
        A code of ISO 639 or an English name: "de", "deu", "german". It decides about lower case (Turkish), apostrophes
        and stop words. Chinese, Japanese and Thai texts are divided into words.
    apostrophes : "keep", "split" or None
        Whether an apostrophe between two letters belongs to the word, with ``words="unicode"``. By default it does
        (*don't*), but not in French, Italian, Catalan and others with elision (*l'homme* is *l* and *homme*).
    ngrams_over_stop_words : bool
        Whether n-grams join tokens that have a stop word between them, as in scikit-learn.
    layer : "form", "lemma", "upos", "lemma_upos" or None
        The texts are lists of tokens of an annotated corpus, in this layer. Then `lowercase` and `stop_words` are about
        the word: in *The_DET* of "lemma_upos" about *The*. Tags stay as they are. Files set it themselves; it needs
        `pretokenized`.

    Examples
    --------
    >>> counts, terms = CountingOptions().count(["I don't know", "a cat"])
    >>> terms.tolist()
    ['a', 'cat', "don't", 'i', 'know']
    >>> counts, terms = CountingOptions(language="french", stop_words=True).count(["L'homme et l’océan"])
    >>> terms.tolist()
    ['homme', 'océan']
    """

    ngrams: Annotated[
        tuple[int, int],
        _option("How many tokens a term has: a number, or two such as 1,2.", least=1, given=int | tuple[int, int]),
    ] = (1, 1)
    stop_words: Annotated[
        str | tuple[str, ...] | None,
        _option(
            "Words to leave out: those of a language (german, de), or your own; on the command line, a file with one "
            "word per line.",
            given=bool | str | Iterable[str] | None,
        ),
    ] = None
    language: Annotated[
        str | None, _option("Language of the texts, such as de or german; it decides what a word is.")
    ] = None
    words: Annotated[
        WordRule | None, _option("What a word is: as Unicode sees words, or as in scikit-learn. (default: unicode)")
    ] = None
    apostrophes: Annotated[
        Apostrophes | None, _option("Whether an apostrophe belongs to the word. (default: keep; split in French, …)")
    ] = None
    token_pattern: Annotated[
        str | None, _option("Regular expression of a token, instead of words as Unicode sees them.")
    ] = None
    pattern_seconds: Annotated[
        float, _option("Stop if a pattern takes longer for one document.", above=0, most=1_000_000)
    ] = field(default=60, compare=False)
    ngrams_over_stop_words: Annotated[bool, _option("Let n-grams join words that have a stop word between them.")] = (
        False
    )
    lowercase: Annotated[bool, _option("Change text to lower case before counting.")] = True
    pretokenized: Annotated[
        bool, _option("The text is already tokens, separated by white space; they are not changed.")
    ] = False
    layer: str | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for options that cannot be used, before any text is read. Defaults become values."""
        check_options(self)
        language = None if self.language is None else language_code(self.language)
        pattern = self.token_pattern
        words = self.words or ("unicode" if pattern is None else "sklearn")
        _check_together(words, self.apostrophes, pattern)
        if self.layer is not None and self.layer not in LAYERS:
            raise wrong_value("layer", f"one of {', '.join(map(repr, LAYERS))}", self.layer, LAYERS)
        if self.layer is not None and not self.pretokenized:
            tokens = named("pretokenized", True)
            raise ValueError("layer is for the tokens of annotated corpora. Set " + tokens + ", or leave it out.")
        if self.layer == "upos" and self.stop_words:
            leave = named("stop_words", bare=True)
            raise ValueError(Message("The layer upos has no words, so there are no stop words. Leave ", leave, " out."))
        values = {
            "ngrams": _checked_ngrams(self.ngrams),
            "stop_words": sorted_words(self.stop_words, language),
            "words": words,
            "language": language,
            "apostrophes": None if words == "sklearn" else self.apostrophes or default_apostrophes(language),
            "token_pattern": None if pattern == DEFAULT_TOKEN_PATTERN else pattern,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if self.token_pattern is not None:
            check_pattern(self.token_pattern, self.pattern_seconds)

    def count(self, texts: Iterable[Text]) -> tuple[Any, NDArray[np.object_]]:
        """Count *texts*: (documents × terms as a `scipy.sparse.csr_array`, the terms in alphabetical order).

        If no text has a term, the matrix has no columns. This is not an error.
        """
        import numpy as np

        from termburst.counting.plain_tokenizer import SMALL, measured
        from termburst.counting.tokenizer import in_chunks

        self._check_longest()
        documents, small = measured(self.checked_texts(texts), SMALL)
        compiled = None if small else self.tokenizer()
        if compiled is None:
            terms, X = self.plain_tokenizer().matrix(documents)
        else:
            terms, X = compiled.matrix(list(compiled.count(in_chunks(documents))))
        return X, np.array(list(terms), dtype=object)

    def tokenizer(self) -> Tokenizer | None:
        """The compiled tokenizer, which keeps one vocabulary over many batches; None if it cannot find the tokens.

        In that case use `plain_tokenizer`.
        """
        from termburst.counting.character_class import character_class
        from termburst.counting.tokenizer import Tokenizer

        self._check_longest()
        rule = None if self.pretokenized else self._unicode_words() or character_class(self._pattern)
        if rule is None:
            return None
        return Tokenizer(
            rule,
            lowercase=self.lowercase,
            prepare=self._preparation().for_kernel,
            ngrams=self.ngrams,
            stop_words=self._stop_words(self._find_tokens()),
            barriers=not self.ngrams_over_stop_words,
        )

    def plain_tokenizer(self) -> PlainTokenizer:
        """A tokenizer in plain Python for any options."""
        from termburst.counting.plain_tokenizer import PlainTokenizer, terms_of

        self._check_longest()
        find = self._find_tokens()
        barriers, stop_words = not self.ngrams_over_stop_words, self._stop_words(find)
        return PlainTokenizer(
            partial(terms_of, find=find, stop_words=stop_words, ngrams=self.ngrams, barriers=barriers)
        )

    def placed_tokens(self, text: Text) -> tuple[str, Iterator[tuple[str, int, int]]]:
        """The text to show, and its tokens with their places in it. Stop words are among them.

        The text to show is the given one, except for what `Preparation` changes in it.

        Examples
        --------
        >>> shown, tokens = CountingOptions(words="unicode").placed_tokens("I DON’T")
        >>> shown, list(tokens)
        ("I DON'T", [('i', 0, 1), ("don't", 2, 7)])
        """
        if isinstance(text, list):  # of tokens, which may contain spaces
            ends = list(accumulate(len(token) + 1 for token in text))
            counted = self._find_tokens()(text) if self.pretokenized else text
            return " ".join(text), (
                (token, end - 1 - len(shown), end - 1) for token, shown, end in zip(counted, text, ends, strict=True)
            )
        shown, searched, spans = self._spans(text)
        return shown, ((searched[start:stop], start, stop) for start, stop in spans)

    def _spans(self, text: str) -> tuple[str, str, Iterator[tuple[int, int]]]:
        """The text to show, the one in which tokens are found, and where tokens begin and end in both."""
        if self.pretokenized:
            return text, text, (found.span() for found in re.finditer(r"\S+", text))
        searched, shown = self._prepared(text)
        words = self._unicode_words()
        if words is not None:
            return shown, searched, words.spans(searched)
        pattern = re.compile(self._pattern)
        matches = pattern.finditer(searched)
        if (seconds := self._seconds()) is not None:
            with search_limit(self._pattern, seconds):
                matches = iter(list(matches))
        return shown, searched, (found.span(pattern.groups) for found in matches)  # the one group, or all

    def placed_words(
        self, text: Text, words: Iterable[str], each: int
    ) -> tuple[str, dict[str, list[tuple[int, int]]]] | None:
        """The text to show, and where the first *each* tokens that are one of *words* stand; None for other rules.

        Examples
        --------
        >>> CountingOptions(words="unicode").placed_words("So so’s so", ["so"], 9)
        ("So so's so", {'so': [(0, 2), (8, 10)]})
        """
        rule = None if self.pretokenized else self._unicode_words()
        if rule is None or not isinstance(text, str):
            return None
        searched, shown = self._prepared(text)
        return shown, rule.places(searched, words, each)

    def every_token(self, text: str, every: int) -> tuple[str, list[int]]:
        """The text to show, as `placed_tokens` gives it, and where every *every*-th token begins, without the first.

        Examples
        --------
        >>> CountingOptions().every_token("So it goes. So it is.", 2)
        ('So it goes. So it is.', [6, 15])
        """
        plain = text.isascii() and not self.pretokenized and self.language not in SEGMENTED
        if plain and len(text) < 2 * every and self.token_pattern is None:
            return text, []  # there is something between two tokens, so there are not enough of them
        shown, _, spans = self._spans(text)
        return shown, [start for start, _ in islice(spans, every, None, every)]

    def _prepared(self, text: str) -> tuple[str, str]:
        """The text in which tokens are found, and the one to show; both have the same length."""
        searched = self._preparation()(text)
        shown = self._preparation(lowercase=False)(text)
        return searched, shown if len(searched) == len(shown) else searched  # İ and others are longer in lower case

    def stop_word_set(self) -> Container[str]:
        """The tokens that are left out; ``token in options.stop_word_set()`` asks for one."""
        return _stop_word_set(self)

    def stop_word_in(self, term: str) -> str | None:
        """The first token of a term that is left out as a stop word; None if there is none.

        Examples
        --------
        >>> options = CountingOptions(stop_words=["the"])
        >>> options.stop_word_in("The"), options.stop_word_in("whale")
        ('the', None)
        """
        if self.stop_words is None:
            return None
        left_out = self.stop_word_set()
        return next((token for token in self._find_tokens()(term) if token in left_out), None)

    def check_text(self, text: Any, number: int) -> None:
        """Raise ValueError, with the number of the document, if it is not a text."""
        if isinstance(text, str):
            return
        if not self.pretokenized:
            raise ValueError(f"Document {number} must be a string; got {text!r:.60}.")
        if not isinstance(text, list):
            raise ValueError(f"Document {number} must be a string or a list of tokens; got {text!r:.60}.")
        for token in text:
            if not isinstance(token, str):
                raise ValueError(f"Every token of document {number} must be a string; got {token!r:.60}.")
        if "" in text:
            raise ValueError(f"The empty string is among the tokens of document {number}. Remove it.")

    def check_equal(self, other: CountingOptions) -> None:
        """Raise ValueError if texts are counted in another way with the *other* options.

        Examples
        --------
        >>> CountingOptions().check_equal(CountingOptions(lowercase=False))
        Traceback (most recent call last):
        ValueError: the texts were counted in different ways: lowercase=True and False
        """
        theirs = [
            f"{f.name}={getattr(self, f.name)!r:.60} and {getattr(other, f.name)!r:.60}"
            for f in fields(self)
            if f.compare and getattr(self, f.name) != getattr(other, f.name)
        ]
        if theirs:
            raise ValueError(f"the texts were counted in different ways: {'; '.join(theirs)}")

    def to_json(self) -> dict[str, Any]:
        """Plain values from which `from_json` makes equal options."""
        return {f.name: value for f, value in zip(fields(self), asdict(self).values(), strict=True) if f.compare}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> CountingOptions:
        """The inverse of `to_json`, also for values read from JSON, where tuples have become lists.

        An option that is missing, or has another type, is an error, because anyone may have written the file. A token
        pattern that is not a simple class of characters becomes a `StoredPattern`, which has a limit of time.
        """
        from termburst.counting.character_class import character_class

        if missing := [f.name for f in fields(cls) if f.compare and f.name not in values]:
            raise ValueError(f"the header field {missing[0]!r} is missing")
        if isinstance(values["stop_words"], dict):
            raise ValueError("the header field 'stop_words' is no list of words")
        plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        pattern = plain["token_pattern"]
        if isinstance(pattern, str) and character_class(pattern) is None:  # the search for a class always ends
            plain["token_pattern"] = StoredPattern(pattern)
        return cls(**plain)

    def checked_texts(self, texts: Iterable[Text], first: int = 0) -> Iterable[Text]:
        """The same texts; ValueError, when it comes to one that is none, with its number, counted from *first*."""
        if isinstance(texts, list) and set(map(type, texts)) == {str}:  # the usual case, quicker than one by one
            return texts
        return self._checked(texts, first)

    def _checked(self, texts: Iterable[Text], first: int) -> Iterator[Text]:
        for number, text in enumerate(texts, first):
            self.check_text(text, number)
            yield text

    def _check_longest(self) -> None:
        if self.ngrams[1] > LONGEST_NGRAM:  # not in __post_init__: files with longer n-grams must still load
            raise ValueError(f"n-grams have at most {LONGEST_NGRAM} tokens each; give a smaller number")

    @property
    def _pattern(self) -> str:
        """What tokens match if words are found as in scikit-learn."""
        return self.token_pattern or DEFAULT_TOKEN_PATTERN

    def _seconds(self) -> float | None:
        """The limit of time of the search for tokens in one document; None if a search surely ends."""
        from termburst.counting.character_class import character_class

        endless = self.token_pattern is not None and character_class(self.token_pattern) is None
        return self.pattern_seconds if endless else None

    def _unicode_words(self) -> UnicodeWords | None:
        """The rule for words as Unicode sees them; None if tokens are found by a pattern."""
        from termburst.counting.unicode_words import unicode_words

        if self.words == "sklearn":
            return None
        return unicode_words(self.apostrophes or "keep", letter_joiners(self.language))

    def _preparation(self, lowercase: bool = True, segment: bool = True) -> Preparation:
        """What is done to a text before its tokens are found."""
        from termburst.counting.languages import Preparation

        language = self.language if segment or self.language not in SEGMENTED else None
        return Preparation(lowercase and self.lowercase, language, tidy=self.words == "unicode")

    def _find_tokens(self, segment: bool = True) -> Callable[[Any], list[str]]:
        """The function that finds the tokens of a text in plain Python."""
        from termburst.counting.plain_tokenizer import annotated_tokens, pattern_tokens, split_tokens

        if self.pretokenized:
            lowered = self.lowercase and self.layer not in (None, "upos")
            tagged = self.layer == "lemma_upos"
            return partial(annotated_tokens, language=self.language, tagged=tagged) if lowered else split_tokens
        prepare, words = self._preparation(segment=segment), self._unicode_words()
        if words is None:
            return pattern_tokens(self._pattern, prepare, self._seconds())
        return lambda text: words.find(prepare(text))

    def _stop_words(self, find: Callable[[Any], list[str]], warn: bool = True) -> frozenset[str]:
        """The tokens to leave out. Warn where a stop word is never found because *find* splits or changes it."""
        from termburst.counting.plain_tokenizer import StopLemmas

        kind = StopLemmas if self.layer == "lemma_upos" else frozenset
        if isinstance(self.stop_words, str) and self.stop_words != "english":
            # The list of a language is for any rule, so what the rule makes of its words is left out, too.
            listed, find_whole = stop_words_of(self.stop_words), self._find_tokens(segment=False)
            return kind(listed.union(*(find_whole(word) for word in listed if " " not in word)))
        words = english_stop_words() if self.stop_words == "english" else frozenset(self.stop_words or ())
        missing: set[str] = set()
        with suppress(ValueError):  # of a pattern that matches the empty string: reported when texts are counted
            for word in words if warn else ():
                missing.update(token for token in find(word) if token not in words)
        if missing:
            shown = ", ".join(map(repr, sorted(missing)[:10])) + (", …" if len(missing) > 10 else "")
            warnings.warn(f"Some stop words become other tokens: {shown}. Add these to the stop words.", stacklevel=2)
        return kind(words)


def _checked_ngrams(ngrams: int | tuple[int, int]) -> tuple[int, int]:
    """Both numbers, so that equal options compare equal."""
    first, last = ngrams if isinstance(ngrams, tuple) else (ngrams, ngrams)
    if first > last:
        raise wrong_value("ngrams", "two whole numbers, smallest first", ngrams)
    return first, last


def _check_together(words: str, apostrophes: str | None, pattern: str | None) -> None:
    """Raise ValueError for an option of another rule of words."""
    for name, value, rule in (("apostrophes", apostrophes, "unicode"), ("token_pattern", pattern, "sklearn")):
        if value is not None and words != rule:
            option, needed = named(name, bare=True), named("words", rule)
            raise ValueError(Message(option, " is an option of ", needed, "; give that, or omit ", option))


@lru_cache(maxsize=16)
def _stop_word_set(options: CountingOptions) -> Container[str]:
    return options._stop_words(options._find_tokens(), warn=False)


def checked_counting(counting: CountingOptions | None) -> CountingOptions:
    """The options, the default ones for None; ValueError for anything else."""
    if counting is None:
        return CountingOptions()
    if not isinstance(counting, CountingOptions):
        raise ValueError(f"counting must be CountingOptions(...); got {counting!r:.60}")
    return counting


def words_of(counting: CountingOptions | None) -> str:
    """The rule by which words are found and counted, for people.

    Examples
    --------
    >>> words_of(CountingOptions(language="de", stop_words=True, ngrams=(1, 2)))
    'as Unicode sees them, German, in lower case, without stop words (de), terms of 1 to 2 words'
    >>> words_of(CountingOptions(words="sklearn", lowercase=False))
    'two or more letters or digits, upper and lower case kept'
    >>> words_of(None)
    'counted elsewhere'
    """
    if counting is None:
        return "counted elsewhere"
    case = "in lower case" if counting.lowercase else "upper and lower case kept"
    if counting.pretokenized:
        parts = [_LAYERS[counting.layer] if counting.layer else "the given tokens"]
        parts += [case] if counting.layer not in (None, "upos") else []
    else:
        pattern = counting.token_pattern
        by_pattern = "two or more letters or digits" if pattern is None else f"pattern {pattern!r:.60}"
        parts = ["as Unicode sees them" if counting.words == "unicode" else by_pattern]
        parts += [language_name(counting.language)] if counting.language else []
        parts += ["apostrophes split them"] if counting.apostrophes == "split" else []
        parts += [case]
    if counting.stop_words is not None:
        words = counting.stop_words
        parts.append(f"without stop words ({words if isinstance(words, str) else f'{len(words):,} of a list'})")
    if counting.ngrams != (1, 1):
        low, high = counting.ngrams
        parts.append(f"terms of {low} words" if low == high else f"terms of {low} to {high} words")
        parts += ["over stop words"] if counting.stop_words is not None and counting.ngrams_over_stop_words else []
    return ", ".join(parts)
