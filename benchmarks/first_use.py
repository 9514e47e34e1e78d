"""How much longer the first call of each analysis takes than the second, the start-up time, and the installed size.

All analyses are called twice in one new process. The first call also loads what it needs: modules of termburst, its
library, Polars. NumPy, SciPy and scikit-learn are loaded before, because a user with a count matrix has loaded them.
Times are wall-clock medians over new processes. Also shown: the start of the command line compared with Python,
`import termburst` compared with `import sklearn`, and the size on disk of termburst and its dependencies.

    python benchmarks/first_use.py [--rounds 7] [--spark] [--spark-query] [--before PYTHON]

With --spark, also the first and the second fit in the Python of two Spark executor processes, with the import. Every
round has new Python processes; Java stays, so that its warm-up does not count. With --spark-query, a whole query by
them, twice; its first run is mostly the warm-up of Java. With --before, the Python of another checkout does the same,
in turn with this one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time

EACH, IN_ALL = 0.3, 1.0  # goals, in seconds of difference
METHODS = ("beta-binomial", "permutation", "fisher", "welch", "mann-whitney")

STEPS = f"""
import json, time
import numpy as np
import termburst as tb
from sklearn.feature_extraction.text import CountVectorizer
from termburst.datasets import load_stdlib

texts = list(load_stdlib().texts)
counter = CountVectorizer()
X = counter.fit_transform(texts)
words = list(counter.vocabulary_)
terms = np.arange(X.shape[1]).astype(str)
half = X.shape[0] // 2
steps = {{
    "CountVectorizer": lambda: tb.CountVectorizer().fit_transform(texts),
    "CountVectorizer, vocabulary": lambda: tb.CountVectorizer(vocabulary=words).transform(texts),
    "CountVectorizer, pairs": lambda: tb.CountVectorizer(ngram_range=(1, 2), stop_words="english").fit_transform(texts),
    "fit_beta_binomial": lambda: tb.fit_beta_binomial(X),
    "burstiness_test": lambda: tb.burstiness_test(X, terms, columns="all"),
    **{{
        f"keyness, {{method}}": lambda method=method: tb.keyness(X[:half], X[half:], terms=terms, method=method)
        for method in {METHODS!r}
    }},
    "keyness_groups": lambda: tb.keyness(X, by=np.arange(X.shape[0]) % 3),
    "coburst": lambda: tb.coburst(X, terms=terms),
    "fit_dirichlet_multinomial": lambda: tb.fit_dirichlet_multinomial(X),
    "TermWeighting": lambda: tb.TermWeighting().fit_transform(X),
    "retrieval": lambda: tb.retrieval.Index.from_counts(X, terms).batch_search([["python"]] * 64),
}}
seconds = {{}}
for name, step in steps.items():
    times = [time.perf_counter()]
    for _ in range(2):
        step()
        times.append(time.perf_counter())
    seconds[name] = [times[1] - times[0], times[2] - times[1]]
print(json.dumps(seconds))
"""

# Two executor processes. On a busy machine Java may take minutes to start them, and tasks wait for both.
CLUSTER = """
import json, os, sys, tempfile, time
from pathlib import Path
import pyspark

scratch = Path(tempfile.mkdtemp())
home = scratch / "home"  # workers write into SPARK_HOME
home.mkdir()
for entry in Path(pyspark.__file__).parent.iterdir():
    (home / entry.name).symlink_to(entry)
os.environ |= {"SPARK_HOME": str(home), "SPARK_LOCAL_DIRS": str(scratch / "local"), "PYSPARK_PYTHON": sys.executable}
os.chdir(scratch)
from pyspark.sql import SparkSession

session = SparkSession.builder.master("local-cluster[2,1,1024]")
for option, value in {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.python.worker.reuse": "false",
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "900s",
    "spark.network.timeout": "900s",
    "spark.executor.heartbeatInterval": "60s",
}.items():
    session = session.config(option, value)
session = session.getOrCreate()
session.sparkContext.setLogLevel("OFF")
"""

EXECUTORS = (
    CLUSTER
    + """
def in_worker(_):
    import os, time
    import numpy as np
    import sklearn
    from scipy.sparse import random_array

    X = random_array((500, 2000), density=0.02, rng=0, data_sampler=lambda size: np.ones(size, dtype=int), dtype=int)
    times = [time.perf_counter()]
    import termburst as tb
    for _ in range(2):
        tb.fit_beta_binomial(X)
        times.append(time.perf_counter())
    return os.getppid(), times[1] - times[0], times[2] - times[1]  # the parent belongs to the executor


tasks = session.sparkContext.parallelize(range(2), 2)
workers = [worker for _ in range(ROUNDS) for worker in tasks.map(in_worker).collect()]
session.stop()
executors, first, second = zip(*workers)
print(json.dumps({"executors": len(set(executors)), "first": first, "second": second}))
"""
)

QUERY = (
    CLUSTER
    + """
import termburst as tb
from termburst.datasets import load_stdlib

corpus = load_stdlib()
posts = session.createDataFrame(list(zip(corpus.ids, corpus.texts)), "document string, text string").cache()
posts.count()  # Java is ready
times = [time.perf_counter()]
for _ in range(2):
    tb.scan(posts).fit_beta_binomial().toPandas()
    times.append(time.perf_counter())
