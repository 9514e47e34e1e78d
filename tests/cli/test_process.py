"""The command in its own process: terminals, pipes and signals."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

import termburst as tb
from helpers.processes import PATIENCE

unix = pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals and POSIX signals")


@pytest.fixture
def popen(plain_environment):
    def start(*arguments: object, **options):
        command = [sys.executable, "-m", "termburst", *map(str, arguments)]
        return subprocess.Popen(command, env=plain_environment | {"TERM": "xterm"}, **options)

    return start


def test_demo(process, tmp_path):
    page = tmp_path / "demo.html"
    outcome = process("demo", "--top", 5, "-o", page, TERMBURST_DATA="")  # so with the docstrings
    assert (outcome.code, outcome.err) == (0, "")
    assert re.search(r"^\d+ documents, [\d,]+ tokens, [\d,]+ terms, mean length [\d.]+$", outcome.out, re.MULTILINE)
    words = re.findall(r"^  (\S+): .*in \d+ of \d+ modules", outcome.out, re.MULTILINE)
    assert len(words) == 5
    assert "and once used, it is used again in" in outcome.out
    differ, cried = (
        int(re.search(pattern, outcome.out)[1].replace(",", ""))
        for pattern in (r"([\d,]+) words surely differ:", r"would call ([\d,]+) different\.")
    )
    assert 0 < differ < cried
    assert re.search(r"^  more often at the top level: \w+, \w+", outcome.out, re.MULTILINE)
    assert "λ" not in outcome.out
    assert re.search(r"Read in [\d.]+ s; counted and fitted [\d,]+ terms in [\d.]+ s\.", outcome.out)
    assert page.as_uri() in outcome.out
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_version(process, done):
    assert process("--version") == (0, f"termburst {tb.__version__}{os.linesep}".encode(), "")
    assert done("--version").out == f"termburst {tb.__version__}\n"


def test_help(run):
    helped = run("-h")
    assert helped.code == 0
    assert helped.raw == run("--help").raw
    for command in ("demo", "terms", "explain", "weigh", "report", "keyness", "stats"):
        assert command in helped.out
    bare = run()
    assert bare.code in (0, 2)  # it differs between versions of Click and Typer
    assert "Usage: termburst" in bare.out + bare.err
    assert "--stop-words" in run("terms", "-h").out
    assert "subtract" in run("stats", "-h").out


def test_an_output_encoding_without_greek(process, corpus):
    for arguments in (["-h"], ["terms", corpus, "--lines", "--quiet"]):
        outcome = process(*arguments, PYTHONIOENCODING="ascii")
        assert (outcome.code, outcome.err) == (0, "")


def test_a_warning_is_one_line(process, tmp_path):
    path = tmp_path / "bursts.txt"
    path.write_text("aa aa aa aa bb\naa cc\ncc bb\n", encoding="utf-8")
    outcome = process("terms", path, "--lines", "--quiet", "--format", "json", "--sigma2", 100, "--form", "exact")
    assert outcome.code == 0
    assert re.fullmatch(r"termburst: warning: [^\n]+\n", outcome.err)
    assert {row["plr"] for row in outcome.rows.values()} == {None}  # JSON has no NaN


@unix
def test_progress_is_drawn_on_a_terminal_only(popen, corpus):
    import pty

    terminal, end = pty.openpty()
    with popen("terms", corpus, "--lines", "-f", "csv", stdout=subprocess.PIPE, stderr=end) as ran:
        os.close(end)
        drawn = b""
        try:
            while part := os.read(terminal, 4096):
                drawn += part
        except OSError:  # Linux raises this when the other end is closed
            pass
        out = ran.stdout.read()
    os.close(terminal)
    assert ran.returncode == 0
    assert b"Reading" in drawn
    assert out.startswith(b"term,")
    assert b"\x1b" not in out


@unix
@pytest.mark.parametrize("command", [["terms", "-", "-o", "out.csv"], ["weigh", "-", "-o", "out.npz"]])
def test_ctrl_c(popen, tmp_path, command):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with popen(*command, cwd=tmp_path, **pipes) as ran:
        ran.stdin.write(b"so it goes\n" * 200_000)  # more than a pipe can hold: this returns when the command reads
        ran.stdin.flush()
        time.sleep(1)  # until it waits for more; a signal between two reads of a buffer is noticed only later
        ran.send_signal(signal.SIGINT)
        assert ran.wait(PATIENCE) == 130
        assert ran.stdout.read() == b""
        assert b"Traceback" not in ran.stderr.read()
        ran.stdin.close()
    assert list(tmp_path.iterdir()) == []


@unix
@pytest.mark.parametrize("format", ["table", "csv"])
def test_a_pipe_closed_early(popen, tmp_path, format):
    path = tmp_path / "many.txt"
    path.write_text("".join(f"word{i} word{i} bb\n" for i in range(2_500)), encoding="utf-8")
    with popen(
        "terms", path, "--lines", "--quiet", "--top", 0, "-f", format, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as ran:
        assert ran.stdout.readline()
        ran.stdout.close()
        assert ran.stderr.read() == b""
    assert ran.returncode != 2


def test_a_single_document_gives_a_warning(process, tmp_path):
    path = tmp_path / "novel.txt"
    path.write_text("call me so so so", encoding="utf-8")
    outcome = process("terms", path)
    assert outcome.code == 0
    said = (
        f"termburst: warning: {path} is a single document, but burstiness shows only between documents; --lines makes"
    )
    assert outcome.err.startswith(said)
