"""Limits on the command line: endless patterns, tables of all terms, very long labels."""

import io
import json
import os
import signal
import subprocess
import sys
import textwrap
import zipfile

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from termburst.cli.output import print_table
from termburst.counting.options import CountingOptions
from termburst.counting.pattern_clock import pattern_limit
from termburst.display import printable
from termburst.statistics.term_statistics import TermStatistics

ENDLESS = r"(?:\w+)+x"
needs_timer = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no such timer here")


@pytest.fixture
def long_word(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("so it goes\n" + "a" * 60 + "\n", encoding="utf-8")
    return path


# ---- archives


def test_the_size_of_archives(done, fault, tmp_path):
    path = tmp_path / "corpus.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for k in range(3):
            archive.writestr(f"{k}.txt", "so it goes " * 50_000)
    message = fault("terms", path, "--max-archive-mb", 1)
    assert "more than 1 MB" in message
    assert "--max-archive-mb" in message
    message = fault("terms", path, "--max-archive-files", 2)
    assert "more than 2 files" in message
    assert "--max-archive-files" in message
    limits = ["--max-archive-mb", 2, "--max-archive-files", 3]
    assert done("terms", path, *limits, "--format", "json").rows["so"]["n"] == 150_000


# ---- token patterns


@pytest.mark.slow
@needs_timer
@pytest.mark.parametrize("command", ["terms", "weigh", "stats"])
def test_a_pattern_that_never_ends_is_stopped(fault, long_word, tmp_path, command):
    output = tmp_path / ("w.npz" if command == "weigh" else "s.parquet")
    words = {"terms": ["terms", long_word], "weigh": ["weigh", long_word, "-o", output]}.get(
        command, ["stats", "build", long_word, "-o", output]
    )
    before = signal.getsignal(signal.SIGVTALRM)
    message = fault(*words, "--token-pattern", ENDLESS, "--pattern-seconds", 1)
    assert "more than 1 seconds of processor time" in message
    assert "--pattern-seconds" in message
    assert signal.getsignal(signal.SIGVTALRM) == before
    assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0
    assert not output.exists()


@needs_timer
def test_each_document_has_the_full_time(done, tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("so it goes\n" * 1000, encoding="utf-8")
    found = done("terms", path, "--lines", "--token-pattern", r"(?:\w)+", "--format", "json")
    assert found.rows["so"]["n"] == 1000


@needs_timer
def test_the_limit_is_per_document_and_ends_with_the_context():
    with pattern_limit(1000):
        assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0  # no text is being searched
    assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0


@pytest.mark.slow
@needs_timer
def test_a_signal_such_as_ctrl_c_ends_it_in_python():
    before = signal.signal(signal.SIGVTALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 1)  # a thread could not send a signal: `re` keeps the lock
        with pytest.raises(KeyboardInterrupt):
            TermStatistics.from_texts(["a" * 60], counting=CountingOptions(token_pattern=ENDLESS))
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


# ---- tables


WORDS = [
    "so",
    "été",
    "日本語",
    "a\x1bb",
    "x" * 60,
    "👩‍👩‍👧",
    "a\u0301",
    "[bold]x",
    ":smile:",
    "–",
    "\t",
    "עברית",
    "",
    " ",
    "ｆｕｌｌ",
]


def frame_of(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "term": [WORDS[k % len(WORDS)] for k in range(rows)],
            "n": rng.integers(0, 10**7, rows),
            "λ": rng.normal(size=rows) * 10.0 ** rng.integers(-9, 9, rows),
            "null": pl.Series([None] * rows, dtype=pl.Float64),
            "status": ["valid"] * rows,
        }
    )


def test_a_table_looks_like_one_of_rich():
    frame = frame_of(45)
    table = Table(box=None, pad_edge=False)
    for name, kind in frame.schema.items():
        table.add_column(name, justify="right" if kind.is_numeric() else "left", no_wrap=True)
    for row in frame.iter_rows():
        table.add_row(*(Text(_shown(value)) for value in row))
    expected, found = io.StringIO(), io.StringIO()
    Console(file=expected, width=100_000).print(table)
    print_table(frame, file=found)
    assert found.getvalue() == expected.getvalue()


def _shown(value) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.2f}" if 10 <= abs(value) < 1e9 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else printable(value)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX limits of processor time")
def test_a_table_of_all_terms_takes_seconds(tmp_path):
    path = tmp_path / "t.parquet"
    frame_of(80_000).write_parquet(path)
    code = f"""
    import io, resource
    import polars as pl
    from termburst.cli.output import print_table
    resource.setrlimit(resource.RLIMIT_CPU, (40, 40))
    text = io.StringIO()
    print_table(pl.read_parquet({str(path)!r}), file=text)
    print(text.getvalue().count("\\n"))
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert run.stdout == "80001\n", (run.returncode, run.stderr)


# ---- labels, ids and n-grams


def test_very_long_labels_are_cut(done, tmp_path):
    path = tmp_path / "by.csv"
    rows = [("so it goes so", "K" * 60_000), ("it goes on", "L" * 60_000)] * 5
    path.write_text("text,group\n" + "".join(f"{text},{label}\n" for text, label in rows), encoding="utf-8")
    assert max(map(len, done("keyness", path, "--by", "group").out.splitlines())) < 300  # a sentence names each twice
    path.write_text("text,group\n" + "".join(f"{text},{label}\n" for text, label in [*rows, ("so", "M")]), "utf-8")
    assert max(map(len, done("keyness", path, "--by", "group").out.splitlines())) < 300


def test_n_grams_are_bounded(fault, long_word):
    for asked in ("1,1000000000", "101", "9" * 4000):
        assert "at most 100 tokens" in fault("terms", long_word, "--ngrams", asked)
    assert len(fault("terms", long_word, "--ngrams", "9" * 6000)) < 300


def test_json_nested_too_deeply_is_refused_with_its_line(fault, tmp_path):
    path = tmp_path / "t.jsonl"
    for value in ("[" * 10**5, "[" * 10**5 + "]" * 10**5):
        path.write_text(json.dumps({"text": "so"}) + '\n{"text": ' + value + "}\n", encoding="utf-8")
        assert f"{path}, line 2:" in fault("terms", path)
