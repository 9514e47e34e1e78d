"""A command that fails says so in one line: no memory, full disk, closed pipe, huge numbers, damaged files."""

import json
import os
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest

import termburst as tb
from helpers.processes import PATIENCE
from termburst.digests import seal

unix = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell and its pipes")
HUGE = "99999999999999999999999"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "s.parquet"
    tb.TermStatistics.from_texts(["so it goes on", "so so it goes", "ha ha ha"], detail="patterns").save(path)
    return path


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError("Unable to allocate 8.00 EiB"), "not enough memory for this (Unable to allocate 8.00 EiB)"),
        (MemoryError(), "not enough memory for this (MemoryError)"),
        (OverflowError("int too big to convert"), "a number is too large to compute with (int too big to convert)"),
        (RecursionError("maximum recursion depth exceeded"), "nested too deeply"),
    ],
)
def test_limits_of_the_machine(fault, saved, monkeypatch, error, said):
    def beyond(*_, **__):
        raise error

    monkeypatch.setattr(import_module("termburst.questions.term_table_plan"), "table_of", beyond)
    assert said in fault("terms", saved)
    monkeypatch.setenv("TERMBURST_DEBUG", "1")
    with pytest.raises(type(error)):
        fault("terms", saved)


def test_a_top_above_all_terms_gives_all_terms(done, saved):
    everything = done("terms", saved, "-f", "csv").raw
    for top in (HUGE, 2**63, 2**64):
        assert done("terms", saved, "-f", "csv", "--top", top).raw == everything
        assert len(done("terms", saved, "--top", top).out.splitlines()) == 8  # two lines above the table


@pytest.mark.parametrize(
    "arguments",
    [["--top", f"-{HUGE}"], ["--min-count", f"-{HUGE}"], ["--max-document-mb", HUGE], ["--top", "1" * 5000]],
)
def test_huge_numbers(fault, saved, arguments):
    assert arguments[0] in fault("terms", saved, *arguments)


DEEP = 100_000
HEADERS = {
    "deep": "[" * DEEP + "]" * DEEP,
    "deeper": '{"a":' * DEEP,
    "list": "[1, 2]",
    "number": "7",
    "string": '"version"',
    "null": "null",
    "no JSON": "{",
    "digits": "9" * 5000,
}
FIELDS = {
    "version": [[], None],
    "detail": [5, [], {}],
    "named": [None, "yes", []],
    "lengths": [5, "4", [None], [[4]], {"4": 1}],
    "length_documents": [None, ["x"], [float("inf")], [2**70]],
    "batches": ["x", 5, [{}], [1], {"a": 1}],
    "counting": [[], 5, "x", {"ngrams": 5}, {"stop_words": 5}, {"stop_words": [1]}, {"lowercase": []}, {"no": 1}],
    "min_count": [None, float("inf"), "x", [], True],
    "digest": [None, 5, []],
}


@pytest.mark.parametrize("case", HEADERS)
def test_an_invalid_header(fault, saved, tmp_path, case):
    path = tmp_path / "h.parquet"
    pl.read_parquet(saved).write_parquet(path, metadata={"termburst": HEADERS[case]})
    for command in (["stats", "show", path], ["terms", path], ["stats", "add", path, saved]):
        assert "h.parquet" in fault(*command)


@pytest.mark.parametrize("field", FIELDS)
def test_a_header_with_wrong_types(fault, saved, tmp_path, field):
    """The digest is correct, if one can be computed."""
    path, frame = tmp_path / "h.parquet", pl.read_parquet(saved)
    good = json.loads(pl.read_parquet_metadata(saved)["termburst"])
    for value in FIELDS[field]:
        header = good | {field: value}
        frame.write_parquet(path, metadata={"termburst": json.dumps(header)})
        if field != "digest":
            seal(path)
        assert "h.parquet" in fault("stats", "show", path), value


def panicking(saved, path):
    """Make a damaged copy at which Polars panics: one byte in the description of the columns is changed."""
    content = saved.read_bytes()
    for at in range(len(content) - 9, 4, -1):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
        try:
            pl.read_parquet(path)
        except pl.exceptions.PanicException:
            return True
        except Exception:  # damage that Polars reports
            continue
    return False


@pytest.mark.parametrize("command", [["stats", "show"], ["terms"], ["terms", "--text", "term"]])
def test_a_panic_of_the_parquet_reader_is_one_line(process, saved, tmp_path, capfd, command):
    path = tmp_path / "damaged.parquet"
    assert panicking(saved, path)
    capfd.readouterr()
    outcome = process(*command, path)
    assert outcome.code == 2
    assert outcome.err.startswith("termburst: ")
    assert "damaged.parquet" in outcome.err
    assert outcome.err.count("\n") == 1, outcome.err


