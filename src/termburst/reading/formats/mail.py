"""E-mail: mailboxes (.mbox), one document per message, and single messages (.eml)."""

from __future__ import annotations

import email.policy
import re
from collections.abc import Iterator
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from typing import BinaryIO, cast

from termburst.reading.formats.found import FoundDocument, Note, UnreadableFile, dated, known, too_large, whole
from termburst.reading.formats.text_lines import decode_all
from termburst.reading.formats.web_page import html_tree, visible_text
from termburst.reading.options import ReadingPlan

_DATED = re.compile(rb"From .*\d{1,2}:\d\d")  # "From - Mon Jan 01 00:00:00 2024" of Thunderbird, and its like
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_CONTENT_HEADER = re.compile(rb"^content-[\w-]{1,40}:[^\n]*(?:\n[ \t][^\n]*)*", re.IGNORECASE | re.MULTILINE)
MOST_NESTED = 100
LONGEST_HEADER = 10_000
_SPACE = re.compile(r"\s+")


def read_mbox(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """The messages of a mailbox, one document per message, with its subject, sender and date as metadata."""
    for number, data in enumerate(_messages(stream, options), 1):
        yield _document(str(number), data, note)


def read_eml(stream: BinaryIO, options: ReadingPlan, note: Note) -> Iterator[FoundDocument]:
    """One message, one document."""
    data = whole(stream, options.file_bytes)
    if not data.strip():
        raise UnreadableFile("is empty")
    if not re.match(rb"(?:[!-9;-~]+:|From )", data.lstrip(b"\xef\xbb\xbf\r\n")):
        raise UnreadableFile("is not an e-mail message: it does not begin with headers such as Subject")
    yield _document("", data.lstrip(b"\xef\xbb\xbf\r\n"), note)


def is_mailbox(start: bytes) -> bool:
    r"""Whether a file begins as a mailbox does.

    Examples
    --------
    >>> is_mailbox(b"From - Mon Jan 01 00:00:00 2024\nSubject: Tea\n\n"), is_mailbox(b"From here to there")
    (True, False)
    """
    line = start.partition(b"\n")[0]
    return line.startswith(b"From ") and bool(_DATED.match(line))


def _messages(stream: BinaryIO, options: ReadingPlan) -> Iterator[bytes]:
    """The bytes of each message, from a line "From …" behind an empty line to the next one."""
    limit = options.file_bytes
    lines: list[bytes] = []
    size, empty = 0, True
    first = stream.readline(limit).removeprefix(b"\xef\xbb\xbf")
    while first in (b"\n", b"\r\n"):
        first = stream.readline(limit)
    if not first:
        raise UnreadableFile("is empty")
    if not first.startswith(b"From "):
        raise UnreadableFile('is not a mailbox: its first line does not begin with "From "')
    is_dated = bool(_DATED.match(first))  # then a line of text that begins with "From " is none that separates
    empty = False
    while line := stream.readline(limit):
        if empty and line.startswith(b"From ") and (not is_dated or _DATED.match(line)):
            yield b"".join(lines[:-1])  # without the empty line before the next message
            lines, size, empty = [], 0, False
            continue
        size += len(line)
        if size > limit:
            raise too_large(limit)
        lines.append(line)
        empty = line in (b"\n", b"\r\n")
    yield b"".join(lines[:-1] if empty else lines)


def _document(name: str, data: bytes, note: Note) -> FoundDocument:
    data = re.sub(rb"\AFrom [^\n]*\n", b"", data)
    # The older policy: the newer one takes very long over long headers.
    parser = BytesParser(EmailMessage, policy=email.policy.compat32)
    nested = _takes_too_long(data)
    message = cast(EmailMessage, parser.parsebytes(_QUOTED.sub(rb"\1", data), headersonly=nested))
    body = None if nested else _body(message)
    text = ""
    if nested:
        note("messages without text", f"more than {MOST_NESTED} parts within parts, or headers without end")
    elif body is None:
        note("messages without text", "only attachments")
    else:
        text = _content(body, note)
        if body.get_content_type() == "text/html":
            root = html_tree(text) if text.strip() else None
            text = visible_text(root) if root is not None else ""
            note("markup removed", "messages that are HTML only")
    for part in message.walk():
        if part is not body and part.get_content_disposition() == "attachment":
            note("attachments left out", "files")
    metadata = known(**{key: _header(message, key) for key in ("subject", "from")})
    return FoundDocument(name, text.replace("\r\n", "\n"), dated(metadata, _date(message)))


def _body(message: EmailMessage) -> EmailMessage | None:
    try:
        body = message.get_body(("plain", "html"))
    except Exception:  # the structure of a message may be damaged
        body = None
    if body is None:
        texts = (part for part in message.walk() if part.get_content_type() in ("text/plain", "text/html"))
        body = next((part for part in texts if part.get_content_disposition() != "attachment"), None)
    return body if isinstance(body, EmailMessage) else None


def _content(part: EmailMessage, note: Note) -> str:
    """The text of a part: unpacked, then decoded as the part says, or by a guess."""
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    said = part.get_content_charset()
    return decode_all(data, note, None if said is None else str(said))


def _takes_too_long(data: bytes) -> bool:
    """Whether the standard library would take very long over a message."""
    headers = [match[0] for match in _CONTENT_HEADER.finditer(data)]
    nested = sum(b"multipart/" in header.lower() for header in headers)
    return nested > MOST_NESTED or any(len(header) > LONGEST_HEADER for header in headers)


def _header(message: EmailMessage, key: str) -> str:
    """A header as text: encoded words are decoded, and bytes that should not be there are taken as UTF-8."""
    raw = next((str(value) for name, value in message.raw_items() if name.lower() == key), "")[:LONGEST_HEADER]
    data = raw.encode("utf-8", "surrogateescape")
    raw = decode_all(data, lambda _kind, _detail: None)
    try:
        text = str(make_header(decode_header(raw)))
    except (ValueError, LookupError, HeaderParseError):
        text = raw
    return _SPACE.sub(" ", text).strip()


def _date(message: EmailMessage) -> str | None:
    text = _header(message, "date")
    try:
        return parsedate_to_datetime(text).isoformat()
    except (TypeError, ValueError, IndexError, OverflowError):
        return text or None
