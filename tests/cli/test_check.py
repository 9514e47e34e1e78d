"""`termburst check`, --drop-duplicates and keyness --reference."""

import json

import numpy as np
import polars as pl
import pytest


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(91)
    texts = [" ".join(f"w{k}" for k in rng.integers(0, 80, 60)) for _ in range(30)]
    path = tmp_path / "t.csv"
    author = [f"a{k % 11}" for k in range(33)]
    frame = {"id": [f"d{k}" for k in range(33)], "text": [*texts, *texts[:3]], "author": author}
    pl.DataFrame(frame).write_csv(path)
    return path


def test_the_answer(run, table):
    outcome = run("check", table, "--id", "id", "--halves", 2, "--quiet")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("Take care with p-values here: 33 documents, 1,980 tokens")
    assert "3 of 33 documents (9.1 %) are near-copies of others (such as d30 of d0)" in outcome.out
    assert "termburst" in outcome.out.splitlines()[3]


def test_json_and_files(run, table, tmp_path):
    outcome = run("check", table, "--id", "id", "--halves", 2, "--json", "--cluster", "author", "--quiet")
    found = json.loads(outcome.raw)
    assert [row["duplicate_of"] for row in found["duplicates"]] == ["d0", "d1", "d2"]
    assert found["cluster"] == "author"
    assert found["false_alarms"][0]["summed"] is not None
    path = tmp_path / "answer.txt"
    assert run("check", table, "--halves", 2, "-o", path, "--quiet").code == 0
    assert path.read_text(encoding="utf-8").startswith("Take care")


def test_pieces_can_be_dealt_by_their_document(run, tmp_path):
    rng = np.random.default_rng(92)
    for k in range(12):
        (tmp_path / f"{k}.txt").write_text(" ".join(f"w{x}" for x in rng.integers(0, 60, 120)), encoding="utf-8")
    outcome = run("check", tmp_path, "--split", 40, "--cluster", "parent", "--halves", 2, "--quiet")
    assert outcome.code == 0
    assert "36 documents" in outcome.out
    assert "the values of parent" in outcome.out


def test_dropping_duplicates_says_which(run, table):
    outcome = run("terms", table, "--id", "id", "--drop-duplicates", "--format", "json", "--quiet")
    assert outcome.code == 0
    assert outcome.err == f"{table}: 3 near-duplicates dropped: d30 (of d0), d31 (of d1), d32 (of d2)\n"
    assert sum(row["n"] for row in outcome.rows.values()) == 30 * 60


def test_faults(fault, table, tmp_path):
    assert "no column 'who'" in fault("check", table, "--cluster", "who", "--quiet")
    assert "greater than or equal to 0.5" in fault("check", table, "--threshold", "0.1", "--quiet")
    assert "give another corpus or a word list, or --by, and not both" in fault(
        "keyness", table, "--by", "author", "--reference", table
    )
    assert "cannot be read" in fault("keyness", table, "--reference", tmp_path / "none.csv")
    listed = tmp_path / "list.csv"
    listed.write_text("w1,20\n", encoding="utf-8")
    assert "its own method" in fault("keyness", table, "--reference", listed, "--method", "g2")
    assert "--report shows the frequencies of documents; omit it" in fault(
        "keyness", table, "--reference", listed, "--report", tmp_path / "p.html"
    )


@pytest.mark.slow
def test_keyness_with_a_list(run, table, tmp_path):
    listed = tmp_path / "list.tsv"
    listed.write_text("word\tcount\nw1\t20\nw2\t30\nother\t4000\n", encoding="utf-8")
    outcome = run("keyness", table, "--reference", listed, "--format", "json", "--quiet")
    assert outcome.code == 0, outcome.err
    assert outcome.rows["other"]["p_method"] == "frequency list"
    assert outcome.rows["other"]["n_b"] == 4000
