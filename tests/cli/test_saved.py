"""Saved statistics and ledgers as the input of commands."""

import json

import polars as pl
import pytest

from termburst.ledgers import Ledger

TEXTS = {"clown": ["ha ha ha so", "ha ha it is so so"] * 4, "crowd": ["so it goes on", "it is what it is"] * 4}


@pytest.fixture
def places(run, tmp_path):
    """Each text twice: in a ledger with two batches, and as statistics of the same texts."""
    ledger = Ledger(tmp_path / "ledger")
    for batch, texts in TEXTS.items():
        documents = [f"{batch} {k}" for k in range(len(texts))]
        ledger.add(pl.DataFrame({"document": documents, "text": texts}), batch=batch)
    (tmp_path / "all.csv").write_text("\n".join(["text", *TEXTS["clown"], *TEXTS["crowd"]]), encoding="utf-8")
    made = run("stats", "build", tmp_path / "all.csv", "-o", tmp_path / "all.parquet")
    assert made.code == 0, made.err
    return tmp_path


@pytest.mark.parametrize(
    "options",
    [
        ("terms", "-f", "csv"),
        ("terms", "--test", "-f", "csv"),
        ("explain", "ha"),
        ("keyness", "{}/other.csv", "-f", "csv", "--min-count", "1"),
    ],
)
def test_a_ledger_is_read_as_the_statistics_of_its_texts(run, places, options):
    (places / "other.csv").write_text("text\nso so it\nit goes\n", encoding="utf-8")
    command, *more = options
    more = [one.format(places) for one in more]
    found = [run(command, places / name, *more) for name in ("ledger", "all.parquet")]
    assert [one.code for one in found] == [0, 0], found[0].err
    assert found[0].out == found[1].out != ""


def test_show_says_what_a_ledger_has(run, places):
    found, other = (json.loads(run("stats", "show", places / name, "--json").out) for name in ("ledger", "all.parquet"))
    assert found["batches"] == ["clown", "crowd"]
    same = ("documents", "tokens", "terms", "mean_length", "longest", "detail", "counting")
    assert {name: found[name] for name in same} == {name: other[name] for name in same}


def test_a_ledger_has_no_texts(fault, places):
    for command in (("kwic", places / "ledger", "so"), ("check", places / "ledger"), ("explore", places / "ledger")):
        assert "is saved statistics, which have no" in fault(*command)
    merged = fault("stats", "merge", places / "ledger", places / "all.parquet", "-o", places / "both.parquet")
    assert "is a ledger, not saved statistics; save its statistics in Python" in merged
    assert fault("stats", "show", "x" * 300)  # a name that is too long
    assert "omit --where" in fault("terms", places / "ledger", "--where", "year > 1")
    (places / "ledger" / "ledger.json").write_text('{"format": "termburst ledger"', encoding="utf-8")
    assert "ledger.json" in fault("terms", places / "ledger")
