"""Every question, by every way in: the same rows, or one sentence of refusal that names the way round."""

import json
import subprocess
import sys
import warnings

import polars as pl
import pytest
from battery.asked import QUESTIONS
from battery.documents import RULES, Given, documents
from battery.same import differences, plain
from battery.ways import WAYS, command_answer, csv

from helpers.frames import in_engine
from helpers.processes import PATIENCE, plain_environment
from termburst.cli import main


def cases():
    """One for each question and each kind of ways in: those of `make test`, the others, and those that need Spark."""
    kinds = {
        "quick": [way for way in WAYS if way.quick],
        "slow": [way for way in WAYS if not way.quick and not way.name.startswith("spark")],
        "spark": [way for way in WAYS if way.name.startswith("spark")],
    }
    for question in QUESTIONS:
        for kind, ways in kinds.items():
            if asked := [way for way in ways if way.asks(question)]:
                marks = [] if kind == "quick" else [pytest.mark.slow]
                yield pytest.param(asked, question, id=f"{question.name}-{kind}", marks=marks)


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """What is made once: documents, a folder, and corpora and answers by name."""
    return {"frame": documents(), "folder": tmp_path_factory.mktemp("battery")}


@pytest.fixture
def run(monkeypatch):
    """The command line in this process."""

    def call(*arguments):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["termburst", *map(str, arguments)])
            patch.setattr(warnings, "showwarning", warnings.showwarning)  # `main` replaces it
            with pytest.raises(SystemExit) as stop:
                main()
        assert not stop.value.code, arguments

    return call


@pytest.fixture(autouse=True)
def small_groups(monkeypatch):
    """Terms come in several groups, and p-values in several ranges and files, as those of a large collection do."""
    for name, value in (("stream.ROWS_OF_TERMS", 600), ("parts.ROWS_OF_PART", 400), ("stream.ROWS_PER_FILE", 30)):
        monkeypatch.setattr(f"termburst.backends.{name}", value)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("ways", "question"), cases())
def test_the_same_rows(ways, question, held, run, request):
    failures = []
    for way in ways:
        session = request.getfixturevalue("spark") if way.name.startswith("spark") else None
        try:
            if question.name in way.differs:
                with pytest.raises(AssertionError):  # if it does not differ any more, remove it from `differs`
                    check_the_same_rows(way, question, held, run, session)
            else:
                check_the_same_rows(way, question, held, run, session)
        except (Exception, pytest.fail.Exception) as error:
            failures.append(RuntimeError(f"asked by: {way.name}"))
            failures[-1].__cause__ = error
    if failures:
        raise ExceptionGroup(question.name, failures)


def check_the_same_rows(way, question, held, run, session):
    given = Given(held["frame"], RULES[question.rule], held["folder"], run, session)

    def once(key, make):
        if key not in held:
            held[key] = make()
        return held[key]

    def ask():
        if way.is_command:
            return command_answer(given, question, once(way.name, lambda: way.source(given)))
        if way.corpus is None:
            return question.function(given)
        return question.ask(once((way.name, question.rule), lambda: way.corpus(given)))

    if sentence := way.sentence(question):
        with pytest.raises(ValueError, match=sentence) as caught:
            plain(ask())
        assert len(str(caught.value).splitlines()) == 1
        return
    memory = once(("read", question.rule), given.read)
    ordered = way.ordered and (way.engine is None or not question.any_order)
    expected = once((question.name, ordered), lambda: plain(question.ask(memory), ordered=ordered))
    answer = ask()
    if way.engine is not None and isinstance(expected, pl.DataFrame):
        assert type(answer) is type(in_engine(way.engine, given.frame, session))
    found = plain(answer, ordered=ordered)
    if way.is_command and isinstance(expected, dict):
        found = {name: found[name] for name in expected}
    if way.is_command and isinstance(expected, pl.DataFrame):
        assert set(found.columns) <= set(expected.columns)
        expected = pl.DataFrame(json.loads(expected.select(found.columns).write_json()), infer_schema_length=None)
    assert not isinstance(expected, pl.DataFrame) or expected.height > 0 or question.name == "no line"
    assert differences(found, expected)[:5] == []


@pytest.mark.slow
def test_a_process(held):
    """The command line as it is typed: with its own Python, and rows on standard output."""
    given = Given(held["frame"], {}, held["folder"])
    words = ["keyness", str(csv(given)), "--by", "party", "--text", "text", "--quiet", "--format", "json"]
    command = [sys.executable, "-m", "termburst", *words]
    environment = plain_environment(held["folder"])
    done = subprocess.run(command, capture_output=True, env=environment, timeout=PATIENCE, check=True)
    expected = json.loads(given.read().keyness(by="party").write_json())
    assert differences(json.loads(done.stdout), expected) == []
