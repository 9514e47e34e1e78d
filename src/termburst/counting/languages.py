"""Languages by their ISO 639 codes and English names: their stop words, letter case and apostrophes."""

from __future__ import annotations

import csv
import difflib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path
from typing import Any

from termburst.messages import Message, named

_NO_LIST_OF_ITS_OWN = {"nb": "no", "nn": "no"}
_ELISION = frozenset({"fr", "it", "ca", "oc", "co", "wa", "sc"})  # an apostrophe ends a word: l'homme, dell'arte
# What is left of elided words where the apostrophe is split off. All of them are stop words.
_ELIDED = {
    "fr": "c d j l m n s t qu jusqu lorsqu puisqu quoiqu quelqu presqu",
    "it": "c d l m n s t v un all dall dell nell sull coll gl quell quest sant tutt anch senz dov cos com",
    "ca": "d l m n s t",
    "oc": "d l m n s t qu",
}
_DOTTED = ("tr", "az")  # I and i are not the same letter
_JOINERS = {"he": '"', "yi": '"', "sv": ":", "fi": ":"}  # between letters: צה"ל, EU:n


def table_rows(name: str) -> list[dict[str, str]]:
    """The rows of a table that is part of this package."""
    with Path(__file__).with_name(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def _names() -> dict[str, str]:
    """The English name of each language of ISO 639-1 by its code."""
    return {row["code"]: row["name"] for row in table_rows("languages.csv")}


@lru_cache(maxsize=1)
def _codes() -> dict[str, str]:
    """The code of every name that is understood, in lower case."""
    codes: dict[str, str] = {}
    # Other names: codes of ISO 639-2/B, members of groups of languages. What a language itself is called wins.
    for row in table_rows("languages.csv"):
        codes.update(dict.fromkeys(filter(None, row["other names"].split(" | ")), row["code"]))
    for row in table_rows("languages.csv"):
        codes.update(dict.fromkeys((row["code"], row["three letters"], row["name"].lower()), row["code"]))
    return codes


def language_code(language: str) -> str:
    """The two-letter code of a language, from a code of ISO 639 or its English name; ValueError for any other.

    A region or a script behind it is left out.

    Examples
    --------
    >>> [language_code(name) for name in ("de", "deu", "German", "pt-BR")]
    ['de', 'de', 'de', 'pt']
    >>> language_code("portugese")
    Traceback (most recent call last):
    ValueError: The language 'portugese' is not known. Did you mean Portuguese (pt)? Give ...
    """
    codes = _codes()
    asked = language.strip().lower() if isinstance(language, str) else ""
    code = codes.get(asked) or codes.get(asked.replace("_", "-").split("-")[0])
    if code is not None:
        return code
    names = [name for name in codes if (len(name) > 3) == (len(asked) > 3)]
    near = {codes[name]: name for name in difflib.get_close_matches(asked, names, n=3, cutoff=0.6)}
    hint = " or ".join(f"{language_name(code)} ({code})" for code in near)
    raise ValueError(
        f"The language {language!r:.40} is not known.{f' Did you mean {hint}?' if hint else ''} "
        'Give a code of ISO 639 or an English name, such as "de", "deu" or "german".'
    )


def language_name(code: str) -> str:
    """The English name of a language.

    Examples
    --------
    >>> language_name("hi")
    'Hindi'
    """
    return _names()[code]


def guessed_language(code: str, *, stop_words: bool) -> Message:
    """What the reading report says of a language that was guessed: it is not used unless somebody gives it.

    *stop_words* says whether some are left out already.

    Examples
    --------
    >>> print(guessed_language("de", stop_words=False))
    German, it seems, but nothing changes unless you say so: language="de" sets it,
    stop_words="de" leaves out its stop words
    """
    said = f"{language_name(code)}, it seems, but nothing changes unless you say so: "
    advice = named("language", code) + " sets it"
    if not stop_words and code in languages_with_stop_words():
        advice += ", " + named("stop_words", code) + " leaves out its stop words"
    return said + advice


def languages_with_stop_words() -> list[str]:
    """The codes of the languages that have a list of stop words."""
    import stopwordsiso

    return sorted({*stopwordsiso.langs(), *_NO_LIST_OF_ITS_OWN} & _names().keys())


@lru_cache(maxsize=64)
def stop_words_of(code: str) -> frozenset[str]:
    """The stop words of a language: those of *stopwords-iso*; ValueError where it has none.

    English is an exception: its list there has 1,298 entries, and many of them are not stop words. Here it is
    scikit-learn's list with the contractions of *stopwords-iso* (*don't*). What is left of elided words is added:
    *l* and *qu* in French.

    Examples
    --------
    >>> "und" in stop_words_of("de"), "don't" in stop_words_of("en")
    (True, True)
    """
    import stopwordsiso

    words = stopwordsiso.stopwords(_NO_LIST_OF_ITS_OWN.get(code, code))
    if not words:
        raise ValueError(
            f"There is no list of stop words for {language_name(code)} ({code}). Give your own list of words. "
            f"There are lists for: {', '.join(languages_with_stop_words())}."
        )
    if code == "en":
        words = {word for word in words if "'" in word[1:]} | english_stop_words()
    return frozenset(words) | frozenset(_ELIDED.get(code, "").split())


@cache
def english_stop_words() -> frozenset[str]:
    """scikit-learn's list, from its own file: importing all of scikit-learn for 318 words takes more than a second.

    Examples
    --------
    >>> len(english_stop_words()), "whence" in english_stop_words()
    (318, True)
    """
    package = find_spec("sklearn")
    file = Path(package.origin if package and package.origin else "").parent / "feature_extraction" / "_stop_words.py"
    if "sklearn" not in sys.modules and file.is_file():
        return frozenset(run_path(str(file))["ENGLISH_STOP_WORDS"])
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


def default_apostrophes(code: str | None) -> str:
    """What an apostrophe between two letters does: it joins them, but ends a word in languages with elision.

    Examples
    --------
    >>> default_apostrophes("en"), default_apostrophes("fr")
    ('keep', 'split')
    """
    return "split" if code in _ELISION else "keep"


def letter_joiners(code: str | None) -> str:
    """The characters that join two letters in this language only."""
    return _JOINERS.get(code or "", "")


def lower_case(text: str, code: str | None) -> str:
    """The text in lower case. In Turkish and Azerbaijani, I becomes ı and İ becomes i.

    Examples
    --------
    >>> lower_case("IRMAK İZMİR", "tr")
    'ırmak izmir'
    """
    if code in _DOTTED:
        text = text.replace("I\u0307", "i").replace("İ", "i").replace("I", "ı")
    return text.lower()


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
        from termburst.counting.segmenters import segmenter

        object.__setattr__(self, "segment", None if self.language is None else segmenter(self.language))

    def __call__(self, text: str) -> str:
        """The prepared text."""
        if self.lowercase:
            text = lower_case(text, self.language)
        if self.tidy and not text.isascii():
            from termburst.counting.normal_form import composed

            text = composed(text).replace("\u2019", "'").replace("\uff07", "'").replace("\xad", "")
        return text if self.segment is None else self.segment(text)

    def for_kernel(self, text: str) -> str:
        """The prepared text for the compiled tokenizer, which converts ASCII to lower case itself."""
        is_ready = text.isascii() and not (self.lowercase and self.language in _DOTTED)
        return text if is_ready else self(text)


def sorted_words(words: Any, language: str | None) -> str | tuple[str, ...] | None:
    """Stop words in one order, or the code of the language whose list they are, so that equal options compare equal."""
    if words is None or words is False:
        return None
    if words is True or (isinstance(words, str) and words == "auto"):
        if language is None:
            auto, language_too = named("stop_words", True), named("language", "de")
            raise ValueError(Message(auto, " means the list of the language. Give one, such as ", language_too, "."))
        words = language
    if isinstance(words, str):
        if words == "english":
            return words
        code = language_code(words)
        stop_words_of(code)  # refuses a language without a list
        return code
    return tuple(sorted({str(word) for word in words}))  # str: they may be of type numpy.str_
