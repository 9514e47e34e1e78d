"""The language of texts, guessed from their letters and stop words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from termburst.counting.preparation import Preparation
from termburst.counting.scripts import sampled, script_shares
from termburst.counting.unicode_words import unicode_words

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
