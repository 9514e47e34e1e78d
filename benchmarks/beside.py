"""Time and peak memory of each analysis in this checkout and in another one, in turn, and their ratios.

It shows whether a change made anything slower or larger. Each measurement is a separate process that loads the data,
calls the analysis once to warm up, then several times. Time is the median of these calls, as processor time, which
other work on the machine hardly changes, and by the clock; memory is the peak of the process minus what it had before
(on Linux, after a reset of the peak that the kernel measures; memory freed by the first call is returned to the system
before that, because an allocator that kept it would hide later use). Data are 20 Newsgroups: all posts for counting,
the training posts of the paper's Fig. 4 (72,916 terms) for most of the rest, 4,000 posts for frames, 2,000 files for
the command line, and 60 short made-up documents for small calls. A command is a process of its own, with its imports;
its memory is all that it has.

An analysis may have another spelling in the other checkout. Each process takes the first of the spellings that it
knows; a note says where they differ.

    TERMBURST_DATA=… python benchmarks/beside.py OTHER_PYTHON [--rounds 3] [--only NAME …]

OTHER_PYTHON is .venv/bin/python of the other checkout. On Spark, processor time is that of the driver without Java.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """An analysis: the name of its preparation, its spellings, the newest first, and the calls in a process."""

    ready: str
    spellings: tuple[str, ...]
    calls: int


def case(ready: str, calls: int, *spellings: str) -> Case:
    """A `Case`."""
    return Case(ready, spellings, calls)


GROUPS = "tb.keyness(X, by=np.arange(X.shape[0]) % 4, terms=terms, contrasts="
ANALYSES = {
    "CountVectorizer": case("texts", 5, "tb.CountVectorizer().fit_transform(texts)"),
    "CountVectorizer, pairs": case("texts", 3, "tb.CountVectorizer(ngram_range=(1, 2)).fit_transform(texts[:6000])"),
    "CountVectorizer, transform": case("vectorizer", 5, "vectorizer.transform(texts)"),
    "TermStatistics.from_texts": case("texts", 3, "tb.TermStatistics.from_texts([texts], detail='patterns')"),
    "TermStatistics.from_counts": case("X", 9, "tb.TermStatistics.from_counts(X, detail='patterns')"),
    "fit_beta_binomial": case("X", 15, "tb.fit_beta_binomial(X)"),
    "burstiness_test": case("X", 3, "tb.burstiness_test(X, terms)"),
    "burstiness_test, all columns": case(
        "X", 3, "tb.burstiness_test(X, terms, columns='all')", "tb.burstiness_test(X, terms)"
    ),
    "keyness": case("halves", 3, "tb.keyness(A, B, terms=terms)"),
    "keyness, no intervals": case("halves", 3, "tb.keyness(A, B, terms=terms, confidence=None)"),
    "keyness of burstiness": case(
        "halves",
        3,
        "tb.keyness(A, B, terms=terms, compare='burstiness')",
        "tb.keyness(A, B, terms=terms, of='burstiness')",
    ),
    **{
        f"keyness, {method}": case("halves", 3, f"tb.keyness(A, B, terms=terms, method={method!r}, confidence=None)")
        for method in ("permutation", "stratified-permutation", "fisher", "mann-whitney")
    },
    "keyness_groups": case("X", 2, f"{GROUPS}True)"),
    "keyness_groups, overall": case("X", 2, f"{GROUPS}False)"),
    "coburst": case("X", 2, "tb.coburst(X[:4000], terms=terms)"),
    "fit_dirichlet_multinomial": case("X", 3, "tb.fit_dirichlet_multinomial(X)"),
    **{
        f"TermWeighting, {scheme}": case("X", 9, f"tb.TermWeighting({scheme!r}).fit_transform(X)")
        for scheme in ("tf-idf", "bm25", "s-lambda", "damped-tf-idf", "fisher")
    },
    "Index.from_texts": case("texts", 3, "tb.retrieval.Index.from_texts(texts)"),
    "Index.batch_search": case("index", 9, "index.batch_search(queries, 10, model='bm25')"),
    "Index.search, one at a time": case("index", 9, "[index.search(query, 10) for query in queries[:200]]"),
    "small, keyness of texts": case("small", 101, "tb.keyness(texts[:30], texts[30:])"),
    "small, keyness of counts": case("small", 101, "tb.keyness(X[:30], X[30:])"),
    "small, keyness by=": case("small", 101, "corpus.keyness(by='party')"),
    "small, design": case("small", 21, "corpus.keyness('party + year')"),
    "small, design with clusters": case("small", 21, "corpus.keyness('party + year', cluster='who')"),
    "small, burstiness": case("small", 21, "corpus.burstiness()"),
    "small, BurstinessVectorizer": case("small", 101, "tb.BurstinessVectorizer().fit_transform(texts)"),
    **{
        f"{engine}, {name}": case(engine, 3, f"done(tb.scan(frame).{new})", f"done(engines.{old})")
        for engine in ("Polars", "DuckDB", "Spark")
        for name, new, old in (
            ("term table", "term_table()", "term_table(frame)"),
            ("burstiness", "burstiness()", "burstiness_test(frame)"),
            ("keyness", "keyness(by='side')", "keyness(frame, by='side')"),
        )
    },
    "command, terms": case("files", 3, "terms both"),
    "command, keyness": case("files", 3, "keyness both/a both/b"),
    "command, kwic": case("files", 3, "kwic both god"),
}
SLOW = ("Spark",)  # only if named: it starts Java

FIG4 = (
    "from termburst.paper.collections import Collections; found = Collections().fig4; "
    "X, terms = found.counts, found.terms"
)
POSTS = "texts = list(tb.datasets.load_20newsgroups('all').texts)"
FRAME = f"""{POSTS}[:4000]
import polars as pl
if hasattr(tb, "engines"):
    from termburst import engines