PRINTING = {
    "table": "terms {}",
    "csv": "terms {} -f csv",
    "json": "terms {} -f json",
    "parquet": "terms {} -f parquet",
    "keyness": "keyness {} {} -f csv",
    "explain": "explain {} so",
    "show": "stats show {}",
    "show as JSON": "stats show {} --json",
    "help": "--help",
    "help of a command": "terms --help",
    "version": "--version",
}


@pytest.fixture
def shell(plain_environment, forked_command, saved):
    """Run a command in a shell, with a pipe or a redirection after it; return its exit code and standard error.

    With PYTHONUNBUFFERED it is a new Python, which reads this while it starts.
    """

    def call(arguments, behind, **environment):
        start = shlex.join([sys.executable, "-m", "termburst"] if any(environment.values()) else forked_command)
        command = f"{start} {arguments.format(saved, saved)} {behind}"
        ran = subprocess.run(
            ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"],
            capture_output=True,
            env={k: v for k, v in plain_environment.items() if k != "PYTHONUNBUFFERED"}
            | {"PYTHONWARNINGS": "ignore"}
            | environment,
            timeout=PATIENCE,
            check=False,
        )
        return ran.returncode, ran.stderr.decode()

    return call


@unix
@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
@pytest.mark.parametrize("case", PRINTING)
def test_a_full_disk_and_a_closed_pipe(shell, case):
    code, said = shell(PRINTING[case], "> /dev/full")
    assert (code, said.count("\n")) == (2, 1), said
    assert said.endswith("written to standard output: No space left on device\n") or said.endswith(
        "standard output cannot be written: No space left on device\n"
    )
    assert shell(PRINTING[case], "| true") == (141, "")


@unix
@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_pipe_that_reads_only_the_first_line(shell, tmp_path, unbuffered):
    corpus = tmp_path / "many.txt"
    corpus.write_text("".join(f"word{i} word{i} bb\n" for i in range(9_000)), encoding="utf-8")
    for format in ("table", "csv", "json"):
        ended = shell(f"terms {corpus} --top 9000 -f {format}", "| head -1", PYTHONUNBUFFERED=unbuffered)
        assert ended == (141, "")


@unix
def test_an_error_message_that_cannot_be_written(shell):
    for unbuffered in ("", "1"):
        for arguments in ("terms missing.txt", "terms", "stats"):
            assert shell(arguments, "2> /dev/full", PYTHONUNBUFFERED=unbuffered)[0] == 2


@unix
@pytest.mark.slow
@pytest.mark.parametrize("where", ["2> /dev/full", "2>&1 > /dev/null | true"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_a_message_that_cannot_be_written_does_not_stop_the_work(shell, tmp_path, where):
    corpus, output = tmp_path / "c.txt", tmp_path / "o.csv"
    corpus.write_text("=cmd so =cmd so =cmd\nso it goes\n", encoding="utf-8")
    for unbuffered in ("", "1"):
        command = f"terms {corpus} -f csv --min-count 1 --token-pattern '\\S+' -o {output}"
        assert shell(command, where, PYTHONUNBUFFERED=unbuffered)[0] == 0
        assert "'=cmd" in pl.read_csv(output)["term"]
        output.unlink()


STOP_WORDS = {
    "folder": (lambda path: path.mkdir(), "is a folder"),
    "no UTF-8": (lambda path: path.write_bytes(b"the\nof\nna\xefve\n"), "line 3, is not UTF-8"),
    "binary": (lambda path: path.write_bytes(b"the\no\0f\n"), "line 2, contains a NUL character"),
}


@pytest.mark.parametrize("case", STOP_WORDS)
def test_stop_words_that_cannot_be_read(fault, corpus, tmp_path, case):
    path = tmp_path / "stop.lst"
    make, said = STOP_WORDS[case]
    make(path)
    line = fault("terms", corpus, "--lines", "--stop-words", path)
    assert "--stop-words: " in line
    assert str(path) in line
    assert said in line
    assert "neither" not in line


@unix
def test_stop_words_that_are_a_link_a_pipe_or_not_readable(fault, corpus, tmp_path):
    path = tmp_path / "stop.lst"
    path.symlink_to(tmp_path / "nothing")
    assert "cannot be read (No such file" in fault("terms", corpus, "--lines", "--stop-words", path)
    path.unlink()
    os.mkfifo(path)
    assert "is not a regular file" in fault("terms", corpus, "--lines", "--stop-words", path)
    path.unlink()
    assert "there is no file" in fault("terms", corpus, "--lines", "--stop-words", path)
    if os.geteuid() != 0:  # root may read everything
        path.write_text("the\n", encoding="utf-8")
        path.chmod(0)
        assert "cannot be read (Permission denied)" in fault("terms", corpus, "--lines", "--stop-words", path)
