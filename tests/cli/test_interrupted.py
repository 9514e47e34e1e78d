"""`stats build` interrupted in different ways and started again: each document is counted once."""

import gzip
import json
import random
import re
import signal
import subprocess
import sys
import time

import polars as pl
import pytest

import termburst as tb
from termburst.counting import plain_tokenizer, tokenizer
from termburst.reading import readers
from termburst.statistics import building, term_statistics
from termburst.statistics.runs import Run

unix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
load = tb.TermStatistics.load
COMPLEX = r"\w+'\w+|\w\w+"  # not a character class, so scikit-learn's code counts it


def made_up(megabytes, seed=5):
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(20_000)]
    size, lines = 0, []
    while size < megabytes * 1e6:
        lines.append(" ".join(words[int(20_000 * rng.random() ** 4)] for _ in range(rng.randrange(0, 250))))
        size += len(lines[-1])
    return lines


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A folder with three megabytes of lines, compressed lines and a table."""
    folder = tmp_path_factory.mktemp("large")
    lines = made_up(3)
    (folder / "c.jsonl").write_text(
        "".join(json.dumps({"text": line}) + "\n" for line in lines[:400]), encoding="utf-8"
    )
    pl.DataFrame({"text": lines[400:1000]}).write_parquet(folder / "d.parquet", row_group_size=50)
    (folder / "f.jsonl.gz").write_bytes(gzip.compress("".join(f'{{"text": "{t}"}}\n' for t in lines[1000:]).encode()))
    for i in range(150):
        (folder / f"{'be'[i % 2]}{i}.txt").write_text(lines[i], encoding="utf-8")
    return folder


@pytest.fixture
def interrupted(run, monkeypatch, tmp_path):
    """Build in this process with small chunks and a checkpoint after each; stop *after* this number of parts."""
    monkeypatch.setattr(plain_tokenizer, "SMALL", -1)
    monkeypatch.setattr(tokenizer, "CHUNK", 20_000)
    monkeypatch.setattr(building, "SHARE", float("inf"))

    def build(corpus, *options, after, error=KeyboardInterrupt, to="out.parquet"):
        parts = 0

        def stopping(*arguments, **more):
            nonlocal parts
            for part in term_statistics.partial_statistics(*arguments, **more):
                yield part
                parts += 1
                if parts == after:
                    raise error

        with monkeypatch.context() as patch:
            patch.setattr(building, "partial_statistics", stopping)
            return run("stats", "build", corpus, "-o", tmp_path / to, "--checkpoint", 1e-9, *options)

    return build


def last_run(partial):
    """The last run of a build that was interrupted, and how many documents there are up to it."""
    run = max(partial.iterdir())
    return run, Run(run).header["place"]["documents"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [[], ["--memory", "4GB"], ["--detail", "moments", "--ngrams", "1,2"], ["--token-pattern", COMPLEX]]
)
def test_a_build_resumes_where_it_stopped(interrupted, run, large, tmp_path, options, monkeypatch):
    opened = readers.open_corpus

    def small_batches(corpus, *more, **others):
        from dataclasses import replace

        found = opened(corpus, *more, **others)
        return replace(found, _options=replace(found._options, batch_documents=70))

    monkeypatch.setattr(readers, "open_corpus", small_batches)
    target, partial = tmp_path / "out.parquet", tmp_path / ".out.parquet.partial"
    counted = []
    for after in (1, 3, 2):
        outcome = interrupted(large, *options, after=after)
        assert outcome.code == 130, outcome
        if counted:
            assert f"resumed: skipped {counted[-1]:,} documents that were counted before\n" in outcome.err
        assert not target.exists()
        counted.append(last_run(partial)[1])
    assert counted == sorted(set(counted))
    outcome = run("stats", "build", large, "-o", target, *options, "--quiet")
    assert (outcome.code, outcome.err) == (0, f"resumed: skipped {counted[-1]:,} documents that were counted before\n")
    assert run("stats", "build", large, "-o", tmp_path / "whole.parquet", "--checkpoint", 0, *options, "--quiet") == (
        0,
        b"",
        "",
    )
    whole = tmp_path / "whole.parquet"
    assert load(target) == load(whole)
    assert target.read_bytes() == whole.read_bytes() or "--memory" in options  # whose runs are merged by ranges
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.parquet", "whole.parquet"]


def test_finished_files_are_not_opened_again(interrupted, run, tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    folder.mkdir()
    for i, line in enumerate(made_up(0.5)[:300]):
        (folder / f"{i:03}.txt").write_text(line, encoding="utf-8")
    assert interrupted(folder, after=4).code == 130
    done = last_run(tmp_path / ".out.parquet.partial")[1]
    from termburst.reading import file_readers

    seen, read = [], file_readers.read_whole
    monkeypatch.setattr(file_readers, "read_whole", lambda file, *more: seen.append(file.label) or read(file, *more))
    assert run("stats", "build", folder, "-o", tmp_path / "out.parquet").code == 0
    assert sorted(seen) == [f"{i:03}.txt" for i in range(done, 300)]
    assert load(tmp_path / "out.parquet").documents == 300


@pytest.mark.slow
def test_another_build_is_replaced_only_with_fresh(interrupted, run, fault, tmp_path):
    corpus, target = tmp_path / "corpus.txt", tmp_path / "out.parquet"
    lines = made_up(0.3)
    corpus.write_text("\n".join(lines), encoding="utf-8")
    assert interrupted(corpus, "--lines", after=3).code == 130
    partial = tmp_path / ".out.parquet.partial"
    last, _ = last_run(partial)
    kept = {path: path.read_bytes() for path in partial.iterdir()}
    for options, said in ((["--ngrams", 2], "counting options"), (["--detail", "moments"], "detail")):
        assert re.search(
            rf"partial contains documents of another build, which differs in the {said}: give --fresh to count again",
            fault("stats", "build", corpus, "--lines", "-o", target, *options),
        )
        assert kept == {path: path.read_bytes() for path in partial.iterdir()}
        assert run("stats", "build", corpus, "--lines", "-o", target, *options, "--fresh", "--quiet") == (0, b"", "")
        assert not partial.exists()
        partial.mkdir()
        for path, content in kept.items():
            path.write_bytes(content)
    last.write_bytes(kept[last][:-50])
    refused = fault("stats", "build", corpus, "--lines", "-o", target)
    assert re.search(
        r"\.partial/\d+\.run is not a build that can be resumed \(.*\): give --fresh to replace it", refused
    )
    assert last.read_bytes() == kept[last][:-50]
    with corpus.open("a", encoding="utf-8") as stream:
        stream.write("\nmore of the same")
    assert "which differs in the corpus, or how it is read" in fault("stats", "build", corpus, "--lines", "-o", target)
    assert run("stats", "build", corpus, "--lines", "-o", target, "--fresh", "--quiet") == (0, b"", "")
    assert load(target) == tb.TermStatistics.from_texts([*lines, "more of the same"], "patterns")


def test_a_build_into_the_folder_of_its_corpus_resumes(interrupted, run, tmp_path):
    folder, lines = tmp_path / "folder", made_up(0.3)
    folder.mkdir()
    (folder / "corpus.txt").write_text("so it goes", encoding="utf-8")
    (folder / "lines.csv").write_text("text\n" + "\n".join(lines), encoding="utf-8")
    assert interrupted(folder, after=3, to="folder/out.parquet").code == 130
    outcome = run("stats", "build", folder, "-o", folder / "out.parquet")
    assert outcome.code == 0
    assert outcome.err.startswith("resumed: ")
    assert load(folder / "out.parquet") == tb.TermStatistics.from_texts(["so it goes", *lines], "patterns")


def test_fresh_ignores_an_interrupted_build(interrupted, run, tmp_path):
    corpus, target = tmp_path / "corpus.txt", tmp_path / "out.parquet"
    lines = made_up(0.3)
    corpus.write_text("\n".join(lines), encoding="utf-8")
    assert interrupted(corpus, "--lines", after=3).code == 130
    partial = tmp_path / ".out.parquet.partial"
    assert run("stats", "build", corpus, "--lines", "-o", target, "--fresh", "--quiet") == (0, b"", "")
    assert load(target) == tb.TermStatistics.from_texts(lines, "patterns")
    assert not partial.exists()


def test_a_build_resumes_with_another_batch_limit_or_min_count(interrupted, run, tmp_path):
    corpus, target = tmp_path / "corpus.txt", tmp_path / "out.parquet"
    lines = made_up(0.3)
    corpus.write_text("\n".join(lines), encoding="utf-8")
    assert interrupted(corpus, "--lines", after=3).code == 130
    outcome = run(
        "stats", "build", corpus, "--lines", "-o", target, "--batch", "b", "--min-count", 9, "--max-document-mb", 1
    )
    assert outcome.err.startswith("resumed: ")
    s, whole = load(target), tb.TermStatistics.from_texts(lines, "patterns")
    assert s.batches == ("b",)
    assert s.terms.tolist() == whole.prune(9).terms.tolist()


def test_a_checkpoint_that_cannot_be_written_does_not_stop_the_build(interrupted, tmp_path, monkeypatch):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(made_up(0.2)), encoding="utf-8")

    def full(*_, **__):
        raise ValueError("the disk is full")

    monkeypatch.setattr(building, "write_run", full)
    outcome = interrupted(corpus, "--lines", after=10**9)
    assert outcome.code == 0
    assert "the disk is full; the build continues" in outcome.err
    assert (tmp_path / "out.parquet").exists()


def test_standard_input_has_no_checkpoint(process, tmp_path):
    text = "\n".join(made_up(0.4)).encode()
    outcome = process(
        "stats", "build", "-", "-o", tmp_path / "out.parquet", "--checkpoint", 1e-9, "--quiet", stdin=text
    )
    assert (outcome.code, outcome.err) == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]


def test_min_count(done, fault, corpus, tmp_path, texts):
    target, whole = tmp_path / "few.parquet", tb.TermStatistics.from_texts(texts)
    done("stats", "build", corpus, "--lines", "-o", target, "--min-count", 60)
    few = load(target)
    assert 0 < few.vocabulary_size < whole.vocabulary_size
    assert (few.documents, few.tokens, few.mean_length) == (whole.documents, whole.tokens, whole.mean_length)
    assert few.collection_frequency.tolist() == whole.prune(60).collection_frequency.tolist()
    assert json.loads(done("stats", "show", target, "--json").raw)["min_count"] == 60
    assert "fewer than 60 times" in fault("stats", "add", target, corpus, "--lines")
    assert "fewer than 60 times" in fault("stats", "merge", target, target, "-o", tmp_path / "m.parquet")
    assert "no term occurs 9,000 times" in fault("stats", "build", corpus, "--lines", "-o", target, "--min-count", 9000)


@unix
def test_killed_at_any_moment(process, plain_environment, tmp_path):
    """The benchmark kill_resume.py does the same in other ways, fifty times."""
    options = ["--lines", "--quiet"]
    corpus, target = tmp_path / "corpus.txt", tmp_path / "out.parquet"
    corpus.write_text("\n".join(made_up(8)), encoding="utf-8")  # several batches, and so several checkpoints
    began = time.monotonic()
    assert process("stats", "build", corpus, "-o", tmp_path / "whole.parquet", *options).code == 0
    took = time.monotonic() - began
    rng, said = random.Random(3), b""
    partial = tmp_path / ".out.parquet.partial"
    command = [
        sys.executable,
        "-m",
        "termburst",
        "stats",
        "build",
        corpus,
        "-o",
        target,
        "--checkpoint",
        "0.05",
        *options,
    ]
    for k, number in enumerate([signal.SIGKILL] * 3 + [signal.SIGTERM, signal.SIGINT]):
        before = partial.stat().st_mtime_ns if partial.exists() else 0
        with subprocess.Popen(command, env=plain_environment, stderr=subprocess.PIPE) as ran:
            if k:  # soon after a checkpoint, so that there is something to resume on a slow machine, too
                while ran.poll() is None and not (partial.exists() and partial.stat().st_mtime_ns != before):
                    time.sleep(0.005)
                time.sleep(rng.uniform(0, 0.1))
            else:
                time.sleep(rng.uniform(0.4, 1) * took)
            ran.send_signal(number)
            said += ran.stderr.read()
        assert b"Traceback" not in said
        assert ran.returncode in {0, -number, 128 + number}
        if target.exists():  # finished, even if the process has not ended
            break
    assert process(*command[3:]).code == 0
    assert b"resumed: " in said
    assert target.read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.txt", "out.parquet", "whole.parquet"]
