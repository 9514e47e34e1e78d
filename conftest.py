"""Fixtures of the tests and of the examples in docs/, and what makes a test slow.

A test that needs something that may be missing (data, Spark, a browser) has it as a fixture. If it is missing, the test
is skipped with a reason; if .ci/run promised that it is there, the test fails.
"""

import gc
import importlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import settings
from numpy.typing import NDArray
from xdist.scheduler import LoadFileScheduling

from termburst.paper.classification import Split
from termburst.paper.collections import Collections

# No deadline: a busy machine may be slow. Every run draws new examples, so a few per run add up.
settings.register_profile("termburst", deadline=None, max_examples=40)
settings.load_profile("termburst")
gc.disable()  # until all tests are collected: most of what is made then stays

# The built site contains copies of scripts, Sphinx runs the scripts in docs and writes api.
collect_ignore = [
    "docs/_build",
    "docs/api",
    "docs/api_pages.py",
    "docs/conf.py",
    "docs/generated.py",
    "tests/reference",
]  # scripts there need other programs

REQUIRE_DATA = "TERMBURST_REQUIRE_DATA"  # set by .ci/run if it finds the data
REQUIRE_BERTOPIC = "TERMBURST_REQUIRE_BERTOPIC"  # set by .ci/run, which installs bertopic
REQUIRE_SPARK = "TERMBURST_REQUIRE_SPARK"  # set by .ci/run on Linux
REQUIRE_BROWSER = "TERMBURST_REQUIRE_BROWSER"  # set by .ci/run on Linux


TOGETHER = ("spark", "paper")  # each on one worker: a session with three Java processes; collections counted once


def place(nodeid: str) -> str:
    """The tests that one worker runs one after another: all of Spark, all of the paper, or one file."""
    file = nodeid.partition("::")[0]
    if file.endswith(("test_spark.py", "test_spark_connect.py")) or nodeid.endswith("spark]") or "[spark" in nodeid:
        return "spark"
    return "paper" if file.startswith("tests/paper/") else file


class ByPlace(LoadFileScheduling):
    """One place at a time per worker."""

    def _split_scope(self, nodeid: str) -> str:
        return place(nodeid)


@pytest.hookimpl(optionalhook=True)  # the hook exists only if the plug-in xdist is active
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    return ByPlace(config, log) if config.getoption("dist") == "loadfile" else None


COSTLY = {  # fixtures
    "data", "bertopic", "spark", "pyspark", "browser", "process", "popen", "shell", "on_a_terminal", "attacked",
}  # fmt: skip
QUICK_ENGINES = {None, "polars-lazy"}  # of the engines, make test has one
DRAWING = (  # figures and pages, also those of the documentation
    "README.md", "tests/plot/", "tests/report/", "tests/paper/", "src/termburst/plot/", "src/termburst/report/",
    "docs/report.md", "docs/tutorial.md", "docs/figures.md", "docs/command-line.md", "docs/topics.md",
    "docs/why-g2-cries-wolf.md", "docs/burstiness.md", "docs/keyness.md", "docs/keyness-study.md", "docs/learning.md",
    "docs/engines.md", "docs/designs.md", "docs/concordance.md",
    "src/termburst/corpus/questions.py::termburst.corpus.questions.Questions.explore",
)  # fmt: skip
COMMON_CHECKS = "test_scikit_learn_s_common_checks"  # two thousand of them


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import folders of which every test is slow, if no slow test is asked for."""
    if config.option.markexpr != "not slow" or not collection_path.is_relative_to(config.rootpath):
        return None
    return True if f"{collection_path.relative_to(config.rootpath).as_posix()}/" in DRAWING else None


def pytest_collection_finish() -> None:
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests as slow that draw, or need data, other programs or their own process; `make test` omits them.

    Workers begin with the two longest places and end with files of quick tests only, so that no long file is left for
    one worker at the end.
    """
    for item in items:
        needed, name = set(getattr(item, "fixturenames", ())), getattr(item, "originalname", "")
        engine = getattr(getattr(item, "callspec", None), "params", {}).get("engine")
        costly = needed & COSTLY or name == COMMON_CHECKS or engine not in QUICK_ENGINES
        in_spark = place(item.nodeid) == "spark"
        if costly or item.nodeid.startswith(DRAWING) or in_spark:
            item.add_marker("slow")
        if in_spark:
            item.add_marker("spark")
    if hasattr(config, "workerinput"):
        long = {place(item.nodeid) for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: (place(item.nodeid) not in TOGETHER, place(item.nodeid) not in long))


