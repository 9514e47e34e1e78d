"""Words that a printed line has cut in two are put together again."""

from __future__ import annotations

import re
from collections import Counter

from termburst.reading.formats.found import Note

_CUT = re.compile(r"(?<![\w-])([^\W\d_]+)([-\u2010\xad])\n[ \t]*([^\W\d_][\w']*)")
_SOFT = re.compile(r"\xad\n?")


def join_cut_words(text: str, note: Note) -> str:
    r"""Join words that are hyphenated at the end of a line.

    The hyphen goes, and the word stands on the first line. It stays where the next line begins with a capital letter,
    or where the text has the same word with its hyphen, and not without it, within a line. Soft hyphens always go.

    Examples
    --------
    >>> join_cut_words("a well-known exam-\nple of a well-\nknown Franco-\nPrussian", print)
    words joined that were cut at the end of a line: 2 of 3
    'a well-known example\nof a well-known\nFranco-\nPrussian'
    """
    cuts = list(_CUT.finditer(text))
    if not cuts:
        return text.replace("\xad", "")
    whole = Counter(re.findall(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*", _CUT.sub(" ", text).lower()))
    joined = 0

    def join(match: re.Match[str]) -> str:
        nonlocal joined
        first, hyphen, second = match.groups()
        if hyphen != "\xad" and not second[0].islower() and second[0].upper() != second[0].lower():
            return match[0]
        joined += 1
        hyphenated = f"{first}-{second}".lower()
        keep = hyphen != "\xad" and whole[hyphenated] > whole[f"{first}{second}".lower()]
        return f"{first}{'-' if keep else ''}{second}\n"

    text = _CUT.sub(join, text)
    note("words joined", f"that were cut at the end of a line: {joined} of {len(cuts)}")
    return _SOFT.sub("", re.sub(r"\n[ \t]+", "\n", text))
