"""The scripts of texts and, by these and by stop words, their language; scripts without spaces between words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

from termburst.counting.languages import Preparation, language_name
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


LEAST_SHARE = 0.1  # of the words that must be stop words of the guessed language
USUAL_SHARE = 0.2  # from here on, more stop words do not make a guess more certain

# The language of a script that is almost only used for one; the others need stop words.
_BY_SCRIPT = {
    "Greek": "el", "Armenian": "hy", "Hebrew": "he", "Bengali": "bn", "Gurmukhi": "pa", "Gujarati": "gu", "Odia": "or",
    "Tamil": "ta", "Telugu": "te", "Kannada": "kn", "Malayalam": "ml", "Sinhala": "si", "Thai": "th", "Lao": "lo",
    "Tibetan": "bo", "Myanmar": "my", "Georgian": "ka", "Hangul": "ko", "Ethiopic": "am", "Khmer": "km", "Kana": "ja",
    "Han": "zh",
}  # fmt: skip


def guess_language(texts: Iterable[object]) -> tuple[str, float] | None:
    """The code of the language and a confidence from 0 to 1; None where there is no good guess.

    Looks at the beginnings of the first texts. A script that belongs to one language decides, and the confidence is its
    share of the letters. Otherwise a stop word of k languages gives each of them 1/k points. Points are divided by the
    fourth root of the length of the list, since longer lists have more chances. The confidence is how far the second
    language is behind the first one, as a share. Similar languages such as Malay and Indonesian are confused.

    Examples
    --------
    >>> guess_language(["Alle Menschen sind frei und gleich an Würde und Rechten geboren."])[0]
    'de'
    >>> guess_language(["सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है।"])[0]
    'hi'
    >>> guess_language(["0 1 2"]) is None
    True
    """
    from termburst.counting.unicode_words import unicode_words

    sample = sampled(texts)
    shares = script_shares(sample)
    if not shares:
        return None
    script = max(shares, key=lambda name: shares[name])
    if script == "Han" and shares.get("Kana", 0) > 0.1 * shares[script]:  # Japanese has both, Chinese has no Kana
        script = "Kana"
    if script in _BY_SCRIPT:
        return _BY_SCRIPT[script], shares[script] + (shares.get("Han", 0) if script == "Kana" else 0)
    prepare, find = Preparation(tidy=True), unicode_words("split").find
    words = Counter(word for text in sample for word in find(prepare(text)))
    lists = _lists(script)
    languages = Counter(word for known in lists.values() for word in known if word in words)
    points = {
        code: sum(words[word] / languages[word] for word in known if word in words) / len(known) ** 0.25
        for code, known in lists.items()
    }
    first, second = sorted(points, key=lambda code: -points[code])[:2]
    share = sum(count for word, count in words.items() if word in lists[first]) / words.total()
    if share < LEAST_SHARE:
        return None
    return first, (1 - points[second] / points[first]) * min(1.0, share / USUAL_SHARE)


@lru_cache(maxsize=8)
def _lists(script: str) -> dict[str, frozenset[str]]:
    """The stop words of all languages that are mainly written in this script, where there are two or more of them."""
    import stopwordsiso

    lists = {code: frozenset(stopwordsiso.stopwords(code)) for code in sorted(stopwordsiso.langs())}
    return {code: words for code, words in lists.items() if next(iter(script_shares(words)), None) == script}
