"""Saved statistics as a corpus: a file that `TermStatistics.save` wrote, or the folder of a ledger."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

from termburst.corpus.read_arguments import ReadArguments
from termburst.counting.options import CountingOptions, words_of
from termburst.messages import joined, named
from termburst.reading.corpus_files import is_ledger
from termburst.statistics.term_statistics import TermStatistics


@dataclass(frozen=True, eq=False)
class Summed:
    """Saved statistics in the place of documents: sums of them, so that no single document is known."""

    name: str
    statistics: TermStatistics
    is_counted = False
    in_engine = False

    @property
    def counting(self) -> CountingOptions | None:
        """How words were found and counted."""
        return self.statistics.counting

    @property
    def size(self) -> int:
        """The number of documents."""
        return self.statistics.documents

    def __getattr__(self, name: str) -> NoReturn:
        """ValueError for what needs single documents."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise ValueError(f"{self.name} is saved statistics, which have no documents; give the corpus itself")


def like_saved(name: str, asked: ReadArguments) -> TermStatistics:
    """Saved statistics, or those of a ledger; ValueError for options that they have no use for."""
    asked.refuse(f"saved statistics such as {name}, which have no texts", keep=("layer",))
    if asked.reading.id is not None or asked.tokenizer is not None:
        option = "id" if asked.tokenizer is None else "tokenizer"
        raise ValueError(named(option) + f" is not for saved statistics such as {name}, which have no texts; omit it")
    known = load_saved(name)
    counting_like(known, name, asked)
    return known


def load_saved(source: str | PathLike[str]) -> TermStatistics:
    """The statistics of a file or of a ledger, whose patterns then are in memory."""
    if not is_ledger(Path(source)):
        return TermStatistics.load(source)
    from termburst.backends.collection import Collection
    from termburst.ledgers import Ledger

    ledger = Ledger(source)
    found, batches = Collection(ledger.frame(), {}, None).statistics, ledger.batches
    names = batches["batch"].filter(batches["status"] != "withdrawn").to_list()
    return replace(found, counting=ledger.counting, batches=tuple(names))


def contained(source: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """What saved statistics contain: values for JSON, and in words those that are not short enough to be read."""
    s = load_saved(source)
    facts: dict[str, Any] = {
        "documents": s.documents,
        "tokens": s.tokens,
        "terms": s.vocabulary_size,
        "mean_length": s.mean_length,
        "longest": int(s.lengths.max(initial=0)),
        "empty_documents": int(s.length_documents[s.lengths == 0].sum()),
        "detail": s.detail,
        "min_count": s.min_count,
        "batches": list(s.batches),
        "known_texts": s.texts.size,
        "counting": None if s.counting is None else s.counting.to_json(),
    }
    in_words = {
        "mean_length": f"{s.mean_length:,.1f}",
        "batches": ", ".join(map(repr, s.batches)),
        "counting": "" if s.counting is None else words_of(s.counting),
    }
    return facts, in_words


def counting_like(known: TermStatistics, name: Any, asked: ReadArguments) -> CountingOptions:
    """The options that saved statistics were counted with; ValueError if other options are asked for."""
    given, theirs, layer = asked.counting, known.counting, asked.reading.layer
    if theirs is not None and layer not in (None, theirs.layer):
        how = "without " + named("layer") if theirs.layer is None else "with " + named("layer", theirs.layer)
        own = named("layer", bare=True)
        raise ValueError(f"{name} was counted " + how + "; omit your own " + own + " to count in the same way")
    if theirs is not None and given not in (CountingOptions(), theirs):
        raise ValueError(
            f"{name} was counted with " + unlike(theirs, given) + "; omit your own options to count in the same way"
        )
    # Equal options may differ in one thing: a pattern that the user gives has no limits of a pattern from a file.
    return given if theirs is None or given == theirs else theirs


def check_same_words(name: Any, one: CountingOptions | None, other_name: Any, other: CountingOptions | None) -> None:
    """ValueError that names the options in which two corpora differ, if it is known how both were counted."""
    if one is not None and other is not None and one != other:
        ways = f"{name} was counted with " + unlike(one, other) + f", {other_name} with " + unlike(other, one)
        raise ValueError(ways + "; build one of them again with the options of the other")


def unlike(options: CountingOptions, others: CountingOptions) -> str:
    """The options that differ from *others*, in words.

    >>> plain = CountingOptions()
    >>> unlike(CountingOptions(ngrams=2), plain), unlike(plain, CountingOptions(language="de"))
    ('ngrams=(2, 2)', 'no language=')
    """
    values = {f.name: getattr(options, f.name) for f in fields(options) if f.compare}
    if options.words != others.words:  # it follows from it
        del values["apostrophes"]
    different = {name: value for name, value in values.items() if value != getattr(others, name)}
    return joined((_in_words(name, value) for name, value in different.items()), " and ")


def _in_words(name: str, value: Any) -> str:
    if value == getattr(CountingOptions(), name) and name not in ("words", "lowercase", "ngrams"):
        return "no " + named(name)
    if isinstance(value, tuple) and name == "stop_words":
        return named(name) + f" of {len(value):,} words"
    return named(name, value)
