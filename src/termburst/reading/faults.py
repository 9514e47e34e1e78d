"""Messages for a corpus that cannot be read: one line with the place, the fault and what to do."""

import codecs

from termburst.limits import LONGEST_ID


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


def undecodable(place: str, error: UnicodeError, *, at_start: bool = True) -> ValueError:
    """Bytes cannot be decoded. With *at_start* they are the first bytes of the file."""
    if at_start and isinstance(error, UnicodeDecodeError) and error.start == 0:
        if error.object.startswith(codecs.BOM_UTF32_LE):  # before UTF-16, whose mark is the start of this one
            return _other_unicode(place, "UTF-32")
        if error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return _other_unicode(place, "UTF-16")
    # Without a byte order mark, Python up to 3.12 raises UnicodeError. Later it names no byte order: not "utf-16-le".
    if not isinstance(error, UnicodeDecodeError) or error.encoding in ("utf-16", "utf-32"):
        return fault(place, f"{reason(error)}; name the right encoding, such as --encoding utf-16-le")
    problem = f"the byte 0x{error.object[error.start]:02x} is not valid {error.encoding}"
    advice = "name the right encoding, such as --encoding latin-1, or give --errors replace"
    return fault(place, f"{problem}; {advice}")


def _other_unicode(place: str, name: str) -> ValueError:
    """A byte order mark shows which encoding the file has."""
    advice = f"give --encoding {name.lower()}, or convert it if other files are not"
    return fault(place, f"the file is in {name}; {advice}")


def nul_byte(place: str) -> ValueError:
    """A file has a NUL byte, so it is not text."""
    advice = "give --encoding utf-16, or convert it if other files are not"
    return fault(place, f"there is a NUL byte, so this is a binary file or is in UTF-16 ({advice})")


def not_text(place: str) -> Skipped:
    """A file is binary."""
    return Skipped(str(fault(place, "is a binary file, not text; convert it to text first")), "binary")
