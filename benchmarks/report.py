"""The page of 20 Newsgroups: the time to make it, its size, and the time until it can be used in Chromium.

python benchmarks/report.py                      # the numbers; needs TERMBURST_DATA, Chromium and Playwright
python benchmarks/report.py --views pictures     # each view as a PNG, to look at
python benchmarks/report.py --picture docs/report.png   # the picture of the README; needs the inaugural addresses
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import termburst as tb
from termburst.datasets import clean_text

READY = "html[data-ready=true]"  # a selector: the page's policy does not let Playwright wait for an expression
VIEWS = {
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "desktop-dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}


def termburst(*arguments: object) -> tuple[float, float]:
    """Run a command. Returns its seconds, from start to end, and those of processor time on all cores."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "termburst", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - start, used


@contextmanager
def chromium():
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        sys.exit("Chromium is not installed (Debian: install the package chromium)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, chromium_sandbox=False)
        yield browser
        browser.close()


def opened(browser, page_file: Path, anchor: str = "", **options):
    page = browser.new_context(**options).new_page()
    page.goto(page_file.resolve().as_uri() + anchor)
    page.locator(READY).wait_for(state="attached")
    return page


def seconds_of(page, action: str) -> float:
    """Seconds from an action on the page until its result is painted."""
    painted = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
    return page.evaluate(f"""async () => {{
        const start = performance.now();
        {action};
        await {painted};
        return (performance.now() - start) / 1000;
    }}""")


ACTIONS = {
    "search": """const box = document.getElementById("search"); box.value = "ab";
        box.dispatchEvent(new Event("input"))""",
    "sort": """document.querySelectorAll("#table thead button")[4].click()""",
    "another term": """document.querySelectorAll("#table tbody button")[3].click()""",
    "other scale": """const scale = document.getElementById("scale"); scale.value = "linear";
        scale.dispatchEvent(new Event("input"))""",
}


def spread(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})"


def measure(folder: Path, repeats: int = 3) -> None:
    corpus = tb.datasets.load_20newsgroups()
    cleaned = folder / "cleaned.jsonl"
    texts = (
        json.dumps({"id": name, "text": clean_text(text)}) for name, text in zip(corpus.ids, corpus.texts, strict=True)
    )
    cleaned.write_text("\n".join(texts), encoding="utf-8")
    tb.CountingOptions().count(["loads everything before the first measurement"])
    termburst("report", "stdlib", "-o", folder / "warm.html")
    print(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with chromium() as browser:
        for name, source in (("as in the paper's Table 2", (cleaned, "--id", "id")), ("raw", ("20newsgroups",))):
            page_file = folder / "page.html"
            made = [termburst("report", *source, "--stop-words", "english", "-o", page_file) for _ in range(repeats)]
            marks = []
            for _ in range(5):
                page = opened(browser, page_file, **VIEWS["desktop"])
                names = "performance.getEntriesByType('mark').map((mark) => [mark.name, mark.startTime / 1000])"
                marks.append(dict(page.evaluate(names)))
                took = {what: seconds_of(page, action) for what, action in ACTIONS.items()}
                size = page.locator("#size").inner_text()
                page.context.close()
            print(f"20 Newsgroups, {name}: {size}")
            wall, used = zip(*made, strict=True)
            print(f"  made in {spread(wall)}, in a separate process; goal 15 s; processor time {spread(used)}")
            print(f"  {page_file.stat().st_size / 1e6:.2f} MB; goal 5 MB for 100,000 terms")
            for mark, goal in (("interactive", "; goal 2 s"), ("complete", "")):
                print(f"  {mark} in Chromium after {spread([m[mark] for m in marks])}{goal}")
            print("  " + ", ".join(f"{what} {took[what]:.2f} s" for what in ACTIONS))


def demo_pages(folder: Path) -> dict[str, Path]:
    """The page of the demo corpus, and a page that compares two parts of it."""
    corpus = tb.datasets.load_stdlib()
    for name, wanted in (("async and parallel", True), ("all other modules", False)):
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for module, text in zip(corpus.ids, corpus.texts, strict=True):
                if module.startswith(("asyncio", "concurrent", "multiprocessing")) is wanted:
                    file.write(json.dumps({"id": module, "text": text}) + "\n")
    pages = {"corpus": folder / "corpus.html", "keyness": folder / "keyness.html"}
    termburst("demo", "-o", pages["corpus"])
    sides = (folder / "async and parallel.jsonl", folder / "all other modules.jsonl")
    termburst("keyness", *sides, "--id", "id", "--stop-words", "english", "--report", pages["keyness"])
    return pages


def picture_views(folder: Path, into: Path) -> None:
    into.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for kind, page_file in demo_pages(folder).items():
            for view, options in VIEWS.items():
                page = opened(browser, page_file, **options)
                page.wait_for_timeout(500)
                page.screenshot(path=into / f"{kind}-{view}.png", full_page=True)
                if view == "desktop":
                    page.pdf(path=into / f"{kind}-print.pdf", format="A4")
                page.context.close()
    print(f"{len(list(into.iterdir()))} views in {into}")


def picture(folder: Path, path: Path) -> None:
    with chromium() as browser:
        page_file, title = folder / "addresses.html", "Inaugural addresses of US presidents"
        termburst("report", "inaugural", "--stop-words", "english", "--title", title, "-o", page_file)
        page = opened(browser, page_file, "#democracy", **VIEWS["desktop"], color_scheme="light")
        page.wait_for_timeout(500)
        page.screenshot(path=path)
    colours = (
        Image.open(path).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )  # a third of the bytes
    colours.save(path, optimize=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--views", type=Path, metavar="FOLDER")
    parser.add_argument("--picture", type=Path, metavar="FILE")
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if asked.views is not None:
            picture_views(Path(scratch), asked.views)
        elif asked.picture is not None:
            picture(Path(scratch), asked.picture)
        else:
            measure(Path(scratch), asked.repeats)
