"""Messages keep the names of options on the way from where they are raised to where they are printed."""

import copy
import pickle
import warnings

import pytest

from termburst.messages import Absent, Message, joined, named, spelled


def angled(option):
    return f"<{option.name}>" if option.value is Absent else f"<{option.name} {option.value}>"


SENTENCE = "there is no column; choose one with " + named("text") + ", or give " + named("lines", True)


def test_names_of_options_survive():
    for carried in [
        lambda: str(ValueError(SENTENCE)),
        lambda: str(ValueError(str(ValueError(SENTENCE)))),
        lambda: pickle.loads(pickle.dumps(SENTENCE)),
        lambda: str(pickle.loads(pickle.dumps(ValueError(SENTENCE)))),
        lambda: copy.deepcopy(SENTENCE),
        lambda: Message(SENTENCE),
        lambda: SENTENCE.changed(lambda part: part),
    ]:
        assert carried() == "there is no column; choose one with text=, or give lines=True"
        assert spelled(carried(), angled) == "there is no column; choose one with <text>, or give <lines True>"


def test_names_of_options_survive_a_warning():
    with pytest.warns(UserWarning, match="text=") as caught:
        warnings.warn(SENTENCE, stacklevel=1)
    assert "<text>" in spelled(str(caught[0].message), angled)


def test_messages_are_put_together():
    whole = Message("a.csv: ", SENTENCE, "; ", joined([named("id"), "no name", named("sort", bare=True)], " and "))
    assert whole == "a.csv: there is no column; choose one with text=, or give lines=True; id= and no name and sort"
    assert spelled(whole, angled).endswith("<lines True>; <id> and no name and <sort>")
    assert spelled(joined([], ", "), angled) == ""
    assert f"a{SENTENCE}b" == "a" + SENTENCE + "b"
    assert spelled("a" + SENTENCE + "b", angled) == f"a{spelled(SENTENCE, angled)}b"


def test_a_plain_string_is_not_changed():
    assert spelled("a file called text=5 or --text", angled) == "a file called text=5 or --text"
    assert spelled(Message("text=5: give ", named("text")), angled) == "text=5: give <text>"


def test_values_are_written_as_python():
    for value, python in [
        (None, "x=None"),
        ("a", 'x="a"'),
        ('"', "x='\"'"),
        (5, "x=5"),
        (False, "x=False"),
        ((1, 2), "x=(1, 2)"),
    ]:
        assert named("x", value) == python
