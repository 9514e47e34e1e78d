"""A corpus that a command reads, batch by batch: one kind of text, cut into pieces if asked, and the reading report."""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from termburst.cli.option_values import parsed_tokens
from termburst.cli.output import many, say
from termburst.display import printable

if TYPE_CHECKING:
    from termburst.counting.options import CountingOptions
    from termburst.datasets import TextCollection
    from termburst.reading.documents import Text
    from termburst.reading.readers import Batch
    from termburst.reading.report import ReadingReport

NAMED_COPIES = 10  # near-copies that are named when they are dropped
REPORT_LINES = 12  # of the reading report, on a terminal


@dataclass(frozen=True)
class CorpusRead:
    """A corpus that is being read: its batches, and how they are counted (an annotated corpus sets the layer).

    The report is complete when all batches have been read. *tell* changes the first word beside the progress bar, such
    as "Reading".
    """

    batches: Iterator[Batch]
    counting: CountingOptions
    report: ReadingReport
    tell: Callable[[str], None] = lambda doing: None


def collection_batches(collection: TextCollection, id: str | None = None) -> Iterator[Batch]:
    """The documents of a data set. Their ids are its own, or the values of the column *id*."""
    from termburst.reading.readers import Batch

    step, columns = 500, collection.columns()  # documents, so that the bar moves
    if id is not None and id not in columns:
        known = f"it has {', '.join(columns)}" if columns else "it has none"
        raise ValueError(f"{collection.name} has no column {id!r:.60}; {known}")
    ids = collection.ids if id is None else [str(value) for value in columns[id]]
    for i in range(0, len(collection), step):
        texts: list[Text] = list(collection.texts[i : i + step])
        rows = zip(*(column[i : i + step] for column in columns.values()), strict=True)
        metadata: list[Any] | None = [dict(zip(columns, row, strict=True)) for row in rows] or None
        yield Batch(ids[i : i + step], texts, min(i + step, len(collection)), metadata=metadata)


def peeked(batches: Iterator[Batch]) -> tuple[list[Text], Iterator[Batch]]:
    """The texts of the first batch that has some, and all batches."""
    head = []
    for batch in batches:
        head.append(batch)
        if batch.texts:
            break
    return head[-1].texts if head else [], itertools.chain(head, batches)


def of_one_kind(corpus: str, batches: Iterator[Batch], *, annotated: bool) -> Iterator[Batch]:
    """The same batches. ValueError if some documents are token lists and others are texts.

    *annotated* says of which kind they must be.
    """
    from termburst.reading.faults import mixed_kinds

    right = wrong = ""  # the first documents of each kind
    for batch in batches:
        for name, text in zip(batch.ids, batch.texts, strict=True):
            if isinstance(text, list) is annotated:
                right = right or name
            elif text:
                wrong = wrong or name
        if wrong:
            raise mixed_kinds(corpus, *((right, wrong) if annotated else (wrong, right)))
        yield batch


def cut(
    batches: Iterator[Batch], split: str, counting: CountingOptions, report: ReadingReport, *, numbered: bool
) -> Iterator[Batch]:
    """The batches with every document cut into the pieces that --split asks for. The report gets their number.

    If *numbered*, the id of a piece is that of the document and a number; otherwise that of the document, which then is
    the label of a group.
    """
    from termburst.corpus.splitting import by_pattern, by_tokens

    by_number = split.isdecimal()
    begin = by_tokens(parsed_tokens(split), counting) if by_number else by_pattern(split)
    documents = pieces = 0
    for batch in batches:
        ids: list[str] = []
        texts: list[Text] = []
        metadata: list[Any] | None = None if batch.metadata is None else []
        for number, (name, text) in enumerate(zip(batch.ids, batch.texts, strict=True)):
            whole, starts = begin(text)
            bounds = zip(starts, [*starts[1:], len(whole)], strict=True)
            texts += [whole[start:stop] for start, stop in bounds]
            ids += [f"{name}:{piece}" if numbered else name for piece in range(1, len(starts) + 1)]
            if batch.metadata is not None and metadata is not None:
                metadata += [batch.metadata[number]] * len(starts)
        documents, pieces = documents + len(batch.ids), pieces + len(ids)
        report.pieces = pieces
        yield replace(batch, ids=ids, texts=texts, metadata=metadata)
    if documents == pieces and documents:
        if not by_number:
            problem = f"--split: the pattern {split!r:.60} cuts no document"
            raise ValueError(f"{problem}; check it, or give a number of tokens")
        sentence = f"--split {split} cuts none of {many(documents, 'document')}: none has more than {split} tokens"
        warnings.warn(sentence, stacklevel=2)


def without_duplicates(corpus: str, batches: Iterator[Batch]) -> Iterator[Batch]:
    """The batches without near-copies of earlier documents. It says which they are, and needs all texts at once."""
    from termburst.counting.shingles import TextShingles
    from termburst.inference.duplicates import near_duplicates

    held = list(batches)
    ids = [name for batch in held for name in batch.ids]
    found = near_duplicates(TextShingles([text for batch in held for text in batch.texts]))
    kept = found.kept.tolist()
    copies = [(ids[k], ids[of]) for k, of in enumerate(found.original.tolist()) if k != of]
    named = ", ".join(f"{printable(one)} (of {printable(of)})" for one, of in copies[:NAMED_COPIES])
    more = f", and {len(copies) - NAMED_COPIES:,} more" if len(copies) > NAMED_COPIES else ""
    say(f"{corpus}: {many(len(copies), 'near-duplicate')} dropped{': ' if copies else ''}{named}{more}", err=True)
    first = 0
    for batch in held:
        inside = [k for k in range(len(batch.ids)) if kept[first + k]]
        first += len(batch.ids)
        rows = None if batch.metadata is None else [batch.metadata[k] for k in inside]
        yield replace(batch, ids=[batch.ids[k] for k in inside], texts=[batch.texts[k] for k in inside], metadata=rows)


def warn_of_unsegmented(corpus: str, texts: list[Text], language: str | None) -> None:
    """Warn of texts without spaces between words, and say which --language they need."""
    from termburst.counting.scripts import unsegmented_script

    problem = unsegmented_script(texts, language)
    if problem is not None:
        warnings.warn(f"{corpus}: {problem.replace('Set the language to', 'Give --language')}", stacklevel=2)


def print_report(
    report: ReadingReport, texts: list[Text], *, language: str | None, stop_words: bool, whole: bool | None
) -> None:
    """Print what was skipped, repaired or guessed, on standard error; nothing if there is nothing of that kind.

    Without *language*, it is guessed from the first *texts*; *stop_words* says whether some are left out.
    *whole* is True for all of the report, False for none, and None for its first lines on a terminal.
    """
    if whole is False or not (whole or report.has_oddities or report.pieces is not None):
        return
    if language is None and report.language is None:
        from termburst.counting.guess_language import guess_language
        from termburst.counting.languages import guessed_language

        guess = guess_language(texts)
        advice = None if stop_words else "--stop-words {}"
        report.language = None if guess is None else guessed_language(guess[0], "--language {}", advice)
    printed = str(report).splitlines()
    if not whole and len(printed) > REPORT_LINES and _is_terminal():
        left = len(printed) - REPORT_LINES
        printed = [*printed[:REPORT_LINES], f"and {many(left, 'more line')}; --verbose shows all"]
    say(*printed, err=True)


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
