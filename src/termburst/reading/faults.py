"""Messages for a corpus that cannot be read: one line with the place, the fault and what to do."""

import codecs

from termburst.limits import LONGEST_ID

# An encoding that is named holds for all files, and a wrong one may decode every byte to other letters.
_OMIT = "omit --encoding, and the encoding of each file is found out"


class Skipped(ValueError):  # noqa: N818 - it says why a file is skipped
    """A file has no text. In a folder it is skipped and *why* stands in the report; named directly, it is an error."""

    def __init__(self, message: str, why: str) -> None:
        super().__init__(message)
        self.why = why


def fault(place: str, problem: str) -> ValueError:
    """An error with one printable line, even if a file name or another library's message has control characters."""
    return ValueError("".join(c if c.isprintable() else "?" for c in f"{place}: {problem}"))


def reason(error: BaseException) -> str:
    """The first line of another library's message, without its full stop, for use in brackets."""
    message = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return message.partition("\n")[0].rstrip(". ") or type(error).__name__


def oversize(place: str, limit: int, hint: str = "") -> ValueError:
    """A document is larger than the user allows."""
    amount = f"{limit / 2**20:g} MB" if limit >= 2**20 else f"{limit} bytes"
    return fault(place, f"one document holds more than {amount}; {hint}if this is intended, raise --max-document-mb")


def long_id(place: str, size: int, option: str) -> ValueError:
    """The id of a document, or the label of its group, is too long."""
    what = "label" if option == "by" else "id"
    problem = f"the {what} of a document has {size:,} characters, but at most {LONGEST_ID:,} are allowed"
    return fault(place, f"{problem}; choose another column with --{option}")


def undecodable(place: str, error: UnicodeError, *, at_start: bool = True, named: bool = True) -> ValueError:
    """Bytes cannot be decoded. With *at_start* they are the first bytes of the file.

    *named* says whether the user gave the encoding; otherwise it was found out.
    """
    advice = _OMIT if named else "name the right encoding with --encoding"
    if at_start and isinstance(error, UnicodeDecodeError) and error.start == 0:
        if error.object.startswith(codecs.BOM_UTF32_LE):  # before UTF-16, whose mark is the start of this one
            return _other_unicode(place, "UTF-32")
        if error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return _other_unicode(place, "UTF-16")
    # Without a byte order mark, Python up to 3.12 raises UnicodeError. Later it names no byte order: not "utf-16-le".
    if not isinstance(error, UnicodeDecodeError) or error.encoding in ("utf-16", "utf-32"):
        return fault(place, f"{reason(error)}; {advice}, or name the byte order, as in --encoding utf-16-le")
    problem = f"the byte 0x{error.object[error.start]:02x} is not valid {error.encoding}"
    return fault(place, f"{problem}; {advice}, or give --errors replace")


def _other_unicode(place: str, name: str) -> ValueError:
    """A byte order mark shows which encoding the file has."""
    return fault(place, f"the file is in {name}; {_OMIT}")


def nul_byte(place: str, *, named: bool = True) -> ValueError:
    """A file has a NUL byte, so it is not text. *named* says whether the user gave the encoding."""
    if not named:
        return fault(place, "there is a NUL byte, so this is a binary file; convert it to text first")
    return fault(place, f"there is a NUL byte, so this is a binary file or is in UTF-16 ({_OMIT})")


def not_text(place: str) -> Skipped:
    """A file is binary."""
    return Skipped(str(fault(place, "is a binary file, not text; convert it to text first")), "binary")


def not_annotated(place: str, layer: str) -> Skipped:
    """A layer of the annotation is asked for, but a file has none."""
    asked = f"--layer {layer.replace('>', ' --show ')}"
    options = "--layer and --show" if ">" in layer else "--layer"
    problem = f"has no annotated words, but {asked} asks for them; omit {options} to count the words of the text"
    return Skipped(str(fault(place, problem)), "without annotated words, which --layer asks for")


def mixed_kinds(corpus: str, annotated: str, plain: str) -> ValueError:
    """A corpus has annotated files and plain texts; *annotated* and *plain* are documents of each kind."""
    problem = f"{annotated} has annotated words and {plain} is plain text, and their words are found in different ways"
    advice = (
        "--layer form reads only the annotated files, and a glob in quotes, such as '**/*.txt', only those that match"
    )
    return fault(corpus, f"{problem}; {advice}")
