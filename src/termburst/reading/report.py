"""The reading report: what was read, and everything that was skipped, repaired or guessed on the way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from termburst.messages import Message, joined
from termburst.reading.documents import Text
from termburst.reading.faults import NotStrict, fault, many

NEAR_EMPTY = 10  # characters that are no spaces; a document with fewer is named
_TOO_FEW = f"fewer than {NEAR_EMPTY} characters, spaces not counted"
_MOST_NOTES = 10_000  # that are kept one by one; all are counted
_MOST_HASHES = 500_000  # documents that are compared with each other
_NAMES_SHOWN = 3
_LONGEST_NAME = 80
_ENOUGH_TAGS = 10
_TAG = re.compile(r"</?[A-Za-z][\w:.-]*(?:\s[^<>]{0,300})?/?>")
SKIPPED, UNREADABLE, BLANK_LINES = "skipped", "could not be read", "blank lines left out"
ENCODING_FOUND, ENCODING_GUESSED = "encoding by byte order mark", "encoding guessed"
_ONLY_SAID = ("markup removed", ENCODING_FOUND, BLANK_LINES)  # no text is lost or guessed; strict reading accepts it


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was skipped, repaired or guessed: in which *file*, what *kind* of thing, and the *detail*."""

    file: str
    kind: str
    detail: str


