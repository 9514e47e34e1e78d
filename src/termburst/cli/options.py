"""Options of the command line, made from the fields of option classes (`termburst.options`)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from termburst.cli.option_values import dashed, parsed_list, parsed_ngrams, parsed_stop_words, written
from termburst.options import REQUIRED, OptionField, has_options, options_of

# Options whose values are written in a way of their own: by name, and otherwise by type.
PARSERS: dict[str, Callable[[str], Any]] = {"ngrams": parsed_ngrams, "stop_words": parsed_stop_words}
_PLAIN = (bool, int, float, str, Path)


def takes_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of every class of options among its parameters; it receives objects of the classes.

    A dataclass whose fields are classes of options counts as one, too. An option without a default is an argument.
    """
    own = inspect.signature(command, eval_str=True).parameters.values()
    classes = {p.name: p.annotation for p in own if _is_made_of_options(p.annotation)}
    plain = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own if p.name not in classes]
    parameters = [*plain, *(as_parameter(one) for kind in classes.values() for one in _all_options(kind))]

    @functools.wraps(command)
    def wrapper(**given: Any) -> Any:
        made = {name: made_of(kind, given) for name, kind in classes.items()}
        return command(**{p.name: given[p.name] for p in plain}, **made)

    del wrapper.__wrapped__  # otherwise typer would look at the signature of the command itself
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapper


def made_of(kind: Any, given: Mapping[str, Any]) -> Any:
    """An object of a class of options, from values as typer gives them."""
    if not has_options(kind):
        hints = get_type_hints(kind)
        return kind(**{field.name: made_of(hints[field.name], given) for field in fields(kind)})
    return kind(**{name: _value(one, given[name]) for name, one in options_of(kind).items()})


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
    if one.default is REQUIRED:
        about["metavar"] = option.metavar or one.name.upper()
        info, default = typer.Argument(**about), inspect.Parameter.empty
    else:
        info = typer.Option(flag or dashed(one.name), **about)
    return inspect.Parameter(
        one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def _is_made_of_options(kind: Any) -> bool:
    return has_options(kind) or (hasattr(kind, "__dataclass_fields__") and any(_all_options(kind)))


def _all_options(kind: Any) -> list[OptionField]:
    if has_options(kind):
        return list(options_of(kind).values())
    hints = get_type_hints(kind)
    return [one for field in fields(kind) for one in _all_options(hints[field.name])]


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
