"""The search for a word and the lines around it in plain Python, as `tb_find` and `tb_lines` do it."""

import re


def find(texts, pattern):
    """(document, start, stop) of every match, in characters."""
    return [(number, *found.span()) for number, text in enumerate(texts) for found in pattern.finditer(text)]


def line(text, start, stop, width):
    """The text before a match, the match, and the text after it; runs of white space become one space."""
    parts = text[max(start - width, 0) : start], text[start:stop], text[stop : stop + width]
    return tuple(re.sub(r"\s+", " ", part) for part in parts)
