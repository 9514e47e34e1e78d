"""Check that every link within a built site leads to a file, and to an anchor in it: python .ci/check_site.py FOLDER.

Sphinx warns only about links that it resolves itself. This script checks all links of the built pages, also those to
menus, indices, scripts and styles. Links to other sites are not checked (`make linkcheck` does that), but a page must
not load anything from there, such as a font or a script.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LEADS = {"a": "href", "link": "href", "img": "src", "script": "src", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """The anchors of a page, and what it links to, as (tag, address)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if anchor := given.get("id"):
            self.anchors.add(anchor)
        if address := given.get(LEADS.get(tag, "")):
            self.links.append((tag, address))


def faults(folder: Path) -> list[str]:
    """A sentence for every link in the pages of *folder* that leads nowhere."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    if not pages:
        return [f"{folder}: there are no pages"]
    found = []
    for path, page in pages.items():
        for tag, address in page.links:
            parts = urlsplit(address)
            where = f"{path.relative_to(folder.resolve())}: {address}"
            if parts.scheme or parts.netloc:
                if tag != "a" and parts.scheme != "data":
                    found.append(f"{where} is fetched from elsewhere")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                found.append(f"{where} leads to no file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{where} leads to no anchor")
    return found


if __name__ == "__main__":
    wrong = faults(Path(sys.argv[1]))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(f"{len(wrong)} links lead nowhere" if wrong else 0)