columns = {{"document": range(4000), "text": texts, "side": ["ab"[k % 2] for k in range(4000)]}}
pl.DataFrame(columns).write_parquet("posts")
def done(found):
    return found.collect() if hasattr(found, "collect") else found.fetchall()
"""
READY = {
    "texts": POSTS,
    "vectorizer": f"{POSTS}; vectorizer = tb.CountVectorizer().fit(texts)",
    "X": FIG4,
    "halves": f"{FIG4}; half = np.random.default_rng(0).permutation(X.shape[0]) < X.shape[0] // 2; "
    "A, B = X[half], X[~half]",
    "index": f"{POSTS}; index = tb.retrieval.Index.from_texts(texts); "
    "queries = [text.split()[5:10] for text in texts[:1000]]",
    "small": """
rng = np.random.default_rng(0)
X = rng.poisson(0.3, (60, 40)) * rng.integers(1, 4, (60, 40))
texts = [" ".join(f"w{term}" for term, count in enumerate(row) for _ in range(count)) for row in X.tolist()]
metadata = {"party": ["D", "R"] * 30, "year": list(range(1960, 2020)), "who": [f"s{k // 2}" for k in range(60)]}
corpus = tb.read(texts, metadata=metadata)
""",
    "Polars": f"{FRAME}\nframe = pl.scan_parquet('posts')",
    "DuckDB": f"{FRAME}\nimport duckdb; frame = duckdb.connect().read_parquet('posts')",
    "Spark": f"""{FRAME}
import os
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
session = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
session.sparkContext.setLogLevel("OFF")
frame = session.read.parquet("posts")
""",
    "files": f"""{POSTS}
from pathlib import Path
for k, text in enumerate(texts[:2000]):
    folder = Path("both", "ab"[k % 2])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{{k}}.txt").write_text(text, encoding="utf-8")
""",
}

SCRIPT = """
import ctypes, gc, json, os, statistics, sys, time
import numpy as np
import termburst as tb

