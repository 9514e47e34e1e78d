"""Time and peak memory of each analysis in this checkout and in another one, in turn, and their ratios.

It shows whether a change made anything slower or larger. Each measurement is a separate process that loads the data,
calls the analysis once to warm up, then several times. Time is the median of these calls; memory is the peak of the
process minus what it had before (on Linux, after a reset of the peak that the kernel measures; memory freed by the
first call is returned to the system before that, because an allocator that kept it would hide later use). Data are 20
Newsgroups: all posts for counting, the training posts of the paper's Fig. 4 (72,916 terms) for the rest.

    TERMBURST_DATA=… python benchmarks/beside.py OTHER_PYTHON [--rounds 3] [--only NAME …]

OTHER_PYTHON is .venv/bin/python of the other checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

# name: (the preparation, the analysis, the number of calls in a process)
ANALYSES = {
    "CountVectorizer": ("texts", "tb.CountVectorizer().fit_transform(texts)", 5),
    "CountVectorizer, pairs": ("texts", "tb.CountVectorizer(ngram_range=(1, 2)).fit_transform(texts[:6000])", 3),
    "CountVectorizer, transform": ("vectorizer", "vectorizer.transform(texts)", 5),
    "TermStatistics.from_texts": ("texts", "tb.TermStatistics.from_texts([texts], detail='patterns')", 3),
    "TermStatistics.from_counts": ("X", "tb.TermStatistics.from_counts(X, detail='patterns')", 9),
    "fit_beta_binomial": ("X", "tb.fit_beta_binomial(X)", 15),
    "burstiness_test": ("X", "tb.burstiness_test(X, terms, **every)", 3),
    "keyness": ("halves", "tb.keyness(A, B, terms=terms)", 3),
    "keyness, permutation": ("halves", "tb.keyness(A, B, terms=terms, method='permutation', confidence=None)", 3),
    "keyness, stratified": ("halves", "tb.keyness(A, B, terms=terms, method='stratified-permutation')", 3),
    "keyness, fisher": ("halves", "tb.keyness(A, B, terms=terms, method='fisher', confidence=None)", 3),
    "keyness, mann-whitney": ("halves", "tb.keyness(A, B, terms=terms, method='mann-whitney', confidence=None)", 3),
    "keyness_groups": ("X", "tb.keyness_groups(X, np.arange(X.shape[0]) % 4)", 2),
    "coburst": ("X", "tb.coburst(X[:4000], terms=terms)", 2),
    "fit_dirichlet_multinomial": ("X", "tb.fit_dirichlet_multinomial(X)", 3),
    **{
        f"TermWeighting, {scheme}": ("X", f"tb.TermWeighting({scheme!r}).fit_transform(X)", 9)
        for scheme in ("tf-idf", "bm25", "s-lambda", "damped-tf-idf", "surprisal", "posterior-lift", "fisher")
    },
    "Index.from_texts": ("texts", "tb.retrieval.Index.from_texts(texts)", 3),
    "Index.batch_search": ("index", "index.batch_search(queries, 10, model='bm25')", 9),
    "Index.search, one at a time": ("index", "[index.search(query, 10) for query in queries[:200]]", 9),
}

FIG4 = (
    "from termburst.paper.collections import Collections; found = Collections().fig4; "
    "X, terms = found.counts, found.terms"
)
READY = {
    "texts": "texts = list(tb.datasets.load_20newsgroups('all').texts)",
    "vectorizer": "texts = list(tb.datasets.load_20newsgroups('all').texts); "
    "vectorizer = tb.CountVectorizer().fit(texts)",
    "X": f"{FIG4}; import inspect; options = inspect.signature(tb.burstiness_test).parameters; "
    "every = {'columns': 'all'} if 'columns' in options else {}",  # also of a checkout that has only one choice
    "halves": f"{FIG4}; half = np.random.default_rng(0).permutation(X.shape[0]) < X.shape[0] // 2; "
    "A, B = X[half], X[~half]",
    "index": "texts = list(tb.datasets.load_20newsgroups('all').texts); index = tb.retrieval.Index.from_texts(texts); "
    "queries = [text.split()[5:10] for text in texts[:1000]]",
}

SCRIPT = """
import ctypes, gc, json, statistics, sys, time
import numpy as np
import termburst as tb

def resident(key):
    with open("/proc/self/status") as status:
        return 1024 * next(int(line.split()[1]) for line in status if line.startswith(key))

exec(sys.argv[1])
analysis = compile(sys.argv[2], "analysis", "eval")
eval(analysis)
peak = 0
gc.collect()
if sys.platform == "linux":
    getattr(ctypes.CDLL(None), "malloc_trim", lambda pad: None)(0)  # only GNU libc has and needs it
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")
    before = resident("VmRSS")
times = []
for _ in range(int(sys.argv[3])):
    start = time.perf_counter()
    eval(analysis)
    times.append(time.perf_counter() - start)
if sys.platform == "linux":
    peak = resident("VmHWM") - before
print(json.dumps([statistics.median(times), peak]))
"""


def measured(python: str, name: str) -> tuple[float, float]:
    """Seconds and bytes, in a new process that does not run in this checkout."""
    ready, analysis, rounds = ANALYSES[name]
    command = [python, "-W", "ignore", "-c", SCRIPT, READY[ready], analysis, str(rounds)]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True, env=os.environ)
    seconds, peak = json.loads(done.stdout.splitlines()[-1])
    return seconds, peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", help="the Python of the other checkout's environment")
    parser.add_argument("--rounds", type=int, default=3, help="processes per checkout, in turn")
    parser.add_argument("--only", nargs="*", choices=ANALYSES, default=list(ANALYSES), metavar="NAME")
    given = parser.parse_args()
    print(f"{'':30} {'here':>9} {'other':>9} {'here/other':>11} {'MiB here':>9} {'other':>7}")
    for name in given.only:
        found: dict[str, list[tuple[float, float]]] = {sys.executable: [], given.other: []}
        for _ in range(given.rounds):
            for python, runs in found.items():
                runs.append(measured(python, name))
        (here, more), (other, less) = (
            [statistics.median(values) for values in zip(*runs, strict=True)] for runs in found.values()
        )
        mark = "  slower" * (here > 1.05 * other) + "  larger" * (more > 1.05 * less + 2**20)
        print(
            f"{name:30} {here:8.3f}s {other:8.3f}s {here / other:11.2f} {more / 2**20:9.0f} {less / 2**20:7.0f}{mark}",
            flush=True,
        )


if __name__ == "__main__":
    main()
