"""The scripts of texts and, by these and by stop words, their language; scripts without spaces between words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

from termburst.counting.languages import Preparation, language_name, table_rows
from termburst.messages import Message, joined, named

SAMPLE = 200  # texts that are looked at
CHARACTERS = 2_000  # of each of them

# Scripts without spaces between words: how they are named, and the languages that have a segmenter.
_UNSEGMENTED = {
    "Kana": ("Japanese characters", ("ja",)),
    "Han": ("Chinese characters", ("zh", "ja")),
    "Thai": ("Thai letters", ("th",)),
    "Lao": ("Lao letters", ()),
    "Khmer": ("Khmer letters", ()),
    "Myanmar": ("Myanmar letters", ()),
}


@lru_cache(maxsize=1)
def _scripts() -> dict[str, tuple[str, str]]:
    """For each script, its letters and marks as ranges of a regular expression, and the language that alone uses it.

    The language is "" if several use it. Kana: Hiragana, Katakana and their marks.
    """
    found = {}
    for row in table_rows("scripts.csv"):
        ranges = ([re.escape(chr(int(end, 16))) for end in span.split("-")] for span in row["ranges"].split())
        found[row["script"]] = "".join(map("-".join, ranges)), row["language"]
    return found


def script_pattern(scripts: Iterable[str]) -> str:
    """A regular expression for one letter or mark of some scripts."""
    return "[" + "".join(_scripts()[script][0] for script in scripts) + "]"


@lru_cache(maxsize=1)
def _runs() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{script}>[{ranges}]+)" for script, (ranges, _) in _scripts().items()))


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


def _main_script(shares: dict[str, float], total: float) -> str:
    """The script with the largest share. Japanese has Han and Kana, Chinese has no Kana."""
    script = max(shares, key=lambda name: shares[name])
    return "Kana" if script == "Han" and shares.get("Kana", 0) > 0.1 * total else script


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
    name, languages = _UNSEGMENTED[_main_script(found, total)]
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
    script = _main_script(shares, max(shares.values()))
    if language := _scripts()[script][1]:  # the others need stop words
        return language, shares[script] + (shares.get("Han", 0) if script == "Kana" else 0)
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
