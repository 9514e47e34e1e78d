"""Names, labels and ids are printed as text: a terminal never obeys them."""

import ast
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import termburst as tb
import termburst.cli

TITLE = "\x1b]0;hacked\x07"  # would rename the window of a terminal
NASTY = f"{TITLE}\x9b31m\u202eb\nnext"
SHOWN = r"\x1b]0;hacked\x07\x9b31m\u202eb\nnext"
unix = pytest.mark.skipif(os.name != "posix", reason="needs file names with control characters, and terminals")


def _harmless(text: str) -> bool:
    return text.replace("\n", "").isprintable()


def _calls(path: Path) -> set[str]:
    """The names of all functions and methods that a file calls, and attributes such as stdout.buffer."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            found.add(node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", ""))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
            found.add(f"{node.value.attr}.{node.attr}")  # such as stdout.buffer
    return found


def test_only_one_file_prints():
    """The others call the functions in output.py, which escape control characters."""
    doors = {"print", "echo", "secho", "pprint", "Console", "Progress", "stdout.write", "stdout.buffer", "stderr.write"}
    files = sorted(Path(termburst.cli.__file__).parent.glob("*.py"))
    assert doors & _calls(next(path for path in files if path.name == "output.py"))
    assert {path.name: doors & _calls(path) for path in files if path.name != "output.py"} == {
        path.name: set() for path in files if path.name != "output.py"
    }


@pytest.fixture
def by(tmp_path):
    """A table with two groups; the name of one has control characters."""
    path = tmp_path / "by.csv"
    rows = {"g": [NASTY, "plain"] * 6, "text": ["so it goes so", "it goes on and on"] * 6}
    pl.DataFrame(rows).write_csv(path)
    return path


def test_labels_of_two_groups(done, by):
    out = done("keyness", by, "--by", "g", "--min-count", 1).out
    assert _harmless(out)
    assert f"A: g = {SHOWN}, 6 documents" in out


def test_labels_of_three_groups(done, by):
    table = pl.read_csv(by)
    pl.concat([table, table.with_columns(g=pl.lit("third"))]).write_csv(by)
    out = done("keyness", by, "--by", "g", "--min-count", 1).out
    assert _harmless(out)
    assert SHOWN in out


def test_the_name_of_a_column(done, fault, by, tmp_path):
    pl.read_csv(by).rename({"g": NASTY}).write_csv(tmp_path / "column.csv")
    pl.read_csv(by).with_columns(g=pl.lit("same")).rename({"g": NASTY}).write_csv(tmp_path / "same.csv")
    assert _harmless(done("keyness", tmp_path / "column.csv", "--by", NASTY).out)
    for arguments in (
        ["keyness", tmp_path / "same.csv", "--by", NASTY],
        ["terms", by, "--text", NASTY],
    ):
        assert "hacked" in fault(*arguments)  # `fault` checks that the line is printable


@pytest.mark.parametrize("arguments", [["terms", "--top", TITLE], ["terms", "x", "y", TITLE], [TITLE], ["-" + TITLE]])
def test_usage_errors_escape_what_was_given(fault, arguments):
    assert fault(*arguments)


@pytest.mark.parametrize("show", [[], ["--json"]])
def test_ids_of_batches(run, done, corpus, tmp_path, show):
    saved = tmp_path / "s.parquet"
    done("stats", "build", corpus, "--lines", "-o", saved, "--batch", NASTY)
    out = done("stats", "show", saved, *show).out
    assert _harmless(out)
    assert "hacked" in out
    if show:
        assert json.loads(out)["batches"] == [NASTY]
    again = run("stats", "add", saved, corpus, "--lines", "--batch", NASTY)
    assert again.code == 0
    assert "nothing was added" in again.err
    assert _harmless(again.err)


def test_json_escapes_what_a_terminal_would_obey(done, tmp_path):
    terms = ["\x9b31mred", "\u202eevil", "a\u2028b", "\U000e0041tag", "naïve", "می\u200cخواهم", "日本", "\x7f"]
    path = tmp_path / "tokens.jsonl"
    path.write_text("".join(json.dumps({"text": [t, t, "so"]}) + "\n" for t in terms), encoding="utf-8")
    for command in (["terms", path, "--pretokenized", "-f", "json"], ["report", path, "--pretokenized", "-f", "json"]):
        outcome = done(*command)
        assert _harmless(outcome.out.replace("\u200c", ""))
        read = json.loads(outcome.raw)
        found = read["terms"]["term"] if isinstance(read, dict) else [row["term"] for row in read]
        assert sorted(found) == sorted([*terms, "so"])
        assert "naïve" in outcome.out


@unix
def test_names_of_files_in_warnings(process, tmp_path):  # in its own process: here a warning would be an error
    path = tmp_path / f"{NASTY}.txt"
    path.write_text("so so it goes", encoding="utf-8")
    outcome = process("terms", path)
    assert outcome.code == 0
    assert "hacked" in outcome.err
    assert _harmless(outcome.err)


@pytest.fixture
def on_a_terminal(plain_environment):
    """Run the command with both outputs on a terminal; return what it wrote there."""

    def call(*arguments: object) -> str:
        import pty

        terminal, end = pty.openpty()
        command = [sys.executable, "-m", "termburst", *map(str, arguments)]
        with subprocess.Popen(command, stdout=end, stderr=end, env=plain_environment | {"COLUMNS": "400"}) as ran:
            os.close(end)
            with io.FileIO(terminal) as reader:
                drawn = b""
                try:
                    while part := reader.read(4096):
                        drawn += part
                except OSError:  # Linux raises this when the other end is closed
                    pass
        assert ran.returncode == 0, drawn
        return drawn.decode().replace("\r\n", "\n")

    return call


@unix
@pytest.mark.slow
def test_progress_and_notes_on_a_terminal(on_a_terminal, tmp_path):
    path = tmp_path / f"{NASTY}.txt"
    path.write_text("so so it goes\nso on\n", encoding="utf-8")
    drawn = on_a_terminal("stats", "build", path, "--lines", "-o", tmp_path / f"{NASTY}.parquet")
    assert TITLE not in drawn  # the bar itself has escape codes
    assert "\x9b" not in drawn
    assert "\u202e" not in drawn
    assert re.search(r"Reading [^\n]*" + re.escape(SHOWN), drawn)
    assert f"{SHOWN}.parquet: 2 documents" in drawn


@unix
@pytest.mark.slow
def test_csv_is_exact_on_a_pipe_and_escaped_on_a_terminal(done, on_a_terminal, tmp_path):
    path = tmp_path / "tokens.jsonl"
    path.write_text(json.dumps({"text": [TITLE, "so"]}) + "\n" + json.dumps({"text": ["so"]}), encoding="utf-8")
    command = ("terms", path, "--pretokenized", "-f", "csv")
    assert sorted(pl.read_csv(done(*command).raw)["term"]) == sorted([TITLE, "so"])
    drawn = on_a_terminal(*command)
    assert TITLE not in drawn
    assert r"\x1b]0;hacked\x07,1,1," in drawn


@unix
@pytest.mark.slow
def test_columns_left_out_are_counted_on_a_terminal(on_a_terminal, tmp_path):
    path = tmp_path / "posts.txt"
    path.write_text("ha ha ha ha\n" + "so it goes\n" * 30, encoding="utf-8")
    left_out = "22 of 34 columns are left out; --columns all shows them"
    assert left_out in on_a_terminal("terms", path, "--lines", "--test")
    assert left_out in on_a_terminal("terms", path, "--lines", "--test", "-o", tmp_path / "tested.csv")
    assert "left out" not in on_a_terminal("terms", path, "--lines", "--test", "--columns", "all")


def test_an_explanation(done, tmp_path):
    path = tmp_path / "tokens.jsonl"
    path.write_text(json.dumps({"text": [NASTY, NASTY, "so"]}) + "\n" + json.dumps({"text": ["so"]}), encoding="utf-8")
    saved = tmp_path / "s.parquet"
    done("stats", "build", path, "--pretokenized", "-o", saved)
    assert NASTY in tb.TermStatistics.load(saved).terms
    assert _harmless(done("explain", saved, NASTY).out)