NEED_DATA = ("README.md", "docs/tutorial.md", "docs/figures.md")  # pages whose examples read data sets


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.nodeid.startswith(NEED_DATA) and not os.environ.get("TERMBURST_DATA"):
        unavailable("the examples of this page need data: set TERMBURST_DATA")


@pytest.fixture(autouse=True)
def _polars_as_it_was(request: pytest.FixtureRequest) -> Iterator[None]:
    """A page may change how Polars prints frames; the next page begins with the defaults."""
    yield
    if request.node.nodeid.startswith(NEED_DATA):
        pl.Config.restore_defaults()


def unavailable(reason: str, require: str = REQUIRE_DATA) -> None:
    """Skip with a reason, or fail if the environment variable *require* promises that nothing is missing."""
    if os.environ.get(require) == "1":
        pytest.fail(f"{require}=1, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def bertopic() -> Any:
    """The package bertopic, which termburst works with and never depends on."""
    try:
        return importlib.import_module("bertopic")
    except ImportError as error:
        return unavailable(f"bertopic cannot be imported ({error})", REQUIRE_BERTOPIC)


@pytest.fixture(scope="session")
def pyspark() -> Any:
    """The package pyspark, on a machine that has Java."""
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        unavailable("there is no command java: Spark needs Java 17 or 21 (openjdk-17-jre-headless)", REQUIRE_SPARK)
    try:
        return importlib.import_module("pyspark")
    except ImportError as error:
        return unavailable(f"pyspark cannot be imported ({error}): pip install '.[spark]'", REQUIRE_SPARK)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The Chromium of the operating system, driven by Playwright."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        unavailable("there is no Chromium on this machine (Debian's package is chromium)", REQUIRE_BROWSER)
    try:
        playwright = importlib.import_module("playwright.sync_api")
    except ImportError as error:
        unavailable(f"playwright cannot be imported ({error}): pip install '.[dev]'", REQUIRE_BROWSER)
    with playwright.sync_playwright() as driver:
        # CI often runs as root, where Chromium's own sandbox does not work.
        chromium = driver.chromium.launch(executable_path=found, chromium_sandbox=False)
        yield chromium
        chromium.close()


@pytest.fixture(autouse=True)
def _bertopic_for_topics(request: pytest.FixtureRequest) -> None:
    if request.path.name == "topics.md":
        request.getfixturevalue("bertopic")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder that TERMBURST_DATA names."""
    folder = os.environ.get("TERMBURST_DATA")
    if not folder:
        unavailable("TERMBURST_DATA is not set; point it at a folder with scikit_learn_data, nltk_data and published")
    path = Path(str(folder))
    if not path.is_dir():
        unavailable(f"TERMBURST_DATA={folder} is not a folder")
    return path


@pytest.fixture(scope="session")
def collections() -> Collections:
    """The paper's collections, read, counted and fitted once; those that need data are for tests with `data`."""
    return Collections()


@pytest.fixture(scope="session")
def fig3(collections: Collections) -> NDArray[np.int64]:
    """The simulated collection of the paper's Fig. 3: 100 documents × 250 terms, 39 of which never occur."""
    return collections.fig3.counts


@pytest.fixture(scope="session")
def newsgroups(data: Path, collections: Collections) -> Split:
    """20 Newsgroups with headers, cleaned and counted as in the paper's Table 2."""
    return collections.newsgroups


@pytest.fixture(scope="session")
def r8(data: Path, collections: Collections) -> Split:
    """R8, cleaned and counted as in the paper's Table 3."""
    return collections.r8


@pytest.fixture(scope="session")
def fig4(data: Path, collections: Collections) -> tuple[Any, NDArray[np.object_]]:
    """The collection of the paper's Fig. 4: counts and the 72,916 terms, stop words kept."""
    return collections.fig4.counts, collections.fig4.terms
