"""Links between the files of the project are valid; `make docs` checks those of the built site."""

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.anchors import anchors_plugin

ROOT = Path(__file__).parents[1]
FILES = [
    ROOT / name
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "ROADMAP.md", "CODE_OF_CONDUCT.md")
] + sorted(ROOT.glob("docs/*.md"))


@cache
def links_and_anchors(path: Path) -> tuple[tuple[str, ...], frozenset[str]]:
    """The links of a Markdown file, and its headings as anchors of GitHub and MyST."""
    parser = MarkdownIt("commonmark").enable("table").use(anchors_plugin, max_level=6)
    tokens = parser.parse(path.read_text(encoding="utf-8"))
    inside = [child for token in tokens for child in token.children or ()]
    links = (child.attrGet("href") or child.attrGet("src") for child in inside)
    return tuple(str(link) for link in links if link), frozenset(str(token.attrGet("id")) for token in tokens)


def faults(path: Path) -> Iterator[str]:
    for link in links_and_anchors(path)[0]:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = path.parent / unquote(parts.path) if parts.path else path
        if not target.exists():
            yield f"{path.name}: {link} leads to no file"
        elif parts.fragment and unquote(parts.fragment) not in links_and_anchors(target)[1]:
            yield f"{path.name}: {link} leads to no heading"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_link_is_valid(path):
    assert list(faults(path)) == []


def test_a_broken_link_is_found(tmp_path):
    (tmp_path / "there.md").write_text("# There it is\n\n## C’est λ, *isn't* it?\n", encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n[a](there.md) [b](there.md#there-it-is) [c](#page) [d](https://example.org/none) "
        "[e](there.md#cest-λ-isnt-it) `[f](code.md)`\n\n| |\n|---|\n| [g](gone.md) |\n\n[h](there.md#not) [i](#not)\n",
        encoding="utf-8",
    )
    assert list(faults(page)) == [
        "page.md: gone.md leads to no file",
        "page.md: there.md#not leads to no heading",
        "page.md: #not leads to no heading",
    ]


def test_a_fault_in_a_built_site_is_found(tmp_path):
    command = [sys.executable, str(ROOT / ".ci" / "check_site.py"), str(tmp_path)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1  # no page at all
    (tmp_path / "b.html").write_text('<p id="here">')
    good = '<a href="b.html#here"></a><a href="#"></a><a href="https://example.org/"></a>'
    (tmp_path / "a.html").write_text(good)
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    bad = '<a href="c.html"></a><a href="b.html#there"></a><script src="https://example.org/x.js"></script>'
    (tmp_path / "a.html").write_text(good + bad)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "a.html: c.html leads to no file",
        "a.html: b.html#there leads to no anchor",
        "a.html: https://example.org/x.js is fetched from elsewhere",
    ]


def test_every_page_is_in_the_table_of_contents():
    contents = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").splitlines()
    pages = {path.stem for path in ROOT.glob("docs/*.md")} - {"index"}
    assert pages - set(contents) == set()
