"""The front of the house: the README is short, and no page has a figure that no benchmark printed."""

import re
from pathlib import Path

import termburst as tb
from termburst.cli import command

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PEERS = (ROOT / "benchmarks" / "output" / "peers.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
COMING_FROM = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")


def test_the_readme_and_the_docs_are_short():
    assert len(README.split()) <= 750
    assert len(list(ROOT.glob("docs/*.md"))) <= 24
    assert sum(len(path.read_text(encoding="utf-8").split()) for path in ROOT.glob("docs/*.md")) <= 38_000


def test_the_rows_of_the_readme_are_rows_of_the_table_of_peers():
    rows = [line for line in README.splitlines() if line.startswith("| ")]
    assert len(rows) == 7  # the header, a rule, and five
    assert set(rows) <= set(PEERS.splitlines())


def test_pages_agree_with_the_table_of_peers_on_how_fast_termburst_is():
    """A page that says how many times as fast termburst is as a peer says what benchmarks/peers.py last printed."""
    for path in PAGES:
        said = re.findall(r"([\d,.]+) times as fast", path.read_text(encoding="utf-8"))
        assert [number for number in said if f"{number} times as fast" not in PEERS] == [], path.name


def test_benchmarks_that_are_named_exist():
    """A reader can run what a figure was measured with."""
    for path in (ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *PAGES):
        named = set(re.findall(r"benchmarks/\w+\.py", path.read_text(encoding="utf-8")))
        assert [name for name in sorted(named) if not (ROOT / name).exists()] == [], path.name


def test_files_that_contributing_names_exist():
    """Its recipes say where new code goes; names such as `a/b.py` stand for any file."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(text.encode()) <= 8_000
    named = set(re.findall(r"`([\w/]+/(?:\w+\.(?:py|c|h|js|toml))?)`", text))
    assert len(named) > 40
    gone = {name for name in named if not any((place / name).exists() for place in (ROOT, ROOT / "src/termburst"))}
    assert {name for name in gone if not re.search(r"\b(its_name|(?:test_)?[abx])\.\w+$|^tests/a/$", name)} == set()


def test_habits_of_other_tools_have_commands_that_exist():
    commands = command().commands
    found = re.findall(r"`termburst (\w+)([^`]*)`", COMING_FROM)
    assert len(found) > 10
    for name, rest in found:
        options = {option for parameter in commands[name].params for option in parameter.opts}
        assert set(re.findall(r"--[\w-]+", rest)) <= options, (name, rest)


def test_habits_of_other_tools_have_methods_that_exist():
    names = re.findall(r"`corpus\.(\w+)", COMING_FROM) + re.findall(r"`corpus = tb\.(\w+)", COMING_FROM)
    assert len(names) > 10
    assert [name for name in names if not (hasattr(tb.Corpus, name) or hasattr(tb, name))] == []
    assert [name for name in re.findall(r"tb\.(\w+)", COMING_FROM) if name not in tb.__all__] == []
