"""Bytes that are not text, and paths that are not files, give an error of one sentence, and nothing hangs."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from attacks import Kind, by_kind, fine, refused, survives

TWO = b"so it so\nit is\n"
NOT_UTF8: dict[str, bytes] = {  # read in another encoding, or repaired; refused if --encoding says UTF-8
    "Latin-1": b"so it so\ng\xe9s is\n",
    "UTF-16 with a mark": "so it so\nit is\n".encode("utf-16"),
    "UTF-16 without a mark": "so it so\nit is\n".encode("utf-16-le"),
    "UTF-32": "so it so\nit is\n".encode("utf-32"),
    "half a character at the end": b"so it so\n\xe2\x82",
    "a surrogate in UTF-8": b"so \xed\xa0\x80 it so\n",
    "an overlong slash": b"so \xc0\xaf it so\n",
    "beyond Unicode": b"so \xf4\x90\x80\x80 it so\n",
}
BAD_BYTES: dict[str, tuple[bytes, str]] = {
    "a NUL": (b"so it\nso\0it\n", "binary"),
    "an executable": (b"\x7fELF\x02\x01\x01" + bytes(99), "a.txt"),
    "an archive": (b"PK\3\4" + bytes(99), "a.txt.*archive"),
    "nothing": (b"", "empty"),
    "only a byte order mark": (b"\xef\xbb\xbf", "empty"),
}
FINE_BYTES = {
    "a byte order mark": b"\xef\xbb\xbfso it so\nit is\n",
    "form feeds and separators": b"so\x0c it \x1c so\nit\x0b is\n",
    "a line of Unicode separators": "so\u2028it\u2029so\x85it\nit is\n".encode(),
    "combining marks": ("so" + "\u0301" * 1000 + " it so\nit is\n").encode(),
    "non-characters": "so \ufffe it \uffff so\nit is\n".encode(),
    "100,000 empty lines": b"\n" * 100_000 + TWO,
    "a word of 100,000 letters": b"s" * 100_000 + b" so it so\nit is\n",
}
CODECS = ("rot13", "zip", "undefined", "nope", "utf-8\0", "x" * 5000)
ODD_CODECS = ("idna", "unicode_escape", "utf-7", "mbcs", "utf-16", "cp037")
PATHS: dict[str, tuple[str, str]] = {  # path, expected message
    "nothing": ("", "''|name|not exist"),
    "5,000 letters": ("x" * 5000, "long|name|not exist|match"),
    "a web address": ("https://example.org/a.txt", "not exist"),
    "a home": ("~nobody/a.txt", "not exist"),
    "a command": ("$(touch pwned)", "not exist"),
    "a pipe to a shell": ("|touch pwned", "not exist"),
    "an option": ("--output", "option|argument|missing"),
    "a glob of nothing": ("*.nothing", "match"),
    "a glob that is open": ("[a", "not exist|match"),
    "a thousand stars": ("*" * 1000, ""),
    "a file as a folder": ("a.txt/b.txt", "a.txt"),
    "a device": ("/dev/zero", "regular"),
    "a pipe": ("pipe.txt", "regular"),
    "a socket": ("sock.txt", "regular"),
    "a link to nothing": ("gone.txt", "gone"),
    "a link to itself": ("self.txt", "self"),
    "an empty folder": ("empty", "empty"),
    "a folder with a link out of it": ("out", "out of"),
    "a folder with a circular link": ("round", "circle"),
    "a folder with a pipe": ("piped", "regular|pipe"),
    "the memory of the process": ("/proc/self/mem", ""),
}


def _places(folder: Path) -> None:
    (folder / "a.txt").write_bytes(TWO)
    os.mkfifo(folder / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as made:
        here = Path.cwd()
        os.chdir(folder)  # the path of a socket must be short
        made.bind("sock.txt")
        os.chdir(here)
    (folder / "gone.txt").symlink_to("nowhere")
    (folder / "self.txt").symlink_to("self.txt")
    for name in ("empty", "dots", "out", "round", "piped"):
        (folder / name).mkdir()
    (folder / "dots" / ".hidden.txt").write_bytes(TWO)
    (folder / "out" / "l.txt").symlink_to("/etc/hostname")
    (folder / "round" / "me").symlink_to(".", target_is_directory=True)
    os.mkfifo(folder / "piped" / "p.txt")


def _stop_words(make: Callable[[Path], object] | bytes) -> Callable[[Path], None]:
    def made(folder: Path) -> None:
        (folder / "a.txt").write_bytes(TWO)
        if isinstance(make, bytes):
            (folder / "stop.txt").write_bytes(make)
        else:
            make(folder / "stop.txt")

    return made


STOPS: dict[str, Callable[[Path], object] | bytes] = {
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "no UTF-8": b"so\xff\n",
    "a NUL": b"so\0it\n",
}
GOOD_NAMES = (
    "-a.txt", "a\nb.txt", "[ab].txt", "\x1b[31m.txt", "e\u0301.txt", os.fsdecode(b"\xff.txt"), "'a\".txt",
    "x" * 250 + ".txt",
)  # fmt: skip

ATTACKS = [
    *(
        refused(f"text of {name}", ["terms", "a.txt"], says, files={"a.txt": content})
        for name, (content, says) in BAD_BYTES.items()
    ),
    *(
        refused(f"{name} as UTF-8", ["terms", "a.txt", "--encoding", "utf-8"], "a.txt", files={"a.txt": content})
        for name, content in list(NOT_UTF8.items())[4:]
    ),
    *(
        fine(f"text in {name}", ["terms", "a.txt"], files={"a.txt": content}, prints="so")
        for name, content in NOT_UTF8.items()
    ),
    *(
        fine(f"{name} on standard input", ["terms", "-"], stdin=content, prints="so")
        for name, content in list(NOT_UTF8.items())[:3]
    ),
    refused("a NUL on standard input", ["terms", "-"], "line 2.*NUL", stdin=b"so it\nso\0it\n"),
    *(
        fine(f"text with {name}", ["terms", "a.txt"], files={"a.txt": content}, prints="so")
        for name, content in FINE_BYTES.items()
    ),
    *(
        fine(
            f"Latin-1 with --errors {errors}",
            ["terms", "a.txt", "--errors", errors],
            files={"a.txt": b"so g\xe9s\nit so\n"},
            prints="so",
        )
        for errors in ("replace", "ignore")
    ),
    *(
        refused(
            f"the encoding {codec[:20]!r}", ["terms", "a.txt", "--encoding", codec], "encoding", files={"a.txt": TWO}
        )
        for codec in CODECS
    ),
    *(
        survives(f"the encoding {codec!r}", ["terms", "a.txt", "--encoding", codec], files={"a.txt": TWO})
        for codec in ODD_CODECS
    ),
    *(refused(f"a corpus that is {name}", ["terms", path], says, make=_places) for name, (path, says) in PATHS.items()),
    *(
        refused(
            f"stop words that are {name}",
            ["terms", "a.txt", "--stop-words", "stop.txt"],
            "stop",
            make=_stop_words(make),
        )
        for name, make in STOPS.items()
    ),
    *(
        fine(f"a file called {name[:20]!r}", ["terms", "--", name], files={name: TWO}, prints="so")
        for name in GOOD_NAMES
    ),
    fine(
        "two names that look alike",
        ["stats", "build", "d", "-o", "s.parquet"],
        files={"d/\u00e9.txt": TWO, "d/e\u0301.txt": TWO},
        makes=("s.parquet",),
    ),
    fine("a folder of odd names", ["terms", "d"], files={f"d/{name}": TWO for name in GOOD_NAMES}, prints="so"),
    fine("a folder 100 levels deep", ["terms", "d"], files={"d/" * 100 + "a.txt": TWO, "d/b.txt": TWO}, prints="so"),
    refused("a corpus that is standard input twice", ["keyness", "-", "-"], "standard input", stdin=TWO),
]


@pytest.mark.parametrize("attack", by_kind(ATTACKS), ids=str)
def test_text_and_paths(attack: Kind, attacked: Callable[[Kind], None]) -> None:
    attacked(attack)
