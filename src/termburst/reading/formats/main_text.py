"""The main text of a web page: menus, footers and their like are taken out of the tree, and named.

Libraries for this, such as trafilatura, drop short paragraphs that repeat. Repetition within a document is what this
package measures. So here whole elements go, by what the page calls them, and never because of the words in them.
"""

from __future__ import annotations

import re
from typing import Any

from termburst.reading.formats.safe_xml import replace_by_text

_BESIDE = ("nav", "aside", "form", "button", "dialog", "menu", "header", "footer")
_ROLES = ("navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar", "dialog", "alert")
# fmt: off
_NAMES = frozenset((  # of classes and ids, on pages that have no elements for this
    "nav", "navbar", "navigation", "menu", "mainmenu", "topmenu", "sidebar", "footer", "pagefooter", "breadcrumb",
    "breadcrumbs", "cookie", "cookies", "cookie-banner", "cookie-notice", "share", "sharing", "social", "social-media",
    "skip-link", "skiplink", "pagination", "pager", "advert", "advertisement", "ads", "newsletter", "related",
    "masthead",
))
# fmt: on
_HOLDERS = ("div", "ul", "ol", "section", "table", "p", "td", "span")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def keep_main_text(root: Any) -> tuple[Any, list[str]]:
    """The element that holds the main text, and the names of what was taken out; the tree is changed.

    An element that holds more than half of the text stays, whatever it is called. ``<main>``, or the only
    ``<article>``, is the main text if it holds more than half of what is left.

    Examples
    --------
    >>> from termburst.reading.formats.web_page import html_tree, visible_text
    >>> page = html_tree("<nav>Home</nav><p>“No!”</p><p>“No!”</p><footer>Imprint</footer>")
    >>> main, removed = keep_main_text(page)
    >>> visible_text(main), removed
    ('“No!”\\n“No!”', ['<nav>', '<footer>'])
    """
    removed: list[str] = []
    everything = letters(root)
    for node in list(root.iter("*")):
        name = _beside_the_text(node)
        if name and node.getparent() is not None and node.tag not in ("html", "body"):
            size = letters(node)
            if 2 * size <= everything:
                replace_by_text(node, " ")
                everything -= size
                if size and name not in removed:
                    removed.append(name)
    for name in ("main", "article"):
        found = list(root.iter(name)) or [node for node in root.iter("*") if node.get("role") == name]
        if len(found) == 1 and 2 * (size := letters(found[0])) > everything:
            if size < everything:
                removed.append(f"what is outside of <{name}>")
            return found[0], removed
    return root, removed


def letters(node: Any) -> int:
    """How many characters of the text are not white space."""
    return sum(len(part) for text in node.itertext() for part in text.split())


def _beside_the_text(node: Any) -> str:
    """What an element is called that is not main text; "" for all others."""
    tag = str(node.tag)
    if node.get("hidden") is not None or node.get("aria-hidden") == "true" or _HIDDEN.search(node.get("style") or ""):
        return "hidden elements"
    if tag in ("header", "footer"):  # of an article or a quotation they are part of the text
        above = {str(each.tag) for each in node.iterancestors()}
        is_text = bool(above & {"article", "main", "blockquote", "figure"})
        return "" if is_text or (tag == "header" and next(node.iter("h1"), None) is not None) else f"<{tag}>"
    if tag in _BESIDE:
        return f"<{tag}>"
    if node.get("role") in _ROLES:
        return f"role={node.get('role')}"
    if tag in _HOLDERS:
        names = f"{node.get('class') or ''} {node.get('id') or ''}".lower().split()
        return next((f"class or id “{name}”" for name in names if name in _NAMES), "")
    return ""
