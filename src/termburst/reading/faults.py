"""Messages for a corpus that cannot be read: one line with the place, the fault and what to do."""

import codecs

from termburst.limits import LONGEST_ID
from termburst.messages import Message, joined, named
from termburst.reading.layers import layers_in

# An encoding that is named holds for all files, and a wrong one may decode every byte to other letters.
_OMIT = "omit " + named("encoding") + ", and the encoding of each file is detected"


class Skipped(ValueError):  # noqa: N818 - it says why a file is skipped
    """A file has no text. In a folder it is skipped and *why* stands in the report; named directly, it is an error."""

    def __init__(self, message: str, why: str) -> None:
        super().__init__(message)
        self.why = why


class NotStrict(ValueError):  # noqa: N818 - it says what strict reading does not allow
    """Something was skipped, repaired or guessed while reading is strict; it is raised through every reader."""


def fault(place: str, problem: str) -> ValueError:
    """An error with one printable line, even if a file name or another library's message has control characters."""
    return ValueError(Message(place, ": ", problem).changed(one_line))


def one_line(text: str) -> str:
    """The text without control characters."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def without_start(message: str, place: str) -> str:
    """A message of `fault` without its place.

    Examples
    --------
    >>> print(without_start(str(fault("a.csv", "is empty")), "a.csv"))
    is empty
    """
    first, *rest = Message("", message).parts
    return Message(str(first).removeprefix(one_line(place)).lstrip(":, "), *rest)


def reason(error: BaseException) -> str:
    """The first line of another library's message, without its full stop, for use in brackets."""
    message = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return message.partition("\n")[0].rstrip(". ") or type(error).__name__


def many(count: int, noun: str) -> str:
    """A number of things for a message.

    Examples
    --------
    >>> many(1, "page"), many(1000, "page")
    ('1 page', '1,000 pages')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def megabytes(size: int) -> str:
    """A size for a message.

    Examples
    --------
    >>> megabytes(64 * 2**20), megabytes(1000)
    ('64 MB', '1000 bytes')
    """
    return f"{size / 2**20:g} MB" if size >= 2**20 else f"{size} bytes"


def oversize_problem(limit: int, hint: str = "") -> str:
    """A document is larger than the user allows."""
    return f"one document holds more than {megabytes(limit)}; {hint}if this is intended, raise " + named(
        "max_document_mb"
    )


def oversize(place: str, limit: int, hint: str = "") -> ValueError:
    """A document is larger than the user allows."""
    return fault(place, oversize_problem(limit, hint))


def long_id(place: str, size: int, option: str) -> ValueError:
    """The id of a document, or the label of its group, is too long."""
    what = "label" if option == "by" else "id"
    problem = f"the {what} of a document has {size:,} characters, but at most {LONGEST_ID:,} are allowed"
    return fault(place, f"{problem}; choose another column with " + named(option))


def undecodable(place: str, error: UnicodeError, *, at_start: bool = True, given: bool = True) -> ValueError:
    """Bytes cannot be decoded. With *at_start* they are the first bytes of the file.

    *given* says whether the user named the encoding; otherwise it was detected.
    """
    advice = _OMIT if given else "name the right encoding with " + named("encoding")
    if at_start and isinstance(error, UnicodeDecodeError) and error.start == 0:
        if error.object.startswith(codecs.BOM_UTF32_LE):  # before UTF-16, whose mark is the start of this one
            return _other_unicode(place, "UTF-32")
        if error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return _other_unicode(place, "UTF-16")
    # Without a byte order mark, Python up to 3.12 raises UnicodeError. Later it names no byte order: not "utf-16-le".
    if not isinstance(error, UnicodeDecodeError) or error.encoding in ("utf-16", "utf-32"):
        order = Message(advice, ", or name the byte order, as in ", named("encoding", "utf-16-le"))
        return fault(place, f"{reason(error)}; " + order)
    problem = f"the byte 0x{error.object[error.start]:02x} is not valid {error.encoding}"
    return fault(place, Message(f"{problem}; ", advice, ", or give ", named("errors", "replace")))


def _other_unicode(place: str, name: str) -> ValueError:
    """A byte order mark shows which encoding the file has."""
    return fault(place, f"the file is in {name}; " + _OMIT)


def nul_byte(place: str, *, given: bool = True) -> ValueError:
    """A file has a NUL byte, so it is not text. *given* says whether the user named the encoding."""
    if not given:
        return fault(place, "there is a NUL byte, so this is a binary file; convert it to text first")
    return fault(place, Message("there is a NUL byte, so this is a binary file or is in UTF-16 (", _OMIT, ")"))


def not_text(place: str) -> Skipped:
    """A file is binary."""
    return Skipped(str(fault(place, "is a binary file, not text; convert it to text first")), "binary")


def not_annotated(place: str, layer: str) -> Skipped:
    """A layer of the annotation is asked for, but a file has none."""
    options = list(zip(("layer", "show"), layers_in(layer), strict=False))
    asked = joined([named(option, name) for option, name in options], " and ")
    omit = joined([named(option) for option, _ in options], " and ")
    verb = "asks" if len(options) == 1 else "ask"
    advice = Message(f" {verb} for them; omit ", omit, " to count the words of the text")
    why = Message("without annotated words, which ", named("layer"), " asks for")
    return Skipped(str(fault(place, "has no annotated words, but " + asked + advice)), why)


def mixed_kinds(corpus: str, annotated: str, plain: str) -> ValueError:
    """A corpus has annotated files and plain texts; *annotated* and *plain* are documents of each kind."""
    problem = f"{annotated} has annotated words and {plain} is plain text, and their words are found in different ways"
    advice = " reads only the annotated files, and a glob in quotes, such as '**/*.txt', only those that match"
    return fault(corpus, f"{problem}; " + named("layer", "form") + advice)
