"""Time and memory of termburst, beside its peers, or beside another installation of it.

Each analysis runs in a process of its own, a few times after once to warm up. Shown are medians: seconds of processor
time, seconds by the clock, and the peak of memory beyond what there was before. Then the same of a peer. "× 100" after
the name of a peer: it does the analysis word by word, so it had a hundredth of the words.

    TERMBURST_DATA=… python benchmarks/speed.py [--parts counting …] [--only NAME …] [--keep]
    TERMBURST_DATA=… python benchmarks/speed.py --against OTHER_PYTHON  # this code and another, in turn

OTHER_PYTHON is .venv/bin/python of another checkout. As names change between versions, an analysis may have two
spellings. On Spark, processor time is that of the driver without Java.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from _program import Program, Table, folder

program = Program(__doc__, __file__)
program.option("--against", metavar="OTHER_PYTHON", help="the Python of another installation, to compare with")
program.option("--rounds", type=int, default=3, help="processes per installation, in turn")
program.option("--only", nargs="+", default=[], metavar="NAME", help="analyses whose name contains this")


class Peer(NamedTuple):
    """A rival's name, its expression, and how many times the work is that is asked of termburst."""

    name: str
    spelling: str
    times: float = 1.0


@dataclass(frozen=True)
class Case:
    """An analysis: its preparation, the calls in a process, its spellings (the newest first), and a peer."""

    ready: str
    calls: int
    spellings: tuple[str, ...]
    peer: Peer | None = None


class Cost(NamedTuple):
    """Medians: seconds of processor time and by the clock, bytes, and the number of the spelling that worked."""

    processor: float
    clock: float
    memory: float
    spelling: int


def case(ready: str, calls: int, *spellings: str, peer: Peer | None = None) -> Case:
    return Case(ready, calls, spellings, peer)


FIG4 = """
from termburst.paper.collections import Collections
X, terms = Collections().fig4.counts, Collections().fig4.terms
half = np.random.default_rng(0).permutation(X.shape[0]) < X.shape[0] // 2
A, B = X[half], X[~half]
eighth = {"eighth": (np.arange(X.shape[0]) % 8).astype(str)}
"""
POSTS = "texts = list(tb.datasets.load_20newsgroups('all').texts)"
FRAME = f"""{POSTS}[:4000]
import polars as pl
columns = {{"document": range(4000), "text": texts, "side": ["ab"[k % 2] for k in range(4000)]}}
pl.DataFrame(columns).write_parquet("posts")
def done(found):
    return found.collect() if hasattr(found, "collect") else found.fetchall()
"""
SAMPLE = """
from scipy import stats
from scipy.optimize import minimize
from scipy.special import betaln
most = np.argsort(-np.asarray(X.sum(axis=0)).ravel(), kind="stable")[:20_000]
some = np.random.default_rng(0).choice(most, 20, replace=False)
lengths = np.asarray(X.sum(axis=1)).ravel().astype(float)
columns = X.tocsc()[:, some].toarray()[lengths > 0].astype(float)
lengths = lengths[lengths > 0]
sides = [np.maximum(np.asarray(part.sum(axis=1)), 1) for part in (A, B)]
shares = [part.tocsc()[:, some].toarray() / n for part, n in zip((A, B), sides)]
def authors_fit(column):
    def negative(parameters):
        a, b = parameters
        return -(betaln(column + a, lengths - column + b) - betaln(a, b)).sum()
    return minimize(negative, [1.0, 1.0], method="L-BFGS-B", bounds=[(1e-10, None)] * 2)
def difference(x, y, axis):
    return np.mean(x, axis=axis) - np.mean(y, axis=axis)
"""
READY = {
    "texts": POSTS,
    "vectorizer": f"{POSTS}; vectorizer = tb.CountVectorizer().fit(texts)",
    "X": FIG4,
    "sample": FIG4 + SAMPLE,
    "index": f"{POSTS}; index = tb.retrieval.Index.from_texts(texts)\n"
    "queries = [text.split()[5:10] for text in texts[:1000]]",
    "corpus": "corpus = tb.read('20newsgroups')",
    "labels": "train = tb.datasets.load_r8('train'); texts, labels = train.texts, train.labels",
    "small": """
rng = np.random.default_rng(0)
X = rng.poisson(0.3, (60, 40)) * rng.integers(1, 4, (60, 40))
texts = [" ".join(f"w{term}" for term, count in enumerate(row) for _ in range(count)) for row in X.tolist()]
metadata = {"party": ["D", "R"] * 30, "year": list(range(1960, 2020)), "who": [f"s{k // 2}" for k in range(60)]}
corpus = tb.read(texts, metadata=metadata)
""",
    "formats": f"""{POSTS}
import csv, gzip, json
import polars as pl
pl.DataFrame({{"n": range(len(texts)), "text": texts}}).write_parquet("t.parquet")
with open("t.csv", "w", newline="", encoding="utf-8") as file:
    csv.writer(file).writerows([["n", "text"], *enumerate(texts)])
lines = "".join(json.dumps({{"n": k, "text": text}}) + "\\n" for k, text in enumerate(texts)).encode()
open("t.jsonl", "wb").write(lines)
open("t.jsonl.gz", "wb").write(gzip.compress(lines, 6))
os.mkdir("files")
for k, text in enumerate(texts):
    open(f"files/{{k}}.txt", "w", encoding="utf-8").write(text)
""",
    "Polars": f"{FRAME}\nframe = pl.scan_parquet('posts')",
    "DuckDB": f"{FRAME}\nimport duckdb; frame = duckdb.connect().read_parquet('posts')",
    "Spark": f"""{FRAME}
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
session = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
session.sparkContext.setLogLevel("OFF")
frame = session.read.parquet("posts")
""",
    "files": f"""{POSTS}
for k, text in enumerate(texts[:2000]):
    os.makedirs(f"both/{{'ab'[k % 2]}}", exist_ok=True)
    open(f"both/{{'ab'[k % 2]}}/{{k}}.txt", "w", encoding="utf-8").write(text)
""",
}
SKLEARN = "from sklearn.feature_extraction.text import *; from sklearn.svm import LinearSVC\n"
for name in ("texts", "X", "labels"):
    READY[name] += f"\n{SKLEARN}"

