"""Work on all cores stops soon after Ctrl-C, not only when it has finished."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import narwhals.stable.v2 as nw
import polars as pl
import pytest

import termburst as tb
from helpers.processes import PATIENCE
from termburst.backends.stream import spooled, stream
from termburst.threads import PART, PARTS, Aside, Stopped, Work, check_given_up, in_threads, over_parts, parts_of

WORK = {
    "fit_beta_binomial": "while True: tb.fit_beta_binomial(X)",
    "permutation": "while True: tb.keyness(X[:4000], X[4000:], method='permutation')",
}


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
@pytest.mark.parametrize("work", WORK)
def test_compiled_loops_answer_ctrl_c(work):
    script = f"""
        import numpy as np, scipy.sparse as sp, termburst as tb
        random = np.random.default_rng(1)
        places = np.repeat(np.arange(8000), 100), random.zipf(1.3, 800_000) % 50_000
        X = sp.csr_array((np.ones(800_000, dtype=int), places), shape=(8000, 50_000))
        tb.fit_beta_binomial(X[:10])
        print("ready", flush=True)
        {WORK[work]}
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=PATIENCE)  # one second on an idle machine
    finally:
        process.kill()
    assert "KeyboardInterrupt" in err


SOON = 30  # seconds; one on an idle machine
LONG = {  # a compiled function that takes ten minutes
    "parts": "in_threads(lambda _: wait(600), range(9))",
    "one part": "in_threads(lambda _: wait(600), range(1))",
    "aside": "with Aside() as aside: aside.submit(wait, 600).get()",
    "nested": "in_threads(lambda _: in_threads(lambda _: wait(600), range(9)), range(9))",
    "test": "overdispersion.fit_beta_binomial = lambda _: in_threads(lambda _: wait(600), [0]); tb.burstiness_test(X)",
    "command": "core.fit_terms = lambda *_: wait(600); main()",
}


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
@pytest.mark.parametrize("work", LONG)
def test_ctrl_c_does_not_wait_for_compiled_code(work, tmp_path):
    script = f"""
        import ctypes, os, sys
        import termburst as tb
        from termburst.cli import main
        from termburst.core import beta_binomial as core
        from termburst.inference import overdispersion
        from termburst.threads import Aside, in_threads

        X = [[4, 1, 20], [0, 1, 24], [0, 1, 22], [0, 1, 23]]
        tb.TermStatistics.from_counts(X, ["ha", "no", "so"], "patterns").save("s.parquet")
        sys.argv = ["termburst", "terms", "s.parquet", "--test", "--min-count", "1"]
        sleep = ctypes.CDLL(None).sleep

        def wait(seconds):
            os.write(1, b"ready\\n")  # print may still hold its lock when Ctrl-C ends the process
            sleep(seconds)

        {LONG[work]}
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    try:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SOON)
    finally:
        process.kill()
    if work == "command":
        assert (process.returncode, err) == (130, "termburst: stopped\n")
    else:
        assert err.endswith("KeyboardInterrupt\n")


def test_the_error_of_the_first_part_is_raised_and_no_part_is_begun_after_it():
    begun = []

    def fail(part):
        begun.append(part)
        raise ValueError(f"part {part}")

    with pytest.raises(ValueError, match="part 0"):
        in_threads(fail, range(1000))
    assert len(begun) <= 2 * (os.cpu_count() or 1)


def test_an_error_beside_the_other_thread_gives_up_its_work():
    begun, seen = threading.Event(), []

    def loop():
        begun.set()
        try:
            while True:
                check_given_up()
        except Stopped:
            seen.append("stopped")
            raise

    with pytest.raises(ZeroDivisionError), Aside() as aside:  # noqa: PT012
        result = aside.submit(in_threads, lambda _: loop(), range(3))
        begun.wait()
        raise ZeroDivisionError
    with pytest.raises(Stopped):
        result.get()
    assert 1 <= len(seen) <= 3


def test_parts_cover_all_terms_once():
    for cells in [0, PART, 3 * PART, 10**9]:
        for terms in [0, 1, 2, 63, 64, 1_000]:
            parts = parts_of(cells, terms)
            assert sorted(i for part in parts for i in range(terms)[part]) == list(range(terms))
            assert len(parts) == max(min(cells // PART, terms, PARTS), 1)


def test_little_work_is_done_in_this_thread_and_more_in_others():
    seen = []
    over_parts(lambda part: seen.append(threading.current_thread()), PART)
    assert seen == [threading.current_thread()]
    over_parts(lambda part: seen.append(threading.current_thread()), 2 * PART)
    assert threading.current_thread() not in seen[1:]
    assert len(seen) == 3
    over_parts(lambda part: seen.append(threading.current_thread()), 2 * PART, terms=1)  # one, but a long one
    assert seen[3] is not threading.current_thread()


def test_work_without_parts():
    in_threads(print, [])
    assert not Work().given_up


def test_reading_ends_with_the_batch_if_the_work_is_given_up(tmp_path):
    (tmp_path / "lines.txt").write_text("so it goes\n" * 20_000, encoding="utf-8")
    work, seen = Work(), []

    def tokens(text):
        seen.append(text)
        work.give_up()
        return text.split()

    corpus = tb.scan(tmp_path / "lines.txt", lines=True, tokenizer=tokens)
    with pytest.raises(Stopped):
        work.start(lambda: corpus.statistics).get()
    assert 0 < len(seen) < 20_000


def test_rows_of_an_engine_end_with_the_batch_if_the_work_is_given_up():
    work, batches = Work(), []
    frame = nw.from_native(pl.LazyFrame({"term": ["so"] * 100}))

    def read():
        for batch in stream(frame, 10):
            batches.append(batch.height)
            work.give_up()

    with pytest.raises(Stopped):
        work.start(read).get()
    assert batches == [10]


def test_results_end_with_the_part_if_the_work_is_given_up():
    work, parts = Work(), []

    def some():
        for number in range(9):
            parts.append(number)
            work.give_up()
            yield pl.DataFrame({"n": [number]})

    with pytest.raises(Stopped):
        work.start(spooled, some(), {"n": pl.Int64}, nw.from_native(pl.LazyFrame())).get()
    assert parts == [0]
