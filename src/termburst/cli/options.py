"""Options of the command line, made from the fields of option classes (`termburst.options`)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import Field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer
import typer.models

from termburst.cli.option_values import dashed, parsed_list, parsed_ngrams, parsed_split, parsed_stop_words, written
from termburst.options import REQUIRED, OptionField, has_options, options_of

# Options whose values are written in a way of their own: by name, and otherwise by type.
PARSERS: dict[str, Callable[[str], Any]] = {
    "ngrams": parsed_ngrams,
    "stop_words": parsed_stop_words,
    "split": parsed_split,
}
SHORT = {"columns": "-c", "sort": "-s", "top": "-n", "width": "-w", "window": "-w"}
ARGUMENTS = ("term",)  # written without a name, even where it may be left out
_PLAIN = (bool, int, float, str, Path)


def takes_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of every class of options among its parameters; it receives objects of the classes.

    A dataclass counts as one, too, if some of its fields are classes of options, or are annotated for typer; its field
    `given`, if it has one, receives all values as they were written. An option without a default is an argument. An
    option that two classes have, such as `layer`, is described by the later one, and both receive its value.
    """
    own = inspect.signature(command, eval_str=True).parameters.values()
    classes = {p.name: p.annotation for p in own if parameters_of(p.annotation)}
    plain = [p.name for p in own if p.name not in classes]
    all_of_them = (
        one for p in own for one in parameters_of(p.annotation) or [p.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
    )
    parameters = list({one.name: one for one in all_of_them}.values())

    @functools.wraps(command)
    def wrapper(**given: Any) -> Any:
        made = {name: made_of(kind, given) for name, kind in classes.items()}
        return command(**{name: given[name] for name in plain}, **made)

    del wrapper.__wrapped__  # otherwise typer would look at the signature of the command itself
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapper


def parameters_of(kind: Any) -> list[inspect.Parameter]:
    """The options of a class, or of a dataclass that is made of such classes, as parameters that typer understands."""
    if has_options(kind):
        return [as_parameter(one) for one in options_of(kind).values()]
    if not (isinstance(kind, type) and is_dataclass(kind)):
        return []
    found: list[inspect.Parameter] = []
    for field, hint in _typed_fields(kind):
        if _is_of_typer(hint):
            found.append(_keyword(field.name, field.default, hint))
        else:
            found += parameters_of(hint)
    return found


def made_of(kind: Any, given: Mapping[str, Any]) -> Any:
    """An object of such a class, from values as typer gives them."""
    if has_options(kind):
        return kind(**{name: _value(one, given[name]) for name, one in options_of(kind).items()})
    made: dict[str, Any] = {}
    for field, hint in _typed_fields(kind):
        if field.name == "given":
            made["given"] = given
        elif parameters_of(hint):
            made[field.name] = made_of(hint, given)
        elif _is_of_typer(hint):
            made[field.name] = given[field.name]
    return kind(**made)


def as_parameter(one: OptionField) -> inspect.Parameter:
    """An option as the parameter of a function that typer understands."""
    option, kinds = one.option, one.members
    flag = f"{dashed(one.name)}/--no-{dashed(one.name)[2:]}" if bool in kinds and one.default is not False else ""
    about: dict[str, Any] = {"help": option.help, "metavar": option.metavar, "rich_help_panel": option.panel}
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
    if one.default is REQUIRED or one.name in ARGUMENTS:
        info = typer.Argument(**about | {"metavar": option.metavar or one.name.upper()})
        default = inspect.Parameter.empty if one.default is REQUIRED else default
    else:
        info = typer.Option(flag or dashed(one.name), *filter(None, [SHORT.get(one.name)]), **about)
    return inspect.Parameter(
        one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def _typed_fields(kind: Any) -> list[tuple[Field[Any], Any]]:
    hints = get_type_hints(kind, include_extras=True)
    return [(field, hints[field.name]) for field in fields(kind)]


def _is_of_typer(hint: Any) -> bool:
    return any(isinstance(about, typer.models.OptionInfo) for about in getattr(hint, "__metadata__", ()))


def _keyword(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


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
    return listed[0] if len(listed) == 1 and listed[0] in one.names else listed or None