WORDS = 72_916 / 20  # all words over those of the sample
CASES: dict[str, dict[str, Case]] = {
    "counting": {
        "CountVectorizer": case(
            "texts", 5, "tb.CountVectorizer().fit_transform(texts)",
            peer=Peer("scikit-learn", "CountVectorizer().fit_transform(texts)"),
        ),
        "CountVectorizer, pairs": case(
            "texts", 3, "tb.CountVectorizer(ngram_range=(1, 2)).fit_transform(texts[:6000])",
            peer=Peer("scikit-learn", "CountVectorizer(ngram_range=(1, 2)).fit_transform(texts[:6000])"),
        ),
        "CountVectorizer, transform": case("vectorizer", 5, "vectorizer.transform(texts)"),
        "text to weights": case(
            "texts", 3, "tb.BurstinessVectorizer(scheme='s-lambda').fit_transform(texts)",
            peer=Peer("TfidfVectorizer", "TfidfVectorizer().fit_transform(texts)"),
        ),
        "TermStatistics.from_texts": case("texts", 3, "tb.TermStatistics.from_texts([texts], detail='patterns')"),
        "TermStatistics.from_counts": case("X", 9, "tb.TermStatistics.from_counts(X, detail='patterns')"),
    },
    "reading": {
        "Parquet": case("formats", 3, "len(tb.read('t.parquet', text='text').texts)", "len(tb.read('t.parquet').texts)",
                        peer=Peer("Polars", "pl.read_parquet('t.parquet', columns=['text'])['text'].to_list()")),
        "CSV": case("formats", 3, "len(tb.read('t.csv').texts)",
                    peer=Peer("Polars", "pl.read_csv('t.csv', infer_schema=False)['text'].to_list()")),
        "JSON Lines": case("formats", 3, "len(tb.read('t.jsonl').texts)",
                           peer=Peer("Polars", "pl.read_ndjson('t.jsonl')['text'].to_list()")),
        **{what: case("formats", 3, f"len(tb.read({path!r}).texts)")
           for what, path in (("JSON Lines, gzip", "t.jsonl.gz"), ("a folder of files", "files"))},
    },
    "weighting": {
        f"TermWeighting, {scheme}": case(
            "X", 9, f"tb.TermWeighting({scheme!r}).fit_transform(X)",
            peer=Peer("TfidfTransformer", "TfidfTransformer().fit_transform(X)") if scheme == "tf-idf" else None,
        )
        for scheme in ("tf-idf", "bm25", "s-lambda", "damped-tf-idf", "two-stage", "fisher")
    },
    "fits": {
        "fit_beta_binomial": case("X", 15, "tb.fit_beta_binomial(X)"),
        "the same, the authors' way": case(
            "sample", 1, "tb.fit_beta_binomial(X)",
            peer=Peer("SciPy minimize", "[authors_fit(column) for column in columns.T]", WORDS),
        ),
        "fit_dirichlet_multinomial": case("X", 3, "tb.fit_dirichlet_multinomial(X)"),
        **{f"fit_polya_urn, {kind}": case("labels", 1, f"tb.fit_polya_urn(tb.read(texts), {kind!r})")
           for kind in ("constant", "diagonal", "full")},
    },
    "inference": {
        "burstiness_test": case("X", 3, "tb.burstiness_test(X, terms)"),
        "burstiness_test, all columns": case("X", 3, "tb.burstiness_test(X, terms, columns='all')"),
        "burstiness_test, no intervals": case("X", 3, "tb.burstiness_test(X, terms, columns='all', intervals=False)"),
        "keyness": case("X", 3, "tb.keyness(A, B, terms=terms)"),
        "keyness, no intervals": case("X", 3, "tb.keyness(A, B, terms=terms, confidence=None)"),
        "keyness of burstiness": case("X", 3, "tb.keyness(A, B, terms=terms, compare='burstiness')"),
        "keyness, permutation": case(
            "sample", 2, "tb.keyness(A, B, terms=terms, method='permutation', confidence=None)",
            peer=Peer("SciPy, 999 draws", "stats.permutation_test(shares, difference, n_resamples=999)", WORDS),
        ),
        "groups": case(
            "X", 2, "tb.keyness(X, by=np.arange(X.shape[0]) % 4, terms=terms, contrasts=True)",
            "tb.keyness_groups(X, np.arange(X.shape[0]) % 4, terms=terms, contrasts=True)",
        ),
        "design": case(
            "X", 1, "tb.keyness(X, formula='eighth', metadata=eighth)",
            "tb.keyness_design(X, 'eighth', metadata=eighth)",
        ),
        "coburst": case("X", 2, "tb.coburst(X[:4000], terms=terms)"),
    },
    "search": {
        "Index.from_texts": case("texts", 3, "tb.retrieval.Index.from_texts(texts)"),
        "1,000 queries": case("index", 9, "index.batch_search(queries, 10, model='bm25')"),
        "200 queries, one by one": case("index", 9, "[index.search(query, 10) for query in queries[:200]]"),
    },
    "concordance": {
        **{f"kwic, {word!r}": case("corpus", 3, f"corpus.kwic({word!r})") for word in ("freedom", "the")},
        **{f"collocates, {word!r}": case("corpus", 3, f"corpus.collocates({word!r})") for word in ("god", "the")},
    },
    "training": {
        "BurstClassifier": case(
            "labels", 3, "tb.BurstClassifier().fit(texts, labels)",
            peer=Peer("LinearSVC", "LinearSVC().fit(TfidfVectorizer(sublinear_tf=True).fit_transform(texts), labels)"),
        ),
    },
    "small": {
        "keyness of texts": case("small", 101, "tb.keyness(texts[:30], texts[30:])"),
        "keyness of counts": case("small", 101, "tb.keyness(X[:30], X[30:])"),
        "keyness by=": case("small", 101, "corpus.keyness(by='party')"),
        "formula": case("small", 21, "corpus.keyness('party + year')"),
        "formula with clusters": case("small", 21, "corpus.keyness('party + year', cluster='who')"),
        "burstiness": case("small", 21, "corpus.burstiness()"),
        "BurstinessVectorizer": case("small", 101, "tb.BurstinessVectorizer().fit_transform(texts)"),
    },
    "commands": {
        f"termburst {command.split()[0]}": case("files", 3, command)
        for command in ("--help", "terms both", "keyness both/a both/b", "kwic both god", "report both -o page.html")
    },
    **{
        engine.lower(): {
            f"{engine}, {name}": case(engine, 3, f"done(tb.scan(frame).{call})")
            for name, call in (
                ("term table", "term_table()"), ("burstiness", "burstiness()"), ("keyness", "keyness(by='side')")
            )
        }
        for engine in ("Polars", "DuckDB", "Spark")
    },
}  # fmt: skip

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
    except (AttributeError, NameError, TypeError):  # this version has another spelling
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


