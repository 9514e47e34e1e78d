"""Formats of files that hold documents: office files, e-books, web pages, mail, XML and annotated corpora.

`format_of` says which format a file has; its `read` gives the documents. What is repaired, guessed, left out or removed
is said through the function *note* that `read` is given. What cannot be read raises `UnreadableFile`. Nothing is
executed, nothing is fetched, and every reader keeps to the limits in its options.

Examples
--------
>>> import io
>>> vertical = b'<text id="a" year="1999">\\nTea\\tNN\\ttea\\nis\\tVBZ\\tbe\\n</text>\\n'
>>> found = format_of(".vrt", vertical)
>>> list(found.read(io.BytesIO(vertical), ReadingPlan(layer="lemma"), print))
columns guessed word, part of speech, lemma
[FoundDocument(name='a', text=['tea', 'be'], metadata={'year': 1999})]
"""

from termburst.reading.documents import Scalar
from termburst.reading.formats.found import Format, FoundDocument, Note, UnreadableFile
from termburst.reading.formats.table import FORMATS, format_of
from termburst.reading.options import ReadingPlan

__all__ = ["FORMATS", "Format", "FoundDocument", "Note", "ReadingPlan", "Scalar", "UnreadableFile", "format_of"]