session.stop()
print(json.dumps({"first": times[1] - times[0], "second": times[2] - times[1]}))
"""
)

SIZES = """
import importlib.metadata as metadata, json, re
from pathlib import Path
import termburst

def size(paths):
    return sum(path.stat().st_size for path in paths if path.is_file() and path.suffix != ".pyc")

# An editable installation does not list its sources and has its libraries elsewhere, so all folders of __path__ count.
sizes, waiting = {"termburst": sum(size(Path(folder).rglob("*")) for folder in termburst.__path__)}, ["termburst"]
while waiting:
    for line in metadata.requires(waiting.pop()) or ():
        name = re.match(r"[\\w.-]+", line)[0].lower().replace("_", "-")
        if "extra ==" in line or name in sizes:
            continue
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # for another system or version of Python
            continue
        sizes[name] = size(found.locate_file(file) for file in found.files or ())
        waiting.append(name)
print(json.dumps(sizes))
"""


def answer(python: str, script: str) -> dict:
    """The JSON that a script prints, in a new process that does not run in this checkout."""
    with tempfile.TemporaryDirectory() as folder:
        command = [python, "-c", script]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def seconds(python: str, *arguments: str) -> float:
    """How long a Python process with these arguments takes."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        subprocess.run([python, *arguments], cwd=folder, capture_output=True, check=True)
        return time.perf_counter() - start


def first_and_second(pythons: dict[str, str], rounds: int) -> None:
    """The table of all analyses; the differences of this checkout are compared with the goals."""
    found: dict[str, list[dict]] = {who: [] for who in pythons}
    for _ in range(rounds):
        for who, python in pythons.items():
            found[who].append(answer(python, STEPS))
    for who, runs in found.items():
        print(f"{who + ', seconds':>30} {'first':>8} {'second':>8} {'difference':>11}")
        total = 0.0
        for name in runs[0]:
            first, second = (statistics.median(run[name][k] for run in runs) for k in (0, 1))
            difference = statistics.median(run[name][0] - run[name][1] for run in runs)
            total += difference
            print(f"{name:>30} {first:8.3f} {second:8.3f} {difference:11.3f}{'  over the goal' * (difference > EACH)}")
        print(f"{'in all':>30} {'':8} {'':8} {total:11.3f}  (goals: {EACH} s each, {IN_ALL} s in all)\n")


def starts(pythons: dict[str, str], rounds: int) -> None:
    """Medians over alternating processes; the first of each is not counted."""
    tasks = {
        "bare": ("-c", "pass"),
        "sklearn": ("-c", "import sklearn"),
        "termburst": ("-c", "import termburst"),
        "help": ("-m", "termburst", "--help"),
    }
    taken: dict[tuple[str, str], list[float]] = {}
    for _ in range(rounds + 1):
        for who, python in pythons.items():
            for task, arguments in tasks.items():
                taken.setdefault((who, task), []).append(seconds(python, *arguments))
    middle = {key: statistics.median(times[1:]) for key, times in taken.items()}
    for who in pythons:
        python, peer, ours, command = (middle[who, task] for task in tasks)
        print(f"{who}: termburst --help takes {command - python:.3f} s more than Python, ", end="")
        print(f"import termburst {ours - python:.3f} s (import sklearn {peer - python:.3f} s)")


def on_spark(pythons: dict[str, str], rounds: int) -> None:
    """The first and the second fit in new Python processes of two executors: medians over all of them."""
    for who, python in pythons.items():
        found = answer(python, EXECUTORS.replace("ROUNDS", str(rounds)))
        first, second = (statistics.median(found[key]) for key in ("first", "second"))
        print(f"{who}, {found['executors']} Spark executors, {len(found['first'])} new Python processes: ", end="")
        print(f"fits take {first:.3f} s the first time, with the import, {second:.3f} s again")


def query_on_spark(pythons: dict[str, str]) -> None:
    for who, python in pythons.items():
        found = answer(python, QUERY)
        print(f"{who}: fits of a Spark frame take {found['first']:.1f} s, then {found['second']:.1f} s, mostly in Java")


def sizes(pythons: dict[str, str]) -> None:
    for who, python in pythons.items():
        found = answer(python, SIZES)
        largest = sorted({*found} - {"termburst"}, key=found.__getitem__, reverse=True)[:6]
        named = ", ".join(f"{name} {found[name] / 1e6:.1f}" for name in ("termburst", *largest))
        print(f"{who}: {sum(found.values()) / 1e6:.0f} MB installed ({named}, ...)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--spark", action="store_true", help="also on two Spark executors (needs Java)")
    parser.add_argument("--spark-query", action="store_true", help="also a whole query by these executors")
    parser.add_argument("--before", metavar="PYTHON", help="the Python of another checkout")
    given = parser.parse_args()
    pythons = {"here": sys.executable} | ({"before": given.before} if given.before else {})
    first_and_second(pythons, given.rounds)
    starts(pythons, given.rounds)
    sizes(pythons)
    if given.spark:
        on_spark(pythons, given.rounds)
    if given.spark_query:
        query_on_spark(pythons)


if __name__ == "__main__":
    main()
