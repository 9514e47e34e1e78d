"""One page of the site per public object. reference.md lists them; on the site its directives become links to them.

The pages are written to docs/api, which is not in the repository, each time the site is built.
"""

import inspect
import re
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

_ENTRY = re.compile(r"^\.\. auto(function|class|exception|module):: (\S+)\n((?:   .*\n)*)", flags=re.MULTILINE)
_DIRECTIVE = """# {short}

```{{eval-rst}}
.. currentmodule:: {home}
.. auto{kind}:: {short}
{options}```
"""


def write_pages(app: Any, config: Any) -> None:
    """Write a page for each object that reference.md lists, and for each public object of the modules there."""
    folder = Path(app.srcdir, "api")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for kind, name, options in _ENTRY.findall(Path(app.srcdir, "reference.md").read_text(encoding="utf-8")):
        for made, home, short in _objects(kind, name):
            text = _DIRECTIVE.format(short=short, home=home, kind=made, options=_options(made, options))
            (folder / f"{home}.{short}.md").write_text(text, encoding="utf-8")


def link_pages(app: Any, docname: str, source: list[str]) -> None:
    """On the site, the entries of reference.md are links with the first sentence of each docstring."""
    if docname != "reference":
        return
    pages: list[str] = []

    def listed(entry: re.Match[str]) -> str:
        kind, name, _ = entry.groups()
        lines = []
        for _, home, short in _objects(kind, name):
            pages.append(f"api/{home}.{short}")
            first = inspect.getdoc(getattr(import_module(home), short)) or ""
            lines.append(f"* :doc:`{short} <{pages[-1]}>`: {' '.join(first.partition(chr(10) * 2)[0].split())}\n")
        return "\n".join(["", *lines, ""])

    text = _ENTRY.sub(listed, source[0])
    source[0] = "\n".join([text, "```{toctree}", ":hidden:", "", *pages, "```", ""])


def _objects(kind: str, name: str) -> list[tuple[str, str, str]]:
    """Kind of directive, module and name of an entry; of a module those of its public functions and classes."""
    if kind != "module":
        return [(kind, "termburst", name)]
    module = import_module(name)
    values = {short: getattr(module, short) for short in module.__all__}
    kinds = {short: _kind(value) for short, value in values.items()}
    return [(made, name, short) for short, made in kinds.items() if made]


def _kind(value: Any) -> str:
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if inspect.isfunction(value) else ""


def _options(kind: str, given: str) -> str:
    return "" if kind == "function" else given
