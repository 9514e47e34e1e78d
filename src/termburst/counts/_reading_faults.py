"""What is said of a corpus that cannot be read: one line that names the place, the fault and a way out."""


def fault(place: str, problem: str) -> ValueError:
    """One line, whatever bytes a file's name or another library's message may hold."""
    return ValueError("".join(c if c.isprintable() else "?" for c in f"{place}: {problem}"))


def reason(error: BaseException) -> str:
    """The first line of another library's message, fit to stand in brackets."""
    message = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return message.partition("\n")[0].rstrip(". ") or type(error).__name__


def oversize(place: str, limit: int, hint: str = "") -> ValueError:
    """A document is larger than the user allows."""
    amount = f"{limit / 2**20:g} MB" if limit >= 2**20 else f"{limit} bytes"
    return fault(place, f"one document holds more than {amount}; {hint}if that is meant, raise --max-document-mb")


def undecodable(place: str, error: UnicodeError) -> ValueError:
    """Bytes are not in the encoding that they are said to be in."""
    if not isinstance(error, UnicodeDecodeError) or "BOM" in error.reason:  # UTF-16, -32 without a byte order mark
        return fault(place, f"{reason(error)}; name the right encoding, such as --encoding utf-16-le")
    problem = f"the byte 0x{error.object[error.start]:02x} is not valid {error.encoding}"
    advice = "name the right encoding, such as --encoding latin-1, or give --errors replace"
    return fault(place, f"{problem}; {advice}")


def nul_byte(place: str) -> ValueError:
    """Text holds a NUL, which no text does."""
    return fault(place, "there is a NUL byte, so this is a binary file or is in UTF-16 (give --encoding utf-16)")
