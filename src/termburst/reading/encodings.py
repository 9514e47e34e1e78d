r"""Which encoding a file has: a byte order mark, UTF-8, UTF-16, or a guess that the reading report names.

A file that is valid UTF-8 is never read in another way. For other files the bytes decide. Where accented letters stand
alone between ASCII letters, the text is in a Western, Central European or Turkish code page: charset-normalizer takes
these for each other in short texts, so a few letters that only one of them has decide. All other texts are left to
charset-normalizer.
"""

from __future__ import annotations

import codecs
import re
import unicodedata

SAMPLE = 2**20  # bytes that are looked at; a longer file is decided by its start
_LOOKED_AT = 2**16  # bytes of the sample that charset-normalizer is given: it is slow
_MARKS = (  # UTF-32 before UTF-16, whose mark is the start of the other
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OTHERS = [
    "cp1251", "koi8_r", "cp866", "shift_jis", "euc_jp", "gb18030", "big5", "euc_kr", "cp1253", "cp1255", "cp1256",
    "cp874", "cp1250", "cp1252",
]  # fmt: skip
# How files begin that are no text, though they may have no NUL: pictures, sound, films, archives, programs, fonts.
_BINARY = re.compile(
    rb"\x89PNG|GIF8[79]a|\xff\xd8\xff|RIFF.{4}(?:WEBP|WAVE|AVI )|OggS|ID3|fLaC|\x1a\x45\xdf\xa3|\x1f\x8b|BZh[1-9]1AY|"
    rb"\xfd7zXZ|7z\xbc\xaf|Rar!\x1a|\x28\xb5\x2f\xfd|\x7fELF|\xca\xfe\xba\xbe|[\xce\xcf]\xfa\xed\xfe|wOF[F2]|8BPS|\x93NUMPY",
    re.DOTALL,
)
_RUN = re.compile(rb"[\x80-\xff]+")
_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x19\x1c-\x1f\x7f]")  # bytes that text does not have
_SYMBOL_IN_WORD = re.compile(r"[^\W\d_][¹²³¼½¾¿¡¥£¤¦§¨©¬®¯°±¶÷×€†‡‰•™º][^\W\d_]")


def canonical_encoding(encoding: str) -> str:
    """Python's own name of an encoding; ValueError if it is unknown or does not decode to text."""
    try:
        codecs.getincrementaldecoder(encoding)
        b"a".decode(encoding, "ignore")  # refuses codecs such as hex, which do not make text
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:
        raise ValueError(f"the encoding {encoding!r} is unknown; try utf-8, latin-1, cp1252 or utf-16") from error
    return "utf-8" if name == "utf-8-sig" else name  # a byte order mark is always dropped


def marked_encoding(start: bytes) -> str | None:
    r"""The encoding that a byte order mark names.

    Examples
    --------
    >>> marked_encoding(b"\xff\xfea\0"), marked_encoding(b"abc")
    ('utf-16', None)
    """
    return next((name for mark, name in _MARKS if start.startswith(mark)), None)


def guess_encoding(data: bytes) -> str | None:
    r"""The encoding of bytes by Python's name, the first of a file or all of them; None if they are not text.

    Examples
    --------
    >>> guess_encoding("naïve café".encode("latin-1"))
    'cp1252'
    >>> guess_encoding(bytes(range(256))) is None, guess_encoding(b"\x89PNG\r\n") is None
    (True, True)
    """
    data = data[:SAMPLE]
    mark = marked_encoding(data)
    if mark:
        return mark
    if b"\0" in data:
        return _unmarked_utf16(data)
    if is_utf8(data):
        return "utf-8"
    if _BINARY.match(data) or len(_CONTROL.findall(data)) > len(data) // 1000:
        return None
    return "utf-8" if _is_damaged_utf8(data) else _code_page(data)


def is_utf8(data: bytes) -> bool:
    r"""Whether bytes are valid UTF-8; a character that is cut off at the end is allowed.

    Examples
    --------
    >>> is_utf8("né".encode()[:2]), is_utf8(b"n\xe9!")
    (True, False)
    """
    return data.isascii() or _decodes(data, "utf-8")


def looks_binary(start: bytes) -> bool:
    r"""Whether the first bytes of a file show that it is not text.

    Examples
    --------
    >>> looks_binary(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), looks_binary("so".encode("utf-16-le"))
    (True, False)
    """
    return b"\0" in start and not marked_encoding(start) and _unmarked_utf16(start) is None


def _unmarked_utf16(data: bytes) -> str | None:
    """UTF-16 without a byte order mark: in one of the two byte orders everything is a character that text uses."""
    data = data[: min(_LOOKED_AT, len(data) & ~1)]
    if 4 * data.count(0) < len(data) and is_utf8(data.replace(b"\0", b"")):
        return None  # text with a few zeros in it: in UTF-16, half of the bytes would be zeros
    best, most = None, 0
    for name, high in (("utf-16-le", 1), ("utf-16-be", 0)):
        if data[high::2].count(0) < 0.8 * data.count(0):  # ASCII has its zeros in the high bytes
            continue
        try:
            text = codecs.getincrementaldecoder(name)().decode(data)
        except UnicodeDecodeError:
            continue
        odd = sum(unicodedata.category(c) in ("Cc", "Cn", "Co") and c not in "\t\n\v\f\r\x1a" for c in set(text))
        usual = sum(c.isascii() for c in text)  # spaces and line ends, which only the right byte order has
        if not odd and usual > most:
            best, most = name, usual
    return best


def _is_damaged_utf8(data: bytes) -> bool:
    """Whether far more characters are valid UTF-8 than not; in another encoding hardly any would be."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\N{REPLACEMENT CHARACTER}")
    return len(text) - bad - len(text.encode("ascii", "ignore")) >= 10 * bad


def _code_page(data: bytes) -> str:
    runs = _RUN.findall(data)
    if sum(map(len, runs)) < 1.4 * len(runs):
        return _european(data)
    high = b"".join(runs)
    # Hebrew has no capitals, and Russian is never without them and without the last letters of its alphabet.
    if len(re.findall(rb"[\xe0-\xfa]", high)) > 0.95 * len(high) and not re.search(rb"[\xfb-\xff]", high):
        return "cp1255"
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_LOOKED_AT], cp_isolation=_OTHERS).best()
    if best is not None and _decodes(data, best.encoding):
        return str(best.encoding)
    return _european(data)


def _european(data: bytes) -> str:
    """A code page of single letters: Western, Central European or Turkish."""
    if not _decodes(data, "cp1252"):
        return "cp1250" if _decodes(data, "cp1250") else "latin-1"
    text = data.decode("cp1252")
    letters = {c: n for c in set(text) if c > "\x7f" and c.isalpha() for n in [text.count(c)]}
    total = sum(letters.values())
    if {"ý", "þ", "ð"} & letters.keys() and not set("áéíóúæ") & letters.keys():
        return "cp1254"  # ı, ş, ğ; Icelandic, which has þ and ð, has the others, too
    carons = sum(letters.get(c, 0) for c in "šžŠŽ")
    is_hungarian = "õ" in letters and not set("äãç") & letters.keys()  # ő; Estonian and Portuguese have õ
    if carons > 0.04 * total or is_hungarian or 20 * len(_SYMBOL_IN_WORD.findall(text)) > total:
        return "cp1250" if _decodes(data, "cp1250") else "cp1252"
    return "cp1252"


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(data)
    except (UnicodeError, LookupError):
        return False
    return True
