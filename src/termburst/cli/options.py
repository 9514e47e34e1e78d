"""Options of the command line, made from the fields of option classes (`termburst.options`), and how they are written.

An option that a message names gets its dashes here.
"""

from __future__ import annotations

import csv
import functools
import inspect
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from termburst.cli.output import NOTHING, Format, Title, settled_format, write_table
from termburst.messages import Absent, Named, spelled
from termburst.options import REQUIRED, Option, OptionField, options_of

if TYPE_CHECKING:
    import polars as pl

CORPUS_HELP = (
    "A folder, a file, an archive, or a glob in quotes. A text file is one document (--lines: each line is one). So is "
    "a Word, PDF, HTML or TEI file, or a row of a CSV, JSONL, Parquet or Excel table. - is standard input, where each "
    "line is one. Or a data set: inaugural, 20newsgroups, r8, stdlib."
)
CorpusName = Annotated[str, Option(CORPUS_HELP, metavar="CORPUS")]
CorpusOrStatistics = Annotated[str, Option(f"{CORPUS_HELP} Or saved statistics.", metavar="CORPUS")]
Top = Annotated[int | None, Option("How many terms; 0 for all. (default: 30 in a table, or all)", least=0)]
MinCount = Annotated[int, Option("Leave out terms that occur fewer times.", least=1)]
Output = Annotated[Path | None, Option("Write to this file. It is replaced only when all is written.")]


@dataclass(frozen=True)
class Csv:
    """How CSV is written, as given on the command line."""

    csv_as_is: Annotated[bool, Option("In CSV, add no apostrophe before text that a spreadsheet would run.")] = False
    excel: Annotated[bool, Option("In CSV, add a byte order mark, so that Excel shows all letters correctly.")] = False


@dataclass(frozen=True)
class Table(Csv):
    """How the table of a command is written, as given on the command line."""

    format: Annotated[Format | None, Option("(default: by the ending of --output, or table)")] = None
    output: Output = None

    def settled(self, *sources: str) -> Table:
        """The same with its format, before any work is done; ValueError for what cannot be written.

        The output must not be one of the *sources*.
        """
        return replace(self, format=settled_format(self, *sources))

    @property
    def is_shown(self) -> bool:
        """Whether people read it in a terminal or a text file."""
        return self.format == "table"

    @property
    def is_on_terminal(self) -> bool:
        """Whether people read it in a terminal."""
        return self.is_shown and self.output is None and sys.stdout.isatty()

    def write(self, frame: pl.DataFrame, title: Title = "", *, top: int | None = 0, nothing: str = NOTHING) -> None:
        """Write the first rows, as many as --top says: without it, 30 if people read them."""
        if top is None:
            top = 30 if self.is_shown else 0
        first = frame.head(min(top, frame.height)) if top else frame  # Polars takes no number of more than 64 bits
        write_table(first, self, title, nothing=nothing)


def dashed(name: str) -> str:
    """The name of an option with dashes.

    >>> dashed("name_pattern")
    '--name-pattern'
    """
    return f"--{name.replace('_', '-')}"


def written(name: str, value: Any) -> str:
    """The value of an option as it is written on the command line.

    >>> written("ngrams", (1, 2)), written("ngrams", (2, 2)), written("ngrams", 1), written("text", "two words")
    ('1,2', '2', '1', "'two words'")
    """
    if isinstance(value, (tuple, list)):
        values = dict.fromkeys(value) if name == "ngrams" else value  # (2, 2) is written 2
        return ",".join(map(str, values))
    return shlex.quote(str(value))


def in_dashes(option: Named) -> str:
    """An option that a message names, as it is written on the command line.

    >>> print(in_dashes(Named("text")), in_dashes(Named("layer", "form")), in_dashes(Named("lowercase", False)))
    --text --layer form --no-lowercase
    """
    if option.value is Absent or option.value is True:
        return dashed(option.name)
    if option.value is False:
        return f"--no-{dashed(option.name)[2:]}"
    return f"{dashed(option.name)} {written(option.name, option.value)}"