def measured(python: str, ready: str, calls: int, spellings: tuple[str, ...]) -> Cost:
    """The cost of an analysis in a new process, which does not run in this checkout."""
    with folder() as place:
        run = functools.partial(subprocess.run, cwd=place, check=True, text=True, env=os.environ, capture_output=True)
        if ready == "files":
            run([python, "-W", "ignore", "-c", f"import os\nimport termburst as tb\n{READY[ready]}"])
            return commanded([python, "-W", "ignore", "-m", "termburst", *spellings[0].split()], place, calls)
        done = run([python, "-W", "ignore", "-c", SCRIPT, READY[ready], str(calls), *spellings])
    return Cost(*json.loads(done.stdout.splitlines()[-1]))


def commanded(command: list[str], place: Path, calls: int) -> Cost:
    """The cost of a command, which runs several times, after once to warm up the disk."""
    found = []
    for _ in range(calls + 1):
        start = time.perf_counter()
        with Path(place, "out").open("w") as out:
            process = subprocess.Popen(command, cwd=place, stdout=out, stderr=out)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{' '.join(command[3:])} failed: {Path(place, 'out').read_text()[-500:]}")
        kilobytes = usage.ru_maxrss * (1 if sys.platform == "linux" else 1 / 1024)
        found.append((usage.ru_utime + usage.ru_stime, time.perf_counter() - start, kilobytes * 1024))
    return Cost(*map(statistics.median, zip(*found[1:], strict=True)), 0)


