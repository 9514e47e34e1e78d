"""Words of scripts that have no spaces between words: Chinese, Japanese and Thai, each by a library of its own."""

from __future__ import annotations

import os
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from termburst.counting.languages import language_name
from termburst.counting.scripts import script_pattern

BOUNDARY = "\u200b"  # zero width space: no character of tokens, and invisible where a text is shown
_LONGEST = 10_000  # characters that a segmenter gets at once; Sudachi takes 49,149 bytes at most

Segment = Callable[[str], list[str]]


def _chinese() -> Segment:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba imports pkg_resources, and has invalid escape sequences
        import jieba

        segmenter = jieba.Tokenizer()
        # `initialize` would load a file from the folder for temporary files, where anyone may have put another one.
        segmenter.FREQ, segmenter.total = segmenter.gen_pfdict(segmenter.get_dict_file())
        segmenter.initialized = True
    return segmenter.lcut


def _japanese() -> Segment:
    import sudachipy

    dictionary = sudachipy.Dictionary(dict="small")
    local = threading.local()  # a tokenizer of Sudachi serves one thread at a time

    def segment(text: str) -> list[str]:
        if not hasattr(local, "tokenizer"):
            make = getattr(dictionary, "tokenizer", None) or dictionary.create  # its name before SudachiPy 0.7
            local.tokenizer = make(mode=sudachipy.SplitMode.A)
        return [word.surface() for word in local.tokenizer.tokenize(text)]

    return segment


def _thai() -> Segment:
    name = "PYTHAINLP_READ_ONLY"  # without it, a folder is made in the user's home folder
    is_new = name not in os.environ and "PYTHAINLP_READ_MODE" not in os.environ
    if is_new:
        os.environ[name] = "1"
    try:
        from pythainlp.tokenize.newmm import segment

        segment("ไทย")  # loads the dictionary
    finally:
        if is_new:
            del os.environ[name]
    return segment


# For each language: how its segmenter is made, the package, and the scripts whose runs are segmented.
_SEGMENTERS: dict[str, tuple[Callable[[], Segment], str, tuple[str, ...]]] = {
    "zh": (_chinese, "jieba", ("Han",)),
    "ja": (_japanese, "sudachipy", ("Han", "Kana")),
    "th": (_thai, "pythainlp", ("Thai",)),
}
SEGMENTED = tuple(_SEGMENTERS)
_lock = threading.Lock()


@lru_cache(maxsize=8)
def _loaded(code: str) -> Segment:
    make, package, _ = _SEGMENTERS[code]
    try:
        return make()
    except ImportError as error:
        raise ImportError(
            f"{language_name(code)} has no spaces between words and needs the package {package}: "
            "pip install 'termburst[languages]'"
        ) from error


@lru_cache(maxsize=8)
def segmenter(code: str | None) -> Callable[[str], str] | None:
    """A function that puts a zero width space between the words of a text; None where the language needs none.

    The library is loaded with the first text. Only runs of the language's own script are segmented. So words in Latin
    letters and numbers are the same as in other languages.

    Examples
    --------
    >>> segmenter("zh")("人人生而自由。").split("\u200b")  # doctest: +SKIP
    ['人人', '生而自由', '。']
    """
    if code not in _SEGMENTERS:
        return None
    runs = re.compile(f"(?:{script_pattern(_SEGMENTERS[code][2])})+")

    def segmented(text: str) -> str:
        if runs.search(text) is None:
            return text
        with _lock:  # loaded once
            segment = _loaded(code)
        return runs.sub(lambda run: BOUNDARY.join(["", *_words(run.group(), segment), ""]), text)

    return segmented


def _words(run: str, segment: Segment) -> Iterator[Any]:
    for start in range(0, len(run), _LONGEST):
        yield from segment(run[start : start + _LONGEST])
