"""What the first use after an installation costs, when the kernels are compiled, and every later start.

Each step is timed in one process with an empty cache of compiled code, then in another with the cache that the first
one left; the difference is what compiling takes. Seconds are of the processor, so that other work on the machine
matters little. Beside it: what starting the command line adds to starting Python, and what `import termburst` adds to
`import sklearn`, as medians.

    python benchmarks/first_use.py [rounds, default 7]
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

GOAL = 10  # seconds of compiling in all, on one idle core
METHODS = ("beta-binomial", "permutation", "fisher", "welch", "mann-whitney")

STEPS = f"""
import json, time
import numpy as np
import termburst as tb
from sklearn.feature_extraction.text import CountVectorizer
from termburst.counts.vectorizer import SMALL
from termburst.datasets import load_stdlib

texts = list(load_stdlib().texts)
X = CountVectorizer().fit_transform(texts)
words = list(CountVectorizer().fit(texts).vocabulary_)
terms = np.arange(X.shape[1]).astype(str)
half = X.shape[0] // 2
index = tb.retrieval.Index.from_counts(X, terms)
steps = {{
    "CountVectorizer": lambda: tb.CountVectorizer().fit_transform(texts),
    "CountVectorizer, vocabulary": lambda: tb.CountVectorizer(vocabulary=words).transform(texts),
    "CountVectorizer, pairs": lambda: tb.CountVectorizer(ngram_range=(1, 2), stop_words="english").fit_transform(texts),
    "fit_beta_binomial": lambda: tb.fit_beta_binomial(X),
    "burstiness_test": lambda: tb.burstiness_test(X, terms),
    **{{
        f"keyness, {{method}}": lambda method=method: tb.keyness(X[:half], X[half:], terms=terms, method=method)
        for method in {METHODS!r}
    }},
    "keyness_groups": lambda: tb.keyness_groups(X, np.arange(X.shape[0]) % 3),
    "coburst": lambda: tb.coburst(X, terms=terms),
    "fit_dirichlet_multinomial": lambda: tb.fit_dirichlet_multinomial(X),
    "retrieval": lambda: index.batch_search([["python"]] * 64),
}}
assert sum(map(len, texts)) > SMALL, "so little text is left to scikit-learn"
seconds = {{}}
for name, step in steps.items():
    start = time.process_time()
    step()
    seconds[name] = time.process_time() - start
print(json.dumps(seconds))
"""


def steps(cache: str) -> dict[str, float]:
    """Processor seconds of every step, with that folder for the cache."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run([sys.executable, "-c", STEPS], env=environment, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def start_up(rounds: int, *arguments: str) -> float:
    """The median time of a Python process with these arguments, after one that is not counted."""
    taken = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken[1:])


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = steps(cache), steps(cache)
    print(f"{'processor seconds':>30} {'first use':>10} {'later':>8} {'compiling':>10}")
    for name in cold:
        print(f"{name:>30} {cold[name]:10.2f} {warm[name]:8.2f} {cold[name] - warm[name]:10.2f}")
    first, later = sum(cold.values()), sum(warm.values())
    print(f"{'in all':>30} {first:10.2f} {later:8.2f} {first - later:10.2f}  (goal < {GOAL} s)")
    bare = start_up(rounds, "-c", "pass")
    print(f"\ntermburst --help: {start_up(rounds, '-m', 'termburst', '--help') - bare:.2f} s beyond Python's start")
    peer = start_up(rounds, "-c", "import sklearn")
    print(f"import termburst: {start_up(rounds, '-c', 'import termburst') - peer:.2f} s beyond import sklearn")


if __name__ == "__main__":
    main()