def show(part: str, asked: argparse.Namespace) -> None:
    """Print the costs of the cases of a part, beside those of their peers or of another installation."""
    chosen = {n: c for n, c in CASES[part].items() if not asked.only or any(name in n for name in asked.only)}
    chosen = dict(list(chosen.items())[:2]) if asked.quick else chosen
    if not chosen:
        return
    columns = (
        "s",
        "clock s",
        "MiB",
        *(("other s", "clock s", "MiB") if asked.against else ("peer s", "clock s", "MiB")),
    )
    title = f"{part}; load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    table = Table(title, "", *columns, "ratio", "", first=32, width=10)
    for name, of in chosen.items():
        sides = {"here": (sys.executable, of.spellings)}
        if asked.against:
            sides["other"] = (asked.against, of.spellings)
        elif of.peer is not None:
            sides[of.peer.name] = (sys.executable, (of.peer.spelling,))
        runs: dict[str, list[Cost]] = {who: [] for who in sides}
        try:
            for _ in range(1 if asked.quick else asked.rounds):
                for who, (python, spellings) in sides.items():
                    calls = 1 if asked.quick or who not in ("here", "other") else of.calls
                    runs[who].append(measured(python, of.ready, calls, spellings))
        except (subprocess.CalledProcessError, RuntimeError) as error:
            said = (getattr(error, "stderr", "") or str(error)).strip().splitlines()
            print(f"{name:<32} {who} failed: {said[-1][:150]}")
            continue
        costs = {who: Cost(*map(statistics.median, zip(*found, strict=True))) for who, found in runs.items()}
        table.row(name, *cells(of, asked, *costs.values()))


def cells(of: Case, asked: argparse.Namespace, here: Cost, other: Cost | None = None) -> list[object]:
    """Both costs, their ratio, and remarks."""
    found: list[object] = [here.processor, here.clock, here.memory / 2**20]
    if other is None:
        return found
    times = 1.0 if asked.against or of.peer is None else of.peer.times
    ratio = here.processor / (other.processor * times)
    shown_ratio, marks = f"{ratio:.2f}" if ratio > 0.01 else f"1/{1 / ratio:,.0f}", list[str]()
    if asked.against:
        marks += ["slower"] * (ratio > 1.05) + ["larger"] * (here.memory > 1.05 * other.memory + 2**20)
        marks += [f"other: {of.spellings[int(other.spelling)]}"] * (other.spelling != here.spelling)
    elif of.peer is not None:
        marks += [of.peer.name + (f" × {times:,.0f}" if times != 1 else "")]
    theirs = other.processor * times, other.clock * times, other.memory / 2**20
    return [*found, *theirs, shown_ratio, f"  {'  '.join(marks)}"]


WHAT = {
    "counting": ("2 min", "Texts to counts, weights and statistics, beside scikit-learn."),
    "reading": ("3 min", "Files in each format to texts in memory, beside Polars."),
    "weighting": ("2 min", "Counts to weights, beside TfidfTransformer."),
    "fits": (
        "4 min",
        "Exact fits of all words of 20 Newsgroups, beside SciPy word by word as the paper's authors fit.",
    ),
    "inference": ("8 min", "Tests and intervals of all words, beside SciPy word by word."),
    "search": ("2 min", "An index of 20 Newsgroups, and queries by BM25."),
    "concordance": ("2 min", "Lines and collocates of words in 20 Newsgroups."),
    "training": ("1 min", "Training of BurstClassifier, beside TF–IDF with LinearSVC."),
    "small": ("1 min", "Calls on sixty short texts, where fixed costs count."),
    "commands": ("1 min", "Whole commands on two thousand files."),
    "polars": ("1 min", "The same questions on a lazy Polars frame."),
    "duckdb": ("1 min", "The same questions on a DuckDB relation."),
    "spark": ("3 min", "The same questions on Spark (needs Java); only if it is named."),
}


def part_of(name: str) -> None:
    def run(asked: argparse.Namespace) -> None:
        show(name, asked)

    run.__name__, run.__doc__ = name, WHAT[name][1]
    program.part(WHAT[name][0], asked=name == "spark")(run)


for part in CASES:
    part_of(part)


if __name__ == "__main__":
    sys.exit(program.main())
