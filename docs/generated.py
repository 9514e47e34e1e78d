"""What the site takes from the source code and from `benchmarks/output/` while it is built.

A page says where it goes: ``<!-- options: questions.kwic.Kwic -->`` becomes the table of the options of that class, and
``<!-- output: errata.md -->`` the file of that name, without its first heading and one level down.
"""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from termburst.options import REQUIRED, options_of

OUTPUT = Path(__file__).parents[1] / "benchmarks" / "output"
PLACE = re.compile(r"^<!-- (options|output): (\S+) -->$", flags=re.MULTILINE)


def filled(text: str) -> str:
    """The text of a page with all its tables and files; a link to such a file becomes its words."""
    text = re.sub(r"\[([^\]]*)\]\(\.\./benchmarks/output/[\w.]+\)", r"\1", text)
    return PLACE.sub(lambda found: {"options": _options, "output": _output}[found[1]](found[2]), text)


def _options(name: str) -> str:
    module, _, kind = name.rpartition(".")
    return option_table(getattr(import_module(f"termburst.{module}"), kind))


def option_table(kind: type) -> str:
    """A table in Markdown of the options of a class."""
    rows = ["| option | value | default | meaning |", "|---|---|---|---|"]
    for one in options_of(kind).values():
        value = one.in_words(lambda name: f'`"{name}"`') or one.option.metavar or ""
        shown = f'"{one.default}"' if isinstance(one.default, str) else repr(one.default)
        default = "required" if one.default is REQUIRED else "" if one.default is None else f"`{shown}`"
        cells = [f"`{one.name}`", value, default, one.option.help]
        rows.append("".join(f"| {cell} ".replace("  ", " ") for cell in (c.replace("|", "\\|") for c in cells)) + "|")
    return "\n".join(rows)


def _output(name: str) -> str:
    text = (OUTPUT / name).read_text(encoding="utf-8")
    return re.sub(r"\A# .*\n+", "", text).replace("\n## ", "\n### ").strip()


def fill(app: Any, docname: str, source: list[str]) -> None:
    """Fill a page that Sphinx has read."""
    source[0] = filled(source[0])
