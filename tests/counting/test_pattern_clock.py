"""A token pattern that was read from a file runs only under a limit of time."""

import copy
import json
import pickle
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

import termburst as tb
from termburst.counting import pattern_clock
from termburst.counting.pattern_clock import StoredPattern, pattern_limit
from termburst.npz import write_arrays
from termburst.retrieval import Index

ENDLESS = r"(?:\w+)+!"
HYPHENS = r"\w+(?:-\w+)*"  # not a simple class of characters, but harmless

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no such timer")


@pytest.fixture(autouse=True)
def one_tenth_of_a_second(monkeypatch):
    monkeypatch.setattr(pattern_clock, "STORED_SECONDS", 0.1)


@pytest.fixture(name="index")
def index_with(tmp_path):
    """Save an index, replace its token pattern, and load it."""

    def make(**counting):
        path = tmp_path / "index.npz"
        Index.from_texts(["so it-goes", "so so"], counting=tb.CountingOptions(token_pattern=HYPHENS)).save(path)
        with np.load(path) as stored:
            parts = dict(stored)
        names = json.loads(parts["names"].tobytes())
        names["counting"].update(counting)
        write_arrays(path, "index", parts | {"names": np.frombuffer(json.dumps(names).encode(), dtype=np.uint8)})
        return Index.load(path)

    return make


def in_a_thread(act):
    found = []

    def run():
        try:
            found.append(act())
        except ValueError as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(20)
    return found[0]


def test_an_endless_pattern_of_an_index_is_stopped(index):
    start, before = time.monotonic(), signal.getsignal(signal.SIGVTALRM)
    with pytest.raises(ValueError, match=r"more than 0.1 seconds .* CountingOptions\(token_pattern=\.\.\.\)$"):
        index(token_pattern=ENDLESS).search("a" * 40)
    assert time.monotonic() - start < 20
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)


def test_an_endless_pattern_of_statistics_is_stopped(tmp_path):
    path = tmp_path / "s.parquet"
    tb.TermStatistics.from_texts(["so!", "it!"], counting=tb.CountingOptions(token_pattern=ENDLESS)).save(path)
    counting = tb.TermStatistics.load(path).counting
    assert counting == tb.CountingOptions(token_pattern=ENDLESS)
    with pytest.raises(ValueError, match=r"more than 0\.1 seconds"):
        counting.count(["a" * 40])
    with pytest.raises(ValueError, match=r"more than 0\.1 seconds"):
        list(counting.placed_tokens("a" * 40)[1])


def test_loading_does_not_wait_for_a_pattern_that_takes_years_on_no_text(index):
    with pytest.raises(ValueError, match=r"an index: the token pattern takes more than 0\.1 seconds"):
        index(token_pattern="(?:|)" * 40 + "(?!)")


def test_stop_words_of_a_file_cannot_make_the_pattern_run_forever(index):
    with pytest.raises(ValueError, match=r"more than 0\.1 seconds"):
        index(token_pattern=ENDLESS, stop_words=["a" * 40]).search("a" * 40)


def test_a_harmless_pattern_of_a_file_finds_the_same_tokens(index):
    loaded = index()
    assert isinstance(loaded.counting.token_pattern, StoredPattern)
    assert loaded.search("it-goes").ids == ["0"]
    assert [token for token, *_ in loaded.counting.placed_tokens("so it-goes")[1]] == ["so", "it-goes"]


def test_a_simple_pattern_of_a_file_needs_no_limit(index):
    loaded = index(token_pattern=r"\w+")
    assert type(loaded.counting.token_pattern) is str
    assert in_a_thread(lambda: loaded.search("so").ids) == ["1", "0"]


def test_in_another_thread_a_pattern_of_a_file_is_refused_until_it_is_trusted(index):
    loaded = in_a_thread(index)
    assert "was read from a file" in str(in_a_thread(lambda: loaded.search("so")))
    loaded.counting = tb.CountingOptions(token_pattern=HYPHENS)
    assert in_a_thread(lambda: loaded.search("so").ids) == ["1", "0"]


def test_copies_of_the_options_keep_the_limit(index):
    counting = index(token_pattern=ENDLESS).counting
    for each in (replace(counting, lowercase=False), copy.deepcopy(counting), pickle.loads(pickle.dumps(counting))):
        assert isinstance(each.token_pattern, StoredPattern)
    assert json.dumps(counting.to_json()) == json.dumps(tb.CountingOptions(token_pattern=ENDLESS).to_json())


def test_the_limit_of_the_command_line_is_used_if_there_is_one(index):
    loaded = index(token_pattern=ENDLESS)
    with pattern_limit(0.2), pytest.raises(ValueError, match=r"more than 0\.2 seconds .* raise pattern_seconds=$"):
        loaded.search("a" * 40)


def test_a_pattern_of_a_program_has_the_limit_of_its_options():
    options = tb.CountingOptions(token_pattern=ENDLESS, pattern_seconds=0.1)
    before = signal.getsignal(signal.SIGVTALRM)
    for search in (options.count, lambda texts: list(options.placed_tokens(texts[0])[1])):
        with pytest.raises(ValueError, match=r"more than 0\.1 seconds .* raise pattern_seconds=$"):
            search(["a" * 40])
    with pytest.raises(ValueError, match=r"more than 0\.1 seconds"):
        tb.read(["a" * 40], token_pattern=ENDLESS, pattern_seconds=0.1).counts  # noqa: B018
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)


def test_the_limit_does_not_change_what_is_counted_and_is_not_saved():
    options = tb.CountingOptions(token_pattern=HYPHENS, pattern_seconds=5)
    assert options == tb.CountingOptions(token_pattern=HYPHENS)
    assert "pattern_seconds" not in options.to_json()
    assert tb.CountingOptions.from_json(options.to_json()) == options


def test_a_signal_that_belongs_to_the_program_is_left_alone():
    seen = []
    before = signal.signal(signal.SIGVTALRM, lambda *_: seen.append("program"))
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 1000)
        options = tb.CountingOptions(token_pattern=HYPHENS, pattern_seconds=1e-6)
        assert options.count(["so it-goes"])[1].tolist() == ["it-goes", "so"]
        assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] > 900
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert not seen
