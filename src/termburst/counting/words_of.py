"""The counting options in words, for reports and wherever counts are shown."""

from __future__ import annotations

from termburst.counting.languages import language_name
from termburst.counting.options import CountingOptions

_LAYERS = {
    "form": "the words of the annotation", "lemma": "lemmas of the annotation", "upos": "parts of speech",
    "lemma_upos": "lemmas of the annotation, with the part of speech",
}  # fmt: skip


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
