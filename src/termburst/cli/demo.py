"""`termburst demo`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from termburst.cli.output import SURE, many, say
from termburst.cli.reading import collection_size, working
from termburst.display import printable
from termburst.options import Option

if TYPE_CHECKING:
    from termburst.corpus.corpus import Corpus


# What the texts are, what one is called, the corpus, and the two groups that are compared.
Texts = tuple[str, str, "Corpus", dict[str, "Corpus"]]


def demo(
    top: Annotated[int, Option("How many words.", least=1)] = 10,
    output: Annotated[Path, Option("The page to write; needs Bokeh.")] = Path("termburst-demo.html"),
) -> None:
    """See it work: bursty words in sentences, a comparison of two groups, and a page to explore.

    The texts are the inaugural addresses of US presidents if NLTK or TERMBURST_DATA has them, otherwise the docstrings
    of Python's standard library.
    """
    import time
    from importlib.util import find_spec

    from termburst.files import check_output
    from termburst.questions.burst_columns import documents_by_chance, in_words

    check_output(output)
    start = time.perf_counter()
    with working("Reading"):
        title, unit, corpus, groups = _texts()
    read = time.perf_counter()
    with working("Fitting every word"):
        table = corpus.term_table()
    done = time.perf_counter()
    shown, statistics = table.head(top), corpus.statistics
    say(f"{title}, without English stop words:", collection_size(corpus), "")
    say(f"The {many(shown.height, 'word')} that are surely the burstiest:")
    expected = documents_by_chance(shown["n"], statistics.lengths, statistics.length_documents)
    for row in shown.with_columns(b_binomial=expected).iter_rows(named=True):
        say(f"  {in_words(row, statistics.documents, unit)}.")
    say("", *_comparison(unit, groups))
    say("", f"Read in {read - start:.1f} s; counted and fitted {many(len(table), 'term')} in {done - read:.1f} s.")
    if find_spec("bokeh") is not None:
        with working("Testing every word") as step:
            corpus.report(output, title=title, step=step)
        say(f"Explore all words in a browser: {output.resolve().as_uri()}")
    else:
        say("For a page to explore all words: pip install 'termburst[report]', then run this command again.")
    command = "termburst" if shutil.which("termburst") else os.path.relpath(sys.argv[0])
    say(f"Next: {command} report YOUR_FOLDER -o report.html; {command} --help lists what else there is.")


def _texts() -> Texts:
    """The inaugural addresses if they are at hand, otherwise Python's docstrings."""
    import polars as pl

    from termburst.corpus.read import read
    from termburst.datasets import DamagedDataError

    try:
        corpus = read("inaugural", stop_words="english")
        late = pl.col("year") >= 1945
        groups = {"since 1945": corpus.where(late), "before 1945": corpus.where(~late)}
        return "The inaugural addresses of US presidents, 1789 to 2021", "addresses", corpus, groups
    except (FileNotFoundError, DamagedDataError):
        corpus = read("stdlib", stop_words="english", words="sklearn")
        inside = pl.col("id").str.contains(".", literal=True)
        groups = {"in packages, such as email.message": corpus.where(inside), "at the top level": corpus.where(~inside)}
        return "The docstrings of this Python's standard library", "modules", corpus, groups


def _comparison(unit: str, groups: dict[str, Corpus]) -> list[str]:
    """What two groups use differently, strongest first, and how many words G² would call different."""
    import polars as pl

    a, b = groups.values()
    with working("Comparing"):
        table, g2 = a.keyness(b), a.keyness(b, method="g2", confidence=None)
    sure = table.filter(pl.col("q_value") <= SURE)
    sizes = [f"{name} ({len(group)})" for name, group in groups.items()]
    said = [f"{unit.capitalize()}: {sizes[0]} compared with {sizes[1]}. {sure.height:,} words surely differ:"]
    for name, sign in zip(groups, (1, -1), strict=True):
        most = sure.filter(pl.col("lower_bound") * sign > 0).sort("lower_bound", descending=sign > 0)["term"].head(8)
        said.append(f"  more often {name}: {', '.join(map(printable, most)) or 'none'}")
    cried = int((g2["q_value"] <= SURE).sum())
    return [*said, f"  G², which takes every repetition for a new witness, would call {cried:,} different."]
