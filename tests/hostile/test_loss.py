"""Nothing may be lost: files behind links, next to outputs, in place of checkpoints; file modes; the input itself."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from attacks import Attack, Outcome, fine, refused, survives
from attacks.crafted import saved, statistics_bytes

import termburst as tb

CORPUS = {"c.txt": b"ha ha ha said the clown\nthe crowd said nothing\n", "precious.txt": b"do not lose this"}
BUILD = ["stats", "build", "c.txt", "-o", "shared/all.parquet"]
PARTIAL = "shared/.all.parquet.partial"
RUN = f"{PARTIAL}/000000.run"
ALL = ("shared/all.parquet",)


def _at(name: str, act: Callable[[Path], object]) -> Callable[[Path], None]:
    """Make the parent folder of a path, then call *act* with the path."""

    def make(folder: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        act(folder / name)

    return make


def _link(name: str, target: str) -> Callable[[Path], None]:
    return _at(name, lambda path: path.symlink_to(target))


def _content(name: str, content: bytes) -> Callable[[Path], None]:
    return _at(name, lambda path: path.write_bytes(content))


def _private(name: str, content: bytes) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o600)

    return make


def _still_private(name: str) -> Callable[[Path, Outcome], None]:
    def check(folder: Path, outcome: Outcome) -> None:
        assert (folder / name).stat().st_mode & 0o777 == 0o600

    return check


def _documents(name: str, number: int) -> Callable[[Path, Outcome], None]:
    def check(folder: Path, outcome: Outcome) -> None:
        assert tb.TermStatistics.load(folder / name).documents == number

    return check


def _leftover(folder: Path) -> None:
    """A temporary file that a killed process would leave next to the output; here it is a link."""
    prefix = hashlib.blake2b(os.fsencode("all.parquet"), digest_size=6).hexdigest()
    _link(f"shared/.termburst-{prefix}-x.part", "../precious.txt")(folder)


CHECKPOINTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link to a file": (_link(PARTIAL, "../precious.txt"), "link"),
    "a link to nothing": (_link(PARTIAL, "../nowhere.txt"), "link"),
    "a link to itself": (_link(PARTIAL, ".all.parquet.partial"), "link"),
    "a link to a device": (_link(PARTIAL, "/dev/zero"), "link"),
    "a link to a folder": (_link(PARTIAL, ".."), "link|folder"),
    "a folder of one's own": (_at(f"{PARTIAL}/thesis", Path.mkdir), "other files"),
    "a pipe": (_at(PARTIAL, os.mkfifo), "not a folder"),
    "a text": (_content(PARTIAL, b"my diary"), "not a folder"),
    "a text as a run": (_content(RUN, b"my diary"), "--fresh"),
    "an empty run": (_content(RUN, b""), "--fresh"),
    "half a run": (_content(RUN, statistics_bytes()[:700]), "--fresh"),
    "finished statistics as a run": (_content(RUN, statistics_bytes()), "--fresh"),
}
OUTPUTS: dict[str, tuple[list[str], str, Callable[[Path], object] | None]] = {
    "its own input": (["terms", "c.csv", "-o", "c.csv"], "part of the input", None),
    "its own input by another path": (
        ["terms", "c.csv", "-o", "shared/../c.csv"],
        "part of the input|does not exist",
        None,
    ),
    "its own input through a link": (["terms", "c.csv", "-o", "l.csv"], "part of the input", _link("l.csv", "c.csv")),
    "its own input by a hard link": (
        ["terms", "c.csv", "-o", "h.csv"],
        "part of the input",
        lambda at: os.link(at / "c.csv", at / "h.csv"),
    ),
    "a file in the input folder": (["terms", ".", "-o", "c.csv", "--text", "text"], "part of the input", None),
    "a file of the input glob": (["terms", "*.csv", "-o", "c.csv"], "part of the input", None),
    "its own input, with statistics": (
        ["stats", "build", "c.parquet", "-o", "c.parquet"],
        "part of the input",
        saved(name="c.parquet"),
    ),
    "its own input, with a page": (["report", "c.csv", "-o", "c.csv", "-f", "html"], "part of the input", None),
    **{
        f"its stop words, with {command[0]}": (
            [*command, "--stop-words", "stop.txt", "-o", "stop.txt"],
            "part of the input",
            _content("stop.txt", b"is"),
        )
        for command in (
            ["terms", "c.csv", "-f", "csv"],
            ["keyness", "c.csv", "--by", "g", "-f", "csv"],
            ["report", "c.csv", "-f", "json"],
            ["export", "c.csv", "--as", "csv"],
            ["weigh", "c.csv", "--as", "npz"],
        )
    },
    "its stop words, with a page": (
        ["keyness", "c.csv", "--by", "g", "--stop-words", "stop.json", "--report", "stop.json"],
        "part of the input",
        _content("stop.json", b"is"),
    ),
    "its stop words, with statistics": (
        ["stats", "build", "c.csv", "--stop-words", "stop.parquet", "-o", "stop.parquet"],
        "part of the input",
        _content("stop.parquet", b"is"),
    ),
    "statistics that are subtracted": (
        ["stats", "subtract", "s.parquet", "t.parquet", "-o", "t.parquet"],
        "part of the input",
        lambda at: (saved()(at), saved(name="t.parquet")(at)),
    ),
    "a folder": (["terms", "c.csv", "-o", "d.csv"], "folder", lambda at: (at / "d.csv").mkdir()),
    "a folder that does not exist": (["terms", "c.csv", "-o", "nowhere/x.csv"], "nowhere", None),
    "a pipe": (["terms", "c.csv", "-o", "p.csv"], "regular", lambda at: os.mkfifo(at / "p.csv")),
    "a device": (["terms", "c.csv", "-f", "csv", "-o", "/dev/null"], "regular", None),
    "a full device": (["terms", "c.csv", "-f", "csv", "-o", "/dev/full"], "regular", None),
    "a link to a device": (["terms", "c.csv", "-o", "l.csv"], "regular", _link("l.csv", "/dev/null")),
    "a link in a circle": (["terms", "c.csv", "-o", "l.csv"], "l.csv", _link("l.csv", "l.csv")),
    "a name of 300 letters": (["terms", "c.csv", "-o", "x" * 300 + ".csv"], "written|long", None),
    "no name": (["terms", "c.csv", "-f", "csv", "-o", ""], "folder", None),
    "a file as if it were a folder": (["terms", "c.csv", "-o", "precious.txt/x.csv"], "folder", None),
    "the same file for table and page": (
        ["keyness", "c.csv", "--by", "g", "-o", "x.json", "--report", "x.json"],
        "cannot be the same file",
        None,
    ),
    "weights with a wrong suffix": (["weigh", "c.csv", "-o", "precious.txt"], "npz", None),
    "statistics with a wrong suffix": (["stats", "build", "c.csv", "-o", "precious.txt"], "parquet", None),
    "a page with a wrong suffix": (["report", "c.csv", "-o", "precious.txt"], "html", None),
}
TABLE = {"c.csv": b"g,text\na,so it so\nb,it is it\n", "precious.txt": b"do not lose this"}
NEW = {"new.txt": b"so so it\n", "precious.txt": b"do not lose this"}
ATTACKS = [
    *(
        refused(f"a checkpoint that is {name}", BUILD, says, make=make, files=CORPUS)
        for name, (make, says) in CHECKPOINTS.items()
    ),
    survives(
        "a linked checkpoint, --fresh",
        [*BUILD, "--fresh"],
        "link",
        make=CHECKPOINTS["a link to a file"][0],
        files=CORPUS,
        makes=(*ALL, PARTIAL),
    ),
    fine(
        "a text as a run, --fresh",
        [*BUILD, "--fresh"],
        make=CHECKPOINTS["a text as a run"][0],
        files=CORPUS,
        makes=(*ALL, PARTIAL, RUN),
    ),
    fine("a leftover that is a link", BUILD, make=_leftover, files=CORPUS, makes=(*ALL, "shared/.termburst-*")),
    *(
        refused(f"an output to {name}", run, says, make=make, files=TABLE)
        for name, (run, says, make) in OUTPUTS.items()
    ),
    fine(
        "an output through a link",
        ["terms", "c.csv", "-o", "l.csv"],
        make=_link("l.csv", "real.csv"),
        files=TABLE,
        makes=("real.csv",),
    ),
    fine(
        "an output with a line break in its name",
        ["terms", "c.csv", "-o", "a\nb.csv"],
        files=TABLE,
        makes=("a\nb.csv",),
    ),
    fine("an output that begins with a dash", ["terms", "c.csv", "-o", "-x.csv"], files=TABLE, makes=("-x.csv",)),
    fine("an output with glob characters", ["terms", "c.csv", "-o", "[ab]*.csv"], files=TABLE, makes=("[[]ab]*.csv",)),
    fine(
        "private statistics stay private",
        ["stats", "add", "s.parquet", "new.txt"],
        make=_private("s.parquet", statistics_bytes()),
        files=NEW,
        makes=("s.parquet",),
        check=_still_private("s.parquet"),
    ),
    fine(
        "a private table stays private",
        ["terms", "c.csv", "-o", "t.csv"],
        make=_private("t.csv", b"old"),
        files=TABLE,
        makes=("t.csv",),
        check=_still_private("t.csv"),
    ),
    fine(
        "private weights stay private",
        ["weigh", "c.csv", "-o", "w.npz"],
        make=_private("w.npz", b"old"),
        files=TABLE,
        makes=("w.npz",),
        check=_still_private("w.npz"),
    ),
    fine(
        "statistics added to",
        ["stats", "add", "s.parquet", "new.txt"],
        make=saved(),
        files=NEW,
        makes=("s.parquet",),
        check=_documents("s.parquet", 7),
    ),
    fine(
        "a batch added twice",
        ["stats", "add", "s.parquet", "new.txt", "--batch", "first"],
        make=saved(),
        files=NEW,
        check=_documents("s.parquet", 6),
    ),
    refused("nothing to add", ["stats", "add", "s.parquet", "gone.txt"], "gone", make=saved()),
    refused(
        "an empty file to add", ["stats", "add", "s.parquet", "e.txt"], "e.txt", make=saved(), files={"e.txt": b""}
    ),
    refused(
        "added with other counting options",
        ["stats", "add", "s.parquet", "new.txt", "--ngrams", "2"],
        "counted with",
        make=saved(),
        files=NEW,
    ),
    refused(
        "everything subtracted", ["stats", "subtract", "s.parquet", "s.parquet"], "nothing would be left", make=saved()
    ),
    refused(
        "more subtracted than there is",
        ["stats", "subtract", "s.parquet", "t.parquet"],
        "contained|below",
        make=lambda at: (saved()(at), tb.TermStatistics.from_texts(["ha " * 99], "patterns").save(at / "t.parquet")),
    ),
    refused(
        "the same batch merged twice",
        ["stats", "merge", "s.parquet", "s.parquet", "-o", "t.parquet"],
        "first.*twice",
        make=saved(),
    ),
    refused("one file merged", ["stats", "merge", "s.parquet", "-o", "t.parquet"], "two files", make=saved()),
    refused("no statistics to show", ["stats", "show", "."], "no such file|folder"),
    refused(
        "statistics that are a pipe",
        ["stats", "show", "p.parquet"],
        "p.parquet",
        make=lambda at: os.mkfifo(at / "p.parquet"),
    ),
    refused("statistics that are a device", ["stats", "show", "/dev/zero"], "/dev/zero"),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_nothing_is_lost(attack: Attack, attacked: Callable[[Attack], None]) -> None:
    attacked(attack)