def worked():
    return time.process_time() + sum(os.times()[2:4])  # that of processes that have ended, too

def resident(key):
    with open("/proc/self/status") as status:
        return 1024 * next(int(line.split()[1]) for line in status if line.startswith(key))

exec(sys.argv[1])
calls, *spellings = sys.argv[2:]
for used, spelling in enumerate(spellings):
    analysis = compile(spelling, "analysis", "eval")
    try:
        eval(analysis)
        break
    except (AttributeError, NameError, TypeError):  # this checkout has another spelling
        if spelling == spellings[-1]:
            raise
peak = 0
gc.collect()
if sys.platform == "linux":
    getattr(ctypes.CDLL(None), "malloc_trim", lambda pad: None)(0)  # only GNU libc has and needs it
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")
    before = resident("VmRSS")
times = []
for _ in range(int(calls)):
    start = worked(), time.perf_counter()
    eval(analysis)
    times.append((worked() - start[0], time.perf_counter() - start[1]))
if sys.platform == "linux":
    peak = resident("VmHWM") - before
print(json.dumps([*map(statistics.median, zip(*times)), peak, used]))
"""


def measured(python: str, name: str) -> list[float]:
    """Processor seconds, seconds, bytes and the spelling, in a new process that does not run in this checkout."""
    of = ANALYSES[name]
    with tempfile.TemporaryDirectory() as folder:
        if of.ready == "files":
            prepare = f"import termburst as tb\n{READY[of.ready]}"
            subprocess.run([python, "-W", "ignore", "-c", prepare], cwd=folder, check=True, env=os.environ)
            return commanded([python, "-W", "ignore", "-m", "termburst", *of.spellings[0].split()], folder, of.calls)
        command = [python, "-W", "ignore", "-c", SCRIPT, READY[of.ready], str(of.calls), *of.spellings]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True, env=os.environ)
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


def commanded(command: list[str], folder: str, calls: int) -> list[float]:
    """The same of a command, which runs several times, after once to warm up the disk."""
    found = []
    for _ in range(calls + 1):
        start = time.perf_counter()
        with Path(folder, "out").open("w") as out:
            process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=out)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{' '.join(command[3:])} failed: {Path(folder, 'out').read_text()[-500:]}")
        kilobytes = usage.ru_maxrss * (1 if sys.platform == "linux" else 1 / 1024)
        found.append((usage.ru_utime + usage.ru_stime, time.perf_counter() - start, kilobytes * 1024))
    return [*map(statistics.median, zip(*found[1:], strict=True)), 0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", help="the Python of the other checkout's environment")
    parser.add_argument("--rounds", type=int, default=3, help="processes per checkout, in turn")
    usual = [name for name in ANALYSES if not name.startswith(SLOW)]
    parser.add_argument("--only", nargs="*", choices=ANALYSES, default=usual, metavar="NAME")
    given = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}; processor time, time by the clock, peak of memory")
    print(f"{'':30} {'here':>9} {'other':>9} {'ratio':>6} {'clock':>6} {'MiB here':>9} {'other':>7} {'ratio':>6}")
    for name in given.only:
        found: dict[str, list[list[float]]] = {sys.executable: [], given.other: []}
        for _ in range(given.rounds):
            for python, runs in found.items():
                runs.append(measured(python, name))
        (here, clock, more, new), (other, by_clock, less, old) = (
            [statistics.median(values) for values in zip(*runs, strict=True)] for runs in found.values()
        )
        mark = "  slower" * (here > 1.05 * other) + "  larger" * (more > 1.05 * less + 2**20)
        mark += f"  other: {ANALYSES[name].spellings[int(old)]}" * (old != new)
        print(
            f"{name:30} {here:8.4f}s {other:8.4f}s {here / other:6.2f} {clock / by_clock:6.2f} "
            f"{more / 2**20:9.0f} {less / 2**20:7.0f} {more / max(less, 1):6.2f}{mark}",
            flush=True,
        )


if __name__ == "__main__":
    main()