class ReadingReport:
    """What reading a corpus found. It grows while the batches are read; `str()` of it is what people see.

    Attributes
    ----------
    source : the corpus as the user named it
    files, documents : how many were read
    notes : everything skipped, repaired or guessed, one `Note` each (the first 10,000)
    encodings : file → encoding, for files that are not in UTF-8 or begin with a byte order mark
    formats : name of a format → number of files
    language : the language that was guessed; set by what counts the words
    words : how words are found and counted, as `termburst.counting.options` says it; set by what counts them
    empty : ids of documents with fewer than 10 characters, spaces not counted, the first 100
    empty_count : the number of all of them
    duplicates : (id, id of the first document with the same text), the first 100; `duplicate_count` is their number
    longest : id and number of characters (tokens, for token lists) of the longest document
    columns : names of metadata that documents have
    pieces : how many pieces the documents were cut into; None if they were not cut
    inspected : whether documents were looked at; if not, the last three are empty

    Examples
    --------
    >>> report = ReadingReport("speeches")
    >>> report.note("README.md", "skipped", "README or licence")
    >>> print(report)
    speeches: 0 documents.
    skipped: 1 file
      README or licence: README.md
    >>> ReadingReport("speeches", strict=True).note("README.md", "skipped", "README or licence")
    Traceback (most recent call last):
    termburst.reading.faults.NotStrict: README.md: skipped (README or licence); strict reading allows no exceptions
    """

    def __init__(self, source: str, *, strict: bool = False, inspected: bool = False) -> None:
        self.source, self.strict, self.inspected = source, strict, inspected
        self.language: str | None = None
        self.words: str | None = None
        self._found: list[Note] = []  # before reading
        self.restart()

    def restart(self, resumed: int = 0) -> None:
        """Forget what was read, for another pass; *resumed* documents are not read again."""
        self.resumed = resumed
        self.files = self.documents = 0
        self.notes: list[Note] = []
        self.formats: Counter[str] = Counter()
        self._how: Counter[str] = Counter()
        self._kinds: dict[str, dict[str, tuple[int, list[str]]]] = {}
        self.empty: list[str] = []
        self.duplicates: list[tuple[str, str]] = []
        self.empty_count = self.duplicate_count = 0
        self.longest: tuple[str, int] | None = None
        self._longest_in = "character"
        self.columns: set[str] = set()
        self.pieces: int | None = None
        self._seen: dict[int, str] = {}
        self._marked_up: set[str] = set()
        for note in self._found:
            self._add(note)

    def found(self, file: str, kind: str, detail: str) -> None:
        """Note something that was seen before any file was opened; it stays when the corpus is read again."""
        self._raise_if_strict(file, kind, detail)
        self._found.append(Note(file, kind, detail))
        self._add(self._found[-1])

    def note(self, file: str, kind: str, detail: str) -> None:
        """Note that something in a *file* was skipped, repaired or guessed; ValueError if reading is strict."""
        self._raise_if_strict(file, kind, detail)
        self._add(Note(file, kind, detail))

    def add_file(self, documents: int, format: str, how: str) -> None:
        """A file was read to its end."""
        self.files += 1
        self.documents += documents
        self.formats[format] += 1
        self._how[how] += documents

    def look_at(self, document_id: str, text: Text, file: str) -> None:
        """Look at one document: is it nearly empty, a duplicate, the longest, or full of markup?"""
        size = len(text)
        if self.longest is None or size > self.longest[1]:
            self.longest = (document_id, size)
            self._longest_in = "character" if isinstance(text, str) else "token"
        if isinstance(text, str):
            if size < 10 * NEAR_EMPTY and sum(map(len, text.split())) < NEAR_EMPTY:
                self._add_empty(document_id)
                return  # empty documents are all alike
            if "<" in text and file not in self._marked_up and is_marked_up(text):
                self._marked_up.add(file)
                problem = "tags such as <p> are counted as words; convert the file, or name it .html or .xml"
                self.note(file, "markup in the text", problem)
            key = hash(text)
        else:
            if not text:
                self._add_empty(document_id)
                return
            key = hash(tuple(text))
        first = self._seen.get(key)
        if first is not None:
            self.duplicate_count += 1
            if len(self.duplicates) < 100:
                self.duplicates.append((document_id, first))
        elif len(self._seen) < _MOST_HASHES:
            self._seen[key] = document_id

    @property
    def how(self) -> str:
        """What became one document: "one per file", "one per line", "one per row", or several of these with numbers."""
        return _each(dict(self._how.most_common())) if len(self._how) > 1 else next(iter(self._how), "")

    @property
    def encodings(self) -> dict[str, str]:
        """File → encoding, for the files whose encoding was found or guessed."""
        return {n.file: n.detail.partition(" ")[0] for n in self.notes if n.kind in (ENCODING_FOUND, ENCODING_GUESSED)}

    @property
    def skipped(self) -> list[tuple[str, str]]:
        """(file, reason) of what was skipped or could not be read."""
        return [(n.file, n.detail) for n in self.notes if n.kind in (SKIPPED, UNREADABLE)]

    @property
    def repaired(self) -> list[tuple[str, str]]:
        """(file, what) of everything else that is noted."""
        return [(n.file, f"{n.kind}: {n.detail}") for n in self.notes if n.kind not in (SKIPPED, UNREADABLE)]

    @property
    def has_oddities(self) -> bool:
        """Whether anything was skipped, repaired or guessed, or a document is nearly empty or a duplicate."""
        return bool(self._kinds or self.empty_count or self.duplicate_count)

    def count(self, kind: str) -> int:
        """How many notes there are of one kind."""
        return sum(count for count, _ in self._kinds.get(kind, {}).values())

    def rows(self) -> list[tuple[str, str, str]]:
        """(file or document, what, why) of everything odd, for a frame or for JSON."""
        rows = [(note.file, note.kind, note.detail) for note in self.notes]
        rows += [(name, "near-empty", _TOO_FEW) for name in self.empty]
        return rows + [(name, "duplicate", f"the same text as {first}") for name, first in self.duplicates]

    def reasons(self, kind: str) -> str:
        """The reasons of one kind with their numbers: "3 README or licence, 9 hidden"."""
        return _each({reason: count for reason, (count, _) in self._kinds.get(kind, {}).items()})

    def lines(self) -> list[str]:
        """The lines of `str()` without the name of the corpus; an indented line belongs to the one before.

        Examples
        --------
        >>> report = ReadingReport("speeches")
        >>> report.note("README.md", "skipped", "README or licence")
        >>> report.lines()
        ['0 documents.', 'skipped: 1 file', '  README or licence: README.md']
        """
        return list(self._lines())

    def __str__(self) -> str:
        return f"{_safe(self.source)}: " + joined(self._lines(), "\n")

    def __repr__(self) -> str:
        return f"<ReadingReport of {self.source}: {many(self.documents, 'document')}>"

    def _lines(self) -> Iterable[str]:
        how = f" ({self.how})" if len(self._how) > 1 else f", {self.how}" if self.how else ""
        cut = "" if self.pieces is None else f"; cut into {many(self.pieces, 'piece')}"
        inside = f" in {many(self.files, 'file')}" if self.files else ""
        yield f"{many(self.documents, 'document')}{inside}{how}{cut}."
        if self.resumed:
            yield f"{many(self.resumed, 'document')} were read before; this report is about the others."
        if self.formats and set(self.formats) != {"plain text"}:
            formats = ((name.removeprefix("a ").removeprefix("an "), n) for name, n in self.formats.most_common())
            yield f"formats: {', '.join(f'{n:,} × {name}' for name, n in formats)}"
        for kind, details in self._kinds.items():
            total = sum(count for count, _ in details.values())
            yield f"{kind}: {many(total, 'file')}"
            shown = list(details.items())[:20]
            for detail, (count, names) in shown:
                if kind == SKIPPED:
                    number = f"{count:,} " if count > 1 else ""
                    yield Message(f"  {number}", detail, f": {_names(names, count)}")
                else:
                    yield Message(f"  {_names(names, count)}: ", detail)
            if len(details) > len(shown):
                yield f"  and {len(details) - len(shown):,} more"
        yield from (f"{name}: " + said for name in ("language", "words") if (said := getattr(self, name)))
        if self.empty_count:
            number = f"{many(self.empty_count, 'document')} with {_TOO_FEW}"
            yield f"near-empty: {number}: {_names(self.empty, self.empty_count)}"
        if self.duplicate_count:
            pairs = [f"{_safe(name)} = {_safe(first)}" for name, first in self.duplicates[:_NAMES_SHOWN]]
            more = ", …" if self.duplicate_count > len(pairs) else ""
            yield (
                f"duplicates: {many(self.duplicate_count, 'document')} with the text of an earlier one: "
                f"{', '.join(pairs)}{more}"
            )
        if len(self._seen) >= _MOST_HASHES:
            yield f"duplicates were only searched among the first {_MOST_HASHES:,} different documents"
        if self.longest and self.documents > 1:
            yield f"longest: {_safe(self.longest[0])} with {many(self.longest[1], self._longest_in)}"

    def _raise_if_strict(self, file: str, kind: str, detail: str) -> None:
        if self.strict and kind not in _ONLY_SAID:
            problem = Message(f"{kind} (", detail, "); strict reading allows no exceptions")
            raise NotStrict(str(fault(file, problem)))

    def _add(self, note: Note) -> None:
        if len(self.notes) < _MOST_NOTES:
            self.notes.append(note)
        details = self._kinds.setdefault(note.kind, {})
        detail = note.detail
        if detail not in details and len(details) >= 1000:
            detail = "for other reasons"
        count, names = details.get(detail, (0, []))
        if len(names) < _NAMES_SHOWN:
            names.append(note.file)
        details[detail] = (count + 1, names)

    def _add_empty(self, document_id: str) -> None:
        self.empty_count += 1
        if len(self.empty) < 100:
            self.empty.append(document_id)


def is_marked_up(text: str) -> bool:
    """Whether a text has many tags.

    Examples
    --------
    >>> is_marked_up("<p>so</p> <i>it</i> <b>goes</b>\\n" * 5), is_marked_up("if a < b and c > d\\n" * 50)
    (True, False)
    """
    sample = text[: 2**16]
    if sample.count("<") < _ENOUGH_TAGS:
        return False
    tags = [match.end() - match.start() for match in _TAG.finditer(sample)]
    return len(tags) >= _ENOUGH_TAGS and 20 * sum(tags) > len(sample)


def _each(counts: Counter[str] | dict[str, int]) -> str:
    return joined([Message(f"{count:,} ", name) for name, count in counts.items()], ", ")


def _names(names: list[str], count: int) -> str:
    shown = names[:_NAMES_SHOWN]
    return ", ".join(map(_safe, shown)) + (f", … ({count:,} in all)" if count > len(shown) else "")


def _safe(name: str) -> str:
    """A name that can be printed on one line: control characters are escaped, such as \\x1b."""
    name = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)
    return name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"
