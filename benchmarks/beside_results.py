"""The results of this checkout and of another one for the same analyses, and their differences.

It shows whether a change altered any number. 20 Newsgroups: counts, exact fits and seeded p-values of the
72,916 terms of the paper's Fig. 4, p-values of a comparison of its halves, and rankings.

    TERMBURST_DATA=… python benchmarks/beside_results.py OTHER_PYTHON

OTHER_PYTHON is .venv/bin/python of the other checkout.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

SCRIPT = """
import inspect
import sys
import numpy as np
import termburst as tb
from termburst.paper.collections import Collections

texts = list(tb.datasets.load_20newsgroups("all").texts)
X = tb.CountVectorizer().fit_transform(texts)
X.sort_indices()
found = {"counts, data": X.data, "counts, indices": X.indices, "counts, indptr": X.indptr}
fig4 = Collections().fig4
fit = tb.fit_beta_binomial(fig4.counts)
found |= {f"fit, {name}": getattr(fit, name) for name in ("mean", "alpha", "alpha_not", "loglik")}
found["fit, status"] = fit.status.astype(str)
options = inspect.signature(tb.burstiness_test).parameters  # a checkout may have the names of before
option, how = ("statistic", "p_method") if "statistic" in options else ("test", "how")
every = {"columns": "all"} if "columns" in options else {}
for one in ("plr", "lr", "score"):
    table = tb.burstiness_test(fig4.counts, fig4.terms, dispersion=False, **{option: one}, **every).sort("term")
    found[f"burstiness, log10 p of {one}"] = table["log10_p"].to_numpy()
    found[f"burstiness, method of p of {one}"] = table[how].to_numpy().astype(str)
half = np.random.default_rng(0).permutation(fig4.counts.shape[0]) < fig4.counts.shape[0] // 2
key = tb.keyness(fig4.counts[half], fig4.counts[~half], terms=fig4.terms).sort("term")
found |= {f"keyness, {name}": key[name].to_numpy() for name in ("p_value", "ci_low", "ci_high")}
index = tb.retrieval.Index.from_texts(texts)
for model in ("bm25", "spud"):
    hits = [index.search(text.split()[5:10], 10, model=model) for text in texts[:300]]
    found[f"search, scores of {model}"] = np.array([hit.score for some in hits for hit in some])
np.savez(sys.argv[1], **found)
"""


def answers(python: str, folder: Path) -> dict[str, np.ndarray]:
    path = folder / f"{abs(hash(python))}.npz"
    subprocess.run([python, "-W", "ignore", "-c", SCRIPT, str(path)], cwd=folder, check=True, env=os.environ)
    with np.load(path) as stored:
        return dict(stored)


def difference(here: np.ndarray, other: np.ndarray) -> str:
    """How many numbers differ, and by how much, relative to the larger; infinities and NaN equal themselves."""
    if here.shape != other.shape:
        return f"shapes {here.shape} and {other.shape}"
    if here.dtype.kind != "f":
        return f"{np.count_nonzero(here != other):,} of {here.size:,} differ"
    same = (here == other) | (np.isnan(here) & np.isnan(other))
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = np.where(same, 0.0, np.abs(here - other) / np.maximum(np.abs(here), np.abs(other)))
    if not np.isfinite(apart).all():
        return f"{np.count_nonzero(~np.isfinite(apart)):,} of {here.size:,} are infinite or NaN in one of them"
    beyond = np.count_nonzero(apart > 1e-12)
    return (
        f"{np.count_nonzero(~same):,} of {here.size:,} differ, {beyond:,} by more than 1e-12, at most {apart.max():.1e}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", help="the Python of the other checkout's environment")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        here, other = (answers(python, Path(folder)) for python in (sys.executable, given.other))
    for name, values in here.items():
        print(f"{name:32} {difference(values, other[name])}", flush=True)


if __name__ == "__main__":
    main()
