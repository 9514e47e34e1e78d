"""Ways to run the command line, and a small corpus to run it on."""

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import termburst as tb
from helpers.fork_server import fork_server
from helpers.processes import PATIENCE, plain_environment
from termburst.cli import main


class Outcome(NamedTuple):
    """The result of one run of the command."""

    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode().replace("\r\n", "\n")

    @property
    def rows(self) -> dict[str, dict[str, Any]]:
        """The rows of `--format json`, by term."""
        return {row["term"]: row for row in json.loads(self.raw)}


Run = Callable[..., Outcome]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for the docstrings of the standard library, so that they are parsed only once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session", name="plain_environment")
def _plain_environment(cache: Path) -> dict[str, str]:
    """The environment without variables that make a pipe look like a terminal."""
    return plain_environment(cache)


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, plain_environment: dict[str, str]) -> None:
    for key in set(os.environ) - set(plain_environment):
        monkeypatch.delenv(key)
    monkeypatch.setenv("TERMBURST_CACHE", plain_environment["TERMBURST_CACHE"])


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run the command in this process, which saves the second that imports take."""

    def call(*arguments: object) -> Outcome:
        capfdbinary.readouterr()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["termburst", *map(str, arguments)])
            patch.setattr(warnings, "showwarning", warnings.showwarning)  # `main` replaces it
            with pytest.raises(SystemExit) as stop:
                main()
        out, err = capfdbinary.readouterr()
        return Outcome(stop.value.code or 0, out, err.decode())  # type: ignore[arg-type]

    return call


READING = {
    ("terms",),
    ("explain",),
    ("weigh",),
    ("export",),
    ("keyness",),
    ("report",),
    ("stats", "build"),
    ("stats", "add"),
}


def quiet(arguments: tuple[object, ...]) -> list[str]:
    """The option that prints no reading report, if the command reads text."""
    return ["--quiet"] if READING & {arguments[:1], arguments[:2]} else []


@pytest.fixture
def done(run: Run) -> Run:
    """Run the command, without a reading report; it must succeed and write nothing to standard error."""

    def call(*arguments: object) -> Outcome:
        outcome = run(*arguments, *quiet(arguments))
        assert (outcome.code, outcome.err) == (0, "")
        return outcome

    return call


@pytest.fixture
def fault(run: Run) -> Callable[..., str]:
    """Run the command, without a reading report; it must fail with one line and exit code 2. Return the line."""

    def call(*arguments: object) -> str:
        outcome = run(*arguments, *quiet(arguments))
        assert outcome.code == 2, outcome
        assert outcome.raw == b""
        assert outcome.err.startswith("termburst: ")
        assert outcome.err.endswith("\n")
        assert outcome.err.count("\n") == 1, outcome.err
        assert "Traceback" not in outcome.err
        assert outcome.err[:-1].isprintable()
        return outcome.err

    return call


@pytest.fixture(scope="session")
def forked_command(plain_environment: dict[str, str]) -> Iterator[list[str]]:
    """The beginning of a command that runs in a fork of one process that has imported everything."""
    if not sys.platform.startswith("linux"):
        yield [sys.executable, "-m", "termburst"]
        return
    with fork_server(plain_environment) as command:
        yield command


@pytest.fixture
def process(plain_environment: dict[str, str], forked_command: list[str]) -> Run:
    """Run the command in its own process. With variables of its own it is a new Python, which may read them at once."""

    def call(*arguments: object, stdin: bytes = b"", **environment: str) -> Outcome:
        command = [sys.executable, "-m", "termburst"] if environment else forked_command
        ended = subprocess.run(
            [*command, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            env=plain_environment | environment,
            timeout=PATIENCE,
            check=False,
        )
        return Outcome(ended.returncode, ended.stdout, ended.stderr.decode().replace("\r\n", "\n"))

    return call


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """Forty documents with rare and frequent, even and bursty words, capitals, stop words and numbers.

    Unicode's words and scikit-learn's are the same here.
    """
    rng = np.random.default_rng(7)
    words = np.array(
        ["the", "and", "of", "Whale", "ship", "sea", "harpoon", "Nantucket", "captain", "ox", "1851", "naïve", "done"]
    )
    documents = []
    for _ in range(40):
        shares = rng.dirichlet(np.linspace(1.5, 0.1, words.size))
        documents.append(" ".join(rng.choice(words, size=rng.integers(5, 60), p=shares)))
    return [*documents[:20], "!", *documents[20:]]  # one has no word, and its line is not blank


@pytest.fixture(scope="session")
def counted() -> Callable[..., tb.TermStatistics]:
    """Statistics from scikit-learn's counts."""

    def count(texts: Sequence[str], detail: Any = "moments", **options: Any) -> tb.TermStatistics:
        vectorizer = CountVectorizer(**options)
        counts = vectorizer.fit_transform(texts)
        return tb.TermStatistics.from_counts(counts, vectorizer.get_feature_names_out(), detail)

    return count


@pytest.fixture(scope="session")
def agree() -> Callable[..., None]:
    """Check that the rows that the command printed have the library's numbers."""

    def check(rows: dict[str, dict[str, Any]], statistics: tb.TermStatistics, **options: Any) -> None:
        plr = tb.plr_statistic(statistics, **options)
        assert sorted(rows) == sorted(statistics.terms)  # type: ignore[arg-type]
        assert [rows[term]["n"] for term in statistics.terms] == statistics.collection_frequency.tolist()
        assert [rows[term]["b"] for term in statistics.terms] == statistics.document_frequency.tolist()
        assert [rows[term]["plr"] for term in statistics.terms] == plr.tolist()

    return check


@pytest.fixture
def corpus(tmp_path: Path, texts: list[str]) -> Path:
    """The documents as a text file, one per line: it needs --lines."""
    path = tmp_path / "corpus.txt"
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


@pytest.fixture
def table(texts: list[str]) -> pl.DataFrame:
    """The documents as a table with the columns name and body."""
    return pl.DataFrame({"name": [f"doc {i}" for i in range(len(texts))], "body": texts})
