"""Every option is written once: Python, the command line and the docs have the same options, defaults and values."""

import ast
import inspect
import re
from pathlib import Path
from typing import get_args

import pytest

import termburst as tb
from termburst.cli.app import app
from termburst.cli.options import PARSERS, made_of, parameters_of
from termburst.cli.reading import Reading
from termburst.counting.options import CountingOptions
from termburst.options import option_table, options_of
from termburst.reading.options import ReadingOptions

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "termburst"
DATA = {"source", "metadata", "tokenizer", "terms"}  # what `read` takes that is no option
OPTIONS = {**options_of(ReadingOptions), **options_of(CountingOptions)}
READ = inspect.signature(tb.read, eval_str=True).parameters


def test_read_has_all_options_and_no_others():
    assert set(READ) == set(OPTIONS) | DATA


@pytest.mark.parametrize(("name", "option"), OPTIONS.items())
def test_an_argument_of_read_is_an_option_with_its_default_and_type(name, option):
    argument = READ[name]
    assert argument.default == option.default
    assert argument.kind is inspect.Parameter.KEYWORD_ONLY
    if name == "id":  # for lists, it is the ids themselves
        assert set(get_args(option.type)) < set(get_args(argument.annotation))
    else:
        assert argument.annotation == option.type


def test_scan_has_the_options_of_read():
    scan = inspect.signature(tb.scan, eval_str=True).parameters
    assert set(READ) - set(scan) == {"metadata", "terms"}  # of texts and counts in memory
    assert set(scan) <= set(READ)
    assert all(scan[name].default == READ[name].default for name in scan)
    assert {name for name in scan if scan[name].annotation != READ[name].annotation} == {"id"}  # never a list of ids


def commands():
    """The parameters of every command that reads text."""
    groups = [app, *(group.typer_instance for group in app.registered_groups)]
    every = [one for group in groups for one in group.registered_commands]
    found = {one.callback.__name__: inspect.signature(one.callback).parameters for one in every}
    return {name: parameters for name, parameters in found.items() if "encoding" in parameters}


@pytest.mark.parametrize(("command", "parameters"), commands().items())
def test_a_command_has_the_same_options_as_python(command, parameters):
    for name, option in OPTIONS.items():
        kind, about = get_args(parameters[name].annotation)
        if name in PARSERS:  # written in a way of its own
            default = parameters[name].default
            assert kind == str | None
            assert (None if default is None else PARSERS[name](default)) == option.default
        else:
            assert kind == option.type, name
            assert parameters[name].default == option.default, name
        assert str(about.default).partition("/")[0] == f"--{name.replace('_', '-')}"
        assert (about.help, about.min, about.max) == (option.option.help, option.option.least, option.option.most)


def test_without_options_a_command_reads_and_counts_as_python():
    given = {parameter.name: parameter.default for parameter in parameters_of(Reading)}
    assert made_of(Reading, given) == Reading(given=given)


def test_commands_that_read_text():
    assert len(commands()) >= 12


@pytest.mark.parametrize(("page", "options"), [("reading.md", ReadingOptions), ("counting.md", CountingOptions)])
def test_docs_have_the_table_of_options(page, options):
    assert option_table(options) in (ROOT / "docs" / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [p for p in SOURCE.rglob("*.py") if "cli" not in p.parts], ids=lambda p: p.stem)
def test_only_the_command_line_names_options_with_dashes(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {
        id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, documented) and ast.get_docstring(node)
    }
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]
    assert not [text for text in strings if isinstance(text, str) and re.search(r"(?<![\w-])--[a-z]", text)]
