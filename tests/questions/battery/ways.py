"""The ways in: one row each, with what it refuses and how."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from battery.asked import Question
from battery.documents import NAME, Given, as_arguments

import termburst as tb
from helpers.frames import in_engine

IN_MEMORY = "^this needs the documents in memory, but the frame stays where it is; tb.read"
OF_FRAMES = {  # what a frame that is scanned refuses, by the name of the question or by what it needs
    "documents": IN_MEMORY,
    "whole": IN_MEMORY,
    "page of terms": IN_MEMORY,
    "pieces": r"^split\(\) needs the documents, but the frame stays where it is; tb.read",
    "no near-copies": r"^drop_duplicates\(\) needs the documents, but the frame stays where it is; tb.read",
    "dispersion by distances": "^arf needs the documents, but the frame stays where it is; tb.read",
    "weights of classes": "^y= is not for a frame; omit it, or tb.read",
    "a corpus here": r"compare its statistics: tb.keyness\(corpus.statistics, other\)$",
    "a list": r"^a frame has no reference=; tb.keyness\(corpus.statistics, reference=...\) compares it here$",
    "the node itself": "^include_node= is not for a frame; omit it, or tb.read",
}
OF_COUNTED_FRAMES = OF_FRAMES | {"texts": "^the frame has counts; this needs texts"}
OF_PATTERNS = OF_FRAMES | {
    "texts": "^the frame has patterns; this needs texts",
    "two corpora": "no column 'half'; it has 'term', 'count'",
    "metadata": "has no column '(party|year)'.*; it has 'term', 'count'",
    "clusters": "the frame has patterns; this needs texts",
    "weights": "the frame has patterns; this needs texts",
}
NO_DOCUMENTS = "is saved statistics, which have no documents; give the corpus itself"
OF_SUMS = {
    **dict.fromkeys(("cells", "documents", "metadata", "texts", "whole"), NO_DOCUMENTS),
    "two corpora": r"contains statistics, which have no columns; omit where\(\)",
    "pieces": r"contains statistics, which have no documents; omit split\(\)",
    "no near-copies": r"contains statistics, which have no documents; omit drop_duplicates\(\)",
    "lines of a pattern": r"contains statistics, which have no columns; omit where\(\)",
}
OF_COUNTS = {
    "lines": "^the corpus was made from counts: there is nothing to search",
    "texts": "^the corpus was made from counts: its words have no order",
    "whole": "^the corpus was made from counts: its words have no order",
    "pieces": "^the corpus was made from counts: there is nothing to cut",
    "dispersion by distances": "^arf needs the order of the tokens, but the corpus was made from counts; read",
}


@dataclass(frozen=True)
class Way:
    """One way in.

    Attributes
    ----------
    corpus : made from the documents
    every : whether it is asked every question, and not one of each kind
    only : these questions and no others, if any are named
    ordered : whether its rows come in the order of memory
    quick : whether `make test` asks it
    engine : of the frame that is scanned; its answers are frames of it, too
    refuses : the name of a question, or what it needs, to the sentence
    differs : the name of a question to how its answer differs, where it should not
    """

    name: str
    corpus: Callable[[Given], tb.Corpus] | None = None
    every: bool = True
    only: tuple[str, ...] = ()
    ordered: bool = True
    quick: bool = False
    refuses: Mapping[str, str] = field(default_factory=dict)
    differs: Mapping[str, str] = field(default_factory=dict)
    engine: str | None = None
    source: Callable[[Given], Path] | None = None  # of the command line

    @property
    def is_command(self) -> bool:
        return self.source is not None

    def asks(self, question: Question) -> bool:
        """Whether there is such a function, or such a command; and whether it is asked."""
        command, function = bool(question.command), self.corpus is not None or question.function is not None
        has = command if self.is_command else function
        if self.only:
            return question.name in self.only
        is_refused = question.name not in self.refuses and question.needs in self.refuses
        return has and (question.kind or (self.every and not is_refused))

    def sentence(self, question: Question) -> str | None:
        """How it refuses a question; None if it answers."""
        by_name = self.refuses.get(question.name, self.refuses.get(question.needs))
        return None if question.name in self.differs else by_name


def file(name: str, write: Callable[[pl.DataFrame, Path], Any]) -> Callable[[Given], Path]:
    """A file with the documents."""

    def written(given: Given) -> Path:
        path = given.path(name)
        write(given.frame, path)
        return path

    return written


def write_folder(frame: pl.DataFrame, path: Path) -> None:
    path.mkdir()
    for name, text in frame.select("id", "text").rows():
        (path / name).write_text(text or "!", encoding="utf-8")  # empty files are no documents


def write_archive(frame: pl.DataFrame, path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in frame.select("id", "text").rows():
            archive.writestr(name, text or "!")


folder, archive = file("texts", write_folder), file("texts.zip", write_archive)
csv = file("texts.csv", pl.DataFrame.write_csv)
jsonl = file("texts.jsonl", pl.DataFrame.write_ndjson)
parquet = file("texts.parquet", pl.DataFrame.write_parquet)


def saved(given: Given) -> Path:
    path = given.path("saved.parquet")
    given.read().statistics.save(path)
    return path


def of_names(source: Callable[[Given], Path]) -> Callable[[Given], tb.Corpus]:
    """Files whose names have the metadata."""
    return lambda given: tb.scan(source(given), name_pattern=NAME, **given.options)


def of_rows(source: Callable[[Given], Path], door: Callable[..., tb.Corpus] = tb.scan) -> Callable[[Given], tb.Corpus]:
    """Tables with one row per document."""
    return lambda given: door(source(given), text="text", id="id", **given.options)


def of_tokens(given: Given) -> tb.Corpus:
    """The words of the texts, in their order, found by the rule."""
    counting = tb.CountingOptions(lowercase=given.counting.lowercase)
    tokens = [[word for word, *_ in counting.placed_tokens(text)[1]] for text in given.texts]
    options = {name: value for name, value in given.options.items() if name != "lowercase"}
    return tb.read(tokens, id=given.ids, metadata=given.metadata.drop("id"), **options)


def of_matrix(given: Given) -> tb.Corpus:
    X, terms = given.counted()
    return tb.read(X, terms=terms, id=given.ids, metadata=given.metadata.drop("id"))


def framed(engine: str, *, quick: bool = False, every: bool = False) -> Way:
    """Texts in a frame of an engine."""

    def scan(given: Given) -> tb.Corpus:
        return tb.scan(in_engine(engine, given.frame, given.session), **given.options)

    is_ordered = engine != "spark"
    return Way(engine, scan, every, ordered=is_ordered, quick=quick, refuses=OF_FRAMES, engine=engine)


def counted(engine: str, only: tuple[str, ...] = ()) -> Way:
    """Counts in a frame of an engine."""

    def scan(given: Given) -> tb.Corpus:
        return tb.scan(in_engine(engine, given.cells(), given.session))

    return Way(
        f"{engine} counts", scan, False, only, ordered=engine != "spark", refuses=OF_COUNTED_FRAMES, engine=engine
    )


def of_patterns(given: Given) -> tb.Corpus:
    return tb.scan(given.patterns().lazy())


WAYS = [
    Way("functions", quick=True),
    Way("read frame", lambda g: tb.read(g.frame, **g.options), every=False),
    Way("read tokens", of_tokens, every=False, differs={"lines": "there is no text between the tokens"}),
    Way(
        "read counts",
        of_matrix,
        every=False,
        refuses=OF_COUNTS,
        differs={"check": "shared passages are not found in counts"},
    ),
    Way("read csv", of_rows(csv, tb.read), every=False),
    Way("scan folder", of_names(folder), quick=True),
    Way("scan archive", of_names(archive), every=False),
    Way("scan jsonl", of_rows(jsonl), every=False),
    Way("scan parquet", of_rows(parquet), every=False),
    Way("saved", lambda g: tb.scan(saved(g)), refuses=OF_SUMS),
    Way("command line", source=csv, quick=True),
    framed("polars-lazy", quick=True, every=True),
    framed("duckdb", every=True),
    *map(framed, ("polars", "pandas", "pyarrow", "spark")),
    *map(counted, ("polars-lazy", "duckdb")),
    counted("spark", ("statistics", "a condition", "weights")),
    Way("patterns", of_patterns, every=False, refuses=OF_PATTERNS),
]


def command_answer(given: Given, question: Question, path: Path) -> Any:
    """What the command line writes, read from the file."""
    name = question.command[0]
    options = [*as_arguments(given.options), "--text", "text", "--id", "id", "--quiet"]
    if name == "stats":
        target, more = given.path("out.parquet"), ["--detail", "patterns"]
    elif name == "weigh":
        target, more = given.path("out.parquet"), []
    else:
        target = given.path("out.json")
        more = ["--json"] if name == "check" else ["--format", "json"]
    at = 2 if name == "stats" else 1
    given.run(*question.command[:at], path, *question.command[at:], *more, *options, "--output", target)
    if name == "stats":
        return tb.TermStatistics.load(target)
    if name == "weigh":
        return pl.read_parquet(target)
    found = json.loads(target.read_text(encoding="utf-8"))
    return found if isinstance(found, dict) else pl.DataFrame(found, infer_schema_length=None)
