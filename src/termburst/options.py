"""Options, each written once: as an annotated field of a frozen dataclass.

::

    @dataclass(frozen=True)
    class Keyness:
        sort: Annotated[Literal["p", "term"], Option("Order of the rows.")] = "p"
        min_count: Annotated[int, Option("Leave out terms that occur fewer times.", least=1)] = 1

        def __post_init__(self) -> None:
            check_options(self)

Checks, the options of the command line (`termburst.cli.options`) and tables in docs are made from these fields. The
signature of a Python function repeats them, so that editors know them, and a test compares both.

This file imports nothing heavy, so that `termburst --help` stays quick. A module with such a class must not either.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from numbers import Integral, Real
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from termburst.display import did_you_mean
from termburst.messages import named, shown

REQUIRED: Any = MISSING  # the default of an option that must be given
_LISTS = (list, tuple, set, frozenset, Sequence, Iterable, Collection)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Option:
    """What is known of an option beside its name, its type and its default.

    Parameters
    ----------
    help : one sentence for people who use it, without its default and allowed values unless these need words;
        none if the docstring of the class explains the option
    metavar : what stands for its value in the help of the command line
    panel : heading under which the command line lists it
    least, most : limits of a number, which may be equal to them
    above, below : limits of a number, which must not be equal to them
    given : the type of what may be given, if the class keeps it as another one, such as a list as a tuple
    """

    help: str = ""
    metavar: str | None = None
    panel: str | None = None
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    given: Any = None


@dataclass(frozen=True, slots=True)
class OptionField:
    """One option of a class: its name, the type of what may be given, default (or `REQUIRED`) and `Option`."""

    name: str
    type: Any
    default: Any
    option: Option

    @property
    def members(self) -> tuple[Any, ...]:
        """The types that a value may have, without None."""
        return tuple(kind for kind in _members(self.type) if kind is not type(None))

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are allowed values."""
        return tuple(name for kind in self.members if get_origin(kind) is Literal for name in get_args(kind))

    @property
    def optional(self) -> bool:
        """Whether None is a value."""
        return type(None) in _members(self.type)

    def in_words(self, quote: Callable[[str], str] = repr) -> str | None:
        """The allowed values but None; None if the type says too little, so that the class itself must check them."""
        words = [_in_words(kind, self.option, quote) for kind in self.members]
        return None if None in words else ", or ".join(filter(None, words))

    def checked(self, value: Any) -> Any:
        """The value as a plain number, string or tuple; ValueError if it is not an allowed one.

        Examples
        --------
        >>> OptionField("top", int, 30, Option("How many rows.", least=1)).checked(0)
        Traceback (most recent call last):
        ValueError: top must be a whole number of 1 or more; got 0
        """
        allowed = self.in_words()
        if allowed is None or (value is None and self.optional):
            return value
        for kind in self.members:
            found = _as(kind, value, self.option)
            if found is not _WRONG:
                return found
        raise wrong_value(self.name, allowed, value, self.names)


def wrong_value(option: str, allowed: str, value: Any, names: Iterable[str] = ()) -> ValueError:
    """The error about a value of an option, which must be as *allowed* says, such as one of *names*.

    Examples
    --------
    >>> raise wrong_value("sort", "one of 'p', 'term'", "trem", ("p", "term"))
    Traceback (most recent call last):
    ValueError: sort must be one of 'p', 'term'; got 'trem'; did you mean 'term'?
    """
    hint = did_you_mean(value, names) if isinstance(value, str) else ""
    what = named(option, bare=True) if option.isidentifier() else option
    return ValueError(what + f" must be {allowed}; got {shown(value)}{hint}")


@cache
def options_of(kind: Any) -> Mapping[str, OptionField]:
    """The options of a dataclass by name, in order; fields without an `Option` are left out.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Rows:
    ...     sort: Annotated[Literal["p", "term"], Option("Order of the rows.")] = "p"
    ...     top: Annotated[int | None, Option("How many rows.", least=1)] = None
    >>> for one in options_of(Rows).values():
    ...     print(one.name, one.default, one.in_words(), one.option.help)
    sort p one of 'p', 'term' Order of the rows.
    top None a whole number of 1 or more How many rows.
    """
    hints = get_type_hints(kind, include_extras=True)
    found: dict[str, OptionField] = {}
    for field in fields(kind):
        hint = hints[field.name]
        option = next((one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Option)), None)
        if option is not None:
            kind = get_args(hint)[0] if option.given is None else option.given
            found[field.name] = OptionField(field.name, kind, _default(field), option)
    return types.MappingProxyType(found)


