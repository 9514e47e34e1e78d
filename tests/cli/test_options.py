"""Options of the command line are made from classes of options."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

import pytest
import typer
from typer.testing import CliRunner

from termburst.cli.options import takes_options, with_dashes
from termburst.messages import named
from termburst.options import Option, check_options


@dataclass(frozen=True)
class Words:
    """Options with values that are written in a way of their own."""

    ngrams: Annotated[int | tuple[int, int], Option("Tokens of a term.")] = (1, 1)
    lowercase: Annotated[bool, Option("Lower case.")] = True
    over: Annotated[bool | None, Option("Over stop words.")] = None


@dataclass(frozen=True)
class Rows:
    """Options of the usual types."""

    term: Annotated[str, Option("The term.")]
    sort: Annotated[Literal["p", "term"] | None, Option("Order.", panel="Rows")] = None
    min_count: Annotated[int, Option("Least.", least=1, most=9)] = 1
    confidence: Annotated[float, Option("Level.", above=0, below=1)] = 0.95
    columns: Annotated[Literal["few", "all"] | list[str], Option("Which.")] = "few"
    groups: Annotated[tuple[str, ...] | None, Option("Which.")] = None
    strict: Annotated[bool, Option("Stop.")] = False

    def __post_init__(self):
        check_options(self)


@dataclass(frozen=True)
class Both:
    """Two classes together."""

    rows: Rows
    words: Words = field(default_factory=Words)


def run(*arguments, kind=Both):
    app, seen = typer.Typer(), []

    def command(corpus: str, asked: kind, top: Annotated[int, typer.Option("--top")] = 5):
        seen.append((corpus, asked, top))

    command.__annotations__["asked"] = kind
    app.command()(takes_options(command))
    result = CliRunner().invoke(app, list(arguments))
    return result, seen


def test_a_command_receives_objects():
    result, seen = run("texts", "whale", "--top", "3", "--sort", "p", "--min-count", "2", "--no-lowercase", "--over")
    assert result.exit_code == 0, result.output
    assert seen == [("texts", Both(Rows("whale", "p", 2), Words(lowercase=False, over=True)), 3)]


def test_defaults_are_those_of_the_classes():
    _, seen = run("texts", "whale")
    assert seen == [("texts", Both(Rows("whale")), 5)]


def test_values_are_parsed_by_their_type():
    for written, name, value in [
        (["--columns", "all"], "columns", "all"),
        (["--columns", "few"], "columns", "few"),
        (["--columns", "p,term", "--columns", "n"], "columns", ("p", "term", "n")),
        (["--groups", 'a,"b, c"'], "groups", ("a", "b, c")),
        (["--columns", "p"], "columns", ("p",)),
        (["--strict"], "strict", True),
    ]:
        result, seen = run("texts", "whale", *written)
        assert result.exit_code == 0, result.output
        assert getattr(seen[0][1].rows, name) == value


def test_ngrams_are_parsed_by_their_name():
    assert run("texts", "whale", "--ngrams", "1,2")[1][0][1].words.ngrams == (1, 2)


def test_wrong_values_are_refused_by_typer_or_by_the_class():
    assert run("texts", "whale", "--sort", "q")[0].exit_code == 2
    assert run("texts", "whale", "--min-count", "10")[0].exit_code == 2
    refused = run("texts", "whale", "--confidence", "1")[0]
    assert with_dashes(refused.exception) == "--confidence must be a number between 0 and 1; got 1.0"


def test_help_has_panels_limits_and_defaults():
    shown = run("--help")[0].output
    assert "Rows" in shown
    assert "1<=x<=9" in shown
    assert "--lowercase" in shown
    assert "--no-strict" not in shown
    assert "TERM" in shown


def test_a_type_that_cannot_be_written_is_an_error_of_the_programmer():
    @dataclass(frozen=True)
    class Odd:
        odd: Annotated[dict | None, Option("?")] = None

    with pytest.raises(TypeError, match="the option odd is written"):
        run("texts", kind=Odd)


def test_options_in_messages():
    for named_option, spelling in [
        (named("max_document_mb"), "--max-document-mb"),
        (named("sort", bare=True), "--sort"),
        (named("lowercase", True), "--lowercase"),
        (named("lowercase", False), "--no-lowercase"),
        (named("layer", "form"), "--layer form"),
        (named("split", 1000, python="corpus.split(tokens=1000)"), "--split 1000"),
        (named("ngrams", (1, 2)), "--ngrams 1,2"),
    ]:
        assert with_dashes("give " + named_option) == f"give {spelling}"
