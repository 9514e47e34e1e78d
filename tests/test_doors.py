"""Every option is written once: Python, the command line and the docs have the same options, defaults and values."""

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import get_args

import polars as pl

import termburst as tb
from termburst.cli.app import app
from termburst.cli.options import ARGUMENTS, PARSERS, made_of, parameters_of
from termburst.cli.reading import Reading
from termburst.counting.options import CountingOptions
from termburst.options import REQUIRED, options_of
from termburst.questions.burstiness_test import Burstiness
from termburst.questions.check import Check
from termburst.questions.coburst import Coburst
from termburst.questions.collocates import Collocates
from termburst.questions.dispersion import Dispersion
from termburst.questions.explain import Explain
from termburst.questions.explore import Explore
from termburst.questions.fits import Fits
from termburst.questions.keyness import Keyness
from termburst.questions.kwic import Kwic
from termburst.questions.ngrams import Ngrams
from termburst.questions.report import ComparisonPage, Report
from termburst.questions.sides import Sides
from termburst.questions.term_table import TermTable
from termburst.questions.triggers import Triggers
from termburst.questions.weights import Weigh
from termburst.reading.options import ReadingOptions

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "termburst"
DATA = {"source", "metadata", "tokenizer", "terms"}  # what `read` takes that is no option
OPTIONS = {**options_of(ReadingOptions), **options_of(CountingOptions)}
READ = inspect.signature(tb.read, eval_str=True).parameters

# Each function of a question with its options, and its parameters that are no options but data.
COMPARED = {"formula", "contrast", "cluster", "strata", "reference"}  # what a comparison is with, and by what
QUESTIONS = [
    (tb.burstiness_test, Burstiness, {"X_or_statistics", "terms"}),
    (tb.Corpus.burstiness, Burstiness, set()),
    (tb.keyness, Keyness, COMPARED | {"A", "B", "by", "contrasts", "metadata", "terms", "terms_b", "counting"}),
    (tb.Corpus.keyness, Keyness, {"other", "reference", *options_of(Sides)}),
    (tb.Corpus.keyness, Sides, {"other", "reference", *options_of(Keyness)}),
    (tb.Corpus.kwic, Kwic, set()),
    (tb.Corpus.collocates, Collocates, set()),
    (tb.Corpus.triggers, Triggers, {"fit"}),
    (tb.Corpus.coburst, Coburst, set()),
    (tb.coburst, Coburst, {"X", "terms"}),
    (tb.Corpus.check, Check, set()),
    (tb.Corpus.explain, Explain, set()),
    (tb.explain, Explain, {"statistics"}),
    (tb.Corpus.weights, Weigh, {"y"}),
    (tb.TermWeighting, Weigh, {"transductive", "sparse_output"}),
    (tb.term_table, TermTable, {"X_or_statistics"}),
    (tb.Corpus.term_table, TermTable, set()),
    (tb.Corpus.dispersion, Dispersion, set()),
    (tb.Corpus.fit_beta_binomial, Fits, set()),
    (tb.Corpus.ngrams, Ngrams, set()),
    (
        tb.report.summarize_keyness,
        ComparisonPage,
        {"table", "sides", "formula", "cluster", "strata", "title", "settings"},
    ),
    (tb.Corpus.report, Report, {"path", "step"}),
    (tb.report.summarize, Report, {"corpus", "step"}),
    (tb.Corpus.explore, Explore, set()),
]
COMMANDS = [("kwic", Kwic), ("collocates", Collocates), ("triggers", Triggers), ("check", Check), ("report", Report),
            ("explore", Explore), ("keyness", Keyness), ("explain", Explain), ("weigh", Weigh), ("terms", TermTable),
            ("terms", Burstiness), ("keyness", ComparisonPage),
            ("keyness", Sides)]  # fmt: skip
COMPARING = {"a", "b", "every", "reference", "top"}
WRITING = {
    "corpus",
    "format",
    "output",
    "csv_as_is",
    "excel",
    "json",
    "in_browser",
}  # of a command: what it reads and writes
PAGES = [
    ("corpus.md", ReadingOptions), ("corpus.md", CountingOptions), ("concordance.md", Kwic),
    ("concordance.md", Collocates), ("concordance.md", Triggers), ("keyness-study.md", Check), ("report.md", Report),
    ("report.md", Explore), ("burstiness.md", Coburst),
]  # fmt: skip
LOOSER = {(tb.TermWeighting, "norm"), (tb.explain, "term"), (tb.explain, "penalty")}  # a matrix has numbers for names
FOR_MODELS = {(tb.TermWeighting, "norm"): "l2"}  # the weights of a question are as in the formula


def test_read_has_all_options_and_no_others():
    assert set(READ) == set(OPTIONS) | DATA


def test_an_argument_of_read_is_an_option_with_its_default_and_type():
    for name, option in OPTIONS.items():
        argument = READ[name]
        assert argument.default == option.default, name
        assert argument.kind is inspect.Parameter.KEYWORD_ONLY
        if name == "id":  # for lists, it is the ids themselves
            assert set(get_args(option.type)) < set(get_args(argument.annotation))
        else:
            assert argument.annotation == option.type, name


