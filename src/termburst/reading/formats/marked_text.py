"""Text out of a tree of elements: blocks on lines of their own, words never glued together or cut apart.

Markup says where a block begins and ends, and text that is wrapped in the file may break anywhere. So each block is set
apart by a character that text does not use, and all other white space becomes one space.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

BLOCK = "\u2029"  # Unicode's paragraph separator
LINE = "\u2028"  # Unicode's line separator


def set_apart(nodes: Iterable[Any]) -> None:
    """Mark the begin and the end of blocks."""
    for node in nodes:
        node.text = BLOCK + (node.text or "")
        node.tail = BLOCK + (node.tail or "")


def lines_of(text: str) -> str:
    r"""Marked text as lines, without empty ones.

    Examples
    --------
    >>> lines_of("\u2029A  paragraph\n  of two lines.\u2029\u2029 And\u2028another.")
    'A paragraph of two lines.\nAnd\nanother.'
    """
    lines = (" ".join(line.split()) for line in text.replace(LINE, BLOCK).split(BLOCK))
    return "\n".join(line for line in lines if line)