def with_dashes(message: object) -> str:
    """A message, or that of an error, with the options as the command line spells them.

    >>> from termburst.messages import named
    >>> with_dashes(ValueError("choose one with " + named("text")))
    'choose one with --text'
    """
    return spelled(str(message), in_dashes)


def parsed_split(value: str) -> int | str:
    """The number of tokens of a piece, or a pattern."""
    if not value.isdecimal():
        return value
    if len(value) > 9 or int(value) < 1:
        raise ValueError(f"--split must be 1 to 999,999,999 tokens, or a pattern; got {value:.60}")
    return int(value)


def parsed_ngrams(value: str) -> tuple[int, int]:
    """The smallest and the largest number of tokens of a term."""
    try:
        numbers = [int(part) for part in value.replace("-", ",").split(",")]
        first, last = numbers if len(numbers) == 2 else numbers * 2
    except ValueError as error:
        raise ValueError(f"--ngrams must be a number, or two such as 1,2; got {value!r:.60}") from error
    return first, last


def parsed_list(values: Sequence[str] | None) -> list[str]:
    """The names that an option lists, each once: with commas between them, or one option for each; or both.

    A name with a comma stands in quotes.

    Examples
    --------
    >>> parsed_list(["year, party", "year", '"Washington, D.C."']), parsed_list(None)
    (['year', 'party', 'Washington, D.C.'], [])
    """
    rows = csv.reader(values or (), skipinitialspace=True)
    return list(dict.fromkeys(name.strip() for row in rows for name in row if name.strip()))


def parsed_stop_words(value: str | None) -> str | tuple[str, ...] | None:
    """The name of a language, or the words of a file."""
    if value is None or value == "english":
        return value
    path = Path(value)
    if not os.path.lexists(path):
        if "." not in value and os.sep not in value:  # CountingOptions knows the languages
            return value
        raise ValueError(
            f"--stop-words must be a language or a text file with one word per line; there is no file {value!r}"
        )
    if path.exists() and not path.is_file():  # a pipe is refused, too: reading it could wait forever
        kind = "a folder" if path.is_dir() else "not a regular file"
        raise ValueError(f"--stop-words: {value!r} is {kind}; give a text file with one word per line")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"--stop-words: the file {value!r} cannot be read ({error.strerror})") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"--stop-words: the file {value!r}, line {line}, is not UTF-8; save it as UTF-8") from error
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise ValueError(f"--stop-words: the file {value!r}, line {line}, contains a NUL character; it must be text")
    return tuple(sorted(set(text.split())))


# Options whose values are written in a way of their own: by name, and otherwise by type.
PARSERS: dict[str, Callable[[str], Any]] = {
    "ngrams": parsed_ngrams,
    "stop_words": parsed_stop_words,
    "split": parsed_split,
}
SHORT = {
    "columns": "-c", "format": "-f", "output": "-o", "scheme": "-s", "sort": "-s", "top": "-n", "width": "-w",
    "window": "-w",
}  # fmt: skip
FLAGS = {"notes": "--verbose/--quiet"}  # with names of their own
ARGUMENTS = ("term", "b")  # written without a name, even where it may be left out
_PLAIN = (bool, int, float, str, Path)


