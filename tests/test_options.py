"""Options that are fields of frozen dataclasses: listed, checked in one place, and shown in a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np
import pytest

from termburst.messages import spelled
from termburst.options import REQUIRED, Option, check_options, made_from, options_of

Sort = Literal["p", "term"]


@dataclass(frozen=True)
class Question:
    """One field per kind of option."""

    term: Annotated[str, Option("The term.")]
    sort: Annotated[Sort, Option("Order of the rows.")] = "p"
    layer: Annotated[Literal["form", "lemma"] | None, Option("Layer of the words.")] = None
    top: Annotated[int, Option("How many rows.", least=1, most=1000)] = 30
    confidence: Annotated[float | None, Option("Level.", above=0, below=1)] = 0.95
    sigma2: Annotated[float, Option("Variance.", above=0)] = 1.0
    strict: Annotated[bool, Option("Stop.")] = False
    groups: Annotated[Sequence[str] | None, Option("Which groups | sides.")] = None
    columns: Annotated[Literal["few", "all"] | list[str], Option("Which columns.")] = "few"
    cluster: Annotated[Any, Option("Documents that depend on each other.", metavar="column")] = None
    pair: Annotated[int | tuple[int, int], Option("Sizes.", least=1)] = 1
    made: Annotated[dict[str, int], Option("Made by a factory.")] = field(default_factory=dict)
    private: int = 0

    def __post_init__(self):
        check_options(self)


def test_options_are_listed_in_order_without_fields_of_other_kinds():
    found = options_of(Question)
    names = [
        "term",
        "sort",
        "layer",
        "top",
        "confidence",
        "sigma2",
        "strict",
        "groups",
        "columns",
        "cluster",
        "pair",
        "made",
    ]
    assert list(found) == names
    assert found["term"].default is REQUIRED
    assert found["made"].default == {}
    assert found["layer"].names == ("form", "lemma")
    assert found["layer"].optional
    assert not found["sort"].optional
    assert found["top"].option == Option("How many rows.", least=1, most=1000)
    assert found["cluster"].in_words() is None


def test_good_values_are_kept_as_plain_ones():
    for option, value, kept in [
        ("sort", np.str_("term"), "term"),
        ("layer", None, None),
        ("top", np.int8(3), 3),
        ("confidence", np.float32(0.5), 0.5),
        ("confidence", None, None),
        ("sigma2", 2, 2.0),
        ("sigma2", float("inf"), float("inf")),
        ("groups", ["a", "b"], ("a", "b")),
        ("groups", iter("ab"), ("a", "b")),
        ("columns", "all", "all"),
        ("columns", ["p"], ("p",)),
        ("cluster", [1, 2], [1, 2]),
        ("pair", np.int64(2), 2),
        ("pair", [1, np.int64(2)], (1, 2)),
    ]:
        found = getattr(Question("a", **{option: value}), option)
        assert found == kept
        assert type(found) is type(kept)


def test_wrong_values_are_refused_in_one_sentence_that_every_door_can_spell():
    for option, value, sentence in [
        ("term", 3, "term must be a string; got 3"),
        ("term", None, "term must be a string; got None"),
        ("sort", "trem", "sort must be one of 'p', 'term'; got 'trem'; did you mean 'term'?"),
        ("sort", ["p"], "sort must be one of 'p', 'term'; got ['p']"),
        ("layer", "Lemma", "layer must be one of 'form', 'lemma'; got 'Lemma'; did you mean 'lemma'?"),
        ("top", 0, "top must be a whole number from 1 to 1,000; got 0"),
        ("top", 1001, "top must be a whole number from 1 to 1,000; got 1001"),
        ("top", True, "top must be a whole number from 1 to 1,000; got True"),
        ("top", 2.0, "top must be a whole number from 1 to 1,000; got 2.0"),
        ("confidence", 1, "confidence must be a number between 0 and 1; got 1"),
        ("confidence", "0.9", "confidence must be a number between 0 and 1; got '0.9'"),
        ("sigma2", float("nan"), "sigma2 must be a number above 0; got nan"),
        ("sigma2", 0, "sigma2 must be a number above 0; got 0"),
        ("sigma2", 10**999, None),
        ("pair", (0, 1), "pair must be a whole number of 1 or more, or two whole numbers of 1 or more; got (0, 1)"),
        ("pair", (1, 2, 3), None),
        ("pair", {1, 2}, None),
        ("strict", 1, "strict must be True or False; got 1"),
        ("strict", None, "strict must be True or False; got None"),
        ("groups", "ab", "groups must be a list of strings; got 'ab'"),
        ("groups", ["a", 1], "groups must be a list of strings; got ['a', 1]"),
        ("columns", "al", "columns must be one of 'few', 'all', or a list of strings; got 'al'; did you mean 'all'?"),
    ]:
        with pytest.raises(ValueError, match=rf"^{option} must be ") as caught:
            Question(**{"term": "a", option: value})
        message = str(caught.value)
        assert sentence is None or message == sentence
        assert len(message) < 160
        assert spelled(message, lambda found: f"<{found.name}>") == f"<{option}>{message.removeprefix(option)}"


def test_limits_in_words():
    for limits, words in [
        ({"least": 0}, "of 0 or more"),
        ({"most": 5}, "at most 5"),
        ({"above": 0, "most": 1}, "above 0 and at most 1"),
        ({"least": 0, "below": 1}, "of 0 or more and below 1"),
        ({}, ""),
    ]:

        @dataclass(frozen=True)
        class Limited:
            ratio: Annotated[float, Option("A ratio.", **limits)] = 0.5

        assert options_of(Limited)["ratio"].in_words() == f"a number {words}".rstrip()


def test_a_function_makes_the_options_from_its_arguments():
    def ask(corpus, *, term, sort="term", unrelated=1, **others):
        return made_from(Question, options_of_question | locals())

    options_of_question = {name: one.default for name, one in options_of(Question).items()}
    assert ask("texts", term="a") == Question("a", sort="term")


def test_options_of_a_subclass_come_after_those_of_its_base():
    @dataclass(frozen=True)
    class More(Question):
        method: Annotated[Literal["exact"], Option("How.")] = "exact"

    assert list(options_of(More))[-1] == "method"
    assert list(options_of(More))[:-1] == list(options_of(Question))
    with pytest.raises(ValueError, match="method must be one of 'exact'"):
        More("a", method="exat")


def test_a_type_that_is_not_checked_here_is_left_to_the_class():
    @dataclass(frozen=True)
    class Tokenized:
        tokenizer: Annotated[Callable[[str], list[str]] | None, Option("A function.")] = None

        def __post_init__(self):
            check_options(self)

    assert Tokenized(len).tokenizer is len
