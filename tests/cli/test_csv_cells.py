"""CSV for spreadsheets: text that they would run as a formula gets an apostrophe, except with --csv-as-is."""

import io
import json
import re

import polars as pl
import pytest

RUN = [
    *("=1+1", "+1+1", "-1-1", "-a", "+", "-1e5", "-١", "-1\n", "'-1", "@sum", "\t=1", "\r=1", "'=x", "''-x"),
    *('=cmd|"/c calc"!A1', "=1,2", "＝1"),
]
LEFT = ["a=b", "'so", "so", "1-1", "−1", "-1", "+1", "+2.5", "-.5", "-0"]


@pytest.fixture
def tokens(tmp_path):
    path = tmp_path / "tokens.jsonl"
    rows = [[*RUN, *LEFT], [*RUN, *LEFT, "so"]]
    path.write_text("".join(json.dumps({"text": row, "g": "=g"}) + "\n" for row in rows), encoding="utf-8")
    return path


def _undone(terms: list[str]) -> list[str]:
    return [re.sub(r"^'('*[=+\-@\t\r\n＝＋－＠])", r"\1", term) for term in terms]


@pytest.mark.parametrize("to_file", [False, True])
def test_formulas_are_escaped_and_reported(run, tokens, tmp_path, to_file):
    output = tmp_path / "out.csv"
    outcome = run("terms", tokens, "--pretokenized", *(["-o", output] if to_file else ["-f", "csv"]))
    assert outcome.code == 0
    said = f"{len(RUN)} cells that a spreadsheet would run as a formula; --csv-as-is leaves them unchanged\n"
    assert outcome.err.endswith(said)
    table = pl.read_csv(output.read_bytes() if to_file else outcome.raw)
    assert sorted(table["term"]) == sorted([*(f"'{term}" for term in RUN), *LEFT])
    assert sorted(_undone(table["term"].to_list())) == sorted([*RUN, *LEFT])
    assert table["plr"].dtype == pl.Float64  # negative numbers stay numbers
    assert table["plr"].min() < 0


def test_the_pattern_in_the_docs_removes_the_apostrophes(tokens, run):
    table = pl.read_csv(run("terms", tokens, "--pretokenized", "-f", "csv").raw)
    undone = table["term"].str.replace(r"^'('*[=+\-@\t\r\n＝＋－＠])", "${1}")
    assert sorted(undone) == sorted([*RUN, *LEFT])


def test_csv_as_is(done, tokens):
    outcome = done("terms", tokens, "--pretokenized", "-f", "csv", "--csv-as-is")
    assert sorted(pl.read_csv(outcome.raw)["term"]) == sorted([*RUN, *LEFT])


@pytest.mark.parametrize("format", ["json", "parquet", "table"])
def test_other_formats_keep_terms_and_refuse_the_option(run, done, fault, tokens, format):
    outcome = done("terms", tokens, "--pretokenized", "-f", format)
    if format == "parquet":
        assert sorted(pl.read_parquet(io.BytesIO(outcome.raw))["term"]) == sorted([*RUN, *LEFT])
    assert "--csv-as-is is for CSV" in fault("terms", tokens, "-f", format, "--csv-as-is")


def test_labels_of_groups(run, done, tmp_path):
    path = tmp_path / "by.csv"
    rows = {"g": ["=a", "+b", "c"] * 6, "text": ["so it goes so", "it goes on", "and on and on"] * 6}
    pl.DataFrame(rows).write_csv(path)
    command = ("keyness", path, "--by", "g", "--min-count", 1, "-f", "csv")
    outcome = run(*command)
    assert set(pl.read_csv(outcome.raw)["group"]) == {"'=a", "'+b", "c"}
    assert "CSV: added an apostrophe before" in outcome.err
    assert set(pl.read_csv(done(*command, "--csv-as-is").raw)["group"]) == {"=a", "+b", "c"}


def test_labels_that_are_numbers_stay_numbers(done, tmp_path):
    path = tmp_path / "by.csv"
    rows = {"g": ["-1", "0", "+1"] * 6, "text": ["so it goes so", "it goes on", "and on and on"] * 6}
    pl.DataFrame(rows).write_csv(path)
    table = pl.read_csv(done("keyness", path, "--by", "g", "--min-count", 1, "-f", "csv").raw, infer_schema=False)
    assert set(table["group"]) == {"-1", "0", "+1"}


def test_nothing_is_reported_if_nothing_was_escaped(done, corpus):
    done("terms", corpus, "--lines", "-f", "csv")
