"""Settings of Sphinx. The pages are plain Markdown, also for GitHub; `make docs` builds and checks the site."""

import importlib.metadata
import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref

import termburst

sys.path.append(str(Path(__file__).parent))
from api_pages import link_pages, write_pages
from generated import fill

project = "termburst"
author = "The termburst developers"
copyright = "the termburst developers"
release = version = importlib.metadata.version("termburst")

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx_copybutton"]
exclude_patterns = ["_build"]
nitpicky = True  # a broken reference is a warning, and `make docs` treats warnings as errors
highlight_language = "text"  # of blocks without a language: formulas

myst_heading_anchors = 3  # page.md#a-heading, as on GitHub

# Formulas are plain Unicode, in docstrings and pages, so nothing must be downloaded to show them.
autodoc_typehints = "none"  # docstrings say in words what a parameter may be
autodoc_member_order = "bysource"
default_role = "py:obj"
numpydoc_show_class_members = False  # autodoc lists them
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"termburst {release}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["termburst.css"]
html_search_scorer = str(Path(__file__).with_name("search_scorer.js"))
html_show_sphinx = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def public_name_or_word(app: Any, env: Any, node: Any, word: Any) -> Any:
    """The meaning of single backquotes in a docstring: a link if it is a public name, otherwise the word."""
    if node.get("reftype") != "obj" or node.get("refdomain") != "py":
        return None
    target = f"termburst.{node['reftarget']}"
    found = env.get_domain("py").resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, word)
    return found or word


def bars_are_bars(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Keep |x| in a docstring as an absolute value; reStructuredText would look for a substitution called x."""
    for k, line in enumerate(lines):
        if "`" not in line and not line.lstrip().startswith((">>>", "...")):
            lines[k] = re.sub(r"(?<!\\)\|([^\s|](?:[^|]*[^\s|\\])?)\|", r"\|\1\|", line)


def pages_from_the_top(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Let :doc:`keyness` in a docstring mean that page of docs/, wherever the docstring is shown."""
    for k, line in enumerate(lines):
        lines[k] = re.sub(r":doc:`([^`<]*<)?([\w-]+>?`)", r":doc:`\1/\2", line)


def leave_out(app: Any, what: str, name: str, value: Any, skip: bool, options: Any) -> bool | None:
    """Leave out the set_…_request methods that scikit-learn adds to each estimator, and parameters that are types."""
    return True if re.fullmatch(r"set_\w+_request|dtype", name) else None


def without_empty_end(app: Any, doctree: Any) -> None:
    """Drop the empty last line of an example in Markdown. Doctest needs it; otherwise the fence would be output."""
    for block in doctree.findall(nodes.literal_block):
        block.rawsource = block.astext().rstrip("\n")
        block[:] = [nodes.Text(block.rawsource)]


def link_public_names(app: Any, doctree: Any) -> None:
    """Make `tb.keyness`, `ledgers.add` and `TermStatistics` in a page links to the reference.

    Not linked: a plain word such as `keyness`, which may be a command, and `CountVectorizer`, which is scikit-learn's.
    """
    for code in list(doctree.findall(nodes.literal)):
        name = code.astext().removesuffix("()").removeprefix("tb.")
        plain = name == code.astext() and ((name.isalpha() and name.islower()) or name == "CountVectorizer")
        known = name in termburst.__all__ or name.startswith(("ledgers.", "plot.", "retrieval.", "datasets."))
        if known and not plain and not isinstance(code.parent, (nodes.reference, nodes.title, pending_xref)):
            where = {"reftarget": f"termburst.{name}", "refdoc": app.env.docname}
            link = pending_xref("", refdomain="py", reftype="obj", **where)
            code.replace_self(link)
            link += code


def setup(app: Any) -> None:
    """Connect the functions above to events of Sphinx."""
    app.connect("config-inited", write_pages)
    app.connect("source-read", link_pages)
    app.connect("source-read", fill)
    app.connect("missing-reference", public_name_or_word)
    app.connect("autodoc-process-docstring", bars_are_bars)
    app.connect("autodoc-process-docstring", pages_from_the_top)
    app.connect("autodoc-skip-member", leave_out)
    app.connect("doctree-read", without_empty_end)
    app.connect("doctree-read", link_public_names)
