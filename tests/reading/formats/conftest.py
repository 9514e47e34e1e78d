"""How the tests of formats read: bytes in, documents and notes out."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import pytest

from termburst.reading.corpus_files import CorpusFile
from termburst.reading.documents import Progress
from termburst.reading.file_readers import _found_documents
from termburst.reading.formats import Format, FoundDocument, UnreadableFile, format_of
from termburst.reading.lines import open_utf8
from termburst.reading.options import ReadingPlan


@dataclass
class Reading:
    """What reading a file gave."""

    documents: list[FoundDocument]
    notes: list[tuple[str, str]] = field(default_factory=list)

    @property
    def one(self) -> FoundDocument:
        (document,) = self.documents
        return document

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.notes]

    def detail(self, kind: str) -> str:
        return next(detail for found, detail in self.notes if found == kind)


class NotSeekable(io.RawIOBase):
    """A stream as an archive gives it: only forwards, a little at a time."""

    def __init__(self, data: bytes) -> None:
        self._inner = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._inner.readinto(memoryview(buffer)[:1000])


@pytest.fixture
def read() -> Callable[..., Reading]:
    """Read bytes as a file with this ending, from memory and from a stream that cannot go back: both must agree."""

    def once(found: Format, stream: Any, options: ReadingPlan) -> tuple[Reading, UnreadableFile | None]:
        reading = Reading([])
        file = CorpusFile("t", "t", None, False, "format", None, opened=lambda: stream)
        progress = Progress(say=lambda _, kind, detail: reading.notes.append((kind, detail)))
        try:
            with open_utf8(file, options, progress) if found.recoded else nullcontext(stream) as opened:
                for place, text in _found_documents(found, opened, file, options, progress):
                    name = "" if place == "t" else place.removeprefix("t:")
                    reading.documents.append(FoundDocument(name, text, progress.metadata or {}))
        except ValueError as error:
            return reading, UnreadableFile(str(error).removeprefix("t: "))
        return reading, None

    def read(suffix: str, data: bytes, *, document_bytes: int = 2**26, **options: Any) -> Reading:
        found = format_of(suffix, data[:4096])
        assert found is not None, f"no format for {suffix}"
        plan = ReadingPlan(max_document_mb=document_bytes / 2**20, columns="all", **options)
        reading, error = once(found, io.BytesIO(data), plan)
        streamed, same_error = once(found, io.BufferedReader(NotSeekable(data), 1000), plan)
        assert (reading, str(error)) == (streamed, str(same_error))
        if error is not None:
            raise error
        return reading

    return read


@pytest.fixture
def refused(read: Callable[..., Reading]) -> Callable[..., str]:
    """Read bytes that cannot be read; the sentence."""

    def refused(suffix: str, data: bytes, **options: Any) -> str:
        with pytest.raises(UnreadableFile) as caught:
            read(suffix, data, **options)
        sentence = str(caught.value)
        assert sentence.isprintable()
        assert len(sentence) < 500
        return sentence

    return refused


@pytest.fixture
def zipped() -> Callable[[Mapping[str, str | bytes]], bytes]:
    """The bytes of a zip archive with these parts."""

    def zipped(parts: Mapping[str, str | bytes]) -> bytes:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in parts.items():
                packing = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
                archive.writestr(name, content, packing)
        return stream.getvalue()

    return zipped