def check_options(options: Any) -> None:
    """Check every option of a frozen dataclass, in its `__post_init__`; NumPy's numbers become Python's.

    ValueError, in one sentence, for a value of another type, for an unknown name, and for a number beyond a limit.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Rows:
    ...     sort: Annotated[Literal["p", "term"], Option("Order of the rows.")] = "p"
    ...     def __post_init__(self):
    ...         check_options(self)
    >>> Rows("trem")
    Traceback (most recent call last):
    ValueError: sort must be one of 'p', 'term'; got 'trem'; did you mean 'term'?
    """
    for name, one in options_of(options.__class__).items():
        object.__setattr__(options, name, one.checked(getattr(options, name)))


class Question:
    """The base of a frozen dataclass of options, which are checked when an object is made: see `check_options`."""

    def __post_init__(self) -> None:
        """Raise ValueError for an option that cannot be used."""
        check_options(self)


def made_from(kind: Callable[..., _T], arguments: Mapping[str, Any]) -> _T:
    """The options of a function that has them as arguments: ``made_from(Keyness, locals())`` in its first line.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Rows:
    ...     top: Annotated[int, Option("How many rows.", least=1)] = 30
    >>> def table(source, *, top: int = 30):
    ...     return made_from(Rows, locals())
    >>> table("texts", top=5)
    Rows(top=5)
    """
    return kind(**{name: arguments[name] for name in options_of(kind)})


def given(options: Any) -> dict[str, Any]:
    """The options of an object by name, for a function that has them as arguments.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Rows:
    ...     top: Annotated[int, Option("How many rows.", least=1)] = 30
    >>> given(Rows(5))
    {'top': 5}
    """
    return {name: getattr(options, name) for name in options_of(options.__class__)}


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _members(kind: Any) -> tuple[Any, ...]:
    """The types of a union, or the one type."""
    if get_origin(kind) is Annotated:
        return _members(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        return tuple(one for part in get_args(kind) for one in _members(part))
    return (kind,)


_WRONG: Any = object()  # a value that does not have a type


def _in_words(kind: Any, option: Option, quote: Callable[[str], str]) -> str | None:
    """The values of a type that are allowed, in words; None if the type is none of those that are checked here."""
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(quote, get_args(kind)))}"
    if _is_list_of_strings(kind):
        return "a list of strings"
    numbers: dict[Any, str] = {int: "a whole number", float: "a number", tuple[int, int]: "two whole numbers"}
    if kind in numbers:
        return f"{numbers[kind]}{_limits_in_words(option)}"
    return {bool: "True or False", str: "a string"}.get(kind)


def _limits_in_words(option: Option) -> str:
    least, most, above, below = (
        None if limit is None else f"{limit:,}" for limit in (option.least, option.most, option.above, option.below)
    )
    if least and most:
        return f" from {least} to {most}"
    if above and below:
        return f" between {above} and {below}"
    low = f"of {least} or more" if least else f"above {above}" if above else ""
    high = f"at most {most}" if most else f"below {below}" if below else ""
    return "".join(f" {part}" for part in (low, "and" if low and high else "", high) if part)


def _as(kind: Any, value: Any, option: Option) -> Any:
    """The value as a plain one of the type; `_WRONG` if it is none."""
    if get_origin(kind) is Literal:
        return next((name for name in get_args(kind) if isinstance(value, str) and name == value), _WRONG)
    if _is_list_of_strings(kind):
        listed = tuple(value) if isinstance(value, Iterable) and not isinstance(value, (str, bytes)) else (None,)
        return listed if all(isinstance(one, str) for one in listed) else _WRONG
    if kind in (int, float):
        return _as_number(kind, value, option)
    if kind == tuple[int, int]:
        pair = tuple(_as_number(int, one, option) for one in value) if isinstance(value, (tuple, list)) else ()
        return pair if len(pair) == 2 and _WRONG not in pair else _WRONG
    return value if isinstance(value, kind) else _WRONG


def _as_number(kind: Callable[[Any], Any], value: Any, option: Option) -> Any:
    if not isinstance(value, Integral if kind is int else Real) or isinstance(value, bool):
        return _WRONG
    try:
        number = kind(value)
    except OverflowError:  # an integer too large for a float
        return _WRONG
    within = (
        number == number  # not NaN  # noqa: PLR0124
        and (option.least is None or number >= option.least)
        and (option.most is None or number <= option.most)
        and (option.above is None or number > option.above)
        and (option.below is None or number < option.below)
    )
    return number if within else _WRONG


def _is_list_of_strings(kind: Any) -> bool:
    return get_origin(kind) in _LISTS and [one for one in get_args(kind) if one is not ...] == [str]
