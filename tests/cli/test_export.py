"""`export`: the counts of a corpus in the formats of other programs; and CSV for Excel."""

import csv
import io

import numpy as np
import polars as pl
import pytest
from scipy.io import mmread

import termburst as tb


def lines(path):
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def test_matrix_market(done, corpus, tmp_path, texts):
    done("export", corpus, "--lines", "-o", tmp_path / "counts.mtx")
    counts, terms = tb.CountingOptions().count(texts)
    np.testing.assert_array_equal(mmread(tmp_path / "counts.mtx").toarray(), counts.toarray())
    assert lines(tmp_path / "counts.terms.txt") == terms.tolist()
    assert lines(tmp_path / "counts.documents.txt") == [f"corpus.txt:{i}" for i in range(1, 42)]


@pytest.mark.parametrize(("name", "options"), [("c.csv", []), ("c.parquet", []), ("c.csv", ["--as", "quanteda"])])
def test_one_row_per_count(run, corpus, tmp_path, texts, name, options):
    outcome = run("export", corpus, "--lines", "-o", tmp_path / name, "--min-count", 60, *options)
    assert outcome.code == 0
    frame = pl.read_csv(tmp_path / name) if name == "c.csv" else pl.read_parquet(tmp_path / name)
    assert frame.columns == (["doc_id", "feature", "frequency"] if options else ["document", "term", "count"])
    frequent = tb.TermStatistics.from_texts(texts).prune(60)
    total = frame.group_by(frame.columns[1]).agg(pl.col(frame.columns[2]).sum()).sort(frame.columns[1])
    assert dict(total.rows()) == dict(zip(frequent.terms, frequent.collection_frequency.tolist(), strict=True))


def test_word_lists_also_from_saved_statistics(done, corpus, tmp_path, texts):
    done("stats", "build", corpus, "--lines", "-o", tmp_path / "saved.parquet", "--detail", "frequencies")
    for source, name in ((corpus, "a.txt"), (tmp_path / "saved.parquet", "b.txt")):
        done("export", source, "-o", tmp_path / name, "--as", "antconc")
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "b.txt").read_bytes()
    rows = (tmp_path / "a.txt").read_text(encoding="utf-8")
    s = tb.TermStatistics.from_texts(texts)
    for term, n in zip(s.terms, s.collection_frequency, strict=True):
        assert f"\t{n}\t{term}\t" in rows


def test_statistics_have_no_documents(fault, done, corpus, tmp_path):
    done("stats", "build", corpus, "--lines", "-o", tmp_path / "saved.parquet")
    line = fault("export", tmp_path / "saved.parquet", "-o", tmp_path / "c.mtx")
    assert "have no documents; give the corpus itself, or --as antconc" in line


def test_the_format_must_be_clear(fault, corpus, tmp_path):
    line = fault("export", corpus, "--lines", "-o", tmp_path / "words.txt")
    assert "the format is not clear from its ending" in line
    assert "--as npz, csv" in line
    assert "antconc" not in fault("weigh", corpus, "--lines", "-o", tmp_path / "words.txt")


@pytest.mark.parametrize(
    "command",
    [
        ("terms", "CORPUS", "-o"),
        ("keyness", "CORPUS", "OTHER", "-o"),
        ("weigh", "CORPUS", "-o"),
        ("export", "CORPUS", "-o"),
    ],
)
def test_csv_for_excel(run, fault, corpus, tmp_path, command):
    other = tmp_path / "other.txt"
    other.write_text("naïve Whale\n", encoding="utf-8")
    target = tmp_path / "out.csv"
    given = [{"CORPUS": corpus, "OTHER": other}.get(word, word) for word in command[:-1]] + ["--lines", "-o"]
    assert run(*given, target).code == 0
    plain = target.read_bytes()
    assert run(*given, target, "--excel").code == 0
    assert target.read_bytes() == b"\xef\xbb\xbf" + plain
    assert "naïve" in {cell for row in csv.reader(io.StringIO(target.read_text(encoding="utf-8-sig"))) for cell in row}
    assert "--excel is for CSV" in fault(*given, tmp_path / "out.parquet", "--excel")


def test_more_rows_than_excel_shows(run, corpus, tmp_path, monkeypatch):
    from termburst.cli import output

    monkeypatch.setattr(output, "_EXCEL_ROWS", 5)
    outcome = run("terms", corpus, "--lines", "-o", tmp_path / "t.csv", "--excel")
    assert "Excel shows only the first 4 of 13 rows" in outcome.err
