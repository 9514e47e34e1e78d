"""Scripts of letters: which ones a text uses, and which ones have no spaces between words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

from termburst.counting.languages import language_name
from termburst.messages import Message, joined, named

SAMPLE = 200  # texts that are looked at
CHARACTERS = 2_000  # of each of them

# The ranges of letters and marks of each script. Kana: Hiragana, Katakana and their marks.
_RANGES: dict[str, tuple[tuple[int, int], ...]] = {
    "Latin": ((0x41, 0x5A), (0x61, 0x7A), (0xAA, 0xAA), (0xBA, 0xBA), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x2AF),
              (0x1E00, 0x1EFF), (0x2C60, 0x2C7F), (0xA720, 0xA7FF), (0xFF21, 0xFF3A), (0xFF41, 0xFF5A)),
    "Greek": ((0x370, 0x3FF), (0x1F00, 0x1FFF)),
    "Cyrillic": ((0x400, 0x52F), (0x1C80, 0x1C8F), (0x2DE0, 0x2DFF), (0xA640, 0xA69F)),
    "Armenian": ((0x531, 0x58F),),
    "Hebrew": ((0x591, 0x5F4),),
    "Arabic": ((0x610, 0x6FF), (0x750, 0x77F), (0x8A0, 0x8FF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC)),
    "Devanagari": ((0x900, 0x963), (0x970, 0x97F)),
    "Bengali": ((0x980, 0x9FE),),
    "Gurmukhi": ((0xA01, 0xA76),),
    "Gujarati": ((0xA81, 0xAFF),),
    "Odia": ((0xB01, 0xB77),),
    "Tamil": ((0xB82, 0xBFA),),
    "Telugu": ((0xC00, 0xC7F),),
    "Kannada": ((0xC80, 0xCF3),),
    "Malayalam": ((0xD00, 0xD7F),),
    "Sinhala": ((0xD81, 0xDF4),),
    "Thai": ((0xE01, 0xE3A), (0xE40, 0xE4E)),
    "Lao": ((0xE81, 0xECE), (0xEDC, 0xEDF)),
    "Tibetan": ((0xF40, 0xFBC),),
    "Myanmar": ((0x1000, 0x103F), (0x1050, 0x108F), (0x109A, 0x109D), (0xA9E0, 0xA9EF), (0xA9FA, 0xA9FE),
                (0xAA60, 0xAA7F)),
    "Georgian": ((0x10A0, 0x10FF), (0x1C90, 0x1CBF), (0x2D00, 0x2D2D)),
    "Hangul": ((0x1100, 0x11FF), (0x3131, 0x318E), (0xA960, 0xA97C), (0xAC00, 0xD7FB)),
    "Ethiopic": ((0x1200, 0x135F), (0x1380, 0x138F), (0x2D80, 0x2DDE)),
    "Khmer": ((0x1780, 0x17D3), (0x17D7, 0x17D7), (0x17DC, 0x17DD)),
    "Kana": ((0x3041, 0x3096), (0x3099, 0x309A), (0x309D, 0x309F), (0x30A1, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF),
             (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F)),
    "Han": ((0x3005, 0x3007), (0x3021, 0x3029), (0x303B, 0x303B), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAD9),
            (0x20000, 0x323AF)),
}  # fmt: skip
# Scripts without spaces between words: how they are named, and the languages that have a segmenter.
_UNSEGMENTED = {
    "Kana": ("Japanese characters", ("ja",)),
    "Han": ("Chinese characters", ("zh", "ja")),
    "Thai": ("Thai letters", ("th",)),
    "Lao": ("Lao letters", ()),
    "Khmer": ("Khmer letters", ()),
    "Myanmar": ("Myanmar letters", ()),
}


def script_pattern(scripts: Iterable[str]) -> str:
    """A regular expression for one letter or mark of some scripts."""
    ranges = (r for script in scripts for r in _RANGES[script])
    return "[" + "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in ranges) + "]"


@lru_cache(maxsize=1)
def _runs() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{script}>{script_pattern([script])}+)" for script in _RANGES))


def sampled(texts: Iterable[object]) -> list[str]:
    """The beginnings of the first texts. Documents that are no strings (lists of tokens) are left out."""
    return [text[:CHARACTERS] for text in islice(texts, SAMPLE) if isinstance(text, str)]


def script_shares(texts: Iterable[str]) -> dict[str, float]:
    """The share of each script in the letters of texts, the largest first.

    Examples
    --------
    >>> script_shares(["Привет", "hi"])
    {'Cyrillic': 0.75, 'Latin': 0.25}
    """
    found: Counter[str] = Counter()
    for text in texts:
        for run in _runs().finditer(text):
            found[str(run.lastgroup)] += run.end() - run.start()
    return {script: size / found.total() for script, size in found.most_common()}


def unsegmented_script(texts: Iterable[object], language: str | None = None, *, share: float = 0.1) -> str | None:
    """What to do about texts without spaces between words, as a sentence; None where nothing is to be done.

    Parameters
    ----------
    texts : the corpus, of which the first documents are looked at; lists of tokens need nothing
    language : the code of the language by which the texts are counted
    share : from this share of the letters on, the script is noticed

    Examples
    --------
    >>> print(unsegmented_script(["人人生而自由，在尊严和权利上一律平等。"]))
    These texts are written without spaces between words (Chinese characters: 100 % of the letters), so whole phrases
    are counted as words. Give language="zh" (Chinese) or language="ja" (Japanese).
    >>> unsegmented_script(["All human beings are born free."]) is None
    True
    """
    shares = script_shares(sampled(texts))
    found = {script: shares[script] for script in _UNSEGMENTED if script in shares}
    total = sum(found.values())
    if total < share or not found:
        return None
    script = max(found, key=lambda name: found[name])
    if script == "Han" and found.get("Kana", 0) > 0.1 * total:  # Japanese has both, Chinese has no Kana
        script = "Kana"
    name, languages = _UNSEGMENTED[script]
    if language in languages:
        return None
    given = [named("language", code) + f" ({language_name(code)})" for code in languages]
    cure = (
        Message("Give ", joined(given, " or "), ".")
        if given
        else "Split them into words first, and give lists of tokens."
    )
    return (
        f"These texts are written without spaces between words ({name}: {100 * total:.0f} % of the letters), so whole "
        "phrases are counted as words. " + cure
    )
