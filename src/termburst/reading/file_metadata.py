"""What the place and the name of a file say about its documents."""

from __future__ import annotations

import re

from termburst.reading.corpus_files import folders_of
from termburst.reading.documents import Metadata, Scalar
from termburst.reading.options import ReadingPlan
from termburst.reading.report import ReadingReport


class FileMetadata:
    """What the place and the name of a file say about its documents: `file`, `folder` and the groups of the pattern."""

    def __init__(self, labels: list[str], options: ReadingPlan, report: ReadingReport) -> None:
        self._wanted = None if options.columns == "all" else set(options.columns)
        self._pattern = re.compile(options.name_pattern) if options.name_pattern is not None else None
        self._report = report
        folders = folders_of(labels)
        self._folders = dict(zip(labels, folders, strict=True)) if any(folders) else None
        self._last: tuple[str, dict[str, Scalar]] = ("", {})

    def of(self, label: str, more: Metadata | None) -> dict[str, Scalar]:
        """The metadata of a document in a file; a part of an archive brings its own label in *more*."""
        inner = more.get("") if more else None
        name = inner if isinstance(inner, str) else label
        if name != self._last[0]:
            self._last = (name, self._of_file(name, label))
        found = dict(self._last[1])
        self._report.columns.update(more or ())
        for key, value in (more or {}).items():
            if key and (self._wanted is None or key in self._wanted):
                found[key] = value
        return found

    def _of_file(self, name: str, label: str) -> dict[str, Scalar]:
        found: dict[str, Scalar] = {"file": name}
        if self._folders is not None:
            found["folder"] = self._folders.get(label)
        elif name != label and "/" in (inside := name[len(label) + 1 :]):
            found["folder"] = inside.partition("/")[0]
        self._report.columns.update(found, self._pattern.groupindex if self._pattern is not None else ())
        if self._wanted is not None:
            found = {key: value for key, value in found.items() if key in self._wanted}
        if self._pattern is not None:
            match = self._pattern.search(name)
            if match is None:
                self._report.note(name, "name without metadata", "it does not match the name pattern")
            groups = match.groupdict() if match else dict.fromkeys(self._pattern.groupindex)
            found |= {key: _number_or_text(value) for key, value in groups.items()}
        return found


def _number_or_text(value: str | None) -> Scalar:
    is_number = value is not None and value.isascii() and value.isdecimal() and len(value) < 19
    return int(value) if value is not None and is_number else value
