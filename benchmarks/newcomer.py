"""What a newcomer meets: from a clone to the first insight, first calls, the installed size, and the page in a browser.

python benchmarks/newcomer.py [--parts clone …] [--without-compiler]
python benchmarks/newcomer.py --parts views --into pictures      # each view of the pages as a PNG, to look at
python benchmarks/newcomer.py --parts picture --into docs/report.png  # the picture of the README
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from _program import ROOT, Program, Table, folder

program = Program(__doc__, __file__)
program.option("--without-compiler", action="store_true", help="clone: as on a machine without a C compiler")
program.option("--rounds", type=int, default=7, help="processes of the part first, or pages that are made")
program.option("--into", type=Path, metavar="PLACE", help="the folder of views, or the file of picture")

READY = "html[data-ready=true]"  # a selector: the page's policy does not let Playwright wait for an expression
VIEWS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "desktop-dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}


@program.part("2 min")
def clone(asked: argparse.Namespace) -> None:
    """Clone, `make demo`, open the page in Chromium and see its first sentence; goal 60 s, downloads apart.

    HOME is empty and there are no caches, so packages are downloaded and the C core is built as on a new machine.
    """
    sys.path.append(str(ROOT / ".ci"))
    from _shared import without_compilers

    with folder() as place, chromium() as browser:
        home = place / "home"
        home.mkdir()
        own = ("TERMBURST", "XDG", "CC", "CFLAGS")
        kept = {key: text for key, text in os.environ.items() if not key.startswith(own)}
        environment = kept | {"HOME": str(home), "PIP_NO_CACHE_DIR": "1"}
        if asked.without_compiler:
            environment["PATH"] = without_compilers(place / "programs")
        times = [time.perf_counter()]
        subprocess.run(["git", "clone", "--quiet", ROOT, "termburst"], cwd=place, check=True)
        times.append(time.perf_counter())
        options = {"cwd": place / "termburst", "env": environment, "capture_output": True}
        demo = subprocess.run(["make", "demo"], text=True, check=False, **options)
        if demo.returncode:
            sys.exit(demo.stdout + demo.stderr)
        times.append(time.perf_counter())
        page = opened(browser, Path(re.findall(r"file://(\S+)", demo.stdout)[0]))
        print(page.locator("#sentence").inner_text(), ", ".join(page.locator("#leaders button").all_inner_texts()))
        times.append(time.perf_counter())
        parts = zip(("clone", "make demo", "page"), times, times[1:], strict=False)
        print(", ".join(f"{what} {b - a:.1f} s" for what, a, b in parts))


@program.part("2 min")
def first(asked: argparse.Namespace) -> None:
    """The first and the second call of each analysis in a new process; goal 0.3 s of difference each, 1 s in all.

    NumPy, SciPy and scikit-learn are loaded before, because a user with a count matrix has loaded them.
    """
    runs = [json.loads(python(STEPS)) for _ in range(1 if asked.quick else asked.rounds)]
    table = Table("", "seconds", "first", "second", "difference", first=30, width=12)
    medians = {name: [statistics.median(run[name][k] for run in runs) for k in (0, 1)] for name in runs[0]}
    for name, (one, other) in medians.items():
        table.row(name, one, other, one - other)
    table.row("in all", "", "", sum(one - other for one, other in medians.values()))


@program.part("1 s")
def installed(_: argparse.Namespace) -> None:
    """Megabytes on disk of termburst and of what it needs."""
    sizes = json.loads(python(SIZES))
    table = Table("", "", "MB", first=30)
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True)[:8]:
        table.row(name, sizes[name] / 1e6)
    table.row("termburst", sizes["termburst"] / 1e6)
    table.row("in all", sum(sizes.values()) / 1e6)


@program.part("3 min")
def page(asked: argparse.Namespace) -> None:
    """The page of 20 Newsgroups: seconds to make it (goal 15), and until it can be used in Chromium (goal 2)."""
    import termburst as tb

    rounds = 1 if asked.quick else min(asked.rounds, 3)
    source = "stdlib" if asked.quick else "20newsgroups"
    tb.CountingOptions().count(["loads everything before the first measurement"])
    with folder() as place, chromium() as browser:
        out = place / "page.html"
        made = [termburst("report", source, "--stop-words", "english", "-o", out) for _ in range(rounds)]
        marks = []
        for _ in range(rounds):
            view = opened(browser, out, **VIEWS["desktop"])
            names = "performance.getEntriesByType('mark').map((mark) => [mark.name, mark.startTime / 1000])"
            marks.append(dict(view.evaluate(names)))
            view.context.close()
    table = Table(f"{source}; load of the machine {os.getloadavg()[0]:.1f}", "", "median", first=40)
    for what, values in zip(("made, seconds", "processor seconds"), zip(*made, strict=True), strict=True):
        table.row(what, statistics.median(values))
    for mark in ("interactive", "complete"):
        table.row(f"{mark} in Chromium, seconds", statistics.median(found[mark] for found in marks))


@program.part("1 min", asked=True)
def views(asked: argparse.Namespace) -> None:
    """Each view of the page of the demo corpus, and of a page that compares two parts of it, as PNG and PDF."""
    into = asked.into or program.parser.error("views needs --into FOLDER")
    into.mkdir(parents=True, exist_ok=True)
    with folder() as place, chromium() as browser:
        for kind, file in demo_pages(place).items():
            for view, options in VIEWS.items():
                shown = opened(browser, file, **options)
                shown.wait_for_timeout(500)
                shown.screenshot(path=into / f"{kind}-{view}.png", full_page=True)
                if view == "desktop":
                    shown.pdf(path=into / f"{kind}-print.pdf", format="A4")
                shown.context.close()


@program.part("1 min", asked=True)
def picture(asked: argparse.Namespace) -> None:
    """The picture of the README: the page of the inaugural addresses, in 256 colours."""
    from PIL import Image

    into = asked.into or program.parser.error("picture needs --into FILE")
    with folder() as place, chromium() as browser:
        title = "Inaugural addresses of US presidents"
        termburst("report", "inaugural", "--stop-words", "english", "--title", title, "-o", place / "page.html")
        shown = opened(browser, place / "page.html", "#democracy", **VIEWS["desktop"], color_scheme="light")
        shown.wait_for_timeout(500)
        shown.screenshot(path=into)
    colours = Image.open(into).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    colours.save(into, optimize=True)  # a third of the bytes


def demo_pages(place: Path) -> dict[str, Path]:
    """The page of the demo corpus, and a page that compares two parts of it."""
    import termburst as tb

    corpus = tb.datasets.load_stdlib()
    sides = {"async and parallel": True, "all other modules": False}
    for name, wanted in sides.items():
        rows = zip(corpus.ids, corpus.texts, strict=True)
        parallel = ("asyncio", "concurrent", "multiprocessing")
        kept = [{"id": one, "text": text} for one, text in rows if one.startswith(parallel) is wanted]
        (place / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    pages = {"corpus": place / "corpus.html", "keyness": place / "keyness.html"}
    termburst("demo", "-o", pages["corpus"])
    files = [place / f"{name}.jsonl" for name in sides]
    termburst("keyness", *files, "--id", "id", "--stop-words", "english", "--report", pages["keyness"])
    return pages


def termburst(*arguments: object) -> tuple[float, float]:
    """Run a command. Returns its seconds, from start to end, and those of processor time on all cores."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "termburst", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def python(script: str) -> str:
    """The last line that a new Python prints, outside this checkout."""
    with folder() as place:
        done = subprocess.run([sys.executable, "-c", script], cwd=place, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[-1]


@contextmanager
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        sys.exit("Chromium is not installed (Debian: install the package chromium)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, chromium_sandbox=False)
        yield browser
        browser.close()


def opened(browser: Any, file: Path, anchor: str = "", **options: Any) -> Any:
    shown = browser.new_context(**options).new_page()
    shown.goto(file.resolve().as_uri() + anchor)
    shown.locator(READY).wait_for(state="attached")
    return shown


STEPS = """
import json, time
import numpy as np
import termburst as tb
from sklearn.feature_extraction.text import CountVectorizer
from termburst.datasets import load_stdlib

texts = list(load_stdlib().texts)
counter = CountVectorizer()
X = counter.fit_transform(texts)
terms = np.arange(X.shape[1]).astype(str)
half = X.shape[0] // 2
steps = {
    "CountVectorizer": lambda: tb.CountVectorizer().fit_transform(texts),
    "CountVectorizer, pairs": lambda: tb.CountVectorizer(ngram_range=(1, 2), stop_words="english").fit_transform(texts),
    "fit_beta_binomial": lambda: tb.fit_beta_binomial(X),
    "burstiness_test": lambda: tb.burstiness_test(X, terms, columns="all"),
    "keyness": lambda: tb.keyness(X[:half], X[half:], terms=terms),
    "keyness, permutation": lambda: tb.keyness(X[:half], X[half:], terms=terms, method="permutation"),
    "coburst": lambda: tb.coburst(X, terms=terms),
    "fit_dirichlet_multinomial": lambda: tb.fit_dirichlet_multinomial(X),
    "TermWeighting": lambda: tb.TermWeighting().fit_transform(X),
    "retrieval": lambda: tb.retrieval.Index.from_counts(X, terms).batch_search([["python"]] * 64),
}
seconds = {}
for name, step in steps.items():
    times = [time.perf_counter()]
    for _ in range(2):
        step()
        times.append(time.perf_counter())
    seconds[name] = [times[1] - times[0], times[2] - times[1]]
print(json.dumps(seconds))
"""

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

if __name__ == "__main__":
    sys.exit(program.main())
