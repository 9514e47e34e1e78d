"""The examples below each command's help: they are there, and every one of them runs."""

import re
import shlex
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from termburst.cli import command
from termburst.cli.app import examples
from termburst.cli.doctor import diagnosis
from termburst.cli.reproduce import _print_rows
from termburst.paper.results import judged

COMMANDS = command()
LONG = ("demo", "explore", "reproduce")  # have tests of their own; here only their options are checked
ORDER = list(examples())


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A folder with the files that the examples name."""
    folder = tmp_path_factory.mktemp("desk")
    rng = np.random.default_rng(20261117)
    words = np.array(["freedom", "silver", "gold", "tariff", "people", "union", "peace", "war", "law", "home"])
    speeches = [" ".join(rng.choice(words, 60, p=rng.dirichlet(np.full(10, 0.5)))) + " freedom" for _ in range(24)]
    for name in ("corpus", "2024", "2025", "monday", "tuesday"):
        (folder / name).mkdir()
        for k, speech in enumerate(speeches):
            (folder / name / f"{k:02}.txt").write_text(f"{speech} {name}", encoding="utf-8")
    rows = [f"{speech},{'LR'[k % 2]},s{k % 12}" for k, speech in enumerate(speeches)]
    for name, part in {"speeches.csv": rows, "new.csv": [f"new {row}" for row in rows]}.items():
        (folder / name).write_text("\n".join(["speech,party,speaker", *part]), encoding="utf-8")
    return folder


def test_help_ends_with_examples(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    for name in ORDER:
        outcome = run(*name.split(), "--help")
        at_end = [line.strip() for line in outcome.out.split("Examples:")[1].splitlines() if line.strip()]
        assert at_end == list(examples()[name])
    at_end = [line.strip() for line in run("--help").out.split("Examples:")[1].splitlines() if line.strip()]
    assert at_end == [examples()[name][0] for name in ("report", "keyness")]


@pytest.mark.slow
def test_every_example_runs(desk, run, monkeypatch):
    monkeypatch.chdir(desk)
    for name in ("monday", "tuesday"):
        assert run("stats", "build", f"{name}/", "-o", f"{name}.parquet").code == 0
    for name in ORDER:
        for line in examples()[name]:
            words = shlex.split(line)
            if name in LONG:
                COMMANDS.commands[name].make_context(name, words[2:])
            elif name != "stats":  # whose examples are those of its commands
                outcome = run(*words[1:])
                assert outcome.code == 0, (line, outcome.err)
    assert {path.name for path in desk.glob("*.parquet")} >= {"week.parquet", "all.parquet", "both.parquet"}


def test_every_command_is_in_a_group(run):
    shown = run("--help").out
    panels = re.split(r"╭─ ", shown)[2:]  # the first is that of the options
    listed = [word for panel in panels for word in re.findall(r"^│ (\w+) ", panel, flags=re.MULTILINE)]
    assert sorted(listed) == sorted(COMMANDS.commands)
    assert not any(panel.startswith("Commands") for panel in panels)


def test_doctor_knows_every_extra():
    project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    (everything,) = project["optional-dependencies"]["all"]
    found = diagnosis()
    assert sorted(found["extras"]) == sorted(re.findall(r"\[(.*)\]", everything)[0].split(","))
    assert "bokeh" in str(project["optional-dependencies"]["report"])
    assert found["packages"]["numpy"] == np.__version__


def test_doctor_says_what_is_missing(run, monkeypatch):
    monkeypatch.setattr("termburst.cli.doctor._version", lambda name: None if name == "bokeh" else "1.0")
    assert "missing: bokeh  (pip install 'termburst[report]')" in run("doctor").out


def test_doctor_survives_a_missing_data_folder(run, monkeypatch):
    monkeypatch.setenv("TERMBURST_DATA", "/no/such/folder")
    outcome = run("doctor")
    assert outcome.code == 0
    assert "TERMBURST_DATA must be a folder; got '/no/such/folder'" in outcome.out


def test_doctor_says_where_the_data_are(run, monkeypatch, tmp_path):
    archive = tmp_path / "nltk_data" / "corpora" / "inaugural.zip"
    archive.parent.mkdir(parents=True)
    archive.touch()
    monkeypatch.setenv("TERMBURST_DATA", str(tmp_path))
    monkeypatch.setitem(sys.modules, "nltk.data", None)
    out = run("doctor").out
    assert f"  inaugural      {archive}\n" in out
    assert "  r8             not there; it was not found: run `pip install nltk`" in out


def test_numbers_of_the_paper_are_named_in_full(capsys):
    item = "Fig. 5: terms with α_i < 0.1, %, exact fits, interior terms"
    _print_rows([judged(item, "96.95", 92.1484, "", erratum=3)])
    assert item in capsys.readouterr().out
