"""What `Corpus.keyness` compares: groups of documents, or documents by a formula of what is known of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from termburst.messages import Message, named
from termburst.options import Option, Question
from termburst.questions.keyness import Keyness


@dataclass(frozen=True)
class Sides(Question):
    """The documents of one corpus that are compared, in place of another corpus or of a word list."""

    by: Annotated[
        str | None,
        Option(
            "Column whose values are the groups to compare; or folder, or file; or a condition: 'year >= 1945'.",
            metavar="COLUMN",
        ),
    ] = None
    groups: Annotated[
        Iterable[Any] | None, Option("With by: compare only these values, such as ham,spam; the first is A.")
    ] = None
    contrasts: Annotated[
        bool | None,
        Option("Of more than two groups: compare each with the rest, or test once whether a term differs."),
    ] = None
    formula: Annotated[str | None, Option("Columns that words may depend on, such as 'party + year'.")] = None
    contrast: Annotated[
        str | Sequence[str] | None, Option("Two values to compare, such as 'party: D - R'; may be repeated.")
    ] = None
    cluster: Annotated[str | None, Option("Column: documents with the same value may depend on each other.")] = None
    strata: Annotated[str | None, Option("Column: compare only documents with the same value.")] = None

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.groups is not None:
            listed = isinstance(self.groups, Iterable) and not isinstance(self.groups, str | bytes)
            groups = tuple(self.groups) if listed else ()
            if len(groups) < 2:
                what = f" must be a list of two values of {self.by!r:.60} or more; got {self.groups!r:.60}"
                raise ValueError(named("groups", bare=True) + what)
            object.__setattr__(self, "groups", groups)

    @property
    def design(self) -> dict[str, Any]:
        """What goes with a formula."""
        return {"contrast": self.contrast, "cluster": self.cluster, "strata": self.strata}

    @property
    def has_design(self) -> bool:
        """Whether documents are compared by a formula, or within clusters or strata."""
        return self.formula is not None or any(value is not None for value in self.design.values())

    def checked(self, asked: Keyness, *others: Any, by: str | None = None) -> Sides:
        """The same with *by* where nothing else is asked for; ValueError for what does not go together.

        *others* are another corpus and a word list, or None.
        """
        given = [name for name, value in vars(self).items() if value is not None]
        if any(other is not None for other in others):
            if given and self.by is None and self.formula is None:
                ways = Message(named("by"), " or ", named("formula"), ", which compare the documents of one corpus")
                raise ValueError(named(given[0]) + " goes with " + ways)
            if given:
                raise ValueError(Message("give another corpus or a word list, or ", named(given[0]), ", and not both"))
            return self
        if self.formula is not None and (self.by, self.groups) != (None, None):
            raise ValueError(Message("give another corpus or a formula, or ", named("by"), ", and not both"))
        found = replace(self, by=by) if self.by is None and self.formula is None else self
        if found.by is None and found.formula is None:
            if self.groups is not None:
                raise ValueError(named("groups") + " needs " + named("by") + ", the column that has these values")
            ways = Message(named("by"), " with a column, or ", named("formula"), ", or a list as ", named("reference"))
            raise ValueError("there is nothing to compare with; give another corpus, or " + ways)
        if found.has_design:
            if self.contrasts is not None:
                what = next(name for name in ("formula", *self.design) if getattr(self, name) is not None)
                raise ValueError(named(what) + " has contrasts of its own; omit " + named("contrasts", self.contrasts))
            asked.check_design()
        return found


def column_formula(by: str) -> str:
    """The formula of one column.

    >>> column_formula("party"), column_formula("the party")
    ('party', '`the party`')
    """
    return by if by.isidentifier() else f"`{by}`"