def test_scan_has_the_options_of_read():
    scan = inspect.signature(tb.scan, eval_str=True).parameters
    assert set(READ) - set(scan) == {"terms"}  # of counts in memory
    assert set(scan) <= set(READ)
    assert all(scan[name].default == READ[name].default for name in scan)
    assert {name for name in scan if scan[name].annotation != READ[name].annotation} == {"id"}  # never a list of ids


def commands():
    """The parameters of every command that reads text."""
    groups = [app, *(group.typer_instance for group in app.registered_groups)]
    every = [one for group in groups for one in group.registered_commands]
    found = {one.callback.__name__: inspect.signature(one.callback).parameters for one in every}
    return {name: parameters for name, parameters in found.items() if "encoding" in parameters}


def test_a_command_has_the_same_options_as_python():
    every = [(parameters, name, option) for parameters in commands().values() for name, option in OPTIONS.items()]
    for parameters, name, option in every:
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


def test_docs_have_the_table_of_options(monkeypatch):
    """The page says where the table goes, and the site has it there."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    generated = import_module("generated")
    for page, options in PAGES:
        text, table = (ROOT / "docs" / page).read_text(encoding="utf-8"), generated.option_table(options)
        assert table not in text
        assert table in generated.filled(text), options
    rows = generated.option_table(Kwic).splitlines()
    assert rows[0] == "| option | value | default | meaning |"
    assert rows[2].startswith("| `query` | a string | required | A word, ")
    assert '| `show` | one of `"form"`, `"lemma"`, `"upos"`, `"lemma_upos"` | | Layer of ' in rows[4]


def test_a_function_has_the_options_of_its_question_with_their_defaults_and_types():
    for function, question, data in QUESTIONS:
        parameters = dict(inspect.signature(function).parameters)
        parameters.pop("self", None)
        options = options_of(question)
        assert [name for name in parameters if name not in data] == list(options)
        assert data <= set(parameters)
        known = vars(inspect.getmodule(function))
        for name, option in options.items():
            default = inspect.Parameter.empty if option.default is REQUIRED else option.default
            assert parameters[name].default == FOR_MODELS.get((function, name), default), name
            assert parameters[name].kind is not inspect.Parameter.VAR_KEYWORD
            if (function, name) not in LOOSER:
                found = eval(parameters[name].annotation, known)
                assert (found.__origin__ if hasattr(found, "__metadata__") else found) == option.type, name


def test_a_command_has_the_options_of_its_question():
    for command, question in COMMANDS:
        parameters, options = commands()[command], options_of(question)
        read = {parameter.name for parameter in parameters_of(Reading)}
        together = {name for other, kind in COMMANDS if other == command for name in options_of(kind)}
        more = {"keyness": COMPARING | {"report"}, "terms": {"top", "test"}}.get(command, set())
        assert set(parameters) - read - WRITING - more == (together - read) - more
        for name, option in options.items():
            kind, about = get_args(parameters[name].annotation)
            if name in read:  # the layer, which reading and searching share
                assert name == "layer"
                continue
            default = inspect.Parameter.empty if option.default is REQUIRED else option.default
            assert parameters[name].default == default, name
            if not any(
                get_args(member) and member is not str and ("Sequence" in str(member) or "Iterable" in str(member))
                for member in option.members
            ):
                assert kind == option.type, name
            assert (about.help, about.min, about.max) == (option.option.help, option.option.least, option.option.most)
            if option.default is not REQUIRED and name not in ARGUMENTS:
                assert str(about.default).partition("/")[0] == f"--{name.replace('_', '-')}"


def test_without_options_a_command_asks_the_same_as_python():
    for _, question in COMMANDS:
        given = {one.name: one.default for one in parameters_of(question) if one.default is not inspect.Parameter.empty}
        words = {name: "so" for name, option in options_of(question).items() if option.default is REQUIRED}
        assert made_of(question, {**given, **words}) == question(**words)


def test_no_question_has_options_without_names():
    own = [one for name, one in inspect.getmembers(tb.Corpus, inspect.isfunction) if not name.startswith("_")]
    for function in (*own, tb.coburst, tb.explain, tb.report.summarize, tb.TermWeighting):
        kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds, function


def test_the_live_page_sorts_lines_as_kwic_does():
    page = (SOURCE / "report" / "templates" / "page.html").read_text(encoding="utf-8")
    orders = re.findall(r'<option value="(\w+)"', page.partition('id="lines-sort"')[2].partition("</select>")[0])
    assert len(orders) == 5
    for order in orders:
        assert Kwic("so", sort=order).answer(["so it"], pl.DataFrame({"id": ["a"]})).height == 1


def test_the_classes_of_questions_import_nothing_heavy():
    names = sorted({question.__module__ for _, question, _ in QUESTIONS})
    code = f"import {', '.join(names)}, sys; print(*{{'numpy', 'scipy', 'polars', 'sklearn'}} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True)
    assert ran.stdout.strip() == ""


def strings_of(path):
    """The strings in a file of the package, without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {
        id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, documented) and ast.get_docstring(node)
    }
    found = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]
    return [text for text in found if isinstance(text, str)]


def test_only_the_command_line_names_options_with_dashes():
    paths = [path for path in SOURCE.rglob("*.py") if "cli" not in path.relative_to(SOURCE).parts]
    named = {path.name: text for path in paths for text in strings_of(path) if re.search(r"(?<![\w-])--[a-z]", text)}
    assert len(paths) > 100
    assert named == {}
