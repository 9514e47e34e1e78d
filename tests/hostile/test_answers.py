"""Misleading input must give a right answer or an error; in a fork nothing may hang."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from attacks import Attack, Outcome, fine, refused, survives

BY = ["keyness", "t.jsonl", "--by", "g", "--min-count", "1", "-f", "json"]


def _jsonl(*rows: dict[str, Any]) -> dict[str, bytes]:
    return {"t.jsonl": "".join(json.dumps(row) + "\n" for row in rows).encode()}


def _two(first: str, second: str) -> dict[str, bytes]:
    return _jsonl({"g": first, "text": "so so"}, {"g": second, "text": "it it it"}, {"g": first, "text": "so it"})


def _apart(first: str, second: str) -> Callable[[Path, Outcome], None]:
    """A check that the two groups of `_two` stay separate, in the order of their names."""

    def check(folder: Path, outcome: Outcome) -> None:
        found = {row["term"]: (row["n_a"], row["n_b"]) for row in json.loads(outcome.out)}
        expected = {"so": (3, 0), "it": (1, 3)} if first < second else {"so": (0, 3), "it": (3, 1)}
        assert found == expected

    return check


LABELS = {
    "a NUL at the end": ("a\0", "a"),
    "a composed and a decomposed letter": ("\u00e9", "e\u0301"),
    "a blank at the end": ("a", "a b"),
    "a zero before": ("01", "1"),
    "a label of 60 kB": ("a" * 60_000, "b"),
}
COLUMNS = ("^te.*$", "*", 'te"xt', "text; drop table x", "")


def _columns(name: str) -> Callable[[Path], None]:
    """A table with a column of that name, and others that could be confused with it."""

    def make(folder: Path) -> None:
        frame = pl.DataFrame({"text": ["no no", "no"], "tent": ["no", "no"], name: ["so it so", "it is"]})
        frame.write_parquet(folder / "t.parquet")
        frame.write_csv(folder / "t.csv")

    return make


def _terms(*expected: str) -> Callable[[Path, Outcome], None]:
    def check(folder: Path, outcome: Outcome) -> None:
        assert {row["term"] for row in json.loads(outcome.out)} == set(expected)

    return check


def _csv_terms(*expected: str) -> Callable[[Path, Outcome], None]:
    def check(folder: Path, outcome: Outcome) -> None:
        rows = csv.reader(io.StringIO(outcome.out.decode(), newline=""))
        assert {row[0] for row in rows} == {"term", *expected}

    return check


FRAME = "F = pl.DataFrame({{'document': [1, 2], 'text': ['no no', 'no'], {0!r}: ['so it so', 'it is']}})\n"
STOP_WORDS = ("['so', 'so', 'it']", "('it', 'so')", "frozenset(['it', 'so'])", "[]")
ROUND_TRIP = """
from termburst import CountingOptions
texts = ['so it goes on', 'on and on']
s = tb.TermStatistics.from_texts(texts, counting=CountingOptions(stop_words={0}), batch='a')
s.save(at / 's.parquet')
back = tb.TermStatistics.load(at / 's.parquet')
assert back == s, (back.counting, s.counting)
again = tb.TermStatistics.from_texts(texts, counting=CountingOptions(stop_words={0}), batch='b')
assert (back + again).documents == 4
"""
PRUNED = "s = tb.TermStatistics.from_texts(['so it so', 'it so on']).prune({0})\n"
SAVED = "s.save(at / 's.parquet'); assert tb.TermStatistics.load(at / 's.parquet') == s"
NAMES = ("null", "nan", "None", "__proto__", "constructor", "true", "0", "1e5", "term", "NA", "∅", "İ", "ß")
FORKED = """
import os, resource, signal
X = np.array([[2, 1], [0, 3]])
s = tb.TermStatistics.from_counts(X, ['a', 'b'], 'patterns')
s.save(at / 's.parquet')
F = pl.DataFrame({{'document': [1, 2], 'text': ['so it so', 'it is']}})
F.lazy().sort('text').collect()
tb.term_table(s)
child = os.fork()
if child == 0:
    resource.setrlimit(resource.RLIMIT_CPU, (15, 15)); signal.alarm(300)
    try:
        {0}
    except RuntimeError as error:
        os._exit(7 if 'spawn' in str(error) else 8)
    except BaseException:
        os._exit(9)
    os._exit(0)
ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
assert ended in (0, 7), ended
"""
IN_A_FORK = (
    "tb.term_table(s)", "tb.burstiness_test(s)", "tb.keyness(s, s)", "tb.TermStatistics.load(at / 's.parquet')",
    "tb.scan(F, id='document').statistics", "tb.keyness(X, by=['a', 'b'])",
    "tb.CountVectorizer().fit_transform(['so it so'])",
)  # fmt: skip

ATTACKS = [
    *(fine(f"labels with {name}", BY, files=_two(*pair), check=_apart(*pair)) for name, pair in LABELS.items()),
    fine(
        "labels with a NUL, in Python",
        "t = tb.keyness(np.array([[2, 0], [0, 3], [1, 1]]), by=['a\\0', 'a', 'b'], min_count=1, contrasts=True)\n"
        "assert t['group'].n_unique() == 3",
        notes=8,  # groups of one document, and that no word could be significant
    ),
    fine(
        "a label of 65,536 letters among 20,000",
        BY,
        prints="so",
        memory=3072,
        files=_jsonl({"g": "a" * 65_536, "text": "so"}, *({"g": "b", "text": "so it"} for _ in range(20_000))),
    ),
    refused(
        "pretokenized names that end in NUL",
        ["weigh", "t.jsonl", "--pretokenized", "-o", "w.npz"],
        "NUL|end",
        files=_jsonl({"text": ["a\0", "a"]}, {"text": ["a"]}),
    ),
    refused(
        "ids that end in NUL",
        ["weigh", "t.jsonl", "--id", "i", "-o", "w.npz"],
        "NUL|end",
        files=_jsonl({"i": "a\0", "text": "so it"}, {"i": "a", "text": "it"}),
    ),
    *(
        fine(
            f"the column {name!r} of a Parquet file",
            ["terms", "t.parquet", "--text", name, "-f", "json"],
            make=_columns(name),
            check=_terms("so", "it", "is"),
        )
        for name in COLUMNS
    ),
    *(
        fine(
            f"the column {name!r} of a CSV file",
            ["terms", "t.csv", "--text", name, "-f", "json"],
            make=_columns(name),
            check=_terms("so", "it", "is"),
        )
        for name in COLUMNS[:2]
    ),
    *(
        fine(
            f"the column {name!r} of a frame",
            FRAME.format(name) + f"s = tb.scan(F, text={name!r}).statistics\n"
            "assert sorted(s.terms) == ['is', 'it', 'so'], s.terms",
        )
        for name in COLUMNS[:2]
    ),
    refused(
        "a pattern that is not the name of a column",
        FRAME.format("x") + "tb.scan(F, text='^te.*$').statistics",
        "te",
    ),
    *(
        fine(f"stop words {words} to disk and back", ROUND_TRIP.format(words), makes=("s.parquet",))
        for words in STOP_WORDS
    ),
    *(refused(f"pruned at {value}", PRUNED.format(value) + SAVED, "count") for value in ("1.5", "'2'", "None")),
    *(
        survives(f"pruned at {value}", PRUNED.format(value) + SAVED, makes=("s.parquet",))
        for value in ("0", "10**30", "True")
    ),
    *(fine(f"pruned at {value}", PRUNED.format(value) + SAVED, makes=("s.parquet",)) for value in ("np.uint8(2)",)),
    *(
        refused(f"a pattern {pattern!r} of empty tokens", f"tb.CountingOptions(token_pattern={pattern!r})", "pattern")
        for pattern in (r"\w*", r"(?:a|)")
    ),
    *(
        survives(
            f"a pattern {pattern!r} that may match nothing",
            ["terms", "t.jsonl", "--token-pattern", pattern, "-f", "json"],
            "pattern|token|term",
            files=_jsonl({"text": "so it"}, {"text": "it is"}),
            check=lambda folder, outcome: _no_empty(outcome),
        )
        for pattern in (r"\b(\w*?)\b", r"(?<=s)(o?)", r"(a*)b*\w")
    ),
    fine(
        "terms that look like numbers or keywords",
        ["terms", "t.jsonl", "--pretokenized", "-f", "json"],
        files=_jsonl({"text": list(NAMES)}, {"text": list(NAMES)}),
        check=_terms(*NAMES),
    ),
    fine(
        "terms that look like numbers or keywords, as CSV",
        ["terms", "t.jsonl", "--pretokenized", "-f", "csv"],
        files=_jsonl({"text": list(NAMES)}, {"text": list(NAMES)}),
        check=_csv_terms(*NAMES),
    ),
    fine(
        "terms with line breaks and quotes, as CSV",
        ["terms", "t.jsonl", "--pretokenized", "-f", "csv"],
        raw=True,
        files=_jsonl({"text": ["a\nb", 'c"d', "e,f", "so"]}, {"text": ["so"]}),
        check=_csv_terms("a\nb", 'c"d', "e,f", "so"),
    ),
    *(fine(f"in a fork, {what}", FORKED.format(what), makes=("s.parquet",)) for what in IN_A_FORK),
]


def _no_empty(outcome: Outcome) -> None:
    if outcome.code == 0:
        assert all(row["term"] for row in json.loads(outcome.out))


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_an_answer(attack: Attack, attacked: Callable[[Attack], None]) -> None:
    attacked(attack)
