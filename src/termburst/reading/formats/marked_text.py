"""Text out of a tree of elements: blocks on lines of their own, words never glued together or cut apart.

Markup says where a block begins and ends, and text that is wrapped in the file may break anywhere. So each block is set
apart by a character that text does not use, and all other white space becomes one space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from termburst.reading.formats.safe_xml import etree

BLOCK = "\u2029"  # Unicode's paragraph separator
LINE = "\u2028"  # Unicode's line separator
_TO_SPACES = bytes.maketrans(b"\t\n\r", b"   ")
_SPACES = re.compile(b"  +")


def set_apart(nodes: Iterable[Any]) -> None:
    """Mark the begin and the end of blocks."""
    for node in nodes:
        node.text = BLOCK + (node.text or "")
        node.tail = BLOCK + (node.tail or "")


def text_below(node: Any) -> str:
    """The text of an element and of all that it holds, with its marks."""
    text: str = etree().tostring(node, method="text", encoding="unicode", with_tail=False)
    return text


def lines_of(text: str) -> str:
    r"""Marked text as lines, without empty ones.

    Examples
    --------
    >>> lines_of("\u2029A  paragraph\n  of two lines.\u2029\u2029 And\u2028another.")
    'A paragraph of two lines.\nAnd\nanother.'
    """
    # In bytes, as Python searches wide strings slowly.
    data = text.encode("utf-8", "surrogatepass").translate(_TO_SPACES).replace(LINE.encode(), BLOCK.encode())
    data = b"\n".join(filter(None, map(bytes.strip, data.split(BLOCK.encode()))))
    data = _SPACES.sub(b" ", data) if b"  " in data else data
    return data.decode("utf-8", "surrogatepass")