def takes_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of every class of options among its parameters; it receives objects of the classes.

    A dataclass counts as one if some of its fields are options, or such classes; its field `given`, if it has one,
    receives all values as they were written. A parameter of the command may be an option, too. An option without a
    default and without a short name is an argument. An option that two classes have, such as `layer`, is described by
    the later one, and both receive its value. With ``Annotated[Class, "heading"]``, the help lists the options below
    that heading.
    """
    own = inspect.signature(command, eval_str=True).parameters.values()
    classes = {p.name: p.annotation for p in own if parameters_of(p.annotation)}
    single = {p.name: one for p in own if (one := _own_option(p)) is not None}
    every: dict[str, inspect.Parameter] = {}
    for p in own:
        if p.name in single:
            every[p.name] = as_parameter(single[p.name])
        else:
            found = parameters_of(p.annotation) or [p.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
            every |= {one.name: one for one in found}
    parameters = list(every.values())

    @functools.wraps(command)
    def wrapper(**given: Any) -> Any:
        made = {name: made_of(kind, given) for name, kind in classes.items()}
        values = {name: _value(single[name], given[name]) for name in single}
        plain = {p.name: given[p.name] for p in own if p.name not in classes}
        return command(**plain | values | made)

    del wrapper.__wrapped__  # otherwise typer would look at the signature of the command itself
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapper


def parameters_of(kind: Any) -> list[inspect.Parameter]:
    """The options of a dataclass, and of such classes among its fields, as parameters that typer understands."""
    kind, panel = _with_panel(kind)
    if not (isinstance(kind, type) and is_dataclass(kind)):
        return []
    known, found = options_of(kind), list[inspect.Parameter]()
    for name, hint in _typed_fields(kind):
        found += [as_parameter(known[name], panel)] if name in known else parameters_of(hint)
    return found


def made_of(kind: Any, given: Mapping[str, Any]) -> Any:
    """An object of such a class, from values as typer gives them."""
    kind, _ = _with_panel(kind)
    made: dict[str, Any] = {name: _value(one, given[name]) for name, one in options_of(kind).items()}
    for name, hint in _typed_fields(kind):
        if name == "given":
            made["given"] = given
        elif name not in made and parameters_of(hint):
            made[name] = made_of(hint, given)
    return kind(**made)


def _own_option(parameter: inspect.Parameter) -> OptionField | None:
    """The option that a parameter of a command is, if it is one."""
    kind, default = parameter.annotation, parameter.default
    option = next((one for one in getattr(kind, "__metadata__", ()) if isinstance(one, Option)), None)
    default = REQUIRED if default is inspect.Parameter.empty else default
    return None if option is None else OptionField(parameter.name, get_args(kind)[0], default, option)


def as_parameter(one: OptionField, panel: str | None = None) -> inspect.Parameter:
    """An option as the parameter of a function that typer understands."""
    option, kinds = one.option, one.members
    flag = f"{dashed(one.name)}/--no-{dashed(one.name)[2:]}" if bool in kinds and one.default is not False else ""
    flag = FLAGS.get(one.name, flag)
    about: dict[str, Any] = {"help": option.help, "metavar": option.metavar, "rich_help_panel": option.panel or panel}
    if int in kinds or float in kinds:
        about |= {"min": option.least, "max": option.most}
    kind: Any
    default: Any
    if one.name in PARSERS:
        kind, default = str | None, None if one.default is None else written(one.name, one.default)
    elif _is_list(one):
        listed = [one.default] if isinstance(one.default, str) else one.default
        kind, default = list[str] | None, listed
    elif len(kinds) == 1 and (kinds[0] in _PLAIN or get_origin(kinds[0]) is Literal):
        kind, default = (kinds[0] | None if one.optional else kinds[0]), one.default
    else:
        raise TypeError(f"cli/options.py does not say how the option {one.name} is written: {one.type}")
    default = inspect.Parameter.empty if one.default is REQUIRED else default
    if one.name in ARGUMENTS or (one.default is REQUIRED and one.name not in SHORT):
        info = typer.Argument(**about | {"metavar": option.metavar or one.name.upper()})
    else:
        info = typer.Option(flag or dashed(one.name), *filter(None, [SHORT.get(one.name)]), **about)
    return inspect.Parameter(
        one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def _with_panel(kind: Any) -> tuple[Any, str | None]:
    """A class, and the heading that it is annotated with."""
    if get_origin(kind) is Annotated and isinstance(get_args(kind)[1], str):
        return get_args(kind)[0], get_args(kind)[1]
    return kind, None


def _typed_fields(kind: Any) -> list[tuple[str, Any]]:
    hints = get_type_hints(kind, include_extras=True)
    return [(field.name, hints[field.name]) for field in fields(kind)]


def _is_list(one: OptionField) -> bool:
    return any(get_args(kind) and get_origin(kind) is not Literal for kind in one.members)


def _value(one: OptionField, given: Any) -> Any:
    if given is None:
        return None
    if one.name in PARSERS:
        return PARSERS[one.name](given)
    if not _is_list(one):
        return given
    listed = parsed_list(given)
    return listed[0] if len(listed) == 1 and listed[0] in one.names else listed
