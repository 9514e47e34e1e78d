"""Output is safe to show: control codes on a terminal, markup in pages, formulas in CSV."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from attacks import Attack, Outcome, fine, refused, survives
from attacks.crafted import saved

CODES = {
    "a title": "\x1b]0;evil\x07",
    "a colour": "\x1b[31mevil",
    "a C1 code": "\x9b31mevil",
    "backspaces": "evil\b\b\b\b",
    "a carriage return": "evil\rgood",
    "a bell": "evil\x07",
    "reversed letters": "\u202eevil",
    "an isolate": "\u2067evil",
    "a delete": "evil\x7f",
}
EVIL = CODES["a title"] + CODES["a colour"]
MARKUP = {
    "the end of a script": "</script><script>alert(1)</script>",
    "a comment": "<!--<script>alert(1)//",
    "a picture": "<img/src=x onerror=alert(1)>",
    "an attribute": '" onmouseover="alert(1)',
    "a template": "{{7*7}}${alert(1)}",
    "a line separator": "\u2028alert(1)\u2029<b>",
    "a CDATA end": "]]><svg/onload=alert(1)>",
    "the end of a style": "</style><script>alert(1)</script>",
}
FORMULAS = ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1")


def _jsonl(*rows: dict[str, object]) -> dict[str, bytes]:
    return {"t.jsonl": "".join(json.dumps(row) + "\n" for row in rows).encode()}


def _grouped(*labels: str, column: str = "g") -> dict[str, bytes]:
    return _jsonl(*({column: label, "text": f"so it so it w{i}"} for i, label in enumerate(labels * 2)))


def _tokens(*terms: str) -> dict[str, bytes]:
    return _jsonl({"text": [*terms, *terms, "so"]}, {"text": [*terms, "so"]})


TERMS = ["terms", "t.jsonl", "--pretokenized"]
BY = ["keyness", "t.jsonl", "--by", "g", "--min-count", "1"]


def _terminal() -> list[Attack]:
    rows = []
    for name, code in CODES.items():
        shown = (["terms"], _tokens(code)) if len(rows) % 2 else (["labels"], _grouped(code, "b"))
        line = TERMS if shown[0] == ["terms"] else BY
        rows.append(fine(f"{name} in {shown[0][0]}", line, files=shown[1], prints="so"))
    for name in ("a title", "a C1 code", "reversed letters"):
        code = CODES[name]
        make = saved(alter=lambda h, c, code=code: h.update(batches=[code]))
        show = ["stats", "show", "s.parquet"]
        rows += [
            fine(f"{name}, as JSON", [*TERMS, "-f", "json"], files=_tokens(code), check=_same_terms(code, "so")),
            fine(f"{name} in a batch", show, make=make, prints="patterns"),
            fine(f"{name} in a batch, as JSON", [*show, "--json"], make=make, check=_same_batch(code)),
        ]
    return rows


def _same_terms(*terms: str) -> Callable[[Path, Outcome], None]:
    def check(folder: Path, outcome: Outcome) -> None:
        assert {row["term"] for row in json.loads(outcome.out)} == set(terms)

    return check


def _same_batch(batch: str) -> Callable[[Path, Outcome], None]:
    def check(folder: Path, outcome: Outcome) -> None:
        assert json.loads(outcome.out)["batches"] == [batch]

    return check


PLACES = [
    fine("codes in three labels", BY, files=_grouped(EVIL, "b", "c"), prints="so"),
    fine(
        "codes in the name of a column",
        ["keyness", "t.jsonl", "--by", EVIL, "--min-count", "1"],
        files=_grouped("a", "b", column=EVIL),
    ),
    fine(
        "codes in the name of a column, three labels",
        ["keyness", "t.jsonl", "--by", EVIL, "--min-count", "1"],
        files=_grouped("a", "b", "c", column=EVIL),
    ),
    refused(
        "codes in the name of an unknown column",
        ["keyness", "t.jsonl", "--by", EVIL],
        "evil",
        files=_grouped("a", "b"),
    ),
    refused("codes in the only label", BY, "one value", files=_grouped(EVIL)),
    fine("codes in the name of a corpus", ["terms", f"{EVIL}.txt"], files={f"{EVIL}.txt": b"so it so\nit is\n"}),
    fine(
        "codes in the names of two corpora",
        ["keyness", f"{EVIL}.txt", f"b{EVIL}.txt", "--min-count", "1"],
        files={f"{EVIL}.txt": b"so it so\nit is\n", f"b{EVIL}.txt": b"so is so\nit is\n"},
    ),
    fine("codes in the name of a single document", ["terms", f"{EVIL}.txt"], files={f"{EVIL}.txt": b"so it so\n"}),
    refused("codes in the name of a missing corpus", ["terms", f"{EVIL}.txt"], "evil"),
    refused(
        "codes in the name of a damaged table", ["terms", f"{EVIL}.csv"], "evil", files={f"{EVIL}.csv": b"text\n1,2\n"}
    ),
    refused("codes in the name of an output", ["terms", "t.jsonl", "-o", f"{EVIL}.xlsx"], "evil", files=_tokens("so")),
    refused(
        "codes in the name of missing stop words",
        ["terms", "t.jsonl", "--stop-words", EVIL],
        "evil",
        files=_tokens("so"),
    ),
    refused(
        "codes in a file of a folder, read strictly",
        ["terms", "d", "--strict"],
        "evil",
        files={f"d/{EVIL}.csv": b"text\n1,2\n", "d/a.txt": b"so it goes on"},
    ),
    *(
        fine(
            f"codes in a file of a folder, {what}",
            ["terms", "d", "--verbose"],
            files={f"d/{EVIL}{ending}": content, "d/a.txt": b"so it goes on", "d/b.txt": b"it is so and so"},
            prints="so",
            notes=8,
            check=lambda folder, outcome: _escaped_in_the_report(outcome),
        )
        for what, ending, content in (
            ("which cannot be read", ".csv", b"text\n1,2\n"),
            ("which is decoded by a guess", ".txt", "so it goes, said the café owner".encode("latin-1")),
            ("which is skipped", ".png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        )
    ),
    refused("codes in a column of a header", ["terms", "t.csv"], "text", files={"t.csv": f"{EVIL},b\n1,2\n".encode()}),
    refused("codes in a pattern", ["terms", "t.jsonl", "--token-pattern", f"({EVIL}"], "pattern", files=_tokens("so")),
    refused("codes in a term to explain", ["explain", "t.jsonl", EVIL, "--pretokenized"], "evil", files=_tokens("so")),
    fine(
        "codes in a term explained", ["explain", "t.jsonl", EVIL, "--pretokenized"], files=_tokens(EVIL), prints="evil"
    ),
    fine(
        "codes in the name of an existing batch",
        ["stats", "add", "s.parquet", "n.txt", "--batch", EVIL],
        make=saved(alter=lambda h, c: h.update(batches=[EVIL])),
        files={"n.txt": b"so it\n"},
    ),
    refused(
        "codes in a batch merged twice",
        ["stats", "merge", "s.parquet", "s.parquet", "-o", "t.parquet"],
        "evil",
        make=saved(alter=lambda h, c: h.update(batches=[EVIL])),
    ),
    refused("a line break in a name", ["terms", "a\nb.txt"], "a.*b.txt"),
    refused("a name that is not valid text", ["terms", os.fsdecode(b"\xff\xfe.txt")], ".txt"),
    refused(
        "a name of a megabyte of columns",
        ["terms", "t.csv"],
        "text",
        files={"t.csv": b"x" * 1_000_000 + b",b\n1,2\n"},
        check=lambda folder, outcome: _short(outcome),
    ),
]


def _short(outcome: Outcome) -> None:
    assert len(outcome.err) < 5000


def _escaped_in_the_report(outcome: Outcome) -> None:
    assert r"\x1b]0;evil\x07\x1b[31mevil" in outcome.err


def _no_markup(folder: Path, outcome: Outcome) -> None:
    page = (folder / "p.html").read_text(encoding="utf-8")
    assert not [evil for evil in MARKUP.values() if "<" in evil and evil in page]
    assert "<script>alert" not in page
    assert "Content-Security-Policy" in page


def _pages() -> list[Attack]:
    evil, rest = MARKUP["the end of a script"], {"makes": ("p.html",), "check": _no_markup}
    page = ["report", "t.jsonl", "--pretokenized", "-o", "p.html", "--title", evil]
    return [
        fine("markup in the terms and the title of a page", page, files=_tokens(*MARKUP.values()), **rest),
        fine("markup in the labels of a page", [*BY, "--report", "p.html"], files=_grouped(evil, "b"), **rest),
        fine(
            "markup in the ids of a page",
            ["report", "t.jsonl", "--id", "g", "-o", "p.html"],
            files=_grouped(*MARKUP.values()),
            **rest,
        ),
        *(
            fine(
                f"{name} in a report as JSON",
                ["report", "t.jsonl", "--pretokenized", "-f", "json", "--title", markup],
                files=_tokens(markup),
                prints="alert|7",
            )
            for name, markup in list(MARKUP.items())[:2]
        ),
    ]


def _no_formula(folder: Path, outcome: Outcome) -> None:
    for row in csv.reader(io.StringIO(outcome.out.decode(), newline="")):
        assert not row[0].startswith(("=", "+", "-", "@", "\t", "\r")), row


def _as_it_is(folder: Path, outcome: Outcome) -> None:
    terms = {row[0] for row in csv.reader(io.StringIO(outcome.out.decode(), newline=""))}
    assert terms == {"term", "so", *FORMULAS}


CSV = [*TERMS, "-f", "csv"]
ATTACKS = [
    *_terminal(),
    *PLACES,
    *_pages(),
    *(
        fine(f"the formula {formula!r}", CSV, files=_tokens(formula), check=_no_formula, raw=True)
        for formula in FORMULAS
    ),
    fine("formulas in groups", [*BY, "-f", "csv"], files=_grouped("=1+1", "b", "@c"), check=_no_formula, raw=True),
    fine("formulas as they are", [*CSV, "--csv-as-is"], files=_tokens(*FORMULAS), check=_as_it_is, raw=True),
    fine(
        "numbers stay numbers",
        ["terms", "t.jsonl", "-f", "csv"],
        files=_jsonl({"text": "so it"}, {"text": "it is"}),
        prints=r",-\d",
    ),
    survives("rich markup in a term", TERMS, files=_tokens("[red]so[/red]", "[/]", "[link=x]"), prints=r"\[red\]so"),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_what_is_shown(attack: Attack, attacked: Callable[[Attack], None]) -> None:
    attacked(attack)
